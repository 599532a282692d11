//! Formulas as SDIMACS text, the format of stochastic SAT solvers.
//!
//! ```text
//! c sqasp prob 2 1/3                 exact probabilities and names, in comments before the header
//! c sqasp var 1 does(xplayer,left,0)
//! p cnf 3 2
//! e 1 0                              the maximum over variable 1
//! r 0.33333333333333333 2 0          the mean over variable 2, true with probability 1/3
//! a 3 0                              the minimum over variable 3
//! 1 2 0
//! 2 3 0
//! ```
//!
//! Readers differ widely, so the text obeys all of them at once: one clause per line, exact
//! counts, every variable in the prefix, one variable per `r` line, no comment after the header,
//! and nothing that makes a known solver abort (no empty clause, no opposite units, no
//! probability that reads as 0 or 1). [`read`](crate::read()) takes the exact probabilities from
//! the comments, so what was written is what is read, unless the matrix was false at sight or a
//! probability was 0 or 1: then only the value is the same.

use crate::decimal::decimal;
use crate::strict::{Line, Matrix, Strict, write_false, write_names, write_numbers};
use crate::{Formula, Var};
use std::io::{self, BufWriter, Write};

/// Writes a formula as SDIMACS. The writer need not be buffered.
pub fn write(formula: &Formula, to: impl Write) -> io::Result<()> {
    let mut to = BufWriter::with_capacity(1 << 16, to);
    let strict = Strict::new(formula);
    match strict.inspect() {
        Matrix::False(why) => write_false(why, &mut to)?,
        Matrix::Clauses(count) => {
            for line in &strict.lines {
                if let Line::Chance(var, probability) = line {
                    let fraction = probability.as_rational();
                    let (numerator, denominator) = (fraction.numer(), fraction.denom());
                    let var = var.to_dimacs();
                    writeln!(to, "c sqasp prob {var} {numerator}/{denominator}")?;
                }
            }
            write_names(formula, &mut to)?;
            writeln!(to, "p cnf {} {count}", formula.variables())?;
            for line in &strict.lines {
                write_line(line, &mut to)?;
            }
            strict
                .visit(|clause| write_numbers(clause.iter().map(|lit| lit.to_dimacs()), &mut to))?;
        }
    }
    to.flush()
}

/// Writes one line of the prefix.
pub(crate) fn write_line(line: &Line<'_>, to: &mut impl Write) -> io::Result<()> {
    let numbers: &[Var] = match line {
        Line::Exists(variables) => {
            to.write_all(b"e ")?;
            variables
        }
        Line::Forall(variables) => {
            to.write_all(b"a ")?;
            variables
        }
        Line::Chance(var, probability) => {
            write!(to, "r {} ", decimal(probability.as_rational()))?;
            std::slice::from_ref(var)
        }
    };
    write_numbers(numbers.iter().map(|var| var.to_dimacs()), to)
}
