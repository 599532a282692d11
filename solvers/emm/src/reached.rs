//! All states that can be reached from one: the lengths of plays, and the values if all steps count.
//!
//! Steps are not part of a state, so where plays end late these are far fewer than the states of the search, which
//! are told apart by the steps left. And a state can come back: plays may go on for ever.

use crate::compile::Compiled;
use crate::options::Options;
use arena::{Listing, Unexplored, explore};
use endless::{Solution, solve_listing};
use limits::{Bounds, Limits, Publisher, StopReason, Watch};
use search::Valuation;
use std::time::Duration;

/// States, and their values as far as they are known.
#[derive(Debug)]
pub struct ReachableStates {
    explored: Listing,
    /// The time and memory that the listing was allowed.
    allowed: Allowed,
    solution: Option<SolvedStates>,
}

/// The solution for all states: their values, or bounds of them.
#[derive(Debug)]
struct SolvedStates {
    /// Lower bounds; upper ones too, if there is no other solution.
    lower: Solution,
    /// Upper bounds.
    upper: Option<Solution>,
    /// The time and memory that the solution was allowed.
    allowed: Allowed,
    /// Whether it has more values than the solution before, so that it pays to go on with no more time than that one had.
    has_advanced: bool,
}

/// The time and memory that some work was allowed. It is done again only where there is more.
#[derive(Clone, Copy, Debug)]
struct Allowed {
    time: Option<Duration>,
    memory: Option<u64>,
}

impl Allowed {
    fn new(limits: &Limits) -> Self {
        Allowed {
            time: limits.time_left(),
            memory: limits.memory,
        }
    }

    fn is_less_than(self, limits: &Limits) -> bool {
        let has_more_time = self
            .time
            .is_some_and(|had| limits.time_left().is_none_or(|now| now > had));
        let had_less_memory = |had: u64| limits.memory.is_none_or(|now| now > had);
        has_more_time || self.memory.is_some_and(had_less_memory)
    }
}

impl ReachableStates {
    /// Lists all states that can be reached from one with these facts; those that the limits leave room for. `goes_on` is asked by
    /// the number of states listed so far whether there may be more.
    pub fn list(
        compiled: &Compiled,
        facts: &[u64],
        goes_on: impl FnMut(usize) -> bool,
        limits: &Limits,
    ) -> Result<ReachableStates, Unexplored> {
        let words = compiled.state(facts);
        let explored = explore(
            compiled,
            &words,
            goes_on,
            compiled.threads,
            &mut Watch::new(limits),
        )?;
        Ok(ReachableStates {
            explored,
            allowed: Allowed::new(limits),
            solution: None,
        })
    }

    /// The limit that came before all states were listed, if one did.
    pub fn stopped(&self) -> Option<StopReason> {
        self.explored.stopped
    }

    /// Whether a limit came before all states were listed, and these limits leave more room.
    pub fn could_list_more(&self, limits: &Limits) -> bool {
        self.stopped().is_some() && self.allowed.is_less_than(limits)
    }

    /// The number of states.
    pub fn states(&self) -> u64 {
        self.explored.states() as u64
    }

    /// The index of a state, if it was listed.
    pub fn index(&self, key: &[u64]) -> Option<usize> {
        self.explored.number(key)
    }

    /// After how many steps every play from a state is over; nothing where play can go on for ever, or that is not known.
    pub fn length(&self, index: usize) -> Option<u32> {
        self.explored.lengths()[index]
    }

    /// The rank of a state, if its value was asked for: see [`Solution::ranks`].
    pub fn rank(&self, index: usize) -> Option<u32> {
        self.solution.as_ref()?.lower.ranks.get(index).copied()
    }

    /// The value of the state at an index if all steps count, or bounds of it. They are published on the way.
    pub fn value(
        &mut self,
        index: usize,
        options: &Options,
        limits: &Limits,
        publisher: &Publisher,
    ) -> Valuation {
        let could_know_more = |solved: &SolvedStates| {
            let upper = solved.upper.as_ref();
            let was_stopped =
                solved.lower.stopped.is_some() || upper.is_some_and(|it| it.stopped.is_some());
            was_stopped && (solved.has_advanced || solved.allowed.is_less_than(limits))
        };
        if self.solution.as_ref().is_none_or(could_know_more) {
            let options = endless::Options {
                threads: options.search.threads,
                digits: options.digits,
                exact_work: options.exact_work,
            };
            // Bounds on the way are those of the state that the list begins with.
            let publisher = match index {
                0 => publisher,
                _ => &Publisher::default(),
            };
            let before = self.solution.take().map(|solved| solved.lower);
            let known = before.as_ref().map_or(0, |it| it.statistics.exact);
            let (lower, upper) =
                solve_listing(&mut self.explored, before, &options, limits, publisher);
            self.solution = Some(SolvedStates {
                has_advanced: lower.statistics.exact > known,
                lower,
                upper,
                allowed: Allowed::new(limits),
            });
        }
        let solved = self.solution.as_ref().expect("it was made");
        let (lower, mut upper) = (solved.lower).bounds_by_one_step(&self.explored.game, index);
        let mut stopped = self.stopped().or(solved.lower.stopped);
        if let Some(other) = &solved.upper {
            upper = other.bounds(index).1;
            stopped = stopped.or(other.stopped);
        }
        let stopped = stopped.or(Some(StopReason::Precision));
        Valuation {
            bounds: Bounds::new((lower, upper), stopped),
            expanded: self.states(),
            value_bits: 0,
        }
    }
}
