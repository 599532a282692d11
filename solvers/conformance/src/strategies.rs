//! The strategy of the maximising player, played against everything the others can do.

use fastrand::Rng;
use formula::{BigRational, Formula, Lit, Quantifier, Var, enumerate};
use generators::{Layered, Structured, layered, rounds, structured};
use num_traits::{One, Zero};

/// Plays a strategy on random formulas and checks that it reaches their values. `decide` says what the
/// maximising player does next, given what was decided before: at least one literal. Layered formulas have
/// states of `state` variables.
///
/// # Panics
/// If a value is not reached, or exceeded.
pub fn play_strategies(
    state: usize,
    mut decide: impl FnMut(&Formula, &[Lit], &mut Rng) -> Vec<Lit>,
) {
    let mut between = 0;
    let rounds: u64 = rounds(150);
    for seed in 0..rounds {
        let mut random = Rng::with_seed(seed);
        let formula = if random.bool() {
            structured(&mut random, &Structured::default())
        } else {
            let quantifiers = vec![Quantifier::Exists, Quantifier::Forall, Quantifier::Chance];
            let family = Layered {
                steps: 3,
                state,
                decision: 1,
                quantifiers,
            };
            layered(&mut random, &family)
        };
        let value = enumerate(&formula).expect("it is small");
        between += u64::from(!value.is_zero() && !value.is_one());
        let reached = played(&formula, &mut Vec::new(), &mut random, &mut decide);
        assert_eq!(reached, value, "seed {seed}");
    }
    assert!(
        between > rounds / 8,
        "{between} of {rounds} values lie between 0 and 1"
    );
}

/// The value that is reached in the end, when these literals are decided.
fn played(
    formula: &Formula,
    known: &mut Vec<Lit>,
    random: &mut Rng,
    decide: &mut impl FnMut(&Formula, &[Lit], &mut Rng) -> Vec<Lit>,
) -> BigRational {
    let is_open = |var: &&Var| known.iter().all(|lit| lit.var() != **var);
    let mut blocks = formula.prefix().blocks().iter();
    let next = blocks.find_map(|block| Some((block, *block.variables.iter().find(is_open)?)));
    let before = known.len();
    let Some((block, variable)) = next else {
        let holds = |lit: &Lit| known.contains(lit);
        let mut clauses = formula.matrix().iter();
        return match clauses.all(|clause| clause.iter().any(holds)) {
            true => BigRational::one(),
            false => BigRational::zero(),
        };
    };
    if block.quantifier == Quantifier::Exists {
        known.extend(decide(formula, known, random));
        let reached = played(formula, known, random, decide);
        known.truncate(before);
        return reached;
    }
    let [no, yes] = [variable.negative(), variable.positive()].map(|lit| {
        known.push(lit);
        let reached = played(formula, known, random, decide);
        known.truncate(before);
        reached
    });
    match formula.prefix().probability(variable) {
        None => no.min(yes),
        Some(chance) => yes * chance.as_rational() + no * chance.complement().as_rational(),
    }
}
