//! Other files and programs: `solve-model`, `doctor`, `example` and `generate`.

use super::{FormArguments, LimitArguments, QUESTION};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct SolveModelArguments {
    /// The model, which may be compressed with gzip; `-` is standard input.
    pub(crate) model: PathBuf,
    /// The label of the states to reach.
    #[arg(default_value = "win")]
    pub(crate) label: String,
    /// The player that wants to reach them; may be given several times, for players that work together. `nobody` if all
    /// want to avoid it [default: the first player].
    #[arg(long, short, value_name = "PLAYER", help_heading = QUESTION)]
    pub(crate) role: Vec<String>,
    /// The number of steps, from 0; all count without it.
    #[arg(long, short, value_name = "N", help_heading = QUESTION)]
    pub(crate) depth: Option<u64>,
    #[command(flatten)]
    pub(crate) form: FormArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

#[derive(Args, Debug)]
pub(crate) struct DoctorArguments {
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

#[derive(Args, Debug)]
pub(crate) struct ExampleArguments {
    /// The game whose rules are printed; without it all are listed.
    pub(crate) name: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct GenerateArguments {
    #[command(subcommand)]
    pub(crate) files: GeneratedFiles,
}

#[derive(Subcommand, Debug)]
pub(crate) enum GeneratedFiles {
    /// Print a script that completes commands and options in a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write man pages into a folder.
    Man {
        /// The folder, which is made if it is not there.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}
