//! From a graph of states to a game: with a table of payoffs where that fits into memory and its numbers are short, else walked through.

use crate::sequence_form::game::{Payoffs, SequenceBuilder, SequenceGame};
use crate::sequence_form::knowledge::PlayError;
use crate::sequence_form::play::{PlayState, plays};
use crate::sequence_form::tree::{GameError, SequenceTree};
use crate::sequence_form::walk::Play;
use limits::{Limits, StopReason, Watch};
use num_bigint::BigInt;
use std::sync::Arc;

impl Play {
    /// The game of a list of states, with a table of its payoffs if that fits into half of the memory and 64 bits; else these are walked through by this
    /// many threads.
    pub fn game(
        states: &[PlayState],
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<(SequenceGame, Arc<Self>), PlayError> {
        let limits = watch.limits().clone();
        let half = limits
            .memory
            .map(|all| all.saturating_sub(watch.taken()) / 2);
        // Plays with one pair of sequences share an entry. With more plays than bytes that is no hope, and no table is begun.
        if half.is_none_or(|half| plays(states) <= half as f64) {
            let mut small = Watch::new(&Limits {
                memory: half,
                ..limits
            });
            let listed = Play::new(states, false, &mut small)
                .and_then(|play| Ok((play.listed(&mut small)?, play)));
            match listed {
                Ok((game, play)) => {
                    watch.take_memory(small.taken())?;
                    return Ok((game, Arc::new(play)));
                }
                Err(
                    PlayError::Stopped(StopReason::Memory)
                    | PlayError::Numbers(GameError::PayoffTooLarge),
                ) => {}
                Err(error) => return Err(error),
            }
        }
        let play = Arc::new(Play::new(states, true, watch)?);
        Ok((play.walked(threads), play))
    }

    /// The game with a table of its payoffs.
    pub fn listed(&self, watch: &mut Watch<'_>) -> Result<SequenceGame, PlayError> {
        let mut builder = SequenceBuilder::with_trees(self.trees());
        let mut walk = self.walk(0);
        let mut taken = 0;
        while let Some(set) = walk.stack.pop() {
            watch.check("the payoffs", builder.entries() as u64)?;
            walk.step(
                set,
                |_| true,
                |own, other, payoff| builder.payoff([own, other], payoff),
            );
            let bytes = 3 * SequenceBuilder::BYTES * builder.entries() as u64;
            if bytes > taken {
                watch.take_memory(bytes - taken)?;
                taken = bytes;
            }
        }
        Ok(builder.finish(self.denominator().to_biguint().expect("it is positive"))?)
    }

    /// The game whose payoffs are found by walks of this many threads, each time that they are needed.
    pub fn walked(self: &Arc<Self>, threads: usize) -> SequenceGame {
        let denominator = self.denominator() * BigInt::from(self.symmetries.order());
        let payoffs = Payoffs::Walked {
            play: Arc::clone(self),
            threads,
        };
        SequenceGame::new(self.trees(), payoffs, denominator)
    }

    fn trees(&self) -> [SequenceTree; 2] {
        [0, 1].map(|player| self.knowledge(player).tree.clone())
    }
}
