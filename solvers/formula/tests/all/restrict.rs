//! Formulas restricted to values of some variables, against the definition.

use generators::{Structured, enumerate, rounds, structured};
use num_traits::{One, Zero};
use sqasp_formula::{Formula, Names, Prefix, Probability, Var};

/// The formula in which variables with a value are decided by certain chance.
fn decided(formula: &Formula, values: &[Option<bool>]) -> Formula {
    let mut prefix = Prefix::new();
    for block in formula.prefix().blocks() {
        for &variable in &block.variables {
            let certain = values[variable.index()].map(|value| Probability::ratio(value.into(), 1));
            let chance = certain.or(formula.prefix().probability(variable).cloned());
            match chance {
                Some(chance) => prefix.push_chance(variable, chance),
                None => prefix.push(block.quantifier, [variable]),
            }
        }
    }
    let (matrix, names) = (formula.matrix().clone(), Names::default());
    Formula::new(formula.variables(), prefix, matrix, names)
}

#[test]
fn the_value_is_the_one_given_these_values() {
    let mut trivial = 0;
    let rounds = rounds(600);
    for seed in 0..rounds {
        let mut rng = fastrand::Rng::with_seed(seed);
        let formula = structured(&mut rng, &Structured::default());
        let mut values = vec![None; formula.variables()];
        // Any variables, not only the first ones; some literals twice.
        let mut literals = Vec::new();
        for (index, value) in values.iter_mut().enumerate() {
            if rng.u8(0..3) == 0 {
                let truth = rng.bool();
                *value = Some(truth);
                let lit = Var::new(index).literal(truth);
                literals.extend([lit, lit].iter().take(rng.usize(1..=2)));
            }
        }
        rng.shuffle(&mut literals);
        let restricted = formula.restricted(&literals);
        assert_eq!(restricted.variables(), formula.variables());
        let expected = enumerate(&decided(&formula, &values)).unwrap();
        trivial += u64::from(expected.is_zero() || expected.is_one());
        assert_eq!(enumerate(&restricted).unwrap(), expected, "seed {seed}");
    }
    assert!(
        trivial < rounds * 19 / 20,
        "{trivial} of {rounds} values are 0 or 1"
    );
}
