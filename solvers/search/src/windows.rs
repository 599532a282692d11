//! Alpha-beta windows: the leaf of a state's tree that is needed next, and the values of it that must be told apart.
//!
//! The *window* of a question says which values are told apart: all up to `alpha` are alike, and all
//! from `beta`. Below a maximum, alpha rises to what is already sure; below a minimum, beta falls
//! (alpha-beta, Knuth and Moore 1975). Below a mean, the window of a node follows from what the others
//! contribute at most and at least (Star1, Ballard 1983).
//!
//! Nothing of a search in progress is kept but bounds. So the search walks down from the state each time
//! ([`next_leaf`]), takes at each node the choice that promises most, and so finds the leaf to
//! search; when more is known of that leaf, the bounds above it follow, and it walks again.

use arena::{Kind, NO_CHOICE, NO_NODE, Node, Tree};
use base::value::Numerator;

/// The next step in answering a question.
pub enum Next<N> {
    /// The bounds of the state answer it.
    Settled,
    /// This leaf is searched, with this window.
    Leaf(usize, N, N),
}

/// A guide to good choices.
pub trait Guide<N> {
    /// The score of a node: how good it seems to the maximizer.
    fn score(&self, node: &Node<N>) -> u32;
    /// Whether another thread searches the state of a node.
    fn is_busy(&self, tree: &Tree<N>, node: usize) -> bool;
}

/// The leaf to search next so that the bounds of an expanded state answer a question.
///
/// At each node something below is open for its window, because the node is: a maximum whose upper
/// bound is above the window has a node below whose upper bound is, and so on.
pub fn next_leaf<N: Numerator>(
    tree: &mut Tree<N>,
    state: usize,
    mut alpha: N,
    mut beta: N,
    guide: &impl Guide<N>,
) -> Next<N> {
    if tree.nodes[state].answers(&alpha, &beta) {
        return Next::Settled;
    }
    let mut node = state;
    loop {
        let here = &tree.nodes[node];
        let chosen = match here.kind {
            Kind::Leaf => unreachable!("known values are settled"),
            Kind::Max => {
                raise(&mut alpha, &here.lower);
                choose(
                    tree,
                    here,
                    guide,
                    |below| below.upper > alpha,
                    |score| score,
                )
            }
            Kind::Min => {
                reduce(&mut beta, &here.upper);
                choose(
                    tree,
                    here,
                    guide,
                    |below| below.lower < beta,
                    |score| !score,
                )
            }
            Kind::Mean => {
                let chosen = choose_outcome(tree, here, guide);
                // More may be known of a state than follows from the nodes below.
                let (lower, upper) = match here.is_state() {
                    true => tree.mean(here),
                    false => (here.lower.clone(), here.upper.clone()),
                };
                let below = &tree.nodes[chosen];
                // The most and the least that the other nodes contribute.
                let most = upper.minus(&below.weight.times(&below.upper));
                let least = lower.minus(&below.weight.times(&below.lower));
                alpha = match alpha > most {
                    true => alpha.minus(&most).divided_down(&below.weight),
                    false => N::zero(),
                };
                beta = beta.minus(&least).divided_up(&below.weight);
                chosen
            }
        };
        tree.nodes[node].current = chosen as u32;
        if tree.nodes[chosen].is_state() {
            return Next::Leaf(chosen, alpha, beta);
        }
        node = chosen;
    }
}

/// The node below to search: the one searched so far if it is still open, else the open one of the
/// highest merit; one that another thread searches only if all are.
fn choose<N: Numerator>(
    tree: &Tree<N>,
    here: &Node<N>,
    guide: &impl Guide<N>,
    is_open: impl Fn(&Node<N>) -> bool,
    merit: impl Fn(u32) -> u32,
) -> usize {
    if here.current != NO_NODE && is_open(&tree.nodes[here.current as usize]) {
        return here.current as usize;
    }
    let mut best = (usize::MAX, (false, 0));
    for node in here.below() {
        let below = &tree.nodes[node];
        if is_open(below) {
            let found = (!guide.is_busy(tree, node), merit(guide.score(below)));
            if best.0 == usize::MAX || found > best.1 {
                best = (node, found);
            }
        }
    }
    best.0
}

/// The outcome of chance to search: the one searched so far if it is still open. Else, where the game
/// numbers outcomes, the one whose values were lowest so far: most means stand below a maximum and are
/// worse than what it already has, and bad news shows that soonest. Else the one about which most is
/// unknown.
fn choose_outcome<N: Numerator>(tree: &Tree<N>, here: &Node<N>, guide: &impl Guide<N>) -> usize {
    if here.current != NO_NODE && !tree.nodes[here.current as usize].is_known() {
        return here.current as usize;
    }
    let mut best = (usize::MAX, (false, 0, N::zero()));
    for node in here.below() {
        let below = &tree.nodes[node];
        if !below.is_known() {
            let score = match below.branch {
                NO_CHOICE => 0,
                _ => !guide.score(below),
            };
            let open = below.weight.times(&below.upper.minus(&below.lower));
            let found = (!guide.is_busy(tree, node), score, open);
            if best.0 == usize::MAX || found > best.1 {
                best = (node, found);
            }
        }
    }
    best.0
}

fn raise<N: Numerator>(number: &mut N, other: &N) {
    if other > number {
        *number = other.clone();
    }
}

fn reduce<N: Numerator>(number: &mut N, other: &N) {
    if other < number {
        *number = other.clone();
    }
}
