//! Whether a table is right: play is followed forwards from the initial state again, and in each layer the keys must be those of the
//! states found, and each value must follow from the values that the files have for what follows.
//!
//! Nothing is written into the table. Working files of two layers at a time are in another folder.

use crate::error::DiskTableError;
use crate::folder::Folder;
use crate::kind::Kind;
use crate::manifest::{Expanded, LayerInfo};
use crate::part::Part;
use crate::shard::Reader;
use crate::table::DiskTable;
use crate::valuing::{Layerwise, Sink, Team};
use crate::work::{TableProgress, Work};
use limits::Limits;
use std::path::Path;
use stochastic_game::StochasticGame;
use value::Numerator;

/// Checks all values of a table; tells how many states there are. `state` is the words of the initial state, `scratch` an empty
/// folder for working files.
///
/// # Errors
/// The first thing that is wrong, or a limit that is reached.
pub fn check_all<G: StochasticGame>(
    game: &G,
    state: &[u64],
    table: &DiskTable,
    scratch: &Path,
    limits: &Limits,
    threads: usize,
    tell: &mut dyn FnMut(TableProgress),
) -> Result<u64, DiskTableError> {
    let scratch = Folder::create(scratch, table.manifest())?;
    let mut work = Work::new(game, &scratch, limits, threads, tell);
    let layers = table.all_layers();
    let denominators = work.denominators(table.folder(), layers)?;
    work.list_start(state)?;
    let mut checking = Checking {
        table: table.folder(),
        states: 0,
        cuts_off: false,
    };
    work.each_layer(
        &denominators,
        layers,
        layers.layers.iter().rev(),
        &mut checking,
    )?;
    let last = layers.layers.first().map_or(work.depth, |info| info.layer);
    let goes_on = last > 1 && work.rows(last - 1)?.records() > 0;
    if goes_on || checking.cuts_off != layers.cuts_off {
        let path = table.folder().path().join("layers.json");
        return Err(DiskTableError::damaged(&path, "play goes on longer"));
    }
    Ok(checking.states)
}

struct Checking<'a> {
    table: &'a Folder,
    states: u64,
    cuts_off: bool,
}

impl<G: StochasticGame> Layerwise<G> for Checking<'_> {
    fn layer<N: Numerator>(
        &mut self,
        work: &mut Work<'_, G>,
        team: &mut Team<'_, G, N>,
        info: &LayerInfo,
        behind: Option<&LayerInfo>,
    ) -> Result<(), DiskTableError> {
        let layer = info.layer;
        let wrong = |why: &str| DiskTableError::Wrong {
            path: self.table.path().to_owned(),
            layer,
            why: why.to_owned(),
        };
        let rows = work.rows(layer)?;
        let expanded = work.list_behind(layer, rows)?;
        let noted = (self.table).read_json::<Expanded>(&Part::WHOLE.expanded(layer))?;
        if noted.as_ref() != Some(&expanded) {
            return Err(wrong("other chances occur than were noted"));
        }
        self.cuts_off |= expanded.cuts_off;
        let mut files = Compared {
            keys: Reader::open(self.table, Kind::Keys, layer, info.key_bytes)?,
            values: Reader::open(self.table, Kind::Values, layer, info.value_bytes)?,
            wrong: &wrong,
        };
        work.value_layer(team, info, self.table, behind, &mut files)?;
        files.end()?;
        self.states += info.states;
        work.folder.remove(Kind::Rows, layer)
    }
}

/// The files of a layer, compared with what was found.
struct Compared<'a> {
    keys: Reader,
    values: Reader,
    wrong: &'a dyn Fn(&str) -> DiskTableError,
}

impl Compared<'_> {
    fn end(&mut self) -> Result<(), DiskTableError> {
        match (self.keys.next()?, self.values.next()?) {
            (None, None) => Ok(()),
            _ => Err((self.wrong)(
                "a state is in the files that play does not lead to",
            )),
        }
    }
}

impl Sink for Compared<'_> {
    fn key(&mut self, bytes: &[u8]) -> Result<(), DiskTableError> {
        match self.keys.next()? == Some(bytes) {
            true => Ok(()),
            false => Err((self.wrong)(
                "the keys are not those of the states that play leads to",
            )),
        }
    }

    fn value(&mut self, bytes: &[u8]) -> Result<(), DiskTableError> {
        match self.values.next()? == Some(bytes) {
            true => Ok(()),
            false => Err((self.wrong)(
                "a value does not follow from the values behind it",
            )),
        }
    }
}
