//! Tree decomposition by min-fill elimination: for each variable the distance from the middle, where a formula is to be cut.
//!
//! Variables that share a clause are neighbours. A *tree decomposition* of this graph is a tree whose nodes have sets of variables,
//! *bags*: the two of any edge are together in some bag, and the bags of a variable hang together. So if all variables of a bag are
//! decided, what is left falls apart into the branches of the tree at this bag. To decide the variables of a bag in the
//! middle first, and then those beside it, cuts a formula into halves again and again, and what is left of a cut depends on
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
//! steps away are not counted anew). A variable and its neighbours at that time are a bag, and its parent is the bag of the one among
//! them that is eliminated next. The middle is a bag without which no part of the tree has more than half of its bags.
//!
//! Only variables that may be decided together count against one another: each block has a decomposition of its own, of what
//! is left when all blocks before it are decided.
//!
//! (Korhonen and Järvisalo 2021 decide by this distance in counting models; min-fill: Rose 1972.)

use formula::Lit;
use std::collections::BTreeSet;

/// Entries of lists that are looked at before it is given up, about a twentieth of a second: then bags are too large to be of use.
const MAX_WORK: u64 = 100_000_000;

/// Entries that lists of neighbours may have, and the bytes of each; vectors grow by doubling.
const MAX_ENTRIES: usize = 2_000_000;
const ENTRY_BYTES: usize = 8;

const NONE: u32 = u32::MAX;

/// The most memory that [`distances`] takes for this many variables, in bytes.
pub fn room(variables: usize) -> u64 {
    (ENTRY_BYTES * MAX_ENTRIES + 128 * variables) as u64
}

/// By variable, the distance from the middle of the decomposition of its block, for blocks of variables where `is_wanted`; 0 for
/// other variables, and for all that are left if it takes too long. Blocks do not decrease from variable to variable.
pub fn distances<'a>(
    blocks: &[u32],
    is_wanted: &[bool],
    clauses: impl Iterator<Item = &'a [Lit]> + Clone,
) -> Vec<u32> {
    let mut distances = vec![0; blocks.len()];
    let mut work = 0;
    let mut start = 0;
    for block in blocks.chunk_by(|a, b| a == b) {
        let end = start + block.len();
        if is_wanted[start..end].contains(&true) {
            let Some(mut graph) = Graph::new(start..blocks.len(), clauses.clone(), work) else {
                break;
            };
            let Some(tree) = graph.eliminate() else {
                break;
            };
            work = graph.work;
            distances[start..end].copy_from_slice(&tree.distances()[..block.len()]);
        }
        start = end;
    }
    distances
}

/// Neighbours, by variable; those before the first one are left out.
struct Graph {
    neighbours: Vec<Vec<u32>>,
    /// How many entries lists of neighbours have had.
    entries: usize,
    /// By variable, when it was marked last, and the present time.
    marks: Vec<u32>,
    now: u32,
    work: u64,
}

impl Graph {
    /// The variables of a range; nothing if there is too much to do.
    fn new<'a>(
        range: std::ops::Range<usize>,
        clauses: impl Iterator<Item = &'a [Lit]>,
        work: u64,
    ) -> Option<Self> {
        let mut graph = Graph {
            neighbours: vec![Vec::new(); range.len()],
            entries: 0,
            marks: vec![0; range.len()],
            now: 0,
            work,
        };
        for clause in clauses {
            let variables = clause.iter().map(|literal| literal.var().index());
            let inside = variables.filter_map(|variable| variable.checked_sub(range.start));
            for one in inside.clone() {
                for other in inside.clone().filter(|&other| other != one) {
                    graph.join(one as u32, other as u32)?;
                }
            }
            graph.spend(clause.len())?;
        }
        for list in &mut graph.neighbours {
            list.sort_unstable();
            list.dedup();
        }
        Some(graph)
    }

    fn spend(&mut self, work: usize) -> Option<()> {
        self.work += work as u64;
        (self.work <= MAX_WORK).then_some(())
    }

    fn join(&mut self, one: u32, other: u32) -> Option<()> {
        self.entries += 1;
        self.neighbours[one as usize].push(other);
        (self.entries <= MAX_ENTRIES).then_some(())
    }

    /// How many edges between its neighbours are missing.
    fn missing(&mut self, variable: u32) -> Option<usize> {
        self.now += 1;
        let list = &self.neighbours[variable as usize];
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

    /// Eliminates all variables.
    fn eliminate(&mut self) -> Option<Tree> {
        let count = self.neighbours.len();
        let mut missing = Vec::with_capacity(count);
        for variable in 0..count as u32 {
            missing.push(self.missing(variable)?);
        }
        let mut queue: BTreeSet<(usize, u32)> = missing.iter().copied().zip(0..).collect();
        let mut tree = Tree {
            order: Vec::with_capacity(count),
            bags: vec![Vec::new(); count],
        };
        while let Some((_, variable)) = queue.pop_first() {
            let bag = std::mem::take(&mut self.neighbours[variable as usize]);
            for &one in &bag {
                self.connect(one, variable, &bag)?;
            }
            for &one in &bag {
                queue.remove(&(missing[one as usize], one));
                missing[one as usize] = self.missing(one)?;
                queue.insert((missing[one as usize], one));
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
    /// The variables as they were eliminated.
    order: Vec<u32>,
    /// By variable, its neighbours when it was eliminated. They come later in the order.
    bags: Vec<Vec<u32>>,
}

impl Tree {
    /// By variable, how far the nearest of its bags is from the one in the middle.
    fn distances(&self) -> Vec<u32> {
        let parents = self.parents();
        let mut distances = self.distances_up(&parents);
        for &variable in self.order.iter().rev() {
            if distances[variable as usize] == NONE {
                distances[variable as usize] = 1 + distances[parents[variable as usize] as usize];
            }
        }
        let mut nearest = distances.clone();
        for &variable in &self.order {
            for &one in &self.bags[variable as usize] {
                let nearest = &mut nearest[one as usize];
                *nearest = distances[variable as usize].min(*nearest);
            }
        }
        nearest
    }

    /// The variable whose bag is next, by variable.
    fn parents(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.order.len()];
        for (rank, &variable) in self.order.iter().enumerate() {
            ranks[variable as usize] = rank;
        }
        let next = |bag: &Vec<u32>| bag.iter().copied().min_by_key(|&one| ranks[one as usize]);
        self.bags
            .iter()
            .map(|bag| next(bag).unwrap_or(NONE))
            .collect()
    }

    /// The distances of bags from the one in the middle, on the way up from there to the root of their tree.
    fn distances_up(&self, parents: &[u32]) -> Vec<u32> {
        // How many bags are below each, with itself.
        let mut below = vec![1; parents.len()];
        for &variable in &self.order {
            if parents[variable as usize] != NONE {
                below[parents[variable as usize] as usize] += below[variable as usize];
            }
        }
        let mut roots = vec![NONE; parents.len()];
        for &variable in self.order.iter().rev() {
            roots[variable as usize] = match parents[variable as usize] {
                NONE => variable,
                parent => roots[parent as usize],
            };
        }
        let mut distances = vec![NONE; parents.len()];
        for &variable in &self.order {
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

    fn clauses(edges: &[Vec<usize>]) -> Vec<Vec<Lit>> {
        let clause = |edge: &Vec<usize>| edge.iter().map(|&one| Var::new(one).positive()).collect();
        edges.iter().map(clause).collect()
    }

    /// The distances if all variables are of one block.
    fn in_one_block(variables: usize, edges: &[Vec<usize>]) -> Vec<u32> {
        let clauses = clauses(edges);
        let clauses = clauses.iter().map(Vec::as_slice);
        distances(&vec![0; variables], &vec![true; variables], clauses)
    }

    fn tree(variables: usize, edges: &[Vec<usize>]) -> Tree {
        let clauses = clauses(edges);
        let graph = Graph::new(0..variables, clauses.iter().map(Vec::as_slice), 0);
        let tree = graph.and_then(|mut graph| graph.eliminate());
        tree.expect("it is small")
    }

    #[test]
    fn a_path_is_cut_in_the_middle() {
        let edges = [vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 4]];
        assert_eq!(in_one_block(5, &edges), [2, 1, 0, 0, 1]);
        // What earlier blocks decide is no neighbour of anything; what later ones decide is.
        let blocks = [0, 1, 1, 1, 2];
        let wanted = [false, true, true, true, false];
        let clauses = clauses(&edges);
        let found = distances(&blocks, &wanted, clauses.iter().map(Vec::as_slice));
        assert_eq!(found, [0, 1, 0, 0, 0]);
    }

    #[test]
    fn too_much_is_given_up() {
        let edges = [vec![0, 1], (0..2000).collect()];
        assert_eq!(in_one_block(2000, &edges), [0; 2000]);
    }

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
            let bags = tree(variables, &cliques).bags;
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
            let tree = tree(variables, &edges);
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
            for (variable, distance) in tree.distances().into_iter().enumerate() {
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
