//! Batches: states of one layer that are expanded together, so that the lanes of words are in use.

use crate::afterstates::{AfterstateLookup, Afterstates, TreeAfterstates};
use crate::denominators::Scale;
use crate::expansion::{Expansion, Refusal, Survey};
use crate::game::StochasticGame;
use crate::tree::Tree;
use base::value::Numerator;
use limits::Limits;

/// States that are expanded together, and their successors.
pub struct Batch<'a, G: StochasticGame, N> {
    pub game: &'a G,
    /// The states, and their successors.
    pub tree: Tree<N>,
    /// The nodes of the states.
    pub roots: Vec<u32>,
    /// About how many nodes follow from a state.
    pub width: usize,
    /// The most nodes that the tree may have.
    pub max_nodes: usize,
    /// Whether some play was not over though nothing is left to do.
    pub cuts_off: bool,
    /// The findings of a survey; none if weights and values are wanted.
    pub survey: Option<Survey>,
    /// The afterstates that were met, if they are searched for.
    pub met: Option<TreeAfterstates>,
    /// Working memory of the game, once it was needed.
    pub workspace: Option<G::Workspace>,
}

impl<'a, G: StochasticGame, N: Numerator> Batch<'a, G, N> {
    /// About how many nodes follow from a state, before any was expanded.
    pub(crate) const FIRST_WIDTH: usize = 8;

    /// Nodes that are made together, about.
    pub(crate) const NODES: usize = 1 << 11;

    pub fn new(game: &'a G, max_nodes: usize) -> Self {
        Batch {
            game,
            tree: Tree::default(),
            roots: Vec::new(),
            width: Self::FIRST_WIDTH,
            max_nodes,
            cuts_off: false,
            survey: None,
            met: None,
            workspace: None,
        }
    }

    /// Without states, for surveys.
    pub fn surveying(game: &'a G, max_nodes: usize) -> Self {
        let mut batch = Batch::new(game, max_nodes);
        batch.survey = Some(Survey::default());
        batch
    }

    /// Makes the tree one of some states of a layer, each worth at most `one`.
    pub fn load<'s>(&mut self, states: impl IntoIterator<Item = &'s [u64]>, layer: usize, one: &N) {
        let rows = self.game.rows(layer);
        self.tree.clear();
        self.roots.clear();
        for state in states {
            self.roots
                .push(self.tree.add_root(state, rows, one.clone()));
        }
    }

    /// Loads the next ones of some states, one behind the other in `states`: as many as are worth expanding together. Whether there were any.
    pub fn load_next(&mut self, states: &mut &[u64], layer: usize, one: &N) -> bool {
        let words = self.game.rows(layer).state;
        let count = (Self::NODES / self.width)
            .clamp(1, 64)
            .min(states.len() / words);
        let (now, later) = states.split_at(words * count);
        *states = later;
        self.load(now.chunks_exact(words), layer, one);
        count > 0
    }

    /// Expands the states, which stand in a layer. If afterstates are searched for, `known` are those of earlier trees.
    pub fn expand(
        &mut self,
        scale: &Scale<N>,
        layer: usize,
        limits: &Limits,
        known: Option<&Afterstates>,
    ) -> Result<(), Refusal> {
        let before = self.tree.nodes.len();
        let mut expansion = Expansion {
            rows: self.game.rows(layer - 1),
            layer,
            limits,
            cuts_off: false,
            scale,
            max_nodes: self.max_nodes,
            survey: self.survey.as_mut(),
            afterstates: known
                .zip(self.met.as_mut())
                .map(|(known, met)| AfterstateLookup { known, met }),
            tree: &mut self.tree,
        };
        let game = self.game;
        let workspace = self.workspace.get_or_insert_with(|| game.workspace());
        let expanded = game.expand(&self.roots, workspace, &mut expansion);
        self.cuts_off |= expansion.cuts_off;
        expanded?;
        let width = (self.tree.nodes.len() - before).div_ceil(self.roots.len());
        self.width = (3 * self.width + width).div_ceil(4).max(1);
        self.tree.note_ends(&self.roots);
        Ok(())
    }
}
