//! `sqasp simulate`: random play from any state, recorded play followed, many plays counted.

use super::load::{read_game, warn};
use crate::cli::args::{MachineName, SimulateArguments};
use crate::cli::request::time;
use crate::cli::start::{Start, rules_failure};
use crate::cli::trace::{EndLine, GameLine, StateLine, state_text};
use crate::cli::{Exit, Failure, files};
use engines::PlayEnd;
use engines::answer::counted;
use gdl::game::{Game, Reading};
use limits::Limits;
use prove::Prover;
use rules::{PlaySettings, Reasoner, ReasonerError, RuleLimits};
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};
use step::{
    PlayoutSettings, Playouts, Position, ReplayError, StateMachine, StepLimits, replay_with,
};

pub(super) fn simulate(arguments: &SimulateArguments) -> Result<Exit, Failure> {
    let limits = Limits::with_memory(None).within(time(arguments.time)?);
    let reading = read_game(&arguments.game, &arguments.game.options(), &limits)?;
    if !arguments.report.quiet {
        warn(&reading);
    }
    let start = Start::read(&arguments.start, reading.game.roles(), &limits)?;
    let begin = Instant::now();
    let mut machine = machine(&reading.game, arguments, &limits)?;
    let preparing = begin.elapsed().as_secs_f64();
    if let Some(trace) = &arguments.replay {
        return replay(&mut machine, trace, &limits);
    }
    let position = start.position(&mut machine)?;
    if !arguments.report.quiet {
        start.warn(&reading.game);
        warn_of_slips(&reading.game, &limits);
    }
    match arguments.plays {
        Some(playouts) => count(
            &mut machine,
            &position,
            playouts,
            preparing,
            arguments,
            &limits,
        ),
        None => play_once(&mut machine, &position, &reading, arguments, &limits),
    }
}

/// The longest time to play in search of slips.
const SLIPS_TIME: Duration = Duration::from_millis(500);

/// Warns of slips of the author that a few plays show. A game too hard to play this way passes.
fn warn_of_slips(game: &Game, limits: &Limits) {
    let settings = PlaySettings {
        playouts: 10,
        time: Some(limits.share(SLIPS_TIME)),
        ..PlaySettings::default()
    };
    let reasoner = Reasoner::with_limits(game, RuleLimits::within(limits));
    let played = reasoner.and_then(|mut reasoner| rules::simulate(game, &mut reasoner, &settings));
    let findings = played.into_iter().flat_map(|played| played.findings);
    findings
        .filter(|finding| finding.defect.is_slip())
        .for_each(|finding| files::tell(&format!("warning: {finding}")));
}

/// The state machine that was asked for.
fn machine(
    game: &Game,
    arguments: &SimulateArguments,
    end: &Limits,
) -> Result<StateMachine, Failure> {
    let limits = RuleLimits::within(end);
    let step = match (arguments.engine, arguments.plays) {
        (MachineName::Rules, _) => {
            let reasoner = Reasoner::with_limits(game, limits).map_err(rules_failure)?;
            return Ok(StateMachine::by_rules(reasoner));
        }
        (MachineName::Auto, None) => StepLimits::modest(),
        (MachineName::Circuit, _) => StepLimits::patient(),
        _ => StepLimits::default(),
    };
    let step = StepLimits {
        overall: end.clone(),
        ..step
    };
    let machine = StateMachine::new(game, &step, limits);
    let machine = machine.map_err(rules_failure)?;
    match machine.circuit() {
        Err(error) if arguments.engine == MachineName::Circuit => Err(Failure::new(
            Exit::Limit,
            format!("{error}; --engine rules plays this game"),
        )),
        _ => Ok(machine),
    }
}

/// Why printing lines ended early.
enum Problem {
    Output(io::Error),
    Other(Failure),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Problem::Output(error)
    }
}

impl From<ReasonerError> for Problem {
    fn from(error: ReasonerError) -> Self {
        Problem::Other(rules_failure(error))
    }
}

/// Prints lines as they come.
fn print(lines: impl FnOnce(&mut dyn Write) -> Result<Exit, Problem>) -> Result<Exit, Failure> {
    let mut outcome = Ok(Exit::Answered);
    files::print(|to| {
        match lines(to) {
            Err(Problem::Output(error)) => return Err(error),
            Err(Problem::Other(failure)) => outcome = Err(failure),
            Ok(exit) => outcome = Ok(exit),
        }
        Ok(())
    })?;
    outcome
}

fn json_line(to: &mut dyn Write, line: &impl serde::Serialize) -> Result<(), Problem> {
    let text = serde_json::to_string(line).expect("such lines are JSON");
    Ok(writeln!(to, "{text}")?)
}

/// One random play, state by state.
fn play_once(
    machine: &mut StateMachine,
    start: &Position,
    reading: &Reading,
    arguments: &SimulateArguments,
    end_by: &Limits,
) -> Result<Exit, Failure> {
    let mut random = fastrand::Rng::with_seed(arguments.seed.number);
    let boards = if arguments.report.form.is_json() {
        Vec::new()
    } else {
        Prover::boards_soon(&reading.game, end_by)
    };
    print(|to| {
        if arguments.report.form.is_json() {
            json_line(to, &GameLine::new(&reading.game, &reading.description))?;
        }
        let (step, end) = engines::play::<Problem>(
            machine,
            start,
            arguments.depth,
            end_by,
            |machine, position, _| Ok(machine.random_move(position, &mut random)?),
            |machine, step| {
                let line = StateLine::new(
                    machine,
                    0,
                    step.number.into(),
                    step.position,
                    step.joint_move,
                )?;
                if arguments.report.form.is_json() {
                    json_line(to, &line)
                } else {
                    Ok(writeln!(
                        to,
                        "{}",
                        state_text(&line, machine.roles(), &boards)
                    )?)
                }
            },
        )?;
        if arguments.report.form.is_json() {
            json_line(to, &EndLine::new(step, end))?;
        }
        match end {
            PlayEnd::Terminal => Ok(Exit::Answered),
            PlayEnd::MaxPlies | PlayEnd::OutOfTime => {
                let (event, option, exit) = match end {
                    PlayEnd::OutOfTime => ("time ran out", "--time", Exit::Limit),
                    _ => ("play is left", "--depth", Exit::Answered),
                };
                if !arguments.report.quiet {
                    let steps = counted(step as usize, "step");
                    files::tell(&format!("{event} after {steps} ({option})"));
                }
                Ok(exit)
            }
            PlayEnd::NoLegalMove => Err(Problem::Other(Failure::new(
                Exit::InvalidInput,
                "some role has no legal move though the game is not over: its rules are wrong",
            ))),
        }
    })
}

/// Follows a trace and prints its states in full.
fn replay(machine: &mut StateMachine, path: &Path, limits: &Limits) -> Result<Exit, Failure> {
    let trace = files::read_text(path, limits)?;
    if trace.trim().is_empty() {
        let message = format!("{}: there is no play in this file", path.display());
        return Err(Failure::new(Exit::InvalidInput, message));
    }
    print(|to| {
        let mut output = Ok(());
        let replay = replay_with(machine, &trace, &mut |machine, replayed| {
            let (playout, step) = (replayed.playout, replayed.step);
            let line = StateLine::new(
                machine,
                playout,
                step,
                replayed.position,
                replayed.joint_move,
            )?;
            if output.is_ok() {
                output = json_line(to, &line);
            }
            Ok(())
        });
        output?;
        let invalid = |text: String| {
            let text = format!("{}: {text}", path.display());
            Problem::Other(Failure::new(Exit::InvalidInput, text))
        };
        match replay {
            Ok(replay) => match replay.difference {
                None => Ok(Exit::Answered),
                Some(difference) => Err(invalid(difference.to_string())),
            },
            Err(ReplayError::Rules { error, .. }) => Err(error.into()),
            Err(error) => Err(invalid(error.to_string())),
        }
    })
}

/// Many random plays, and their results.
fn count(
    machine: &mut StateMachine,
    start: &Position,
    playouts: u64,
    preparing: f64,
    arguments: &SimulateArguments,
    limits: &Limits,
) -> Result<Exit, Failure> {
    let settings = PlayoutSettings {
        playouts,
        depth: arguments.depth,
        seed: arguments.seed.number,
        limits: limits.clone(),
    };
    let begin = Instant::now();
    let played = machine.playouts(start, &settings);
    let played = played.map_err(rules_failure)?;
    let seconds = begin.elapsed().as_secs_f64();
    let text = if arguments.report.form.is_json() {
        counted_json(&played, machine, preparing, seconds).to_string()
    } else {
        counted_text(&played, machine, seconds)
    };
    files::print(|to| writeln!(to, "{text}"))?;
    Ok(if played.out_of_time {
        Exit::Limit
    } else {
        Exit::Answered
    })
}

fn counted_json(
    played: &Playouts,
    machine: &StateMachine,
    preparing: f64,
    seconds: f64,
) -> serde_json::Value {
    let goals: serde_json::Map<String, serde_json::Value> = machine
        .roles()
        .iter()
        .zip(&played.goals)
        .map(|(role, goals)| {
            let counts = goals
                .iter()
                .map(|(value, count)| (value.to_string(), json!(count)));
            let counts: serde_json::Map<String, serde_json::Value> = counts.collect();
            (role.to_string(), json!(counts))
        })
        .collect();
    let means: serde_json::Map<String, serde_json::Value> = (machine.roles().iter().enumerate())
        .map(|(index, role)| (role.to_string(), json!(played.mean(index))))
        .collect();
    let circuit = machine.circuit().ok().map(|ground| {
        json!({
            "facts": ground.facts.len(),
            "moves": ground.moves.iter().map(Vec::len).sum::<usize>(),
            "gates": ground.gates(),
        })
    });
    json!({
        "machine": way(machine),
        "circuit": circuit,
        "ended": played.ended,
        "unfinished": played.unfinished,
        "stuck": played.stuck,
        "states": played.states,
        "longest": played.longest,
        "goals": goals,
        "means": means,
        "seconds": {"prepare": preparing, "play": seconds},
    })
}

fn way(machine: &StateMachine) -> &'static str {
    match machine.circuit() {
        Ok(_) => "circuit",
        Err(_) => "rules",
    }
}

fn counted_text(played: &Playouts, machine: &StateMachine, seconds: f64) -> String {
    let roles = || machine.roles().iter();
    let width = roles().map(|role| role.as_str().chars().count()).max();
    let width = width.unwrap_or(0).max("plays".len());
    let mut rows = vec![format!(
        "{:width$}  {} to the end, {} too long, {} stuck; at most {}",
        "plays",
        played.ended,
        played.unfinished,
        played.stuck,
        counted(played.longest as usize, "step")
    )];
    for (index, (role, goals)) in roles().zip(&played.goals).enumerate() {
        // A goal is listed when some play that ended reached it.
        let share = |count: u64| 100.0 * count as f64 / played.ended as f64;
        let goals: Vec<String> = goals
            .iter()
            .map(|(value, count)| format!("{value}: {count} ({:.1} %)", share(*count)))
            .collect();
        if !goals.is_empty() {
            let mean = played.mean(index);
            let mean = mean.map_or(String::new(), |mean| format!("; mean {mean:.2}"));
            rows.push(format!(
                "{:width$}  {}{mean}",
                role.as_str(),
                goals.join(", ")
            ));
        }
    }
    rows.push(format!(
        "{:width$}  {} states in {seconds:.3} s, by {}",
        "speed",
        played.states,
        way(machine)
    ));
    rows.join("\n")
}
