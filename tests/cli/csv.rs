//! `--format csv`: every answer with all that it says, as a table that other programs read.

use super::{Place, game};
use formula::BigRational;
use num_traits::ToPrimitive;

/// The rows of a table, by an own reader: cells between commas, or between quotes in which commas stand and quotes are doubled.
fn rows(text: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let (mut is_quoted, mut letters) = (false, text.trim_end().chars().peekable());
    while let Some(letter) = letters.next() {
        let row = rows.last_mut().expect("a row");
        match letter {
            '"' if is_quoted && letters.next_if_eq(&'"').is_some() => {
                row.last_mut().expect("a cell").push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(String::new()),
            '\n' if !is_quoted => rows.push(vec![String::new()]),
            _ => row.last_mut().expect("a cell").push(letter),
        }
    }
    rows
}

/// A bet at even odds by ann, a look on by bob; names with commas and quotes are names.
const BET: &str = r#"(role a,n"n) (role bob) (role random) (legal a,n"n (bet 1)) (legal a,n"n pass) (legal bob wait)
    (legal random heads) (legal random tails) (init open)
    (<= (next won) (does a,n"n (bet 1)) (does random heads)) (<= (next done) (true open)) (<= terminal (true done))
    (<= (goal a,n"n 100) (true won)) (<= (goal a,n"n 0) (not (true won)))
    (<= (goal bob 0) (true won)) (<= (goal bob 100) (not (true won)))"#;

#[test]
fn a_table_has_roles_moves_and_bounds() {
    let place = Place::new();
    place.write("bet.gdl", BET);
    let table =
        |options: &str| rows(&place.answers(&format!("solve bet.gdl --format csv {options}")));
    let heads = ["role", "value", "decimal", "lower", "upper"];
    let both = table("--role all");
    assert_eq!(both[0], heads);
    assert_eq!(both[1], ["a,n\"n", "1/2", "0.5", "1/2", "1/2"]);
    assert_eq!(both[2], ["bob", "1/2", "0.5", "1/2", "1/2"]);
    let moves = table("--moves");
    assert_eq!(
        moves[0],
        ["role", "move", "value", "decimal", "lower", "upper"]
    );
    assert_eq!(moves[1], ["a,n\"n", "", "1/2", "0.5", "1/2", "1/2"]);
    assert_eq!(moves[2], ["a,n\"n", "(bet 1)", "1/2", "0.5", "1/2", "1/2"]);
    assert_eq!(moves[3], ["a,n\"n", "pass", "0", "0", "0", "0"]);
    let curve = table("--depth 0..1 --role all");
    assert_eq!(curve.len(), 5, "one line of heads: {curve:?}");
    assert_eq!(curve[0][..3], ["steps", "role", "value"]);
    assert_eq!(curve[2], ["1", "a,n\"n", "1/2", "0.5", "1/2", "1/2"]);
    assert_eq!(curve[4][..3], ["1", "bob", "1/2"]);

    let file = game("rock_paper_scissors.gdl");
    let mixed = rows(&place.answers(&format!("solve {file} --mixed --moves --format csv")));
    assert_eq!(mixed[0][..3], ["role", "move", "probability"]);
    assert!(mixed[2..].iter().all(|row| row[2] == "1/3"), "{mixed:?}");
    assert_eq!(mixed.len(), 5, "{mixed:?}");

    let ended = place.run("solve bet.gdl --format csv --depth 1 --time 0");
    assert_eq!(ended.code, Some(75), "{ended:?}");
    assert_eq!(rows(&ended.out)[1][1..], ["", "", "0", "1"], "{ended:?}");
    place.write("coin", "p cnf 1 1\nr 1/3 1 0\n1 0\n");
    let formula = rows(&place.answers("solve-formula coin --format csv"));
    assert_eq!(formula[0], heads[1..]);
    assert_eq!(formula[1], ["1/3", "0.3333333333333333", "1/3", "1/3"]);
}

/// A value that no fraction of usual length writes: the table has its bounds.
#[test]
fn a_sweep_that_finds_bounds_tells_them() {
    let place = Place::new();
    // v = 1/2 v where both go left, 1 where they part, 0 where both go right: v = 2 - sqrt 2.
    place.write(
        "part.gdl",
        "; parameter lives 1..2
        (role ann) (role bob) (role random) (lives 1) (init play) (legal random heads) (legal random tails)
        (legal ann l) (legal ann r) (legal bob l) (legal bob r)
        (<= met (does ann l) (does bob l)) (<= (next play) met (does random heads)) (<= (next lost) met (does random tails))
        (<= (next lost) (does ann r) (does bob r)) (<= (next won) (does ann l) (does bob r)) (<= (next won) (does ann r) (does bob l))
        (<= terminal (true won)) (<= terminal (true lost))
        (<= (goal ann 100) (true won)) (<= (goal ann 0) (not (true won)))
        (<= (goal bob 0) (true won)) (<= (goal bob 100) (not (true won)))",
    );
    let question = "solve part.gdl --mixed --sweep lives";
    let text = place.answers(question);
    let table = rows(&place.answers(&format!("{question} --format csv --quiet")));
    assert_eq!(table[0][..2], ["lives", "role"]);
    assert_eq!(table.len(), 3, "{text} {table:?}");
    for row in &table[1..] {
        assert!(
            row[2].is_empty() && !row[4].is_empty() && !row[5].is_empty(),
            "{text} {row:?}"
        );
        let ends = [&row[4], &row[5]].map(|end| end.parse::<BigRational>().expect("a fraction"));
        let [low, high] = ends.map(|end| end.to_f64().expect("a number"));
        assert!(
            low <= 2.0 - 2_f64.sqrt() && 2.0 - 2_f64.sqrt() <= high,
            "{text}"
        );
    }
    place.answers(&format!("{question} --plot part.svg"));
    let picture = std::fs::read_to_string(place.path("part.svg")).expect("a picture");
    assert!(
        picture.contains("<polygon ") && picture.contains("<polyline points=\"72.0,"),
        "{picture}"
    );
}
