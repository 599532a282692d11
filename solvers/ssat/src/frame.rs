//! One component on the path of the search: its window, and the bounds of its branches so far.
//!
//! Bounds are in parts of the component's `one`. A *window* (alpha, beta) is the question asked: it
//! is settled by the exact value, by an upper bound that is at most alpha, or by a lower bound that
//! is at least beta. Each branch is asked only what its node needs to know (alpha-beta for players,
//! Star1 for chance), and each component of a product only what the product needs.

use super::component::Component;
use super::deduction::Mark;
use super::store::ClauseId;
use super::trace::{NodeId, Proof};
use base::value::Numerator;
use formula::Lit;
use std::ops::Range;

/// A lower and an upper bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds<N> {
    pub lower: N,
    pub upper: N,
    /// The proof of the bounds, if it is written down.
    pub proof: Proof,
}

impl<N: Numerator> Bounds<N> {
    /// Bounds that need no proof, or of which none is written down.
    pub fn between(lower: N, upper: N) -> Self {
        let proof = Proof::default();
        Bounds {
            lower,
            upper,
            proof,
        }
    }
    pub fn exactly(value: N) -> Self {
        Bounds::between(value.clone(), value)
    }

    /// Whether these bounds answer the question.
    pub fn settle(&self, window: &Window<N>) -> bool {
        window.is_settled_by(&self.lower, &self.upper)
    }

    pub fn is_zero(&self) -> bool {
        self.upper == N::zero()
    }

    /// Takes over the closer ones of these and other bounds of the same value.
    pub fn narrow(&mut self, other: &Bounds<N>) {
        if other.lower > self.lower {
            self.lower = other.lower.clone();
            self.proof.lower = other.proof.lower;
        }
        if other.upper < self.upper {
            self.upper = other.upper.clone();
            self.proof.upper = other.proof.upper;
        }
    }
}

/// A question about a value: see above.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window<N> {
    pub alpha: N,
    pub beta: N,
}

impl<N: Ord> Window<N> {
    fn is_settled_by(&self, lower: &N, upper: &N) -> bool {
        lower == upper || *lower >= self.beta || *upper <= self.alpha
    }
}

/// The literals that a node decides.
pub enum Decisions {
    /// All of these in its only branch; at the root none.
    All(Vec<Lit>),
    /// One of these in each of two branches.
    Either([Lit; 2]),
}

impl Decisions {
    /// A literal in the first branch, and its negation in the second.
    pub fn either(first: Lit) -> Self {
        Decisions::Either([first, !first])
    }

    pub fn of(&self, branch: usize) -> &[Lit] {
        match self {
            Decisions::All(literals) => literals,
            Decisions::Either(pair) => &pair[branch..=branch],
        }
    }

    /// The one of a branch, where there are two.
    pub fn one(&self, branch: usize) -> Option<Lit> {
        match self {
            Decisions::All(_) => None,
            Decisions::Either(pair) => Some(pair[branch]),
        }
    }
}

/// How the values of branches give the value of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combine {
    /// There is one branch.
    Alone,
    /// The maximizer decides.
    Maximum,
    /// The minimizer decides.
    Minimum,
    /// Chance decides; the values have their weights in them.
    Mean,
    /// Branches exclude each other, so their values add: see [`super::defined`].
    Sum,
}

/// The decision of a node.
pub struct NextDecision {
    /// How the values of its branches give that of the node.
    pub combine: Combine,
    pub decisions: Decisions,
    /// Whether the maximizer wins the first branch by the known model.
    pub is_won: bool,
}

/// A component on the path, and the branch at work.
pub struct Frame<N> {
    pub component: Component<N>,
    pub window: Window<N>,
    /// Where its key for the cache stands among those of the path; empty if it has none.
    pub key: Range<usize>,
    /// The hash of the key, for other threads.
    pub hash: u64,
    /// About which part of the whole probability leads here, in a pass of a limited turn.
    pub probability: f64,
    /// The operation by which the branches give the value of the node.
    pub combine: Combine,
    pub decisions: Decisions,
    /// The branch at work.
    pub branch: usize,
    /// Whether the maximizer wins the first branch by the known model.
    pub is_won: bool,
    /// The bounds that the branches gave, or may give; the second one counts only if there are two.
    pub results: [Bounds<N>; 2],
    /// Where the trail, the lists of elements and of components end at this node.
    pub mark: Mark,
    pub elements: usize,
    pub pending: usize,
    /// Whether the branch at work has moved variables of the component to others.
    pub is_moved: bool,
    /// The question to the branch at work.
    pub branch_window: Window<N>,
    /// The product of the bounds that the branch has given so far.
    pub product: Bounds<N>,
    /// The proofs of the lower and the upper bounds of its components.
    pub proofs: [Vec<NodeId>; 2],
}

impl<N: Numerator> Frame<N> {
    /// The bounds of this node.
    pub fn bounds(&self) -> Bounds<N> {
        let [one, other] = &self.results;
        self.combined([one, other])
    }

    /// The same with these bounds of the branch at work.
    pub fn bounds_with(&self, branch: &Bounds<N>) -> Bounds<N> {
        let [one, other] = &self.results;
        let mut results = [one, other];
        results[self.branch] = branch;
        self.combined(results)
    }

    fn combined(&self, [one, other]: [&Bounds<N>; 2]) -> Bounds<N> {
        let both = |combine: fn(&N, &N) -> N| {
            let lower = combine(&one.lower, &other.lower);
            Bounds::between(lower, combine(&one.upper, &other.upper))
        };
        match self.combine {
            Combine::Alone => one.clone(),
            Combine::Maximum => both(|a, b| a.max(b).clone()),
            Combine::Minimum => both(|a, b| a.min(b).clone()),
            Combine::Mean => both(N::plus),
            Combine::Sum => {
                let Bounds { lower, upper, .. } = both(N::plus);
                Bounds::between(lower, upper.min(self.component.one.clone()))
            }
        }
    }

    /// Whether other threads may know its component: whether it has a key and decides one variable.
    pub fn is_shared(&self) -> bool {
        self.combine != Combine::Alone && !self.key.is_empty()
    }

    /// Whether nothing more needs to be tried.
    pub fn is_done(&self) -> bool {
        let [one, other] = &self.results;
        match self.combine {
            _ if self.branch == 1 => true,
            Combine::Alone => true,
            Combine::Maximum => {
                let upper = (&one.upper).max(&other.upper);
                self.window
                    .is_settled_by((&one.lower).max(&other.lower), upper)
            }
            Combine::Minimum => {
                let upper = (&one.upper).min(&other.upper);
                self.window
                    .is_settled_by((&one.lower).min(&other.lower), upper)
            }
            Combine::Mean | Combine::Sum => self.bounds().settle(&self.window),
        }
    }

    /// Sets the question for the branch at work.
    pub fn ask(&mut self) {
        let Window { alpha, beta } = self.window.clone();
        self.branch_window = match (self.combine, self.branch) {
            (Combine::Alone, _) | (Combine::Maximum | Combine::Minimum, 0) => {
                Window { alpha, beta }
            }
            (Combine::Maximum, _) => Window {
                alpha: alpha.max(self.results[0].lower.clone()),
                beta,
            },
            (Combine::Minimum, _) => Window {
                alpha,
                beta: beta.min(self.results[0].upper.clone()),
            },
            (Combine::Mean | Combine::Sum, branch) => {
                let other = &self.results[1 - branch];
                let less = |a: &N, b: &N| if a > b { a.minus(b) } else { N::zero() };
                Window {
                    alpha: less(&alpha, &other.upper),
                    beta: less(&beta, &other.lower).min(self.results[branch].upper.clone()),
                }
            }
        };
    }
}

/// A step of the search.
pub enum Step<N> {
    /// To a component, with a question.
    Enter(Component<N>, Window<N>),
    /// On with the branch at work of the last frame.
    Continue,
    /// Back from a component; a value of 0 may come with a clause that is false.
    Leave(Bounds<N>, Option<ClauseId>),
}
