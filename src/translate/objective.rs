//! What counts as success: rule (6) of He and Thielscher 2026, section 3.2, and two variants of it.
//!
//! - *win*: the state in which the game ends must give the role 100 points.
//! - *goal>=N*: it must give the role at least N points.
//! - *score*, *points*: the value is the expected number of points, as a part of the largest there can be
//!   ([`Objective::largest`]: 100 for a score, in most games). One more chance atom per number of
//!   points v, `pays(v)`, is true with the probability that v is of it, innermost; the program asks
//!   that the one for the points reached is true.

use super::Question;
use super::names::Names;
use crate::asp::{Atom, Choice, Head, Literal, Program, Rule, Term};
use crate::game::{Game, GoalValues, Objective};

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
    let possible = GoalValues::of(game, &question.role).points;
    let least = match question.objective {
        Objective::GoalAtLeast(least) => least,
        _ => 100,
    };
    let success = match question.objective {
        Objective::Win if possible.range(101..).next().is_none() => {
            Atom::new("goal", [role.clone(), Term::Integer(100), time.clone()])
        }
        Objective::Win | Objective::GoalAtLeast(_) => {
            for points in possible.range(least..) {
                let points = Term::Integer((*points).into());
                program.rule(Atom::new("won", [time.clone()]), [goal(points, &time)]);
            }
            Atom::new("won", [time.clone()])
        }
        Objective::Score | Objective::Points => {
            for points in possible {
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
