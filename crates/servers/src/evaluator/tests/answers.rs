//! Answers about positions: values, moves, mixtures and replies.

use super::*;
use generators::rows;

#[test]
fn mixtures_come_with_their_moves() {
    let game = our_game("unequal_pennies.gdl");
    let options = engines::SearchOptions::default();
    let engine = MixedEngine::new(&game, Objective::Points, &options);
    let engine = Box::new(engine.expect("one step is a circuit"));
    let defaults = Defaults::default();
    let mut mixing = Evaluator::new(game.name(), game.roles(), "points", defaults, engine);
    let lines = b"{\"id\":1}\n{\"id\":2,\"moves\":false}\n{\"id\":3,\"command\":\"replies\"}\n";
    let replies = converse(&mut mixing, lines);
    assert_eq!(replies[0]["status"], "solved");
    let moves = replies[0]["moves"].as_array().expect("a list");
    let share = |each: &Value| fraction(&each["probability"]).parse().expect("a fraction");
    let shares: Vec<BigRational> = moves.iter().map(share).collect();
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

#[test]
fn the_greeting_says_who_speaks() {
    let greeting = figure_1().greeting();
    assert_eq!(greeting.game, "figure_1");
    assert_eq!(
        greeting.roles,
        ["xplayer", "oplayer", "random"].map(Name::new)
    );
    assert_eq!(greeting.role, Name::new("xplayer"));
    assert_eq!(greeting.objective, "win");
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
                        fraction(&outcome[name]).parse().expect("a fraction")
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
    for [line, code] in rows(
        r#"
            {"command":"replies"} => position
            {"command":"replies","move":"(bet up)"} => position
            {"command":"replies","move":"(bet"} => position
            {"command":"replies","move":"(bet left)","depth":0} => position
            {"move":"(bet left)"} => request
            {"command":"stats","move":"(bet left)"} => request
            {"command":"replies","history":[["(bet left)","watch","(spin two)"]]} => position
            "#,
    ) {
        let reply = evaluator.answer(line.as_bytes());
        match reply.told {
            ReplyBody::Error(error) => assert_eq!(error.code, code, "{line}"),
            _ => panic!("{line}: {reply:?}"),
        }
    }
    let reply = searching("figure_1.gdl").answer(br#"{"command":"replies","move":"(bet left)"}"#);
    assert!(
        matches!(reply.told, ReplyBody::Error(_)),
        "it has no machine"
    );
}
