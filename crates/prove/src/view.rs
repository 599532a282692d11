//! Conditions in a state, by definition: evaluated on the answers of the state machine.
//!
//! The programs and clauses of proofs are compared with this module, which knows none of them.

use super::condition::{Atom, Condition};
use super::vocabulary::Vocabulary;
use gdl::Term;
use rules::ReasonerError;
use step::{Position, StateMachine};

/// A state: its facts, legal moves and goal values, and whether it is terminal.
pub struct StateView {
    facts: Vec<bool>,
    legal: Vec<Vec<bool>>,
    goals: Vec<Vec<bool>>,
    terminal: bool,
}

/// A state could not be looked at.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ViewError {
    /// The rules could not be evaluated.
    #[error(transparent)]
    Rules(#[from] ReasonerError),
    /// Something holds that no list has: a mistake of this program.
    #[error("{0} holds, but proofs were made without it")]
    Unlisted(Term),
}

impl StateView {
    /// Everything that holds in a state.
    pub fn new(
        game: &Vocabulary,
        machine: &mut StateMachine,
        position: &Position,
    ) -> Result<Self, ViewError> {
        let mut view = StateView::of_facts(game, &machine.facts(position))?;
        view.terminal = machine.terminal(position)?;
        for role in 0..game.roles.len() {
            // Without a list no condition is about moves.
            let listed = game.unlisted_moves.is_none();
            let legal = if listed {
                machine.legal(position, role)?
            } else {
                Vec::new()
            };
            for action in legal {
                let number = game.action(role, &action);
                view.legal[role][number.ok_or(ViewError::Unlisted(action))?] = true;
            }
            for value in machine.goals(position, role)? {
                let number = game.goal(role, &value);
                view.goals[role][number.ok_or(ViewError::Unlisted(value))?] = true;
            }
        }
        Ok(view)
    }

    /// The facts of a state, for conditions about nothing else.
    ///
    /// # Errors
    /// When a fact is not in the lists.
    pub fn of_facts(game: &Vocabulary, facts: &[Term]) -> Result<Self, ViewError> {
        let mut view = StateView {
            facts: vec![false; game.facts.len()],
            legal: game
                .moves
                .iter()
                .map(|moves| vec![false; moves.len()])
                .collect(),
            goals: game
                .goals
                .iter()
                .map(|goals| vec![false; goals.len()])
                .collect(),
            terminal: false,
        };
        for fact in facts {
            let number = game.fact(fact);
            view.facts[number.ok_or_else(|| ViewError::Unlisted(fact.clone()))?] = true;
        }
        Ok(view)
    }

    pub fn holds(&self, condition: &Condition) -> bool {
        condition.holds(&mut |atom| match atom {
            Atom::True(fact) => self.facts[fact],
            Atom::Legal(role, action) => self.legal[role][action],
            Atom::Goal(role, value) => self.goals[role][value],
            Atom::Terminal => self.terminal,
        })
    }
}
