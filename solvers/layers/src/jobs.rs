//! A table built by jobs of a cluster, which share nothing but files.
//!
//! ```text
//! split                     divides the work on each layer into parts
//! solve_part 0 1 2 ...      in any order, at the same time, on any machine
//! merge                     joins the parts of a layer; then those of the next one are to be solved
//! ```
//!
//! What is to be done follows from the files. So a job may be run again, and one that comes too late does no harm.
//! Small layers are not worth jobs: `split` and `merge` do those that are next.

use crate::build::{Next, Value, end_parts, go_on};
use crate::error::DiskTableError;
use crate::folder::Folder;
use crate::manifest::{Layers, Manifest, Parts};
use crate::merge::{has_listed, has_valued};
use crate::part::LayerPart;
use crate::work::{TableProgress, Work};
use limits::Limits;
use std::path::Path;
use stochastic_game::StochasticGame;

/// What a job works on and with.
pub struct Job<'a, G> {
    /// The game.
    pub game: &'a G,
    /// The words of its initial state.
    pub state: &'a [u64],
    /// What the table is about.
    pub manifest: &'a Manifest,
    /// The folder that all jobs share.
    pub folder: &'a Path,
    /// The memory to be used beside files, the time, and the interrupt.
    pub limits: &'a Limits,
    /// The number of threads; 0 for as many as there are cores.
    pub threads: usize,
    /// Is called now and then.
    pub tell: &'a mut dyn FnMut(TableProgress),
}

/// What a job does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobTask {
    /// [`Job::split`].
    Split {
        /// Into how many parts.
        parts: usize,
        /// Layers with at most this many states are done at once.
        small: u64,
    },
    /// [`Job::solve_part`].
    SolvePart {
        /// Which part.
        index: usize,
    },
    /// [`Job::merge`].
    Merge {
        /// Layers with at most this many states are done at once.
        small: u64,
    },
}

impl<G: StochasticGame> Job<'_, G> {
    /// Does one of the three. Tells which work is to be solved in parts next, or which was solved; nothing if the table is complete.
    ///
    /// # Errors
    /// Those of what it does.
    pub fn run(self, task: JobTask) -> Result<Option<TableProgress>, DiskTableError> {
        if self.game.may_stay() {
            return Err(DiskTableError::OneProcess);
        }
        match task {
            JobTask::Split { parts, small } => self.split(parts, small),
            JobTask::SolvePart { index } => self.solve_part(index),
            JobTask::Merge { small } => self.merge(small),
        }
    }

    /// Divides the work on each layer of a new table, or of one that is not complete, into this many parts, at least 2. Layers with at
    /// most `small` states are done at once. Tells which work is to be solved in parts next; nothing if the table is complete.
    ///
    /// # Errors
    /// If the folder holds something else, a job works there, a file cannot be written, or a limit is reached.
    pub fn split(self, parts: usize, small: u64) -> Result<Option<TableProgress>, DiskTableError> {
        let folder = Folder::create(self.folder, self.manifest)?;
        let parts = Parts {
            // LayerPart 0 of 1 would be the layer itself.
            parts: parts.max(2),
        };
        if folder.read_json::<Parts>(Parts::FILE)? != Some(parts) {
            folder.remove_parts()?;
            folder.write_json(Parts::FILE, &parts)?;
        }
        let mut work = Work::new(self.game, &folder, self.limits, self.threads, self.tell);
        do_small(&mut work, self.state, small)
    }

    /// Solves a part of the work that is next, unless that is done. Tells what it was; nothing if the table is complete.
    ///
    /// # Errors
    /// If the folder holds nothing that was split, there is no such part, a file cannot be written, or a limit is reached.
    pub fn solve_part(self, index: usize) -> Result<Option<TableProgress>, DiskTableError> {
        let folder = Folder::join(self.folder, self.manifest)?;
        let mut work = Work::new(self.game, &folder, self.limits, self.threads, self.tell);
        let Some(next) = go_on(&mut work, self.state, 0)? else {
            return Ok(None);
        };
        let count = parts(&folder)?;
        if index >= count {
            let path = folder.path().to_owned();
            return Err(DiskTableError::NoPart { path, index, count });
        }
        work.part = LayerPart { index, count };
        let solved = solve(&mut work, next);
        if solved.is_err() {
            let _ = folder.remove_unfinished();
        }
        solved?;
        Ok(Some(next.progress()))
    }

    /// Joins the parts of the work that is next, which must all be solved, and does the layers behind it that have at most `small`
    /// states. Tells which work is to be solved in parts next; nothing if the table is complete.
    ///
    /// # Errors
    /// If the folder holds nothing that was split, a part is missing, a job works there, a file cannot be written, or a limit is reached.
    pub fn merge(self, small: u64) -> Result<Option<TableProgress>, DiskTableError> {
        // Nothing is created where there is no table.
        Folder::open(self.folder)?;
        let folder = Folder::create(self.folder, self.manifest)?;
        let mut work = Work::new(self.game, &folder, self.limits, self.threads, self.tell);
        if let Some(next) = go_on(&mut work, self.state, 0)? {
            let count = parts(&folder)?;
            let is_missing = |part: &LayerPart| match next {
                Next::List { layer, .. } => !has_listed(&folder, *part, layer),
                Next::Value { layer, .. } => !has_valued(&folder, *part, layer),
            };
            let missing: Vec<usize> = (LayerPart::all(count).filter(is_missing))
                .map(|part| part.index)
                .collect();
            if !missing.is_empty() {
                let path = folder.path().to_owned();
                return Err(DiskTableError::MissingParts {
                    path,
                    missing,
                    count,
                });
            }
            match next {
                Next::List { layer, .. } => {
                    work.join_listed(layer, count)?;
                }
                Next::Value { layer, .. } => {
                    let layers = folder.read_json::<Layers>(Layers::FILE)?;
                    if let Some(info) = layers.as_ref().and_then(|layers| layers.of(layer)) {
                        work.join_valued(info, count)?;
                    }
                }
            }
        }
        do_small(&mut work, self.state, small)
    }
}

/// Goes on with small layers. Tells which work is next.
fn do_small<G: StochasticGame>(
    work: &mut Work<'_, G>,
    state: &[u64],
    small: u64,
) -> Result<Option<TableProgress>, DiskTableError> {
    let next = go_on(work, state, small);
    match &next {
        Ok(None) => end_parts(work.folder)?,
        Ok(Some(_)) => {}
        Err(_) => {
            let _ = work.folder.remove_unfinished();
        }
    }
    Ok(next?.map(Next::progress))
}

/// Into how many parts the work is divided.
fn parts(folder: &Folder) -> Result<usize, DiskTableError> {
    let parts = folder.read_json::<Parts>(Parts::FILE)?;
    parts
        .map(|parts| parts.parts)
        .filter(|parts| *parts > 1)
        .ok_or_else(|| DiskTableError::NotSplit(folder.path().to_owned()))
}

/// Solves the part of the work that is this process's.
fn solve<G: StochasticGame>(work: &mut Work<'_, G>, next: Next) -> Result<(), DiskTableError> {
    let (folder, part) = (work.folder, work.part);
    match next {
        Next::List { layer, .. } if !has_listed(folder, part, layer) => {
            let rows = work.rows(layer)?;
            work.list_behind(layer, rows)?;
        }
        Next::Value { layer, .. } if !has_valued(folder, part, layer) => {
            let layers = folder.read_json::<Layers>(Layers::FILE)?;
            let Some(layers) = layers else { return Ok(()) };
            let denominators = work.denominators(folder, &layers)?;
            let now = layers.of(layer).into_iter();
            work.each_layer(&denominators, &layers, now, &mut Value)?;
        }
        _ => {}
    }
    Ok(())
}

impl Next {
    /// The work as progress that has not begun.
    fn progress(self) -> TableProgress {
        let (is_listing, layer, states) = match self {
            Next::List { layer, states } => (true, layer, states),
            Next::Value { layer, states } => (false, layer, states),
        };
        TableProgress {
            is_listing,
            layer,
            done: 0,
            states,
        }
    }
}
