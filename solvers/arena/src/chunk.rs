//! Chunks of a layer, for backward induction: for each state the shape of its tree ([`Shape`]), and a number for each leaf.
//!
//! A leaf is a state that follows, with a number that the caller gives it, or a value that is known.

use crate::batch::Batch;
use crate::bounds::KEPT_BYTES;
use crate::expansion::Refusal;
use crate::game::StochasticGame;
use crate::shape::{MatrixShape, Shape, Shapes, is_leaf};
use crate::tree::Tree;
use base::value::Numerator;
use rustc_hash::FxHashMap;

/// Numbers from here on stand for values that are known.
pub const KNOWN: u32 = 1 << 31;

/// The slots of the cache of known values, as a power of 2. There are few values, and they come again soon.
const SLOT_BITS: u32 = 6;

/// Some states of a layer.
pub struct Chunk<N> {
    /// The shape of each.
    states: Vec<u32>,
    shapes: Vec<Shape<N>>,
    shape_bytes: usize,
    seen: Shapes,
    /// The leaves of all states.
    leaves: Vec<u32>,
    known: Vec<N>,
    /// Places in `known`, by hash.
    recent: [u32; 1 << SLOT_BITS],
}

impl<N> Default for Chunk<N> {
    fn default() -> Self {
        Chunk {
            states: Vec::new(),
            shapes: Vec::new(),
            shape_bytes: 0,
            seen: Shapes::default(),
            leaves: Vec::new(),
            known: Vec::new(),
            recent: [0; 1 << SLOT_BITS],
        }
    }
}

impl<N: Numerator> Chunk<N> {
    pub fn len(&self) -> usize {
        self.states.len()
    }

    pub fn bytes(&self) -> usize {
        let lists = 4 * (self.states.len() + self.leaves.len());
        size_of::<Self>() + lists + self.shape_bytes + self.known.len() * size_of::<N>()
    }

    /// Adds the states of a batch, which was expanded. `number` gives the number, less than [`KNOWN`], of the state at a leaf.
    pub fn add_all<G: StochasticGame, E: From<Refusal>>(
        &mut self,
        batch: &mut Batch<'_, G, N>,
        mut number: impl FnMut(&mut Tree<N>, usize) -> Result<u32, E>,
    ) -> Result<(), E> {
        let mut roots = batch.roots.iter();
        roots.try_for_each(|&root| self.add(&mut batch.tree, root as usize, &mut number))
    }

    fn add<E: From<Refusal>>(
        &mut self,
        tree: &mut Tree<N>,
        root: usize,
        number: &mut impl FnMut(&mut Tree<N>, usize) -> Result<u32, E>,
    ) -> Result<(), E> {
        let before = self.shapes.len();
        if tree.nodes[root].is_known() {
            self.states.push(self.seen.settled(&mut self.shapes));
            let leaf = self.number_of_known(&tree.nodes[root].lower)?;
            self.leaves.push(leaf);
        } else {
            self.states.push(self.seen.of(tree, root, &mut self.shapes));
            for node in tree.all_below(root) {
                let here = &tree.nodes[node];
                if is_leaf(here) {
                    let leaf = match here.is_known() {
                        true => self.number_of_known(&here.lower)?,
                        false => number(tree, node)?,
                    };
                    self.leaves.push(leaf);
                }
            }
        }
        self.shape_bytes += self.shapes[before..]
            .iter()
            .map(Shape::bytes)
            .sum::<usize>();
        Ok(())
    }

    /// The number that stands for a known value.
    fn number_of_known(&mut self, value: &N) -> Result<u32, Refusal> {
        // A rough number is enough to find it by; which number it is, is compared exactly.
        let rough = value.approximately().to_bits();
        let folded = rough ^ rough >> 32;
        let hash = folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SLOT_BITS);
        let slot = &mut self.recent[hash as usize];
        if self.known.get(*slot as usize) != Some(value) {
            *slot = self.known.len() as u32;
            self.known.push(value.clone());
        }
        let number = KNOWN.checked_add(*slot);
        number.ok_or(Refusal::TooLarge)
    }

    /// Drops the states, and keeps shapes and values that others of the same layer may have too.
    pub fn clear(&mut self) {
        if self.shape_bytes + self.known.len() * size_of::<N>() > KEPT_BYTES {
            *self = Chunk::default();
        }
        self.states.clear();
        self.leaves.clear();
    }

    /// Drops what is of use only while states are added.
    pub fn seal(&mut self) {
        self.seen = Shapes::default();
        self.states.shrink_to_fit();
        self.leaves.shrink_to_fit();
        self.known.shrink_to_fit();
    }

    /// Calls `visit` with the choices in each state, in order, as those of a matrix game: the columns, and for each cell the numbers of leaves with
    /// weights. Those of values that are known begin with `first_known`.
    ///
    /// # Errors
    /// If `visit` fails, or the order of moves is not maximizer, minimizer, chance.
    pub fn matrices<E: From<Refusal>>(
        &self,
        first_known: u32,
        mut visit: impl FnMut(usize, Vec<Vec<(u32, u64)>>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut matrices: FxHashMap<u32, Option<MatrixShape>> = FxHashMap::default();
        let mut first = 0;
        for &shape in &self.states {
            let leaves = &self.leaves[first..][..self.shapes[shape as usize].leaves];
            first += leaves.len();
            let matrix = matrices.entry(shape);
            let matrix = matrix.or_insert_with(|| self.shapes[shape as usize].matrix());
            let matrix = matrix.as_ref().ok_or(Refusal::TooLarge)?;
            let number = |&(leaf, weight): &(u32, u64)| {
                let number = leaves[leaf as usize];
                let known = number.checked_sub(KNOWN);
                (known.map_or(number, |known| first_known + known), weight)
            };
            let cells = matrix.cells.iter();
            let cells = cells.map(|cell| cell.iter().map(number).collect());
            visit(matrix.columns, cells.collect())?;
        }
        Ok(())
    }

    /// The values that are known, in the order of their numbers.
    pub fn known(&self) -> &[N] {
        &self.known
    }

    /// Calls `visit` with the values of the states, in order. `behind` has those of states that follow, by number.
    pub fn values<'b>(&'b self, behind: impl Fn(u32) -> &'b N, mut visit: impl FnMut(N)) {
        let (mut first, mut values) = (0, Vec::new());
        for &shape in &self.states {
            let shape = &self.shapes[shape as usize];
            let leaves = &self.leaves[first..first + shape.leaves];
            first += shape.leaves;
            let value = |&number: &u32| match number.checked_sub(KNOWN) {
                Some(known) => &self.known[known as usize],
                None => behind(number),
            };
            visit(shape.value(leaves.iter().map(value), &mut values));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_kept_once_and_many_are_found() {
        let mut chunk = Chunk::<u128>::default();
        for round in 0..1000 {
            // Their last words are equal.
            let value = (round % 3) << 100;
            let number = chunk.number_of_known(&value).expect("there is room");
            assert_eq!(chunk.known[(number - KNOWN) as usize], value);
        }
        assert!(chunk.known.len() <= 3 * 3, "{}", chunk.known.len());
        for value in 0..10_000 {
            let number = chunk.number_of_known(&value).expect("there is room");
            assert_eq!(chunk.known[(number - KNOWN) as usize], value);
        }
    }
}
