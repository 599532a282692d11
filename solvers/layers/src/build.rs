//! Building a table: forwards all states of each layer, backwards their values.
//!
//! Each file that is finished is a checkpoint. What is there is not made again:
//!
//! ```text
//! layer n is expanded    if the rows of layer n-1 are there
//! all is listed          if layers.json is there
//! layer n has values     if its values are there; then its rows are not needed
//! ```

use crate::codec::Widths;
use crate::error::DiskTableError;
use crate::folder::Folder;
use crate::kind::Kind;
use crate::manifest::{Expanded, LayerInfo, Layers, Manifest};
use crate::shard::Writer;
use crate::table::DiskTable;
use crate::valuing::{Layerwise, Sink, Team};
use crate::work::{TableProgress, Work};
use limits::Limits;
use std::path::Path;
use stochastic_game::StochasticGame;
use value::Numerator;

/// Builds a table in a folder, or goes on with it.
///
/// `state` is the words of the initial state, in layer `manifest.depth` (1 or more). `limits` has the memory that may be used
/// beside files, `threads` how many there are to be: 0 for as many as there are cores. `tell` is called now and then.
///
/// # Errors
/// If the folder holds something else, a file cannot be written, a state has no value, or a limit is reached.
pub fn build<G: StochasticGame>(
    game: &G,
    state: &[u64],
    manifest: &Manifest,
    folder: &Path,
    limits: &Limits,
    threads: usize,
    tell: &mut dyn FnMut(TableProgress),
) -> Result<DiskTable, DiskTableError> {
    let folder = Folder::create(folder, manifest)?;
    let built = build_all(&mut Work::new(game, &folder, limits, threads, tell), state);
    if built.is_err() {
        // What is left is dropped by the next run if that fails; the error before says more.
        let _ = folder.remove_parts();
    }
    built?;
    DiskTable::open(folder.path())
}

fn build_all<G: StochasticGame>(
    work: &mut Work<'_, G>,
    state: &[u64],
) -> Result<(), DiskTableError> {
    let folder = work.folder;
    let layers = match folder.read_json::<Layers>("layers.json")? {
        Some(layers) => layers,
        None => list_all(work, state)?,
    };
    let denominators = work.denominators(folder, &layers)?;
    work.each_layer(&denominators, &layers, layers.layers.iter(), &mut Value)?;
    let empty = layers.layers.first().map_or(0, |info| info.layer);
    if empty > 1 {
        folder.remove(Kind::Rows, empty - 1)?;
    }
    Ok(())
}

/// Lists the states of all layers.
fn list_all<G: StochasticGame>(
    work: &mut Work<'_, G>,
    state: &[u64],
) -> Result<Layers, DiskTableError> {
    let folder = work.folder;
    if !folder.has(Kind::Rows, work.depth) {
        work.list_start(state)?;
    }
    let mut layers = Vec::new();
    let mut cuts_off = false;
    for layer in (1..=work.depth).rev() {
        let rows = work.rows(layer)?;
        let states = rows.records();
        if states == 0 {
            break;
        }
        let is_expanded = layer == 1 || folder.has(Kind::Rows, layer - 1);
        let known = match is_expanded {
            true => folder.read_json::<Expanded>(&Expanded::file(layer))?,
            false => None,
        };
        let expanded = match known {
            Some(expanded) => expanded,
            None => work.list_behind(layer, rows)?,
        };
        cuts_off |= expanded.cuts_off;
        let widths = Widths::of(work.game, layer);
        layers.push((layer, states, widths.key_bytes));
    }
    let denominators = work.shares(folder, layers.iter().map(|&(layer, ..)| layer))?;
    let info = |&(layer, states, key_bytes): &(usize, u64, usize)| {
        let one = denominators.one(work.game, layer);
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
    folder.write_json("layers.json", &layers)?;
    Ok(layers)
}

/// Writes the keys and values of a layer, unless they are there.
struct Value;

impl<G: StochasticGame> Layerwise<G> for Value {
    fn layer<N: Numerator>(
        &mut self,
        work: &mut Work<'_, G>,
        team: &mut Team<'_, G, N>,
        info: &LayerInfo,
        behind: Option<&LayerInfo>,
    ) -> Result<(), DiskTableError> {
        let (folder, layer) = (work.folder, info.layer);
        if !folder.has(Kind::Values, layer) {
            let mut files = Files {
                keys: Writer::new(folder, Kind::Keys, layer, info.key_bytes)?,
                values: Writer::new(folder, Kind::Values, layer, info.value_bytes)?,
            };
            work.value_layer(team, info, folder, behind, &mut files)?;
            files.keys.finish()?;
            files.values.finish()?;
        }
        folder.remove(Kind::Rows, layer)
    }
}

struct Files {
    keys: Writer,
    values: Writer,
}

impl Sink for Files {
    fn key(&mut self, bytes: &[u8]) -> Result<(), DiskTableError> {
        self.keys.write(bytes)
    }

    fn value(&mut self, bytes: &[u8]) -> Result<(), DiskTableError> {
        self.values.write(bytes)
    }
}
