//! Formulas without chance as QDIMACS 1.1 text, the format of QBF solvers.
//!
//! ```text
//! p cnf 3 2
//! e 1 0
//! a 2 0
//! e 3 0
//! 1 -2 3 0
//! -1 2 0
//! ```
//!
//! The standard form is kept: blocks alternate, the innermost one is existential (an innermost
//! universal block goes by universal reduction), there is at least one clause, and comments stand
//! only before the header, since DepQBF aborts on later ones. Variables keep their numbers, so a
//! solver's first moves can be read back; a formula without any clause gets one helper variable
//! behind the others.
//!
//! Paper: the QDIMACS standard, version 1.1, of QBFLIB.

use crate::sdimacs::write_line;
use crate::strict::{Line, Matrix, Strict, write_false, write_names, write_numbers};
use crate::{Formula, Var};
use std::io::{self, BufWriter, Write};

/// A formula that could not be written as QDIMACS.
#[derive(Debug, thiserror::Error)]
pub enum QdimacsError {
    /// Some variable is decided by chance, which QDIMACS cannot say.
    #[error(
        "variable {} is decided by chance, and QDIMACS has no letter for that: write SDIMACS",
        .0.to_dimacs()
    )]
    Chance(Var),
    /// The given writer failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes a formula as QDIMACS. The writer need not be buffered. Chance variables with
/// probability 0 or 1 are no obstacle: they are written as fixed existential ones.
///
/// # Errors
/// If a variable is truly decided by chance (then nothing is written), and those of the writer.
pub fn write(formula: &Formula, to: impl Write) -> Result<(), QdimacsError> {
    let mut strict = Strict::new(formula);
    for line in &strict.lines {
        if let Line::Chance(var, _) = line {
            return Err(QdimacsError::Chance(*var));
        }
    }
    strict.reduce();
    let mut to = BufWriter::with_capacity(1 << 16, to);
    match strict.inspect() {
        Matrix::False(why) => write_false(why, &mut to)?,
        Matrix::Clauses(0) => {
            let helper = Var::new(formula.variables());
            match strict.lines.last_mut() {
                Some(Line::Exists(variables)) => variables.push(helper),
                _ => strict.lines.push(Line::Exists(vec![helper])),
            }
            write_head(formula, &strict, helper.index() + 1, 1, &mut to)?;
            write_numbers([helper.to_dimacs()], &mut to)?;
        }
        Matrix::Clauses(count) => {
            write_head(formula, &strict, formula.variables(), count, &mut to)?;
            strict
                .visit(|clause| write_numbers(clause.iter().map(|lit| lit.to_dimacs()), &mut to))?;
        }
    }
    Ok(to.flush()?)
}

/// Writes everything before the clauses.
fn write_head(
    formula: &Formula,
    strict: &Strict<'_>,
    variables: usize,
    clauses: usize,
    to: &mut impl Write,
) -> io::Result<()> {
    write_names(formula, to)?;
    writeln!(to, "p cnf {variables} {clauses}")?;
    strict
        .lines
        .iter()
        .try_for_each(|line| write_line(line, to))
}
