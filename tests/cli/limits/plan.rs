//! `plan`: a limit or Ctrl-C leaves the best plan so far.

use crate::cli::Place;
use serde_json::{Value, json};
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

    let (ended, _) = place.signalled("plan endless.gdl", "INT", Duration::from_millis(700));
    assert_eq!(ended.code, Some(130));
    let text = ended.out;
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
