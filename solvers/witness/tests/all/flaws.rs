//! Strategies damaged on purpose are refused, and the message names the mistake.

use formula::{Formula, Var};
use limits::Limits;
use sqasp_witness::{Decider, Flaw, Strategy, Verdict, fingerprint, read, verify, write_json};

/// A coin is thrown (1), a player says how it fell (2), an opponent may forbid something (3), chance again (4).
fn coin() -> Formula {
    let text = "p cnf 4 3\nr 1/3 1 0\ne 2 0\na 3 0\nr 1/4 4 0\n1 -2 0\n-1 2 0\n3 4 0\n";
    formula::read(text.as_bytes()).expect("well-formed")
}

const GOOD: &str = r#"{"format": "sqasp-formula-strategy", "version": 1, "formula": "coin", "formula_sha256": "SHA",
    "variables": 4, "value": "1/4", "gates": [[], [1]], "exists": [[2, 6]], "forall": [[3, -5]]}"#;

fn text() -> String {
    GOOD.replace("SHA", &fingerprint(&coin()))
}

fn strategy(text: &str) -> Strategy {
    read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn flaw(text: &str) -> Flaw {
    match verify(&coin(), &strategy(text), &Limits::default()).verdict {
        Verdict::Refused(flaw) => flaw,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_good_one_is_proved() {
    let verdict = verify(&coin(), &strategy(&text()), &Limits::default()).verdict;
    assert_eq!(verdict, Verdict::Proved("1/4".parse().expect("a fraction")));
}

#[test]
fn what_is_wrong_is_named() {
    let (two, three) = (Var::new(1), Var::new(2));
    let (exists, forall) = (Decider::Exists, Decider::Forall);
    for (damage, with, expected, words) in [
        (
            "[[2, 6]]",
            "[[2, 4]]",
            Flaw::Later {
                variable: two,
                later: Var::new(3),
            },
            "the function of variable 2 depends on variable 4, which does not stand in an earlier block",
        ),
        (
            "[[2, 6]]",
            "[[2, 2]]",
            Flaw::Later {
                variable: two,
                later: two,
            },
            "depends on variable 2",
        ),
        (
            "[[], [1]]",
            "[[], [1, 3]]",
            Flaw::Later {
                variable: two,
                later: three,
            },
            "depends on variable 3",
        ),
        (
            "[[2, 6]]",
            "[]",
            Flaw::Missing {
                side: exists,
                variable: two,
            },
            "`exists` has no function for variable 2",
        ),
        (
            "[[3, -5]]",
            "[]",
            Flaw::Missing {
                side: forall,
                variable: three,
            },
            "`forall` has no function for variable 3",
        ),
        (
            "[[2, 6]]",
            "[[2, 6], [2, 6]]",
            Flaw::Twice {
                side: exists,
                variable: two,
            },
            "two functions",
        ),
        (
            "[[3, -5]]",
            "[[3, -5], [1, 5]]",
            Flaw::NotDecided {
                side: forall,
                variable: Var::new(0),
            },
            "variable 1, which that player does not decide",
        ),
        (
            "\"variables\": 4",
            "\"variables\": 3",
            Flaw::Variables {
                found: 3,
                expected: 4,
            },
            "for 3 variables",
        ),
    ] {
        // With fewer variables the gates have other numbers.
        let damaged = match with.ends_with(": 3") {
            true => text()
                .replace(damage, with)
                .replace("-5", "-4")
                .replace("6]", "5]"),
            false => text().replace(damage, with),
        };
        let found = flaw(&damaged);
        assert_eq!(found, expected, "{damaged}");
        assert!(found.to_string().contains(words), "{found}");
    }
}

#[test]
fn promises_that_are_not_kept_are_refused() {
    for (damage, with, side, found) in [
        // The output is turned round.
        ("[[2, 6]]", "[[2, -6]]", Decider::Exists, "0"),
        ("[[3, -5]]", "[[3, 5]]", Decider::Forall, "1"),
        // The promise is too large, or too small.
        ("1/4", "1/3", Decider::Exists, "1/4"),
        ("1/4", "1/5", Decider::Exists, "1/4"),
    ] {
        let expected = found.parse::<formula::BigRational>().expect("a fraction");
        match flaw(&text().replace(damage, with)) {
            Flaw::BrokenPromise {
                side: wrong, found, ..
            } => {
                assert_eq!((wrong, *found), (side, expected));
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn a_strategy_for_another_formula_is_refused() {
    let other = formula::read(b"p cnf 1 1\nr 1/3 1 0\n1 0\n").expect("well-formed");
    let verdict = verify(&other, &strategy(&text()), &Limits::default()).verdict;
    let Verdict::Refused(flaw) = verdict else {
        panic!("{verdict:?}");
    };
    assert!(matches!(flaw, Flaw::OtherFormula { .. }), "{flaw}");
    assert!(
        flaw.to_string()
            .starts_with("the strategy is for another formula (coin)"),
        "{flaw}"
    );
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
    write_json(&strategy(&text()), &mut whole).expect("memory takes all");
    for end in 0..whole.len() - 2 {
        assert!(read(&whole[..end]).is_err(), "{end}");
    }
    for (damage, with, words) in [
        (
            "\"version\": 1",
            "\"version\": 2",
            "version 2 of the format; version 1 is read here",
        ),
        (
            "sqasp-formula-strategy",
            "sqasp-strategy",
            "not \"sqasp-formula-strategy\"",
        ),
        (
            "[1]]",
            "[7]]",
            "gate 2 of `gates`: 7 is no literal of a variable or of an earlier gate (1 to 5 here)",
        ),
        ("[1]]", "[0]]", "0 is no literal"),
        (
            "[2, 6]",
            "[2, 7]",
            "function 1 of `exists`: 7 is no literal",
        ),
        ("[2, 6]", "[-2, 6]", "-2 is no variable"),
        (
            "[3, -5]",
            "[9, -5]",
            "function 1 of `forall`: 9 is no literal",
        ),
        ("1/4", "1/0", "\"1/0\" is no fraction"),
        ("1/4", "5/4", "is no fraction from 0 to 1"),
        ("1/4", "0.25", "is no fraction from 0 to 1"),
        ("\"variables\": 4", "\"variables\": 4000000000", "too many"),
        ("\"gates\"", "\"doors\"", "missing field `gates`"),
    ] {
        let error = read(text().replace(damage, with).as_bytes()).expect_err(with);
        assert!(error.to_string().contains(words), "{error}");
    }
    assert!(read(b"\xff\xfe").is_err());
}
