//! Breadth-first search: all states after one move, after two, and so on.
//!
//! A state is kept with its predecessor and the move from there, which gives the path to it. It is expanded
//! once, where it comes first. A finished layer holds the ends of all paths of its length. So a level that was
//! not reached is ruled out for that number of moves, and for any number if there is no new state.

use super::compile::Compiled;
use super::expand::{Expander, LANES};
use super::{Method, SearchEnd, Watcher};
use base::table::Interner;

/// The tree of first paths.
struct Tree {
    states: Interner,
    /// For each state its predecessor and the move from there.
    origin: Vec<(u32, u32)>,
}

impl Tree {
    /// The moves to a state.
    fn path(&self, mut state: u32) -> Vec<usize> {
        let mut moves = Vec::new();
        while state != 0 {
            let (before, action) = self.origin[state as usize];
            moves.push(action as usize);
            state = before;
        }
        moves.reverse();
        moves
    }
}

/// See [`super::Paths::breadth_first`].
pub fn search(
    compiled: &Compiled,
    depth: Option<u32>,
    memory: u64,
    watcher: &dyn Watcher,
) -> SearchEnd {
    // The level above all that were reached.
    let mut above = 0;
    let mut tree = Tree {
        states: Interner::new(compiled.words()),
        origin: vec![(0, 0)],
    };
    tree.states.number(&compiled.initial);
    let mut expander = Expander::new(compiled);
    let mut layer = 0..1;
    for moves in 1.. {
        if depth.is_some_and(|depth| moves > depth) {
            return SearchEnd::Complete;
        }
        let mut chosen = Vec::with_capacity(LANES);
        let mut fresh: Vec<u64> = Vec::new();
        let mut origins: Vec<(u32, u32)> = Vec::new();
        let mut next = layer.start;
        while next < layer.end {
            chosen.clear();
            chosen.extend((next..layer.end).take(LANES));
            next += chosen.len() as u32;
            fresh.clear();
            origins.clear();
            let mut best: Option<(usize, u32, u32)> = None;
            expander.expand(&tree.states, &chosen, |successor| {
                let origin = (chosen[successor.parent], successor.action);
                match successor.end {
                    Some(end) if best.is_none_or(|(best, ..)| end > best) => {
                        best = Some((end, origin.0, origin.1));
                    }
                    Some(_) => {}
                    None => {
                        fresh.extend_from_slice(successor.key);
                        origins.push(origin);
                    }
                }
            });
            for (key, &origin) in fresh.chunks_exact(compiled.words()).zip(&origins) {
                if tree.states.number(key) as usize == tree.origin.len() {
                    tree.origin.push(origin);
                }
            }
            if let Some((end, state, action)) = best
                && end > above
            {
                above = end;
                if watcher.least_useful(moves).is_some_and(|least| end > least) {
                    let mut path = tree.path(state);
                    path.push(action as usize);
                    watcher.found(&path, Method::BreadthFirst);
                }
            }
            let seen = tree.states.len();
            if !watcher.go_on(seen as u64, moves) {
                return SearchEnd::Stopped;
            }
            // The slots of the table are there twice while it grows.
            let lists = Interner::SLOT_BYTES * seen + 8 * tree.origin.capacity();
            let bytes = tree.states.bytes() + lists as u64;
            if bytes > memory || seen > u32::MAX as usize / 2 {
                return SearchEnd::Full;
            }
        }
        layer = layer.end..tree.states.len() as u32;
        if layer.is_empty() {
            watcher.rule_out(above, None);
            return SearchEnd::Complete;
        }
        watcher.rule_out(above, Some(moves));
    }
    SearchEnd::Complete
}
