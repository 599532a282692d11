//! Games that are explored state by state have the values of their lists.

use super::arena::game;
use super::random_family;
use fastrand::Rng;
use generators::{Cycles, Next, RandomCycles, random_cycles, rounds};
use limits::{Limits, StopReason, Watch};
use num_rational::BigRational;
use num_traits::One;
use num_traits::Zero;
use stochastic_game::unbounded::{Options, Unexplored, explore, solve};
use stochastic_game::{Chances, Expansion, Kind, Refusal, Rows, Site, StochasticGame};
use value::Numerator;

/// A plain list of states as a game that says what follows from states. Some states look different and are the same.
struct Listed<'a> {
    cycles: &'a Cycles,
    payoffs: Vec<BigRational>,
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

    fn fills_words(&self) -> bool {
        true
    }

    fn expand<N: Numerator>(
        &self,
        states: &[u32],
        (): &mut (),
        to: &mut Expansion<'_, N>,
    ) -> Result<(), Refusal> {
        let rows = to.rows();
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
    let (mut reached, mut parts, mut better) = (0, 0, 0);
    for round in 0..rounds(60) {
        let states = random.usize(1..100);
        let family = RandomCycles {
            max_weight: 6,
            ..random_family(&mut random, states)
        };
        let cycles = random_cycles(&mut random, &family);
        let at = format!("seed {seed}, round {round}: {family:?}");
        let direct = game(&cycles);
        let listed = Listed {
            cycles: &cycles,
            payoffs: direct.payoffs().to_vec(),
        };
        let limits = Limits::default();
        let explored = explore(&listed, &[0, 0], usize::MAX, &mut Watch::new(&limits));
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
        let most = explored.game.arena().states();
        let mut watch = Watch::new(&limits);
        let fewer = explore(&listed, &[0, 0], most - 1, &mut watch);
        assert_eq!(fewer.err(), Some(Unexplored::TooMany), "{at}");
        let little = Limits {
            memory: Some(random.u64(10..6_000)),
            ..Limits::default()
        };
        let mut part = explore(&listed, &[0, 0], most, &mut Watch::new(&little)).expect("a part");
        let Some(reason) = part.stopped else {
            continue;
        };
        assert_eq!(reason, StopReason::Memory);
        parts += 1;
        let (lower, upper) = part.solve(&Options::default(), &limits);
        let upper = upper.expect("a part has two bounds");
        let value = expected.value(0).expect("it is exact");
        assert!(
            lower.bounds(0).0 <= value && value <= upper.bounds(0).1,
            "{at}"
        );
        better += usize::from(!lower.bounds(0).0.is_zero() || !upper.bounds(0).1.is_one());
        // Where every play ends among the states that were listed, nothing is unknown.
        let close = BigRational::new(1.into(), 10u64.pow(12).into());
        for (state, length) in part.lengths().into_iter().enumerate() {
            let width = upper.bounds(state).1 - lower.bounds(state).0;
            assert!(length.is_none() || width <= close, "{at}");
        }
    }
    assert!(parts > 10 && better > 5, "seed {seed}: {parts} {better}");
    assert!(reached > 500, "seed {seed}: {reached} states");
}
