//! Games of hidden information, from the question to the proof.

use super::{Ended, Place, game};
use crate::common::read_text;
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

#[test]
fn one_role_gets_a_policy_by_what_it_sees() {
    let place = Place::new();
    let rules = game("hidden_monty_hall.gdl");
    let solve = format!("solve {rules} --moves");
    let text = place.answers(&format!("{solve} --strategy policy.json"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "66.6667 % (2/3)");
    assert!(
        lines[1].contains(
            "where roles know only their own moves and what they see (exact; engine hidden"
        ),
        "{text}"
    );
    assert!(
        lines[3].starts_with("strategy in policy.json: 5 positions of the role, 0"),
        "{text}"
    );
    let verify = format!("verify {rules} policy.json");
    let proved = place.answers(&verify);
    assert!(
        proved.starts_with("66.6667 % (2/3)\nguest can guarantee winning"),
        "{proved}"
    );
    assert!(
        proved.contains("what they see (proved from both sides"),
        "{proved}"
    );
    // The player who stays wins less, whatever the file says.
    let right = read_text(place.path("policy.json"));
    place.write("policy.json", right.replacen("switch", "stay", 1));
    let refused = place.run(&verify);
    assert_eq!(refused.code, Some(65), "{refused:?}");
    assert!(
        refused
            .out
            .contains("this is worth 1/2, not 2/3 as promised"),
        "{refused:?}"
    );
    let object: Value = serde_json::from_str(&place.answers(&format!("{solve} --json"))).unwrap();
    assert_eq!(
        (&object["hidden"], &object["mixed"]),
        (&true.into(), &Value::Null),
        "{object}"
    );
    place.answers(&format!("solve {rules} --strategy policy.txt"));
    let tree = read_text(place.path("policy.txt"));
    assert!(tree.contains("sees (opened 2): 4. switch\n"), "{tree}");
}

#[test]
fn two_roles_mix_by_what_they_see() {
    let place = Place::new();
    let rules = game("hidden_kuhn_poker.gdl");
    let solve = format!("solve {rules} --objective points --strategy poker.json --moves");
    let text = place.answers(&solve);
    assert!(text.starts_with("1.94444 (35/18)\n"), "{text}");
    assert!(text.contains("\nagainst it: noop 1\n"), "{text}");
    let verified = place.answers(&format!("verify {rules} poker.json"));
    assert!(verified.starts_with("1.94444 (35/18)\n"), "{verified}");
    place.refuses(
        &format!("verify {} poker.json", game("hidden_nim.gdl")),
        65,
        "other rules",
    );
}

/// `check` says who sees what, and which rules about it tell nobody anything.
#[test]
fn check_says_who_sees_what() {
    let place = Place::new();
    let text = place.answers(&format!("check {}", game("hidden_kuhn_poker.gdl")));
    assert!(
        text.contains(
            "\nsees          ann: bet, call, check, fold, jack, king, queen; so all moves of bob, part of the moves of random\n"
        ),
        "{text}"
    );
    assert!(!text.contains("warning"), "{text}");
    let text = place.answers(&format!("check {}", game("hidden_pennies.gdl")));
    for line in [
        "even: (penny heads), (penny tails); so no move of odd, part of the moves of random",
        "odd: nothing; so no move of even, no move of random",
    ] {
        assert!(
            text.contains(&format!("\nsees          {line}\n")),
            "{text}"
        );
    }
    let text = place.answers(&format!("check {}", game("hidden_nim.gdl")));
    assert!(
        text.contains(
            "\nwarning       after every step of these plays first and second saw the same, taken, by (<= (sees ?role taken) (role ?role) \
             (does ?other (take ?count))): that tells nothing\n"
        ),
        "{text}"
    );
    place.write(
        "odd.gdl",
        format!(
            "{COIN} (<= (sees ?who (side ?s)) (side ?who) (does random (toss ?s)))
             (<= (sees guest coin) (true (coin ?s)) (not (side ?s)))"
        ),
    );
    let arguments = "check odd.gdl --json";
    let object: Value = serde_json::from_str(&place.answers(arguments)).unwrap();
    let views = &object["sees"]["roles"];
    assert_eq!(views[0]["role"], "spy", "{object}");
    assert_eq!(views[0]["percepts"], serde_json::json!(["heads", "tails"]));
    assert_eq!(
        (&views[0]["moves"]["random"], &views[0]["moves"]["guest"]),
        (&"all".into(), &"none".into())
    );
    let warnings = object["sees"]["warnings"].as_array().expect("a list");
    let warnings: Vec<&str> = warnings.iter().filter_map(Value::as_str).collect();
    let [no_role, never] = &warnings[..] else {
        panic!("{warnings:?}");
    };
    assert!(
        no_role.contains("sees something by (<= (sees ?who (side ?s))")
            && no_role.contains(", and is no role"),
        "{no_role}"
    );
    assert!(
        never.starts_with("nobody saw anything by (<= (sees guest coin)"),
        "{never}"
    );
    let object: Value =
        serde_json::from_str(&place.answers("check odd.gdl --json --plays 0")).unwrap();
    assert_eq!(object["sees"], Value::Null);
}

/// Gambit's tests are in Python: here is what the file looks like, and what is refused.
#[test]
fn a_tree_with_information_sets_is_exported() {
    let place = Place::new();
    let rules = game("hidden_kuhn_poker.gdl");
    let export = format!("export {rules} --to efg --objective points");
    let told = place.answers(&format!("{export} -o poker.efg"));
    assert_eq!(told, "55 nodes, 12 information sets\n");
    let tree = read_text(place.path("poker.efg"));
    let lines: Vec<&str> = tree.lines().collect();
    assert_eq!(
        lines[0],
        "EFG 2 R \"hidden_kuhn_poker\" { \"ann\" \"bob\" }"
    );
    assert!(
        lines[3].starts_with("c \"\" 1 \"\" { \"(deal jack king)\" 1/6 "),
        "{tree}"
    );
    // Two deals give ann the jack, and she cannot tell them apart.
    let first = lines
        .iter()
        .filter(|line| **line == "p \"\" 1 1 \"\" { \"bet\" \"check\" } 0");
    assert_eq!(first.count(), 2, "{tree}");
    let object: Value =
        serde_json::from_str(&place.answers(&format!("{export} --json -o poker.efg"))).unwrap();
    assert_eq!(object["information_sets"], 12);
    for (arguments, code, message) in [
        (format!("{export} --max-size 54"), 75, "more than 54 states"),
        (
            format!("{export} --fix opponents"),
            65,
            "an export other than in the form efg with both sides only knows",
        ),
        (
            format!("export {} --to efg", game("hidden_minesweeper.gdl")),
            75,
            "more than 1000000 nodes",
        ),
    ] {
        place.refuses(&arguments, code, message);
    }
    let open = game("rock_paper_scissors.gdl");
    let told = place.answers(&format!("export {open} --to efg --mixed -o open.efg"));
    assert_eq!(told, "31 nodes, 2 information sets\n");
    place.refuses(
        &format!("export {open} --to umb --mixed"),
        2,
        "only the form efg with both sides has information sets",
    );
    let own = BLIND.replace(
        "(<= terminal",
        "(<= (next odd) (sees x nothing)) (<= terminal",
    );
    place.write("own.gdl", own);
    place.refuses(
        "export own.gdl --to efg --mixed",
        65,
        "the game has a relation `sees` of its own",
    );
    place.write("blind.gdl", BLIND);
    place.refuses(
        "export blind.gdl --to efg",
        65,
        "x does not know its legal moves",
    );
}

/// A program asks by what a role did and saw, in any order of the things that it saw.
#[test]
fn evaluate_takes_what_a_role_knows() {
    let place = Place::new();
    let mut child = place
        .command(&format!("evaluate {}", game("hidden_monty_hall.gdl")))
        .stdin(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let known = r#"[{"move":"noop"},{"move":"(pick 1)"},{"move":"noop","sees":["(opened 2)"]}]"#;
    let requests = [
        "{}".to_owned(),
        format!(r#"{{"information":{known}}}"#),
        format!(r#"{{"information":{known},"depth":0}}"#),
        format!(r#"{{"information":{known},"depth":1,"moves":false}}"#),
        known.replace("opened 2", "opened 1"),
        known.replace("(pick 1)", "(pick 4)"),
        known.replace("\"]}]", r#""]},{"move":"switch"}]"#),
        r#"{"history":[["noop","(hide 1)"]]}"#.to_owned(),
        r#"{"state":["(step 1)"]}"#.to_owned(),
        r#"{"command":"replies","information":[]}"#.to_owned(),
    ];
    let mut input = child.stdin.take().expect("a pipe");
    for request in requests {
        let request = match request.strip_prefix('[') {
            Some(_) => format!(r#"{{"information":{request}}}"#),
            None => request,
        };
        writeln!(input, "{request}").expect("it reads");
    }
    drop(input);
    let ended = Ended::new(child.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let replies: Vec<Value> = (ended.out.lines().skip(1))
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let value = |reply: &Value| format!("{}/{}", reply["value"]["num"], reply["value"]["den"]);
    for (number, expected) in [(0, "2/3"), (1, "2/3"), (2, "0/1"), (3, "2/3")] {
        let reply = &replies[number];
        assert_eq!(value(reply).replace('"', ""), expected, "{reply}");
        assert_eq!(reply["status"], "solved", "{reply}");
    }
    assert_eq!(replies[1]["best"], "switch");
    let moves = replies[1]["moves"].as_array().expect("a list");
    let worths: Vec<String> = moves.iter().map(value).collect();
    assert_eq!(worths, [r#""2"/"3""#, r#""1"/"3""#]);
    assert_eq!(replies[1]["states"], 0, "the game was solved before");
    for (number, code, message) in [
        (
            4,
            "position",
            "no play within the steps that count has these moves and percepts of guest in step 3",
        ),
        (5, "position", "in step 2"),
        (6, "position", "in step 4, and goes on then"),
        (7, "position", "give the `information` of the role"),
        (8, "position", "give the `information` of the role"),
        (9, "request", "does not tell what follows a move"),
    ] {
        let reply = &replies[number];
        assert_eq!(reply["code"], code, "{reply}");
        assert!(
            reply["message"].as_str().expect("text").contains(message),
            "{reply}"
        );
    }
}

/// Parts that know only games in which everybody sees everything say so.
#[test]
fn nothing_takes_a_game_of_hidden_information_as_an_open_one() {
    let place = Place::new();
    let rules = game("hidden_monty_hall.gdl");
    for (arguments, part) in [
        ("solve --engine emm", "emm only knows"),
        (
            "solve --engine xssat",
            "a formula, whose players see all that was chosen before, only knows",
        ),
        (
            "translate --depth 4 --to sdimacs",
            "a formula, whose players see",
        ),
        (
            "export --to dot -o x.dot",
            "an export other than in the form efg with both sides only knows",
        ),
        (
            "evaluate --table t",
            "the value of single positions only knows",
        ),
        ("table build -o t", "a search through its states only knows"),
    ] {
        let (command, options) = arguments.split_once(' ').unwrap_or((arguments, ""));
        let arguments = match options.strip_prefix("build ") {
            Some(options) => format!("{command} build {rules} {options}"),
            None => format!("{command} {rules} {options}"),
        };
        place.refuses(arguments.trim_end(), 65, part);
    }
    place.refuses(
        &format!("solve {rules} --after (noop)"),
        2,
        "--from begins in a state that everybody knows",
    );
}

const BLIND: &str = "(role x) (role random) (init start) (legal random heads) (legal random tails)
    (<= (legal x wait) (true start)) (<= (legal x left) (true heads)) (<= (legal x right) (true tails))
    (<= (next heads) (true start) (does random heads)) (<= (next tails) (true start) (does random tails))
    (<= (next over) (not (true start))) (<= terminal (true over)) (goal x 100) (<= (sees x nothing) (true over))";

#[test]
fn games_without_a_value_say_what_to_do() {
    let place = Place::new();
    place.write("blind.gdl", BLIND);
    place.refuses(
        "solve blind.gdl",
        65,
        "x does not know its legal moves: it cannot tell apart two states that differ in {heads} (where left is legal) and {tails} \
         (where right is legal); add a `sees` rule that tells x which of them it is",
    );
    let waiting = BLIND
        .replace("(true heads)", "(not (true start))")
        .replace("(true tails)", "(not (true start))");
    let waiting = waiting.replace(
        "(<= (next over) (not (true start)))",
        "(<= (next over) (does x left)) (<= (next heads) (does x right))",
    );
    let opposed = format!("{waiting} (role y) (legal y m) (legal y n) (goal y 0)");
    place.write("endless.gdl", waiting);
    place.write("opposed.gdl", opposed);
    place.refuses("solve opposed.gdl", 2, "--depth");
    for options in ["endless.gdl", "opposed.gdl --depth 2"] {
        let answer = place.answers(&format!("solve {options}"));
        assert!(answer.starts_with("100 %\n"), "{answer}");
    }
    place.write(
        "ghost.gdl",
        BLIND.replace("(sees x nothing)", "(sees y nothing)"),
    );
    place.refuses("solve ghost.gdl", 65, "`y` is no role");
    place.write(
        "open.gdl",
        BLIND.replace("(sees x nothing)", "(sees x ?what)"),
    );
    place.refuses("solve open.gdl", 65, "`?what`");
}

const COIN: &str = "(role spy) (role guest) (role random) (init one)
    (<= (legal random (toss ?s)) (side ?s) (true one)) (<= (legal random wait) (true two))
    (side heads) (side tails) (legal spy wait) (legal spy smile)
    (<= (legal guest wait) (true one)) (<= (legal guest (say ?s)) (side ?s) (true two))
    (<= (next (coin ?s)) (does random (toss ?s))) (<= (next two) (true one))
    (<= (next won) (true (coin ?s)) (does guest (say ?s))) (<= (next over) (true two))
    (<= terminal (true over)) (<= (sees spy ?s) (does random (toss ?s)))
    (<= (goal guest 100) (true won)) (<= (goal guest 0) (not (true won)))
    (<= (goal spy 100) (true won)) (<= (goal spy 0) (not (true won)))";

/// One looks at a coin, the other guesses it. A team tells each other what its members see; opponents that move at random
/// tell nothing.
#[test]
fn teams_see_what_their_members_see() {
    let place = Place::new();
    place.write("coin.gdl", COIN);
    for (options, value) in [
        ("--role guest", "50 % (1/2)\n"),
        ("--role guest --opponents random", "50 % (1/2)\n"),
        ("--role spy+guest --strategy team.json", "100 %\n"),
    ] {
        let answer = place.answers(&format!("solve coin.gdl {options}"));
        assert!(answer.starts_with(value), "{options}: {answer}");
    }
    let proved = place.answers("verify coin.gdl team.json");
    assert!(proved.starts_with("100 %\n"), "{proved}");
}

/// Beliefs that come up again, and those that best play does not lead to.
#[test]
fn play_may_go_on_for_ever() {
    let place = Place::new();
    for (rules, value) in [
        ("hidden_endless_shells.gdl", "60 % (3/5)\nguest"),
        ("hidden_endless_tiger.gdl", "84.2105 % (16/19)\nagent"),
    ] {
        let answer = place.answers(&format!("solve {}", game(rules)));
        assert!(answer.starts_with(value), "{answer}");
        assert!(answer.contains("without a step limit"), "{answer}");
        place.answers(&format!("solve {} --strategy machine.json", game(rules)));
        let proved = place.answers(&format!("verify {} machine.json", game(rules)));
        let value = value.split(" (").next().expect("a value");
        let bounds = format!("[{value}, 100 %] (");
        assert!(proved.starts_with(&bounds), "{proved}");
    }
    // Without the guard the agent can be as sure as it likes, and never is.
    let rules = read_text(crate::common::root().join("games/hidden_endless_tiger.gdl"));
    place.write("tiger.gdl", rules.replace("(throw 1)))", "(throw 0)))"));
    let bounds = place.run("solve tiger.gdl --json --strategy machine.json");
    assert_eq!(bounds.code, Some(0), "{bounds:?}");
    let object: Value = serde_json::from_str(&bounds.out).expect("JSON");
    assert_eq!(object["upper"]["num"], "1", "{object}");
    let lower = object["lower"]["decimal"].as_f64().expect("a number");
    assert!(lower > 0.999_999_999_998 && lower <= 1.0, "{object}");
    assert_eq!(object["stopped_by"], "digits", "{object}");
    let proved = place.answers("verify tiger.gdl machine.json --json");
    let proved: Value = serde_json::from_str(&proved).expect("JSON");
    assert_eq!(proved["lower"], object["lower"], "{proved}");
    let refused = |flaw: &str| {
        let told = place.run("verify tiger.gdl machine.json");
        assert_eq!(told.code, Some(65), "{told:?}");
        assert!(told.out.contains(flaw), "{told:?}");
    };
    // Who listens for ever gets nothing.
    let machine = read_text(place.path("machine.json"));
    place.write("machine.json", machine.replace("(open ", "(listen "));
    refused("not legal");
    let listening = r#"[{"moves":["listen"],"probability":"1","next":[{"sees":["(tiger left)"],"then":1},{"sees":["(tiger right)"],"then":1}]}]"#;
    let first = r#"[{"moves":["noop"],"probability":"1","next":[{"sees":[],"then":1}]}]"#;
    let (heading, _) = machine.split_once("\"player\":[").expect("a list");
    place.write(
        "machine.json",
        format!("{heading}\"player\":[{first},{listening}],\"opponents\":[]}}"),
    );
    refused("this is worth 0, not");
}
