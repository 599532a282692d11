//! The choice among best moves by the ranks of states, so that play makes progress.
//!
//! Where all steps count, a best move keeps the value, but best moves alone can keep play going for ever, and that is worth
//! nothing. The solver of listed states ranks them: after each reply to the move that proves a value there is an outcome of lower rank, or
//! play is over. So a best move with such an outcome after each reply *gets somewhere*: always making one gets the value. There is
//! one in each state that is worth something.

use super::Engine;
use crate::answer::QuestionError;
use crate::horizon;
use crate::legal_moves::{LegalMoves, any_combination};
use crate::plain;
use crate::problem::Agent;
use limits::{Limits, Watch};

impl Engine {
    /// The first of some best moves of the maximizer that gets somewhere if all steps count; the first of all where every play
    /// ends, where nothing is to be won, and where a limit left no move that is known to.
    ///
    /// # Errors
    /// If the question makes no sense, or a limit comes first.
    pub fn first_to_advance(
        &mut self,
        state: &[bool],
        moves: &[usize],
        limits: &Limits,
    ) -> Result<Option<usize>, QuestionError> {
        self.check_size(state)?;
        let first = moves.first().copied();
        if moves.len() < 2 {
            return Ok(first);
        }
        let mut watch = Watch::new(limits);
        if self.steps(state, None, watch.limits())?.is_some() {
            return Ok(first);
        }
        self.look_up(state, None, &watch);
        let Some(rank) = self.rank(state).filter(|&rank| rank > 0) else {
            return Ok(first);
        };
        for &number in moves {
            if self.advances(state, rank, number, &mut watch)? {
                return Ok(Some(number));
            }
        }
        Ok(first)
    }

    /// Whether each reply to a move has an outcome of lower rank.
    fn advances(
        &self,
        state: &[bool],
        rank: u32,
        number: usize,
        watch: &mut Watch<'_>,
    ) -> Result<bool, QuestionError> {
        let situation = plain::situation(&self.problem, state);
        let legal = LegalMoves::new(&self.compiled, state, None, &situation);
        let choices = &legal.choices;
        let [adversaries, chances] = [Agent::Adversary, Agent::Chance].map(|it| self.agents(it));
        let mut moves = vec![0; self.problem.agents.len()];
        moves[self.maximizer()] = number;
        let is_without = any_combination(choices, &adversaries, &mut moves, |moves, _| {
            let is_there = any_combination(choices, &chances, moves, |moves, _| {
                legal
                    .check(watch.limits())
                    .map_err(QuestionError::Stopped)?;
                let next = plain::next(&self.problem, state, moves);
                let is_over = || plain::situation(&self.problem, &next).worth.is_some();
                Ok(self.rank(&next).is_some_and(|next| next < rank) || is_over())
            });
            is_there.map(|is_there| !is_there)
        });
        is_without.map(|is_without| !is_without)
    }

    /// The rank of a state that was listed and valued.
    fn rank(&self, state: &[bool]) -> Option<u32> {
        let reached = self.horizons.reached.as_ref()?;
        let key = horizon::key(&self.compiled, &self.compiled.pack(state));
        reached.rank(reached.index(&key)?)
    }
}
