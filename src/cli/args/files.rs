//! Other files and programs: `export`, `solve-model`, `fmt`, `doctor`, `example` and `generate`.

use super::{
    FormArguments, GameArguments, LIMITS, LimitArguments, OUTPUT, QUESTION, QuestionArguments,
    ReportArguments, StartArguments,
};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use export::{FORMATS, Format};
use std::path::PathBuf;

/// The form of the report about the file of `sqasp export`.
const ABOUT_FILE: &str =
    "Print one JSON object about the file, as `--format json` does; needs --output";

#[derive(Args, Debug)]
#[command(mut_arg("json", |json| json.help(ABOUT_FILE).requires("output")))]
#[command(mut_arg("format", |format| format.requires_if("json", "output")))]
#[command(mut_arg("quiet", |quiet| quiet.help("Print no summary")))]
pub(crate) struct ExportArguments {
    #[command(flatten)]
    pub(crate) game: GameArguments,
    #[command(flatten)]
    pub(crate) question: QuestionArguments,
    #[command(flatten)]
    pub(crate) start: StartArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// The form of the file.
    #[arg(long, value_name = "FORM", value_parser = forms(), help_heading = OUTPUT)]
    pub(crate) to: Format,
    /// The file to write instead of standard output.
    #[arg(long, short, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) output: Option<PathBuf>,
    /// Fix one side, and leave choices to the other: `role` or `opponents` plays optimally, `role:FILE` or `opponents:FILE` by
    /// the strategy in a file.
    #[arg(long, value_name = "role|opponents|FILE", help_heading = QUESTION)]
    pub(crate) fix: Option<String>,
    /// Treat the moves of a step as simultaneous: for `efg`, with information sets.
    #[arg(long, help_heading = QUESTION)]
    pub(crate) mixed: bool,
    /// Refuse a game with more states than this.
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = LIMITS, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_states: Option<u32>,
    #[command(flatten)]
    pub(crate) report: ReportArguments,
}

/// The names of all forms.
fn forms() -> impl TypedValueParser<Value = Format> {
    let values = FORMATS.map(|(name, _, purpose)| PossibleValue::new(name).help(purpose));
    PossibleValuesParser::new(values).map(|name| Format::named(&name).expect("it is in the list"))
}

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
pub(crate) struct FmtArguments {
    #[command(flatten)]
    pub(crate) game: GameArguments,
    /// Print the libraries that the game uses, too, as far as it needs them: one file for any reader of GDL.
    #[arg(long)]
    pub(crate) standalone: bool,
    /// The file to write instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
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
