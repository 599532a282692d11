//! The instance for the encodings: a game and a question as facts.

use super::domains::Moves;
use super::names::Names;
use super::{Question, opponents_of};
use crate::asp::{Atom, Program, Term};
use gdl::Name;
use gdl::game::{Game, GoalValues, Objective};

/// All facts but those about time; see [`encodings`](super::encodings).
pub(super) fn facts(game: &Game, question: &Question, moves: &Moves, names: &Names) -> Program {
    let mut program = Program::new();
    program.remark("The moves each role may have");
    for role in game.roles() {
        for action in moves.of(role) {
            let arguments = [names.role(role), names.ground_term(action)];
            program.fact(Atom::new("input", arguments));
        }
    }
    program.remark(&format!(
        "{} must succeed: {}",
        question.role, question.objective
    ));
    let role = names.role(&question.role);
    program.fact(Atom::new("maximizer", [role]));
    for opponent in opponents_of(game, &question.role) {
        program.fact(Atom::new("minimiser", [names.role(opponent)]));
    }
    success(game, question, &mut program);
    let ordered: Vec<&Name> = opponents_of(game, &question.role)
        .chain(game.random_role())
        .filter(|role| has_choice(moves, role))
        .collect();
    if !ordered.is_empty() {
        program.remark("Their order");
    }
    for role in ordered {
        for (number, action) in (1..).zip(moves.of(role)) {
            let arguments = [names.role(role), names.ground_term(action)];
            let arguments = arguments.into_iter().chain([Term::Integer(number)]);
            program.fact(Atom::new("order", arguments));
        }
    }
    program
}

/// Whether the role may ever have two moves.
pub(super) fn has_choice(moves: &Moves, role: &Name) -> bool {
    moves.of(role).len() > 1
}

/// The numbers of points that are a success, or their payoffs.
fn success(game: &Game, question: &Question, program: &mut Program) {
    let values = GoalValues::of(game, &question.role);
    let full = question.objective.full_points(values.most());
    let least = match question.objective {
        Objective::GoalAtLeast(least) => least,
        Objective::Win | Objective::Score | Objective::Points => 100,
    };
    for points in values.points {
        let points_term = Term::Integer(points.into());
        if question.objective.is_mean() {
            let worth = [points_term, Term::Integer(full.into())];
            program.fact(Atom::new("payoff", worth));
        } else if points >= least {
            program.fact(Atom::new("succeeds", [points_term]));
        }
    }
}
