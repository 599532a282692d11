//! The play of the opponents of a role.

use crate::strategy::GREEDY_STEPS;
use gdl::Name;
use gdl::game::{Game, NoSuchRole, NoTeam};
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::Arc;
use verify::{AnyStrategy, ReadError, check_heading, read_any};

/// Why a game has no such sides.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SideError {
    /// The role is no role that chooses.
    #[error(transparent)]
    Role(#[from] NoSuchRole),
    /// The role is no team.
    #[error(transparent)]
    Team(#[from] NoTeam),
    /// The text is no strategy.
    #[error(transparent)]
    Text(#[from] ReadError),
    /// The strategy is by percepts.
    #[error("opponents cannot follow a strategy for a game of hidden information")]
    Hidden,
    /// The strategy is for another game, for this reason.
    #[error("{0}")]
    OtherGame(String),
    /// The strategy is one of the role itself.
    #[error("the strategy is one of {0}, not of an opponent")]
    OwnStrategy(Name),
    /// Opponents that follow a strategy are to choose at random.
    #[error(
        "mixed strategies are about opponents that choose; one that follows a strategy, or is greedy, does not"
    )]
    MixedAgainst,
    /// Several values, or a file, are wanted against a strategy.
    #[error(
        "against a given strategy or greedy opponents only single values are found; the opponents may be `random`"
    )]
    Followed,
    /// Several values, or a file, are wanted of roles that play for themselves.
    #[error(
        "where each role plays for itself only single values are found; the opponents may be `random`"
    )]
    Selfish,
    /// Roles that play for themselves are to choose at random.
    #[error(
        "roles that play for themselves move one after the other, and need no mixed strategies"
    )]
    SelfishMixed,
    /// The strategy is one of roles that play for themselves.
    #[error("opponents cannot follow an equilibrium: `selfish` lets each role play for itself")]
    Equilibrium,
}

/// The play of the opponents of the role.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub enum Opponents {
    /// They play as well as possible.
    #[default]
    Best,
    /// Each picks one of its legal moves, all with the same probability.
    Random,
    /// Each plays for itself, and so does the role: moves are those of a subgame perfect equilibrium.
    Selfish,
    /// One of them follows a strategy; where it says nothing, and for the others, moves are random.
    Following(FollowedStrategy),
    /// Each takes a move that is best for it if only two steps count, any of them with the same probability.
    Greedy,
}

/// A strategy that opponents follow.
#[derive(Clone, Debug)]
pub struct FollowedStrategy(Arc<AnyStrategy>);

impl PartialEq for FollowedStrategy {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl FollowedStrategy {
    /// The strategy.
    pub fn strategy(&self) -> &AnyStrategy {
        &self.0
    }

    /// The role, or the team, that follows it.
    pub fn role(&self) -> &Name {
        &self.0.heading().role
    }

    /// The game in which the side of the strategy, and that of the role, are one role each.
    ///
    /// # Errors
    /// If the strategy is for another game, or for the role itself.
    pub(crate) fn game(&self, game: &Game, role: &Name) -> Result<Game, SideError> {
        let heading = self.0.heading();
        let game = game.with_team(&heading.role)?;
        check_heading(&game, heading).map_err(|error| SideError::OtherGame(error.to_string()))?;
        if heading.role == *role {
            return Err(SideError::OwnStrategy(role.clone()));
        }
        let game = game.with_team(role)?;
        game.role(role)?;
        game.role(self.role())?;
        Ok(game)
    }
}

impl Opponents {
    /// An opponent that follows the side of the role of this strategy, in JSON (`docs/strategy-format.md`).
    ///
    /// # Errors
    /// If it is no strategy, or one by percepts.
    pub fn following(text: &[u8]) -> Result<Self, SideError> {
        let strategy = read_any(text)?;
        match strategy {
            AnyStrategy::Hidden(_) => return Err(SideError::Hidden),
            AnyStrategy::Equilibrium(_) => return Err(SideError::Equilibrium),
            AnyStrategy::Known(_) | AnyStrategy::Mixed(_) => {}
        }
        Ok(Opponents::Following(FollowedStrategy(Arc::new(strategy))))
    }

    /// The opponents that a strategy of both sides is about.
    #[doc(hidden)]
    pub fn of(strategy: &AnyStrategy) -> Self {
        match strategy {
            AnyStrategy::Equilibrium(_) => Opponents::Selfish,
            AnyStrategy::Known(_) | AnyStrategy::Mixed(_) | AnyStrategy::Hidden(_) => {
                Opponents::Best
            }
        }
    }

    /// Whether they play as well as possible.
    pub fn are_best(&self) -> bool {
        *self == Opponents::Best
    }
}

/// Their name in answers.
impl Serialize for Opponents {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match self {
            Opponents::Best => "best",
            Opponents::Random => "random",
            Opponents::Selfish => "selfish",
            Opponents::Following(_) => "strategy",
            Opponents::Greedy => "greedy",
        })
    }
}

/// The remark of an answer about opponents that do not play as well as possible; nothing if they do.
impl fmt::Display for Opponents {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Opponents::Best => Ok(()),
            Opponents::Random => to.write_str(", against opponents that move at random"),
            Opponents::Selfish => to.write_str(", where each role plays for itself"),
            Opponents::Greedy => write!(
                to,
                ", against opponents that look {GREEDY_STEPS} steps ahead"
            ),
            Opponents::Following(followed) => {
                write!(to, ", against {} with the given strategy", followed.role())
            }
        }
    }
}
