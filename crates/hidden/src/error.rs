//! Why there is no value.

use gdl::game::NoSuchRole;
use gdl::{Name, Term};
use limits::StopReason;
use rules::{PlayDefect, ReasonerError, listed};
use std::fmt;

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HiddenError {
    /// The role is not one of those that choose.
    #[error(transparent)]
    Role(#[from] NoSuchRole),
    /// The rules could not be evaluated.
    #[error(transparent)]
    Rules(ReasonerError),
    /// Play leads to a state without a value.
    #[error("the game has no value: {defect}; the state is {{{}}}", listed(state))]
    Defect {
        /// The defect of the state.
        defect: PlayDefect,
        state: Vec<Term>,
    },
    /// A role does not know its legal moves.
    #[error("{0}")]
    InTheDark(Box<InTheDark>),
    /// Opponents that choose see different things.
    #[error(
        "the opponents {one} and {other} see different things: {{{}}} and {{{}}} after one and the same step; together against one role they \
         are a team without common knowledge, which is not solved here: let them see the same, or make one role of them",
        listed(sees),
        listed(but)
    )]
    Coalition {
        /// An opponent.
        one: Name,
        /// The things that it sees.
        sees: Vec<Term>,
        /// Another opponent.
        other: Name,
        /// The things that this one sees.
        but: Vec<Term>,
    },
    /// Play of two sides can go on for ever, and all steps count.
    #[error("play can come back to a state, so that there is no last step to begin with")]
    Endless,
    /// Goals may be below 0, and play may not be over.
    #[error(
        "goals may be below 0, and play that is not over counts 0 points: let all plays end within the steps that count"
    )]
    BelowZero,
    /// A state has too many joint moves.
    #[error("a state has more than a million joint moves")]
    JointMoves,
    /// The numbers of the sequence form are too large.
    #[error("the game is too large for exact play: {0}; count fewer steps")]
    Sequences(String),
    /// A strategy would have more positions than allowed.
    #[error("the strategy has more than {0} positions")]
    TooLarge(usize),
    /// A strategy was asked for of a game whose tree was too large to be kept.
    #[error(
        "no strategy is written where the tree of what both sides know does not fit into the memory allowed, and plays were walked \
         through instead; allow more memory, or count fewer steps"
    )]
    Walked,
    /// No play has these moves and percepts.
    #[error(
        "no play within the steps that count has these moves and percepts of {role} in step {step}, and goes on then"
    )]
    NoSuchPlay {
        role: Name,
        /// The first step that cannot be, from 1.
        step: usize,
    },
    #[error("{0}")]
    Stopped(StopReason),
}

impl HiddenError {
    /// The limit that was reached, if it was one.
    pub fn stopped_by(&self) -> Option<StopReason> {
        match self {
            HiddenError::Stopped(reason) => Some(*reason),
            _ => None,
        }
    }
}

impl From<ReasonerError> for HiddenError {
    fn from(error: ReasonerError) -> Self {
        match error {
            ReasonerError::Stopped(reason) => HiddenError::Stopped(reason),
            error => HiddenError::Rules(error),
        }
    }
}

/// Two states that a role cannot tell apart, though its legal moves differ.
#[derive(Clone, Debug, PartialEq)]
pub struct InTheDark {
    pub role: Name,
    /// For each state the facts that do not hold in the other.
    pub facts: [Vec<Term>; 2],
    /// For each state the moves that are not legal in the other.
    pub moves: [Vec<Term>; 2],
}

impl InTheDark {
    /// The difference of two states, given by their facts and the role's legal moves.
    pub fn new(role: Name, states: [(Vec<Term>, Vec<Term>); 2]) -> Self {
        let without = |one: &[Term], other: &[Term]| -> Vec<Term> {
            one.iter()
                .filter(|term| !other.contains(term))
                .cloned()
                .collect()
        };
        let [(facts, moves), (other_facts, other_moves)] = states;
        InTheDark {
            role,
            facts: [without(&facts, &other_facts), without(&other_facts, &facts)],
            moves: [without(&moves, &other_moves), without(&other_moves, &moves)],
        }
    }
}

impl fmt::Display for InTheDark {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InTheDark { role, facts, moves } = self;
        let only = |place: usize| {
            let facts = listed(&facts[place]);
            match &moves[place][..] {
                [] => format!("{{{facts}}}"),
                [only] => format!("{{{facts}}} (where {only} is legal)"),
                moves => format!("{{{facts}}} (where {} are legal)", listed(moves)),
            }
        };
        write!(
            to,
            "{role} does not know its legal moves: it cannot tell apart two states that differ in {} and {}; add a `sees` rule that tells \
             {role} which of them it is, or make the same moves legal",
            only(0),
            only(1)
        )
    }
}
