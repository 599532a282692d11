//! Exact winning probabilities of games, from their rules.
//!
//! This crate takes the rules of a game in the Game Description Language (GDL), with a role `random` that
//! moves by chance, and computes exactly, as a fraction, the highest probability of winning that a
//! player can make sure of. The command `sqasp` is a thin layer on it.
//!
//! ```text
//! text --gdl--> Description --game--> Game --translate--> Program --ground--> GroundProgram --lp2sat--> Formula
//! Formula --xssat | external--> Answer
//! ```
//!
//! [`game::read`] takes the first two arrows, [`route::route_game`] the next three, and a
//! [`Solver`](formula::Solver) the last. Whatever stands between two arrows can be printed and looked at; each arrow has
//! a folder with its own documentation, and [`architecture`] is the map.
//!
//! # A first example
//!
//! A wheel has three equal fields. The left half is fields one and two, the right half is field three. A player
//! bets on a half while `random` spins the wheel. Betting on the left wins with 2 of 3 fields:
//!
//! ```
//! use sqasp::formula::{Outcome, Solver, Value};
//! use sqasp::game::{self, Objective};
//! use sqasp::gdl::{Name, Options};
//! use sqasp::limits::Limits;
//! use sqasp::route::{RouteOptions, route_game};
//! use sqasp::translate::Question;
//! use sqasp::portfolio::Portfolio;
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
//! let game = game::read("wheel", rules, &Options::default())?.game;
//!
//! let question = Question {
//!     role: Name::new("player"),
//!     depth: 1,
//!     objective: Objective::Win,
//! };
//! let route = route_game(&game, &question, &RouteOptions::default())?;
//! let program = route.program.to_string();
//! assert!(program.contains("terminal(T) :- not true(unspun,T), time(T)."));
//!
//! let answer = Portfolio::default().solve(&route.stages.formula, &Limits::default())?;
//! assert_eq!(answer.outcome, Outcome::Solved(Value::Exact("2/3".parse()?)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Solvers and the types they work on are crates of their own, which know nothing of games: [`limits`], [`formula`],
//! [`lp2sat`], [`portfolio`] with [`xssat`], [`external`]. What only the command needs stands behind the feature `cli`, which
//! is on by default; `default-features = false` leaves it out.

#[cfg(feature = "cli")]
pub mod cli;
pub mod evaluate;
#[cfg(feature = "cli")]
pub mod plot;
pub mod search;

#[doc(no_inline)]
pub use gdl::{self, game};
#[doc(no_inline)]
pub use logic::{asp, ground, route, sqasp, translate};
#[doc(no_inline)]
pub use {
    emm, external, formula, limits, lp2sat, paths, plan, portfolio, prove, rules, step, verify,
    xssat,
};

/// Playing games: by the rules ([`rules`]) and by the circuit of one step ([`step`]).
pub mod machine {
    pub use rules::*;
    pub use step::*;
}

/// Strategies: as data, with their proof by the rules ([`verify`]), and how solvers give them.
pub mod strategy {
    pub use ::strategy::*;
    pub use verify::*;
}

#[doc = include_str!("ARCHITECTURE.md")]
pub mod architecture {}
