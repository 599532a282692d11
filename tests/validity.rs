//! Messages about games that are wrong in one way each, and the list of a reference.
//!
//! A part of `tests/golden/verdicts.txt` has the verdicts about a game and what is wrong with it; forms, which are written behind those of
//! `tests/refused/valid.gdl`, or none for a whole game of `tests/refused`; and the messages, word for word. New forms get their messages, and a
//! change that is meant is accepted, with
//!
//! ```text
//! SQASP_WRITE_GOLDEN=1 cargo test --release --test all validity::
//! ```

use crate::common::{compare_golden, gdl_files, read_text, root, shared};
use gdl::{Code, Options, Verdict, parse};
use std::collections::BTreeSet;

/// Messages that need more than a small file, and those of nearly every file.
const NOT_IN_FILES: [Code; 4] = [
    Code::TooLarge,
    Code::TooManyErrors,
    Code::TooManyAlternatives,
    Code::DomainDerived,
];

fn verdict(word: &str) -> Option<Verdict> {
    match word {
        "accept" => Some(Verdict::Accept),
        "warn" => Some(Verdict::Warn),
        "reject" => Some(Verdict::Reject),
        _ => None,
    }
}

#[test]
fn our_wrong_games_get_their_verdicts() {
    let (mut parts, mut codes) = (Vec::new(), BTreeSet::new());
    let folder = root().join("tests/refused");
    let valid = read_text(folder.join("valid.gdl"));
    let mut whole = gdl_files("tests/refused").len();
    for part in read_text(root().join("tests/golden/verdicts.txt")).split("\n\n") {
        let lines = part.lines().filter(|line| !line.starts_with("  "));
        let mut said: Vec<String> = lines.map(str::to_owned).collect();
        let (name, about) = said[0].split_once(": strict ").expect("a verdict");
        let (expected, _) = about.split_once(": ").expect("what is wrong");
        let file = format!("{name}.gdl");
        let bytes = match &said[1..] {
            [] => std::fs::read(folder.join(&file)).expect("a whole game"),
            forms => format!("{valid}{}\n", forms.join("\n")).into_bytes(),
        };
        whole -= usize::from(said.len() == 1);
        let read = |options| match gdl::game::read(&file, &bytes, &options) {
            Ok(reading) => (reading.source, reading.diagnostics),
            Err(refused) => (refused.source, refused.diagnostics),
        };
        let (source, strict) = read(Options::strict());
        let lenient = read(Options::default()).1;
        let found = format!("{:?}, else {:?}", strict.verdict(), lenient.verdict());
        assert_eq!(found, expected, "{name}: {strict:?}");
        let mended = lenient.iter();
        let is_of_lenience =
            |code: Code| code.as_str().starts_with("lenient-") || code == Code::Outcome;
        let mended = mended.filter(|d| is_of_lenience(d.code));
        for diagnostic in strict.iter().chain(mended) {
            codes.insert(diagnostic.code);
            if diagnostic.code == Code::DomainDerived {
                continue;
            }
            let place = diagnostic.span.map_or(String::new(), |span| {
                let place = source.position(span.range().start);
                format!(" {}:{}", place.line, place.column)
            });
            let severity = diagnostic.severity;
            let (code, message) = (diagnostic.code, &diagnostic.message);
            said.push(format!("  {severity} {code}{place} {message}"));
        }
        parts.push(said.join("\n"));
    }
    assert_eq!(whole, 0, "files of tests/refused are not in verdicts.txt");
    compare_golden("verdicts.txt", &(parts.join("\n\n") + "\n"));
    for code in Code::ALL {
        assert!(
            codes.contains(code) || NOT_IN_FILES.contains(code),
            "no file in tests/refused shows {code}"
        );
    }
}

struct Case {
    name: String,
    expected: Verdict,
    text: String,
}

/// The cases: a heading, a line with the verdict, a remark, the game in a fenced block.
fn cases(document: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for part in document.split("\n### ").skip(1) {
        let mut lines = part.lines();
        let name = lines.next().unwrap_or_default().trim().to_owned();
        let verdict = part
            .lines()
            .find_map(|line| line.strip_prefix("expected: "))
            .and_then(|line| line.split(';').next())
            .unwrap_or_else(|| panic!("{name}: no verdict"));
        let expected = self::verdict(verdict).unwrap_or_else(|| panic!("{name}: {verdict}"));
        let block = part
            .split("```kif\n")
            .nth(1)
            .and_then(|rest| rest.split("```").next())
            .unwrap_or_else(|| panic!("{name}: no block"));
        cases.push(Case {
            text: block.to_owned(),
            name,
            expected,
        });
    }
    cases
}

#[test]
#[ignore = "needs ../shared: the list of checks"]
fn every_static_case_gets_its_verdict() {
    let cases = cases(&read_text(shared("conformance/INVALID.md")));
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in cases.iter().filter(|case| !case.name.starts_with("play-")) {
        count += 1;
        let mut text = case.text.clone();
        if case.name == "comments-and-white-space" {
            text = text.trim_end().replace('\n', "\r\n");
            assert!(text.contains("\r\n\t"), "the block has lost its tabs");
        }
        let parsed = parse(&case.name, text.as_bytes(), &Options::strict());
        if parsed.diagnostics.verdict() != case.expected {
            let said: Vec<_> = parsed.diagnostics.iter().collect();
            wrong.push(format!(
                "{}: expected {:?}, said {said:?}",
                case.name, case.expected
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 100, "only {count} cases found");
    println!("{count} cases");
}
