//! Sets of things that belong together (union-find with path halving): which variables hang
//! together through clauses.

/// A partition of the numbers below some bound.
pub struct Union {
    parents: Vec<u32>,
}

impl Union {
    /// Every number alone.
    pub fn new(count: usize) -> Self {
        Union {
            parents: (0..count as u32).collect(),
        }
    }

    /// The number that stands for the set of this one.
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

    /// Joins two sets; the smallest number stands for the new one.
    #[inline]
    pub fn join(&mut self, first: u32, second: u32) {
        let first = self.find(first);
        self.join_root(first, second);
    }

    /// The same for a number that stands for its set; gives the number that stands for the new set.
    #[inline]
    pub fn join_root(&mut self, root: u32, number: u32) -> u32 {
        let other = self.find(number);
        let (low, high) = (root.min(other), root.max(other));
        self.parents[high as usize] = low;
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_numbers_have_one_representative() {
        let mut union = Union::new(6);
        union.join(4, 2);
        union.join(5, 4);
        union.join(0, 1);
        let found: Vec<u32> = (0..6).map(|number| union.find(number)).collect();
        assert_eq!(found, [0, 0, 2, 3, 2, 2]);
    }

    #[test]
    fn a_long_chain_takes_no_quadratic_time() {
        let mut union = Union::new(1_000_000);
        for number in (1..1_000_000).rev() {
            union.join(number, number - 1);
        }
        assert_eq!(union.find(999_999), 0);
    }
}
