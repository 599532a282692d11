//! Verdicts on properties: proved, refuted, or open, never a guess.

use gdl::Term;
use serde::Serialize;

/// The verdict about a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It holds in every state that play can lead to.
    Proved(Proof),
    /// Play can lead to a state that violates it.
    Refuted(Witness),
    /// It may hold or not: it does not follow from itself and the properties assumed.
    NotInductive(Counterexample),
    /// Limits were reached. The methods tried, with their results.
    Unknown(Vec<String>),
}

/// How a property was proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// Properties that the proof uses; those of one search are proved together.
    pub using: Vec<String>,
    /// How many steps the induction looks back; 0 if the property holds in every state at all, given
    /// what is used.
    pub steps: usize,
    /// How it was proved, for people.
    pub method: &'static str,
}

/// A play to a state that violates a property.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Witness {
    /// The joint moves from the initial state on, one move for each role in order.
    #[serde(rename = "moves")]
    pub joint_moves: Vec<Vec<Term>>,
    /// The facts of the state they lead to.
    pub state: Vec<Term>,
    /// The condition that does not hold there.
    pub violated: String,
}

/// A step from a state in which the property holds to one in which it does not.
///
/// Whether play can lead to the first state is not known.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Counterexample {
    /// The facts of the state.
    pub state: Vec<Term>,
    #[serde(rename = "move")]
    pub joint_move: Vec<Term>,
    /// The facts of the next state.
    pub next: Vec<Term>,
    /// The condition that does not hold there.
    pub violated: String,
}

impl Verdict {
    /// The verdict in one word: `proved`, `refuted`, `not-inductive` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Proved(_) => "proved",
            Verdict::Refuted(_) => "refuted",
            Verdict::NotInductive(_) => "not-inductive",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// Whether the property is proved.
    pub fn is_proved(&self) -> bool {
        matches!(self, Verdict::Proved(_))
    }
}
