//! Conversations with an evaluator, without a process.

use super::*;
use engines::{
    Definition, Engine, Evaluation, MixedEngine, Query, SearchOptions, Searching, Silent, solved,
};
use engines::{Error, ErrorKind};
use formula::BigRational;
use gdl::Options;
use gdl::game::{self, Game, Objective};
use num_traits::One;
use serde_json::Value;
use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

fn our_game(file: &str) -> Game {
    let path = format!("{}/../../games/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    game::read(&path, &text, &Options::default()).unwrap().game
}

fn evaluator(file: &str, defaults: Defaults) -> Evaluator {
    let game = our_game(file);
    let engine =
        Box::new(Definition::new(&game, Objective::Win, limits::Limits::default()).unwrap());
    Evaluator::new(game.name(), game.roles(), "win", defaults, engine)
}

/// An evaluator for use, which searches on the circuit.
fn searching(file: &str) -> Evaluator {
    let game = our_game(file);
    let engine = Searching::new(&game, Objective::Win, SearchOptions::default());
    let engine = Box::new(engine.expect("one step is a circuit"));
    Evaluator::new(
        game.name(),
        game.roles(),
        "win",
        Defaults::default(),
        engine,
    )
}

/// All lines out, without the greeting.
fn converse(evaluator: &mut Evaluator, lines: &[u8]) -> Vec<Value> {
    let mut output = Vec::new();
    serve(Cursor::new(lines.to_vec()), &mut output, evaluator, |_| ()).unwrap();
    let text = String::from_utf8(output).unwrap();
    assert!(text.ends_with('\n'));
    let mut replies = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let greeting: Value = replies.next().unwrap();
    assert_eq!(greeting["protocol"], "sqasp-evaluate");
    assert_eq!(greeting["version"], 1);
    replies.collect()
}

#[test]
fn mixtures_come_with_their_moves() {
    let game = our_game("unequal_pennies.gdl");
    let options = engines::Options::new(limits::Limits::default(), Arc::new(Silent));
    let engine = MixedEngine::new(&game, Objective::Points, &options);
    let engine = Box::new(engine.expect("one step is a circuit"));
    let defaults = Defaults::default();
    let mut mixing = Evaluator::new(game.name(), game.roles(), "points", defaults, engine);
    let lines = b"{\"id\":1}\n{\"id\":2,\"moves\":false}\n{\"id\":3,\"command\":\"replies\"}\n";
    let replies = converse(&mut mixing, lines);
    assert_eq!(replies[0]["status"], "solved");
    let moves = replies[0]["moves"].as_array().expect("a list");
    let shares = moves.iter().map(|each| {
        let number = |part: &str| {
            each["probability"][part]
                .as_str()
                .expect("digits")
                .to_owned()
        };
        let text = format!("{}/{}", number("num"), number("den"));
        text.parse::<BigRational>().expect("a fraction")
    });
    let shares: Vec<BigRational> = shares.collect();
    assert!(shares.iter().sum::<BigRational>().is_one(), "{moves:?}");
    assert!(shares.iter().all(|share| !share.is_one()), "{moves:?}");
    let most = shares.iter().max().expect("there are moves");
    let index = shares.iter().position(|share| share == most);
    assert_eq!(
        replies[0]["best"],
        moves[index.expect("it is there")]["move"]
    );
    assert_eq!(replies[1]["value"], replies[0]["value"]);
    assert_eq!(replies[2]["code"], "request");
}

fn figure_1() -> Evaluator {
    evaluator("figure_1.gdl", Defaults::default())
}

/// The reply to a line about the game of Figure 1.
fn reply(line: &str) -> Value {
    let mut replies = converse(&mut figure_1(), line.as_bytes());
    assert_eq!(replies.len(), 1, "{line}");
    replies.remove(0)
}

fn fraction(value: &Value) -> String {
    let text = |field: &str| value[field].as_str().unwrap_or("?").to_owned();
    format!("{}/{}", text("num"), text("den"))
}

#[test]
fn the_greeting_says_who_speaks() {
    let greeting = figure_1().greeting();
    assert_eq!(greeting.game, "figure_1");
    assert_eq!(greeting.roles, ["xplayer", "oplayer", "random"]);
    assert_eq!((&*greeting.role, &*greeting.objective), ("xplayer", "win"));
}

#[test]
fn positions_have_values_and_moves() {
    let answer = reply(r#"{"id":1,"depth":1}"#);
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["status"], "solved");
    assert_eq!(fraction(&answer["value"]), "2/3");
    assert_eq!(answer["best"], "(bet left)");
    assert_eq!(answer["terminal"], false);
    let moves = answer["moves"].as_array().unwrap();
    let list: Vec<_> = moves
        .iter()
        .map(|each| {
            (
                each["move"].as_str().unwrap(),
                fraction(&each["value"]),
                each["best"] == true,
            )
        })
        .collect();
    let expected = [
        ("(bet left)", "2/3".to_owned(), true),
        ("(bet right)", "1/3".to_owned(), false),
    ];
    assert_eq!(list, expected);

    let answer = reply(r#"{"id":"a","depth":1,"moves":false,"role":"OPLAYER"}"#);
    assert_eq!(
        (&answer["id"], &answer["role"]),
        (&"a".into(), &"oplayer".into())
    );
    assert_eq!(fraction(&answer["value"]), "1/3");
    assert!(answer["moves"].is_null() && answer["best"].is_null());
}

#[test]
fn a_state_and_the_history_that_leads_to_it_are_the_same() {
    // The middle, then the corner, each stone of its owner's colour.
    let history = r#"[["(mark 2 2)","noop","(keep 1)"],["noop","(mark 1 1)","(keep 3)"]]"#;
    let facts = r#"["(cell 1 1 oplayer)","(control xplayer)","(cell 2 2 xplayer)"]"#;
    let mut evaluator = evaluator("stochastic_ttt.gdl", Defaults::default());
    let lines =
        format!("{{\"depth\":3,\"history\":{history}}}\n{{\"depth\":3,\"state\":{facts}}}\n");
    let replies = converse(&mut evaluator, lines.as_bytes());
    assert_eq!(replies[0]["status"], "solved", "{}", replies[0]);
    assert!(replies[0]["states"].as_u64().unwrap() > 0);
    // Everything is in the table by now.
    assert_eq!(replies[1]["states"], 0, "{}", replies[1]);
    assert_eq!(replies[0]["moves"], replies[1]["moves"]);
    assert_eq!(replies[0]["moves"].as_array().map(Vec::len), Some(7));
}

#[test]
fn what_cannot_be_answered_gets_a_reason() {
    for (line, id, code, fragment) in [
        ("nonsense", Value::Null, "json", "not JSON"),
        ("{\"id\":1,", Value::Null, "json", "not JSON"),
        ("[1]", Value::Null, "request", "no request"),
        ("\"\u{fffd}\"", Value::Null, "request", "no request"),
        (
            r#"{"id":1,"depht":1}"#,
            1.into(),
            "request",
            "unknown field `depht`",
        ),
        (r#"{"id":"x","depth":-1}"#, "x".into(), "request", "-1"),
        (
            r#"{"id":1.5,"depth":1}"#,
            Value::Null,
            "request",
            "no request",
        ),
        (
            r#"{"id":2,"depth":1,"time":-1}"#,
            2.into(),
            "request",
            "time -1",
        ),
        (r#"{"id":2,"command":"jump"}"#, 2.into(), "request", "jump"),
        (
            r#"{"id":2,"command":"stats","depth":1}"#,
            2.into(),
            "request",
            "only evaluate",
        ),
        (
            r#"{"id":3,"depth":1,"role":"random"}"#,
            3.into(),
            "request",
            "xplayer, oplayer",
        ),
        (
            r#"{"id":3,"depth":1,"role":"nobody"}"#,
            3.into(),
            "request",
            "xplayer, oplayer",
        ),
        (
            r#"{"id":4,"depth":1,"state":[],"history":[]}"#,
            4.into(),
            "request",
            "not several",
        ),
        (
            r#"{"id":4,"information":[{"move":"noop","sees":"king"}]}"#,
            4.into(),
            "request",
            "invalid type",
        ),
        (
            r#"{"id":4,"depth":1,"information":[{"move":"noop"}]}"#,
            4.into(),
            "position",
            "give `state` or `history` here",
        ),
        (
            r#"{"id":4,"depth":1,"information":[{"move":"noop"},{"move":"noop","sees":["a b"]}]}"#,
            4.into(),
            "position",
            "in step 2 of information: `a b` is not one term",
        ),
        (
            r#"{"id":5,"depth":1,"state":["(a"]}"#,
            5.into(),
            "position",
            "parenthesis is never closed",
        ),
        (
            r#"{"id":5,"depth":1,"state":["a b",""]}"#,
            5.into(),
            "position",
            "not one term",
        ),
        (
            r#"{"id":5,"depth":1,"state":["(cell ?x)"]}"#,
            5.into(),
            "position",
            "variable",
        ),
        (
            r#"{"id":5,"depth":1,"state":["(nothing like this)"]}"#,
            5.into(),
            "position",
            "(nothing like this)",
        ),
        (
            r#"{"id":6,"depth":1,"history":[["a"]]}"#,
            6.into(),
            "position",
            "step 1 of the history has 1 move",
        ),
        (
            r#"{"id":6,"depth":1,"history":[["(bet up)","watch","(spin one)"]]}"#,
            6.into(),
            "position",
            "(bet up) is not a legal move of xplayer in step 1",
        ),
        (r#"{"id":7}"#, 7.into(), "depth", "depth"),
        (
            r#"{"id":7,"depth":4000000000}"#,
            7.into(),
            "request",
            "use 0 to 1000000",
        ),
        (r#"{"id":7,"depth":100000}"#, 7.into(), "depth", "steps"),
    ] {
        let answer = reply(line);
        assert_eq!(answer["status"], "error", "{line}: {answer}");
        assert_eq!(answer["id"], id, "{line}: {answer}");
        assert_eq!(answer["code"], code, "{line}: {answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains(fragment), "{line}: {message}");
    }
}

#[test]
fn the_conversation_goes_on_after_a_bad_line() {
    let mut lines = b"\xff\xfe\n\n \t\r\n{\"id\":1,\"depth\":1}\r\n".to_vec();
    let deep = "[".repeat(100_000);
    lines.extend(format!("{deep}\n").bytes());
    for length in [
        LONGEST_LINE - 1,
        LONGEST_LINE,
        LONGEST_LINE + 1,
        3 * LONGEST_LINE,
    ] {
        lines.extend(std::iter::repeat_n(b'x', length));
        lines.push(b'\n');
    }
    // The last line has no end.
    lines.extend(b"{\"id\":2,\"depth\":1}");
    let replies = converse(&mut figure_1(), &lines);
    let kinds: Vec<String> = replies
        .iter()
        .map(|reply| match reply["message"].as_str() {
            Some(message) if message.contains("longer than") => "too long".to_owned(),
            Some(_) => "error".to_owned(),
            None => fraction(&reply["value"]),
        })
        .collect();
    let expected = [
        "error", "2/3", "error", "error", "error", "too long", "too long", "2/3",
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn commands_are_obeyed() {
    let lines = br#"{"depth":1}
        {"id":1,"command":"stats"}
        {"id":2,"command":"clear"}
        {"id":3,"command":"stats"}
        {"id":4,"command":"quit"}
        {"id":5,"command":"stats"}"#;
    let replies = converse(&mut figure_1(), lines);
    assert_eq!(replies.len(), 5, "nothing is answered after quit");
    assert_eq!(replies[1]["requests"], 2);
    assert_eq!(replies[1]["errors"], 0);
    assert_eq!(replies[2]["status"], "cleared");
    assert_eq!(replies[3]["entries"], 0);
    assert_eq!(replies[4]["status"], "bye");
}

#[test]
fn limits_lead_to_bounds_and_the_next_answer_is_exact() {
    let defaults = Defaults {
        time: Some(Duration::ZERO),
        ..Defaults::default()
    };
    let mut evaluator = evaluator("stochastic_ttt_half.gdl", defaults);
    let lines = b"{\"id\":1,\"depth\":9}\n{\"id\":2,\"depth\":3,\"time\":1e300}\n";
    let replies = converse(&mut evaluator, lines);
    assert_eq!(replies[0]["status"], "bounds", "{}", replies[0]);
    assert_eq!(replies[0]["stopped_by"], "time");
    assert_eq!(fraction(&replies[0]["lower"]), "0/1");
    assert_eq!(fraction(&replies[0]["upper"]), "1/1");
    assert!(replies[0]["value"].is_null());
    assert_eq!(replies[1]["status"], "solved", "{}", replies[1]);
}

#[test]
fn no_line_ends_the_conversation() {
    let seed = std::env::var("SQASP_TEST_SEED").map_or(7, |text| text.parse().unwrap());
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let models = [
        r#"{"id":1,"depth":1,"history":[["(bet left)","watch","(spin one)"]]}"#,
        r#"{"id":"x","state":["(a b)"],"role":"oplayer","time":0.5,"moves":false}"#,
        r#"{"command":"clear"}"#,
    ];
    let alphabet = b"{}[]()\",:0123456789eE-+.abdfhilmnorstuv ?;\\\x00\xc3\xa9";
    let mut lines = Vec::new();
    let count = 2000;
    for _ in 0..count {
        let mut line = models[random.usize(..models.len())].as_bytes().to_vec();
        for _ in 0..random.usize(1..6) {
            let place = random.usize(..line.len());
            match random.u8(..3) {
                0 => line[place] = alphabet[random.usize(..alphabet.len())],
                1 => line.insert(place, alphabet[random.usize(..alphabet.len())]),
                _ => line.truncate(place.max(1)),
            }
        }
        // A line of blanks would get no reply.
        line[0] = b'{';
        lines.extend(line);
        lines.push(b'\n');
    }
    let replies = converse(&mut figure_1(), &lines);
    assert_eq!(replies.len(), count);
    for reply in replies {
        assert!(reply["status"].is_string(), "{reply}");
    }
}

#[test]
fn replies_are_read_as_they_are_written() {
    let mut evaluator = figure_1();
    for line in [
        r#"{"id":1,"depth":1}"#,
        r#"{"id":"x","depth":1,"moves":false}"#,
        r#"{"depth":0}"#,
        r#"{"id":2,"command":"stats"}"#,
        r#"{"id":2,"command":"clear"}"#,
        r#"{"id":2,"command":"quit"}"#,
        "?",
    ] {
        let reply = evaluator.answer(line.as_bytes());
        let text = serde_json::to_string(&reply).unwrap();
        let read: Reply =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(read, reply, "{text}");
    }
}

/// Questions that take longer than anybody waits, a `stop`, and a question after it: none is lost, in
/// order, and the question after the `stop` is answered in full.
#[test]
fn a_stop_ends_what_was_asked_before_and_nothing_else() {
    let lines = concat!(
        "{\"id\":1,\"depth\":40}\n{\"id\":2,\"depth\":40,\"moves\":false}\n",
        "{\"id\":3,\"command\":\"stop\"}\n{\"id\":4,\"depth\":0}\n",
        "{\"id\":5,\"command\":\"stop\",\"depth\":1}\n{\"id\":6,\"command\":\"quit\"}\n{\"id\":7}\n",
    );
    // Seconds of search for either engine, so that none is done before the stop is read.
    let file = "stochastic_ttt_4x4.gdl";
    let expected = [
        (1, "bounds"),
        (2, "bounds"),
        (3, "stopped"),
        (4, "solved"),
        (5, "error"),
        (6, "bye"),
    ];
    let check = |replies: Vec<Value>| {
        let told = replies.iter().map(|reply| {
            let status = reply["status"].as_str().expect("a status").to_owned();
            (reply["id"].as_u64().expect("an id"), status)
        });
        let expected = expected
            .iter()
            .map(|(id, status)| (*id, (*status).to_owned()));
        assert!(told.eq(expected), "{replies:?}");
        assert_eq!(replies[0]["stopped_by"], "interrupt");
        assert_eq!(replies[1]["stopped_by"], "interrupt");
    };
    check(converse(
        &mut evaluator(file, Defaults::default()),
        lines.as_bytes(),
    ));
    check(converse(&mut searching(file), lines.as_bytes()));
}

/// The end of everything is the end of later requests too.
#[test]
fn after_the_end_nothing_is_searched() {
    let defaults = Defaults::default();
    let stops = defaults.stops.clone();
    assert!(stops.is_idle());
    stops.end();
    let mut evaluator = evaluator("tic_tac_toe_4x4_random_first.gdl", defaults);
    let replies = converse(&mut evaluator, b"{\"depth\":16}");
    assert_eq!(replies[0]["stopped_by"], "interrupt");
    assert!(stops.is_idle());
}

/// An engine that hears nothing until it is done.
struct Deaf;

impl Engine for Deaf {
    fn name(&self) -> &'static str {
        "deaf"
    }

    fn largest(&self, _: usize) -> BigRational {
        BigRational::one()
    }

    fn evaluate(&mut self, query: &Query) -> Result<Evaluation, Error> {
        if query.moves {
            std::thread::sleep(Duration::from_secs(2));
        }
        Ok(Evaluation::of(solved("1/2".parse().expect("a fraction"))))
    }
}

/// Where an engine does not stop, its request gets bounds all the same, once, in time and in its place.
#[test]
fn a_reply_does_not_wait_for_an_engine_that_hears_nothing() {
    let game = our_game("figure_1.gdl");
    let new = |defaults| {
        let engine = Box::new(Deaf);
        Evaluator::new(game.name(), game.roles(), "win", defaults, engine)
    };
    let lines =
        b"{\"id\":1,\"time\":0.1}\n{\"id\":2,\"moves\":false}\n{\"id\":3,\"command\":\"stats\"}\n";
    let replies = converse(&mut new(Defaults::default()), lines);
    assert_eq!(replies.len(), 3, "{replies:?}");
    assert_eq!(replies[0]["stopped_by"], "time");
    assert_eq!(fraction(&replies[0]["lower"]), "0/1");
    assert_eq!(fraction(&replies[0]["upper"]), "1/1");
    let seconds = replies[0]["seconds"].as_f64().expect("a number");
    assert!((0.1..1.5).contains(&seconds), "{}", replies[0]);
    assert_eq!(fraction(&replies[1]["value"]), "1/2");
    assert_eq!(replies[2]["requests"], 3);

    // Out of memory, as the watch finds from outside.
    let defaults = Defaults::default();
    let stops = defaults.stops.clone();
    let mut output = Vec::new();
    let reader = Cursor::new(b"{\"id\":1}\n".to_vec());
    let watch = |_: &dyn Fn(limits::StopReason)| stops.short_of_memory();
    serve(reader, &mut output, &mut new(defaults), watch).expect("nothing fails");
    let text = String::from_utf8(output).expect("text");
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("\"stopped_by\":\"memory\""), "{text}");
}

/// The evaluator that searches, and can follow moves.
fn following(file: &str) -> Evaluator {
    let machine = step::StateMachine::new(
        &our_game(file),
        &step::StepLimits::modest(),
        rules::RuleLimits::default(),
    );
    searching(file).following(machine.expect("a machine"))
}

#[test]
fn replies_say_why_a_move_is_worth_its_value() {
    for (file, depth) in [
        ("stochastic_ttt.gdl", 4),
        ("fox_and_hounds.gdl", 3),
        ("pig.gdl", 5),
        ("auction.gdl", 2),
    ] {
        let mut evaluator = following(file);
        let ask = |evaluator: &mut Evaluator, text: String| {
            let reply = evaluator.answer(text.as_bytes());
            serde_json::to_value(reply).expect("a reply")
        };
        let worth = ask(&mut evaluator, format!(r#"{{"depth":{depth}}}"#));
        let moves = worth["moves"].as_array().expect("moves");
        assert!(!moves.is_empty(), "{file}: {worth}");
        for each in moves {
            let action = &each["move"];
            let line = format!(r#"{{"command":"replies","move":{action},"depth":{depth}}}"#);
            let told = ask(&mut evaluator, line);
            let replies = told["replies"].as_array().expect("replies");
            // The worst reply comes first, and its value is that of the move.
            assert_eq!(replies[0]["value"], each["value"], "{file}: {action}");
            for reply in replies {
                let outcomes = reply["outcomes"].as_array().expect("outcomes");
                let sum = |sum: BigRational, outcome: &Value| {
                    let part = |name: &str| -> BigRational {
                        let fraction = &outcome[name];
                        let text = |field: &str| fraction[field].as_str().expect("text").to_owned();
                        format!("{}/{}", text("num"), text("den"))
                            .parse()
                            .expect("a fraction")
                    };
                    sum + part("probability") * part("value")
                };
                let mean = outcomes
                    .iter()
                    .fold(BigRational::from_integer(0.into()), sum);
                let value = engines::Fraction::from(&mean);
                assert_eq!(
                    reply["value"],
                    serde_json::to_value(value).expect("JSON"),
                    "{file}"
                );
            }
        }
    }
}

#[test]
fn replies_that_make_no_sense_are_refused() {
    let mut evaluator = following("figure_1.gdl");
    let mut refused = |line: &str| {
        let reply = evaluator.answer(line.as_bytes());
        let ReplyBody::Error(error) = reply.told else {
            panic!("{line}: {reply:?}");
        };
        error.code
    };
    assert_eq!(refused(r#"{"command":"replies"}"#), "position");
    assert_eq!(
        refused(r#"{"command":"replies","move":"(bet up)"}"#),
        "position"
    );
    assert_eq!(
        refused(r#"{"command":"replies","move":"(bet"}"#),
        "position"
    );
    assert_eq!(
        refused(r#"{"command":"replies","move":"(bet left)","depth":0}"#),
        "position"
    );
    assert_eq!(refused(r#"{"move":"(bet left)"}"#), "request");
    assert_eq!(
        refused(r#"{"command":"stats","move":"(bet left)"}"#),
        "request"
    );
    let over = r#"{"command":"replies","history":[["(bet left)","watch","(spin two)"]]}"#;
    assert_eq!(refused(over), "position");
    let reply = searching("figure_1.gdl").answer(br#"{"command":"replies","move":"(bet left)"}"#);
    assert!(
        matches!(reply.told, ReplyBody::Error(_)),
        "it has no machine"
    );
}

#[test]
fn many_may_ask_one_evaluator() {
    let make = || Ok(following("stochastic_ttt.gdl"));
    let shared = Shared::start(Stops::default(), make, |_| ()).expect("a thread");
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let shared = shared.clone();
            std::thread::spawn(move || {
                let request = Request {
                    depth: Some(number),
                    ..Request::default()
                };
                let begin = std::time::Instant::now();
                loop {
                    let known = shared.ask(
                        &format!("asker{number}"),
                        &request,
                        Duration::from_millis(200),
                    );
                    let known = known.expect("there is room");
                    if known.is_done {
                        return known.reply.expect("a reply").told;
                    }
                    assert!(begin.elapsed() < Duration::from_secs(60));
                }
            })
        })
        .collect();
    for (thread, depth) in threads.into_iter().zip(0..) {
        let told = thread.join().expect("it does not panic");
        assert!(
            matches!(&told, ReplyBody::Solved(reply) if reply.depth == Some(depth)),
            "{told:?}"
        );
    }
    // A question that makes no sense is answered once, and so is one with no time.
    let odd = Request {
        depth: Some(u32::MAX),
        ..Request::default()
    };
    let ask = |asker: &str, request: &Request| {
        let known = shared.ask(asker, request, Duration::from_secs(20));
        known.expect("there is room")
    };
    let known = ask("odd", &odd);
    assert!(known.is_done && matches!(known.reply.expect("a reply").told, ReplyBody::Error(_)));
    let hasty = Request {
        time: Some(0.0),
        ..Request::default()
    };
    assert!(ask("hasty", &hasty).is_done);
}

#[test]
fn an_evaluator_holds_no_more_text_than_it_may() {
    // Nobody answers before all have asked.
    let (go, gone) = std::sync::mpsc::channel::<()>();
    let make = move || {
        let _ = gone.recv();
        Err(Error::new(ErrorKind::Game, "nothing".to_owned()))
    };
    let shared = Shared::start(Stops::default(), make, |_| ()).expect("a thread");
    let large = Request {
        state: Some(vec!["a".repeat(1 << 20)]),
        ..Request::default()
    };
    let ask = |asker: usize| shared.ask(&asker.to_string(), &large, Duration::ZERO);
    let taken = (0..10).filter(|&asker| ask(asker).is_some()).count();
    assert!((1..=4).contains(&taken), "{taken}");
    assert!(ask(0).is_some(), "it is there already");
    drop(go);
    // An answered request makes room for another one.
    let begin = std::time::Instant::now();
    while ask(20).is_none() {
        assert!(begin.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_evaluator_that_cannot_be_made_says_so_to_all() {
    let make = || {
        Err(Error::new(
            ErrorKind::Game,
            "there is nobody to win".to_owned(),
        ))
    };
    let shared = Shared::start(Stops::default(), make, |_| ()).expect("a thread");
    for asker in ["one", "two"] {
        let known = shared.ask(asker, &Request::default(), Duration::from_secs(20));
        let ReplyBody::Error(error) = known.expect("there is room").reply.expect("a reply").told
        else {
            panic!("{asker}");
        };
        assert_eq!(error.message, "there is nobody to win");
    }
}
