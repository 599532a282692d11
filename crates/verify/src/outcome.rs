//! Outcomes of checking a strategy: a proof, a flaw and where it is, or why there is neither.

use gdl::game::{Aim, HiddenInformation, ValueRange, fraction};
use gdl::{Name, Term};
use limits::StopReason;
use num_rational::BigRational;
use rules::{PlayFinding, ReasonerError};
use serde::Serialize;

/// One of the two sides of a strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The role's moves.
    #[serde(rename = "player")]
    Role,
    /// The opponents' answers.
    Opponents,
}

/// The result of checking a strategy.
#[derive(Clone, PartialEq, Debug)]
pub struct Verification {
    pub verdict: Verdict,
    /// Numbers about the work, by name: positions of both sides that were looked at, and those that
    /// are listed though they cannot be reached.
    pub statistics: Vec<(&'static str, u64)>,
}

/// Whether a strategy is as good as it claims.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// Both sides prove this value.
    Proved(BigRational),
    Refused(Box<Refusal>),
    /// A limit was reached; these bounds are proved.
    Stopped {
        reason: StopReason,
        lower: BigRational,
        /// None for a number of steps that may be infinite.
        upper: Option<BigRational>,
    },
}

/// The least and the largest value of a range, if it has a largest one.
pub(super) fn ends(range: &ValueRange) -> (BigRational, Option<BigRational>) {
    let largest = range.is_bounded().then(|| range.largest());
    (range.least().clone(), largest)
}

impl Verdict {
    /// The bounds that are proved when a limit is reached.
    pub(super) fn between(
        reason: StopReason,
        (lower, upper): (BigRational, Option<BigRational>),
    ) -> Self {
        Verdict::Stopped {
            reason,
            lower,
            upper,
        }
    }
}

/// The flaw of a strategy, and the position that shows it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Refusal {
    /// The side that is wrong; none where each role plays for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    #[serde(flatten)]
    pub flaw: Flaw,
    /// The joint moves of a shortest play to the position, along that side's strategy; none for a
    /// position that is wrong whether or not it can be reached.
    #[serde(rename = "moves", skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<Vec<Term>>>,
    /// The facts of the position's state, sorted by text.
    pub state: Vec<Term>,
    /// The steps left; none where the position is one for any number of them, or all count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
}

/// The flaw of a position.
#[derive(Clone, PartialEq, Debug, thiserror::Error, Serialize)]
#[serde(tag = "flaw", rename_all = "kebab-case")]
pub enum Flaw {
    /// The position can be reached, and nothing is said about it.
    #[error("nothing is listed for this position, which can be reached")]
    Missing,
    /// The position is listed twice.
    #[error("this position is listed twice")]
    ListedTwice,
    /// A move that is not legal.
    #[error("{role}'s move {action} is not legal here")]
    IllegalMove {
        /// The role that makes it.
        #[serde(skip)]
        role: Name,
        #[serde(rename = "move")]
        action: Term,
    },
    /// The probabilities of a mixture are not positive, or do not sum to 1; or a choice lacks a role's move.
    #[error("the moves listed here do not have positive probabilities that sum to 1")]
    NoMixture,
    /// A legal move of the role has no answer.
    #[error("there is no answer to the legal move {action}")]
    NoAnswer {
        /// The role's move.
        #[serde(rename = "move")]
        action: Term,
    },
    /// The position, or a move of the role in it, does not have the value claimed, though all
    /// positions that can follow have theirs.
    #[error("{}", wrong_value(action.as_ref(), claimed, found))]
    WrongValue {
        /// The role's move, if the claim is about one.
        #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
        action: Option<Term>,
        #[serde(serialize_with = "fraction")]
        claimed: BigRational,
        /// The value of the position.
        #[serde(serialize_with = "fraction")]
        found: BigRational,
    },
    /// An opponent has a choice, and is none of those that the strategy speaks of.
    #[error("{role} has a choice here, and is not in the coalition")]
    NotInCoalition {
        /// The opponent.
        #[serde(skip)]
        role: Name,
    },
    /// Without a step limit each position has to claim a value, and this one claims none.
    #[error("this position has no `value`, and without a step limit the values are the proof")]
    NoValue,
    /// The opponents can keep play for ever in positions that claim to be worth more than nothing. This is one.
    #[error(
        "the opponents can keep play going for ever from this position, and such play is worth nothing"
    )]
    Endless,
    /// Two roles have a choice, so that none of them knows the move of the other.
    #[error("{role} and {other} choose at the same time here")]
    Together {
        /// One of them.
        #[serde(skip)]
        role: Name,
        /// The other.
        #[serde(skip)]
        other: Name,
    },
    /// A role does not have the value claimed for it, though all positions that can follow have theirs.
    #[error("{role} gets {found} here, not {claimed}")]
    WrongShare {
        /// The role.
        #[serde(skip)]
        role: Name,
        #[serde(serialize_with = "fraction")]
        claimed: BigRational,
        /// Its value.
        #[serde(serialize_with = "fraction")]
        found: BigRational,
    },
    /// A role that chooses does better by another move.
    #[error("{role} gains by {action}: it gets {found} in place of {claimed}")]
    Gain {
        /// The role.
        #[serde(skip)]
        role: Name,
        /// The other move.
        #[serde(rename = "move")]
        action: Term,
        #[serde(serialize_with = "fraction")]
        claimed: BigRational,
        /// The value of the other move for the role.
        #[serde(serialize_with = "fraction")]
        found: BigRational,
    },
    /// The moves listed never come to an end from here, and values are claimed.
    #[error("play never ends from here by the moves listed, and such play is worth nothing")]
    NeverEnds,
    /// Goals below 0 where play may go on for ever: a role may gain by going on, which no single deviation shows.
    #[error(
        "play may go on for ever, and goals may be below 0: that no role gains by one other move proves nothing"
    )]
    BelowZero,
    /// A side that wants play to be over soon can be kept from that for ever.
    #[error("play can be kept going for ever from this position, though it is to be over soon")]
    NeverOver,
    /// The strategy does not have the value that it promises.
    #[error("this is worth {found}, not {promised} as promised")]
    BrokenPromise {
        #[serde(rename = "claimed", serialize_with = "fraction")]
        promised: BigRational,
        /// The value of the start.
        #[serde(serialize_with = "fraction")]
        found: BigRational,
    },
}

fn wrong_value(action: Option<&Term>, claimed: &BigRational, found: &BigRational) -> String {
    match action {
        None => format!("this position is worth {found}, not {claimed}"),
        Some(action) => format!("the move {action} is worth {found} here, not {claimed}"),
    }
}

/// Why a strategy cannot be checked at all.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum VerifyError {
    /// The strategy is for other rules.
    #[error(
        "this strategy was made for other rules, of a game called {game}, or for other numbers of its parameters: \
         the SHA-256 of its rules is {expected}, and that of the rules given {found}"
    )]
    OtherRules {
        /// The game's name in the strategy.
        game: String,
        /// The fingerprint in the strategy.
        expected: String,
        /// That of the game.
        found: String,
    },
    /// The strategy is for roles that decide together, and the game has no such team.
    #[error(
        "this strategy is for the team {team}, whose roles decide together: ask with the role {team}"
    )]
    Team {
        /// The team's name: those of its roles with `+` between.
        team: Name,
    },
    /// The roles are not those of the game.
    #[error("this strategy is for the roles {expected}; those of the game are {found}")]
    OtherRoles {
        /// The roles in the strategy.
        expected: String,
        /// Those of the game.
        found: String,
    },
    /// The rules could not be evaluated.
    #[error(transparent)]
    Rules(#[from] ReasonerError),
    /// The strategy is one for games of full information.
    #[error(transparent)]
    Hidden(#[from] HiddenInformation),
    /// The strategy has mixtures, or is one by percepts.
    #[error(
        "steps (`{0}`) are counted where opponents know the role's move, and no move is made at random"
    )]
    Steps(Aim),
    /// A role does not know its legal moves.
    #[error(
        "the game has no value: {0} cannot tell apart two states in which it has different moves"
    )]
    InTheDark(Name),
    /// Opponents that choose see different things.
    #[error("the opponents {0} and {1} see different things, so they are not one side")]
    SeeDifferently(Name, Name),
    /// A state that play leads to has no value.
    #[error("the game has no value: {0}")]
    Defect(Box<PlayFinding>),
}

/// Why checking ends early.
pub(super) enum EarlyEnd {
    Refused(Box<Refusal>),
    Stopped(StopReason),
    Failed(VerifyError),
}
