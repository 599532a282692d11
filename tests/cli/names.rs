//! Names that nothing makes true, values that are 0 because of one, and roles that there are not.

use super::Place;

/// The player adds what a die shows for three steps; with 5 points it wins.
const RACE: &str = "; uses numbers
    (role x) (role random) (up_to 12) (init (score x 0)) (init (left 3))
    (legal x add) (legal x wait) (<= (legal random (roll ?n)) (side ?n)) (side 1) (side 2)
    (<= (next (score x ?n)) (does x add) (does random (roll ?k)) (true (score x ?m)) (sum ?m ?k ?n))
    (<= (next (score x ?m)) (does x wait) (true (score x ?m)))
    (<= (next (left ?n)) (true (left ?m)) (succ ?n ?m))
    (<= terminal (true (left 0)))
    (<= (goal x 100) won) (<= (goal x 0) (not won))
    (<= won (true (score x 5)))
";

/// The race with one thing in place of another.
fn race(place: &Place, part: &str, by: &str) {
    assert!(RACE.contains(part), "{part}");
    place.write("race.gdl", RACE.replace(part, by));
}

#[test]
fn every_command_warns_of_names_that_nothing_makes_true() {
    let place = Place::new();
    race(&place, "(true (score x 5))", "(true (scor x 5))");
    let warning = "no rule or `init` gives `scor`, so it is never true; did you mean `score`?";
    for command in [
        "solve race.gdl",
        "solve race.gdl --depth 3 --engine xssat",
        "solve race.gdl --depth 1..3",
        "check race.gdl",
        "simulate race.gdl --plays 2",
        "prove race.gdl legal-nonempty",
        "export race.gdl --to dot -o race.dot",
        "translate race.gdl --to asp --depth 1",
        "table build race.gdl --output race.table",
    ] {
        let ended = place.run(command);
        assert_eq!(ended.code, Some(0), "{command}: {ended:?}");
        assert!(
            ended.err.contains("warning[never-true]"),
            "{command}: {ended:?}"
        );
        assert!(ended.err.contains(warning), "{command}: {ended:?}");
        place.refuses(&format!("{command} --strict"), 65, "error[never-true]");
    }
    let quiet = place.run("solve race.gdl --quiet");
    assert_eq!(quiet.err, "", "{quiet:?}");
    race(&place, "(true (score x 5))", "(true (score x 5))");
    let right = place.run("solve race.gdl");
    assert!(!right.err.contains("warning["), "{right:?}");
}

#[test]
fn one_warning_tells_each_misspelt_name() {
    let place = Place::new();
    for (part, by, code, said) in [
        (
            "(does x wait)",
            "(does x wiat)",
            "never-legal",
            "no rule makes `wiat` legal for x, so it is never done; did you mean `wait`?",
        ),
        (
            "(does x wait)",
            "(does ?p wiat)",
            "never-legal",
            "no rule makes `wiat` legal, so nobody ever does it; did you mean `wait`?",
        ),
        (
            "(does random (roll ?k))",
            "(does random (rol ?k))",
            "never-legal",
            "did you mean `roll`?",
        ),
        (
            "(true (left 0))",
            "(true (lfet 0))",
            "never-true",
            "did you mean `left`?",
        ),
        (
            "(true (left 0))",
            "(or (true (left 0)) (true (left 20)))",
            "never-true",
            "no rule or `init` gives `(left 20)` with `20` there",
        ),
        (
            "(not won)",
            "(not won) (not (true (score y 5)))",
            "never-true",
            "gives `(score y 5)` with `y` there",
        ),
        ("(goal x 0)", "(goal xx 0)", "not-a-role", "`xx` is no role"),
        (
            "(sum ?m ?k ?n)",
            "(smu ?m ?k ?n)",
            "unproduced",
            "no fact or rule gives `smu`, so it never holds; did you mean `sum`?",
        ),
        (
            "(sum ?m ?k ?n)",
            "(two_d6 ?m ?k ?n)",
            "unproduced",
            "; the library `dice` defines it",
        ),
        (
            "(true (left 0))",
            "(treu (left 0))",
            "unproduced",
            "did you mean `true`?",
        ),
    ] {
        race(&place, part, by);
        let ended = place.run("simulate race.gdl --plays 1");
        let lines: Vec<&str> = ended
            .err
            .lines()
            .filter(|line| line.contains(code))
            .collect();
        assert_eq!(lines.len(), 1, "{by}: {ended:?}");
        assert!(lines[0].starts_with("warning["), "{by}: {ended:?}");
        assert!(lines[0].contains(said), "{by}: {ended:?}");
    }
    // Without the library.
    race(&place, "; uses numbers", "");
    let ended = place.run("simulate race.gdl --plays 1");
    let said = "no fact or rule gives `sum`, so it never holds; the library `numbers` defines it (and 1 more)";
    assert!(ended.err.contains(said), "{ended:?}");
}

#[test]
fn a_zero_that_no_play_changes_is_explained() {
    let place = Place::new();
    race(&place, "(true (score x 5))", "(true (score ?p 15))");
    let because = "no play reaches this, even if everybody and chance help: `(goal x 100)` needs `won`, which needs \
                   `(true (score ?p 15))`, which nothing makes true";
    for options in ["", "--engine xssat --depth 3", "--moves", "--depth 1"] {
        let ended = place.run(&format!("solve race.gdl {options}"));
        assert!(ended.out.starts_with("0 %\n"), "{options}: {ended:?}");
        assert!(ended.out.contains(because), "{options}: {ended:?}");
        let json = place.run(&format!("solve race.gdl {options} --json"));
        let answer: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
        assert_eq!(answer["never"]["because"], because, "{options}");
        assert_eq!(
            answer["never"]["needs"][0][2], "(true (score ?p 15))",
            "{options}"
        );
    }
    // Too few steps, or too clever opponents, are no such reason.
    race(
        &place,
        "(legal random (roll ?n)) (side ?n)",
        "(legal random (roll ?n)) (side ?n)",
    );
    let ended = place.run("solve race.gdl --depth 1");
    assert!(
        ended.out.starts_with("0 %\n") && !ended.out.contains("no play"),
        "{ended:?}"
    );
    // No goal value of 100.
    race(&place, "(goal x 100)", "(goal x 70)");
    let ended = place.run("solve race.gdl");
    let said = "x never gets more than 70 points, however play goes; the objective `points` tells what it can expect";
    assert!(ended.out.contains(said), "{ended:?}");
    let ended = place.run("solve race.gdl --objective points");
    assert!(!ended.out.contains("never"), "{ended:?}");
}

#[test]
fn points_are_bounded_by_what_the_tables_of_the_rules_give() {
    let place = Place::new();
    let by = "(<= (goal x ?n) (true (score x ?n)))";
    race(
        &place,
        "(<= (goal x 100) won) (<= (goal x 0) (not won))",
        by,
    );
    let ended = place.run("check race.gdl");
    assert!(!ended.err.contains("large-goal"), "{ended:?}");
    assert!(
        ended
            .out
            .contains("x: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ..., 12 (13 values)"),
        "{ended:?}"
    );
    let ended = place.run("solve race.gdl --objective points --time 0 --json --depth 3 -e xssat");
    let answer: serde_json::Value = serde_json::from_str(&ended.out).expect("JSON");
    assert_ne!(answer["upper"]["num"], "1000", "{answer}");
    let ended = place.run("solve race.gdl --objective points -e xssat --depth 3");
    assert!(ended.out.starts_with("4.5 (9/2)\n"), "{ended:?}");
}

#[test]
fn check_prints_a_screen() {
    let place = Place::new();
    // Play goes on for ever, with many facts, and every second rule has something to tell.
    let mut rules = String::from(
        "(role x) (legal x go) (legal x stay) (goal x 100) (<= terminal (true never))\n",
    );
    for number in 0..200 {
        rules += &format!(
            "(init (fact {number} of many))\n(<= (next (fact ?n{number} ?of ?x)) (true (fact ?n{number} ?of ?x)) (missing{number} ?y))\n"
        );
        rules += &format!(
            "(<= (unused{number} ?x) (true (lost{number} ?x)) (does x (leave {number})))\n"
        );
    }
    place.write("long.gdl", &rules);
    let ended = place.run("check long.gdl");
    for text in [&ended.out, &ended.err] {
        assert!(text.lines().count() < 80, "{}", text.lines().count());
        let longest = text.lines().map(str::len).max();
        assert!(longest < Some(1500), "{longest:?}");
    }
    assert!(
        ended
            .out
            .contains("play did not end within 1000 joint moves"),
        "{ended:?}"
    );
    let solved = place.run("solve long.gdl --depth 1");
    assert!(solved.err.lines().count() < 24, "{solved:?}");
    let json = place.run("check long.gdl --json");
    let report: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    let after = report["observed"]["findings"][0]["after"].as_array();
    assert_eq!(after.map(Vec::len), Some(1000));
}

#[test]
fn all_commands_answer_alike_for_a_role_that_there_is_not() {
    let place = Place::new();
    race(&place, "won", "won");
    for (role, said) in [
        ("y", "`y` is not a role of this game; its role is x"),
        (
            "random",
            "`random` is chance and cannot be asked for; this game's role is x",
        ),
    ] {
        for command in [
            "solve race.gdl",
            "solve race.gdl --engine xssat --depth 1",
            "solve race.gdl --depth 1..2",
            "evaluate race.gdl",
            "explore race.gdl",
            "export race.gdl --to dot -o race.dot",
            "translate race.gdl --to asp --depth 1",
            "table build race.gdl --output race.table",
        ] {
            place.refuses(&format!("{command} --role {role}"), 2, said);
        }
    }
    place.write(
        "alone.gdl",
        "(role white) (legal white go) terminal (goal white 100)",
    );
    place.refuses(
        "solve alone.gdl --role random",
        2,
        "`random` is chance and cannot be asked for; this game's role is white",
    );
    place.refuses(
        "plan alone.gdl --role wite",
        2,
        "its role is white; did you mean `white`?",
    );
}

#[test]
fn a_start_that_no_play_leads_to_is_told() {
    let place = Place::new();
    // The table of successors goes to 40, numbers of sums to 12.
    race(&place, "(up_to 12)", "(up_to 12) (columns 40)");
    place.write("far", "(score x 33) (left 1)");
    place.write("near", "(score x 3) (left 1)");
    for command in [
        "solve race.gdl",
        "simulate race.gdl --plays 1",
        "export race.gdl --to dot -o race.dot",
    ] {
        let far = place.run(&format!("{command} --from far"));
        assert_eq!(far.code, Some(0), "{command}: {far:?}");
        let said = "warning: --from: no play of this game makes (score x 33) true";
        assert_eq!(far.err.matches(said).count(), 1, "{command}: {far:?}");
        let near = place.run(&format!("{command} --from near"));
        assert!(!near.err.contains("warning: "), "{command}: {near:?}");
    }
}
