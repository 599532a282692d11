//! `sqasp evaluate`: positions valued on request, line by line.

use super::load::{is_standard_input, load_game};
use crate::cli::args::EvaluateArguments;
use crate::cli::files::tell;
use crate::cli::request::time;
use crate::cli::watch::ENDED_AT_PERCENT;
use crate::cli::{Exit, Failure, allocation};
use crate::engine::{Definition, Engine, Searching};
use crate::evaluate::{Defaults, Evaluator, Stops, serve};
use crate::game::Game;
use crate::search::{SearchError, SearchOptions};
use crate::{Budget, Error, memory};
use limits::StopReason;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::io::{self, BufReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long after a signal the process may still be there.
const GRACE: Duration = Duration::from_millis(500);

pub(super) fn evaluate(arguments: &EvaluateArguments) -> Result<Exit, Failure> {
    if arguments
        .game
        .game
        .iter()
        .any(|file| is_standard_input(file))
    {
        return Err(Failure::new(
            Exit::Usage,
            "the game must be a file: standard input is for requests",
        ));
    }
    let game = load_game(&arguments.game, arguments.quiet, &Budget::with_memory(None))?;
    let mut defaults = defaults(arguments, &game)?;
    let engine = engine(arguments, &game, defaults.role)?;
    // What the game itself takes is there already; the rest is for tables, and some of it for what is
    // not counted.
    let taken = memory::in_use().unwrap_or(0);
    let room = |all: u64| all.saturating_sub(taken).max(all / 4);
    let allowed = defaults.memory.map(memory::from_now_on);
    defaults.memory = defaults.memory.map(|all| room(all) / 4 * 3);
    let mut guard = Guard::new(defaults.stops.clone(), allowed);
    let objective = arguments.objective.to_string();
    let mut evaluator = Evaluator::new(game.name(), game.roles(), &objective, defaults, engine);
    let reader = BufReader::new(io::stdin());
    match serve(reader, io::stdout(), &mut evaluator, |speak| {
        guard.look(speak)
    }) {
        // Whoever asked may be gone.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            Exit::Unwritable,
            format!("the conversation broke off: {error}"),
        )),
        _ => Ok(Exit::Answered),
    }
}

/// Expected minimax on the circuit of one step; where there is no circuit, by the rules.
fn engine(
    arguments: &EvaluateArguments,
    game: &Game,
    role: usize,
) -> Result<Box<dyn Engine>, Failure> {
    let mut options = SearchOptions::default();
    options.engine.threads = arguments.threads.map_or(0, usize::from);
    let searching = Searching::new(game, arguments.objective, options).and_then(|mut engine| {
        engine.prepare(role)?;
        Ok(engine)
    });
    match searching {
        Ok(engine) => Ok(Box::new(engine)),
        Err(SearchError::Step(error)) => {
            if !arguments.quiet {
                tell(&format!(
                    "warning: {error}; positions are valued by the rules alone, which is slow"
                ));
            }
            match Definition::new(game, arguments.objective) {
                Ok(engine) => Ok(Box::new(engine)),
                Err(error) => Err(Failure::new(Exit::InvalidInput, error)),
            }
        }
        Err(error) => Err(Error::from(error).into()),
    }
}

/// What was typed, as what requests may leave out.
fn defaults(arguments: &EvaluateArguments, game: &Game) -> Result<Defaults, Failure> {
    let usage = |message: String| Failure::new(Exit::Usage, message);
    let role = match &arguments.role {
        Some(role) => role.to_lowercase(),
        None => match game.players().next() {
            Some(role) => role.to_string(),
            None => {
                let message = "this game has no role but `random`: nobody to win it";
                return Err(Failure::new(Exit::InvalidInput, message));
            }
        },
    };
    let players: Vec<&str> = game.players().map(|player| player.as_str()).collect();
    let place = game.roles().iter().position(|name| name.as_str() == role);
    let Some(place) = place.filter(|_| players.contains(&role.as_str())) else {
        let players = players.join(", ");
        return Err(usage(format!(
            "`{role}` is not a role of this game that can win; use one of {players}"
        )));
    };
    let limits = arguments.memory.or_else(memory::default_limit);
    Ok(Defaults {
        role: place,
        depth: arguments.depth,
        time: time(arguments.time)?,
        memory: limits.into_iter().chain(memory::address_space()).min(),
        stops: Stops::default(),
    })
}

/// What is watched from outside while requests are answered: Ctrl-C and polite requests to end, and the
/// memory of the process.
struct Guard {
    stops: Stops,
    allowed: Option<u64>,
    signalled: Arc<AtomicBool>,
    signalled_since: Option<Instant>,
    is_watching: bool,
}

impl Guard {
    fn new(stops: Stops, allowed: Option<u64>) -> Self {
        let signalled = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // Where this fails the signal ends the process as it always did.
            let _ = signal_hook::flag::register(signal, Arc::clone(&signalled));
        }
        Guard {
            stops,
            allowed,
            signalled,
            signalled_since: None,
            is_watching: false,
        }
    }

    /// Looks at everything once. A request that is to stop gets its reply before the process ends.
    fn look(&mut self, speak: &dyn Fn(StopReason)) {
        if !self.is_watching {
            allocation::watch_from_here();
            self.is_watching = true;
        }
        if allocation::has_failed() {
            speak(StopReason::Memory);
            end(Exit::Limit, "sqasp: the system has no more memory");
        }
        if self.signalled.load(Ordering::Relaxed) {
            let since = *self.signalled_since.get_or_insert_with(Instant::now);
            self.stops.end();
            if self.stops.is_idle() {
                // At once: the main thread waits for a line that may never come.
                signal_hook::low_level::exit(Exit::Interrupted as i32);
            }
            if since.elapsed() > GRACE {
                speak(StopReason::Interrupted);
                let message = "sqasp: interrupted, and the search did not stop by itself";
                end(Exit::Interrupted, message);
            }
        }
        if self.stops.is_idle() {
            return;
        }
        if memory::exceeds(self.allowed, ENDED_AT_PERCENT) {
            speak(StopReason::Memory);
            let message = "sqasp: a request took far more memory than --memory allows";
            end(Exit::Limit, message);
        }
        if memory::exceeds(self.allowed, 0) {
            self.stops.short_of_memory();
        }
    }
}

/// Ends the process while another thread is at work: the usual way out would destroy what it uses.
fn end(exit: Exit, message: &str) -> ! {
    tell(message);
    signal_hook::low_level::exit(exit as i32)
}
