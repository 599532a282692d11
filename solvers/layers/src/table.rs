//! A finished table: values looked up by key.

use crate::codec::Widths;
use crate::error::DiskTableError;
use crate::folder::Folder;
use crate::kind::Kind;
use crate::manifest::{LayerInfo, Layers, Manifest, fingerprint};
use crate::shard::Reader;
use num_bigint::BigUint;
use num_rational::BigRational;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use stochastic_game::StochasticGame;

/// A finished table.
pub struct DiskTable {
    folder: Folder,
    layers: Layers,
    /// Files that were looked at.
    open: HashMap<usize, (Reader, Reader)>,
}

/// The most layers whose files are held open.
const MAX_OPEN_LAYERS: usize = 100;

impl DiskTable {
    /// Opens a folder.
    ///
    /// # Errors
    /// If there is no table, or it is not finished.
    pub fn open(path: &Path) -> Result<Self, DiskTableError> {
        let folder = Folder::open(path)?;
        let layers = folder.read_json::<Layers>("layers.json")?;
        let depth = folder.manifest.depth;
        let Some(layers) = layers.filter(|_| folder.has(Kind::Values, depth)) else {
            return Err(DiskTableError::Unfinished(path.to_owned()));
        };
        let is_number = |info: &LayerInfo| info.one().is_some_and(|one| one > BigUint::ZERO);
        let is_width = |info: &LayerInfo| info.key_bytes > 0 && info.value_bytes > 0;
        if !layers
            .layers
            .iter()
            .all(|info| is_number(info) && is_width(info))
        {
            let path = path.join("layers.json");
            return Err(DiskTableError::damaged(&path, "a number in it is wrong"));
        }
        Ok(DiskTable {
            folder,
            layers,
            open: HashMap::new(),
        })
    }

    /// Whether it is about these rules and what counts.
    ///
    /// # Errors
    /// How it differs.
    pub fn check_subject(
        &self,
        game: &str,
        rules: &str,
        objective: &str,
    ) -> Result<(), DiskTableError> {
        let asked = Manifest {
            game: game.to_owned(),
            rules: fingerprint(rules),
            objective: objective.to_owned(),
            ..self.manifest().clone()
        };
        self.folder.check_same(&asked)
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

    /// The layers as the folder lists them.
    pub(crate) fn all_layers(&self) -> &Layers {
        &self.layers
    }

    /// The key and the value of a state of a layer, between 0 and 1; nothing if play from the initial state does not lead to
    /// it.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn entry<G: StochasticGame>(
        &mut self,
        game: &G,
        layer: usize,
        state: &[u64],
    ) -> Result<Option<(Vec<u8>, BigRational)>, DiskTableError> {
        let Some(info) = self.layers.of(layer) else {
            return Ok(None);
        };
        let widths = Widths::of(game, layer);
        let mut state = state[..widths.state].to_vec();
        let mut words = vec![0; if widths.is_key { 0 } else { widths.key }];
        game.write_key(layer, &mut state, &mut words);
        let mut key = Vec::new();
        widths.write_key(if widths.is_key { &state } else { &words }, &mut key);
        if self.open.len() >= MAX_OPEN_LAYERS && !self.open.contains_key(&layer) {
            self.open.clear();
        }
        let (keys, values) = match self.open.entry(layer) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert((
                Reader::open(&self.folder, Kind::Keys, layer, info.key_bytes)?,
                Reader::open(&self.folder, Kind::Values, layer, info.value_bytes)?,
            )),
        };
        let (mut from, mut to) = (0, keys.records());
        while from < to {
            let middle = from + (to - from) / 2;
            match keys.at(middle)?.cmp(&key[..]) {
                Ordering::Less => from = middle + 1,
                Ordering::Greater => to = middle,
                Ordering::Equal => {
                    let value = BigUint::from_bytes_be(values.at(middle)?);
                    let one = info
                        .one()
                        .expect("it was looked at when the table was opened");
                    return Ok(Some((key, value::fraction(value, one))));
                }
            }
        }
        Ok(None)
    }

    /// Tells all keys of a layer, in order, with the numerators of their values.
    ///
    /// # Errors
    /// If a file cannot be read, or `tell` says so.
    pub fn records<E: From<DiskTableError>>(
        &self,
        info: &LayerInfo,
        mut tell: impl FnMut(&[u8], &BigUint) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut keys = Reader::open(&self.folder, Kind::Keys, info.layer, info.key_bytes)?;
        let mut values = Reader::open(&self.folder, Kind::Values, info.layer, info.value_bytes)?;
        while let (Some(key), Some(value)) = (keys.next()?, values.next()?) {
            tell(key, &BigUint::from_bytes_be(value))?;
        }
        Ok(())
    }
}
