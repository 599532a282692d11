//! Time, memory and Ctrl-C: bounds in the form asked for, the right exit code, and soon.

use super::games::COUNTER;
use super::{Ended, Place, game};
use serde_json::Value;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Grounding this never ends.
const ENDLESS: &str = "p(0). p(X+1) :- p(X).";

/// Grounding this takes long inside one rule, where clingo does not look up.
const LARGE_RULE: &str = "p(1..1000). q(X+Y+Z) :- p(X), p(Y), p(Z), X+Y+Z < 0.";

/// A formula no solver finishes: random clauses over hundreds of coins.
fn hard_formula() -> String {
    const VARIABLES: i32 = 400;
    const CLAUSES: usize = 900;
    let mut random = fastrand::Rng::with_seed(1);
    let mut text = format!("p cnf {VARIABLES} {CLAUSES}\n");
    for variable in 1..=VARIABLES {
        text.push_str(&format!("r 0.5 {variable} 0\n"));
    }
    for _ in 0..CLAUSES {
        for _ in 0..3 {
            let variable = random.i32(1..=VARIABLES);
            let sign = if random.bool() { "" } else { "-" };
            text.push_str(&format!("{sign}{variable} "));
        }
        text.push_str("0\n");
    }
    text
}

#[test]
fn time_runs_out_while_solving() {
    let place = Place::new();
    place.write("hard", hard_formula());
    let start = Instant::now();
    let ended = place.run("solve-formula hard --time 0.5 --json");
    assert!(start.elapsed() < Duration::from_secs(5), "{ended:?}");
    assert_eq!(ended.code, Some(75), "{ended:?}");
    let answer: Value = serde_json::from_str(&ended.out).expect("one JSON object");
    assert_eq!(answer["status"], "bounds");
    assert_eq!(answer["stopped_by"], "time");
    let bound = |name: &str| answer[name]["decimal"].as_f64().expect("a number");
    assert!(0.0 <= bound("lower") && bound("lower") <= bound("upper") && bound("upper") <= 1.0);
}

/// A formula that learning does not finish ends in time by itself, and its bounds say something.
#[test]
fn learning_ends_in_time_with_bounds() {
    let place = Place::new();
    place.write("hard", hard_formula());
    for threads in [1, 2] {
        let ended = place.run(&format!(
            "solve-formula hard --time 2 --threads {threads} --json"
        ));
        assert_eq!(ended.code, Some(75), "{ended:?}");
        assert!(!ended.err.contains("cut off"), "{ended:?}");
        let answer: Value = serde_json::from_str(&ended.out).expect("one JSON object");
        let upper = answer["upper"]["decimal"].as_f64().expect("a number");
        assert!(upper < 1.0, "{threads}: {ended:?}");
    }
}

#[test]
fn time_runs_out_before_solving() {
    let place = Place::new();
    place.write("endless.lp", ENDLESS);
    place.write("large.lp", LARGE_RULE);
    place.write("counter.gdl", COUNTER);
    let stochastic = game("stochastic_ttt.gdl");
    let rows = [
        "solve-program endless.lp --time 0.3".to_owned(),
        "solve-program large.lp --time 0.3".to_owned(),
        "solve counter.gdl --depth 2 --time 0.3".to_owned(),
        format!("solve {stochastic} --depth 9 --time 0"),
    ];
    for arguments in rows {
        let start = Instant::now();
        let ended = place.run(&arguments);
        assert!(start.elapsed() < Duration::from_secs(5), "{arguments}");
        assert_eq!(ended.code, Some(75), "{arguments}: {ended:?}");
        assert!(ended.out.starts_with("[0 %, 100 %]\n"), "{ended:?}");
        assert!(ended.out.contains("time limit"), "{ended:?}");
        ended.check_manners(&arguments);
    }
    let translate = "translate counter.gdl --depth 2 --to sdimacs -o out --time 0.3";
    place.refuses(translate, 75, "the time limit was reached");
}

#[test]
fn memory_runs_out() {
    let place = Place::new();
    place.write("endless.lp", ENDLESS);
    place.write("counter.gdl", COUNTER);
    let stochastic = game("stochastic_ttt.gdl");
    let rows = [
        "solve-program endless.lp --memory 30M".to_owned(),
        "solve counter.gdl --depth 2 --memory 30M".to_owned(),
        format!("solve {stochastic} --depth 1000000 --engine xssat"),
    ];
    for arguments in rows {
        let ended = place.run(&arguments);
        assert_eq!(ended.code, Some(75), "{arguments}: {ended:?}");
        assert!(ended.out.starts_with("[0 %, 100 %]\n"), "{ended:?}");
        assert!(ended.out.contains("memory limit"), "{ended:?}");
        assert!(ended.err.contains("rules"), "{ended:?}");
        ended.check_manners(&arguments);
    }
    place.refuses(
        "translate counter.gdl --depth 2 --to sdimacs -o out --memory 30M",
        75,
        "add it, since facts that grow",
    );
    let long = format!("translate {stochastic} --depth 1000000 --to sdimacs -o out");
    place.refuses(&long, 75, "grounding 1000000 steps would give about");
}

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
        "solve {} --depth 16 --engine xssat --time 6",
        game("stochastic_ttt_4x4.gdl")
    );
    let shown = on_a_terminal(&place, &format!("{squares} --format competition"));
    for part in ["playing", " states", "/s, ", " MB", "% full"] {
        assert!(shown.contains(part), "{part}: {shown:?}");
    }
    // The value is 97319359948/152587890625, as in `games/expect.toml`.
    let mut bounds = shown.split("value between ").skip(1).peekable();
    assert!(bounds.peek().is_some(), "{shown:?}");
    for text in bounds {
        let words: Vec<&str> = text.split_whitespace().take(3).collect();
        let bound = |word: &str| word.parse::<f64>().expect("a number");
        assert!(
            bound(words[0]) <= 0.6378 && 0.6377 <= bound(words[2]),
            "{shown:?}"
        );
    }
    let answer = std::fs::read_to_string(place.path("answer")).expect("a file");
    assert!(answer.contains("c s type maxprob"), "{answer}");
    // Which move is looked at.
    let connect = game("stochastic_connect_4.gdl");
    let arguments = format!("solve {connect} --depth 16 --moves --time 3 --engine learning");
    let shown = on_a_terminal(&place, &arguments);
    assert!(shown.contains("move 1 of 4, (drop 1): "), "{shown:?}");
    // Who wants silence gets it.
    let quiet = on_a_terminal(&place, &format!("{squares} -q"));
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
fn signals_end_a_command_with_bounds() {
    let place = Place::new();
    place.write("hard", hard_formula());
    place.write("endless.lp", ENDLESS);
    place.write("large.lp", LARGE_RULE);
    for signal in ["INT", "TERM"] {
        for (arguments, bounds) in [
            ("solve-program endless.lp", "[0 %, 100 %]"),
            (
                "solve-program large.lp --json",
                "\"stopped_by\":\"interrupt\"",
            ),
            ("solve-formula hard", "c s bounds arb frac "),
            ("solve-formula hard --format text", "(bounds: interrupted; "),
        ] {
            let ended = interrupted(&place, arguments, signal);
            assert!(ended.out.contains(bounds), "{arguments}: {ended:?}");
        }
    }
}

#[test]
fn an_interrupted_translation_writes_nothing() {
    let place = Place::new();
    place.write("counter.gdl", COUNTER);
    let before = place.files();
    let arguments = "translate counter.gdl --depth 2 --to sdimacs -o out";
    let ended = interrupted(&place, arguments, "INT");
    ended.check_refusal(arguments, 130, "nothing was written");
    assert_eq!(place.files(), before);
}

/// Runs a command, interrupts it once it listens, and checks how it ends.
fn interrupted(place: &Place, arguments: &str, signal: &str) -> Ended {
    let child = place
        .command(arguments)
        .spawn()
        .expect("the command starts");
    wait_until_it_listens(&child);
    sleep(Duration::from_millis(200));
    let sent = Instant::now();
    let killed = Command::new("kill")
        .args([format!("-{signal}"), child.id().to_string()])
        .status()
        .expect("there is a command kill");
    assert!(killed.success());
    let ended = Ended::new(child.wait_with_output().expect("it ends"));
    assert!(sent.elapsed() < Duration::from_secs(5), "{arguments}");
    assert_eq!(ended.code, Some(130), "{arguments}: {ended:?}");
    ended.check_manners(arguments);
    ended
}

/// Waits until the process handles SIGINT (signal 2), as far as the system tells.
pub(super) fn wait_until_it_listens(child: &Child) {
    let path = format!("/proc/{}/status", child.id());
    for _ in 0..500 {
        let Ok(status) = std::fs::read_to_string(&path) else {
            break;
        };
        let caught = status
            .lines()
            .find_map(|line| line.strip_prefix("SigCgt:"))
            .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        if caught.is_some_and(|mask| mask & (1 << (2 - 1)) != 0) {
            return;
        }
        sleep(Duration::from_millis(10));
    }
    sleep(Duration::from_millis(500));
}

/// Descriptions that take long to read, to play or to prove things about.
fn long_games() -> Vec<(&'static str, String)> {
    let game = "(role x) (init a) (<= (legal x go) (true a)) (<= (next b) (does x go))
        (<= terminal (true b)) (<= (goal x 100) (true b)) (<= (goal x 0) (not (true b)))\n";
    let many = |count: usize, line: &dyn Fn(usize) -> String| {
        let lines: String = (0..count).map(line).collect();
        format!("{game}{lines}")
    };
    let or = "(or (g a) (g b)) ".repeat(6);
    vec![
        (
            "a rule for each number",
            many(60_000, &|n| format!("(<= (r{n} ?x) (r{} ?x))\n", n + 1)),
        ),
        (
            "many rules of each rule",
            many(10_000, &|n| format!("(<= (r{n} ?x) (f ?x) {or})\n")) + "(f a) (g a)",
        ),
        (
            "a rule with many conditions",
            many(1, &|_| {
                let body: String = (0..40_000).map(|n| format!("(f ?x{n})")).collect();
                format!("(<= r {body})")
            }) + "(f a)",
        ),
        (
            "many roles",
            many(10_000, &|n| {
                format!("(role r{n}) (<= (legal r{n} go) (true a)) (goal r{n} 50)\n")
            }),
        ),
        (
            "facts that grow",
            many(20_000, &|n| format!("(<= (q{n} ?y) (true (n ?y)))"))
                + "(init (n z)) (<= (next (n (s ?x))) (true (n ?x)))",
        ),
    ]
}

#[test]
fn games_that_are_long_end_within_their_limits() {
    let place = Place::new();
    for (name, text) in long_games() {
        place.write("game.gdl", text);
        for command in [
            "check game.gdl --time 0.5",
            "check game.gdl --memory 100M --time 2",
            "simulate game.gdl --time 0.5",
            "simulate game.gdl --plays 1000000 --time 0.5",
        ] {
            let begin = Instant::now();
            let ended = place.run(command);
            let took = begin.elapsed();
            assert!(
                matches!(ended.code, Some(0 | 65 | 75)),
                "{name}: {command}: {ended:?}"
            );
            assert!(
                !ended.err.contains("did not stop by itself"),
                "{name}: {command}: {ended:?}"
            );
            // The machine may have other things to do.
            assert!(took < Duration::from_secs(6), "{name}: {command}: {took:?}");
        }
    }
}
