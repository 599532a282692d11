//! The engines against each other, and against values that are known otherwise, on formulas that
//! plain enumeration cannot take.

use crate::mixture::{ENGINES, mixture, resize};
use fastrand::Rng;
use formula::{BigRational, Formula, Outcome, Probability, Quantifier, Solver, Value};
use generators::conformance::is_solved;
use generators::{
    BombInToilet, Gambler, Layered, LostRobot, Network, SandCastle, StrategicCompanies, Structured,
    Unknown, bomb_in_toilet, gambler, layered, lost_robot, network, sand_castle, seeds,
    strategic_companies, structured,
};
use limits::{Limits, StopReason};
use sqasp_ssat::portfolio::{Engine, Portfolio};

/// Solves with some work; what takes more must still give bounds that enclose the value.
/// Tells whether it was solved.
fn check(
    mut solver: Portfolio,
    (formula, value): (&Formula, &BigRational),
    limits: &Limits,
    seed: u64,
) -> bool {
    let answer = solver.solve(formula, limits).expect("takes all formulas");
    let at = format!("seed {seed}, {:?}", solver.options);
    let reasons = [StopReason::Interrupted, StopReason::Memory];
    is_solved(&answer.outcome, value, &reasons, &at)
}

fn limits() -> Limits {
    Limits::after_checks(100_000)
}

/// The value that the learning engine finds, which knows neither programs nor states.
fn learned(formula: &Formula) -> Option<BigRational> {
    let mut solver = Portfolio::default();
    solver.options.engine = Engine::Learning;
    let answer = solver.solve(formula, &limits()).expect("takes all");
    match answer.outcome {
        Outcome::Solved(Value::Exact(value)) => Some(value),
        _ => None,
    }
}

/// Formulas of 20 to 60 variables, with a search to speak of.
fn medium(random: &mut Rng) -> Formula {
    if random.u8(0..4) == 0 {
        let family = Structured {
            variables: 18..=30,
            ..Structured::default()
        };
        return structured(random, &family);
    }
    let mut quantifiers = vec![Quantifier::Exists, Quantifier::Forall, Quantifier::Chance];
    random.shuffle(&mut quantifiers);
    let family = Layered {
        steps: random.usize(3..=7),
        state: random.usize(2..=5),
        decision: random.usize(1..=4),
        quantifiers: quantifiers[..random.usize(1..=3)].to_vec(),
    };
    layered(random, &family)
}

#[test]
fn engines_agree_on_larger_formulas() {
    let mut solved = [0; ENGINES.len()];
    for (seed, mut random) in seeds(31_000_000, 60) {
        let formula = medium(&mut random);
        let Some(value) = learned(&formula) else {
            continue;
        };
        for (engine, solved) in ENGINES.into_iter().zip(&mut solved) {
            let mut solver = Portfolio::default();
            resize(&mut random, &mut solver);
            solver.options.engine = engine;
            *solved += u32::from(check(solver, (&formula, &value), &limits(), seed));
        }
    }
    assert!(solved.iter().all(|&solved| solved > 40), "{solved:?}");
}

/// With a few techniques off as well. Some mixtures are hopeless, so time is short.
#[test]
fn mixtures_agree_on_larger_formulas() {
    let (mut solved, mut all) = (0, 0);
    for (seed, mut random) in seeds(32_000_000, 120) {
        let formula = medium(&mut random);
        let Some(value) = learned(&formula) else {
            continue;
        };
        let solver = mixture(&mut random);
        let short = Limits::after_checks(100);
        solved += u32::from(check(solver, (&formula, &value), &short, seed));
        all += 1;
    }
    assert!(2 * solved > all, "{solved} of {all}");
}

/// A small member of a family of problems, with its value.
fn problem(random: &mut Rng) -> (Formula, BigRational) {
    let unknown = [Unknown::Uniform, Unknown::Adversary][random.usize(..2)];
    let chance = |random: &mut Rng| Probability::ratio(random.u64(0..=5), 5);
    match random.u32(0..6) {
        0 => {
            let problem = SandCastle::new(random.usize(1..=5), random.bool());
            (sand_castle(&problem), problem.value())
        }
        1 => {
            let problem = BombInToilet {
                packages: random.usize(1..=3),
                toilets: random.usize(1..=2),
                steps: random.usize(1..=4),
                position: unknown,
                clogs: chance(random),
            };
            (bomb_in_toilet(&problem), problem.value())
        }
        2 => {
            let problem = LostRobot {
                side: random.usize(1..=3),
                dimensions: random.usize(1..=2),
                steps: random.usize(1..=4),
                start: unknown,
                fails: chance(random),
            };
            (lost_robot(&problem), problem.value())
        }
        3 => {
            let target = random.usize(1..=7);
            let problem = Gambler {
                capital: random.usize(0..=target),
                target,
                rounds: random.usize(1..=6),
                wins: chance(random),
                other: random.bool().then(|| chance(random)),
            };
            (gambler(&problem), problem.value())
        }
        4 => {
            let places = random.usize(2..=5);
            let lines = random.usize(places..=places + 2);
            let (safe, cut) = (random.usize(0..=2), random.usize(0..=2));
            let problem = Network::random(random, places, lines, safe, cut);
            (network(&problem), problem.value())
        }
        _ => {
            let (companies, goods) = (random.usize(4..=6), random.usize(2..=5));
            let controls = random.usize(1..=5);
            let problem = StrategicCompanies::random(random, companies, goods, controls, unknown);
            (strategic_companies(&problem), problem.value())
        }
    }
}

#[test]
fn problems_have_their_known_values() {
    let mut solved = [0; ENGINES.len()];
    for (seed, mut random) in seeds(33_000_000, 180) {
        let (formula, value) = problem(&mut random);
        for (engine, solved) in ENGINES.into_iter().zip(&mut solved) {
            let mut solver = Portfolio::default();
            resize(&mut random, &mut solver);
            solver.options.engine = engine;
            *solved += u32::from(check(solver, (&formula, &value), &limits(), seed));
        }
    }
    assert!(solved.iter().all(|&solved| solved > 120), "{solved:?}");
}
