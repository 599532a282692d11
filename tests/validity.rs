//! Every static case of `../shared/conformance/INVALID.md` gets its expected verdict.

mod common;

use common::{read_text, shared};
use sqasp::gdl::{Options, Verdict, parse};

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
        let expected = match verdict {
            "accept" => Verdict::Accept,
            "warn" => Verdict::Warn,
            "reject" => Verdict::Reject,
            other => panic!("{name}: unknown verdict {other}"),
        };
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
fn every_static_case_gets_its_verdict() {
    let Some(path) = shared("conformance/INVALID.md") else {
        return;
    };
    let cases = cases(&read_text(path));
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
