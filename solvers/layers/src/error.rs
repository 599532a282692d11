//! Errors of tables: the file, the mistake and the remedy.

use limits::StopReason;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why a table was not built, read or checked.
#[derive(Debug, thiserror::Error)]
pub enum DiskTableError {
    /// A file could not be read or written.
    #[error("{}: cannot {what}: {error}", path.display())]
    File {
        path: PathBuf,
        /// The action that failed.
        what: &'static str,
        /// The error of the system.
        error: io::Error,
    },
    /// No room is left on the disk.
    #[error(
        "{}: no room is left on the disk; finished layers are kept: make room, and run the command again to continue",
        path.display()
    )]
    Full { path: PathBuf },
    /// The folder holds other files.
    #[error("{}: this folder holds other files and no table; name an empty or a new one", .0.display())]
    Foreign(PathBuf),
    /// Another process works on the table.
    #[error("{}: another process works on this table; wait for it, or name another folder", .0.display())]
    Busy(PathBuf),
    #[error("{}: there is no table here (no table.json)", .0.display())]
    Missing(PathBuf),
    /// The table is not finished.
    #[error("{}: the table is not finished; build it with the same question, which goes on", .0.display())]
    Unfinished(PathBuf),
    /// Another process of those that work together is gone.
    #[error(
        "process {index} ({address}) is gone; it says why. What was finished is kept: start all processes again with the same commands"
    )]
    Lost {
        /// The index of the process.
        index: usize,
        address: String,
    },
    /// The processes that are to work together do not find each other.
    #[error("{0}")]
    Network(String),
    /// The processes that work together do not see one folder.
    #[error("{}: process 0 works in another folder; all processes need the same one, on a file system that their machines share", .0.display())]
    NotShared(PathBuf),
    /// The table is about something else.
    #[error("{}: this table is of another {what}: {found}, not {asked}; name another folder", path.display())]
    Other {
        path: PathBuf,
        /// The name of the difference.
        what: &'static str,
        /// The text in the table.
        found: String,
        /// The text in the question.
        asked: String,
    },
    /// A file differs from the one that was written.
    #[error("{}: the file is damaged: {why}; remove the folder and build the table anew", path.display())]
    Damaged {
        path: PathBuf,
        /// The sign of the damage.
        why: String,
    },
    /// The table does not agree with the rules.
    #[error("{}: in layer {layer} the table is wrong: {why}; this is a bug, or the files were changed", path.display())]
    Wrong {
        path: PathBuf,
        layer: usize,
        why: String,
    },
    /// A state that can be reached has no value.
    #[error("a state of layer {0} has no value, so there is no table")]
    Flaw(usize),
    /// Play may go on for ever, and memory does not hold all states.
    #[error(
        "play may go on for ever, so all states must be in memory, and there are too many for it: give more memory, or a number of steps"
    )]
    LargeEndless,
    /// Play may go on for ever, and the values are no short fractions.
    #[error(
        "play may go on for ever, and some values are fractions too long to compute: give a number of steps"
    )]
    LongFractions,
    /// Play may go on for ever, or moves are mixed, and several processes are to build the table.
    #[error("{0}, so one process builds it, and not several")]
    OneProcess(&'static str),
    /// One state has too many successors.
    #[error("more follows from one state than can be held in memory")]
    TooLarge,
    #[error("{0}; finished layers are kept; run the command again to continue")]
    Stopped(StopReason),
}

impl From<StopReason> for DiskTableError {
    fn from(reason: StopReason) -> Self {
        DiskTableError::Stopped(reason)
    }
}

impl DiskTableError {
    /// A file could not be read or written.
    pub(crate) fn file(
        path: &Path,
        what: &'static str,
    ) -> impl FnOnce(io::Error) -> DiskTableError {
        let path = path.to_owned();
        move |error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                DiskTableError::Full { path }
            }
            _ => DiskTableError::File { path, what, error },
        }
    }

    /// A file is not what was written.
    pub(crate) fn damaged(path: &Path, why: impl Into<String>) -> DiskTableError {
        DiskTableError::Damaged {
            path: path.to_owned(),
            why: why.into(),
        }
    }
}
