//! Messages about games that are wrong in one way each: those in `tests/refused`, and the list of a
//! reference.
//!
//! The first line of a file in `tests/refused` is a comment with the strict verdict and what is wrong.
//! The message about each, word for word, stands in `tests/golden/verdicts.txt`; a change that is
//! meant is accepted with
//!
//! ```text
//! SQASP_WRITE_GOLDEN=1 cargo test --release --test all validity::
//! ```

use crate::common::{compare_golden, file_name, gdl_files, read_text, shared};
use gdl::{Code, Options, Verdict, parse};
use std::collections::BTreeSet;
use std::fmt::Write;

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
    let (mut said, mut codes) = (String::new(), BTreeSet::new());
    for path in gdl_files("tests/refused") {
        let file = file_name(&path);
        let bytes = std::fs::read(&path).expect("a file");
        let read = |options| match gdl::game::read(&file, &bytes, &options) {
            Ok(reading) => (reading.source, reading.diagnostics),
            Err(refused) => (refused.source, refused.diagnostics),
        };
        let (source, strict) = read(Options::strict());
        let first = source.text().lines().next().unwrap_or_default();
        let expected = first.trim_start_matches(['%', ';', ' ']).split(':').next();
        let expected = expected.and_then(verdict);
        assert_eq!(Some(strict.verdict()), expected, "{file}: {strict:?}");
        let lenient = read(Options::default()).1;
        let (strict_verdict, verdict) = (strict.verdict(), lenient.verdict());
        writeln!(said, "{file}: strict {strict_verdict:?}, else {verdict:?}").unwrap();
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
            writeln!(said, "  {severity} {code}{place} {message}").unwrap();
        }
    }
    compare_golden("verdicts.txt", &said);
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
