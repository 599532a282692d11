//! Values: of random games by definition, and of games with formulas.

use super::lists::{bounds_only, game, random_family, random_options};
use super::proof::prove;
use super::{by_definition, ratio, waiting};
use generators::{Cycles, Next, Outcomes, pig, random_cycles, ruin, seeds};
use limits::Limits;
use num_rational::BigRational;
use num_traits::One;
use num_traits::Zero;
use sqasp_endless::{Options, solve};

#[test]
fn values_are_those_of_the_definition() {
    let (mut between, mut bounded) = (0, 0);
    for (seed, mut random) in seeds(0, 600) {
        let states = random.usize(1..5);
        let family = random_family(&mut random, states);
        let cycles = random_cycles(&mut random, &family);
        let options = random_options(&mut random);
        let game = game(&cycles);
        let solution = solve(&game, &options, &Limits::default());
        let at = format!("seed {seed}: {options:?}\n{cycles:?}");
        assert_eq!(solution.stopped, None, "{at}");
        assert_eq!(prove(&solution, &game), Ok(()), "{at}");
        for (state, expected) in by_definition(&cycles).into_iter().enumerate() {
            let (lower, upper) = solution.bounds(state);
            assert!(
                lower <= expected && expected <= upper,
                "{at}\nstate {state}: {expected}"
            );
            let digits = ratio(1, 10u64.pow(options.digits.min(9)));
            assert!(
                &upper - &lower <= digits,
                "{at}\nstate {state}: {lower} to {upper}"
            );
            match solution.value(state) {
                Some(value) => assert_eq!(value, expected, "{at}\nstate {state}"),
                None => bounded += 1,
            }
            assert!(
                solution.value(state).is_some() || options.exact_work < u64::MAX,
                "{at}"
            );
            between += u32::from(!expected.is_zero() && !expected.is_one());
        }
    }
    assert!(
        between > 300 && bounded > 50,
        "{between} between, {bounded} bounded"
    );
}

/// Larger games: the exact values are within the bounds that are found without them; and where play ends soon, many
/// steps from 0 come close from below.
#[test]
fn exact_values_and_bounds_agree_in_larger_games() {
    for (seed, mut random) in seeds(42_000_000, 60) {
        let states = random.usize(5..200);
        let family = random_family(&mut random, states);
        let cycles = random_cycles(&mut random, &family);
        let game = game(&cycles);
        let limits = Limits::default();
        let exact = solve(&game, &Options::default(), &limits);
        let bounds = solve(&game, &bounds_only(), &limits);
        let at = format!("seed {seed}: {family:?}");
        assert_eq!(prove(&exact, &game), Ok(()), "{at}");
        assert_eq!(prove(&bounds, &game), Ok(()), "{at}");
        let steps = after_steps(&cycles, 300);
        for (state, &after_steps) in steps.iter().enumerate() {
            let value = exact.value(state).expect("small games are solved exactly");
            let (lower, upper) = bounds.bounds(state);
            assert!(lower <= value && value <= upper, "{at}\nstate {state}");
            assert!(
                &upper - &lower < ratio(1, 1_000_000_000),
                "{at}\nstate {state}"
            );
            let near = num_traits::ToPrimitive::to_f64(&value).expect("a number");
            assert!(after_steps <= near + 1e-9, "{at}\nstate {state}");
            if family.ends >= 30 && family.choices == [1; 3] {
                assert!(after_steps >= near - 1e-6, "{at}\nstate {state}");
            }
        }
    }
}

/// About what the first steps are worth, if play that goes on pays nothing.
fn after_steps(cycles: &Cycles, steps: usize) -> Vec<f64> {
    let mut values = vec![0.0; cycles.states.len()];
    for _ in 0..steps {
        let mean = |outcomes: &Outcomes| {
            let total: u64 = outcomes.iter().map(|(weight, _)| weight).sum();
            let sum: f64 = outcomes
                .iter()
                .map(|&(weight, next)| {
                    weight as f64
                        * match next {
                            Next::State(next) => values[next],
                            Next::End(end) => {
                                cycles.payoffs[end].0 as f64 / cycles.payoffs[end].1 as f64
                            }
                        }
                })
                .sum();
            sum / total as f64
        };
        let least = |replies: &Vec<Outcomes>| replies.iter().map(mean).fold(1.0, f64::min);
        values = cycles
            .states
            .iter()
            .map(|state| state.iter().map(least).fold(0.0, f64::max))
            .collect();
    }
    values
}

#[test]
fn gamblers_are_ruined_as_often_as_the_formula_says() {
    for (target, up, down) in [
        (2, 1, 1),
        (10, 1, 1),
        (300, 1, 1),
        (10, 2, 3),
        (200, 3, 2),
        (150, 1, 5),
    ] {
        let game = game(&ruin(target, [up, down]));
        let solution = solve(&game, &Options::default(), &Limits::default());
        let bounds = solve(&game, &bounds_only(), &Limits::default());
        assert_eq!(prove(&solution, &game), Ok(()));
        assert_eq!(prove(&bounds, &game), Ok(()));
        // (1 - r^n) / (1 - r^target) with r = down / up.
        let power = |exponent: usize| num_traits::pow(ratio(down, up), exponent);
        for state in 0..target - 1 {
            let coins = state + 1;
            let expected = match up == down {
                true => ratio(coins as u64, target as u64),
                false => (power(coins) - BigRational::one()) / (power(target) - BigRational::one()),
            };
            assert_eq!(solution.value(state), Some(expected.clone()));
            let (lower, upper) = bounds.bounds(state);
            assert!(lower <= expected && expected <= upper);
            assert!(upper - lower < ratio(1, 1_000_000_000_000));
        }
    }
}

/// Pig to 2: a player that throws anything but a 1 wins. v = 5/6 + 1/6 (1 - v).
/// Pig to 100: 0.5306 for the first player (Neller and Presser 2004); here to a small goal, by many steps.
#[test]
fn pig_has_its_value() {
    let solved = |goal| {
        let game = game(&pig(goal));
        let solution = solve(&game, &Options::default(), &Limits::default());
        assert_eq!(prove(&solution, &game), Ok(()));
        solution.value(0).expect("small games are solved exactly")
    };
    assert_eq!(solved(2), ratio(6, 7));
    for goal in [5, 12] {
        let near = num_traits::ToPrimitive::to_f64(&solved(goal)).expect("a number");
        assert!((near - after_steps(&pig(goal), 2000)[0]).abs() < 1e-9);
    }
}

#[test]
fn nobody_gets_anything_by_waiting() {
    let game = game(&waiting());
    for exact_work in [0, u64::MAX] {
        let options = Options {
            exact_work,
            ..Options::default()
        };
        let solution = solve(&game, &options, &Limits::default());
        assert_eq!(prove(&solution, &game), Ok(()));
        let expected = [
            ratio(1, 2),
            ratio(1, 2),
            ratio(0, 1),
            ratio(1, 2),
            ratio(1, 1),
        ];
        for (state, expected) in expected.into_iter().enumerate() {
            let (lower, upper) = solution.bounds(state);
            assert!(lower <= expected && expected <= upper, "state {state}");
            assert!(upper - lower < ratio(1, 1_000_000_000_000), "state {state}");
        }
        assert_eq!(
            (solution.statistics.zeros, solution.statistics.ones),
            (1, 1)
        );
    }
}
