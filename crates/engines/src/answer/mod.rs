//! An answer with everything that is said about it: [`Answer`], and its three forms.
//!
//! - [`Answer::text`] is for people,
//! - [`Answer::json`] for programs (`docs/json.md`): the fields of the answer as they are serialised, and what follows from them,
//! - [`Answer::competition_lines`] for scripts that read the output of solver competitions.
//!
//! An answer that was cut short has the same shape, with the bounds that are proved: so a caller that cannot wait
//! for the end can print the answer as far as it is known ([`Observer::answer`](crate::Observer::answer)).

mod best_play;
mod competition;
mod curve;
mod equilibrium;
mod mixtures;
mod moves;
mod subject;
mod text;
mod worth;

pub use best_play::{BestPlay, Choices};
pub use curve::{Curve, CurvePoint};
pub use equilibrium::{EquilibriumValues, RoleValue};
pub use mixtures::{Mixtures, Share};
pub use moves::{MoveValue, RankedMove, move_lines, ranked};
pub use subject::{Depth, GameSubject, Knowledge, Subject};
pub use text::{PERFECT_INFORMATION, Shown, counted, exactness, shortened};
pub use text::{value_columns, value_text};
pub use worth::{Amount, AnswerStatus, Statistics, Worth, ended, worth};

use crate::opponents::Opponents;
use crate::strategy::Extracted;
use formula::{BigRational, Bound, Outcome, Value};
use gdl::Term;
use gdl::game::{Never, ValueRange};
use limits::StopReason;
use logic::route::StageTimes;
use serde::{Serialize, Serializer};
use verify::AnyStrategy;
use worth::is_false;

/// An answer and how it came about.
#[derive(Clone, Debug, Serialize)]
#[serde(remote = "Self")]
#[non_exhaustive]
pub struct Answer {
    /// The subject of the answer.
    #[serde(flatten)]
    pub subject: Subject,
    /// The name of the engine that gave it.
    pub engine: &'static str,
    /// The reason for this engine, where it was chosen for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Under which condition the value is exact and bounds are right, where there is one.
    #[serde(skip)]
    pub exact_if: Option<&'static str>,
    /// The value, or proved bounds of it.
    #[serde(flatten, serialize_with = "worth")]
    pub outcome: Outcome,
    /// The value of each move of the first step, where that was asked.
    #[serde(skip)]
    pub moves: Option<Vec<MoveValue>>,
    /// The probabilities with which both sides make their first moves, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mixtures: Option<Mixtures>,
    /// The values of all roles, where each plays for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equilibrium: Option<EquilibriumValues>,
    /// A first move with which the role keeps the value 1, where one was asked for and found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winning_move: Option<Term>,
    /// Whether plays that are not over after the last step may count in the value, as worth nothing.
    #[serde(skip)]
    pub cut_off: bool,
    /// Whether the strategy that is known gets less than the value, though some come as near as wanted. If the value is the
    /// largest there is none gets it.
    #[serde(skip_serializing_if = "is_false")]
    pub unreached: bool,
    /// For a number of steps that is infinite: the facts of a state from which on one side can keep play going for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endless: Option<Vec<Term>>,
    /// The strategies of both sides, where that was asked and the value is known.
    #[serde(skip)]
    pub strategy: Option<Extracted<AnyStrategy>>,
    /// The file that it was written to, if it was.
    #[serde(skip)]
    pub strategy_file: Option<String>,
    /// Where the value is 0: why no play at all is worth anything, if the rules show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub never: Option<Never>,
    /// How best play goes, where that was asked and the value is known; or the limit that came first.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "best_play::or_limit"
    )]
    pub best_play: Option<Result<BestPlay, StopReason>>,
    /// Numbers about the work, by name.
    #[serde(skip)]
    pub statistics: Vec<(&'static str, u64)>,
    /// Sizes of the stages, by name.
    #[serde(skip)]
    pub sizes: Vec<(&'static str, u64)>,
    /// The time of each stage.
    #[doc(hidden)]
    #[serde(skip)]
    pub times: StageTimes,
}

/// An answer with what follows from its fields.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten, serialize_with = "Answer::serialize")]
    answer: &'a Answer,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<RankedMove>>,
    #[serde(flatten)]
    status: AnswerStatus,
    exact: bool,
    #[serde(skip_serializing_if = "is_false")]
    cut_off: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    whole_game: Option<Worth>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<StrategySummary<'a>>,
    stats: Statistics,
}

/// The result for a strategy that was asked for.
#[derive(Serialize)]
struct StrategySummary<'a> {
    written: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    player_positions: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opponents_positions: Option<usize>,
    /// Why it was not written: a limit, `positions` for too many of these, or `infinite` where some would have no number.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_by: Option<StrategyLimit>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum StrategyLimit {
    Word(&'static str),
    Other(StopReason),
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let is_float = self.outcome.rounded().is_some();
        Whole {
            answer: self,
            moves: (self.moves.as_ref()).map(|it| ranked(it, None, self.subject.prefers_small())),
            status: self.stopped_by().into(),
            exact: self.exact_if.is_none() && !is_float,
            cut_off: self.is_cut_off(),
            whole_game: self.whole_game().as_ref().map(Worth::from),
            strategy: self.strategy_summary(),
            stats: Statistics {
                // Sizes come last: engines use some of their names for the part that is left to solve.
                numbers: (self.statistics.iter().chain(&self.sizes).copied()).collect(),
                seconds: (self.times.0.iter())
                    .map(|(stage, time)| (*stage, time.as_secs_f64()))
                    .collect(),
            },
        }
        .serialize(to)
    }
}

/// Nothing is known of a value but its range, for a reason.
#[doc(hidden)]
pub fn unknown_in(range: &ValueRange, reason: StopReason) -> Outcome {
    let (lower, largest) = range.ends();
    match range.is_bounded() {
        true => Outcome::between(lower, largest, reason),
        false => Outcome::AtLeast { reason, lower },
    }
}

impl Answer {
    /// An answer in which nothing is known but its subject and its engine.
    #[doc(hidden)]
    pub fn unknown(subject: Subject, engine: &'static str) -> Self {
        // Some play may be longer.
        let depth = subject.game().and_then(|game| game.depth.steps());
        Answer {
            outcome: unknown_in(&subject.range(), StopReason::Interrupted),
            subject,
            engine,
            why: None,
            exact_if: None,
            moves: None,
            mixtures: None,
            equilibrium: None,
            winning_move: None,
            cut_off: depth.is_some(),
            unreached: false,
            endless: None,
            strategy: None,
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
        let outcomes = moves.map(|each| &mut each.outcome);
        for outcome in outcomes.chain([&mut self.outcome]) {
            if let Outcome::Stopped { reason: why, .. } | Outcome::AtLeast { reason: why, .. } =
                outcome
            {
                *why = reason;
            }
        }
        self
    }

    /// The limit that kept the work from answering everything that was asked, if one did.
    pub fn stopped_by(&self) -> Option<StopReason> {
        let moves = || self.moves.as_deref().and_then(moves::stopped);
        let strategy = || self.strategy.as_ref()?.stopped_by();
        (self.outcome.stopped_by().or_else(moves)).or_else(strategy)
    }

    /// The exact value, if it is known.
    pub fn value(&self) -> Option<&BigRational> {
        match &self.outcome {
            Outcome::Solved(Value::Exact(value)) => Some(value),
            _ => None,
        }
    }

    /// Whether plays that are not over after the last step may count in the value, as worth nothing. Where it
    /// is as large as it can be, they do not matter, unless it is a number of steps.
    pub fn is_cut_off(&self) -> bool {
        let largest = Bound::Finite(self.subject.range().largest());
        self.cut_off && (self.subject.counts_steps() || self.outcome.extent().0 < largest)
    }

    /// Where plays are cut off, bounds of the value of the whole game: more steps never make it less, unless goals may be below 0. Nothing is known of it
    /// where each role plays for itself.
    pub fn whole_game(&self) -> Option<Outcome> {
        let subject = self.subject.game();
        let is_selfish = subject.is_some_and(|game| game.opponents == Opponents::Selfish);
        let counts_steps = self.subject.counts_steps();
        (self.is_cut_off() && !is_selfish).then(|| {
            let reason = self.stopped_by().unwrap_or(StopReason::Interrupted);
            if counts_steps {
                let lower = self.outcome.bounds().0;
                return Outcome::AtLeast { reason, lower };
            }
            let (least, largest) = self.subject.range().ends();
            Outcome::between(
                match self.subject.range().has_negative() {
                    true => least,
                    false => self.outcome.bounds().0,
                },
                largest,
                reason,
            )
        })
    }

    /// The answer as one JSON object.
    ///
    /// # Panics
    /// Never: all keys are text.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("all keys are text")
    }

    fn strategy_summary(&self) -> Option<StrategySummary<'_>> {
        let found = self.strategy.as_ref()?;
        let sizes = found.complete().map(AnyStrategy::sizes);
        Some(StrategySummary {
            written: sizes.is_some(),
            file: self.strategy_file.as_deref().filter(|_| sizes.is_some()),
            player_positions: sizes.map(|(player, _)| player),
            opponents_positions: sizes.map(|(_, opponents)| opponents),
            stopped_by: match found {
                Extracted::Complete(_) => None,
                Extracted::TooLarge { .. } => Some(StrategyLimit::Word("positions")),
                Extracted::Endless => Some(StrategyLimit::Word("infinite")),
                Extracted::Stopped(reason) => Some(StrategyLimit::Other(*reason)),
            },
        })
    }
}
