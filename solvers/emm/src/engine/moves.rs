//! What each move of the maximizer is worth, and each answer of the adversaries to it.

use super::{Engine, is_open};
use crate::answer::{Flaw, MoveValue, Outcome, QuestionError, Reply};
use crate::asked::{Asked, advance};
use crate::bounds::BYTES_PER_REPLY;
use crate::plain;
use crate::problem::Agent;
use limits::{Limits, StopReason, Watch};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

impl Engine {
    /// The value of each legal move of the maximizer. Empty if the state is terminal, no steps are
    /// left, or somebody cannot move. All moves get their share of the limits' time, one after the
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
        let steps = self.steps(state, steps_left, &watch.left())?;
        let situation = plain::situation(&self.problem, state);
        let is_over = situation.worth.is_some();
        if situation.is_flawed && (steps != Some(0) || is_over) {
            return Err(QuestionError::Flaw(Flaw::here(state)));
        }
        if is_over || steps == Some(0) {
            return Ok(Vec::new());
        }
        let question = Asked::new(&self.compiled, state, steps, &situation);
        let mut values = Vec::new();
        // Moves with equal effects are worth the same.
        let mut known: FxHashMap<usize, Outcome> = FxHashMap::default();
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

    /// What the adversaries may answer to a move of the maximizer, with its values; best for them
    /// first, by what is known. Of answers with equal effects there is one; one entry if there are no
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
        let steps = self.steps(state, steps_left, &watch.left())?;
        let situation = plain::situation(&self.problem, state);
        let is_legal = situation.legal[self.maximizer()].contains(&number);
        if !is_open(&situation) || steps == Some(0) || !is_legal {
            return Err(QuestionError::Move(number));
        }
        let question = Asked::new(&self.compiled, state, steps, &situation);
        let mut replies = Vec::new();
        let most = watch.memory_limit().unwrap_or(u64::MAX) / BYTES_PER_REPLY;
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

    /// What a move of the maximizer is worth: the smallest of the values of what the adversaries may
    /// answer.
    ///
    /// # Errors
    /// If a state has no value.
    fn after(
        &mut self,
        asked: &Asked<'_>,
        number: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, QuestionError> {
        let mut worst: Option<Outcome> = None;
        let all = self.for_each_reply(asked, number, watch, |_, found| {
            worst = Some(match worst.take() {
                None => found,
                Some(worst) => Outcome {
                    estimate: worst
                        .guess()
                        .zip(found.guess())
                        .map(|(one, other)| one.min(other)),
                    lower: worst.lower.min(found.lower),
                    upper: worst.upper.min(found.upper),
                    stopped: worst.stopped.or(found.stopped),
                },
            });
            Ok(())
        });
        let outcome = match (all, worst) {
            (Ok(()), worst) => worst.expect("there is a reply"),
            // Answers that nobody looked at may be worse.
            (Err(QuestionError::Stopped(reason)), worst) => Outcome {
                upper: worst.map_or_else(BigRational::one, |worst| worst.upper),
                ..Outcome::unknown(reason)
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
        asked: &Asked<'_>,
        number: usize,
        watch: &mut Watch<'_>,
        mut visit: impl FnMut(Vec<Option<usize>>, Outcome) -> Result<(), QuestionError>,
    ) -> Result<(), QuestionError> {
        let places = |wanted: Agent| -> Vec<usize> {
            let agents = self.problem.agents.iter().enumerate();
            let found = agents.filter(|(_, agent)| **agent == wanted);
            found.map(|(place, _)| place).collect()
        };
        let (adversaries, chances) = (places(Agent::Adversary), places(Agent::Chance));
        let choices = &asked.choices;
        let all_outcomes: BigInt = chances
            .iter()
            .map(|&agent| choices[agent].iter().map(|(_, weight)| weight).sum::<u32>())
            .product();
        let mut moves = vec![0; self.problem.agents.len()];
        moves[self.maximizer()] = number;
        let mut reply = vec![0; adversaries.len()];
        loop {
            asked.look(watch).map_err(QuestionError::Stopped)?;
            let mut told = vec![None; moves.len()];
            for (&agent, &tried) in adversaries.iter().zip(&reply) {
                moves[agent] = choices[agent][tried].0;
                told[agent] = Some(moves[agent]);
            }
            let mut outcome = Outcome::known(BigRational::zero());
            let mut left = BigRational::one();
            let mut chance = vec![0; chances.len()];
            loop {
                let mut weight = BigInt::one();
                for (&agent, &tried) in chances.iter().zip(&chance) {
                    moves[agent] = choices[agent][tried].0;
                    weight *= choices[agent][tried].1;
                }
                let share = BigRational::new(weight, all_outcomes.clone());
                if let Err(reason) = asked.look(watch) {
                    outcome.upper += &left;
                    outcome.stopped = Some(reason);
                    break;
                }
                let next = plain::next(&self.problem, asked.state, &moves);
                let found = self.answer(&next, asked.steps.map(|steps| steps - 1), watch);
                let found = found.map_err(|error| error.after(&moves))?.outcome;
                outcome.lower += found.lower * &share;
                outcome.upper += found.upper * &share;
                outcome.stopped = outcome.stopped.or(found.stopped);
                left -= share;
                if !advance(&mut chance, |place| choices[chances[place]].len()) {
                    break;
                }
            }
            visit(told, outcome.settled())?;
            if !advance(&mut reply, |place| choices[adversaries[place]].len()) {
                return Ok(());
            }
        }
    }
}
