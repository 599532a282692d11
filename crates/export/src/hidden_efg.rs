//! A game of hidden information as an extensive game of Gambit, with information sets; and an open game with simultaneous
//! moves, as one in which all roles see them afterwards.

use crate::efg::{Lines, MAX_NODES};
use crate::error::ExportError;
use crate::node::GraphHeader;
use crate::{Exported, Scope};
use gdl::game::Game;
use gdl::{Literal, Name, Rule, Sentence, Term};
use hidden::{ExtensiveNode, HiddenQuestion, extensive_form};
use limits::Limits;

/// Writes the tree of all plays into memory.
pub(crate) fn export(game: &Game, scope: &Scope, limits: &Limits) -> Result<Exported, ExportError> {
    let role = game.roles()[scope.role].clone();
    let question = HiddenQuestion {
        start: scope.start.clone(),
        ..HiddenQuestion::new(role, scope.objective, scope.depth)
    };
    let mut text = Vec::new();
    let mut lines = Lines::begin(&GraphHeader::new(game, scope, None, &[]), &mut text)?;
    let (mut nodes, mut choices, mut branches) = (0, 0, 0);
    let mut sets = [0; 2];
    extensive_form(game, &question, limits, |node| {
        nodes += 1;
        if nodes > MAX_NODES {
            return Err(ExportError::Tree(format!(
                "the tree of the game has more than {MAX_NODES} nodes, which is too much for a file: count fewer steps"
            )));
        }
        if nodes > scope.states as u64 {
            return Err(ExportError::TooMany(scope.states));
        }
        match node {
            ExtensiveNode::End(worth) => lines.end(&worth)?,
            ExtensiveNode::Choice { side, set, moves } => {
                choices += moves.len() as u64;
                sets[side] = sets[side].max(set + 1);
                lines.choice(side, set + 1, &moves)?;
            }
            ExtensiveNode::Chance(moves) => {
                branches += moves.len() as u64;
                let chance = (1, moves.len() as u64);
                lines.chance(moves.iter().map(|name| (name, chance)))?;
            }
        }
        Ok(())
    })?;
    Ok(Exported {
        states: nodes,
        choices,
        branches,
        information_sets: Some((sets[0] + sets[1]) as u64),
        bounds: None,
        write: Box::new(move |to| to.write_all(&text)),
    })
}

/// The same game, in which all roles see all moves after each step; none if the game has a relation `sees` of its own.
pub(crate) fn showing_moves(game: &Game) -> Option<Game> {
    if game.defines("sees", 2) {
        return None;
    }
    let sentence = |relation, arguments| Sentence {
        relation: Name::new(relation),
        arguments,
    };
    let action = Term::Variable(Name::new("move"));
    let mut rules = game.rules().to_vec();
    for who in game.players() {
        for role in game.roles() {
            let seen = Term::Function(role.clone(), vec![action.clone()]);
            let made = vec![Term::Constant(role.clone()), action.clone()];
            rules.push(Rule {
                head: sentence("sees", vec![Term::Constant(who.clone()), seen]),
                body: vec![Literal::Positive(sentence("does", made))],
            });
        }
    }
    let (name, roles) = (game.name().to_owned(), game.roles().to_vec());
    Some(Game::from_checked_parts(name, roles, rules))
}
