//! Options for limits of a command, and for how much it prints.

use super::{LIMITS, OUTPUT};
use crate::cli::request::{parse_seconds, parse_size, parse_threads};
use clap::{Args, ValueEnum};

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
    #[arg(long = "threads", short = 'j', value_name = "N", allow_negative_numbers = true, value_parser = parse_threads)]
    pub(crate) count: Option<usize>,
}

// The seed of random choices, the same each time, so that a run can be repeated.
#[derive(Args, Debug)]
pub(crate) struct SeedArguments {
    /// The seed of random choices: the same seed makes the same plays.
    #[arg(long = "seed", value_name = "N", default_value_t = 1)]
    pub(crate) number: u64,
}

// The form of a report.
#[derive(Args, Debug)]
#[command(next_help_heading = OUTPUT)]
pub(crate) struct ReportArguments {
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    /// Say nothing but the answer.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = OUTPUT)]
pub(crate) struct OutputArguments {
    /// Print one JSON object.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// The form of the answer.
    #[arg(long, value_name = "FORM", hide_short_help = true)]
    pub(crate) format: Option<Format>,
    /// Print fractions whole, however long they are.
    #[arg(long)]
    pub(crate) exact: bool,
    /// Say nothing but the answer.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// Sentences for people.
    Text,
    /// A table for other programs, with bounds.
    Csv,
    /// The lines of solver competitions.
    Competition,
    /// The same lines, and the exit codes of SAT and QBF solvers: 10 when the value is 1, 20 when it is 0.
    Sat,
}
