//! Backward induction in memory: all reachable states, layer by layer, and their values from the last layer to the first.
//!
//! ```text
//! forwards     states of layer n --expand--> those of layer n-1, each listed once
//! backwards    values of layer n-1 --combine--> values of layer n
//! ```
//!
//! Each state remembers its successors by number: those that ended by a number for their value, and the tree above them (its *shape*), which
//! few kinds of states have, once. A state that is settled by successors that ended is not followed further.
//!
//! All of it has to be in memory, some 100 to 300 bytes a state. Layers that were listed give bounds at any time: the states of the first layer
//! that was not expanded count 0 and 1. So the lower bound is the probability to win within some steps, and the upper one what is left of 1 by
//! losing within them. Everything that grows with the number of states counts, and a table that grows counts twice.

use crate::batch::Batch;
use crate::bounds::{CHUNK, MAX_BATCH};
use crate::chunk::{Chunk, KNOWN};
use crate::denominators::Scale;
use crate::expansion::Refusal;
use crate::frontier::{ExpansionContext, Frontier};
use crate::game::StochasticGame;
use crate::tree::Node;
use base::table::Interner;
use base::value::Numerator;
use limits::{Limits, share_out};

/// A layer whose states have all been expanded.
struct Layer<N> {
    states: usize,
    chunks: Vec<Chunk<N>>,
    /// The keys of the states behind.
    behind: Interner,
}

/// The list of the states of some layers, from the first on.
pub struct Sweep<'a, G: StochasticGame, N> {
    game: &'a G,
    threads: usize,
    layers: Vec<Layer<N>>,
    /// The layer that is expanded next, and the words of its states.
    layer: usize,
    states: Vec<u64>,
    frontier: Frontier<'a, G, N>,
    listed: u64,
    /// Bytes of the layers.
    bytes: u64,
    /// Whether some play was not over after the last step.
    pub cuts_off: bool,
}

impl<'a, G: StochasticGame, N: Numerator> Sweep<'a, G, N> {
    /// With a state of a layer.
    pub fn new(game: &'a G, state: &[u64], layer: usize, threads: usize) -> Self {
        Sweep {
            game,
            threads,
            layers: Vec::new(),
            layer,
            states: state[..game.rows(layer).state].to_vec(),
            frontier: Frontier::new(game, layer, threads),
            listed: 1,
            bytes: 0,
            cuts_off: false,
        }
    }

    /// The number of states listed.
    pub fn listed(&self) -> u64 {
        self.listed
    }

    /// The bytes of the list.
    pub fn bytes(&self) -> u64 {
        self.bytes + 8 * self.states.capacity() as u64
    }

    /// The number of states of each layer, from the first on, and of layers that may follow.
    pub fn sizes(&self) -> (Vec<usize>, usize) {
        let present = self.states.len() / self.game.rows(self.layer).state;
        let sizes = self.layers.iter().map(|layer| layer.states);
        (sizes.chain([present]).collect(), self.layer)
    }

    /// Whether all states are listed.
    pub fn is_whole(&self) -> bool {
        self.layer == 0 || self.states.is_empty()
    }

    /// Expands the states of the next layer. `go_on` is called now and then with the number of states so far, and the bytes that they take.
    ///
    /// # Errors
    /// If states are refused, or `go_on` says `false`. Layers that were listed before are still there.
    pub fn list_layer(
        &mut self,
        scale: &Scale<N>,
        memory: u64,
        limits: &Limits,
        mut go_on: impl FnMut(u64, u64) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let (game, behind) = (self.game, self.layer - 1);
        let (rows, node_words) = (game.rows(behind), game.rows(self.layer).words());
        let node_bytes = size_of::<Node<N>>() + 8 * node_words;
        let context = ExpansionContext {
            scale,
            afterstates: None,
            limits,
            max_nodes: MAX_BATCH.min((memory / 4) as usize / node_bytes),
            batch_nodes: Batch::<G, N>::NODES,
            behind,
            has_bounds: true,
        };
        self.frontier.turn_to(self.layer);
        let mut numbers = Interner::new(rows.key().len().max(1));
        let (mut next, mut chunks) = (Vec::new(), Vec::new());
        let (mut chunk, mut chunk_bytes) = (Chunk::default(), 0);
        while let Some(mut taken) = self.frontier.take(&self.states, &context) {
            self.cuts_off |= taken.batch.cuts_off;
            taken.expanded?;
            taken.touch(&numbers, behind);
            chunk.add_all(&mut taken.batch, |tree, node| {
                let new = numbers.len();
                let (key, hash) = (tree.key(node, rows), tree.hash(node, rows));
                let number = numbers.number_of_hash(key, hash);
                if number as usize == new {
                    next.extend_from_slice(tree.state(node, rows));
                }
                match number < KNOWN {
                    true => Ok(number),
                    false => Err(Refusal::TooLarge),
                }
            })?;
            self.frontier.recycle(taken);
            if chunk.len() >= CHUNK {
                chunk.seal();
                chunk_bytes += chunk.bytes() as u64;
                chunks.push(std::mem::take(&mut chunk));
            }
            let parts = chunk_bytes + chunk.bytes() as u64 + numbers.bytes();
            let bytes = self.bytes() + parts + 8 * next.capacity() as u64;
            if bytes + numbers.bytes() > memory {
                return Err(Refusal::TooLarge);
            }
            go_on(self.listed + numbers.len() as u64, bytes)?;
        }
        chunk.seal();
        self.bytes += chunk_bytes + chunk.bytes() as u64 + numbers.bytes();
        chunks.push(chunk);
        self.listed += numbers.len() as u64;
        let states = self.states.len() / game.rows(self.layer).state;
        self.layers.push(Layer {
            states,
            chunks,
            behind: numbers,
        });
        self.states = next;
        self.layer = behind;
        Ok(())
    }

    /// The values of a layer from those of the layer behind.
    fn values(&self, layer: &Layer<N>, behind: &[N]) -> Vec<N> {
        let found = share_out(0..self.threads, &layer.chunks, |_, chunk| {
            let mut values = Vec::with_capacity(chunk.len());
            chunk.values(
                |number| &behind[number as usize],
                |value| values.push(value),
            );
            values
        });
        found.concat()
    }

    /// Bounds of the value of the first state.
    pub fn bounds(&self, scale: &Scale<N>) -> [N; 2] {
        let (sizes, _) = self.sizes();
        let value = |open: &N| {
            let present = vec![open.clone(); *sizes.last().expect("there is a layer")];
            let layers = self.layers.iter().rev();
            layers.fold(present, |behind, layer| self.values(layer, &behind))[0].clone()
        };
        [N::zero(), scale.ones[self.layer].clone()].map(|open| value(&open))
    }

    /// The value of the first state, if all states are listed. `found` gets those of all others, layer by layer: keys, and values by
    /// number.
    pub fn finish(mut self, mut found: impl FnMut(usize, &Interner, &[N])) -> N {
        let mut behind = Vec::new();
        while let Some(list) = self.layers.pop() {
            let values = self.values(&list, &behind);
            found(self.layer, &list.behind, &behind);
            behind = values;
            self.layer += 1;
        }
        behind.swap_remove(0)
    }
}
