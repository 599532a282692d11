//! Pipes with a name: what waits for one ends with its limit, or by a signal.

use crate::cli::{Ended, LATE, Place, game};
use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// A game whose value is found at once.
const ANSWER: &str = "66.6667 % (2/3)\n";

fn question() -> String {
    format!("solve {} --depth 4", game("monty_hall_unseen.gdl"))
}

/// A pipe with a name.
fn pipe(place: &Place, name: &str) {
    let made = Command::new("mkfifo").arg(place.path(name)).status();
    assert!(made.expect("there is a command mkfifo").success());
}

/// Runs what must end soon, and tells how long it took.
fn soon(place: &Place, arguments: &str) -> Ended {
    let start = Instant::now();
    let ended = place.run(arguments);
    let took = start.elapsed();
    eprintln!("{arguments}: {took:?}");
    assert!(took < LATE, "{arguments}: {took:?}");
    ended.check_manners(arguments);
    ended
}

#[test]
fn pipes_do_not_outlive_a_limit() {
    let place = Place::new();
    pipe(&place, "pipe");
    let question = question();
    let ended = soon(&place, &format!("{question} --strategy pipe --time 0.3"));
    assert_eq!(ended.code, Some(75), "{ended:?}");
    assert!(ended.out.starts_with(ANSWER), "{ended:?}");
    assert!(ended.err.contains("before it was read"), "{ended:?}");
    let ended = soon(&place, "solve pipe --depth 3 --time 0.3");
    assert_eq!(ended.code, Some(75), "{ended:?}");
    assert!(ended.out.starts_with("[0 %, 100 %]\n"), "{ended:?}");
    let stochastic = game("stochastic_ttt.gdl");
    for arguments in [
        format!("translate {stochastic} --depth 3 --to cnf -o pipe --time 0.3"),
        format!("solve {stochastic} --depth 3 --from pipe --time 0.3"),
        format!("verify {stochastic} pipe --time 0.3"),
        "prove pipe --all --time 0.3".to_owned(),
        "plan pipe --time 0.3".to_owned(),
        "solve-program pipe --time 0.3".to_owned(),
        "solve-formula pipe --time 0.3".to_owned(),
    ] {
        let ended = soon(&place, &arguments);
        assert_eq!(ended.code, Some(75), "{arguments}: {ended:?}");
    }
}

#[test]
fn signals_end_what_waits_for_a_pipe() {
    let place = Place::new();
    pipe(&place, "pipe");
    let stochastic = game("stochastic_ttt.gdl");
    for arguments in [
        format!("{} --strategy pipe", question()),
        format!("translate {stochastic} --depth 3 --to cnf -o pipe"),
        "solve pipe --depth 3".to_owned(),
        "plan pipe".to_owned(),
        "solve-formula pipe".to_owned(),
        "check pipe".to_owned(),
    ] {
        let (ended, late) = place.signalled(&arguments, "TERM", Duration::from_millis(400));
        assert!(late < LATE, "{arguments}");
        assert_ne!(ended.code, Some(0), "{arguments}: {ended:?}");
    }
}

#[test]
fn pipes_carry_what_is_written_and_read() {
    let place = Place::new();
    pipe(&place, "pipe");
    let path = place.path("pipe");
    let reader = thread::spawn(move || fs::read_to_string(path).expect("a pipe"));
    place.answers(&format!("{} --strategy pipe", question()));
    let strategy = reader.join().expect("the reader ends");
    assert!(
        strategy.contains("\"sqasp-strategy\"") || strategy.contains("\"role\""),
        "{strategy}"
    );
    let (path, rules) = (place.path("pipe"), game("monty_hall_unseen.gdl"));
    let rules = fs::read(rules).expect("our own game");
    let writer = thread::spawn(move || fs::write(path, rules).expect("a pipe"));
    let text = place.answers("solve pipe --depth 4");
    assert!(text.starts_with(ANSWER), "{text}");
    writer.join().expect("the writer ends");
}
