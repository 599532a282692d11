//! An answer with everything that is said about it, in each of the output formats.

use super::args::{Format, OutputArguments};
use super::moves::{self, MoveValue};
use super::output::{competition_lines, counted, reason_text, value_text};
use super::request::Asked;
use super::{Exit, Failure, json};
use crate::game::Objective;
use crate::route::StageTimes;
use crate::sqasp::PrefixMethod;
use crate::strategy::Effort;
use formula::{Answer, BigRational, Outcome, Value};
use limits::StopReason;
use num_traits::{One, Zero};
use std::collections::BTreeMap;

/// What an answer is about.
#[derive(Clone)]
pub(super) enum Subject {
    /// A question about a game.
    Game {
        name: String,
        asked: Asked,
        /// Whether the number of steps is the most that play takes, and was found.
        depth_found: bool,
        /// How formulas are made, for engines that evaluate formulas.
        prefix: Option<PrefixMethod>,
    },
    /// A program.
    Program { name: String, prefix: PrefixMethod },
    /// A formula.
    Formula { name: String },
}

/// Who answers.
#[derive(Clone)]
pub(super) struct Engine {
    /// The name of the engine as it is printed.
    pub(super) name: &'static str,
    /// Why it is this one, where it was chosen for the user.
    pub(super) why: Option<String>,
    /// Under which condition its values are exact and its bounds right, where there is one.
    pub(super) exact_if: Option<&'static str>,
}

/// An answer and how it came about.
#[derive(Clone)]
pub(super) struct Report {
    pub(super) subject: Subject,
    pub(super) engine: Engine,
    pub(super) answer: Answer,
    /// What each move of the first step is worth, where that was asked.
    pub(super) moves: Option<Vec<MoveValue>>,
    /// A first move with which the role stays sure of success, where one was looked for and found.
    pub(super) sure_move: Option<String>,
    /// Whether plays that are not over after the last step may count in the value, as worth nothing.
    pub(super) cut_off: bool,
    /// What became of the strategy that was asked for.
    pub(super) strategy: Option<StrategyNote>,
    /// What became of the proof from both sides that was asked for.
    pub(super) certificate: Option<Certificate>,
    /// Sizes of the stages, by name.
    pub(super) sizes: Vec<(&'static str, u64)>,
    pub(super) times: StageTimes,
}

/// What became of a strategy.
#[derive(Clone)]
pub(super) enum StrategyNote {
    /// It was written.
    Written {
        /// Where.
        file: String,
        /// The number of positions on the role's side.
        player: usize,
        /// The number of positions on the opponents' side.
        opponents: usize,
    },
    /// It has more positions than allowed.
    TooLarge {
        /// How many are allowed.
        positions: usize,
    },
    /// A limit was reached before it was complete.
    Stopped(StopReason),
}

/// What became of a proof from both sides.
#[derive(Clone)]
pub(super) enum Certificate {
    /// The value is what both sides' play is worth.
    Proved {
        /// The work on the role's side.
        player: Effort,
        /// The work on the opponents' side.
        opponents: Effort,
    },
    /// A limit was reached before.
    Stopped(StopReason),
}

impl Certificate {
    /// The limit that it did not keep to.
    fn stopped_by(&self) -> Option<StopReason> {
        match self {
            Certificate::Proved { .. } => None,
            Certificate::Stopped(reason) => Some(*reason),
        }
    }

    fn line(&self) -> String {
        match self {
            Certificate::Proved { player, opponents } => format!(
                "proved from both sides: {} positions on the role's side, {} on the opponents' by the \
                 circuit, compared with the rules in {} of them",
                player.positions,
                opponents.positions,
                player.compared + opponents.compared
            ),
            Certificate::Stopped(reason) => format!(
                "not proved from both sides: {} before that was done",
                reason_text(*reason)
            ),
        }
    }
}

impl StrategyNote {
    /// The limit that it did not keep to.
    fn stopped_by(&self) -> Option<StopReason> {
        match self {
            StrategyNote::Written { .. } => None,
            StrategyNote::TooLarge { .. } => Some(StopReason::Memory),
            StrategyNote::Stopped(reason) => Some(*reason),
        }
    }

    fn line(&self) -> String {
        match self {
            StrategyNote::Written {
                file,
                player,
                opponents,
            } => {
                let word = if *player == 1 {
                    "position"
                } else {
                    "positions"
                };
                format!(
                    "strategy in {file}: {player} {word} of the role, {opponents} of its opponents"
                )
            }
            StrategyNote::TooLarge { positions } => format!(
                "no strategy was written: it has more than {positions} positions; allow more with \
                 --strategy-positions"
            ),
            StrategyNote::Stopped(reason) => format!(
                "no strategy was written: {} before it was complete",
                reason_text(*reason)
            ),
        }
    }
}

/// What a run knows while it goes on: enough for an answer if it is cut short.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) subject: Subject,
    pub(super) engine: Engine,
    /// Proved bounds of the value.
    pub(super) bounds: (BigRational, BigRational),
    /// The moves asked about, as far as they are known.
    pub(super) moves: Option<Vec<MoveValue>>,
    /// A first move with which the role stays sure of success.
    pub(super) sure_move: Option<String>,
    /// Whether plays that are not over after the last step may count in the value, as worth nothing.
    pub(super) cut_off: bool,
}

impl Subject {
    /// No value is larger than this.
    pub(super) fn largest(&self) -> BigRational {
        match self {
            Subject::Game { asked, .. } => asked.largest.clone(),
            Subject::Program { .. } | Subject::Formula { .. } => BigRational::one(),
        }
    }
}

impl Known {
    /// Nothing but what is asked of whom.
    pub(super) fn new(subject: Subject, engine: Engine) -> Self {
        Known {
            bounds: (BigRational::zero(), subject.largest()),
            subject,
            engine,
            moves: None,
            sure_move: None,
            cut_off: false,
        }
    }
}

impl Report {
    /// A report on a run that was cut short.
    pub(super) fn cut_short(reason: StopReason, times: StageTimes, known: Known) -> Self {
        let (lower, upper) = known.bounds;
        let mut outcome = match lower == upper {
            true => Outcome::Solved(Value::Exact(lower)),
            false => Outcome::between(lower, upper, reason),
        };
        let mut moves = known.moves;
        for each in moves.iter_mut().flatten() {
            if let Outcome::Stopped { reason: why, .. } = &mut each.outcome {
                *why = reason;
            }
        }
        if let Some(moves) = moves.as_deref().filter(|moves| !moves.is_empty()) {
            outcome = moves::overall(moves);
        }
        let answer = Answer {
            outcome,
            statistics: Vec::new(),
        };
        Report {
            subject: known.subject,
            engine: known.engine,
            answer,
            moves,
            sure_move: known.sure_move,
            cut_off: known.cut_off,
            strategy: None,
            certificate: None,
            sizes: Vec::new(),
            times,
        }
    }

    /// The limit that kept the run from answering everything that was asked, if one did.
    pub(super) fn stopped_by(&self) -> Option<StopReason> {
        match &self.answer.outcome {
            Outcome::Stopped { reason, .. } => Some(*reason),
            Outcome::Solved(_) => {
                let moves = self.moves.as_deref().and_then(moves::stopped);
                let strategy = self.strategy.as_ref().and_then(StrategyNote::stopped_by);
                let certificate = self.certificate.as_ref().and_then(Certificate::stopped_by);
                moves.or(strategy).or(certificate)
            }
        }
    }

    /// Whether plays that are not over after the last step may count in the value, as worth nothing. Where it
    /// is as large as it can be, they do not matter.
    pub(super) fn is_cut_off(&self) -> bool {
        self.cut_off && self.answer.outcome.bounds().0 < self.subject.largest()
    }

    /// Where plays are cut off, bounds of what the whole game is worth: more steps never make less of it.
    pub(super) fn whole_game(&self) -> Option<Outcome> {
        self.is_cut_off().then(|| {
            Outcome::between(
                self.answer.outcome.bounds().0,
                self.subject.largest(),
                self.stopped_by().unwrap_or(StopReason::Interrupted),
            )
        })
    }

    /// Prints the report as asked for; `competition` is the default of some commands.
    ///
    /// # Errors
    /// If standard output cannot be written to.
    pub(super) fn print(&self, output: &OutputArguments, default: Format) -> Result<(), Failure> {
        let text = if output.json {
            json::answer(self)
        } else {
            match output.format.unwrap_or(default) {
                Format::Text => self.sentences(),
                Format::Competition => self.lines(),
            }
        };
        super::files::print(|to| writeln!(to, "{text}"))
    }

    /// The exit code for this answer.
    pub(super) fn exit(&self) -> Exit {
        self.stopped_by().map_or(Exit::Answered, Exit::for_stop)
    }

    /// The same, but for the values 1 and 0 the codes of SAT and QBF solvers.
    pub(super) fn sat_exit(&self) -> Exit {
        match &self.answer.outcome {
            Outcome::Solved(Value::Exact(value)) if value.is_one() => Exit::Satisfiable,
            Outcome::Solved(Value::Exact(value)) if value.is_zero() => Exit::Unsatisfiable,
            _ => self.exit(),
        }
    }

    /// The answer for people.
    pub(super) fn sentences(&self) -> String {
        let exactness = match &self.answer.outcome {
            Outcome::Solved(Value::Exact(_)) => match self.engine.exact_if {
                None => "exact".to_owned(),
                Some(condition) => format!("exact if {condition}"),
            },
            Outcome::Solved(Value::Float(_)) => "not exact: floating point".to_owned(),
            Outcome::Stopped { reason, .. } => {
                let condition = self.engine.exact_if.map(|it| format!("; right if {it}"));
                let condition = condition.unwrap_or_default();
                format!("bounds: {}{condition}", reason_text(*reason))
            }
        };
        let seconds = self.times.total().as_secs_f64();
        let (statement, prefix) = match &self.subject {
            Subject::Game {
                asked,
                depth_found,
                prefix,
                ..
            } => {
                let bounded = matches!(self.answer.outcome, Outcome::Stopped { .. });
                let mut statement = statement(asked, bounded);
                if *depth_found {
                    statement.push_str(", after which every play is over");
                }
                (Some(statement), prefix.as_ref())
            }
            Subject::Program { prefix, .. } => (None, Some(prefix)),
            Subject::Formula { .. } => (None, None),
        };
        let prefix = prefix.map_or(String::new(), |prefix| format!(", quant {prefix}"));
        let cut_off = match self.is_cut_off() {
            true => "; plays that are not over by then count as 0",
            false => "",
        };
        let how = format!(
            "({exactness}{cut_off}; engine {}{prefix}, {seconds:.2} s)",
            self.engine.name
        );
        let second_line = match statement {
            Some(statement) => format!("{statement} {how}"),
            None => how,
        };
        let mut lines = vec![value_text(&self.answer.outcome), second_line];
        let is_mean =
            matches!(&self.subject, Subject::Game { asked, .. } if asked.objective.is_mean());
        if let (true, Some(Outcome::Stopped { lower, upper, .. })) = (is_mean, self.whole_game()) {
            lines.push(format!(
                "the whole game is worth between {lower} and {upper}"
            ));
        }
        if let Some(moves) = &self.moves {
            lines.extend(moves::lines(moves));
            if moves.is_empty() {
                lines.push("there is no move to make".to_owned());
            }
            let stopped = moves::stopped(moves);
            if let (Outcome::Solved(_), Some(reason)) = (&self.answer.outcome, stopped) {
                let reason = reason_text(reason);
                lines.push(format!("{reason} before every move had its value"));
            }
        }
        let sure = self.sure_move.as_ref();
        lines.extend(sure.map(|action| format!("first move that makes sure of it: {action}")));
        lines.extend(self.strategy.as_ref().map(StrategyNote::line));
        lines.extend(self.certificate.as_ref().map(Certificate::line));
        lines.join("\n")
    }

    /// The lines of solver competitions, with remarks on the moves.
    fn lines(&self) -> String {
        let mut text = competition_lines(&self.heading(), &self.answer, self.engine.exact_if);
        for line in self.moves.iter().flat_map(|moves| moves::lines(moves)) {
            text.push_str("\nc o move ");
            text.push_str(&line);
        }
        if let Some(action) = &self.sure_move {
            text.push_str("\nc o winning move ");
            text.push_str(action);
        }
        let strategy = self.strategy.as_ref().map(StrategyNote::line);
        let certificate = self.certificate.as_ref().map(Certificate::line);
        for line in strategy.into_iter().chain(certificate) {
            text.push_str("\nc o ");
            text.push_str(&line);
        }
        text
    }

    /// What the answer is about, as `key=value` for competition lines.
    fn heading(&self) -> String {
        let engine = self.engine.name;
        match &self.subject {
            Subject::Game { name, asked, .. } => {
                let horizon = asked.depth.map(|depth| format!(" horizon={depth}"));
                let horizon = horizon.unwrap_or_default();
                format!("game={name} player={}{horizon} engine={engine}", asked.role)
            }
            Subject::Program { name, .. } => format!("program={name} engine={engine}"),
            Subject::Formula { name } => format!("formula={name} engine={engine}"),
        }
    }

    /// What the answer is about, for JSON.
    pub(super) fn subject_fields(&self) -> BTreeMap<&'static str, serde_json::Value> {
        let mut fields = BTreeMap::new();
        let mut add = |key, value: serde_json::Value| fields.insert(key, value);
        match &self.subject {
            Subject::Game {
                name,
                asked,
                depth_found,
                prefix,
            } => {
                add("game", name.as_str().into());
                add("role", asked.role.as_str().into());
                add("depth", asked.depth.into());
                if *depth_found {
                    add("depth_found", true.into());
                }
                add("objective", asked.objective.to_string().into());
                if let Some(prefix) = prefix {
                    add("quant", prefix.to_string().into());
                }
            }
            Subject::Program { name, prefix } => {
                add("program", name.as_str().into());
                add("quant", prefix.to_string().into());
            }
            Subject::Formula { name } => {
                add("formula", name.as_str().into());
            }
        }
        fields
    }
}

/// What a value of a game says, or bounds of it.
pub(super) fn statement(asked: &Asked, bounded: bool) -> String {
    let Asked {
        role,
        depth,
        objective,
        ..
    } = asked;
    let (what, how) = match (objective, bounded) {
        (Objective::Score, false) => ("can make sure of this part of 100 points on average", ""),
        (Objective::Score, true) => (
            "can make sure of a part of 100 points between these bounds on average",
            "",
        ),
        (Objective::Points, false) => ("can make sure of these expected points", ""),
        (Objective::Points, true) => ("can make sure of expected points between these bounds", ""),
        (_, false) => ("can make sure of", " with this probability"),
        (_, true) => (
            "can make sure of",
            " with a probability between these bounds",
        ),
    };
    let goal = match objective {
        Objective::Win => " winning".to_owned(),
        Objective::GoalAtLeast(points) => format!(" at least {points} points"),
        Objective::Score | Objective::Points => String::new(),
    };
    let within = match depth {
        None => String::new(),
        Some(steps) => format!(" within {}", counted(*steps as usize, "step")),
    };
    format!("{role} {what}{goal}{how}{within}")
}
