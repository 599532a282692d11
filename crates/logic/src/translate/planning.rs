//! The program whose answer sets are the plans of a single player, step by step.
//!
//! `encodings/planning.lp` is the method, and says how to ask. Added here are the rules of the game in
//! its parts, each about the time that the constant [`NOW`] stands for:
//!
//! ```text
//! #program check(_now).
//! legal(robot,stack(X,Y),_now) :- true(clear(X),_now), true(clear(Y),_now), X != Y.
//! #program step(_now).
//! true(on(X,Y),_now) :- does(robot,stack(X,Y),_now-1).
//! ```
//!
//! Moves need no domain, whether or not the game has `input`: when a step is grounded, the moves that may
//! be legal then are known, which is a subset of any domain that the rules alone give.

use super::encodings::PLANNING;
use super::extend::extend_by_steps;
use super::names::{Names, constant};
use crate::asp::{Atom, Program, Symbol, Term};
use gdl::Name;
use gdl::game::{Game, GoalValues, Points};

/// The constant that stands for the time of a part. No name of a game begins with an underscore.
const NOW: &str = "_now";

/// A planning problem as a logic program in parts; see the module.
#[derive(Clone, Debug)]
pub struct PlanningProgram {
    pub program: Program,
    /// The points that the rules can give the role, smallest first.
    pub points: Vec<Points>,
}

impl PlanningProgram {
    /// The parts to ground, in order, for plans of this many moves when they are grounded for one less.
    pub fn parts(moves: u32) -> impl Iterator<Item = (&'static str, Option<u32>)> {
        let first = (moves == 0).then_some(("base", None));
        let step = (moves > 0).then_some(("step", Some(moves)));
        first
            .into_iter()
            .chain(step)
            .chain([("check", Some(moves))])
    }

    /// Assumptions that leave only plays of exactly `moves` moves: which atoms hold and which do not.
    pub fn lasts(moves: u32) -> Vec<(Symbol, bool)> {
        let goes_on = |time: u32| Atom::new("goes_on", [number(time)]).symbol();
        let before = moves.checked_sub(1).map(|last| (goes_on(last), true));
        before
            .into_iter()
            .chain([(goes_on(moves), false)])
            .collect()
    }

    /// Assumptions that leave only plans of exactly `moves` moves with at least `points` points.
    pub fn ends_with(points: Points, moves: u32) -> Vec<(Symbol, bool)> {
        let end = Atom::new("ends_with", [written(points), number(moves)]).symbol();
        let mut assumed = Self::lasts(moves);
        assumed.push((end, true));
        assumed
    }

    /// Assumptions that leave only plans of 1 to `moves` moves with at least `points` points. One step
    /// more must be grounded.
    pub fn ends_by(points: Points, moves: u32) -> Vec<(Symbol, bool)> {
        let end = Atom::new("reached", [written(points), number(moves)]).symbol();
        vec![
            Self::lasts(moves).pop().expect("play does not go on"),
            (end, true),
        ]
    }
}

/// The planning problem of a role that is alone in its game.
pub fn planning_program(game: &Game, role: &Name, names: &Names) -> PlanningProgram {
    let parts = extend_by_steps(game, NOW, names);
    let points: Vec<Points> = GoalValues::of(game, role).points.into_iter().collect();
    let mut program = Program::new();
    program.remark("What does not change, and the initial state");
    program.append(parts.fixed);
    program.fact(Atom::new("maximizer", [names.role(role)]));
    for (index, &points) in (1..).zip(&points) {
        program.fact(Atom::new("points", [number(index), written(points)]));
    }
    program.part("check", NOW);
    program.append(parts.state);
    program.part("step", NOW);
    program.append(parts.step);
    program.include(&PLANNING);
    PlanningProgram { program, points }
}

/// Points as a goal value.
fn written(points: Points) -> Term {
    constant(&points.to_string())
}

fn number(value: u32) -> Term {
    Term::Integer(value.into())
}
