//! What to do in random quantified programs, against the definition: the value of each choice of the first block, and the functions of
//! both players, which get the value by themselves whatever the other does.

use super::naive::{ATOMS, Decider, Program, Set, answer_sets, decide, decide_with, value};
use super::random_programs::random_program;
use crate::common::{in_parallel, rounds, say};
use fastrand::Rng;
use formula::{BigRational, Lit, Var};
use logic::route::ProgramRoute;
use sqasp::{Options, Report, StrategyOutcome};
use ssat::trace::{Case, Cases};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

/// The atoms that the player decides before anyone else, and the quantifiers of the others.
fn first_block(program: &Program) -> (Vec<usize>, &[(u32, Decider, usize)]) {
    let quantified = &program.quantified;
    let others = quantified
        .iter()
        .position(|(_, decider, _)| *decider != Decider::Exists);
    let (first, others) = quantified.split_at(others.unwrap_or(quantified.len()));
    (first.iter().map(|(.., atom)| *atom).collect(), others)
}

/// The values of choices by definition: the names of their atoms, with the value of what is left.
fn choices(program: &Program) -> BTreeMap<BTreeSet<String>, BigRational> {
    let (block, others) = first_block(program);
    let chosen = |set: &Set| -> BTreeSet<String> {
        let atoms = block.iter().filter(|&&atom| set >> atom & 1 == 1);
        atoms.map(|&atom| ATOMS[atom].to_owned()).collect()
    };
    let mut sets: BTreeMap<BTreeSet<String>, Vec<Set>> = BTreeMap::new();
    for set in answer_sets(program) {
        sets.entry(chosen(&set)).or_default().push(set);
    }
    let values = sets.into_iter();
    values
        .map(|(chosen, sets)| (chosen, decide(others, &sets)))
        .collect()
}

#[test]
fn choices_of_random_programs_have_the_values_of_the_definition() {
    let programs = rounds(1500);
    let compared = AtomicU64::new(0);
    in_parallel((0..programs).collect(), |seed| {
        let program = random_program(&mut Rng::with_seed(seed), seed % 3 > 0);
        let mut options = Options::default();
        options.extras.moves = true;
        let found = sqasp::solve_program("random", &program.to_string(), &options);
        let is_first = matches!(program.quantified.first(), Some((_, Decider::Exists, _)));
        let found = match (found, is_first) {
            (Err(_), false) => return Ok(()),
            (Ok(answer), true) => answer,
            (other, _) => return Err(format!("seed {seed}: {other:?}\n{program}")),
        };
        let mut moves = BTreeMap::new();
        for each in found.moves.iter().flatten() {
            let text = each.action.to_string();
            let atoms = text.split(' ').filter(|atom| *atom != "{}");
            let value = match &each.outcome {
                sqasp::Outcome::Solved(sqasp::Value::Exact(value)) => value.clone(),
                other => return Err(format!("seed {seed}: {text} has {other:?}\n{program}")),
            };
            moves.insert(
                atoms.map(str::to_owned).collect::<BTreeSet<String>>(),
                value,
            );
        }
        let expected = choices(&program);
        if moves != expected || found.value() != Some(&value(&program)) {
            return Err(format!(
                "seed {seed}: {moves:?}, not {expected:?}\n{program}"
            ));
        }
        compared.fetch_add(moves.len() as u64, Ordering::Relaxed);
        Ok(())
    });
    let compared = compared.into_inner();
    say(&format!(
        "{compared} choices of {programs} random programs have their values"
    ));
    assert!(compared > programs / 2, "too few choices");
}

/// Play in which one player keeps to its functions.
struct Play<'a> {
    program: &'a Program,
    route: &'a ProgramRoute,
    /// The atoms of a player, with their cases.
    cases: BTreeMap<usize, Vec<Case>>,
}

impl Play<'_> {
    /// The value; `None` if the functions ask for variables that have no name, or are not known yet.
    fn value(&self) -> Option<BigRational> {
        let (quantified, sets) = (&self.program.quantified, answer_sets(self.program));
        decide_with(quantified, 0, 0, &sets, &|known, decided, sets| {
            let (.., atom) = quantified[known];
            let Some(cases) = self.cases.get(&atom) else {
                return Some(None);
            };
            for case in cases {
                let mut holds = true;
                for literal in &case.condition {
                    holds &= self.holds(*literal, decided, known, sets)?;
                }
                if holds {
                    return Some(Some(case.value));
                }
            }
            Some(Some(false))
        })
    }

    /// Whether a literal is true: of an atom that was decided, or that is the same in all answer sets that are left.
    fn holds(&self, literal: Lit, decided: Set, known: usize, sets: &[Set]) -> Option<bool> {
        let name = self.route.formula.names().get(literal.var())?;
        let atom = ATOMS.iter().position(|atom| *atom == name)?;
        let mut earlier = self.program.quantified[..known].iter();
        let value = match earlier.any(|(.., other)| *other == atom) {
            true => decided >> atom & 1 == 1,
            false => {
                let mut values = sets.iter().map(|set| set >> atom & 1 == 1);
                // With no answer set left, what is played makes no difference.
                let first = values.next().unwrap_or(false);
                if values.any(|value| value != first) {
                    return None;
                }
                first
            }
        };
        Some(literal.holds(value))
    }
}

#[test]
fn functions_of_random_programs_get_the_value() {
    let programs = rounds(1500);
    let [played, unknown] = [(); 2].map(|()| AtomicU64::new(0));
    in_parallel((0..programs).collect(), |seed| {
        let program = random_program(&mut Rng::with_seed(seed), seed % 3 > 0);
        let mut options = Options::default();
        // Without functions of variables that others define.
        options.solver.learning.move_defined = false;
        let wrong = |what: String| format!("seed {seed}: {what}\n{program}");
        let route = sqasp::translate_program(&program.to_string(), &options);
        let route = route.map_err(|error| wrong(error.to_string()))?;
        let found = sqasp::solve_program_with_strategy("random", &route, &options);
        let (answer, found) = found.map_err(|error| wrong(error.to_string()))?;
        let expected = value(&program);
        let StrategyOutcome::Strategy(trace) = found else {
            return Err(wrong(format!("{found:?}")));
        };
        let report = sqasp::verify_formula("random", &route.formula, &trace, &options.limits);
        if answer.value() != Some(&expected) || !report.text().contains("proved") {
            return Err(wrong(format!("{}, not {expected}", report.text())));
        }
        let variables: BTreeMap<&str, Var> = {
            let names = route.formula.names().sorted().into_iter();
            names.map(|(variable, name)| (name, variable)).collect()
        };
        let cases = Cases::new(&route.formula, &trace);
        for side in [Decider::Exists, Decider::Forall] {
            let own = program
                .quantified
                .iter()
                .filter(|(_, decider, _)| *decider == side);
            let own = own.map(|(.., atom)| {
                // Grounding settles an atom that has no variable; the player takes it as it is.
                let of_one = |&variable| cases.of(variable, usize::MAX).expect("no limit");
                let settled = || {
                    let is_fact = route
                        .ground
                        .facts()
                        .any(|fact| fact.to_string() == ATOMS[*atom]);
                    let case = Case {
                        condition: Vec::new(),
                        value: is_fact,
                    };
                    vec![case]
                };
                (
                    *atom,
                    variables.get(ATOMS[*atom]).map_or_else(settled, of_one),
                )
            });
            let play = Play {
                program: &program,
                route: &route,
                cases: own.collect(),
            };
            match play.value() {
                None => unknown.fetch_add(1, Ordering::Relaxed),
                Some(found) if found == expected => played.fetch_add(1, Ordering::Relaxed),
                Some(found) => {
                    let cases = &play.cases;
                    return Err(wrong(format!(
                        "{side:?}: {found}, not {expected}: {cases:?}"
                    )));
                }
            };
        }
        Ok(())
    });
    let [played, unknown] = [played, unknown].map(AtomicU64::into_inner);
    say(&format!(
        "functions of a player of {programs} random programs get the value {played} times; {unknown} times they ask for helpers"
    ));
    assert!(unknown < played / 4, "too few were played");
}
