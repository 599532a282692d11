//! Random play before the search, so that the shares of chance that occur are known. Else each share that the first way down meets
//! would end the search, which begins again (`ablation-parts.csv`).

use crate::bounds::{ENOUGH_WITHOUT_NEWS, MAX_PLAY_NODES};
use crate::question::Question;
use arena::Refusal;
use arena::StochasticGame;
use arena::Successors;
use arena::{Denominators, NewShare};
use limits::{StopReason, Watch};
use rustc_hash::FxHashSet;

/// Plays at random and collects shares that were not known. The shares collected so far count also where a limit
/// is reached.
pub fn learn<G: StochasticGame>(
    question: Question<'_, G>,
    denominators: &Denominators,
    watch: &mut Watch<'_>,
) -> (FxHashSet<NewShare>, Result<(), StopReason>) {
    let mut found = FxHashSet::default();
    let learned = play(question, denominators, watch, &mut found);
    (found, learned)
}

fn play<G: StochasticGame>(
    question: Question<'_, G>,
    denominators: &Denominators,
    watch: &mut Watch<'_>,
    found: &mut FxHashSet<NewShare>,
) -> Result<(), StopReason> {
    let (game, layers) = (question.game, question.layer);
    if (1..=layers).all(|layer| game.sites(layer).is_empty()) {
        return Ok(());
    }
    let mut random = fastrand::Rng::with_seed(1);
    let mut successors = Successors::new(game, MAX_PLAY_NODES, watch.limits().clone());
    let (mut nodes, mut without_news) = (0, 0);
    while nodes < MAX_PLAY_NODES && without_news < ENOUGH_WITHOUT_NEWS {
        without_news += 1;
        let mut state = question.state.to_vec();
        for layer in (1..=layers).rev() {
            watch.check("preparing", 0)?;
            match successors.list(&state, layer) {
                Err(Refusal::Stopped(reason)) => return Err(reason),
                Err(_) => return Ok(()),
                Ok(()) => {}
            }
            for share in successors.shares() {
                if !denominators.knows(share) && found.insert(*share) {
                    without_news = 0;
                }
            }
            nodes += successors.nodes();
            if successors.is_empty() {
                break;
            }
            state.clear();
            state.extend_from_slice(successors.state(random.usize(..successors.len())));
        }
    }
    Ok(())
}
