//! `solve --moves`: what every move of the first step is worth.

use super::{Ended, Place, game};
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
    assert_eq!(lines[0], "66.6667 % (2/3)");
    assert!(lines[1].starts_with("xplayer can guarantee"), "{text}");
    let moves = [
        "* 66.6667 %              (bet left)   2/3",
        "  33.3333 %  -33.3333 %  (bet right)  1/3",
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
    // A player who is not in turn has one move.
    let text = place.answers(&format!("{question} --role oplayer --format competition"));
    let last = "c o move * 36.7422 %  noop  717621/1953125\n";
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
        text.starts_with("100 %\n") && text.ends_with("no move to make\n"),
        "{text}"
    );
    let answer = json(&place.answers("solve over.gdl --depth 3 --json"));
    assert!(answer["moves"].is_null(), "nobody asked: {answer}");
}

#[test]
#[ignore = "needs depqbf: the command calls it"]
fn outside_engines_value_moves_where_they_can() {
    let place = Place::new();
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
    assert!(start.elapsed() < Duration::from_secs(6));
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
        let child = place
            .command(&question)
            .spawn()
            .expect("the command starts");
        super::limits::wait_until_it_listens(&child);
        sleep(Duration::from_millis(700 << attempt));
        let sent = Instant::now();
        let killed = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        assert!(killed.expect("there is a command kill").success());
        let ended = Ended::new(child.wait_with_output().expect("it ends"));
        assert!(sent.elapsed() < Duration::from_secs(60), "{ended:?}");
        assert_eq!(ended.err, "", "it ends by itself");
        if ended.out.contains("\"moves\"") {
            let answer = check_bounds(&ended, 130);
            assert_eq!(answer["stopped_by"], "interrupt");
            return;
        }
    }
    panic!("no move has bounds");
}

/// The first move that an answer in JSON names.
fn named(answer: &Value) -> Option<String> {
    let action = answer.get("winning_move")?;
    Some(action.as_str().expect("text").to_owned())
}

#[test]
fn a_yes_comes_with_a_first_move() {
    check_first_moves(&["emm", "xssat"]);
}

#[test]
#[ignore = "needs depqbf: the command calls it"]
fn a_yes_of_depqbf_comes_with_a_first_move() {
    check_first_moves(&["depqbf"]);
}

fn check_first_moves(engines: &[&str]) {
    let place = Place::new();
    for engine in engines {
        for (file, depth, winning) in [
            ("connect_3.gdl", 9, &["(drop 2)", "(drop 3)"][..]),
            // Three players.
            ("last_stone.gdl", 6, &["(take 1)"]),
            // Two at the same time.
            ("auction.gdl", 3, &["(bid 1)", "(bid 2)"]),
            // One alone.
            ("buttons_and_lights.gdl", 6, &["switch_first"]),
        ] {
            let question = format!("solve {} --depth {depth} --engine {engine}", game(file));
            let answer = json(&place.answers(&format!("{question} --json")));
            let action = named(&answer).unwrap_or_else(|| panic!("{engine}: {answer}"));
            assert!(
                winning.contains(&action.as_str()),
                "{engine}, {file}: {action}"
            );
            let text = place.answers(&question);
            let last = text.lines().last().expect("three lines");
            let action = last.strip_prefix("first move that guarantees it: ");
            let action = action.unwrap_or_else(|| panic!("{text}"));
            assert!(winning.contains(&action), "{engine}: {text}");
            let lines = place.answers(&format!("{question} --format competition"));
            assert!(lines.contains("\nc o winning move "), "{lines}");
            // All moves with their values tell more.
            if *engine != "depqbf" {
                let all = json(&place.answers(&format!("{question} --json --moves")));
                let best = all["moves"].as_array().expect("a list").iter();
                let best = best.filter(|each| fraction(&each["value"]) == "1/1");
                let best: Vec<&str> = best.filter_map(|each| each["move"].as_str()).collect();
                assert_eq!(best, winning, "{engine}, {file}");
                assert_eq!(named(&all), None);
            }
        }
        // A no has none, and nobody moves first where play is over.
        let question = format!(
            "solve {} --depth 8 --engine {engine}",
            game("connect_3.gdl")
        );
        assert_eq!(
            named(&json(&place.answers(&format!("{question} --json")))),
            None
        );
        place.write(
            "over.gdl",
            "(role x) (init f) (legal x a) (<= terminal (true f)) (goal x 100) (<= (next f) (true f))",
        );
        let question = format!("solve over.gdl --depth 3 --engine {engine} --json");
        assert_eq!(named(&json(&place.answers(&question))), None);
    }
    // With chance there is `--moves`.
    let chance = format!("solve {} --depth 4 --json", game("monty_hall.gdl"));
    let answer = json(&place.answers(&chance));
    assert_eq!(
        (fraction(&answer["value"]).as_str(), named(&answer)),
        ("1/1", None)
    );
}

/// CAQE is on few machines; a script of its name that obeys the same contract stands for it.
#[cfg(unix)]
#[test]
fn caqe_is_used_where_it_is_on_the_path() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let script = format!(
        "#!/bin/sh\nfor file; do :; done\n'{}' solve-formula --format sat \"$file\" > /dev/null\ncode=$?\n\
         if [ $code = 10 ]; then echo 's cnf 1 1 1'; else echo 's cnf 0 1 1'; fi\nexit $code\n",
        env!("CARGO_BIN_EXE_sqasp")
    );
    place.write("caqe", script);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path("caqe"), mode).expect("a file of ours");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", place.path(".").display());
    for (depth, expected) in [(6, Some("(take 1)")), (5, None)] {
        let question = format!(
            "solve {} --depth {depth} --engine caqe --json",
            game("last_stone.gdl")
        );
        let ended = super::end(place.command(&question).env("PATH", &path));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let answer = json(&ended.out);
        assert_eq!(answer["engine"], "caqe");
        assert_eq!(named(&answer).as_deref(), expected);
    }
}
