//! What is known about one node of the path, and the arithmetic of bounds and windows.
//!
//! The *window* of a node says which values its parent distinguishes: all up to `alpha` are alike
//! to it, and all from `beta`. A maximum is settled when its lower bound reaches `beta`, a minimum
//! when its upper bound reaches `alpha` (alpha-beta). A mean is settled when what the branches
//! contribute at least reaches `beta`, or what they can still contribute at most falls to `alpha`;
//! the window of one branch follows from what the others contribute (Star1).
//!
//! All numbers of a node are parts of its own 1. For chance, the 1 of a node is the denominator of
//! the decision times the 1 below.

use super::branches::Branch;
use formula::Quantifier;
use std::rc::Rc;
use value::Numerator;

/// The state of one node.
#[derive(Clone, Debug)]
pub struct Frame<N> {
    /// Values up to this are alike to the parent.
    pub alpha: N,
    /// Values from this are alike to the parent.
    pub beta: N,
    /// At a cut, bounds from the table. At a choice, the maximum or minimum over the bounds of the
    /// branches tried; for chance, bounds of the whole.
    pub lower: N,
    /// See `lower`.
    pub upper: N,
    /// At a choice: the branches, in the order in which they are tried.
    pub branches: Vec<Branch>,
    /// How many of the branches were tried; the last of these may still be under way.
    pub tried: usize,
    /// For chance: the weights of the branches.
    weights: Rc<[N]>,
}

impl<N: Numerator> Frame<N> {
    /// A frame that was not used yet.
    pub fn new() -> Self {
        Frame {
            alpha: N::zero(),
            beta: N::zero(),
            lower: N::zero(),
            upper: N::zero(),
            branches: Vec::new(),
            tried: 0,
            weights: Rc::new([]),
        }
    }

    /// Begins a choice whose branches are listed.
    pub fn begin(&mut self, quantifier: Quantifier, one: N, weights: Rc<[N]>) {
        self.tried = 0;
        self.weights = weights;
        (self.lower, self.upper) = match quantifier {
            Quantifier::Exists => (N::zero(), N::zero()),
            Quantifier::Forall => (one.clone(), one),
            Quantifier::Chance => (N::zero(), one),
        };
    }

    /// Whether the bounds found so far settle what the parent wants to know.
    pub fn is_settled(&self, quantifier: Quantifier) -> bool {
        match quantifier {
            Quantifier::Exists => self.lower >= self.beta,
            Quantifier::Forall => self.upper <= self.alpha,
            Quantifier::Chance => self.lower >= self.beta || self.upper <= self.alpha,
        }
    }

    /// The window of the branch that is tried now.
    pub fn window_below(&self, quantifier: Quantifier, one_below: &N) -> (N, N) {
        let (alpha, beta) = (self.alpha.clone(), self.beta.clone());
        match quantifier {
            Quantifier::Exists => (alpha.max(self.lower.clone()), beta),
            Quantifier::Forall => (alpha, beta.min(self.upper.clone())),
            Quantifier::Chance => {
                let weight = &self.weights[self.tried - 1];
                // The upper bound still counts this branch as 1.
                let others = self.upper.minus(&weight.times(one_below));
                let alpha = if alpha > others {
                    alpha.minus(&others).divided_down(weight)
                } else {
                    N::zero()
                };
                let beta = beta.minus(&self.lower).divided_up(weight);
                (alpha, beta.min(one_below.clone()))
            }
        }
    }

    /// Takes the bounds of the branch tried last into account.
    pub fn absorb(&mut self, quantifier: Quantifier, one_below: &N, lower: &N, upper: &N) {
        match quantifier {
            Quantifier::Exists => {
                raise(&mut self.lower, lower);
                raise(&mut self.upper, upper);
            }
            Quantifier::Forall => {
                reduce(&mut self.lower, lower);
                reduce(&mut self.upper, upper);
            }
            Quantifier::Chance => {
                let weight = &self.weights[self.tried - 1];
                let missing = weight.times(&one_below.minus(upper));
                self.lower = self.lower.plus(&weight.times(lower));
                self.upper = self.upper.minus(&missing);
            }
        }
    }

    /// Bounds of the value of a choice, whether or not all branches were tried.
    pub fn bounds(&self, quantifier: Quantifier, one: &N) -> (N, N) {
        let (lower, upper) = (self.lower.clone(), self.upper.clone());
        let all_tried = self.tried == self.branches.len();
        match quantifier {
            Quantifier::Exists if !all_tried => (lower, one.clone()),
            Quantifier::Forall if !all_tried => (N::zero(), upper),
            _ => (lower, upper),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_asks_its_branches_only_what_it_needs() {
        let mut frame = Frame::<u64>::new();
        frame.branches = vec![
            Branch {
                pattern: 0,
                decided: 1,
            },
            Branch {
                pattern: 1,
                decided: 1,
            },
        ];
        // Weights 1/4 and 3/4, values below in tenths: 1 is 40. Is the value below 13 or above 26?
        frame.begin(Quantifier::Chance, 40, [1, 3].into());
        (frame.alpha, frame.beta) = (13, 26);
        frame.tried = 1;
        assert_eq!(frame.window_below(Quantifier::Chance, &10), (0, 10));
        frame.absorb(Quantifier::Chance, &10, &5, &5);
        assert_eq!((frame.lower, frame.upper), (5, 35));
        frame.tried = 2;
        // At most 2 gives at most 11 in all, and at least 7 gives at least 26.
        assert_eq!(frame.window_below(Quantifier::Chance, &10), (2, 7));
        frame.absorb(Quantifier::Chance, &10, &7, &10);
        assert!(frame.is_settled(Quantifier::Chance));
    }
}
