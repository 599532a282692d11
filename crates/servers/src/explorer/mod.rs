//! The explorer: a page in a browser that shows a game, plays it, and tells the value of every move and why.
//!
//! [`Pages`] are all that the outside world can reach: those of one game, or of a folder of games. An [`Explorer`] turns
//! requests of the page of a game into responses.
//!
//! - `access`: access control. The address of the page has a random token, and requests for other hosts or from the
//!   pages of others are refused, so that no other page in the same browser can ask anything.
//! - `board`: facts about a position that need no search, for drawing.
//! - `files`: the files of the pages. They are part of the program; nothing comes from elsewhere.
//! - `folder`: the list of the games of a folder.
//! - `fired`: the rules that made the last step.
//! - `knowledge`: a position as a role knows it, where the rules say what it sees.
//! - `mixture`: values where both sides choose at once, without knowing the other's move.
//! - `objectives`: an evaluator for each objective, which all tabs share ([`Shared`]); the questions are those of its protocol.
//!
//! Invariants. No request makes the process panic or use much memory. Following moves does not wait for a
//! search: it has a state machine of its own.

mod access;
mod board;
mod files;
mod fired;
mod folder;
mod knowledge;
mod mixture;
mod objectives;
mod pages;

use crate::evaluator::{Command, Defaults, Evaluator, Reply, Request, Shared, Stops, read};
use crate::http::{Incoming, Outgoing};
use board::{BoardShape, Boards, Feature, PositionView, features};
use engines::SearchOptions;
use engines::answer::{Amount, Depth, Worth};
use engines::validity::try_playing;
use engines::{Error, Fraction, Opponents, Options, Play, Position, Question, Remedy, solve};
use engines::{for_positions, locate, own_machine, position_after, rule_limits};
use fired::{FiredRule, MarkedRules};
use formula::Bound;
use gdl::game::{Aim, Game, Objective, Reading};
use gdl::{DisplayHints, DisplayMistake, Name, Term};
use hidden::HiddenQuestion;
use knowledge::{History, KnowledgeView, Solutions};
use limits::{Limits, StopReason, lock};
use mixture::{MixtureView, Mixtures};
use objectives::{Objectives, missing, offered};
use rules::{RuleLimits, worth};
use serde::Serialize;
use std::path::PathBuf;
use std::slice;
use std::sync::Mutex;
use std::time::Duration;
use step::{StateMachine, StepLimits};

pub use folder::{GameFolder, ListedGame};
pub use pages::{Content, Pages};

/// How long a response may wait for something new to tell.
const PATIENCE: Duration = Duration::from_millis(900);

/// How long it may take to follow the moves to a position, and which part of the memory that may use.
const TIME: Duration = Duration::from_secs(5);
const PART_FOR_RULES: u64 = 32;

/// How long the value on a card may take.
const TIME_OF_CARD: Duration = Duration::from_secs(1);

/// The part of the memory for values of moves at the same time, and for a solution of a game that hides something.
const PART_FOR_MIXTURES: u64 = 8;
const PART_FOR_SOLUTIONS: u64 = 2;

/// The most steps of the random plays in which moves at the same time are searched for.
const MAX_TRIED: u32 = 1000;

/// The longest text of an error.
const MAX_ERROR: usize = 2_000;

/// The longest name of an asker.
const MAX_NAME: usize = 64;

/// The game to explore, and the way to search it.
#[derive(Clone)]
pub struct Explored {
    /// The rules as they were written, with their comments, and their game.
    pub reading: Reading,
    /// That game, or the one in which a team is a role.
    pub game: Game,
    /// The role that values are about at first, by its index.
    pub role: usize,
    /// How many steps count from the start on; all without a number.
    pub depth: Option<u32>,
    pub objective: Aim,
    /// Whether each role plays for itself; else opponents play against a role together.
    pub is_selfish: bool,
    pub options: SearchOptions,
    /// The folder with a table of the game, if there is one.
    pub table: Option<PathBuf>,
    /// The memory for tables, in bytes.
    pub memory: Option<u64>,
}

/// The introduction of the game that the page gets.
#[derive(Serialize)]
struct Introduction<'a> {
    program: String,
    game: &'a str,
    roles: &'a [Name],
    role: &'a Name,
    depth: Option<u32>,
    /// Whether roles know only their moves and what they see.
    is_hidden: bool,
    /// Whether several players had a choice at the same time in random plays.
    is_simultaneous: bool,
    /// Whether each role plays for itself.
    is_selfish: bool,
    objectives: Vec<ObjectiveView>,
    features: Vec<Feature>,
    hints: HintView,
    rules: &'a str,
}

/// The comments of the rules about drawing.
#[derive(Serialize)]
struct HintView {
    #[serde(flatten)]
    followed: DisplayHints,
    mistakes: Vec<String>,
}

/// An objective that the page offers.
#[derive(Serialize)]
struct ObjectiveView {
    name: String,
    is_mean: bool,
    /// Whether small values are good for the role.
    is_small: bool,
    /// The least and the largest value of each role.
    least: Vec<Fraction>,
    largest: Vec<Amount>,
}

/// A game as a card in the list of games: what the page of the game gets first, in one answer.
#[derive(Serialize)]
struct Card<'a> {
    boards: Shapes,
    game: Introduction<'a>,
    /// That at the start.
    position: PositionView,
}

/// The value of a game at the start, as its card shows it.
#[derive(Serialize)]
struct StartValue {
    role: String,
    /// The number of the objective among those of the introduction.
    objective: usize,
    /// Whether all steps count, and no number is known after which play is over.
    is_endless: bool,
    #[serde(flatten)]
    worth: Worth,
}

impl Explored {
    /// Its value at the start, or bounds that are known soon. Points are told where no play can be won, as on the page of the game.
    fn start_value(&self) -> Result<StartValue, Error> {
        let role = &self.game.roles()[self.role];
        let mixed = self.is_simultaneous();
        let value = |objective: Aim| {
            let mut question = Question::new(role.clone()).objective(objective);
            if self.is_selfish {
                question.opponents = Opponents::Selfish;
            }
            let mut options = Options::default();
            options.search = self.options.clone();
            options.limits = Limits {
                memory: self.memory.map(|memory| memory / PART_FOR_MIXTURES),
                ..Limits::default().within(TIME_OF_CARD)
            };
            solve(
                &self.game,
                &question.depth(self.depth).mixed(mixed),
                &options,
            )
        };
        let offered = offered(self);
        let (mut objective, mut answer) = (0, value(offered[0])?);
        let is_zero = answer
            .value()
            .is_some_and(|value| *value.numer() == 0.into());
        let points = offered.iter().position(|other| is_mean(*other));
        if let (true, Some(points)) = (is_zero, points.filter(|&points| points > 0)) {
            (objective, answer) = (points, value(offered[points])?);
        }
        Ok(StartValue {
            role: role.to_string(),
            objective,
            is_endless: (answer.subject.game()).is_some_and(|asked| asked.depth == Depth::All),
            worth: Worth::from(&answer.outcome),
        })
    }

    /// Its card; takes a second at most in nearly all games, and no table.
    fn card(&self) -> Result<Card<'_>, Error> {
        let start = Position::History(Vec::new());
        let mut machine = self.machine(&Limits::default().within(TIME))?;
        Ok(Card {
            boards: board::shapes(&self.game, &Limits::default()),
            position: PositionView::at(&mut machine, None, &start)?,
            game: self.introduction(self.is_simultaneous()),
        })
    }

    fn introduction(&self, is_simultaneous: bool) -> Introduction<'_> {
        let game = &self.game;
        let objective = |objective: Aim| {
            let roles = game.roles().iter();
            let ranges = roles.map(|role| objective.range(game, role, None));
            let ends = ranges.map(|range| {
                let largest = match range.is_bounded() {
                    true => Bound::Finite(range.largest()),
                    false => Bound::Infinite,
                };
                (Fraction::from(range.least()), Amount(largest))
            });
            let (least, largest): (Vec<_>, Vec<_>) = ends.unzip();
            ObjectiveView {
                name: objective.to_string(),
                is_mean: is_mean(objective),
                is_small: objective.prefers_small(),
                least,
                largest,
            }
        };
        Introduction {
            program: format!("sqasp {}", env!("CARGO_PKG_VERSION")),
            game: game.name(),
            roles: game.roles(),
            role: &game.roles()[self.role],
            depth: self.depth,
            is_hidden: self.is_hidden(),
            is_simultaneous,
            is_selfish: self.is_selfish,
            objectives: offered(self).into_iter().map(objective).collect(),
            features: features(game),
            hints: self.hints(),
            rules: self.reading.source.text(),
        }
    }

    /// Whether several players had a choice at the same time in random plays. A table has other values than those of mixtures, and steps are
    /// counted where opponents know the role's move.
    fn is_simultaneous(&self) -> bool {
        let limits = Limits::default().within(TIME);
        let played = try_playing(&self.game, MAX_TRIED, &limits);
        self.table.is_none()
            && !self.is_selfish
            && self.objective.payoff().is_some()
            && played.is_ok_and(|played| played.has_simultaneous_choices())
    }

    fn hints(&self) -> HintView {
        let hints = DisplayHints::of(&self.reading.description);
        let source = &self.reading.source;
        let told = |mistake: &DisplayMistake| {
            let place = source.position(mistake.span.start as usize);
            format!(
                "Line {} of the rules: {}: {}.",
                place.line, mistake.message, mistake.help
            )
        };
        HintView {
            mistakes: hints.mistakes.iter().map(told).collect(),
            followed: hints,
        }
    }

    /// Whether roles know only their moves and what they see.
    fn is_hidden(&self) -> bool {
        Play::of(&self.game, false) == Play::Hidden
    }

    /// A machine that is made quickly.
    fn machine(&self, limits: &Limits) -> Result<StateMachine, Error> {
        let step = StepLimits::modest().within(limits);
        let rules = RuleLimits {
            overall: limits.clone(),
            ..self.rule_limits(None)
        };
        Ok(StateMachine::new(&self.game, &step, rules)?)
    }

    fn marked_rules(&self) -> Result<MarkedRules, Error> {
        let Reading {
            game,
            description,
            source,
            ..
        } = &self.reading;
        let limits = self.rule_limits(None);
        Ok(MarkedRules::new(game, description, source, limits)?)
    }

    fn evaluator(
        self,
        objective: Aim,
        defaults: Defaults,
        following: StateMachine,
    ) -> Result<Evaluator, Error> {
        let Explored {
            game,
            role,
            is_selfish,
            options,
            table,
            ..
        } = self;
        let play = if is_selfish {
            Play::Selfish
        } else {
            Play::Open
        };
        let table = table.as_deref();
        let (engine, _) = for_positions(&game, play, objective, role, options, table)?;
        let objective = objective.to_string();
        let evaluator = Evaluator::new(game.name(), game.roles(), &objective, defaults, engine);
        Ok(evaluator.following(following))
    }

    /// Limits of following the rules.
    fn rule_limits(&self, time: Option<Duration>) -> RuleLimits {
        rule_limits(&Limits {
            memory: self.memory.map(|memory| memory / PART_FOR_RULES),
            ..Limits::default().within(time)
        })
    }
}

/// Whether values are means of numbers, and not probabilities.
fn is_mean(objective: Aim) -> bool {
    objective.payoff().is_none_or(Objective::is_mean)
}

/// Answers the page of a game.
pub struct Explorer {
    explored: Explored,
    is_simultaneous: bool,
    machine: Mutex<StateMachine>,
    marked: MarkedRules,
    mixtures: Mixtures,
    solutions: Solutions,
    boards: Boards,
    objectives: Objectives,
}

impl Explorer {
    /// An explorer of a game. `watch` makes a watch over requests, which is called about a hundred times a
    /// second while they are answered.
    pub fn start<W: FnMut(&dyn Fn(StopReason)) + Send + 'static>(
        explored: Explored,
        watch: impl Fn(Stops) -> W + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let machine = explored.machine(&Limits::default())?;
        let marked = explored.marked_rules()?;
        let boards = Boards::find(&explored.game, explored.memory).map_err(missing)?;
        let ends = boards.ends();
        let offered = offered(&explored);
        let (asked, following) = (explored.clone(), machine.clone());
        let memory = explored.memory.map(|all| all / offered.len() as u64);
        let start = move |objective| {
            let stops = Stops::default();
            let (asked, following) = (asked.clone(), following.clone());
            let defaults = Defaults {
                role: asked.role,
                depth: None,
                time: None,
                memory,
                stops: stops.clone(),
            };
            let make = move || asked.evaluator(objective, defaults, following);
            let (ends, mut watch) = (ends.clone(), watch(stops.clone()));
            let watch = move |speak: &dyn Fn(StopReason)| {
                ends.check();
                watch(speak);
            };
            Shared::start(stops, make, watch)
        };
        let objectives = Objectives::new(offered, start);
        // The page will want this first, and a browser takes a while to open it.
        let first = Request {
            depth: explored.depth,
            ..Request::default()
        };
        if !explored.is_hidden() {
            let _ = objectives
                .evaluator(0)?
                .ask("first", &first, Duration::ZERO);
        }
        Ok(Explorer {
            machine: Mutex::new(machine),
            marked,
            mixtures: Mixtures::default(),
            solutions: Solutions::default(),
            boards,
            objectives,
            is_simultaneous: explored.is_simultaneous(),
            explored,
        })
    }

    /// The response to a request for a path below that of the game.
    fn answer(&self, path: &str, query: &str, incoming: &Incoming) -> Outgoing {
        match incoming.method.as_str() {
            "GET" | "HEAD" => files::response(path, "index.html"),
            "POST" => self.post(path, query, incoming),
            _ => not_understood(),
        }
    }

    fn post(&self, path: &str, query: &str, incoming: &Incoming) -> Outgoing {
        match path {
            "game" => json(200, &self.explored.introduction(self.is_simultaneous)),
            "boards" => json(200, &self.boards.shapes()),
            "position" => to_response(self.position(&incoming.body)),
            "fired" => to_response(self.fired(&incoming.body)),
            "ask" | "stop" | "mixture" | "knowledge" => match Asker::of(query) {
                Some(asker) if path == "ask" => self.ask(&asker, &incoming.body),
                Some(asker) if path == "mixture" => {
                    to_response(self.mixture(&asker, &incoming.body))
                }
                Some(asker) if path == "knowledge" => {
                    to_response(self.knowledge(&asker, &incoming.body))
                }
                Some(asker) => {
                    self.objectives.stop(asker.name);
                    self.solutions.stop();
                    json(200, &Stopped {})
                }
                None => Outgoing::text(
                    400,
                    "name the asker: ?asker=NAME, of letters, digits, `-` and `.`; and &objective=N\n",
                ),
            },
            _ => Outgoing::text(404, "there is no such question\n"),
        }
    }

    /// Calls `f` with a machine and the position that a request names, as where play starts and the moves from there on.
    fn on_machine<T>(
        &self,
        request: Request,
        f: impl FnOnce(&mut StateMachine, Option<&Position>, &Position) -> Result<T, Error>,
    ) -> Result<T, String> {
        let mut machine = lock(&self.machine);
        let limits = self.explored.rule_limits(Some(TIME));
        machine.reasoner().set_limits(limits);
        // The page may say where its history starts.
        let start = Request {
            history: None,
            ..request.clone()
        };
        let start = start.state.is_some().then(|| start.place()).transpose();
        let rest = Request {
            state: None,
            ..request
        };
        let (start, rest) = (start.map_err(|error| error.message)?, rest.place());
        let rest = rest.map_err(|error| error.message)?;
        let mut own = own_machine(&machine, start.as_ref().unwrap_or(&rest));
        let machine = own.as_mut().unwrap_or(&mut machine);
        f(machine, start.as_ref(), &rest).map_err(|error| error.to_string())
    }

    fn position(&self, body: &[u8]) -> Result<PositionView, String> {
        let request = read(body).map_err(|(_, error)| error.message)?;
        self.on_machine(request, PositionView::at)
    }

    /// The rules that fired in the only step of a history from a state.
    fn fired(&self, body: &[u8]) -> Result<Vec<FiredRule>, String> {
        let request = read(body).map_err(|(_, error)| error.message)?;
        let limits = self.explored.rule_limits(Some(TIME));
        self.on_machine(request, |machine, start, rest| {
            // This refuses facts and moves that are none.
            PositionView::at(machine, start, rest)?;
            match (start, rest) {
                (Some(Position::State(facts)), Position::History(steps)) if steps.len() == 1 => {
                    let joint_move = self.explored.game.as_written(&steps[0]);
                    self.marked.fired(facts, &joint_move, limits)
                }
                _ => Ok(Vec::new()),
            }
        })
    }

    /// The role and the objective of a question.
    fn subject(&self, asker: &Asker<'_>, request: &Request) -> Result<(usize, Objective), String> {
        let objective = self.objectives.get(asker.objective).and_then(Aim::payoff);
        let objective = objective.ok_or("there is no such objective about the ends of plays")?;
        let named = |name: &String| {
            let mut roles = self.explored.game.roles().iter();
            let found = roles.position(|own| own.as_str() == name.as_str() && !own.is_random());
            found.ok_or_else(|| format!("there is no role {name} that can win"))
        };
        let role = request.role.as_ref();
        let role = role.map_or(Ok(self.explored.role), named)?;
        Ok((role, objective))
    }

    /// A position as the role knows it. The steps that count are those from the start of the history on.
    fn knowledge(&self, asker: &Asker<'_>, body: &[u8]) -> Result<KnowledgeView, String> {
        let request: Request = read(body).map_err(|(_, error)| error.message)?;
        let Explored { game, memory, .. } = &self.explored;
        let (role, objective) = self.subject(asker, &request)?;
        if !self.explored.is_hidden() {
            return Err("the rules hide nothing: all roles know the position".to_owned());
        }
        let time = request.time.map_or(Ok(TIME), Duration::try_from_secs_f64);
        let time = time.map_err(|error| error.to_string())?;
        let depth = request.depth;
        let followed = self.on_machine(request, |machine, start, rest| {
            let steps: &[Vec<Term>] = match rest {
                Position::History(steps) => steps,
                other => {
                    locate(machine, other)?;
                    &[]
                }
            };
            let mut here = match start {
                Some(start) => locate(machine, start)?,
                None => machine.initial()?,
            };
            let first = start.map(|_| machine.facts(&here));
            let mut history = History {
                steps: Vec::new(),
                payoff: None,
            };
            for joint_move in steps {
                let next = position_after(machine, here.clone(), slice::from_ref(joint_move))?;
                let seen = machine.percepts(&here, joint_move)?;
                history.steps.push((joint_move.clone(), seen));
                here = next;
            }
            if machine.terminal(&here)? {
                let worth = worth(&machine.goals(&here, role)?, objective);
                history.payoff = worth.map(|worth| Worth::from(&(worth.clone(), worth)));
            }
            Ok((first, history))
        });
        let (start, history) = followed?;
        let question = HiddenQuestion {
            start,
            ..HiddenQuestion::new(game.roles()[role].clone(), objective, depth)
        };
        let memory = memory.map(|memory| memory / PART_FOR_SOLUTIONS);
        let found = (self.solutions).knowledge(game, &question, history, time, memory);
        found.map_err(|error| match error.remedy() {
            Some(Remedy::Depth) => format!("{error}: say at the top how many steps count"),
            _ => error.to_string(),
        })
    }

    fn mixture(&self, asker: &Asker<'_>, body: &[u8]) -> Result<MixtureView, String> {
        let request: Request = read(body).map_err(|(_, error)| error.message)?;
        let Explored { game, memory, .. } = &self.explored;
        let (role, objective) = self.subject(asker, &request)?;
        let place = request.place().map_err(|error| error.message)?;
        let memory = memory.map(|memory| memory / PART_FOR_MIXTURES);
        let asked = (role, request.depth);
        let found = self.mixtures.of(game, objective, place, asked, memory);
        found.map_err(|error| error.to_string())
    }

    fn ask(&self, asker: &Asker<'_>, body: &[u8]) -> Outgoing {
        let request: Request = match read(body) {
            Ok(request) => request,
            Err((_, error)) => return wrong(&error.message),
        };
        let command = request.command.unwrap_or_default();
        if !matches!(
            command,
            Command::Evaluate | Command::Replies | Command::Stats
        ) {
            return wrong("the page may only evaluate, ask for replies, and for stats");
        }
        let shared = match self.objectives.evaluator(asker.objective) {
            Ok(shared) => shared,
            Err(error) => return wrong(&error.to_string()),
        };
        match shared.ask(asker.name, &request, PATIENCE) {
            Some(so_far) => json(
                200,
                &QuestionState {
                    done: so_far.is_done,
                    reply: so_far.reply,
                },
            ),
            None => Outgoing::text(503, "busy: too much is asked at once; try again\n"),
        }
    }
}

/// The state of a question: whether it is done, and the reply so far.
#[derive(Serialize)]
struct QuestionState {
    done: bool,
    reply: Option<Reply>,
}

/// The reply to a question that is stopped.
#[derive(Serialize)]
struct Stopped {}

/// The reply to a question that has no answer.
#[derive(Serialize)]
struct Refusal {
    error: String,
}

/// Why there is no answer; the text may quote what was asked, as far as a person can read that.
fn wrong(error: &str) -> Outgoing {
    let error: String = error.chars().take(MAX_ERROR).collect();
    json(200, &Refusal { error })
}

/// The answer to a question that may be refused.
fn to_response(answer: Result<impl Serialize, String>) -> Outgoing {
    match answer {
        Ok(answer) => json(200, &answer),
        Err(error) => wrong(&error),
    }
}

/// The client that asks, and the objective among those offered.
struct Asker<'a> {
    name: &'a str,
    objective: usize,
}

impl<'a> Asker<'a> {
    /// The asker in the query of an address.
    fn of(query: &'a str) -> Option<Self> {
        let named = query.strip_prefix("asker=")?;
        let (name, objective) = named.split_once("&objective=").unwrap_or((named, "0"));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        let is_name = !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_plain);
        let objective = objective.parse().ok()?;
        is_name.then_some(Asker { name, objective })
    }
}

fn json(status: u16, shape: &impl Serialize) -> Outgoing {
    let text = serde_json::to_vec(shape).expect("the shapes have text keys only");
    Outgoing::new(status, "application/json", text)
}

fn not_understood() -> Outgoing {
    Outgoing::text(405, "only GET and POST are understood\n")
}

/// The shapes of all boards that are proved.
type Shapes = Vec<BoardShape>;
