//! Which branch to try first: the one that settled its node most often so far (history heuristic of
//! game-tree search). A good first branch makes windows narrow at once.

use super::branches::Branch;
use std::cmp::Reverse;

/// Counts are halved when one gets this large, so that old merits fade.
const LARGEST: u32 = 1000;

/// How often a branch settled its node, by decision and assignment.
pub struct Merits(Vec<Vec<u32>>);

impl Merits {
    /// Nothing is known about this many decisions.
    pub fn new(decisions: usize) -> Self {
        Merits(vec![Vec::new(); decisions])
    }

    /// Puts branches of merit first. The order of the others stays.
    pub fn order(&self, decision: usize, branches: &mut [Branch]) {
        let merits = &self.0[decision];
        let merit = |branch: &Branch| merits.get(usize::from(branch.pattern)).copied();
        branches.sort_by_key(|branch| Reverse(merit(branch).unwrap_or(0)));
    }

    /// Notes that a branch settled its node.
    pub fn reward(&mut self, decision: usize, branch: Branch) {
        let merits = &mut self.0[decision];
        let place = usize::from(branch.pattern);
        if merits.len() <= place {
            merits.resize(place + 1, 0);
        }
        merits[place] += 1;
        if merits[place] > LARGEST {
            merits.iter_mut().for_each(|merit| *merit /= 2);
        }
    }
}
