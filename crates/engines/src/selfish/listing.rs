//! All positions that play leads to, breadth first: states, with the steps left where they count.

use super::error::SelfishError;
use super::values::Vector;
use crate::mixed::{PositionError, PositionGame};
use base::graph::Graph;
use limits::{Limits, Watch};
use matrix::{ConcurrentGame, Listed, Nodes, Stage, StageError, StateSet, explore};
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// The bits of a state, and the steps left, or none where all count.
pub(super) type Place = (Box<[u64]>, Option<u32>);

/// The positions that play leads to; the first one is the start.
pub(super) struct Listing {
    /// The roles that want something, by their indices in the game. Vectors have a value for each of them.
    pub(super) players: Vec<usize>,
    pub(super) places: StateSet<Place>,
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

/// The game in which positions are the states.
struct Places<'a> {
    game: &'a mut PositionGame,
    players: Vec<usize>,
    cuts_off: bool,
    /// By position in which play goes on: the mover and the moves of [`Choice`].
    movers: Vec<(Option<usize>, Vec<usize>)>,
}

type Failure = StageError<SelfishError>;

fn failed(error: StageError<PositionError>) -> Failure {
    error.map(|error| SelfishError::Game(error.into()))
}

impl ConcurrentGame for Places<'_> {
    type State = Place;
    type Payoff = Vector;
    type Error = SelfishError;

    fn payoff(&mut self, (row, steps): &Place) -> Result<Option<Vector>, Failure> {
        let ends = self.game.ends(row, &self.players).map_err(failed)?;
        let is_cut = ends.is_none() && *steps == Some(0);
        self.cuts_off |= is_cut;
        let nothing = || vec![BigRational::zero(); self.players.len()];
        Ok(ends.or_else(|| is_cut.then(nothing)).map(Vector::from))
    }

    /// One cell for each move of the mover, in their order, since other players have one move.
    fn stage(&mut self, (row, steps): &Place, limits: &Limits) -> Result<Stage<Place>, Failure> {
        let legal = self.game.legal(row);
        let mut movers = (0..self.players.len()).filter(|&it| legal[self.players[it]].len() > 1);
        let (mover, other) = (movers.next(), movers.next());
        if let (Some(mover), Some(other)) = (mover, other) {
            let name = |player: usize| self.game.role(self.players[player]).clone();
            return Err(StageError::Failed(SelfishError::Together {
                role: name(mover),
                other: name(other),
                state: self.game.facts(row),
            }));
        }
        let moves = legal[self.players[mover.unwrap_or(0)]].clone();
        let stage = self.game.stage(row, limits).map_err(failed)?;
        self.movers.push((mover, moves));
        let after = steps.map(|steps| steps - 1);
        let cells = stage.cells.into_iter().map(|cell| {
            let next = cell.into_iter();
            next.map(|(next, weight)| ((next, after), weight)).collect()
        });
        Ok(Stage {
            columns: stage.columns,
            cells: cells.collect(),
        })
    }

    fn heap_bytes((row, _): &Place) -> usize {
        PositionGame::heap_bytes(row)
    }
}

/// The nodes while they grow.
#[derive(Default)]
struct NodeList {
    nodes: Vec<Node>,
    bytes: usize,
}

impl Nodes<Vector> for NodeList {
    fn push(&mut self, state: Listed<Vector>) {
        let (node, bytes) = match state {
            Listed::End(vector) => {
                let bytes = 64 * vector.len();
                (Node::Over(vector), bytes)
            }
            Listed::Last => unreachable!("steps are counted by positions"),
            Listed::Stage(stage) => {
                let cells = stage.cells.into_iter();
                let outcomes = cells.map(|cell| cell.into_iter().map(|(next, _)| next).collect());
                let outcomes: Vec<Vec<u32>> = outcomes.collect();
                let bytes = outcomes.iter().map(|next| 32 + 4 * next.len()).sum();
                let choice = Choice {
                    mover: None,
                    moves: Vec::new(),
                    outcomes,
                };
                (Node::Open(choice), bytes)
            }
        };
        self.nodes.push(node);
        self.bytes += bytes + 96;
    }

    fn bytes(&self) -> u64 {
        self.bytes as u64
    }
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
        let mut places = Places {
            players: game.players(),
            game,
            cuts_off: false,
            movers: Vec::new(),
        };
        let listed = explore(&mut places, start, None, NodeList::default(), watch)?;
        if let Some(reason) = listed.stopped {
            return Err(reason.into());
        }
        let mut nodes = listed.nodes.nodes;
        let choices = nodes.iter_mut().filter_map(|node| match node {
            Node::Open(choice) => Some(choice),
            Node::Over(_) => None,
        });
        for (choice, mover) in choices.zip(places.movers) {
            (choice.mover, choice.moves) = mover;
        }
        Ok(Listing {
            players: places.players,
            places: listed.states,
            nodes,
            cuts_off: places.cuts_off,
        })
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
        let graph = Graph::new(self.nodes.len(), |edge| {
            for (number, node) in self.nodes.iter().enumerate() {
                if let Node::Open(choice) = node {
                    let next = choice.outcomes.iter().flatten();
                    next.for_each(|&next| edge(number, next as usize));
                }
            }
        });
        graph.order()
    }
}
