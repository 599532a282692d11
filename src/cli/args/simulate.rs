//! Games looked at and played: `check`, `simulate` and `referee`.

use super::{GameArguments, LimitArguments, MachineName, StartArguments};
use crate::cli::request::parse_seconds;
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub(crate) game: GameArguments,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    /// How many random plays to try; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) plays: u32,
    /// The seed of the random plays.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// For how many seconds to search for proofs of what play shows; 0 for none.
    #[arg(long, value_name = "SEC", default_value_t = 5)]
    pub(crate) proofs: u32,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

#[derive(Args, Debug)]
pub(crate) struct SimulateArguments {
    #[command(flatten)]
    pub(crate) game: GameArguments,
    /// Follow the joint moves of this trace (JSON lines, also compressed with gzip) and print every
    /// state of it as a line of JSON.
    #[arg(long, value_name = "TRACE", conflicts_with_all = ["from", "after", "playouts", "seed", "depth", "time"])]
    pub(crate) replay: Option<PathBuf>,
    /// Play this many times and print only how often which goals were reached, and how fast.
    #[arg(long, value_name = "N")]
    pub(crate) playouts: Option<u64>,
    /// Leave the play after this many seconds; with --playouts count no more plays then.
    #[arg(long, short, value_name = "SEC", allow_negative_numbers = true, value_parser = parse_seconds)]
    pub(crate) time: Option<f64>,
    /// Give up a play after this many steps.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) depth: u32,
    /// The seed of the random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// What plays: a circuit of one step, the rules themselves, or what is possible in that order.
    #[arg(long, value_name = "auto|circuit|rules", default_value = "auto")]
    pub(crate) machine: MachineName,
    /// Print lines of JSON, in the format that `--replay` reads; with --playouts one object.
    #[arg(long)]
    pub(crate) json: bool,
    /// Say nothing but what was asked for.
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) start: StartArguments,
}

#[derive(Args, Debug)]
pub(crate) struct RefereeArguments {
    /// The game description; `-` is standard input.
    pub(crate) game: PathBuf,
    /// More files of the game, as its libraries; and for each role but `random`, in order, who plays it:
    /// HOST:PORT, or `random`.
    #[arg(required = true, value_name = "FILE|PLAYER")]
    pub(crate) seats: Vec<String>,
    /// How many seconds players may prepare.
    #[arg(long, value_name = "SEC", default_value_t = 10, value_parser = clap::value_parser!(u64).range(..=604_800))]
    pub(crate) start_clock: u64,
    /// How many seconds a move may take.
    #[arg(long, value_name = "SEC", default_value_t = 5, value_parser = clap::value_parser!(u64).range(..=604_800))]
    pub(crate) play_clock: u64,
    /// Write the play into this file, as `simulate --replay` follows it.
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// The name of the match, one word [default: made from the game and the time].
    #[arg(long, value_name = "NAME")]
    pub(crate) id: Option<String>,
    /// End the match after this many steps.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) depth: u32,
    /// The seed of chance [default: another one each time].
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Say nothing but the result.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
