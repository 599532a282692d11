//! Options of `table`.

use super::{GameArguments, LimitArguments, OUTPUT, QuestionArguments, StartArguments};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct TableArguments {
    #[command(subcommand)]
    pub(crate) command: TableCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum TableCommand {
    /// Build a table, or go on with one that was not finished.
    Build(TableBuildArguments),
    /// Say what a table is about, and how large it is.
    Info {
        /// The folder.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Look up a position.
    Probe(TableProbeArguments),
    /// Read all files of a table: checksums, the order of keys, the range of values.
    Check(TableCheckArguments),
}

#[derive(Args, Debug)]
pub(crate) struct TableBuildArguments {
    #[command(flatten)]
    pub(crate) game: GameArguments,
    #[command(flatten)]
    pub(crate) question: QuestionArguments,
    /// The folder: a new or empty one, or that of the table to go on with.
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// Say nothing but the answer.
    #[arg(long, short, help_heading = OUTPUT)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct TableProbeArguments {
    /// The folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) start: StartArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

#[derive(Args, Debug)]
pub(crate) struct TableCheckArguments {
    /// The folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}
