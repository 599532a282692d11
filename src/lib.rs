//! Exact winning probabilities of games, from their rules.
//!
//! This crate takes the rules of a game in the Game Description Language (GDL), with a role `random` that
//! moves by chance, and computes exactly, as a fraction, the highest probability of winning that a
//! player can guarantee. The command `sqasp` is a thin layer on it. [`architecture`] has the picture of all stages.
//!
//! # A first example
//!
//! A wheel has three equal fields. The left half is fields one and two, the right half is field three. A player
//! bets on a half while `random` spins the wheel. Betting on the left wins with 2 of 3 fields:
//!
//! ```
//! use sqasp::{Options, Question};
//!
//! let rules = b"
//!     (role player) (role random)
//!     (covers left one) (covers left two) (covers right three)
//!     (init unspun)
//!     (<= (legal player (bet ?half)) (covers ?half ?field))
//!     (<= (legal random (spin ?field)) (covers ?half ?field))
//!     (<= (next won) (does player (bet ?half)) (does random (spin ?field)) (covers ?half ?field))
//!     (<= terminal (not (true unspun)))
//!     (<= (goal player 100) (true won))
//!     (<= (goal player 0) (not (true won)))";
//! let game = sqasp::read("wheel", rules)?;
//! let question = Question::about(&game)?;
//! let answer = sqasp::moves(&game, &question, &Options::default())?;
//! assert_eq!(answer.value(), Some(&"2/3".parse()?));
//! println!("{}", answer.text());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The facade
//!
//! [`read`] gives a game. [`solve`] answers a [`Question`] about it; [`moves`], [`certify`] and [`curve`] ask for more. They
//! take [`Options`]: the [engine], the [`Budget`], the [`Observer`] that hears of the work. They give an
//! [`Answer`], which prints as text, JSON and competition lines. [`play`] follows a play step by step, [`export()`] lists the reachable game for other programs. [`mod@translate`] gives all stages of the logical
//! route, [`solve_program`] and [`solve_formula`] answer for programs and formulas from anywhere.
//!
//! Behind it, every arrow of the picture is a public function, and all data between two arrows can be printed
//! and looked at; each arrow has a crate or folder with its own documentation.
//!
//! Solvers and the types they work on are crates of their own, which know nothing of games: [`limits`], [`formula`],
//! [`lp2sat`], [`portfolio`] with [`xssat`], [`external`]. Code that only the command needs stands behind the feature `cli`, which
//! is on by default; `default-features = false` leaves it out.

pub mod answer;
mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod engine;
mod error;
pub mod evaluate;
#[cfg(feature = "cli")]
pub mod explore;
#[cfg(feature = "cli")]
pub mod http;
mod observer;
mod play;
#[cfg(feature = "cli")]
pub mod player;
mod question;
pub mod search;
mod solve;
mod start;
pub mod table;
mod tasks;

pub(crate) use limits::memory;

pub use answer::{Answer, Curve, CurvePoint};
pub use check::{Checks, check};
pub use engine::Options;
pub use error::Error;
pub use limits::Limits;
pub use observer::{Observer, Silent};
pub use play::{PlayEnd, PlayStep, play};
pub use question::{MAX_STEPS, Question};
pub use solve::{certify, curve, moves, solve, solve_formula, solve_program, translate};
pub use tasks::{
    Export, Machine, export, plan, prove, solve_formula_with_strategy, solve_model, verify,
    verify_formula,
};

/// Reads the rules of a game; `name` is for messages. Odd rules, such as those with a name that nothing makes
/// true, are in [`Game::warnings`](game::Game::warnings).
///
/// # Errors
/// If the rules are not those of a valid game: with all that is wrong.
pub fn read(name: &str, rules: &[u8]) -> Result<game::Game, Box<game::Refused>> {
    Ok(game::read(name, rules, &gdl::Options::default())?.game)
}

#[doc(no_inline)]
pub use ::{
    emm, export, external, formula, limits, lp2sat, paths, plan, portfolio, prove, rules,
    simple_stochastic_game, step, umb, verify, witness, xssat,
};
#[doc(no_inline)]
pub use gdl::{self, game};
#[doc(no_inline)]
pub use logic::{asp, ground, route, sqasp, translate};

/// Playing games: by the rules ([`rules`]) and by the circuit of one step ([`step`]).
pub mod machine {
    pub use rules::*;
    pub use step::*;
}

/// Strategies: as data, with their proof by the rules ([`mod@verify`]), and how solvers give them.
pub mod strategy {
    pub use ::strategy::*;
    pub use verify::*;
}

#[doc = include_str!("ARCHITECTURE.md")]
pub mod architecture {}
