//! All positions that play leads to, breadth first: states, with the steps left where they count.

use super::error::SelfishError;
use super::values::Vector;
use crate::mixed::PositionGame;
use limits::Watch;
use matrix::ConcurrentGame;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The bits of a state, and the steps left, or none where all count.
pub(super) type Place = (Arc<[u64]>, Option<u32>);

/// The positions that play leads to; the first one is the start.
pub(super) struct Listing {
    /// The roles that want something, by their indices in the game. Vectors have a value for each of them.
    pub(super) players: Vec<usize>,
    places: Vec<Place>,
    numbers: FxHashMap<Place, u32>,
    pub(super) nodes: Vec<Node>,
    /// Whether some play is not over when no step is left.
    pub(super) cuts_off: bool,
}

/// A position: its end, or its moves and outcomes.
pub(super) enum Node {
    /// Play is over, or no step is left: with this worth for each player.
    Over(Vector),
    Open(Choice),
}

/// The moves in a position.
pub(super) struct Choice {
    /// The player that has more than one move.
    pub(super) mover: Option<usize>,
    /// The moves of the mover by their numbers; without a mover one that stands for all.
    pub(super) moves: Vec<usize>,
    /// For each move the positions that follow, all equally likely, one for each move of chance.
    pub(super) outcomes: Vec<Vec<u32>>,
}

impl Listing {
    /// All positions from this one on.
    ///
    /// # Errors
    /// If two roles have a choice in a state, a state has no value, or a limit is reached.
    pub(super) fn new(
        game: &mut PositionGame,
        start: Place,
        watch: &mut Watch<'_>,
    ) -> Result<Self, SelfishError> {
        let mut listing = Listing {
            players: game.players(),
            places: Vec::new(),
            numbers: FxHashMap::default(),
            nodes: Vec::new(),
            cuts_off: false,
        };
        listing.number_of(start);
        while listing.nodes.len() < listing.places.len() {
            watch.check("listing states", listing.nodes.len() as u64)?;
            let before = listing.places.len();
            let place = listing.places[listing.nodes.len()].clone();
            let node = listing.node(game, &place, watch)?;
            let new = (listing.places.len() - before) as u64;
            let own = match &node {
                Node::Over(vector) => 64 * vector.len(),
                Node::Open(choice) => choice.outcomes.iter().map(|next| 32 + 4 * next.len()).sum(),
            };
            watch.take_memory(new * (8 * place.0.len() as u64 + 96) + own as u64 + 64)?;
            listing.nodes.push(node);
        }
        Ok(listing)
    }

    fn node(
        &mut self,
        game: &mut PositionGame,
        (row, steps): &Place,
        watch: &Watch<'_>,
    ) -> Result<Node, SelfishError> {
        if let Some(ends) = game.ends(row, &self.players)? {
            return Ok(Node::Over(ends.into()));
        }
        if *steps == Some(0) {
            self.cuts_off = true;
            return Ok(Node::Over(
                vec![BigRational::zero(); self.players.len()].into(),
            ));
        }
        let legal = game.legal(row);
        let mut movers = (0..self.players.len()).filter(|&it| legal[self.players[it]].len() > 1);
        let (mover, other) = (movers.next(), movers.next());
        if let (Some(mover), Some(other)) = (mover, other) {
            let name = |player: usize| game.role(self.players[player]).clone();
            return Err(SelfishError::Together {
                role: name(mover),
                other: name(other),
                state: game.facts(row),
            });
        }
        // One cell for each move of the mover, in their order, since other players have one move.
        let stage = game.stage(&row[..].into(), watch.limits())?;
        let after = steps.map(|steps| steps - 1);
        let outcomes = stage.cells.into_iter().map(|cell| {
            let next = cell.into_iter().map(|(next, _)| (next.into(), after));
            next.map(|place| self.number_of(place)).collect()
        });
        Ok(Node::Open(Choice {
            outcomes: outcomes.collect(),
            mover,
            moves: legal[self.players[mover.unwrap_or(0)]].clone(),
        }))
    }

    fn number_of(&mut self, place: Place) -> u32 {
        let next =
            u32::try_from(self.places.len()).expect("memory ends before four billion states");
        *self.numbers.entry(place).or_insert_with_key(|place| {
            self.places.push(place.clone());
            next
        })
    }

    /// The number of a position, if play leads to it.
    pub(super) fn find(&self, place: &Place) -> Option<usize> {
        Some(*self.numbers.get(place)? as usize)
    }

    /// A position by its number.
    pub(super) fn place(&self, number: usize) -> &Place {
        &self.places[number]
    }

    /// Whether a goal that counts is below 0.
    pub(super) fn has_negative(&self) -> bool {
        self.nodes.iter().any(|node| match node {
            Node::Over(vector) => vector.iter().any(Signed::is_negative),
            Node::Open(_) => false,
        })
    }

    /// All positions, each behind those that follow it, and the most steps that play takes from the start; none if a position follows itself.
    pub(super) fn order(&self) -> Option<(Vec<u32>, u32)> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        let mut waits = vec![0u32; self.nodes.len()];
        let mut order = Vec::with_capacity(self.nodes.len());
        for (number, node) in self.nodes.iter().enumerate() {
            match node {
                Node::Over(_) => order.push(number as u32),
                Node::Open(choice) => {
                    for &next in choice.outcomes.iter().flatten() {
                        before[next as usize].push(number as u32);
                        waits[number] += 1;
                    }
                }
            }
        }
        let mut lengths = vec![0u32; self.nodes.len()];
        let mut done = 0;
        while let Some(&next) = order.get(done) {
            done += 1;
            let length = lengths[next as usize] + 1;
            for &number in &before[next as usize] {
                let number = number as usize;
                lengths[number] = lengths[number].max(length);
                waits[number] -= 1;
                if waits[number] == 0 {
                    order.push(number as u32);
                }
            }
        }
        (done == self.nodes.len()).then(|| (order, lengths[0]))
    }
}
