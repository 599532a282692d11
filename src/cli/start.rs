//! The position where play begins: the options `--from` and `--after`, read and followed.

use super::args::StartArguments;
use super::{Exit, Failure, files};
use crate::Limits;
use gdl::game::Game;
use gdl::{Name, Term};
use rules::{Reasoner, ReasonerError, RuleLimits};
use std::path::Path;
use step::{FollowError, Position, StateMachine, follow, parse_facts, parse_joint_moves};

/// A start as it was typed, read but not yet played.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// The facts of the state, if it is not the game's own initial state.
    pub(super) facts: Option<Vec<Term>>,
    /// The joint moves from there.
    pub(super) joint_moves: Vec<Vec<Term>>,
}

impl Start {
    /// Reads what was typed, for a game with these roles.
    pub(super) fn read(
        typed: &StartArguments,
        roles: &[Name],
        limits: &Limits,
    ) -> Result<Self, Failure> {
        let facts = match &typed.from {
            Some(path) => Some(
                parse_facts(&files::read_text(path, limits)?).map_err(|error| {
                    let text = format!("{}, {error}", path.display());
                    Failure::new(Exit::InvalidInput, text)
                })?,
            ),
            None => None,
        };
        let mut joint_moves = Vec::new();
        for text in &typed.after {
            let read = match text.strip_prefix('@') {
                Some(file) => parse_joint_moves(&files::read_text(Path::new(file), limits)?, roles)
                    .map_err(|error| Failure::new(Exit::InvalidInput, format!("{file}, {error}"))),
                None => parse_joint_moves(text, roles)
                    .map_err(|error| Failure::new(Exit::Usage, format!("--after, {error}"))),
            };
            joint_moves.extend(read?);
        }
        Ok(Start { facts, joint_moves })
    }

    /// Says where the state is one that no play leads to.
    pub(super) fn warn(&self, game: &Game) {
        let facts = self.facts.as_deref().unwrap_or_default();
        if !facts.is_empty()
            && let Some(fact) = game.domains().impossible(facts)
        {
            files::tell(&format!(
                "warning: --from: no play of this game makes {fact} true"
            ));
        }
    }

    /// The state that play begins in.
    pub(super) fn position(&self, machine: &mut StateMachine) -> Result<Position, Failure> {
        let from = match &self.facts {
            Some(facts) => machine.position(facts),
            None => machine.initial(),
        };
        let from = from.map_err(rules_failure)?;
        follow(machine, from, &self.joint_moves).map_err(|error| match error {
            FollowError::Rules(error) => rules_failure(error),
            error => Failure::new(Exit::InvalidInput, format!("--after: {error}")),
        })
    }
}

/// The facts of the state that play begins in, with a warning where no play leads there unless `quiet`; none if
/// that is the game's own initial state.
pub(super) fn start_facts(
    game: &Game,
    typed: &StartArguments,
    quiet: bool,
    limits: &Limits,
) -> Result<Option<Vec<Term>>, Failure> {
    if typed.from.is_none() && typed.after.is_empty() {
        return Ok(None);
    }
    let start = Start::read(typed, game.roles(), limits)?;
    let limits = RuleLimits::within(limits);
    let reasoner = Reasoner::with_limits(game, limits).map_err(rules_failure)?;
    let mut machine = StateMachine::by_rules(reasoner);
    let position = start.position(&mut machine)?;
    if let Some(facts) = &start.facts {
        engines::check_facts(game, facts, machine.reasoner()).map_err(|error| {
            let Failure { exit, message, .. } = Failure::from(error);
            Failure::new(exit, format!("--from: {message}"))
        })?;
        if !quiet {
            start.warn(game);
        }
    }
    Ok(Some(machine.facts(&position)))
}

/// The failure of a command when the rules of a game cannot be evaluated.
pub(super) fn rules_failure(error: ReasonerError) -> Failure {
    crate::Error::from(error).into()
}
