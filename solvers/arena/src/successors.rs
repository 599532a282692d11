//! Successors of one state, without their values.

use crate::batch::Batch;
use crate::denominators::{NewShare, Scale};
use crate::expansion::{Refusal, Survey};
use crate::game::{StochasticGame, set_key};
use limits::Limits;

/// Lists what follows from states.
pub struct Successors<'a, G: StochasticGame> {
    batch: Batch<'a, G, u64>,
    scale: Scale<u64>,
    limits: Limits,
    below: Vec<u32>,
    /// The layer of the successors.
    layer: usize,
}

impl<'a, G: StochasticGame> Successors<'a, G> {
    /// For states from which at most `max_nodes` nodes follow.
    pub fn new(game: &'a G, max_nodes: usize, limits: Limits) -> Self {
        Successors {
            batch: Batch::surveying(game, max_nodes),
            scale: Scale::blank(game),
            limits,
            below: Vec::new(),
            layer: 0,
        }
    }

    /// Lists what follows from a state of a layer. Play ends where there is a flaw.
    pub fn list(&mut self, state: &[u64], layer: usize) -> Result<(), Refusal> {
        let batch = &mut self.batch;
        self.layer = layer - 1;
        self.below.clear();
        batch.survey = Some(Survey::default());
        batch.load([state], layer, &1);
        batch.expand(&self.scale, layer, &self.limits, None)?;
        let nodes = 1..batch.tree.nodes.len() as u32;
        let is_open = |&node: &u32| batch.tree.nodes[node as usize].is_open();
        self.below.extend(nodes.filter(is_open));
        Ok(())
    }

    /// How many nodes the last state made.
    pub fn nodes(&self) -> usize {
        self.batch.tree.nodes.len()
    }

    /// The shares that occurred in the last state.
    pub fn shares(&self) -> &[NewShare] {
        self.batch
            .survey
            .as_ref()
            .map_or(&[], |survey| &survey.shares)
    }

    /// Whether the last state had no value, or one that follows has none.
    pub fn has_flaw(&self) -> bool {
        let survey = self.batch.survey.as_ref();
        survey.is_some_and(|survey| survey.flaw.is_some())
    }

    /// How many states follow: those in which play goes on.
    pub fn len(&self) -> usize {
        self.below.len()
    }

    /// Whether play is over in any case.
    pub fn is_empty(&self) -> bool {
        self.below.is_empty()
    }

    /// The words of one of the states that follow.
    pub fn state(&self, number: usize) -> &[u64] {
        let rows = self.batch.game.rows(self.layer);
        self.batch.tree.state(self.below[number] as usize, rows)
    }

    pub fn key(&mut self, number: usize) -> &[u64] {
        let (node, layer) = (self.below[number] as usize, self.layer);
        let Batch { game, tree, .. } = &mut self.batch;
        set_key(*game, tree, node, layer);
        tree.key(node, game.rows(layer))
    }
}
