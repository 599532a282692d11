//! Play without a last step: point-based bounds on a graph of beliefs that grows.
//!
//! A belief that comes up again is the same one, after however many steps. So if there are finitely many, the value is that of a
//! decision process whose states are seen, the beliefs (`process`). Else the graph grows where that brings the bounds of the start together (HSVI, Smith and
//! Simmons 2004). The beliefs that were expanded are *points* that bound all others: from above as parts of lotteries (`upper`), from below
//! since their plans go on elsewhere too (`lower`), as in SARSOP (Kurniawati, Hsu, Lee 2008). At first a belief is worth at least nothing, and at most what an agent
//! gets that sees all states from there on (the MDP approximation of Hauskrecht 2000).
//!
//! An action is dropped when its upper bound is below the lower bound of its belief. When nothing is left to grow, the bounds meet.

use crate::policy::FIRST;
use crate::pomdp::graph::{BeliefGraph, Halt};
use crate::pomdp::lower::Controller;
use crate::pomdp::model::{Ambiguous, Pomdp, PomdpState};
use crate::pomdp::process::{Ends, Side};
use crate::pomdp::solution::PomdpSolution;
use endless::{Builder, Options, Target, solve};
use limits::{Limits, Publisher, StopReason, Watch};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use std::ops::RangeInclusive;

/// The digits that chances leave room for.
const DIGITS: RangeInclusive<u32> = 12..=14;

/// Solves a process in which all steps count and play may come back to a state. The value is exact if best play leads to finitely many
/// beliefs whose chances are short fractions; else the work ends when the bounds agree in so many decimal digits, from 12 to 14, or at a limit. Bounds
/// are published on the way.
///
/// # Errors
/// If states that cannot be told apart have different actions.
pub fn solve_endless(
    model: &Pomdp,
    digits: u32,
    limits: &Limits,
    publisher: &Publisher,
) -> Result<PomdpSolution, Ambiguous> {
    if let PomdpState::End(payoff) = &model.states[0] {
        return Ok(PomdpSolution::over(payoff.clone()));
    }
    let options = Options {
        digits: digits.clamp(*DIGITS.start(), *DIGITS.end()),
        ..Options::default()
    };
    let seeing = values_if_seen(model, &options, limits);
    let watch = Watch::publishing(limits, publisher);
    let mut graph = BeliefGraph::new(model, options, seeing, watch);
    graph.solution.stopped = match graph.close_in() {
        Ok(stopped) => stopped,
        Err(Halt::Limit(reason)) => Some(reason),
        Err(Halt::Ambiguous(ambiguous)) => return Err(ambiguous),
    };
    Ok(graph.solution)
}

impl BeliefGraph<'_> {
    /// Grows until the bounds of the start meet or agree in the digits asked for. Gives why they do not meet.
    fn close_in(&mut self) -> Result<Option<StopReason>, Halt> {
        let width = BigRational::new(BigInt::one(), BigInt::from(10).pow(self.options.digits));
        let mut controller = Controller::default();
        let mut more = FIRST;
        let mut is_close = false;
        loop {
            let (reached, is_complete) = self.grow(more)?;
            if is_close && !is_complete {
                return Ok(Some(StopReason::Precision));
            }
            let stopped = match is_complete {
                true => self.bound(&reached),
                false => self.approach(&reached, &mut controller),
            };
            let (lower, upper) = self.solution.bounds();
            self.watch.learn(lower.clone(), upper.clone());
            if lower == upper {
                return Ok(None);
            }
            match stopped {
                Err(reason) if reason != StopReason::Precision => return Ok(Some(reason)),
                _ if is_complete => return Ok(Some(StopReason::Precision)),
                _ => {}
            }
            is_close = upper - lower <= width;
            let is_led = !is_close && self.expand_best(&controller)?;
            // Bounds that are close may have left little to grow.
            more = if is_led { 0 } else { self.beliefs.len() };
        }
    }

    /// Bounds by points.
    ///
    /// # Errors
    /// As [`BeliefGraph::bound`].
    fn approach(&mut self, reached: &[u32], controller: &mut Controller) -> Result<(), StopReason> {
        self.mix()?;
        let all: Vec<u32> = (0..self.beliefs.len() as u32).collect();
        let mut stopped = self.bound_side(&all, Side::Mixed).err();
        self.bound_lotteries()?;
        // A controller that always hopes for a better belief can be worth nothing.
        stopped = stopped.or(self.bound_side(reached, Side::Lower).err());
        controller.improve(self)?;
        stopped = stopped.or(controller.prove(self).err());
        self.drop_worse(&all)?;
        stopped.map_or(Ok(()), Err)
    }
}

/// By state: an upper bound, the value for an agent that sees all states from there on.
fn values_if_seen(model: &Pomdp, options: &Options, limits: &Limits) -> Vec<BigRational> {
    let mut ends = Ends::default();
    let mut builder = Builder::default();
    // Numbers of states and ends in the game.
    let mut inner = 0;
    let targets = model.states.iter().map(|state| match state {
        PomdpState::Inner { .. } => {
            inner += 1;
            Target::State(inner - 1)
        }
        PomdpState::End(payoff) => ends.end(payoff.clone()),
    });
    let targets: Vec<Target> = targets.collect();
    for state in &model.states {
        if let PomdpState::Inner { actions, .. } = state {
            builder.state();
            for outcomes in actions {
                builder.alternative();
                builder.reply();
                for outcome in outcomes {
                    builder.outcome(targets[outcome.next as usize], 1);
                }
            }
        }
    }
    let solution = ends.game(builder).map(|game| solve(&game, options, limits));
    let upper = targets.iter().map(|target| match (target, &solution) {
        (Target::End(end), _) => ends.payoffs[*end as usize].clone(),
        (Target::State(state), Some(solution)) => solution.bounds(*state as usize).1,
        (Target::State(_), None) => BigRational::one(),
    });
    upper.collect()
}
