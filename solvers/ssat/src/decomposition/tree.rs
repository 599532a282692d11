//! The centroid of a tree decomposition, the distances of bags from it, and a depth-first walk from there.
//!
//! A variable and its neighbours when it was eliminated are a bag. The parent of a bag is that of the variable among them that is
//! eliminated next. The *middle* (centroid) is a bag without which no part of the tree has more than half of its bags.

const NONE: u32 = u32::MAX;

/// A tree decomposition, or one for each part of the graph.
pub struct Tree {
    /// The number of variables of the first block, which is to be cut. They are eliminated last.
    pub own: usize,
    /// The variables as they were eliminated.
    pub order: Vec<u32>,
    /// By variable, its neighbours when it was eliminated. They come later in the order.
    pub bags: Vec<Vec<u32>>,
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

    /// The size of the largest bag of the block.
    pub fn largest_bag(&self) -> usize {
        let sizes = self.own_bags().iter().map(|bag| bag.len() + 1);
        sizes.max().unwrap_or(0)
    }

    /// About how many assignments all bags have.
    pub fn cost(&self) -> f64 {
        let bags = self.own_bags().iter();
        bags.map(|bag| (bag.len() as f64).exp2()).sum()
    }

    /// By variable of the block, how far the nearest of its bags is from the one in the middle; and the variables in the order of a walk
    /// from there, branch by branch.
    pub fn cut(&self) -> (Vec<u32>, Vec<u32>) {
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
        // The number of bags below each, with itself.
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
    use super::super::elimination::Rule;
    use super::super::tests::{best, tree};
    use super::NONE;
    use fastrand::Rng;

    /// The distances of a block.
    fn distances(blocks: &[u32], first: usize, edges: &[Vec<usize>]) -> Vec<u32> {
        best(&blocks[first..], first, edges).cut().0
    }

    #[test]
    fn a_path_is_cut_in_the_middle() {
        let edges = [vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 4]];
        assert_eq!(distances(&[0; 5], 0, &edges), [2, 1, 0, 0, 1]);
        // Variables of earlier blocks are neighbours of nothing; those of later blocks are.
        let blocks = [0, 1, 1, 1, 2];
        assert_eq!(distances(&blocks, 1, &edges), [1, 0, 0]);
    }

    /// By definition: edges and variables of a decomposition, a middle, and the shortest way from there.
    #[test]
    fn distances_are_those_from_the_middle_of_a_decomposition() {
        for (seed, mut random) in generators::seeds(6_000_000, 1000) {
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
            let at = format!("seed {seed}: {edges:?}");
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
            // The number of bags of the largest part without this one.
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
