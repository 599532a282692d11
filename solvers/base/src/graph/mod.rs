//! Directed graphs in two flat tables, their strongly connected components, and partitions (union-find).
//!
//! Ground programs and formulas of long games have paths of a million nodes, so nothing here calls
//! itself: the depth-first search keeps its own stack. (The one of `petgraph` recurses.)
//!
//! ```
//! use sqasp_base::graph::Graph;
//!
//! // 0 -> 1 <-> 2
//! let edges = [(0, 1), (1, 2), (2, 1)];
//! let graph = Graph::new(3, |edge| edges.iter().for_each(|&(from, to)| edge(from, to)));
//! let components = graph.components();
//! assert_eq!(components.component_of(1), components.component_of(2));
//! // What a node depends on comes first.
//! assert!(components.component_of(1) < components.component_of(0));
//! ```

mod union_find;

pub use union_find::UnionFind;

/// A directed graph over the nodes `0..node_count`, with the targets of each node side by side.
#[derive(Clone, Debug)]
pub struct Graph {
    starts: Vec<usize>,
    targets: Vec<u32>,
}

impl Graph {
    /// Builds a graph from whatever lists its edges. The edges are listed twice, once to count and
    /// once to store them, and must come out the same both times.
    pub fn new(node_count: usize, list_edges: impl Fn(&mut dyn FnMut(usize, usize))) -> Self {
        let mut starts = vec![0usize; node_count + 1];
        list_edges(&mut |source, _| starts[source + 1] += 1);
        for node in 0..node_count {
            starts[node + 1] += starts[node];
        }
        let mut targets = vec![0u32; starts[node_count]];
        let mut next = starts.clone();
        list_edges(&mut |source, target| {
            targets[next[source]] = target as u32;
            next[source] += 1;
        });
        Graph { starts, targets }
    }

    /// The same edges the other way round.
    pub fn reversed(&self) -> Self {
        Graph::new(self.node_count(), |edge| {
            for source in 0..self.node_count() {
                let targets = self.targets(source).iter();
                targets.for_each(|&target| edge(target as usize, source));
            }
        })
    }

    pub fn node_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The nodes that edges from this node lead to, in the order they were listed.
    #[inline]
    pub fn targets(&self, node: usize) -> &[u32] {
        &self.targets[self.starts[node]..self.starts[node + 1]]
    }

    /// All nodes, each behind its targets, and the most edges of a path from the first node; none if there is a cycle.
    pub fn order(&self) -> Option<(Vec<u32>, u32)> {
        let components = self.components();
        let mut heights = vec![0; self.node_count()];
        for members in components.iter() {
            let &[node] = members else {
                return None;
            };
            let targets = self.targets(node as usize);
            if targets.contains(&node) {
                return None;
            }
            let highest = targets.iter().map(|&target| heights[target as usize] + 1);
            heights[node as usize] = highest.max().unwrap_or(0);
        }
        Some((components.members, heights.first().copied().unwrap_or(0)))
    }

    /// The strongly connected components (Tarjan 1972; nodes are kept when they are left, as by Nuutila and Soisalon-Soininen 1994).
    pub fn components(&self) -> Components {
        const UNSEEN: u32 = u32::MAX;
        let count = self.node_count();
        let mut low = vec![UNSEEN; count];
        let mut component_of = vec![UNSEEN; count];
        let mut members = Vec::with_capacity(count);
        let mut ends = Vec::new();
        let mut open: Vec<u32> = Vec::new();
        // Nodes on the way down: each with its own number, the position of its next edge, and how many nodes were open before.
        let mut path: Vec<(u32, u32, usize, usize)> = Vec::new();
        let mut number = 0;
        for root in 0..count {
            if low[root] != UNSEEN {
                continue;
            }
            path.push((root as u32, number, self.starts[root], 0));
            low[root] = number;
            number += 1;
            while let Some((node, own, edge, first)) = path.last_mut() {
                let (node, own, first) = (*node as usize, *own, *first);
                if *edge < self.starts[node + 1] {
                    let target = self.targets[*edge] as usize;
                    *edge += 1;
                    if low[target] == UNSEEN {
                        low[target] = number;
                        path.push((target as u32, number, self.starts[target], open.len()));
                        number += 1;
                    } else if component_of[target] == UNSEEN {
                        low[node] = low[node].min(low[target]);
                    }
                    continue;
                }
                path.pop();
                open.push(node as u32);
                if low[node] == own {
                    for member in open.drain(first..) {
                        component_of[member as usize] = ends.len() as u32;
                        members.push(member);
                    }
                    ends.push(members.len());
                }
                if let Some(&(parent, ..)) = path.last() {
                    let parent = parent as usize;
                    low[parent] = low[parent].min(low[node]);
                }
            }
        }
        Components {
            component_of,
            members,
            ends,
        }
    }
}

/// The strongly connected components of a graph, in an order in which every edge leads to the
/// same or an earlier component.
#[derive(Clone, Debug)]
pub struct Components {
    component_of: Vec<u32>,
    members: Vec<u32>,
    ends: Vec<usize>,
}

impl Components {
    /// The position of the component with this node.
    #[inline]
    pub fn component_of(&self, node: usize) -> u32 {
        self.component_of[node]
    }

    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The nodes of each component, in the order in which a depth-first search leaves them: most come after those that they lead to.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.count()).map(|index| {
            let start = index
                .checked_sub(1)
                .map_or(0, |previous| self.ends[previous]);
            &self.members[start..self.ends[index]]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn components(node_count: usize, edges: &[(usize, usize)]) -> Vec<Vec<u32>> {
        let graph = Graph::new(node_count, |edge| {
            edges.iter().for_each(|&(a, b)| edge(a, b))
        });
        let components = graph.components();
        let mut result: Vec<Vec<u32>> = components.iter().map(<[u32]>::to_vec).collect();
        for (index, members) in result.iter_mut().enumerate() {
            members.sort_unstable();
            for &member in members.iter() {
                assert_eq!(components.component_of(member as usize), index as u32);
            }
        }
        result
    }

    #[test]
    fn dependencies_come_first() {
        assert_eq!(components(3, &[(0, 1), (1, 2)]), [[2], [1], [0]]);
        assert_eq!(
            components(5, &[(0, 1), (1, 2), (2, 1), (2, 3), (4, 0), (4, 4)]),
            [vec![3], vec![1, 2], vec![0], vec![4]]
        );
        assert_eq!(
            components(4, &[(0, 1), (1, 2), (2, 3), (3, 0), (1, 3)]).len(),
            1
        );
    }

    #[test]
    fn members_come_after_those_that_they_lead_to() {
        let members = |count, edges: &[(usize, usize)]| {
            let graph = Graph::new(count, |edge| edges.iter().for_each(|&(a, b)| edge(a, b)));
            let components = graph.components();
            components.iter().map(<[u32]>::to_vec).collect::<Vec<_>>()
        };
        // 2 leads back to 0, where the search began.
        assert_eq!(members(3, &[(0, 1), (1, 2), (2, 0)]), [[2, 1, 0]]);
        // A component that is finished on the way leaves the order of the other as it is.
        let edges = [(0, 1), (1, 2), (2, 3), (3, 2), (1, 4), (4, 0)];
        assert_eq!(members(5, &edges), [vec![3, 2], vec![4, 1, 0]]);
    }

    #[test]
    fn reversing_turns_edges_round() {
        let edges = [(0, 1), (2, 1), (1, 0), (2, 2)];
        let graph = Graph::new(3, |edge| edges.iter().for_each(|&(a, b)| edge(a, b)));
        let reversed = graph.reversed();
        let targets: Vec<&[u32]> = (0..3).map(|node| reversed.targets(node)).collect();
        assert_eq!(targets, [&[1][..], &[0, 2], &[2]]);
    }

    #[test]
    fn random_graphs_have_the_components_of_mutual_reachability() {
        for (seed, mut random) in generators::seeds(0, 500) {
            let count = random.usize(1..9);
            let edges: Vec<(usize, usize)> = (0..random.usize(0..2 * count))
                .map(|_| (random.usize(..count), random.usize(..count)))
                .collect();
            let mut reach = vec![vec![false; count]; count];
            for (node, row) in reach.iter_mut().enumerate() {
                row[node] = true;
            }
            for &(source, target) in &edges {
                reach[source][target] = true;
            }
            for middle in 0..count {
                for source in 0..count {
                    for target in 0..count {
                        reach[source][target] |= reach[source][middle] && reach[middle][target];
                    }
                }
            }
            let found = components(count, &edges);
            let index = |node: usize| found.iter().position(|c| c.contains(&(node as u32)));
            for (a, row) in reach.iter().enumerate() {
                for (b, &there) in row.iter().enumerate() {
                    let together = there && reach[b][a];
                    assert_eq!(index(a) == index(b), together, "seed {seed}");
                    assert!(!there || index(b) <= index(a), "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let count = 1_000_000;
        let graph = Graph::new(count, |edge| {
            (1..count).for_each(|node| edge(node - 1, node))
        });
        assert_eq!(graph.components().iter().count(), count);
    }
}
