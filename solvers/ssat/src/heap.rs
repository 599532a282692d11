//! A heap of variables from which the most active one is taken, and whose activities may grow
//! while they are in it.
//!
//! A variable becomes more active with every conflict it takes part in, by a step that itself
//! grows from conflict to conflict, so that the recent past counts more (VSIDS). Activities are
//! whole numbers; when they get large, all are scaled down alike.

const LARGEST: u64 = 1 << 56;
const SCALE: u32 = 40;

/// Activities of all variables, and the heap of some.
#[derive(Clone)]
pub struct Heap {
    activities: Vec<u64>,
    step: u64,
    heap: Vec<u32>,
    /// The index in the heap, by variable.
    indices: Vec<u32>,
}

const OUTSIDE: u32 = u32::MAX;

impl Heap {
    /// An empty heap for this many variables.
    pub fn new(variables: usize) -> Self {
        Heap {
            activities: vec![0; variables],
            step: 1 << 12,
            heap: Vec::new(),
            indices: vec![OUTSIDE; variables],
        }
    }

    /// How active a variable is, in units of the present step.
    pub fn activity(&self, variable: usize) -> u64 {
        self.activities[variable] / (self.step >> 6)
    }

    /// Makes a variable more active.
    pub fn bump(&mut self, variable: usize) {
        self.activities[variable] += self.step;
        if self.activities[variable] > LARGEST {
            self.scale_down();
        }
        if self.indices[variable] != OUTSIDE {
            self.rise(self.indices[variable] as usize);
        }
    }

    /// Makes all activities count less against later ones.
    pub fn decay(&mut self) {
        self.step += self.step >> 4;
        if self.step > LARGEST {
            self.scale_down();
        }
    }

    fn scale_down(&mut self) {
        self.activities.iter_mut().for_each(|a| *a >>= SCALE);
        self.step = (self.step >> SCALE).max(1 << 12);
    }

    pub fn clear(&mut self) {
        for &variable in &self.heap {
            self.indices[variable as usize] = OUTSIDE;
        }
        self.heap.clear();
    }

    /// Puts a variable in, if it is not.
    pub fn insert(&mut self, variable: usize) {
        if self.indices[variable] == OUTSIDE {
            self.indices[variable] = self.heap.len() as u32;
            self.heap.push(variable as u32);
            self.rise(self.heap.len() - 1);
        }
    }

    /// Takes the most active variable out.
    pub fn pop(&mut self) -> Option<usize> {
        let first = *self.heap.first()?;
        let last = self.heap.pop().expect("it is not empty");
        self.indices[first as usize] = OUTSIDE;
        if first != last {
            self.heap[0] = last;
            self.indices[last as usize] = 0;
            self.sink();
        }
        Some(first as usize)
    }

    /// Whether the first variable is to be taken before the second.
    fn before(&self, first: u32, second: u32) -> bool {
        let activity = |variable: u32| self.activities[variable as usize];
        (activity(second), first) < (activity(first), second)
    }

    fn swap(&mut self, first: usize, second: usize) {
        self.heap.swap(first, second);
        self.indices[self.heap[first] as usize] = first as u32;
        self.indices[self.heap[second] as usize] = second as u32;
    }

    fn rise(&mut self, mut index: usize) {
        while index > 0 && self.before(self.heap[index], self.heap[(index - 1) / 2]) {
            self.swap(index, (index - 1) / 2);
            index = (index - 1) / 2;
        }
    }

    fn sink(&mut self) {
        let mut index = 0;
        loop {
            let children = 2 * index + 1..(2 * index + 3).min(self.heap.len());
            let best = children.reduce(|left, right| {
                if self.before(self.heap[right], self.heap[left]) {
                    right
                } else {
                    left
                }
            });
            match best {
                Some(child) if self.before(self.heap[child], self.heap[index]) => {
                    self.swap(index, child);
                    index = child;
                }
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_active_comes_first() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut heap = Heap::new(50);
        (0..50).for_each(|variable| heap.insert(variable));
        for _ in 0..5000 {
            heap.bump(random.usize(0..50));
            heap.decay();
        }
        let order: Vec<usize> = std::iter::from_fn(|| heap.pop()).collect();
        assert_eq!(order.len(), 50);
        for pair in order.windows(2) {
            let activity = |index: usize| heap.activities[pair[index]];
            assert!(activity(0) >= activity(1), "seed 1: {order:?}");
        }
    }
}
