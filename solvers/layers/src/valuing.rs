//! Backwards: the values of the states of a layer, from those of the layer behind it.
//!
//! States are taken in chunks. The keys of what follows from a chunk are sorted and looked up by one pass through the
//! files of the layer behind.

use crate::codec::{Widths, read_value, words_of, write_value};
use crate::error::DiskTableError;
use crate::folder::Folder;
use crate::kind::Kind;
use crate::manifest::{LayerInfo, Layers};
use crate::rows::sort;
use crate::shard::Reader;
use crate::work::{STATES_PER_LOOK, TableProgress, Work};
use limits::Halt;
use num_bigint::BigUint;
use stochastic_game::{Backwards, Denominators, NoScale, StochasticGame};
use value::{Numerator, U256, U512};

/// What is done with the layers of a table, from the last one on.
pub trait Layerwise<G: StochasticGame> {
    /// Does it with one layer; `behind` is the layer after it.
    fn layer<N: Numerator>(
        &mut self,
        work: &mut Work<'_, G>,
        backwards: &mut Backwards<'_, G, N>,
        info: &LayerInfo,
        behind: Option<&LayerInfo>,
    ) -> Result<(), DiskTableError>;
}

/// Who takes the keys of a layer, and the values, which come later; both in order.
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
        let (game, limits) = (self.game, self.limits);
        macro_rules! try_widths {
            ($($number:ty),*) => {$(
                let halt = Halt::at(limits);
                match Backwards::<G, $number>::new(game, denominators, self.depth, halt) {
                    Ok(mut backwards) => {
                        for info in order {
                            let behind = all.of(info.layer - 1);
                            todo.layer(self, &mut backwards, info, behind)?;
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

    /// Values the rows of a layer; `table` is the folder with the values of the layer behind.
    pub fn value_layer<N: Numerator>(
        &mut self,
        backwards: &mut Backwards<'_, G, N>,
        info: &LayerInfo,
        table: &Folder,
        behind: Option<&LayerInfo>,
        sink: &mut impl Sink,
    ) -> Result<(), DiskTableError> {
        let layer = info.layer;
        let widths = Widths::of(self.game, layer);
        let mut rows = self.rows(layer)?;
        backwards.turn_to(layer);
        let mut progress = TableProgress {
            is_listing: false,
            layer,
            done: 0,
            states: rows.records(),
        };
        // Beside the chunk there are its keys in order, with places, and the values found.
        let most = self.memory as usize / 5;
        let (mut states, mut bytes) = (Vec::new(), Vec::new());
        let mut row = Vec::new();
        loop {
            let mut read = 0;
            states.clear();
            while read < STATES_PER_LOOK
                && let Some(record) = rows.next()?
            {
                row.clear();
                row.extend(words_of(record));
                widths.write_key(&row[..widths.key], &mut bytes);
                sink.key(&bytes)?;
                states.extend_from_slice(widths.state_of(&row));
                read += 1;
            }
            let added = backwards.add(&states);
            added.map_err(|refusal| self.refused(refusal, layer))?;
            if backwards.bytes() > most || (read == 0 && !backwards.is_empty()) {
                let found = self.look_up::<N>(backwards.wanted(), layer, table, behind)?;
                let mut taken = Ok(());
                backwards.finish(&found, |value| {
                    write_value(value, info.value_bytes, &mut bytes);
                    if taken.is_ok() {
                        taken = sink.value(&bytes);
                    }
                });
                taken?;
            }
            if read == 0 {
                return Ok(());
            }
            progress.done += read as u64;
            self.look(progress)?;
        }
    }

    /// The values of keys of the layer behind one, by one pass through its files.
    fn look_up<N: Numerator>(
        &self,
        wanted: &[u64],
        layer: usize,
        table: &Folder,
        behind: Option<&LayerInfo>,
    ) -> Result<Vec<N>, DiskTableError> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let missing = || DiskTableError::Wrong {
            path: table.path().to_owned(),
            layer,
            why: "a state that follows from it is in no file".to_owned(),
        };
        let behind = behind.ok_or_else(missing)?;
        let widths = Widths::of(self.game, behind.layer);
        let words = widths.key + 1;
        let mut order = Vec::with_capacity(wanted.len() / widths.key * words);
        for (place, key) in wanted.chunks_exact(widths.key).enumerate() {
            order.extend_from_slice(key);
            order.push(place as u64);
        }
        sort(&mut order, words);
        let mut found = vec![N::zero(); wanted.len() / widths.key];
        let mut keys = Reader::open(table, Kind::Keys, behind.layer, behind.key_bytes)?;
        let mut values = Reader::open(table, Kind::Values, behind.layer, behind.value_bytes)?;
        if keys.records() != values.records() || keys.records() != behind.states {
            return Err(DiskTableError::damaged(keys.path(), "its length is wrong"));
        }
        let rows = found.len();
        let row = |number: usize| &order[number * words..][..words];
        let (mut key, mut next) = (Vec::new(), 0);
        widths.write_key(&row(0)[..widths.key], &mut key);
        // To the end, because there the checksums are looked at.
        while let (Some(here), Some(value)) = (keys.next()?, values.next()?) {
            if next == rows || key[..] != *here {
                continue;
            }
            let value: N = read_value(value);
            while next < rows && key[..] == *here {
                found[row(next)[widths.key] as usize] = value.clone();
                next += 1;
                if next < rows {
                    widths.write_key(&row(next)[..widths.key], &mut key);
                }
            }
        }
        match next == rows {
            true => Ok(found),
            false => Err(missing()),
        }
    }
}
