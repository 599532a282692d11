//! Batches of states that are expanded before their turn, on several threads.
//!
//! What follows from a batch does not depend on the others. So several are expanded at once, and their keys written; then they are
//! added to the graph in their order. States are numbered only there, so the graph is the same with any number of threads.
//!
//! ```text
//! threads     expand batches 1, 2, ..., 8     expand batches 9, ..., 16
//! one of them                            add 1, ..., 8             add 9, ...
//! ```
//!
//! A batch that is refused, or whose expansion rested on what changes, is expanded again when its turn comes.

use super::LAYER;
use crate::afterstates::{Afterstates, Meeting, Met};
use crate::denominators::Scale;
use crate::expansion::{Expansion, Refusal};
use crate::game::{StochasticGame, set_key};
use crate::tree::{Kind, Tree};
use limits::Halt;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Mutex;
use std::thread;

/// Batches that each thread expands at a time.
const BATCHES: usize = 8;

/// Some states side by side, and what follows from them.
pub struct Batch {
    /// Their numbers.
    pub states: Range<usize>,
    /// Their trees.
    pub tree: Tree<u128>,
    /// Where each stands.
    pub roots: Vec<u32>,
    /// The afterstates that were met, if they were looked for.
    pub met: Option<Met>,
    /// Whether all were expanded.
    pub expanded: Result<(), Refusal>,
    /// Whether there was room for one batch only.
    pub is_alone: bool,
}

/// What batches are expanded with.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    pub scale: &'a Scale<u128>,
    /// Nothing if they are not looked for.
    pub afterstates: Option<&'a Afterstates>,
    pub halt: &'a Halt<'a>,
    /// The most nodes of all trees together.
    pub max_nodes: usize,
}

/// Expands batches on several threads.
pub struct Ahead<'a, G: StochasticGame> {
    game: &'a G,
    /// One for each thread.
    workspaces: Vec<G::Workspace>,
    /// Those that wait for their turn.
    batches: VecDeque<Batch>,
    /// Trees to be used again.
    trees: Vec<Tree<u128>>,
}

impl<'a, G: StochasticGame> Ahead<'a, G> {
    pub fn new(game: &'a G, threads: usize) -> Self {
        Ahead {
            game,
            workspaces: (0..threads).map(|_| game.workspace()).collect(),
            batches: VecDeque::new(),
            trees: Vec::new(),
        }
    }

    /// How many batches are worth expanding at once.
    pub fn most(&self) -> usize {
        match self.workspaces.len() {
            1 => 1,
            threads => threads * BATCHES,
        }
    }

    /// The batch that begins with a state, if it is there.
    pub fn take(&mut self, first: usize) -> Option<Batch> {
        debug_assert!(
            self.batches
                .front()
                .is_none_or(|it| it.states.start >= first)
        );
        let is_it = |batch: &Batch| batch.states.start == first;
        self.batches.front().filter(|batch| is_it(batch))?;
        self.batches.pop_front()
    }

    /// Forgets what was expanded before its turn.
    pub fn forget(&mut self) {
        self.batches.clear();
    }

    /// Takes back a batch that is of no more use.
    pub fn recycle(&mut self, batch: Batch) {
        self.trees.push(batch.tree);
    }

    /// Expands some batches; `words` are those of all states.
    pub fn expand(&mut self, batches: &[Range<usize>], words: &[u64], means: Means<'_>) {
        self.forget();
        let (game, rows) = (self.game, self.game.rows(LAYER));
        let one = means.scale.ones[LAYER];
        let mut made: Vec<Batch> = Vec::with_capacity(batches.len());
        for states in batches {
            let mut tree = self.trees.pop().unwrap_or_default();
            tree.clear();
            let words =
                words[states.start * rows.state..states.end * rows.state].chunks_exact(rows.state);
            made.push(Batch {
                roots: words.map(|words| tree.add_root(words, rows, one)).collect(),
                states: states.clone(),
                tree,
                met: means.afterstates.map(|_| Met::default()),
                expanded: Ok(()),
                is_alone: batches.len() == 1,
            });
        }
        let means = Means {
            max_nodes: means.max_nodes / batches.len(),
            ..means
        };
        let (own, others) = self.workspaces.split_first_mut().expect("a thread");
        let queue = Mutex::new(made.iter_mut());
        let next = || queue.lock().expect("no thread panics").next();
        let work = |workspace: &mut G::Workspace| {
            while let Some(batch) = next() {
                batch.expand(game, workspace, means);
            }
        };
        thread::scope(|scope| {
            for workspace in others.iter_mut().take(batches.len() - 1) {
                // Without a further thread those that are there do all the work.
                let _ = thread::Builder::new().spawn_scoped(scope, || work(workspace));
            }
            work(own);
        });
        self.batches.extend(made);
    }
}

impl Batch {
    fn expand<G: StochasticGame>(
        &mut self,
        game: &G,
        workspace: &mut G::Workspace,
        means: Means<'_>,
    ) {
        let rows = game.rows(LAYER);
        let tree = &mut self.tree;
        let mut expansion =
            Expansion::new(tree, means.scale, LAYER, rows, means.halt, means.max_nodes);
        let met = means.afterstates.zip(self.met.as_mut());
        expansion.afterstates = met.map(|(known, met)| Meeting { known, met });
        self.expanded = game.expand(&self.roots, workspace, &mut expansion);
        if self.expanded.is_err() {
            return;
        }
        for node in self.roots.len()..tree.nodes.len() {
            let found = &tree.nodes[node];
            if found.kind == Kind::Leaf && found.is_state() {
                set_key(game, tree, node, LAYER);
            }
        }
    }
}
