//! `sqasp referee`: a match between players of the general game playing protocol.

use super::load::{read_game, warn};
use super::simulate::Entries;
use crate::cli::args::{GameArguments, RefereeArguments};
use crate::cli::files::{self, tell};
use crate::cli::run::print_result;
use crate::cli::start::rules_failure;
use crate::cli::trace::{EndLine, GameLine, StateLine};
use crate::cli::{Exit, Failure};
use crate::report::json;
use engines::answer::counted;
use gdl::{Name, format as gdl_text, texts};
use limits::Limits;
use rules::{ReasonerError, RuleLimits};
use serde::Serialize;
use servers::player::{Fault, MatchSettings, referee as play_match};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use step::{StateMachine, StepLimits};

pub(super) fn referee(arguments: &RefereeArguments) -> Result<Exit, Failure> {
    let limits = Limits::with_memory(None);
    let (seats, files): (Vec<&String>, Vec<&String>) =
        arguments.seats.iter().partition(|&seat| is_player(seat));
    let mut game = GameArguments::of_file(&arguments.game);
    for file in files {
        if !Path::new(file).exists() {
            let message = format!(
                "`{file}` is no file of the game, and no player: write HOST:PORT, such as 127.0.0.1:9147, or `random`"
            );
            return Err(Failure::new(Exit::Usage, message));
        }
        game.game.push(file.into());
    }
    if let Some(log) = &arguments.output {
        files::check_writable(log, game.game.iter().map(PathBuf::as_path))?;
    }
    let reading = read_game(&game, &game.options(), &limits)?;
    if !arguments.report.quiet {
        warn(&reading);
    }
    let roles = reading.game.roles().to_vec();
    let players: Vec<&Name> = reading.game.players().collect();
    if players.len() != seats.len() {
        let names: Vec<&str> = players.iter().map(|name| name.as_str()).collect();
        let message = format!(
            "{} players for {} roles: give one for each of {}",
            seats.len(),
            players.len(),
            names.join(", ")
        );
        return Err(Failure::new(Exit::Usage, message));
    }
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_millis());
    let settings = MatchSettings {
        id: format!("sqasp.{}.{seconds}", reading.game.name()),
        rules: one_line(&gdl_text(&reading.description)),
        players: seats
            .into_iter()
            .map(|seat| (*seat != "random").then(|| seat.clone()))
            .collect(),
        start_clock: arguments.clock[0],
        play_clock: arguments.clock[1],
        max_steps: arguments.depth,
    };
    let seed = arguments.seed.number;
    let mut random = fastrand::Rng::with_seed(seed);
    let machine = StateMachine::new(&reading.game, &StepLimits::modest(), RuleLimits::default());
    let mut machine = machine.map_err(rules_failure)?;
    let mut lines = Vec::new();
    lines.push(json(&GameLine::new(&reading.game, &reading.description)));
    let played = play_match::<ReasonerError>(
        &reading.game,
        &mut machine,
        &settings,
        &mut random,
        |machine, step| {
            let state = StateLine::new(
                machine,
                0,
                step.number.into(),
                step.position,
                step.joint_move,
            )?;
            if let Some(joint_move) = step.joint_move.filter(|_| !arguments.report.quiet) {
                let moves = texts(joint_move).join(" ");
                tell(&format!("step {}: ({moves})", step.number + 1));
            }
            lines.push(json(&state));
            Ok(())
        },
    );
    let played = played.map_err(rules_failure)?;
    lines.push(json(&EndLine::new(played.steps, played.end)));
    if let Some(path) = &arguments.output {
        files::write(Some(path), &limits, |to| {
            lines.iter().try_for_each(|line| writeln!(to, "{line}"))
        })?;
    }
    let goals = roles.iter().zip(&played.goals);
    let goals = goals.filter(|(role, _)| !role.is_random());
    let result = MatchResult {
        goals: Entries(goals.map(|(role, goals)| (role, texts(goals))).collect()),
        steps: played.steps,
        slowest: played.slowest.iter().copied().fold(0.0, f64::max),
        faults: &played.faults,
        seed,
    };
    print_result(&result, arguments.report.form.is_json())?;
    Ok(if played.faults.is_empty() {
        Exit::Answered
    } else {
        Exit::ProgramMissing
    })
}

/// The result of a match.
#[derive(Serialize)]
struct MatchResult<'a> {
    goals: Entries<&'a Name, Vec<String>>,
    steps: u32,
    /// The time of the slowest answer, in seconds.
    slowest: f64,
    faults: &'a [Fault],
    seed: u64,
}

impl fmt::Display for MatchResult<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (role, goals) in &self.goals.0 {
            writeln!(to, "{role} {}", goals.join(" "))?;
        }
        writeln!(
            to,
            "{}, slowest answer {:.2} s, {} (--seed {})",
            counted(self.steps as usize, "step"),
            self.slowest,
            counted(self.faults.len(), "fault"),
            self.seed
        )?;
        for Fault {
            role,
            step,
            problem,
        } in self.faults
        {
            writeln!(to, "fault of {role} in step {step}: {problem}")?;
        }
        Ok(())
    }
}

/// Whether this is `random` or an address.
fn is_player(seat: &str) -> bool {
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    let address = seat.rsplit_once(':');
    seat == "random" || address.is_some_and(|(host, port)| !host.is_empty() && is_port(port))
}

/// Rules on one line, without their comments.
fn one_line(text: &str) -> String {
    let code = text.lines().filter_map(|line| line.split(';').next());
    let words = code.flat_map(str::split_whitespace);
    words.collect::<Vec<&str>>().join(" ")
}
