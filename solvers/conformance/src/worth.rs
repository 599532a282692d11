//! The value of a strategy for a formula, by the definition: the oracle for code that finds and proves strategies.

use formula::{BigRational, Formula, Lit, Quantifier, Var};
use num_traits::{One, Zero};
use witness::{Decider, Strategy};

/// The value of a formula in which one player keeps to its functions, by the definition.
pub fn worth(formula: &Formula, strategy: &Strategy, side: Decider) -> BigRational {
    let blocks = formula.prefix().blocks();
    let order: Vec<(Quantifier, Var)> = blocks
        .iter()
        .flat_map(|block| block.variables.iter().map(|&var| (block.quantifier, var)))
        .collect();
    let mut values = vec![false; formula.variables()];
    rest(formula, strategy, side, &order, &mut values)
}

fn rest(
    formula: &Formula,
    strategy: &Strategy,
    side: Decider,
    order: &[(Quantifier, Var)],
    values: &mut Vec<bool>,
) -> BigRational {
    let Some((&(quantifier, variable), later)) = order.split_first() else {
        let holds = |lit: &Lit| lit.holds(values[lit.var().index()]);
        let is_true = formula
            .matrix()
            .iter()
            .all(|clause| clause.iter().any(holds));
        return if is_true { One::one() } else { Zero::zero() };
    };
    if quantifier == side.quantifier() {
        let mut functions = strategy.functions(side).iter();
        let function = functions.find(|(decided, _)| *decided == variable);
        let (_, function) = function.expect("each variable has one");
        values[variable.index()] =
            gates(strategy, values)[function.var().index()] != function.is_negative();
        return rest(formula, strategy, side, later, values);
    }
    let [without, with] = [false, true].map(|value| {
        values[variable.index()] = value;
        rest(formula, strategy, side, later, values)
    });
    match quantifier {
        Quantifier::Exists => with.max(without),
        Quantifier::Forall => with.min(without),
        Quantifier::Chance => {
            let chance = formula
                .prefix()
                .probability(variable)
                .expect("it is chance");
            with * chance.as_rational() + without * chance.complement().as_rational()
        }
    }
}

/// Values of variables and gates. Those of variables that are not decided yet are wrong, and must not matter.
fn gates(strategy: &Strategy, values: &[bool]) -> Vec<bool> {
    let mut values = values.to_vec();
    for gate in strategy.gates.iter() {
        let value = gate.iter().all(|lit| lit.holds(values[lit.var().index()]));
        values.push(value);
    }
    values
}
