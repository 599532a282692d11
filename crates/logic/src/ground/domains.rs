//! The moves of a game, by grounding.

use super::grounder::{GroundError, GroundLimits, ground};
use crate::asp::Program;
use crate::translate::{Moves, Names, UnreadableTerm, input_program, relaxed_program};
use gdl::game::{Domains, Game};
use gdl::{Name, Term};
use lp2sat::{GroundProgram, Symbol};
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
const MAX_RULES: usize = 2_000_000;

/// The largest number of moves of a role that is taken from its domain alone.
const MAX_MOVES: u128 = 100_000;

/// The moves of a game, and those of them that `input` leaves out.
#[derive(Clone, Debug)]
pub struct FoundMoves {
    /// For every role the moves it may ever have.
    pub moves: Moves,
    /// The roles whose moves `input` does not state, though it states those of others.
    pub undeclared: Vec<Name>,
}

/// For every role the moves it may ever have: those that `input` states, or a superset of the legal
/// moves where it states none.
///
/// The superset comes from the relaxed game (see [`relaxed_program`]), which knows which terms occur
/// together. Where facts may grow without end, as with a counter, that has no end either; then the
/// product of the domains of single arguments is taken, if it is finite.
pub fn find_moves(
    game: &Game,
    names: &Names,
    limits: &GroundLimits,
) -> Result<FoundMoves, DomainError> {
    let limits = GroundLimits {
        rules: Some(limits.rules.map_or(MAX_RULES, |rules| rules.min(MAX_RULES))),
        ..limits.clone()
    };
    if !game.defines("input", 2) {
        return Ok(FoundMoves {
            moves: relaxed_moves(game, names, &limits)?,
            undeclared: Vec::new(),
        });
    }
    let stated = moves_of(&input_program(game, names), names, &limits)?;
    let without = |role: &&Name| stated.of(role).is_empty();
    let undeclared: Vec<Name> = game.roles().iter().filter(without).cloned().collect();
    if undeclared.is_empty() {
        return Ok(FoundMoves {
            moves: stated,
            undeclared,
        });
    }
    let relaxed = relaxed_moves(game, names, &limits)?;
    let more = undeclared.iter().flat_map(|role| {
        let moves = relaxed.of(role).iter();
        moves.map(move |action| (role.clone(), action.clone()))
    });
    Ok(FoundMoves {
        moves: stated.extended(more),
        undeclared,
    })
}

/// A superset of the moves that may ever be legal.
fn relaxed_moves(game: &Game, names: &Names, limits: &GroundLimits) -> Result<Moves, DomainError> {
    let domains = game.domains();
    if domains.facts().is_err()
        && let Some(moves) = moves_of_domains(game, domains)
    {
        return Ok(moves);
    }
    moves_of(&relaxed_program(game, names), names, limits)
}

/// The moves that a program has as facts `input(role,move)`.
fn moves_of(program: &Program, names: &Names, limits: &GroundLimits) -> Result<Moves, DomainError> {
    let text = program
        .text(&limits.overall)
        .map_err(GroundError::stopped)?;
    let program = ground(&text, limits)?.program;
    let mut moves = Vec::new();
    for (_, symbol) in program.symbols() {
        if let Some(("input", [role, action])) = symbol.call() {
            moves.extend(read_move(role, action, names)?);
        }
    }
    Ok(Moves::new(moves))
}

/// The moves by the domains of single arguments; `None` if they are too many.
fn moves_of_domains(game: &Game, domains: &Domains) -> Option<Moves> {
    let mut moves = Vec::new();
    for role in game.roles() {
        let domain = domains.moves(role).ok()?;
        if domain.count() > MAX_MOVES {
            return None;
        }
        moves.extend(domain.terms().map(|action| (role.clone(), action)));
    }
    Some(Moves::new(moves))
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
    for (_, symbol) in program.symbols() {
        match symbol.call() {
            Some(("input", [role, action])) => _ = declared.insert((role, action)),
            Some(("legal", [role, action, _time])) => _ = legal.insert((role, action)),
            _ => {}
        }
    }
    let mut undeclared = Vec::new();
    for (role, action) in legal.difference(&declared) {
        undeclared.extend(read_move(role, action, names)?);
    }
    undeclared.sort();
    Ok(undeclared)
}

/// A role and its move as terms of the game; `None` if the first is no name and so no role.
fn read_move(
    role: &Symbol,
    action: &Symbol,
    names: &Names,
) -> Result<Option<(Name, Term)>, UnreadableTerm> {
    match names.read_term(role)? {
        Term::Constant(role) => Ok(Some((role, names.read_term(action)?))),
        Term::Variable(_) | Term::Function(..) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl::Options;

    fn moves(rules: &str) -> Vec<String> {
        let reading = gdl::game::read("test", rules.as_bytes(), &Options::default());
        let game = reading.unwrap_or_else(|refused| panic!("{refused}")).game;
        let names = Names::of(&game);
        let moves = find_moves(&game, &names, &GroundLimits::default())
            .unwrap()
            .moves;
        moves
            .of(&Name::new("p"))
            .iter()
            .map(Term::to_string)
            .collect()
    }

    #[test]
    fn moves_are_declared_reached_or_combined() {
        let rest = "(role p) (<= (next (at ?y)) (does p (go ?y))) (init (at a)) (goal p 100)
            (<= terminal (true (at c)))";
        let legal = "(<= (legal p (go ?y)) (true (at ?x)) (way ?x ?y)) (way a b) (way c d)";
        assert_eq!(
            moves(&format!("{rest} {legal} (input p (go z))")),
            ["(go z)"]
        );
        // No play leads to c.
        assert_eq!(moves(&format!("{rest} {legal}")), ["(go b)"]);
        // A counter has no end; the domains of arguments exclude c all the same.
        let counter = "(init (count zero)) (<= (next (count (s ?x))) (true (count ?x)))";
        assert_eq!(moves(&format!("{rest} {legal} {counter}")), ["(go b)"]);
        // A term that is no role has no moves.
        assert_eq!(
            moves(&format!("{rest} {legal} (legal (f p) jump) (legal q jump)")),
            ["(go b)"]
        );
    }
}
