//! A finished table: values looked up by key.

use crate::codec::Widths;
use crate::error::TableError;
use crate::folder::Folder;
use crate::manifest::{LayerInfo, Layers, Manifest};
use crate::shard::{Kind, Reader};
use num_bigint::BigUint;
use num_rational::BigRational;
use std::path::Path;
use stochastic_game::StochasticGame;

/// A finished table.
pub struct Table {
    folder: Folder,
    layers: Layers,
}

impl Table {
    /// Opens a folder.
    ///
    /// # Errors
    /// If there is no table, or it is not finished.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let folder = Folder::open(path)?;
        let layers = folder.read_json::<Layers>("layers.json")?;
        let depth = folder.manifest.depth;
        let Some(layers) = layers.filter(|_| folder.has(Kind::Values, depth)) else {
            return Err(TableError::Unfinished(path.to_owned()));
        };
        Ok(Table { folder, layers })
    }

    /// What it is about.
    pub fn manifest(&self) -> &Manifest {
        &self.folder.manifest
    }

    /// Its layers, from the last one on.
    pub fn layers(&self) -> &[LayerInfo] {
        &self.layers.layers
    }

    /// Whether some play is not over after the last step.
    pub fn cuts_off(&self) -> bool {
        self.layers.cuts_off
    }

    /// The number of states.
    pub fn states(&self) -> u64 {
        self.layers.layers.iter().map(|info| info.states).sum()
    }

    /// The folder.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The value of a state of a layer, between 0 and 1; nothing if play from the initial state does not lead to it.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn value<G: StochasticGame>(
        &self,
        game: &G,
        layer: usize,
        state: &[u64],
    ) -> Result<Option<BigRational>, TableError> {
        let Some(info) = self.layers.layers.iter().find(|info| info.layer == layer) else {
            return Ok(None);
        };
        let widths = Widths::of(game, layer);
        let mut state = state[..widths.state].to_vec();
        let mut words = vec![0; if widths.is_key { 0 } else { widths.key }];
        game.write_key(layer, &mut state, &mut words);
        let mut key = Vec::new();
        widths.write_key(if widths.is_key { &state } else { &words }, &mut key);
        let mut keys = Reader::open(&self.folder, Kind::Keys, layer, info.key_bytes)?;
        let (mut from, mut to) = (0, keys.records());
        while from < to {
            let middle = from + (to - from) / 2;
            match keys.at(middle)?.cmp(&key[..]) {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
                std::cmp::Ordering::Equal => {
                    let mut values =
                        Reader::open(&self.folder, Kind::Values, layer, info.value_bytes)?;
                    let value = BigUint::from_bytes_be(values.at(middle)?);
                    let path = self.folder.path().join("layers.json");
                    let one = info
                        .one()
                        .filter(|one| *one > BigUint::ZERO)
                        .ok_or_else(|| TableError::damaged(&path, "a denominator is no number"))?;
                    return Ok(Some(value::fraction(value, one)));
                }
            }
        }
        Ok(None)
    }
}
