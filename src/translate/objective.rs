//! What counts as success: rule (6) of papers/004, section 3.2, and two variants of it.
//!
//! - *win*: the state in which the game ends must give the role 100 points.
//! - *goal>=N*: it must give the role at least N points.
//! - *score*: the value is the expected number of points divided by 100. One more chance atom per
//!   number of points v, `pays(v)`, is true with probability v/100, innermost; the program asks that
//!   the one for the points reached is true.

use super::Question;
use super::names::Names;
use crate::asp::{Atom, Choice, Head, Literal, Program, Rule, Term};
use crate::game::Game;
use crate::gdl;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// What counts as success.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Objective {
    /// 100 points.
    Win,
    /// At least this many points.
    GoalAtLeast(u32),
    /// The expected number of points, divided by 100.
    Score,
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Objective::Win => f.write_str("win"),
            Objective::GoalAtLeast(points) => write!(f, "goal>={points}"),
            Objective::Score => f.write_str("score"),
        }
    }
}

impl FromStr for Objective {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let points = text
            .strip_prefix("goal>=")
            .and_then(|points| points.parse::<u32>().ok());
        match (text, points) {
            ("win", _) => Ok(Objective::Win),
            ("score", _) => Ok(Objective::Score),
            (_, Some(points)) if points <= 100 => Ok(Objective::GoalAtLeast(points)),
            _ => Err("write `win`, `score`, or `goal>=N` with N from 0 to 100".to_owned()),
        }
    }
}

/// The points that a role can get by the rules: whole numbers from 0 to 100.
pub(super) fn possible_points(game: &Game, question: &Question) -> BTreeSet<u32> {
    let mut points = BTreeSet::new();
    for rule in game.rules() {
        let head = &rule.head;
        if head.relation.as_str() != "goal" || head.arguments.len() != 2 {
            continue;
        }
        if let gdl::Term::Constant(role) = &head.arguments[0] {
            if *role != question.role {
                continue;
            }
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
            for points in possible_points(game, question).range(least..) {
                let points = Term::Integer((*points).into());
                program.rule(Atom::new("won", [time.clone()]), [goal(points, &time)]);
            }
            Atom::new("won", [time.clone()])
        }
        Objective::Score => {
            for points in possible_points(game, question) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objectives_are_read_as_they_print() {
        for objective in [Objective::Win, Objective::GoalAtLeast(50), Objective::Score] {
            assert_eq!(objective.to_string().parse(), Ok(objective));
        }
        for wrong in ["", "goal", "goal>=", "goal>=101", "goal>=-1", "Win"] {
            assert!(wrong.parse::<Objective>().is_err(), "{wrong}");
        }
    }
}
