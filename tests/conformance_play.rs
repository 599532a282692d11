//! Recorded play of real games, made with another reasoner: ours must reproduce it.
//!
//! By default only small traces are followed; SQASP_SLOW_TESTS=1 follows all.

mod common;

use common::{shared, slow_tests};
use sqasp::gdl::Options;
use sqasp::machine::{Limits, ReasonerError, ReplayError, StateMachine, StepLimits, replay};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const SECONDS_PER_GAME: u64 = 20;
/// How large a trace and its game may be to be followed by default.
const SMALL_TRACE: usize = 40_000;
const SMALL_GAME: usize = 10_000;

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

#[test]
fn recorded_play_is_reproduced() {
    let (Some(recorded), Some(games)) = (shared("conformance"), shared("games-ggp")) else {
        return;
    };
    let all = slow_tests();
    let (mut agree, mut states, mut left_out) = (0, 0, 0);
    let (mut slow, mut wrong) = (Vec::new(), Vec::new());
    for (name, path) in traces(&recorded) {
        let file = games.join(format!("{name}.kif"));
        let text = std::fs::read(file).unwrap();
        let trace = read_trace(&path);
        if !all && (trace.len() > SMALL_TRACE || text.len() > SMALL_GAME) {
            left_out += 1;
            continue;
        }
        let game = sqasp::game::read(&name, &text, &Options::default())
            .unwrap_or_else(|refused| panic!("{name}: {refused}"))
            .game;
        let start = Instant::now();
        let limits = Limits {
            deadline: Some(start + Duration::from_secs(SECONDS_PER_GAME)),
            ..Limits::default()
        };
        let mut machine = StateMachine::new(&game, &StepLimits::default(), limits).unwrap();
        let prep = start.elapsed().as_secs_f64();
        let way = match machine.circuit() {
            Ok(_) => "circuit",
            Err(_) => "rules",
        };
        let result = replay(&mut machine, &trace);
        let seconds = start.elapsed().as_secs_f64();
        match result {
            Ok(result) => match result.difference {
                None => {
                    eprintln!(
                        "{seconds:8.3} s  {prep:8.3} {way} {name}: {} states agree",
                        result.states
                    );
                    agree += 1;
                    states += result.states;
                }
                Some(difference) => {
                    let text: String = difference.to_string().chars().take(1000).collect();
                    wrong.push(format!("{name}: {text}"));
                }
            },
            Err(ReplayError::Rules {
                error: ReasonerError::OutOfTime,
                line,
            }) => slow.push(format!("{name}, line {line}")),
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    eprintln!("{agree} traces with {states} states agree; {left_out} left out; slow: {slow:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(agree > 0, "no trace was followed");
}
