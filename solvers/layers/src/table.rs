//! A finished table: values looked up by key.

use crate::codec::{Widths, read_fraction};
use crate::error::DiskTableError;
use crate::folder::Folder;
use crate::kind::Kind;
use crate::manifest::{LayerInfo, Layers, Manifest, fingerprint};
use crate::policy::MAX_OPEN_LAYERS;
use crate::shard::Reader;
use arena::StochasticGame;
use num_bigint::BigUint;
use num_rational::BigRational;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

pub struct DiskTable {
    folder: Folder,
    layers: Layers,
    /// The files of keys and values that are open, by layer.
    open: HashMap<usize, [Reader; 2]>,
}

/// The reason why a file of values is damaged: a denominator is 0, or less than the numerator.
pub const NO_FRACTION: &str = "a value is no fraction from 0 to 1";

impl DiskTable {
    /// Opens a folder.
    pub fn open(path: &Path) -> Result<Self, DiskTableError> {
        let folder = Folder::open(path)?;
        let layers = folder.read_json::<Layers>(Layers::FILE)?;
        let depth = folder.manifest.depth;
        let has_values = |layers: &Layers| {
            // Of matrix games, widths are known when values are.
            let mut infos = layers.layers.iter();
            folder.has(Kind::Values, depth) && infos.all(|info| info.value_bytes > 0)
        };
        let Some(layers) = layers.filter(has_values) else {
            return Err(DiskTableError::Unfinished(path.to_owned()));
        };
        for info in &layers.layers {
            if info.one().is_none_or(|one| one == BigUint::ZERO) || info.key_bytes == 0 {
                let path = path.join(Layers::FILE);
                return Err(DiskTableError::damaged(&path, "a number in it is wrong"));
            }
            // Each block is checked when it is read. The lengths show now that all blocks are there.
            Reader::check_lengths(&folder, info)?;
        }
        Ok(DiskTable {
            folder,
            layers,
            open: HashMap::new(),
        })
    }

    /// Whether it is about these rules, this objective and this order of moves.
    pub fn check_subject(
        &self,
        game: &str,
        rules: &str,
        objective: &str,
        mixed: bool,
    ) -> Result<(), DiskTableError> {
        let asked = Manifest {
            game: game.to_owned(),
            rules: fingerprint(rules),
            objective: objective.to_owned(),
            mixed,
            ..self.manifest().clone()
        };
        self.folder.check_same(&asked)
    }

    /// The manifest: the game and the question of the table.
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

    pub fn states(&self) -> u64 {
        self.layers.layers.iter().map(|info| info.states).sum()
    }

    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The layers as the folder lists them.
    pub(crate) fn all_layers(&self) -> &Layers {
        &self.layers
    }

    /// The key and the value of a state of a layer, between 0 and 1; nothing if play from the initial state does not lead to
    /// it.
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
        let [keys, values] = match self.open.entry(layer) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Reader::open_both(&self.folder, info)?),
        };
        let Some(index) = keys.find(&key)? else {
            return Ok(None);
        };
        let bytes = values.at(index)?;
        let value = match self.folder.manifest.mixed {
            true => read_fraction(bytes),
            false => {
                (info.one()).map(|one| base::value::fraction(BigUint::from_bytes_be(bytes), one))
            }
        };
        let path = values.path();
        let value = value.ok_or_else(|| DiskTableError::damaged(path, NO_FRACTION))?;
        Ok(Some((key, value)))
    }

    /// Calls `visit` on all keys of a layer, in order, with the numerators of their values.
    pub fn records<E: From<DiskTableError>>(
        &self,
        info: &LayerInfo,
        mut visit: impl FnMut(&[u8], &BigUint) -> Result<(), E>,
    ) -> Result<(), E> {
        let [mut keys, mut values] = Reader::open_both(&self.folder, info)?;
        while let (Some(key), Some(value)) = (keys.next()?, values.next()?) {
            visit(key, &BigUint::from_bytes_be(value))?;
        }
        Ok(())
    }
}
