//! Elimination orders: min-fill and min-degree, with ties broken at random, and the best of several tries.
//!
//! To *eliminate* a variable is to remove it after all its neighbours were made neighbours of one another. Next is always one for which
//! the fewest new edges are needed (*min-fill*; those of variables two steps away are not counted anew), or one with fewest neighbours
//! (*min-degree*). A variable and its neighbours at that time are a bag.
//!
//! Of several tries the one counts whose bags have fewest assignments together. Work is counted, not time, so that a formula has the
//! same decomposition in each run.
//!
//! Variables of later blocks are eliminated first, since they hold their neighbours together until the block is decided.

use super::tree::Tree;
use formula::Clauses;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The multiple of the work of the first try that all tries may take, and the most tries.
const BETTER: u64 = 3;
const MAX_TRIES: u64 = 24;

/// Entries that lists of neighbours may have, and the bytes of each; vectors grow by doubling.
const MAX_ENTRIES: usize = 2_000_000;
const ENTRY_BYTES: usize = 8;

/// The most memory that [`Decomposition::find`](super::Decomposition::find) takes for this many variables, in bytes.
pub fn room(variables: usize) -> u64 {
    (2 * ENTRY_BYTES * MAX_ENTRIES + 256 * variables) as u64
}

/// Neighbours, by variable; those of earlier blocks are left out.
#[derive(Clone)]
pub struct Graph<'a> {
    blocks: &'a [u32],
    /// The number of variables of the first block, which is to be cut.
    own: usize,
    neighbours: Vec<Vec<u32>>,
    /// The entries of lists of neighbours so far.
    entries: usize,
    /// By variable, when it was marked last, and the present time.
    marks: Vec<u32>,
    now: u32,
    work: u64,
    /// The work after which it is given up.
    limit: u64,
    /// The most variables of the first block that a bag may have beside the eliminated one; at a larger bag it is given up too.
    widest: usize,
    /// Whether a bag was too large.
    pub is_wide: bool,
}

/// The rule that chooses the variable to eliminate next: min-degree or min-fill.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Min-degree: the variable with fewest neighbours. Else min-fill: the variable that needs fewest new edges.
    pub by_degree: bool,
    /// Of equal ones, the first for 0, and a random one for others.
    pub seed: u64,
}

impl Rule {
    pub const MIN_FILL: Rule = Rule {
        by_degree: false,
        seed: 0,
    };
    pub const MIN_DEGREE: Rule = Rule {
        by_degree: true,
        seed: 0,
    };

    fn tie(self, variable: u32) -> u64 {
        let mixed = (u64::from(variable) + self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        match self.seed {
            0 => u64::from(variable),
            seed => (mixed ^ seed << 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32,
        }
    }
}

impl<'a> Graph<'a> {
    /// The variables of these blocks, without neighbours. Trees are given up after this much work.
    pub fn new(blocks: &'a [u32], limit: u64) -> Self {
        Graph {
            blocks,
            own: blocks
                .iter()
                .take_while(|&block| *block == blocks[0])
                .count(),
            neighbours: vec![Vec::new(); blocks.len()],
            entries: 0,
            marks: vec![0; blocks.len()],
            now: 0,
            work: 0,
            limit,
            widest: usize::MAX,
            is_wide: false,
        }
    }

    /// Trees are given up too at a bag with more than this many variables of the first block beside the eliminated one.
    pub fn with_bags_up_to(mut self, widest: usize) -> Self {
        self.widest = widest;
        self
    }

    /// Makes variables of a clause neighbours, from a first one on; nothing if that is too much work.
    pub fn join_all(&mut self, first: usize, clauses: &Clauses) -> Option<()> {
        for clause in clauses.iter() {
            let variables = clause.iter().map(|literal| literal.var().index());
            let inside = variables.filter_map(|variable| variable.checked_sub(first));
            for one in inside.clone() {
                for other in inside.clone().filter(|&other| other != one) {
                    self.join(one as u32, other as u32)?;
                }
            }
            self.spend(clause.len())?;
        }
        for list in &mut self.neighbours {
            list.sort_unstable();
            list.dedup();
        }
        Some(())
    }

    pub fn work(&self) -> u64 {
        self.work
    }

    fn spend(&mut self, work: usize) -> Option<()> {
        self.work += work as u64;
        (self.work <= self.limit).then_some(())
    }

    fn join(&mut self, one: u32, other: u32) -> Option<()> {
        self.entries += 1;
        self.neighbours[one as usize].push(other);
        (self.entries <= MAX_ENTRIES).then_some(())
    }

    /// The best tree of several tries.
    pub fn best(&mut self) -> Option<Tree> {
        let rule = |seed| Rule {
            by_degree: seed % 4 == 3,
            seed,
        };
        let mut best = self.try_once(Rule::MIN_FILL)?;
        let mut cost = best.cost();
        self.limit = self.work + BETTER * self.limit;
        for seed in 1..MAX_TRIES {
            let Some(tree) = self.try_once(rule(seed)) else {
                break;
            };
            if tree.cost() < cost {
                cost = tree.cost();
                best = tree;
            }
        }
        Some(best)
    }

    fn try_once(&mut self, rule: Rule) -> Option<Tree> {
        let mut graph = self.clone();
        let tree = graph.eliminate(rule);
        self.work = graph.work;
        self.is_wide |= graph.is_wide;
        tree
    }

    /// The missing edges between its neighbours, or the number of its neighbours.
    fn cost(&mut self, variable: u32, rule: Rule) -> Option<usize> {
        self.now += 1;
        let list = &self.neighbours[variable as usize];
        if rule.by_degree {
            return Some(list.len());
        }
        for &one in list {
            self.marks[one as usize] = self.now;
        }
        // Each edge is seen from both ends.
        let (mut seen, mut work) = (0, 1);
        for &one in list {
            let others = &self.neighbours[one as usize];
            let is_marked = |other: &&u32| self.marks[**other as usize] == self.now;
            seen += others.iter().filter(is_marked).count();
            work += others.len();
        }
        let missing = (list.len() * list.len().saturating_sub(1) - seen) / 2;
        self.spend(work)?;
        Some(missing)
    }

    /// Eliminates all variables, those of the last block first; nothing if that is too much work, or a bag too large.
    pub fn eliminate(&mut self, rule: Rule) -> Option<Tree> {
        let count = self.neighbours.len();
        let blocks = self.blocks;
        let entry = |variable: u32, cost: usize| {
            let block = Reverse(blocks[variable as usize]);
            (block, cost, rule.tie(variable), variable)
        };
        let mut costs = Vec::with_capacity(count);
        for variable in 0..count as u32 {
            costs.push(self.cost(variable, rule)?);
        }
        let entries = (0..).zip(&costs);
        let mut queue: BTreeSet<_> = entries.map(|(one, &cost)| entry(one, cost)).collect();
        let mut tree = Tree {
            own: self.own,
            order: Vec::with_capacity(count),
            bags: vec![Vec::new(); count],
        };
        while let Some((_, _, _, variable)) = queue.pop_first() {
            let bag = std::mem::take(&mut self.neighbours[variable as usize]);
            let own = bag.iter().filter(|&&one| (one as usize) < self.own).count();
            self.is_wide |= own > self.widest;
            if self.is_wide {
                return None;
            }
            for &one in &bag {
                self.connect(one, variable, &bag)?;
            }
            for &one in &bag {
                queue.remove(&entry(one, costs[one as usize]));
                costs[one as usize] = self.cost(one, rule)?;
                queue.insert(entry(one, costs[one as usize]));
            }
            tree.order.push(variable);
            tree.bags[variable as usize] = bag;
        }
        Some(tree)
    }

    /// Makes a variable of a bag a neighbour of all others in it, and no longer of the one that is eliminated.
    fn connect(&mut self, variable: u32, eliminated: u32, bag: &[u32]) -> Option<()> {
        self.now += 1;
        let list = &mut self.neighbours[variable as usize];
        list.retain(|&one| one != eliminated);
        for &one in list.iter().chain([&variable]) {
            self.marks[one as usize] = self.now;
        }
        let work = list.len() + bag.len();
        for &one in bag {
            if self.marks[one as usize] != self.now {
                self.join(variable, one)?;
            }
        }
        self.spend(work)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{best, tree};
    use super::Rule;

    /// Min-fill without random ties.
    const FIRST: Rule = Rule {
        by_degree: false,
        seed: 0,
    };

    /// More tries do not make it worse, and make it better somewhere.
    #[test]
    fn the_best_try_counts() {
        let mut better = 0;
        for (seed, mut random) in generators::seeds(7_000_000, 20) {
            let edges: Vec<Vec<usize>> = (0..90)
                .map(|_| vec![random.usize(0..60), random.usize(0..60)])
                .filter(|edge| edge[0] != edge[1])
                .collect();
            let first = tree(60, &edges, FIRST).cost();
            let best = best(&[0; 60], 0, &edges).cost();
            assert!(best <= first, "seed {seed}");
            better += u32::from(best < first);
        }
        assert!(better > 5, "only {better}");
    }

    /// Graphs that are put together of cliques, each of which shares all but one variable with an earlier one, have bags of the size of a clique.
    #[test]
    fn bags_of_graphs_of_cliques_are_as_small_as_can_be() {
        for (seed, mut random) in generators::seeds(5_000_000, 300) {
            let (width, variables) = (random.usize(1..6), random.usize(8..40));
            let mut names: Vec<usize> = (0..variables).collect();
            random.shuffle(&mut names);
            let mut cliques = vec![names[..=width].to_vec()];
            for &name in &names[width + 1..] {
                let mut clique = cliques[random.usize(..cliques.len())].clone();
                clique[random.usize(..=width)] = name;
                cliques.push(clique);
            }
            let bags = tree(variables, &cliques, FIRST).bags;
            let largest = bags.iter().map(Vec::len).max();
            assert_eq!(largest, Some(width), "seed {seed}");
        }
    }
}
