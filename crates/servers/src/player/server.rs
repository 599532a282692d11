//! Messages in, answers out, one match at a time.

use super::message::Message;
use super::play::{Blackboard, Match, due};
use crate::http::{Incoming, Outgoing, Service};
use fastrand::Rng;
use gdl::Name;
use gdl::game::Game;
use limits::{Limits, OwnThread, lock};
use std::mem;
use std::net::{IpAddr, SocketAddr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// Receives a line of text for each event.
type Log = Box<dyn Fn(&str) + Send + Sync>;

/// How often a request that waits checks whether the work for the match before is over.
const PERIOD: Duration = Duration::from_millis(5);

/// Stack of the thread that reads rules.
const STACK_BYTES: usize = 8 << 20;

pub struct Player {
    name: String,
    memory: Option<u64>,
    allowed: Vec<String>,
    log: Log,
    random: Mutex<Rng>,
    state: Mutex<MatchState>,
}

#[derive(Default)]
struct MatchState {
    current: Current,
    /// The board of the latest match, as long as work for it goes on, even where the match is over.
    latest: Weak<Blackboard>,
}

#[derive(Default)]
enum Current {
    #[default]
    Free,
    /// A match is being prepared.
    Preparing(Arc<Blackboard>),
    Playing(Arc<Match>),
}

impl Current {
    /// The board of the match.
    fn board(&self) -> Option<&Arc<Blackboard>> {
        match self {
            Current::Free => None,
            Current::Preparing(board) => Some(board),
            Current::Playing(played) => Some(&played.board),
        }
    }
}

impl Player {
    /// A player with this name, which is one word. The process may use this memory, in bytes.
    pub fn new(
        name: &str,
        memory: Option<u64>,
        log: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        Player {
            name: name.to_owned(),
            memory,
            allowed: Vec::new(),
            log: Box::new(log),
            random: Mutex::new(Rng::new()),
            state: Mutex::default(),
        }
    }

    /// The same player, whose random choices follow from this seed.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        *lock(&self.random) = Rng::with_seed(seed);
        self
    }

    /// The same player, which also answers requests to these names of its host, and those of pages with these origins.
    #[must_use]
    pub fn allowing(mut self, names: Vec<String>) -> Self {
        self.allowed = names;
        self
    }

    /// Whether this is the name of the machine, or an address: pages of others have a name that is neither.
    fn is_own(&self, host: &str) -> bool {
        let is_address = host.parse::<SocketAddr>().is_ok()
            || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
        let name = host.split(':').next().unwrap_or("");
        is_address || name.eq_ignore_ascii_case("localhost") || self.is_allowed(name)
    }

    fn is_allowed(&self, name: &str) -> bool {
        let mut allowed = self.allowed.iter();
        allowed.any(|other| other.eq_ignore_ascii_case(name))
    }

    /// Why a request is not answered, if it is not. Managers of matches are no browsers.
    fn problem(&self, head: &Incoming) -> Result<Option<String>, String> {
        let host = head.header("host")?;
        if let Some(host) = host.filter(|host| !self.is_own(host)) {
            return Ok(Some(format!(
                "the request is for the host {host}; `sqasp player --allow NAME` answers for a name"
            )));
        }
        let origin = head.header("origin")?;
        let is_refused = match origin {
            Some(origin) => !self.is_allowed(origin),
            None => head.is_foreign()?,
        };
        Ok(is_refused.then(|| {
            "a page in a browser sends this; `sqasp player --allow ORIGIN` answers its pages"
                .to_owned()
        }))
    }

    /// The reply to a message that was heard at this moment.
    pub fn reply(&self, text: &str, heard: Instant) -> String {
        let message = match Message::read(text) {
            Ok(message) => message,
            Err(problem) => {
                (self.log)(&format!("a message makes no sense: {problem}"));
                return "nil".to_owned();
            }
        };
        match message {
            Message::Info => {
                let status = match self.state().current {
                    Current::Free => "available",
                    _ => "busy",
                };
                format!(
                    "( ( name {} ) ( status {status} ) ( species computer ) )",
                    self.name
                )
            }
            Message::Preview => match self.state().current {
                Current::Free => "ready".to_owned(),
                _ => "busy".to_owned(),
            },
            Message::Start {
                id,
                role,
                rules,
                start_clock,
                play_clock,
            } => self.start(id, &role, &rules, (start_clock, play_clock), heard),
            Message::Play { id, step } => match self.playing(&id) {
                None => "busy".to_owned(),
                Some(played) => match played.play(step, heard) {
                    Ok(action) => action.to_string(),
                    Err(problem) => {
                        (self.log)(&format!("{id}: no move: {problem}"));
                        "nil".to_owned()
                    }
                },
            },
            Message::Stop { id } => self.end(&id, "done"),
            Message::Abort { id } => self.end(&id, "aborted"),
        }
    }

    fn state(&self) -> MutexGuard<'_, MatchState> {
        lock(&self.state)
    }

    /// The match with this name, if it is being played.
    fn playing(&self, id: &str) -> Option<Arc<Match>> {
        match &self.state().current {
            Current::Playing(played) if played.board.id == id => Some(Arc::clone(played)),
            _ => None,
        }
    }

    fn start(
        &self,
        id: String,
        role: &str,
        rules: &str,
        clocks: (Duration, Duration),
        heard: Instant,
    ) -> String {
        let board = Arc::new(Blackboard::new(id));
        let before = {
            let mut state = self.state();
            match &state.current {
                Current::Free => {}
                Current::Playing(old) if old.is_forgotten() => old.board.end(),
                _ => return "busy".to_owned(),
            }
            state.current = Current::Preparing(Arc::clone(&board));
            mem::replace(&mut state.latest, Arc::downgrade(&board))
        };
        let clocks = (due(heard, clocks.0), clocks.1);
        let prepare = || self.prepare(&board, role, rules, clocks, &before);
        // Else the player would be busy with a match that is none.
        let made = catch_unwind(AssertUnwindSafe(prepare))
            .unwrap_or_else(|_| Err("this is a mistake in sqasp; please report it".to_owned()));
        let mut state = self.state();
        // It may have been aborted meanwhile.
        let current = state.current.board();
        let is_wanted = current.is_some_and(|current| Arc::ptr_eq(current, &board));
        let (current, reply, line) = match made {
            Ok(made) => {
                let way = made.way().map_or(String::new(), |way| format!(" {way}"));
                let current = Current::Playing(Arc::new(made));
                (current, "ready", format!("plays {role}{way}"))
            }
            Err(problem) => (Current::Free, "busy", format!("refused: {problem}")),
        };
        if !is_wanted {
            return "busy".to_owned();
        }
        state.current = current;
        drop(state);
        (self.log)(&format!("{}: {line}", board.id));
        reply.to_owned()
    }

    /// Prepares for a match, once the work for the one before is over.
    fn prepare(
        &self,
        board: &Arc<Blackboard>,
        role: &str,
        rules: &str,
        clocks: (Instant, Duration),
        before: &Weak<Blackboard>,
    ) -> Result<Match, String> {
        let limits = board.limits(Some(clocks.0));
        while before.strong_count() > 0 {
            let waited = limits.check();
            waited.map_err(|_| "the work for the match before is not over yet".to_owned())?;
            thread::sleep(PERIOD);
        }
        let (game, index) = read(board, rules, role, &limits)?;
        for warning in game.warnings().lines() {
            (self.log)(&format!("{}: {warning}", board.id));
        }
        let random = lock(&self.random).fork();
        let started = Match::start(Arc::clone(board), &game, index, clocks, self.memory, random);
        started.map_err(|error| error.to_string())
    }

    fn end(&self, id: &str, word: &str) -> String {
        let mut state = self.state();
        match state.current.board().filter(|board| board.id == id) {
            Some(board) => board.end(),
            None => return "busy".to_owned(),
        }
        let ended = mem::take(&mut state.current);
        drop((state, ended));
        (self.log)(&format!("{id}: {word}"));
        word.to_owned()
    }
}

impl Service for Player {
    fn refusal(&self, head: &Incoming) -> Option<Outgoing> {
        let (status, text) = match self.problem(head) {
            Ok(problem) => (403, problem?),
            Err(problem) => (400, problem),
        };
        (self.log)(&format!("a request is refused: {text}"));
        Some(Outgoing::text(status, &format!("{text}\n")))
    }

    fn answer(&self, incoming: &Incoming) -> Outgoing {
        let heard = Instant::now();
        let text = match incoming.method.as_str() {
            "OPTIONS" => String::new(),
            // Not GET: a page in a browser can send that, and nothing in it shows that a page did.
            "POST" => self.reply(&String::from_utf8_lossy(&incoming.body), heard),
            _ => return Outgoing::text(405, "send a message of the GGP protocol by POST\n"),
        };
        let mut outgoing = Outgoing::new(200, "text/acl", text);
        if let Ok(Some(origin)) = incoming.header("origin") {
            let headers = [
                ("Access-Control-Allow-Origin", origin),
                ("Access-Control-Allow-Methods", "POST, OPTIONS"),
                ("Access-Control-Allow-Headers", "Content-Type"),
                ("Vary", "Origin"),
            ];
            let headers = headers.map(|(name, value)| (name, value.to_owned()));
            outgoing.headers.extend(headers);
        }
        outgoing
    }
}

/// The game with these rules, and the index of a role that may play it. Reading goes on after a limit, and holds the board until it ends.
fn read(
    board: &Arc<Blackboard>,
    rules: &str,
    role: &str,
    limits: &Limits,
) -> Result<(Game, usize), String> {
    let (rules, board) = (rules.to_owned(), Arc::clone(board));
    let thread = OwnThread::start(STACK_BYTES, || ());
    let mut thread = thread.map_err(|error| format!("no thread can read the rules: {error}"))?;
    let work = move |(): &mut ()| {
        let read = engines::read("match", rules.as_bytes()).map_err(|refused| refused.to_string());
        drop(board);
        read
    };
    let read = thread.call(|| limits.reached(), work);
    let game = read.map_err(|reason| format!("{reason} before the rules were read"))??;
    let index = game.role(&Name::new(role));
    let index = index.map_err(|error| error.to_string())?;
    Ok((game, index))
}
