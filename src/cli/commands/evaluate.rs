//! `sqasp evaluate`: positions valued on request, line by line.

use super::choose::search_failure;
use super::load::load_game;
use crate::cli::args::EvaluateArguments;
use crate::cli::files::tell;
use crate::cli::request::Budget;
use crate::cli::{Exit, Failure, memory};
use crate::evaluate::{Defaults, Definition, Engine, Evaluator, Searching, Stops, serve};
use crate::game::Game;
use crate::search::{SearchError, SearchOptions};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::io::{self, BufReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long a search may take to notice that it should stop.
const GRACE: Duration = Duration::from_millis(1500);

/// How often the thread that waits for signals looks.
const PERIOD: Duration = Duration::from_millis(10);

pub(super) fn evaluate(arguments: &EvaluateArguments) -> Result<Exit, Failure> {
    if arguments.game.game.as_os_str() == "-" {
        return Err(Failure::new(
            Exit::Usage,
            "the game must be a file: standard input is for requests",
        ));
    }
    let game = load_game(&arguments.game, arguments.quiet, &Budget::of_the_machine())?;
    let defaults = defaults(arguments, &game)?;
    let stops = defaults.stops.clone();
    let engine = engine(arguments, &game, defaults.role)?;
    let objective = arguments.objective.to_string();
    let mut evaluator = Evaluator::new(game.name(), game.roles(), &objective, defaults, engine);
    end_on_signals(stops);
    match serve(
        BufReader::new(io::stdin()),
        io::stdout().lock(),
        &mut evaluator,
    ) {
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
        Err(error) => Err(search_failure(&error)),
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
    let time = match arguments.time {
        None => None,
        Some(seconds) if seconds >= 0.0 => Duration::try_from_secs_f64(seconds).ok(),
        Some(seconds) => {
            return Err(usage(format!(
                "--time {seconds} is no number of seconds; use 0 or more"
            )));
        }
    };
    let limits = arguments.memory.or_else(memory::default_limit);
    Ok(Defaults {
        role: place,
        depth: arguments.depth,
        time,
        memory: limits.into_iter().chain(memory::address_space()).min(),
        stops: Stops::default(),
    })
}

/// Ctrl-C and polite requests to end: a search that is going on stops with bounds, which are still
/// told, and the process ends.
fn end_on_signals(stops: Stops) {
    let signalled = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Where this fails the signal ends the process as it always did.
        let _ = signal_hook::flag::register(signal, Arc::clone(&signalled));
    }
    thread::spawn(move || {
        while !signalled.load(Ordering::Relaxed) {
            thread::sleep(PERIOD);
        }
        stops.end();
        let since = Instant::now();
        while !stops.is_idle() {
            if since.elapsed() > GRACE {
                tell("sqasp: interrupted, and the search did not stop by itself: it was cut off");
                break;
            }
            thread::sleep(PERIOD);
        }
        // At once: the main thread waits for a line that may never come.
        signal_hook::low_level::exit(Exit::Interrupted as i32)
    });
}
