//! Games to stochastic quantified answer set programs ("SQASP").
//!
//! This is section 3 of Y. He and M. Thielscher, *An ASP-based Approach to Solving General
//! Stochastic Two-Player Games*, 2026 (arXiv:2605.23705), "the paper" in this folder.
//!
//! The program asks one question, "can the role win within n steps, and with what probability?". The rules that are
//! the same for all games stand in files, for people to read: the folder `encodings` of the repository
//! ([`encodings`] lists them, with the rules of the paper). This module writes the rest for a game and a question:
//!
//! - `extend`: the game's rules, with a time added to everything that changes, Ext(G, n);
//! - `facts`: the role that asks, the moves and their order, the points that are a success.
//!
//! So the same files and another text of facts and rules give the program of another game, with clingo
//! alone too. For a game like Figure 1 of the paper (`games/figure_1.gdl`) it has among others
//!
//! ```text
//! true(won,T+1) :- does(xplayer,bet(Half),T), does(random,spin(Field),T), covers(Half,Field), step(T).
//! order(random,spin(three),3).
//! { does(P,A,T) : input(P,A) } = 1 :- step(T), role(P), not ended(T).
//! { decide(random,K,T) : coin(K) } :- step(T).
//! _chance(4*T+4,1,K,decide(random,K,T)) :- coin(K), step(T).
//! ```
//!
//! The first two lines are made for the game, the others come from `play.lp`, `chance.lp` and
//! `quantifiers.lp`. Which files are taken follows from the roles: without opponents this is a one-player
//! game, without `random` a two-player game or a planning problem.
//!
//! This folder does not know clingo (the domains of moves are handed in, see [`Moves`]) and does not
//! know the state machine: the two routes to a value share nothing but the game.

mod domains;
pub mod encodings;
mod extend;
mod facts;
mod names;
mod planning;

pub use domains::{Moves, input_program, relaxed_program};
pub(crate) use facts::payoffs_fit;
pub use names::Variables;
pub use names::{Names, UnreadableTerm};

pub use planning::{PlanningProgram, planning_program};

use crate::asp::Program;
use gdl::Name;
use gdl::game::{Game, Objective};

/// A question about a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The role that maximizes.
    pub role: Name,
    /// The number of steps, n.
    pub depth: u32,
    /// The objective: the quantity that the role maximizes.
    pub objective: Objective,
}

/// The opponents of a role: all other roles that choose.
pub(crate) fn opponents_of<'a>(game: &'a Game, role: &'a Name) -> impl Iterator<Item = &'a Name> {
    game.players().filter(move |player| *player != role)
}

/// Writes the program whose value is the answer to the question (Theorem 3.2 of He and Thielscher 2026).
///
/// `moves` lists, for every role, the moves it may ever have: a superset of those that are legal in
/// some state. A legal move that is missing there is never played, so callers check this on the
/// ground program (see [`crate::ground`]).
pub fn translate(game: &Game, question: &Question, moves: &Moves, names: &Names) -> Program {
    let mut program = extend::extend(game, question.depth, names);
    program.append(facts::facts(game, question, moves, names));
    program.include(&encodings::PLAY);
    program.include(if question.objective.is_mean() {
        &encodings::SCORE
    } else {
        &encodings::WIN
    });
    let choosing = |role: &&Name| facts::has_choice(moves, role);
    if opponents_of(game, &question.role).any(|role| choosing(&role)) {
        program.include(&encodings::OPPONENTS);
    }
    if game.random_role().is_some_and(|random| choosing(&random)) {
        program.include(&encodings::LEGALITY);
        program.include(&encodings::CHANCE);
    }
    program.include(&encodings::QUANTIFIERS);
    program
}
