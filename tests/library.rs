//! Libraries: their tables against arithmetic, and games that use them against the same games in one file.

use gdl::{Options, Severity, Term};
use rules::Reasoner;
use std::collections::BTreeSet;

/// All instances of these sentences in a game of these rules.
fn instances(rules: &str, sentences: &[&str]) -> BTreeSet<String> {
    // Under another name, since one name for relation and function would be warned of.
    let fact = |sentence: &&str| {
        let renamed = sentence.replacen('(', "(is_", 1);
        format!("(<= (init {renamed}) {sentence})")
    };
    let shown = sentences.iter().map(fact);
    let shown: String = shown.collect();
    let game = format!("{rules}\n(role p) (legal p go) terminal (goal p 100) {shown}");
    let reading = gdl::game::read("game", game.as_bytes(), &Options::strict());
    let reading = reading.unwrap_or_else(|refused| panic!("{refused}"));
    let said = reading.diagnostics.count(Severity::Warning);
    assert_eq!(said, 0, "{:?}", reading.diagnostics);
    let mut reasoner = Reasoner::new(&reading.game).expect("rules");
    let state = reasoner.initial().expect("an initial state");
    let facts = reasoner.facts(&state);
    let text = |fact: &Term| fact.to_string().replacen("(is_", "(", 1);
    facts.iter().map(text).collect()
}

#[test]
fn numbers_are_added_as_in_arithmetic() {
    let sentences = [
        "(number ?a)",
        "(succ ?a ?b)",
        "(less ?a ?b)",
        "(at_most ?a ?b)",
        "(sum ?a ?b ?c)",
        "(product ?a ?b ?c)",
        "(difference ?a ?b ?c)",
        "(capped_sum ?a ?b ?c)",
        "(remaining ?a ?b ?c)",
    ];
    for top in [0_u32, 1, 2, 5, 12, 37] {
        let found = instances(&format!("; uses numbers\n(up_to {top})"), &sentences);
        let mut expected = BTreeSet::new();
        for a in 0..=top {
            expected.insert(format!("(number {a})"));
            for b in 0..=top {
                if a + 1 == b {
                    expected.insert(format!("(succ {a} {b})"));
                }
                if a < b {
                    expected.insert(format!("(less {a} {b})"));
                }
                if a <= b {
                    expected.insert(format!("(at_most {a} {b})"));
                }
                if a * b <= top {
                    expected.insert(format!("(product {a} {b} {})", a * b));
                }
                if a + b <= top {
                    expected.insert(format!("(sum {a} {b} {})", a + b));
                }
                if a >= b {
                    expected.insert(format!("(difference {a} {b} {})", a - b));
                }
                expected.insert(format!("(capped_sum {a} {b} {})", (a + b).min(top)));
                expected.insert(format!("(remaining {a} {b} {})", a.saturating_sub(b)));
            }
        }
        let is_small = |fact: &String| {
            let numbers = fact.trim_end_matches(')').split(' ').skip(1);
            numbers
                .map(|number| number.parse::<u32>())
                .all(|number| number.is_ok_and(|n| n <= top))
        };
        let found: BTreeSet<String> = found.into_iter().filter(is_small).collect();
        assert_eq!(found, expected, "up to {top}");
    }
    // Operands above the largest number: those of dice, and any others in the text.
    let rules = "; uses numbers dice\n(up_to 4) (<= (thrown ?n) (d6 ?n) (distinct ?n 30))";
    let sentences = [
        "(capped_sum ?a ?b ?c)",
        "(remaining ?a ?b ?c)",
        "(thrown ?n)",
    ];
    let found = instances(rules, &sentences);
    // The game that asks has a 100.
    let all = [0_u32, 1, 2, 3, 4, 5, 6, 30, 100];
    let mut expected: BTreeSet<String> = (1..=6).map(|n| format!("(thrown {n})")).collect();
    for a in all {
        for b in all {
            expected.insert(format!("(capped_sum {a} {b} {})", (a + b).min(4)));
            if a <= 4 {
                expected.insert(format!("(remaining {a} {b} {})", a.saturating_sub(b)));
            }
        }
    }
    assert_eq!(found, expected);
    // On a board every column is a number.
    let rules = "; uses numbers boards\n(up_to 2) (columns 4) (rows 1)";
    let found = instances(rules, &["(capped_sum ?a 3 ?c)", "(square ?x ?y)"]);
    let sums = found.iter().filter(|fact| fact.starts_with("(capped_sum "));
    // 0 to 4, and 100.
    assert_eq!(sums.count(), 6);
    let rules = "; uses numbers\n(up_to 5000)";
    let found = instances(rules, &["(number ?a)", "(succ ?a ?b)"]);
    assert_eq!(found.len(), 10_001);
    // The number may come from a rule.
    let rules = "; uses numbers\n(top 12) (<= (up_to ?n) (top ?n))";
    assert_eq!(instances(rules, &["(succ ?a ?b)"]).len(), 12);
}

#[test]
fn dice_and_cards_are_complete() {
    for sides in [4, 6, 8, 10, 12, 20] {
        let found = instances("; uses dice", &[&format!("(d{sides} ?n)")]);
        let expected = (1..=sides).map(|n| format!("(d{sides} {n})")).collect();
        assert_eq!(found, expected);
    }
    let found = instances("; uses dice", &["(two_d6 ?a ?b ?n)"]);
    let pairs = (1..=6).flat_map(|a| (1..=6).map(move |b| (a, b)));
    let expected = pairs
        .map(|(a, b)| format!("(two_d6 {a} {b} {})", a + b))
        .collect();
    assert_eq!(found, expected);
    let count = |sentence| instances("; uses cards", &[sentence]).len();
    assert_eq!(count("(card ?c)"), 52);
    assert_eq!(count("(short_card ?c)"), 32);
    assert_eq!(count("(higher ?r ?s)"), 13 * 12 / 2);
    assert_eq!(count("(card_points ?r ?n)"), 13);
    let aces = instances("; uses cards", &["(higher ace ?r)"]);
    assert_eq!(aces.len(), 12);
}

#[test]
fn boards_have_their_steps() {
    for (columns, rows) in [(1_i32, 1_i32), (4, 3), (2, 5)] {
        let rules = format!("; uses boards\n(columns {columns}) (rows {rows})");
        let sentences = [
            "(square ?x ?y)",
            "(step ?d ?x ?y ?z ?w)",
            "(beside ?x ?y ?z ?w)",
            "(neighbour ?x ?y ?z ?w)",
        ];
        let found = instances(&rules, &sentences);
        let mut expected = BTreeSet::new();
        for x in 1..=columns {
            for y in 1..=rows {
                expected.insert(format!("(square {x} {y})"));
                for (direction, east, north) in [
                    ("east", 1, 0),
                    ("west", -1, 0),
                    ("north", 0, 1),
                    ("south", 0, -1),
                    ("northeast", 1, 1),
                    ("northwest", -1, 1),
                    ("southeast", 1, -1),
                    ("southwest", -1, -1),
                ] {
                    let (z, w) = (x + east, y + north);
                    if !(1..=columns).contains(&z) || !(1..=rows).contains(&w) {
                        continue;
                    }
                    expected.insert(format!("(step {direction} {x} {y} {z} {w})"));
                    expected.insert(format!("(neighbour {x} {y} {z} {w})"));
                    if east == 0 || north == 0 {
                        expected.insert(format!("(beside {x} {y} {z} {w})"));
                    }
                }
            }
        }
        assert_eq!(found, expected, "{columns} x {rows}");
    }
}

/// Lines of squares, by looking at all sets of squares that could be one.
#[test]
fn boards_have_their_lines() {
    for (columns, rows, length) in [(3_i32, 3_i32, 3_i32), (4, 3, 3), (5, 2, 4), (2, 2, 3)] {
        let rules =
            format!("; uses boards\n(columns {columns}) (rows {rows}) (line_length {length})");
        let found = instances(&rules, &["(on_line ?l ?x ?y)"]);
        let mut lines: std::collections::BTreeMap<String, BTreeSet<(i32, i32)>> =
            Default::default();
        for fact in &found {
            let inside = fact
                .strip_prefix("(on_line ")
                .and_then(|fact| fact.strip_suffix(')'));
            let (line, square) = inside
                .and_then(|fact| fact.split_once(") "))
                .expect("a line");
            let (x, y) = square.split_once(' ').expect("a square");
            let square = (x.parse().expect("a column"), y.parse().expect("a row"));
            lines.entry(line.to_owned()).or_default().insert(square);
        }
        let mut expected = BTreeSet::new();
        for x in 1..=columns {
            for y in 1..=rows {
                for (east, north) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                    let squares = (0..length).map(|n| (x + n * east, y + n * north));
                    let squares: BTreeSet<(i32, i32)> = squares.collect();
                    let is_inside =
                        |(x, y): &(i32, i32)| (1..=columns).contains(x) && (1..=rows).contains(y);
                    if squares.iter().all(is_inside) {
                        expected.insert(squares);
                    }
                }
            }
        }
        let count = lines.len();
        assert_eq!(
            lines.into_values().collect::<BTreeSet<_>>(),
            expected,
            "{rules}"
        );
        assert_eq!(count, expected.len(), "{rules}");
        assert_eq!(instances(&rules, &["(is_line ?l)"]).len(), count);
    }
}
