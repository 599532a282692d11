//! Random play: its amount and its results.

use gdl::Term;
use limits::Limits;

#[derive(Clone, Debug)]
pub(super) struct Playing {
    pub(super) plays: usize,
    /// The most steps of a play.
    pub(super) steps: usize,
    pub(super) limits: Limits,
}

/// A play to a state that violates something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Playthrough {
    /// The joint moves from the initial state on.
    pub joint_moves: Vec<Vec<Term>>,
    /// The facts of the state they lead to.
    pub state: Vec<Term>,
    /// The instance of the property that is violated, by number.
    pub instance: usize,
}

/// The results of random play.
#[derive(Default)]
pub(super) struct Played {
    /// For each property that is violated somewhere, the shortest way there that was seen.
    pub(super) violations: Vec<Option<Playthrough>>,
    /// The longest play: its joint moves. It need not have ended.
    pub(super) longest: Vec<Vec<Term>>,
    pub(super) plays: usize,
    pub(super) states: usize,
}
