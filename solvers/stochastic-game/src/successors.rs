//! The states that follow from one state, for those who only want to know which there are.

use crate::denominators::{NewShare, Scale};
use crate::expansion::{Expansion, Refusal};
use crate::game::{StochasticGame, set_key};
use crate::tree::Tree;
use limits::Halt;

/// Lists what follows from states.
pub struct Successors<'a, G: StochasticGame> {
    game: &'a G,
    workspace: G::Workspace,
    tree: Tree<u64>,
    scale: Scale<u64>,
    halt: Halt<'a>,
    max_nodes: usize,
    below: Vec<u32>,
    /// The layer of what follows.
    layer: usize,
    /// How many nodes the last state made.
    pub nodes: usize,
    /// The shares that occurred in the last state.
    pub shares: Vec<NewShare>,
    /// Whether the last state had no value, or one that follows has none.
    pub has_flaw: bool,
}

impl<'a, G: StochasticGame> Successors<'a, G> {
    /// For states from which at most `max_nodes` nodes follow.
    pub fn new(game: &'a G, max_nodes: usize, halt: Halt<'a>) -> Self {
        Successors {
            game,
            workspace: game.workspace(),
            tree: Tree::default(),
            scale: Scale::blank(game),
            halt,
            max_nodes,
            below: Vec::new(),
            layer: 0,
            nodes: 0,
            shares: Vec::new(),
            has_flaw: false,
        }
    }

    /// Lists what follows from a state of a layer. Play ends where there is a flaw.
    ///
    /// # Errors
    /// If there is too much to hold, or it is time to end.
    pub fn list(&mut self, state: &[u64], layer: usize) -> Result<(), Refusal> {
        self.layer = layer - 1;
        self.tree.clear();
        let root = self.tree.add_root(state, self.game.rows(layer), 1);
        let rows = self.game.rows(layer - 1);
        let (tree, halt) = (&mut self.tree, &self.halt);
        let mut expansion = Expansion::new(tree, &self.scale, layer, rows, halt, self.max_nodes);
        self.shares.clear();
        expansion.survey = Some(std::mem::take(&mut self.shares));
        let expanded = self
            .game
            .expand(&[root], &mut self.workspace, &mut expansion);
        self.has_flaw = expansion.flaw.is_some();
        self.shares = expansion.survey.take().expect("it was put there");
        self.nodes = self.tree.nodes.len();
        self.tree.note_ends(&[root]);
        let all = self.tree.all_below(root as usize);
        self.below.clear();
        let tree = &self.tree;
        let is_open = |node: &u32| {
            let found = &tree.nodes[*node as usize];
            found.is_state() && !found.is_known()
        };
        self.below
            .extend(all.map(|node| node as u32).filter(is_open));
        expanded
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
        let rows = self.game.rows(self.layer);
        self.tree.state(self.below[number] as usize, rows)
    }

    /// Its key.
    pub fn key(&mut self, number: usize) -> &[u64] {
        let (node, layer) = (self.below[number] as usize, self.layer);
        set_key(self.game, &mut self.tree, node, layer);
        self.tree.key(node, self.game.rows(layer))
    }
}
