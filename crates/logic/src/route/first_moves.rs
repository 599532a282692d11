//! The moves of the first step, as variables of the formula: to ask for the value of each of them.

use super::program::ProgramRoute;
use crate::ground::DomainError;
use crate::translate::Names;
use formula::{Lit, Var};
use gdl::game::Game;
use gdl::{Name, Term};

/// The moves of a role in the first step, legal or not, as far as the formula goes, with their variables.
/// Exactly one of them is true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FirstMoves {
    /// Without variable where the grounder found that the move is made in any case.
    moves: Vec<(Term, Option<Var>)>,
}

impl FirstMoves {
    /// Finds the atoms `does(role,...,0)` of a ground program of the game.
    pub fn of(game: &Game, role: &Name, stages: &ProgramRoute) -> Result<Self, DomainError> {
        let names = Names::of(game);
        let mut moves = Vec::new();
        for (atom, symbol) in stages.ground.symbols() {
            if let Some(("does", [player, action, time])) = symbol.call()
                && time.to_u32() == Some(0)
                && names.read_term(player)? == Term::Constant(role.clone())
            {
                let variable = atom.map(|atom| stages.clauses.literal(atom).var());
                moves.push((names.read_term(action)?, variable));
            }
        }
        moves.sort();
        Ok(FirstMoves { moves })
    }

    /// The literals that say that this move is made and no other; `None` if the formula does not know
    /// the move.
    pub fn literals(&self, action: &Term) -> Option<Vec<Lit>> {
        if !self.moves.iter().any(|(other, _)| other == action) {
            return None;
        }
        let literal = |(other, variable): &(Term, Option<Var>)| {
            variable.map(|variable| variable.literal(other == action))
        };
        Some(self.moves.iter().filter_map(literal).collect())
    }

    /// The literals that say that no other move than these is made.
    pub fn literals_among(&self, actions: &[Term]) -> Vec<Lit> {
        let others = self
            .moves
            .iter()
            .filter(|(other, _)| !actions.contains(other));
        others
            .filter_map(|(_, variable)| variable.map(|variable| variable.literal(false)))
            .collect()
    }
}
