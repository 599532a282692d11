//! Values of moves: of each move of the maximizer, and of each answer of the adversaries to it.

use super::{Engine, is_open};
use crate::answer::{MoveValue, QuestionError, Reply};
use crate::legal_moves::{LegalMoves, any_combination};
use crate::plain;
use crate::policy::BYTES_PER_REPLY;
use crate::problem::Agent;
use limits::{Bounds, Limits, StopReason, Watch};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

impl Engine {
    /// The value of each legal move of the maximizer. Empty if the state is terminal, no steps are
    /// left, or some agent cannot move. All moves get their share of the limits' time, one after the
    /// other.
    ///
    /// # Errors
    /// If the question makes no sense.
    pub fn moves(
        &mut self,
        state: &[bool],
        steps_left: Option<u32>,
        limits: &Limits,
    ) -> Result<Vec<MoveValue>, QuestionError> {
        self.check_size(state)?;
        let mut watch = Watch::new(limits);
        let steps = self.steps(state, steps_left, watch.limits())?;
        let situation = plain::situation(&self.problem, state);
        if situation.worth.is_some() || steps == Some(0) {
            return Ok(Vec::new());
        }
        let question = LegalMoves::new(&self.compiled, state, steps, &situation);
        let mut values = Vec::new();
        // Moves with equal effects are worth the same.
        let mut known: FxHashMap<usize, Bounds> = FxHashMap::default();
        for &number in &situation.legal[self.maximizer()] {
            let class = question.class(self.maximizer(), number);
            let outcome = match known.get(&class) {
                Some(outcome) => outcome.clone(),
                None => self.after(&question, number, &mut watch)?,
            };
            known.entry(class).or_insert_with(|| outcome.clone());
            values.push(MoveValue {
                number,
                outcome,
                may_be_best: false,
            });
        }
        let best = values.iter().map(|value| value.outcome.lower.clone()).max();
        for value in &mut values {
            value.may_be_best = best
                .as_ref()
                .is_some_and(|best| value.outcome.upper >= *best);
        }
        Ok(values)
    }

    /// The answers of the adversaries to a move of the maximizer, with their values; the best for the adversaries
    /// first, by the values known so far. Of answers with equal effects there is one; one entry if there are no
    /// adversaries.
    ///
    /// # Errors
    /// If the question makes no sense, or there are too many answers for the limits.
    pub fn replies(
        &mut self,
        state: &[bool],
        number: usize,
        steps_left: Option<u32>,
        limits: &Limits,
    ) -> Result<Vec<Reply>, QuestionError> {
        self.check_size(state)?;
        let mut watch = Watch::new(limits);
        let steps = self.steps(state, steps_left, watch.limits())?;
        let situation = plain::situation(&self.problem, state);
        let is_legal = situation.legal[self.maximizer()].contains(&number);
        if !is_open(&situation) || steps == Some(0) || !is_legal {
            return Err(QuestionError::Move(number));
        }
        let question = LegalMoves::new(&self.compiled, state, steps, &situation);
        let mut replies = Vec::new();
        let most = watch.limits().memory.unwrap_or(u64::MAX) / BYTES_PER_REPLY;
        self.for_each_reply(&question, number, &mut watch, |moves, outcome| {
            replies.push(Reply { moves, outcome });
            match replies.len() as u64 > most {
                true => Err(QuestionError::Stopped(StopReason::Memory)),
                false => Ok(()),
            }
        })?;
        replies.sort_by(|one, other| {
            let bounds = |reply: &Reply| (reply.outcome.upper.clone(), reply.outcome.lower.clone());
            bounds(one).cmp(&bounds(other))
        });
        Ok(replies)
    }

    /// The value of a move of the maximizer: the smallest of the values of the answers that the adversaries
    /// have.
    ///
    /// # Errors
    /// If a state has no value.
    fn after(
        &mut self,
        legal: &LegalMoves<'_>,
        number: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Bounds, QuestionError> {
        let mut worst: Option<Bounds> = None;
        let all = self.for_each_reply(legal, number, watch, |_, found| {
            worst = Some(match worst.take() {
                None => found,
                Some(worst) => Bounds {
                    lower: worst.lower.min(found.lower),
                    upper: worst.upper.min(found.upper),
                    stopped: worst.stopped.or(found.stopped),
                },
            });
            Ok(())
        });
        let outcome = match (all, worst) {
            (Ok(()), worst) => worst.expect("there is a reply"),
            // Answers that were not visited may be worse.
            (Err(QuestionError::Stopped(reason)), worst) => Bounds {
                upper: worst.map_or_else(BigRational::one, |worst| worst.upper),
                ..Bounds::unknown(reason)
            },
            (Err(error), _) => return Err(error),
        };
        Ok(outcome.settled())
    }

    /// Calls `visit` with what the adversaries may answer to a move, and what that is worth, one after
    /// the other: there can be more than fit into any memory.
    ///
    /// # Errors
    /// The limit that was reached before all were visited, what `visit` says, or a state without a value.
    fn for_each_reply(
        &mut self,
        legal: &LegalMoves<'_>,
        number: usize,
        watch: &mut Watch<'_>,
        mut visit: impl FnMut(Vec<Option<usize>>, Bounds) -> Result<(), QuestionError>,
    ) -> Result<(), QuestionError> {
        let [adversaries, chances] = [Agent::Adversary, Agent::Chance].map(|it| self.agents(it));
        let choices = &legal.choices;
        let all_outcomes: BigInt = chances
            .iter()
            .map(|&agent| choices[agent].iter().map(|(_, weight)| weight).sum::<u32>())
            .product();
        let mut moves = vec![0; self.problem.agents.len()];
        moves[self.maximizer()] = number;
        any_combination(choices, &adversaries, &mut moves, |moves, _| {
            legal
                .check(watch.limits())
                .map_err(QuestionError::Stopped)?;
            let mut named = vec![None; moves.len()];
            for &agent in &adversaries {
                named[agent] = Some(moves[agent]);
            }
            let mut outcome = Bounds::known(BigRational::zero());
            let mut left = BigRational::one();
            any_combination(choices, &chances, moves, |moves, weight| {
                if let Err(reason) = legal.check(watch.limits()) {
                    outcome.upper += &left;
                    outcome.stopped = Some(reason);
                    return Ok(true);
                }
                let share = BigRational::new(weight, all_outcomes.clone());
                let next = plain::next(&self.problem, legal.state, moves);
                let found = self.answer(&next, legal.steps.map(|steps| steps - 1), watch);
                let found = found.map_err(|error| error.after(moves))?.outcome;
                outcome.lower += found.lower * &share;
                outcome.upper += found.upper * &share;
                outcome.stopped = outcome.stopped.or(found.stopped);
                left -= share;
                Ok(false)
            })?;
            visit(named, outcome.settled())?;
            Ok(false)
        })?;
        Ok(())
    }
}
