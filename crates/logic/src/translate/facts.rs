//! The instance for the encodings: a game and a question as facts.

use super::domains::Moves;
use super::names::{Names, constant};
use super::{Question, opponents_of};
use crate::asp::{Atom, Program, Term};
use gdl::Name;
use gdl::game::{Game, GoalValues, Points, ValueRange};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

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
    let objective = question.objective;
    let written = |points: Points| constant(&points.to_string());
    let points = GoalValues::of(game, &question.role).points;
    if !objective.is_mean() {
        let succeeds = points
            .into_iter()
            .filter(|&it| objective.worth(it).is_one());
        for points in succeeds {
            program.fact(Atom::new("succeeds", [written(points)]));
        }
        return;
    }
    let range = ValueRange::of(game, &question.role, objective);
    let mut payoff = |value: Term, part: BigRational| {
        let whole = |number: &BigInt| Term::Integer(number.to_i64().unwrap_or(i64::MAX));
        let worth = [value, whole(part.numer()), whole(part.denom())];
        program.fact(Atom::new("payoff", worth));
    };
    for points in points {
        payoff(written(points), range.part(&objective.worth(points)));
    }
    if range.has_negative() {
        payoff(Term::Constant("unfinished".to_owned()), range.unfinished());
    }
}

/// Whether the parts that payoffs are of the range can be written as numbers of clingo, which has 31 bits.
pub(crate) fn payoffs_fit(game: &Game, question: &Question) -> bool {
    let range = ValueRange::of(game, &question.role, question.objective);
    let values = GoalValues::of(game, &question.role).points.into_iter();
    let parts = values.map(|points| range.part(&question.objective.worth(points)));
    let mut parts = parts.chain([range.unfinished()]);
    !question.objective.is_mean() || parts.all(|part| part.denom().to_i32().is_some())
}
