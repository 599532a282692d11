//! The subject of an answer: a question about a game, a program or a formula.

use super::counted;
use super::worth::{is_false, text};
use crate::opponents::Opponents;
use crate::question::Play;
use formula::Count;
use gdl::Name;
use gdl::game::{Aim, Game, Unit, ValueRange};
use logic::sqasp::PrefixMethod;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::fmt;
use verify::AnyStrategy;

/// The subject of an answer.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Subject {
    /// A question about a game.
    Game(GameSubject),
    /// A program.
    Program {
        /// Its name.
        #[serde(rename = "program")]
        name: String,
        /// Where atoms without a quantifier go.
        #[serde(rename = "quant", serialize_with = "text")]
        prefix: PrefixMethod,
    },
    /// A formula.
    Formula {
        /// The count that is asked, if one is.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "count_name")]
        count: Option<Count>,
        /// Its name.
        #[serde(rename = "formula")]
        name: String,
    },
}

/// A question about a game, as far as it is known.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GameSubject {
    /// Whether all roles are taken to see everything, though the rules say what they see.
    #[serde(skip_serializing_if = "is_false")]
    pub assumes_perfect_information: bool,
    /// How many steps count.
    pub depth: Depth,
    /// Whether the number of steps is the most that play takes, and was found.
    #[serde(skip_serializing_if = "is_false")]
    pub depth_found: bool,
    /// The name of the game.
    #[serde(rename = "game")]
    pub name: String,
    /// The knowledge of the sides.
    #[serde(flatten)]
    pub knowledge: Knowledge,
    /// The range of its values.
    #[serde(skip)]
    pub range: ValueRange,
    /// The meaning of success.
    pub objective: Aim,
    /// The number of opponents that choose.
    #[serde(skip)]
    pub opponent_count: usize,
    /// The play of the opponents.
    #[serde(skip_serializing_if = "Opponents::are_best")]
    pub opponents: Opponents,
    /// The prefix of formulas, for engines that work on formulas.
    #[serde(
        rename = "quant",
        skip_serializing_if = "Option::is_none",
        serialize_with = "prefix_name"
    )]
    pub prefix: Option<PrefixMethod>,
    /// The role that wants to win.
    pub role: Name,
}

fn count_name<S: Serializer>(count: &Option<Count>, to: S) -> Result<S::Ok, S::Error> {
    count.as_ref().map(Count::name).serialize(to)
}

fn prefix_name<S: Serializer>(prefix: &Option<PrefixMethod>, to: S) -> Result<S::Ok, S::Error> {
    prefix.map(|prefix| prefix.to_string()).serialize(to)
}

/// How many steps count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// It is not known yet.
    Unknown,
    /// This number.
    Steps(u32),
    /// Each number from the first to the last, for a value each.
    Range(u32, u32),
    /// All steps, and no number is known after which every play is over.
    All,
}

impl Depth {
    /// The number of steps, if there is one.
    pub fn steps(self) -> Option<u32> {
        match self {
            Depth::Steps(steps) => Some(steps),
            _ => None,
        }
    }

    /// A number, or all steps without one.
    pub fn or_all(steps: Option<u32>) -> Self {
        steps.map_or(Depth::All, Depth::Steps)
    }
}

impl Serialize for Depth {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Depth::Unknown => to.serialize_none(),
            Depth::Steps(steps) => steps.serialize(to),
            Depth::Range(first, last) => (first, last).serialize(to),
            Depth::All => to.serialize_str("unbounded"),
        }
    }
}

/// The end of a sentence about a value.
impl fmt::Display for Depth {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Depth::Unknown => Ok(()),
            Depth::Steps(steps) => write!(to, " within {}", counted(*steps as usize, "step")),
            Depth::Range(first, last) => write!(to, " within {first} to {last} steps"),
            Depth::All => to.write_str(" without a step limit"),
        }
    }
}

/// The knowledge of the sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Knowledge {
    /// Opponents know the role's move.
    Known,
    /// No role knows the moves of others of the same step.
    Mixed,
    /// Roles know only their own moves and what they see.
    Hidden,
    /// The same, and the role is a team, whose members share all of it.
    HiddenTeam,
}

impl Knowledge {
    /// The knowledge in such play, in which the role may be a team.
    #[doc(hidden)]
    pub fn in_play(play: Play, is_team: bool) -> Self {
        match (play, is_team) {
            (Play::Open | Play::Followed | Play::Selfish, _) => Knowledge::Known,
            (Play::Mixed, _) => Knowledge::Mixed,
            (Play::Hidden, false) => Knowledge::Hidden,
            (Play::Hidden, true) => Knowledge::HiddenTeam,
        }
    }

    /// The knowledge that a strategy for a game assumes; a team that its heading names is one role.
    #[doc(hidden)]
    pub fn of(strategy: &AnyStrategy, game: &Game) -> Self {
        match strategy {
            AnyStrategy::Known(_) | AnyStrategy::Equilibrium(_) => Knowledge::Known,
            AnyStrategy::Mixed(_) => Knowledge::Mixed,
            AnyStrategy::Hidden(it) if game.is_team(&it.heading.role) => Knowledge::HiddenTeam,
            AnyStrategy::Hidden(_) => Knowledge::Hidden,
        }
    }
}

impl Serialize for Knowledge {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let names: &[&str] = match self {
            Knowledge::Known => &[],
            Knowledge::Mixed => &["mixed"],
            Knowledge::Hidden => &["hidden"],
            Knowledge::HiddenTeam => &["hidden", "shared_percepts"],
        };
        let mut fields = to.serialize_map(Some(names.len()))?;
        for name in names {
            fields.serialize_entry(name, &true)?;
        }
        fields.end()
    }
}

/// The end of a sentence about a value.
impl fmt::Display for Knowledge {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Knowledge::Known => "",
            Knowledge::Mixed => ", where roles choose at the same time",
            Knowledge::Hidden => ", where roles know only their own moves and what they see",
            Knowledge::HiddenTeam => {
                ", where roles know only their own moves and what they see, and the members of the team share all of it"
            }
        })
    }
}

impl GameSubject {
    /// A question of which nothing else is known.
    pub fn new(name: String, role: Name, objective: Aim, range: ValueRange) -> Self {
        GameSubject {
            assumes_perfect_information: false,
            depth: Depth::Unknown,
            depth_found: false,
            name,
            knowledge: Knowledge::Known,
            range,
            objective,
            opponent_count: 0,
            opponents: Opponents::Best,
            prefix: None,
            role,
        }
    }

    /// The opponents' play and the roles' knowledge, as the end of a sentence.
    pub fn circumstances(&self) -> String {
        let together = match (self.knowledge, self.opponent_count) {
            (Knowledge::Known, _) | (_, 0 | 1) => "",
            _ => " and its opponents choose at random together",
        };
        format!("{}{}{together}", self.opponents, self.knowledge)
    }
}

impl Subject {
    /// The question about a game, if it is one.
    pub fn game(&self) -> Option<&GameSubject> {
        match self {
            Subject::Game(game) => Some(game),
            Subject::Program { .. } | Subject::Formula { .. } => None,
        }
    }

    /// The count that is asked, if one is.
    pub fn count(&self) -> Option<&Count> {
        match self {
            Subject::Formula { count, .. } => count.as_ref(),
            Subject::Game(_) | Subject::Program { .. } => None,
        }
    }

    /// Whether its values are numbers of steps.
    pub fn counts_steps(&self) -> bool {
        let aim = self.game().map(|game| game.objective);
        matches!(aim, Some(Aim::Steps(_)))
    }

    /// Whether small values are the good ones.
    pub fn prefers_small(&self) -> bool {
        let aim = self.game().map(|game| game.objective);
        aim.is_some_and(Aim::prefers_small)
    }

    /// The unit of its values.
    pub fn unit(&self) -> Unit {
        match (self.game(), self.count()) {
            (Some(game), _) => game.objective.unit(),
            (None, Some(_)) => Unit::Number,
            (None, None) => Unit::Percent,
        }
    }

    /// The range of its values.
    pub fn range(&self) -> ValueRange {
        match (self.game(), self.count()) {
            (Some(game), _) => game.range.clone(),
            (None, Some(count)) => ValueRange::up_to(count.factor.clone()),
            (None, None) => ValueRange::of_probabilities(),
        }
    }
}
