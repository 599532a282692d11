//! The start of play: its state, and the moves there.

use crate::error::{Error, ErrorKind};
use gdl::game::{Domains, Game};
use gdl::{Name, Term};
use limits::Limits;
use rules::{Reasoner, ReasonerError, RuleLimits};

/// Refuses facts that no state of the game can have, as far as that shows.
///
/// # Errors
/// If there is such a fact, or the rules cannot be evaluated.
pub fn check_facts(game: &Game, facts: &[Term], reasoner: &mut Reasoner) -> Result<(), Error> {
    let listed = reasoner.base()?;
    let domains = Domains::derive_by_columns(game);
    let unknown = facts.iter().find(|fact| {
        let is_listed = listed.as_ref().is_some_and(|facts| facts.contains(fact));
        let is_derived = domains.facts().map_or(true, |domain| domain.contains(fact));
        !is_listed && !is_derived
    });
    match unknown {
        None => Ok(()),
        Some(fact) => Err(Error::new(
            ErrorKind::Position,
            format!("the fact {fact} cannot come true in this game"),
        )),
    }
}

/// The rules, evaluated within limits.
///
/// # Errors
/// If they cannot be evaluated.
pub fn reasoner(game: &Game, limits: &Limits) -> Result<Reasoner, ReasonerError> {
    Reasoner::with_limits(game, RuleLimits::within(limits))
}

/// The legal moves of a role in the initial state; none if that is terminal.
///
/// # Errors
/// If the rules cannot be evaluated within the usual limits.
pub fn legal_moves(game: &Game, role: &Name, limits: &Limits) -> Result<Vec<Term>, ReasonerError> {
    let mut reasoner = reasoner(game, limits)?;
    let state = reasoner.initial()?;
    if reasoner.terminal(&state)? {
        return Ok(Vec::new());
    }
    reasoner.legal(&state, game.role(role).expect("the role was checked"))
}

/// Whether play starts from another state than the game's initial one.
pub fn starts_elsewhere(game: &Game, start: &[Term], limits: &Limits) -> Result<bool, Error> {
    let mut reasoner = reasoner(game, limits)?;
    let initial = reasoner.initial()?;
    Ok(reasoner.state(start)? != initial)
}
