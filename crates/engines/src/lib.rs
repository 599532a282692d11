//! Engines: from a question about a game to an exact answer.
//!
//! [`solve`] takes a [`Game`], a [`Question`] and [`Options`], chooses one of the [`ENGINES`], and gives an [`Answer`] with the value, or
//! with bounds that are proved. One idea in each part:
//!
//! - `solve`: the steps from a question to an answer, curves, and formulas and programs without a game.
//! - `engine`: the trait [`Engine`], the list of engines with one file for each, and the choice.
//! - [`search`]: positions of a game as states of `emm` and of tables.
//! - [`table`]: tables on disk with the value of every position.
//! - [`answer`]: answers as text and JSON.
//! - [`mixed`]: states of a game as matrix games, where no role knows the moves of others of the same step.
//! - `selfish`: equilibria, where each role plays for itself.
//! - [`strategy`]: a solver's advice as a strategy.
//! - `play`: one play, step by step.

pub mod answer;
mod engine;
mod error;
pub mod mixed;
mod observer;
mod opponents;
mod play;
mod question;
pub mod search;
mod selfish;
mod solve;
mod start;
mod steps;
pub mod strategy;
pub mod table;

pub use answer::{
    Answer, BestPlay, Choices, Curve, CurvePoint, EquilibriumValues, Knowledge, MoveValue,
    RoleValue,
};
pub use engine::{
    Ability, DefinitionEngine, ENGINES, EmmEngine, Engine, EngineInput, Entry, Evaluation, Extras,
    FormulaEngine, HiddenEngine, MAX_THREADS, MixedEngine, Need, Options, Position, Query,
    SelfishEngine, Setting, StepsEngine, TableEngine, Unable, able, check_aim, check_threads,
    for_positions, locate, own_machine, position_after, rule_limits, solved, stopped,
};
pub use error::{Error, ErrorKind, Remedy};
pub use gdl::game::Fraction;
pub use hidden::KnownStep;
pub use observer::{Observer, Silent};
pub use opponents::{FollowedStrategy, Opponents, SideError};
pub use play::{PlayEnd, PlayStep, play};
pub use question::{MAX_STEPS, Play, Question};
pub use search::SearchOptions;
pub use solve::{
    curve, moves, solve, solve_formula, solve_formula_with_strategy, solve_program,
    solve_program_with_strategy, translate, translate_program, validity,
};
pub use start::{check_facts, reasoner, starts_elsewhere};

use gdl::game::{self, Game, Refused};

/// Reads the rules of a game; `name` is for messages. Odd rules, such as those with a name that nothing makes
/// true, are in [`Game::warnings`].
///
/// # Errors
/// If the rules are not those of a valid game: with all that is wrong.
pub fn read(name: &str, rules: &[u8]) -> Result<Game, Box<Refused>> {
    Ok(game::read(name, rules, &gdl::Options::default())?.game)
}
