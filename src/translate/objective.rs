//! What counts as success: rule (6) of He and Thielscher 2026, section 3.2, and two variants of it.
//!
//! - *win*: the state in which the game ends must give the role 100 points.
//! - *goal>=N*: it must give the role at least N points.
//! - *score*: the value is the expected number of points divided by 100. One more chance atom per
//!   number of points v, `pays(v)`, is true with probability v/100, innermost; the program asks that
//!   the one for the points reached is true.

use super::Question;
use super::names::Names;
use crate::asp::{Atom, Choice, Head, Literal, Program, Rule, Term};
use crate::game::{Game, Objective};
use crate::gdl;
use std::collections::BTreeSet;

/// The points that a role can get by the rules: whole numbers from 0 to 100.
pub fn possible_points(game: &Game, role: &gdl::Name) -> BTreeSet<u32> {
    let mut points = BTreeSet::new();
    for rule in game.rules() {
        let head = &rule.head;
        if head.relation.as_str() != "goal" || head.arguments.len() != 2 {
            continue;
        }
        if matches!(&head.arguments[0], gdl::Term::Constant(other) if other != role) {
            continue;
        }
        match &head.arguments[1] {
            gdl::Term::Constant(value) => {
                points.extend(
                    value
                        .as_str()
                        .parse::<u32>()
                        .ok()
                        .filter(|&value| value <= 100),
                );
            }
            // The rules compute the points: any number may come out.
            gdl::Term::Variable(_) => points.extend(0..=100),
            gdl::Term::Function(..) => {}
        }
    }
    points
}

/// Rule (6), or what stands for it.
pub(super) fn objective(game: &Game, question: &Question, names: &Names) -> Program {
    let mut program = Program::new();
    let time = Term::variable("T");
    let role = names.role(&question.role);
    let goal = |points: Term, time: &Term| {
        Literal::Positive(Atom::new("goal", [role.clone(), points, time.clone()]))
    };
    program.remark(&format!(
        "{} must succeed: {}",
        question.role, question.objective
    ));
    let success = match question.objective {
        Objective::Win => Atom::new("goal", [role.clone(), Term::Integer(100), time.clone()]),
        Objective::GoalAtLeast(least) => {
            for points in possible_points(game, &question.role).range(least..) {
                let points = Term::Integer((*points).into());
                program.rule(Atom::new("won", [time.clone()]), [goal(points, &time)]);
            }
            Atom::new("won", [time.clone()])
        }
        Objective::Score => {
            for points in possible_points(game, &question.role) {
                let points = Term::Integer(points.into());
                let pays = Atom::new("pays", [points.clone()]);
                program.push(Rule {
                    head: Head::Choice(Choice {
                        atom: pays.clone(),
                        condition: Vec::new(),
                        exactly: None,
                    }),
                    body: Vec::new(),
                });
                let won = Atom::new("won", [time.clone()]);
                program.rule(won, [goal(points, &time), Literal::Positive(pays)]);
            }
            Atom::new("won", [time.clone()])
        }
    };
    let ended = |time: Term| Atom::new("ended", [time]);
    let at = |atom: &Atom, time: Term| {
        let mut atom = atom.clone();
        *atom
            .arguments
            .last_mut()
            .expect("the time is the last argument") = time;
        atom
    };
    let (start, next) = (Term::Integer(0), Term::Offset("T".to_owned(), 1));
    program.constraint([
        Literal::Positive(ended(start.clone())),
        Literal::Negative(at(&success, start)),
    ]);
    program.constraint([
        Literal::Positive(Atom::new("step", [time.clone()])),
        Literal::Positive(ended(next.clone())),
        Literal::Negative(ended(time)),
        Literal::Negative(at(&success, next)),
    ]);
    program
}
