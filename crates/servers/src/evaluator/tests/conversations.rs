//! Requests that are refused, commands, limits, and several conversations with one evaluator.

use super::*;
use gdl::game::ValueRange;
use generators::{damage, rows};

#[test]
fn what_cannot_be_answered_gets_a_reason() {
    for [line, id, code, fragment] in rows(
        r#"
            nonsense => null => json => not JSON
            {"id":1, => null => json => not JSON
            [1] => null => request => no request
            "�" => null => request => no request
            {"id":1,"depht":1} => 1 => request => unknown field `depht`
            {"id":"x","depth":-1} => "x" => request => -1
            {"id":1.5,"depth":1} => null => request => no request
            {"id":2,"depth":1,"time":-1} => 2 => request => time -1
            {"id":2,"command":"jump"} => 2 => request => jump
            {"id":2,"command":"stats","depth":1} => 2 => request => only evaluate
            {"id":3,"depth":1,"role":"random"} => 3 => request => xplayer, oplayer
            {"id":3,"depth":1,"role":"nobody"} => 3 => request => xplayer, oplayer
            {"id":4,"depth":1,"state":[],"history":[]} => 4 => request => not several
            {"id":4,"information":[{"move":"noop","sees":"king"}]} => 4 => request => invalid type
            {"id":4,"depth":1,"information":[{"move":"noop"}]} => 4 => position => give `state` or `history` here
            {"id":4,"depth":1,"information":[{"move":"noop"},{"move":"noop","sees":["a b"]}]} => 4 => position => \
                in step 2 of information: `a b` is not one term
            {"id":5,"depth":1,"state":["(a"]} => 5 => position => parenthesis is never closed
            {"id":5,"depth":1,"state":["a b",""]} => 5 => position => not one term
            {"id":5,"depth":1,"state":["(cell ?x)"]} => 5 => position => variable
            {"id":5,"depth":1,"state":["(nothing like this)"]} => 5 => position => (nothing like this)
            {"id":6,"depth":1,"history":[["a"]]} => 6 => position => step 1 of the history has 1 move
            {"id":6,"depth":1,"history":[["(bet up)","watch","(spin one)"]]} => 6 => position => (bet up) is not a legal move of xplayer in step 1
            {"id":7} => 7 => depth => depth
            {"id":7,"depth":4000000000} => 7 => request => use 0 to 1000000
            {"id":7,"depth":100000} => 7 => depth => steps
            "#,
    ) {
        let answer = reply(&line);
        assert_eq!(answer["status"], "error", "{line}: {answer}");
        assert_eq!(answer["id"].to_string(), id, "{line}: {answer}");
        assert_eq!(answer["code"], code, "{line}: {answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains(&fragment), "{line}: {message}");
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
    let mut random = fastrand::Rng::with_seed(seed);
    let models = [
        r#"{"id":1,"depth":1,"history":[["(bet left)","watch","(spin one)"]]}"#,
        r#"{"id":"x","state":["(a b)"],"role":"oplayer","time":0.5,"moves":false}"#,
        r#"{"command":"clear"}"#,
    ];
    let letters = "{}[]()\",:0123456789eE-+.abdfhilmnorstuv ?;\\\0é";
    let pieces: Vec<&str> = letters.split_inclusive(|_| true).collect();
    let mut lines = Vec::new();
    let count = 2000;
    for _ in 0..count {
        let mut line = models[random.usize(..models.len())].as_bytes().to_vec();
        damage(&mut random, &mut line, &pieces);
        line.retain(|byte| *byte != b'\n');
        line.extend(b" ");
        // A line of blanks would get no reply.
        line[0] = b'{';
        lines.extend(line);
        lines.push(b'\n');
    }
    let replies = converse(&mut figure_1(), &lines);
    assert_eq!(replies.len(), count);
    for reply in replies {
        assert!(reply["status"].is_string(), "seed {seed}: {reply}");
    }
}

/// Questions that take longer than a client waits, a `stop`, and a question after it: none is lost, in
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
    fn counts_all_steps(&self) -> bool {
        false
    }

    fn name(&self) -> &'static str {
        "deaf"
    }

    fn range(&self, _: usize) -> ValueRange {
        ValueRange::of_probabilities()
    }

    fn evaluate_publishing(
        &mut self,
        query: &Query,
        _: &limits::Publisher,
    ) -> Result<Evaluation, Error> {
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
    // No thread answers before all have asked.
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
