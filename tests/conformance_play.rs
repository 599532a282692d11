//! Recorded play of real games, made with another reasoner: ours must reproduce it, by the circuit
//! of one step where the game has one of moderate size, and by the rules where not.
//!
//! SQASP_SLOW_TESTS=1 follows those that go by circuit a second time by the rules.

mod common;

use common::{in_parallel, shared, slow_tests};
use sqasp::game::Game;
use sqasp::gdl::Options;
use sqasp::machine::{Reasoner, RuleLimits, StateMachine, StepLimits, replay};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// No game takes nearly as long; a machine may be busy.
const SECONDS_PER_GAME: u64 = 120;

fn traces(folder: &Path) -> Vec<(String, PathBuf)> {
    let mut traces = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap();
        let name = file.trim_end_matches(".gz");
        if let Some(name) = name.strip_suffix(".jsonl") {
            traces.push((name.to_owned(), path));
        }
    }
    traces.sort();
    traces
}

fn read_trace(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    if path.extension().is_none_or(|ending| ending != "gz") {
        return String::from_utf8(bytes).unwrap();
    }
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..])
        .read_to_string(&mut text)
        .unwrap();
    text
}

/// What following traces in one way came to.
#[derive(Default)]
struct Total {
    traces: usize,
    states: usize,
    seconds: f64,
    preparing: f64,
}

/// Follows a trace; gives the number of states and what is wrong.
fn follow(machine: &mut StateMachine, name: &str, trace: &str) -> Result<usize, String> {
    let replay = replay(machine, trace).map_err(|error| format!("{name}: {error}"))?;
    match replay.difference {
        None => Ok(replay.states),
        Some(difference) => {
            let text: String = difference.to_string().chars().take(1000).collect();
            Err(format!("{name}: {text}"))
        }
    }
}

#[test]
fn recorded_play_is_reproduced() {
    let (Some(recorded), Some(games)) = (shared("conformance"), shared("games-ggp")) else {
        return;
    };
    let twice = slow_tests();
    let totals = Mutex::new([Total::default(), Total::default(), Total::default()]);
    let start = Instant::now();
    in_parallel(traces(&recorded), |(name, path)| {
        let text = std::fs::read(games.join(format!("{name}.kif"))).unwrap();
        let trace = read_trace(&path);
        let game: Game = sqasp::game::read(&name, &text, &Options::default())
            .unwrap_or_else(|refused| panic!("{name}: {refused}"))
            .game;
        let limits = || RuleLimits {
            clock: limits::Clock::until(Instant::now() + Duration::from_secs(SECONDS_PER_GAME)),
            ..RuleLimits::default()
        };
        let begin = Instant::now();
        let mut machine = StateMachine::new(&game, &StepLimits::modest(), limits()).unwrap();
        let preparing = begin.elapsed().as_secs_f64();
        let by_circuit = machine.circuit().is_ok();
        let states = follow(&mut machine, &name, &trace)?;
        let seconds = begin.elapsed().as_secs_f64();
        let (way, place) = match machine.circuit() {
            Ok(_) => ("by circuit".to_owned(), 0),
            Err(error) => (format!("by rules: {error}"), 1),
        };
        eprintln!("{seconds:8.3} s  {name}: {states} states agree, {way}");
        let note = |place: usize, seconds: f64, preparing: f64| {
            let total = &mut totals.lock().unwrap()[place];
            total.traces += 1;
            total.states += states;
            total.seconds += seconds;
            total.preparing += preparing;
        };
        note(place, seconds, preparing);
        if twice && by_circuit {
            let begin = Instant::now();
            let reasoner = Reasoner::with_limits(&game, limits()).unwrap();
            follow(&mut StateMachine::by_rules(reasoner), &name, &trace)?;
            note(2, begin.elapsed().as_secs_f64(), 0.0);
        }
        Ok(())
    });
    let totals = totals.into_inner().unwrap();
    for (total, way) in totals.iter().zip([
        "by circuit",
        "by rules, there being no circuit",
        "of the former by rules again",
    ]) {
        eprintln!(
            "{} traces with {} states agree {way}: {:.1} s, of which preparing {:.1} s",
            total.traces, total.states, total.seconds, total.preparing
        );
    }
    eprintln!("{:.1} s on the clock", start.elapsed().as_secs_f64());
    assert!(
        totals[0].traces > 0 && totals[1].traces > 0,
        "too few traces"
    );
}
