//! `table`: an evaluator with a table at random positions.

use super::evaluate::PATIENCE;
use super::{Place, game};
use crate::common::evaluator_client::Client;
use evaluator::Request;

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

#[test]
fn an_evaluator_with_a_table_says_what_one_without_says() {
    let place = Place::new();
    build(&place, "stochastic_connect_4.gdl", "values");
    let file = game("stochastic_connect_4.gdl");
    let start = |options: &str| {
        let command = place.command(&format!("evaluate {file} --quiet {options}"));
        Client::start(command, PATIENCE).expect("an evaluator")
    };
    let (mut with, mut without) = (start("--table values"), start(""));
    assert_eq!(with.greeting().engine, "table");
    let mut history: Vec<Vec<String>> = Vec::new();
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    for step in 0..8 {
        for (depth, role) in [
            (None, None),
            (Some(16 - step), None),
            (Some(2), None),
            (None, Some("oplayer")),
        ] {
            let request = Request {
                history: Some(history.clone()),
                depth,
                role: role.map(str::to_owned),
                ..Request::default()
            };
            let found = with.evaluate(request.clone(), PATIENCE).expect("an answer");
            let expected = without.evaluate(request, PATIENCE).expect("an answer");
            assert_eq!(
                found.worth, expected.worth,
                "seed {seed} {history:?} {depth:?}"
            );
            assert_eq!(found.terminal, expected.terminal);
            let sorted = |moves: Option<Vec<_>>| {
                let mut moves: Vec<String> = moves
                    .iter()
                    .flatten()
                    .map(|each: &evaluator::MoveReply| format!("{each:?}"))
                    .collect();
                moves.sort();
                moves
            };
            assert_eq!(
                sorted(found.moves),
                sorted(expected.moves),
                "seed {seed} {history:?}"
            );
            let is_there = role.is_none() && depth != Some(2) && !found.terminal;
            assert!(!is_there || found.states == 0, "seed {seed} {history:?}");
        }
        let column = random.u32(1..=4);
        let own = format!("(drop {column})");
        let joint_move = match step % 2 {
            0 => [own, "noop".to_owned(), "(keep 1)".to_owned()],
            _ => ["noop".to_owned(), own, "(keep 1)".to_owned()],
        };
        let longer = [history.clone(), vec![joint_move.to_vec()]].concat();
        let request = Request {
            history: Some(longer.clone()),
            moves: Some(false),
            ..Request::default()
        };
        match without.evaluate(request, PATIENCE) {
            Ok(reply) if !reply.terminal => history = longer,
            _ => break,
        }
    }
    assert!(!history.is_empty(), "seed {seed}");
}
