//! A match between players: rules out, moves in, until play is over.
//!
//! A player that is late, or answers what is no legal move, has made a fault; a random legal move stands for its own, as
//! managers do it. `random` moves at random.

use crate::http::post;
use engines::{Play, PlayEnd, PlayStep, play};
use fastrand::Rng;
use gdl::game::Game;
use gdl::{Name, Term, parse_terms, texts};
use limits::Limits;
use rules::ReasonerError;
use serde::Serialize;
use std::thread;
use std::time::{Duration, Instant};
use step::{Position, StateMachine};

/// How a match is played.
#[derive(Clone, Debug)]
pub struct MatchSettings {
    /// The name of the match, one word.
    pub id: String,
    /// The rules in prefix form, on one line.
    pub rules: String,
    /// For each role but `random`, in order, where its player is: `HOST:PORT`; nothing for a role that moves at random.
    pub players: Vec<Option<String>>,
    /// How many seconds players may prepare.
    pub start_clock: u64,
    /// How many seconds a move may take.
    pub play_clock: u64,
    /// After this many steps the match ends, wherever play is.
    pub max_steps: u32,
}

/// A fault of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The role of the player.
    pub role: Name,
    /// In which step, from 1; 0 is the start.
    pub step: u32,
    /// The description of the fault.
    pub problem: String,
}

impl Fault {
    /// A fault. The text of a player may be part of the problem: it is told on one line, up to a length, and commands no terminal.
    fn new(role: &Name, step: u32, problem: &str) -> Self {
        const LONGEST: usize = 200;
        let shown = problem.chars().take(LONGEST);
        Fault {
            role: role.clone(),
            step,
            problem: shown.flat_map(char::escape_debug).collect(),
        }
    }
}

/// The result of a match.
#[derive(Clone, Debug)]
pub struct Played {
    /// How many steps were made.
    pub steps: u32,
    pub end: PlayEnd,
    /// For each role its goals at the end.
    pub goals: Vec<Vec<Term>>,
    pub faults: Vec<Fault>,
    /// For each step the time of the slowest answer, in seconds.
    pub slowest: Vec<f64>,
}

/// Plays a match, and calls `show` with every position.
///
/// # Errors
/// When the rules cannot be evaluated, or a role without a player has no move.
pub fn referee<E: From<ReasonerError>>(
    game: &Game,
    machine: &mut StateMachine,
    settings: &MatchSettings,
    random: &mut Rng,
    mut show: impl FnMut(&mut StateMachine, PlayStep<'_>) -> Result<(), E>,
) -> Result<Played, E> {
    let roles: Vec<Name> = game.roles().to_vec();
    let players = (0..roles.len()).filter(|&role| !roles[role].is_random());
    let players: Vec<(usize, &str)> = players
        .zip(&settings.players)
        .filter_map(|(role, address)| Some((role, address.as_deref()?)))
        .collect();
    let mut faults = Vec::new();
    let start = |role: usize| {
        format!(
            "(START {} {} ({}) {} {})",
            settings.id, roles[role], settings.rules, settings.start_clock, settings.play_clock
        )
    };
    let ask = |message: &(dyn Fn(usize) -> String + Sync), seconds: u64| {
        ask_all(&players, message, Duration::from_secs(seconds.max(1)))
    };
    for (&(role, _), (answer, _)) in players.iter().zip(ask(&start, settings.start_clock)) {
        let problem = match answer {
            Ok(answer) if answer.trim().eq_ignore_ascii_case("ready") => continue,
            Ok(answer) => format!("it is not ready: {}", answer.trim()),
            Err(problem) => problem,
        };
        faults.push(Fault::new(&roles[role], 0, &problem));
    }
    let initial = machine.initial()?;
    let is_hidden = Play::of(game, false) == Play::Hidden;
    let first = if is_hidden { "0 NIL NIL" } else { "NIL" };
    // For each role the last step as it is told.
    let mut last = vec![first.to_owned(); roles.len()];
    let (mut slowest, mut goals) = (Vec::new(), Vec::new());
    let mut choose = |machine: &mut StateMachine, position: &Position, number: u32| {
        let legal: Vec<Vec<Term>> = (0..roles.len())
            .map(|role| machine.legal(position, role))
            .collect::<Result<_, _>>()?;
        let joint_move: Option<Vec<Term>> = legal
            .iter()
            .map(|moves| random.choice(moves).cloned())
            .collect();
        let Some(mut joint_move) = joint_move else {
            return Ok(None);
        };
        let play = |role: usize| format!("(PLAY {} {})", settings.id, last[role]);
        let answers = ask(&play, settings.play_clock);
        let times = answers.iter().map(|(_, seconds)| *seconds);
        slowest.push(times.fold(0.0, f64::max));
        for (&(role, _), (answer, _)) in players.iter().zip(answers) {
            let action = answer.and_then(|answer| one_move(&answer, &legal[role]));
            match action {
                Ok(action) => joint_move[role] = action,
                Err(problem) => faults.push(Fault::new(&roles[role], number + 1, &problem)),
            }
        }
        if is_hidden {
            // Each role hears its own move, and what it saw.
            let seen = machine.percepts(position, &joint_move)?;
            let told = joint_move.iter().zip(seen);
            let told = told.map(|(own, seen)| format!("{} {own} {}", number + 1, list(&seen)));
            last = told.collect();
        } else {
            last.fill(list(&joint_move));
        }
        Ok::<_, E>(Some(joint_move))
    };
    let (steps, end) = play(
        machine,
        &initial,
        settings.max_steps,
        &Limits::default(),
        &mut choose,
        |machine, step| {
            if step.joint_move.is_none() {
                let all = (0..roles.len()).map(|role| machine.goals(step.position, role));
                goals = all.collect::<Result<_, _>>()?;
            }
            show(machine, step)
        },
    )?;
    let stop = |role: usize| format!("(STOP {} {})", settings.id, last[role]);
    ask(&stop, settings.play_clock);
    Ok(Played {
        steps,
        end,
        goals,
        faults,
        slowest,
    })
}

fn list(terms: &[Term]) -> String {
    format!("({})", texts(terms).join(" "))
}

/// The answers of all players, and how long each took, in seconds.
fn ask_all(
    players: &[(usize, &str)],
    message: &(dyn Fn(usize) -> String + Sync),
    clock: Duration,
) -> Vec<(Result<String, String>, f64)> {
    let ask = |address: &str, message: String| {
        let begin = Instant::now();
        let headers = [
            ("Accept", "text/delim"),
            ("Sender", "GAMESERVER"),
            ("Receiver", "PLAYER"),
            ("Content-Type", "text/acl"),
        ];
        let answer = post(address, &headers, &message, clock);
        (
            answer.map_err(|error| error.to_string()),
            begin.elapsed().as_secs_f64(),
        )
    };
    thread::scope(|scope| {
        let waiting: Vec<_> = players
            .iter()
            .map(|&(role, address)| scope.spawn(move || ask(address, message(role))))
            .collect();
        let answers = waiting
            .into_iter()
            .map(|each| each.join().expect("asking does not panic"));
        answers.collect()
    })
}

/// The legal move that an answer names.
fn one_move(answer: &str, legal: &[Term]) -> Result<Term, String> {
    let answer = answer.trim();
    let terms = parse_terms(answer).unwrap_or_default();
    match terms.as_slice() {
        [action] if legal.contains(action) => Ok(action.clone()),
        _ => {
            let shown: String = answer.chars().take(80).collect();
            Err(format!("`{shown}` is no legal move"))
        }
    }
}
