//! The quantifier prefix for atoms without a quantifier of their own, and for helper variables.
//!
//! All of them are existential. Most are functions of the quantified atoms, so every place after
//! the atoms that they depend on gives the same value:
//!
//! - *base* (Definition 3 of He and Thielscher 2026): innermost.
//! - *dep* (Definition 4): as early as possible, right after the last quantified atom they depend
//!   on. If that atom is the maximizing player's they join its level, else they form a block of
//!   their own behind it.
//!
//! Atoms that are no functions of the quantified ones go innermost with both: choices that no quantifier
//! decides, atoms that depend on their own negation, and whatever depends on either. Programs made
//! from games have none of these.

use std::fmt;
use std::str::FromStr;

/// How atoms without quantifier are placed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum PrefixMethod {
    /// Innermost.
    Base,
    /// As early as the atoms that they depend on allow.
    #[default]
    Dependency,
}

impl fmt::Display for PrefixMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PrefixMethod::Base => "base",
            PrefixMethod::Dependency => "dep",
        })
    }
}

impl FromStr for PrefixMethod {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "base" => Ok(PrefixMethod::Base),
            "dep" => Ok(PrefixMethod::Dependency),
            _ => Err("write `dep` or `base`".to_owned()),
        }
    }
}

/// A place in the prefix. Places with the same number form a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct PrefixPosition(pub(super) u32);

impl PrefixPosition {
    /// For variables that depend on nothing.
    pub(super) const OUTERMOST: PrefixPosition = PrefixPosition(0);
    /// After everything else.
    pub(super) const INNERMOST: PrefixPosition = PrefixPosition(u32::MAX);

    /// The place of the atoms quantified at a level.
    pub(super) fn at_level(level: u32) -> Self {
        PrefixPosition(2 * level)
    }

    /// The first place behind a level.
    pub(super) fn behind_level(level: u32) -> Self {
        PrefixPosition(2 * level + 1)
    }
}
