//! How many models of clauses extend a set of atoms, by plain search with unit propagation.

use formula::{Clauses, Lit, Var};

/// The number of models in which exactly these atoms hold; counting stops at `most`.
pub fn count_extensions(
    clauses: &Clauses,
    variable_count: usize,
    atom_count: usize,
    set: u32,
    most: usize,
) -> usize {
    let mut values = vec![None; variable_count];
    for (index, value) in values.iter_mut().enumerate().take(atom_count) {
        *value = Some(set >> index & 1 == 1);
    }
    count(clauses, values, most)
}

fn value(values: &[Option<bool>], lit: Lit) -> Option<bool> {
    values[lit.var().index()].map(|value| lit.holds(value))
}

fn count(clauses: &Clauses, mut values: Vec<Option<bool>>, most: usize) -> usize {
    loop {
        let mut changed = false;
        for clause in clauses.iter() {
            if clause.iter().any(|&lit| value(&values, lit) == Some(true)) {
                continue;
            }
            let mut open = clause.iter().filter(|&&lit| value(&values, lit).is_none());
            match (open.next(), open.next()) {
                (None, _) => return 0,
                (Some(&lit), None) => {
                    values[lit.var().index()] = Some(!lit.is_negative());
                    changed = true;
                }
                _ => {}
            }
        }
        if !changed {
            break;
        }
    }
    let Some(index) = values.iter().position(Option::is_none) else {
        return 1;
    };
    let mut found = 0;
    for guess in [false, true] {
        if found < most {
            let mut values = values.clone();
            values[Var::new(index).index()] = Some(guess);
            found += count(clauses, values, most - found);
        }
    }
    found
}
