//! Random plays: samples of states for guesses.

use crate::compile::Compiled;
use crate::policy::{MAX_PLAY_LENGTH, MAX_SAMPLE_BYTES, MAX_SAMPLE_NODES, MAX_SAMPLES};
use crate::problem::Problem;
use arena::Successors;
use limits::Limits;

/// States of all layers but the last have the same successors.
const ANY_LAYER: usize = 2;

/// States met in this number of random plays: the states of one play after the other. They are the same in each run, for keys rest on them:
/// memory does not count, and when time is over there are fewer.
pub fn plays(
    problem: &Problem,
    compiled: &Compiled,
    facts: &[u64],
    max_plays: usize,
    limits: &Limits,
) -> Vec<Vec<Vec<bool>>> {
    let mut random = fastrand::Rng::with_seed(1);
    let most = MAX_SAMPLE_BYTES / problem.step.facts.len().max(1);
    let limits = limits.clone();
    let mut successors = Successors::new(compiled, MAX_SAMPLE_NODES, limits.clone());
    let (mut plays, mut states) = (Vec::new(), 0);
    while plays.len() < max_plays && states <= MAX_SAMPLES {
        let mut play = Vec::new();
        let mut state = compiled.state(facts);
        for _ in 0..MAX_PLAY_LENGTH {
            if states >= most || limits.is_over() {
                plays.push(play);
                return plays;
            }
            play.push(facts_of(problem, compiled, &state));
            states += 1;
            if successors.list(&state, ANY_LAYER).is_err() {
                plays.push(play);
                return plays;
            }
            if successors.is_empty() {
                break;
            }
            let chosen = random.usize(..successors.len());
            state.copy_from_slice(successors.state(chosen));
        }
        plays.push(play);
    }
    plays
}

/// For each fact of the step whether it holds in a state, given by its words.
fn facts_of(problem: &Problem, compiled: &Compiled, state: &[u64]) -> Vec<bool> {
    let mut holds = vec![false; problem.step.facts.len()];
    for (bit, &fact) in compiled.facts.iter().enumerate() {
        holds[fact] = state[bit / 64] >> (bit % 64) & 1 == 1;
    }
    holds
}
