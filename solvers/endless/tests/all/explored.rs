//! Games that are explored state by state have the values of their lists.

use super::lists::{game, random_family, random_options};
use super::proof::prove;
use arena::{Chances, Expansion, Kind, Refusal, Rows, Site, StochasticGame, Unexplored, explore};
use base::value::Numerator;
use fastrand::Rng;
use generators::{Cycles, Next, Outcomes, RandomCycles, random_cycles, rounds};
use limits::{Limits, Publisher, StopReason, Watch};
use num_rational::BigRational;
use num_traits::One;
use num_traits::Zero;
use sqasp_endless::{Options, solve, solve_listing};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A plain list of states as a game that says what follows from states. Some states look different and are the same.
struct Listed<'a> {
    cycles: &'a Cycles,
    payoffs: Vec<BigRational>,
    /// Replies with equal outcomes have one number; empty if that is not told.
    afterstates: HashMap<&'a Outcomes, u64>,
    /// The room for nodes that it asks for, and how many states it was asked to expand.
    least_room: usize,
    asked: AtomicUsize,
}

impl<'a> Listed<'a> {
    fn new(cycles: &'a Cycles, payoffs: &[BigRational], tells_afterstates: bool) -> Self {
        let replies = cycles.states.iter().flatten().flatten();
        let numbered = replies.zip(0..).filter(|_| tells_afterstates);
        Listed {
            cycles,
            payoffs: payoffs.to_vec(),
            afterstates: numbered.collect(),
            least_room: 0,
            asked: AtomicUsize::new(0),
        }
    }
}

impl Chances for Listed<'_> {
    fn sites(&self, _: usize) -> &[Site] {
        &[Site::Uniform]
    }

    fn payoffs(&self) -> &[BigRational] {
        &self.payoffs
    }
}

impl StochasticGame for Listed<'_> {
    type Workspace = ();

    fn workspace(&self) {}

    fn rows(&self, _: usize) -> Rows {
        Rows { state: 2, key: 1 }
    }

    fn write_key(&self, _: usize, state: &mut [u64], key: &mut [u64]) {
        key[0] = state[0];
    }

    fn is_stationary(&self) -> bool {
        true
    }

    fn expand<N: Numerator>(
        &self,
        states: &[u32],
        (): &mut (),
        to: &mut Expansion<'_, N>,
    ) -> Result<(), Refusal> {
        let rows = to.rows();
        self.asked.fetch_add(states.len(), Ordering::Relaxed);
        if to.room() < self.least_room {
            return Err(Refusal::TooLarge);
        }
        for &state in states {
            let words = to.tree.state(state as usize, rows).to_vec();
            let alternatives = &self.cycles.states[words[0] as usize];
            let first = to.tree.open(state, Kind::Max, alternatives.len(), 0);
            for (alternative, replies) in (first..).zip(alternatives) {
                let first = match replies.len() {
                    1 => alternative,
                    count => to.tree.open(alternative, Kind::Min, count, 0),
                };
                for (reply, outcomes) in (first..).zip(replies) {
                    if let Some(&number) = self.afterstates.get(outcomes)
                        && to.is_known_afterstate(reply, &[number])
                    {
                        continue;
                    }
                    let total: u64 = outcomes.iter().map(|(weight, _)| weight).sum();
                    let share = to.share(0, total as u32)?;
                    let first = to.tree.open(reply, Kind::Mean, outcomes.len(), 1);
                    for (node, &(weight, next)) in (first..).zip(outcomes) {
                        let weight = to.times(share, weight as u32);
                        to.tree.nodes[node as usize].weight = weight;
                        match next {
                            Next::State(number) => {
                                let row = to.tree.add_rows(1, rows);
                                to.tree.rows_mut(row)[0] = number as u64;
                                to.tree.rows_mut(row)[1] = words[0] ^ words[1];
                                let one = to.one().clone();
                                to.tree.set_state(node, row, one);
                            }
                            Next::End(end) => {
                                let worth = to.worth(to.payoffs()[end].clone());
                                to.tree.set_known(node, worth);
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

#[test]
fn explored_games_have_the_values_of_their_lists() {
    let seed = 45;
    let mut random = Rng::with_seed(seed);
    let (mut reached, mut shared, mut parts, mut better) = (0, 0, 0, 0);
    for round in 0..rounds(60) {
        let states = random.usize(1..100);
        let family = RandomCycles {
            max_weight: 6,
            ..random_family(&mut random, states)
        };
        let cycles = random_cycles(&mut random, &family);
        let at = format!("seed {seed}, round {round}: {family:?}");
        let direct = game(&cycles);
        let listed = Listed::new(&cycles, direct.payoffs(), random.bool());
        let limits = Limits::default();
        let explored = explore(
            &listed,
            &[0, 0],
            |_| true,
            random.usize(1..4),
            &mut Watch::new(&limits),
        );
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
        let mut watch = Watch::new(&limits);
        let fewer = explore(
            &listed,
            &[0, 0],
            |states| states < most,
            random.usize(1..4),
            &mut watch,
        );
        assert_eq!(fewer.err(), Some(Unexplored::TooMany), "{at}");
        let little = Limits {
            memory: Some(random.u64(10..6_000)),
            ..Limits::default()
        };
        let mut part = explore(
            &listed,
            &[0, 0],
            |_| true,
            random.usize(1..4),
            &mut Watch::new(&little),
        )
        .expect("a part");
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
    assert!(parts > 10 && better > 5, "seed {seed}: {parts} {better}");
    assert!(reached > 500, "seed {seed}: {reached} states");
    assert!(shared > 20, "seed {seed}: {shared} shared outcomes");
}

#[test]
fn the_graph_does_not_depend_on_threads() {
    let seed = 47;
    let mut random = Rng::with_seed(seed);
    let (mut large, mut shared) = (0, 0);
    for round in 0..rounds(40) {
        let states = random.usize(1..10_000);
        let family = RandomCycles {
            choices: [random.usize(1..4), random.usize(1..3), random.usize(2..4)],
            max_weight: [1, 6][random.usize(..2)],
            ..random_family(&mut random, states)
        };
        let cycles = random_cycles(&mut random, &family);
        let direct = game(&cycles);
        let listed = Listed::new(&cycles, direct.payoffs(), random.bool());
        let most = [usize::MAX, random.usize(1..states + 1)][random.usize(..2)];
        let limits = Limits::default();
        let graph = |threads: usize| {
            let mut watch = Watch::new(&limits);
            let explored = explore(
                &listed,
                &[0, 0],
                |states| states <= most,
                threads,
                &mut watch,
            );
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
            assert!(
                is_same,
                "seed {seed}, round {round}, {threads} threads: {family:?}"
            );
        }
        if let Ok((_, keys, new)) = expected {
            large += usize::from(keys.len() > 1000);
            shared += usize::from(new > 0);
        }
    }
    assert!(
        large > 5 && shared > 5,
        "seed {seed}: {large} large, {shared} shared"
    );
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
    let direct = game(&cycles);
    let asked = |threads: usize, least_room: usize| {
        let mut listed = Listed::new(&cycles, direct.payoffs(), false);
        listed.least_room = least_room;
        let limits = Limits::default();
        let mut watch = Watch::new(&limits);
        let explored = explore(&listed, &[0, 0], |_| true, threads, &mut watch);
        assert_eq!(explored.expect("it can be listed").states(), STATES);
        listed.asked.into_inner()
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
    let seed = 46;
    let mut random = Rng::with_seed(seed);
    let (mut exact, mut bounds, mut unsolved) = (0, 0, 0);
    for round in 0..rounds(100) {
        let states = random.usize(1..3000);
        let family = RandomCycles {
            max_weight: [1, 6][random.usize(..2)],
            ends: 30,
            ..random_family(&mut random, states)
        };
        let at = format!("seed {seed}, round {round}: {family:?}");
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
        let listed = Listed::new(&cycles, direct.payoffs(), random.bool());
        let limits = Limits::default();
        let explored = explore(
            &listed,
            &[0, 0],
            |_| true,
            random.usize(1..4),
            &mut Watch::new(&limits),
        );
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
    assert!(
        counts.iter().all(|&count| count > 100),
        "seed {seed}: {counts:?}"
    );
}
