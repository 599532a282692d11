//! Building a table: forwards all states of each layer, backwards their values.
//!
//! Each file that is finished is a checkpoint. What is there is not made again:
//!
//! ```text
//! layer n is expanded    if the rows of layer n-1 are there
//! all is listed          if layers.json is there
//! layer n has values     if its values are there; then its rows are not needed
//! ```

use crate::codec::{Widths, read_value, write_value};
use crate::error::TableError;
use crate::folder::Folder;
use crate::manifest::{Expanded, LayerInfo, Layers, Manifest};
use crate::rows::{Sorter, sort};
use crate::shard::{Kind, Reader, Writer};
use crate::table::Table;
use limits::{Halt, Limits, StopReason};
use num_bigint::BigUint;
use std::path::Path;
use stochastic_game::{
    Backwards, Denominators, Forwards, NewShare, NoScale, Refusal, StochasticGame,
};
use value::{Numerator, U256, U512};

/// The memory used where nobody sets a limit.
const MEMORY: u64 = 1 << 30;

/// The states that are expanded between two looks at memory and time.
const STATES_PER_LOOK: usize = 1 << 12;

/// How far the work is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Whether states are listed; else they are valued.
    pub is_listing: bool,
    /// The layer: steps left.
    pub layer: usize,
    /// The states of the layer that are done.
    pub done: u64,
    /// The states of the layer.
    pub states: u64,
}

/// Builds a table in a folder, or goes on with it.
///
/// `state` is the words of the initial state, in layer `manifest.depth` (1 or more). `limits` has the memory that may be used
/// beside files. `tell` is called now and then.
///
/// # Errors
/// If the folder holds something else, a file cannot be written, a state has no value, or a limit is reached.
pub fn build<G: StochasticGame>(
    game: &G,
    state: &[u64],
    manifest: &Manifest,
    folder: &Path,
    limits: &Limits,
    tell: &mut dyn FnMut(Progress),
) -> Result<Table, TableError> {
    let folder = Folder::create(folder, manifest)?;
    let mut building = Building {
        game,
        folder: &folder,
        depth: manifest.depth,
        memory: limits.memory.unwrap_or(MEMORY),
        limits,
        halt: Halt::at(limits),
        tell,
    };
    let built = building.run(state);
    if built.is_err() {
        // What is left is dropped by the next run if that fails; the error before says more.
        let _ = folder.remove_parts();
    }
    built?;
    Table::open(folder.path())
}

struct Building<'a, G> {
    game: &'a G,
    folder: &'a Folder,
    depth: usize,
    memory: u64,
    limits: &'a Limits,
    halt: Halt<'a>,
    tell: &'a mut dyn FnMut(Progress),
}

impl<G: StochasticGame> Building<'_, G> {
    fn run(&mut self, state: &[u64]) -> Result<(), TableError> {
        let layers = match self.folder.read_json::<Layers>("layers.json")? {
            Some(layers) => layers,
            None => self.list_all(state)?,
        };
        let denominators = self.denominators(&layers)?;
        macro_rules! try_widths {
            ($($number:ty),*) => {$(
                let halt = Halt::at(self.limits);
                match Backwards::<G, $number>::new(self.game, &denominators, self.depth, halt) {
                    Ok(mut backwards) => return self.value_all(&mut backwards, &layers),
                    Err(NoScale::Stopped) => return Err(self.stopped()),
                    Err(NoScale::TooNarrow) => {}
                }
            )*};
        }
        try_widths!(u64, u128, U256, U512, BigUint);
        unreachable!("the last numbers have no bound")
    }

    /// Lists the states of all layers.
    fn list_all(&mut self, state: &[u64]) -> Result<Layers, TableError> {
        if !self.folder.has(Kind::Rows, self.depth) {
            let widths = Widths::of(self.game, self.depth);
            let mut words = state[..widths.state].to_vec();
            let mut key = vec![0; if widths.is_key { 0 } else { widths.key }];
            self.game.write_key(self.depth, &mut words, &mut key);
            let row = [key, words].concat();
            let mut file = Writer::new(self.folder, Kind::Rows, self.depth, 8 * widths.row())?;
            write_row(&mut file, &row)?;
            file.finish()?;
        }
        let mut layers = Vec::new();
        let mut cuts_off = false;
        for layer in (1..=self.depth).rev() {
            let widths = Widths::of(self.game, layer);
            let rows = Reader::open(self.folder, Kind::Rows, layer, 8 * widths.row())?;
            let states = rows.records();
            if states == 0 {
                break;
            }
            let name = format!("{layer:05}.json");
            let is_expanded = layer == 1 || self.folder.has(Kind::Rows, layer - 1);
            let known = match is_expanded {
                true => self.folder.read_json::<Expanded>(&name)?,
                false => None,
            };
            let expanded = match known {
                Some(expanded) => expanded,
                None => self.expand(layer, rows, &name)?,
            };
            cuts_off |= expanded.cuts_off;
            layers.push((layer, states, widths.key_bytes));
        }
        let denominators = self.shares(layers.iter().map(|&(layer, ..)| layer))?;
        let info = |&(layer, states, key_bytes): &(usize, u64, usize)| {
            let one = denominators.one(self.game, layer);
            LayerInfo {
                layer,
                states,
                key_bytes,
                value_bytes: one.bits().div_ceil(8) as usize,
                denominator: one.to_string(),
            }
        };
        let layers = Layers {
            layers: layers.iter().rev().map(info).collect(),
            cuts_off,
        };
        self.folder.write_json("layers.json", &layers)?;
        Ok(layers)
    }

    /// Lists what follows from the states of a layer.
    fn expand(
        &mut self,
        layer: usize,
        mut rows: Reader,
        name: &str,
    ) -> Result<Expanded, TableError> {
        let widths = Widths::of(self.game, layer);
        let next = match layer {
            1 => None,
            _ => Some(Widths::of(self.game, layer - 1)),
        };
        let (row, key) = next.map_or((1, 1), |next| (next.row(), next.key));
        let is_key = next.is_some_and(|next| next.is_key);
        let mut sorter = Sorter::new(self.folder, row, key, self.memory / 2);
        let mut forwards = Forwards::new(self.game, layer, Halt::at(self.limits));
        let mut progress = Progress {
            is_listing: true,
            layer,
            done: 0,
            states: rows.records(),
        };
        let mut states = Vec::new();
        loop {
            states.clear();
            let read = read_states(&mut rows, widths, &mut states)?;
            if read == 0 {
                break;
            }
            let expanded = forwards.expand(&states, |key, state| {
                sorter.add(key);
                if !is_key {
                    sorter.add(state);
                }
            });
            expanded.map_err(|refusal| self.refused(refusal, layer))?;
            if sorter.is_full() {
                sorter.spill()?;
            }
            progress.done += read as u64;
            self.look(progress)?;
        }
        let expanded = Expanded {
            shares: (forwards.shares.iter())
                .map(|share| (share.site, share.count))
                .collect(),
            cuts_off: forwards.cuts_off,
        };
        // Before the rows, whose being there says that the layer is expanded.
        self.folder.write_json(name, &expanded)?;
        if layer > 1 {
            let mut file = Writer::new(self.folder, Kind::Rows, layer - 1, 8 * row)?;
            sorter.finish(|row| write_row(&mut file, row))?;
            file.finish()?;
        }
        Ok(expanded)
    }

    /// The shares of chance that occur in some layers.
    fn shares(&self, layers: impl Iterator<Item = usize>) -> Result<Denominators, TableError> {
        let mut denominators = Denominators::default();
        denominators.grow(self.game, self.depth);
        for layer in layers {
            let name = format!("{layer:05}.json");
            let Some(expanded) = self.folder.read_json::<Expanded>(&name)? else {
                let path = self.folder.path().join(name);
                return Err(TableError::damaged(&path, "it is missing"));
            };
            for (site, count) in expanded.shares {
                if site >= self.game.sites(layer).len() {
                    let path = self.folder.path().join(name);
                    return Err(TableError::damaged(&path, "chance decides less often"));
                }
                denominators.add(NewShare { layer, site, count });
            }
        }
        Ok(denominators)
    }

    /// The shares of chance of a table that is listed; they must give its denominators.
    fn denominators(&self, layers: &Layers) -> Result<Denominators, TableError> {
        let denominators = self.shares(layers.layers.iter().map(|info| info.layer))?;
        for info in &layers.layers {
            if info.one() != Some(denominators.one(self.game, info.layer)) {
                let path = self.folder.path().join("layers.json");
                return Err(TableError::damaged(&path, "a denominator is wrong"));
            }
        }
        Ok(denominators)
    }

    /// Values all layers, from the last one on.
    fn value_all<N: Numerator>(
        &mut self,
        backwards: &mut Backwards<'_, G, N>,
        layers: &Layers,
    ) -> Result<(), TableError> {
        let mut behind = None;
        for info in &layers.layers {
            if !self.folder.has(Kind::Values, info.layer) {
                self.value_layer(backwards, info, behind)?;
            }
            self.folder.remove(Kind::Rows, info.layer)?;
            behind = Some(info);
        }
        let empty = layers.layers.first().map_or(0, |info| info.layer);
        if empty > 1 {
            self.folder.remove(Kind::Rows, empty - 1)?;
        }
        Ok(())
    }

    fn value_layer<N: Numerator>(
        &mut self,
        backwards: &mut Backwards<'_, G, N>,
        info: &LayerInfo,
        behind: Option<&LayerInfo>,
    ) -> Result<(), TableError> {
        let layer = info.layer;
        let widths = Widths::of(self.game, layer);
        let mut rows = Reader::open(self.folder, Kind::Rows, layer, 8 * widths.row())?;
        let mut keys = Writer::new(self.folder, Kind::Keys, layer, info.key_bytes)?;
        let mut values = Writer::new(self.folder, Kind::Values, layer, info.value_bytes)?;
        backwards.turn_to(layer);
        let mut progress = Progress {
            is_listing: false,
            layer,
            done: 0,
            states: rows.records(),
        };
        // Beside the chunk there are its keys in order, with places, and the values found.
        let most = self.memory as usize / 5;
        let (mut states, mut bytes) = (Vec::new(), Vec::new());
        loop {
            let mut read = 0;
            states.clear();
            while read < STATES_PER_LOOK
                && let Some(record) = rows.next()?
            {
                let row = words_of(record);
                widths.write_key(&row[..widths.key], &mut bytes);
                keys.write(&bytes)?;
                states.extend_from_slice(widths.state_of(&row));
                read += 1;
            }
            let added = backwards.add(&states);
            added.map_err(|refusal| self.refused(refusal, layer))?;
            if backwards.bytes() > most || (read == 0 && !backwards.is_empty()) {
                let found = self.look_up::<N>(backwards.wanted(), layer, behind)?;
                let mut written = Ok(());
                backwards.finish(&found, |value| {
                    write_value(value, info.value_bytes, &mut bytes);
                    if written.is_ok() {
                        written = values.write(&bytes);
                    }
                });
                written?;
            }
            if read == 0 {
                break;
            }
            progress.done += read as u64;
            self.look(progress)?;
        }
        keys.finish()?;
        values.finish()?;
        Ok(())
    }

    /// The values of keys of the layer behind one, by one pass through its files.
    fn look_up<N: Numerator>(
        &self,
        wanted: &[u64],
        layer: usize,
        behind: Option<&LayerInfo>,
    ) -> Result<Vec<N>, TableError> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let wrong = |why: &str| TableError::Wrong {
            path: self.folder.path().to_owned(),
            layer,
            why: why.to_owned(),
        };
        let missing = || wrong("a state that follows from it is in no file");
        let behind = behind.filter(|info| info.layer + 1 == layer);
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
        let mut keys = Reader::open(self.folder, Kind::Keys, behind.layer, behind.key_bytes)?;
        let mut values = Reader::open(self.folder, Kind::Values, behind.layer, behind.value_bytes)?;
        if keys.records() != values.records() || keys.records() != behind.states {
            return Err(TableError::damaged(keys.path(), "its length is wrong"));
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

    /// Looks at the limits, and tells how far it is.
    fn look(&mut self, progress: Progress) -> Result<(), TableError> {
        (self.tell)(progress);
        self.halt
            .look()
            .map_err(|reason| TableError::Stopped(reason.unwrap_or(StopReason::Interrupted)))
    }

    fn stopped(&self) -> TableError {
        let reason = self.halt.look().err().flatten();
        TableError::Stopped(reason.unwrap_or(StopReason::Interrupted))
    }

    fn refused(&self, refusal: Refusal, layer: usize) -> TableError {
        match refusal {
            Refusal::Flaw(_) => TableError::Flaw(layer),
            Refusal::TooLarge => TableError::TooLarge,
            Refusal::Stopped(Some(reason)) => TableError::Stopped(reason),
            Refusal::Stopped(None) => self.stopped(),
            Refusal::NewShare(share) => TableError::Wrong {
                path: self.folder.path().to_owned(),
                layer,
                why: format!("chance has {} outcomes, which was not noted", share.count),
            },
        }
    }
}

fn write_row(file: &mut Writer, row: &[u64]) -> Result<(), TableError> {
    row.iter()
        .try_for_each(|word| file.write(&word.to_be_bytes()))
}

fn words_of(record: &[u8]) -> Vec<u64> {
    let (words, _) = record.as_chunks::<8>();
    let words = words.iter().map(|bytes| u64::from_be_bytes(*bytes));
    words.collect()
}

/// Reads the states of some rows; tells how many.
fn read_states(
    rows: &mut Reader,
    widths: Widths,
    states: &mut Vec<u64>,
) -> Result<usize, TableError> {
    let mut read = 0;
    while read < STATES_PER_LOOK
        && let Some(record) = rows.next()?
    {
        states.extend_from_slice(widths.state_of(&words_of(record)));
        read += 1;
    }
    Ok(read)
}
