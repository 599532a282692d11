//! All states that can be reached from one: how long plays take, and what they are worth if all steps count.
//!
//! Steps are not part of a state, so where plays end late these are far fewer than the states of the search, which
//! are told apart by the steps left. And a state can come back: plays may go on for ever.

use crate::compile::Compiled;
use crate::options::Options;
use limits::{Limits, StopReason, Watch};
use num_rational::BigRational;
use num_traits::{One, Zero};
use stochastic_game::Found;
use stochastic_game::unbounded::{self, Explored, Solution, Unexplored, explore};

/// States, and what is known of them.
#[derive(Debug)]
pub struct Reached {
    explored: Explored,
    lengths: Vec<Option<u32>>,
    /// Lower bounds, and upper ones where they come from another solution.
    solution: Option<(Solution, Option<Solution>)>,
}

impl Reached {
    /// Lists all states that can be reached from one with these facts; those that the limits leave room for.
    pub fn list(
        compiled: &Compiled,
        facts: &[u64],
        most: usize,
        limits: &Limits,
    ) -> Result<Reached, Unexplored> {
        let words = compiled.state(facts);
        let explored = explore(compiled, &words, most, &mut Watch::new(limits))?;
        Ok(Reached {
            lengths: explored.lengths(),
            explored,
            solution: None,
        })
    }

    /// The limit that came before all states were listed, if one did.
    pub fn stopped(&self) -> Option<StopReason> {
        self.explored.stopped
    }

    /// The number of states.
    pub fn states(&self) -> u64 {
        self.lengths.len() as u64
    }

    /// The place of a state, if it was listed.
    pub fn place(&self, key: &[u64]) -> Option<usize> {
        self.explored.number(key)
    }

    /// After how many steps every play from a place is over; nothing where play can go on for ever, or that is not known.
    pub fn length(&self, place: usize) -> Option<u32> {
        self.lengths[place]
    }

    /// What a place is worth if all steps count, or bounds of it.
    pub fn value(&mut self, place: usize, options: &Options, limits: &Limits) -> Found {
        let was_stopped = |(lower, upper): &(Solution, Option<Solution>)| {
            lower.stopped.is_some() || upper.as_ref().is_some_and(|it| it.stopped.is_some())
        };
        if self.solution.as_ref().is_none_or(was_stopped) {
            let options = unbounded::Options {
                threads: options.threads,
                digits: options.digits,
                exact_work: options.exact_work,
            };
            self.solution = Some(self.explored.solve(&options, limits));
        }
        let (one, other) = self.solution.as_ref().expect("it was made");
        let (lower, mut upper) = one.bounds_by_one_step(&self.explored.game, place);
        let mut stopped = self.stopped().or(one.stopped);
        if let Some(other) = other {
            upper = other.bounds(place).1;
            stopped = stopped.or(other.stopped);
        }
        Found {
            stopped: (lower != upper).then_some(stopped.unwrap_or(StopReason::Precision)),
            lower,
            upper,
            estimate: None,
            expanded: self.states(),
            value_bits: 0,
        }
    }
}

/// Nothing is known, because of a limit.
pub fn unknown(reason: StopReason) -> Found {
    Found {
        lower: BigRational::zero(),
        upper: BigRational::one(),
        stopped: Some(reason),
        estimate: None,
        expanded: 0,
        value_bits: 0,
    }
}
