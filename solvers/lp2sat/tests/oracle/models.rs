//! Models of clauses by plain search with unit propagation.

use formula::{Clauses, Lit};
use sqasp_lp2sat::Clausified;

/// The number of models that extend these values; counting stops at `most`.
pub fn count_models(clauses: &Clauses, mut values: Vec<Option<bool>>, most: usize) -> usize {
    if !propagate(clauses, &mut values) {
        return 0;
    }
    let Some(index) = values.iter().position(Option::is_none) else {
        return 1;
    };
    let mut found = 0;
    for guess in [false, true] {
        if found < most {
            let mut values = values.clone();
            values[index] = Some(guess);
            found += count_models(clauses, values, most - found);
        }
    }
    found
}

/// Follows unit clauses to the end; `false` if a clause is violated.
pub fn propagate(clauses: &Clauses, values: &mut [Option<bool>]) -> bool {
    loop {
        let mut changed = false;
        for clause in clauses.iter() {
            if clause.iter().any(|&lit| value(values, lit) == Some(true)) {
                continue;
            }
            let mut open = clause.iter().filter(|&&lit| value(values, lit).is_none());
            match (open.next(), open.next()) {
                (None, _) => return false,
                (Some(&lit), None) => {
                    values[lit.var().index()] = Some(!lit.is_negative());
                    changed = true;
                }
                _ => {}
            }
        }
        if !changed {
            return true;
        }
    }
}

fn value(values: &[Option<bool>], lit: Lit) -> Option<bool> {
    values[lit.var().index()].map(|value| lit.holds(value))
}

/// Whether the clauses hold when the atoms have these values and each helper the value of the
/// conjunction it is said to be.
pub fn hold_by_definition(clausified: &Clausified, atoms: &[bool]) -> bool {
    let mut values = atoms.to_vec();
    for helper in clausified.helpers() {
        let value = helper
            .inputs
            .iter()
            .all(|lit| lit.holds(values[lit.var().index()]));
        values.push(value);
    }
    let holds = |lit: &Lit| lit.holds(values[lit.var().index()]);
    clausified
        .clauses()
        .iter()
        .all(|clause| clause.iter().any(holds))
}
