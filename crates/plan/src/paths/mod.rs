//! Paths to a goal in a transition system with one agent.
//!
//! The system is a [`circuit::Step`]: from a state and a move to the next state. A *path* leads from
//! the initial state to a terminal one; ends differ in *levels*, of which higher ones are better. Three
//! searches find paths, and report to a [`Watcher`] every path that is of use and everything that
//! they have ruled out:
//!
//! - [`Paths::breadth_first`]: all states after one move, after two, and so on. The first path to a
//!   level is a shortest one. Memory is its limit.
//! - [`Paths::depth_first`]: one path after the other, in the order of a heuristic, with random
//!   choices between equals, and from the start again when it takes long. It finds long paths.
//! - [`Paths::side_by_side`]: many moves that can be made in any order at a time, by clauses. It finds
//!   paths that put many pieces together.
//!
//! The first two take many states one step further at once ([`circuit::Code`]), one in each bit of a
//! machine word, and compare states by all of their facts that matter, not by a hash. Nothing here knows of games.
//!
//! ```
//! use circuit::{Circuit, Step};
//! use sqasp_plan::paths::{Method, Paths, Problem, Watcher};
//!
//! // Two lamps; a move switches one of them. The end is when both are on.
//! let mut circuit = Circuit::new();
//! let [a, b] = [circuit.input(0), circuit.input(0)];
//! let [switch_a, switch_b] = [circuit.input(1), circuit.input(1)];
//! let both = circuit.and([a, b]);
//! let next = vec![circuit.or([a, switch_a]), circuit.or([b, switch_b])];
//! let step = Step {
//!     facts: vec![a, b],
//!     initial: vec![false, false],
//!     moves: vec![vec![switch_a, switch_b]],
//!     legal: vec![vec![!a, !b]],
//!     terminal: both,
//!     goals: vec![vec![]],
//!     next,
//!     circuit,
//! };
//!
//! #[derive(Default)]
//! struct Shortest(std::sync::Mutex<Vec<usize>>);
//! impl Watcher for Shortest {
//!     fn go_on(&self, _states: u64, _depth: u32) -> bool { self.0.lock().unwrap().is_empty() }
//!     fn least_useful(&self, _moves: u32) -> Option<usize> { Some(0) }
//!     fn found(&self, moves: &[usize], _: Method) { *self.0.lock().unwrap() = moves.to_vec(); }
//!     fn rule_out(&self, _level: usize, _moves: Option<u32>) {}
//!     fn bound(&self, _moves: u32) {}
//! }
//! let levels = vec![both];
//! let paths = Paths::new(&Problem { step: &step, levels: &levels })?;
//! let shortest = Shortest::default();
//! paths.breadth_first(None, 1_000_000, &shortest);
//! assert_eq!(shortest.0.lock().unwrap().len(), 2);
//! # Ok::<(), sqasp_plan::paths::ProblemError>(())
//! ```
//!
//! Invariant: each level that is reported as ruled out is unreachable; each path that is reported leads to the end by legal moves.

mod bounds;
mod breadth;
mod clauses;
mod compile;
mod contradiction;
mod counting;
mod depth;
mod effects;
mod expand;
mod parallel;

use circuit::{Literal, May, Step};
use compile::Compiled;

/// The system in which paths are searched for, and the levels of its ends.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The system; it must have one agent.
    pub step: &'a Step,
    /// For each level, lowest first, whether a terminal state reaches it. A state that reaches a level
    /// reaches those below too.
    pub levels: &'a [Literal],
}

/// A problem that makes no sense.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProblemError {
    /// Others move too.
    #[error("the step has {0} agents; paths are those of one")]
    Agents(usize),
    /// A signal that must depend on facts only depends on moves.
    #[error("{0} depends on moves, but may depend on facts only")]
    DependsOnMoves(&'static str),
}

/// A search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// All states in the order of their distance.
    BreadthFirst,
    /// One path after the other.
    DepthFirst,
    /// Many moves at a time, by clauses.
    SideBySide,
}

/// Receives what is found and ruled out, and says what is still of use.
pub trait Watcher {
    /// Gets the number of states that were seen and how far the search is; says whether to go on.
    fn go_on(&self, states: u64, depth: u32) -> bool;

    /// The lowest level that is worth reaching with this number of moves.
    fn least_useful(&self, moves: u32) -> Option<usize>;

    /// A path, as the numbers of its moves, whose end reaches the level that was worth reaching.
    fn found(&self, moves: &[usize], by: Method);

    /// No path of at most this number of moves (without a number: of any) reaches a level.
    fn rule_out(&self, level: usize, moves: Option<u32>);

    /// Every path is at its end after at most this number of moves.
    fn bound(&self, moves: u32);
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchEnd {
    /// Everything was seen, within the given number of moves.
    Complete,
    /// The watcher said to stop.
    Stopped,
    Full,
}

/// A problem made ready for searching.
pub struct Paths {
    compiled: Compiled,
}

impl Paths {
    /// Compiles the step.
    pub fn new(problem: &Problem<'_>) -> Result<Self, ProblemError> {
        let step = problem.step;
        if step.moves.len() != 1 {
            return Err(ProblemError::Agents(step.moves.len()));
        }
        let on_facts = |signal: &Literal| step.circuit.level(*signal) == 0;
        for (signals, what) in [
            (step.legal[0].as_slice(), "what is legal"),
            (&[step.terminal], "the end"),
            (problem.levels, "a level"),
        ] {
            if !signals.iter().all(on_facts) {
                return Err(ProblemError::DependsOnMoves(what));
            }
        }
        Ok(Paths {
            compiled: compile::compile(problem),
        })
    }

    /// Rules out what ternary simulation with unknown moves can rule out, up to a depth: levels that some counter
    /// does not allow yet.
    pub fn look_ahead(problem: &Problem<'_>, depth: Option<u32>, watcher: &dyn Watcher) {
        let step = problem.step;
        // Levels that fewer moves might reach are not ruled out any more.
        let mut above = 0;
        let bound = step.look_ahead(
            &step.initial,
            bounds::MAX_SIMULATED_GATES,
            |moves, values| {
                let may_reach = |&level: &Literal| {
                    May::of(values, step.terminal).hold && May::of(values, level).hold
                };
                let level = problem.levels.iter().rposition(may_reach);
                above = level.map_or(0, |level| level + 1).max(above);
                if above < problem.levels.len() {
                    watcher.rule_out(above, Some(moves));
                }
                above < problem.levels.len()
                    && depth.is_none_or(|depth| moves < depth)
                    && watcher.go_on(0, moves)
            },
        );
        if let Some(moves) = bound {
            watcher.bound(moves);
        }
    }

    /// Visits all states in the order of their distance, up to `depth` moves, within a memory in bytes.
    pub fn breadth_first(
        &self,
        depth: Option<u32>,
        memory: u64,
        watcher: &dyn Watcher,
    ) -> SearchEnd {
        match self.is_over(Method::BreadthFirst, watcher) {
            true => SearchEnd::Complete,
            false => breadth::search(&self.compiled, depth, memory, watcher),
        }
    }

    /// Follows one path after the other, up to `depth` moves, within a memory in bytes; starts again with a
    /// higher limit. The seed decides between successors that heuristics take for equal.
    pub fn depth_first(
        &self,
        depth: Option<u32>,
        memory: u64,
        seed: u64,
        watcher: &dyn Watcher,
    ) -> SearchEnd {
        match self.is_over(Method::DepthFirst, watcher) {
            true => SearchEnd::Complete,
            false => depth::search(&self.compiled, depth, memory, seed, watcher),
        }
    }

    /// Rules out levels that no state has, and numbers of moves that are too small to change all that has to
    /// change; then searches for paths to the highest level that make many moves side by side. The latter needs
    /// moves with fixed effects.
    pub fn side_by_side(
        &self,
        problem: &Problem<'_>,
        depth: Option<u32>,
        watcher: &dyn Watcher,
    ) -> SearchEnd {
        match self.is_over(Method::SideBySide, watcher) {
            true => SearchEnd::Complete,
            false => {
                contradiction::rule_out(problem, watcher);
                counting::rule_out(problem, watcher);
                parallel::search(problem, depth, watcher)
            }
        }
    }

    /// Whether the initial state is terminal; then reports that to the watcher.
    fn is_over(&self, by: Method, watcher: &dyn Watcher) -> bool {
        let Some(end) = self.compiled.initial_end else {
            watcher.rule_out(0, Some(0));
            return false;
        };
        if watcher.least_useful(0).is_some_and(|least| end > least) {
            watcher.found(&[], by);
        }
        watcher.rule_out(end, None);
        true
    }
}
