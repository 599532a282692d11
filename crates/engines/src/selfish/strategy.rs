//! One equilibrium with the move and the values of each position, as a strategy.

use super::listing::{Listing, Node};
use super::solution::{Found, SelfishSolution};
use super::stationary::first_of_ties;
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
            let (row, steps) = self.listing.place(number);
            let choice = choice.mover.map(|mover| {
                let action = choice.moves[profile.moves[number]];
                let role = players[mover];
                let action = terms.number(self.game.action(role, action));
                Move { role, action }
            });
            positions.push(Standing {
                position: Position {
                    facts: terms.numbers(&self.game.facts(row)),
                    steps: *steps,
                },
                choice,
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
