//! Games to stochastic quantified answer set programs ("SQASP").
//!
//! This is section 3 of Y. He and M. Thielscher, *An ASP-based Approach to Solving General
//! Stochastic Two-Player Games*, 2026 (arXiv:2605.23705), "the paper" in this folder.
//!
//! The program asks one question, "can the role win within n steps, and with what probability?",
//! in four parts, each in a file of its own:
//!
//! | part | file | rules of the paper |
//! |---|---|---|
//! | the game's rules, with a time added to everything that changes | `extend` | Ext(G, n) |
//! | everyone plays one legal move a step until the game ends, and the role wins | `play`, `objective` | (1) to (6) |
//! | the opponents' moves follow bits that the adversary sets | `opponents` | (7), (8) |
//! | the random role's moves follow coins that chance throws | `chance` | (9) to (16) |
//!
//! `prefix` adds the facts that say who decides which atom when. Which parts are written follows
//! from the roles: without opponents this is a one-player game, without `random` a two-player game
//! or a planning problem.
//!
//! For a game like Figure 1 of the paper (`games/figure_1.gdl`) the program has among others
//!
//! ```text
//! true(won,T+1) :- does(xplayer,bet(Half),T), does(random,spin(Field),T), covers(Half,Field), step(T).
//! { does(P,A,T) : input(P,A) } = 1 :- step(T), role(P), not ended(T).
//! { decide(random,3,T) } :- step(T).
//! _chance(4*T+4,1,3,decide(random,3,T)) :- step(T).
//! ```
//!
//! This folder does not know clingo (the domains of moves are handed in, see [`Moves`]) and does not
//! know the state machine: the two routes to a value share nothing but the game.

mod chance;
mod domains;
mod extend;
mod names;
mod objective;
mod opponents;
mod planning;
mod play;
mod prefix;

pub use domains::{Moves, input_program, relaxed_program};
pub(crate) use names::Variables;
pub use names::{Names, UnreadableTerm};

pub use planning::{NOW, PlanningProgram, planning_program};

use crate::asp::Program;
use crate::game::{Game, Objective};
use crate::gdl::Name;

/// What is asked of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The role that maximises.
    pub role: Name,
    /// The number of steps, n.
    pub depth: u32,
    /// What counts as success.
    pub objective: Objective,
}

/// The opponents of a role: everyone who chooses, except the role itself.
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
    program.append(play::play(game, question.depth, moves, names));
    program.append(objective::objective(game, question, names));
    for opponent in opponents_of(game, &question.role) {
        program.append(opponents::opponent(opponent, moves.of(opponent), names));
    }
    if let Some(random) = game.random_role() {
        program.append(chance::chance(random, moves.of(random), names));
    }
    program.append(prefix::prefix(game, question, moves, names));
    program
}
