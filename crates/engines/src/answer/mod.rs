//! An answer with everything that is said about it: [`Answer`], and its three forms.
//!
//! - [`Answer::text`] is for people,
//! - [`Answer::json`] for programs (`docs/json.md`),
//! - [`Answer::competition_lines`] for scripts that read the output of solver competitions.
//!
//! An answer that was cut short has the same shape, with the bounds that are proved: so a caller that cannot wait
//! for the end can print the answer as far as it is known ([`Observer::answer`](crate::Observer::answer)).

mod best_play;
mod curve;
mod fraction;
pub mod json;
mod moves;
mod text;

pub use best_play::{BestPlay, Choices};
pub use curve::{Curve, CurvePoint};
pub use fraction::Fraction;
pub use json::JsonMixtures;
pub use moves::{move_lines, ranked};
pub use text::statement;
pub use text::{
    PERFECT_INFORMATION, counted, mixture_lines, shortened, value_columns, value_text, who_knows,
};

use crate::opponents::Opponents;
use formula::{BigRational, Count, Outcome, Value};
use gdl::game::{Never, Objective, Unit};
use gdl::{Name, Term};
use limits::StopReason;
use logic::route::StageTimes;
use logic::sqasp::PrefixMethod;
use mixed::MixedPlay;
use num_traits::One;
use strategy::Extracted;
use verify::AnyStrategy;

/// An answer and how it came about.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The subject of the answer.
    pub subject: Subject,
    /// The name of the engine that gave it.
    pub engine: &'static str,
    /// The reason for this engine, where it was chosen for the user.
    pub why: Option<String>,
    /// Under which condition the value is exact and bounds are right, where there is one.
    pub exact_if: Option<&'static str>,
    /// The value, or proved bounds of it.
    pub outcome: Outcome,
    /// The value of each move of the first step, where that was asked.
    pub moves: Option<Vec<MoveValue>>,
    /// The probabilities with which both sides make their first moves, where that was asked.
    pub mixtures: Option<MixedPlay>,
    /// A first move with which the role keeps the value 1, where one was asked for and found.
    pub winning_move: Option<Term>,
    /// Whether plays that are not over after the last step may count in the value, as worth nothing.
    pub cut_off: bool,
    /// The strategies of both sides, where that was asked and the value is known.
    pub strategy: Option<Extracted>,
    /// The mixtures of both sides in all positions, where that was asked.
    pub mixed_strategy: Option<Extracted<AnyStrategy>>,
    /// The file that it was written to, if it was.
    pub strategy_file: Option<String>,
    /// Where the value is 0: why no play at all is worth anything, if the rules show it.
    pub never: Option<Never>,
    /// How best play goes, where that was asked and the value is known; or the limit that came first.
    pub best_play: Option<Result<BestPlay, StopReason>>,
    /// Numbers about the work, by name.
    pub statistics: Vec<(&'static str, u64)>,
    /// Sizes of the stages, by name.
    pub sizes: Vec<(&'static str, u64)>,
    /// The time of each stage.
    pub times: StageTimes,
}

/// The subject of an answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Subject {
    /// A question about a game.
    Game(GameSubject),
    /// A program.
    Program {
        /// Its name.
        name: String,
        /// Where atoms without a quantifier go.
        prefix: PrefixMethod,
    },
    /// A formula.
    Formula {
        /// Its name.
        name: String,
        /// The count that is asked, if one is.
        count: Option<Count>,
    },
}

/// A question about a game, as far as it is known.
#[derive(Clone, PartialEq, Debug)]
pub struct GameSubject {
    /// The name of the game.
    pub name: String,
    /// The role that wants to win.
    pub role: Name,
    /// The meaning of success.
    pub objective: Objective,
    /// How many steps count; none until that is known.
    pub depth: Option<u32>,
    /// Whether the number of steps is the most that play takes, and was found.
    pub depth_found: bool,
    /// Whether all steps count, and no number is known after which every play is over.
    pub counts_all_steps: bool,
    /// No value is larger than this.
    pub largest: BigRational,
    /// The number of opponents, if nobody knows the moves of others of the same step.
    pub mixed_against: Option<usize>,
    /// Whether roles know only their own moves and what they see.
    pub is_hidden: bool,
    /// Whether the role is several roles of the game that decide together.
    pub is_team: bool,
    /// The play of the opponents.
    pub opponents: Opponents,
    /// Whether everybody is taken to see everything, though the rules say what roles see.
    pub assumes_perfect_information: bool,
    /// How formulas are made, for engines that work on formulas.
    pub prefix: Option<PrefixMethod>,
}

impl Subject {
    /// The unit that its values are told in.
    pub fn unit(&self) -> Unit {
        match self {
            Subject::Game(game) => game.objective.unit(),
            Subject::Formula { count: Some(_), .. } => Unit::Number,
            Subject::Program { .. } | Subject::Formula { .. } => Unit::Percent,
        }
    }

    /// No value is larger than this.
    pub fn largest(&self) -> BigRational {
        match self {
            Subject::Game(game) => game.largest.clone(),
            Subject::Formula {
                count: Some(count), ..
            } => count.factor.clone(),
            Subject::Program { .. } | Subject::Formula { .. } => BigRational::one(),
        }
    }
}

impl Answer {
    /// An answer in which nothing is known but its subject and its engine.
    #[doc(hidden)]
    pub fn unknown(subject: Subject, engine: &'static str) -> Self {
        // Some play may be longer.
        let cut_off = matches!(&subject, Subject::Game(game) if game.depth.is_some());
        Answer {
            outcome: Outcome::unknown(StopReason::Interrupted).times(&subject.largest()),
            subject,
            engine,
            why: None,
            exact_if: None,
            moves: None,
            mixtures: None,
            winning_move: None,
            cut_off,
            strategy: None,
            mixed_strategy: None,
            strategy_file: None,
            never: None,
            best_play: None,
            statistics: Vec::new(),
            sizes: Vec::new(),
            times: StageTimes::default(),
        }
    }

    /// The answer as far as it was known when a limit ended the work.
    #[must_use]
    #[doc(hidden)]
    pub fn cut_short(mut self, reason: StopReason) -> Self {
        let moves = self.moves.iter_mut().flatten();
        for outcome in moves
            .map(|each| &mut each.outcome)
            .chain([&mut self.outcome])
        {
            if let Outcome::Stopped { reason: why, .. } = outcome {
                *why = reason;
            }
        }
        self
    }

    /// The limit that kept the work from answering everything that was asked, if one did.
    pub fn stopped_by(&self) -> Option<StopReason> {
        if let Some(reason) = self.outcome.stopped_by() {
            return Some(reason);
        }
        let moves = self.moves.as_deref().and_then(moves::stopped);
        let strategy = self.strategy_sizes();
        let strategy = strategy.and_then(|found| found.stopped_by());
        moves.or(strategy)
    }

    /// The number of positions of both sides of the strategy that was asked for, mixed or not.
    #[doc(hidden)]
    pub fn strategy_sizes(&self) -> Option<Extracted<(usize, usize)>> {
        let known = self.strategy.as_ref();
        let mixed = self.mixed_strategy.as_ref();
        let known = known.map(|known| known.map(|it| (it.player.len(), it.opponents.len())));
        known.or(mixed.map(|mixed| mixed.map(AnyStrategy::sizes)))
    }

    /// The exact value, if it is known.
    pub fn value(&self) -> Option<&BigRational> {
        match &self.outcome {
            Outcome::Solved(Value::Exact(value)) => Some(value),
            _ => None,
        }
    }

    /// Whether plays that are not over after the last step may count in the value, as worth nothing. Where it
    /// is as large as it can be, they do not matter.
    pub fn is_cut_off(&self) -> bool {
        self.cut_off && self.outcome.bounds().0 < self.subject.largest()
    }

    /// Where plays are cut off, bounds of the value of the whole game: more steps never make it less.
    pub fn whole_game(&self) -> Option<Outcome> {
        self.is_cut_off().then(|| {
            Outcome::between(
                self.outcome.bounds().0,
                self.subject.largest(),
                self.stopped_by().unwrap_or(StopReason::Interrupted),
            )
        })
    }
}

/// The value of a move: the value that the role can guarantee after it, or bounds of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MoveValue {
    /// The move.
    pub action: Term,
    /// Its value, or bounds of it.
    pub outcome: Outcome,
}

impl MoveValue {
    /// The move and its value, or bounds of it.
    #[doc(hidden)]
    pub fn new(action: Term, outcome: Outcome) -> Self {
        MoveValue { action, outcome }
    }
}
