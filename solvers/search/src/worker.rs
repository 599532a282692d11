//! One thread of the depth-first search from state to state.
//!
//! A state whose value is asked for is a [`Question`], with a window. The search takes the leaf that the
//! question needs next (`windows`), looks it up in the table of its layer, and asks about it if
//! the table does not know enough. When the bounds answer a question they go to the table.
//!
//! States are expanded before they are asked about, together with their open siblings, so that the
//! lanes of a word are in use: the successors' entries in the table then often settle a state without
//! any further search (enhanced transposition cutoffs, Plaat and others 1996).
//!
//! All threads do the same from the same root. They help each other through the tables: a state that
//! another thread searches is left for later where there is a choice.

use crate::bounds::{LOOKED_UP_PER_CHECK, PULSE, WORK_PER_CHECK};
use crate::history::History;
use crate::options::Options;
use crate::windows::{Guide, Next, next_leaf};
use arena::Batch;
use arena::Refusal;
use arena::{NewShare, Scale};
use arena::{Node, Tree};
use arena::{StochasticGame, Trail, set_key};
use base::table::{BusyStates, Stored, Table, Tables};
use base::value::Numerator;
use limits::{Interrupt, Limits, StopReason};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The data that the threads of a search share.
pub struct Shared<'a> {
    /// One table for each layer.
    pub tables: &'a Tables,
    /// The states that threads search.
    pub busy: BusyStates,
    /// Raised when all threads are to come to an end.
    pub stop: Interrupt,
    /// The reason why the search stopped early.
    pub reason: Mutex<Option<StopReason>>,
    /// Set if a denominator is too coarse.
    pub coarse: Mutex<Option<NewShare>>,
    /// Set if a state without a value was met: the way there.
    pub flaw: Mutex<Option<Trail>>,
    /// Set if some play was not over after the last step.
    pub cuts_off: AtomicBool,
    /// States expanded by all threads.
    pub expanded: AtomicU64,
    /// After this number of expansions by all threads the search pauses.
    pub pause: Option<u64>,
    pub threads: usize,
    /// Nodes that the trees of all threads may have.
    pub max_nodes: usize,
    /// When each of the threads is to end.
    limits: Limits,
}

impl<'a> Shared<'a> {
    /// For a search that begins.
    pub fn new(
        tables: &'a Tables,
        threads: usize,
        max_nodes: usize,
        pause: Option<u64>,
        limits: &Limits,
    ) -> Self {
        let stop = Interrupt::default();
        Shared {
            tables,
            busy: BusyStates::default(),
            limits: limits.or_when(&stop),
            stop,
            reason: Mutex::new(None),
            coarse: Mutex::new(None),
            flaw: Mutex::new(None),
            cuts_off: AtomicBool::new(false),
            expanded: AtomicU64::new(0),
            pause,
            threads,
            max_nodes,
        }
    }

    /// How many nodes the tree of a thread may have. The first thread, without which there is no answer, may
    /// have as many as all its helpers.
    fn max_nodes(&self, is_helper: bool) -> usize {
        match self.threads {
            1 => self.max_nodes,
            threads if is_helper => self.max_nodes / 2 / (threads - 1),
            _ => self.max_nodes / 2,
        }
    }

    /// Ends the search of all threads, for a reason.
    pub fn stop_for(&self, reason: StopReason) {
        note(&self.reason, reason);
        self.stop.raise();
    }
}

/// Notes what was found, unless something was found before.
fn note<T>(noted: &Mutex<Option<T>>, found: T) {
    let mut noted = noted.lock().expect("no thread panics");
    noted.get_or_insert(found);
}

/// A state that a question is asked about.
struct Question<N> {
    node: usize,
    layer: usize,
    alpha: N,
    beta: N,
    hash: u64,
    /// The size of the tree before it.
    mark: (usize, usize),
}

/// One thread of the search.
pub struct Worker<'a, G: StochasticGame, N> {
    game: &'a G,
    options: &'a Options,
    scale: &'a Scale<N>,
    shared: &'a Shared<'a>,
    is_helper: bool,
    /// The states on the path, those that are expanded next, and the successors of all of them.
    batch: Batch<'a, G, N>,
    history: &'a mut History,
    questions: Vec<Question<N>>,
    /// The state that was expanded last, if it was one alone, and the size of the tree before.
    last_expanded: Option<(usize, (usize, usize))>,
    /// A table that should grow, and where: by the hash of a state.
    crowded: Option<(usize, u64)>,
    expanded: u64,
    /// Nodes made since the last check of the limits.
    work: usize,
    /// The number of them between two checks of the limits.
    work_per_check: usize,
}

/// The history of choices in a layer as the guide of a walk through the tree.
struct HistoryGuide<'a, G, N> {
    game: &'a G,
    scale: &'a Scale<N>,
    shared: &'a Shared<'a>,
    history: &'a History,
    layer: usize,
}

impl<G: StochasticGame, N: Numerator> Guide<N> for HistoryGuide<'_, G, N> {
    fn score(&self, node: &Node<N>) -> u32 {
        let one = self.scale.level(self.layer, node.level);
        self.history.estimate(self.layer, node, one)
    }

    fn is_busy(&self, tree: &Tree<N>, node: usize) -> bool {
        self.shared.threads > 1
            && tree.nodes[node].is_state()
            && !tree.nodes[node].is_known()
            && self
                .shared
                .busy
                .is_busy(tree.hash(node, self.game.rows(self.layer - 1)))
    }
}

impl<'a, G: StochasticGame, N: Numerator> Worker<'a, G, N> {
    /// A thread that has not begun, with its history of choices.
    pub fn new(
        game: &'a G,
        options: &'a Options,
        scale: &'a Scale<N>,
        shared: &'a Shared<'a>,
        is_helper: bool,
        history: &'a mut History,
    ) -> Self {
        let longest = scale.ones.last().expect("there is one for layer 0");
        Worker {
            game,
            options,
            scale,
            shared,
            is_helper,
            batch: Batch {
                width: 1,
                ..Batch::new(game, shared.max_nodes(is_helper))
            },
            history,
            questions: Vec::new(),
            last_expanded: None,
            crowded: None,
            expanded: 0,
            work: 0,
            work_per_check: WORK_PER_CHECK / (1 + longest.heap_bytes() / 8),
        }
    }

    /// Finds bounds of the value of a state of a layer (1 or more) that answer a question, or any valid
    /// bounds if the search is stopped before; says whether they answer it. `pulse` is called now and then
    /// with the bounds of the state.
    pub fn solve(
        &mut self,
        state: &[u64],
        layer: usize,
        alpha: &N,
        beta: &N,
        mut pulse: impl FnMut(&N, &N),
    ) -> (N, N, bool) {
        let shared = self.shared;
        let one = self.scale.ones[layer].clone();
        self.batch.tree.clear();
        let root = self.batch.tree.add_root(state, self.game.rows(layer), one) as usize;
        set_key(self.game, &mut self.batch.tree, root, layer);
        let mut answered = false;
        let (mut checked, mut reported) = (self.expanded, self.expanded);
        let mut tables = shared.tables.read();
        self.look_up(&tables, layer, root);
        self.batch.roots.clear();
        self.batch.roots.push(root as u32);
        match self.expand_batch(&tables, layer) {
            Err(refusal) => self.refuse(refusal, layer),
            Ok(()) => self.begin(&tables, root, layer, alpha.clone(), beta.clone()),
        }
        while let Some(question) = self.questions.last()
            && !shared.stop.is_raised()
        {
            let crowded = self.crowded.take();
            if crowded.is_some() || shared.tables.is_growing() {
                drop(tables);
                if let Some((number, hash)) = crowded {
                    shared.tables.grow(number, hash);
                }
                tables = shared.tables.read();
            }
            let is_time = self.expanded >= checked + PULSE || self.work >= self.work_per_check;
            if is_time || self.options.expansion_limit.is_some() {
                (checked, self.work) = (self.expanded, 0);
                let new = self.expanded - reported;
                shared.expanded.fetch_add(new, Ordering::Relaxed);
                reported = self.expanded;
                let root = &self.batch.tree.nodes[root];
                pulse(&root.lower, &root.upper);
            }
            let layer = question.layer;
            let guide = HistoryGuide {
                game: self.game,
                scale: self.scale,
                shared,
                history: self.history,
                layer,
            };
            let (alpha, beta) = (question.alpha.clone(), question.beta.clone());
            match next_leaf(&mut self.batch.tree, question.node, alpha, beta, &guide) {
                Next::Settled => {
                    if self.questions.len() == 1 {
                        answered = true;
                        break;
                    }
                    self.end(&tables);
                }
                Next::Leaf(leaf, alpha, beta) => {
                    if self.look_up(&tables, layer - 1, leaf) {
                        self.batch.tree.update_above(leaf);
                        continue;
                    }
                    if self.batch.tree.nodes[leaf].is_expanded() {
                        self.begin(&tables, leaf, layer - 1, alpha, beta);
                        continue;
                    }
                    self.choose_batch(leaf);
                    if let Err(refusal) = self.expand_batch(&tables, layer - 1) {
                        self.refuse(refusal, layer - 1);
                        break;
                    }
                    self.update_above_batch();
                    if self.batch.tree.nodes[leaf].answers(&alpha, &beta) {
                        self.store(&tables, leaf, layer - 1);
                    } else if self.batch.roots.len() == 1 {
                        // With siblings, what is known of them now may make the window narrower.
                        self.begin(&tables, leaf, layer - 1, alpha, beta);
                    }
                }
            }
        }
        drop(tables);
        let new = self.expanded - reported;
        shared.expanded.fetch_add(new, Ordering::Relaxed);
        // The bounds of the states on the path count for the root.
        while let Some(question) = self.questions.pop() {
            shared.busy.leave(question.hash);
            self.batch.tree.combine(question.node);
            self.batch.tree.update_above(question.node);
        }
        let root = &self.batch.tree.nodes[root];
        (root.lower.clone(), root.upper.clone(), answered)
    }

    /// Ends the work of all threads because a state of a layer was not expanded, and notes the reason, if that concerns
    /// them.
    fn refuse(&self, refusal: Refusal, layer: usize) {
        match refusal {
            Refusal::TooLarge if self.is_helper => return,
            Refusal::TooLarge => note(&self.shared.reason, StopReason::Memory),
            Refusal::Stopped(_) if self.shared.stop.is_raised() => return,
            Refusal::Stopped(reason) => note(&self.shared.reason, reason),
            Refusal::NewShare(new) => note(&self.shared.coarse, new),
            Refusal::Flaw(node) => {
                let open = self.questions.iter().map(|q| (q.node, q.layer));
                let trail = open.chain([(node as usize, layer)]);
                let state =
                    |(node, layer)| self.batch.tree.state(node, self.game.rows(layer)).into();
                note(&self.shared.flaw, trail.map(state).collect());
            }
        }
        self.shared.stop.raise();
    }

    /// Looks a state up whose key is set; whether anything new was learned.
    fn look_up(&mut self, tables: &[Table], layer: usize, node: usize) -> bool {
        if !self.game.remembers(layer) {
            return false;
        }
        let rows = self.game.rows(layer);
        let (key, hash) = (
            self.batch.tree.key(node, rows),
            self.batch.tree.hash(node, rows),
        );
        match tables[layer].get::<N>(key, hash) {
            Some((lower, upper)) => self.batch.tree.nodes[node].tighten(&lower, &upper),
            None => false,
        }
    }

    /// Sets the keys of the open ones of some nodes side by side, and looks them up, many at once.
    fn look_up_all(
        &mut self,
        tables: &[Table],
        layer: usize,
        nodes: Range<usize>,
    ) -> Result<(), Refusal> {
        for first in nodes.clone().step_by(LOOKED_UP_PER_CHECK) {
            if first > nodes.start {
                self.shared.limits.check()?;
            }
            let some = first..nodes.end.min(first + LOOKED_UP_PER_CHECK);
            // All entries are asked for before the first answer is waited for.
            for node in some.clone() {
                let found = &self.batch.tree.nodes[node];
                if found.is_open() {
                    tables[layer].touch(set_key(self.game, &mut self.batch.tree, node, layer));
                }
            }
            for node in some {
                let found = &self.batch.tree.nodes[node];
                if found.is_open() {
                    self.look_up(tables, layer, node);
                }
            }
        }
        Ok(())
    }

    /// Looks up what follows from an expanded state, and computes its bounds.
    fn look_up_below(&mut self, tables: &[Table], node: usize, layer: usize) {
        self.batch.tree.nodes[node].is_looked_up = true;
        let all = self.batch.tree.all_below(node);
        if layer > 1
            && let Err(refusal) = self.look_up_all(tables, layer - 1, all.clone())
        {
            // Those left out have no keys, so no state may be searched after this. Their bounds are the
            // widest there are.
            self.refuse(refusal, layer);
        }
        self.batch.tree.combine_all(all);
        self.batch.tree.combine(node);
    }

    /// Begins to ask about a state that has been expanded.
    fn begin(&mut self, tables: &[Table], node: usize, layer: usize, alpha: N, beta: N) {
        let hash = self.batch.tree.hash(node, self.game.rows(layer));
        self.shared.busy.enter(hash);
        let (alpha, beta) = match self.options.narrow_windows || self.questions.is_empty() {
            true => (alpha, beta),
            false => (N::zero(), self.scale.ones[layer].clone()),
        };
        if !self.batch.tree.nodes[node].is_looked_up {
            self.look_up_below(tables, node, layer);
        }
        let mark = match self.last_expanded.take() {
            Some((last, before)) if last == node => before,
            _ => self.batch.tree.mark(),
        };
        self.questions.push(Question {
            node,
            layer,
            alpha,
            beta,
            hash,
            mark,
        });
    }

    /// Ends the last question, which is answered.
    fn end(&mut self, tables: &[Table]) {
        // In the tree above this state is not searched again: every window that is asked with is at most
        // as wide as the one that is answered now.
        let question = self.questions.pop().expect("there is one");
        let (node, layer) = (question.node, question.layer);
        self.shared.busy.leave(question.hash);
        self.batch.tree.truncate(question.mark);
        self.last_expanded = None;
        self.batch.tree.close(node);
        self.store(tables, node, layer);
        // The choices that lead here, down from the state before.
        let mut below = node;
        loop {
            let found = &self.batch.tree.nodes[below];
            let one = self.scale.level(layer + 1, found.level);
            self.history.note(layer + 1, found, one);
            let above = found.parent as usize;
            self.batch.tree.combine(above);
            if self.batch.tree.nodes[above].is_state() {
                return;
            }
            below = above;
        }
    }

    /// Stores the bounds of a state in its table.
    fn store(&mut self, tables: &[Table], node: usize, layer: usize) {
        if !self.game.remembers(layer) {
            return;
        }
        let rows = self.game.rows(layer);
        let Node { lower, upper, .. } = &self.batch.tree.nodes[node];
        let (key, hash) = (
            self.batch.tree.key(node, rows),
            self.batch.tree.hash(node, rows),
        );
        let table = &tables[layer];
        let (lower, upper, stored) = table.set(key, hash, lower.clone(), upper.clone());
        self.batch.tree.nodes[node].tighten(&lower, &upper);
        if stored == Stored::Crowded && self.shared.tables.may_grow(table, hash) {
            self.crowded = Some((layer, hash));
        }
    }

    /// Makes a list of states to be expanded: this one, and open siblings.
    fn choose_batch(&mut self, node: usize) {
        self.batch.roots.clear();
        self.batch.roots.push(node as u32);
        let max = (self.options.sibling_lanes / self.batch.width).min(64);
        if max > 1 {
            self.batch
                .tree
                .list_siblings(node, max, &mut self.batch.roots);
        }
    }

    /// Computes the bounds above the states of the list. Many of them stand below the same node, which is
    /// computed once.
    fn update_above_batch(&mut self) {
        for (index, &node) in self.batch.roots.iter().enumerate() {
            let parent = |node: u32| self.batch.tree.nodes[node as usize].parent;
            let next = self.batch.roots.get(index + 1).map(|&next| parent(next));
            if next != Some(parent(node)) {
                self.batch.tree.update_above(node as usize);
            }
        }
    }

    /// Expands the states of the list, which stand in a layer.
    fn expand_batch(&mut self, tables: &[Table], layer: usize) -> Result<(), Refusal> {
        let before = self.batch.tree.mark();
        let limits = &self.shared.limits;
        let expanded = self.batch.expand(self.scale, layer, limits, None);
        if self.batch.cuts_off {
            self.shared.cuts_off.store(true, Ordering::Relaxed);
        }
        let Batch { tree, roots, .. } = &mut self.batch;
        if let Err(refusal) = expanded {
            tree.truncate(before);
            roots.iter().for_each(|&node| tree.reopen(node as usize));
            return Err(refusal);
        }
        self.expanded += roots.len() as u64;
        self.work += tree.nodes.len() - before.0;
        for &node in &roots[1..] {
            tree.combine_all(tree.all_below(node as usize));
            tree.combine(node as usize);
        }
        let first = roots[0] as usize;
        self.last_expanded = (roots.len() == 1).then_some((first, before));
        self.look_up_below(tables, first, layer);
        Ok(())
    }
}
