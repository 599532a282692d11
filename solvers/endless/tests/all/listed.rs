//! Plain lists of states as games that say what follows from states.
#![allow(dead_code, reason = "each test that takes this file uses a part of it")]

use arena::{Chances, Expansion, Kind, Refusal, Rows, Site, StochasticGame};
use base::value::Numerator;
use generators::{Cycles, Next, Outcomes};
use num_rational::BigRational;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A list as a game: the alternatives of a state are the maximizer's, replies the minimizer's. Where keys are of their own, some states look
/// different and are the same.
pub struct Listed<'a> {
    pub cycles: &'a Cycles,
    pub payoffs: Vec<BigRational>,
    /// Replies with equal outcomes have one number.
    pub numbers: HashMap<&'a Outcomes, u64>,
    pub tells_afterstates: bool,
    /// Whether a key of its own goes before the state.
    pub has_key: bool,
    /// Whether layers are numbers of steps that are left.
    pub is_by_steps: bool,
    /// The room for nodes that it asks for.
    pub least_room: usize,
    /// How many states it was asked to expand.
    pub asked: AtomicUsize,
    /// How often it was asked where chance decides in a layer: the work on denominators.
    pub asked_sites: AtomicUsize,
}

impl<'a> Listed<'a> {
    pub fn new(cycles: &'a Cycles) -> Self {
        let payoff = |&(over, under): &(u64, u64)| BigRational::new(over.into(), under.into());
        Listed {
            cycles,
            payoffs: cycles.payoffs.iter().map(payoff).collect(),
            numbers: cycles.states.iter().flatten().flatten().zip(0..).collect(),
            tells_afterstates: false,
            has_key: true,
            is_by_steps: false,
            least_room: 0,
            asked: AtomicUsize::new(0),
            asked_sites: AtomicUsize::new(0),
        }
    }
}

impl Chances for Listed<'_> {
    fn sites(&self, _: usize) -> &[Site] {
        self.asked_sites.fetch_add(1, Ordering::Relaxed);
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
        let key = usize::from(self.has_key);
        let state = 1 + key;
        Rows { state, key }
    }

    fn key_bits(&self, _: usize) -> usize {
        20
    }

    fn write_key(&self, _: usize, state: &mut [u64], key: &mut [u64]) {
        if self.has_key {
            key[0] = state[0];
        }
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
                    if self.tells_afterstates
                        && to.is_known_afterstate(reply, &[self.numbers[outcomes]])
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
                            Next::State(_) if self.is_by_steps && to.layer == 1 => {
                                to.cuts_off = true;
                            }
                            Next::State(number) => {
                                let row = to.tree.add_rows(1, rows);
                                to.tree.rows_mut(row)[0] = number as u64;
                                if self.has_key {
                                    to.tree.rows_mut(row)[1] = words[0] ^ words[1];
                                }
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
