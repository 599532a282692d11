//! The explorer: a page in a browser that shows a game, plays it, and tells the value of every move and why.
//!
//! [`Explorer::answer`] turns requests of the page into responses, and is all that the outside world can reach:
//!
//! - `access`: access control. The address of the page has a random token, and requests for other hosts or from the
//!   pages of others are refused, so that no other page in the same browser can ask anything.
//! - `board`: facts about a position that need no search, for drawing.
//! - `page`: the files of the page. They are part of the program; nothing comes from elsewhere.
//!
//! Values come from an evaluator that all tabs share ([`Shared`]); the questions are those of its protocol.
//!
//! Invariants. No request makes the process panic or use much memory. Following moves does not wait for a
//! search: it has a state machine of its own.

mod access;
mod board;
mod page;

use access::AccessControl;
use board::{BoardShape, Boards, PositionView};
use engines::SearchOptions;
use engines::{Error, ErrorKind};
use engines::{for_positions, own_machine, rule_limits};
use evaluator::{Command, Defaults, Evaluator, Request, Shared, Stops, read};
use gdl::game::{Game, Objective};
use http::{Incoming, Outgoing, Service};
use limits::memory;
use limits::{Limits, StopReason, lock};
use rules::RuleLimits;
use serde::Serialize;
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;
use step::{StateMachine, StepLimits};

/// How long a response may wait for something new to tell.
const PATIENCE: Duration = Duration::from_millis(900);

/// How long it may take to follow the moves to a position, and which part of the memory that may use.
const TIME: Duration = Duration::from_secs(5);
const PART_FOR_RULES: u64 = 32;

/// The longest text of an error.
const MAX_ERROR: usize = 2_000;

/// The longest name of an asker.
const MAX_NAME: usize = 64;

/// The game to explore, and the way to search it.
#[derive(Clone)]
pub struct Explored {
    /// The game.
    pub game: Game,
    /// Its rules as they were written, with their comments.
    pub rules: String,
    /// The role that values are about at first, by its index.
    pub role: usize,
    /// How many steps count from the start on; all without a number.
    pub depth: Option<u32>,
    /// The meaning of success.
    pub objective: Objective,
    /// How to search.
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
    roles: Vec<String>,
    role: String,
    depth: Option<u32>,
    objective: String,
    rules: &'a str,
}

impl Explored {
    fn introduction(&self) -> Introduction<'_> {
        Introduction {
            program: format!("sqasp {}", env!("CARGO_PKG_VERSION")),
            game: self.game.name(),
            roles: self.game.roles().iter().map(ToString::to_string).collect(),
            role: self.game.roles()[self.role].to_string(),
            depth: self.depth,
            objective: self.objective.to_string(),
            rules: &self.rules,
        }
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

    /// Limits of following the rules.
    fn rule_limits(&self, time: Option<Duration>) -> RuleLimits {
        rule_limits(&Limits {
            memory: self.memory.map(|memory| memory / PART_FOR_RULES),
            ..Limits::default().within(time)
        })
    }
}

/// Answers the page.
pub struct Explorer {
    explored: Explored,
    access: AccessControl,
    machine: Mutex<StateMachine>,
    boards: Boards,
    shared: Shared,
}

impl Explorer {
    /// An explorer for the browsers that come to this port. `watch` is called about a hundred times a second while questions are
    /// answered.
    ///
    /// # Errors
    /// When the rules cannot be evaluated, or the system has no threads or no random numbers.
    pub fn start(
        explored: Explored,
        port: u16,
        stops: Stops,
        mut watch: impl FnMut(&dyn Fn(StopReason)) + Send + 'static,
    ) -> Result<Self, Error> {
        let missing = |error: io::Error| {
            Error::new(
                ErrorKind::Internal,
                format!("the explorer cannot start: {error}"),
            )
        };
        let machine = explored.machine(&Limits::default())?;
        let (asked, following) = (explored.clone(), machine.clone());
        let defaults = Defaults {
            role: explored.role,
            depth: None,
            time: None,
            memory: explored.memory,
            stops: stops.clone(),
        };
        let make = move || {
            let Explored {
                game,
                role,
                objective,
                options,
                table,
                ..
            } = asked;
            let (engine, _) = for_positions(&game, objective, role, options, table.as_deref())?;
            let objective = objective.to_string();
            let evaluator = Evaluator::new(game.name(), game.roles(), &objective, defaults, engine);
            Ok(evaluator.following(following))
        };
        // Proofs about boards count no memory. Without them facts are listed.
        let proving = Limits::default();
        let (end, most) = (
            proving.interrupt.clone(),
            explored.memory.map(|all| all / 3 * 4),
        );
        let watch = move |speak: &dyn Fn(StopReason)| {
            if !end.is_raised() && memory::exceeds(most, 0) {
                end.raise_for(StopReason::Memory);
            }
            watch(speak);
        };
        let shared = Shared::start(stops, make, watch).map_err(missing)?;
        // The page will want this first, and a browser takes a while to open it.
        let first = Request {
            depth: explored.depth,
            ..Request::default()
        };
        let _ = shared.ask("first", &first, Duration::ZERO);
        Ok(Explorer {
            access: AccessControl::new(port).map_err(missing)?,
            machine: Mutex::new(machine),
            boards: Boards::find(&explored.game, proving).map_err(missing)?,
            shared,
            explored,
        })
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        self.access.address()
    }

    fn post(&self, path: &str, query: &str, incoming: &Incoming) -> Outgoing {
        let kind = incoming.header("content-type");
        if !matches!(kind, Ok(Some(kind)) if kind.starts_with("application/json")) {
            return Outgoing::text(415, "send JSON, with the type application/json\n");
        }
        match path {
            "game" => json(200, &self.explored.introduction()),
            "boards" => json(200, &self.boards.shapes()),
            "position" => match self.position(&incoming.body) {
                Ok(here) => json(200, &here),
                Err(error) => wrong(&error),
            },
            "ask" | "stop" => match name(query) {
                Some(asker) if path == "ask" => self.ask(asker, &incoming.body),
                Some(asker) => {
                    self.shared.stop(asker);
                    json(200, &serde_json::json!({}))
                }
                None => Outgoing::text(
                    400,
                    "say who asks: ?asker=NAME, of letters, digits, `-` and `.`\n",
                ),
            },
            _ => Outgoing::text(404, "there is no such question\n"),
        }
    }

    fn position(&self, body: &[u8]) -> Result<PositionView, String> {
        let mut machine = lock(&self.machine);
        let request = read(body).map_err(|(_, error)| error.message)?;
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
        PositionView::at(machine, start.as_ref(), &rest).map_err(|error| error.to_string())
    }

    fn ask(&self, asker: &str, body: &[u8]) -> Outgoing {
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
        match self.shared.ask(asker, &request, PATIENCE) {
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

impl Service for Explorer {
    fn refusal(&self, head: &Incoming) -> Option<Outgoing> {
        Some(denied(self.access.open(head).err()?))
    }

    fn answer(&self, incoming: &Incoming) -> Outgoing {
        let path = match self.access.open(incoming) {
            Ok(path) => path,
            Err(reason) => return denied(reason),
        };
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let outgoing = match incoming.method.as_str() {
            "GET" | "HEAD" => match page::served(path) {
                Some((kind, text)) => Outgoing::new(200, kind, text),
                None => Outgoing::text(404, "there is no such page\n"),
            },
            "POST" => self.post(path, query, incoming),
            _ => Outgoing::text(405, "only GET and POST are understood\n"),
        };
        secured(outgoing)
    }
}

/// The state of a question: whether it is done, and the reply so far.
#[derive(Serialize)]
struct QuestionState {
    done: bool,
    reply: Option<evaluator::Reply>,
}

/// Why there is no answer; the text may quote what was asked, as far as a person can read that.
fn wrong(error: &str) -> Outgoing {
    let error: String = error.chars().take(MAX_ERROR).collect();
    json(200, &serde_json::json!({ "error": error }))
}

/// The name of an asker in the query of an address.
fn name(query: &str) -> Option<&str> {
    let name = query.strip_prefix("asker=")?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    (!name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_plain)).then_some(name)
}

fn json(status: u16, shape: &impl Serialize) -> Outgoing {
    let text = serde_json::to_vec(shape).expect("the shapes have text keys only");
    Outgoing::new(status, "application/json", text)
}

fn denied((status, text): (u16, &str)) -> Outgoing {
    secured(Outgoing::text(status, &format!("{text}\n")))
}

/// The response with headers that keep browsers from doing anything else with it.
fn secured(mut outgoing: Outgoing) -> Outgoing {
    let headers = [
        ("Content-Security-Policy", page::POLICY),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ];
    outgoing
        .headers
        .extend(headers.map(|(name, value)| (name, value.to_owned())));
    outgoing
}

/// The shapes of all boards that are proved.
type Shapes = Vec<BoardShape>;
