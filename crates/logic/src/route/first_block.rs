//! The first block of a quantified program: the choice that its author asks about, with the variables of its atoms.

use super::program::ProgramRoute;
use crate::sqasp::Presence;
use formula::{Lit, Quantifier, Var};

/// The atoms of the player's levels before those of the opponent and of chance, as far as the program shows them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FirstBlock {
    /// By level and name; without variable where the atom holds in every answer set. One that holds in none is left out.
    atoms: Vec<(String, Option<Var>)>,
}

/// The reason why a program has no choice of the player to begin with.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BlockError {
    /// It has no quantifiers.
    #[error(
        "the program has no quantifiers, so no choice comes first: write `_exists(1,A)` for the atoms that are to be chosen"
    )]
    NoQuantifiers,
    /// Others choose first.
    #[error("level {level}, the first one, is {by}, so no choice of the player comes first")]
    Others {
        /// The first level.
        level: u32,
        /// The side that decides it.
        by: &'static str,
    },
}

impl FirstBlock {
    /// Finds the block.
    ///
    /// # Errors
    /// If the first level is not the player's.
    pub fn of(stages: &ProgramRoute) -> Result<Self, BlockError> {
        let mut levels = stages.quantifiers.levels().peekable();
        let by = match levels.peek() {
            None => return Err(BlockError::NoQuantifiers),
            Some((level, Quantifier::Forall, _)) => Some((*level, "the opponent's")),
            Some((level, Quantifier::Chance, _)) => Some((*level, "of chance")),
            Some((_, Quantifier::Exists, _)) => None,
        };
        if let Some((level, by)) = by {
            return Err(BlockError::Others { level, by });
        }
        let first = levels.take_while(|(_, quantifier, _)| *quantifier == Quantifier::Exists);
        let atoms = first.flat_map(|(_, _, atoms)| atoms);
        let atoms = atoms.filter(|atom| stages.shown.has(&atom.name));
        let atoms = atoms.filter_map(|atom| {
            let variable = match atom.presence {
                Presence::Open(open) => Some(stages.clauses.literal(open).var()),
                Presence::Fact => None,
                Presence::Absent => return None,
            };
            Some((atom.name.to_string(), variable))
        });
        Ok(FirstBlock {
            atoms: atoms.collect(),
        })
    }

    /// The variables that are chosen.
    pub fn variables(&self) -> impl Iterator<Item = Var> {
        self.atoms.iter().filter_map(|(_, variable)| *variable)
    }

    /// A choice as clingo writes answer sets: the atoms that hold, between blanks; `{}` if none does.
    pub fn text(&self, choice: &[Lit]) -> String {
        let holds = |variable: &Option<Var>| {
            variable.is_none_or(|variable| choice.contains(&variable.positive()))
        };
        let atoms = self.atoms.iter().filter(|(_, variable)| holds(variable));
        let names: Vec<&str> = atoms.map(|(name, _)| name.as_str()).collect();
        match names[..] {
            [] => "{}".to_owned(),
            _ => names.join(" "),
        }
    }
}
