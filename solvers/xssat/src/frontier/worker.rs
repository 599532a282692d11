//! One thread of the search: depth first from state to state.
//!
//! A state under examination is a [`Visit`]: its tree, and the question asked about it. The search
//! takes the leaf that its question needs next, looks it up, and visits it if the table does not
//! know enough; when the question is answered, the bounds go to the table and to the leaf of the
//! visit before. All threads do the same from the same root. They help each other through the
//! tables: a state that another thread is looking at is left for later where there is a choice.

use super::Frontier;
use super::expand::{Expansion, Scratch, branch_numbers};
use super::history::History;
use super::segment::Segment;
use super::shared::{Shared, most_nodes};
use super::tree::{Kind, NONE, Next, Node, Tree};
use super::units::{Denominators, Refusal, Units};
use crate::budget::Budget;
use formula::StopReason;
use std::sync::RwLockReadGuard;
use std::sync::atomic::Ordering;
use table::{Stored, Table, hash};
use value::Numerator;

/// A state under examination.
struct Visit<N> {
    segment: usize,
    /// Where its key is.
    key: usize,
    hash: u64,
    alpha: N,
    beta: N,
    /// Where its tree and the keys of its leaves begin.
    root: usize,
    keys: usize,
    /// The leaf that the next visit looks at.
    leaf: usize,
}

/// One thread of the search.
pub struct Worker<'a, N> {
    frontier: &'a Frontier<'a>,
    units: &'a Units<N>,
    shared: &'a Shared,
    /// Whether the search can do without this thread.
    is_helper: bool,
    /// See [`Shared::most_nodes`].
    most_nodes: usize,
    tree: Tree<N>,
    keys: Vec<u64>,
    /// The key of the state that is executed.
    key: Vec<u64>,
    scratch: Scratch,
    histories: Vec<History>,
    visits: Vec<Visit<N>>,
    /// Segments executed.
    executed: u64,
    /// How much work that was: a segment with many branches counts several times.
    work: u64,
}

/// So many nodes of a tree are as much work as executing a segment without branches.
const NODES_PER_WORK: usize = 512;

/// What a node takes in memory, at most: unbounded numbers take far more than the node itself.
fn node_bytes<N: Numerator>(units: &Units<N>) -> usize {
    size_of::<Node<N>>() + 3 * units.ones[0].heap_bytes()
}

impl<'a, N: Numerator> Worker<'a, N> {
    /// A thread that has not begun.
    pub fn new(
        frontier: &'a Frontier<'a>,
        units: &'a Units<N>,
        shared: &'a Shared,
        is_helper: bool,
    ) -> Self {
        let order = frontier.options.order_branches;
        let history = |segment: &Segment| History::new(branch_numbers(segment), order);
        Worker {
            frontier,
            units,
            shared,
            is_helper,
            most_nodes: shared.most_nodes(node_bytes(units), is_helper),
            tree: Tree::new(),
            keys: Vec::new(),
            key: Vec::new(),
            scratch: Scratch::new(frontier.segments),
            histories: frontier.segments.iter().map(history).collect(),
            visits: Vec::new(),
            executed: 0,
            work: 0,
        }
    }

    /// Finds bounds of the value at the root that answer a question, or any valid bounds if the
    /// search is stopped before; says whether they answer it. `pulse` is called now and then with
    /// the bounds of the root.
    pub fn solve(&mut self, alpha: &N, beta: &N, mut pulse: impl FnMut(&N, &N)) -> (N, N, bool) {
        self.tree.nodes.clear();
        self.keys.clear();
        self.keys.resize(self.frontier.words[0], 0);
        let shared = self.shared;
        let mut tables = shared.tables.read();
        let mut bounds = (N::zero(), self.units.ones[0].clone());
        let mut answered = false;
        let (mut reported, mut looked) = (self.executed, self.work);
        let root_hash = hash(&self.keys);
        if let Err(refusal) = self.begin(&tables, 0, 0, root_hash, alpha.clone(), beta.clone()) {
            self.refuse(refusal);
            return (bounds.0, bounds.1, answered);
        }
        while !shared.stop.load(Ordering::Relaxed) {
            if shared.tables.is_growing() {
                drop(tables);
                tables = shared.tables.read();
            }
            let visit = self.visits.last().expect("the root is there until the end");
            let row_words = self.frontier.words[visit.segment + 1];
            let about_ones = &self.units.about_ones[visit.segment];
            let next = self.tree.next_leaf(
                visit.root,
                visit.alpha.clone(),
                visit.beta.clone(),
                |branch| {
                    self.histories[visit.segment]
                        .estimate(branch, about_ones[usize::from(branch.branch) / 64])
                },
                |row| {
                    let row = row as usize;
                    shared.threads > 1
                        && shared
                            .marks
                            .is_marked(hash(&self.keys[row..row + row_words]))
                },
            );
            match next {
                Next::Settled => {
                    if self.visits.len() == 1 {
                        answered = true;
                        break;
                    }
                    tables = self.end(tables);
                }
                Next::Leaf(leaf, alpha, beta) => {
                    if let Err(refusal) = self.visit(&tables, leaf, alpha, beta) {
                        self.refuse(refusal);
                        break;
                    }
                    if self.work >= looked + self.frontier.pulse() {
                        looked = self.work;
                        let root = &self.tree.nodes[self.visits[0].root];
                        pulse(&root.lower, &root.upper);
                        shared
                            .visits
                            .fetch_add(self.executed - reported, Ordering::Relaxed);
                        reported = self.executed;
                    }
                }
            }
        }
        drop(tables);
        shared
            .visits
            .fetch_add(self.executed - reported, Ordering::Relaxed);
        // What is known of the states on the path counts for the root.
        while let Some(visit) = self.visits.pop() {
            let root = &self.tree.nodes[visit.root];
            bounds = (root.lower.clone(), root.upper.clone());
            if self.visits.is_empty() {
                break;
            }
            shared.marks.mark(visit.hash, false);
            let leaf = self.visits.last().expect("not empty").leaf;
            self.learn(leaf, &bounds.0, &bounds.1);
            self.tree.update(leaf);
        }
        (bounds.0, bounds.1, answered)
    }

    /// Tells the others why this thread comes to an end, if they have to know.
    fn refuse(&self, refusal: Refusal) {
        match refusal {
            Refusal::TooLarge if self.is_helper => {}
            Refusal::TooLarge => self.shared.stop_for(StopReason::Memory),
            Refusal::TooCoarse(coarse) => {
                let mut found = self.shared.coarse.lock().expect("no thread panics");
                found.get_or_insert(coarse);
                self.shared.stop.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Looks at a leaf: in the table, and if that does not answer the question, by a visit.
    fn visit(&mut self, tables: &[Table], leaf: usize, alpha: N, beta: N) -> Result<(), Refusal> {
        let visit = self.visits.last_mut().expect("it has a leaf");
        visit.leaf = leaf;
        let segment = visit.segment + 1;
        let row = self.tree.nodes[leaf].first as usize;
        let key = &self.keys[row..row + self.frontier.words[segment]];
        let hash = hash(key);
        // Somebody may have found out since.
        if self.frontier.remembers[segment]
            && let stored = self.frontier.stored(key, &hash)
            && let Some((lower, upper)) = tables[segment].get::<N>(stored, hash)
        {
            let node = &self.tree.nodes[leaf];
            if lower > node.lower || upper < node.upper {
                self.learn(leaf, &lower, &upper);
                self.tree.update(leaf);
                return Ok(());
            }
        }
        let (alpha, beta) = if self.frontier.options.narrow_windows {
            (alpha, beta)
        } else {
            (N::zero(), self.units.ones[segment].clone())
        };
        self.shared.marks.mark(hash, true);
        let begun = self.begin(tables, segment, row, hash, alpha, beta);
        if begun.is_err() {
            self.shared.marks.mark(hash, false);
        }
        begun
    }

    /// Tightens the bounds of a leaf.
    fn learn(&mut self, leaf: usize, lower: &N, upper: &N) {
        let node = &mut self.tree.nodes[leaf];
        if *lower > node.lower {
            node.lower = lower.clone();
        }
        if *upper < node.upper {
            node.upper = upper.clone();
        }
    }

    /// Begins a visit: executes the segment and looks up all leaves.
    fn begin(
        &mut self,
        tables: &[Table],
        segment: usize,
        key: usize,
        hash: u64,
        alpha: N,
        beta: N,
    ) -> Result<(), Refusal> {
        self.executed += 1;
        let nodes = self.tree.nodes.len();
        let keys = self.keys.len();
        let words = self.frontier.words[segment];
        let stride = self.frontier.words[segment + 1];
        self.key.clear();
        self.key.extend_from_slice(&self.keys[key..key + words]);
        let mut expansion = Expansion {
            code: self.frontier.code,
            segment: &self.frontier.segments[segment],
            number: segment,
            is_last: segment + 1 == self.frontier.segments.len(),
            units: self.units,
            tree: &mut self.tree,
            keys: &mut self.keys,
            stride,
            scratch: &mut self.scratch,
            most: self.most_nodes,
            learn: None,
        };
        let root = expansion.run(&self.key)?;
        self.work += 1 + ((self.tree.nodes.len() - nodes) / NODES_PER_WORK) as u64;
        self.visits.push(Visit {
            segment,
            key,
            hash,
            alpha,
            beta,
            root,
            keys,
            leaf: nodes,
        });
        self.look_up(tables, segment + 1, root, keys, stride);
        self.tree.complete(root);
        Ok(())
    }

    /// Sets the bounds of the leaves of a new tree to what the table knows.
    fn look_up(&mut self, tables: &[Table], next: usize, root: usize, keys: usize, stride: usize) {
        if let Some(symmetry) = self.frontier.symmetries.get(next)
            && symmetry.maps() > 0
        {
            for key in self.keys[keys..].chunks_exact_mut(stride) {
                symmetry.canonicalise(key);
            }
        }
        let one = &self.units.ones[next];
        let Some(table) = tables.get(next).filter(|_| self.frontier.remembers[next]) else {
            for node in &mut self.tree.nodes[root..] {
                if node.kind == Kind::State {
                    (node.lower, node.upper) = (N::zero(), one.clone());
                }
            }
            return;
        };
        // All tables are asked before the first answer is waited for.
        let rows = self.keys[keys..].chunks_exact(stride);
        rows.for_each(|key| table.touch(hash(key)));
        for node in &mut self.tree.nodes[root..] {
            if node.kind == Kind::State {
                let row = node.first as usize;
                let key = &self.keys[row..row + stride];
                let hash = hash(key);
                (node.lower, node.upper) = match table.get(self.frontier.stored(key, &hash), hash) {
                    Some(bounds) => bounds,
                    None => (N::zero(), one.clone()),
                };
            }
        }
    }

    /// Ends the last visit, whose question is answered.
    fn end<'t>(
        &mut self,
        tables: RwLockReadGuard<'t, Vec<Table>>,
    ) -> RwLockReadGuard<'t, Vec<Table>>
    where
        'a: 't,
    {
        let visit = self.visits.pop().expect("there is one");
        let root = &self.tree.nodes[visit.root];
        let (lower, upper) = (root.lower.clone(), root.upper.clone());
        self.shared.marks.mark(visit.hash, false);
        let table = &tables[visit.segment];
        let (mut bounds, mut grow) = ((lower, upper), false);
        if self.frontier.remembers[visit.segment] {
            let key = &self.keys[visit.key..visit.key + self.frontier.words[visit.segment]];
            let key = self.frontier.stored(key, &visit.hash);
            let (lower, upper, stored) = table.set(key, visit.hash, bounds.0, bounds.1);
            bounds = (lower, upper);
            grow = stored == Stored::Crowded && self.shared.tables.may_grow(table, visit.hash);
        }
        self.tree.nodes.truncate(visit.root);
        self.keys.truncate(visit.keys);
        let before = self.visits.last().expect("the root is not ended");
        let (leaf, segment) = (before.leaf, before.segment);
        self.learn(leaf, &bounds.0, &bounds.1);
        self.tree.update(leaf);
        self.note(segment, leaf);
        if !grow {
            return tables;
        }
        drop(tables);
        self.shared.tables.grow(visit.segment, visit.hash);
        self.shared.tables.read()
    }

    /// Tells the history about the branches above a leaf.
    fn note(&mut self, segment: usize, leaf: usize) {
        let mut node = leaf;
        loop {
            let found = &self.tree.nodes[node];
            if found.parent == NONE {
                return;
            }
            let stage = usize::from(found.branch) / 64;
            let one = self.units.about_ones[segment][stage];
            self.histories[segment].note(found.branch, &found.lower, &found.upper, one);
            node = found.parent as usize;
        }
    }
}

/// Plays at random through the segments, so that the denominators that occur are learned before the
/// search. Where a segment has very many branches, the search must find them itself.
///
/// # Errors
/// If a limit is reached.
pub fn learn_denominators<N: Numerator>(
    frontier: &Frontier<'_>,
    units: &Units<N>,
    denominators: &mut Denominators,
    budget: &mut Budget<'_>,
) -> Result<(), StopReason> {
    const MOST_SEGMENTS: usize = 20_000;
    const MOST_NODES: usize = 1 << 14;
    const ENOUGH_WITHOUT_NEWS: usize = 24;
    let mut random = fastrand::Rng::with_seed(1);
    let mut tree = Tree::<N>::new();
    let mut keys = Vec::new();
    let mut scratch = Scratch::new(frontier.segments);
    let most = most_nodes(budget.memory_limit(), size_of::<Node<N>>()).min(MOST_NODES);
    let (mut executed, mut without_news) = (0, 0);
    while executed < MOST_SEGMENTS && without_news < ENOUGH_WITHOUT_NEWS {
        let before = denominators.clone();
        let mut key = vec![0; frontier.words[0]];
        for (number, segment) in frontier.segments.iter().enumerate() {
            executed += 1;
            budget.look("preparing", 0)?;
            tree.nodes.clear();
            keys.clear();
            let stride = frontier.words[number + 1];
            let mut expansion = Expansion {
                code: frontier.code,
                segment,
                number,
                is_last: number + 1 == frontier.segments.len(),
                units,
                tree: &mut tree,
                keys: &mut keys,
                stride,
                scratch: &mut scratch,
                most,
                learn: Some(denominators),
            };
            if expansion.run(&key).is_err() {
                return Ok(());
            }
            let rows = keys.len() / stride;
            if rows == 0 {
                break;
            }
            let row = random.usize(..rows) * stride;
            key.clear();
            key.extend_from_slice(&keys[row..row + stride]);
        }
        without_news += 1;
        if *denominators != before {
            without_news = 0;
        }
    }
    Ok(())
}
