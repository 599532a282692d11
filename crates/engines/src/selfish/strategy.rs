//! One equilibrium with the move and the values of each position, as a strategy.

use super::listing::{Listing, Node};
use super::solution::{Found, SelfishSolution};
use super::stationary::{first_of_ties, mean};
use verify::{Equilibrium, Heading, Move, Position, Standing, TermTable};

impl SelfishSolution {
    /// An equilibrium in which the first of equally good moves is taken; none if it has more than `most` positions.
    pub fn equilibrium(&mut self, heading: Heading, most: usize) -> Option<Equilibrium> {
        let own;
        let profile = match &self.found {
            Found::All(_, order, _) => {
                own = first_of_ties(&self.listing, order);
                &own
            }
            Found::One(profile) => profile,
        };
        let Listing { players, nodes, .. } = &self.listing;
        let asked = players
            .iter()
            .position(|&it| heading.roles[it] == heading.role);
        let value = profile.values[0][asked.expect("the role wants something")].clone();
        let (mut terms, mut positions) = (TermTable::default(), Vec::new());
        for (number, node) in nodes.iter().enumerate() {
            let Node::Open(choice) = node else { continue };
            if positions.len() == most {
                return None;
            }
            let (row, steps) = &self.listing.places[number];
            let (mut made, mut ties) = (None, Vec::new());
            if let Some(mover) = choice.mover {
                let role = players[mover];
                let best = &profile.values[number][mover];
                for (index, &action) in choice.moves.iter().enumerate() {
                    let action = terms.number(self.game.action(role, action));
                    if index == profile.moves[number] {
                        made = Some(Move { role, action });
                    } else if mean(&choice.outcomes[index], mover, &profile.values) == *best {
                        ties.push(action);
                    }
                }
            }
            positions.push(Standing {
                position: Position {
                    facts: terms.numbers(&self.game.facts(row)),
                    steps: *steps,
                },
                choice: made,
                ties: ties.into(),
                values: profile.values[number].clone(),
            });
        }
        Some(Equilibrium {
            heading: Heading { value, ..heading },
            terms,
            positions,
        })
    }
}
