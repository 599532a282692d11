//! The plainest engine: expected minimax by the definition, on the reasoner that evaluates rules as
//! written.
//!
//! Slow, but it shares nothing with fast engines but the reader of games, so it is the oracle that they are
//! tested against. It needs to be told how many steps count, prunes nothing, and between limits it
//! knows no bounds but 0 and 1.

use super::{Engine, Evaluation, Position, Query, rule_limits, solved, value_ranges};
use crate::answer::MoveValue;
use crate::error::{Error, ErrorKind};
use gdl::Term;
use gdl::game::{Game, Objective, ValueRange};
use limits::{Limits, Publisher, StopReason};
use rules::{Minimax, MinimaxError, Reasoner, ReasonerError, RuleLimits, State};
use std::collections::HashSet;

/// Expected minimax by the definition, for any role.
pub struct DefinitionEngine {
    reasoner: Reasoner,
    objective: Objective,
    /// One for each role that was asked about.
    tables: Vec<Option<Minimax>>,
    /// For each role the range of its values.
    ranges: Vec<ValueRange>,
    /// Every fact that states may have, if the game says so.
    base: Option<HashSet<Term>>,
}

impl From<MinimaxError> for Error {
    fn from(error: MinimaxError) -> Self {
        let kind = match &error {
            MinimaxError::Rules(error) => return error.clone().into(),
            MinimaxError::TooManyStates(_)
            | MinimaxError::TooManyJointMoves
            | MinimaxError::OutOfMemory => ErrorKind::Stopped(StopReason::Memory),
            MinimaxError::TooManySteps => ErrorKind::Depth,
            _ => ErrorKind::Game,
        };
        Error::from_part(kind, error)
    }
}

impl DefinitionEngine {
    /// An engine for all roles of a game, made within limits.
    ///
    /// # Errors
    /// When the rules cannot be evaluated.
    pub fn new(game: &Game, objective: Objective, limits: Limits) -> Result<Self, ReasonerError> {
        let limits = RuleLimits::within(&limits);
        let mut reasoner = Reasoner::with_limits(game, limits)?;
        let base = reasoner.base()?;
        Ok(DefinitionEngine {
            tables: game.roles().iter().map(|_| None).collect(),
            base: base.map(|facts| facts.into_iter().collect()),
            ranges: value_ranges(game, objective),
            reasoner,
            objective,
        })
    }

    /// The table of the role, which keeps to these limits from now on.
    fn table(&mut self, query: &Query) -> &mut Minimax {
        let (reasoner, objective) = (&self.reasoner, self.objective);
        let table = self.tables[query.role]
            .get_or_insert_with(|| Minimax::new(reasoner.clone(), query.role, objective));
        table.reasoner().set_limits(rule_limits(&query.limits));
        table.set_memory_limit(query.limits.memory);
        table
    }

    /// Refuses facts that no state of the game has.
    fn check_facts(&self, facts: &[Term]) -> Result<(), Error> {
        let known = |fact: &&Term| self.base.as_ref().is_none_or(|base| base.contains(fact));
        match facts.iter().find(|fact| !known(fact)) {
            None => Ok(()),
            Some(fact) => Err(wrong_position(format!(
                "no state of this game has the fact {fact}"
            ))),
        }
    }

    fn try_evaluate(&mut self, query: &Query) -> Result<Evaluation, Error> {
        let Some(depth) = query.depth else {
            return Err(Error::new(
                ErrorKind::Depth,
                "this engine needs to know how many steps count; add \"depth\"".to_owned(),
            ));
        };
        if let Position::State(facts) = &query.position {
            self.check_facts(facts)?;
        }
        let table = self.table(query);
        let before = table.states();
        let state = match &query.position {
            Position::State(facts) => match table.reasoner().state(facts) {
                Err(error @ ReasonerError::TermTooDeep { .. }) => {
                    return Err(wrong_position(error.to_string()));
                }
                state => state?,
            },
            Position::History(steps) => play(table.reasoner(), steps)?,
            Position::Information(_) => return Err(Position::no_state_error()),
        };
        let terminal = table.reasoner().terminal(&state)?;
        let (outcome, moves) = if query.moves && !terminal && depth > 0 {
            let moves = table.move_values(&state, depth)?;
            let moves: Vec<MoveValue> = moves.into_iter().map(MoveValue::exact).collect();
            let best = moves.iter().map(|each| each.outcome.bounds().0).max();
            (solved(best.expect("a role to move has a move")), moves)
        } else {
            (solved(table.value(&state, depth)?), Vec::new())
        };
        Ok(Evaluation {
            terminal,
            moves,
            cut_off: table.cuts_off(),
            states: (table.states() - before) as u64,
            ..Evaluation::of(outcome)
        })
    }
}

impl Engine for DefinitionEngine {
    fn counts_all_steps(&self) -> bool {
        false
    }

    fn name(&self) -> &'static str {
        "definition"
    }

    fn range(&self, role: usize) -> ValueRange {
        self.ranges[role].clone()
    }

    fn evaluate_publishing(&mut self, query: &Query, _: &Publisher) -> Result<Evaluation, Error> {
        let told = self.try_evaluate(query);
        // Terms are never forgotten but with the table: those of states that callers handed in, and
        // those that the rules built.
        let taken = self.memory().unwrap_or(0);
        if query.limits.memory.is_some_and(|most| taken > most) {
            self.clear();
        }
        told
    }

    fn clear(&mut self) {
        self.tables.fill_with(|| None);
    }

    fn entries(&self) -> u64 {
        let tables = self.tables.iter().flatten();
        tables.map(|table| table.states() as u64).sum()
    }

    fn memory(&self) -> Option<u64> {
        Some(self.tables.iter().flatten().map(Minimax::bytes).sum())
    }
}

fn wrong_position(message: String) -> Error {
    Error::new(ErrorKind::Position, message)
}

/// The state after these joint moves, all of which must be legal.
fn play(reasoner: &mut Reasoner, steps: &[Vec<Term>]) -> Result<State, Error> {
    let roles = reasoner.roles().to_vec();
    let mut state = reasoner.initial()?;
    for (index, joint_move) in steps.iter().enumerate() {
        let step = index + 1;
        if joint_move.len() != roles.len() {
            return Err(wrong_position(format!(
                "step {step} of the history has {} moves; it needs one for each of the {} roles",
                joint_move.len(),
                roles.len()
            )));
        }
        if reasoner.terminal(&state)? {
            return Err(wrong_position(format!(
                "the play is over before step {step} of the history"
            )));
        }
        for (role, action) in joint_move.iter().enumerate() {
            if !reasoner.legal(&state, role)?.contains(action) {
                return Err(wrong_position(format!(
                    "{action} is not a legal move of {} in step {step} of the history",
                    roles[role]
                )));
            }
        }
        state = reasoner.next(&state, joint_move)?;
    }
    Ok(state)
}
