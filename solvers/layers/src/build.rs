//! Building a table: forwards all states of each layer, then backwards their values (backward induction).
//!
//! Each file that is finished is a checkpoint. A file that is there is not made again:
//!
//! ```text
//! layer n is expanded    if the rows of layer n-1 are there
//! all is listed          if layers.json is there
//! layer n has values     if its values are there; then its rows are not needed
//! ```

use crate::codec::Widths;
use crate::communicator::Command;
use crate::error::DiskTableError;
use crate::folder::Folder;
use crate::kind::Kind;
use crate::manifest::{Expanded, LayerInfo, Layers, Manifest};
use crate::part::LayerPart;
use crate::policy::FRACTION_BYTES;
use crate::shard::Writer;
use crate::table::DiskTable;
use crate::valuing::{Layerwise, Team};
use crate::work::{TableProgress, Work};
use arena::StochasticGame;
use base::value::Numerator;
use limits::Limits;
use std::path::Path;

/// Builds a table in a folder, or goes on with it.
///
/// `state` is the words of the initial state, in layer `manifest.depth` (1 or more). `limits` has the memory that may be used
/// beside files; 0 `threads` are as many as there are cores. `report` is called with the progress now and then.
pub fn build<G: StochasticGame>(
    game: &G,
    state: &[u64],
    manifest: &Manifest,
    folder: &Path,
    limits: &Limits,
    threads: usize,
    report: &mut dyn FnMut(TableProgress),
) -> Result<DiskTable, DiskTableError> {
    let folder = Folder::create(folder, manifest)?;
    folder.remove_parts()?;
    let work = &mut Work::new(game, &folder, limits, threads, report);
    let built = match manifest.endless {
        true => work.build_endless(state),
        false => go_on(work, state),
    };
    if built.is_err() {
        // If that fails, the next run drops the files that are left. The error before says more.
        let _ = folder.remove_unfinished();
    }
    built?;
    DiskTable::open(folder.path())
}

/// Goes on with a table until it is complete.
pub fn go_on<G: StochasticGame>(
    work: &mut Work<'_, G>,
    state: &[u64],
) -> Result<(), DiskTableError> {
    let layers = match work.folder.read_json::<Layers>(Layers::FILE)? {
        Some(layers) => layers,
        None => list_all(work, state)?,
    };
    value_all(work, &layers)
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
        let states = rows.rows();
        if states == 0 {
            break;
        }
        let is_expanded = layer == 1 || folder.has(Kind::Rows, layer - 1);
        let known = match is_expanded {
            true => folder.read_json::<Expanded>(&LayerPart::WHOLE.expanded(layer))?,
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
    layers.reverse();
    let first = layers.first().map_or(0, |&(layer, ..)| layer);
    let infos = layers.into_iter().zip(work.ones(&denominators, first));
    let infos = infos.map(|((layer, states, key_bytes), one)| LayerInfo {
        layer,
        states,
        key_bytes,
        value_bytes: match folder.manifest.mixed {
            // It is known when the layer has values.
            true => 0,
            false => one.bits().div_ceil(8) as usize,
        },
        denominator: one.to_string(),
    });
    let layers = Layers {
        layers: infos.collect(),
        cuts_off,
    };
    folder.write_json(Layers::FILE, &layers)?;
    Ok(layers)
}

/// Values the states of all layers.
fn value_all<G: StochasticGame>(
    work: &mut Work<'_, G>,
    layers: &Layers,
) -> Result<(), DiskTableError> {
    let folder = work.folder;
    let is_mixed = folder.manifest.mixed;
    let has_values = |info: &&LayerInfo| match is_mixed {
        true => info.value_bytes > 0,
        false => folder.has(Kind::Values, info.layer),
    };
    let (done, rest) = layers
        .layers
        .split_at(layers.layers.iter().take_while(has_values).count());
    // Those that were there when a run ended right behind the values.
    let empty = layers.layers.first().map(|info| info.layer - 1);
    let needless = empty.filter(|layer| *layer > 0).into_iter();
    for layer in needless.chain(done.iter().map(|info| info.layer)) {
        folder.remove(Kind::Rows, layer)?;
    }
    let Some(first) = rest.first() else {
        return Ok(());
    };
    work.command(Command::Value { from: first.layer })?;
    let denominators = work.denominators(folder, layers)?;
    let mut valuing = Valuing::new(layers, done.len());
    work.each_layer(&denominators, rest.iter(), &mut valuing)
}

/// Values layers, each together with other processes if it has enough states for them.
pub struct Valuing {
    /// All layers. Of matrix games, the bytes of a value are known when a layer is valued.
    layers: Layers,
    /// The layers that the list on disk knows to have values, and the states of those that were valued later.
    listed: usize,
    states: u64,
}

impl Valuing {
    /// For layers of which the first ones have values.
    pub fn new(layers: &Layers, listed: usize) -> Self {
        Valuing {
            layers: layers.clone(),
            listed,
            states: 0,
        }
    }

    /// Values a layer of matrix games. Its values are as long as those of the layer before, unless they do not fit: then the
    /// layer is valued again, with a quarter more. The list has a line for each layer, so it is written when as many states were valued;
    /// layers behind the last list are valued again by a run that goes on.
    fn matrix_games<G: StochasticGame, N: Numerator>(
        &mut self,
        work: &mut Work<'_, G>,
        team: &mut Team<'_, G, N>,
        info: &LayerInfo,
    ) -> Result<(), DiskTableError> {
        let before = self.layers.of(info.layer - 1);
        let mut info = LayerInfo {
            value_bytes: before.map_or(FRACTION_BYTES, |before| before.value_bytes),
            ..info.clone()
        };
        while !value_part(work, team, &info, &self.layers)? {
            info.value_bytes += 2 * info.value_bytes.div_ceil(8);
        }
        let layers = &mut self.layers.layers;
        let index = layers.partition_point(|other| other.layer < info.layer);
        self.states += info.states;
        layers[index] = info;
        let count = layers.len();
        if self.states >= count as u64 || index + 1 == count {
            work.folder.write_json(Layers::FILE, &self.layers)?;
            // Behind the list, which says that the layers have values.
            for info in &self.layers.layers[self.listed..=index] {
                work.folder.remove(Kind::Rows, info.layer)?;
            }
            (self.listed, self.states) = (index + 1, 0);
        }
        Ok(())
    }
}

impl<G: StochasticGame> Layerwise<G> for Valuing {
    fn layer<N: Numerator>(
        &mut self,
        work: &mut Work<'_, G>,
        team: &mut Team<'_, G, N>,
        info: &LayerInfo,
    ) -> Result<(), DiskTableError> {
        if work.folder.manifest.mixed {
            return self.matrix_games(work, team, info);
        }
        let Some(part) = work.shared_part(info.states) else {
            return match work.leads() {
                true => value_part(work, team, info, &self.layers).map(drop),
                false => Ok(()),
            };
        };
        // The layer behind is there when all are here.
        work.settle(Vec::new())?;
        work.part = part;
        let valued = value_part(work, team, info, &self.layers);
        work.part = LayerPart::WHOLE;
        valued?;
        work.settle(Vec::new())?;
        match work.leads() {
            true => work.join_valued(info, part.count),
            false => Ok(()),
        }
    }
}

/// Writes the keys and values of a layer, as far as they are in the part that is done here; whether the bytes of values suffice.
fn value_part<G: StochasticGame, N: Numerator>(
    work: &mut Work<'_, G>,
    team: &mut Team<'_, G, N>,
    info: &LayerInfo,
    all: &Layers,
) -> Result<bool, DiskTableError> {
    let (folder, part) = (work.folder, work.part);
    let mut files = Writer::create_both(folder, part, info)?;
    if !work.value_layer(team, info, folder, all, &mut files)? {
        return Ok(false);
    }
    // The values last: they say that the layer is done.
    let [keys, values] = files;
    keys.finish()?;
    values.finish()?;
    if part == LayerPart::WHOLE && !folder.manifest.mixed {
        folder.remove(Kind::Rows, info.layer)?;
    }
    Ok(true)
}
