//! Strategies of both players: the [trace] of a search, cut to what its roots lead to.
//!
//! The formula is not simplified before, since that hides choices, but for universal reduction, which the check of a trace does too.

use crate::defined::DecisionOrder;
use crate::options::Options;
use crate::search::Recording;
use crate::trace::{
    self, Definition, Derivation, Diagram, Failure, Node, NodeId, OPEN, Proof, Trace,
};
use crate::{Recorded, run};
use formula::engine::Statistics;
use formula::preprocess::{Problem, VariableDefinition};
use formula::{Answer, BigRational, Formula, Lit, Names, Outcome, SolverError};
use limits::{Limits, Publisher, StopReason, Watch};
use num_traits::Zero;
use rustc_hash::FxHashMap;

/// The result of the request for a strategy.
#[derive(Debug)]
pub enum StrategyOutcome {
    /// What both players do.
    Strategy(Box<Trace>),
    /// It has more numbers than it may have.
    TooLarge,
    /// A limit was reached before it was complete.
    Stopped(StopReason),
}

/// Finds the value of a formula, of which it publishes bounds, and the trace that proves it: of at most `max_size` nodes, steps, literals and hints.
pub fn solve_with_strategy(
    name: &str,
    formula: &Formula,
    options: &Options,
    limits: &Limits,
    publisher: &Publisher,
    max_size: usize,
) -> Result<(Answer, StrategyOutcome), SolverError> {
    let reduction_only = formula::preprocess::Options {
        propagate_units: false,
        substitute_equivalences: false,
        reduce_universals: true,
    };
    let mut found = None;
    let engine = |problem: Problem, watch: &mut Watch<'_>, statistics: &mut Statistics| {
        let mut recorded = Recorded::default();
        let decisions = DecisionOrder::find(&problem, options);
        let record = Some(&mut recorded);
        let bounds = run(
            &problem, &decisions, options, watch, statistics, None, record,
        );
        let bounds = bounds.expect("a search goes on unless a short run ends it");
        found = Some(match bounds.stopped {
            Some(reason) => StrategyOutcome::Stopped(reason),
            None => {
                let mut trace = whole(&problem, &decisions, recorded, &bounds.lower);
                trace.formula = name.to_owned();
                trace.names = formula.names().clone();
                trace.sha256 = trace::fingerprint(formula);
                let diagrams = trace.lower.size() + trace.upper.size();
                match diagrams + trace.clauses.size() > max_size {
                    true => StrategyOutcome::TooLarge,
                    false => StrategyOutcome::Strategy(Box::new(trace)),
                }
            }
        });
        Ok(bounds)
    };
    let limit = options.decision_limit;
    let answer = formula::engine::solve(
        "ssat",
        formula,
        (limits, publisher),
        limit,
        &reduction_only,
        engine,
    )?;
    let found = match (found, &answer.outcome) {
        (Some(found), _) => found,
        (None, Outcome::Stopped { reason, .. }) => StrategyOutcome::Stopped(*reason),
        (None, _) => unreachable!("nothing is settled before the search"),
    };
    Ok((answer, found))
}

/// The trace of all parts, without what the proofs do not need.
fn whole(
    problem: &Problem,
    decisions: &DecisionOrder,
    recorded: Recorded,
    value: &BigRational,
) -> Trace {
    let Recorded { trace, proofs } = recorded;
    let (mut recorder, mut derivations): Recording = trace.unwrap_or_default();
    let nodes = |node: fn(&Proof) -> NodeId| {
        let nodes = proofs.iter().map(node);
        nodes.collect::<Vec<NodeId>>()
    };
    let lower = match (value.is_zero(), &nodes(|proof| proof.lower)[..]) {
        (true, _) => OPEN,
        (false, &[node]) => node,
        (false, nodes) => recorder.lower.branch(&[], nodes),
    };
    let mut uppers = nodes(|proof| proof.upper);
    if let Some(empty) = problem.clauses.iter().position(<[_]>::is_empty) {
        let clause = derivations.derive(problem.clauses.get(empty), Vec::new());
        uppers = vec![recorder.upper.push(Node::False(Failure {
            clause,
            made_false: (0, 0),
        }))];
    }
    uppers.retain(|&node| node != OPEN);
    let upper = match uppers[..] {
        [] => OPEN,
        [node] => node,
        _ => recorder.upper.branch(&[], &uppers),
    };
    let mut kept = Kept::new(&derivations.clauses);
    let definitions = definitions(problem, decisions, &mut derivations.clauses);
    let definitions = definitions.into_iter().map(|definition| Definition {
        clauses: definition
            .clauses
            .into_iter()
            .map(|one| kept.clause(one, &derivations.clauses))
            .collect(),
        ..definition
    });
    let definitions = definitions.collect();
    let mut clause = |number| kept.clause(number, &derivations.clauses);
    let diagram = |diagram: &Diagram, root, clause: &mut dyn FnMut(u32) -> u32| match root {
        OPEN => Diagram::default(),
        root => diagram.below(root, clause),
    };
    Trace {
        formula: String::new(),
        sha256: String::new(),
        variables: problem.variables(),
        names: Names::default(),
        quant: None,
        value: value.clone(),
        definitions,
        lower: diagram(&recorder.lower, lower, &mut clause),
        upper: diagram(&recorder.upper, upper, &mut clause),
        clauses: kept.clauses,
    }
}

/// The definitions that sums need, or the proof that the value is 0, with their clauses. The others by which they are defined come before.
fn definitions(
    problem: &Problem,
    decisions: &DecisionOrder,
    clauses: &mut Derivation,
) -> Vec<Definition> {
    let mut is_needed = decisions.is_defined.clone();
    if let Some(variable) = decisions.refuted {
        is_needed[variable.index()] = true;
    }
    let parts = |one: &VariableDefinition| {
        let numbers = one.clauses.iter().chain(&one.others);
        numbers.map(|&number| number as usize).collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for definition in decisions.definitions.iter().rev() {
        let variable = definition.literal.var();
        if !is_needed[variable.index()] {
            continue;
        }
        let mut numbers = Vec::new();
        for number in parts(definition) {
            let clause = problem.clauses.get(number);
            for literal in clause {
                is_needed[literal.var().index()] = true;
            }
            numbers.push(clauses.push(clause.iter().copied(), []));
        }
        found.push(Definition {
            variable,
            is_summed: decisions.is_defined[variable.index()],
            clauses: numbers,
        });
    }
    found.reverse();
    found
}

/// The clauses that are needed, with new numbers.
struct Kept {
    clauses: Derivation,
    numbers: Vec<Option<u32>>,
    /// Those of the formula, by their sorted literals.
    given: FxHashMap<Vec<Lit>, u32>,
}

impl Kept {
    fn new(all: &Derivation) -> Self {
        Kept {
            clauses: Derivation::default(),
            numbers: vec![None; all.len()],
            given: FxHashMap::default(),
        }
    }

    /// The new number of a clause, which is kept with all that it follows from.
    fn clause(&mut self, number: u32, all: &Derivation) -> u32 {
        self.numbers.resize(all.len(), None);
        let mut open = vec![number];
        while let Some(&next) = open.last() {
            if self.numbers[next as usize].is_some() {
                open.pop();
                continue;
            }
            let hints = all.hints(next).iter();
            let unknown = hints
                .clone()
                .filter(|&&hint| self.numbers[hint as usize].is_none());
            let before = open.len();
            open.extend(unknown);
            if open.len() == before {
                let hints = hints.map(|&hint| self.numbers[hint as usize].expect("they are known"));
                let hints: Vec<u32> = hints.collect();
                let clause = all.clause(next).iter().copied();
                let kept = &mut self.clauses;
                let number = match hints.is_empty() {
                    true => {
                        let mut sorted: Vec<Lit> = clause.clone().collect();
                        sorted.sort_unstable();
                        let given = self.given.entry(sorted);
                        *given.or_insert_with(|| kept.push(clause, hints))
                    }
                    false => kept.push(clause, hints),
                };
                self.numbers[next as usize] = Some(number);
                open.pop();
            }
        }
        self.numbers[number as usize].expect("it was kept")
    }
}
