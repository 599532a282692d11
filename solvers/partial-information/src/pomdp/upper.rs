//! Upper bounds by interpolation: a belief that was not expanded is a mixture of an expanded one and of certain ones (the sawtooth of Hauskrecht 2000). As
//! values are convex, a lottery over the parts is no worse for the agent.

use crate::pomdp::graph::{BeliefGraph, float};
use limits::StopReason;
use num_rational::BigRational;
use num_traits::Zero;

/// A belief as a mixture.
#[derive(Clone)]
pub(crate) struct Lottery {
    /// The expanded belief in it; none if all are certain.
    pub(crate) point: Option<u32>,
    /// Beliefs, and their chances, whose sum is one.
    pub(crate) parts: Vec<(u32, BigRational)>,
}

impl BeliefGraph<'_> {
    /// Makes the lotteries, each with the point that gives the lowest bound.
    pub(crate) fn mix(&mut self) -> Result<(), StopReason> {
        let bounds: Vec<f64> = self.solution.upper.iter().map(float).collect();
        for node in 0..self.beliefs.len() {
            self.watch.check_limits()?;
            if self.is_expanded(node) || self.beliefs[node].len() == 1 {
                self.lotteries[node] = None;
                continue;
            }
            let sure = |&(state, _): &(u32, _)| match self.corners.get(&state) {
                Some(&corner) if (corner as usize) < bounds.len() => bounds[corner as usize],
                _ => float(&self.seeing[state as usize]),
            };
            let corners: Vec<f64> = self.beliefs[node].iter().map(sure).collect();
            let mixed = |shares: &[f64]| -> f64 {
                let worths = shares.iter().zip(&corners);
                worths.map(|(share, corner)| share * corner).sum()
            };
            let own = &self.shares[node];
            let mut best = (0.0, None);
            for &other in self.alike(node) {
                let shares = &self.shares[other as usize];
                // The gain for each part of the point, and the largest such part.
                let gain = mixed(shares) - bounds[other as usize];
                if gain > 0.0 {
                    let parts = own.iter().zip(shares).map(|(own, other)| own / other);
                    let gain = gain * parts.fold(f64::INFINITY, f64::min);
                    if gain > best.0 {
                        best = (gain, Some(other));
                    }
                }
            }
            let known = self.lotteries[node].as_ref();
            if known.is_none_or(|known| known.point != best.1) {
                let lottery = self.lottery(node, best.1);
                self.lotteries[node] = Some(lottery);
            }
        }
        Ok(())
    }

    /// Bounds the beliefs that were not expanded by their lotteries.
    pub(crate) fn bound_lotteries(&mut self) -> Result<(), StopReason> {
        let upper = &mut self.solution.upper;
        for (node, lottery) in self.lotteries.iter().enumerate() {
            self.watch.check_limits()?;
            if let Some(Lottery { parts, .. }) = lottery {
                let worths = parts
                    .iter()
                    .map(|(part, share)| share * &upper[*part as usize]);
                let mixed = worths.sum::<BigRational>();
                if mixed < upper[node] {
                    upper[node] = mixed;
                }
            }
        }
        Ok(())
    }

    /// The lottery that a belief is: the largest share of a point that fits into it, and states for sure with the rest.
    fn lottery(&mut self, node: usize, point: Option<u32>) -> Lottery {
        let own = self.exact_shares(node);
        let mut parts = Vec::new();
        let mut rest = own.clone();
        if let Some(point) = point {
            let other = self.exact_shares(point as usize);
            let most = own.iter().zip(&other).map(|(own, other)| own / other).min();
            let most = most.unwrap_or_default();
            for (rest, other) in rest.iter_mut().zip(other) {
                *rest -= other * &most;
            }
            parts.push((point, most));
        }
        for (place, share) in rest.into_iter().enumerate() {
            if !share.is_zero() {
                parts.push((self.corner(self.beliefs[node][place].0), share));
            }
        }
        Lottery { point, parts }
    }
}
