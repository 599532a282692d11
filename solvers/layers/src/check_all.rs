//! The check that a table is right: play is followed forwards from the initial state again, and in each layer the keys must be those of the
//! states found, and each value must follow from the values that the files have for the successors.
//!
//! Nothing is written into the table. Working files of two layers at a time are in another folder.

use crate::error::DiskTableError;
use crate::folder::Folder;
use crate::kind::Kind;
use crate::manifest::{Expanded, LayerInfo, Layers};
use crate::part::LayerPart;
use crate::shard::Reader;
use crate::table::DiskTable;
use crate::valuing::{Layerwise, Sink, Team};
use crate::work::{TableProgress, Work};
use arena::StochasticGame;
use base::value::Numerator;
use limits::Limits;
use std::path::Path;

/// Checks all values of a table; returns the number of states. `state` is the words of the initial state, `scratch` an empty
/// folder for working files.
pub fn check_all<G: StochasticGame>(
    game: &G,
    state: &[u64],
    table: &DiskTable,
    scratch: &Path,
    limits: &Limits,
    threads: usize,
    report: &mut dyn FnMut(TableProgress),
) -> Result<u64, DiskTableError> {
    let scratch = Folder::create(scratch, table.manifest())?;
    let mut work = Work::new(game, &scratch, limits, threads, report);
    let layers = table.all_layers();
    if table.manifest().endless {
        return check_endless(&mut work, table, state);
    }
    let denominators = work.denominators(table.folder(), layers)?;
    work.list_start(state)?;
    let mut checker = Checker {
        table: table.folder(),
        layers,
        states: 0,
        cuts_off: false,
    };
    work.each_layer(&denominators, layers.layers.iter().rev(), &mut checker)?;
    let last = layers.layers.first().map_or(work.depth, |info| info.layer);
    let goes_on = last > 1 && work.rows(last - 1)?.rows() > 0;
    if goes_on || checker.cuts_off != layers.cuts_off {
        let path = table.folder().path().join(Layers::FILE);
        return Err(DiskTableError::damaged(&path, "play goes on longer"));
    }
    Ok(checker.states)
}

/// Checks all values of a table of an endless game: it is solved again.
fn check_endless<G: StochasticGame>(
    work: &mut Work<'_, G>,
    table: &DiskTable,
    state: &[u64],
) -> Result<u64, DiskTableError> {
    let (folder, layers) = (table.folder(), table.layers());
    let solved = work.solve_endless(state)?;
    let wrong = |why: &str| folder.wrong(solved.info.layer, why);
    if *layers != [solved.info.clone()] {
        return Err(wrong("states or denominators are not those of the game"));
    }
    let [keys, values] = Reader::open_both(folder, &solved.info)?;
    let mut files = ComparedFiles {
        keys,
        values,
        wrong: &wrong,
    };
    solved.write(&mut files)?;
    files.end()?;
    Ok(table.states())
}

struct Checker<'a> {
    table: &'a Folder,
    layers: &'a Layers,
    states: u64,
    cuts_off: bool,
}

impl<G: StochasticGame> Layerwise<G> for Checker<'_> {
    fn layer<N: Numerator>(
        &mut self,
        work: &mut Work<'_, G>,
        team: &mut Team<'_, G, N>,
        info: &LayerInfo,
    ) -> Result<(), DiskTableError> {
        let layer = info.layer;
        let wrong = |why: &str| self.table.wrong(layer, why);
        // Layers above are done: listing needs their memory.
        work.held.clear();
        let rows = work.rows(layer)?;
        let expanded = work.list_behind(layer, rows)?;
        let noted = (self.table).read_json::<Expanded>(&LayerPart::WHOLE.expanded(layer))?;
        if noted.as_ref() != Some(&expanded) {
            return Err(wrong("other chances occur than were noted"));
        }
        self.cuts_off |= expanded.cuts_off;
        let [keys, values] = Reader::open_both(self.table, info)?;
        let wrong = &wrong;
        let mut files = ComparedFiles {
            keys,
            values,
            wrong,
        };
        if !work.value_layer(team, info, self.table, self.layers, &mut files)? {
            return Err(wrong("a value is longer than those that the files have"));
        }
        files.end()?;
        self.states += info.states;
        work.folder.remove(Kind::Rows, layer)
    }
}

/// The files of a layer, compared with the states that were found.
struct ComparedFiles<'a> {
    keys: Reader,
    values: Reader,
    wrong: &'a dyn Fn(&str) -> DiskTableError,
}

impl ComparedFiles<'_> {
    fn end(&mut self) -> Result<(), DiskTableError> {
        match (self.keys.next()?, self.values.next()?) {
            (None, None) => Ok(()),
            _ => Err((self.wrong)(
                "a state is in the files that play does not lead to",
            )),
        }
    }
}

impl Sink for ComparedFiles<'_> {
    fn keys(&mut self, bytes: &[u8]) -> Result<(), DiskTableError> {
        match self.keys.has_next(bytes)? {
            true => Ok(()),
            false => Err((self.wrong)(
                "the keys are not those of the states that play leads to",
            )),
        }
    }

    fn values(&mut self, bytes: &[u8]) -> Result<(), DiskTableError> {
        match self.values.has_next(bytes)? {
            true => Ok(()),
            false => Err((self.wrong)(
                "a value does not follow from the values behind it",
            )),
        }
    }
}
