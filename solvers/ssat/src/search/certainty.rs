//! Turns in which a certain win is searched for by counterexamples (CEGIS): see [`crate::certain`].

use super::Search;
use crate::certain::{Duel, LITERAL_BYTES, Step, VARIABLE_BYTES};
use crate::frame::Bounds;
use crate::policy::CERTAIN_SHARE;
use base::value::Numerator;
use std::time::Instant;

impl<N: Numerator> Search<'_, '_, N> {
    /// Searches for a certain win for a while; the value is 1 if there is one. Says whether that is over.
    pub(crate) fn find_certain_win(&mut self) -> bool {
        self.watch.join(&self.team.stop);
        let mut win = std::mem::take(&mut self.certain);
        let begin = Instant::now();
        let literals = LITERAL_BYTES * self.deduction.store.literals_of_given();
        let copy = (literals + VARIABLE_BYTES * self.splitter.denominators.len()) as u64;
        // The refuter and the judge have copies too.
        if win.duel.is_none() && self.watch.take_memory(3 * copy).is_ok() {
            win.taken = 3 * copy;
            win.duel = Duel::new(self.given(), self.watch.limits());
        }
        let mut verdict = Some(false);
        if let Some(duel) = &mut win.duel {
            duel.turn
                .begin(begin + self.anytime.began.elapsed() / CERTAIN_SHARE);
            verdict = loop {
                match duel.step() {
                    Step::Learned if self.watch.take_memory(copy).is_ok() => win.taken += copy,
                    Step::Learned | Step::Stopped => break None,
                    Step::Won => break Some(true),
                    Step::NotWon => break Some(false),
                }
            };
        }
        if verdict == Some(true) {
            let one = self.anytime.known.upper.clone();
            self.anytime.known.narrow(&Bounds::exactly(one));
        }
        if let Some(duel) = &win.duel {
            win.choice.clone_from(&duel.model);
        }
        match verdict {
            Some(_) => {
                self.watch.give_memory_back(win.taken);
                self.certain.choice = win.choice;
            }
            None => self.certain = win,
        }
        verdict.is_some()
    }
}
