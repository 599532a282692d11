//! States met in random play: what guesses are made from.

use crate::compile::Compiled;
use crate::expand::{Expander, followers};
use crate::problem::Problem;
use crate::units::Units;
use limits::{Halt, Limits};

/// Random plays for guesses, and the states of one at most.
const PLAYS: usize = 64;
const LONGEST_PLAY: usize = 2_000;

/// States of all plays at most, and the bytes that they take.
const MAX_SAMPLES: usize = 20_000;
const MAX_BYTES: usize = 1 << 28;

/// States met in random play, as many as the limits allow.
pub fn samples(
    problem: &Problem,
    compiled: &Compiled,
    facts: &[u64],
    limits: &Limits,
) -> Vec<Vec<bool>> {
    let units = Units::<u64>::plain(2);
    let mut random = fastrand::Rng::with_seed(1);
    let mut arena = compiled.arena();
    let memory = limits
        .memory
        .map_or(MAX_BYTES, |memory| memory as usize / 8);
    let most = memory.min(MAX_BYTES) / problem.step.facts.len().max(1);
    let halt = Halt::at(limits);
    let most_nodes = compiled.most_nodes(limits.memory);
    let mut expander = Expander::new(compiled, most_nodes, halt.clone());
    let mut samples = Vec::new();
    for _ in 0..PLAYS {
        let mut facts = facts.to_vec();
        for _ in 0..LONGEST_PLAY {
            if samples.len() >= most || !halt.go_on() {
                return samples;
            }
            let mut sample = vec![false; problem.step.facts.len()];
            for (bit, &fact) in compiled.facts.iter().enumerate() {
                sample[fact] = facts[bit / 64] >> (bit % 64) & 1 == 1;
            }
            samples.push(sample);
            let found = followers(&mut expander, &mut arena, &units, &facts);
            let Some(found) = found else {
                return samples;
            };
            let open: Vec<usize> = found.filter(|&n| !arena.nodes[n].is_known()).collect();
            if open.is_empty() {
                break;
            }
            facts.copy_from_slice(arena.facts(open[random.usize(..open.len())]));
        }
        if samples.len() > MAX_SAMPLES {
            break;
        }
    }
    samples
}
