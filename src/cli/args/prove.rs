//! Answers beside values: properties (`prove`) and moves for one player (`plan`).

use super::{GameArguments, LimitArguments, ReportArguments, StartArguments, ThreadArguments};
use clap::{Args, ValueEnum};
use engines::MAX_STEPS;
use gdl::game::Objective;

/// The positional arguments of `sqasp prove`.
const GAME_AND_PROPERTIES: &str = "The game description, in one file or several, and then what is to hold in every \
state: `unique (control ?p)`, `unique (cell ?x ?y _)`, `at-most-one F`, `zero-sum`, `turn-taking`, `legal-nonempty`, \
`terminates within N`, or a formula; see docs/properties.md";

#[derive(Args, Debug)]
#[command(mut_arg("game", |game| game.value_name("GAME|PROPERTY").help(GAME_AND_PROPERTIES).long_help(GAME_AND_PROPERTIES)))]
#[command(mut_arg("json", |json| json.help("Print JSON: an array with one object for each property")))]
pub(crate) struct ProveArguments {
    #[command(flatten)]
    pub(crate) game: GameArguments,
    /// Search for everything that can be proved: which arguments of features are unique, the
    /// properties with names, and how long plays can be.
    #[arg(long, conflicts_with_all = ["assume", "to"])]
    pub(crate) all: bool,
    /// Prove this first, and use it. May be given several times; later ones use earlier ones.
    #[arg(long, value_name = "PROPERTY")]
    pub(crate) assume: Vec<String>,
    /// Print the program of the base case or of the induction step, and prove nothing.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) to: Option<ShownProgram>,
    /// The way to proofs: answer set programs, the circuit of one step, or programs unless they
    /// would be too large.
    #[arg(long, short, value_name = "ENGINE", default_value = "auto")]
    pub(crate) engine: ProofRoute,
    #[command(flatten)]
    pub(crate) report: ReportArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

#[derive(Args, Debug)]
pub(crate) struct PlanArguments {
    #[command(flatten)]
    pub(crate) game: GameArguments,
    /// The role that plans [default: the only one].
    #[arg(long, short, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// The meaning of success: the most points that can be reached (`points`, `score`), `win` (100 points or more), or `goal>=N`.
    #[arg(long, value_name = "OBJECTIVE", default_value = "points")]
    pub(crate) objective: Objective,
    /// The most moves that a plan may have [default: as many as it takes].
    #[arg(long, short, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_STEPS)))]
    pub(crate) depth: Option<u32>,
    /// List `all` plans as good as the best one, or at most N of them: the shortest, or with --depth all within it. With 1 the
    /// search goes on until a plan is proved to be a shortest one.
    #[arg(long, value_name = "N|all", allow_negative_numbers = true, value_parser = parse_plans)]
    pub(crate) plans: Option<usize>,
    /// The engine that looks for plans: answer sets, searches over the states, or both side by side.
    #[arg(long, short, value_name = "ENGINE", default_value = "auto")]
    pub(crate) engine: PlanEngine,
    /// Print the answer set program of the plans, and look for none. clingo runs it with
    /// encodings/incremental.lp.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) to: Option<ShownPlan>,
    #[command(flatten)]
    pub(crate) report: ReportArguments,
    #[command(flatten)]
    pub(crate) start: StartArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    #[command(flatten)]
    pub(crate) threads: ThreadArguments,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ShownProgram {
    /// Does the initial state violate the property?
    Base,
    /// Does a step lead from a state with the property to one without?
    Step,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProofRoute {
    /// Programs, or the circuit where they would be too large.
    Auto,
    /// Answer set programs, by clingo.
    Asp,
    /// The circuit of one step, by a satisfiability solver.
    Circuit,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PlanEngine {
    /// Both, side by side.
    Auto,
    /// Answer sets of the rules over time, by clingo.
    Asp,
    /// Searches on the circuit of one step: breadth first, depth first, and many moves at a time.
    Search,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ShownPlan {
    /// The answer set program.
    Program,
}

/// Reads how many plans to list.
fn parse_plans(text: &str) -> Result<usize, String> {
    match (text, text.parse()) {
        ("all", _) => Ok(usize::MAX),
        (_, Ok(number @ 1..)) => Ok(number),
        _ => Err("write how many plans to list, 1 or more, or all".to_owned()),
    }
}
