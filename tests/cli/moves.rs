//! `solve --moves`: what every move of the first step is worth.

use super::{Ended, Place, game, is_installed};
use serde_json::Value;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A fraction of JSON as text.
fn fraction(value: &Value) -> String {
    let part = |name: &str| {
        value[name]
            .as_str()
            .expect("fractions are strings")
            .to_owned()
    };
    format!("{}/{}", part("num"), part("den"))
}

fn decimal(value: &Value) -> f64 {
    value["decimal"].as_f64().expect("a number")
}

fn json(text: &str) -> Value {
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(text).expect("one JSON object")
}

#[test]
fn the_best_moves_come_first() {
    let place = Place::new();
    let text = place.answers(&format!("solve {} --depth 1 --moves", game("figure_1.gdl")));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "2/3 = 0.6666666666666667");
    assert!(lines[1].starts_with("xplayer can make sure of"), "{text}");
    let moves = [
        "* 2/3 = 0.6666666666666667  (bet left)",
        "  1/3 = 0.3333333333333333  (bet right)",
    ];
    assert_eq!(lines[2..], moves);

    let question = format!("solve {} --depth 9 --moves", game("stochastic_ttt.gdl"));
    for quant in ["dep", "base"] {
        let answer = json(&place.answers(&format!("{question} --json --quant {quant}")));
        let moves = answer["moves"].as_array().expect("a list");
        let list: Vec<(String, &str, bool)> = moves
            .iter()
            .map(|each| {
                let action = each["move"].as_str().expect("text");
                assert_eq!(each["lower"], each["value"]);
                assert_eq!(each["upper"], each["value"]);
                (fraction(&each["value"]), action, each["best"] == true)
            })
            .collect();
        // The middle, the edges, the corners.
        let (best, edge, corner) = ("164832/390625", "158684/390625", "155472/390625");
        let expected = [
            (best, "(mark 2 2)", true),
            (edge, "(mark 1 2)", false),
            (edge, "(mark 2 1)", false),
            (edge, "(mark 2 3)", false),
            (edge, "(mark 3 2)", false),
            (corner, "(mark 1 1)", false),
            (corner, "(mark 1 3)", false),
            (corner, "(mark 3 1)", false),
            (corner, "(mark 3 3)", false),
        ];
        let expected = expected.map(|(value, action, best)| (value.to_owned(), action, best));
        assert_eq!(list, expected, "{quant}");
        assert_eq!(fraction(&answer["value"]), best);
        assert_eq!(answer["status"], "solved");
    }
    // Whoever waits has one move.
    let text = place.answers(&format!("{question} --role oplayer --format competition"));
    let last = "c o move * 717621/1953125 = 0.367421952  noop\n";
    assert!(text.ends_with(last), "{text}");
}

#[test]
fn objectives_have_moves_too() {
    let place = Place::new();
    let question = format!("solve {} --depth 5 --moves --json", game("dive.gdl"));
    for objective in ["win", "goal>=50", "score"] {
        let mut arguments: Vec<&str> = question.split_whitespace().collect();
        arguments.extend(["--objective", objective]);
        let ended = super::end(&mut place.command_with(arguments));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let answer = json(&ended.out);
        let moves = answer["moves"].as_array().expect("a list");
        assert_eq!(moves[0]["value"], answer["value"], "{objective}: {answer}");
        assert_eq!(moves[0]["best"], true);
    }
}

#[test]
fn where_nobody_moves_there_is_no_list() {
    let place = Place::new();
    let question = format!("solve {} --depth 0 --moves", game("figure_1.gdl"));
    let text = place.answers(&question);
    assert!(text.ends_with("\nthere is no move to make\n"), "{text}");
    let answer = json(&place.answers(&format!("{question} --json")));
    assert_eq!(answer["moves"], Value::Array(Vec::new()));
    // Terminal from the start, and won.
    place.write(
        "over.gdl",
        "(role x) (init f) (legal x a) (<= terminal (true f)) (goal x 100) (<= (next f) (true f))",
    );
    let text = place.answers("solve over.gdl --depth 3 --moves");
    assert!(
        text.starts_with("1 = 1\n") && text.ends_with("no move to make\n"),
        "{text}"
    );
    let answer = json(&place.answers("solve over.gdl --depth 3 --json"));
    assert!(answer["moves"].is_null(), "nobody asked: {answer}");
}

#[test]
fn outside_engines_value_moves_where_they_can() {
    let place = Place::new();
    if is_installed("depqbf") {
        let question = format!("solve {} --depth 4 --moves --json", game("duel.gdl"));
        let ended = place.run(&format!("{question} --engine depqbf"));
        let expected = place.run(&question);
        if expected.code == Some(0) && ended.code == Some(0) {
            assert_eq!(json(&ended.out)["moves"], json(&expected.out)["moves"]);
        } else {
            // The game has chance, and DepQBF says so.
            assert_eq!(ended.code, Some(2), "{ended:?}");
        }
        let question = format!("solve {} --depth 9 --moves --json", game("tic_tac_toe.gdl"));
        let ours = json(&place.answers(&question));
        let theirs = json(&place.answers(&format!("{question} --engine depqbf")));
        assert_eq!(ours["moves"], theirs["moves"]);
        assert_eq!(ours["moves"].as_array().map(Vec::len), Some(9));
        let chance = format!(
            "solve {} --depth 1 --moves --engine depqbf",
            game("figure_1.gdl")
        );
        place.refuses(&chance, 2, "it has chance");
    }
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
        "solve {} --depth 16 --moves --json --method reference",
        game("stochastic_connect_4.gdl")
    );
    // Not enough for any machine of these years, but enough to get to the solver.
    let start = Instant::now();
    let answer = check_bounds(&place.run(&format!("{question} --time 0.8")), 75);
    assert!(start.elapsed() < Duration::from_secs(6));
    assert_eq!(answer["stopped_by"], "time");
    let answer = check_bounds(&place.run(&format!("{question} --memory 12M")), 75);
    assert_eq!(answer["stopped_by"], "memory");
}

#[test]
fn an_interrupt_leaves_bounds_for_every_move() {
    let place = Place::new();
    let question = format!(
        "solve {} --depth 16 --moves --json --method reference",
        game("stochastic_connect_4.gdl")
    );
    let child = place
        .command(&question)
        .spawn()
        .expect("the command starts");
    super::limits::wait_until_it_listens(&child);
    sleep(Duration::from_millis(700));
    let sent = Instant::now();
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.expect("there is a command kill").success());
    let ended = Ended::new(child.wait_with_output().expect("it ends"));
    assert!(sent.elapsed() < Duration::from_secs(5));
    assert_eq!(ended.err, "", "it ends by itself");
    let answer = check_bounds(&ended, 130);
    assert_eq!(answer["stopped_by"], "interrupt");
}
