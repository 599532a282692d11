//! The plainest engine: expected minimax by the definition, on the reasoner that evaluates rules as
//! written.
//!
//! Slow, but it shares nothing with fast engines but the reader of games, so it is what they are
//! tested against. It needs to be told how many steps count, prunes nothing, and between limits it
//! knows no bounds but 0 and 1.

use super::engine::{
    Engine, EngineError, Evaluation, MoveValue, Position, Question, Trouble, solved,
};
use crate::game::{Game, Objective, largest_value};
use crate::gdl::Term;
use crate::machine::{Limits, Minimax, MinimaxError, Reasoner, ReasonerError, State};
use formula::{BigRational, StopReason};
use std::collections::HashSet;
use std::time::Instant;

/// Bytes that a state with its value takes, roughly.
const BYTES_PER_STATE: u64 = 500;

/// Expected minimax by the definition, for any role.
pub struct Definition {
    reasoner: Reasoner,
    objective: Objective,
    /// One for each role that was asked about.
    tables: Vec<Option<Minimax>>,
    /// For each role the largest value that it can have.
    largest: Vec<BigRational>,
    /// Every fact that states may have, if the game says so.
    base: Option<HashSet<Term>>,
}

impl From<MinimaxError> for Trouble {
    fn from(error: MinimaxError) -> Self {
        match error {
            MinimaxError::Rules(error) => error.into(),
            MinimaxError::TooManyStates(_) => Trouble::Stopped(StopReason::Memory),
            MinimaxError::TooManySteps => Trouble::Error(EngineError::Depth(error.to_string())),
            other => Trouble::Error(EngineError::Game(other.to_string())),
        }
    }
}

impl Definition {
    /// An engine for all roles of a game.
    ///
    /// # Errors
    /// When the rules cannot be evaluated.
    pub fn new(game: &Game, objective: Objective) -> Result<Self, ReasonerError> {
        let mut reasoner = Reasoner::new(game)?;
        let base = reasoner.base()?;
        Ok(Definition {
            tables: game.roles().iter().map(|_| None).collect(),
            base: base.map(|facts| facts.into_iter().collect()),
            largest: (game.roles().iter())
                .map(|role| largest_value(game, role, objective))
                .collect(),
            reasoner,
            objective,
        })
    }

    /// The table of the role, which keeps to these limits from now on.
    fn table(&mut self, question: &Question) -> &mut Minimax {
        let (reasoner, objective) = (&self.reasoner, self.objective);
        let table = self.tables[question.role]
            .get_or_insert_with(|| Minimax::new(reasoner.clone(), question.role, objective));
        let time = question.limits.time;
        table.reasoner().set_limits(Limits {
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            interrupt: Some(question.limits.interrupt.flag()),
            ..Limits::default()
        });
        let memory = question.limits.memory;
        table.set_state_limit(memory.map_or(usize::MAX, |bytes| {
            usize::try_from(bytes / BYTES_PER_STATE).unwrap_or(usize::MAX)
        }));
        table
    }

    /// Refuses facts that no state of the game has.
    fn check_facts(&self, facts: &[Term]) -> Result<(), Trouble> {
        let known = |fact: &&Term| self.base.as_ref().is_none_or(|base| base.contains(fact));
        match facts.iter().find(|fact| !known(fact)) {
            None => Ok(()),
            Some(fact) => Err(wrong_position(format!(
                "no state of this game has the fact {fact}"
            ))),
        }
    }

    fn try_evaluate(&mut self, question: &Question) -> Result<Evaluation, Trouble> {
        let Some(depth) = question.depth else {
            return Err(Trouble::Error(EngineError::Depth(
                "this engine needs to know how many steps count; add \"depth\"".to_owned(),
            )));
        };
        if let Position::State(facts) = &question.position {
            self.check_facts(facts)?;
        }
        let table = self.table(question);
        let before = table.states();
        let state = match &question.position {
            Position::State(facts) => table.reasoner().state(facts)?,
            Position::History(steps) => play(table.reasoner(), steps)?,
        };
        let terminal = table.reasoner().terminal(&state)?;
        let (outcome, moves) = if question.moves && !terminal && depth > 0 {
            let moves = table.move_values(&state, depth)?;
            let moves: Vec<MoveValue> = moves
                .into_iter()
                .map(|(action, value)| MoveValue {
                    action,
                    outcome: solved(value),
                })
                .collect();
            let best = moves.iter().map(|each| each.outcome.bounds().0).max();
            (solved(best.expect("somebody to move has a move")), moves)
        } else {
            (solved(table.value(&state, depth)?), Vec::new())
        };
        Ok(Evaluation {
            terminal,
            outcome,
            moves,
            states: (table.states() - before) as u64,
        })
    }
}

impl Engine for Definition {
    fn name(&self) -> &'static str {
        "definition"
    }

    fn evaluate(&mut self, question: &Question) -> Result<Evaluation, EngineError> {
        let found = self.try_evaluate(question);
        found.or_else(|trouble| trouble.told(&self.largest[question.role]))
    }

    fn clear(&mut self) {
        self.tables.fill_with(|| None);
    }

    fn entries(&self) -> u64 {
        let tables = self.tables.iter().flatten();
        tables.map(|table| table.states() as u64).sum()
    }
}

fn wrong_position(message: String) -> Trouble {
    Trouble::Error(EngineError::Position(message))
}

/// The state after these joint moves, all of which must be legal.
fn play(reasoner: &mut Reasoner, steps: &[Vec<Term>]) -> Result<State, Trouble> {
    let roles = reasoner.roles().to_vec();
    let mut state = reasoner.initial()?;
    for (place, joint_move) in steps.iter().enumerate() {
        let step = place + 1;
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
