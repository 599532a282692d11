//! Formulas that no friend would write, under little memory: every run must end by itself, with an exit
//! code that is documented, a message that can be read, and bounds that hold.
//!
//! `SQASP_TEST_ROUNDS` makes the part with random files longer.

use super::{Confined, confined};
use crate::cli::{Ended, Place, game};
use formula::{BigRational, Quantifier};
use generators::{Layered, Structured, damage, enumerate, layered, rows, structured};
use std::collections::BTreeMap;
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
fn hostile_files() -> Vec<(String, String)> {
    let rng = &mut fastrand::Rng::with_seed(5);
    let kinds = ["e", "r 0.5", "a"];
    let lines = |last: i32, line: &dyn Fn(i32) -> String| (1..=last).map(line).collect::<String>();
    let pieces = BTreeMap::from([
        ("blocks", deep_prefix(&kinds, 100_000)),
        ("two kinds", deep_prefix(&kinds[..2], 100_000)),
        (
            "chain",
            lines(99_999, &|it| format!("{it} -{} 0\n", it + 1)),
        ),
        (
            "implied",
            lines(999_999, &|it| format!("-{it} {} 0\n", it + 1)),
        ),
        (
            "chances",
            lines(20_000, &|it| format!("r 1/{} {it} 0\n", it + 1)),
        ),
        ("deep", random_clauses(rng, 100_000, 200_000, 3)),
        ("wide", random_clauses(rng, 300_000, 1_000_000, 3)),
        ("short", random_clauses(rng, 400, 900, 3)),
        ("long", random_clauses(rng, 400, 900, 5)),
        ("none", list("-", 1..=1_000_000)),
        ("threes", "3".repeat(1_000_000)),
        ("minus", "-".repeat(100_000)),
        ("zeros", "0 ".repeat(100_000)),
        ("ones", "1 ".repeat(500_000)),
    ]);
    // The name of a piece, or a list of variables.
    let piece = |name: &str| match name.split_once("..") {
        Some((first, last)) => list("", first.parse().unwrap()..=last.parse().unwrap()),
        None => pieces[name].clone(),
    };
    let files = rows(
        r"
            many variables announced => p cnf 1000000000 3\n1 2 0\n-1 0\n1000000000 0\n
            more than can be counted => p cnf 2147483647 4000000000\n1 2 0\n
            many clauses announced => p cnf 3 4000000000\n1 2 0\n
            one clause over many blocks => p cnf 100000 1\n{blocks}{1..100000}
            a chain over many blocks => p cnf 100000 99999\n{blocks}{chain}
            random clauses over many blocks => p cnf 100000 200000\n{two kinds}{deep}
            a million clauses => p cnf 300000 1000000\nr 1/3 {1..100000}e {100001..300000}{wide}
            a million implications => p cnf 1000000 1000000\n1 0\n{implied}
            two long clauses => p cnf 1000000 2\nr 0.5 {1..1000000}{1..1000000}{none}
            a large common denominator => p cnf 20000 1\n{chances}{1..20000}
            a probability with many digits => p cnf 1 1\nr 0.{threes} 1 0\n1 0\n
            coins without order => p cnf 400 900\nr 0.5 {1..400}{short}
            universals without order => p cnf 400 900\na {1..100}e {101..400}{long}
            nothing but minus => {minus}
            zeros => {zeros}
            no end of line => p cnf 1 1 {ones}
            ",
    );
    let whole = |[name, template]: [String; 2]| {
        let parts = template
            .split(['{', '}'])
            .zip([false, true].into_iter().cycle());
        let parts = parts.map(|(part, is_name)| match is_name {
            true => piece(part),
            false => part.to_owned(),
        });
        (name, parts.collect())
    };
    files.into_iter().map(whole).collect()
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
