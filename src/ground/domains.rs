//! The moves of a game, by grounding.

use super::grounder::{GroundError, GroundLimits, ground};
use crate::game::Game;
use crate::gdl::{Name, Term};
use crate::sqasp::split_atom;
use crate::translate::{Moves, Names, UnreadableTerm, domain_program};
use lp2sat::GroundProgram;
use rustc_hash::FxHashSet;

/// The moves of a game could not be listed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DomainError {
    /// Grounding failed.
    #[error(
        "the moves of this game could not be listed: {0}; if it has no `input`, add it, since facts \
         that grow without end would give moves without end"
    )]
    Ground(#[from] GroundError),
    /// A name came back that was never handed in.
    #[error(transparent)]
    Term(#[from] UnreadableTerm),
}

/// The largest number of rules for listing the moves. Games stay far below: it is one step only.
const MOST_RULES: usize = 2_000_000;

/// For every role the moves it may ever have: what `input` states, or a superset of the legal
/// moves when the game has no `input`.
///
/// # Errors
/// If the moves are too many for the limits: a game without `input` whose facts grow without end
/// has no finite relaxed form.
pub fn find_moves(game: &Game, names: &Names, limits: &GroundLimits) -> Result<Moves, DomainError> {
    let limits = GroundLimits {
        rules: Some(
            limits
                .rules
                .map_or(MOST_RULES, |rules| rules.min(MOST_RULES)),
        ),
        ..limits.clone()
    };
    let program = ground(&domain_program(game, names).to_string(), &limits)?.program;
    let mut moves = Vec::new();
    let atoms = program.names();
    for text in program
        .facts()
        .chain(atoms.into_iter().map(|(_, text)| text))
    {
        if let Some(("input", arguments)) = split_atom(text)
            && let [role, action] = arguments[..]
        {
            moves.push((role_of(role, names)?, names.read_term(action)?));
        }
    }
    Ok(Moves::new(moves))
}

/// Moves that the ground program finds legal in some state but that are not among those
/// it was made for: games whose `input` is incomplete have some.
///
/// # Errors
/// If a name comes back that was never handed in.
pub fn undeclared_moves(
    program: &GroundProgram,
    names: &Names,
) -> Result<Vec<(Name, Term)>, DomainError> {
    let mut declared = FxHashSet::default();
    let mut legal = FxHashSet::default();
    let atoms = program.names();
    for text in program
        .facts()
        .chain(atoms.into_iter().map(|(_, text)| text))
    {
        match split_atom(text) {
            Some(("input", arguments)) => {
                if let [role, action] = arguments[..] {
                    declared.insert((role, action));
                }
            }
            Some(("legal", arguments)) => {
                if let [role, action, _time] = arguments[..] {
                    legal.insert((role, action));
                }
            }
            _ => {}
        }
    }
    let mut undeclared = Vec::new();
    for (role, action) in legal.difference(&declared) {
        undeclared.push((role_of(role, names)?, names.read_term(action)?));
    }
    undeclared.sort();
    Ok(undeclared)
}

fn role_of(text: &str, names: &Names) -> Result<Name, UnreadableTerm> {
    match names.read_term(text)? {
        Term::Constant(name) => Ok(name),
        other => Err(UnreadableTerm(other.to_string())),
    }
}
