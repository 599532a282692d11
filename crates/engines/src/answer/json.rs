//! The shapes of JSON output (`docs/json.md`). Fractions are strings, since
//! they do not fit the numbers of JSON.

use super::best_play::JsonBestPlay;
use super::{Answer, Fraction, MoveValue, Subject, moves};
use formula::{BigRational, Outcome, Value};
use limits::StopReason;
use mixed::MixedPlay;
use num_traits::Zero;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use strategy::Extracted;

/// One answer.
#[derive(Serialize)]
struct JsonAnswer<'a> {
    #[serde(flatten)]
    subject: &'a BTreeMap<&'static str, serde_json::Value>,
    engine: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_by: Option<&'static str>,
    #[serde(flatten)]
    outcome: JsonOutcome,
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<JsonMove>>,
    /// The probabilities of the first moves of both sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    mixtures: Option<JsonMixtures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winning_move: Option<String>,
    /// Whether plays that were not over after the last step may count in the value, as worth nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut_off: bool,
    /// Where plays are cut off, bounds of the value of the whole game.
    #[serde(skip_serializing_if = "Option::is_none")]
    whole_game: Option<JsonOutcome>,
    /// Why the value is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    never: Option<JsonNever>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<JsonStrategy<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best_play: Option<JsonBestPlay>,
    stats: JsonStatistics,
}

/// Why no play at all is worth anything to the role.
#[derive(Serialize)]
struct JsonNever {
    because: String,
    most_points: u32,
    /// Each sentence needs the next; the last can never hold.
    needs: Vec<Vec<String>>,
}

impl JsonNever {
    fn new(answer: &Answer) -> Option<Self> {
        let never = answer.never.as_ref()?;
        let texts = |chain: &Vec<_>| chain.iter().map(gdl::Sentence::to_string).collect();
        Some(JsonNever {
            because: answer.never_line()?,
            most_points: never.most,
            needs: never.needs.iter().map(texts).collect(),
        })
    }
}

/// The result for a strategy that was asked for.
#[derive(Serialize)]
struct JsonStrategy<'a> {
    written: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    player_positions: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opponents_positions: Option<usize>,
    /// Why it was not written: a limit, or `positions` for too many of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_by: Option<&'static str>,
}

impl<'a> JsonStrategy<'a> {
    fn new(extracted: &Extracted<(usize, usize)>, file: Option<&'a str>) -> Self {
        let (sizes, stopped) = match extracted {
            Extracted::Complete(sizes) => (Some(**sizes), None),
            Extracted::TooLarge { .. } => (None, Some("positions")),
            Extracted::Stopped(reason) => (None, Some(stopped_by(*reason))),
        };
        JsonStrategy {
            written: stopped.is_none(),
            file: file.filter(|_| stopped.is_none()),
            player_positions: sizes.map(|(player, _)| player),
            opponents_positions: sizes.map(|(_, opponents)| opponents),
            stopped_by: stopped,
        }
    }
}

/// The value of a move of the first step, or bounds of it.
#[derive(Serialize)]
struct JsonMove {
    #[serde(rename = "move")]
    action: String,
    #[serde(flatten)]
    outcome: JsonOutcome,
    best: bool,
}

impl JsonMove {
    fn new((each, best): (&MoveValue, bool)) -> Self {
        JsonMove {
            action: each.action.to_string(),
            outcome: JsonOutcome::new(&each.outcome),
            best,
        }
    }
}

/// The probabilities of the first moves of both sides.
#[derive(Serialize)]
pub struct JsonMixtures {
    player: Vec<JsonShare<String>>,
    opponents: Vec<JsonShare<Vec<String>>>,
}

/// A move, or one of each opponent, and its probability.
#[derive(Serialize)]
struct JsonShare<M> {
    #[serde(rename = "move")]
    action: M,
    probability: Fraction,
}

impl JsonMixtures {
    /// Those of a play.
    pub fn new(play: &MixedPlay) -> Self {
        let made = play.moves.iter().filter(|each| !each.share.is_zero());
        let player = made.map(|each| JsonShare {
            action: each.action.to_string(),
            probability: Fraction::from(&each.share),
        });
        let opponents = play.replies.iter().map(|(reply, share)| JsonShare {
            action: reply.iter().map(ToString::to_string).collect(),
            probability: Fraction::from(share),
        });
        JsonMixtures {
            player: player.collect(),
            opponents: opponents.collect(),
        }
    }
}

/// A value, or bounds of it. Its fields stand among those of the object that has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonOutcome {
    /// The exact value, if it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Fraction>,
    /// From solvers that compute in floating point, in place of `value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    float: Option<f64>,
    /// A proved lower bound, itself included.
    pub lower: Fraction,
    /// A proved upper bound, itself included.
    pub upper: Fraction,
    /// Between the bounds, rounded; nothing is proved of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<f64>,
}

impl JsonOutcome {
    /// The value of an outcome, or its bounds.
    pub fn new(outcome: &Outcome) -> Self {
        let (value, float) = match outcome {
            Outcome::Solved(Value::Exact(value)) => (Some(Fraction::from(value)), None),
            Outcome::Solved(Value::Float(value)) => (None, Some(*value)),
            Outcome::Stopped { .. } => (None, None),
        };
        JsonOutcome {
            value,
            float,
            estimate: outcome.estimate(),
            ..JsonOutcome::from(&outcome.bounds())
        }
    }
}

impl From<&(BigRational, BigRational)> for JsonOutcome {
    /// A value between two bounds, or the exact one if they are equal.
    fn from((lower, upper): &(BigRational, BigRational)) -> Self {
        JsonOutcome {
            value: (lower == upper).then(|| Fraction::from(lower)),
            float: None,
            lower: Fraction::from(lower),
            upper: Fraction::from(upper),
            estimate: None,
        }
    }
}

/// The name of a limit.
pub fn stopped_by(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Time => "time",
        StopReason::Memory => "memory",
        StopReason::Interrupted => "interrupt",
        StopReason::Precision => "digits",
    }
}

/// Numbers about the work, and the time of each stage.
#[derive(Serialize)]
pub struct JsonStatistics {
    /// Numbers by name.
    #[serde(flatten)]
    pub numbers: BTreeMap<&'static str, u64>,
    /// Seconds by stage.
    pub seconds: BTreeMap<&'static str, f64>,
}

impl Answer {
    /// The answer as one JSON object.
    pub fn json(&self) -> String {
        let stopped_by = self.stopped_by().map(stopped_by);
        let moves = self.moves.as_deref().map(moves::ranked);
        let file = self.strategy_file.as_deref();
        let answer = JsonAnswer {
            subject: &self.subject.fields(),
            engine: self.engine,
            why: self.why.as_deref(),
            status: if stopped_by.is_none() {
                "solved"
            } else {
                "bounds"
            },
            stopped_by,
            outcome: JsonOutcome::new(&self.outcome),
            exact: self.exact_if.is_none()
                && !matches!(self.outcome, Outcome::Solved(Value::Float(_))),
            moves: moves.map(|moves| moves.into_iter().map(JsonMove::new).collect()),
            mixtures: self.mixtures.as_ref().map(JsonMixtures::new),
            winning_move: self.winning_move.as_ref().map(ToString::to_string),
            cut_off: self.is_cut_off(),
            whole_game: self.whole_game().as_ref().map(JsonOutcome::new),
            never: JsonNever::new(self),
            strategy: (self.strategy_sizes().as_ref())
                .map(|extracted| JsonStrategy::new(extracted, file)),
            best_play: self.best_play.as_ref().map(JsonBestPlay::new),
            stats: JsonStatistics {
                // Sizes come last: engines use some of their names for the part that is left to solve.
                numbers: (self.statistics.iter().chain(&self.sizes).copied()).collect(),
                seconds: (self.times.0.iter())
                    .map(|(stage, time)| (*stage, time.as_secs_f64()))
                    .collect(),
            },
        };
        serde_json::to_string(&answer).expect("the shape has text keys only")
    }
}

impl Subject {
    /// The subject of an answer, as fields of its object.
    pub(super) fn fields(&self) -> BTreeMap<&'static str, serde_json::Value> {
        let mut fields = BTreeMap::new();
        let mut add = |key, value: serde_json::Value| fields.insert(key, value);
        match self {
            Subject::Game(game) => {
                add("game", game.name.as_str().into());
                add("role", game.role.as_str().into());
                add(
                    "depth",
                    if game.counts_all_steps {
                        "unbounded".into()
                    } else {
                        game.depth.into()
                    },
                );
                if game.depth_found {
                    add("depth_found", true.into());
                }
                add("objective", game.objective.to_string().into());
                if let Some(name) = game.opponents.name() {
                    add("opponents", name.into());
                }
                if game.mixed_against.is_some() {
                    add(if game.is_hidden { "hidden" } else { "mixed" }, true.into());
                    if game.is_hidden && game.is_team {
                        add("shared_percepts", true.into());
                    }
                }
                if game.assumes_perfect_information {
                    add("assumes_perfect_information", true.into());
                }
                if let Some(prefix) = game.prefix {
                    add("quant", prefix.to_string().into());
                }
            }
            Subject::Program { name, prefix } => {
                add("program", name.as_str().into());
                add("quant", prefix.to_string().into());
            }
            Subject::Formula { name, count } => {
                add("formula", name.as_str().into());
                if let Some(count) = count {
                    add("count", count.name().into());
                }
            }
        }
        fields
    }
}
