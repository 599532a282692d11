//! Tree decomposition of each block: the distance of each variable from the middle, where a formula is to be cut.
//!
//! Variables that share a clause are neighbours. A *tree decomposition* of this graph is a tree whose nodes have sets of variables,
//! *bags*: the two of any edge are together in some bag, and the bags of a variable hang together. So if all variables of a bag are
//! decided, the rest of the formula falls apart into the branches of the tree at this bag. To decide the variables of a bag in the
//! middle first, and then those beside it, cuts a formula into halves, and the rest behind a cut depends on
//! one bag only: components become small, and are met again. Small bags are needed for that; circuits that calculate or
//! choose often have some.
//!
//! ```text
//! clauses (1 2) (2 3) (3 4) (4 5):   tree {1 2} - {2 3} - {3 4} - {4 5} - {5}
//! in the middle {3 4}: distances of 1 to 5 are 2 1 0 0 1
//! ```
//!
//! The decomposition comes from an order in which variables are eliminated ([`elimination`]). The tree says where its middle is, and how far
//! each variable is from there ([`tree`]).
//!
//! Only variables that may be decided together cut: each block has a decomposition of its own, of the
//! formula that is left when all blocks before it are decided. But where a block has defined variables, those of later blocks may cut too: most of them are
//! known as soon as the block is decided.
//!
//! # The weight of nearness
//!
//! With `n` variables in bags of at most `w`, a variable's score grows by its nearness, from 0 to 1, times `100 exp(n / w) / n` clauses, the weight of
//! SharpSAT-TD: small bags decide alone (Korhonen and Järvisalo 2021; min-fill: Rose 1972). Where bags are large, it counts nothing.

mod elimination;
mod tree;

pub use elimination::room;

use crate::policy::{CLAUSE, CUTS_WELL, MAX_BAG, MAX_DECOMPOSING, MAX_NEARNESS, MIN_BLOCK, NARROW};
use elimination::{Graph, Rule};
use formula::Clauses;
use std::ops::Range;
use tree::Tree;

/// Decompositions of all blocks.
#[derive(Clone, Debug)]
pub struct Decomposition {
    /// By variable, the score of its nearness to the middle of its block.
    pub weighted: Vec<u64>,
    /// The same where nearness alone counts.
    pub strict: Vec<u64>,
    /// The variables, block by block; where bags are small, in the order of a walk through the tree.
    pub walk: Vec<u32>,
    /// The variables of each block, and its largest bag, where there is one.
    pub widths: Vec<Option<Width>>,
    /// Whether some block had too much to do.
    pub are_missing: bool,
}

/// Whether a block is to have a decomposition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    No,
    IfNarrow,
    Yes,
}

/// The width of a block that was cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Width {
    pub variables: usize,
    pub bag: usize,
}

impl Width {
    /// Whether bags are small beside the block.
    pub fn is_narrow(self) -> bool {
        self.variables >= NARROW * self.bag
    }

    /// The weight of nearness, in clauses. Where bags are large, the order that conflicts and clauses say is better.
    fn weight(self) -> f64 {
        if !self.is_narrow() {
            return 0.0;
        }
        let (variables, bag) = (self.variables as f64, self.bag as f64);
        (100.0 * (variables / bag).exp() / variables).min(MAX_NEARNESS)
    }
}

impl Decomposition {
    /// Finds a decomposition for each block that is to have one, as long as the first tries take no more work than this together. Blocks do not
    /// decrease from variable to variable.
    pub fn find(
        blocks: &[u32],
        clauses: &Clauses,
        limit: u64,
        wanted: impl Fn(Range<usize>) -> Wanted,
    ) -> Self {
        let mut limit = limit.min(MAX_DECOMPOSING);
        let mut found = Decomposition {
            weighted: Vec::with_capacity(blocks.len()),
            strict: Vec::with_capacity(blocks.len()),
            walk: Vec::with_capacity(blocks.len()),
            widths: Vec::new(),
            are_missing: false,
        };
        let mut start = 0;
        for block in blocks.chunk_by(|a, b| a == b) {
            let range = start..start + block.len();
            let wanted = match wanted(range.clone()) {
                Wanted::IfNarrow if block.len() < MIN_BLOCK => Wanted::No,
                wanted => wanted,
            };
            match found.tree(&blocks[start..], start, clauses, &mut limit, wanted) {
                Some(tree) => found.cut(range, &tree),
                None => found.leave(range),
            }
            start += block.len();
        }
        found
    }

    /// Whether clauses have small bags if all variables may be decided together: elimination then leaves the places to cut. No, if that takes more than this
    /// much work to find.
    pub fn cuts_well(variables: usize, clauses: &Clauses, limit: u64) -> bool {
        let widest = (variables / CUTS_WELL).min(MAX_BAG);
        if clauses.iter().any(|clause| clause.len() > widest) {
            return false;
        }
        let blocks = vec![0; variables];
        let mut graph = Graph::new(&blocks, limit).with_bags_up_to(widest);
        let joined = graph.join_all(0, clauses);
        let tree = joined.and_then(|()| graph.eliminate(Rule::MIN_DEGREE));
        tree.is_some()
    }

    /// The tree of the first one of some blocks, whose variables begin with this one; nothing if none is wanted, or there is too much to do. The
    /// work is taken off the limit.
    fn tree(
        &mut self,
        blocks: &[u32],
        first: usize,
        clauses: &Clauses,
        limit: &mut u64,
        wanted: Wanted,
    ) -> Option<Tree> {
        let one_block;
        let blocks = match wanted {
            Wanted::No => return None,
            _ if *limit == 0 => {
                self.are_missing = true;
                return None;
            }
            Wanted::IfNarrow => blocks,
            // The values of later blocks will be known as soon as those of this one are.
            Wanted::Yes => {
                one_block = vec![0; blocks.len()];
                &one_block
            }
        };
        let mut graph = Graph::new(blocks, *limit);
        if wanted == Wanted::IfNarrow {
            let own = blocks
                .iter()
                .take_while(|&block| *block == blocks[0])
                .count();
            graph = graph.with_bags_up_to((own - 1) / NARROW);
        }
        let joined = graph.join_all(first, clauses);
        let tree = joined.and_then(|()| graph.best());
        *limit = limit.saturating_sub(graph.work());
        self.are_missing |= tree.is_none() && !graph.is_wide;
        tree
    }

    /// Adds a block that is cut along a tree.
    fn cut(&mut self, block: Range<usize>, tree: &Tree) {
        let width = Width {
            variables: tree.own,
            bag: tree.largest_bag(),
        };
        let (mut distances, walk) = tree.cut();
        distances.truncate(block.len());
        let variables = block.start as u32..block.end as u32;
        match width.is_narrow() {
            true => {
                let walk = walk.into_iter().map(|one| variables.start + one);
                self.walk.extend(walk.filter(|&one| one < variables.end));
            }
            false => self.walk.extend(variables),
        }
        let most = distances.iter().copied().max().unwrap_or(0);
        let unit = CLAUSE as f64 * width.weight() / f64::from(most.max(1));
        let nearness = distances.into_iter().map(|distance| most - distance);
        let weighted = nearness.clone().map(|near| (f64::from(near) * unit) as u64);
        self.weighted.extend(weighted);
        let strict = nearness.map(|near| u64::from(near) << 32);
        self.strict.extend(strict);
        self.widths.push(Some(width));
    }

    /// Adds a block without a tree.
    fn leave(&mut self, block: Range<usize>) {
        self.weighted.resize(block.end, 0);
        self.strict.resize(block.end, 0);
        self.walk.extend(block.start as u32..block.end as u32);
        self.widths.push(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formula::Var;

    fn clauses(edges: &[Vec<usize>]) -> Clauses {
        let mut clauses = Clauses::new();
        for edge in edges {
            clauses.push(edge.iter().map(|&one| Var::new(one).positive()));
        }
        clauses
    }

    pub(super) fn graph<'a>(blocks: &'a [u32], first: usize, edges: &[Vec<usize>]) -> Graph<'a> {
        let mut graph = Graph::new(blocks, MAX_DECOMPOSING);
        graph.join_all(first, &clauses(edges)).expect("it is small");
        graph
    }

    pub(super) fn best(blocks: &[u32], first: usize, edges: &[Vec<usize>]) -> Tree {
        let tree = graph(blocks, first, edges).best();
        tree.expect("it is small")
    }

    fn find(blocks: &[u32], edges: &[Vec<usize>], wanted: Wanted) -> Decomposition {
        Decomposition::find(blocks, &clauses(edges), MAX_DECOMPOSING, |_| wanted)
    }

    pub(super) fn tree(variables: usize, edges: &[Vec<usize>], rule: Rule) -> Tree {
        let blocks = vec![0; variables];
        let tree = graph(&blocks, 0, edges).eliminate(rule);
        tree.expect("it is small")
    }

    /// Until the block is decided, a later variable holds its neighbours together, unless it is known soon.
    #[test]
    fn later_blocks_hold_together() {
        let star: Vec<Vec<usize>> = (0..20).map(|one| vec![one, 20]).collect();
        let blocks: Vec<u32> = (0..=20).map(|one| one / 20).collect();
        let first = |wanted| find(&blocks, &star, wanted).widths[0];
        assert_eq!(first(Wanted::IfNarrow), None);
        let (variables, bag) = (21, 2);
        assert_eq!(first(Wanted::Yes), Some(Width { variables, bag }));
    }

    #[test]
    fn too_much_is_given_up() {
        let edges = [vec![0, 1], (0..2000).collect()];
        let found = find(&[0; 2000], &edges, Wanted::Yes);
        assert_eq!((found.weighted, found.widths), (vec![0; 2000], vec![None]));
        assert!(found.are_missing);
        // A large bag is enough to see that a block is not narrow.
        let edges = [vec![0, 1], (0..200).collect()];
        let found = find(&[0; 300], &edges, Wanted::IfNarrow);
        assert_eq!((found.widths, found.are_missing), (vec![None], false));
    }

    /// The rest of a path after its middle is decided is a run of its walk.
    #[test]
    fn a_walk_goes_branch_by_branch() {
        let path: Vec<Vec<usize>> = (0..99).map(|one| vec![one, one + 1]).collect();
        let walk = find(&[0; 100], &path, Wanted::IfNarrow).walk;
        let mut sorted = walk.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<u32>>());
        let steps = walk.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) > 1);
        assert!(steps.count() <= 2, "{walk:?}");
    }

    /// Nearness decides alone on a long path, and does not count where all hangs together.
    #[test]
    fn small_bags_count_more() {
        let path: Vec<Vec<usize>> = (0..99).map(|one| vec![one, one + 1]).collect();
        let found = find(&[0; 100], &path, Wanted::IfNarrow);
        assert!(found.widths[0].is_some_and(Width::is_narrow));
        let middle = found.weighted.iter().max();
        assert!(middle.is_some_and(|&score| score > 1_000_000 * CLAUSE));
        let clique: Vec<Vec<usize>> = (0..99)
            .flat_map(|one| (one + 1..100).map(move |other| vec![one, other]))
            .collect();
        let found = find(&[0; 100], &clique, Wanted::Yes);
        assert!(!found.widths[0].is_some_and(Width::is_narrow));
        assert_eq!(found.weighted, [0; 100]);
    }
}
