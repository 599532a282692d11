//! One file per subcommand.

mod check;
mod curve;
mod doctor;
mod evaluate;
mod example;
mod explore;
mod export;
mod formula_strategy;
mod generate;
mod guard;
mod load;
mod plan;
mod player;
mod prove;
mod referee;
mod simulate;
mod solve;
mod solve_formula;
mod solve_model;
mod solve_program;
mod sweep;
mod table;
mod translate;
mod verify;

use super::args::{Arguments, Command};
use super::{Exit, Failure};

/// Runs the subcommand that was typed.
pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    match arguments.command {
        Command::Solve(arguments) => solve::solve(&arguments),
        Command::Translate(arguments) => translate::translate(&arguments),
        Command::SolveProgram(arguments) => solve_program::solve_program(&arguments),
        Command::SolveFormula(arguments) => solve_formula::solve_formula(&arguments),
        Command::Verify(arguments) => verify::verify(&arguments),
        Command::Plan(arguments) => plan::plan(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Simulate(arguments) => simulate::simulate(&arguments),
        Command::Prove(arguments) => prove::prove(&arguments),
        Command::Evaluate(arguments) => evaluate::evaluate(&arguments),
        Command::Explore(arguments) => explore::explore(&arguments),
        Command::Player(arguments) => player::player(&arguments),
        Command::Referee(arguments) => referee::referee(&arguments),
        Command::SolveModel(arguments) => solve_model::solve_model(&arguments),
        Command::Table(arguments) => table::table(&arguments),
        Command::Doctor(arguments) => doctor::doctor(&arguments),
        Command::Example(arguments) => example::example(&arguments),
        Command::Generate(arguments) => generate::generate(&arguments),
    }
}
