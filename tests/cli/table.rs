//! `table`: built, looked up, checked, exported, and read by a small program.

use super::evaluate::PATIENCE;
use super::{Place, end, game};
use crate::common::evaluator_client::Client;
use crate::common::root;
use crate::tables::files;
use evaluator::Request;
use std::path::Path;
use std::process::Command;

pub(super) fn build(place: &Place, file: &str, folder: &str) -> String {
    let file = game(file);
    place.answers(&format!("table build {file} --output {folder} --quiet"))
}

#[test]
fn little_memory_is_enough_and_changes_no_byte() {
    let place = Place::new();
    let file = "tic_tac_toe_4x4_random_first.gdl";
    build(&place, file, "much");
    let command = format!(
        "table build {} --output little --quiet --memory",
        game(file)
    );
    for threads in [1, 2] {
        // As little as there can be: the program itself takes most of it.
        place.answers(&format!("{command} 1M --threads {threads}"));
        let (much, little) = (files(&place.path("much")), files(&place.path("little")));
        assert!(much == little, "{threads} threads");
        std::fs::remove_dir_all(place.path("little")).expect("a folder");
    }
}

#[test]
fn a_position_is_told_as_json() {
    let place = Place::new();
    build(&place, "stochastic_ttt.gdl", "ttt");
    let told = place.answers("table probe ttt --json");
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let expected = serde_json::json!({
        "game": "stochastic_ttt", "role": "xplayer", "objective": "win", "endless": false,
        "entries": [{"layer": 9, "key": told["entries"][0]["key"],
            "value": {"num": "164832", "den": "390625", "decimal": 0.421_969_92}}],
    });
    assert_eq!(told, expected);
    let told = place.answers("table probe ttt --json --moves");
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let moves = told["entries"][0]["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 9);
    assert_eq!(moves[0]["move"], "(mark 2 2)");
    assert_eq!(moves[0]["value"]["num"], "164832");
}

/// Seven states in a ring, which play leaves from one of them with a chance of 1/20.
const RING: &str = "(role x) (role random) (init (at 0)) (legal x go)
    (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 0)
    (die 1) (die 2) (die 3) (die 4) (die 5) (die 6) (die 7) (die 8) (die 9) (die 10)
    (die 11) (die 12) (die 13) (die 14) (die 15) (die 16) (die 17) (die 18) (die 19) (die 20)
    (<= (legal random (roll ?n)) (die ?n))
    (<= (next over) (true (at 0)) (does random (roll 1)))
    (<= (next (at ?m)) (true (at ?n)) (after ?n ?m) (not leaves))
    (<= leaves (true (at 0)) (does random (roll 1)))
    (<= terminal (true over)) (<= (goal x 100) (true over)) (<= (goal x 0) (not (true over)))";

#[test]
fn a_check_does_not_follow_endless_play_for_ever() {
    let place = Place::new();
    place.write("ring.gdl", RING);
    place.answers("table build ring.gdl --output values --quiet");
    let info = place.answers("table info values");
    let told = place.answers("table verify values --plays 20");
    let number = |text: &str, behind: &str| {
        let before = text.split_once(behind).expect("it is told").0;
        let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next();
        digits
            .and_then(|it| it.parse::<u64>().ok())
            .expect("a number")
    };
    let (states, positions) = (
        number(&info, " states in "),
        number(&told, " positions of "),
    );
    // Of those that are alike, one is in the table.
    assert!(
        positions > 0 && positions <= 10 * states,
        "{positions} of {states}"
    );
}

#[test]
fn the_engine_table_tells_the_longest_play() {
    let place = Place::new();
    let mut script = Command::new(root().join("scripts/dice-game"));
    let printed = end(script.args(["shut-the-box", "--tiles", "6"]));
    place.write("tiles.gdl", printed.out);
    let value = |engine: &str| {
        let told = place.answers(&format!("solve tiles.gdl --engine {engine} --quiet"));
        assert!(told.contains(" within 11 steps, after which"), "{told}");
        told.lines().next().map(str::to_owned)
    };
    assert_eq!(value("table"), value("emm"));
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
fn keys_that_are_told_are_read_by_a_small_program() {
    let place = Place::new();
    build(&place, "stochastic_ttt.gdl", "values");
    let probed = place.answers("table probe values --moves");
    let (first, moves) = probed.split_once('\n').expect("lines");
    assert_eq!(first, "42.197 % (164832/390625) with 9 steps left");
    let best = moves.lines().next().expect("a line");
    let cells: Vec<&str> = best.split_whitespace().collect();
    assert_eq!(
        cells,
        ["*", "42.197", "%", "(mark", "2", "2)", "164832/390625"]
    );
    assert_eq!(moves.lines().count(), 9);
    let told = place.answers("table probe values --json");
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let key = told["entries"][0]["key"].as_str().expect("a key");
    let read = |arguments: &[&str]| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples/read-table");
        let mut command = Command::new(script);
        let ended = end(command.arg(place.path("values")).args(arguments));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.out
    };
    assert_eq!(read(&["9", key]), "164832/390625\n");
    // Every record.
    let all = read(&[]);
    assert_eq!(all.lines().count(), 1583);
    let entry = format!("9,{key},164832/390625");
    assert!(all.lines().any(|line| line == entry), "{all}");
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

/// Both moves of `b` are worth 1, and the first one by its text can go on for ever.
const PATIENT: &str = "(role x) (role o) (init a)
    (<= (legal x stay) (true b)) (<= (legal x win) (true b)) (<= (legal x noop) (true a))
    (<= (legal o (go ?y)) (true a) (way ?y)) (way b) (way c) (<= (legal o noop) (not (true a)))
    (<= (next b) (true a) (does o (go b))) (<= (next b) (true b) (does x stay))
    (<= (next w) (true b) (does x win)) (<= (next w) (true a) (does o (go c)))
    (<= terminal (true w)) (<= (goal x 100) (true w)) (<= (goal x 0) (not (true w))) (goal o 0)";

#[test]
fn the_best_move_by_a_table_ends_play() {
    let place = Place::new();
    place.write("patient.gdl", PATIENT);
    place.answers("table build patient.gdl --output values --quiet");
    for options in ["", "--table values"] {
        let command = place.command(&format!("evaluate patient.gdl --quiet {options}"));
        let mut evaluator = Client::start(command, PATIENCE).expect("an evaluator");
        let history = [["noop".to_owned(), "(go b)".to_owned()].to_vec()].to_vec();
        let request = Request {
            history: Some(history),
            ..Request::default()
        };
        let answer = evaluator.evaluate(request, PATIENCE).expect("an answer");
        let worth: Vec<&str> = (answer.moves.iter().flatten())
            .filter(|each| each.best)
            .map(|each| each.action.as_str())
            .collect();
        assert_eq!(worth, ["win", "stay"], "{options}");
        assert_eq!(answer.best.as_deref(), Some("win"), "{options}");
    }
}

#[test]
fn the_engine_table_gives_values_and_moves() {
    let place = Place::new();
    for (name, options) in [
        ("stochastic_ttt.gdl", ""),
        ("stochastic_ttt.gdl", "--depth 5"),
        ("stochastic_ttt.gdl", "--depth 0"),
        ("pig.gdl", "--objective points"),
        ("figure_1.gdl", "--role oplayer"),
        ("endless_pig.gdl", ""),
    ] {
        let file = game(name);
        let line = |engine: &str| {
            let text = place.answers(&format!("solve {file} -q -e {engine} {options} --moves"));
            // The second line names the engine and the time.
            let lines = text.lines().filter(|line| !line.contains("engine "));
            let mut lines: Vec<String> = lines.map(str::to_owned).collect();
            lines[1..].sort();
            lines
        };
        assert_eq!(line("table"), line("emm"), "{name} {options}");
    }
    assert_eq!(place.files().len(), 0, "what was built is removed");
}
