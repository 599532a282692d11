//! Chance: which of its outcomes lead to the same, once the players have moved.
//!
//! A throw of five dice is one of 7776 moves, and a player who keeps three of them needs to know of 21 hands. One mechanism finds them:
//!
//! 1. Moves of chance become rows of *signals* (`signals`).
//! 2. State and moves are put into the circuit. What is left is a function of these signals, the *residual* (`residual`). Outcomes whose live signals
//!    are the same lead to the same next state. States and moves with the same record are one *afterstate*: when all states are listed, its
//!    successors are listed once.
//! 3. Interchangeable things may be exchanged (`exchanges`). Exchanges that keep the record map outcomes to outcomes that are worth the same. And
//!    an image in which things are sorted stands for all afterstates that are images of each other.
//! 4. The outcomes that are left are made once, and those with the same next facts are one: throws of two dice in a hand that is sorted.
//! 5. So outcomes have a *partition*, of which one outcome in each class is made (`partitions`). It is found once for each residual.
//!
//! All that is for many outcomes: where there are fewer, to make them takes less time.

mod exchanges;
mod partitions;
mod residual;
mod signals;

pub use partitions::{ALL_DIFFER, Joint, Partitions};
pub use residual::Source;
pub use signals::Signals;

use crate::policy::MAX_AFTERSTATES;
use crate::symmetry::Symmetry;
use exchanges::{Exchanges, SortedState};
use residual::{Analysis, Live, Residuals};

/// The outcomes of one agent of chance, in a step with one or two players.
#[derive(Debug)]
pub struct Chance {
    /// The rows of its outcomes, one bit for each signal; none if there are too many signals.
    rows: Vec<Live>,
    residuals: Residuals,
    exchanges: Option<Exchanges>,
}

/// Working memory.
#[derive(Debug, Default)]
pub struct ChanceMemory {
    values: Vec<u64>,
    /// The records of all joint moves in the states of a batch, and those of their images in which things are sorted.
    own: Records,
    images: Records,
    /// Where those of each state begin.
    starts: Vec<usize>,
    /// A state and its images under exchanges.
    exchanged: Waiting,
    numbers: Vec<u64>,
    sorted: SortedState,
    /// The next facts of some outcomes that depend on chance.
    mixed: Vec<u64>,
}

/// Records, one behind the other.
#[derive(Debug, Default)]
struct Records {
    found: Vec<u64>,
    waiting: Waiting,
}

/// States whose records are to be computed, and the moves of the players in each.
#[derive(Debug, Default)]
struct Waiting {
    states: Vec<u64>,
    moves: Vec<[u32; 2]>,
}

impl Waiting {
    fn clear(&mut self) {
        self.states.clear();
        self.moves.clear();
    }

    fn push(&mut self, state: &[u64], moves: [u32; 2]) {
        self.states.extend_from_slice(state);
        self.moves.push(moves);
    }
}

impl Records {
    fn clear(&mut self) {
        self.found.clear();
        self.waiting.clear();
    }

    /// Adds the record of a state of this many words with moves; 64 are computed at a time.
    fn push(
        &mut self,
        residuals: &Residuals,
        values: &mut Vec<u64>,
        state: &[u64],
        moves: [u32; 2],
    ) {
        self.waiting.push(state, moves);
        if self.waiting.moves.len() == 64 {
            self.compute(residuals, values);
        }
    }

    /// Computes the records that wait.
    fn compute(&mut self, residuals: &Residuals, values: &mut Vec<u64>) {
        let Waiting { states, moves } = &self.waiting;
        if let Some(count) = states.len().checked_div(moves.len()) {
            residuals.run(states.chunks_exact(count), moves, values);
            residuals.write_records(moves.len(), values, &mut self.found);
        }
        self.waiting.clear();
    }
}

impl Chance {
    /// For a step with these rows of outcomes, and with symmetries of facts and choices in the order of decision; nothing if chance makes no
    /// difference, or that would be too long.
    pub fn new(source: &Source, signals: &Signals, symmetries: &[Symmetry]) -> Option<Self> {
        let fits = source.signals.len() <= Live::BITS as usize;
        let row = |row: &Vec<u32>| row.iter().fold(0, |bits, &signal| bits | 1 << signal);
        let rows: Vec<Live> = match fits {
            true => signals.rows.iter().map(row).collect(),
            false => Vec::new(),
        };
        let exchanges = Exchanges::new(symmetries, &rows);
        let is_moved = |fact: u32| exchanges.as_ref().is_some_and(|it| it.moves_fact(fact));
        let analysis = Analysis::new(source, is_moved)?;
        Some(Chance {
            residuals: Residuals::new(source, &analysis)?,
            rows,
            exchanges,
        })
    }

    /// Computes the records of the joint moves of players in some states, given by their facts; `moves` gives those in a lane. They are for
    /// [`Chance::key`], for [`Chance::partition`], or both. False if there are too many joint moves.
    pub fn read<'a, I: Iterator<Item = [u32; 2]>>(
        &self,
        states: impl Iterator<Item = &'a [u64]>,
        moves: impl Fn(usize) -> I,
        (for_keys, for_partitions): (bool, bool),
        memory: &mut ChanceMemory,
    ) -> bool {
        let ChanceMemory {
            values,
            own,
            images,
            starts,
            numbers,
            sorted,
            ..
        } = memory;
        starts.clear();
        own.clear();
        images.clear();
        let sorts = self.exchanges.as_ref().filter(|_| for_keys);
        let mut count = 0;
        for (lane, state) in states.enumerate() {
            starts.push(count);
            if let Some(exchanges) = sorts {
                exchanges.write_numbers(state, numbers);
            }
            for moves in moves(lane) {
                if let Some(exchanges) = sorts {
                    exchanges.sort(state, numbers, moves, sorted);
                    images.push(&self.residuals, values, &sorted.state, sorted.moves);
                }
                if sorts.is_none() || for_partitions {
                    own.push(&self.residuals, values, state, moves);
                }
                count += 1;
                if count > MAX_AFTERSTATES {
                    return false;
                }
            }
        }
        images.compute(&self.residuals, values);
        own.compute(&self.residuals, values);
        true
    }

    /// A key of what a joint move, by number among those of the state in a lane, leaves to chance: the same wherever chance goes on alike. Records were read.
    pub fn key<'a>(&self, lane: usize, joint: usize, memory: &'a ChanceMemory) -> &'a [u64] {
        let records = match self.exchanges {
            Some(_) => &memory.images,
            None => &memory.own,
        };
        let words = self.residuals.words();
        let number = memory.starts[lane] + joint;
        &records.found[number * words..][..words]
    }

    /// The number of the partition of the outcomes of a state, given by its facts, once the players have made these moves: a joint move by number
    /// among those of the state in a lane. Records were read.
    pub fn partition(
        &self,
        (lane, state): (usize, &[u64]),
        (joint, moves): (usize, [u32; 2]),
        memory: &mut ChanceMemory,
        partitions: &mut Partitions,
    ) -> u32 {
        if self.rows.is_empty() {
            return ALL_DIFFER;
        }
        let ChanceMemory {
            values,
            own,
            starts,
            exchanged,
            numbers,
            mixed,
            ..
        } = memory;
        let residuals = &self.residuals;
        let number = starts[lane] + joint;
        let record = &own.found[number * residuals.words()..];
        let residual = &record[..residuals.residual_words()];
        if let Some(found) = partitions.of_residual(residual) {
            return found;
        }
        let exchanges = self.exchanges.as_ref();
        exchanged.clear();
        exchanged.push(state, moves);
        if let Some(exchanges) = exchanges {
            exchanges.write_numbers(state, numbers);
            exchanges.write_images(state, numbers, &mut exchanged.states);
            exchanges.write_moves(moves, &mut exchanged.moves);
        }
        let states = exchanged.states.chunks_exact(state.len());
        residuals.run(states, &exchanged.moves, values);
        // The state is in lane 0, and its images are behind it.
        let like_first = residuals.like_first(values) >> 1;
        let live = residuals.live(values);
        let keeping = exchanges.map_or(0, |exchanges| exchanges.that_move(live) & like_first);
        let mut found = partitions.number(live, keeping, &self.rows, exchanges);
        let firsts = partitions.firsts(found);
        if firsts.len() > 1 {
            let outcomes: Vec<Live> = firsts.iter().map(|&it| self.rows[it as usize]).collect();
            mixed.clear();
            residuals.write_mixed(state, moves, &outcomes, values, mixed);
            found = partitions.merged(found, &firsts, mixed.chunks(residuals.mixed_words()));
        }
        partitions.note_residual(residual, found);
        found
    }
}
