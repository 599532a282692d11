//! The random role: rules (9) to (16) of He and Thielscher 2026, section 3.2.
//!
//! `random` picks uniformly among its *legal* moves, whose number changes from state to state. Order
//! its m moves; let `count(A,K,T)` say that K of the moves up to A are legal and `total(K,T)` that K
//! are legal in all. Coin i, `decide(random,i,T)`, is true with probability 1/i. When i moves are
//! legal, the largest j <= i whose coin is true forces the j-th legal move. That j comes up with
//! probability 1/j * (1 - 1/(j+1)) * ... * (1 - 1/i) = 1/i, as it must be. Coin 1 is always true.

use super::names::Names;
use crate::asp::{Atom, Choice, Head, Literal, Program, Rule, Term};
use crate::gdl::{self, Name};

/// Rules (9) to (16); nothing when the random role never has a choice.
pub(super) fn chance(random: &Name, moves: &[gdl::Term], names: &Names) -> Program {
    let mut program = Program::new();
    if moves.len() < 2 {
        return program;
    }
    let time = Term::variable("T");
    let step = Literal::Positive(Atom::new("step", [time.clone()]));
    count_legal_moves(random, moves, names, &mut program);

    program.remark("The coins that chance throws, and the move that they force");
    let role = names.role(random);
    let decide = |coin: usize| Atom::new("decide", [role.clone(), number(coin), time.clone()]);
    for coin in 1..=moves.len() {
        program.push(Rule {
            head: Head::Choice(Choice {
                atom: decide(coin),
                condition: Vec::new(),
                exactly: None,
            }),
            body: vec![step.clone()],
        });
    }
    let action = Term::variable("A");
    let about_action =
        |predicate: &str| Atom::new(predicate, [role.clone(), action.clone(), time.clone()]);
    for total in 2..=moves.len() {
        for position in 1..=total {
            let count = Atom::new("count", [action.clone(), number(position), time.clone()]);
            let mut body = vec![
                Literal::Positive(Atom::new("total", [number(total), time.clone()])),
                Literal::Positive(count),
                Literal::Positive(about_action("legal")),
                Literal::Negative(about_action("does")),
                Literal::Negative(Atom::new("ended", [time.clone()])),
                Literal::Positive(decide(position)),
            ];
            body.extend((position + 1..=total).map(|coin| Literal::Negative(decide(coin))));
            program.constraint(body);
        }
    }
    program
}

/// Rules (9) to (14).
fn count_legal_moves(random: &Name, moves: &[gdl::Term], names: &Names, program: &mut Program) {
    let time = Term::variable("T");
    let step = Literal::Positive(Atom::new("step", [time.clone()]));
    let role = names.role(random);
    let legal = |action: Term| Atom::new("legal", [role.clone(), action, time.clone()]);
    let count = |action: Term, legal: Term| Atom::new("count", [action, legal, time.clone()]);
    let actions: Vec<Term> = moves
        .iter()
        .map(|action| names.ground_term(action))
        .collect();

    program.remark("Counting the legal moves of the random role");
    for pair in actions.windows(2) {
        program.fact(Atom::new("follows", pair.to_vec()));
    }
    let first = &actions[0];
    program.rule(
        count(first.clone(), number(0)),
        [step.clone(), Literal::Negative(legal(first.clone()))],
    );
    program.rule(
        count(first.clone(), number(1)),
        [step.clone(), Literal::Positive(legal(first.clone()))],
    );
    let (before, action, so_far) = (
        Term::variable("B"),
        Term::variable("A"),
        Term::variable("N"),
    );
    let follows = Literal::Positive(Atom::new("follows", [before.clone(), action.clone()]));
    let counted = Literal::Positive(count(before, so_far.clone()));
    program.rule(
        count(action.clone(), so_far),
        [
            follows.clone(),
            counted.clone(),
            Literal::Negative(legal(action.clone())),
        ],
    );
    program.rule(
        count(action.clone(), Term::Offset("N".to_owned(), 1)),
        [follows, counted, Literal::Positive(legal(action))],
    );
    let last = actions
        .last()
        .expect("there are at least two moves")
        .clone();
    let all = Term::variable("N");
    program.rule(
        Atom::new("total", [all.clone(), time.clone()]),
        [Literal::Positive(count(last, all))],
    );
}

fn number(value: usize) -> Term {
    Term::Integer(value as i64)
}
