//! Progress: on a terminal what is known so far, to a pipe nothing.

use super::hard_formula;
use crate::cli::{Place, game};
use ::limits::Progress;
use gdl::game::Unit;
use sqasp::cli::progress::{Speed, progress_text};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs a command with standard error on a terminal, which Python makes, and gives what appeared there.
fn on_a_terminal(place: &Place, arguments: &str) -> String {
    const SCRIPT: &str = "import pty, sys; pty.spawn(sys.argv[1:])";
    let program = env!("CARGO_BIN_EXE_sqasp");
    let command = format!("exec {program} {arguments} > answer");
    let output = Command::new("python3")
        .args(["-c", SCRIPT, "sh", "-c", &command])
        .current_dir(place.path(""))
        .stdin(Stdio::null())
        .output()
        .expect("python3 is installed (scripts/setup --test)");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn progress_is_shown_on_a_terminal() {
    let place = Place::new();
    let squares = format!(
        "solve {} --depth 16 --engine xssat",
        game("stochastic_ttt_4x4.gdl")
    );
    let shown = on_a_terminal(&place, &format!("{squares} --time 4 --format competition"));
    for part in ["playing", " states", "/s, ", " MB", "% full"] {
        assert!(shown.contains(part), "{part}: {shown:?}");
    }
    // The value is 97319359948/152587890625, as in `games/expect.toml`.
    let mut bounds = shown.split("value between ").skip(1).peekable();
    assert!(bounds.peek().is_some(), "{shown:?}");
    for text in bounds {
        // Such as `0 % and 63.78 %`.
        let words: Vec<&str> = text.split_whitespace().take(4).collect();
        let bound = |word: &str| word.parse::<f64>().expect("a number");
        assert!(
            bound(words[0]) <= 63.78 && 63.77 <= bound(words[3]),
            "{shown:?}"
        );
    }
    let answer = std::fs::read_to_string(place.path("answer")).expect("a file");
    assert!(answer.contains("c s type maxprob"), "{answer}");
    // The move that is looked at.
    let connect = game("stochastic_connect_4.gdl");
    let arguments = format!("solve {connect} --depth 16 --moves --time 3 --engine learning");
    let shown = on_a_terminal(&place, &arguments);
    assert!(shown.contains("move 1 of 4, (drop 1): "), "{shown:?}");
    // A user who wants silence gets it.
    let quiet = on_a_terminal(&place, &format!("{squares} --time 1 -q"));
    assert_eq!(quiet, "");
}

#[test]
fn nothing_is_said_to_a_pipe() {
    let place = Place::new();
    place.write("hard", hard_formula());
    let (stochastic, squares) = (game("stochastic_ttt.gdl"), game("stochastic_ttt_4x4.gdl"));
    for (arguments, code) in [
        (
            "solve-formula hard --time 0.7 --engine learning".to_owned(),
            75,
        ),
        (format!("solve {squares} --depth 16 --time 0.7 --json"), 75),
        (format!("solve {stochastic} --depth 9"), 0),
        (format!("solve {stochastic} --depth 9 --moves --json"), 0),
    ] {
        let ended = place.run(&arguments);
        assert_eq!(ended.code, Some(code), "{arguments}: {ended:?}");
        assert_eq!(ended.err, "", "{arguments}");
    }
}

#[test]
fn a_report_says_what_is_known() {
    let mut progress = Progress {
        phase: "searching",
        ..Progress::default()
    };
    assert_eq!(progress_text(&progress, None, None), "searching");
    progress.states = 1_203_456;
    progress.memory = 52_400_000;
    assert_eq!(
        progress_text(&progress, Some(410_000), None),
        "searching: 1203456 states, 410000/s, 52 MB"
    );
    progress.fill = Some(0.314);
    let thirds = ("1/3".parse().unwrap(), "2/3".parse().unwrap());
    assert_eq!(
        progress_text(&progress, None, Some((&thirds, Unit::Percent))),
        "searching: 1203456 states, 52 MB, 31% full, value between 33.3333 % and 66.6667 %"
    );
    let wide = ("0".parse().unwrap(), "99999/100000".parse().unwrap());
    let text = progress_text(&progress, None, Some((&wide, Unit::Number)));
    assert!(text.ends_with("between 0 and 0.99999"), "{text}");
}

#[test]
fn the_rate_is_that_of_the_last_second() {
    let start = Instant::now();
    let mut speed = Speed::default();
    let mut at = |millis, states| speed.rate(states, start + Duration::from_millis(millis));
    assert_eq!(at(0, 100), None);
    assert_eq!(at(500, 300), None);
    assert_eq!(at(2000, 1100), Some(500));
    assert_eq!(at(2500, 9999), Some(500));
    assert_eq!(at(3000, 3100), Some(2000));
    // Counting starts again.
    assert_eq!(at(3500, 5), None);
}
