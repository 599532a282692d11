//! From a game to the values of all roles.

use super::error::SelfishError;
use super::listing::{Listing, Node, Place};
use super::stationary::{Profile, iterate, mean};
use super::values::{Values, backwards, of_move};
use crate::mixed::{MixedError, PositionGame};
use gdl::Term;
use gdl::game::{Objective, ValueRange};
use limits::{Limits, Watch};
use num_rational::BigRational;
use step::StateMachine;

/// The values of all roles in the positions of a game.
pub struct SelfishSolution {
    pub(super) game: PositionGame,
    pub(super) listing: Listing,
    pub(super) found: Found,
}

/// Where the values come from.
pub(super) enum Found {
    /// From all equilibria of a play with a last step: the values, an order of the positions in which each comes behind those that follow it,
    /// and the most steps from the start.
    All(Vec<Values>, Vec<u32>, u32),
    /// From a stationary equilibrium, beside which there may be others.
    One(Profile),
}

/// An interval that has a value.
pub type Interval = (BigRational, BigRational);

impl SelfishSolution {
    /// The values from a state with these facts on, within a number of steps if not all count.
    ///
    /// # Errors
    /// If two roles have a choice in a state, a state has no value, no equilibrium is found, or a limit is reached.
    pub fn new(
        machine: &StateMachine,
        objective: Objective,
        start: &[Term],
        depth: Option<u32>,
        limits: &Limits,
    ) -> Result<Self, SelfishError> {
        let players = machine.roles().iter().enumerate();
        let mut players = players.filter(|(_, role)| !role.is_random());
        let (first, _) = players.next().expect("a role is asked about");
        // Payoffs are not scaled here.
        let range = ValueRange::of_probabilities();
        let mut game =
            PositionGame::new(machine, first, objective, range).map_err(MixedError::from)?;
        let row = game.row(start).map_err(MixedError::UnknownFact)?;
        let mut watch = Watch::new(limits);
        let listing = Listing::new(&mut game, (row, depth), &mut watch)?;
        let found = match listing.order() {
            Some((order, longest)) => {
                let values = backwards(&listing, &order, &mut watch)?;
                Found::All(values, order, longest)
            }
            // A player could go on for ever rather than lose points, which no single deviation shows.
            None if listing.has_negative() => return Err(MixedError::BelowZero.into()),
            None => Found::One(iterate(&listing, &mut watch)?),
        };
        Ok(SelfishSolution {
            game,
            listing,
            found,
        })
    }

    /// The number of a position, if play from the start leads to it.
    pub fn find(&self, facts: &[Term], depth: Option<u32>) -> Option<usize> {
        let place: Place = (self.game.row(facts).ok()?, depth);
        self.listing.places.get_index_of(&place)
    }

    /// Whether the values are those of all equilibria, and not of one.
    pub fn has_all(&self) -> bool {
        matches!(self.found, Found::All(..))
    }

    /// The roles that want something, by their indices in the game.
    pub fn players(&self) -> &[usize] {
        &self.listing.players
    }

    /// Whether play is over in a position, or no step is left.
    pub fn is_over(&self, position: usize) -> bool {
        matches!(self.listing.nodes[position], Node::Over(_))
    }

    /// The interval of the values of a player in a position.
    pub fn interval(&self, position: usize, player: usize) -> Interval {
        match &self.found {
            Found::All(values, ..) => values[position].interval(player),
            Found::One(profile) => {
                let value = &profile.values[position][player];
                (value.clone(), value.clone())
            }
        }
    }

    /// Whether the intervals of a position may be wider than those of the equilibria.
    pub fn is_wide(&self, position: usize) -> bool {
        match &self.found {
            Found::All(values, ..) => matches!(values[position], Values::Intervals(_)),
            Found::One(_) => false,
        }
    }

    /// The legal moves of a player in a position with its values after each.
    pub fn moves(&mut self, position: usize, player: usize) -> Vec<(Term, Interval)> {
        let Node::Open(choice) = &self.listing.nodes[position] else {
            return Vec::new();
        };
        let role = self.listing.players[player];
        if choice.mover != Some(player) {
            let legal = self.game.legal(&self.listing.places[position].0);
            let only = self.game.action(role, legal[role][0]).clone();
            return vec![(only, self.interval(position, player))];
        }
        let interval = |index: usize| match &self.found {
            Found::All(values, ..) => {
                of_move(values, choice, index, self.listing.players.len()).interval(player)
            }
            Found::One(profile) => {
                let value = mean(&choice.outcomes[index], player, &profile.values);
                (value.clone(), value)
            }
        };
        let moves = choice.moves.iter().enumerate();
        moves
            .map(|(index, &number)| (self.game.action(role, number).clone(), interval(index)))
            .collect()
    }

    /// The most steps that play takes from the start, if it has a last one.
    pub fn longest_play(&self) -> Option<u32> {
        match self.found {
            Found::All(_, _, longest) => Some(longest),
            Found::One(_) => None,
        }
    }

    /// Whether some play is not over when no step is left.
    pub fn cuts_off(&self) -> bool {
        self.listing.cuts_off
    }

    /// The number of positions.
    pub fn positions(&self) -> usize {
        self.listing.nodes.len()
    }
}
