//! Questions of model counters, in comments and in lines of their own.
//!
//! ```text
//! c t pwmc                 the problem: mc, wmc, pmc or pwmc
//! c p show 1 2 0           the variables that are counted
//! c p weight 1 1/4 0       the weight of the literal 1
//! c p weight -1 3/4 0      and of -1; variables without weights have 1 and 1
//! w 2 0.3                  the weights 0.3 of 2 and 0.7 of -2 (`w 2 -1`: 1 and 1)
//! w 3 2 0                  the weights of 3 and of -3, if there is a line for both
//! w -3 5 0
//! vp 1 2 0                 as `c p show`
//! c ind 1 2 0              as `c p show`, and `cr 1 2`, too
//! p wcnf 3 1               the problem, in the header: wcnf, pcnf or wpcnf; `p pcnf 3 1 2`: 2 variables are counted
//! ```
//!
//! Programs differ where one of two weights is missing: some take 1, some what is left to 1. So that is refused.

use super::diagnostic::Diagnostics;
use super::probability::{self, Wrong};
use super::tokens::{Place, Tokens};
use crate::{Count, Lit, Prefix, Probability, Quantifier, Var};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use std::collections::{BTreeMap, BTreeSet};

/// A line about counting: the whole of it, and where it begins.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) place: Place,
    pub(super) text: &'a [u8],
}

/// Collects what a text says about counting.
#[derive(Default)]
pub(super) struct Counting<'a> {
    /// The first line about it.
    first: Option<Line<'a>>,
    /// The problem: whether it is projected, and whether it is weighted.
    problem: Option<(bool, bool, Line<'a>)>,
    /// The header, if it names the problem: whether it is projected, and whether it is weighted.
    header: Option<(bool, bool, Line<'a>)>,
    /// How many variables are counted, as the header says.
    counted: Option<(u64, Line<'a>)>,
    /// The first line of counted variables, and all of them.
    shown: Option<(Line<'a>, Vec<Var>)>,
    /// The same of older counters: a text may have both, if they agree.
    older: Option<(Line<'a>, Vec<Var>)>,
    /// Weights of literals, and where they stand.
    weights: BTreeMap<Lit, (BigRational, Line<'a>)>,
    /// Those of `w` lines.
    listed: BTreeMap<Lit, (BigRational, Line<'a>)>,
    /// The largest variable, and where it stands.
    largest: Option<(Var, Line<'a>)>,
}

const WEIGHT_FORM: &str =
    "write `c p weight LITERAL WEIGHT 0` with a weight such as 0.25, 3 or 1/3";
const SHOW_FORM: &str = "write `c p show VARIABLE ... 0`";
const W_FORM: &str =
    "write `w VARIABLE WEIGHT 0` with a weight from 0 to 1, or -1, or a line for both literals";

impl<'a> Counting<'a> {
    /// Takes a comment `c t PROBLEM`; other comments that begin like it mean nothing.
    pub(super) fn problem(&mut self, line: Line<'a>, word: &[u8], problems: &mut Diagnostics<'_>) {
        match word {
            b"mc" => self.ask(line, (false, false), problems),
            b"wmc" => self.ask(line, (false, true), problems),
            b"pmc" => self.ask(line, (true, false), problems),
            b"pwmc" | b"wpmc" => self.ask(line, (true, true), problems),
            _ => {}
        }
    }

    /// Takes the format that the header names; says whether it is known.
    pub(super) fn format(&mut self, line: Line<'a>, problems: &mut Diagnostics<'_>) -> bool {
        let (projected, weighted) = match line.text {
            b"cnf" => return true,
            b"wcnf" => (false, true),
            b"pcnf" => (true, false),
            b"wpcnf" | b"pwcnf" => (true, true),
            _ => return false,
        };
        self.header = Some((projected, weighted, line));
        self.ask(line, (projected, weighted), problems);
        true
    }

    /// Takes the third number of the header; says whether it may be there.
    pub(super) fn third_number(
        &mut self,
        line: Line<'a>,
        number: Option<i64>,
        problems: &mut Diagnostics<'_>,
    ) -> bool {
        let (message, hint) = match (self.header, number) {
            (Some((true, ..)), Some(number)) if number >= 0 => {
                self.counted = Some((number as u64, line));
                return true;
            }
            (Some((true, ..)), _) => (
                "the header needs the number of counted variables here",
                "write `p pcnf VARIABLES CLAUSES COUNTED`, three whole numbers",
            ),
            (Some((false, ..)), _) => (
                "this is a problem of MaxSAT: the header has three numbers",
                "to count models, write `p cnf VARIABLES CLAUSES`, and `c p weight LITERAL WEIGHT 0`",
            ),
            (None, _) => (
                "the header ends after two numbers",
                "write `p cnf VARIABLES CLAUSES` before everything but comments",
            ),
        };
        problems.add(line.place, line.text, message, hint);
        false
    }

    fn ask(
        &mut self,
        line: Line<'a>,
        (projected, weighted): (bool, bool),
        problems: &mut Diagnostics<'_>,
    ) {
        self.first.get_or_insert(line);
        match self.problem {
            Some((p, w, _)) if (p, w) != (projected, weighted) => {
                let hint = "keep one `c t` line, for the problem that the header names";
                problems.add(line.place, line.text, "another problem than before", hint);
            }
            _ => self.problem = Some((projected, weighted, line)),
        }
    }

    /// Takes the words of a comment behind `c p show`, or of a line behind `vp`.
    pub(super) fn show(
        &mut self,
        line: Line<'a>,
        words: Tokens<'_>,
        problems: &mut Diagnostics<'_>,
    ) {
        if let Some(mut shown) = self.variables(line, words, true, problems) {
            let all = &mut self.shown.get_or_insert((line, Vec::new())).1;
            all.append(&mut shown);
        }
    }

    /// Takes the words of a comment behind `c ind`, or of a line behind `cr`, which may lack the 0.
    pub(super) fn older_show(
        &mut self,
        line: Line<'a>,
        words: Tokens<'_>,
        problems: &mut Diagnostics<'_>,
    ) {
        if let Some(mut shown) = self.variables(line, words, false, problems) {
            let all = &mut self.older.get_or_insert((line, Vec::new())).1;
            all.append(&mut shown);
        }
    }

    /// The variables of a line up to its 0; none if something is wrong.
    fn variables(
        &mut self,
        line: Line<'a>,
        mut words: Tokens<'_>,
        needs_end: bool,
        problems: &mut Diagnostics<'_>,
    ) -> Option<Vec<Var>> {
        self.first.get_or_insert(line);
        let mut shown = Vec::new();
        loop {
            let word = words.next().map(|token| token.number());
            match word {
                Some(Some(0)) => break,
                None if !needs_end => break,
                Some(Some(number)) if number > 0 && literal(number).is_some() => {
                    shown.extend(literal(number).map(Lit::var));
                }
                Some(_) => {
                    let message = "only variables can be shown";
                    problems.add(line.place, line.text, message, SHOW_FORM);
                    return None;
                }
                None => {
                    problems.add(line.place, line.text, "the line does not end", "add a 0");
                    return None;
                }
            }
        }
        shown.iter().for_each(|&var| self.note(var, line));
        Some(shown)
    }

    /// Takes the variables of older lines for the counted ones, if no other lines say others.
    fn take_older(&mut self, problems: &mut Diagnostics<'_>) {
        let Some((line, older)) = self.older.take() else {
            return;
        };
        let (line, shown) = self.shown.get_or_insert((line, older.clone()));
        let set = |variables: &[Var]| variables.iter().copied().collect::<BTreeSet<Var>>();
        if set(shown) != set(&older) {
            let message = "other counted variables than in the lines of older counters";
            let hint = "keep the `c p show` lines, or the `c ind` and `cr` lines";
            problems.add(line.place, line.text, message, hint);
        }
    }

    /// Takes the words of a comment behind `c p weight`.
    pub(super) fn weight(
        &mut self,
        line: Line<'a>,
        mut words: Tokens<'_>,
        problems: &mut Diagnostics<'_>,
    ) {
        self.first.get_or_insert(line);
        let literal = words.next().and_then(|word| literal(word.number()?));
        let weight = words.next().map(|word| probability::number(word.text));
        let is_last = words.next().is_some_and(|word| word.text == b"0") && words.next().is_none();
        match (literal, weight) {
            (Some(literal), Some(Ok(weight))) if is_last => {
                self.set(literal, weight, line, problems);
            }
            (_, Some(Err(wrong @ Wrong::TooLong))) => {
                problems.add(
                    line.place,
                    line.text,
                    "this weight has too many digits",
                    wrong.hint(),
                );
            }
            _ => problems.add(
                line.place,
                line.text,
                "this is not a weight of a literal",
                WEIGHT_FORM,
            ),
        }
    }

    /// Takes the words behind `w`: a literal and its weight.
    pub(super) fn listed(
        &mut self,
        line: Line<'a>,
        mut words: Tokens<'_>,
        problems: &mut Diagnostics<'_>,
    ) {
        self.first.get_or_insert(line);
        let literal = words.next().and_then(|word| literal(word.number()?));
        let weight = words.next().map(|word| probability::number(word.text));
        let is_last = words.next().is_none_or(|word| word.text == b"0") && words.next().is_none();
        let (Some(literal), Some(Ok(weight)), true) = (literal, weight, is_last) else {
            let message = "this is not a weight of a variable";
            return problems.add(line.place, line.text, message, W_FORM);
        };
        let known = self.listed.insert(literal, (weight, line));
        if let (Some((before, first)), Some((now, _))) = (known, self.listed.get(&literal))
            && before != *now
        {
            another_weight(line, first, problems);
        }
    }

    /// Turns `w` lines into weights of literals.
    fn take_listed(&mut self, problems: &mut Diagnostics<'_>) {
        let listed = std::mem::take(&mut self.listed);
        let one = BigRational::one();
        for (&literal, (weight, line)) in &listed {
            if listed.contains_key(&!literal) {
                self.set(literal, weight.clone(), *line, problems);
                continue;
            }
            let (weight, other) = match weight {
                weight if *weight == -one.clone() => (one.clone(), one.clone()),
                weight if weight.is_negative() || *weight > one || literal.is_negative() => {
                    let message = "the weight of the other literal is not clear";
                    let hint =
                        "write a line for both literals, such as `c p weight LITERAL WEIGHT 0`";
                    problems.add(line.place, line.text, message, hint);
                    continue;
                }
                weight => (weight.clone(), &one - weight),
            };
            self.set(literal, weight, *line, problems);
            self.set(!literal, other, *line, problems);
        }
    }

    fn set(
        &mut self,
        literal: Lit,
        weight: BigRational,
        line: Line<'a>,
        problems: &mut Diagnostics<'_>,
    ) {
        if weight.is_negative() {
            let message =
                "a weight below 0: the weights of a variable are the chances of its values";
            let hint = "use weights of at least 0";
            return problems.add(line.place, line.text, message, hint);
        }
        self.note(literal.var(), line);
        let known = self.weights.insert(literal, (weight, line));
        if let (Some((before, first)), Some((now, _))) = (known, self.weights.get(&literal))
            && before != *now
        {
            another_weight(line, first, problems);
        }
    }

    fn note(&mut self, var: Var, line: Line<'a>) {
        if self.largest.is_none_or(|(largest, _)| largest < var) {
            self.largest = Some((var, line));
        }
    }

    /// The first line about counting, if there is one.
    pub(super) fn first(&self) -> Option<Line<'a>> {
        self.first
    }

    /// The prefix of a formula with this number of variables, and the count that is asked; none if something is wrong.
    pub(super) fn finish(
        &mut self,
        variables: usize,
        problems: &mut Diagnostics<'_>,
    ) -> Option<(Prefix, Count)> {
        self.take_listed(problems);
        self.take_older(problems);
        if !problems.is_empty() {
            return None;
        }
        if let Some((largest, line)) = self.largest.filter(|(var, _)| var.index() >= variables) {
            let message = format!(
                "there is no variable {}: the header says {variables}",
                largest.to_dimacs()
            );
            let hint = "write the largest variable number into the header";
            problems.add(line.place, line.text, message, hint);
            return None;
        }
        let has_weights = !self.weights.is_empty();
        let (is_projected, is_weighted) = match self.problem {
            None => (self.shown.is_some(), has_weights),
            Some((projected, weighted, line)) => {
                let mistake = match (projected, weighted) {
                    (true, _) if self.shown.is_none() => Some((
                        "no line says which variables are counted",
                        "add `c p show VARIABLE ... 0`, or write `c t mc` or `c t wmc`",
                    )),
                    (false, _) if self.shown.is_some() => Some((
                        "all variables are to be counted, but a line says which",
                        "write `c t pmc` or `c t pwmc`, or remove the `c p show` lines",
                    )),
                    (_, false) if has_weights => Some((
                        "there are to be no weights, but lines give some",
                        "write `c t wmc` or `c t pwmc`, or remove the weights",
                    )),
                    _ => None,
                };
                if let Some((message, hint)) = mistake {
                    problems.add(line.place, line.text, message, hint);
                    return None;
                }
                (projected, weighted)
            }
        };
        let mut is_counted = vec![!is_projected; variables];
        for var in self.shown.iter().flat_map(|(_, shown)| shown) {
            is_counted[var.index()] = true;
        }
        if let Some((false, true, line)) = self.header
            && !has_weights
        {
            let message = "no line gives a weight: this may be a problem of MaxSAT";
            let hint = "to count models, write `p cnf VARIABLES CLAUSES`, or add weights";
            problems.add(line.place, line.text, message, hint);
            return None;
        }
        let shown = is_counted.iter().filter(|&&counted| counted).count();
        if let Some((_, line)) = self.counted.filter(|(number, _)| *number != shown as u64) {
            let message = format!("the number of shown variables is {shown}");
            let hint = "correct the header, or look for missing `vp` lines";
            problems.add(line.place, line.text, message, hint);
            return None;
        }
        for (&literal, (_, line)) in &self.weights {
            let mistake = if !self.weights.contains_key(&!literal) {
                Some((
                    format!("the weight of {:?} is missing", !literal),
                    "write both: some programs take 1 for the other one, some what is left to 1",
                ))
            } else if !is_counted[literal.var().index()] {
                Some((
                    "the weight of a variable that is not counted".to_owned(),
                    "add the variable to a `c p show` line, or remove its weights",
                ))
            } else {
                None
            };
            if let Some((message, hint)) = mistake {
                problems.add(line.place, line.text, message, hint);
                return None;
            }
        }
        let mut prefix = Prefix::new();
        let half = Probability::ratio(1, 2);
        let (mut twos, mut numerator, mut denominator) = (0u64, BigInt::one(), BigInt::one());
        let counted = |index: &usize| is_counted[*index];
        for var in (0..variables).filter(counted).map(Var::new) {
            let weight = |literal| self.weights.get(&literal).map(|(weight, _)| weight);
            let (Some(positive), Some(negative)) = (weight(var.positive()), weight(var.negative()))
            else {
                twos += 1;
                prefix.push_chance(var, half.clone());
                continue;
            };
            let sum = positive + negative;
            numerator *= sum.numer();
            denominator *= sum.denom();
            let share = if sum.is_zero() {
                half.clone()
            } else {
                Probability::new(positive / sum).expect("weights are at least 0")
            };
            prefix.push_chance(var, share);
        }
        let others = (0..variables).filter(|index| !is_counted[*index]);
        prefix.push(Quantifier::Exists, others.map(Var::new));
        let count = Count {
            is_weighted,
            is_projected,
            factor: BigRational::new(numerator << twos, denominator),
        };
        Some((prefix, count))
    }
}

/// Reports a second weight of a literal.
fn another_weight(line: Line<'_>, first: Line<'_>, problems: &mut Diagnostics<'_>) {
    let message = format!(
        "another weight of this literal than in line {}",
        first.place.line
    );
    problems.add(line.place, line.text, message, "keep one of the two");
}

/// The literal with this number, if it can be one.
fn literal(number: i64) -> Option<Lit> {
    Lit::from_dimacs(i32::try_from(number).ok()?)
}
