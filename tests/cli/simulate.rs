//! `simulate`: random play, many plays, and recorded play.

use super::{Place, game};
use serde_json::Value;
use std::io::Write;

fn lines(text: &str) -> Vec<Value> {
    let read = |line| serde_json::from_str(line).expect("a line of JSON");
    text.lines().map(read).collect()
}

#[test]
fn a_play_is_told_state_by_state() {
    let place = Place::new();
    let text = place.answers(&format!("simulate {} --seed 1", game("figure_1.gdl")));
    let expected = "state 0\n  facts: unspun\n  legal for xplayer: (bet left) (bet right)\n";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("\nstate 1, the end\n  facts: "), "{text}");
    assert!(text.contains("  goal for xplayer: "), "{text}");
}

#[test]
fn a_play_printed_as_a_trace_can_be_replayed() {
    let place = Place::new();
    for name in ["stochastic_hex.gdl", "pig.gdl", "duel.gdl"] {
        let file = game(name);
        for way in ["circuit", "rules"] {
            let trace = place.answers(&format!("simulate {file} --json --seed 7 --engine {way}"));
            place.write("trace.jsonl", &trace);
            let mut packed =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            packed.write_all(trace.as_bytes()).unwrap();
            place.write("trace.jsonl.gz", packed.finish().unwrap());
            let states: Vec<Value> = lines(&trace)
                .into_iter()
                .filter(|line| line["type"] == "state")
                .collect();
            assert!(states.len() > 1, "{trace}");
            for replay in [
                "trace.jsonl",
                "trace.jsonl.gz",
                "trace.jsonl --engine rules",
            ] {
                let again = place.answers(&format!("simulate {file} --replay {replay}"));
                assert_eq!(states, lines(&again), "{name}");
            }
        }
    }
}

#[test]
fn recorded_play_that_breaks_the_rules_is_refused_where_it_does() {
    let place = Place::new();
    let file = game("tic_tac_toe.gdl");
    let trace = place.answers(&format!("simulate {file} --json"));
    let legal = lines(&trace)[1]["move"].to_string();
    for (from, to, message) in [
        (
            legal.as_str(),
            r#"["jump","noop"]"#,
            "line 2 of the trace: the move `jump` is not legal",
        ),
        (
            r#""terminal":false"#,
            r#""terminal":true"#,
            "line 2: terminal: recorded true, but",
        ),
    ] {
        place.write("wrong.jsonl", trace.replacen(from, to, 1));
        let ended = place.run(&format!("simulate {file} --replay wrong.jsonl"));
        assert_eq!(ended.code, Some(65), "{}", ended.err);
        assert!(ended.err.contains(message), "{}", ended.err);
    }
}

#[test]
fn play_begins_where_it_is_told_to() {
    let place = Place::new();
    let file = game("tic_tac_toe.gdl");
    place.write(
        "moves.txt",
        "((mark 1 1) noop) ; the corner\n(noop (mark 2 2))\n",
    );
    place.write(
        "state.txt",
        "(true (cell 1 1 xplayer)) (cell 2 2 oplayer)\n(true (control xplayer))",
    );
    let expected = [
        "(cell 1 1 xplayer)",
        "(cell 2 2 oplayer)",
        "(control xplayer)",
    ];
    for start in [
        vec!["--after", "((mark 1 1) noop) (noop (mark 2 2))"],
        vec![
            "--after",
            "((mark 1 1) noop)",
            "--after",
            "(noop (MARK 2 2))",
        ],
        vec!["--after", "@moves.txt"],
        vec!["--from", "state.txt"],
    ] {
        for way in ["auto", "rules"] {
            let mut words = vec!["simulate", &file, "--json", "--engine", way];
            words.extend(&start);
            let ended = super::end(&mut place.command_with(words));
            assert_eq!(ended.code, Some(0), "{}", ended.err);
            assert_eq!(
                lines(&ended.out)[1]["facts"],
                Value::from(expected.to_vec()),
                "{start:?}"
            );
        }
    }
    // A state with a fact that no play leads to.
    place.write(
        "odd.txt",
        "(cell 1 1 xplayer) (cell 9 9 oplayer) (control oplayer)",
    );
    let trace = place.answers(&format!("simulate {file} --json --from odd.txt"));
    assert!(trace.contains("(cell 9 9 oplayer)"), "{trace}");
}

#[test]
fn wrong_starts_are_refused_with_their_place() {
    let place = Place::new();
    let file = game("tic_tac_toe.gdl");
    place.write("broken.txt", "(control xplayer)\n(cell 1 ?x b)");
    for (option, text, code, message) in [
        (
            "--after",
            "((mark 1 1) noop",
            2,
            "--after, line 1, column 1: this parenthesis is never",
        ),
        (
            "--after",
            "(noop)",
            2,
            "--after, line 1, column 1: `(noop)` has 1 move for 2 roles: write",
        ),
        (
            "--after",
            "((mark 4 1) noop)",
            65,
            "--after: joint move 1: (mark 4 1) is not legal for xplayer; legal: (mark 1 1), ",
        ),
        ("--after", "@missing.txt", 66, "cannot read missing.txt"),
        ("--from", "missing.txt", 66, "cannot read missing.txt"),
        (
            "--from",
            "broken.txt",
            65,
            "broken.txt, line 2, column 1: a variable stands where",
        ),
    ] {
        let ended = super::end(&mut place.command_with(["simulate", &file, option, text]));
        assert_eq!(ended.code, Some(code), "{text}: {}", ended.err);
        assert!(ended.err.contains(message), "{text}: {}", ended.err);
        assert_eq!(ended.out, "");
    }
}

#[test]
fn many_plays_are_counted() {
    let place = Place::new();
    let file = game("figure_1.gdl");
    for way in ["circuit", "rules"] {
        let text = place.answers(&format!(
            "simulate {file} --plays 1000 --json --engine {way}"
        ));
        let counted: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(counted["machine"], *way);
        assert_eq!(
            (&counted["ended"], &counted["states"]),
            (&1000.into(), &2000.into())
        );
        let goals = &counted["goals"]["xplayer"];
        let [lost, won] = ["0", "100"].map(|value| goals[value].as_u64().unwrap());
        assert_eq!(lost + won, 1000);
        // Half the bets are left and win twice in three, half right and win once: 1/2.
        assert!((400..600).contains(&won), "{text}");
        let text = place.answers(&format!("simulate {file} --plays 1000 --engine {way}"));
        assert!(text.starts_with("plays    1000 to the end, 0 too long, 0 stuck; at most 1 step"));
    }
}

#[test]
fn a_play_that_is_too_long_is_left() {
    let place = Place::new();
    let ended = place.run(&format!("simulate {} --depth 2", game("tic_tac_toe.gdl")));
    assert_eq!(ended.code, Some(0));
    assert!(
        ended.err.contains("play is left after 2 steps (--depth)"),
        "{}",
        ended.err
    );
    let text = place.answers(&format!(
        "simulate {} --depth 2 --plays 5",
        game("tic_tac_toe.gdl")
    ));
    assert!(
        text.starts_with("plays    0 to the end, 5 too long, 0 stuck"),
        "{text}"
    );
    let in_time = place.run(&format!("simulate {} --time 600", game("tic_tac_toe.gdl")));
    assert_eq!(in_time.code, Some(0), "{}", in_time.err);
    let too_late = place.run(&format!("simulate {} --time 0", game("tic_tac_toe.gdl")));
    assert_eq!(too_late.code, Some(75), "{}", too_late.err);
    assert!(
        too_late.err.contains("the time limit was reached"),
        "{}",
        too_late.err
    );
}
