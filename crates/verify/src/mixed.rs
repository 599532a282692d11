//! The type [`MixedStrategy`]: probabilities of moves for both sides.
//!
//! Where roles move at the same time, each side maps a position to *probabilities* of its moves: the role's side to those of
//! the role's moves, the opponents' side to those of their joint moves, which they agree on. Neither knows the move of the other.
//! The gain of the role's side against the best response is a lower bound of the value, the loss of the opponents' side
//! an upper bound; where both are equal they are the value (`verify`).

use super::policy::{Heading, Position};
use super::table::{TermNumber, TermTable};
use num_rational::BigRational;

/// The mixture of one side in a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Mixing {
    pub position: Position,
    /// Moves of the side's roles, in the order of roles, and their probabilities, which sum to 1.
    pub choices: Vec<(Box<[TermNumber]>, BigRational)>,
    /// The bound that the side guarantees from here on, if that is claimed.
    pub value: Option<BigRational>,
}

/// A mixed strategy of both sides. Positions in which a side has one choice only need no mixture.
#[derive(Clone, Debug)]
pub struct MixedStrategy {
    /// The question that it answers; its value is the lower bound that the role's side promises.
    pub heading: Heading,
    /// The upper bound that the opponents' side promises.
    pub upper: BigRational,
    /// The facts and moves that the rest names by number.
    #[doc(hidden)]
    pub terms: TermTable,
    #[doc(hidden)]
    pub player: Vec<Mixing>,
    #[doc(hidden)]
    pub opponents: Vec<Mixing>,
}
