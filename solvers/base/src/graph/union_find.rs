//! A partition of numbers, by union-find with path halving (Tarjan and van Leeuwen 1984).

/// A partition of the numbers below some bound. The smallest number of a set stands for it.
pub struct UnionFind {
    parents: Vec<u32>,
}

impl UnionFind {
    /// Every number alone.
    pub fn new(count: usize) -> Self {
        UnionFind {
            parents: (0..count as u32).collect(),
        }
    }

    /// The smallest number of the set of this one.
    #[inline]
    pub fn find(&mut self, mut number: u32) -> u32 {
        loop {
            let parent = self.parents[number as usize];
            if parent == number {
                return number;
            }
            let grandparent = self.parents[parent as usize];
            self.parents[number as usize] = grandparent;
            number = grandparent;
        }
    }

    #[inline]
    pub fn join(&mut self, first: u32, second: u32) {
        let [first, second] = [first, second].map(|number| self.find(number));
        self.parents[first.max(second) as usize] = first.min(second);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_numbers_have_one_representative() {
        let mut union = UnionFind::new(6);
        union.join(4, 2);
        union.join(5, 4);
        union.join(0, 1);
        let found: Vec<u32> = (0..6).map(|number| union.find(number)).collect();
        assert_eq!(found, [0, 0, 2, 3, 2, 2]);
    }

    #[test]
    fn a_long_chain_takes_no_quadratic_time() {
        let mut union = UnionFind::new(1_000_000);
        for number in (1..1_000_000).rev() {
            union.join(number, number - 1);
        }
        assert_eq!(union.find(999_999), 0);
    }
}
