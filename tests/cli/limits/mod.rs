//! Limits: what ends by `--time`, `--memory`, Ctrl-C, or by what the system gives.
//!
//! - `time`, `memory`, `interrupt`: one file for each.
//! - `moves`, `plan`: what is known of each move, and the best plan so far.
//! - `pipes`: files that nobody writes or reads, signals meanwhile.
//! - `progress`: what is told while a command works.
//! - `formulas`: formulas that ask for too much, and files that are broken.
//! - `evaluate`: requests to `evaluate` that ask for too much.

mod evaluate;
mod formulas;
mod interrupt;
mod memory;
mod moves;
mod pipes;
mod plan;
mod progress;
mod time;

use super::{Ended, Place};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// One player counts aloud: the game ends, yet its moves have no bound that rules alone show.
const COUNTER: &str = "
    (role x) (init (count zero)) (<= (legal x (say ?n)) (true (count ?n)))
    (<= (next (count (after ?n))) (does x (say ?n)))
    (<= terminal (true (count (after (after zero)))))
    (<= (goal x 100) terminal) (<= (goal x 0) (not terminal))
";

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

/// A row of lamps, each switched while the one before is on, so that nothing tells soon how long plays
/// are; and a bet.
fn lamps() -> String {
    let mut rules = String::from(
        "(role player) (role random) (legal random heads) (legal random tails) (legal player bet)
         (<= (next won) (does player bet) (does random heads))
         (<= (next lost) (does player bet) (does random tails))
         (<= terminal (true won)) (<= terminal (true lost))
         (<= (goal player 100) (true won)) (<= (goal player 0) (not (true won)))
         (legal player (switch 0)) (<= (legal player (switch ?l)) (after ?k ?l) (true (on ?k)))
         (<= (next (on ?l)) (does player (switch ?l)) (not (true (on ?l))))
         (<= (next (on ?l)) (true (on ?l)) (not (does player (switch ?l))))\n",
    );
    for lamp in 0..40 {
        rules.push_str(&format!("(after {lamp} {}) ", lamp + 1));
    }
    rules
}

/// A game that is nothing but large: `side` to the third facts, each of which a move makes true, three in a row of them win.
fn cube(side: usize) -> String {
    let mut rules = String::from(
        "(role a) (role b) (legal b noop)
         (<= (legal a (set ?x ?y ?z)) (n ?x) (n ?y) (n ?z) (not (true (p ?x ?y ?z))))
         (<= (next (p ?x ?y ?z)) (does a (set ?x ?y ?z))) (<= (next (p ?x ?y ?z)) (true (p ?x ?y ?z)))
         (<= row (true (p ?x ?y 1)) (true (p ?x ?y 2)) (true (p ?x ?y 3)))
         (<= terminal row) (<= (goal a 100) row) (<= (goal a 0) (not row))
         (<= (goal b 100) (not row)) (<= (goal b 0) row)\n",
    );
    for number in 1..=side {
        rules.push_str(&format!("(n {number}) "));
    }
    rules
}

/// How a command ended, and the most memory it had, in bytes, as far as was seen.
pub(super) struct Confined {
    pub(super) ended: Ended,
    pub(super) peak: u64,
}

/// Runs a command with an address space of at most `kilobytes` kilobytes.
pub(super) fn confined(place: &Place, arguments: &[&str], kilobytes: Option<u64>) -> Confined {
    let mut command = match kilobytes {
        None => Command::new(env!("CARGO_BIN_EXE_sqasp")),
        Some(kilobytes) => {
            let mut shell = Command::new("sh");
            let script = format!("ulimit -v {kilobytes} && exec \"$0\" \"$@\"");
            shell.args(["-c", &script, env!("CARGO_BIN_EXE_sqasp")]);
            shell
        }
    };
    let child = command
        .args(arguments)
        .current_dir(place.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let status = format!("/proc/{}/status", child.id());
    let waiting = thread::spawn(move || child.wait_with_output());
    let mut peak = 0;
    while !waiting.is_finished() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let highest = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes =
            highest.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) * 1024);
        thread::sleep(Duration::from_millis(2));
    }
    let output = waiting
        .join()
        .expect("waiting does not panic")
        .expect("it ends");
    Confined {
        ended: Ended::new(output),
        peak,
    }
}
