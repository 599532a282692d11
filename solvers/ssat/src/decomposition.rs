//! Tree decomposition by elimination: the distance of each variable from the middle, where a formula is to be cut.
//!
//! Variables that share a clause are neighbours. A *tree decomposition* of this graph is a tree whose nodes have sets of variables,
//! *bags*: the two of any edge are together in some bag, and the bags of a variable hang together. So if all variables of a bag are
//! decided, what is left falls apart into the branches of the tree at this bag. To decide the variables of a bag in the
//! middle first, and then those beside it, cuts a formula into halves, and what is left behind a cut depends on
//! one bag only: components become small, and are met again. Small bags are needed for that; circuits that calculate or
//! choose often have some.
//!
//! ```text
//! clauses (1 2) (2 3) (3 4) (4 5):   tree {1 2} - {2 3} - {3 4} - {4 5} - {5}
//! in the middle {3 4}: distances of 1 to 5 are 2 1 0 0 1
//! ```
//!
//! The decomposition comes from an order in which variables are eliminated, that is removed after all their neighbours were made
//! neighbours of one another: next is always one for which the fewest new edges are needed (*min-fill*; those of variables two
//! steps away are not counted anew), or one with fewest neighbours (*min-degree*). A variable and its neighbours at that time are a bag,
//! and its parent is the bag of the one among them that is eliminated next. The middle is a bag without which no part of the tree
//! has more than half of its bags.
//!
//! Ties are broken at random, and of several tries the one counts whose bags have fewest assignments together. Work is counted, not
//! time, so that a formula has the same decomposition in each run.
//!
//! Only variables that may be decided together cut: each block has a decomposition of its own, of what
//! is left when all blocks before it are decided. Variables of later blocks are eliminated first, since they hold together what they share
//! clauses with until the block is decided. But where a block has defined variables, those of later blocks may cut too: most of them are
//! known as soon as the block is decided.
//!
//! # The weight of nearness
//!
//! With `n` variables in bags of at most `w`, nearness from 0 to 1 is worth `100 exp(n / w) / n` clauses in the choice of a variable: small bags decide
//! alone (Korhonen and Järvisalo 2021; min-fill: Rose 1972). Where bags are large, it counts nothing.

use formula::Clauses;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

/// Entries of lists that are looked at before a decomposition is given up, about a twentieth of a second: then bags are too large to be
/// of use.
const MAX_WORK: u64 = 100_000_000;

/// How many times as many tries to find a better one may look at, and how many there are at most.
const BETTER: u64 = 3;
const MAX_TRIES: u64 = 24;

/// Entries that lists of neighbours may have, and the bytes of each; vectors grow by doubling.
const MAX_ENTRIES: usize = 2_000_000;
const ENTRY_BYTES: usize = 8;

/// Blocks of fewer variables are not worth a decomposition.
const MIN_BLOCK: usize = 16;

/// The worth of a clause in the choice of a variable.
pub const CLAUSE: u64 = 64;

/// The most clauses that nearness is worth: more than variables have.
const MAX_WORTH: f64 = 1e7;

/// A decomposition of a block with this many times as many variables as the largest bag has is *narrow*.
const NARROW: usize = 8;

const NONE: u32 = u32::MAX;

/// The most memory that [`Decomposition::find`] takes for this many variables, in bytes.
pub fn room(variables: usize) -> u64 {
    (2 * ENTRY_BYTES * MAX_ENTRIES + 256 * variables) as u64
}

/// Decompositions of all blocks.
#[derive(Clone, Debug)]
pub struct Decomposition {
    /// By variable, the worth of its nearness to the middle of its block in the choice of a variable.
    pub weighted: Vec<u64>,
    /// The same where nearness alone counts.
    pub strict: Vec<u64>,
    /// The variables, block by block; where bags are small, in the order of a walk through the tree.
    pub walk: Vec<u32>,
    /// How many variables each block has, and its largest bag, where there is one.
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

/// How well a block can be cut.
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

    /// How many clauses nearness is worth. Where bags are large, the order that conflicts and clauses say is better.
    fn worth(self) -> f64 {
        if !self.is_narrow() {
            return 0.0;
        }
        let (variables, bag) = (self.variables as f64, self.bag as f64);
        (100.0 * (variables / bag).exp() / variables).min(MAX_WORTH)
    }
}

impl Decomposition {
    /// Finds a decomposition for each block that is to have one, if the first try takes no more work than this. Blocks do not decrease from variable to
    /// variable.
    pub fn find(
        blocks: &[u32],
        clauses: &Clauses,
        limit: u64,
        wanted: impl Fn(Range<usize>) -> Wanted,
    ) -> Self {
        let limit = limit.min(MAX_WORK);
        let mut found = Decomposition {
            weighted: Vec::with_capacity(blocks.len()),
            strict: Vec::with_capacity(blocks.len()),
            walk: Vec::with_capacity(blocks.len()),
            widths: Vec::new(),
            are_missing: false,
        };
        let mut start = 0;
        for block in blocks.chunk_by(|a, b| a == b) {
            let end = start + block.len();
            let wanted = match wanted(start..end) {
                Wanted::IfNarrow if block.len() < MIN_BLOCK => Wanted::No,
                wanted => wanted,
            };
            let tree = if wanted == Wanted::No {
                None
            } else {
                // Then what later blocks have will be known as soon as this one is.
                let one_block = vec![0; blocks.len() - start];
                let blocks = match wanted {
                    Wanted::Yes => &one_block,
                    _ => &blocks[start..],
                };
                let mut graph = Graph::new(blocks, limit);
                graph.is_narrow = wanted == Wanted::IfNarrow;
                let joined = graph.join_all(start, clauses);
                let tree = joined.and_then(|()| graph.best());
                found.are_missing |= tree.is_none() && !graph.is_wide;
                tree
            };
            let Some(tree) = tree else {
                found.weighted.resize(end, 0);
                found.strict.resize(end, 0);
                found.walk.extend(start as u32..end as u32);
                found.widths.push(None);
                start = end;
                continue;
            };
            let width = Width {
                variables: tree.own,
                bag: tree.largest_bag(),
            };
            let (mut distances, mut walk) = tree.cut();
            distances.truncate(block.len());
            walk.retain(|&variable| (variable as usize) < block.len());
            match width.is_narrow() {
                true => found
                    .walk
                    .extend(walk.into_iter().map(|one| start as u32 + one)),
                false => found.walk.extend(start as u32..end as u32),
            }
            let most = distances.iter().copied().max().unwrap_or(0);
            let unit = CLAUSE as f64 * width.worth() / f64::from(most.max(1));
            let nearness = distances.into_iter().map(|distance| most - distance);
            let weighted = nearness.clone().map(|near| (f64::from(near) * unit) as u64);
            found.weighted.extend(weighted);
            found
                .strict
                .extend(nearness.map(|near| u64::from(near) << 32));
            found.widths.push(Some(width));
            start = end;
        }
        found
    }
}

/// Neighbours, by variable; those of earlier blocks are left out.
#[derive(Clone)]
struct Graph<'a> {
    blocks: &'a [u32],
    /// The number of variables of the first block, which is to be cut.
    own: usize,
    neighbours: Vec<Vec<u32>>,
    /// How many entries lists of neighbours have had.
    entries: usize,
    /// By variable, when it was marked last, and the present time.
    marks: Vec<u32>,
    now: u32,
    work: u64,
    /// The work after which it is given up.
    limit: u64,
    /// Whether it is to be given up too if a bag is large, and whether one was.
    is_narrow: bool,
    is_wide: bool,
}

/// The rule that chooses the variable to eliminate next: min-degree or min-fill.
#[derive(Clone, Copy)]
struct Rule {
    /// Min-degree: the variable with fewest neighbours. Else min-fill: the variable that needs fewest new edges.
    by_degree: bool,
    /// Of equal ones, the first for 0, and a random one for others.
    seed: u64,
}

impl Rule {
    fn tie(self, variable: u32) -> u64 {
        let mixed = (u64::from(variable) + self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        match self.seed {
            0 => u64::from(variable),
            seed => (mixed ^ seed << 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32,
        }
    }
}

impl<'a> Graph<'a> {
    /// The variables of these blocks, without neighbours.
    fn new(blocks: &'a [u32], limit: u64) -> Self {
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
            is_narrow: false,
            is_wide: false,
        }
    }

    /// Makes variables of a clause neighbours, from a first one on.
    fn join_all(&mut self, first: usize, clauses: &Clauses) -> Option<()> {
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
    fn best(&mut self) -> Option<Tree> {
        let rule = |seed| Rule {
            by_degree: seed % 4 == 3,
            seed,
        };
        let mut best = self.try_once(rule(0))?;
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

    /// How many edges between its neighbours are missing, or how many neighbours it has.
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

    /// Eliminates all variables, those of the last block first.
    fn eliminate(&mut self, rule: Rule) -> Option<Tree> {
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
            self.is_wide |= self.is_narrow && own * NARROW >= self.own;
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

/// A tree decomposition, or one for each part of the graph.
struct Tree {
    /// The number of variables of the first block, which is to be cut. They are eliminated last.
    own: usize,
    /// The variables as they were eliminated.
    order: Vec<u32>,
    /// By variable, its neighbours when it was eliminated. They come later in the order.
    bags: Vec<Vec<u32>>,
}

impl Tree {
    /// The bags of the variables of the block.
    fn own_bags(&self) -> &[Vec<u32>] {
        &self.bags[..self.own]
    }

    /// The variables of the block as they were eliminated.
    fn own_order(&self) -> &[u32] {
        &self.order[self.order.len() - self.own..]
    }

    fn largest_bag(&self) -> usize {
        let sizes = self.own_bags().iter().map(|bag| bag.len() + 1);
        sizes.max().unwrap_or(0)
    }

    /// About how many assignments all bags have.
    fn cost(&self) -> f64 {
        let bags = self.own_bags().iter();
        bags.map(|bag| (bag.len() as f64).exp2()).sum()
    }

    /// By variable of the block, how far the nearest of its bags is from the one in the middle; and the variables in the order of a walk
    /// from there, branch by branch.
    fn cut(&self) -> (Vec<u32>, Vec<u32>) {
        let parents = self.parents();
        let mut distances = self.distances_up(&parents);
        for &variable in self.own_order().iter().rev() {
            if distances[variable as usize] == NONE {
                distances[variable as usize] = 1 + distances[parents[variable as usize] as usize];
            }
        }
        let mut nearest = distances.clone();
        for &variable in self.own_order() {
            for &one in &self.bags[variable as usize] {
                let nearest = &mut nearest[one as usize];
                *nearest = distances[variable as usize].min(*nearest);
            }
        }
        (nearest, self.walk(&parents, &distances))
    }

    /// The variables of the block as a walk that begins in the middle comes to their bags.
    fn walk(&self, parents: &[u32], distances: &[u32]) -> Vec<u32> {
        let mut neighbours = vec![Vec::new(); self.own];
        for &variable in self.own_order() {
            let parent = parents[variable as usize];
            if parent != NONE {
                neighbours[variable as usize].push(parent);
                neighbours[parent as usize].push(variable);
            }
        }
        let mut waiting = self.own_order().to_vec();
        waiting.retain(|&variable| distances[variable as usize] == 0);
        let (mut walk, mut is_met, mut is_seen) =
            (Vec::new(), vec![false; self.own], vec![false; self.own]);
        while let Some(variable) = waiting.pop() {
            if std::mem::replace(&mut is_met[variable as usize], true) {
                continue;
            }
            for &one in self.bags[variable as usize].iter().chain([&variable]) {
                if !std::mem::replace(&mut is_seen[one as usize], true) {
                    walk.push(one);
                }
            }
            waiting.extend(&neighbours[variable as usize]);
        }
        walk
    }

    /// The variable whose bag is next, by variable.
    fn parents(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.order.len()];
        for (rank, &variable) in self.order.iter().enumerate() {
            ranks[variable as usize] = rank;
        }
        let next = |bag: &Vec<u32>| bag.iter().copied().min_by_key(|&one| ranks[one as usize]);
        let bags = self.bags.iter();
        bags.map(|bag| next(bag).unwrap_or(NONE)).collect()
    }

    /// By variable of the block, the distances of bags from the one in the middle, on the way up from there to the root of their tree.
    fn distances_up(&self, parents: &[u32]) -> Vec<u32> {
        // How many bags are below each, with itself.
        let mut below = vec![1; parents.len()];
        for &variable in &self.order {
            if parents[variable as usize] != NONE {
                below[parents[variable as usize] as usize] += below[variable as usize];
            }
        }
        let mut roots = vec![NONE; self.own];
        for &variable in self.own_order().iter().rev() {
            roots[variable as usize] = match parents[variable as usize] {
                NONE => variable,
                parent => roots[parent as usize],
            };
        }
        let mut distances = vec![NONE; self.own];
        for &variable in self.own_order() {
            let root = roots[variable as usize] as usize;
            // The first with at least half of the bags below: there are fewer below each of its children.
            if distances[root] == NONE && 2 * below[variable as usize] >= below[root] {
                let mut next = variable;
                for distance in 0.. {
                    distances[next as usize] = distance;
                    next = parents[next as usize];
                    if next == NONE {
                        break;
                    }
                }
            }
        }
        distances
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use formula::Var;

    fn clauses(edges: &[Vec<usize>]) -> Clauses {
        let mut clauses = Clauses::new();
        for edge in edges {
            clauses.push(edge.iter().map(|&one| Var::new(one).positive()));
        }
        clauses
    }

    fn graph<'a>(blocks: &'a [u32], first: usize, edges: &[Vec<usize>]) -> Graph<'a> {
        let mut graph = Graph::new(blocks, MAX_WORK);
        graph.join_all(first, &clauses(edges)).expect("it is small");
        graph
    }

    fn best(blocks: &[u32], first: usize, edges: &[Vec<usize>]) -> Tree {
        let tree = graph(blocks, first, edges).best();
        tree.expect("it is small")
    }

    fn find(blocks: &[u32], edges: &[Vec<usize>], wanted: Wanted) -> Decomposition {
        Decomposition::find(blocks, &clauses(edges), MAX_WORK, |_| wanted)
    }

    /// The distances of a block.
    fn distances(blocks: &[u32], first: usize, edges: &[Vec<usize>]) -> Vec<u32> {
        best(&blocks[first..], first, edges).cut().0
    }

    fn tree(variables: usize, edges: &[Vec<usize>], rule: Rule) -> Tree {
        let blocks = vec![0; variables];
        let tree = graph(&blocks, 0, edges).eliminate(rule);
        tree.expect("it is small")
    }

    #[test]
    fn a_path_is_cut_in_the_middle() {
        let edges = [vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 4]];
        assert_eq!(distances(&[0; 5], 0, &edges), [2, 1, 0, 0, 1]);
        // Variables of earlier blocks are neighbours of nothing; those of later blocks are.
        let blocks = [0, 1, 1, 1, 2];
        assert_eq!(distances(&blocks, 1, &edges), [1, 0, 0]);
        // Until the block is decided, a later variable holds together what it shares clauses with, unless it is known soon.
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
        assert!(middle.is_some_and(|&worth| worth > 1_000_000 * CLAUSE));
        let clique: Vec<Vec<usize>> = (0..99)
            .flat_map(|one| (one + 1..100).map(move |other| vec![one, other]))
            .collect();
        let found = find(&[0; 100], &clique, Wanted::Yes);
        assert!(!found.widths[0].is_some_and(Width::is_narrow));
        assert_eq!(found.weighted, [0; 100]);
    }

    /// More tries do not make it worse, and make it better somewhere.
    #[test]
    fn the_best_try_counts() {
        let seed = 7;
        let mut random = Rng::with_seed(seed);
        let mut better = 0;
        for round in 0..20 {
            let edges: Vec<Vec<usize>> = (0..90)
                .map(|_| vec![random.usize(0..60), random.usize(0..60)])
                .filter(|edge| edge[0] != edge[1])
                .collect();
            let first = tree(60, &edges, FIRST).cost();
            let best = best(&[0; 60], 0, &edges).cost();
            assert!(best <= first, "seed {seed}, round {round}");
            better += u32::from(best < first);
        }
        assert!(better > 5, "seed {seed}: only {better}");
    }

    const FIRST: Rule = Rule {
        by_degree: false,
        seed: 0,
    };

    /// Graphs that are put together of cliques, each of which shares all but one variable with an earlier one, have bags of the size of a clique.
    #[test]
    fn bags_of_graphs_of_cliques_are_as_small_as_can_be() {
        let seed = 5;
        let mut random = Rng::with_seed(seed);
        for round in 0..300 {
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
            assert_eq!(largest, Some(width), "seed {seed}, round {round}");
        }
    }

    /// By definition: edges and variables of a decomposition, a middle, and the shortest way from there.
    #[test]
    fn distances_are_those_from_the_middle_of_a_decomposition() {
        let seed = 6;
        let mut random = Rng::with_seed(seed);
        for round in 0..1000 {
            let variables = random.usize(1..12);
            let edge = |random: &mut Rng| {
                let width = random.usize(1..4);
                (0..width).map(|_| random.usize(..variables)).collect()
            };
            let edges: Vec<Vec<usize>> = (0..random.usize(0..20))
                .map(|_| edge(&mut random))
                .collect();
            let rule = Rule {
                by_degree: random.bool(),
                seed: random.u64(0..9),
            };
            let tree = tree(variables, &edges, rule);
            let at = format!("seed {seed}, round {round}: {edges:?}");
            let bags: Vec<Vec<usize>> = (0..variables)
                .map(|one| {
                    tree.bags[one]
                        .iter()
                        .map(|&other| other as usize)
                        .chain([one])
                        .collect()
                })
                .collect();
            for edge in &edges {
                let is_inside = |bag: &Vec<usize>| edge.iter().all(|one| bag.contains(one));
                assert!(bags.iter().any(is_inside), "{at}");
            }
            let mut ways = vec![vec![usize::MAX / 2; variables]; variables];
            for (one, &parent) in tree.parents().iter().enumerate() {
                ways[one][one] = 0;
                if parent != NONE {
                    ways[one][parent as usize] = 1;
                    ways[parent as usize][one] = 1;
                }
            }
            for by in 0..variables {
                for from in 0..variables {
                    for to in 0..variables {
                        ways[from][to] = ways[from][to].min(ways[from][by] + ways[by][to]);
                    }
                }
            }
            let is_near = |a: usize, b: usize| ways[a][b] < variables;
            // How many bags the largest part without this one has.
            let largest = |middle: usize| {
                let others = (0..variables).filter(|&one| ways[middle][one] == 1);
                let beyond = |one: usize| {
                    let is_beyond = |&other: &usize| {
                        is_near(one, other) && ways[one][other] < ways[middle][other]
                    };
                    (0..variables).filter(is_beyond).count()
                };
                others.map(beyond).max().unwrap_or(0)
            };
            for (variable, distance) in tree.cut().0.into_iter().enumerate() {
                let own: Vec<usize> = (0..variables)
                    .filter(|&bag| bags[bag].contains(&variable))
                    .collect();
                // On the shortest way between two bags of a variable all are its own.
                for (&one, &other) in own.iter().flat_map(|a| own.iter().map(move |b| (a, b))) {
                    let between =
                        |&bag: &usize| ways[one][bag] + ways[bag][other] == ways[one][other];
                    assert!(is_near(one, other), "{at}");
                    assert!(
                        (0..variables).filter(between).all(|bag| own.contains(&bag)),
                        "{at}"
                    );
                }
                let all = (0..variables).filter(|&bag| is_near(variable, bag));
                let size = all.clone().count();
                let mut middles = all.filter(|&bag| 2 * largest(bag) <= size);
                let is_right = |middle: usize| {
                    let nearest = own.iter().map(|&bag| ways[middle][bag]).min();
                    nearest == Some(distance as usize)
                };
                assert!(middles.any(is_right), "{at}, {variable}");
            }
        }
    }
}
