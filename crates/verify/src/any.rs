//! Strategies of either kind from JSON: the text announces its format.

use super::mixed::MixedStrategy;
use super::mixed_json::{MIXED_FORMAT, read_mixed};
use super::policy::{Heading, Strategy};
use super::read::{ReadError, read_known};
use super::shape::{Announcement, FORMAT, VERSION};

/// Reads a strategy from JSON (`docs/strategy-format.md`).
///
/// # Errors
/// See [`ReadError`].
pub fn read(text: &[u8]) -> Result<Strategy, ReadError> {
    match read_any(text)? {
        AnyStrategy::Known(strategy) => Ok(strategy),
        AnyStrategy::Mixed(_) => Err(ReadError::Shape(format!(
            "`format` is {MIXED_FORMAT:?}, not {FORMAT:?}"
        ))),
    }
}

/// A strategy of either kind.
#[derive(Clone, Debug)]
pub enum AnyStrategy {
    /// Opponents know the role's move.
    Known(Strategy),
    /// Nobody knows the moves of others of the same step.
    Mixed(MixedStrategy),
}

impl AnyStrategy {
    /// The question that it answers.
    pub fn heading(&self) -> &Heading {
        match self {
            AnyStrategy::Known(strategy) => &strategy.heading,
            AnyStrategy::Mixed(strategy) => &strategy.heading,
        }
    }
}

/// Reads a strategy of the kind that the text announces.
///
/// # Errors
/// See [`ReadError`].
pub fn read_any(text: &[u8]) -> Result<AnyStrategy, ReadError> {
    let announced = serde_json::from_slice(text);
    let Announcement { format, version } =
        announced.map_err(|error| ReadError::Shape(error.to_string()))?;
    match &format[..] {
        FORMAT | MIXED_FORMAT if version != VERSION => Err(ReadError::Version { found: version }),
        FORMAT => read_known(text).map(AnyStrategy::Known),
        MIXED_FORMAT => read_mixed(text).map(AnyStrategy::Mixed),
        other => Err(ReadError::Shape(format!(
            "`format` is {other:?}, not {FORMAT:?}"
        ))),
    }
}
