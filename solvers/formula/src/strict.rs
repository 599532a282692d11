//! Formulas in the form that the strictest readers want: the common part of both writers.
//!
//! Known solvers abort on an empty clause or on two opposite unit clauses, drop clauses when the
//! header's count is too small, and mishandle chance with probability 0 or 1. So before writing
//! - repeated literals go, and so do tautologies;
//! - a chance variable with probability 0 or 1 becomes an existential one in the same place, with
//!   a unit clause that fixes it;
//! - a matrix that is false at sight (an empty clause, two opposite units) is replaced by a tiny
//!   false formula that has neither: [`FALSE_CLAUSES`].
//!
//! None of this changes the value. Clauses are visited twice, once to count and once to write,
//! and never copied: long games have millions of them.

use crate::{Formula, Lit, Probability, Quantifier, Var};
use rustc_hash::FxHashSet;
use std::io::{self, Write};

/// A false matrix over two existential variables, without an empty clause and without units.
pub(crate) const FALSE_CLAUSES: [[i32; 2]; 4] = [[1, 2], [1, -2], [-1, 2], [-1, -2]];

/// One line of the prefix as it is written.
pub(crate) enum Line<'a> {
    /// An `e` line.
    Exists(Vec<Var>),
    /// An `a` line.
    Forall(Vec<Var>),
    /// An `r` line: one variable and its probability, which is neither 0 nor 1.
    Chance(Var, &'a Probability),
}

/// A formula in the form in which it is written.
pub(crate) struct Strict<'a> {
    formula: &'a Formula,
    /// The lines of the prefix; no two neighbours are both `e` or both `a`.
    pub(crate) lines: Vec<Line<'a>>,
    /// Unit clauses in place of probabilities 0 and 1.
    units: Vec<Lit>,
    /// Universal variables whose literals are left out of all clauses; see [`Strict::reduce`].
    left_out: Vec<bool>,
}

/// The result of the first visit of all clauses.
pub(crate) enum Matrix {
    /// The number of clauses to write.
    Clauses(usize),
    /// The reason why the matrix is false.
    False(&'static str),
}

impl<'a> Strict<'a> {
    /// Arranges the prefix of a formula.
    pub(crate) fn new(formula: &'a Formula) -> Self {
        let mut strict = Strict {
            formula,
            lines: Vec::new(),
            units: Vec::new(),
            left_out: Vec::new(),
        };
        for block in formula.prefix().blocks() {
            for &var in &block.variables {
                strict.add(block.quantifier, var);
            }
        }
        strict
    }

    fn add(&mut self, quantifier: Quantifier, var: Var) {
        let probability = self.formula.prefix().probability(var);
        match (quantifier, probability) {
            (Quantifier::Chance, Some(probability))
                if !probability.is_zero() && !probability.is_one() =>
            {
                self.lines.push(Line::Chance(var, probability));
                return;
            }
            (Quantifier::Chance, Some(certain)) => self.units.push(var.literal(certain.is_one())),
            _ => {}
        }
        let universal = quantifier == Quantifier::Forall;
        match self.lines.last_mut() {
            Some(Line::Exists(variables)) if !universal => variables.push(var),
            Some(Line::Forall(variables)) if universal => variables.push(var),
            _ if universal => self.lines.push(Line::Forall(vec![var])),
            _ => self.lines.push(Line::Exists(vec![var])),
        }
    }

    /// Removes an innermost universal block by universal reduction: an innermost universal
    /// literal cannot help its clause, since the opponent makes it false after all others have
    /// chosen.
    pub(crate) fn reduce(&mut self) {
        if let Some(Line::Forall(variables)) =
            self.lines.pop_if(|line| matches!(line, Line::Forall(_)))
        {
            self.left_out = vec![false; self.formula.variables()];
            for var in variables {
                self.left_out[var.index()] = true;
            }
        }
    }

    /// Counts the clauses, or finds that the matrix is false.
    pub(crate) fn inspect(&self) -> Matrix {
        let mut count = 0;
        let mut why_false = None;
        let mut is_unit = vec![false; 2 * self.formula.variables()];
        let _: io::Result<()> = self.visit(|clause| {
            count += 1;
            match *clause {
                [] => why_false = Some("it has an empty clause"),
                [lit] => {
                    is_unit[lit.code()] = true;
                    if is_unit[(!lit).code()] {
                        why_false = Some("it has two opposite unit clauses");
                    }
                }
                _ => {}
            }
            Ok(())
        });
        why_false.map_or(Matrix::Clauses(count), Matrix::False)
    }

    /// Visits the clauses to write, in order.
    pub(crate) fn visit(&self, mut each: impl FnMut(&[Lit]) -> io::Result<()>) -> io::Result<()> {
        for unit in &self.units {
            each(&[*unit])?;
        }
        let (mut sorted, mut kept) = (Vec::new(), Vec::new());
        for clause in self.formula.matrix().iter() {
            sorted.clear();
            sorted.extend_from_slice(clause);
            sorted.sort_unstable();
            let mut pairs = sorted.windows(2);
            if pairs.any(|pair| pair[0] == !pair[1]) {
                continue;
            }
            kept.clear();
            let is_kept = |lit: &Lit| self.left_out.get(lit.var().index()) != Some(&true);
            kept.extend(clause.iter().copied().filter(is_kept));
            if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
                let mut seen = FxHashSet::default();
                kept.retain(|&lit| seen.insert(lit));
            }
            each(&kept)?;
        }
        Ok(())
    }
}

/// Writes `c sqasp var` comments for all named variables.
pub(crate) fn write_names(formula: &Formula, to: &mut impl Write) -> io::Result<()> {
    for var in (0..formula.variables()).map(Var::new) {
        if let Some(name) = formula.names().get(var) {
            write!(to, "c sqasp var {} ", var.to_dimacs())?;
            if name.contains(char::is_control) {
                // A line break inside a name would end the comment.
                writeln!(to, "{}", name.replace(char::is_control, " "))?;
            } else {
                writeln!(to, "{name}")?;
            }
        }
    }
    Ok(())
}

/// Writes a whole false formula with the reason in a comment.
pub(crate) fn write_false(why: &str, to: &mut impl Write) -> io::Result<()> {
    writeln!(
        to,
        "c sqasp false: the matrix of the formula is false, because {why}"
    )?;
    writeln!(to, "p cnf 2 {}", FALSE_CLAUSES.len())?;
    writeln!(to, "e 1 2 0")?;
    for [first, second] in FALSE_CLAUSES {
        writeln!(to, "{first} {second} 0")?;
    }
    Ok(())
}

/// Writes literals or variables as numbers, then the final 0.
pub(crate) fn write_numbers(
    numbers: impl IntoIterator<Item = i32>,
    to: &mut impl Write,
) -> io::Result<()> {
    // The formatting machinery of the standard library takes several times as long, and this is
    // most of the work of writing a long game.
    let mut text = [b' '; 12];
    for number in numbers {
        let mut start = text.len() - 1;
        let mut rest = number.unsigned_abs();
        while rest > 0 {
            start -= 1;
            text[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        if number < 0 {
            start -= 1;
            text[start] = b'-';
        }
        to.write_all(&text[start..])?;
    }
    to.write_all(b"0\n")
}
