//! The strategy of the maximising player, found with this solver and played against everything the
//! others can do.

use formula::{BigRational, Formula, Lit, Quantifier, Strategy, Var, enumerate};
use generators::{Layered, Structured, layered, structured};
use limits::Limits;
use num_traits::{One, Zero};
use portfolio::Portfolio;

fn rounds(usual: u64) -> u64 {
    let factor = std::env::var("SQASP_TEST_ROUNDS").ok();
    usual * factor.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// The value that is reached in the end.
fn played(formula: &Formula, known: &mut Vec<Lit>) -> BigRational {
    let is_open = |var: &&Var| known.iter().all(|lit| lit.var() != **var);
    let mut blocks = formula.prefix().blocks().iter();
    let next = blocks.find_map(|block| Some((block, *block.variables.iter().find(is_open)?)));
    let before = known.len();
    let Some((block, variable)) = next else {
        let holds = |lit: &Lit| known.contains(lit);
        let satisfied = formula
            .matrix()
            .iter()
            .all(|clause| clause.iter().any(holds));
        return if satisfied {
            BigRational::one()
        } else {
            BigRational::zero()
        };
    };
    if block.quantifier == Quantifier::Exists {
        let mut solver = Portfolio::default();
        let mut strategy = Strategy::new(formula, &mut solver);
        let decision = strategy
            .decide(known, &Limits::default())
            .expect("it is its turn");
        known.extend(decision.literals.expect("there is no limit"));
        let reached = played(formula, known);
        known.truncate(before);
        return reached;
    }
    let [no, yes] = [variable.negative(), variable.positive()].map(|lit| {
        known.push(lit);
        let reached = played(formula, known);
        known.truncate(before);
        reached
    });
    match formula.prefix().probability(variable) {
        None => no.min(yes),
        Some(chance) => yes * chance.as_rational() + no * chance.complement().as_rational(),
    }
}

#[test]
fn playing_reaches_the_value_and_not_more() {
    let mut between = 0;
    let rounds = rounds(150);
    for seed in 0..rounds {
        let mut rng = fastrand::Rng::with_seed(seed);
        let formula = if rng.bool() {
            structured(&mut rng, &Structured::default())
        } else {
            let quantifiers = vec![Quantifier::Exists, Quantifier::Forall, Quantifier::Chance];
            let family = Layered {
                steps: 3,
                state: 2,
                decision: 1,
                quantifiers,
            };
            layered(&mut rng, &family)
        };
        let value = enumerate(&formula).expect("it is small");
        between += u64::from(!value.is_zero() && !value.is_one());
        assert_eq!(played(&formula, &mut Vec::new()), value, "seed {seed}");
    }
    assert!(
        between > rounds / 8,
        "{between} of {rounds} values lie between 0 and 1"
    );
}
