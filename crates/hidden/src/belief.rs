//! A role alone against chance, as a decision process whose states are not seen.

use crate::listing::{Listing, Node, Outcome};
use partial_information::pomdp::{Pomdp, PomdpOutcome, PomdpState};

/// The process: an action for each legal move of the role. The opponents have no choice.
pub fn model(listing: &Listing) -> Pomdp {
    let states = listing.nodes.iter().map(|node| match node {
        Node::End(payoff) => PomdpState::End(payoff.clone()),
        // Play comes here when no step is left.
        Node::Open => PomdpState::Inner {
            menu: u32::MAX,
            actions: Vec::new(),
        },
        Node::Stage(stage) => {
            let outcomes = stage.outcomes.chunks(stage.throws);
            let outcome = |outcome: &Outcome| PomdpOutcome {
                next: outcome.next,
                observation: outcome.own,
            };
            PomdpState::Inner {
                menu: stage.legal[listing.sides.role],
                actions: outcomes
                    .map(|throws| throws.iter().map(outcome).collect())
                    .collect(),
            }
        }
    });
    Pomdp {
        states: states.collect(),
    }
}
