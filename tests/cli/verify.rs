//! `verify`: strategies proved and refused.

use super::games::SMALLEST;
use super::{Place, game};
use crate::common::evaluator_client::Client;
use evaluator::Request;
use serde_json::Value;
use std::time::Duration;

/// A strategy for the game of the paper's first figure, which is worth 2/3.
const FIGURE_1: &str = r#"{"format":"sqasp-strategy","version":1,"game":"figure_1",
    "rules_sha256":"811d751cfd4ceafd40b11906230fe8340a54ce353db05f8a2effcaccab70d9b7",
    "roles":["xplayer","oplayer","random"],"role":"xplayer","depth":1,"objective":"win",
    "start":["unspun"],"value":"2/3",
    "player":[{"state":["unspun"],"move":"(bet left)","value":"2/3"}],
    "opponents":[{"state":["unspun"],"value":"2/3","answers":[
        {"move":"(bet left)","reply":{"oplayer":"watch"},"value":"2/3"},
        {"move":"(bet right)","reply":{"oplayer":"watch"},"value":"1/3"}]}]}"#;

#[test]
fn a_strategy_is_proved() {
    let place = Place::new();
    place.write("strategy.json", FIGURE_1);
    let command = format!("verify {} strategy.json", game("figure_1.gdl"));
    let text = place.answers(&command);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "66.6667 % (2/3)");
    let start = "xplayer can guarantee winning with this probability within 1 step (proved from \
                 both sides; 3 positions on the role's side, 3 on the opponents', ";
    assert!(lines[1].starts_with(start), "{text}");
    assert_eq!(lines.len(), 2, "{text}");
    let object: Value = serde_json::from_str(&place.answers(&format!("{command} --json"))).unwrap();
    assert_eq!(object["status"], "proved");
    for field in ["value", "lower", "upper", "promised"] {
        assert_eq!(object[field]["num"], "2", "{object}");
        assert_eq!(object[field]["den"], "3", "{object}");
    }
    assert_eq!(object["stats"]["player_positions"], 3, "{object}");
}

/// The start is worth nothing to x. Once o has made a mistake, x takes 1 and must not stay for ever, which is as good a move at each moment.
#[test]
fn play_gets_somewhere_behind_a_position_that_is_worth_nothing() {
    const RULES: &str = "(role x) (role o) (init a)
        (<= (legal x stay) (true b)) (<= (legal x win) (true b)) (<= (legal x noop) (true a))
        (<= (legal o hold) (true a)) (<= (legal o err) (true a)) (<= (legal o noop) (true b))
        (<= (next a) (true a) (does o hold)) (<= (next b) (true a) (does o err))
        (<= (next b) (true b) (does x stay)) (<= (next w) (true b) (does x win))
        (<= terminal (true w)) (<= (goal x 100) (true w)) (<= (goal x 0) (not (true w))) (<= (goal o 0))";
    let place = Place::new();
    place.write("mistake.gdl", RULES);
    place.answers("solve mistake.gdl --role x --strategy s.json");
    let text = place.answers("verify mistake.gdl s.json");
    assert!(
        text.starts_with("0 %\n") && text.contains("proved from both sides"),
        "{text}"
    );
    let evaluate = place.command("evaluate mistake.gdl --quiet");
    let mut client = Client::start(evaluate, Duration::from_secs(60)).expect("it starts");
    let request = Request {
        state: Some(vec!["b".to_owned()]),
        ..Request::default()
    };
    let answer = client
        .evaluate(request, Duration::from_secs(60))
        .expect("an answer");
    assert_eq!(answer.best.as_deref(), Some("win"));
    let moves = answer.moves.expect("moves");
    assert!(moves.iter().all(|each| each.best), "both are worth 1");
}

#[test]
fn a_wrong_strategy_is_refused_with_the_position() {
    let place = Place::new();
    let command = format!("verify {} strategy.json", game("figure_1.gdl"));
    for (from, to, flaw, message) in [
        (
            "\"move\":\"(bet left)\",\"value\"",
            "\"move\":\"(bet right)\",\"value\"",
            "wrong-value",
            "xplayer's side is wrong: this position is worth 1/3, not 2/3",
        ),
        (
            "\"move\":\"(bet left)\",\"value\"",
            "\"move\":\"fold\",\"value\"",
            "illegal-move",
            "xplayer's side is wrong: xplayer's move fold is not legal here",
        ),
        (
            "\"player\":[{\"state\":[\"unspun\"]",
            "\"player\":[{\"state\":[\"won\"]",
            "missing",
            "xplayer's side is wrong: nothing is listed for this position",
        ),
        (
            "\"move\":\"(bet right)\"",
            "\"move\":\"(bet none)\"",
            "no-answer",
            "the opponents' side is wrong: there is no answer to the legal move (bet right)",
        ),
        (
            "\"1/3\"",
            "\"1/4\"",
            "wrong-value",
            "the opponents' side is wrong: the move (bet right) is worth 1/3 here, not 1/4",
        ),
        (
            "\"start\":[\"unspun\"],\"value\":\"2/3\"",
            "\"start\":[\"unspun\"],\"value\":\"3/4\"",
            "broken-promise",
            "xplayer's side is wrong: this is worth 2/3, not 3/4 as promised",
        ),
    ] {
        assert!(FIGURE_1.contains(from), "{from}");
        place.write("strategy.json", FIGURE_1.replacen(from, to, 1));
        let ended = place.run(&command);
        assert_eq!(ended.code, Some(65), "{to}: {ended:?}");
        assert!(ended.out.contains(message), "{to}: {ended:?}");
        let place_of_it = "at the start\nin the state: unspun\nwith 1 step left\n";
        assert!(ended.out.contains(place_of_it), "{to}: {ended:?}");
        let ended = place.run(&format!("{command} --json"));
        assert_eq!(ended.code, Some(65), "{to}: {ended:?}");
        let object: Value = serde_json::from_str(&ended.out).expect("one JSON object");
        assert_eq!(object["status"], "refused");
        assert_eq!(object["refusal"]["flaw"], flaw, "{object}");
        assert_eq!(object["refusal"]["state"][0], "unspun", "{object}");
        assert_eq!(object["refusal"]["steps"], 1, "{object}");
        assert!(object["value"].is_null(), "{object}");
    }
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let place = Place::new();
    let figure_1 = game("figure_1.gdl");
    place.write("strategy.json", FIGURE_1);
    place.write("game.gdl", SMALLEST);
    place.write("broken.json", &FIGURE_1[..100]);
    let rows = [
        (
            "verify game.gdl strategy.json".to_owned(),
            65,
            "made for other rules",
        ),
        (
            format!("verify {figure_1} broken.json"),
            65,
            "broken.json: this is no strategy",
        ),
        (
            format!("verify {figure_1} nowhere.json"),
            66,
            "cannot read nowhere.json",
        ),
        (
            "verify - -".to_owned(),
            2,
            "cannot both come from standard input",
        ),
    ];
    for (command, code, fragment) in rows {
        place.refuses(&command, code, fragment);
    }
}

#[test]
fn limits_leave_bounds() {
    let place = Place::new();
    place.write("strategy.json", FIGURE_1);
    let command = format!("verify {} strategy.json --time 0", game("figure_1.gdl"));
    let ended = place.run(&command);
    assert_eq!(ended.code, Some(75), "{ended:?}");
    assert!(
        ended.out.starts_with("[0 %, 100 %]\nxplayer can guarantee"),
        "{ended:?}"
    );
    assert!(
        ended.out.contains("bounds: the time limit was reached"),
        "{ended:?}"
    );
    let object: Value = serde_json::from_str(&place.run(&format!("{command} --json")).out).unwrap();
    assert_eq!(object["status"], "bounds");
    assert_eq!(object["stopped_by"], "time");
}
