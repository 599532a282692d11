//! Speculative expansion: several threads expand batches of states before their turn.
//!
//! The successors of a batch do not depend on other batches. So several are expanded at once, and their keys written; then they are
//! added to the graph in their order. States are numbered only there, so the graph is the same with any number of threads.
//!
//! ```text
//! threads     expand batches 1, 2, ..., 8     expand batches 9, ..., 16
//! one of them                            add 1, ..., 8             add 9, ...
//! ```
//!
//! A batch that is refused, or whose expansion rested on what changes, is expanded again when its turn comes.

use super::LAYER;
use crate::afterstates::{Afterstates, TreeAfterstates};
use crate::batch::Batch;
use crate::denominators::Scale;
use crate::expansion::Refusal;
use crate::game::{StochasticGame, set_key};
use limits::{Limits, share_out};
use std::collections::VecDeque;
use std::ops::Range;

/// Batches that each thread expands at a time.
const BATCHES: usize = 8;

/// After so many rounds without a refusal, twice as many batches are tried again.
const ROUNDS_TO_DOUBLE: usize = 32;

/// States side by side that are expanded together.
pub struct SpeculativeBatch<'a, G: StochasticGame> {
    /// Their numbers.
    pub states: Range<usize>,
    /// Their trees.
    pub batch: Batch<'a, G, u128>,
    /// Whether all were expanded.
    pub expanded: Result<(), Refusal>,
    /// Whether there was room for one batch only.
    pub is_alone: bool,
}

/// Means of expansion.
#[derive(Clone, Copy)]
pub struct ExpansionContext<'a> {
    pub scale: &'a Scale<u128>,
    /// Nothing if they are not looked for.
    pub afterstates: Option<&'a Afterstates>,
    pub limits: &'a Limits,
    /// The most nodes of all trees together.
    pub max_nodes: usize,
}

/// Expands batches on several threads.
pub struct Speculation<'a, G: StochasticGame> {
    game: &'a G,
    /// The working memory of each thread, once it was needed: what a game remembers there serves all batches that the thread expands.
    workspaces: Vec<Option<G::Workspace>>,
    /// How many batches are worth expanding at once, how many were last, and the rounds since that number changed.
    most: usize,
    last: usize,
    rounds: usize,
    /// Those that wait for their turn.
    waiting: VecDeque<SpeculativeBatch<'a, G>>,
    /// Batches to be used again.
    spare: Vec<Batch<'a, G, u128>>,
}

/// How many batches these threads expand at once.
fn all_batches(threads: usize) -> usize {
    match threads {
        1 => 1,
        _ => threads * BATCHES,
    }
}

impl<'a, G: StochasticGame> Speculation<'a, G> {
    pub fn new(game: &'a G, threads: usize) -> Self {
        Speculation {
            game,
            workspaces: (0..threads).map(|_| None).collect(),
            most: all_batches(threads),
            last: 0,
            rounds: 0,
            waiting: VecDeque::new(),
            spare: Vec::new(),
        }
    }

    /// How many batches are worth expanding at once.
    pub fn most(&self) -> usize {
        self.most
    }

    /// Forgets what was expanded before its turn. From now on half as many batches are expanded at once, since these were too large together.
    pub fn halve(&mut self) {
        self.most = (self.last / 2).max(1);
        self.rounds = 0;
        self.forget();
    }

    /// The batch that begins with a state, if it is there.
    pub fn take(&mut self, first: usize) -> Option<SpeculativeBatch<'a, G>> {
        let next = self.waiting.front()?;
        debug_assert!(next.states.start >= first);
        match next.states.start == first {
            true => self.waiting.pop_front(),
            false => None,
        }
    }

    /// Forgets what was expanded before its turn.
    pub fn forget(&mut self) {
        self.spare.extend(self.waiting.drain(..).map(|it| it.batch));
    }

    /// Takes back a batch that is of no more use.
    pub fn recycle(&mut self, used: SpeculativeBatch<'a, G>) {
        self.spare.push(used.batch);
    }

    /// Expands some batches; `words` are those of all states.
    pub fn expand(
        &mut self,
        batches: &[Range<usize>],
        words: &[u64],
        context: ExpansionContext<'_>,
    ) {
        self.forget();
        self.last = batches.len();
        self.rounds += 1;
        if self.rounds == ROUNDS_TO_DOUBLE {
            self.most = (2 * self.most).min(all_batches(self.workspaces.len()));
            self.rounds = 0;
        }
        let width = self.game.rows(LAYER).state;
        let one = &context.scale.ones[LAYER];
        for states in batches {
            let spare = self.spare.pop();
            let mut batch = spare.unwrap_or_else(|| Batch::new(self.game, 0));
            let words = &words[states.start * width..states.end * width];
            batch.load(words.chunks_exact(width), LAYER, one);
            batch.max_nodes = context.max_nodes / batches.len();
            batch.met = context.afterstates.map(|_| TreeAfterstates::default());
            self.waiting.push_back(SpeculativeBatch {
                states: states.clone(),
                batch,
                expanded: Ok(()),
                is_alone: batches.len() == 1,
            });
        }
        share_out(&mut self.workspaces, &mut self.waiting, |workspace, it| {
            it.batch.workspace = workspace.take();
            it.expand(context);
            **workspace = it.batch.workspace.take();
        });
    }
}

impl<G: StochasticGame> SpeculativeBatch<'_, G> {
    fn expand(&mut self, context: ExpansionContext<'_>) {
        let batch = &mut self.batch;
        self.expanded = batch.expand(context.scale, LAYER, context.limits, context.afterstates);
        let nodes = match self.expanded {
            Ok(()) => batch.roots.len()..batch.tree.nodes.len(),
            Err(_) => 0..0,
        };
        for node in nodes {
            if batch.tree.nodes[node].is_open() {
                set_key(batch.game, &mut batch.tree, node, LAYER);
            }
        }
    }
}
