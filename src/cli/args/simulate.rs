//! Games looked at and played: `check`, `simulate` and `referee`.

use super::{
    FormArguments, GameArguments, LimitArguments, MachineName, ReportArguments, SeedArguments,
    StartArguments,
};
use crate::cli::request::parse_seconds;
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub(crate) game: GameArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
    /// How many random plays to try; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) plays: u32,
    #[command(flatten)]
    pub(crate) seed: SeedArguments,
    /// List the legal moves of each role in the initial state.
    #[arg(long, short)]
    pub(crate) moves: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

#[derive(Args, Debug)]
#[command(mut_arg("json", |json| json.help("Print lines of JSON, in the format that `--replay` reads; with --plays one object")))]
pub(crate) struct SimulateArguments {
    #[command(flatten)]
    pub(crate) game: GameArguments,
    /// Follow the joint moves of this trace (JSON lines, also compressed with gzip) and print every
    /// state of it as a line of JSON.
    #[arg(long, value_name = "TRACE", conflicts_with_all = ["from", "after", "plays", "seed", "depth", "time"])]
    pub(crate) replay: Option<PathBuf>,
    /// Play this many times and print only how often which goals were reached, and how fast.
    #[arg(long, value_name = "N")]
    pub(crate) plays: Option<u64>,
    /// Leave the play after this many seconds; with --plays count no more plays then.
    #[arg(long, short, value_name = "SEC", allow_negative_numbers = true, value_parser = parse_seconds)]
    pub(crate) time: Option<f64>,
    /// Give up a play after this many steps.
    #[arg(long, short, value_name = "N", default_value_t = 1000)]
    pub(crate) depth: u32,
    #[command(flatten)]
    pub(crate) seed: SeedArguments,
    /// The engine that plays: a circuit of one step, the rules themselves, or the first of them that is possible.
    #[arg(long, short, value_name = "ENGINE", default_value = "auto")]
    pub(crate) engine: MachineName,
    #[command(flatten)]
    pub(crate) report: ReportArguments,
    #[command(flatten)]
    pub(crate) start: StartArguments,
}

#[derive(Args, Debug)]
pub(crate) struct RefereeArguments {
    /// The game description; `-` is standard input.
    pub(crate) game: PathBuf,
    /// More files of the game, as its libraries; and for each role but `random`, in order, its player:
    /// HOST:PORT, or `random`.
    #[arg(required = true, value_name = "FILE|PLAYER")]
    pub(crate) seats: Vec<String>,
    /// How many seconds players may prepare, and how many a move may take.
    #[arg(long, num_args = 2, value_names = ["START", "MOVE"], default_values_t = [10, 5],
          value_parser = clap::value_parser!(u64).range(..=604_800))]
    pub(crate) clock: Vec<u64>,
    /// Write the play into this file, as `simulate --replay` follows it.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// End the match after this many steps.
    #[arg(long, short, value_name = "N", default_value_t = 1000)]
    pub(crate) depth: u32,
    #[command(flatten)]
    pub(crate) seed: SeedArguments,
    #[command(flatten)]
    pub(crate) report: ReportArguments,
}
