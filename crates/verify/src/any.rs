//! Strategies of any kind from JSON: the text announces its format.

use super::equilibrium::{EQUILIBRIUM_FORMAT, Equilibrium, read_equilibrium, write_equilibrium};
use super::hidden::HiddenStrategy;
use super::hidden_json::{HIDDEN_FORMAT, read_hidden, write_hidden};
use super::mixed::MixedStrategy;
use super::mixed_json::{MIXED_FORMAT, read_mixed, write_mixed};
use super::policy::{Heading, Strategy};
use super::read::{ReadError, parsed, read_known};
use super::shape::{Announcement, FORMAT, VERSION};
use super::write::write_json;
use std::io::{self, Write};

/// Reads a strategy from JSON (`docs/strategy-format.md`).
///
/// # Errors
/// See [`ReadError`].
pub fn read(text: &[u8]) -> Result<Strategy, ReadError> {
    match read_any(text)? {
        AnyStrategy::Known(strategy) => Ok(strategy),
        AnyStrategy::Mixed(_) => Err(not_known(MIXED_FORMAT)),
        AnyStrategy::Hidden(_) => Err(not_known(HIDDEN_FORMAT)),
        AnyStrategy::Equilibrium(_) => Err(not_known(EQUILIBRIUM_FORMAT)),
    }
}

fn not_known(format: &str) -> ReadError {
    ReadError::Format {
        found: format.to_owned(),
    }
}

/// A strategy of any kind.
#[derive(Clone, Debug)]
pub enum AnyStrategy {
    /// Opponents know the role's move.
    Known(Strategy),
    /// Mixtures, where moves of one step are simultaneous.
    Mixed(MixedStrategy),
    /// By information sets: each role knows its own moves and percepts.
    Hidden(HiddenStrategy),
    /// Each role plays for itself.
    Equilibrium(Equilibrium),
}

impl AnyStrategy {
    /// The question that it answers.
    pub fn heading(&self) -> &Heading {
        match self {
            AnyStrategy::Known(strategy) => &strategy.heading,
            AnyStrategy::Mixed(strategy) => &strategy.heading,
            AnyStrategy::Hidden(strategy) => &strategy.heading,
            AnyStrategy::Equilibrium(strategy) => &strategy.heading,
        }
    }

    /// The number of positions listed on the role's side, and on that of its opponents.
    pub fn sizes(&self) -> (usize, usize) {
        match self {
            AnyStrategy::Known(it) => (it.player.len(), it.opponents.len()),
            AnyStrategy::Mixed(it) => (it.player.len(), it.opponents.len()),
            AnyStrategy::Hidden(it) => (it.player.len(), it.opponents.len()),
            AnyStrategy::Equilibrium(it) => it.sizes(),
        }
    }

    /// Writes it as JSON.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_json(&self, to: &mut dyn Write) -> io::Result<()> {
        match self {
            AnyStrategy::Known(strategy) => write_json(strategy, to),
            AnyStrategy::Mixed(strategy) => write_mixed(strategy, to),
            AnyStrategy::Hidden(strategy) => write_hidden(strategy, to),
            AnyStrategy::Equilibrium(strategy) => write_equilibrium(strategy, to),
        }
    }
}

/// Reads a strategy of the kind that the text announces.
///
/// # Errors
/// See [`ReadError`].
pub fn read_any(text: &[u8]) -> Result<AnyStrategy, ReadError> {
    let Announcement { format, version } = parsed(text)?;
    match &format[..] {
        FORMAT | MIXED_FORMAT | HIDDEN_FORMAT | EQUILIBRIUM_FORMAT if version != VERSION => {
            Err(ReadError::Version { found: version })
        }
        FORMAT => read_known(text).map(AnyStrategy::Known),
        MIXED_FORMAT => read_mixed(text).map(AnyStrategy::Mixed),
        HIDDEN_FORMAT => read_hidden(text).map(AnyStrategy::Hidden),
        EQUILIBRIUM_FORMAT => read_equilibrium(text).map(AnyStrategy::Equilibrium),
        other => Err(not_known(other)),
    }
}
