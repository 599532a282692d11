//! The files of `games/lib`: their tables against arithmetic.

use crate::common::{read_text, root};
use gdl::{LIBRARY, Options, Severity, Term, parse};
use rules::Reasoner;
use std::collections::BTreeSet;

/// All instances of these sentences in a game of these rules and files of the library.
fn instances(rules: &str, sentences: &[&str], files: &[&str]) -> BTreeSet<String> {
    // Under another name, since one name for relation and function would be warned of.
    let fact = |sentence: &&str| {
        let renamed = sentence.replace('(', "(is_");
        format!("(<= (init {renamed}) {sentence})")
    };
    let shown = sentences.iter().map(fact);
    let shown: String = shown.collect();
    let game = format!("(role p) (legal p go) terminal (goal p 100) {rules} {shown}");
    let texts: Vec<String> = files
        .iter()
        .map(|file| read_text(root().join("games/lib").join(file)))
        .collect();
    let files = files
        .iter()
        .zip(&texts)
        .map(|(name, text)| (*name, text.as_bytes()));
    let all: Vec<(&str, &[u8])> = [("game", game.as_bytes())]
        .into_iter()
        .chain(files)
        .collect();
    let reading = gdl::game::read_files(&all, &Options::strict());
    let reading = reading.unwrap_or_else(|refused| panic!("{refused}"));
    let said = reading.diagnostics.count(Severity::Warning);
    assert_eq!(said, 0, "{:?}", reading.diagnostics);
    let mut reasoner = Reasoner::new(&reading.game).expect("rules");
    let state = reasoner.initial().expect("an initial state");
    let facts = reasoner.facts(&state);
    let text = |fact: &Term| fact.to_string().replace("(is_", "(");
    facts.iter().map(text).collect()
}

#[test]
fn numbers_are_added_as_in_arithmetic() {
    let sentences = [
        "(number ?a)",
        "(succ ?a ?b)",
        "(less ?a ?b)",
        "(sum ?a ?b ?c)",
        "(difference ?a ?b ?c)",
        "(capped_sum ?a ?b ?c)",
        "(remaining ?a ?b ?c)",
    ];
    for top in [0_u32, 1, 2, 5, 12, 37] {
        let found = instances(&format!("(up_to {top})"), &sentences, &["numbers.gdl"]);
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
        assert_eq!(found, expected, "up to {top}");
    }
    let found = instances(
        "(up_to 1000)",
        &["(number ?a)", "(succ ?a ?b)"],
        &["numbers.gdl"],
    );
    assert_eq!(found.len(), 2001);
}

#[test]
fn dice_and_cards_are_complete() {
    for sides in [4, 6, 8, 10, 12, 20] {
        let found = instances("", &[&format!("(d{sides} ?n)")], &["dice.gdl"]);
        let expected = (1..=sides).map(|n| format!("(d{sides} {n})")).collect();
        assert_eq!(found, expected);
    }
    let found = instances("", &["(two_d6 ?a ?b ?n)"], &["dice.gdl"]);
    let pairs = (1..=6).flat_map(|a| (1..=6).map(move |b| (a, b)));
    let expected = pairs
        .map(|(a, b)| format!("(two_d6 {a} {b} {})", a + b))
        .collect();
    assert_eq!(found, expected);
    let count = |sentence| instances("", &[sentence], &["cards.gdl"]).len();
    assert_eq!(count("(card ?c)"), 52);
    assert_eq!(count("(higher ?r ?s)"), 13 * 12 / 2);
    assert_eq!(count("(points ?r ?n)"), 13);
    let aces = instances("", &["(higher ace ?r)"], &["cards.gdl"]);
    assert_eq!(aces.len(), 12);
}

#[test]
fn boards_have_their_steps() {
    for (columns, rows) in [(1_i32, 1_i32), (4, 3), (2, 5)] {
        let rules = format!("(up_to 9) (columns {columns}) (rows {rows})");
        let files = ["boards.gdl", "numbers.gdl"];
        let sentences = [
            "(square ?x ?y)",
            "(step ?d ?x ?y ?z ?w)",
            "(beside ?x ?y ?z ?w)",
            "(neighbour ?x ?y ?z ?w)",
        ];
        let found = instances(&rules, &sentences, &files);
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

/// A game that lacks a file is told which one.
#[test]
fn the_table_of_relations_has_all_that_the_files_define() {
    let mut files = BTreeSet::new();
    for (file, relations) in LIBRARY {
        files.insert((*file).to_owned());
        let text = read_text(root().join("games/lib").join(file));
        let parsed = parse(file, text.as_bytes(), &Options::default());
        let heads = parsed.description.forms.iter();
        let heads: BTreeSet<&str> = heads.map(|form| form.head.name()).collect();
        assert_eq!(heads, relations.iter().copied().collect(), "{file}");
    }
    let there = std::fs::read_dir(root().join("games/lib")).expect("the library");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry
            .expect("a file")
            .file_name()
            .to_string_lossy()
            .into_owned()
    };
    assert_eq!(there.map(name).collect::<BTreeSet<_>>(), files);
}
