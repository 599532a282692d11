//! Traces damaged on purpose are refused, and the message names the mistake.

use formula::Formula;
use generators::rows;
use limits::{Limits, StopReason};
use num_traits::{One, Zero};
use sqasp_ssat::trace::check::{Verdict, verify};
use sqasp_ssat::trace::{Trace, fingerprint, read, write_json};
use std::time::Duration;

/// A coin is thrown (1), a player says how it fell (2), an opponent may forbid something (3), chance again (4).
fn coin() -> Formula {
    let text = "p cnf 4 3\nr 1/3 1 0\ne 2 0\na 3 0\nr 1/4 4 0\n1 -2 0\n-1 2 0\n3 4 0\n";
    formula::read(text.as_bytes()).expect("well-formed")
}

const GOOD: &str = r#"{"format": "sqasp-formula-strategy", "version": 2, "formula": "coin", "formula_sha256": "SHA",
    "variables": 4, "value": "1/4", "definitions": [], "clauses": [[[3, 4], []]],
    "lower": [{"branch": [[[2]], []]}, {"branch": [[[-2]], []]}, {"test": [1, 1, 2]}, {"branch": [[[4]], [3]]}],
    "upper": [{"false": [1, []]}, {"test": [4, 0, 1]}, {"branch": [[[-3]], [2]]}]}"#;

fn text() -> String {
    GOOD.replace("SHA", &fingerprint(&coin()))
}

fn trace(text: &str) -> Trace {
    read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn verdict(text: &str) -> Verdict {
    verify(&coin(), &trace(text), &Limits::default()).verdict
}

#[test]
fn a_good_one_is_proved() {
    let value = "1/4".parse().expect("a fraction");
    assert_eq!(verdict(&text()), Verdict::Proved(value));
}

#[test]
fn mistakes_are_named() {
    for [damage, with, words] in rows(
        r#"
            "variables": 4 => "variables": 5 => for 5 variables
            [3, 4], [] => [4], [] => clause 1 of `clauses` is not of the formula
            [3, 4], []] => [3, 4], []], [[-1], [1]] => clause 2 of `clauses` is not
            "definitions": [] => "definitions": [{"variable": 2, "summed": true, "clauses": [1]}] => \
                the clauses of definition 1 do not define variable 2
            // The second choice is wrong where the coin shows heads.
            [[[-2]], []] => [[[2]], []] => on some path of `lower`, the clause [1, -2] is not true
            [[[2]], []] => [[[2], [3]], []] => node 1 of `lower` sets a universal variable
            [[[4]], [3]] => [[[4], [1]], [3]] => node 4 of `lower` has variable 1 twice
            // The coin is thrown before.
            [[[2]], []] => [[], []] => on some path of `lower`, the clause [-1, 2] is not true
            "test": [1, 1, 2] => "test": [4, 1, 2] => not known where one below is set
            [[[-3]], [2]] => [[], [2]] => its literal 3 is not
            "test": [4, 0, 1] => "test": [3, 0, 1] => node 2 of `upper` tests a variable that its player sets
            "test": [4, 0, 1] => "test": [2, 0, 1] => its literal 4 is not
            {"false": [1, []]} => {"false": [1, [4]]} => not the minimizer's
            [[[-3]], [2]] => [[[-2, 1, 3]], [2]] => its literal 3 is not
            1/4 => 1/3 => `lower` shows 1/4, not the value 1/3
            "test": [4, 0, 1] => "test": [4, 0, 0] => `upper` shows 1, not the value 1/4
            "#,
    ) {
        let damaged = text().replace(&damage, &with);
        match verdict(&damaged) {
            Verdict::Refused(flaw) => {
                assert!(flaw.to_string().contains(&words), "{damaged}: {flaw}")
            }
            other => panic!("{damaged}: {other:?}"),
        }
    }
    let other = formula::read(b"p cnf 1 1\nr 1/3 1 0\n1 0\n").expect("well-formed");
    match verify(&other, &trace(&text()), &Limits::default()).verdict {
        Verdict::Refused(flaw) => {
            let words = "the strategy is for another formula (coin)";
            assert!(flaw.to_string().starts_with(words), "{flaw}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_fingerprint_is_that_of_the_formula_and_not_of_its_layout() {
    let of = |text: &str| fingerprint(&formula::read(text.as_bytes()).expect("well-formed"));
    let plain = of("p cnf 2 2\nr 0.5 1 0\ne 2 0\n1 2 0\n-1 -2 0\n");
    assert_eq!(
        plain,
        of("c names\np cnf 2 2\nr 1/2 1 0\ne 2 0\n1\n2 0 -1 -2 0\n")
    );
    assert_ne!(plain, of("p cnf 2 2\nr 0.4 1 0\ne 2 0\n1 2 0\n-1 -2 0\n"));
    assert_ne!(plain, of("p cnf 2 2\nr 0.5 1 0\na 2 0\n1 2 0\n-1 -2 0\n"));
    assert_ne!(plain, of("p cnf 2 2\ne 2 0\nr 0.5 1 0\n1 2 0\n-1 -2 0\n"));
    assert_ne!(plain, of("p cnf 2 2\nr 0.5 1 0\ne 2 0\n1 2 0\n-1 2 0\n"));
}

/// Text that is cut off at any place, or has a wrong word or number, is refused, and nothing panics.
#[test]
fn damaged_text_is_refused() {
    let mut whole = Vec::new();
    write_json(&trace(&text()), &mut whole).expect("memory takes all");
    for end in 0..whole.len() - 2 {
        assert!(read(&whole[..end]).is_err(), "{end}");
    }
    for [damage, with, words] in rows(
        r#"
            "version": 2 => "version": 1 => version 1 of the format; version 2 is read here
            sqasp-formula-strategy => sqasp-strategy => not "sqasp-formula-strategy"
            [3, 4], [] => [3, 0], [] => clause 1 of `clauses`: 0 is no literal of a variable (1 to 4 here)
            [3, 4], [] => [3, 4], [1] => clause 1 of `clauses`: 1 is no number of a clause before
            "test": [1, 1, 2] => "test": [1, 3, 2] => node 3 of `lower`: 3 is no number of a node before (0 to 2 here)
            [[[4]], [3]] => [[[]], [3]] => node 4 of `lower`: a step has no literal
            {"false": [1, []]} => {"false": [2, []]} => node 1 of `upper`: 2 is no number of a clause before
            {"false": [1, []]} => {"true": [1, []]} => unknown variant `true`
            1/4 => 1/0 => "1/0" is no fraction
            1/4 => 5/4 => is no fraction from 0 to 1
            1/4 => 0.25 => is no fraction from 0 to 1
            "variables": 4 => "variables": 4000000000 => too many
            "clauses" => "doors" => missing field `clauses`
            "#,
    ) {
        let error = read(text().replace(&damage, &with).as_bytes()).expect_err(&with);
        assert!(error.to_string().contains(&words), "{error}");
    }
    assert!(read(b"\xff\xfe").is_err());
}

#[test]
fn limits_leave_bounds() {
    let reason = |limits: &Limits| match verify(&coin(), &trace(&text()), limits).verdict {
        Verdict::Stopped {
            reason,
            lower,
            upper,
        } => {
            assert!(lower.is_zero() && upper.is_one());
            reason
        }
        other => panic!("{other:?}"),
    };
    let limits = Limits::default().within(Duration::ZERO);
    assert_eq!(reason(&limits), StopReason::Time);
    let limits = Limits::with_memory(Some(100));
    assert_eq!(reason(&limits), StopReason::Memory);
    let limits = Limits::default();
    limits.interrupt.raise();
    assert_eq!(reason(&limits), StopReason::Interrupted);
}
