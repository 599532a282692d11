//! All states that play leads to, breadth first, as a graph in flat tables.

use crate::mixed::{MixedError, PositionGame};
use endless::{Arena, Builder, Target};
use gdl::Term;
use limits::{Limits, Watch};
use matrix::{ConcurrentGame, Stage, StageError};
use rules::{Reasoner, ReasonerError};
use rustc_hash::FxHashMap;

/// A state of the game as a row of bits.
pub(super) type Row = Box<[u64]>;

/// The bytes of an outcome in the graph, and of a state beside its row.
const OUTCOME_BYTES: u64 = 16;
const STATE_BYTES: u64 = 128;

/// All states in which play goes on; the first one is the start.
pub(super) struct Listing {
    pub(super) states: Vec<Row>,
    /// By row: the number of the state, or the end.
    targets: FxHashMap<Row, Target>,
    /// Its only end is the end of play.
    pub(super) arena: Arena,
    /// By state: whether its steps count.
    pub(super) counts: Vec<bool>,
    /// Whether there are other states in which play goes on, where no step is left.
    pub(super) is_cut: bool,
}

impl Listing {
    /// The number of the state of a row, if play leads there and goes on there.
    pub(super) fn number(&self, row: &Row) -> Option<usize> {
        match self.targets.get(row) {
            Some(Target::State(number)) => Some(*number as usize),
            _ => None,
        }
    }
}

/// The lists while they grow.
struct Lister<'a> {
    game: &'a mut PositionGame,
    states: Vec<Row>,
    distances: Vec<u32>,
    targets: FxHashMap<Row, Target>,
    depth: Option<u32>,
    is_cut: bool,
}

impl Lister<'_> {
    /// The target of a row. States that are not met before the last step end play there: no step is left in them.
    fn target(&mut self, row: Row, distance: u32) -> Result<Target, StageError<MixedError>> {
        if let Some(&target) = self.targets.get(&row) {
            return Ok(target);
        }
        let is_over = self.game.payoff(&row).map_err(failed)?.is_some();
        let is_last = self.depth == Some(distance);
        self.is_cut |= is_last && !is_over;
        let target = match is_over || is_last {
            true => Target::End(0),
            false => {
                self.states.push(row.clone());
                self.distances.push(distance);
                let number = self.states.len() - 1;
                Target::State(u32::try_from(number).expect("memory ends before"))
            }
        };
        self.targets.insert(row, target);
        Ok(target)
    }
}

/// Lists the states from a row on, of which a reasoner says which steps count.
///
/// # Errors
/// If a state has no value, or a limit comes first: of a part of the states nothing would be proved.
pub(super) fn list(
    game: &mut PositionGame,
    reasoner: &mut Reasoner,
    start: Row,
    depth: Option<u32>,
    limits: &Limits,
) -> Result<Listing, MixedError> {
    let mut watch = Watch::new(limits);
    let mut lister = Lister {
        game,
        states: Vec::new(),
        distances: Vec::new(),
        targets: FxHashMap::default(),
        depth,
        is_cut: false,
    };
    let (mut builder, mut counts) = (Builder::default(), Vec::new());
    lister.target(start, 0).map_err(whole)?;
    let mut bytes = 0;
    while let Some(row) = lister.states.get(counts.len()).cloned() {
        let state = counts.len();
        let step = watch.check_and_report("listing states", state as u64, bytes, || None);
        step.and_then(|()| limits.check_memory(bytes))
            .map_err(MixedError::Stopped)?;
        let facts = lister.game.facts(&row);
        counts.push(step_counts(reasoner, &facts)?);
        let distance = lister.distances[state] + 1;
        let stage = lister.game.stage(&row, limits).map_err(failed);
        let Stage { columns, cells } = stage.map_err(whole)?;
        builder.state();
        for (cell, mut outcomes) in cells.into_iter().enumerate() {
            if cell % columns == 0 {
                builder.alternative();
            }
            builder.reply();
            outcomes.sort_unstable();
            bytes += OUTCOME_BYTES * outcomes.len() as u64;
            for (next, weight) in outcomes {
                let target = lister.target(next, distance).map_err(whole)?;
                builder.outcome(target, weight);
            }
        }
        bytes += STATE_BYTES + 24 * row.len() as u64;
    }
    let arena = builder.finish(1);
    Ok(Listing {
        arena: arena.map_err(|_| MixedError::JointMoves)?,
        states: lister.states,
        targets: lister.targets,
        is_cut: lister.is_cut,
        counts,
    })
}

fn step_counts(reasoner: &mut Reasoner, facts: &[Term]) -> Result<bool, ReasonerError> {
    let state = reasoner.state(facts)?;
    reasoner.step_counts(&state)
}

fn failed<E: Into<MixedError>>(error: StageError<E>) -> StageError<MixedError> {
    match error {
        StageError::Failed(error) => StageError::Failed(error.into()),
        StageError::Stopped(reason) => StageError::Stopped(reason),
    }
}

fn whole(error: StageError<MixedError>) -> MixedError {
    match error {
        StageError::Failed(error) => error,
        StageError::Stopped(reason) => MixedError::Stopped(reason),
    }
}
