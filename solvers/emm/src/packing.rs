//! Facts that a key writes as one digit, since at most one of them, or exactly one, ever holds.
//!
//! A cell of a board holds a cross, a nought, or nothing: written as two bits, it takes four
//! possibilities where three would do. For the 36 cells of a board of six by six that is 72 bits or 58,
//! so two words of a key or one, and a key of one word is stored and compared faster.
//!
//! ```text
//! exclusive pairs  --greedily-->  groups  --held by all samples?-->  perhaps exactly one
//!                                         --by induction-->          exactly one
//! ```
//!
//! That no two of a group hold is proved with [`invariants::PersistentFacts`]. That one does is guessed from random play
//! and proved for all groups together with [`invariants::always_one`].
//!
//! An image of a state has a key as well. So only groups are used that each symmetry maps to groups of the
//! same kind.

use crate::abstraction::Abstraction;
use crate::claims::Claims;
use crate::keys::Group;
use crate::problem::Problem;
use crate::symmetry::Symmetry;
use invariants::always_one;
use limits::Limits;
use rustc_hash::FxHashSet;

/// Groups of facts, by place in the key.
#[derive(Clone, Debug)]
pub struct Packing {
    /// The groups.
    pub groups: Vec<Group>,
}

impl Packing {
    /// Groups that make keys shorter, if there are any. `facts` are those of the key,
    /// in order; `abstraction` is what the key sees of them.
    pub fn find(
        problem: &Problem,
        facts: &[usize],
        claims: &Claims,
        symmetries: &[Symmetry],
        abstraction: Option<&Abstraction>,
        limits: &Limits,
    ) -> Option<Packing> {
        // A fact that may be dead is seen together with others of its group.
        let is_seen = |index: usize| abstraction.is_none_or(|abstraction| abstraction.shows(index));
        let shown: Vec<usize> = (0..facts.len()).filter(|&index| is_seen(index)).collect();
        let shown_facts: Vec<usize> = shown.iter().map(|&index| facts[index]).collect();
        let groups = claims.persistent.groups(&shown_facts);
        let place_of = |fact: &usize| facts.binary_search(fact).expect("it is in the key");
        let mut groups: Vec<Group> = groups
            .iter()
            .map(|group| Group {
                facts: group.iter().map(place_of).collect(),
                is_exact: false,
            })
            .filter(|group| group.facts.len() > 1)
            .collect();
        keep_symmetric(&mut groups, symmetries);
        let always = |group: &Group| {
            let mut samples = claims.samples.iter();
            samples.all(|sample| group.facts.iter().any(|&index| sample[facts[index]]))
        };
        let guesses: Vec<usize> = (0..groups.len()).filter(|&n| always(&groups[n])).collect();
        let of = |&number: &usize| -> Vec<usize> {
            let indices = groups[number].facts.iter();
            indices.map(|&index| facts[index]).collect()
        };
        let candidates: Vec<Vec<usize>> = guesses.iter().map(of).collect();
        for proved in always_one(&problem.step, &claims.persistent, &candidates, limits) {
            groups[guesses[proved]].is_exact = true;
        }
        keep_symmetric(&mut groups, symmetries);
        (!groups.is_empty()).then_some(Packing { groups })
    }

    /// Whether each group that must have a fact has one in a state, given the facts of the key.
    pub fn admits(&self, facts: &[u64]) -> bool {
        let holds = |&index: &usize| facts[index / 64] >> (index % 64) & 1 == 1;
        let mut groups = self.groups.iter().filter(|group| group.is_exact);
        groups.all(|group| group.facts.iter().any(holds))
    }
}

/// Leaves only groups that each symmetry maps to groups of the same kind.
fn keep_symmetric(groups: &mut Vec<Group>, symmetries: &[Symmetry]) {
    loop {
        let known: FxHashSet<(Vec<usize>, bool)> = groups.iter().map(by_content).collect();
        let before = groups.len();
        groups.retain(|group| {
            symmetries.iter().all(|map| {
                let facts = group.facts.iter().map(|&index| map.facts[index] as usize);
                known.contains(&by_content(&Group {
                    facts: facts.collect(),
                    is_exact: group.is_exact,
                }))
            })
        });
        if groups.len() == before {
            return;
        }
    }
}

fn by_content(group: &Group) -> (Vec<usize>, bool) {
    let mut facts = group.facts.clone();
    facts.sort_unstable();
    (facts, group.is_exact)
}
