//! Programs that answer others until they are ended: `evaluate`, `explore` and `player`.

use super::{GameArguments, MemoryArguments, ThreadArguments};
use crate::cli::request::parse_seconds;
use crate::cli::{Exit, Failure};
use clap::Args;
use engines::Play;
use gdl::game::{Aim, Game};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

// The game whose positions are valued, and with what.
#[derive(Args, Clone, Debug)]
pub(crate) struct ServiceArguments {
    #[command(flatten)]
    pub(crate) game: GameArguments,
    /// The default role of requests, whose values are given [default: the first that is not `random`].
    #[arg(long, short, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Let each role play for itself (`selfish`); by default opponents play against a role together, as well as possible.
    #[arg(long, value_name = "WHO", value_parser = ["selfish"])]
    pub(crate) opponents: Option<String>,
    /// The meaning of success: `win`, `goal>=N`, `points`, `score`, `fewest-steps` or `most-steps`.
    ///
    /// `win` is 100 points or more, `points` the expected points, and `score` these divided by 100. `fewest-steps` and `most-steps` are
    /// about the mean number of steps until play is over.
    #[arg(long, value_name = "OBJECTIVE", default_value = "win")]
    pub(crate) objective: Aim,
    /// Look positions up in the table in this folder, which `sqasp table build` made for this game; others are searched.
    #[arg(long, value_name = "DIR")]
    pub(crate) table: Option<PathBuf>,
    /// Say nothing about the game on standard error.
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
    #[command(flatten)]
    pub(crate) threads: ThreadArguments,
}

impl ServiceArguments {
    /// The play that positions are valued for.
    pub(crate) fn play(&self, game: &Game, is_mixed: bool) -> Result<Play, Failure> {
        match (self.opponents.is_some(), is_mixed, &self.table) {
            (false, ..) => Ok(Play::of(game, is_mixed)),
            (true, false, None) => Ok(Play::Selfish),
            (true, ..) => Err(Failure::new(
                Exit::Usage,
                "--opponents selfish does not go with --mixed or --table, whose values are those of a role against all others; drop one",
            )),
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct EvaluateArguments {
    /// How many steps from a position on count, for requests that do not say it.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub(crate) depth: Option<u32>,
    /// How many seconds an answer may take, for requests that do not say it.
    #[arg(long, short, value_name = "SEC", allow_negative_numbers = true, value_parser = parse_seconds)]
    pub(crate) time: Option<f64>,
    /// Treat the moves of a step as simultaneous: no role knows those of the others.
    ///
    /// So all may choose at random. Without it the opponents know the role's move. With it each state is a matrix game, and
    /// replies give the best probabilities.
    #[arg(long)]
    pub(crate) mixed: bool,
    #[command(flatten)]
    pub(crate) service: ServiceArguments,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct ExploreArguments {
    /// How many steps count from the start on; the page can change it [default: all].
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub(crate) depth: Option<u32>,
    /// The port on 127.0.0.1 where the page is [default: one that is free].
    #[arg(long, value_name = "P", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Print the address of the page, but do not open a browser.
    #[arg(long)]
    pub(crate) no_browser: bool,
    #[command(flatten)]
    pub(crate) service: ServiceArguments,
}

/// Reads a port of this machine, or an address with a port.
fn parse_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    }
    text.parse()
        .map_err(|_| format!("`{text}` is no port: write one such as 9147, or 0.0.0.0:9147"))
}

#[derive(Args, Debug)]
pub(crate) struct PlayerArguments {
    /// The port to listen at; 0 is any that is free. With an address, such as 0.0.0.0:9147, it is reachable from other
    /// machines.
    #[arg(long, value_name = "P", default_value = "9147", value_parser = parse_address)]
    pub(crate) port: SocketAddr,
    /// Answer also requests for this name of the machine, or from pages of this origin, such as
    /// `https://manager.example`; may be given several times [default: addresses and `localhost`, and no page].
    #[arg(long, value_name = "NAME|ORIGIN")]
    pub(crate) allow: Vec<String>,
    /// Say nothing about matches on standard error.
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}
