//! Backwards: the values of the states of a layer, from those of the layer behind it.
//!
//! States are taken in chunks. The keys of what follows from a chunk are sorted and looked up by one pass through the
//! files of the layer behind.

use crate::codec::{Widths, read_value, words_of, write_value};
use crate::error::DiskTableError;
use crate::folder::Folder;
use crate::manifest::{LayerInfo, Layers};
use crate::rows::sort;
use crate::shard::Reader;
use crate::work::{TableProgress, Work, in_parallel, refused};
use limits::Halt;
use num_bigint::BigUint;
use stochastic_game::{Backwards, Denominators, NoScale, StochasticGame};
use value::{Numerator, U256, U512};

/// What is done with the layers of a table, from the last one on.
pub trait Layerwise<G: StochasticGame> {
    /// Does it with one layer, whose states are followed by some of later ones of `all`.
    fn layer<N: Numerator>(
        &mut self,
        work: &mut Work<'_, G>,
        team: &mut Team<'_, G, N>,
        info: &LayerInfo,
        all: &Layers,
    ) -> Result<(), DiskTableError>;
}

/// What values states: one worker for each thread.
pub type Team<'a, G, N> = Vec<Worker<'a, G, N>>;

/// What one thread works with.
pub struct Worker<'a, G: StochasticGame, N> {
    backwards: Backwards<'a, G, N>,
    /// States read, not yet added.
    states: Vec<u64>,
    /// How many states were added in each round.
    rounds: Vec<usize>,
    /// The values of the chunk, as bytes.
    values: Vec<u8>,
}

/// Takes the keys of a layer, and the values, which come later; both in order.
pub trait Sink {
    fn key(&mut self, bytes: &[u8]) -> Result<(), DiskTableError>;
    fn value(&mut self, bytes: &[u8]) -> Result<(), DiskTableError>;
}

impl<G: StochasticGame> Work<'_, G> {
    /// Does something with each of these layers of a table, in this order, with numbers as narrow as can hold all values.
    pub fn each_layer<'b>(
        &mut self,
        denominators: &Denominators,
        all: &Layers,
        order: impl Iterator<Item = &'b LayerInfo>,
        todo: &mut impl Layerwise<G>,
    ) -> Result<(), DiskTableError> {
        let game = self.game;
        macro_rules! try_widths {
            ($($number:ty),*) => {$(
                let worker = |_| {
                    let halt = self.halt.clone();
                    let made = Backwards::<G, $number>::new(game, denominators, self.depth, halt);
                    made.map(|backwards| Worker {
                        backwards,
                        states: Vec::new(),
                        rounds: Vec::new(),
                        values: Vec::new(),
                    })
                };
                match (0..self.threads).map(worker).collect::<Result<Vec<_>, _>>() {
                    Ok(mut team) => {
                        for info in order {
                            todo.layer(self, &mut team, info, all)?;
                        }
                        return Ok(());
                    }
                    Err(NoScale::Stopped) => return Err(self.stopped()),
                    Err(NoScale::TooNarrow) => {}
                }
            )*};
        }
        try_widths!(u64, u128, U256, U512, BigUint);
        unreachable!("the last numbers have no bound")
    }

    /// Values the rows of a layer that this part has; `table` is the folder with the values of later layers.
    pub fn value_layer<N: Numerator>(
        &mut self,
        team: &mut Team<'_, G, N>,
        info: &LayerInfo,
        table: &Folder,
        all: &Layers,
        sink: &mut impl Sink,
    ) -> Result<(), DiskTableError> {
        let (game, folder, layer) = (self.game, self.folder, info.layer);
        let halt = self.halt.clone();
        let widths = Widths::of(game, layer);
        let mut rows = self.rows(layer)?;
        let own = self.part.of(rows.records());
        for worker in &mut *team {
            worker.backwards.turn_to(layer);
        }
        let mut progress = TableProgress {
            is_listing: false,
            layer,
            done: 0,
            states: own.end - own.start,
        };
        rows.turn_to(own)?;
        let per_look = self.states_per_look();
        let max_bytes = max_chunk_bytes::<N>(self.prefix() + widths.key, self.memory / 2);
        let (mut row, mut bytes) = (Vec::new(), Vec::new());
        loop {
            let mut read_by_all = 0;
            for worker in &mut *team {
                worker.states.clear();
                let mut read = 0;
                while read < per_look
                    && let Some(record) = rows.next()?
                {
                    row.clear();
                    row.extend(words_of(record));
                    widths.write_key(&row[..widths.key], &mut bytes);
                    sink.key(&bytes)?;
                    worker.states.extend_from_slice(widths.state_of(&row));
                    read += 1;
                }
                worker.rounds.push(read);
                read_by_all += read;
            }
            in_parallel(team.iter_mut(), |worker| {
                let added = worker.backwards.add(&worker.states);
                added.map_err(|refusal| refused(refusal, layer, folder))
            })?;
            let bytes: usize = team.iter().map(|worker| worker.backwards.bytes()).sum();
            let is_end = read_by_all == 0;
            if bytes > max_bytes || is_end {
                in_parallel(team.iter_mut(), |worker| {
                    let found = look_up(game, &worker.backwards, layer, table, all, &halt)?;
                    let (values, width) = (&mut worker.values, info.value_bytes);
                    (worker.backwards).finish(&found, |value| write_value(&value, width, values));
                    Ok(())
                })?;
                tell_values(team, info.value_bytes, sink)?;
            }
            if is_end {
                return Ok(());
            }
            progress.done += read_by_all as u64;
            self.look(progress)?;
        }
    }
}

/// The reason why a table is wrong that leads to a state which it does not have.
pub const MISSING_STATE: &str = "a state that follows from it is in no file";

/// The largest number of bytes in the chunks of all threads together. `memory` must hold three things: the chunks, whose lists
/// have room for up to twice what is in them; the keys in order, with their places; and the values found.
fn max_chunk_bytes<N: Numerator>(key: usize, memory: u64) -> usize {
    let (counted, beside) = (8 * key + 4, 8 * (key + 1) + size_of::<N>());
    let all = (2 * counted + beside) as u64;
    (memory.saturating_mul(counted as u64) / all) as usize
}

/// Tells the values of a chunk in the order of its states, which the workers took in turns.
fn tell_values<G: StochasticGame, N: Numerator>(
    team: &mut Team<'_, G, N>,
    width: usize,
    sink: &mut impl Sink,
) -> Result<(), DiskTableError> {
    let mut indices = vec![0; team.len()];
    let rounds = team.first().map_or(0, |worker| worker.rounds.len());
    for round in 0..rounds {
        for (worker, index) in team.iter().zip(&mut indices) {
            let here = &worker.values[*index..][..width * worker.rounds[round]];
            *index += here.len();
            here.chunks_exact(width)
                .try_for_each(|value| sink.value(value))?;
        }
    }
    for worker in team {
        worker.rounds.clear();
        worker.values.clear();
    }
    Ok(())
}

/// The values of the keys that a chunk wants, in parts of the layer just below it: by one pass through the files of each layer that they
/// are in.
fn look_up<G: StochasticGame, N: Numerator>(
    game: &G,
    chunk: &Backwards<'_, G, N>,
    layer: usize,
    table: &Folder,
    all: &Layers,
    halt: &Halt<'_>,
) -> Result<Vec<N>, DiskTableError> {
    let wanted = chunk.wanted();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let prefix = usize::from(game.has_own_layers());
    let key = prefix + Widths::of(game, layer - 1).key;
    let words = key + 1;
    let mut order = Vec::with_capacity(wanted.len() / key * words);
    for (index, key) in wanted.chunks_exact(key).enumerate() {
        order.extend_from_slice(key);
        order.push(index as u64);
    }
    sort(&mut order, words, halt)?;
    let mut found = vec![N::zero(); wanted.len() / key];
    let mut rest = &order[..];
    while !rest.is_empty() {
        let below = if prefix == 0 { 1 } else { rest[0] };
        let same = rest.chunks_exact(words);
        let same = same.take_while(|row| prefix == 0 || row[0] == below);
        let (now, later) = rest.split_at(words * same.count());
        let lower = layer - below as usize;
        let missing = || table.wrong(layer, MISSING_STATE);
        let info = all.of(lower).ok_or_else(missing)?;
        let rows = now.chunks_exact(words).map(|row| &row[prefix..]);
        let factor = (below > 1).then(|| chunk.factor(lower));
        let all_found = look_up_in(game, info, table, rows, |index, value: N| {
            found[index] = match &factor {
                Some(factor) => value.times(factor),
                None => value,
            };
        })?;
        if !all_found {
            return Err(missing());
        }
        rest = later;
    }
    Ok(found)
}

/// Tells the values of some sorted keys of a layer, each with its place behind it; whether all were found.
pub fn look_up_in<'a, N: Numerator>(
    game: &impl StochasticGame,
    info: &LayerInfo,
    table: &Folder,
    mut rows: impl Iterator<Item = &'a [u64]>,
    mut tell: impl FnMut(usize, N),
) -> Result<bool, DiskTableError> {
    let widths = Widths::of(game, info.layer);
    let [mut keys, mut values] = Reader::open_layer(table, info)?;
    let mut key = Vec::new();
    let mut next = |key: &mut Vec<u8>| {
        let row: Option<&[u64]> = rows.next();
        row.map(|row| {
            widths.write_key(&row[..widths.key], key);
            row[widths.key] as usize
        })
    };
    let mut wanted = next(&mut key);
    while wanted.is_some()
        && let (Some(here), Some(value)) = (keys.next()?, values.next()?)
    {
        if key[..] != *here {
            continue;
        }
        let value: N = read_value(value);
        while let Some(index) = wanted
            && key[..] == *here
        {
            tell(index, value.clone());
            wanted = next(&mut key);
        }
    }
    Ok(wanted.is_none())
}
