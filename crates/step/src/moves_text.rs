//! Moves and states that people write, and their effect.
//!
//! A joint move is a list with one move for each role, in the order of the roles (`random` is one
//! of them); several stand one after the other, on one line or many. A state is a list of facts,
//! bare or inside `true`:
//!
//! ```text
//! ((mark 1 1) noop)  (noop (mark 2 2))        two joint moves of two roles
//! (cell 1 1 x) (true (control oplayer))       two facts
//! ```
//!
//! Text is read here once for all commands, so that they take the same and complain alike: with
//! line, column, the mistake and the text to write. [`follow`] then plays joint moves, as far as the
//! rules allow it.

use super::{Position, StateMachine};
use gdl::{Name, Term, TextError, did_you_mean_term, items, parse_terms};
use rules::ReasonerError;

/// Moves that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FollowError {
    /// The game is over before the move.
    #[error("joint move {number} comes too late: the game is over before it")]
    Over {
        /// The number of the joint move, from 1.
        number: usize,
    },
    /// A move is not legal.
    #[error(
        "joint move {number}: {action} is not legal for {role}; legal: {}{}",
        list(legal),
        advice(joint, action, legal)
    )]
    NotLegal {
        /// The number of the joint move, from 1.
        number: usize,
        /// The role that moves.
        role: Name,
        action: Term,
        legal: Vec<Term>,
        /// The whole joint move.
        joint: Vec<Term>,
    },
    /// The rules could not be evaluated.
    #[error(transparent)]
    Rules(#[from] ReasonerError),
}

/// The likely mistake: a move of one role in place of a joint move, or a misspelt move.
fn advice(joint: &[Term], action: &Term, legal: &[Term]) -> String {
    let is_joint = |term: &&Term| match term {
        Term::Function(name, arguments) => {
            matches!(joint.split_first(), Some((Term::Constant(first), rest)) if first == name && rest == arguments)
        }
        _ => false,
    };
    match legal.iter().find(is_joint) {
        Some(whole) => format!(
            "; {whole} is the move of one role: write a list with one move for each role, ({whole} ...)"
        ),
        None => did_you_mean_term(action, legal),
    }
}

/// How many legal moves a message lists.
const MOVES_SHOWN: usize = 20;

fn list(terms: &[Term]) -> String {
    let texts: Vec<String> = terms
        .iter()
        .take(MOVES_SHOWN)
        .map(Term::to_string)
        .collect();
    match terms.len() {
        0 => "nothing".to_owned(),
        count if count > MOVES_SHOWN => {
            format!("{} and {} more", texts.join(", "), count - MOVES_SHOWN)
        }
        _ => texts.join(", "),
    }
}

/// Reads joint moves of these roles: `((mark 1 1) noop) (noop (mark 2 2))`.
///
/// # Errors
/// At the first place that is no joint move of these roles.
pub fn parse_joint_moves(text: &str, roles: &[Name]) -> Result<Vec<Vec<Term>>, TextError> {
    let form = || {
        let names: Vec<String> = roles.iter().map(|role| format!("MOVE-OF-{role}")).collect();
        format!("({})", names.join(" "))
    };
    let mut joint_moves = Vec::new();
    for item in items(text)? {
        let Some(inner) = item
            .text
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'))
        else {
            return Err(item.error(format!(
                "`{}` is no joint move: write a list with one move for each role, {}",
                item.text,
                form()
            )));
        };
        let moves = parse_terms(inner).map_err(|error| item.error(error.to_string()))?;
        if moves.len() != roles.len() {
            let count = |number: usize, what: &str| match number {
                1 => format!("1 {what}"),
                _ => format!("{number} {what}s"),
            };
            return Err(item.error(format!(
                "`{}` has {} for {}: write one for each role, in this order: {}",
                item.text,
                count(moves.len(), "move"),
                count(roles.len(), "role"),
                form()
            )));
        }
        joint_moves.push(moves);
    }
    Ok(joint_moves)
}

/// Reads the facts of a state, each bare or inside `true`: `(cell 1 1 x) (true (control o))`.
///
/// # Errors
/// At the first place that is no fact.
pub fn parse_facts(text: &str) -> Result<Vec<Term>, TextError> {
    let mut facts = Vec::new();
    for item in items(text)? {
        let terms = parse_terms(item.text).map_err(|error| item.error(error.to_string()))?;
        for term in terms {
            match term {
                Term::Function(name, mut arguments) if name.as_str() == "true" => {
                    let (Some(fact), true) = (arguments.pop(), arguments.is_empty()) else {
                        let text = format!("`{}`: `true` takes one fact", item.text);
                        return Err(item.error(text));
                    };
                    facts.push(fact);
                }
                fact => facts.push(fact),
            }
        }
    }
    Ok(facts)
}

/// The state after some joint moves, each of which must be legal where it is made.
///
/// # Errors
/// At the first joint move that cannot be played.
pub fn follow(
    machine: &mut StateMachine,
    mut position: Position,
    joint_moves: &[Vec<Term>],
) -> Result<Position, FollowError> {
    for (index, joint_move) in joint_moves.iter().enumerate() {
        let number = index + 1;
        if machine.terminal(&position)? {
            return Err(FollowError::Over { number });
        }
        for (role, action) in joint_move.iter().enumerate() {
            let legal = machine.legal(&position, role)?;
            if !legal.contains(action) {
                return Err(FollowError::NotLegal {
                    number,
                    role: machine.roles()[role].clone(),
                    action: action.clone(),
                    legal,
                    joint: joint_move.clone(),
                });
            }
        }
        position = machine.next(&position, joint_move)?;
    }
    Ok(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_games::reasoner;

    fn roles() -> Vec<Name> {
        vec![Name::new("x"), Name::new("random")]
    }

    #[test]
    fn joint_moves_are_read_or_refused_with_their_place() {
        for (text, expected) in [
            ("", "[]"),
            ("((mark 1 1) noop)", "[[(mark 1 1), noop]]"),
            (
                "(a b)(C\n d) ; (not this)\n ( (f (g x)) e )",
                "[[a, b], [c, d], [(f (g x)), e]]",
            ),
        ] {
            let moves = parse_joint_moves(text, &roles()).unwrap();
            assert_eq!(expected, format!("{moves:?}"));
        }
        for (text, expected) in [
            (
                "(a b) (a b",
                "line 1, column 7: this parenthesis is never closed",
            ),
            (
                "(a b)\n )",
                "line 2, column 2: this parenthesis closes nothing",
            ),
            (
                "(a b)\nnoop (a b)",
                "line 2, column 1: `noop` is no joint move: write a list with one move for each \
                 role, (MOVE-OF-x MOVE-OF-random)",
            ),
            (
                "(mark 1 1)",
                "line 1, column 1: `(mark 1 1)` has 3 moves for 2 roles: write one for each role, \
                 in this order: (MOVE-OF-x MOVE-OF-random)",
            ),
            (
                "((a) ?y)",
                "line 1, column 1: a variable stands where a name belongs (at character 5 of \
                 `(a) ?y`)",
            ),
        ] {
            let error = parse_joint_moves(text, &roles()).unwrap_err();
            assert_eq!(expected, error.to_string());
        }
    }

    #[test]
    fn facts_are_read_with_and_without_true() {
        let facts = parse_facts("(cell 1 x) (true (control o))\nover ; (no fact)").unwrap();
        assert_eq!("[(cell 1 x), (control o), over]", format!("{facts:?}"));
        for (text, expected) in [
            (
                "a\n(true b c)",
                "line 2, column 1: `(true b c)`: `true` takes one fact",
            ),
            (
                "(f ?x)",
                "line 1, column 1: a variable stands where a name belongs",
            ),
        ] {
            let error = parse_facts(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn a_move_of_one_role_is_no_joint_move() {
        let rules = "(role x) (role y) (init on) (legal x (go a)) (legal y noop)
            (<= terminal (not (true on))) (goal x 100) (goal y 0)";
        let mut machine = StateMachine::by_rules(reasoner(rules));
        let initial = machine.initial().unwrap();
        let roles = machine.roles().to_vec();
        let moves = parse_joint_moves("(go a)", &roles).unwrap();
        assert_eq!(
            follow(&mut machine, initial, &moves)
                .unwrap_err()
                .to_string(),
            "joint move 1: go is not legal for x; legal: (go a); (go a) is the move of one role: \
             write a list with one move for each role, ((go a) ...)"
        );
    }

    #[test]
    fn moves_are_followed_as_far_as_the_rules_allow() {
        let rules = "(role x) (init off) (<= (legal x press) (true off)) (legal x wait)
            (<= (next on) (does x press)) (<= (next off) (true off) (does x wait))
            (<= terminal (true on)) (<= (goal x 100) (true on)) (<= (goal x 0) (true off))";
        let mut machine = StateMachine::by_rules(reasoner(rules));
        let initial = machine.initial().unwrap();
        for (moves, expected) in [
            ("(wait) (press)", "[on]"),
            (
                "(wait) (jump)",
                "joint move 2: jump is not legal for x; legal: press, wait",
            ),
            (
                "(wiat)",
                "joint move 1: wiat is not legal for x; legal: press, wait; did you mean `wait`?",
            ),
            (
                "(press) (wait)",
                "joint move 2 comes too late: the game is over before it",
            ),
        ] {
            let moves = parse_joint_moves(moves, &[Name::new("x")]).unwrap();
            let result = match follow(&mut machine, initial.clone(), &moves) {
                Ok(position) => format!("{:?}", machine.facts(&position)),
                Err(error) => error.to_string(),
            };
            assert_eq!(expected, result);
        }
    }
}
