//! A policy read from a strategy file: for each position the move of one side.

use crate::Scope;
use crate::error::ExportError;
use crate::keys::parts;
use crate::node::Policy;
use gdl::Term;
use gdl::game::{Game, Sides};
use rustc_hash::FxHashMap;
use step::GroundStep;
use verify::{Position, Side, Strategy, TermNumber};

/// A state as words, and the steps left where they matter.
type PositionKey = (Box<[u64]>, Option<u32>);

/// The moves of a side by position, and of the opponents also by the role's move.
pub(crate) struct MoveTable {
    side: Side,
    moves: FxHashMap<PositionKey, FxHashMap<Option<u32>, Box<[u32]>>>,
    facts: Vec<Term>,
}

/// Reads the moves of a side from a strategy.
pub(crate) fn policy(
    game: &Game,
    scope: &Scope,
    ground: &GroundStep,
    side: Side,
    strategy: &Strategy,
) -> Result<MoveTable, ExportError> {
    let heading = &strategy.heading;
    let refused = |text: String| Err(ExportError::Strategy(text));
    if let Err(error) = verify::check_heading(game, &strategy.heading) {
        return refused(error.to_string());
    }
    if heading.role != game.roles()[scope.role] {
        return refused(format!(
            "the strategy is about the role {0}: export the game for {0}",
            heading.role
        ));
    }
    if let Some(steps) = heading.depth
        && scope.depth.is_some_and(|depth| depth > steps)
    {
        return refused(format!(
            "the strategy is for {steps} steps: export {steps} steps or fewer"
        ));
    }
    let mut listed = MoveTable {
        side,
        moves: FxHashMap::default(),
        facts: ground.facts.clone(),
    };
    let action = |role: usize, number: TermNumber| -> Option<u32> {
        let index = ground.action(role, strategy.terms.term(number));
        index.map(|index| index as u32)
    };
    let opponents = Sides::new(game.roles(), scope.role).opponents;
    // A state or move without a name in the circuit cannot be reached.
    let mut note = |position: &Position, made: Option<u32>, moves: Option<Box<[u32]>>| {
        let facts = strategy.terms.terms(&position.facts);
        if let (Ok(state), Some(moves)) = (ground.state(&facts), moves) {
            let index = (ground.row(&state), position.steps);
            listed.moves.entry(index).or_default().insert(made, moves);
        }
    };
    match side {
        Side::Role => {
            for decision in &strategy.player {
                let moves = action(scope.role, decision.action).map(|index| [index].into());
                note(&decision.position, None, moves);
            }
        }
        Side::Opponents => {
            for response in &strategy.opponents {
                for answer in &response.answers {
                    let moves = opponents.iter().zip(&answer.reply);
                    let moves = moves.map(|(&role, &reply)| action(role, reply)).collect();
                    let Some(made) = action(scope.role, answer.action) else {
                        continue;
                    };
                    note(&response.position, Some(made), moves);
                }
            }
        }
    }
    Ok(listed)
}

impl Policy for MoveTable {
    fn side(&self) -> Side {
        self.side
    }

    fn choice(&self, key: &[u64], rows: &[Vec<u32>]) -> Result<usize, ExportError> {
        let (&last, facts) = key.split_last().expect("a key has a last word");
        let (steps, made) = parts(last);
        let with_steps = self.moves.get(&(facts.into(), Some(steps)));
        let found = with_steps.or_else(|| self.moves.get(&(facts.into(), None)));
        // Where the role has one move only it is not part of the key.
        let moves = found.and_then(|by_move| {
            if made.is_none() && self.side == Side::Opponents {
                by_move.values().next()
            } else {
                by_move.get(&made)
            }
        });
        let index = moves.and_then(|moves| rows.iter().position(|row| row[..] == moves[..]));
        index.ok_or_else(|| {
            let facts = self.facts.iter().enumerate();
            let held = facts.filter(|(at, _)| key[at / 64] >> (at % 64) & 1 == 1);
            let held: Vec<String> = held.map(|(_, fact)| fact.to_string()).collect();
            ExportError::Strategy(format!(
                "the strategy has no legal move for a state that it leads to: {{{}}}",
                held.join(" ")
            ))
        })
    }
}
