//! Options of `table`.

use super::{
    FormArguments, GameArguments, LimitArguments, OUTPUT, QUESTION, QuestionArguments,
    ReportArguments, SeedArguments, StartArguments, ThreadArguments,
};
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
    Build(TableQuestionArguments),
    /// Print the question and the size of a table.
    Info {
        /// The folder.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        #[command(flatten)]
        form: FormArguments,
    },
    /// Look up a position.
    Probe(TableProbeArguments),
    /// Check a table: all of its files, and positions of some plays by the rules.
    Verify(TableVerifyArguments),
}

// The resources of work on a table, and its reports.
#[derive(Args, Debug)]
pub(crate) struct WorkArguments {
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    #[command(flatten)]
    pub(crate) threads: ThreadArguments,
    #[command(flatten)]
    pub(crate) report: ReportArguments,
}

// The question of a table, and its resources.
#[derive(Args, Debug)]
pub(crate) struct TableQuestionArguments {
    #[command(flatten)]
    pub(crate) game: GameArguments,
    #[command(flatten)]
    pub(crate) question: QuestionArguments,
    #[command(flatten)]
    pub(crate) start: StartArguments,
    /// Treat the moves of a step as simultaneous: no role knows those of the others.
    ///
    /// So all may choose at random. With it each position is a matrix game, and `sqasp table probe --moves` gives the best probabilities.
    #[arg(long, help_heading = QUESTION)]
    pub(crate) mixed: bool,
    /// The folder: a new or empty one, or that of the table to go on with.
    #[arg(long, short, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) work: WorkArguments,
}

#[derive(Args, Debug)]
#[command(mut_arg("json", |json| json.help("Print one JSON object, with the keys of the position as they stand in the files")))]
pub(crate) struct TableProbeArguments {
    /// The folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) start: StartArguments,
    /// Value each legal move of the role.
    #[arg(long, short, help_heading = QUESTION)]
    pub(crate) moves: bool,
    #[command(flatten)]
    pub(crate) form: FormArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

#[derive(Args, Debug)]
pub(crate) struct TableVerifyArguments {
    /// The folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Find all positions again, and check that each value follows from those behind it.
    #[arg(long, help_heading = QUESTION)]
    pub(crate) all: bool,
    /// How many plays to follow by the rules; in each position the value must be that of the best move.
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = QUESTION)]
    pub(crate) plays: usize,
    #[command(flatten)]
    pub(crate) seed: SeedArguments,
    #[command(flatten)]
    pub(crate) work: WorkArguments,
}
