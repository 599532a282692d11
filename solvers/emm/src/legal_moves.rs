//! The legal moves of one state, those with equal effects as one choice, for questions about each of them.

use crate::answer::QuestionError;
use crate::compile::Compiled;
use crate::plain::Situation;
use crate::policy::LOOK_UP;
use limits::{Limits, StopReason};
use num_bigint::BigInt;
use num_traits::One;
use std::cell::Cell;
use std::time::Instant;

/// The legal moves of a state, for a question about each of them.
pub struct LegalMoves<'a> {
    /// The state.
    pub state: &'a [bool],
    /// Steps left; all if there is no number.
    pub steps: Option<usize>,
    /// For each agent its legal moves: of those with equal effects the first, and how many they are.
    pub choices: Vec<Vec<(usize, u32)>>,
    /// For each agent and move the number of its class.
    classes: Vec<Vec<usize>>,
    /// When a limit was reached.
    over_since: Cell<Option<Instant>>,
}

impl<'a> LegalMoves<'a> {
    pub fn new(
        compiled: &Compiled,
        state: &'a [bool],
        steps: Option<usize>,
        situation: &Situation,
    ) -> Self {
        let (mut choices, mut classes) = (Vec::new(), Vec::new());
        for (legal, all) in situation.legal.iter().zip(&compiled.classes) {
            let mut class_of = vec![0; all.iter().map(Vec::len).sum()];
            for (class, members) in all.iter().enumerate() {
                members.iter().for_each(|&member| class_of[member] = class);
            }
            let mut found: Vec<Option<(usize, u32)>> = vec![None; all.len()];
            for &number in legal {
                found[class_of[number]].get_or_insert((number, 0)).1 += 1;
            }
            choices.push(found.into_iter().flatten().collect());
            classes.push(class_of);
        }
        LegalMoves {
            state,
            steps,
            choices,
            classes,
            over_since: Cell::new(None),
        }
    }

    /// The class of a move.
    pub fn class(&self, agent: usize, number: usize) -> usize {
        self.classes[agent][number]
    }

    /// Checks the limits. When one is reached, answers can still be looked up for a moment.
    pub fn check(&self, limits: &Limits) -> Result<(), StopReason> {
        limits.check().or_else(|reason| {
            let since = self.over_since.get().unwrap_or_else(Instant::now);
            self.over_since.set(Some(since));
            match since.elapsed() < LOOK_UP {
                true => Ok(()),
                false => Err(reason),
            }
        })
    }
}

/// Calls `visit` with each combination of choices of some agents, set in `moves`, and how many moves it stands for, until that says
/// `true`. Whether it did.
pub fn any_combination(
    choices: &[Vec<(usize, u32)>],
    agents: &[usize],
    moves: &mut [usize],
    mut visit: impl FnMut(&mut [usize], BigInt) -> Result<bool, QuestionError>,
) -> Result<bool, QuestionError> {
    let mut tried = vec![0; agents.len()];
    loop {
        let mut weight = BigInt::one();
        for (&agent, &tried) in agents.iter().zip(&tried) {
            moves[agent] = choices[agent][tried].0;
            weight *= choices[agent][tried].1;
        }
        if visit(moves, weight)? {
            return Ok(true);
        }
        // The last one changes fastest.
        let is_next = (0..agents.len()).rev().any(|index| {
            tried[index] = (tried[index] + 1) % choices[agents[index]].len();
            tried[index] != 0
        });
        if !is_next {
            return Ok(false);
        }
    }
}
