//! Lists of states as games, and random ones.
#![allow(dead_code, reason = "each test that takes this file uses a part of it")]

use fastrand::Rng;
use generators::{Cycles, Next, RandomCycles};
use num_rational::BigRational;
use sqasp_endless::{Builder, GameGraph, Options, Target};

/// A graph with these states, to be finished.
pub fn builder(cycles: &Cycles) -> Builder {
    let mut builder = Builder::default();
    for state in &cycles.states {
        builder.state();
        for alternative in state {
            builder.alternative();
            for reply in alternative {
                builder.reply();
                for &(weight, next) in reply {
                    let target = match next {
                        Next::State(number) => Target::State(number as u32),
                        Next::End(number) => Target::End(number as u32),
                    };
                    builder.outcome(target, weight);
                }
            }
        }
    }
    builder
}

/// The game with these states and payoffs.
pub fn game(cycles: &Cycles) -> GameGraph {
    let payoff = |&(over, under): &(u64, u64)| BigRational::new(over.into(), under.into());
    let payoffs = cycles.payoffs.iter().map(payoff).collect();
    let arena = builder(cycles).finish(cycles.payoffs.len());
    GameGraph::new(arena.expect("a game"), payoffs).expect("payoffs")
}

/// Random games of all kinds with this number of states.
pub fn random_family(random: &mut Rng, states: usize) -> RandomCycles {
    RandomCycles {
        states,
        choices: [random.usize(1..4), random.usize(1..3), random.usize(1..4)],
        ends: [3, 10, 30][random.usize(..3)],
        max_weight: [1, 6, 1 << 40][random.usize(..3)],
        reach: random.usize(..3),
    }
}

/// Without exact values.
pub fn bounds_only() -> Options {
    Options {
        exact_work: 0,
        ..Options::default()
    }
}

pub fn random_options(random: &mut Rng) -> Options {
    Options {
        threads: random.usize(1..3),
        digits: [3, 12, 30][random.usize(..3)],
        exact_work: [0, 100, 1000, u64::MAX][random.usize(..4)],
    }
}
