//! `solve --sweep NAME`: values over a parameter of the game.

use super::Place;
use serde_json::Value;

/// Ann throws up to three dice, bob looks on; the sum must be the target.
const REACH: &str = "; uses numbers dice
    ; parameter target 3..18 step 5
    (role ann) (role bob) (role random) (up_to 18) (target 12)
    (init (points 0)) (init (left 3)) (legal ann throw) (legal ann rest) (legal bob wait)
    (<= (legal random (die ?n)) (d6 ?n))
    (<= (next (points ?sum)) (does ann throw) (does random (die ?n)) (true (points ?m)) (sum ?m ?n ?sum))
    (<= (next (points ?m)) (does ann rest) (true (points ?m)))
    (<= (next (left ?n)) (true (left ?m)) (succ ?n ?m))
    (<= terminal (true (left 0)))
    (<= reached (true (points ?n)) (target ?t) (at_most ?t ?n))
    (<= (goal ann 100) reached) (<= (goal ann 0) (not reached))
    (<= (goal bob 0) reached) (<= (goal bob 100) (not reached))
";

#[test]
fn a_sweep_has_the_value_of_each_number() {
    let place = Place::new();
    place.write("reach.gdl", REACH);
    let single = |target: u32| -> Value {
        let text = place.answers(&format!("solve reach.gdl --set target={target} --json"));
        serde_json::from_str(&text).expect("JSON")
    };
    let targets = [3, 8, 13, 18];
    let text = place.answers("solve reach.gdl --sweep target --plot sweep.svg");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    assert_eq!(
        (lines[0], lines[3]),
        (" 3  100 %", "18    0.462963 %  (1/216)"),
        "{text}"
    );
    let said =
        "ann can guarantee winning with this probability, for each number of target (exact; ";
    assert!(lines[4].starts_with(said), "{text}");
    let picture = std::fs::read_to_string(place.path("sweep.svg")).expect("a picture");
    assert_eq!(picture.matches("<circle").count(), 4, "{picture}");
    assert!(picture.contains(">target</text>"), "{picture}");
    let json = place.answers("solve reach.gdl --sweep target --role all --json");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["parameter"], "target");
    let csv = place.answers("solve reach.gdl --sweep target --role all --format csv");
    let csv: Vec<&str> = csv.lines().collect();
    assert_eq!(csv[0], "target,role,value,decimal,lower,upper");
    for (index, target) in targets.into_iter().enumerate() {
        let value = &single(target)["value"];
        let row = &json["sweep"][index];
        assert_eq!(row["number"], target);
        assert_eq!(&row["answers"][0]["value"], value);
        let part = |key: &str| value[key].as_str().expect("text").to_owned();
        let fraction = match part("den").as_str() {
            "1" => part("num"),
            den => format!("{}/{den}", part("num")),
        };
        let cells = format!(
            "{target},ann,{fraction},{},{fraction},{fraction}",
            value["decimal"]
        );
        assert_eq!(csv[1 + 2 * index], cells);
        assert!(
            csv[2 + 2 * index].starts_with(&format!("{target},bob,")),
            "{csv:?}"
        );
    }
    // Within some steps, from another state, and by another engine.
    place.write("after", "(throw wait (die 6))");
    let text =
        place.answers("solve reach.gdl --sweep target --depth 2 --engine xssat --after @after");
    assert!(
        text.starts_with(" 3  100 %\n 8  100 %\n13   58.3333 %    (7/12)\n"),
        "{text}"
    );
    // For every role, in columns, with what is said of the others.
    let text = place.answers("solve reach.gdl --sweep target --role all --opponents random");
    let lines: Vec<&str> = text.lines().collect();
    let columns = |line: &str| line.find("bob").expect("a column");
    assert!(
        (1..4).all(|row| columns(lines[row]) == columns(lines[0])),
        "{text}"
    );
    let said = "each of ann, bob can guarantee winning with this probability, for each number of target, against opponents that move at random (";
    assert!(lines[4].starts_with(said), "{text}");
    let text = place.answers("solve reach.gdl --sweep target --mixed");
    assert!(
        text.contains("target, where nobody knows the others' moves of a step (exact"),
        "{text}"
    );
    let text = place.answers("solve reach.gdl --depth 2..3 --mixed");
    assert!(
        text.contains("2 to 3 steps, where nobody knows the others' moves of a step (exact"),
        "{text}"
    );
    let text = place.answers("solve reach.gdl --depth 2..3 --format csv");
    assert!(
        text.starts_with("steps,role,value,decimal,lower,upper\n2,ann,0,0,0,0\n3,ann,"),
        "{text}"
    );
}

#[test]
fn sweeps_that_make_no_sense_are_refused() {
    let place = Place::new();
    place.write("reach.gdl", REACH);
    for (options, said) in [
        (
            "--sweep traget",
            "the game has no parameter `traget`; did you mean `target`?",
        ),
        ("--sweep target --set target=3", "leave out --set target"),
        (
            "--sweep target --moves",
            "--moves is for one game; drop it or --sweep",
        ),
        (
            "--sweep target --depth 1..3",
            "give one number of steps here",
        ),
        ("--plot a.svg", "--plot draws several values"),
        (
            "--sweep target --plot a.PNG",
            "pictures are SVG: write a.svg",
        ),
    ] {
        place.refuses(&format!("solve reach.gdl {options}"), 2, said);
    }
    place.write("none.gdl", REACH.replace("; parameter", "; the parameter"));
    place.refuses(
        "solve none.gdl --sweep target",
        2,
        "the line `; parameter target 1..9` beside the fact (target 5) makes one",
    );
    place.write("wrong.gdl", REACH.replace("3..18", "3-18"));
    place.refuses(
        "solve wrong.gdl --sweep target",
        2,
        "the comment `; parameter target 3-18 step 5` declares no parameter: write it as `; parameter target 10..100 step 10`",
    );
    // A limit ends it with what is known.
    let ended = place.run("solve reach.gdl --sweep target --time 0 --json");
    assert_eq!(ended.code, Some(75), "{ended:?}");
}
