//! Hostile, wrong and long requests to the explorer, and limits of its work.

use super::{Explorer, assert_error};
use crate::common::{root, rounds, send_signal};
use fastrand::Rng;
use generators::{damage, rows};
use serde_json::{Value, json};
use std::fmt::Write;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn what_makes_no_sense_gets_a_message() {
    let explorer = Explorer::start("stochastic_ttt.gdl");
    let check = |path: &str, body: Value, text: &str| {
        assert_error(&explorer.post(path, &body), text);
    };
    let history = json!({"history": [["(mark 4 4)", "noop", "(keep 1)"]]});
    check("position", history, "(mark 4 4) is not legal");
    check(
        "position",
        json!({"history": [["noop"]]}),
        "needs one for each",
    );
    let short = json!({"state": ["(control xplayer)"], "history": [[]]});
    check("position", short, "needs one for each");
    check(
        "position",
        json!({"state": ["(no such fact)"]}),
        "(no such fact)",
    );
    check("ask?asker=a", json!({"depht": 1}), "depht");
    check("ask?asker=a", json!({"command": "clear"}), "may only");
    let refused = explorer.ask("a", &json!({"state": ["(no such fact)"]}));
    assert_eq!(refused["status"], "error");
    let refused = explorer.ask("a", &json!({"command": "replies"}));
    assert!(
        refused["message"]
            .as_str()
            .expect("text")
            .contains("say which move"),
        "{refused}"
    );
    explorer.is_well();
}

#[test]
fn strangers_are_refused() {
    let explorer = Explorer::start("stochastic_ttt.gdl");
    let well = explorer.request("POST", "game", "{}");
    let status = |text: &str| -> u16 {
        let answer = explorer.send(text.as_bytes());
        assert!(!answer.contains("xplayer"), "{answer}");
        answer
            .split(' ')
            .nth(1)
            .and_then(|code| code.parse().ok())
            .unwrap_or(0)
    };
    let own = format!("127.0.0.1:{}", explorer.port);
    for [from, to, code] in rows(
        r"
            TOKEN => 0123456789abcdef0123456789abcdef => 403
            TOKEN =>  => 403
            OWN => evil.example => 403
            Host: => Ghost: => 403
            Host: => Origin: https://evil.example\nHost: => 403
            Host: => Origin: null\nHost: => 403
            Host: => Sec-Fetch-Site: cross-site\nHost: => 403
            Host: => Host: evil.example\nHost: => 400
            application/json => text/plain => 415
            /game => /../game => 404
            POST => DELETE => 405
            Content-Length: 2 => Content-Length: 99999999999 => 413
            Content-Length: 2 => Content-Length: two => 400
            Content-Length: 2 => Transfer-Encoding: chunked => 501
            ",
    ) {
        let place = from.replace("TOKEN", &explorer.token).replace("OWN", &own);
        let changed = well.replace(&place, &to.replace('\n', "\r\n"));
        assert_ne!(changed, well, "{from}");
        assert_eq!(status(&changed).to_string(), code, "{from} {to}");
    }
    let with = |header: &str| well.replace("Host:", &format!("{header}\r\nHost:"));
    assert_eq!(status(&with("X: y\r\n".repeat(200).trim_end())), 431);
    let long = format!("GET /{} HTTP/1.1\r\n", "a".repeat(100_000));
    assert_eq!(status(&long), 431);
    assert_eq!(status("\u{0}\u{1}\u{2}\r\n\r\n"), 400);
    let answer = explorer.send(with(&format!("Origin: http://{own}")).as_bytes());
    assert!(answer.contains("xplayer"), "{answer}");
    explorer.is_well();
}

#[test]
fn a_thousand_random_requests_change_nothing() {
    let explorer = Explorer::start("stochastic_ttt.gdl");
    explorer.is_well();
    let before = explorer.memory();
    let seed = fastrand::u64(..);
    crate::common::say(&format!("random requests: seed {seed}"));
    let mut random = Rng::with_seed(seed);
    let bodies = [
        r#"{"history":[["(mark 2 2)","noop","(keep 1)"]]}"#,
        r#"{"state":["(control xplayer)"],"depth":3,"moves":true}"#,
        r#"{"command":"replies","move":"(mark 1 1)","history":[]}"#,
        r#"{"command":"stats"}"#,
        "{}",
    ];
    let paths = [
        "game",
        "boards",
        "position",
        "ask?asker=x",
        "stop?asker=x",
        "mixture?asker=x&objective=0",
        "fired",
        "ask",
        "",
        "style.css",
    ];
    for _ in 0..rounds(1000) {
        let (path, body) = (
            paths[random.usize(..paths.len())],
            bodies[random.usize(..bodies.len())],
        );
        let mut bytes = explorer.request("POST", path, body).into_bytes();
        if random.u8(..6) > 0 {
            damage(&mut random, &mut bytes, &["\r\n", "\"", "{", "%"]);
        }
        explorer.send(&bytes);
    }
    // Many names, as of many tabs.
    for name in 0..300 {
        explorer.post(
            &format!("ask?asker=tab{name}"),
            &json!({"history": [], "depth": name % 9}),
        );
    }
    explorer.is_well();
    let after = explorer.memory();
    assert!(
        after < before + 100_000,
        "{before} kB before, {after} kB after"
    );
}

#[test]
fn bodies_of_those_without_a_token_are_not_read() {
    let explorer = Explorer::of(&root().join("games/figure_1.gdl"), "50M");
    let request = explorer.request("POST", "ask?asker=a", &"x".repeat(1 << 20));
    let request = request.replace(&explorer.token, "0123456789abcdef0123456789abcdef");
    let statuses = explorer.flood(vec![request; 120]);
    assert!(statuses.iter().all(|status| *status == 403), "{statuses:?}");
    assert!(explorer.peak() < 54, "{} MB", explorer.peak());
}

#[test]
fn who_asks_too_much_hears_busy_and_the_explorer_goes_on() {
    let mut explorer = Explorer::of(&root().join("games/stochastic_ttt.gdl"), "100M");
    let (mut state, mut history, mut term) = (String::new(), String::new(), String::new());
    for number in 0..20_000 {
        let _ = write!(state, "\"a{number}\",");
        let _ = write!(history, "[],[],[],");
        let _ = write!(term, "a ");
    }
    let bodies = [
        format!(r#"{{"state":[{state}"b"]}}"#),
        format!(r#"{{"history":[{history}[]]}}"#),
        format!(r#"{{"state":["(f {term})"]}}"#),
    ];
    let mut statuses = Vec::new();
    for round in 0..rounds(3) {
        let requests = (0..120).map(|number| {
            let path = match number % 2 {
                0 => format!("ask?asker=a{round}.{number}"),
                _ => "position".to_owned(),
            };
            explorer.request("POST", &path, &bodies[number % 3])
        });
        statuses.extend(explorer.flood(requests.collect()));
    }
    let known = |status: &u16| matches!(status, 200 | 503);
    assert!(statuses.iter().all(known), "{statuses:?}");
    assert!(statuses.contains(&200), "{statuses:?}");
    assert!(explorer.peak() < 107, "{} MB", explorer.peak());
    assert!(explorer.server.runs());
    explorer.is_well();
}

/// A game that is no circuit, and whose first state has a million legal moves.
#[test]
fn a_position_takes_no_more_than_it_may() {
    let mut rules = "(role x) (init (p 0 0 0 0))".to_owned();
    for number in 0..40 {
        let _ = write!(rules, "(num {number})");
    }
    rules += "(<= (legal x (set ?a ?b ?c ?d)) (num ?a) (num ?b) (num ?c) (num ?d))
        (<= (next (p ?a ?b ?c ?d)) (does x (set ?a ?b ?c ?d)))
        (<= terminal (true (p 1 1 1 1))) (<= (goal x 100) (true (p 1 1 1 1)))
        (<= (goal x 0) (not (true (p 1 1 1 1))))";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("wide.gdl");
    std::fs::write(&file, rules).expect("a file");
    let explorer = Explorer::of(&file, "100M");
    let begin = Instant::now();
    let answer = explorer.post("position", &json!({"history": []}));
    assert!(answer["error"].is_string(), "{answer}");
    assert!(begin.elapsed() < Duration::from_secs(20));
    assert!(explorer.peak() < 107, "{} MB", explorer.peak());
}

#[test]
fn long_questions_do_not_block_short_ones_and_can_be_stopped() {
    let explorer = Explorer::start("stochastic_ttt_4x4.gdl");
    let long = json!({"history": []});
    let first = explorer.post("ask?asker=one.value", &long);
    if first["done"] == true {
        crate::common::say("the long question was short: nothing to see");
        return;
    }
    let begin = Instant::now();
    let short = explorer.ask("two.value", &json!({"history": [], "depth": 2}));
    assert_eq!(short["status"], "solved");
    let waited = begin.elapsed();
    assert!(waited < Duration::from_secs(5), "{waited:?}");
    let bounds = explorer.post("ask?asker=one.value", &long);
    assert_eq!(bounds["reply"]["status"], "bounds", "{bounds}");
    explorer.post("stop?asker=one.value", &json!({}));
    // Bounds stay, and the same question goes on from them.
    let again = explorer.post("ask?asker=one.value", &long);
    assert!(again["reply"]["lower"].is_object(), "{again}");
    // Another question takes the place of the first.
    let other = explorer.ask("one.value", &json!({"history": [], "depth": 1}));
    assert_eq!(other["depth"], 1);
}

/// After a signal an evaluator that is idle does not end the process while that of another objective owes its reply.
#[test]
fn a_signal_leaves_no_reply_out() {
    let long = json!({"history": []});
    // Each reply comes after a slice of time, which is twice as long as the one before. On a busy machine the slice may be over when
    // the signal comes, so longer ones are tried too.
    for slices in 6..10 {
        let explorer = Explorer::start("stochastic_ttt_4x4.gdl");
        let short = explorer.ask("short&objective=1", &json!({"history": [], "depth": 1}));
        assert_eq!(short["status"], "solved", "{short}");
        for _ in 0..slices {
            explorer.post("ask?asker=long&objective=0", &long);
        }
        let said = thread::scope(|scope| {
            let waiting = scope.spawn(|| explorer.post("ask?asker=long&objective=0", &long));
            thread::sleep(Duration::from_millis(300));
            send_signal(explorer.server.process(), "INT");
            waiting.join().expect("a reply")
        });
        match said["reply"]["stopped_by"].as_str() {
            Some("interrupt") => return,
            other => assert_eq!(other, Some("time"), "{said}"),
        }
    }
    panic!("no slice was interrupted");
}
