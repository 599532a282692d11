//! One side of a strategy, as the proof reads it, whether or not it mixes moves.

use super::equilibrium::{Equilibrium, Standing};
use super::mixed::MixedStrategy;
use super::outcome::Side;
use super::policy::{Answer, Heading, Position, Strategy};
use super::table::{TermNumber, TermTable};
use num_rational::BigRational;

/// The positions of one side, and what it does there.
pub(super) struct Listing<'a> {
    pub(super) heading: &'a Heading,
    pub(super) terms: &'a TermTable,
    /// None where each role plays for itself.
    pub(super) side: Option<Side>,
    /// The bound that the side promises at the start.
    pub(super) promise: &'a BigRational,
    /// Whether neither side knows the move of the other. Then positions with one choice need no entry, and without a step
    /// limit claims may be worse than the values that follow from the others.
    pub(super) mixes: bool,
    pub(super) entries: Vec<Entry<'a>>,
}

/// A position that is listed.
pub(super) struct Entry<'a> {
    pub(super) position: &'a Position,
    pub(super) value: Option<&'a BigRational>,
    pub(super) advice: Advice<'a>,
}

/// The moves of the side's roles in a position.
pub(super) enum Advice<'a> {
    /// The role's move.
    Move(TermNumber),
    /// The opponents' answer to each move of the role.
    Answers(&'a [Answer]),
    /// The move and the values of all roles, where each plays for itself.
    Standing(&'a Standing),
    /// Choices and their probabilities.
    Mixture(&'a [(Box<[TermNumber]>, BigRational)]),
}

impl Strategy {
    /// The positions of one side.
    pub(super) fn listing(&self, side: Side) -> Listing<'_> {
        let player = self.player.iter().map(|decision| Entry {
            position: &decision.position,
            value: decision.value.as_ref(),
            advice: Advice::Move(decision.action),
        });
        let opponents = self.opponents.iter().map(|response| Entry {
            position: &response.position,
            value: response.value.as_ref(),
            advice: Advice::Answers(&response.answers),
        });
        Listing {
            heading: &self.heading,
            terms: &self.terms,
            side: Some(side),
            promise: &self.heading.value,
            mixes: false,
            entries: match side {
                Side::Role => player.collect(),
                Side::Opponents => opponents.collect(),
            },
        }
    }
}

impl MixedStrategy {
    /// The positions of one side.
    pub(super) fn listing(&self, side: Side) -> Listing<'_> {
        let (promise, list) = match side {
            Side::Role => (&self.heading.value, &self.player),
            Side::Opponents => (&self.upper, &self.opponents),
        };
        let entries = list.iter().map(|mixing| Entry {
            position: &mixing.position,
            value: mixing.value.as_ref(),
            advice: Advice::Mixture(&mixing.choices),
        });
        Listing {
            heading: &self.heading,
            terms: &self.terms,
            side: Some(side),
            promise,
            mixes: true,
            entries: entries.collect(),
        }
    }
}

impl Equilibrium {
    /// All positions.
    pub(super) fn listing(&self) -> Listing<'_> {
        let entries = self.positions.iter().map(|standing| Entry {
            position: &standing.position,
            value: None,
            advice: Advice::Standing(standing),
        });
        Listing {
            heading: &self.heading,
            terms: &self.terms,
            side: None,
            promise: &self.heading.value,
            mixes: false,
            entries: entries.collect(),
        }
    }
}
