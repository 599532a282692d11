//! `--time`: commands end soon after it by themselves, with bounds that hold.
//!
//! `SQASP_TEST_ROUNDS` makes the search for late ends longer, `SQASP_TEST_SEED` repeats it.

use super::{COUNTER, ENDLESS, LARGE_RULE, cube, hard_formula, lamps};
use crate::cli::{LATE, Place, game};
use serde_json::Value;
use std::time::{Duration, Instant};

/// Commands, for a game in the place of `GAME`.
const COMMANDS: [&str; 16] = [
    "solve GAME --engine emm",
    "solve GAME --engine emm --depth 3 --moves",
    "solve GAME --engine table",
    "solve GAME --engine xssat --depth 3",
    "solve GAME --engine xssat --depth 2 --moves",
    "solve GAME --depth 1..9 --role all",
    "solve GAME --strategy s.json",
    "prove GAME --all",
    "prove GAME --all --engine asp",
    "prove GAME turn-taking zero-sum --engine circuit",
    "translate GAME --to kif -o o.kif",
    "translate GAME --to umb -o o.umb",
    "translate GAME --to efg -o o.efg",
    "translate GAME --to dot",
    "translate GAME --depth 3 --to cnf -o o.cnf",
    "simulate GAME --plays 1000000000",
];

/// How often a command is tried. One that has the processor to itself only now and then may be cut off; a stage that never looks at its clock
/// is cut off each time.
const TRIALS: usize = 10;

/// Runs a command with a limit of time, and checks that it ends by itself with one of these codes.
fn ends(place: &Place, command: &str, time: f64, codes: &[i32]) {
    let arguments = format!("{command} --time {time}");
    let trial = || {
        let start = Instant::now();
        let ended = place.run(&arguments);
        let took = start.elapsed();
        println!("{arguments}: {took:?}");
        let code = ended.code.expect("no signal ended it");
        assert!(codes.contains(&code), "{arguments}: {ended:?}");
        let is_cut = ended.err.contains("did not stop by itself");
        (!is_cut).then_some((ended, took))
    };
    let found = (0..TRIALS).find_map(|_| trial());
    let (ended, took) = found.unwrap_or_else(|| panic!("{arguments}: it was cut off"));
    assert!(
        took < Duration::from_secs_f64(time) + LATE,
        "{arguments}: {took:?}"
    );
    ended.check_manners(&arguments);
}

#[test]
fn large_games_are_left_in_time() {
    let place = Place::new();
    place.write("large.gdl", cube(16));
    place.write("huge.gdl", cube(25));
    place.write("moves.gdl", cube(12));
    // All of these were cut off once: while moves were compared, conditions were listed, a program was parsed, one step was
    // made for an export, or each of 1728 moves was told that the time is over.
    for command in [
        "solve large.gdl --engine emm",
        "solve large.gdl --engine table",
        "solve large.gdl --engine xssat --depth 3",
        "solve huge.gdl --engine xssat --depth 3",
        "solve moves.gdl --engine xssat --depth 2 --moves",
        "prove large.gdl --all --engine asp",
        "prove huge.gdl --all",
        "translate large.gdl --to umb -o o.umb",
        "translate huge.gdl --to efg -o o.efg",
    ] {
        ends(&place, command, 0.4, &[0, 75]);
    }
}

#[test]
fn random_games_and_commands_are_left_in_time() {
    let seed =
        std::env::var("SQASP_TEST_SEED").map_or_else(|_| 1, |text| text.parse().expect("a number"));
    println!("SQASP_TEST_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let place = Place::new();
    let own = [
        "stochastic_ttt_4x4.gdl",
        "stochastic_connect_4.gdl",
        "endless_ur.gdl",
        "pawn_race.gdl",
    ];
    for _ in 0..crate::common::rounds(24) {
        let name = match random.u8(0..4) {
            0 => game(own[random.usize(..own.len())]),
            _ => {
                place.write("large.gdl", cube(random.usize(4..=25)));
                "large.gdl".to_owned()
            }
        };
        let command = COMMANDS[random.usize(..COMMANDS.len())].replace("GAME", &name);
        let time = [0.05, 0.1, 0.3, 1.0][random.usize(..4)];
        ends(&place, &command, time, &[0, 75]);
    }
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
        println!("{name}");
        place.write("game.gdl", text);
        for (command, time) in [
            ("check game.gdl", 0.3),
            // With 100M a table doubles just below the limit, and the process is over it before anybody can be asked to stop.
            ("check game.gdl --memory 97M", 2.0),
            ("simulate game.gdl", 0.3),
            ("simulate game.gdl --plays 1000000", 0.3),
        ] {
            ends(&place, command, time, &[0, 65, 75]);
        }
    }
}

#[test]
fn time_runs_out_while_solving() {
    let place = Place::new();
    place.write("hard", hard_formula());
    let start = Instant::now();
    let ended = place.run("solve-formula hard --time 0.5 --json");
    assert!(start.elapsed() < LATE, "{ended:?}");
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
        // A busy machine gets more time for its first bounds.
        let has_bounds = [2, 8, 32].into_iter().any(|time| {
            let ended = place.run(&format!(
                "solve-formula hard --time {time} --threads {threads} --json"
            ));
            assert_eq!(ended.code, Some(75), "{ended:?}");
            assert!(!ended.err.contains("cut off"), "{ended:?}");
            let answer: Value = serde_json::from_str(&ended.out).expect("one JSON object");
            answer["upper"]["decimal"].as_f64().expect("a number") < 1.0
        });
        assert!(has_bounds, "{threads} threads");
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
        assert!(start.elapsed() < LATE, "{arguments}");
        assert_eq!(ended.code, Some(75), "{arguments}: {ended:?}");
        assert!(ended.out.starts_with("[0 %, 100 %]\n"), "{ended:?}");
        assert!(ended.out.contains("time limit"), "{ended:?}");
        ended.check_manners(&arguments);
    }
    let translate = "translate counter.gdl --depth 2 --to sdimacs -o out --time 0.3";
    place.refuses(translate, 75, "the time limit was reached");
}

#[test]
fn bounds_for_the_whole_game_where_its_length_is_not_known() {
    let place = Place::new();
    place.write("lamps.gdl", lamps());
    for options in ["", "--moves", "--engine xssat"] {
        let ended = place.run(&format!("solve lamps.gdl --time 1.5 {options}"));
        assert_eq!(ended.code, Some(75), "{options}: {ended:?}");
        assert!(
            ended.out.starts_with("[50 %, 100 %] ([1/2, 1])\n"),
            "{options}: {ended:?}"
        );
        let statement = "player can guarantee winning with a probability between these bounds";
        let (how, remark) = match options {
            "--engine xssat" => (" (", "is a lower bound"),
            _ => (" without a step limit (", ""),
        };
        let statement = format!("{statement}{how}");
        assert!(ended.out.contains(&statement), "{options}: {ended:?}");
        assert!(ended.err.contains(remark), "{options}: {ended:?}");
        ended.check_manners(options);
    }
}

/// A number that grows with every tails; heads wins. There is no end of states.
#[test]
fn games_with_infinitely_many_states_have_bounds_in_time() {
    const RULES: &str = "(role player) (role random) (legal player wait) (init (number zero))
        (legal random heads) (legal random tails)
        (<= (next won) (does random heads))
        (<= (next (number (next_of ?n))) (true (number ?n)) (does random tails))
        (<= terminal (true won)) (<= (goal player 100) (true won)) (<= (goal player 0) (not (true won)))";
    let place = Place::new();
    place.write("numbers.gdl", RULES);
    let why = "the rules build terms with functions nested more than 1000 deep";
    let ended = place.run("solve numbers.gdl");
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(75), ""),
        "{ended:?}"
    );
    assert!(
        ended.err.contains(why) && ended.err.contains("--time"),
        "{ended:?}"
    );
    for engine in ["auto", "emm", "table", "xssat"] {
        let command = format!("solve numbers.gdl --time 2 --json --quiet --engine {engine}");
        let ended = place.run(&command);
        assert_eq!(ended.code, Some(75), "{ended:?}");
        let answer: Value = serde_json::from_str(&ended.out).expect("JSON");
        assert_eq!(answer["status"], "bounds");
        // Heads comes in the first step or later, but not certainly within any number of steps.
        let lower = &answer["lower"];
        assert!(
            lower["decimal"].as_f64().is_some_and(|it| it >= 0.5),
            "{ended:?}"
        );
        assert_ne!(lower["num"], lower["den"]);
        assert_eq!(answer["upper"]["num"], "1");
    }
}

#[test]
fn a_limit_ends_a_curve_with_bounds() {
    let place = Place::new();
    let question = format!(
        "solve {} --depth 3..16 --engine learning --time 1.5",
        game("stochastic_connect_4.gdl")
    );
    let ended = place.run(&format!("{question} --json"));
    assert_eq!(ended.code, Some(75), "{ended:?}");
    let curve: Value = serde_json::from_str(&ended.out).expect("one JSON object");
    assert_eq!(
        (&curve["status"], &curve["stopped_by"]),
        (&"bounds".into(), &"time".into())
    );
    let points = curve["curve"].as_array().expect("a list");
    assert!(points.len() < 14, "{curve}");
    let (last, before) = points.split_last().expect("a point");
    assert!(
        before.iter().all(|point| point["status"] == "solved"),
        "{curve}"
    );
    assert_eq!(last["status"], "bounds");
    // More steps never make less.
    let decimal = |point: &Value| point["lower"]["decimal"].as_f64().expect("a number");
    let lowers: Vec<f64> = points.iter().map(decimal).collect();
    assert!(lowers.is_sorted(), "{curve}");
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
        let answer: Value = serde_json::from_str(&ended.out).expect("one JSON object");
        assert_eq!(
            (&answer["depth"], &answer["status"], &answer["stopped_by"]),
            (&"unbounded".into(), &"bounds".into(), &reason.into())
        );
        let decimal = |bound: &str| answer[bound]["decimal"].as_f64().expect("a number");
        let value = 0.5f64.powi(39);
        assert!(decimal("lower") <= value && value <= decimal("upper"));
    }
}
