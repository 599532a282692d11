//! Who decides which atom, and when: the quantifiers of the choice atoms (Definition 3 of
//! He and Thielscher 2026), as facts of the program.
//!
//! The paper's blocks E0 U0 E1 R0 E2 U1 E3 R1 E4 ... get the levels 1, 2, 3, ...:
//!
//! | level | block | atoms |
//! |---|---|---|
//! | 4t+1 | E2t | the role's moves at t (and `random`'s at t-1) |
//! | 4t+2 | Ut | the bits of the opponents at t |
//! | 4t+3 | E2t+1 | the moves of the opponents at t |
//! | 4t+4 | Rt | the coins at t, coin i true with chance 1/i |
//!
//! All other atoms are functions of these; where they go (`--quant base|dep`) is decided on the
//! ground program, see [`crate::sqasp`].

use super::domains::Moves;
use super::names::Names;
use super::opponents::bits_for;
use super::{Question, opponents_of};
use crate::asp::{Atom, Literal, Program, Term};
use crate::game::{Game, GoalValues};

/// The facts `_exists(level,atom)`, `_forall(level,atom)` and `_chance(level,p,q,atom)`.
pub(super) fn prefix(game: &Game, question: &Question, moves: &Moves, names: &Names) -> Program {
    let mut program = Program::new();
    let (action, time) = (Term::variable("A"), Term::variable("T"));
    let step = Literal::Positive(Atom::new("step", [time.clone()]));
    program.remark("Who decides what, and when");

    let mut exists = |role: &crate::gdl::Name, offset: i64| {
        let role = names.role(role);
        let does = atom_term("does", [role.clone(), action.clone(), time.clone()]);
        let input = Literal::Positive(Atom::new("input", [role, action.clone()]));
        program.rule(
            Atom::new("_exists", [level(offset), does]),
            [step.clone(), input],
        );
    };
    exists(&question.role, 1);
    opponents_of(game, &question.role).for_each(|opponent| exists(opponent, 3));
    if let Some(random) = game.random_role() {
        exists(random, 5);
    }

    for opponent in opponents_of(game, &question.role) {
        for bit in 1..=bits_for(moves.of(opponent).len()) {
            let decide = decide(names.role(opponent), bit.into());
            program.rule(Atom::new("_forall", [level(2), decide]), [step.clone()]);
        }
    }
    if let Some(random) = game.random_role() {
        let coins = moves.of(random).len();
        for coin in (1..=coins as i64).filter(|_| coins > 1) {
            let decide = decide(names.role(random), coin);
            let (one, of) = (Term::Integer(1), Term::Integer(coin));
            program.rule(
                Atom::new("_chance", [level(4), one, of, decide]),
                [step.clone()],
            );
        }
    }
    if question.objective.is_mean() {
        let innermost = Term::Integer(4 * i64::from(question.depth) + 4);
        let values = GoalValues::of(game, &question.role);
        let full = question.objective.full_points(values.most());
        for points in values.points {
            let points = Term::Integer(points.into());
            let pays = atom_term("pays", [points.clone()]);
            let full = Term::Integer(full.into());
            program.fact(Atom::new(
                "_chance",
                [innermost.clone(), points, full, pays],
            ));
        }
    }
    program
}

/// `4*T+offset`.
fn level(offset: i64) -> Term {
    Term::Offset("4*T".to_owned(), offset)
}

fn decide(role: Term, number: i64) -> Term {
    atom_term("decide", [role, Term::Integer(number), Term::variable("T")])
}

/// An atom as an argument of another atom.
fn atom_term<I: IntoIterator<Item = Term>>(predicate: &str, arguments: I) -> Term {
    Term::Function(predicate.to_owned(), arguments.into_iter().collect())
}
