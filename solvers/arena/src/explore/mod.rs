//! Exploration of a game: all states that can be reached, as the graph of a simple stochastic game.
//!
//! Steps are not counted: a state is its key. The game must be stationary, and in each step first the maximizer, then the
//! minimizer, then chance decides.

mod listing;

pub use self::listing::Listing;
use self::listing::lengths;
use crate::afterstates::Afterstates;
use crate::arena::{Arena, ArenaError, Builder, MAX_TOTAL, Target};
use crate::batch::Batch;
use crate::denominators::{Denominators, Scale};
use crate::expansion::Refusal;
use crate::frontier::{ExpansionContext, Frontier};
use crate::game::{StochasticGame, set_key};
use crate::payoffs::GameGraph;
use crate::trail::Trail;
use crate::tree::{Kind, Node, Tree};
use base::table::Interner;
use base::value::{Numerator, fraction};
use limits::{StopReason, Watch};
use num_bigint::BigUint;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::Zero;
use rustc_hash::FxHashMap;

/// The layer that all states are expanded in: not the last one, where play is cut off.
pub(super) const LAYER: usize = 2;

/// The most nodes that may follow from a batch; where memory is limited they may take this part of it.
const MAX_NODES: u64 = 1 << 24;
const TREE_SHARE: u64 = 4;

/// Bytes of memory for a state beside its words, and for an outcome, while states are listed: lists have room for
/// twice what is in them.
const STATE_BYTES: u64 = 68;
const OUTCOME_BYTES: u64 = 24;

/// The reason why a game has no graph.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unexplored {
    /// More states can be reached than were asked for.
    #[error("more states can be reached than were asked for")]
    TooMany,
    /// The states (their words) on the way to one that has no value, or is followed by a state that has none.
    #[error("a state that can be reached has no value")]
    Flaw(Trail),
    /// Chance decides before a player, or the game is not stationary.
    #[error(
        "states can only be listed without steps if in each step the maximizer, the minimizer and chance decide in this order, and all steps are alike"
    )]
    Order,
    /// The chances of one state, multiplied, have a denominator of more than 62 bits; or it has too many successors.
    #[error("a state has too many successors, or chances with a denominator of more than 62 bits")]
    TooLarge,
    /// The graph is too large.
    #[error("{0}")]
    Graph(ArenaError),
}

/// Lists all states that can be reached from one, which is given by its words. A limit leaves those that were listed by then.
/// The graph is the same with any number of threads; 0 is as many as there are cores. `goes_on` is asked now and then, by the number of
/// states listed so far, whether there may be more.
///
/// # Errors
/// The reason why that cannot be done; and if there may not be more.
pub fn explore<G: StochasticGame>(
    game: &G,
    state: &[u64],
    mut goes_on: impl FnMut(usize) -> bool,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<Listing, Unexplored> {
    if !game.is_stationary() {
        return Err(Unexplored::Order);
    }
    let rows = game.rows(LAYER);
    let mut explorer = Explorer {
        game,
        numbers: Interner::new(rows.key().len()),
        words: Vec::new(),
        parents: Vec::new(),
        builder: Builder::default(),
        payoffs: Vec::new(),
        ends: FxHashMap::default(),
        flat: Default::default(),
        pending: Vec::new(),
        outcomes: Vec::new(),
        afterstates: Some(Afterstates::default()),
    };
    let mut denominators = Denominators::default();
    denominators.grow(game, LAYER);
    let mut scale = explorer.scale(&denominators)?;
    let mut frontier = Frontier::new(game, LAYER, limits::thread_count(threads));
    let limits = watch.limits().clone();
    let mut tree = Tree::default();
    tree.add_root(state, rows, scale.ones[LAYER]);
    set_key(game, &mut tree, 0, LAYER);
    explorer.number(&tree, 0, 0);
    // The last state before which known denominators were forgotten. From then on states are expanded one by one.
    let mut alone = None;
    let mut stopped = None;
    let node_bytes = (size_of::<Node<u128>>() + 8 * rows.words()) as u64;
    let memory = limits.memory.unwrap_or(u64::MAX);
    let max_nodes = (memory / TREE_SHARE / node_bytes).min(MAX_NODES);
    while frontier.next * rows.state < explorer.words.len() {
        let listed = explorer.words.len() / rows.state;
        let words = 8 * (2 * rows.key + rows.state) as u64;
        let bytes = listed as u64 * (words + STATE_BYTES)
            + explorer.builder.outcomes() as u64 * OUTCOME_BYTES
            + explorer.afterstates.as_ref().map_or(0, Afterstates::bytes);
        if !goes_on(listed) {
            return Err(Unexplored::TooMany);
        }
        let told = watch.check_and_report("listing states", listed as u64, bytes, || None);
        stopped = told.and_then(|()| limits.check_memory(bytes)).err();
        if stopped.is_some() {
            break;
        }
        if explorer.afterstates.as_ref().is_some_and(|met| !met.pay()) {
            explorer.afterstates = None;
            frontier.forget();
        }
        let context = ExpansionContext {
            scale: &scale,
            afterstates: explorer.afterstates.as_ref(),
            limits: &limits,
            max_nodes: max_nodes as usize,
            batch_nodes: alone.map_or(usize::MAX, |_| 1),
            behind: LAYER,
            has_bounds: false,
        };
        let Some(mut taken) = frontier.take(&explorer.words, &context) else {
            break;
        };
        match taken.expanded {
            Ok(()) => {}
            Err(Refusal::NewShare(share)) => {
                denominators.add(share);
                scale = match explorer.scale(&denominators) {
                    // Those of one state can be short where those of all are not.
                    Err(Unexplored::TooLarge) if alone != Some(frontier.next) => {
                        alone = Some(frontier.next);
                        denominators = Denominators::default();
                        denominators.grow(game, LAYER);
                        explorer.scale(&denominators)?
                    }
                    scale => scale?,
                };
                frontier.forget();
                continue;
            }
            Err(Refusal::TooLarge) if max_nodes < MAX_NODES => {
                stopped = Some(StopReason::Memory);
                break;
            }
            Err(Refusal::TooLarge) => return Err(Unexplored::TooLarge),
            Err(Refusal::Flaw(node)) => {
                let index = taken.batch.roots.iter().position(|&root| root == node);
                let index = index.expect("flaws are those of states that were to be expanded");
                return Err(Unexplored::Flaw(explorer.trail(frontier.next + index)));
            }
            Err(Refusal::Stopped(reason)) => {
                stopped = Some(reason);
                break;
            }
        }
        if let (Some(afterstates), Some(met)) = (&mut explorer.afterstates, &mut taken.batch.met) {
            afterstates.join(met);
        }
        taken.touch(&explorer.numbers, LAYER);
        for (state, &root) in taken.states.clone().zip(&taken.batch.roots) {
            explorer.add(&taken.batch, root, state as u32, &scale)?;
        }
        frontier.recycle(taken);
    }
    if stopped.is_some() {
        explorer.leave_open(frontier.next);
    }
    let Explorer {
        numbers,
        builder,
        payoffs,
        ..
    } = explorer;
    let arena: Arena = builder.finish(payoffs.len()).map_err(Unexplored::Graph)?;
    let game = GameGraph::new(arena, payoffs).expect("ends are worth 0 to 1");
    Ok(Listing {
        lengths: lengths(game.arena(), numbers.len(), stopped.is_some()),
        game,
        stopped,
        numbers,
    })
}

struct Explorer<'a, G> {
    game: &'a G,
    numbers: Interner,
    /// The words of all states.
    words: Vec<u64>,
    /// For each state the one that it was first met after.
    parents: Vec<u32>,
    builder: Builder,
    /// The payoff of each end.
    payoffs: Vec<BigRational>,
    /// The number of each end by its worth, as the tree has it, and by the sites of chance that it stands behind.
    ends: FxHashMap<(u128, u16), u32>,
    /// Room for the alternatives of a state and the replies to one, and for outcomes with their weights.
    flat: [Vec<u32>; 2],
    pending: Vec<(u32, u128)>,
    outcomes: Vec<(Target, u128)>,
    /// Nothing if they do not pay.
    afterstates: Option<Afterstates>,
}

impl<G: StochasticGame> Explorer<'_, G> {
    /// The scale of the numbers in the tree from now on.
    fn scale(&mut self, denominators: &Denominators) -> Result<Scale<u128>, Unexplored> {
        self.ends.clear();
        Scale::new(self.game, denominators, LAYER, |_| true).map_err(|_| Unexplored::TooLarge)
    }

    /// The number of the state at a node, whose key is known, and which was met after another.
    fn number(&mut self, tree: &Tree<u128>, node: usize, parent: u32) -> u32 {
        let rows = self.game.rows(LAYER);
        let (key, hash) = (tree.key(node, rows), tree.hash(node, rows));
        let number = self.numbers.number_of_hash(key, hash);
        if number as usize == self.parents.len() {
            self.words.extend_from_slice(tree.state(node, rows));
            self.parents.push(parent);
        }
        number
    }

    /// The states on the way to one.
    fn trail(&self, number: usize) -> Trail {
        let words = self.game.rows(LAYER).state;
        let before = |&number: &usize| (number > 0).then(|| self.parents[number] as usize);
        let way = std::iter::successors(Some(number), before);
        let mut trail: Trail = way
            .map(|number| self.words[number * words..][..words].into())
            .collect();
        trail.reverse();
        trail
    }

    /// Lets all states from this one on lead to an end of their own, the last one.
    fn leave_open(&mut self, first: usize) {
        let end = self.payoffs.len();
        self.payoffs.push(BigRational::zero());
        for _ in first..self.numbers.len() {
            self.builder.state();
            self.builder.alternative();
            self.builder.reply();
            self.builder.outcome(Target::End(end as u32), 1);
        }
    }

    /// Adds a state that was expanded, with its number, to the graph.
    fn add(
        &mut self,
        batch: &Batch<'_, G, u128>,
        root: u32,
        parent: u32,
        scale: &Scale<u128>,
    ) -> Result<(), Unexplored> {
        let tree = &batch.tree;
        self.builder.state();
        let [mut alternatives, mut replies] = std::mem::take(&mut self.flat);
        let mut pending = std::mem::take(&mut self.pending);
        flatten(tree, root, Kind::Max, &mut alternatives);
        for &alternative in &alternatives {
            self.builder.alternative();
            flatten(tree, alternative, Kind::Min, &mut replies);
            for &reply in &replies {
                let number = self.builder.reply();
                if let (Some(all), Some(met)) = (&mut self.afterstates, &batch.met)
                    && let Some((afterstate, earlier)) = all.at(met, reply)
                {
                    if let Some(earlier) = earlier {
                        self.builder.same_outcomes(earlier);
                        continue;
                    }
                    all.set_reply(afterstate, number);
                }
                // Means of means are means.
                pending.push((reply, 1));
                while let Some((node, weight)) = pending.pop() {
                    let found = &tree.nodes[node as usize];
                    match found.kind {
                        Kind::Leaf => {
                            let target = self.target(tree, node, parent, scale);
                            self.outcomes.push((target, weight));
                        }
                        Kind::Mean => {
                            for node in found.below() {
                                let product = tree.nodes[node].weight.checked_mul(weight);
                                let product = product.ok_or(Unexplored::TooLarge)?;
                                pending.push((node as u32, product));
                            }
                        }
                        Kind::Max | Kind::Min => return Err(Unexplored::Order),
                    }
                }
                self.add_outcomes()?;
            }
        }
        self.flat = [alternatives, replies];
        self.pending = pending;
        Ok(())
    }

    /// Adds the outcomes of a reply, whose weights may be parts of the denominators of all states: they get shorter where they are long.
    fn add_outcomes(&mut self) -> Result<(), Unexplored> {
        let weights = self.outcomes.iter().map(|(_, weight)| weight);
        let common = match weights.clone().sum::<u128>() <= u128::from(MAX_TOTAL) {
            true => 1,
            false => weights.fold(0, |common, weight| weight.gcd(&common)),
        };
        for (target, weight) in self.outcomes.drain(..) {
            let weight = u64::try_from(weight / common).map_err(|_| Unexplored::TooLarge)?;
            self.builder.outcome(target, weight);
        }
        Ok(())
    }

    /// Where a leaf leads.
    fn target(&mut self, tree: &Tree<u128>, node: u32, parent: u32, scale: &Scale<u128>) -> Target {
        let found = &tree.nodes[node as usize];
        if found.is_state() {
            return Target::State(self.number(tree, node as usize, parent));
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
        let mut payoffs = self.payoffs.iter();
        let known = payoffs.position(|payoff| *payoff == value);
        let end = known.unwrap_or_else(|| {
            self.payoffs.push(value);
            self.payoffs.len() - 1
        });
        self.ends.insert((worth, level), end as u32);
        Target::End(end as u32)
    }
}

/// Lists what a player chooses from at a node: the nodes below, if it is the player's, and so on.
fn flatten(tree: &Tree<u128>, node: u32, kind: Kind, flat: &mut Vec<u32>) {
    flat.clear();
    flat.push(node);
    let mut index = 0;
    while index < flat.len() {
        let found = &tree.nodes[flat[index] as usize];
        match found.kind == kind {
            true => {
                let below = found.below().map(|node| node as u32);
                flat.splice(index..=index, below);
            }
            false => index += 1,
        }
    }
}
