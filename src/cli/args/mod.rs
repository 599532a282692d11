//! The commands and their options. Every option is documented here; `--help` prints these texts.
//!
//! This file has the commands. `game`, `engine` and `limits` have the options that commands share;
//! `solve`, `translate`, `prove`, `simulate`, `serve`, `table` and `files` those of single commands.

mod engine;
mod files;
mod game;
mod limits;
mod prove;
mod serve;
mod simulate;
mod solve;
mod table;
mod translate;

pub(super) use engine::{ClauseMaker, EngineArguments, FormulaArguments, MachineName};
pub(super) use files::{
    DoctorArguments, ExampleArguments, GenerateArguments, GeneratedFiles, SolveModelArguments,
};
pub(super) use game::{GameArguments, QuestionArguments, StartArguments};
pub(super) use limits::{
    FormArguments, Format, LimitArguments, MemoryArguments, OutputArguments, ReportArguments,
    SeedArguments, ThreadArguments,
};
pub(super) use prove::{PlanArguments, PlanEngine, ProofRoute, ProveArguments, ShownProgram};
pub(super) use serve::{EvaluateArguments, ExploreArguments, PlayerArguments};
pub(super) use simulate::{CheckArguments, RefereeArguments, SimulateArguments};
pub(super) use solve::{
    ShownFormula, SolveArguments, SolveFormulaArguments, SolveProgramArguments, VerifyArguments,
};
pub(super) use table::{
    TableArguments, TableCommand, TableProbeArguments, TableQuestionArguments, TableVerifyArguments,
};
pub(super) use translate::{Form, Stage, TranslateArguments};

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

/// Headings of options.
const RULES: &str = "Reading";
const QUESTION: &str = "Question";
const LIMITS: &str = "Limits";
const OUTPUT: &str = "Output";
const RESEARCH: &str = "Research";

const AFTER_HELP: &str = "\
Example:
  sqasp solve games/stochastic_ttt.gdl --depth 9

`-h` shows the options of a command that most people need, `--help` all of them.

Exit codes:
  0  answered                        66  a file cannot be read
  2  wrong usage                     69  another program or process is missing
  65 the input is not valid          70  an error inside sqasp or an outside program
  75 a limit was reached, and        73  a file cannot be written
     bounds were printed             130 interrupted, and bounds were printed";

/// Exact winning probabilities of games, from their rules.
#[derive(Parser, Debug)]
#[command(
    version,
    about,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = AFTER_HELP
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// Reads a command line, with the name of the program first.
    pub(super) fn read<T: Into<OsString> + Clone>(
        line: impl IntoIterator<Item = T>,
    ) -> Result<Self, clap::Error> {
        let mut command = Self::command();
        let matches = command.try_get_matches_from_mut(line);
        let mut matches = matches.map_err(with_hint)?;
        if let Some((name @ "translate", typed)) = matches.subcommand() {
            let translate = command.find_subcommand_mut(name).expect("it was typed");
            translate::check_options(typed, translate)?;
        }
        Self::from_arg_matches_mut(&mut matches)
    }
}

/// The error, with the new form of a command of former versions.
fn with_hint(mut error: clap::Error) -> clap::Error {
    let hint = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) if name == "fmt" => "translate GAME --to kif",
        Some(ContextValue::String(name)) if name == "export" => "translate GAME --to FORM",
        _ => return error,
    };
    let hint = ContextValue::String(hint.to_owned());
    error.insert(ContextKind::SuggestedSubcommand, hint);
    error
}

// `defer`: the options of a command are listed only when it is the one that was typed, for listing all takes a millisecond.
// Groups of options that commands share have plain comments, because clap would take a documentation comment of such a group
// for the description of the command.
#[derive(Subcommand, Debug)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Compute the probability with which a role can guarantee winning.
    #[command(
        after_help = "Examples:\n  sqasp solve games/stochastic_ttt.gdl --depth 9\n  sqasp solve games/figure_1.gdl --moves\n  sqasp solve games/stochastic_ttt.gdl -d 8 --after '((mark 2 2) noop (keep 1))'\n  sqasp solve games/three_rolls.gdl --objective points --json"
    )]
    Solve(SolveArguments),
    /// Write a game in another form: in prefix form, as a stage of its translation into a formula, or as a file for Storm,
    /// PRISM, Gambit or Graphviz.
    #[command(
        after_help = "Examples:\n  sqasp translate games/gambler.gdl --to kif\n  sqasp translate games/figure_1.gdl --depth 1 --to asp --explain\n  sqasp translate games/figure_1.gdl --depth 1 --to sdimacs\n  sqasp translate games/stochastic_ttt.gdl --to umb -o ttt.umb\n  sqasp translate games/stochastic_ttt.gdl --to umb --fix role -o ttt.umb\n  sqasp translate games/figure_1.gdl --to dot"
    )]
    Translate(TranslateArguments),
    /// Solve a stochastic quantified answer set program (facts _exists, _forall, _chance).
    #[command(
        after_help = "Examples:\n  sqasp translate games/figure_1.gdl --depth 1 --to sqasp | sqasp solve-program -"
    )]
    SolveProgram(SolveProgramArguments),
    /// Solve a formula in DIMACS, QDIMACS or SDIMACS format.
    #[command(
        after_help = "Examples:\n  printf 'p cnf 1 1\\nr 1/3 1 0\\n1 0\\n' | sqasp solve-formula -\n  sqasp translate games/figure_1.gdl --depth 1 --to sdimacs | sqasp solve-formula - --to structure"
    )]
    SolveFormula(SolveFormulaArguments),
    /// Prove the value of a game from a strategy of both sides, by the rules alone.
    #[command(
        after_help = "Examples:\n  sqasp solve games/figure_1.gdl --strategy - | sqasp verify games/figure_1.gdl -"
    )]
    Verify(VerifyArguments),
    /// Find moves that bring a player who is alone the most points, and prove that nothing is better.
    #[command(
        after_help = "Examples:\n  sqasp plan games/buttons_and_lights.gdl\n  sqasp plan games/factoring_determinate.gdl --objective win --depth 4"
    )]
    Plan(PlanArguments),
    /// Check a game description and classify the game.
    #[command(after_help = "Examples:\n  sqasp check games/pig.gdl")]
    Check(CheckArguments),
    /// Play a game at random, from any state, or follow recorded play.
    #[command(
        after_help = "Examples:\n  sqasp simulate games/stochastic_ttt.gdl --seed 7\n  sqasp simulate games/stochastic_ttt.gdl --plays 1000"
    )]
    Simulate(SimulateArguments),
    /// Prove properties of a game by induction: what holds in every state that play can lead to.
    #[command(
        after_help = "Examples:\n  sqasp prove games/tic_tac_toe.gdl turn-taking zero-sum 'unique (control ?p)'\n  sqasp prove games/tic_tac_toe.gdl --all"
    )]
    Prove(ProveArguments),
    /// Value positions of a game on request, line by line, for other programs.
    #[command(
        after_help = "Examples:\n  echo '{\"history\":[],\"depth\":1}' | sqasp evaluate games/figure_1.gdl"
    )]
    Evaluate(EvaluateArguments),
    /// Show a game in a browser: its board, the value of every move and why; play against perfection.
    ///
    /// A folder shows a list of the games in it.
    #[command(
        after_help = "Examples:\n  sqasp explore games/stochastic_ttt.gdl --no-browser\n  sqasp explore games"
    )]
    Explore(ExploreArguments),
    /// Play matches for a manager of the general game playing protocol, as a server.
    #[command(after_help = "Examples:\n  sqasp player --port 0")]
    Player(PlayerArguments),
    /// Run a match between players of the general game playing protocol.
    #[command(after_help = "Examples:\n  sqasp referee games/last_stone.gdl random random random")]
    Referee(RefereeArguments),
    /// Solve a stochastic game, a decision process or a chain in a UMB file, as Storm and PRISM write it.
    #[command(
        after_help = "Examples:\n  sqasp translate games/figure_1.gdl --to umb | sqasp solve-model - win"
    )]
    SolveModel(SolveModelArguments),
    /// Put the exact values of all positions of a game into a folder, and look them up there.
    #[command(
        after_help = "Examples:\n  sqasp table build games/figure_1.gdl --output values\n  sqasp table probe values --moves\n  sqasp table verify values --all"
    )]
    Table(TableArguments),
    /// List games that are part of the program, or print the rules of one.
    #[command(
        after_help = "Examples:\n  sqasp example\n  sqasp example pig > pig.gdl && sqasp solve pig.gdl"
    )]
    Example(ExampleArguments),
    /// Make completions for a shell, or man pages.
    #[command(
        after_help = "Examples:\n  sqasp generate completions bash\n  sqasp generate man man1 && ls man1"
    )]
    Generate(GenerateArguments),
    /// List the outside programs that are found, with their versions.
    #[command(after_help = "Examples:\n  sqasp doctor")]
    Doctor(DoctorArguments),
}
