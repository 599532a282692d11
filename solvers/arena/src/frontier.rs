//! Expansion of listed states in their order, batch by batch, on several threads.
//!
//! The successors of a batch do not depend on other batches. So several are expanded before their turn, and their keys written; then the caller
//! takes them in their order. States are numbered only there, so a list is the same with any number of threads.
//!
//! ```text
//! threads     expand batches 1, 2, ..., 8     expand batches 9, ..., 16
//! one of them                            take 1, ..., 8             take 9, ...
//! ```
//!
//! A batch that is refused, or whose expansion rested on what changes, is expanded again when its turn comes.

use crate::afterstates::{Afterstates, TreeAfterstates};
use crate::batch::Batch;
use crate::denominators::Scale;
use crate::expansion::Refusal;
use crate::game::{StochasticGame, set_key};
use base::table::Interner;
use base::value::Numerator;
use limits::{Limits, share_out};
use std::collections::VecDeque;
use std::ops::Range;

/// States of a batch.
const BATCH: usize = 64;

/// Batches that each thread expands at a time.
const BATCHES: usize = 8;

/// After so many rounds without a refusal, twice as many batches are tried again.
const ROUNDS_TO_DOUBLE: usize = 32;

/// States side by side that are expanded together.
pub struct ExpandedBatch<'a, G: StochasticGame, N> {
    /// Their numbers.
    pub states: Range<usize>,
    /// Their trees.
    pub batch: Batch<'a, G, N>,
    pub expanded: Result<(), Refusal>,
}

/// Means of expansion.
pub struct ExpansionContext<'a, N> {
    pub scale: &'a Scale<N>,
    /// Nothing if they are not searched for.
    pub afterstates: Option<&'a Afterstates>,
    pub limits: &'a Limits,
    /// The most nodes of all trees together.
    pub max_nodes: usize,
    /// The nodes that a batch should have, about.
    pub batch_nodes: usize,
    /// The layer of the successors, whose keys are written.
    pub behind: usize,
    /// Whether bounds are computed before keys are written.
    pub has_bounds: bool,
}

/// The states of a layer, expanded up to one of them.
pub struct Frontier<'a, G: StochasticGame, N> {
    game: &'a G,
    layer: usize,
    /// The first state that was not taken.
    pub next: usize,
    /// The most states of a batch, and about how many nodes follow from each.
    most_states: usize,
    width: usize,
    /// The working memory of each thread, once it was needed: what a game remembers there serves all batches that the thread expands.
    workspaces: Vec<Option<G::Workspace>>,
    /// How many batches are worth expanding at once, how many were last, and the rounds since that number changed.
    most: usize,
    last: usize,
    rounds: usize,
    /// Those that wait for their turn.
    waiting: VecDeque<ExpandedBatch<'a, G, N>>,
    /// Batches to be used again.
    spare: Vec<Batch<'a, G, N>>,
}

/// How many batches these threads expand at once.
fn all_batches(threads: usize) -> usize {
    match threads {
        1 => 1,
        _ => threads * BATCHES,
    }
}

impl<'a, G: StochasticGame, N: Numerator> Frontier<'a, G, N> {
    /// For states of a layer, none of which was expanded.
    pub fn new(game: &'a G, layer: usize, threads: usize) -> Self {
        Frontier {
            game,
            layer,
            next: 0,
            most_states: BATCH,
            width: Batch::<G, N>::FIRST_WIDTH,
            workspaces: (0..threads).map(|_| None).collect(),
            most: all_batches(threads),
            last: 0,
            rounds: 0,
            waiting: VecDeque::new(),
            spare: Vec::new(),
        }
    }

    /// Turns to the states of another layer.
    pub fn turn_to(&mut self, layer: usize) {
        self.forget();
        (self.layer, self.next) = (layer, 0);
    }

    /// Forgets what was expanded before its turn.
    pub fn forget(&mut self) {
        self.spare.extend(self.waiting.drain(..).map(|it| it.batch));
    }

    /// Takes the next batch of the states listed so far, whose words these are; nothing if there is none.
    pub fn take(
        &mut self,
        words: &[u64],
        context: &ExpansionContext<'_, N>,
    ) -> Option<ExpandedBatch<'a, G, N>> {
        let count = words.len() / self.game.rows(self.layer).state;
        while self.next < count {
            if self.waiting.is_empty() {
                self.expand(self.next..count, words, context);
            }
            let alone = self.last == 1;
            let taken = self.waiting.pop_front().expect("there is a state");
            match taken.expanded {
                // These were too large together.
                Err(Refusal::TooLarge) if !alone => {
                    self.most = (self.last / 2).max(1);
                    self.rounds = 0;
                }
                Err(Refusal::TooLarge) if self.most_states > 1 => self.most_states = 1,
                _ => {
                    self.width = taken.batch.width;
                    return Some(taken);
                }
            }
            self.spare.push(taken.batch);
            self.forget();
        }
        None
    }

    /// Takes back a batch whose states are done.
    pub fn recycle(&mut self, used: ExpandedBatch<'a, G, N>) {
        self.next = used.states.end;
        self.spare.push(used.batch);
    }

    /// Expands the first batches of some states. All but the first are as they will be when more states are listed.
    fn expand(&mut self, states: Range<usize>, words: &[u64], context: &ExpansionContext<'_, N>) {
        self.rounds += 1;
        if self.rounds == ROUNDS_TO_DOUBLE {
            self.most = (2 * self.most).min(all_batches(self.workspaces.len()));
            self.rounds = 0;
        }
        let size = (context.batch_nodes / self.width).clamp(1, self.most_states);
        self.last = (states.len() / size).clamp(1, self.most);
        let width = self.game.rows(self.layer).state;
        for number in 0..self.last {
            let first = states.start + number * size;
            let states = first..states.end.min(first + size);
            let spare = self.spare.pop();
            let mut batch = spare.unwrap_or_else(|| Batch::new(self.game, 0));
            let words = &words[states.start * width..states.end * width];
            let one = &context.scale.ones[self.layer];
            batch.load(words.chunks_exact(width), self.layer, one);
            batch.max_nodes = context.max_nodes / self.last;
            batch.met = context.afterstates.map(|_| TreeAfterstates::default());
            self.waiting.push_back(ExpandedBatch {
                states,
                batch,
                expanded: Ok(()),
            });
        }
        let layer = self.layer;
        share_out(&mut self.workspaces, &mut self.waiting, |workspace, it| {
            it.batch.workspace = workspace.take();
            it.expand(layer, context);
            **workspace = it.batch.workspace.take();
        });
    }
}

impl<G: StochasticGame, N: Numerator> ExpandedBatch<'_, G, N> {
    fn expand(&mut self, layer: usize, context: &ExpansionContext<'_, N>) {
        let batch = &mut self.batch;
        self.expanded = batch.expand(context.scale, layer, context.limits, context.afterstates);
        if self.expanded.is_err() {
            return;
        }
        let (first, all) = (batch.roots.len(), batch.tree.nodes.len());
        if context.has_bounds {
            batch.tree.combine_all(first..all);
            (0..first).for_each(|state| batch.tree.combine(state));
        }
        for node in first..all {
            if batch.tree.nodes[node].is_open() {
                set_key(batch.game, &mut batch.tree, node, context.behind);
            }
        }
    }

    /// Brings the keys near that are about to be looked up, which are those of states of a layer.
    pub fn touch(&self, numbers: &Interner, behind: usize) {
        let (tree, rows) = (&self.batch.tree, self.batch.game.rows(behind));
        let nodes = self.batch.roots.len()..tree.nodes.len();
        let open = nodes.filter(|&node| tree.nodes[node].is_open());
        let hashes = open.map(|node| tree.hash(node, rows));
        hashes.clone().for_each(|hash| numbers.touch(hash));
        hashes.for_each(|hash| numbers.touch_key(hash));
    }
}
