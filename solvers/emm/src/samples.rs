//! States met in random play: what guesses are made from.

use crate::compile::Compiled;
use crate::expand::Expander;
use crate::horizon::followers;
use crate::problem::Problem;
use crate::units::Units;

/// Random plays for guesses, and the states of one at most.
const PLAYS: usize = 64;
const LONGEST_PLAY: usize = 2_000;

/// States met in random play.
pub fn samples(problem: &Problem, compiled: &Compiled, facts: &[u64]) -> Vec<Vec<bool>> {
    let units = Units::<u64>::new(&[], &[vec![1], vec![1], vec![1]]).expect("1 fits");
    let mut random = fastrand::Rng::with_seed(1);
    let mut arena = compiled.arena();
    let mut expander = Expander::new(compiled, 1 << 22);
    let mut samples = Vec::new();
    for _ in 0..PLAYS {
        let mut facts = facts.to_vec();
        for _ in 0..LONGEST_PLAY {
            let mut sample = vec![false; problem.step.facts.len()];
            for (bit, &fact) in compiled.facts.iter().enumerate() {
                sample[fact] = facts[bit / 64] >> (bit % 64) & 1 == 1;
            }
            samples.push(sample);
            let found = followers(compiled, &mut expander, &mut arena, &units, &facts);
            let Some(found) = found else {
                return samples;
            };
            let open: Vec<usize> = found.filter(|&n| !arena.nodes[n].is_known()).collect();
            if open.is_empty() {
                break;
            }
            facts.copy_from_slice(arena.facts(open[random.usize(..open.len())]));
        }
        if samples.len() > 20_000 {
            break;
        }
    }
    samples
}
