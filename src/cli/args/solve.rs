//! Values: `solve`, `verify`, `solve-program` and `solve-formula`.

use super::engine::for_formulas;
use super::translate::stages_of_programs;
use super::{
    EngineArguments, FormulaArguments, GameArguments, LimitArguments, OUTPUT, OutputArguments,
    QUESTION, QuestionArguments, ReportArguments, Stage, StartArguments,
};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub(crate) struct SolveArguments {
    #[command(flatten)]
    pub(crate) game: GameArguments,
    #[command(flatten)]
    pub(crate) question: QuestionArguments,
    #[command(flatten)]
    pub(crate) start: StartArguments,
    #[command(flatten)]
    pub(crate) formula: FormulaArguments,
    #[command(flatten)]
    pub(crate) engine: EngineArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    /// Value each legal move of the role in the first step.
    #[arg(long, short, help_heading = QUESTION)]
    pub(crate) moves: bool,
    /// Treat the moves of a step as simultaneous: no role knows those of the others.
    ///
    /// So all may choose at random. Without it the opponents know the role's move. With it each state is a matrix game, and --moves gives the best
    /// probabilities.
    #[arg(long, help_heading = QUESTION)]
    pub(crate) mixed: bool,
    /// Write what both sides should do, for `sqasp verify`.
    ///
    /// It is written as JSON or for people (FILE.txt). With `-` the strategy is printed in place of the answer.
    #[arg(long, short, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) strategy: Option<PathBuf>,
    /// Say how long best play is, its points, and what a random move costs.
    #[arg(long, help_heading = QUESTION)]
    pub(crate) statistics: bool,
    /// The most positions that a strategy may have.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, help_heading = OUTPUT, hide_short_help = true)]
    pub(crate) max_positions: usize,
    /// The decimal digits in which bounds agree where a fraction is too long to compute, from 12 to 24.
    ///
    /// Without a step limit an exact value can have millions of digits. Then the answer is two proved bounds.
    #[arg(long, value_name = "N", default_value_t = 12, help_heading = QUESTION, hide_short_help = true,
          value_parser = clap::value_parser!(u32).range(12..=24))]
    pub(crate) digits: u32,
    /// Value the game for each number of a parameter (NAME,NAME: of two).
    ///
    /// The game has a line such as `; parameter target 10..100 step 10`.
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = QUESTION)]
    pub(crate) sweep: Vec<String>,
}

impl SolveArguments {
    /// The files that are read.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Path> {
        self.game.files().chain(self.start.files())
    }
}

#[derive(Args, Debug)]
#[command(mut_arg("engine", for_formulas))]
pub(crate) struct SolveProgramArguments {
    /// The program, in clingo's input language; `-` is standard input.
    pub(crate) program: PathBuf,
    /// Value each choice of atoms of the first block, where they are few; else name a best one.
    ///
    /// `#show` says which atoms a choice names.
    #[arg(long, short, conflicts_with_all = ["strategy", "to"], help_heading = QUESTION)]
    pub(crate) moves: bool,
    /// Write what both players do, and why that proves the value: as JSON for `sqasp verify`, or for people (FILE.txt).
    /// With `-` the strategy is printed in place of the answer.
    #[arg(long, short, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) strategy: Option<PathBuf>,
    /// The most literals that a strategy may have; a node of its diagrams counts as one.
    #[arg(long, value_name = "N", default_value_t = 20_000_000, help_heading = OUTPUT, hide_short_help = true)]
    pub(crate) max_literals: usize,
    /// Print a stage of the translation, and do not solve it.
    #[arg(long, value_name = "STAGE", conflicts_with = "strategy", value_parser = stages_of_programs())]
    pub(crate) to: Option<Stage>,
    #[command(flatten)]
    pub(crate) formula: FormulaArguments,
    #[command(flatten)]
    pub(crate) engine: EngineArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

#[derive(Args, Debug)]
#[command(mut_arg("engine", for_formulas))]
pub(crate) struct SolveFormulaArguments {
    /// The formula, which may be compressed with gzip; `-` is standard input.
    pub(crate) formula: PathBuf,
    /// Refuse a formula whose prefix lacks a 0 or a line break, instead of a warning.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Count the models of a formula without a prefix, as its comment `c t mc` asks for, too.
    #[arg(long, conflicts_with = "strategy")]
    pub(crate) count: bool,
    /// Print what xssat makes of the formula, and do not solve it.
    #[arg(long, value_name = "STAGE")]
    pub(crate) to: Option<ShownFormula>,
    /// Write what both players do, and why that proves the value: as JSON for `sqasp verify`.
    /// With `-` the strategy is printed in place of the answer.
    #[arg(long, short, value_name = "FILE", conflicts_with = "to", help_heading = OUTPUT)]
    pub(crate) strategy: Option<PathBuf>,
    /// The most literals that a strategy may have; a node of its diagrams counts as one.
    #[arg(long, value_name = "N", default_value_t = 20_000_000, help_heading = OUTPUT, hide_short_help = true)]
    pub(crate) max_literals: usize,
    #[command(flatten)]
    pub(crate) engine: EngineArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ShownFormula {
    /// The steps, states and decisions that are found in it, and which engine suits it.
    Structure,
    /// The program that the layered engine makes of it; `docs/xssat.md` says what it means.
    Program,
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArguments {
    #[command(flatten)]
    pub(crate) game: GameArguments,
    /// The strategy, as `sqasp solve --strategy` writes it; `-` is standard input. With one that `sqasp solve-formula --strategy` or
    /// `solve-program --strategy` wrote, the file before it is the formula or the program.
    pub(crate) strategy: PathBuf,
    #[command(flatten)]
    pub(crate) report: ReportArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}
