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
use crate::manifest::{Expanded, LayerInfo, Layers, Manifest, one_of};
use crate::part::LayerPart;
use crate::shard::Writer;
use crate::table::DiskTable;
use crate::valuing::{Layerwise, Sink, Team};
use crate::work::{TableProgress, Work};
use arena::StochasticGame;
use limits::Limits;
use num_bigint::BigUint;
use std::path::Path;
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
    folder.remove_parts()?;
    let work = &mut Work::new(game, &folder, limits, threads, tell);
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
    let is_mixed = folder.manifest.mixed;
    let mut ones = denominators.ones(work.game).enumerate();
    let info = |&(layer, states, key_bytes): &(usize, u64, usize)| {
        let one: BigUint = match is_mixed {
            true => 1u8.into(),
            false => one_of(&mut ones, layer),
        };
        LayerInfo {
            layer,
            states,
            key_bytes,
            value_bytes: match is_mixed {
                true => 0,
                false => one.bits().div_ceil(8) as usize,
            },
            denominator: one.to_string(),
        }
    };
    let layers = Layers {
        layers: layers.iter().rev().map(info).collect(),
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
    if is_mixed {
        return value_mixed(work, done.len(), layers.clone());
    }
    let Some(first) = rest.first() else {
        return Ok(());
    };
    work.command(Command::Value { from: first.layer })?;
    let denominators = work.denominators(folder, layers)?;
    work.each_layer(&denominators, layers, rest.iter(), &mut Value::default())
}

/// The bytes of the values of the first layer of matrix games that is tried.
const FRACTION_BYTES: usize = 2;

/// Values all layers of matrix games from an index on. The values of a layer are as long as those of the one before, unless they do not
/// fit: then the layer is valued again, with a quarter more. The list has a line for each layer, so it is written when as many states were valued;
/// layers behind the last list are valued again by a run that goes on.
fn value_mixed<G: StochasticGame>(
    work: &mut Work<'_, G>,
    first: usize,
    mut layers: Layers,
) -> Result<(), DiskTableError> {
    let folder = work.folder;
    let count = layers.layers.len();
    let (mut listed, mut states) = (first, 0);
    for index in first..count {
        let mut info = layers.layers[index].clone();
        let before = index.checked_sub(1).map(|before| &layers.layers[before]);
        info.value_bytes = before.map_or(FRACTION_BYTES, |before| before.value_bytes);
        // The denominators of other layers are not needed: values are fractions.
        let denominators = work.shares(folder, [info.layer].into_iter())?;
        let mut value = Value::default();
        loop {
            work.each_layer(&denominators, &layers, [&info].into_iter(), &mut value)?;
            if !value.is_narrow {
                break;
            }
            info.value_bytes += 2 * info.value_bytes.div_ceil(8);
        }
        states += info.states;
        layers.layers[index] = info;
        if states >= count as u64 || index + 1 == count {
            folder.write_json(Layers::FILE, &layers)?;
            // Behind the list, which says that the layers have values.
            for info in &layers.layers[listed..=index] {
                folder.remove(Kind::Rows, info.layer)?;
            }
            (listed, states) = (index + 1, 0);
        }
    }
    Ok(())
}

/// Values a layer, together with other processes if that is worth it.
#[derive(Default)]
pub struct Value {
    /// Whether the bytes of a value of the last layer did not suffice.
    is_narrow: bool,
}

impl<G: StochasticGame> Layerwise<G> for Value {
    fn layer<N: Numerator>(
        &mut self,
        work: &mut Work<'_, G>,
        team: &mut Team<'_, G, N>,
        info: &LayerInfo,
        all: &Layers,
    ) -> Result<(), DiskTableError> {
        let Some(part) = work.shared_part(info.states) else {
            return match work.leads() {
                true => {
                    self.is_narrow = !value_part(work, team, info, all)?;
                    Ok(())
                }
                false => Ok(()),
            };
        };
        // The layer behind is there when all are here.
        work.settle(Vec::new())?;
        work.part = part;
        let valued = value_part(work, team, info, all);
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
    let mut files = Files::create(folder, part, info)?;
    if !work.value_layer(team, info, folder, all, &mut files)? {
        return Ok(false);
    }
    files.finish()?;
    if part == LayerPart::WHOLE && !folder.manifest.mixed {
        folder.remove(Kind::Rows, info.layer)?;
    }
    Ok(true)
}

/// The files of a layer that has values, while they are written.
pub struct Files {
    keys: Writer,
    values: Writer,
}

impl Files {
    /// Begins the files of a part of a layer.
    pub fn create(
        folder: &Folder,
        part: LayerPart,
        info: &LayerInfo,
    ) -> Result<Self, DiskTableError> {
        let [keys, values] = Writer::create_both(folder, part, info)?;
        Ok(Files { keys, values })
    }

    /// Ends the files, the values last: they say that the layer is done.
    pub fn finish(self) -> Result<(), DiskTableError> {
        self.keys.finish()?;
        self.values.finish()
    }
}

impl Sink for Files {
    fn keys(&mut self, bytes: &[u8]) -> Result<(), DiskTableError> {
        self.keys.write(bytes)
    }

    fn values(&mut self, bytes: &[u8]) -> Result<(), DiskTableError> {
        self.values.write(bytes)
    }
}
