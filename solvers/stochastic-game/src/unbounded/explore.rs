//! From a game that says what follows from states to its graph: all states that can be reached.
//!
//! Steps are not counted: a state is its key. The game must be stationary, and in each step first the maximiser, then the
//! minimiser, then chance decides.

use super::arena::{Arena, ArenaError, Builder, Target};
use super::solve::Game;
use crate::denominators::{Denominators, Scale};
use crate::expansion::{Expansion, Refusal};
use crate::game::{StochasticGame, set_key};
use crate::tree::{Kind, Tree};
use limits::{Halt, StopReason, Watch};
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use rustc_hash::FxHashMap;
use std::fmt;
use value::{Numerator, fraction};

/// The layer that all states are expanded in: not the last one, where play is cut off.
const LAYER: usize = 2;

/// States that are expanded together.
const BATCH: usize = 64;

/// The most nodes that may follow from a batch.
const MAX_NODES: usize = 1 << 24;

/// Bytes of memory for a state beside its words, and for an outcome.
const STATE_BYTES: u64 = 64;
const OUTCOME_BYTES: u64 = 40;

/// Why a game has no graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unexplored {
    /// A limit was reached.
    Stopped(StopReason),
    /// This state (its words), or what follows from it, has no value.
    Flaw(Box<[u64]>),
    /// Chance decides before a player, or the game is not stationary.
    Order,
    /// The chances of one step, multiplied, have a denominator of more than 64 bits; or one state has too many successors.
    TooLarge,
    /// The graph is too large.
    Graph(ArenaError),
}

impl fmt::Display for Unexplored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unexplored::Stopped(StopReason::Time) => write!(f, "out of time while listing states"),
            Unexplored::Stopped(StopReason::Memory) => {
                write!(f, "out of memory while listing states")
            }
            Unexplored::Stopped(StopReason::Interrupted) => {
                write!(f, "interrupted while listing states")
            }
            Unexplored::Flaw(_) => write!(f, "a state that can be reached has no value"),
            Unexplored::Order => write!(
                f,
                "states can only be listed without steps if in each step the maximiser, the minimiser \
                 and chance decide in this order, and all steps are alike"
            ),
            Unexplored::TooLarge => write!(
                f,
                "a state has too many successors, or chances with a denominator of more than 64 bits"
            ),
            Unexplored::Graph(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Unexplored {}

impl From<StopReason> for Unexplored {
    fn from(reason: StopReason) -> Self {
        Unexplored::Stopped(reason)
    }
}

/// The graph of a game, and which state has which key.
#[derive(Debug)]
pub struct Explored {
    /// The graph; play begins in state 0.
    pub game: Game,
    numbers: FxHashMap<Box<[u64]>, u32>,
}

impl Explored {
    /// The number of the state with a key, if it can be reached.
    pub fn number(&self, key: &[u64]) -> Option<usize> {
        self.numbers.get(key).map(|&number| number as usize)
    }
}

/// Lists all states that can be reached from one, which is given by its words.
///
/// # Errors
/// Why that cannot be done.
pub fn explore<G: StochasticGame>(
    game: &G,
    state: &[u64],
    watch: &mut Watch<'_>,
) -> Result<Explored, Unexplored> {
    if !game.is_stationary() {
        return Err(Unexplored::Order);
    }
    let rows = game.rows(LAYER);
    let mut explorer = Explorer {
        game,
        tree: Tree::default(),
        numbers: FxHashMap::default(),
        words: Vec::new(),
        builder: Builder::default(),
        payoffs: Vec::new(),
        ends: FxHashMap::default(),
    };
    let mut denominators = Denominators::default();
    denominators.grow(game, LAYER);
    let mut scale = explorer.scale(&denominators)?;
    let mut workspace = game.workspace();
    let clock = watch.clock().clone();
    let halt = Halt::new(&clock, None);
    explorer.tree.add_root(state, rows, scale.ones[LAYER]);
    explorer.number(0);
    let (mut next, mut width) = (0, BATCH);
    while next * rows.state < explorer.words.len() {
        let listed = explorer.words.len() / rows.state;
        let words = 8 * (2 * rows.key + rows.state) as u64;
        let bytes = listed as u64 * (words + STATE_BYTES)
            + explorer.builder.outcomes() as u64 * OUTCOME_BYTES;
        watch.check(bytes)?;
        watch.look_and_tell("listing states", listed as u64, bytes, || None)?;
        explorer.tree.clear();
        let batch: Vec<u32> = (next..listed.min(next + width))
            .map(|place| {
                let words = &explorer.words[place * rows.state..][..rows.state];
                explorer.tree.add_root(words, rows, scale.ones[LAYER])
            })
            .collect();
        let tree = &mut explorer.tree;
        let mut expansion = Expansion::new(tree, &scale, LAYER, rows, &halt, MAX_NODES);
        match game.expand(&batch, &mut workspace, &mut expansion) {
            Ok(()) => {}
            Err(Refusal::NewShare(share)) => {
                denominators.add(share);
                scale = explorer.scale(&denominators)?;
                continue;
            }
            Err(Refusal::TooLarge) if width > 1 => {
                width = 1;
                continue;
            }
            Err(Refusal::TooLarge) => return Err(Unexplored::TooLarge),
            Err(Refusal::Flaw(node)) => {
                return Err(Unexplored::Flaw(
                    explorer.tree.state(node as usize, rows).into(),
                ));
            }
            Err(Refusal::Stopped(reason)) => {
                let reason = reason.unwrap_or(StopReason::Interrupted);
                return Err(Unexplored::Stopped(reason));
            }
        }
        for &root in &batch {
            explorer.add(root, &scale)?;
        }
        next += batch.len();
    }
    let Explorer {
        numbers,
        builder,
        payoffs,
        ..
    } = explorer;
    let arena: Arena = builder.finish(payoffs.len()).map_err(Unexplored::Graph)?;
    let game = Game::new(arena, payoffs).expect("ends are worth 0 to 1");
    Ok(Explored { game, numbers })
}

struct Explorer<'a, G> {
    game: &'a G,
    tree: Tree<u128>,
    numbers: FxHashMap<Box<[u64]>, u32>,
    /// The words of all states.
    words: Vec<u64>,
    builder: Builder,
    payoffs: Vec<BigRational>,
    /// The number of each end by its worth, as the tree has it, and by the sites of chance that it stands behind.
    ends: FxHashMap<(u128, u16), u32>,
}

impl<G: StochasticGame> Explorer<'_, G> {
    /// What the tree counts in from now on.
    fn scale(&mut self, denominators: &Denominators) -> Result<Scale<u128>, Unexplored> {
        self.ends.clear();
        Scale::new(self.game, denominators, LAYER, |_| true).map_err(|_| Unexplored::TooLarge)
    }

    /// The number of the state at a node.
    fn number(&mut self, node: usize) -> u32 {
        let rows = self.game.rows(LAYER);
        set_key(self.game, &mut self.tree, node, LAYER);
        let key = self.tree.key(node, rows);
        if let Some(&number) = self.numbers.get(key) {
            return number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(key.into(), number);
        self.words.extend_from_slice(self.tree.state(node, rows));
        number
    }

    /// Adds a state that was expanded to the graph.
    fn add(&mut self, root: u32, scale: &Scale<u128>) -> Result<(), Unexplored> {
        self.builder.state();
        for alternative in self.flat(root, Kind::Max) {
            self.builder.alternative();
            for reply in self.flat(alternative, Kind::Min) {
                self.builder.reply();
                // Means of means are means.
                let mut pending = vec![(reply, 1u64)];
                while let Some((node, weight)) = pending.pop() {
                    let found = &self.tree.nodes[node as usize];
                    match found.kind {
                        Kind::Leaf => {
                            let target = self.target(node, scale);
                            self.builder.outcome(target, weight);
                        }
                        Kind::Mean => {
                            for node in found.below() {
                                let more = self.tree.nodes[node].weight.to_u64();
                                let product = more.and_then(|more| more.checked_mul(weight));
                                let product = product.ok_or(Unexplored::TooLarge)?;
                                pending.push((node as u32, product));
                            }
                        }
                        Kind::Max | Kind::Min => return Err(Unexplored::Order),
                    }
                }
            }
        }
        Ok(())
    }

    /// What a player chooses from at a node: the nodes below, if it is the player's, and so on.
    fn flat(&self, node: u32, kind: Kind) -> Vec<u32> {
        let (mut pending, mut flat) = (vec![node], Vec::new());
        while let Some(node) = pending.pop() {
            let found = &self.tree.nodes[node as usize];
            match found.kind == kind {
                true => pending.extend(found.below().rev().map(|node| node as u32)),
                false => flat.push(node),
            }
        }
        flat
    }

    /// Where a leaf leads.
    fn target(&mut self, node: u32, scale: &Scale<u128>) -> Target {
        let found = &self.tree.nodes[node as usize];
        if found.is_state() {
            return Target::State(self.number(node as usize));
        }
        // A value counts in parts of the 1 of its place: of what chance has still to decide.
        let (worth, level) = (found.lower, found.level);
        if let Some(&end) = self.ends.get(&(worth, level)) {
            return Target::End(end);
        }
        let sites = usize::from(level)..self.game.sites(LAYER).len();
        let factors = sites.map(|site| scale.denominator(LAYER, site).to_big());
        let one = factors.fold(scale.ones[LAYER - 1].to_big(), |one, factor| one * factor);
        let value = fraction(BigUint::from(worth), one);
        let known = self.payoffs.iter().position(|payoff| *payoff == value);
        let end = known.unwrap_or_else(|| {
            self.payoffs.push(value);
            self.payoffs.len() - 1
        });
        self.ends.insert((worth, level), end as u32);
        Target::End(end as u32)
    }
}
