//! The type [`Strategy`]: the moves of all sides in every position that can come up.

use super::fingerprint::fingerprint;
use super::table::{TermNumber, TermTable};
use gdl::game::{Aim, Game, ValueRange};
use gdl::{Name, Term};
use num_rational::BigRational;
use num_traits::Zero;

/// The question that a strategy answers, and the answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Heading {
    /// The name of the game.
    pub game: String,
    /// The rules, see [`fingerprint`](super::fingerprint()).
    pub rules: String,
    /// All roles of the game in order, the random role included.
    pub roles: Vec<Name>,
    /// The role that the value is for.
    pub role: Name,
    /// The number of steps that count, from the start on; without a number all do, and play that never ends is worth
    /// nothing.
    pub depth: Option<u32>,
    /// The objective: the quantity that the role maximizes, or the number of steps that it wants small or large.
    pub objective: Aim,
    /// The facts of the state that play starts from.
    pub start: Vec<Term>,
    /// The value that the strategy promises: the role can guarantee this, and no more.
    pub value: BigRational,
}

impl Heading {
    /// The heading of a strategy for a game, with nothing promised.
    pub fn new(
        game: &Game,
        role: &Name,
        objective: impl Into<Aim>,
        depth: Option<u32>,
        start: Vec<Term>,
    ) -> Self {
        Heading {
            game: game.name().to_owned(),
            rules: fingerprint(game),
            roles: game.roles().to_vec(),
            role: role.clone(),
            depth,
            objective: objective.into(),
            start,
            value: BigRational::zero(),
        }
    }

    /// The roles that play against the role: all others but the random role.
    pub fn opponents(&self) -> impl Iterator<Item = &Name> {
        let others = self.roles.iter();
        others.filter(|other| **other != self.role && !other.is_random())
    }

    /// All roles but the random role.
    pub fn players(&self) -> impl Iterator<Item = &Name> {
        self.roles.iter().filter(|role| !role.is_random())
    }

    /// The range of the values from the start of the strategy on.
    pub fn range(&self, game: &Game) -> ValueRange {
        let started = game.starting_from(&self.start);
        self.objective.range(&started, &self.role, self.depth)
    }
}

/// A state, and the steps left where they matter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// The facts of the state.
    pub facts: Box<[TermNumber]>,
    /// The steps left; none where the position stands for the state with any number of them.
    pub steps: Option<u32>,
}

/// The decision of the role in a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    pub position: Position,
    /// The role's move.
    pub action: TermNumber,
    /// The value that the role can guarantee from here on, if that is claimed.
    pub value: Option<BigRational>,
}

/// The response of the opponents in a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Response {
    pub position: Position,
    /// The value that the role can guarantee from here on, if that is claimed.
    pub value: Option<BigRational>,
    /// For each legal move of the role the answer to it.
    pub answers: Vec<Answer>,
}

/// The opponents' answer to a move.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The role's move.
    pub action: TermNumber,
    /// One move for each opponent, in the order of roles.
    pub reply: Box<[TermNumber]>,
    /// The value that the role can guarantee by its move, if that is claimed.
    pub value: Option<BigRational>,
}

/// A strategy of both sides.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// The question that it answers, and the answer.
    pub heading: Heading,
    /// The facts and moves that the rest names by number.
    #[doc(hidden)]
    pub terms: TermTable,
    #[doc(hidden)]
    pub player: Vec<Decision>,
    /// The opponents' side; empty where there are no opponents, since nothing is to be said.
    #[doc(hidden)]
    pub opponents: Vec<Response>,
}
