//! Pages of games that hide something: a position as a role knows it.

use super::{Explorer, assert_error};
use crate::common::evaluator_client::Client;
use crate::common::root;
use gdl::game::joint_moves;
use serde_json::{Value, json};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn a_role_knows_what_it_did_and_saw() {
    let explorer = Explorer::start("hidden_kuhn_poker.gdl");
    let game = explorer.post("game", &json!({}));
    assert_eq!(game["is_hidden"], true);
    assert_eq!(game["objectives"][1]["name"], "points", "{game}");
    let know = |role: &str, moves: Value| {
        let body = json!({"history": moves, "role": role});
        explorer.post("knowledge?asker=a.knowledge&objective=1", &body)
    };
    let start = know("ann", json!([]));
    let value = |bounds: &Value| format!("{}/{}", bounds["num"], bounds["den"]).replace('"', "");
    assert_eq!(value(&start["game"]["value"]), "-1/18", "{start}");
    assert_eq!(value(&start["value"]), "-1/18", "{start}");
    assert_eq!(
        start["states"],
        json!([{"facts": [], "probability": start["states"][0]["probability"]}])
    );
    // With a queen ann checks, and bob has one of two cards.
    let deal = json!(["noop", "noop", "(deal queen jack)"]);
    let dealt = know("ann", json!([deal]));
    assert_eq!(dealt["steps"], json!([{"move": "noop", "sees": ["queen"]}]));
    assert_eq!(dealt["known"], json!(["(holds ann queen)", "(turn first)"]));
    let states = dealt["states"].as_array().expect("a list");
    let cards: Vec<String> = states
        .iter()
        .map(|state| format!("{} {}", state["facts"], value(&state["probability"])))
        .collect();
    assert_eq!(
        cards,
        [r#"["(holds bob jack)"] 1/2"#, r#"["(holds bob king)"] 1/2"#]
    );
    let moves = dealt["moves"].as_array().expect("a list");
    let played: Vec<String> = moves
        .iter()
        .map(|each| {
            format!(
                "{} {} {}",
                each["move"],
                value(&each["probability"]),
                value(&each["value"])
            )
        })
        .collect();
    assert_eq!(
        played,
        [r#""bet" 0/1 -1/2"#, r#""check" 1/1 -1/3"#],
        "{dealt}"
    );
    assert_eq!(dealt["opponents"], json!(["bob"]));
    assert_eq!(dealt["replies"][0]["moves"], json!(["noop"]));
    // After the check bob, with a jack, bluffs in one case of three.
    let checked = know("ann", json!([deal, ["check", "noop", "noop"]]));
    let bluff = checked["replies"].as_array().expect("a list").iter();
    let bluff = bluff.filter(|reply| reply["moves"] == json!(["bet"]));
    let bluff: Vec<String> = bluff.map(|reply| value(&reply["probability"])).collect();
    assert_eq!(bluff, ["1/3"], "{checked}");
    // A bet makes a king likely: a jack bets in one case of three, a king always.
    let raised = know(
        "ann",
        json!([deal, ["check", "noop", "noop"], ["noop", "bet", "noop"]]),
    );
    let king = &raised["states"][0];
    assert_eq!(
        (&king["facts"], value(&king["probability"])),
        (&json!(["(holds bob king)"]), "3/4".to_owned())
    );
    let over = json!([deal, ["check", "noop", "noop"], ["noop", "check", "noop"]]);
    let over = know("ann", over);
    assert_eq!(value(&over["value"]), "1/1", "{over}");
    assert_eq!(over["states"], json!([]));
    let wrong = know("ann", json!([["noop", "noop", "(deal ace jack)"]]));
    assert_error(&wrong, "(deal ace jack)");
    let state = json!({"state": ["(turn deal)"]});
    let from = explorer.post("knowledge?asker=a&objective=1", &state);
    assert_eq!(value(&from["value"]), "-1/18", "{from}");
    let shells = Explorer::start("hidden_endless_shells.gdl");
    let endless = shells.post("knowledge?asker=a", &json!({"history": []}));
    assert_eq!(value(&endless["value"]), "3/5", "{endless}");
    let open = Explorer::start("last_stone.gdl").post("knowledge?asker=a", &json!({"history": []}));
    assert_error(&open, "hide nothing");
}

/// A game that cannot be solved soon has bounds, and another question ends the work for it.
#[test]
fn a_large_game_that_hides_something_has_bounds_and_can_be_left() {
    let explorer = Explorer::start("hidden_liars_dice.gdl");
    let ask = |role: &str, time: f64| {
        let body = json!({"history": [], "role": role, "time": time});
        let begin = Instant::now();
        let told = explorer.post("knowledge?asker=a.knowledge", &body);
        (told, begin.elapsed())
    };
    let roles = explorer.post("game", &json!({}))["roles"].clone();
    let [first, second] = [0, 1].map(|at| roles[at].as_str().expect("a role"));
    let (told, _) = ask(first, 0.0);
    assert_eq!(told["is_open"], true, "{told}");
    assert!(
        told["remark"]
            .as_str()
            .expect("text")
            .contains("the time limit"),
        "{told}"
    );
    thread::scope(|scope| {
        let waiting = scope.spawn(|| ask(first, 30.0));
        thread::sleep(Duration::from_millis(50));
        let (other, took) = ask(second, 0.0);
        assert_eq!(other["is_open"], true, "{other}");
        assert!(took < Duration::from_secs(20), "{took:?}");
        let (left, _) = waiting.join().expect("an answer");
        let is_ended = left["error"].is_string() || left["game"].is_object();
        assert!(is_ended, "{left}");
    });
}

/// All plays of Kuhn's poker, as both players know them: the evaluator is asked what each did and saw, the explorer about the play.
#[test]
fn the_evaluator_knows_what_the_explorer_tells() {
    let explorer = Explorer::start("hidden_kuhn_poker.gdl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_sqasp"));
    let rules = root().join("games/hidden_kuhn_poker.gdl");
    command
        .arg("evaluate")
        .arg(rules)
        .args(["--objective", "points"]);
    let mut client = Client::start(command);
    let (mut open, mut mixed, mut unknown) = (vec![Vec::<Value>::new()], 0, 0);
    while let Some(history) = open.pop() {
        let position = explorer.post("position", &json!({"history": history}));
        let legal: Vec<Vec<String>> =
            serde_json::from_value(position["legal"].clone()).expect("moves");
        if legal.iter().all(Vec::is_empty) {
            continue;
        }
        for role in ["ann", "bob"] {
            let body = json!({"history": history, "role": role});
            let told = explorer.post("knowledge?asker=a&objective=1", &body);
            let request = json!({"role": role, "information": told["steps"]});
            let found = client.ask(&request);
            assert_ne!(found["status"], "error", "{history:?} {role}: {found}");
            assert_eq!(found["value"], told["value"], "{history:?} {role}: {found}");
            unknown += usize::from(told["value"].is_null());
            let by_move = |list: &Value| -> Vec<(String, Value, Value)> {
                let list = list.as_array().expect("a list").iter();
                let mut list: Vec<_> = list
                    .map(|each| {
                        let name = each["move"].as_str().expect("a move").to_owned();
                        (name, each["probability"].clone(), each["value"].clone())
                    })
                    .collect();
                list.sort_by(|one, other| one.0.cmp(&other.0));
                list
            };
            let moves = by_move(&found["moves"]);
            assert_eq!(
                moves,
                by_move(&told["moves"]),
                "{history:?} {role}: {found}"
            );
            mixed += usize::from(moves.len() > 1 && moves[0].1["den"] == "3");
        }
        let joint = joint_moves(legal.iter().map(Vec::as_slice)).into_iter();
        open.extend(joint.map(|made| [&history[..], &[json!(made)]].concat()));
    }
    assert!(mixed > 0, "nobody bluffs");
    println!("{unknown} without a worth");
}
