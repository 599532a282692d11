//! Layers of states for those who keep them elsewhere, such as on disk: what follows from a batch of states, and
//! the values of a chunk of states from those of what follows.
//!
//! ```text
//! Forwards     states of layer n --expand--> keys and states of layer n-1, shares of chance that occur
//! Backwards    states of layer n --add--> keys wanted of layer n-1; their values --finish--> values of layer n
//! ```
//!
//! If layers follow from states ([`StochasticGame::has_own_layers`]), what follows from layer n stands in any layers below n. Then a
//! word before each key says how far below: n less the layer of the state that follows.
//!
//! `backwards` does both in memory. Here nothing is remembered but the batch, or the chunk: its trees as shapes (`shape`), and a number
//! for each leaf. Every state that can be reached is listed, also behind states that are settled already.

use crate::bounds::BATCH;
use crate::denominators::{Denominators, NewShare, NoScale, Scale};
use crate::expansion::{Expansion, Refusal};
use crate::game::{StochasticGame, set_key};
use crate::shape::{Shape, Shapes, is_leaf};
use crate::tree::{Rows, Tree};
use limits::Halt;
use std::collections::BTreeSet;
use value::Numerator;

/// The most nodes that follow from states that are expanded together.
const MAX_NODES: usize = 1 << 22;

/// Leaves with numbers from here on have values that are known.
const KNOWN: u32 = 1 << 31;

/// Why states of a layer were not expanded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LayerRefusal {
    /// The game says why.
    Refused(Refusal),
    /// Layers follow from states, and one of these states (their words, one behind the other) is followed by one of a layer that is not
    /// below its own.
    Rise(Vec<u64>),
}

impl From<Refusal> for LayerRefusal {
    fn from(refusal: Refusal) -> Self {
        LayerRefusal::Refused(refusal)
    }
}

/// States of a layer, expanded together.
struct Batch<'a, G: StochasticGame, N> {
    game: &'a G,
    workspace: G::Workspace,
    tree: Tree<N>,
    roots: Vec<u32>,
    /// About how many nodes follow from a state.
    width: usize,
}

impl<'a, G: StochasticGame, N: Numerator> Batch<'a, G, N> {
    fn new(game: &'a G) -> Self {
        Batch {
            game,
            workspace: game.workspace(),
            tree: Tree::default(),
            roots: Vec::new(),
            width: 8,
        }
    }

    /// How many of some states are expanded next.
    fn size(&self, states: usize) -> usize {
        (BATCH / self.width).clamp(1, 64).min(states)
    }

    /// Puts states into the tree, and notes how many nodes followed.
    fn load(&mut self, states: &[u64], rows: Rows, one: &N) {
        self.roots.clear();
        self.tree.clear();
        for state in states.chunks_exact(rows.state) {
            let root = self.tree.add_root(state, rows, one.clone());
            self.roots.push(root);
        }
    }

    fn note_width(&mut self) {
        let states = self.roots.len();
        let width = (self.tree.nodes.len() - states).div_ceil(states);
        self.width = (3 * self.width + width).div_ceil(4).max(1);
        self.tree.note_ends(&self.roots);
    }
}

/// Expands states of a layer forwards: which states follow, and which shares of chance occur.
pub struct Forwards<'a, G: StochasticGame> {
    batch: Batch<'a, G, u64>,
    scale: Scale<u64>,
    halt: Halt<'a>,
    layer: usize,
    /// The shares of chance that occurred so far.
    pub shares: BTreeSet<NewShare>,
    /// Whether some play was not over though nothing is left to do.
    pub cuts_off: bool,
}

impl<'a, G: StochasticGame> Forwards<'a, G> {
    /// For states of a layer (1 or more).
    pub fn new(game: &'a G, layer: usize, halt: Halt<'a>) -> Self {
        Forwards {
            batch: Batch::new(game),
            scale: Scale::blank(game),
            halt,
            layer,
            shares: BTreeSet::new(),
            cuts_off: false,
        }
    }

    /// Expands some states, one behind the other in `states`; tells of each that follows how far below its layer is, its key and its
    /// words, as often as it follows.
    ///
    /// # Errors
    /// If one of them has no value, what follows is too much to hold, or it is time to end.
    pub fn expand(
        &mut self,
        states: &[u64],
        mut found: impl FnMut(u64, &[u64], &[u64]),
    ) -> Result<(), LayerRefusal> {
        let (game, layer) = (self.batch.game, self.layer);
        let (rows, rows_next) = (game.rows(layer), game.rows(layer - 1));
        let words = rows.state;
        let mut rest = states;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(words * self.batch.size(rest.len() / words));
            self.expand_batch(now)?;
            // What follows from layer 1 would stand in no layer.
            if game.has_own_layers() && self.cuts_off {
                return Err(LayerRefusal::Rise(now.to_vec()));
            }
            let batch = &mut self.batch;
            for node in batch.roots.len()..batch.tree.nodes.len() {
                let here = &batch.tree.nodes[node];
                if here.is_state() && !here.is_known() {
                    let below = below(game, layer, batch.tree.state(node, rows_next));
                    let below = below.ok_or_else(|| LayerRefusal::Rise(now.to_vec()))?;
                    set_key(game, &mut batch.tree, node, layer - 1);
                    let tree = &batch.tree;
                    found(
                        below,
                        tree.key(node, rows_next),
                        tree.state(node, rows_next),
                    );
                }
            }
            rest = later;
        }
        Ok(())
    }

    fn expand_batch(&mut self, states: &[u64]) -> Result<(), Refusal> {
        let batch = &mut self.batch;
        let (rows, rows_next) = (batch.game.rows(self.layer), batch.game.rows(self.layer - 1));
        batch.load(states, rows, &1);
        let (scale, layer) = (&self.scale, self.layer);
        let tree = &mut batch.tree;
        let mut expansion = Expansion::new(tree, scale, layer, rows_next, &self.halt, MAX_NODES);
        expansion.survey = Some(Vec::new());
        let expanded = (batch.game).expand(&batch.roots, &mut batch.workspace, &mut expansion);
        self.cuts_off |= expansion.cuts_off;
        let shares = expansion.survey.take().expect("it was put there");
        let flaw = expansion.flaw;
        self.shares.extend(shares);
        expanded?;
        if let Some(state) = flaw {
            return Err(Refusal::Flaw(state));
        }
        batch.note_width();
        Ok(())
    }
}

/// How far below a layer a state stands that follows from it; nothing if it does not.
fn below<G: StochasticGame>(game: &G, layer: usize, state: &[u64]) -> Option<u64> {
    if !game.has_own_layers() {
        return Some(1);
    }
    let below = layer.checked_sub(game.layer_of(state))?;
    (below > 0).then_some(below as u64)
}

/// Values states of a layer, a chunk at a time, from the values of the layers below.
pub struct Backwards<'a, G: StochasticGame, N> {
    batch: Batch<'a, G, N>,
    scale: Scale<N>,
    halt: Halt<'a>,
    layer: usize,
    /// The shape of each state of the chunk.
    states: Vec<u32>,
    shapes: Vec<Shape<N>>,
    seen: Shapes,
    /// The leaves of all states: numbers of keys wanted, or of values known.
    leaves: Vec<u32>,
    known: Vec<N>,
    wanted: Vec<u64>,
    bytes: usize,
}

impl<'a, G: StochasticGame, N: Numerator> Backwards<'a, G, N> {
    /// For layers up to this one, with denominators that are all known.
    ///
    /// # Errors
    /// If numbers of this width are too narrow.
    pub fn new(
        game: &'a G,
        denominators: &Denominators,
        layers: usize,
        halt: Halt<'a>,
    ) -> Result<Self, NoScale> {
        let go_on = |_| halt.go_on();
        Ok(Backwards {
            batch: Batch::new(game),
            scale: Scale::new(game, denominators, layers, go_on)?,
            halt,
            layer: layers,
            states: Vec::new(),
            shapes: Vec::new(),
            seen: Shapes::default(),
            leaves: Vec::new(),
            known: Vec::new(),
            wanted: Vec::new(),
            bytes: 0,
        })
    }

    /// Turns to a layer, with an empty chunk.
    pub fn turn_to(&mut self, layer: usize) {
        self.layer = layer;
        self.clear();
    }

    fn clear(&mut self) {
        self.states.clear();
        self.shapes.clear();
        self.seen = Shapes::default();
        self.leaves.clear();
        self.known.clear();
        self.wanted.clear();
        self.bytes = 0;
    }

    /// Adds states to the chunk, one behind the other in `states`.
    ///
    /// # Errors
    /// If one of them has no value, a share of chance was not told, there is too much to hold, or it is time to end.
    pub fn add(&mut self, states: &[u64]) -> Result<(), LayerRefusal> {
        let words = self.batch.game.rows(self.layer).state;
        let mut rest = states;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(words * self.batch.size(rest.len() / words));
            self.add_batch(now)?;
            rest = later;
        }
        Ok(())
    }

    fn add_batch(&mut self, states: &[u64]) -> Result<(), LayerRefusal> {
        let layer = self.layer;
        let batch = &mut self.batch;
        let game = batch.game;
        let (rows, rows_next) = (game.rows(layer), game.rows(layer - 1));
        batch.load(states, rows, &self.scale.ones[layer]);
        let tree = &mut batch.tree;
        let mut expansion =
            Expansion::new(tree, &self.scale, layer, rows_next, &self.halt, MAX_NODES);
        game.expand(&batch.roots, &mut batch.workspace, &mut expansion)?;
        batch.note_width();
        for state in 0..batch.roots.len() {
            let before = self.shapes.len();
            if batch.tree.nodes[state].is_known() {
                let shape = self.seen.settled(&mut self.shapes);
                self.states.push(shape);
                let value = batch.tree.nodes[state].lower.clone();
                self.leaves.push(known(&mut self.known, value)?);
                continue;
            }
            let shape = self.seen.of(&batch.tree, state, &mut self.shapes);
            self.states.push(shape);
            self.bytes += self.shapes[before..]
                .iter()
                .map(Shape::bytes)
                .sum::<usize>();
            for node in batch.tree.all_below(state) {
                let here = &batch.tree.nodes[node];
                if !is_leaf(here) {
                    continue;
                }
                if here.is_known() {
                    self.leaves
                        .push(known(&mut self.known, here.lower.clone())?);
                    continue;
                }
                let below = below(game, layer, batch.tree.state(node, rows_next));
                let below = below.ok_or_else(|| LayerRefusal::Rise(states.to_vec()))?;
                set_key(game, &mut batch.tree, node, layer - 1);
                let key = batch.tree.key(node, rows_next);
                let prefix = usize::from(game.has_own_layers());
                let number = self.wanted.len() / (prefix + key.len());
                if number >= KNOWN as usize {
                    return Err(Refusal::TooLarge.into());
                }
                self.wanted.extend(Some(below).filter(|_| prefix > 0));
                self.wanted.extend_from_slice(key);
                self.leaves.push(number as u32);
            }
        }
        Ok(())
    }

    /// The keys whose values are wanted, one behind the other, as often as they occur.
    pub fn wanted(&self) -> &[u64] {
        &self.wanted
    }

    /// The number by which values of a lower layer are multiplied, so that they count in the parts of the layer just below the present one.
    pub fn factor(&self, lower: usize) -> N {
        let one = |layer: usize| self.scale.ones[layer].to_big();
        let factor = one(self.layer - 1) / one(lower);
        N::from_big(&factor).expect("it divides a number that fits")
    }

    /// The number of states in the chunk.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether the chunk is empty.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// What the chunk takes, in bytes.
    pub fn bytes(&self) -> usize {
        let lists = 4 * (self.states.len() + self.leaves.len()) + 8 * self.wanted.len();
        self.bytes + lists + self.known.len() * size_of::<N>()
    }

    /// Tells the values of the states of the chunk, in order, given those of the keys that are wanted, in parts of the layer just below;
    /// the chunk is empty then.
    pub fn finish(&mut self, behind: &[N], mut tell: impl FnMut(&N)) {
        let (mut place, mut values) = (0, Vec::new());
        for &shape in &self.states {
            let shape = &self.shapes[shape as usize];
            let leaves = &self.leaves[place..place + shape.leaves];
            place += shape.leaves;
            let value = |&number: &u32| match number.checked_sub(KNOWN) {
                Some(place) => &self.known[place as usize],
                None => &behind[number as usize],
            };
            tell(&shape.value(leaves.iter().map(value), &mut values));
        }
        self.clear();
    }
}

/// The number that stands for a known value. There are few, and they come again soon.
fn known<N: Numerator>(known: &mut Vec<N>, value: N) -> Result<u32, Refusal> {
    const RECENT: usize = 16;
    let from = known.len().saturating_sub(RECENT);
    let place = match known[from..].iter().position(|other| *other == value) {
        Some(place) => from + place,
        None => {
            known.push(value);
            known.len() - 1
        }
    };
    match place < KNOWN as usize {
        true => Ok(KNOWN + place as u32),
        false => Err(Refusal::TooLarge),
    }
}
