//! The solver by clause learning: the suite every solver runs through, runs that are cut short, and inputs
//! made to be unpleasant.

use crate::circuits::circuit;
use fastrand::Rng;
use formula::{BigRational, Formula, Outcome, Probability, Quantifier, Solver, Value};
use generators::conformance::{Options as Suite, check, is_solved};
use generators::{
    Grid, LostRobot, RandomClauses, SandCastle, Structured, Unknown, enumerate, grid, lost_robot,
    random_clauses, rounds, sand_castle, structured,
};
use limits::{Interrupt, Limits, Publisher, StopReason};
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

/// Without some techniques.
fn mixture(mut is_on: impl FnMut() -> bool) -> Portfolio {
    let mut solver = learning();
    let simplify = formula::preprocess::Options::techniques();
    for (name, _) in Options::techniques().into_iter().chain(simplify) {
        *solver.options.technique(name).expect("it is on the list") = is_on();
    }
    solver
}

/// Any number of threads, which begin at once or later, turns of any length, and components that are not split after each decision.
fn resize(random: &mut Rng, solver: &mut Portfolio) {
    let options = &mut solver.options.learning;
    options.threads = random.choice([1, 2, 3]).expect("not empty");
    options.first_help = random.choice([0, 100, 3000]).expect("not empty");
    options.help_per_literal = random.u64(0..=1);
    options.first_turn = random.choice([200, 2_000_000]).expect("not empty");
    options.first_decomposition = random.choice([0, 100, 500_000]).expect("not empty");
    options.first_limited = random.choice([0, 50, 1000, 8_000_000]).expect("not empty");
    options.small_component = random.choice([0, 10, 4096]).expect("not empty");
    options.split_per_return = random.choice([0, 1, 16]).expect("not empty");
}

#[test]
fn passes_the_suite() {
    let suite = Suite {
        rounds: 1500,
        seed: 21,
        ..Suite::default()
    };
    let summary = check(&mut learning(), &suite).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(summary.refused, 0);
}

/// Any mixture of techniques and sizes.
#[test]
fn passes_the_suite_with_random_mixtures() {
    let mut random = Rng::with_seed(3);
    for seed in 0..40 {
        let mut solver = mixture(|| random.bool());
        resize(&mut random, &mut solver);
        let suite = Suite {
            seed: 2000 + seed,
            rounds: 50,
            ..Suite::default()
        };
        check(&mut solver, &suite)
            .unwrap_or_else(|failure| panic!("{:?}: {failure}", solver.options));
    }
}

/// Random clauses under all kinds of prefixes, near the threshold where they become false.
fn random(random: &mut Rng, variables: usize) -> Formula {
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

#[test]
fn random_clauses_are_solved_as_by_definition() {
    let seed = 8;
    let mut rng = Rng::with_seed(seed);
    for round in 0..rounds(300) {
        let formula = random(&mut rng, 13);
        let mut solver = learning();
        resize(&mut rng, &mut solver);
        let answer = solver
            .solve(&formula, &Limits::default())
            .expect("takes all");
        let value = enumerate(&formula).expect("it is small");
        let expected = Outcome::Solved(Value::Exact(value));
        assert_eq!(answer.outcome, expected, "seed {seed}, round {round}");
    }
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
fn branchings(formula: &Formula, change: impl FnOnce(&mut Options)) -> (Outcome, u64) {
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

#[test]
fn bounds_enclose_the_value_wherever_the_run_ends() {
    let seed = 12;
    let mut rng = Rng::with_seed(seed);
    let (mut stopped, mut informative) = (0, 0);
    for round in 0..rounds(300) {
        let formula = if rng.bool() {
            structured(&mut rng, &Structured::default())
        } else {
            random(&mut rng, 12)
        };
        let value = enumerate(&formula).expect("it is small");
        let mut solver = mixture(|| rng.u8(0..4) > 0);
        resize(&mut rng, &mut solver);
        for limit in 0..15 {
            solver.options.decision_limit = Some(limit * limit);
            let answer = solver
                .solve(&formula, &Limits::default())
                .expect("takes all");
            let at = format!("seed {seed}, round {round}, limit {limit}");
            let reasons = [StopReason::Interrupted];
            stopped += u32::from(!is_solved(&answer.outcome, &value, &reasons, &at));
            if let Outcome::Stopped { lower, upper, .. } = &answer.outcome {
                informative += u32::from(lower + BigRational::from_integer(1.into()) > *upper);
            }
        }
    }
    assert!(
        stopped > 100 && informative > 10,
        "seed {seed}: {stopped} {informative}"
    );
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
        let limits = Limits {
            interrupt: Interrupt::after_checks(100),
            ..Limits::default()
        };
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

/// Of grids of chance only the value is known. Small ones of all kinds are solved as by definition, by whatever order.
#[test]
fn grids_are_cut() {
    let seed = 39;
    let mut rng = Rng::with_seed(seed);
    use Quantifier::{Chance, Exists, Forall};
    let problem = Grid::random(&mut rng, 5, 30, &[Chance]);
    let answer = learning().solve(&grid(&problem), &Limits::default());
    let answer = answer.expect("takes all");
    let expected = problem.value().expect("all is of chance");
    assert_eq!(answer.outcome, Outcome::Solved(Value::Exact(expected)));
    for round in 0..rounds(60) {
        let mut quantifiers = vec![Chance, Exists, Forall, Chance, Exists];
        rng.shuffle(&mut quantifiers);
        quantifiers.truncate(rng.usize(1..4));
        let formula = grid(&Grid::random(&mut rng, 3, 5, &quantifiers));
        let mut solver = mixture(|| rng.u8(0..4) > 0);
        resize(&mut rng, &mut solver);
        let answer = solver.solve(&formula, &Limits::default());
        let value = enumerate(&formula).expect("it is small");
        let outcome = answer.expect("takes all").outcome;
        assert_eq!(
            outcome,
            Outcome::Solved(Value::Exact(value)),
            "seed {seed}, round {round}"
        );
    }
}

/// Where things happen one after the other, states that were met before are found in the cache: 16 times as many
/// plans take not much more than 16 times the branchings.
#[test]
fn blind_plans_share_their_states() {
    let branchings = |steps| {
        let castle = SandCastle::new(steps, false);
        let answer = learning().solve(&sand_castle(&castle), &Limits::default());
        let answer = answer.expect("takes all");
        assert_eq!(
            answer.outcome,
            Outcome::Solved(Value::Exact(castle.value()))
        );
        let mut numbers = answer.statistics.iter();
        numbers
            .find(|(name, _)| *name == "branchings")
            .expect("it is counted")
            .1
    };
    let (few, many) = (branchings(6), branchings(10));
    assert!(
        many < 40 * few,
        "{few} branchings for 6 steps, {many} for 10"
    );
}

/// With a small cache entries are dropped, and computed again when they are needed.
#[test]
fn little_memory_costs_only_time() {
    let seed = 13;
    let mut rng = Rng::with_seed(seed);
    let mut reached = 0;
    for round in 0..rounds(10) {
        let family = RandomClauses {
            variables: 40,
            block: 10,
            clauses: 100,
            width: 3,
            quantifiers: vec![Quantifier::Exists, Quantifier::Chance],
        };
        let formula = random_clauses(&mut rng, &family);
        let run = |memory| {
            let limits = Limits {
                memory,
                ..Limits::default()
            };
            learning().solve(&formula, &limits).expect("takes all")
        };
        let free = run(None);
        let tight = run(Some(100_000));
        assert_eq!(free.outcome, tight.outcome, "seed {seed}, round {round}");
        reached += u32::from(free.statistics != tight.statistics);
        let hopeless = run(Some(1000)).outcome;
        let stopped = matches!(
            hopeless,
            Outcome::Stopped {
                reason: StopReason::Memory,
                ..
            }
        );
        assert!(stopped, "seed {seed}, round {round}: {hopeless:?}");
    }
    assert!(
        reached > 0,
        "no run used up its memory: choose larger formulas"
    );
}

/// With every switch on and off; and turns so short that some formulas need several.
#[test]
fn circuits_are_solved_as_by_definition() {
    let seed = 19;
    let mut rng = Rng::with_seed(seed);
    let mut defined = 0;
    for round in 0..rounds(2000) {
        let text = circuit(&mut rng);
        let formula = formula::read(text.as_bytes()).expect("well-formed");
        let value = enumerate(&formula).expect("it is small");
        let mut solver = if rng.bool() {
            learning()
        } else {
            mixture(|| rng.u8(0..4) > 0)
        };
        resize(&mut rng, &mut solver);
        solver.options.learning.first_turn = rng.choice([0, 20, 200]).expect("not empty");
        let answer = solver
            .solve(&formula, &Limits::default())
            .expect("takes all");
        let at = format!("seed {seed}, round {round}, {:?}\n{text}", solver.options);
        assert_eq!(answer.outcome, Outcome::Solved(Value::Exact(value)), "{at}");
        let count = answer
            .statistics
            .iter()
            .find(|(name, _)| *name == "defined");
        defined += usize::from(count.is_some_and(|&(_, count)| count > 0));
    }
    assert!(defined > rounds(2000) / 20, "seed {seed}: only {defined}");
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
    // `make check` takes chains of a million variables.
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
            interrupt: Interrupt::after_checks(100),
            ..Limits::default()
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
