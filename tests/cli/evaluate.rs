//! `evaluate`: a client that does not wait, Ctrl-C, and the conversation of the documentation.

use super::limits::wait_until_it_listens;
use super::{Ended, Place, game};
use crate::common::evaluator_client::{Client, ClientError};
use crate::common::send_signal;
use evaluator::Request;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
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
    let value = answer.worth.value.expect("solved").bound();
    assert_eq!(value.to_string(), "0");
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
        send_signal(child.id(), "INT");
        let ended = Ended::new(child.wait_with_output().expect("it ends"));
        assert_eq!(ended.code, Some(130), "{ended:?}");
        assert!(sent.elapsed() < Duration::from_secs(5));
    }
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
