//! `table`: an evaluator with a table at random positions.

use super::{Place, game};
use crate::common::evaluator_client::Client;
use serde_json::{Value, json};

pub(super) fn build(place: &Place, file: &str, folder: &str) -> String {
    let file = game(file);
    place.answers(&format!("table build {file} --output {folder} --quiet"))
}

#[test]
#[ignore = "needs SQASP_SLOW_TESTS: four large tables"]
fn what_a_build_takes_does_not_depend_on_its_threads() {
    let place = Place::new();
    let file = game("stochastic_ttt_4x4.gdl");
    for run in 0..4 {
        let options = format!("--output {run} --memory 64M --threads 2 --quiet");
        place.answers(&format!("table build {file} {options}"));
    }
}

/// A reply without what depends on the way to it.
fn comparable(mut reply: Value) -> Value {
    let fields = reply.as_object_mut().expect("an object");
    fields.retain(|field, _| !["states", "seconds"].contains(&field.as_str()));
    if let Some(moves) = reply["moves"].as_array_mut() {
        moves.sort_by_key(ToString::to_string);
    }
    reply
}

#[test]
fn an_evaluator_with_a_table_says_what_one_without_says() {
    let place = Place::new();
    build(&place, "stochastic_connect_4.gdl", "values");
    let file = game("stochastic_connect_4.gdl");
    let start =
        |options: &str| Client::start(place.command(&format!("evaluate {file} --quiet {options}")));
    let (mut with, mut without) = (start("--table values"), start(""));
    assert_eq!(with.greeting["engine"], "table");
    let mut history: Vec<[String; 3]> = Vec::new();
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    for step in 0..8 {
        for question in [
            json!({}),
            json!({"depth": 16 - step}),
            json!({"depth": 2}),
            json!({"role": "oplayer"}),
        ] {
            let mut request = question.clone();
            request["history"] = json!(history);
            let found = with.ask(&request);
            let is_there = question["role"].is_null() && question["depth"] != 2;
            let is_read = found["states"] == 0 || found["terminal"] == true;
            assert!(!is_there || is_read, "seed {seed} {request}");
            let expected = without.ask(&request);
            assert_eq!(
                comparable(found),
                comparable(expected),
                "seed {seed} {request}"
            );
        }
        let own = format!("(drop {})", random.u32(1..=4));
        let [noop, keep] = ["noop", "(keep 1)"].map(str::to_owned);
        let mut longer = history.clone();
        longer.push(match step % 2 {
            0 => [own, noop, keep],
            _ => [noop, own, keep],
        });
        let reply = without.ask(&json!({"history": longer, "moves": false}));
        if reply["terminal"] != false {
            break;
        }
        history = longer;
    }
    assert!(!history.is_empty(), "seed {seed}");
}
