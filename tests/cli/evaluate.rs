//! `evaluate`: the process, asked line by line and through the example in Python.

use super::limits::wait_until_it_listens;
use super::{Ended, Place, game};
use crate::common::evaluator_client::{Client, ClientError};
use evaluator::Request;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(super) const PATIENCE: Duration = Duration::from_secs(60);

fn start(place: &Place, file: &str) -> Client {
    let command = place.command(&format!("evaluate {} --quiet", game(file)));
    Client::start(command, PATIENCE).expect("an evaluator")
}

fn initial(depth: u32) -> Request {
    Request {
        depth: Some(depth),
        ..Request::default()
    }
}

#[test]
fn a_client_asks() {
    let place = Place::new();
    let mut client = start(&place, "stochastic_ttt_half.gdl");
    assert_eq!(client.greeting().game, "stochastic_ttt_half");
    assert_eq!(client.greeting().roles, ["xplayer", "oplayer", "random"]);

    let first = client.evaluate(initial(9), PATIENCE).expect("an answer");
    let value = first.worth.value.as_ref().expect("it is solved");
    assert_eq!(value.value().to_string(), "243/512");
    assert_eq!(
        first.best.as_deref(),
        Some("(mark 1 1)"),
        "all are worth the same"
    );
    assert_eq!(first.moves.as_ref().map(Vec::len), Some(9));
    assert!(first.states > 0);
    // Values that were found are kept.
    let again = client.evaluate(initial(9), PATIENCE).expect("an answer");
    assert_eq!((again.states, &again.moves), (0, &first.moves));
    let statistics = client.statistics(PATIENCE).expect("numbers");
    assert_eq!((statistics.requests, statistics.errors), (3, 0));
    assert!(statistics.entries > 0);
    client.clear(PATIENCE).expect("it forgets");
    assert_eq!(client.statistics(PATIENCE).expect("numbers").entries, 0);

    let wrong = Request {
        history: Some(vec![vec![
            "(mark 4 4)".into(),
            "noop".into(),
            "(keep 1)".into(),
        ]]),
        ..initial(9)
    };
    match client.evaluate(wrong, PATIENCE) {
        Err(ClientError::Refused(why)) => assert!(why.message.contains("(mark 4 4)"), "{why:?}"),
        other => panic!("{other:?}"),
    }
    let answer = client.evaluate(initial(1), PATIENCE).expect("it goes on");
    assert_eq!(answer.worth.value.expect("solved").value().to_string(), "0");
}

#[test]
fn a_client_does_not_wait_for_ever() {
    let place = Place::new();
    let mut client = start(&place, "stochastic_connect_4.gdl");
    let since = Instant::now();
    let late = client.evaluate(initial(16), Duration::from_millis(20));
    assert!(matches!(late, Err(ClientError::TooLate)), "{late:?}");
    assert!(since.elapsed() < Duration::from_secs(1));
    client.stop(PATIENCE).expect("the search ends");
    // The late answer is dropped.
    let answer = client.evaluate(initial(0), PATIENCE).expect("it goes on");
    assert_eq!(answer.depth, Some(0));
    assert_eq!(answer.worth.value.expect("solved").value().to_string(), "0");
}

#[test]
fn a_game_without_a_circuit_is_valued_by_its_rules() {
    let place = Place::new();
    // Moves grow with the number that is counted, so nobody can list them.
    place.write(
        "counter.gdl",
        "(role x) (init (count zero)) (<= (legal x (say ?n)) (true (count ?n)))
        (<= (next (count (after ?n))) (does x (say ?n)))
        (<= terminal (true (count (after (after zero)))))
        (<= (goal x 100) terminal) (<= (goal x 0) (not terminal))",
    );
    let command = place.command("evaluate counter.gdl --quiet");
    let mut client = Client::start(command, PATIENCE).expect("an evaluator");
    assert_eq!(client.greeting().engine, "definition");
    for (depth, value) in [(1, "0"), (2, "1"), (3, "1")] {
        let answer = client
            .evaluate(initial(depth), PATIENCE)
            .expect("an answer");
        assert_eq!(
            answer.worth.value.expect("solved").value().to_string(),
            value
        );
    }
}

#[test]
fn it_ends_with_its_input() {
    let place = Place::new();
    let ended = place.run(&format!("evaluate {} --depth 1", game("figure_1.gdl")));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.out.lines().count(), 1, "only the greeting");
    place.refuses("evaluate - --depth 1", 2, "must be a file");
    let file = game("figure_1.gdl");
    place.refuses(
        &format!("evaluate {file} --role random"),
        2,
        "`random` is chance and cannot be asked for; this game's roles are xplayer, oplayer",
    );
    place.refuses(&format!("evaluate {file} --time -1"), 2, "--time -1");
}

#[test]
fn ctrl_c_ends_it_while_it_waits_and_while_it_works() {
    let place = Place::new();
    for works in [false, true] {
        let mut child = place
            .command(&format!(
                "evaluate {} --quiet",
                game("stochastic_connect_4.gdl")
            ))
            .stdin(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut input = child.stdin.take().expect("a pipe");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut greeting = String::new();
        output.read_line(&mut greeting).expect("a line");
        wait_until_it_listens(&child);
        if works {
            input.write_all(b"{\"depth\":16}\n").expect("it reads");
            std::thread::sleep(Duration::from_millis(300));
        }
        let sent = Instant::now();
        let killed = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        assert!(killed.expect("there is a command kill").success());
        let ended = Ended::new(child.wait_with_output().expect("it ends"));
        assert_eq!(ended.code, Some(130), "{ended:?}");
        assert!(sent.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn the_example_in_python_plays() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/examples/evaluate.py");
    let output = Command::new("python3")
        .args([
            script,
            env!("CARGO_BIN_EXE_sqasp"),
            &game("stochastic_ttt_half.gdl"),
            "9",
        ])
        .output();
    let ended = Ended::new(output.expect("python3 is installed (scripts/setup --test)"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let lines: Vec<&str> = ended.out.lines().collect();
    assert_eq!(
        lines[0], "xplayer: 243/512, best (mark 1 1)",
        "{}",
        ended.out
    );
    assert!(lines.len() > 1, "{}", ended.out);
}

#[test]
fn the_documented_conversation_is_real() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/evaluate-protocol.md");
    let text = std::fs::read_to_string(path).expect("the documentation");
    let block = text.split("```").nth(1).expect("an example");
    let lines = block.lines().skip(1).filter(|line| !line.is_empty());
    let (requests, expected): (Vec<&str>, Vec<&str>) =
        lines.partition(|line| line.starts_with("> "));
    assert!(requests.len() >= 5, "{block}");
    let place = Place::new();
    let mut child = place
        .command(&format!("evaluate {} --quiet", game("figure_1.gdl")))
        .stdin(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut input = child.stdin.take().expect("a pipe");
    for request in requests {
        writeln!(input, "{}", request.trim_start_matches("> ")).expect("it reads");
    }
    let ended = Ended::new(child.wait_with_output().expect("it ends by itself"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    // The time differs, and the order of fields means nothing.
    let read = |line: &str| {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        let fields = line.as_object_mut().expect("an object");
        fields.remove("seconds");
        line
    };
    let found: Vec<Value> = ended.out.lines().map(read).collect();
    let expected: Vec<Value> = expected.into_iter().map(read).collect();
    assert_eq!(
        found, expected,
        "run it again and copy what it says:\n{}",
        ended.out
    );
}

/// A state in which a role cannot move has no value, whether steps are counted or not.
#[test]
fn a_state_without_a_value_is_refused_with_any_number_of_steps() {
    let place = Place::new();
    let rules =
        "(role p) (init open) (init lit) (<= (legal p go) (true open)) (<= (next shut) (does p go))
        (<= terminal (true shut)) (<= (goal p 100) (true shut)) (<= (goal p 0) (not (true shut)))";
    place.write("dead.gdl", rules);
    for request in [
        r#"{"state":["lit"]}"#,
        r#"{"state":["lit"],"moves":false}"#,
        r#"{"state":["lit"],"depth":2}"#,
        r#"{"state":["lit"],"depth":1000000}"#,
    ] {
        place.write("requests", request);
        for options in ["", "--mixed"] {
            let mut command = place.command(&format!("evaluate dead.gdl -q {options}"));
            command.stdin(std::fs::File::open(place.path("requests")).expect("a file"));
            let ended = super::end(&mut command);
            let reply = ended.out.lines().last().unwrap_or_default();
            assert!(
                reply.contains(r#""status":"error","code":"game""#),
                "{request}: {ended:?}"
            );
            assert!(
                reply.contains("p has no legal move"),
                "{request}: {ended:?}"
            );
        }
    }
    for engine in ["emm", "xssat", "table"] {
        place.write("state", "lit");
        let command = format!("solve dead.gdl --from state --engine {engine}");
        place.refuses(&command, 65, "p has no legal move");
    }
}
