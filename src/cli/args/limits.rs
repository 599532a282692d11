//! Options for limits of a command, and for how much it prints.

use super::{LIMITS, OUTPUT};
use crate::cli::request::{parse_seconds, parse_size, parse_threads};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, value_parser};

// The resources of a command.
#[derive(Args, Debug)]
#[command(next_help_heading = LIMITS)]
pub(crate) struct LimitArguments {
    /// Stop after this many seconds, or `5m` or `2h`.
    ///
    /// What is known by then is printed, such as bounds.
    #[arg(long, short, value_name = "SEC", allow_negative_numbers = true, value_parser = parse_seconds)]
    pub(crate) time: Option<f64>,
    /// Use at most this much memory, such as 500M or 2G.
    ///
    /// Bounds are printed where that is too little [default: four fifths of the machine's memory].
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true,
          value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
}

// The memory of a program that runs on until it is ended.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = LIMITS)]
pub(crate) struct MemoryArguments {
    /// Use at most about this much memory, such as 500M or 2G; when the tables are full, what was found
    /// long ago is forgotten [default: four fifths of the machine's memory].
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
}

// On how many cores a command runs.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = LIMITS)]
pub(crate) struct ThreadArguments {
    /// Use at most this many threads, from 1 to 1024 [default: one for each core].
    #[arg(id = "threads", long, short = 'j', value_name = "N", allow_negative_numbers = true, value_parser = parse_threads)]
    pub(crate) count: Option<usize>,
}

// The seed of random choices, the same each time, so that a run can be repeated.
#[derive(Args, Debug)]
pub(crate) struct SeedArguments {
    /// The seed of random choices: the same seed makes the same plays.
    #[arg(id = "seed", long, value_name = "N", default_value_t = 1)]
    pub(crate) number: u64,
}

// The form in which a command prints its result: as text or as JSON, if it has no others.
#[derive(Args, Clone, Debug)]
pub(crate) struct FormArguments {
    /// Print one JSON object, as `--format json` does.
    #[arg(long, conflicts_with = "format", help_heading = OUTPUT)]
    json: bool,
    /// The form of the output.
    #[arg(long, value_name = "FORM", default_value = "text", hide_short_help = true, help_heading = OUTPUT,
          value_parser = text_or_json())]
    format: Format,
}

impl FormArguments {
    /// The form that was asked for.
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.format() == Format::Json
    }
}

/// The forms that every command with a result has.
fn text_or_json() -> impl TypedValueParser<Value = Format> {
    let forms = [Format::Text, Format::Json].map(|form| form.to_possible_value());
    let forms = PossibleValuesParser::new(forms.into_iter().flatten());
    forms.map(|name| Format::from_str(&name, false).expect("it is in the list"))
}

// The form of a report.
#[derive(Args, Debug)]
#[command(next_help_heading = OUTPUT)]
pub(crate) struct ReportArguments {
    #[command(flatten)]
    pub(crate) form: FormArguments,
    /// Print nothing but the answer.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

// The form of an answer, which has all forms.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = OUTPUT, mut_arg("format", |format| format.value_parser(value_parser!(Format))))]
pub(crate) struct OutputArguments {
    #[command(flatten)]
    pub(crate) form: FormArguments,
    /// Print fractions whole, however long they are.
    #[arg(long)]
    pub(crate) exact: bool,
    /// Print nothing but the answer.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// Sentences for people.
    Text,
    /// JSON for other programs.
    Json,
    /// A table for other programs, with bounds.
    Csv,
    /// The lines of solver competitions.
    Competition,
    /// The same lines, and the exit codes of SAT and QBF solvers: 10 when the value is 1, 20 when it is 0.
    Sat,
}
