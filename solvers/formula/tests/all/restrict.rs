//! Formulas restricted to values of some variables, against the definition.

use generators::{Structured, enumerate, rounds, structured};
use num_traits::{One, Zero};
use sqasp_formula::{BigRational, Formula, Lit, Quantifier, Var};

/// The value by the definition, where the variables that have a value are not decided.
fn value_given(
    formula: &Formula,
    rest: &[(Quantifier, Var)],
    values: &mut Vec<Option<bool>>,
) -> BigRational {
    let Some((&(quantifier, variable), rest)) = rest.split_first() else {
        let holds = |lit: &Lit| lit.holds(values[lit.var().index()].expect("all are decided"));
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
    if values[variable.index()].is_some() {
        return value_given(formula, rest, values);
    }
    let [no, yes] = [false, true].map(|value| {
        values[variable.index()] = Some(value);
        value_given(formula, rest, values)
    });
    values[variable.index()] = None;
    match quantifier {
        Quantifier::Exists => no.max(yes),
        Quantifier::Forall => no.min(yes),
        Quantifier::Chance => {
            let probability = formula
                .prefix()
                .probability(variable)
                .unwrap()
                .as_rational();
            (BigRational::one() - probability) * no + probability * yes
        }
    }
}

#[test]
fn the_value_is_the_one_given_these_values() {
    let mut trivial = 0;
    let rounds = rounds(600);
    for seed in 0..rounds {
        let mut rng = fastrand::Rng::with_seed(seed);
        let formula = structured(&mut rng, &Structured::default());
        let mut order: Vec<(Quantifier, Var)> = Vec::new();
        for block in formula.prefix().blocks() {
            order.extend(block.variables.iter().map(|&var| (block.quantifier, var)));
        }
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
        let expected = value_given(&formula, &order, &mut values);
        trivial += u64::from(expected.is_zero() || expected.is_one());
        assert_eq!(enumerate(&restricted).unwrap(), expected, "seed {seed}");
    }
    assert!(
        trivial < rounds * 19 / 20,
        "{trivial} of {rounds} values are 0 or 1"
    );
}
