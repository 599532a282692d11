//! Games that are explored state by state have the values of their lists.

use super::listed::Listed;
use super::lists::{game, random_family, random_options};
use super::proof::prove;
use arena::{Listing, Unexplored, explore};
use generators::{Cycles, Next, Outcomes, RandomCycles, random_cycles, seeds};
use limits::{Limits, Publisher, StopReason, Watch};
use num_rational::BigRational;
use num_traits::One;
use num_traits::Zero;
use sqasp_endless::{Options, solve, solve_listing};
use std::sync::atomic::Ordering;

/// The states that follow from the first one, as far as `goes_on` allows.
fn list(
    listed: &Listed<'_>,
    goes_on: impl FnMut(usize) -> bool,
    threads: usize,
    limits: &Limits,
) -> Result<Listing, Unexplored> {
    explore(listed, &[0, 0], goes_on, threads, &mut Watch::new(limits))
}

#[test]
fn explored_games_have_the_values_of_their_lists() {
    let (mut reached, mut shared, mut parts, mut better) = (0, 0, 0, 0);
    for (seed, mut random) in seeds(45_000_000, 60) {
        let states = random.usize(1..100);
        let family = RandomCycles {
            max_weight: 6,
            ..random_family(&mut random, states)
        };
        let cycles = random_cycles(&mut random, &family);
        let at = format!("seed {seed}: {family:?}");
        let direct = game(&cycles);
        let listed = Listed {
            tells_afterstates: random.bool(),
            ..Listed::new(&cycles)
        };
        let limits = Limits::default();
        let explored = list(&listed, |_| true, random.usize(1..4), &limits);
        let explored = explored.expect("sound");
        assert_eq!(explored.stopped, None);
        let expected = solve(&direct, &Options::default(), &limits);
        let solution = solve(&explored.game, &Options::default(), &limits);
        assert_eq!(explored.number(&[0]), Some(0), "{at}");
        for state in 0..states {
            if let Some(number) = explored.number(&[state as u64]) {
                assert!(solution.value(number).is_some(), "{at}");
                assert_eq!(solution.value(number), expected.value(state), "{at}");
                reached += 1;
            }
        }
        let most = explored.states();
        shared += explored.game.arena().states() - most;
        let fewer = list(&listed, |states| states < most, random.usize(1..4), &limits);
        assert_eq!(fewer.err(), Some(Unexplored::TooMany), "{at}");
        let little = Limits::with_memory(Some(random.u64(10..6_000)));
        let part = list(&listed, |_| true, random.usize(1..4), &little);
        let mut part = part.expect("a part");
        let Some(reason) = part.stopped else {
            continue;
        };
        assert_eq!(reason, StopReason::Memory);
        parts += 1;
        let (lower, upper) = solve_listing(
            &mut part,
            None,
            &Options::default(),
            &limits,
            &Publisher::default(),
        );
        let upper = upper.expect("a part has two bounds");
        let value = expected.value(0).expect("it is exact");
        assert!(
            lower.bounds(0).0 <= value && value <= upper.bounds(0).1,
            "{at}"
        );
        better += usize::from(!lower.bounds(0).0.is_zero() || !upper.bounds(0).1.is_one());
        // Where every play ends among the states that were listed, nothing is unknown.
        let close = BigRational::new(1.into(), 10u64.pow(12).into());
        for (state, length) in part.lengths().iter().enumerate() {
            let width = upper.bounds(state).1 - lower.bounds(state).0;
            assert!(length.is_none() || width <= close, "{at}");
        }
    }
    assert!(parts > 10 && better > 5, "{parts} {better}");
    assert!(reached > 500, "{reached} states");
    assert!(shared > 20, "{shared} shared outcomes");
}

#[test]
fn the_graph_does_not_depend_on_threads() {
    let (mut large, mut shared) = (0, 0);
    for (seed, mut random) in seeds(47_000_000, 40) {
        let states = random.usize(1..10_000);
        let family = RandomCycles {
            choices: [random.usize(1..4), random.usize(1..3), random.usize(2..4)],
            max_weight: [1, 6][random.usize(..2)],
            ..random_family(&mut random, states)
        };
        let cycles = random_cycles(&mut random, &family);
        let listed = Listed {
            tells_afterstates: random.bool(),
            ..Listed::new(&cycles)
        };
        let most = [usize::MAX, random.usize(1..states + 1)][random.usize(..2)];
        let limits = Limits::default();
        let graph = |threads: usize| {
            let explored = list(&listed, |states| states <= most, threads, &limits);
            explored.map(|explored| {
                assert_eq!(explored.stopped, None);
                let states = explored.states();
                let keys: Vec<Vec<u64>> = (0..states).map(|it| explored.key(it).into()).collect();
                let nodes = explored.game.arena().states();
                let whole = format!("{:?} {:?}", explored.game, explored.lengths());
                (whole, keys, nodes - states)
            })
        };
        let expected = graph(1);
        for threads in 2..5 {
            // Not as a pair for `assert_eq`, which would print all of it.
            let is_same = graph(threads) == expected;
            assert!(is_same, "seed {seed}, {threads} threads: {family:?}");
        }
        if let Ok((_, keys, new)) = expected {
            large += usize::from(keys.len() > 1000);
            shared += usize::from(new > 0);
        }
    }
    assert!(large > 5 && shared > 5, "{large} large, {shared} shared");
}

/// Where batches are too large together, fewer are expanded at once, and few states are expanded in vain.
#[test]
fn batches_that_are_too_large_together_become_fewer() {
    const STATES: usize = 20_000;
    // A tree in which two states follow from each.
    let child = |number: usize| match number < STATES {
        true => (1, Next::State(number)),
        false => (1, Next::End(0)),
    };
    let states = (0..STATES).map(|it| vec![vec![vec![child(2 * it + 1), child(2 * it + 2)]]]);
    let cycles = Cycles {
        states: states.collect(),
        payoffs: vec![(1, 1)],
    };
    let asked = |threads: usize, least_room: usize| {
        let listed = Listed {
            least_room,
            ..Listed::new(&cycles)
        };
        let explored = list(&listed, |_| true, threads, &Limits::default());
        assert_eq!(explored.expect("it can be listed").states(), STATES);
        listed.asked.load(Ordering::Relaxed)
    };
    // Room for one batch, for a few, and for all.
    for least_room in [1 << 23, 1 << 22, 0] {
        let together = asked(2, least_room);
        assert!(together < STATES + STATES / 2, "{together} were expanded");
    }
}

/// The values of states that lead to later ones only, by the definition.
fn from_the_last(cycles: &Cycles, payoffs: &[BigRational]) -> Vec<BigRational> {
    let mut values = vec![BigRational::zero(); cycles.states.len()];
    for state in (0..cycles.states.len()).rev() {
        let mean = |outcomes: &Outcomes| {
            let total: u64 = outcomes.iter().map(|(weight, _)| weight).sum();
            let parts = outcomes.iter().map(|&(weight, next)| {
                let value = match next {
                    Next::State(number) => &values[number],
                    Next::End(end) => &payoffs[end],
                };
                value * BigRational::new(weight.into(), total.into())
            });
            parts.sum::<BigRational>()
        };
        let least = cycles.states[state]
            .iter()
            .map(|replies| replies.iter().map(mean).min().expect("a reply"));
        values[state] = least.max().expect("an alternative");
    }
    values
}

#[test]
fn play_that_never_comes_back_is_valued_in_order() {
    let (mut exact, mut bounds, mut unsolved) = (0, 0, 0);
    for (seed, mut random) in seeds(46_000_000, 100) {
        let states = random.usize(1..3000);
        let family = RandomCycles {
            max_weight: [1, 6][random.usize(..2)],
            ends: 30,
            ..random_family(&mut random, states)
        };
        let at = format!("seed {seed}: {family:?}");
        let mut cycles = random_cycles(&mut random, &family);
        let ends = cycles.payoffs.len();
        for (state, alternatives) in cycles.states.iter_mut().enumerate() {
            for (_, next) in alternatives.iter_mut().flatten().flatten() {
                if let Next::State(number) = *next
                    && number <= state
                {
                    let later = state + 1 + random.usize(..20);
                    *next = match later < states {
                        true => Next::State(later),
                        false => Next::End(random.usize(..ends)),
                    };
                }
            }
        }
        let direct = game(&cycles);
        let expected = from_the_last(&cycles, direct.payoffs());
        let listed = Listed {
            tells_afterstates: random.bool(),
            ..Listed::new(&cycles)
        };
        let limits = Limits::default();
        let explored = list(&listed, |_| true, random.usize(1..4), &limits);
        let mut explored = explored.expect("sound");
        assert!(explored.lengths().iter().all(Option::is_some), "{at}");
        if random.u8(0..4) == 0 {
            limits.interrupt.raise();
        }
        let (solution, other) = solve_listing(
            &mut explored,
            None,
            &random_options(&mut random),
            &limits,
            &Publisher::default(),
        );
        assert!(other.is_none(), "{at}");
        prove(&solution, &explored.game).expect(&at);
        for (state, expected) in expected.iter().enumerate() {
            let Some(number) = explored.number(&[state as u64]) else {
                continue;
            };
            let (lower, upper) = solution.bounds(number);
            assert!(lower <= *expected && expected <= &upper, "{at}");
            match (lower == upper, solution.stopped) {
                (true, _) => exact += 1,
                (false, None) => bounds += 1,
                (false, Some(_)) => unsolved += 1,
            }
        }
    }
    let counts = [exact, bounds, unsolved];
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}
