//! `sqasp solve` where nothing is left to chance and the answer is yes: a first move that keeps it so.
//!
//! With value 1 some first move makes sure of success. The search knows it from its tables. For a
//! solver of formulas the moves are halved: if the formula in which only one half may be made is
//! true, the move is in there, else in the other. Of `n` moves that takes at most `log2 n`
//! runs, whoever the solver is, and the formulas get easier.

use super::run::{Run, failed};
use super::solve::Solving;
use crate::cli::Failure;
use crate::cli::moves::legal_first_moves;
use crate::gdl::Term;
use crate::route::FirstMoves;
use crate::search::{Search, SearchError};
use formula::{Answer, Formula, Outcome, Solver, Value};
use limits::Limits;
use num_traits::One;
use std::time::Duration;

impl Solving<'_> {
    /// The moves to choose from, if a first move is to be named.
    pub(super) fn moves_to_name(&self, answer: &Answer, depth: u32) -> Vec<Term> {
        let is_sure = match &answer.outcome {
            Outcome::Solved(Value::Exact(value)) => value.is_one(),
            _ => false,
        };
        if !is_sure || depth == 0 || self.game.random_role().is_some() {
            return Vec::new();
        }
        // Rules too hard to evaluate must not cost the answer.
        legal_first_moves(self.game, &self.asked.role).unwrap_or_default()
    }

    /// Names a first move by search; none if a limit comes first.
    pub(super) fn sure_move(
        &self,
        search: &mut Search,
        legal: &[Term],
        depth: u32,
    ) -> Result<Option<Term>, SearchError> {
        let start = search.initial();
        // What the answer was found with mostly tells.
        let known = Limits {
            time: Some(Duration::ZERO),
            ..self.run.budget.for_solver()
        };
        for limits in [known, self.run.budget.for_solver()] {
            for action in legal {
                if search.is_sure(&start, action, Some(depth), &limits)? == Some(true) {
                    return Ok(Some(action.clone()));
                }
            }
        }
        Ok(None)
    }
}

/// Names a first move by a formula that is true; none if a limit comes first.
pub(super) fn sure_move_by_formula(
    run: &Run<'_>,
    solver: &mut dyn Solver,
    formula: &Formula,
    moves: &FirstMoves,
    legal: &[Term],
) -> Result<Option<Term>, Failure> {
    let mut left = legal;
    while left.len() > 1 {
        let (half, others) = left.split_at(left.len() / 2);
        run.say(&format!("looking for a first move among {}", left.len()));
        let restricted = formula.restricted(&moves.literals_among(half));
        let answer = solver.solve(&restricted, &run.budget.for_solver());
        left = match answer.map_err(|error| failed(&error))?.outcome {
            Outcome::Solved(Value::Exact(value)) if value.is_one() => half,
            Outcome::Solved(_) => others,
            Outcome::Stopped { .. } => return Ok(None),
        };
    }
    Ok(left.first().cloned())
}
