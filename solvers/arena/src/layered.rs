//! Layers of states for callers that keep them elsewhere, such as on disk: the successors of a batch of states, and
//! the values of a chunk of states from those of their successors.
//!
//! ```text
//! Forwards     states of layer n --expand--> keys and states of layer n-1, shares of chance that occur
//! Backwards    states of layer n --add--> keys needed of layer n-1, each once; their values --finish--> values of layer n
//! ```
//!
//! `sweep` does both in memory. Here nothing is remembered but the batch, or the chunk (`chunk`). Every state that can be reached is listed, also behind states that are settled already.

use crate::batch::Batch;
use crate::bounds::MAX_BATCH;
use crate::chunk::{Chunk, KNOWN};
use crate::denominators::{Denominators, NewShare, NoScale, Scale};
use crate::expansion::Refusal;
use crate::game::{StochasticGame, set_key};
use crate::tree::Tree;
use base::table::Interner;
use base::value::{Numerator, fraction};
use limits::Limits;
use num_rational::BigRational;
use std::collections::BTreeSet;

/// Expands states of a layer forwards: which states follow, and which shares of chance occur.
pub struct Forwards<'a, G: StochasticGame> {
    batch: Batch<'a, G, u64>,
    scale: Scale<u64>,
    limits: Limits,
    layer: usize,
    /// The shares of chance that occurred so far.
    pub shares: BTreeSet<NewShare>,
}

impl<'a, G: StochasticGame> Forwards<'a, G> {
    /// For states of a layer (1 or more).
    pub fn new(game: &'a G, layer: usize, limits: Limits) -> Self {
        Forwards {
            batch: Batch::surveying(game, MAX_BATCH),
            scale: Scale::blank(game),
            limits,
            layer,
            shares: BTreeSet::new(),
        }
    }

    /// Whether some play was not over though nothing is left to do.
    pub fn cuts_off(&self) -> bool {
        self.batch.cuts_off
    }

    /// Expands some states, one behind the other in `states`. `found` gets each successor, as often as it follows: the hash of its key, the key and
    /// its words.
    pub fn expand(
        &mut self,
        mut states: &[u64],
        mut found: impl FnMut(u64, &[u64], &[u64]),
    ) -> Result<(), Refusal> {
        let (batch, layer) = (&mut self.batch, self.layer);
        let game = batch.game;
        let rows = game.rows(layer - 1);
        while batch.load_next(&mut states, layer, &1) {
            let expanded = batch.expand(&self.scale, layer, &self.limits, None);
            let survey = batch.survey.as_mut().expect("it is a surveying batch");
            self.shares.extend(survey.shares.drain(..));
            expanded?;
            if let Some(state) = survey.flaw {
                return Err(Refusal::Flaw(state));
            }
            let tree = &mut batch.tree;
            for node in batch.roots.len()..tree.nodes.len() {
                if tree.nodes[node].is_open() {
                    let hash = set_key(game, tree, node, layer - 1);
                    found(hash, tree.key(node, rows), tree.state(node, rows));
                }
            }
        }
        Ok(())
    }
}

/// Makes the keys of all states that follow in a tree, and brings the places near at which they will be numbered: the processor waits for
/// many places of memory together.
fn make_keys<G: StochasticGame, N: Numerator>(
    batch: &mut Batch<'_, G, N>,
    layer: usize,
    numbers: &Interner,
) {
    let (game, tree) = (batch.game, &mut batch.tree);
    let rows = game.rows(layer - 1);
    let all = batch.roots.len()..tree.nodes.len();
    for node in all.clone() {
        if tree.nodes[node].is_open() {
            numbers.touch(set_key(game, tree, node, layer - 1));
        }
    }
    for node in all {
        if tree.nodes[node].is_open() {
            numbers.touch_key(tree.hash(node, rows));
        }
    }
}

/// Values states of a layer, a chunk at a time, from the values of the layer behind it.
pub struct Backwards<'a, G: StochasticGame, N> {
    batch: Batch<'a, G, N>,
    scale: Scale<N>,
    limits: Limits,
    layer: usize,
    /// Its leaves are keys needed.
    chunk: Chunk<N>,
    wanted: Interner,
}

impl<'a, G: StochasticGame, N: Numerator> Backwards<'a, G, N> {
    /// For layers up to this one, with denominators that are all known.
    pub fn new(
        game: &'a G,
        denominators: &Denominators,
        layers: usize,
        limits: Limits,
    ) -> Result<Self, NoScale> {
        let go_on = |_| !limits.is_over();
        Ok(Backwards {
            batch: Batch::new(game, MAX_BATCH),
            scale: Scale::new(game, denominators, layers, go_on)?,
            limits,
            layer: layers,
            chunk: Chunk::default(),
            wanted: Interner::new(1),
        })
    }

    /// Turns to a layer, with an empty chunk.
    pub fn turn_to(&mut self, layer: usize) {
        let game = self.batch.game;
        let key = game.rows(layer - 1).key().len();
        self.layer = layer;
        self.chunk = Chunk::default();
        self.wanted = Interner::new(key.max(1));
    }

    /// Adds states to the chunk, one behind the other in `states`.
    ///
    /// # Errors
    /// If one of them has no value, a share of chance is not among the denominators, there is too much to hold, or it is time to end.
    pub fn add(&mut self, mut states: &[u64]) -> Result<(), Refusal> {
        let (layer, wanted) = (self.layer, &mut self.wanted);
        let game = self.batch.game;
        let rows = game.rows(layer - 1);
        let one = &self.scale.ones[layer];
        while self.batch.load_next(&mut states, layer, one) {
            self.batch.expand(&self.scale, layer, &self.limits, None)?;
            make_keys(&mut self.batch, layer, wanted);
            let number = |tree: &mut Tree<N>, node: usize| {
                let (key, hash) = (tree.key(node, rows), tree.hash(node, rows));
                let number = wanted.number_of_hash(key, hash);
                match number < KNOWN {
                    true => Ok(number),
                    false => Err(Refusal::TooLarge),
                }
            };
            self.chunk.add_all(&mut self.batch, number)?;
        }
        Ok(())
    }

    /// The keys whose values are needed, each once.
    pub fn wanted(&self) -> &Interner {
        &self.wanted
    }

    /// The bytes that the chunk takes without the keys that are needed.
    pub fn bytes(&self) -> usize {
        self.chunk.bytes()
    }

    /// Calls `visit` with the choices in each state of the chunk, in order, where the maximizer and the minimizer choose at the same time, a row
    /// and a column: the number of columns, and for each cell, row by row, indices of the values that may follow, with weights whose
    /// sum all cells share. `behind` has the values of the keys that are needed; those that are known are added. The
    /// chunk is empty then.
    ///
    /// # Errors
    /// If `visit` fails, or chance is not last to move in a state.
    pub fn finish_matrices<E: From<Refusal>>(
        &mut self,
        behind: &mut Vec<BigRational>,
        mut visit: impl FnMut(usize, Vec<Vec<(u32, u64)>>, &[BigRational]) -> Result<(), E>,
    ) -> Result<(), E> {
        let first_known = behind.len() as u32;
        let one = self.scale.ones[self.layer - 1].to_big();
        let known = self.chunk.known().iter();
        behind.extend(known.map(|value| fraction(value.to_big(), one.clone())));
        self.chunk
            .matrices(first_known, |columns, cells| visit(columns, cells, behind))?;
        self.chunk.clear();
        self.wanted.clear();
        Ok(())
    }

    /// Calls `visit` with the values of the states of the chunk, in order, given those of the keys that are needed, in parts of the layer just below;
    /// the chunk is empty then.
    pub fn finish(&mut self, behind: &[N], visit: impl FnMut(N)) {
        self.chunk.values(|number| &behind[number as usize], visit);
        self.chunk.clear();
        self.wanted.clear();
    }
}
