//! Depth-first search: one path after the other, and again from the start when that takes long.
//!
//! A heuristic orders the successors of a state, and chance decides between equals. Which heuristic suits a
//! game is not known, so runs with each of them take turns, with a higher limit of expansions in each round
//! (restarts: Luby, Sinclair and Zuckerman 1993):
//!
//! - *fewest successors*: the state with the fewest legal moves first (Warnsdorff 1823, for the tour of the
//!   knight), so that states that are nearly cut off are visited while they can be;
//! - *most successors*: the opposite, which keeps options open;
//! - *random*.
//!
//! A state is expanded once in a run, and again when it is reached with more moves left. A run that ends
//! within its limit has seen all states, so what it has not found does not exist.

use super::bounds::{FIRST_EXPANSIONS, FIRST_LENGTH};
use super::compile::Compiled;
use super::expand::{Expander, LANES};
use super::{Method, SearchEnd, Watcher};
use base::table::Interner;
use fastrand::Rng;

/// A heuristic.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    FewestSuccessors,
    Random,
    MostSuccessors,
}

/// The heuristics, in the order of their turns.
const RULES: [Rule; 3] = [Rule::FewestSuccessors, Rule::Random, Rule::MostSuccessors];

/// See [`super::Paths::depth_first`].
pub fn search(
    compiled: &Compiled,
    depth: Option<u32>,
    memory: u64,
    seed: u64,
    watcher: &dyn Watcher,
) -> SearchEnd {
    if depth == Some(0) {
        return SearchEnd::Complete;
    }
    let mut random = Rng::with_seed(seed);
    let mut patience = FIRST_EXPANSIONS;
    let mut length = FIRST_LENGTH;
    let mut seen = 0;
    let mut is_full = false;
    loop {
        for rule in RULES {
            let most = depth.unwrap_or(length);
            let mut run = Run::new(compiled, rule, most, &mut random, watcher);
            run.seen = seen;
            let ended = run.go(patience, memory);
            seen = run.seen;
            let (above, cut) = (run.above, run.was_cut);
            match ended {
                Some(SearchEnd::Complete) => {
                    watcher.rule_out(above, cut.then_some(most));
                    if !cut || depth.is_some() {
                        return SearchEnd::Complete;
                    }
                }
                Some(ended) => return ended,
                // Out of patience.
                None => {}
            }
            is_full |= run.is_full;
        }
        if !is_full {
            patience = patience.saturating_mul(2);
        }
        length = length.saturating_add(length / 2);
    }
}

/// A state on the path, and where to go from it.
struct Frame {
    /// The successors left, the first to be tried at the end, each with its move.
    left: Vec<(u32, u32)>,
}

/// One run from the start.
struct Run<'a> {
    compiled: &'a Compiled,
    rule: Rule,
    most: u32,
    random: &'a mut Rng,
    watcher: &'a dyn Watcher,
    states: Interner,
    /// For each state how many moves were left when it was expanded, plus 1.
    expanded: Vec<u32>,
    expander: Expander<'a>,
    /// The level above all that were reached.
    above: usize,
    /// Whether a path was given up because it was too long.
    was_cut: bool,
    /// The states seen in all runs.
    seen: u64,
    is_full: bool,
}

impl<'a> Run<'a> {
    fn new(
        compiled: &'a Compiled,
        rule: Rule,
        most: u32,
        random: &'a mut Rng,
        watcher: &'a dyn Watcher,
    ) -> Self {
        Run {
            compiled,
            rule,
            most,
            random,
            watcher,
            states: Interner::new(compiled.words()),
            expanded: Vec::new(),
            expander: Expander::new(compiled),
            above: 0,
            was_cut: false,
            seen: 0,
            is_full: false,
        }
    }

    /// Goes on until everything is seen, patience is at its end, or something says to stop.
    fn go(&mut self, patience: u64, memory: u64) -> Option<SearchEnd> {
        self.states.number(&self.compiled.initial);
        self.expanded.push(0);
        let mut path: Vec<usize> = Vec::new();
        let mut frames: Vec<Frame> = Vec::new();
        let first = self.expand(0, &path);
        frames.push(first);
        let mut expansions = 0;
        while let Some(frame) = frames.last_mut() {
            let Some((state, action)) = frame.left.pop() else {
                frames.pop();
                path.pop();
                continue;
            };
            let left = self.most - frames.len() as u32;
            if self.expanded[state as usize] > left {
                continue;
            }
            if left == 0 {
                self.was_cut = true;
                continue;
            }
            path.push(action as usize);
            let frame = self.expand(state, &path);
            frames.push(frame);
            expansions += 1;
            self.seen += 1;
            if expansions % 256 == 0 {
                if !self.watcher.go_on(self.seen, path.len() as u32) {
                    return Some(SearchEnd::Stopped);
                }
                // The slots of the table are there twice while it grows.
                let lists = Interner::SLOT_BYTES * self.states.len() + 4 * self.expanded.capacity();
                self.is_full = self.states.bytes() + lists as u64 > memory;
            }
            if expansions > patience || self.is_full {
                return None;
            }
        }
        Some(SearchEnd::Complete)
    }

    /// Expands the last state of a path.
    fn expand(&mut self, state: u32, path: &[usize]) -> Frame {
        let left = self.most - path.len() as u32;
        self.expanded[state as usize] = left + 1;
        let mut fresh = Vec::new();
        let mut actions = Vec::new();
        let mut best: Option<(usize, u32)> = None;
        self.expander
            .expand(&self.states, &[state], |successor| match successor.end {
                Some(end) if best.is_none_or(|(best, _)| end > best) => {
                    best = Some((end, successor.action));
                }
                Some(_) => {}
                None => {
                    fresh.extend_from_slice(successor.key);
                    actions.push(successor.action);
                }
            });
        if let Some((end, action)) = best {
            self.above = self.above.max(end);
            let moves = path.len() as u32 + 1;
            if self
                .watcher
                .least_useful(moves)
                .is_some_and(|least| end > least)
            {
                let mut path = path.to_vec();
                path.push(action as usize);
                self.watcher.found(&path, Method::DepthFirst);
            }
        }
        let mut successors = Vec::with_capacity(actions.len());
        for (key, &action) in fresh.chunks_exact(self.compiled.words()).zip(&actions) {
            let new = self.states.len();
            let state = self.states.number(key);
            if state as usize == new {
                self.expanded.push(0);
            }
            if self.expanded[state as usize] < left {
                successors.push((state, action));
            }
        }
        self.random.shuffle(&mut successors);
        self.order(&mut successors);
        Frame { left: successors }
    }

    /// Puts successors in order, the first to be tried last.
    fn order(&mut self, successors: &mut [(u32, u32)]) {
        if self.rule == Rule::Random {
            return;
        }
        let mut counted: Vec<(u32, (u32, u32))> = Vec::with_capacity(successors.len());
        let mut counts = Vec::new();
        for chunk in successors.chunks(LANES) {
            let chosen: Vec<u32> = chunk.iter().map(|&(state, _)| state).collect();
            self.expander
                .count_moves(&self.states, &chosen, &mut counts);
            counted.extend(counts.iter().copied().zip(chunk.iter().copied()));
        }
        match self.rule {
            Rule::MostSuccessors => counted.sort_by_key(|(count, _)| *count),
            _ => counted.sort_by_key(|(count, _)| std::cmp::Reverse(*count)),
        }
        for (sorted, (_, successor)) in successors.iter_mut().zip(counted) {
            *sorted = successor;
        }
    }
}
