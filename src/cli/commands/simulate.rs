//! `sqasp simulate`: random play from any state, recorded play followed, many plays counted.

use super::load::{read_game, warn};
use crate::cli::args::{MachineName, SimulateArguments};
use crate::cli::request::time;
use crate::cli::run::print_result;
use crate::cli::start::{Start, rules_failure};
use crate::cli::trace::{EndLine, GameLine, StateLine, state_text};
use crate::cli::{Exit, Failure, files};
use crate::report::json;
use engines::PlayEnd;
use engines::answer::counted;
use gdl::game::{Game, Reading};
use gdl::{Name, Term};
use limits::Limits;
use prove::Prover;
use rules::{PlaySettings, Reasoner, ReasonerError, RuleLimits};
use serde::{Serialize, Serializer};
use std::fmt;
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

fn json_line(to: &mut dyn Write, line: &impl Serialize) -> Result<(), Problem> {
    Ok(writeln!(to, "{}", json(line))?)
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
    let statistics = PlayStatistics::new(machine, &played, preparing, seconds);
    print_result(&statistics, arguments.report.form.is_json())?;
    Ok(if played.out_of_time {
        Exit::Limit
    } else {
        Exit::Answered
    })
}

/// A list of names with a value for each: an object in JSON, in the order of the list.
pub(super) struct Entries<K, V>(pub(super) Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Entries<K, V> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// The results of many plays.
#[derive(Serialize)]
struct PlayStatistics<'a> {
    /// `circuit` or `rules`.
    machine: &'static str,
    circuit: Option<CircuitSize>,
    ended: u64,
    unfinished: u64,
    stuck: u64,
    states: u64,
    longest: u32,
    /// For each role how often it had which goal value.
    goals: Entries<&'a Name, Entries<&'a Term, u64>>,
    means: Entries<&'a Name, Option<f64>>,
    seconds: Seconds,
}

#[derive(Serialize)]
struct CircuitSize {
    facts: usize,
    moves: usize,
    gates: usize,
}

#[derive(Serialize)]
struct Seconds {
    prepare: f64,
    play: f64,
}

impl<'a> PlayStatistics<'a> {
    fn new(machine: &'a StateMachine, played: &'a Playouts, prepare: f64, play: f64) -> Self {
        let roles = machine.roles();
        let counts = played.goals.iter().map(|goals| {
            let counts = goals.iter().map(|(value, count)| (value, *count));
            Entries(counts.collect())
        });
        let means = (0..roles.len()).map(|role| played.mean(role));
        let circuit = machine.circuit().ok();
        PlayStatistics {
            machine: circuit.map_or("rules", |_| "circuit"),
            circuit: circuit.map(|ground| CircuitSize {
                facts: ground.facts.len(),
                moves: ground.moves.iter().map(Vec::len).sum(),
                gates: ground.gates(),
            }),
            ended: played.ended,
            unfinished: played.unfinished,
            stuck: played.stuck,
            states: played.states,
            longest: played.longest,
            goals: Entries(roles.iter().zip(counts).collect()),
            means: Entries(roles.iter().zip(means).collect()),
            seconds: Seconds { prepare, play },
        }
    }
}

impl fmt::Display for PlayStatistics<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths = self.goals.0.iter().map(|(role, _)| role.as_str().chars());
        let width = lengths.map(Iterator::count).fold("plays".len(), usize::max);
        writeln!(
            to,
            "{:width$}  {} to the end, {} too long, {} stuck; at most {}",
            "plays",
            self.ended,
            self.unfinished,
            self.stuck,
            counted(self.longest as usize, "step")
        )?;
        for ((role, goals), (_, mean)) in self.goals.0.iter().zip(&self.means.0) {
            // A goal is listed when some play that ended reached it.
            let share = |count: u64| 100.0 * count as f64 / self.ended as f64;
            let goals = goals.0.iter();
            let goals: Vec<String> = goals
                .map(|(value, count)| format!("{value}: {count} ({:.1} %)", share(*count)))
                .collect();
            if !goals.is_empty() {
                let mean = mean.map_or(String::new(), |mean| format!("; mean {mean:.2}"));
                let goals = goals.join(", ");
                writeln!(to, "{:width$}  {goals}{mean}", role.as_str())?;
            }
        }
        write!(
            to,
            "{:width$}  {} states in {:.3} s, by {}",
            "speed", self.states, self.seconds.play, self.machine
        )
    }
}
