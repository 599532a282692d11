//! Lists of states as games.

use generators::{Cycles, Next};
use num_rational::BigRational;
use stochastic_game::unbounded::{Builder, Game, Target};

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
pub fn game(cycles: &Cycles) -> Game {
    let payoff = |&(over, under): &(u64, u64)| BigRational::new(over.into(), under.into());
    let payoffs = cycles.payoffs.iter().map(payoff).collect();
    let arena = builder(cycles).finish(cycles.payoffs.len());
    Game::new(arena.expect("a game"), payoffs).expect("payoffs")
}
