//! All states that play leads to, breadth first, as a graph in flat tables.

use crate::mixed::{MixedError, PositionGame};
use endless::{Arena, Builder, Target};
use gdl::Term;
use limits::{Limits, StopReason, Watch};
use matrix::{Listed, Nodes, Stage, StateSet, explore};
use num_rational::BigRational;
use rules::{Reasoner, ReasonerError};

/// A state of the game as a row of bits.
pub(super) type Row = Box<[u64]>;

/// The bytes of an outcome in the graph, and of a state, with room to grow.
const OUTCOME_BYTES: u64 = 32;
const STATE_BYTES: u64 = 256;

/// The part of the memory for bounds where not all states can be listed.
pub(super) const PART_FOR_BOUNDS: u64 = 8;

/// All states; the first one is the start.
pub(super) struct Listing {
    pub(super) states: StateSet<Row>,
    /// Its only end is the end of play, to which the states lead where play is over, no step is left, or nothing is known.
    pub(super) arena: Arena,
    /// By state: whether play goes on there.
    pub(super) goes_on: Vec<bool>,
    /// By state: whether its steps count.
    pub(super) counts: Vec<bool>,
    /// Whether there are states in which play goes on, and no step is left.
    pub(super) is_cut: bool,
    /// The limit that ended the listing. Values are lower bounds then: they count no step from states that are not known.
    pub(super) stopped: Option<StopReason>,
}

/// The graph while it grows.
#[derive(Default)]
struct Graph {
    builder: Builder,
    goes_on: Vec<bool>,
    is_cut: bool,
}

impl Nodes<BigRational> for Graph {
    fn push(&mut self, state: Listed<BigRational>) {
        self.builder.state();
        self.goes_on.push(matches!(state, Listed::Stage(_)));
        self.is_cut |= matches!(state, Listed::Last);
        let Listed::Stage(Stage { columns, cells }) = state else {
            self.builder.alternative();
            self.builder.reply();
            self.builder.outcome(Target::End(0), 1);
            return;
        };
        for (cell, outcomes) in cells.into_iter().enumerate() {
            if cell % columns == 0 {
                self.builder.alternative();
            }
            self.builder.reply();
            for (next, weight) in outcomes {
                self.builder.outcome(Target::State(next), weight);
            }
        }
    }

    fn bytes(&self) -> u64 {
        OUTCOME_BYTES * self.builder.outcomes() as u64 + STATE_BYTES * self.goes_on.len() as u64
    }
}

/// Lists the states from a row on, of which a reasoner says which steps count.
///
/// # Errors
/// If a state has no value.
pub(super) fn list(
    game: &mut PositionGame,
    reasoner: &mut Reasoner,
    start: Row,
    depth: Option<u32>,
    limits: &Limits,
) -> Result<Listing, MixedError> {
    // Bounds by a part of the states take time and memory, too.
    let most = Limits {
        memory: limits.memory.map(|all| all - all / PART_FOR_BOUNDS),
        ..limits.within(limits.time_left().map(|time| time / 2))
    };
    let mut watch = Watch::new(&most);
    let mut listed = explore(game, start, depth, Graph::default(), &mut watch)?;
    for _ in listed.nodes.goes_on.len()..listed.states.len() {
        listed.nodes.push(Listed::Last);
    }
    let Graph {
        builder,
        goes_on,
        is_cut,
    } = listed.nodes;
    let mut counts = goes_on.clone();
    if reasoner.names_counted_steps() {
        for (row, counts) in listed.states.iter().zip(&mut counts) {
            limits.check()?;
            *counts = *counts && step_counts(reasoner, &game.facts(row))?;
        }
    }
    Ok(Listing {
        states: listed.states,
        arena: builder.finish(1).map_err(|_| MixedError::JointMoves)?,
        goes_on,
        counts,
        is_cut,
        stopped: listed.stopped,
    })
}

fn step_counts(reasoner: &mut Reasoner, facts: &[Term]) -> Result<bool, ReasonerError> {
    let state = reasoner.state(facts)?;
    reasoner.step_counts(&state)
}
