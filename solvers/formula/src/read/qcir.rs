//! QCIR, formulas of gates (QCIR-G14 by Jordan, Klieber and Seidl), in prenex form and closed, line by line.
//!
//! ```text
//! #QCIR-G14
//! forall(x)        each quantifier with its variables, outermost first; exists(y, z)
//! exists(y)        or random(1/3, r): true with this probability, which is our own addition for stochastic SAT
//! output(-g)
//! g = xor(x, y)    and, or of any number of literals; xor of two; ite of three: if, then, else
//! ```
//!
//! Each gate becomes an innermost existential variable, and the clauses that define it (Tseitin). A gate uses variables, and gates
//! before it. Names are kept.

use super::diagnostic::{Diagnostics, ReadError};
use super::probability;
use super::tokens::Place;
use crate::{Clauses, Formula, Lit, Names, Prefix, Probability, Quantifier, Var};
use rustc_hash::FxHashMap;

/// Whether a text is in this format.
pub(super) fn is_qcir(text: &[u8]) -> bool {
    text.starts_with(b"#QCIR")
}

/// A mistake: the part of the text, what is wrong with it, and what to write.
type Mistake<'a> = (&'a str, &'static str, &'static str);

const QUANTIFIER: &str = "write `exists(a, b)`, `forall(a)` or `random(1/3, a)`, then `output(g)`";
const GATE: &str = "write a gate such as `g = and(a, -b)`, with and, or, xor or ite";

/// Reads a formula of gates, up to the first mistake.
pub(super) fn read(bytes: &[u8]) -> Result<Formula, ReadError> {
    let mut problems = Diagnostics::new(bytes);
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::default();
    let found = reader.whole(&text);
    if let Err((part, message, hint)) = found {
        // Characters that are no UTF-8 are longer in the text than in the bytes.
        let offset = (part.as_ptr() as usize - text.as_ptr() as usize).min(bytes.len());
        let line_start = bytes[..offset].iter().rposition(|byte| *byte == b'\n');
        let place = Place {
            line: 1 + bytes[..offset]
                .iter()
                .filter(|byte| **byte == b'\n')
                .count(),
            line_start: line_start.map_or(0, |end| end + 1),
            offset,
        };
        problems.add(place, part.as_bytes(), message, hint);
    }
    problems.into_result()?;
    let variables = reader.numbers.len();
    let gates = (reader.prefix.variable_count()..variables).map(Var::new);
    reader.prefix.push(Quantifier::Exists, gates);
    Ok(Formula::new(
        variables,
        reader.prefix,
        reader.matrix,
        reader.names,
    ))
}

#[derive(Default)]
struct Reader<'a> {
    /// Quantified variables, then gates, by name.
    numbers: FxHashMap<&'a str, Var>,
    names: Names,
    prefix: Prefix,
    matrix: Clauses,
}

impl<'a> Reader<'a> {
    fn whole(&mut self, text: &'a str) -> Result<(), Mistake<'a>> {
        let mut output = None;
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or(line).trim();
            if line.is_empty() {
                continue;
            }
            let list = line.strip_suffix(')').and_then(|line| line.split_once('('));
            let hint = if output.is_some() { GATE } else { QUANTIFIER };
            let (head, list) = list.ok_or((line, "a list in parentheses is missing", hint))?;
            let items: Vec<&str> = match list.trim() {
                "" => Vec::new(),
                list => list.split(',').map(str::trim).collect(),
            };
            match (output, head.split_once('='), &items[..]) {
                (Some(_), Some((name, kind)), inputs) => {
                    self.gate(name.trim(), kind.trim(), inputs)?
                }
                (None, None, items) => match (head.trim().to_ascii_lowercase().as_str(), items) {
                    ("exists", names) => self.block(Quantifier::Exists, None, names)?,
                    ("forall", names) => self.block(Quantifier::Forall, None, names)?,
                    ("random", [probability, names @ ..]) => {
                        let number = probability::number(probability.as_bytes()).ok();
                        let number = number.and_then(|number| Probability::new(number).ok());
                        let wrong = (*probability, "this is no probability", QUANTIFIER);
                        self.block(Quantifier::Chance, Some(number.ok_or(wrong)?), names)?;
                    }
                    ("output", [literal]) => output = Some(*literal),
                    ("free", _) => return Err((line, "the formula is not closed", QUANTIFIER)),
                    _ => return Err((line, "neither a quantifier nor the output", QUANTIFIER)),
                },
                _ => return Err((line, "this does not belong here", hint)),
            }
        }
        let end = &text[text.len()..];
        let output = output.ok_or((end, "the output is missing", QUANTIFIER))?;
        let output = self.literal(output)?;
        self.matrix.push([output]);
        Ok(())
    }

    fn block(
        &mut self,
        quantifier: Quantifier,
        probability: Option<Probability>,
        names: &[&'a str],
    ) -> Result<(), Mistake<'a>> {
        for name in names {
            let variable = self.new_variable(name)?;
            match &probability {
                Some(probability) => self.prefix.push_chance(variable, probability.clone()),
                None => self.prefix.push(quantifier, [variable]),
            }
        }
        Ok(())
    }

    /// A gate, with the clauses that define it.
    fn gate(
        &mut self,
        name: &'a str,
        kind: &'a str,
        inputs: &[&'a str],
    ) -> Result<(), Mistake<'a>> {
        let lower = kind.to_ascii_lowercase();
        if matches!(lower.as_str(), "exists" | "forall") {
            return Err((
                kind,
                "the formula is not prenex",
                "move all quantifiers to the front",
            ));
        }
        let inputs = inputs.iter().map(|input| self.literal(input));
        let inputs = inputs.collect::<Result<Vec<Lit>, _>>()?;
        let gate = self.new_variable(name)?.positive();
        // An `or` is the negation of the `and` of the negations.
        let sign = |literal: Lit| if lower == "or" { !literal } else { literal };
        match (lower.as_str(), &inputs[..]) {
            ("and" | "or", inputs) => {
                for &input in inputs {
                    self.matrix.push([!sign(gate), sign(input)]);
                }
                let negated = inputs.iter().map(|&input| !sign(input));
                self.matrix.push(negated.chain([sign(gate)]));
            }
            ("xor", &[a, b]) => {
                for clause in [[a, b, !gate], [!a, !b, !gate], [a, !b, gate], [!a, b, gate]] {
                    self.matrix.push(clause);
                }
            }
            ("ite", &[test, then, other]) => {
                for (test, branch) in [(!test, then), (test, other)] {
                    self.matrix.push([test, branch, !gate]);
                    self.matrix.push([test, !branch, gate]);
                }
            }
            ("xor" | "ite", _) => return Err((kind, "xor has 2 inputs, and ite has 3", GATE)),
            _ => return Err((kind, "there is no such gate", GATE)),
        }
        Ok(())
    }

    fn literal(&self, text: &'a str) -> Result<Lit, Mistake<'a>> {
        let (name, is_positive) = match text.strip_prefix('-') {
            Some(name) => (name.trim_start(), false),
            None => (text, true),
        };
        let hint = "quantify it, or write its gate before";
        let variable = self.numbers.get(name);
        let variable = variable.ok_or((name, "there is no such variable or gate yet", hint))?;
        Ok(variable.literal(is_positive))
    }

    fn new_variable(&mut self, name: &'a str) -> Result<Var, Mistake<'a>> {
        let is_inner = |c: char| c.is_alphanumeric() || "_.[]".contains(c);
        if name.is_empty() || !name.chars().all(is_inner) {
            return Err((name, "this is no name", "write letters, digits and `_`"));
        }
        let variable = Var::new(self.numbers.len());
        if self.numbers.insert(name, variable).is_some() {
            return Err((name, "this name is there twice", "give it another name"));
        }
        self.names.set(variable, name);
        Ok(variable)
    }
}
