//! `solve --moves`: a limit or Ctrl-C leaves bounds for every move.

use crate::cli::{Ended, LATE, Place, game};
use serde_json::Value;
use std::time::{Duration, Instant};

fn decimal(value: &Value) -> f64 {
    value["decimal"].as_f64().expect("a number")
}

fn json(text: &str) -> Value {
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(text).expect("one JSON object")
}

/// Checks that the answer has sound bounds for every column of the game below.
fn check_bounds(ended: &Ended, code: i32) -> Value {
    assert_eq!(ended.code, Some(code), "{ended:?}");
    let answer = json(&ended.out);
    assert_eq!(answer["status"], "bounds");
    let moves = answer["moves"].as_array().expect("a list");
    assert_eq!(moves.len(), 4, "{answer}");
    for each in moves {
        // The values were found without limits: 0.2626 at the sides and 0.2528 in the middle.
        let side = ["(drop 1)", "(drop 4)"].contains(&each["move"].as_str().expect("text"));
        let value = if side {
            0.2626208559529984
        } else {
            0.2528122604879872
        };
        let (lower, upper) = (decimal(&each["lower"]), decimal(&each["upper"]));
        assert!(lower <= value && value <= upper, "{each}");
    }
    let best = 0.2626208559529984;
    assert!(decimal(&answer["lower"]) <= best && best <= decimal(&answer["upper"]));
    answer
}

#[test]
fn limits_leave_bounds_for_every_move() {
    let place = Place::new();
    let question = format!(
        "solve {} --depth 16 --moves --json --engine learning",
        game("stochastic_connect_4.gdl")
    );
    // Not enough for any machine of these years, but enough to get to the solver.
    let start = Instant::now();
    let answer = check_bounds(&place.run(&format!("{question} --time 0.8")), 75);
    assert!(start.elapsed() < LATE);
    assert_eq!(answer["stopped_by"], "time");
    let answer = check_bounds(&place.run(&format!("{question} --memory 12M")), 75);
    assert_eq!(answer["stopped_by"], "memory");
}

#[test]
fn an_interrupt_leaves_bounds_for_every_move() {
    let place = Place::new();
    let question = format!(
        "solve {} --depth 16 --moves --json --engine learning",
        game("stochastic_connect_4.gdl")
    );
    // A busy machine lists the moves later.
    for attempt in 0..6 {
        let after = Duration::from_millis(700 << attempt);
        let (ended, late) = place.signalled(&question, "INT", after);
        assert!(late < LATE, "{ended:?}");
        if ended.out.contains("\"moves\"") {
            assert_eq!(ended.err, "", "it ends by itself");
            let answer = check_bounds(&ended, 130);
            assert_eq!(answer["stopped_by"], "interrupt");
            return;
        }
    }
    panic!("no move has bounds");
}
