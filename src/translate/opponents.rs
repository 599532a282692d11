//! The opponents: rules (7) and (8) of He and Thielscher 2026, section 3.2.
//!
//! The minimising player cannot choose `does` atoms directly: a choice that breaks the rules would
//! make the program inconsistent and so win the game for it. Instead it sets bits. The moves of an
//! opponent are numbered from 0; if the bits at a time spell the number of a legal move, that move
//! is forced; if they do not, the role itself picks a move for the opponent, which cannot lower the
//! minimum ("corrective encoding").

use super::names::Names;
use crate::asp::{Atom, Choice, Head, Literal, Program, Rule, Term};
use crate::gdl::{self, Name};

/// The number of bits that can spell every number below `count`.
pub(super) fn bits_for(count: usize) -> u32 {
    count.max(1).next_power_of_two().trailing_zeros()
}

/// Rules (7) and (8) for one opponent.
pub(super) fn opponent(opponent: &Name, moves: &[gdl::Term], names: &Names) -> Program {
    let mut program = Program::new();
    let bits = bits_for(moves.len());
    if bits == 0 {
        return program;
    }
    let (role, time) = (names.role(opponent), Term::variable("T"));
    let step = Literal::Positive(Atom::new("step", [time.clone()]));
    let decide = |bit: Term| Atom::new("decide", [role.clone(), bit, time.clone()]);

    program.remark(&format!(
        "The bits that {opponent} sets, and the move that they spell"
    ));
    for bit in 1..=bits {
        program.push(Rule {
            head: Head::Choice(Choice {
                atom: decide(Term::Integer(bit.into())),
                condition: Vec::new(),
                exactly: None,
            }),
            body: vec![step.clone()],
        });
    }
    for (number, action) in moves.iter().enumerate() {
        let action = names.ground_term(action);
        let does = Atom::new("does", [role.clone(), action.clone(), time.clone()]);
        let legal = Atom::new("legal", [role.clone(), action, time.clone()]);
        let mut body = vec![
            step.clone(),
            Literal::Positive(legal),
            Literal::Negative(does),
            Literal::Negative(Atom::new("ended", [time.clone()])),
        ];
        for bit in 1..=bits {
            let decide = decide(Term::Integer(bit.into()));
            body.push(if number >> (bit - 1) & 1 == 1 {
                Literal::Positive(decide)
            } else {
                Literal::Negative(decide)
            });
        }
        program.constraint(body);
    }
    program
}
