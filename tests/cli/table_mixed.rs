//! `table --mixed`: tables of moves at the same time, from the command line.

use super::evaluate::PATIENCE;
use super::{Place, end, game};
use crate::common::evaluator_client::Client;
use crate::common::root;
use evaluator::Request;
use serde_json::{Value, json};
use std::process::Command;

#[test]
fn a_position_is_told_with_its_mixtures() {
    let place = Place::new();
    let rules = game("rock_paper_scissors.gdl");
    let built = place.answers(&format!(
        "table build {rules} --mixed --output hands --quiet"
    ));
    assert!(
        built.starts_with("50 % (1/2)\n1 states in 1 layer, "),
        "{built}"
    );
    assert_eq!(
        place.answers("table probe hands --moves"),
        "50 % (1/2) with 1 step left
* 50 %  paper     1/2
* 50 %  rock      1/2
* 50 %  scissors  1/2
the role mixes: paper 1/3, rock 1/3, scissors 1/3
against it: paper 1/3, rock 1/3, scissors 1/3
"
    );
    let told: Value =
        serde_json::from_str(&place.answers("table probe hands --moves --json")).expect("JSON");
    let mixtures = &told["entries"][0]["mixtures"];
    assert_eq!(mixtures["opponents"][0]["move"], json!(["paper"]), "{told}");
    assert_eq!(mixtures["player"][2]["probability"]["den"], "3", "{told}");
    let info = place.answers("table info hands");
    let said = "rock_paper_scissors: win of ann, where nobody knows the others' moves of a step\n";
    assert!(info.starts_with(said), "{info}");
    let verified = place.answers("table verify hands --all --seed 1");
    assert!(
        verified.contains("values of all 1 states follow"),
        "{verified}"
    );
    let mut script = Command::new(root().join("docs/examples/read-table"));
    let read = end(script.arg(place.path("hands")));
    assert!(read.out.ends_with(",1/2\n"), "{read:?}");
}

#[test]
fn a_table_answers_questions_of_its_order_of_moves() {
    let place = Place::new();
    let rules = game("unequal_pennies.gdl");
    place.answers(&format!(
        "table build {rules} --mixed --output mixed --quiet"
    ));
    place.answers(&format!("table build {rules} --output known --quiet"));
    let (mixed, known) = (
        "of another order of moves: all at the same time (mixed), not",
        "of another order of moves: the role's before its opponents' (not mixed), not",
    );
    for (command, code, said) in [
        (format!("table build {rules} --output mixed"), 2, mixed),
        (
            format!("table build {rules} --output known --mixed"),
            2,
            known,
        ),
        (format!("evaluate {rules} --table mixed"), 65, mixed),
        (format!("evaluate {rules} --table known --mixed"), 65, known),
        (
            format!("explore {rules} --table mixed --no-browser"),
            2,
            mixed,
        ),
        (
            format!(
                "table build {} --output new --mixed",
                game("endless_rock_paper_scissors.gdl")
            ),
            2,
            "say how many steps count",
        ),
    ] {
        place.refuses(&command, code, said);
    }
}

#[test]
fn an_evaluator_says_the_same_with_and_without_a_table() {
    let place = Place::new();
    let rules = game("goofspiel_3.gdl");
    place.answers(&format!(
        "table build {rules} --mixed --objective points --output values --quiet"
    ));
    let start = |options: &str| {
        let command = format!("evaluate {rules} --mixed --objective points --quiet {options}");
        Client::start(place.command(&command), PATIENCE).expect("an evaluator")
    };
    let (mut with, mut without) = (start("--table values"), start(""));
    assert_eq!(with.greeting().engine, "table");
    let step = |moves: [&str; 3]| moves.map(str::to_owned).to_vec();
    for history in [
        vec![],
        vec![step(["wait", "wait", "(turn 2)"])],
        vec![
            step(["wait", "wait", "(turn 2)"]),
            step(["(bid 1)", "(bid 2)", "(turn 1)"]),
        ],
    ] {
        for (role, is_there) in [(None, true), (Some("right".to_owned()), false)] {
            let request = Request {
                history: Some(history.clone()),
                role,
                ..Request::default()
            };
            let found = with.evaluate(request.clone(), PATIENCE).expect("an answer");
            let expected = without.evaluate(request, PATIENCE).expect("an answer");
            assert_eq!(found.worth, expected.worth, "{history:?}");
            let moves = |moves: &Option<Vec<evaluator::MoveReply>>| format!("{moves:?}");
            assert_eq!(moves(&found.moves), moves(&expected.moves), "{history:?}");
            assert_eq!(found.best, expected.best, "{history:?}");
            assert_eq!(found.states == 0, is_there, "{history:?}");
        }
    }
}
