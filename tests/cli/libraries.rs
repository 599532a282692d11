//! Games that ask for libraries in a comment, and games with parameters.

use super::Place;

/// Throw two dice; the sum of both must be the target.
const TARGET: &str = "; uses numbers dice
    ; parameter target 2..12
    (role x) (role random) (up_to 12) (target 7)
    (legal x wait) (<= (legal random (throw ?a ?b)) (d6 ?a) (d6 ?b))
    (<= (next (total ?n)) (does random (throw ?a ?b)) (sum ?a ?b ?n))
    (<= terminal (true (total ?n)))
    (<= (goal x 100) (true (total ?n)) (target ?n)) (<= (goal x 0) (not won))
    (<= won (true (total ?n)) (target ?n))
";

/// Every command knows the libraries, and the file without them has the same value.
#[test]
fn one_file_with_all_that_a_game_uses_has_its_value() {
    let place = Place::new();
    place.write("target.gdl", TARGET);
    place.answers("fmt target.gdl --standalone -o alone.gdl");
    let alone = std::fs::read_to_string(place.path("alone.gdl")).expect("the file");
    assert!(!alone.contains("uses") && !alone.contains("d8"), "{alone}");
    for options in ["", "--engine xssat --depth 1", "--depth 0..1", "--moves"] {
        let expected = place.answers(&format!("solve target.gdl {options} --json"));
        let found = place.answers(&format!("solve alone.gdl {options} --json"));
        let value = |text: &str| {
            let answer: serde_json::Value = serde_json::from_str(text).expect("JSON");
            let curve = answer["curve"].as_array().into_iter().flatten();
            let curve: Vec<_> = curve.map(|point| point["value"].clone()).collect();
            (answer["value"].clone(), curve, answer["moves"].clone())
        };
        assert_eq!(value(&found), value(&expected), "{options}");
    }
    let strict = place.answers("check alone.gdl --strict");
    assert!(strict.contains("within 1 step (proved)"), "{strict}");
    // Printed again it is the same.
    let again = place.answers("fmt alone.gdl --standalone");
    assert_eq!(again, alone);
    // As written, without the libraries.
    let written = place.answers("fmt target.gdl");
    assert!(written.contains("; uses numbers dice\n"), "{written}");
    assert!(
        !written.contains("two_d6") && !written.contains("succ"),
        "{written}"
    );
    for command in [
        "simulate target.gdl --plays 2",
        "prove target.gdl legal-nonempty",
        "export target.gdl --to dot",
        "translate target.gdl --to asp --depth 1",
        "table build target.gdl --output target.table",
        "solve target.gdl --strategy target.json",
        "verify target.gdl target.json",
    ] {
        place.answers(command);
    }
    let input = std::process::Command::new(env!("CARGO_BIN_EXE_sqasp"))
        .args(["solve", "-"])
        .stdin(std::fs::File::open(place.path("target.gdl")).expect("the game"))
        .output()
        .expect("the command starts");
    assert!(input.status.success(), "{input:?}");
}

#[test]
fn files_beside_the_game_go_before_libraries() {
    let place = Place::new();
    std::fs::create_dir(place.path("sub")).expect("a folder");
    let game = "; uses numbers,\tmore.gdl rest
        (role x) (legal x go) (init a) (<= (next b) (does x go) (succ 1 2) (some x)) (<= terminal (true b))
        (<= terminal (true c)) (<= (goal x 100) (true b)) (<= (goal x 0) (not (true b)))";
    place.write("sub/game.gdl", game);
    place.write("sub/more.gdl", "(some ?x) ; a slip");
    place.write(
        "sub/rest.gdl",
        "% uses numbers more.gdl rest\nother(x) :- some(x).",
    );
    place.refuses("solve sub/game.gdl", 65, "sub/more.gdl:1:7");
    // Files that use each other are read once, which is said.
    place.write("sub/more.gdl", "; uses rest game\n(some x)");
    place.refuses(
        "solve sub/game.gdl",
        65,
        "the library `numbers` needs `up_to`",
    );
    place.write("sub/more.gdl", "; uses rest game\n(some x) (up_to 2)");
    let text = place.answers("solve sub/game.gdl ./sub/more.gdl --depth 1");
    assert!(text.starts_with("100 %"), "{text}");
    let said = place.run("check sub/game.gdl --plays 0").err;
    let cycle = "sub/game.gdl uses sub/more.gdl, which uses it, too";
    assert!(said.contains(cycle), "{said}");
    place.write("sub/more.gdl", "(some x) (up_to 2)");
    let said = place.run("check sub/game.gdl --plays 0").err;
    assert!(said.contains("sub/rest.gdl uses itself"), "{said}");
    // A file goes before a library of its name, unless it is a copy.
    place.write("sub/numbers.gdl", "(succ 1 3)");
    let text = place.answers("solve sub/game.gdl --depth 1");
    assert!(text.starts_with("0 %"), "{text}");
    let copy = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/crates/gdl/libraries/numbers.gdl"
    );
    std::fs::copy(copy, place.path("sub/numbers.gdl")).expect("a copy");
    let text = place.answers("solve sub/game.gdl --depth 1");
    assert!(text.starts_with("100 %"), "{text}");
    // A folder is no file.
    std::fs::remove_file(place.path("sub/numbers.gdl")).expect("the copy");
    std::fs::create_dir(place.path("sub/numbers.gdl")).expect("a folder");
    place.answers("solve sub/game.gdl --depth 1");
}

#[test]
fn libraries_that_there_are_not_are_refused() {
    let place = Place::new();
    for (from, to, said) in [
        (
            "uses numbers dice",
            "uses nmubers dice",
            "there is no library `nmubers`; did you mean `numbers`?",
        ),
        (
            "uses numbers dice",
            "uses dice arithmetic",
            "there is no library `arithmetic`",
        ),
        (
            "uses numbers dice",
            "uses ../dice",
            "no fact or rule gives `sum`",
        ),
        ("(up_to 12)", "", "the library `numbers` needs `up_to`"),
        ("(up_to 12)", "(up_to 100001)", "goes to 100000 at most"),
        (
            "(up_to 12)",
            "(up_to many)",
            "goes up to a number, and `many` is none",
        ),
        (
            "(target 7)",
            "(target 7) (less 1 2)",
            "the library numbers defines `less`, too",
        ),
        (
            "numbers dice",
            "numbers dice boards",
            "target.gdl is not a valid game",
        ),
    ] {
        assert!(TARGET.contains(from), "{from}");
        let text = TARGET
            .replace(from, to)
            .replace("(sum ?a ?b ?n)", "(sum ?a ?b ?n) (square 1 1)");
        let text = match to.contains("boards") {
            true => text,
            false => text.replace(" (square 1 1)", ""),
        };
        place.write("target.gdl", text);
        place.refuses("solve target.gdl --strict", 65, said);
    }
    place.write(
        "target.gdl",
        TARGET
            .replace("numbers dice", "numbers dice boards")
            .replace(
                "(up_to 12)",
                "(up_to 12) (<= far (square 9 9)) (<= terminal far)",
            ),
    );
    place.refuses("solve target.gdl", 65, "the library `boards` needs `column");
    // Sentences for people.
    for sentence in [
        "uses of a die",
        "uses a counter.",
        "Uses numbers",
        "it uses dice",
    ] {
        place.write(
            "target.gdl",
            TARGET.replace("; parameter", &format!("; {sentence}\n; parameter")),
        );
        place.answers("solve target.gdl");
    }
}

/// A die is added to what was thrown, and all above 4 counts as 4.
const CAPPED: &str = "; uses numbers dice
    (role ann) (role random) (up_to 4) (init (thrown 0)) (init (left 2)) (legal ann wait)
    (<= (legal random (die ?n)) (d6 ?n))
    (<= (next (thrown ?s)) (does random (die ?n)) (true (thrown ?m)) (capped_sum ?m ?n ?s))
    (<= (next (left ?n)) (true (left ?m)) (succ ?n ?m))
    (<= terminal (true (left 0))) (<= many (true (thrown 4)))
    (<= (goal ann 100) many) (<= (goal ann 0) (not many))";

#[test]
fn dice_above_the_largest_number_count_and_lost_sums_are_told() {
    let place = Place::new();
    place.write("capped.gdl", CAPPED);
    // All throws but 1 + 1, 1 + 2 and 2 + 1.
    let answer = place.answers("solve capped.gdl");
    assert!(answer.starts_with("91.6667 % (11/12)"), "{answer}");
    let report = place.answers("check capped.gdl");
    assert!(
        !report.contains("warning") && !report.contains("note"),
        "{report}"
    );
    place.write("lost.gdl", CAPPED.replace("capped_sum", "sum"));
    let said =
        "every state so far had a fact (thrown _), and this one has none: no fact gives (sum ";
    for command in [
        "solve lost.gdl",
        "simulate lost.gdl",
        "solve lost.gdl --depth 1..2",
    ] {
        let run = place.run(command);
        assert!(
            run.err.contains(&format!("warning: {said}")),
            "{command}: {run:?}"
        );
        assert!(
            run.err.contains("; after the moves (wait (die "),
            "{command}: {run:?}"
        );
    }
    let report = place.answers("check lost.gdl");
    assert!(report.contains(said), "{report}");
}

#[test]
fn parameters_are_set_within_their_range() {
    let place = Place::new();
    place.write("target.gdl", TARGET);
    for (target, ways) in [(2, 1), (7, 6), (11, 2)] {
        let text = place.answers(&format!("solve target.gdl --set target={target} --json"));
        let answer: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let value = answer["value"]["decimal"].as_f64().expect("a number");
        assert!(
            (value - f64::from(ways) / 36.0).abs() < 1e-9,
            "{target}: {text}"
        );
        // As if the number stood there.
        place.write(
            "by_hand.gdl",
            TARGET.replace("(target 7)", &format!("(target {target})")),
        );
        let by_hand = place.answers("solve by_hand.gdl --json");
        let by_hand: serde_json::Value = serde_json::from_str(&by_hand).expect("JSON");
        assert_eq!(answer["value"], by_hand["value"]);
        let printed = place.answers(&format!("fmt target.gdl --set target={target}"));
        assert!(printed.contains(&format!("(target {target})")), "{printed}");
    }
    for (setting, said) in [
        (
            "target=13",
            "`target` cannot be 13: the game allows numbers from 2 to 12",
        ),
        ("target=x", "write a name and a number"),
        ("target", "such as target=30"),
        (
            "tagret=3",
            "the game has no parameter `tagret`; did you mean `target`?; there is `target` from 2 to 12",
        ),
    ] {
        place.refuses(&format!("solve target.gdl --set {setting}"), 2, said);
    }
    place.refuses(
        &format!("solve {} --set size=3", super::game("pig.gdl")),
        2,
        "has no parameter `size`",
    );
    for (from, to, said) in [
        (
            "2..12",
            "2..",
            "write it as `; parameter target 10..100 step 10`",
        ),
        ("2..12", "12..2", "the parameter `target` has no number"),
        (
            "2..12",
            "2..12 step 0",
            "the parameter `target` has no number",
        ),
        ("2..12", "2..12 by 2", "write it as"),
        ("2..12", "8..12", "(target 7) is outside of the range"),
        (
            "(target 7)",
            "(target seven)",
            "the parameter `target` needs a fact with its number, such as (target 2)",
        ),
        (
            "(target 7)",
            "(target 7) (target 8)",
            "the parameter `target` has several facts or rules",
        ),
    ] {
        assert!(TARGET.contains(from), "{from}");
        place.write("wrong.gdl", TARGET.replace(from, to));
        place.refuses("solve wrong.gdl", 65, said);
    }
}
