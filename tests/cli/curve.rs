//! `solve --depth A..B`: values over the number of steps, and a picture of them.

use super::{Place, game};
use serde_json::Value;

#[test]
fn a_range_of_depths_is_a_curve() {
    let place = Place::new();
    let question = format!("solve {} --depth 0..9", game("stochastic_ttt.gdl"));
    let text = place.answers(&format!("{question} --plot curve.svg"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 11, "{text}");
    for (line, expected) in [
        (0, "0    0 %"),
        (4, "4   12.8 %       (16/125)"),
        (5, "5   24.192 %     (756/3125)"),
        (9, "9   42.197 %     (164832/390625)"),
    ] {
        assert_eq!(lines[line], expected, "{text}");
    }
    let last = "xplayer can guarantee winning with these probabilities within 0 to 9 steps (exact; plays that are not over by then count as 0; engine";
    assert!(lines[10].starts_with(last), "{text}");
    let picture = std::fs::read_to_string(place.path("curve.svg")).expect("a picture");
    assert!(picture.starts_with("<svg"), "{picture}");
    assert_eq!(
        picture.matches("<circle").count(),
        10,
        "a mark for each number of steps"
    );

    // Both engines say the same.
    let values = |engine: &str| -> Vec<Value> {
        let text = place.answers(&format!("{question} --json --engine {engine}"));
        let curve: Value = serde_json::from_str(&text).expect("one JSON object");
        assert_eq!(curve["engine"], engine);
        let points = curve["curve"].as_array().expect("a list");
        points.iter().map(|point| point["value"].clone()).collect()
    };
    assert_eq!(values("xssat"), values("emm"));

    // Every point is what one question gives.
    let curve: Value = serde_json::from_str(&place.answers(&format!("{question} --json")))
        .expect("one JSON object");
    assert_eq!(
        (&curve["status"], &curve["depth"]),
        (&"solved".into(), &serde_json::json!([0, 9]))
    );
    let points = curve["curve"].as_array().expect("a list");
    assert_eq!(points.len(), 10);
    for depth in [1_usize, 6, 9] {
        let single = format!(
            "solve {} --depth {depth} --json",
            game("stochastic_ttt.gdl")
        );
        let single: Value = serde_json::from_str(&place.answers(&single)).expect("one JSON object");
        assert_eq!(points[depth]["depth"], depth);
        assert_eq!(points[depth]["value"], single["value"]);
    }
}

#[test]
fn each_role_has_its_curve() {
    let place = Place::new();
    let question = format!("solve {} --depth 0..1 --role all", game("figure_1.gdl"));
    let text = place.answers(&format!("{question} --plot curves.svg"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6, "{text}");
    for (line, start) in [
        (1, "1   66.6667 %    (2/3)"),
        (2, "xplayer can guarantee"),
        (4, "1   33.3333 %    (1/3)"),
        (5, "oplayer can guarantee"),
    ] {
        assert!(lines[line].starts_with(start), "{text}");
    }
    let picture = std::fs::read_to_string(place.path("curves.svg")).expect("a picture");
    assert!(
        ["xplayer", "oplayer"]
            .iter()
            .all(|role| picture.contains(role)),
        "{picture}"
    );
    let json = place.answers(&format!("{question} --json"));
    let curves: Value = serde_json::from_str(&json).expect("an array");
    assert_eq!(curves[1]["role"], "oplayer", "{json}");
    assert_eq!(curves[1]["curve"][1]["value"]["num"], "1", "{json}");
    // A limit ends all of them.
    let squares = game("stochastic_ttt_4x4.gdl");
    let ended = place.run(&format!(
        "solve {squares} --depth 9..16 --role all --time 0.3 --json"
    ));
    assert_eq!(ended.code, Some(75), "{ended:?}");
    let curves: Value = serde_json::from_str(&ended.out).expect("an array");
    assert_eq!(curves.as_array().map(Vec::len), Some(2), "{ended:?}");
    assert_eq!(curves[0]["stopped_by"], "time", "{ended:?}");
}

#[test]
fn a_limit_ends_a_curve_with_bounds() {
    let place = Place::new();
    let question = format!(
        "solve {} --depth 3..16 --engine learning --time 1.5",
        game("stochastic_connect_4.gdl")
    );
    let ended = place.run(&format!("{question} --json --plot curve.svg"));
    assert_eq!(ended.code, Some(75), "{ended:?}");
    let curve: Value = serde_json::from_str(&ended.out).expect("one JSON object");
    assert_eq!(
        (&curve["status"], &curve["stopped_by"]),
        (&"bounds".into(), &"time".into())
    );
    let points = curve["curve"].as_array().expect("a list");
    assert!(points.len() < 14, "{curve}");
    let (last, before) = points.split_last().expect("a point");
    assert!(
        before.iter().all(|point| point["status"] == "solved"),
        "{curve}"
    );
    assert_eq!(last["status"], "bounds");
    // More steps never make less.
    let decimal = |point: &Value| point["lower"]["decimal"].as_f64().expect("a number");
    let lowers: Vec<f64> = points.iter().map(decimal).collect();
    assert!(lowers.is_sorted(), "{curve}");
}

#[test]
fn time_can_run_out_before_the_first_point() {
    let place = Place::new();
    for options in [
        "--time 0",
        "--time 0 --engine xssat",
        "--time 0 --plot curve.svg",
    ] {
        let ended = place.run(&format!(
            "solve {} --depth 1..2 {options}",
            game("figure_1.gdl")
        ));
        assert_eq!(ended.code, Some(75), "{options}: {ended:?}");
        assert!(
            ended.out.starts_with("1  [0 %, 100 %]\n"),
            "{options}: {ended:?}"
        );
        assert!(ended.out.contains("time limit"), "{options}: {ended:?}");
    }
}

#[test]
fn what_makes_no_sense_with_a_range_is_refused() {
    let place = Place::new();
    let file = game("figure_1.gdl");
    for (options, fragment) in [
        ("--depth 1..2 --moves", "--moves is for one number of steps"),
        (
            "--depth 1..2 --format competition",
            "--format competition is for one",
        ),
        ("--depth 2..1", "the range 2..1 is empty"),
        ("--depth 1 --plot curve.svg", "--plot draws several values"),
    ] {
        place.refuses(&format!("solve {file} {options}"), 2, fragment);
    }
    place.refuses(
        &format!("translate {file} --depth 1..2 --to asp"),
        2,
        "many values",
    );
}
