//! Processes that build one table together, and their messages to each other.
//!
//! ```text
//! process 0    commands the next step, joins the parts, works alone on small layers
//! process i    does part i of each layer
//! forwards     a successor goes to the process that its key names; each process writes the states that it got, sorted
//! backwards    each values its range of states from the files, and sends nothing
//! ```
//!
//! All see one folder. How messages travel is not known here: [`Communicator`] does.

use crate::build::{Valuing, go_on};
use crate::communicator::{Command, Communicator};
use crate::error::DiskTableError;
use crate::folder::{Folder, remove};
use crate::manifest::{Layers, Manifest};
use crate::table::DiskTable;
use crate::work::{TableProgress, Work};
use arena::StochasticGame;
use limits::Limits;
use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};

/// Builds a table in a folder that several processes see, or goes on with it: [`crate::build`] by all of them.
#[expect(
    clippy::too_many_arguments,
    reason = "those of build, and the communicator"
)]
pub fn build_by_processes<G: StochasticGame>(
    game: &G,
    state: &[u64],
    manifest: &Manifest,
    folder: &Path,
    limits: &Limits,
    threads: usize,
    communicator: &mut dyn Communicator,
    report: &mut dyn FnMut(TableProgress),
) -> Result<DiskTable, DiskTableError> {
    if manifest.endless {
        let why = "play of this table may go on for ever";
        return Err(DiskTableError::OneProcess(why));
    }
    if manifest.mixed {
        let why = "each position of this table is a matrix game";
        return Err(DiskTableError::OneProcess(why));
    }
    let folder = match communicator.index() {
        0 => {
            let folder = Folder::create(folder, manifest)?;
            folder.remove_parts()?;
            let folder = folder.share()?;
            show_folder(&folder, communicator)?;
            folder
        }
        _ => find_folder(folder, manifest, communicator)?,
    };
    let mut work = Work::new(game, &folder, limits, threads, report);
    let is_first = communicator.index() == 0;
    work.communicator = Some(communicator);
    let built = match is_first {
        true => go_on(&mut work, state).and_then(|()| work.command(Command::End)),
        false => follow(&mut work),
    };
    if built.is_err() {
        let _ = folder.remove_unfinished();
    }
    built?;
    DiskTable::open(folder.path())
}

/// Shows the other processes that this is the folder: by a file with a random name.
fn show_folder(folder: &Folder, communicator: &mut dyn Communicator) -> Result<(), DiskTableError> {
    let sign = RandomState::new().build_hasher().finish();
    let path = sign_of(folder.path(), sign);
    File::create(&path).map_err(DiskTableError::file(&path, "create"))?;
    let packets = (1..communicator.count()).map(|index| (index, vec![sign]));
    let sent = communicator.settle(packets.collect());
    let seen = sent.and_then(|_| communicator.settle(Vec::new()));
    remove(&path)?;
    seen.map(drop)
}

/// The file that shows a folder.
fn sign_of(folder: &Path, sign: u64) -> PathBuf {
    folder.join(format!("run-{sign}.part"))
}

/// Opens the folder that process 0 shows.
fn find_folder(
    path: &Path,
    manifest: &Manifest,
    communicator: &mut dyn Communicator,
) -> Result<Folder, DiskTableError> {
    let signs = communicator.settle(Vec::new())?;
    let sign = signs.iter().flatten().next().copied().unwrap_or_default();
    if !sign_of(path, sign).exists() {
        return Err(DiskTableError::NotShared(path.to_owned()));
    }
    let folder = Folder::join(path, manifest)?;
    communicator.settle(Vec::new())?;
    Ok(folder)
}

/// Obeys the commands of process 0.
fn follow<G: StochasticGame>(work: &mut Work<'_, G>) -> Result<(), DiskTableError> {
    loop {
        let said = work.settle(Vec::new())?;
        match said.first().and_then(|words| Command::read(words)) {
            Some(Command::List { layer, rounds }) => work.list_part_of_process(layer, rounds)?,
            Some(Command::Value { from }) => {
                let folder = work.folder;
                let layers: Layers = folder.read_needed(Layers::FILE)?;
                let denominators = work.denominators(folder, &layers)?;
                let order = layers.layers.iter().filter(|info| info.layer >= from);
                work.each_layer(&denominators, order, &mut Valuing::new(&layers, 0))?;
            }
            Some(Command::End) => return Ok(()),
            None => {
                let why = "a message of process 0 makes no sense; do all run the same version?";
                return Err(DiskTableError::damaged(work.folder.path(), why));
            }
        }
    }
}
