//! The probabilities of a text: decimals in `r` lines, and exact fractions in comments.
//!
//! Long games have hundreds of thousands of chance variables but few different probabilities, so
//! every word is read once, and every pair of words is compared once.

use super::diagnostic::Diagnostics;
use super::probability::{Reading, Wrong, parse};
use super::tokens::Place;
use crate::{Probability, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// A word that is a probability, and where it stands.
pub(super) type Said<'a> = (&'a [u8], Place);

/// Collects the probabilities of chance variables.
#[derive(Default)]
pub(super) struct Chances<'a> {
    /// All words read so far, and the probabilities that variables share.
    readings: FxHashMap<&'a [u8], Result<(Reading, Probability), Wrong>>,
    /// By variable, from comments.
    exact: FxHashMap<Var, Said<'a>>,
    /// Pairs of decimal and exact word that fit together.
    agreed: FxHashSet<(&'a [u8], &'a [u8])>,
}

impl<'a> Chances<'a> {
    /// Checks that a word is a probability.
    pub(super) fn check(&mut self, word: &'a [u8]) -> Result<(), Wrong> {
        let reading = self.readings.entry(word).or_insert_with(|| {
            let reading = parse(word)?;
            let probability = Probability::new(reading.value.clone());
            Ok((reading, probability.map_err(|_| Wrong::OutsideRange)?))
        });
        reading.as_ref().map(|_| ()).map_err(|wrong| *wrong)
    }

    /// Notes what a comment says; the word was checked. False if another comment says otherwise.
    pub(super) fn set_exact(&mut self, var: Var, said: Said<'a>) -> bool {
        let known = self.exact.insert(var, said);
        known.is_none_or(|(word, _)| word == said.0)
    }

    /// The probability of a variable of an `r` line that says this: the exact one if there is one. A
    /// disagreement is reported.
    pub(super) fn take(
        &mut self,
        var: Var,
        (word, place): Said<'a>,
        problems: &mut Diagnostics<'_>,
    ) -> Option<Probability> {
        let (decimal, probability) = self.readings.get(word)?.as_ref().ok()?;
        let Some((exact_word, exact_place)) = self.exact.remove(&var) else {
            return Some(probability.clone());
        };
        let (exact, probability) = self.readings.get(exact_word)?.as_ref().ok()?;
        let pair = (word, exact_word);
        if self.agreed.contains(&pair) || decimal.agrees_with(&exact.value) {
            self.agreed.insert(pair);
        } else {
            let message = format!(
                "the probability of variable {} disagrees with the exact {} of line {}",
                var.to_dimacs(),
                exact.value,
                exact_place.line
            );
            let hint = "correct the `r` line, or remove the comment";
            problems.add(place, word, message, hint);
        }
        Some(probability.clone())
    }

    /// Reports comments about variables that no `r` line has.
    pub(super) fn report_surplus(&mut self, problems: &mut Diagnostics<'_>) {
        let mut surplus: Vec<_> = self.exact.drain().collect();
        surplus.sort_by_key(|(_, (_, place))| place.offset);
        for (var, (_, place)) in surplus {
            let message = format!("variable {} is in no `r` line", var.to_dimacs());
            problems.add(place, b"c sqasp prob", message, "remove the comment");
        }
    }
}
