//! `evaluate` asked for too much: every request gets its reply about when its time is up, with bounds that
//! hold, and the process stays within its memory.
//!
//! `SQASP_TEST_ROUNDS` makes the part with random requests longer, `SQASP_TEST_SEED` repeats it.

use crate::cli::{LATE, Place, fraction, game, wait_until_it_listens};
use crate::common::evaluator_client::Client;
use crate::common::{process_number, send_signal};
use formula::BigRational;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// A play need not end, and chance always decides.
const LADDER: &str = "(role x) (role random) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
    (init (s 0)) (<= (legal x go) (true (s 0))) (legal x stay)
    (legal random r1) (legal random r2) (legal random r3)
    (<= (next (s ?m)) (true (s ?n)) (succ ?n ?m) (does random r1))
    (<= (next (s 0)) (not (does random r1)))
    (<= terminal (true (s 5))) (<= (goal x 100) (true (s 5)))";

/// Everybody moves at the same time, and it matters whether two did the same: no moves are alike.
/// Without chance `p0` wins only if it has to happen.
fn crowd(roles: usize, moves: usize, chances: usize, steps: usize) -> String {
    let mut rules = String::new();
    for role in 0..roles {
        let _ = write!(rules, "(role p{role}) (<= (legal p{role} (go ?m)) (n ?m)) ");
    }
    for number in 0..moves {
        let _ = write!(rules, "(n {number}) ");
    }
    for number in 0..chances {
        let _ = write!(rules, "(c {number}) ");
    }
    for step in 0..steps {
        let _ = write!(rules, "(succ {step} {}) ", step + 1);
    }
    if chances > 0 {
        rules += "(role random) (<= (legal random (die ?c)) (c ?c))
            (<= (next (eye ?c)) (does random (die ?c)))
            (<= same (true (eye ?c)) (true (last ?p ?c))) ";
    }
    let _ = write!(
        rules,
        "(init (t 0)) (<= (next (t ?b)) (true (t ?a)) (succ ?a ?b))
        (<= (next (last ?p ?m)) (does ?p (go ?m)))
        (<= same (true (last ?p ?m)) (true (last ?q ?m)) (distinct ?p ?q))
        (<= terminal (true (t {steps}))) (<= (goal p0 100) same) (<= (goal p0 0) (not same)) "
    );
    for role in 1..roles {
        let _ = write!(
            rules,
            "(<= (goal p{role} 0) same) (<= (goal p{role} 100) (not same)) "
        );
    }
    rules
}

fn start(place: &Place, rules: &str, arguments: &str) -> Client {
    place.write("greedy.gdl", rules);
    Client::start(place.command(&format!("evaluate greedy.gdl --quiet {arguments}")))
}

/// The reply to a request, which must come about when its time is up.
fn ask(client: &mut Client, request: &Value) -> Value {
    let start = Instant::now();
    let reply = client.ask(request);
    let time = Duration::from_secs_f64(request["time"].as_f64().unwrap_or(0.0));
    let taken = start.elapsed();
    assert!(taken < time + LATE, "{request} took {taken:?}: {reply}");
    reply
}

/// Memory in bytes: now (`VmRSS`), or at most so far (`VmHWM`).
fn memory(client: &Client, field: &str) -> u64 {
    process_number(client.process(), field) * 1024
}

/// Ends it, and checks that it took about this much memory at most.
fn end(client: Client, allowed: u64) {
    let most = memory(&client, "VmHWM:");
    assert!(most < allowed + allowed / 4 + 100_000_000, "{most} bytes");
    assert_eq!(client.close(), Some(0));
}

/// The bounds of a reply that has some.
fn bounds(reply: &Value) -> (BigRational, BigRational) {
    let bound = |name: &str| fraction(&reply[name]).expect("a fraction");
    let (zero, one) = (
        BigRational::from_integer(0.into()),
        BigRational::from_integer(1.into()),
    );
    let (lower, upper) = (bound("lower"), bound("upper"));
    assert!(zero <= lower && lower <= upper && upper <= one, "{reply}");
    (lower, upper)
}

#[test]
fn deep_questions_end_in_time() {
    let place = Place::new();
    let mut asked = start(&place, LADDER, "--memory 200M");
    for (depth, time) in [
        (1_000_000, 1.0),
        (100_000, 0.5),
        (10_000, 60.0),
        (1_000, 60.0),
    ] {
        let reply = ask(&mut asked, &json!({"depth": depth, "time": time}));
        let (lower, _) = bounds(&reply);
        let solved = depth == 1_000;
        assert_eq!(reply["status"] == "solved", solved, "{reply}");
        // The bound known after ten thousand steps is more than nothing, if there was time for them.
        let has_time = depth <= 10_000 && reply["stopped_by"] != "time";
        assert!(
            !has_time || lower > BigRational::from_integer(0.into()),
            "{reply}"
        );
    }
    end(asked, 200_000_000);
}

#[test]
fn joint_moves_without_number_end_in_time() {
    let place = Place::new();
    for (roles, moves, chances) in [
        (10, 10, 0),
        (25, 2, 0),
        (8, 8, 0),
        (5, 20, 0),
        (2, 200, 200),
    ] {
        let rules = crowd(roles, moves, chances, 2);
        let mut asked = start(&place, &rules, "--memory 200M");
        for request in [
            json!({"id": 1, "depth": 2, "time": 0.3}),
            json!({"id": 2, "depth": 1, "time": 0.2, "moves": false, "role": "p1"}),
            json!({"id": 3, "time": 0.2}),
        ] {
            let reply = ask(&mut asked, &request);
            assert_eq!(reply["id"], request["id"]);
            assert_eq!(
                reply["status"], "bounds",
                "{roles} roles: {request} {reply}"
            );
            bounds(&reply);
        }
        // It hears a stop, and goes on.
        asked.write(&json!({"id": 4, "depth": 2, "time": 60}));
        std::thread::sleep(Duration::from_millis(200));
        let start = Instant::now();
        asked.write(&json!({"id": 5, "command": "stop"}));
        assert_eq!(asked.line(LATE)["stopped_by"], "interrupt");
        assert_eq!(asked.line(LATE)["status"], "stopped");
        assert!(start.elapsed() < LATE);
        assert_eq!(ask(&mut asked, &json!({"depth": 0}))["status"], "solved");
        end(asked, 200_000_000);
    }
}

/// Moves with equal effects are valued once, so that ten roles of ten moves are no trouble where only one
/// of them matters.
#[test]
fn moves_that_change_nothing_cost_nothing() {
    let place = Place::new();
    let mut rules = crowd(10, 10, 0, 2);
    rules = rules.replace(
        "(<= same (true (last ?p ?m)) (true (last ?q ?m)) (distinct ?p ?q))",
        "",
    );
    rules += "(<= same (true (last p0 0)) (true (last p1 1)))";
    let mut asked = start(&place, &rules, "");
    let reply = ask(&mut asked, &json!({"depth": 2, "time": 60}));
    assert_eq!(reply["status"], "solved", "{reply}");
    assert_eq!(reply["value"]["num"], "0");
    assert_eq!(reply["moves"].as_array().map(Vec::len), Some(10));
    end(asked, 1_000_000_000);
}

#[test]
fn a_signal_ends_it_while_it_waits_and_while_it_works() {
    let place = Place::new();
    for (works, signal) in [(false, "INT"), (true, "INT"), (true, "TERM")] {
        let mut asked = start(&place, &crowd(8, 8, 0, 2), "");
        wait_until_it_listens(asked.process());
        if works {
            asked.write(&json!({"id": 1, "depth": 2}));
            std::thread::sleep(Duration::from_millis(500));
        }
        let sent = Instant::now();
        send_signal(asked.process(), signal);
        if works {
            let reply = asked.line(LATE);
            assert_eq!(reply["stopped_by"], "interrupt", "{reply}");
            bounds(&reply);
        }
        assert_eq!(asked.code(), Some(130), "{signal}");
        assert!(sent.elapsed() < LATE, "{signal}");
    }
}

/// The same games solved: exactly, by a formula, where nobody insists on a search; within the limits where
/// somebody does.
#[test]
fn joint_moves_without_number_are_no_trouble_for_solve() {
    let place = Place::new();
    for (roles, moves, value) in [(10, 10, "0 %"), (25, 2, "100 %")] {
        place.write("crowd.gdl", crowd(roles, moves, 0, 2));
        let out = place.answers("solve crowd.gdl --depth 2 --quiet --memory 300M");
        assert!(out.starts_with(value), "{out}");
        for more in ["", "--moves"] {
            let start = Instant::now();
            let arguments =
                "solve crowd.gdl --engine emm --depth 2 --time 0.5 --memory 300M --quiet";
            let ended = place.run(&format!("{arguments} {more}"));
            assert_eq!(ended.code, Some(75), "{ended:?}");
            assert!(ended.out.starts_with("[0 %, 100 %]"), "{ended:?}");
            assert!(start.elapsed() < LATE, "{more}");
        }
    }
}

/// Data of a request that is refused, or is about unknown states, is not kept.
#[test]
fn refused_requests_leave_nothing_behind() {
    let place = Place::new();
    let rules = std::fs::read_to_string(game("figure_1.gdl")).expect("our own game");
    for rules in [rules.as_str(), super::COUNTER] {
        let mut asked = start(&place, rules, "--memory 20M");
        let mut after_some = 0;
        for round in 0..150 {
            let name = format!("unknown{round}x{}", "y".repeat(1000));
            let facts: Vec<String> = (0..400)
                .map(|n| format!("({name} {n} {name}{n})"))
                .collect();
            let reply = ask(&mut asked, &json!({"state": facts, "depth": 1}));
            let is_refused = rules != super::COUNTER;
            assert_eq!(reply["code"] == "position", is_refused, "{reply}");
            if round == 30 {
                after_some = memory(&asked, "VmRSS:");
            }
        }
        // 150 requests of 800 kilobytes.
        let after = memory(&asked, "VmRSS:");
        assert!(
            after < after_some + 30_000_000,
            "{after_some} to {after} bytes"
        );
        end(asked, 20_000_000);
    }
}

/// A game whose rules fail in some state has no value there, and the next request is answered.
#[test]
fn a_game_that_fails_is_told_by_its_code() {
    let place = Place::new();
    // No circuit, since the age grows for ever; nobody can move at the age of two.
    let rules = "(role x) (init (age zero)) (<= (legal x wait) (true (age zero)))
        (<= (legal x wait) (true (age (after zero))))
        (<= (next (age (after ?n))) (true (age ?n)))
        (<= terminal (true (age (after (after (after zero))))))
        (<= (goal x 100) terminal) (<= (goal x 0) (not terminal))";
    let mut asked = start(&place, rules, "");
    let reply = ask(&mut asked, &json!({"depth": 5}));
    assert_eq!(reply["code"], "game", "{reply}");
    let message = reply["message"].as_str().expect("text");
    assert!(message.contains("(age (after (after zero)))"), "{reply}");
    assert_eq!(ask(&mut asked, &json!({"depth": 1}))["status"], "solved");
}

/// A random game in which much can be asked for.
fn random_rules(random: &mut fastrand::Rng) -> String {
    if random.u8(0..5) == 0 {
        return LADDER.to_owned();
    }
    let roles = random.usize(1..=25);
    let moves = match random.u8(0..3) {
        0 => random.usize(1..=3),
        1 => random.usize(1..=20),
        _ => random.usize(1..=200) / roles + 1,
    };
    let chances = match random.u8(0..3) {
        0 => 0,
        1 => random.usize(2..=6),
        _ => random.usize(2..=300),
    };
    crowd(roles, moves, chances, random.usize(1..=4))
}

/// A random request, most of which make sense.
fn random_request(random: &mut fastrand::Rng, rules: &str) -> Value {
    let mut request = json!({"id": random.u32(..), "time": random.u32(0..4) as f64 * 0.05});
    let depths = [0, 1, 2, 3, 5, 100, 600, 10_000, 100_000, 1_000_000];
    let depth = depths[random.usize(..depths.len())];
    if random.u8(0..10) > 0 {
        request["depth"] = depth.into();
    }
    request["moves"] = random.bool().into();
    if !rules.contains("(role x)") && random.bool() {
        request["role"] = format!("p{}", random.u8(0..3)).into();
    }
    match random.u8(0..12) {
        0 => request["state"] = json!([]),
        1 => request["state"] = json!(["(t 0)", "(t 1)", "(last p0 0)", "(last p1 0)"]),
        2 => request["state"] = json!(["(nobody knows this)"]),
        3 => request["history"] = json!([["(go 0)"]]),
        _ => {}
    }
    request
}

#[test]
fn random_greed_gets_its_replies() {
    let seed = std::env::var("SQASP_TEST_SEED").map_or_else(
        |_| fastrand::u64(..1 << 40),
        |text| text.parse().expect("a number"),
    );
    let rounds = crate::common::rounds(8);
    eprintln!("seeds {seed} to {}", seed + rounds - 1);
    for seed in seed..seed + rounds {
        let mut random = fastrand::Rng::with_seed(seed);
        let place = Place::new();
        let rules = random_rules(&mut random);
        let memory = [100, 200, 400][random.usize(..3)];
        let arguments = format!("--memory {memory}M");
        println!("seed {seed}: {} bytes of rules, {arguments}", rules.len());
        let mut asked = start(&place, &rules, &arguments);
        // All replies about one question have a value in common.
        let mut known: BTreeMap<String, (BigRational, BigRational)> = BTreeMap::new();
        for _ in 0..25 {
            let request = random_request(&mut random, &rules);
            let reply = ask(&mut asked, &request);
            assert_eq!(reply["id"], request["id"], "{request} {reply}");
            if reply["status"] == "error" {
                assert_ne!(reply["code"], "json", "{request} {reply}");
                continue;
            }
            let (lower, upper) = bounds(&reply);
            let mut question = request.clone();
            for field in ["id", "time", "moves"] {
                question.as_object_mut().expect("an object").remove(field);
            }
            let found = known.entry(question.to_string());
            let found = found.or_insert_with(|| (lower.clone(), upper.clone()));
            let lower = lower.max(found.0.clone());
            let upper = upper.min(found.1.clone());
            assert!(lower <= upper, "seed {seed}: {request} {reply}");
            *found = (lower, upper);
            if random.u8(0..10) == 0 {
                ask(&mut asked, &json!({"command": "clear"}));
            }
        }
        end(asked, memory * 1_000_000);
    }
}
