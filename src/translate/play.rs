//! Playing the game: rules (1) to (5) of He and Thielscher 2026, section 3.2.
//!
//! As long as the game has not ended every role makes exactly one of its moves, and a legal one.
//! The game ends at the first terminal state, and it must end within n steps.

use super::domains::Moves;
use super::names::Names;
use crate::asp::{Atom, Choice, Head, Literal, Program, Rule, Term};
use crate::game::Game;

/// Rules (1) to (5).
pub(super) fn play(game: &Game, depth: u32, moves: &Moves, names: &Names) -> Program {
    let mut program = Program::new();
    let (role, action, time) = (
        Term::variable("P"),
        Term::variable("A"),
        Term::variable("T"),
    );
    let input = Atom::new("input", [role.clone(), action.clone()]);
    let does = Atom::new("does", [role.clone(), action.clone(), time.clone()]);
    let ended = Atom::new("ended", [time.clone()]);
    let step = Literal::Positive(Atom::new("step", [time.clone()]));

    program.remark("The moves each role may have");
    for role in game.roles() {
        for action in moves.of(role) {
            let role = names.role(role);
            program.fact(Atom::new("input", [role, names.ground_term(action)]));
        }
    }

    program.remark("Everyone makes one legal move a step until the game has ended");
    let is_role = Literal::Positive(Atom::new("role", [role.clone()]));
    program.push(Rule {
        head: Head::Choice(Choice {
            atom: does.clone(),
            condition: vec![input],
            exactly: Some(1),
        }),
        body: vec![step.clone(), is_role, Literal::Negative(ended.clone())],
    });
    let legal = Atom::new("legal", [role, action, time.clone()]);
    program.constraint([Literal::Positive(does), Literal::Negative(legal)]);

    program.remark("The game ends at the first terminal state, and it must end");
    let terminal = Atom::new("terminal", [time.clone()]);
    program.rule(ended.clone(), [Literal::Positive(terminal)]);
    let ended_next = Atom::new("ended", [Term::Offset("T".to_owned(), 1)]);
    program.rule(ended_next, [Literal::Positive(ended.clone()), step]);
    let ended_at_last = Atom::new("ended", [Term::Integer(depth.into())]);
    program.constraint([Literal::Negative(ended_at_last)]);
    program
}
