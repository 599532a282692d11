//! The solver by clause learning: values by definition, work that is saved, and inputs made to be unpleasant.

use crate::certain::hidden_vector;
use crate::circuits::circuit;
use crate::mixture::{mixture, resize};
use fastrand::Rng;
use formula::{BigRational, Formula, Outcome, Probability, Quantifier, Solver, Value};
use generators::{
    Grid, LostRobot, RandomClauses, SandCastle, Unknown, enumerate, grid, lost_robot,
    random_clauses, rounds, sand_castle,
};
use limits::{Limits, Publisher};
use num_traits::One;
use sqasp_ssat::Options;
use sqasp_ssat::portfolio::{Engine, Portfolio};
use std::borrow::Cow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Clause learning with all techniques.
pub fn learning() -> Portfolio {
    let mut solver = Portfolio::default();
    solver.options.engine = Engine::Learning;
    solver
}

/// Random clauses under all kinds of prefixes, near the threshold where they become false.
pub fn clauses(random: &mut Rng, variables: usize) -> Formula {
    let mut quantifiers = vec![Quantifier::Exists, Quantifier::Forall, Quantifier::Chance];
    random.shuffle(&mut quantifiers);
    quantifiers.truncate(random.usize(1..=3));
    if !quantifiers.contains(&Quantifier::Exists) {
        quantifiers.push(Quantifier::Exists);
    }
    let family = RandomClauses {
        variables,
        block: random.usize(1..=variables / 2),
        clauses: random.usize(variables..=4 * variables),
        width: 3,
        quantifiers,
    };
    random_clauses(random, &family)
}

/// Long clauses, first chance or the opponent, then the maximizer: a player that wins with most of what it can do wins after
/// little of it, if that is the right part.
#[test]
fn aiming_at_wins_saves_branches() {
    let seed = 31;
    let mut rng = Rng::with_seed(seed);
    for (first, width, clauses) in [(Quantifier::Chance, 5, 120), (Quantifier::Forall, 8, 300)] {
        let family = RandomClauses {
            variables: 40,
            block: 20,
            clauses,
            width,
            quantifiers: vec![first, Quantifier::Exists],
        };
        let (mut with, mut without) = (0, 0);
        for round in 0..rounds(10) {
            let formula = random_clauses(&mut rng, &family);
            let branchings =
                |is_on| branchings(&formula, |options| options.generalize_minterms = is_on);
            let (generalized, plain) = (branchings(true), branchings(false));
            assert_eq!(
                generalized.0, plain.0,
                "seed {seed}, {first:?}, round {round}"
            );
            with += generalized.1;
            without += plain.1;
        }
        assert!(
            with * 2 < without,
            "{first:?}: {with} and {without} branchings"
        );
    }
}

/// A plan against an adversary with few unknowns: copies of what follows them are a formula that is easier.
#[test]
fn expansion_saves_branches() {
    let problem = LostRobot {
        side: 4,
        dimensions: 3,
        steps: 8,
        start: Unknown::Adversary,
        fails: Probability::ratio(0, 1),
    };
    let formula = lost_robot(&problem);
    let run = |expands| branchings(&formula, |options| options.expands = expands);
    let ((outcome, expanded), (other, plain)) = (run(true), run(false));
    let value = Outcome::Solved(Value::Exact(problem.value()));
    assert_eq!(outcome, value);
    assert_eq!(other, value);
    assert!(expanded * 4 < plain, "{expanded} and {plain} branchings");
}

/// The outcome, and how many branchings it took.
pub fn branchings(formula: &Formula, change: impl FnOnce(&mut Options)) -> (Outcome, u64) {
    let mut solver = learning();
    solver.options.learning.threads = 1;
    change(&mut solver.options.learning);
    let answer = solver.solve(formula, &Limits::default());
    let answer = answer.expect("takes all");
    let branchings = answer.statistics.iter().find(|s| s.0 == "branchings");
    (answer.outcome, branchings.map_or(0, |s| s.1))
}

/// A row of outputs, each of which two neighbours may switch on, as far as masks that were chosen before allow: `o = (a and m) or (b and n)`. All outputs are
/// thrown, so the search goes through the row and meets the rest of it again, if elimination leaves the gates where it can be cut.
#[test]
fn elimination_leaves_places_to_cut() {
    let count = 30;
    let (mask, output) = (|index| 1 + index, |index| count + 2 + index);
    let input = |index: i32| 2 * count + 2 + index;
    let mut last = input(count + 1);
    let mut clauses: Vec<Vec<i32>> = Vec::new();
    for index in 0..count {
        let sides = [0, 1].map(|side| [input(index + 2 * side), mask(index + side)]);
        let gates = sides.map(|[one, other]| {
            last += 1;
            clauses.extend([
                vec![-last, one],
                vec![-last, other],
                vec![last, -one, -other],
            ]);
            clauses.push(vec![-last, output(index)]);
            last
        });
        clauses.push(vec![gates[0], gates[1], -output(index)]);
    }
    let list = |numbers: &[i32]| {
        let numbers: Vec<String> = numbers.iter().map(i32::to_string).collect();
        numbers.join(" ") + " 0\n"
    };
    let block = |numbers: std::ops::RangeInclusive<i32>| list(&Vec::from_iter(numbers));
    let mut text = format!("p cnf {last} {}\n", clauses.len());
    text += &format!("e {}", block(mask(0)..=mask(count)));
    text += &format!("r 0.5 {}", block(output(0)..=output(count - 1)));
    text += &format!("e {}", block(input(0)..=last));
    text.extend(clauses.iter().map(|clause| list(clause)));
    let formula = formula::read(text.as_bytes()).expect("well-formed");
    let (outcome, found) = branchings(&formula, |_| ());
    // Every input may serve one output.
    let one = BigRational::from_integer(1.into());
    assert_eq!(outcome, Outcome::Solved(Value::Exact(one)));
    assert!(found < 10_000, "{found} branchings");
}

/// Bounds that are told on the way only get better, and the last of them say something, whoever begins.
#[test]
fn bounds_are_told_while_the_search_goes_on() {
    let seed = 37;
    let mut rng = Rng::with_seed(seed);
    let mut stopped = 0;
    use Quantifier::{Chance, Exists, Forall};
    for quantifiers in [
        &[Chance][..],
        &[Exists, Chance],
        &[Chance, Exists],
        &[Exists, Chance, Exists],
        &[Forall, Chance, Exists],
        &[Chance, Forall, Exists, Chance],
    ] {
        let family = RandomClauses {
            variables: 120,
            block: 120 / quantifiers.len(),
            clauses: 240,
            width: 3,
            quantifiers: quantifiers.to_vec(),
        };
        let formula = random_clauses(&mut rng, &family);
        let told = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&told);
        let limits = Limits::after_checks(100);
        let period = Duration::ZERO;
        let publisher = Publisher::new(
            (BigRational::default(), BigRational::one()),
            period,
            move |bounds| {
                listener
                    .lock()
                    .expect("no thread panics")
                    .push(bounds.clone());
            },
        );
        let mut solver = learning();
        solver.options.learning.threads = 1;
        // Debug builds and busy machines are slow.
        solver.options.learning.first_limited = 100_000;
        let answer = solver.solve_publishing(Cow::Owned(formula), &limits, &publisher);
        let answer = answer.expect("takes all");
        let Outcome::Stopped { lower, upper, .. } = &answer.outcome else {
            continue;
        };
        stopped += 1;
        let told = told.lock().expect("no thread panics");
        let ways = told.iter().zip(told.iter().skip(1));
        for ((low, high), (lower, upper)) in ways {
            assert!(low <= lower && lower <= upper && upper <= high);
        }
        let (low, high) = told.last().expect("some were told");
        assert!(low <= lower && upper <= high, "{quantifiers:?}");
        let zero = BigRational::from_integer(0.into());
        let one = BigRational::from_integer(1.into());
        assert!(*low > zero || *high < one, "seed {seed}, {quantifiers:?}");
    }
    assert!(stopped > 2, "choose harder formulas");
}

/// Of grids of chance only the value is known.
#[test]
fn grids_are_cut() {
    let mut rng = Rng::with_seed(39);
    let problem = Grid::random(&mut rng, 5, 30, &[Quantifier::Chance]);
    let answer = learning().solve(&grid(&problem), &Limits::default());
    let answer = answer.expect("takes all");
    let expected = problem.value().expect("all is of chance");
    assert_eq!(answer.outcome, Outcome::Solved(Value::Exact(expected)));
}

/// Where things happen one after the other, states that were met before are found in the cache: 16 times as many
/// plans take not much more than 16 times the branchings.
#[test]
fn blind_plans_share_their_states() {
    let run = |steps| {
        let castle = SandCastle::new(steps, false);
        let (outcome, branchings) = branchings(&sand_castle(&castle), |_| ());
        assert_eq!(outcome, Outcome::Solved(Value::Exact(castle.value())));
        branchings
    };
    let (few, many) = (run(6), run(10));
    assert!(
        many < 40 * few,
        "{few} branchings for 6 steps, {many} for 10"
    );
}

/// A small formula of one of many kinds: clauses, some of them behind a choice that may win for certain, hidden vectors, grids, and
/// mostly circuits.
fn small(random: &mut Rng) -> Formula {
    use Quantifier::{Chance, Exists, Forall};
    let text = match random.u8(0..32) {
        0..4 => return clauses(random, 13),
        4..9 => {
            let block = random.usize(2..=4);
            let family = RandomClauses {
                variables: 3 * block,
                block,
                clauses: random.usize(block..=6 * block),
                width: 3,
                quantifiers: vec![Exists, [Chance, Forall][random.usize(..2)]],
            };
            return random_clauses(random, &family);
        }
        9 => {
            let mut quantifiers = vec![Chance, Exists, Forall, Chance, Exists];
            random.shuffle(&mut quantifiers);
            quantifiers.truncate(random.usize(1..4));
            return grid(&Grid::random(random, 3, 5, &quantifiers));
        }
        10..15 => {
            let (bits, is_wanted) = (random.i32(2..=4), random.bool());
            let block = ["r 1/3", "a"][random.usize(..2)];
            hidden_vector(random, bits, block, is_wanted)
        }
        _ => circuit(random),
    };
    formula::read(text.as_bytes()).expect("well-formed")
}

/// With every switch on and off; and turns so short that some formulas need several.
#[test]
fn small_formulas_are_solved_as_by_definition() {
    let seed = 19;
    let mut rng = Rng::with_seed(seed);
    let (mut defined, mut certain) = (0, 0);
    for round in 0..rounds(3000) {
        let formula = small(&mut rng);
        let value = enumerate(&formula).expect("it is small");
        let mut solver = if rng.bool() {
            learning()
        } else {
            mixture(&mut rng)
        };
        resize(&mut rng, &mut solver);
        solver.options.engine = Engine::Learning;
        let answer = solver.solve(&formula, &Limits::default());
        let answer = answer.expect("takes all");
        let at = format!("seed {seed}, round {round}, {:?}", solver.options);
        certain += usize::from(value.is_one());
        assert_eq!(answer.outcome, Outcome::Solved(Value::Exact(value)), "{at}");
        let count = answer.statistics.iter().find(|it| it.0 == "defined");
        defined += usize::from(count.is_some_and(|&(_, count)| count > 0));
    }
    assert!(
        defined > rounds(3000) / 30 && certain > 150,
        "seed {seed}: {defined} with defined variables, {certain} certain wins"
    );
}

/// Large inputs of unpleasant shapes, as text.
fn unpleasant() -> Vec<(&'static str, String)> {
    use std::fmt::Write;
    let list = |numbers: &mut dyn Iterator<Item = i64>| {
        let mut text = String::new();
        for number in numbers {
            write!(text, "{number} ").expect("strings take all");
        }
        text + "0\n"
    };
    let n = 100_000;
    let mut inputs = Vec::new();
    for (name, other) in [("levels of players", "a"), ("levels with chance", "r 0.5")] {
        let mut text = format!("p cnf {n} {}\n", n - 2);
        for v in 1..=n {
            writeln!(text, "{} {v} 0", if v % 2 == 1 { "e" } else { other }).expect("see above");
        }
        for v in 1..n - 1 {
            let first = if v % 2 == 1 { v } else { -v };
            writeln!(text, "{first} {} {} 0", v + 1, v + 2).expect("see above");
        }
        inputs.push((name, text));
    }
    // `make check` takes chains of a million variables. With a function that calls itself for each variable these are more than a stack holds.
    let takes_all = std::env::var_os("SQASP_TEST_ROUNDS").is_some();
    let m = if takes_all { 10 * n } else { n };
    for (name, quantifier) in [("chain of choices", "e"), ("chain of chances", "r 0.5")] {
        let mut text = format!("p cnf {m} {}\n{quantifier} {}", m - 1, list(&mut (1..=m)));
        for v in 1..m {
            writeln!(text, "{v} -{} 0", v + 1).expect("see above");
        }
        inputs.push((name, text));
    }
    let all = list(&mut (1..=n));
    let none = list(&mut (1..=n).map(|v| -v));
    inputs.push(("huge clause", format!("p cnf {n} 1\nr 0.5 {all}{all}")));
    inputs.push((
        "two huge clauses",
        format!("p cnf {n} 2\nr 0.5 {all}{all}{none}"),
    ));
    let mut text = format!("p cnf {n} {n}\nr 0.5 {all}");
    for v in 1..=n {
        writeln!(text, "{} 0", if v % 3 == 0 { v } else { -v }).expect("see above");
    }
    inputs.push(("units", text));
    let mut text = format!("p cnf {n} {}\nr 0.5 {all}", n / 2);
    for v in (1..n).step_by(2) {
        writeln!(text, "{v} {} 0", v + 1).expect("see above");
    }
    inputs.push(("components", text));
    inputs
}

/// Nothing crashes, overflows the stack, or runs on at a limit.
#[test]
fn unpleasant_inputs_end_in_good_order() {
    let mut solved = 0;
    for (name, text) in unpleasant() {
        let formula = formula::read(text.as_bytes()).expect("well-formed");
        let limits = Limits {
            memory: Some(1 << 30),
            ..Limits::after_checks(100)
        };
        let outcome = learning()
            .solve(&formula, &limits)
            .expect("takes all")
            .outcome;
        match outcome {
            Outcome::Solved(_) => solved += 1,
            other => {
                let (lower, upper) = other.bounds();
                assert!(lower <= upper, "{name}");
            }
        }
    }
    assert!(solved >= 5, "only {solved} were solved");
}
