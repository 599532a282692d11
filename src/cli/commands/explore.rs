//! `sqasp explore`: a page that shows a game, plays it and tells what moves are worth.

use super::evaluate::{player, with_team};
use super::guard::{Guards, room};
use super::load::{is_standard_input, read_game, title, warn};
use crate::cli::args::{ExploreArguments, GameArguments};
use crate::cli::files::{self, tell};
use crate::cli::request::threads;
use crate::cli::watchdog::guarded;
use crate::cli::{Exit, Failure, malloc};
use engines::table::check_subject;
use engines::{Play, SearchOptions, check_aim};
use limits::{Limits, StopReason};
use servers::explorer::{Content, Explored, Explorer, GameFolder, ListedGame, Pages};
use servers::http::{self, ServerLimits};
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The endings of the files of games in a folder.
const ENDINGS: [&str; 2] = ["gdl", "kif"];

pub(super) fn explore(arguments: &ExploreArguments) -> Result<Exit, Failure> {
    let service = &arguments.service;
    let listener = http::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), arguments.port);
    let taken = |error| {
        let port = arguments.port;
        let message = format!("cannot listen at 127.0.0.1:{port}: {error}; choose another --port");
        Failure::new(Exit::Unwritable, message)
    };
    let listener = listener.map_err(taken)?;
    let port = listener.local_addr().map_err(taken)?.port();
    let limits = Limits::with_memory(service.memory.memory);
    let guards = Guards::default();
    let content = match &service.game.game[..] {
        [folder] if folder.is_dir() => {
            Content::Folder(folder_of(arguments, folder, &limits, guards)?)
        }
        _ => {
            let explored = explored(arguments, &service.game, &limits)?;
            Content::Game(Box::new(explorer(arguments, explored, &limits, &guards)?))
        }
    };
    let pages = Pages::new(content, port)?;
    let address = pages.address();
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
    let (_, allowed) = room(limits.memory);
    let error = http::run(&listener, &ServerLimits::within(allowed), pages);
    Err(Failure::new(
        Exit::Internal,
        format!("the server ended: {error}"),
    ))
}

/// One game, and how to explore it.
fn explored(
    arguments: &ExploreArguments,
    files: &GameArguments,
    limits: &Limits,
) -> Result<Explored, Failure> {
    let service = &arguments.service;
    let read = || read_game(files, &files.options(), limits);
    let reading = guarded(limits, read)?;
    let game = with_team(&reading.game, service.role.as_deref())?;
    let play = service.play(&game, false)?;
    check_aim(service.objective, play, service.table.is_some())?;
    let mut options = SearchOptions::default();
    options.engine.search.threads = threads(&service.threads);
    malloc::give_back();
    let (tables, _) = room(limits.memory);
    Ok(Explored {
        role: player(&game, service.role.as_deref())?,
        reading,
        game,
        depth: arguments.depth,
        objective: service.objective,
        is_selfish: play == Play::Selfish,
        options,
        table: service.table.clone(),
        memory: tables,
    })
}

/// The explorer of one game.
fn explorer(
    arguments: &ExploreArguments,
    explored: Explored,
    limits: &Limits,
    guards: &Guards,
) -> Result<Explorer, Failure> {
    let service = &arguments.service;
    if !service.quiet {
        warn(&explored.reading);
    }
    if let (Some(folder), Some(objective)) = (&service.table, explored.objective.payoff()) {
        // Before the page is shown.
        check_subject(folder, &explored.game, objective)?;
    }
    let (_, allowed) = room(limits.memory);
    let guards = guards.clone();
    let watch = move |stops| {
        let mut guard = guards.guard(stops, allowed);
        move |speak: &dyn Fn(StopReason)| guard.check(speak)
    };
    Ok(Explorer::start(explored, watch)?)
}

/// The games of a folder, by name.
fn folder_of(
    arguments: &ExploreArguments,
    folder: &Path,
    limits: &Limits,
    guards: Guards,
) -> Result<GameFolder, Failure> {
    let unreadable = |error: io::Error| {
        let message = format!("cannot read the folder {}: {error}", folder.display());
        Failure::new(Exit::Unreadable, message)
    };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if ending.is_some_and(|ending| ENDINGS.contains(&ending)) && path.is_file() {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        let message = format!("no file in {} ends in .gdl or .kif", folder.display());
        return Err(Failure::new(Exit::Usage, message));
    }
    paths.sort();
    let listed = |path: &PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = files::read(path, limits).unwrap_or_default();
        ListedGame::new(&name, &title(&text))
    };
    let games = paths.iter().map(listed).collect();
    let (for_reading, for_start) = (arguments.clone(), arguments.clone());
    let (reading_limits, limits) = (limits.clone(), limits.clone());
    let read = move |index: usize| {
        let files = GameArguments {
            game: vec![paths[index].clone()],
            ..for_reading.service.game.clone()
        };
        let found = explored(&for_reading, &files, &reading_limits);
        found.map_err(|failure| failure.message)
    };
    let start = move |explored| {
        let found = explorer(&for_start, explored, &limits, &guards);
        found.map_err(|failure| failure.message)
    };
    Ok(GameFolder::new(games, read, start))
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
