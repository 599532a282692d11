//! `solve` by search: engines, where play starts, strategies.

use super::games::COUNTER;
use super::{Place, end, game};
use num_rational::BigRational;
use serde_json::Value;

fn json(text: &str) -> Value {
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(text).expect("one JSON object")
}

fn fraction(answer: &Value) -> String {
    let value = &answer["value"];
    let part = |name: &str| value[name].as_str().expect("text").to_owned();
    format!("{}/{}", part("num"), part("den"))
}

#[test]
fn engines_are_named_and_give_the_same() {
    let place = Place::new();
    let question = format!("solve {} --depth 9 --moves", game("stochastic_ttt.gdl"));
    let by = |engine: &str| json(&place.answers(&format!("{question} --json --engine {engine}")));
    let (emm, xssat, auto) = (by("emm"), by("xssat"), by("auto"));
    assert_eq!(emm["engine"], "emm");
    assert_eq!(xssat["engine"], "xssat");
    assert_eq!(auto["engine"], "emm");
    assert!(emm["why"].is_null() && xssat["why"].is_null());
    let why = auto["why"].as_str().expect("a reason");
    assert!(
        why.starts_with("one step of the game is a circuit of "),
        "{why}"
    );
    assert!(emm["quant"].is_null());
    assert_eq!(xssat["quant"], "dep");
    for field in [
        "moves", "value", "lower", "upper", "status", "exact", "depth",
    ] {
        assert_eq!(emm[field], xssat[field], "{field}");
        assert_eq!(auto[field], xssat[field], "{field}");
    }
    for field in ["facts", "moves", "gates"] {
        assert!(emm["stats"][field].is_u64(), "{field}: {emm}");
    }
    let text = place.answers(&format!("{question} --engine emm"));
    assert!(
        text.contains("within 9 steps (exact; engine emm, "),
        "{text}"
    );
    let lines = place.answers(&format!("{question} --engine emm --format competition"));
    assert!(
        lines.contains("c s exact arb frac 164832/390625\n"),
        "{lines}"
    );
}

#[test]
fn options_about_formulas_choose_the_engine() {
    let place = Place::new();
    let question = format!("solve {} --depth 1 --json", game("figure_1.gdl"));
    for option in ["--quant dep", "--without gates"] {
        let answer = json(&place.answers(&format!("{question} {option}")));
        let name = option.split(' ').next().expect("a word");
        assert_eq!(answer["engine"], "xssat", "{option}");
        let why = answer["why"].as_str().expect("a reason");
        assert!(
            why.starts_with(&format!("{name} needs an engine that ")),
            "{why}"
        );
        place.refuses(&format!("{question} {option} --engine emm"), 2, name);
        let command = format!("{question} {option} --strategy out.json");
        place.refuses(&command, 2, "drop one of them");
    }
    let command = format!("{question} --engine xssat --strategy out.json");
    place.refuses(&command, 2, "use --engine emm instead of xssat");
    place.write("coin.sdimacs", "p cnf 1 1\nr 0.5 1 0\n1 0\n");
    place.refuses(
        "solve-formula coin.sdimacs --engine emm",
        2,
        "a formula needs an engine that works on formulas: use --engine xssat instead of emm",
    );
    for engine in ["frontier", "learning"] {
        let answer = json(&place.answers(&format!("{question} --engine {engine}")));
        assert_eq!(answer["engine"], engine);
        assert_eq!(answer["value"]["num"], "2");
    }
    let command = format!("{question} --engine xssat --without equal-moves");
    place.refuses(&command, 2, "use --engine emm");
}

#[test]
fn a_game_without_circuit_goes_to_the_other_engine() {
    let place = Place::new();
    place.write("counter.gdl", COUNTER);
    let ended = place.run("solve counter.gdl --depth 2 --time 1 --json");
    assert_eq!(ended.code, Some(75), "{ended:?}");
    let answer = json(&ended.out);
    assert_eq!(answer["engine"], "xssat");
    let why = answer["why"].as_str().expect("a reason");
    assert!(
        why.starts_with("one step of the game is no circuit: "),
        "{why}"
    );
    place.refuses("solve counter.gdl --depth 2 --engine emm", 75, "nested");
}

/// The value of a question with these options, by both engines.
fn value_by_both(place: &Place, question: &[&str]) -> BigRational {
    let by = |engine: &str| {
        let engine = ["--json", "--engine", engine];
        let ended = end(&mut place.command_with(question.iter().chain(&engine)));
        assert_eq!(ended.code, Some(0), "{question:?}: {ended:?}");
        fraction(&json(&ended.out))
    };
    let (emm, xssat) = (by("emm"), by("xssat"));
    assert_eq!(emm, xssat, "{question:?}");
    emm.parse().expect("a fraction")
}

#[test]
fn play_may_start_elsewhere() {
    let place = Place::new();
    let ttt = game("stochastic_ttt.gdl");
    let question = ["solve", &ttt, "--depth", "8"];
    let with = |options: &[&str]| value_by_both(&place, &[&question[..], options].concat());
    // After x has marked the middle, with its own sign or with the other.
    let kept = with(&["--after", "((mark 2 2) noop (keep 1))"]);
    let flipped = with(&["--after", "((mark 2 2) noop (flip 1))"]);
    let fifth = |number: i64| BigRational::new(number.into(), 5.into());
    let best = "164832/390625".parse().expect("a fraction");
    assert_eq!(&kept * fifth(4) + &flipped * fifth(1), best);
    // The same from a state, and from a state and moves.
    place.write("state", "(cell 2 2 xplayer) (control oplayer)");
    place.write("start", "(control xplayer)");
    place.write("moves", "((mark 2 2) noop (flip 1))");
    assert_eq!(with(&["--from", "state"]), kept);
    assert_eq!(with(&["--from", "start", "--after", "@moves"]), flipped);
    // Where x has won, and where nobody can any more.
    let row = "(cell 1 1 xplayer) (cell 1 2 xplayer) (cell 1 3 xplayer) (control oplayer)";
    place.write("won", row);
    assert_eq!(with(&["--from", "won"]), fifth(5));
    // Such strategies start where play does.
    let command = format!("solve {ttt} --depth 8 --from state --strategy s.json");
    place.answers(&command);
    let verdict = place.answers(&format!("verify {ttt} s.json"));
    let start =
        "play starts from another state than the game: (cell 2 2 xplayer) (control oplayer)";
    assert!(verdict.contains(start), "{verdict}");

    place.write("odd", "(cell 4 4 xplayer)");
    let command = format!("solve {ttt} --depth 8 --from odd");
    place.refuses(&command, 65, "the fact (cell 4 4 xplayer) cannot come true");
    let moves = ["--after", "((mark 4 4) noop (keep 1))"];
    let ended = end(&mut place.command_with(question.iter().chain(&moves)));
    ended.check_refusal("--after", 65, "(mark 4 4) is not legal for xplayer");
}

#[test]
fn strategies_are_written_and_proved() {
    let place = Place::new();
    let rows = [
        ("figure_1.gdl", "xplayer", 1, "win"),
        ("stochastic_ttt_half.gdl", "oplayer", 5, "score"),
        ("fox_and_hounds.gdl", "fox", 3, "win"),
        ("dive.gdl", "diver", 5, "goal>=50"),
        ("stochastic_nim_5.gdl", "xplayer", 20, "win"),
    ];
    for (file, role, depth, objective) in rows {
        let rules = game(file);
        let command =
            format!("solve {rules} --role {role} --depth {depth} --objective {objective}");
        let text = place.answers(&format!("{command} --strategy s.json"));
        assert!(text.contains("\nstrategy in s.json: "), "{text}");
        let value = text.lines().next().expect("a line").to_owned();
        let verdict = place.answers(&format!("verify {rules} s.json"));
        assert_eq!(verdict.lines().next(), Some(value.as_str()), "{verdict}");
        assert!(verdict.contains("(proved from both sides; "), "{verdict}");
        // The same on standard output, in place of the answer.
        let printed = place.answers(&format!("{command} --strategy -"));
        let written = std::fs::read_to_string(place.path("s.json")).expect("it was written");
        assert_eq!(printed, written);
        let answer = json(&place.answers(&format!("{command} --strategy s.txt --json")));
        assert_eq!(answer["strategy"]["written"], true, "{answer}");
        assert_eq!(answer["strategy"]["file"], "s.txt", "{answer}");
        let text = std::fs::read_to_string(place.path("s.txt")).expect("it was written");
        assert!(text.contains(&format!("What {role} does:\n")), "{text}");
    }
}

#[test]
fn a_strategy_that_is_too_large_is_not_written() {
    let place = Place::new();
    let ttt = game("stochastic_ttt_half.gdl");
    let command = format!("solve {ttt} --depth 9 --strategy s.json --max-size 10");
    let before = place.files();
    let ended = place.run(&command);
    assert_eq!(ended.code, Some(75), "{ended:?}");
    assert!(ended.out.starts_with("47.4609 % (243/512)"), "{ended:?}");
    assert!(
        ended
            .out
            .contains("no strategy was written: it has more than 10"),
        "{ended:?}"
    );
    let answer = json(&place.run(&format!("{command} --json")).out);
    assert_eq!(answer["strategy"]["written"], false, "{answer}");
    assert_eq!(answer["strategy"]["stopped_by"], "positions", "{answer}");
    assert_eq!(fraction(&answer), "243/512");
    assert_eq!(before, place.files());
    // Where the value itself is not found there is nothing to write.
    let large = game("stochastic_ttt_4x4.gdl");
    let ended = place.run(&format!(
        "solve {large} --depth 16 --strategy s.json --time 0.2"
    ));
    assert_eq!(ended.code, Some(75), "{ended:?}");
    assert_eq!(before, place.files());
}

#[test]
fn the_number_of_steps_may_be_left_out() {
    let place = Place::new();
    let ttt = game("stochastic_ttt.gdl");
    for engine in ["auto", "emm", "xssat"] {
        let text = place.answers(&format!("solve {ttt} --engine {engine}"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "42.197 % (164832/390625)");
        let within = "within 9 steps, after which every play is over (exact; engine ";
        assert!(lines[1].contains(within), "{text}");
        let answer = json(&place.answers(&format!("solve {ttt} --engine {engine} --json")));
        assert_eq!(
            (&answer["depth"], &answer["depth_found"]),
            (&9.into(), &true.into())
        );
        assert_eq!(fraction(&answer), "164832/390625");
    }
    let command = format!("solve {ttt} --strategy s.json");
    place.answers(&command);
    place.answers(&format!("verify {ttt} s.json"));
    // Where play may go on for ever emm counts all steps; for a formula somebody has to say how many count.
    place.write(
        "ring.gdl",
        "(role x) (init (at 1)) (legal x go) (legal x stop) 
         (<= (next (at ?y)) (does x go) (true (at ?x)) (after ?x ?y)) (after 1 2) (after 2 1)
         (<= (next over) (does x stop)) (<= terminal (true over)) (goal x 100)",
    );
    let answer = json(&place.answers("solve ring.gdl --json"));
    assert_eq!(answer["depth"], "unbounded");
    assert_eq!(fraction(&answer), "1/1");
    place.refuses("solve ring.gdl --engine xssat", 2, "--depth");
    place.answers("solve ring.gdl --strategy ring.json");
    place.answers("verify ring.gdl ring.json");
    place.refuses("translate ring.gdl --to asp", 2, "--depth");
}

#[test]
fn without_a_step_limit_limits_leave_bounds() {
    let place = Place::new();
    // A token put into a row of 40 cells comes out at the end; in each step play ends with probability 1/2.
    let cells = (1..40).map(|cell| format!("(after {cell} {})", cell + 1));
    place.write(
        "row.gdl",
        format!(
            "(role x) (role random) (init (at 0)) (legal x (put 0)) (legal x (put 1)) 
             (legal random stop) (legal random go) {}
             (<= (next (on 1)) (does x (put 1))) (<= (next (on ?m)) (true (on ?n)) (after ?n ?m))
             (<= (next over) (does random stop)) (<= terminal (true over))
             (<= (goal x 100) (true (on 40))) (<= (goal x 0) (not (true (on 40))))",
            cells.collect::<Vec<_>>().join(" ")
        ),
    );
    for (limit, reason) in [("--memory 80M", "memory"), ("--time 2", "time")] {
        let ended = place.run(&format!("solve row.gdl {limit} --json"));
        assert_eq!(ended.code, Some(75), "{ended:?}");
        let answer = json(&ended.out);
        assert_eq!(
            (&answer["depth"], &answer["status"], &answer["stopped_by"]),
            (&"unbounded".into(), &"bounds".into(), &reason.into())
        );
        let decimal = |bound: &str| answer[bound]["decimal"].as_f64().expect("a number");
        let value = 0.5f64.powi(39);
        assert!(decimal("lower") <= value && value <= decimal("upper"));
    }
}
