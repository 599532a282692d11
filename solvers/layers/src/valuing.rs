//! Backward induction: the values of the states of a layer, from those of layers behind it.
//!
//! ```text
//! rows of layer n --expand--> trees, and keys needed, each once --sort--> merge with the layers behind --> values of layer n
//! ```
//!
//! This is a sort-merge join. A layer behind that fits into memory is held there ([`crate::behind`]): each thread looks up the keys of few
//! states at a time, so that these stay in its cache. Where one does not fit, all threads fill memory with trees, which is a round, and the
//! layer is read once a round, in portions: each thread looks its keys up in the same portion.
//!
//! Where moves of one step are made at the same time, the tree of a state is a matrix of the maximizer's choices and the minimizer's
//! replies, and the value of the state that of a matrix game ([`matrix`]). Such values have no denominator that is
//! known before, so each is written as a fraction of its own.

use crate::behind::{HeldLayer, Portions, Records};
use crate::codec::{Widths, read_fraction, read_value, write_fraction, write_value};
use crate::error::DiskTableError;
use crate::folder::Folder;
use crate::manifest::{LayerInfo, Layers};
use crate::part::LayerPart;
use crate::policy::{STATES_AT_ONCE, chunk_bytes, portion_bytes};
use crate::row_file::PackedRows;
use crate::rows::{fill_in_order, order_bytes};
use crate::shard::Writer;
use crate::work::{TableProgress, Work, in_parallel, refused};
use arena::{Backwards, Denominators, NoScale, Refusal, StochasticGame};
use base::value::{Numerator, U256};
use limits::Limits;
use matrix::Stage;
use num_bigint::BigUint;
use num_rational::BigRational;
use std::collections::VecDeque;

/// Work on the layers of a table, from the last one on.
pub trait Layerwise<G: StochasticGame> {
    /// Does it with one layer.
    fn layer<N: Numerator>(
        &mut self,
        work: &mut Work<'_, G>,
        team: &mut Team<'_, G, N>,
        info: &LayerInfo,
    ) -> Result<(), DiskTableError>;
}

/// The workers that value states: one for each thread.
pub type Team<'a, G, N> = Vec<Worker<'a, G, N>>;

/// The working memory of one thread.
pub struct Worker<'a, G: StochasticGame, N> {
    backwards: Backwards<'a, G, N>,
    /// Blocks of rows, which are taken together.
    blocks: Vec<PackedRows>,
    rows: Vec<u64>,
    /// Their states, of which some were added, and their keys as bytes.
    states: Vec<u64>,
    added: usize,
    keys: Vec<u8>,
    /// The keys needed in order, each with its number behind it; how many words of this were looked up; and the values, by number.
    order: Vec<u64>,
    looked_up: usize,
    found: Vec<N>,
    /// The same as fractions, where states are matrix games.
    fractions: Vec<BigRational>,
    values: Vec<u8>,
    /// Whether a value was too long for its bytes.
    is_narrow: bool,
}

/// Takes the keys of a layer, and the values, which come later; both in order.
pub trait Sink {
    fn keys(&mut self, bytes: &[u8]) -> Result<(), DiskTableError>;

    fn values(&mut self, bytes: &[u8]) -> Result<(), DiskTableError>;
}

/// The files of keys and values.
impl Sink for [Writer<'_>; 2] {
    fn keys(&mut self, bytes: &[u8]) -> Result<(), DiskTableError> {
        self[0].write(bytes)
    }

    fn values(&mut self, bytes: &[u8]) -> Result<(), DiskTableError> {
        self[1].write(bytes)
    }
}

impl<G: StochasticGame> Work<'_, G> {
    /// Calls `layerwise` on each of these layers, in this order, with the narrowest numerators that hold all values.
    pub fn each_layer<'b>(
        &mut self,
        denominators: &Denominators,
        order: impl Iterator<Item = &'b LayerInfo>,
        layerwise: &mut impl Layerwise<G>,
    ) -> Result<(), DiskTableError> {
        let (game, last) = (self.game, self.scale_layer(self.depth));
        macro_rules! try_widths {
            ($($number:ty),*) => {$(
                let worker = |_| {
                    let limits = self.limits.clone();
                    let made = Backwards::<G, $number>::new(game, denominators, last, limits);
                    made.map(Worker::new)
                };
                match (0..self.threads).map(worker).collect::<Result<Vec<_>, _>>() {
                    Ok(mut team) => {
                        for info in order {
                            layerwise.layer(self, &mut team, info)?;
                        }
                        return Ok(());
                    }
                    Err(NoScale::Stopped) => return Err(self.stopped()),
                    Err(NoScale::TooNarrow) => {}
                }
            )*};
        }
        try_widths!(u64, u128, U256, BigUint);
        unreachable!("the last numbers have no bound")
    }

    /// Values the rows of a layer that this part has; `table` is the folder with the values of later layers. The answer is false, and the
    /// layer is not done, if the bytes of a value do not suffice, which only happens where states are matrix games.
    pub fn value_layer<N: Numerator>(
        &mut self,
        team: &mut Team<'_, G, N>,
        info: &LayerInfo,
        table: &Folder,
        all: &Layers,
        sink: &mut dyn Sink,
    ) -> Result<bool, DiskTableError> {
        let layer = info.layer;
        let mut rows = self.rows(layer)?;
        let own = self.part.of(rows.rows());
        let mut progress = TableProgress {
            is_listing: false,
            layer,
            done: 0,
            states: own.end - own.start,
        };
        rows.turn_to(own)?;
        let scale_layer = self.scale_layer(layer);
        team.iter_mut().for_each(|worker| worker.begin(scale_layer));
        let join = Join {
            layer,
            table,
            all,
            widths: Widths::of(self.game, layer),
            value_bytes: info.value_bytes,
            is_mixed: self.folder.manifest.mixed,
            limits: self.limits.clone(),
        };
        let is_held = join.hold(&mut self.held)?;
        let max_bytes = chunk_bytes(self.memory, self.threads, is_held);
        // This layer is held in its turn, if there is room beside the others.
        let holds = is_held && self.part == LayerPart::WHOLE && self.held.has_room(info);
        let mut next = holds.then(|| Records::with_room(info));
        // The blocks whose values come next: which worker has them, and the bytes of these values.
        let mut turns = VecDeque::new();
        loop {
            if team.iter().all(Worker::is_done) {
                for (index, worker) in team.iter_mut().enumerate() {
                    let before = progress.done;
                    for _ in 0..self.blocks_per_check(layer) {
                        let Some(block) = rows.next_block()? else {
                            break;
                        };
                        progress.done += block.rows();
                        worker.blocks.push(block);
                    }
                    turns.push_back((index, (progress.done - before) as usize * info.value_bytes));
                }
            }
            let is_end = team.iter().all(Worker::is_done);
            let held = &self.held;
            in_parallel(team.iter_mut(), |worker| {
                worker.unpack(join.widths)?;
                while worker.add(&join, max_bytes)? {
                    if !is_held {
                        return Ok(());
                    }
                    worker.value(&join, held)?;
                }
                match is_held {
                    true => worker.value(&join, held),
                    false => Ok(()),
                }
            })?;
            for worker in &mut *team {
                sink.keys(&worker.keys)?;
                next.iter_mut().for_each(|next| next.add_keys(&worker.keys));
                worker.keys.clear();
            }
            if !is_held && (is_end || !team.iter().all(Worker::is_done)) {
                join.round(team, portion_bytes(self.memory))?;
            }
            if team.iter().any(|worker| worker.is_narrow) {
                return Ok(false);
            }
            while let Some(&(index, bytes)) = turns.front()
                && team[index].values.len() >= bytes
            {
                let values = team[index].values.drain(..bytes);
                sink.values(values.as_slice())?;
                next.iter_mut()
                    .for_each(|next| next.add_values(values.as_slice()));
                turns.pop_front();
            }
            if is_end {
                if let Some(next) = next {
                    self.held.insert(layer, next);
                }
                return Ok(true);
            }
            self.check(progress)?;
        }
    }
}

/// A layer, and the one behind it.
struct Join<'a> {
    layer: usize,
    table: &'a Folder,
    all: &'a Layers,
    widths: Widths,
    value_bytes: usize,
    /// Whether states are matrix games.
    is_mixed: bool,
    limits: Limits,
}

impl Join<'_> {
    /// Holds the layer behind, if there is one and memory has room for it. Whether no file is needed then.
    fn hold(&self, held: &mut HeldLayer) -> Result<bool, DiskTableError> {
        let Some(behind) = self.all.of(self.layer - 1) else {
            held.clear();
            return Ok(true);
        };
        held.read(self.table, behind)?;
        Ok(held.get(behind.layer).is_some())
    }

    /// Values all states in the chunks: the layer behind is read once.
    fn round<G: StochasticGame, N: Numerator>(
        &self,
        team: &mut Team<'_, G, N>,
        portion: u64,
    ) -> Result<(), DiskTableError> {
        in_parallel(team.iter_mut(), |worker| worker.sort(self))?;
        let behind = self.all.of(self.layer - 1);
        let mut portions = Portions::open(self.table, behind.ok_or_else(|| self.missing())?)?;
        while team.iter().any(Worker::wants)
            && let Some(records) = portions.next(portion)?
        {
            self.limits.check()?;
            in_parallel(team.iter_mut(), |worker| worker.look_up(self, &records))?;
        }
        if team.iter().any(Worker::wants) {
            return Err(self.missing());
        }
        in_parallel(team.iter_mut(), |worker| worker.finish(self))
    }

    fn missing(&self) -> DiskTableError {
        self.table.wrong(self.layer, "a successor is in no file")
    }
}

impl<'a, G: StochasticGame, N: Numerator> Worker<'a, G, N> {
    fn new(backwards: Backwards<'a, G, N>) -> Self {
        Worker {
            backwards,
            blocks: Vec::new(),
            rows: Vec::new(),
            states: Vec::new(),
            added: 0,
            keys: Vec::new(),
            order: Vec::new(),
            looked_up: 0,
            found: Vec::new(),
            fractions: Vec::new(),
            values: Vec::new(),
            is_narrow: false,
        }
    }

    /// Turns to the states of a layer, with nothing left of those before.
    fn begin(&mut self, layer: usize) {
        self.backwards.turn_to(layer);
        self.blocks.clear();
        self.states.clear();
        self.added = 0;
        self.keys.clear();
        self.order.clear();
        self.looked_up = 0;
        self.values.clear();
        self.is_narrow = false;
    }

    /// Whether all states of all blocks were added.
    fn is_done(&self) -> bool {
        self.blocks.is_empty() && self.added == self.states.len()
    }

    /// Unpacks blocks, if there are new ones.
    fn unpack(&mut self, widths: Widths) -> Result<(), DiskTableError> {
        if self.blocks.is_empty() {
            return Ok(());
        }
        self.rows.clear();
        for block in self.blocks.drain(..) {
            block.unpack(&mut self.rows)?;
        }
        self.states.clear();
        self.added = 0;
        for row in self.rows.chunks_exact(widths.row()) {
            widths.write_key(&row[..widths.key], &mut self.keys);
            self.states
                .extend_from_slice(&row[row.len() - widths.state..]);
        }
        Ok(())
    }

    /// Adds states to the chunk until it takes this many bytes; whether there are more.
    fn add(&mut self, join: &Join<'_>, max_bytes: usize) -> Result<bool, DiskTableError> {
        let at_once = STATES_AT_ONCE * join.widths.state;
        while self.added < self.states.len() {
            let rest = &self.states[self.added..];
            let now = &rest[..at_once.min(rest.len())];
            let added = self.backwards.add(now);
            added.map_err(|refusal| refused(refusal, join.layer, join.table))?;
            self.added += now.len();
            if self.bytes(join) > max_bytes {
                break;
            }
        }
        Ok(self.added < self.states.len())
    }

    /// The bytes that the chunk takes until it is valued: its lists have room for up to twice their entries; and each key is sorted
    /// and has a value.
    fn bytes(&self, join: &Join<'_>) -> usize {
        let wanted = self.backwards.wanted();
        let value = match join.is_mixed {
            true => size_of::<BigRational>() + 2 * join.value_bytes.max(16),
            false => size_of::<N>(),
        };
        let each = order_bytes(wanted.width()) + value;
        2 * self.backwards.bytes() + wanted.bytes() as usize + wanted.len() * each
    }

    /// Values the chunk, where the layer behind is held.
    fn value(&mut self, join: &Join<'_>, held: &HeldLayer) -> Result<(), DiskTableError> {
        self.sort(join)?;
        if let Some(records) = held.get(join.layer - 1) {
            self.look_up(join, records)?;
        }
        match self.wants() {
            true => Err(join.missing()),
            false => self.finish(join),
        }
    }

    /// Brings the keys needed in order.
    fn sort(&mut self, join: &Join<'_>) -> Result<(), DiskTableError> {
        let wanted = self.backwards.wanted();
        fill_in_order(&mut self.order, wanted, &join.limits)?;
        self.looked_up = 0;
        self.found.clear();
        self.fractions.clear();
        match join.is_mixed {
            true => (self.fractions).resize(wanted.len(), BigRational::default()),
            false => self.found.resize(wanted.len(), N::zero()),
        }
        Ok(())
    }

    /// Whether keys are left to be looked up.
    fn wants(&self) -> bool {
        self.looked_up < self.order.len()
    }

    /// Looks up keys in records of the layer behind.
    fn look_up(&mut self, join: &Join<'_>, records: &Records) -> Result<(), DiskTableError> {
        let words = self.backwards.wanted().width() + 1;
        let wanted = self.order[self.looked_up..].chunks_exact(words);
        let keys = wanted.map(|row| (&row[..words - 1], row[words - 1] as usize));
        let (found, fractions) = (&mut self.found, &mut self.fractions);
        let count = match join.is_mixed {
            true => records.find_all(keys, |number, value| {
                fractions[number] = read_fraction(value).unwrap_or_default();
            }),
            false => records.find_all(keys, |number, value| found[number] = read_value(value)),
        };
        self.looked_up += words * count.ok_or_else(|| join.missing())?;
        Ok(())
    }

    /// Writes the values of the states in the chunk, which is empty then.
    fn finish(&mut self, join: &Join<'_>) -> Result<(), DiskTableError> {
        let (values, width) = (&mut self.values, join.value_bytes);
        if join.is_mixed {
            let (fractions, is_narrow) = (&mut self.fractions, &mut self.is_narrow);
            let found = self.backwards.finish_matrices(
                fractions,
                |columns, cells, fractions| -> Result<(), Refusal> {
                    join.limits.check().map_err(Refusal::from)?;
                    let value = Stage { columns, cells }.value(fractions);
                    *is_narrow |= !write_fraction(&value, width, values);
                    Ok(())
                },
            );
            found.map_err(|refusal| refused(refusal, join.layer, join.table))?;
        } else {
            (self.backwards).finish(&self.found, |value| write_value(&value, width, values));
        }
        self.order.clear();
        self.looked_up = 0;
        Ok(())
    }
}
