//! The clauses of a formula as DIMACS CNF text, without its prefix: for SAT solvers and model
//! counters.
//!
//! ```text
//! c sqasp var 1 does(xplayer,left,0)
//! p cnf 2 1
//! 1 -2 0
//! ```

use crate::strict::{FALSE_CLAUSES, Matrix, Strict, write_names, write_numbers};
use crate::{Clauses, Formula, Names, Prefix};
use std::io::{self, BufWriter, Write};

/// Writes clauses over this many variables. The writer need not be buffered.
///
/// # Panics
/// If a clause has a variable beyond the number given.
pub fn write(variables: usize, matrix: &Clauses, names: &Names, to: impl Write) -> io::Result<()> {
    let formula = Formula::new(variables, Prefix::new(), matrix.clone(), names.clone());
    let mut to = BufWriter::with_capacity(1 << 16, to);
    let strict = Strict::new(&formula);
    match strict.inspect() {
        Matrix::False(why) => {
            writeln!(to, "c false: {why}")?;
            writeln!(to, "p cnf {} {}", variables.max(2), FALSE_CLAUSES.len())?;
            for clause in FALSE_CLAUSES {
                write_numbers(clause, &mut to)?;
            }
        }
        Matrix::Clauses(count) => {
            write_names(&formula, &mut to)?;
            writeln!(to, "p cnf {variables} {count}")?;
            strict
                .visit(|clause| write_numbers(clause.iter().map(|lit| lit.to_dimacs()), &mut to))?;
        }
    }
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lit;

    fn text(clauses: &[&[i32]]) -> String {
        let mut matrix = Clauses::new();
        for clause in clauses {
            matrix.push(
                clause
                    .iter()
                    .map(|&number| Lit::from_dimacs(number).unwrap()),
            );
        }
        let mut text = Vec::new();
        write(2, &matrix, &Names::default(), &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn there_is_no_prefix() {
        assert_eq!(text(&[&[1, -2], &[2]]), "p cnf 2 2\n1 -2 0\n2 0\n");
        assert_eq!(text(&[]), "p cnf 2 0\n");
        let canned = text(&[&[]]);
        assert!(
            canned.ends_with("p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n"),
            "{canned}"
        );
    }
}
