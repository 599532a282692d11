//! Formulas that no friend would write, under little memory: every run must end by itself, with an exit
//! code that is documented, a message that can be read, and bounds that hold.
//!
//! `SQASP_TEST_ROUNDS` makes the part with random files longer.

use super::{Confined, confined};
use crate::cli::{Ended, Place, game};
use formula::{BigRational, Quantifier};
use generators::{Layered, Structured, damage, enumerate, layered, structured};
use std::fmt::Write;

/// Clauses of this many random literals.
fn random_clauses(rng: &mut fastrand::Rng, variables: i32, clauses: usize, width: usize) -> String {
    let mut text = String::new();
    for _ in 0..clauses {
        for _ in 0..width {
            let sign = if rng.bool() { "" } else { "-" };
            let _ = write!(text, "{sign}{} ", rng.i32(1..=variables));
        }
        text.push_str("0\n");
    }
    text
}

/// `1 2 3 ... 0`.
fn list(sign: &str, numbers: std::ops::RangeInclusive<i32>) -> String {
    let mut text = String::new();
    for number in numbers {
        let _ = write!(text, "{sign}{number} ");
    }
    text + "0\n"
}

/// A block for every variable, in turn of each kind.
fn deep_prefix(kinds: &[&str], variables: i32) -> String {
    let mut text = String::new();
    for variable in 1..=variables {
        let kind = kinds[variable as usize % kinds.len()];
        let _ = writeln!(text, "{kind} {variable} 0");
    }
    text
}

/// Files that no solver finishes. All others end by themselves, by their value, a refusal, or their memory.
const ENDLESS: [&str; 3] = [
    "random clauses over many blocks",
    "coins without order",
    "universals without order",
];

/// The limit of time for a file: none if it ends by itself, so that its end does not depend on the machine.
fn time_for(name: &str) -> &'static [&'static str] {
    match ENDLESS.contains(&name) {
        true => &["--time", "1"],
        false => &[],
    }
}

/// Files that ask for much, with their names.
fn hostile_files() -> Vec<(&'static str, String)> {
    let rng = &mut fastrand::Rng::with_seed(5);
    let kinds = ["e", "r 0.5", "a"];
    let (deep, wide, million) = (100_000, 300_000, 1_000_000);
    let mut chain = String::new();
    let mut implied = String::from("1 0\n");
    for number in 1..deep {
        let _ = writeln!(chain, "{number} -{} 0", number + 1);
    }
    for number in 1..million {
        let _ = writeln!(implied, "-{number} {} 0", number + 1);
    }
    let mut chances = String::new();
    for number in 1..=20_000 {
        let _ = writeln!(chances, "r 1/{} {number} 0", number + 1);
    }
    let third = wide / 3;
    vec![
        (
            "many variables announced",
            "p cnf 1000000000 3\n1 2 0\n-1 0\n1000000000 0\n".into(),
        ),
        (
            "more than can be counted",
            "p cnf 2147483647 4000000000\n1 2 0\n".into(),
        ),
        (
            "many clauses announced",
            "p cnf 3 4000000000\n1 2 0\n".into(),
        ),
        (
            "one clause over many blocks",
            format!(
                "p cnf {deep} 1\n{}{}",
                deep_prefix(&kinds, deep),
                list("", 1..=deep)
            ),
        ),
        (
            "a chain over many blocks",
            format!(
                "p cnf {deep} {}\n{}{chain}",
                deep - 1,
                deep_prefix(&kinds, deep)
            ),
        ),
        (
            "random clauses over many blocks",
            format!(
                "p cnf {deep} 200000\n{}{}",
                deep_prefix(&kinds[..2], deep),
                random_clauses(rng, deep, 200_000, 3)
            ),
        ),
        (
            "a million clauses",
            format!(
                "p cnf {wide} {million}\nr 1/3 {}e {}{}",
                list("", 1..=third),
                list("", third + 1..=wide),
                random_clauses(rng, wide, million as usize, 3)
            ),
        ),
        (
            "a million implications",
            format!("p cnf {million} {million}\n{implied}"),
        ),
        (
            "two long clauses",
            format!(
                "p cnf {million} 2\nr 0.5 {}{}{}",
                list("", 1..=million),
                list("", 1..=million),
                list("-", 1..=million)
            ),
        ),
        (
            "a large common denominator",
            format!("p cnf 20000 1\n{chances}{}", list("", 1..=20_000)),
        ),
        (
            "a probability with many digits",
            format!("p cnf 1 1\nr 0.{} 1 0\n1 0\n", "3".repeat(million as usize)),
        ),
        (
            "coins without order",
            format!(
                "p cnf 400 900\nr 0.5 {}{}",
                list("", 1..=400),
                random_clauses(rng, 400, 900, 3)
            ),
        ),
        (
            "universals without order",
            format!(
                "p cnf 400 900\na {}e {}{}",
                list("", 1..=100),
                list("", 101..=400),
                random_clauses(rng, 400, 900, 5)
            ),
        ),
        ("nothing but minus", "-".repeat(100_000)),
        ("zeros", "0 ".repeat(100_000)),
        (
            "no end of line",
            format!("p cnf 1 1 {}", "1 ".repeat(500_000)),
        ),
    ]
}

/// The command whose answers [`check`] reads.
const FORMULA: &[&str] = &["solve-formula", "--format", "competition"];

/// The exit code is one of an answer, of bounds, or of a refusal; what is printed goes with it.
fn check(ended: &Ended, about: &str) {
    ended.check_manners(about);
    assert!(
        !ended.err.contains("memory allocation"),
        "{about}: {ended:?}"
    );
    match ended.code {
        Some(0) => {
            assert!(
                ended.out.contains("c s exact arb frac "),
                "{about}: {ended:?}"
            );
            // A line that breaks the format, but can be read in one way only, is warned of.
            let mut lines = ended.err.lines();
            let is_warning =
                |line: &str| line.starts_with("warning: ") && line.contains("--strict");
            assert!(lines.all(is_warning), "{about}: {ended:?}");
        }
        Some(75) => {
            let bounds = ended
                .out
                .lines()
                .find_map(|line| line.strip_prefix("c s bounds arb frac "));
            let Some(bounds) = bounds else {
                panic!("{about}: {ended:?}")
            };
            let bounds: Vec<BigRational> = bounds
                .split(' ')
                .map(|bound| bound.parse().expect("a fraction"))
                .collect();
            assert!(bounds[0] <= bounds[1], "{about}: {ended:?}");
        }
        Some(65) => {
            assert_eq!(ended.out, "", "{about}");
            assert!(ended.err.contains("is not a formula"), "{about}: {ended:?}");
        }
        _ => panic!("{about}: {ended:?}"),
    }
}

#[test]
fn hostile_formulas_end_in_good_order_under_little_memory() {
    const ALLOWED: u64 = 100_000_000;
    let place = Place::new();
    let files = hostile_files();
    let mut out_of_memory = 0;
    for (index, (name, text)) in files.iter().enumerate() {
        let file = format!("file_{index}");
        place.write(&file, text);
        let memory = ["--memory", "100M"];
        let arguments = [FORMULA, &[&file], &memory, time_for(name)].concat();
        let Confined { ended, peak } = confined(&place, &arguments, None);
        check(&ended, name);
        out_of_memory += u32::from(ended.out.contains("memory limit"));
        // A quarter and 100 MB more is where the process is ended, and a moment passes until then.
        let most = ALLOWED + ALLOWED / 4 + 100_000_000 + 60_000_000;
        assert!(
            peak < most,
            "{name}: {peak} bytes at most, {ALLOWED} allowed"
        );
    }
    assert!(
        out_of_memory >= 2,
        "only {out_of_memory} files needed more memory than allowed"
    );
}

#[test]
fn hostile_formulas_end_in_good_order_where_the_system_has_a_limit() {
    let place = Place::new();
    let both = crate::common::takes_all();
    let mut out_of_memory = 0;
    for (index, (name, text)) in hostile_files().iter().enumerate() {
        let file = format!("file_{index}");
        place.write(&file, text);
        // `--memory` promises more than there is, or nothing is said at all.
        let limits = [(250_000, &["--memory", "1G"][..]), (300_000, &[])];
        for (number, (kilobytes, memory)) in limits.into_iter().enumerate() {
            if !both && number != index % 2 {
                continue;
            }
            let arguments = [FORMULA, &[&file], memory, time_for(name)].concat();
            let Confined { ended, .. } = confined(&place, &arguments, Some(kilobytes));
            check(&ended, &format!("{name} with {kilobytes} kB"));
            out_of_memory += u32::from(ended.out.contains("memory limit"));
        }
    }
    assert!(
        out_of_memory >= if both { 4 } else { 2 },
        "only {out_of_memory} runs needed more memory than there was"
    );
}

#[test]
fn games_and_programs_end_in_good_order_where_the_system_has_a_limit() {
    let place = Place::new();
    let program = "p(1..3000). q(X,Y) :- p(X), p(Y). { r(X,Y) } :- q(X,Y).";
    place.write("large.lp", program);
    let (drop, squares) = (
        game("stochastic_connect_4.gdl"),
        game("stochastic_ttt_4x4.gdl"),
    );
    let mut stopped = 0;
    let rows: [&[&str]; 4] = [
        &["solve-program", "large.lp"],
        &["solve", &drop, "--depth", "16"],
        &["solve", &squares, "--depth", "16", "--moves"],
        &["solve", &squares, "--depth", "16", "--quant", "base"],
    ];
    for arguments in rows {
        // With less, the process may end without an answer (docs/how-to/limits.md).
        for kilobytes in [200_000, 250_000, 300_000] {
            let mut arguments = arguments.to_vec();
            arguments.extend(["--time", "1", "--format", "competition"]);
            let Confined { ended, .. } = confined(&place, &arguments, Some(kilobytes));
            let about = format!("{arguments:?} with {kilobytes} kB");
            check(&ended, &about);
            stopped += u32::from(ended.code == Some(75));
        }
    }
    assert!(
        stopped >= 6,
        "only {stopped} of 12 runs needed more than there was"
    );
}

/// A formula as text, sometimes from a game.
fn real_file(rng: &mut fastrand::Rng, translated: &str) -> String {
    let formula = match rng.u8(0..5) {
        0 => return translated.to_owned(),
        1 | 2 => structured(rng, &Structured::default()),
        _ => {
            let quantifiers = vec![Quantifier::Exists, Quantifier::Forall, Quantifier::Chance];
            let family = Layered {
                steps: 3,
                state: 2,
                decision: 1,
                quantifiers,
            };
            layered(rng, &family)
        }
    };
    let mut text = Vec::new();
    formula::sdimacs::write(&formula, &mut text).expect("a list can be written to");
    String::from_utf8(text).expect("it is text")
}

#[test]
fn changed_files_are_refused_or_solved() {
    let place = Place::new();
    let to_file = format!("translate {} --depth 1 --to sdimacs", game("figure_1.gdl"));
    let translated = place.answers(&to_file);
    let short = [
        "0", " 0\n", "-", "\n", "e ", "a ", "r ", "r 1/3 ", "0.5", "1e999", "p cnf ", "c ", "\0",
    ];
    let pieces = [&short[..], &["99999999999999999999", "2147483648"]].concat();
    let (mut refused, mut compared) = (0, 0);
    let rounds = crate::common::rounds(300);
    for seed in 0..rounds {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let mut bytes = real_file(rng, &translated).into_bytes();
        damage(rng, &mut bytes, &pieces);
        place.write("changed", &bytes);
        let arguments = [FORMULA, &["changed", "--memory", "200M", "--time", "2"]].concat();
        let Ended { code, out, err } = crate::cli::end(&mut place.command_with(arguments));
        let ended = Ended { code, out, err };
        check(&ended, &format!("seed {seed}"));
        refused += u64::from(ended.code == Some(65));
        if let (Some(0), Ok(read)) = (ended.code, formula::read(&bytes))
            && read.variables() <= 14
        {
            let value = enumerate(&read).expect("it is small");
            let printed = format!("c s exact arb frac {}/{}\n", value.numer(), value.denom());
            assert!(
                ended.out.ends_with(&printed),
                "seed {seed}: {value}, {ended:?}"
            );
            compared += 1;
        }
    }
    assert!(
        refused > rounds / 4 && compared > rounds / 20,
        "{refused} refused, {compared} compared"
    );
}
