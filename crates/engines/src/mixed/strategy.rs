//! Mixtures of both sides in all positions that can come up, as a strategy.

use super::error::MixedError;
use super::solve::{MixedPlay, MixedSolution};
use limits::{Limits, StopReason, Watch};
use num_rational::BigRational;
use num_traits::Zero;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use verify::{MixedStrategy, Mixing, Position, TermTable};

/// Reached states, with the steps left where they matter.
type Reached = (usize, Option<u32>);

impl MixedSolution {
    /// The mixtures of both sides, each in the positions that it leads to against anything, in at most `most` positions of both.
    ///
    /// # Errors
    /// If there are more, a limit was reached, or some value is not known.
    pub fn strategy(&mut self, most: usize, limits: &Limits) -> Result<MixedStrategy, MixedError> {
        let mut watch = Watch::new(limits);
        let (lower, upper) = self.guaranteed();
        let mut strategy = MixedStrategy {
            heading: verify::Heading {
                value: lower,
                depth: self.heading.depth.or(self.longest_play()),
                ..self.heading.clone()
            },
            upper,
            terms: TermTable::default(),
            player: Vec::new(),
            opponents: Vec::new(),
        };
        for is_role in [true, false] {
            let mut seen: FxHashSet<Reached> = FxHashSet::default();
            // Where values do not depend on the steps left, a position stands for any number of them.
            let start = self
                .solution
                .depth()
                .filter(|_| self.solution.depends_on_steps());
            let mut open: VecDeque<Reached> = VecDeque::from([(0, start)]);
            while let Some((state, steps)) = open.pop_front() {
                let goes_on = self.solution.cells(state).next().is_some() && steps != Some(0);
                if !goes_on || !seen.insert((state, steps)) {
                    continue;
                }
                watch
                    .check("the strategy", seen.len() as u64)
                    .map_err(MixedError::Stopped)?;
                let play = self.solution.play(state, steps);
                let play = play.filter(|play| {
                    self.solution.depth().is_none() || play.bounds.0 == play.bounds.1
                });
                let Some(play) = play else {
                    return Err(MixedError::Stopped(
                        self.stopped().unwrap_or(StopReason::Precision),
                    ));
                };
                for (cell, successors) in self.solution.cells(state).enumerate() {
                    let share = match is_role {
                        true => &play.rows[cell / play.columns.len()],
                        false => &play.columns[cell % play.columns.len()],
                    };
                    if !share.is_zero() {
                        let after = steps.map(|steps| steps - 1);
                        open.extend(successors.iter().map(|&(next, _)| (next as usize, after)));
                    }
                }
                let play = self.named(state, play);
                self.add(&mut strategy, state, steps, &play, is_role);
                if strategy.player.len() + strategy.opponents.len() > most {
                    return Err(MixedError::TooLarge(most));
                }
            }
        }
        Ok(strategy)
    }

    /// Adds a position to the list of a side.
    fn add(
        &self,
        strategy: &mut MixedStrategy,
        state: usize,
        steps: Option<u32>,
        play: &MixedPlay,
        is_role: bool,
    ) {
        let terms = &mut strategy.terms;
        let facts = self.game.facts(self.solution.state(state));
        let position = Position {
            facts: terms.numbers(&facts),
            steps,
        };
        let choices: Vec<(Box<[u32]>, BigRational)> = match is_role {
            true => {
                let moves = play.moves.iter().filter(|each| !each.share.is_zero());
                moves
                    .map(|each| ([terms.number(&each.action)].into(), each.share.clone()))
                    .collect()
            }
            false => {
                let replies = play.replies.iter();
                replies
                    .map(|(moves, share)| (terms.numbers(moves), share.clone()))
                    .collect()
            }
        };
        let value = if is_role {
            &play.bounds.0
        } else {
            &play.bounds.1
        };
        let mixing = Mixing {
            position,
            choices,
            value: Some(value.clone()),
        };
        match is_role {
            true => strategy.player.push(mixing),
            false => strategy.opponents.push(mixing),
        }
    }
}
