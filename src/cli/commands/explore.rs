//! `sqasp explore`: a page that shows a game, plays it and tells what moves are worth.

use super::evaluate::{player, with_team};
use super::guard::{Guard, room};
use super::load::{is_standard_input, read_game, warn};
use crate::cli::args::ExploreArguments;
use crate::cli::files::{self, tell};
use crate::cli::request::threads;
use crate::cli::watchdog::guarded;
use crate::cli::{Exit, Failure, malloc};
use engines::SearchOptions;
use engines::table::check_subject;
use explorer::{Explored, Explorer};
use http::{self, ServerLimits};
use limits::{Limits, StopReason};
use std::net::{IpAddr, Ipv4Addr};
use std::process::{Command, Stdio};

pub(super) fn explore(arguments: &ExploreArguments) -> Result<Exit, Failure> {
    let service = &arguments.service;
    let limits = Limits::with_memory(service.memory.memory);
    let read = || read_game(&service.game, &service.game.options(), &limits);
    let reading = guarded(&limits, read)?;
    if !service.quiet {
        warn(&reading);
    }
    let hidden = reading.game.check_open("`sqasp explore`");
    hidden.map_err(crate::Error::from)?;
    let game = with_team(&reading.game, service.role.as_deref())?;
    let mut options = SearchOptions::default();
    options.engine.threads = threads(&service.threads);
    let mut explored = Explored {
        role: player(&game, service.role.as_deref())?,
        reading,
        depth: arguments.depth,
        objective: service.objective,
        options,
        table: service.table.clone(),
        memory: limits.memory,
    };
    if let Some(folder) = &service.table {
        // Before the page is shown.
        check_subject(folder, &explored.reading.game, explored.objective)?;
    }
    malloc::give_back();
    let listener = http::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), arguments.port);
    let taken = |error| {
        let port = arguments.port;
        let message = format!("cannot listen at 127.0.0.1:{port}: {error}; choose another --port");
        Failure::new(Exit::Unwritable, message)
    };
    let listener = listener.map_err(taken)?;
    let port = listener.local_addr().map_err(taken)?.port();
    let (tables, allowed) = room(limits.memory);
    explored.memory = tables;
    let watch = move |stops| {
        let mut guard = Guard::new(stops, allowed);
        move |speak: &dyn Fn(StopReason)| guard.look(speak)
    };
    let explorer = Explorer::start(explored, port, watch)?;
    let address = explorer.address();
    files::print(|to| writeln!(to, "{address}"))?;
    if !service.quiet {
        let file = service.game.game.first();
        let rules = file
            .filter(|file| !is_standard_input(file))
            .map_or("the game".into(), |file| file.to_string_lossy());
        tell(&format!(
            "{rules} is at this address, for this machine only; Ctrl-C ends it"
        ));
    }
    if !arguments.no_browser && !open(&address) && !service.quiet {
        tell("no browser could be started: open the address yourself");
    }
    let error = http::run(&listener, &ServerLimits::within(allowed), explorer);
    Err(Failure::new(
        Exit::Internal,
        format!("the server ended: {error}"),
    ))
}

/// Asks the system to show an address.
fn open(address: &str) -> bool {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().is_ok()
}
