//! The solver by clause learning: values by definition, work that is saved, and inputs made to be unpleasant.

use crate::certain::hidden_vector;
use crate::circuits::circuit;
use crate::mixture::{mixture, resize};
use fastrand::Rng;
use formula::{BigRational, Formula, Lit, Outcome, Probability, Quantifier, Solver, Value};
use generators::{
    FormulaBuilder, Grid, LostRobot, RandomClauses, SandCastle, Unknown, enumerate, grid,
    lost_robot, random_clauses, rounds, sand_castle, seeds,
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
    let mut made = FormulaBuilder::default();
    let (masks, outputs) = (made.block("e", count + 1), made.block("r 1/2", count));
    let inputs = made.block("e", count + 2);
    for (index, &output) in outputs.iter().enumerate() {
        let gates = [0, 1].map(|side| {
            let gate = made.and("", &[inputs[index + 2 * side], masks[index + side]]);
            made.clause([!gate, output]);
            gate
        });
        made.clause([gates[0], gates[1], !output]);
    }
    let formula = made.finish();
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
    match random.u8(0..32) {
        0..4 => clauses(random, 13),
        4..9 => {
            let block = random.usize(2..=4);
            let family = RandomClauses {
                variables: 3 * block,
                block,
                clauses: random.usize(block..=6 * block),
                width: 3,
                quantifiers: vec![Exists, [Chance, Forall][random.usize(..2)]],
            };
            random_clauses(random, &family)
        }
        9 => {
            let mut quantifiers = vec![Chance, Exists, Forall, Chance, Exists];
            random.shuffle(&mut quantifiers);
            quantifiers.truncate(random.usize(1..4));
            grid(&Grid::random(random, 3, 5, &quantifiers))
        }
        10..15 => {
            let (bits, is_wanted) = (random.i32(2..=4) as usize, random.bool());
            let block = ["r 1/3", "a"][random.usize(..2)];
            hidden_vector(random, bits, block, is_wanted)
        }
        _ => circuit(random),
    }
}

/// With every switch on and off; and turns so short that some formulas need several.
#[test]
fn small_formulas_are_solved_as_by_definition() {
    let (mut defined, mut certain) = (0, 0);
    for (seed, mut rng) in seeds(19_000_000, 3000) {
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
        let at = format!("seed {seed}, {:?}", solver.options);
        certain += usize::from(value.is_one());
        assert_eq!(answer.outcome, Outcome::Solved(Value::Exact(value)), "{at}");
        let count = answer.statistics.iter().find(|it| it.0 == "defined");
        defined += usize::from(count.is_some_and(|&(_, count)| count > 0));
    }
    assert!(
        defined > rounds(3000) / 30 && certain > 150,
        "{defined} with defined variables, {certain} certain wins"
    );
}

/// Large inputs of unpleasant shapes.
fn unpleasant() -> Vec<(&'static str, Formula)> {
    let n = 100_000;
    let mut inputs = Vec::new();
    for (name, other) in [("levels of players", "a"), ("levels with chance", "r 1/2")] {
        let mut made = FormulaBuilder::default();
        let all: Vec<Lit> = (0..n)
            .map(|it| made.block(["e", other][it % 2], 1)[0])
            .collect();
        for (it, three) in all.windows(3).enumerate() {
            let first = [three[0], !three[0]][it % 2];
            made.clause([first, three[1], three[2]]);
        }
        inputs.push((name, made.finish()));
    }
    // `make check` takes chains of a million variables. With a function that calls itself for each variable these are more than a stack holds.
    let takes_all = std::env::var_os("SQASP_TEST_ROUNDS").is_some();
    let m = if takes_all { 10 * n } else { n };
    let mut add = |name, block: &str, count, clauses: &dyn Fn(&[Lit]) -> Vec<Vec<Lit>>| {
        let mut made = FormulaBuilder::default();
        let all = made.block(block, count);
        clauses(&all).into_iter().for_each(|it| made.clause(it));
        inputs.push((name, made.finish()));
    };
    for (name, block) in [("chain of choices", "e"), ("chain of chances", "r 1/2")] {
        add(name, block, m, &|all| {
            all.windows(2).map(|two| vec![two[0], !two[1]]).collect()
        });
    }
    let none = |all: &[Lit]| all.iter().map(|&literal| !literal).collect();
    add("huge clause", "r 1/2", n, &|all| vec![all.to_vec()]);
    add("two huge clauses", "r 1/2", n, &|all| {
        vec![all.to_vec(), none(all)]
    });
    add("units", "r 1/2", n, &|all| {
        let literals = all.iter().zip(1..);
        literals
            .map(|(&it, number)| vec![if number % 3 == 0 { it } else { !it }])
            .collect()
    });
    add("components", "r 1/2", n, &|all| {
        all.chunks(2).map(<[Lit]>::to_vec).collect()
    });
    inputs
}

/// Nothing crashes, overflows the stack, or runs on at a limit.
#[test]
fn unpleasant_inputs_end_in_good_order() {
    let mut solved = 0;
    for (name, formula) in unpleasant() {
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
