//! `plan`: what is printed, and what is refused.

use super::{Place, game};
use serde_json::{Value, json};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Forty lamps, of which two neighbours are switched at a time, so that one alone is never on. Giving up
/// ends it.
fn endless() -> String {
    let lamps: Vec<String> = (0..40).map(|n| format!("(pair {n} {})", n + 1)).collect();
    format!(
        "(role p) {} (init ready) (legal p give_up) (<= (legal p (push ?x)) (pair ?x ?y))
        (<= (lamp ?x) (pair ?x ?y)) (<= (lamp ?y) (pair ?x ?y))
        (<= (turned ?x) (does p (push ?x))) (<= (turned ?y) (does p (push ?x)) (pair ?x ?y))
        (<= (next (on ?x)) (lamp ?x) (true (on ?x)) (not (turned ?x)))
        (<= (next (on ?x)) (turned ?x) (not (true (on ?x))))
        (<= (next ready) (does p (push ?x))) (<= (next over) (does p give_up))
        (<= two (true (on ?x)) (true (on ?y)) (distinct ?x ?y)) (<= one (true (on ?x)))
        (<= solved one (not two)) (<= terminal solved) (<= terminal (true over))
        (<= (goal p 100) solved) (<= (goal p 10) (not solved))",
        lamps.join(" ")
    )
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_plan_is_printed_move_by_move() {
    let place = Place::new();
    let text = place.answers(&format!("plan {}", game("buttons_and_lights.gdl")));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "100 points in 6 moves");
    assert_eq!(lines[1], "   1. switch_first");
    assert_eq!(lines.len(), 8, "{text}");
    let end = "player cannot reach more, and no shorter plan is as good (found by ";
    assert!(lines[7].starts_with(end), "{text}");
}

/// Commands in the comments of `encodings`, such as `sqasp plan GAME --show program > plans.lp`.
#[test]
fn commands_in_encodings_are_accepted() {
    let place = Place::new();
    let mut count = 0;
    for file in std::fs::read_dir(crate::common::root().join("encodings")).expect("a folder") {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("text");
        for line in text.lines().filter(|line| line.starts_with('%')) {
            let Some((_, command)) = line.split_once("sqasp ") else {
                continue;
            };
            let command = command.split(['`', '>']).next().expect("a part");
            place.answers(&command.trim().replace("GAME", &game("one_step_puzzle.gdl")));
            count += 1;
        }
    }
    assert!(count >= 2, "{count} commands");
}

#[test]
fn json_says_what_is_proved() {
    let place = Place::new();
    for engine in ["asp", "search", "auto"] {
        let command = format!(
            "plan {} --engine {engine} --json",
            game("one_step_puzzle.gdl")
        );
        let object = object(&place.answers(&command));
        assert_eq!(object["game"], "one_step_puzzle");
        assert_eq!(object["role"], "player");
        assert_eq!(object["status"], "solved");
        assert_eq!(object["plan"], json!(["put_out"]));
        assert_eq!(
            (&object["goal"], &object["length"]),
            (&json!(100), &json!(1))
        );
        assert_eq!(
            (&object["best"], &object["shortest"]),
            (&json!(true), &json!(true))
        );
        assert_eq!(object["proved_empty_up_to"], 0);
        if engine == "asp" {
            assert_eq!(object["found_by"], "asp");
        }
    }
}

#[test]
fn no_plan_is_an_answer() {
    let place = Place::new();
    let lights = game("buttons_and_lights.gdl");
    let text = place.answers(&format!("plan {lights} --objective win --depth 5"));
    let expected = "no plan\nplayer cannot reach 100 points within 5 moves (proved; ";
    assert!(text.starts_with(expected), "{text}");
    let object = object(&place.answers(&format!("plan {lights} --objective win --depth 5 --json")));
    assert_eq!(object["status"], "none");
    assert_eq!(object["proved_empty_up_to"], 5);
    assert_eq!(object["plan"], Value::Null);
}

#[test]
fn several_plans_are_listed() {
    let place = Place::new();
    let rows = game("factoring_determinate.gdl");
    let all = object(&place.answers(&format!("plan {rows} --plans all --json")));
    assert_eq!(all["plans"].as_array().map(Vec::len), Some(120));
    assert_eq!(all["plans_complete"], true);
    let some = object(&place.answers(&format!("plan {rows} --plans 7 --json")));
    assert_eq!(some["plans"].as_array().map(Vec::len), Some(7));
    assert_eq!(some["plans_complete"], false);
    let text = place.answers(&format!("plan {} --plans all", game("one_step_puzzle.gdl")));
    assert!(
        text.starts_with("1 plan\n100 points in 1 move: put_out\n"),
        "{text}"
    );
}

#[test]
fn plans_start_from_any_state() {
    let place = Place::new();
    place.write("state", "(on 1) (on 2) (pushes 4)");
    let lights = game("buttons_and_lights.gdl");
    let from = object(&place.answers(&format!("plan {lights} --from state --json")));
    // The third light can not be made in two pushes.
    assert_eq!((&from["goal"], &from["length"]), (&json!(0), &json!(2)));
    place.write("state", "(on 2) (on 3) (pushes 4)");
    let from = object(&place.answers(&format!("plan {lights} --from state --json")));
    assert_eq!(
        (&from["goal"], &from["plan"]),
        (&json!(100), &json!(["switch_first"]))
    );
}

#[test]
fn a_limit_and_ctrl_c_leave_the_best_plan_so_far() {
    let place = Place::new();
    place.write("endless.gdl", endless());
    let ended = place.run("plan endless.gdl --time 1 --json");
    assert_eq!(ended.code, Some(75), "{ended:?}");
    let answer = object(&ended.out);
    assert_eq!(answer["status"], "limit");
    assert_eq!(answer["stopped_by"], "time");
    assert_eq!(answer["plan"], json!(["give_up"]));
    assert_eq!(answer["best"], false);
    assert!(answer["proved_empty_up_to"].as_u64() >= Some(1), "{answer}");

    let child = place
        .command("plan endless.gdl")
        .spawn()
        .expect("the command starts");
    super::limits::wait_until_it_listens(&child);
    sleep(Duration::from_millis(700));
    let mut kill = Command::new("kill");
    let killed = kill.arg("-INT").arg(child.id().to_string()).status();
    assert!(killed.expect("there is a command kill").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.starts_with("10 points in 1 move\n   1. give_up\n"),
        "{text}"
    );
    assert!(text.contains("moves or fewer"), "{text}");
    assert!(text.contains("interrupted"), "{text}");
}

#[test]
fn what_cannot_be_stopped_is_not_waited_for() {
    let place = Place::new();
    // Nobody is above the next one in a cycle of seven, but to see that takes clingo's grounder ages.
    let pairs: Vec<String> = (0..90)
        .flat_map(|low| (low + 1..90).map(move |high| format!("(above {high} {low})")))
        .collect();
    let circle: Vec<String> = (0..7)
        .map(|n| format!("(above ?x{n} ?x{})", (n + 1) % 7))
        .collect();
    let rules = format!(
        "(role p) {} (legal p go) (<= (next odd) (does p go) {}) (<= (next over) (does p go))
        (<= terminal (true over)) (<= (goal p 100) (true over))",
        pairs.join(" "),
        circle.join(" ")
    );
    place.write("circle.gdl", rules);
    let begin = Instant::now();
    let ended = place.run("plan circle.gdl --engine asp --time 1 --json");
    assert_eq!(ended.code, Some(75), "{ended:?}");
    assert_eq!(object(&ended.out)["stopped_by"], "time");
    assert!(begin.elapsed() < Duration::from_secs(20), "{ended:?}");
}

/// Two who meet where both go left twice; a plan counts moves of both together.
#[test]
fn a_team_of_all_players_plans_for_them() {
    let place = Place::new();
    place.write(
        "pair.gdl",
        "(role ann) (role bob) (side left) (side right) (init (met 0)) (after 0 1) (after 1 2)
         (<= (legal ?who ?side) (role ?who) (side ?side))
         (<= both (does ann left) (does bob left))
         (<= (next (met ?n)) both (true (met ?m)) (after ?m ?n))
         (<= (next (met ?n)) (true (met ?n)) (not both))
         (<= terminal (true (met 2)))
         (<= (goal ?who 100) (role ?who) (true (met 2)))
         (<= (goal ?who 0) (role ?who) (not (true (met 2))))",
    );
    place.write("first", "(left left)");
    for (options, moves) in [("", 2), ("--after @first", 1)] {
        let ended = place.run(&format!(
            "plan pair.gdl --role bob+ann --plans 1 --json {options}"
        ));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let told = object(&ended.out);
        assert_eq!(told["plan"].as_array().map(Vec::len), Some(moves));
        assert_eq!(told["plan"][0], "(together left left)");
    }
    let ended = place.run("plan pair.gdl --role ann");
    assert!(ended.err.contains("the team `ann+bob`"), "{ended:?}");
}

#[test]
fn games_with_chance_or_others_are_refused_with_what_to_do() {
    let place = Place::new();
    for (file, reason) in [
        ("gambler.gdl", "chance has a part in this game"),
        (
            "tic_tac_toe.gdl",
            "this game has 2 players, so what the others do counts too; solve the game for what one can guarantee, or let the team \
             `xplayer+oplayer` plan for all of them",
        ),
    ] {
        let ended = place.run(&format!("plan {}", game(file)));
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.err.contains(reason), "{ended:?}");
        assert!(ended.err.contains("solve the game for"), "{ended:?}");
        assert_eq!(ended.out, "");
    }
    let lights = game("buttons_and_lights.gdl");
    for (options, reason) in [
        ("--depth many", "--depth"),
        ("--depth -1", "--depth"),
        ("--objective best", "goal>=N"),
        (
            "--role somebody",
            "`somebody` is not a role of this game; its role is player",
        ),
        ("--plans none", "1 or more, or all"),
    ] {
        let ended = place.run(&format!("plan {lights} {options}"));
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.err.contains(reason), "{options}: {}", ended.err);
    }
}

#[test]
fn a_horizon_that_does_not_fit_is_told_with_its_size() {
    let place = Place::new();
    place.write("endless.gdl", endless());
    let ended = place.run("plan endless.gdl --engine asp --depth 1000000 --memory 100M --json");
    assert_eq!(ended.code, Some(75), "{ended:?}");
    assert!(
        ended
            .err
            .contains("grounding 1000000 steps would give about"),
        "{ended:?}"
    );
    assert_eq!(object(&ended.out)["stopped_by"], "memory");
}

#[test]
fn base_in_an_old_form_is_left_out() {
    let place = Place::new();
    let rules = "(role p) (base cell (x 1 2)) (legal p go) (<= (next end) (does p go))
        (<= terminal (true end)) (<= (goal p 100) (true end)) (<= (goal p 0) (not (true end)))";
    place.write("old.kif", rules);
    let ended = place.run("plan old.kif --strict");
    assert_eq!(ended.code, Some(65), "{ended:?}");
    assert!(ended.err.contains("leave `base` out"), "{ended:?}");
    let text = place.answers("plan old.kif");
    assert!(
        text.starts_with("100 points in 1 move\n   1. go\n"),
        "{text}"
    );
}

#[test]
fn the_program_of_plans_is_shown() {
    let place = Place::new();
    let text = place.answers(&format!(
        "plan {} --show program",
        game("buttons_and_lights.gdl")
    ));
    for fragment in [
        "maximizer(player).",
        "#program check(_now).",
        "% -- encodings/planning.lp",
    ] {
        assert!(text.contains(fragment), "{text}");
    }
}
