//! The moves that a role may ever have.
//!
//! Games state them with `input`; then the domain is the set of moves that those rules derive. When `input` is
//! missing, a *relaxed* game gives a superset: facts that became true once stay true, everyone
//! makes all legal moves at once, and negation of sentences that change is ignored. Everything that can be
//! reached in play can be reached in the relaxed game, and the relaxed game has only one state to
//! compute. `encodings/moves.lp` has its rules.

use super::encodings::MOVES;
use super::extend::static_rules;
use super::names::{Names, Variables};
use crate::asp::Program;
use gdl::game::Game;
use gdl::{Literal, Name, Rule, Sentence, Term};
use std::collections::{BTreeSet, HashMap};

/// For each role the moves it may ever have, in the order of their text.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Moves(HashMap<Name, Vec<Term>>);

impl Moves {
    /// Sorts moves by role. Moves are numbered in the order of their text, shorter numbers first, so
    /// the same game always gives the same program.
    pub fn new<I: IntoIterator<Item = (Name, Term)>>(moves: I) -> Self {
        let mut by_role: HashMap<Name, BTreeSet<(usize, String, Term)>> = HashMap::new();
        for (role, action) in moves {
            let text = action.to_string();
            by_role
                .entry(role)
                .or_default()
                .insert((text.len(), text, action));
        }
        let sorted = |moves: BTreeSet<(usize, String, Term)>| {
            moves.into_iter().map(|(_, _, action)| action).collect()
        };
        Moves(
            by_role
                .into_iter()
                .map(|(role, moves)| (role, sorted(moves)))
                .collect(),
        )
    }

    /// The moves of a role.
    pub fn of(&self, role: &Name) -> &[Term] {
        self.0.get(role).map_or(&[], Vec::as_slice)
    }

    /// The same moves and some more.
    pub fn extended<I: IntoIterator<Item = (Name, Term)>>(&self, more: I) -> Self {
        let known = self.0.iter().flat_map(|(role, moves)| {
            moves
                .iter()
                .map(move |action| (role.clone(), action.clone()))
        });
        Moves::new(known.chain(more))
    }
}

/// A program whose facts `input(role,move)` are the moves that the game's own `input` states.
pub fn input_program(game: &Game, names: &Names) -> Program {
    static_rules(game, &["input"], names)
}

/// A program whose facts `input(role,move)` are the moves of all roles in the relaxed game.
pub fn relaxed_program(game: &Game, names: &Names) -> Program {
    let mut program = Program::new();
    for rule in game.rules() {
        match rule.head.relation.as_str() {
            "base" | "input" | "goal" | "terminal" => {}
            _ => relax(game, rule, names, &mut program),
        }
    }
    program.include(&MOVES);
    program
}

/// Adds a rule without its negations of relations that change.
fn relax(game: &Game, rule: &Rule, names: &Names, program: &mut Program) {
    let variables = Variables::of(rule);
    let atom = |sentence: &Sentence| names.atom(sentence, None, &variables);
    let is_kept = |literal: &&Literal| match literal {
        Literal::Negative(sentence) => !game.is_dynamic(&sentence.key()),
        Literal::Positive(_) | Literal::Distinct(..) => true,
    };
    let body = rule.body.iter().filter(is_kept);
    let body = body.map(|literal| names.literal(literal, atom, &variables));
    program.rule(atom(&rule.head), body);
}
