//! `evaluate`: the conversation of the documentation.

use super::{Ended, Place, game};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

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
