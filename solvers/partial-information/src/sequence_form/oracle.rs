//! The exact value by double oracle: the simplex method in a restricted game, best responses in the whole one, and exact plans of the
//! last basis.
//!
//! Floating-point numbers find a basis, lifting its exact plans. If these are not best, the dictionary gets their exact numbers, in
//! which small violations have the right sign, and pivots go on.

use crate::sequence_form::basis::{Used, Vertex};
use crate::sequence_form::bounds::Bounds;
use crate::sequence_form::game::SequenceGame;
use crate::sequence_form::plan::RealizationPlan;
use crate::sequence_form::response::best_response;
use crate::sequence_form::simplex::{Simplex, Step};
use crate::sequence_form::solution::Statistics;
use crate::sequence_form::support::Support;
use crate::sequence_form::tree::Weight;
use endless::linear_system::{Resources, Unsolved};
use limits::{Limits, StopReason, Watch};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use std::sync::atomic::AtomicU64;

/// Whether the exact value is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exactness {
    /// Not yet.
    Open,
    /// It is, or bounds are close enough.
    Done,
    /// It takes more memory than allowed, or more work or numbers that are rounded less.
    Failed(StopReason),
}

/// Sequences with less weight are not allowed at first.
const LEAST: f64 = 1e-2;

/// A gain that is larger than those allowed by no more than this times the largest payoff is rounding.
const ROUNDING: f64 = 1e-10;

/// A basis is improved this often before rounding counts as too rough.
const REFINEMENTS: u32 = 20;

/// The state of the method.
pub struct Oracle<'a> {
    game: &'a SequenceGame,
    support: Support,
    simplex: Simplex,
    bytes: u64,
    /// Largest payoff times [`ROUNDING`].
    tolerance: f64,
    refinements: u32,
    /// Work that is left for exact plans.
    work: AtomicU64,
}

impl<'a> Oracle<'a> {
    /// Begins with the sequences of plans.
    pub fn new(
        game: &'a SequenceGame,
        plans: [&[f64]; 2],
        work: u64,
        watch: &mut Watch<'_>,
    ) -> Result<Self, StopReason> {
        let support = Support::over(game, plans, LEAST);
        let bytes = Simplex::bytes(game, &support);
        watch.take_memory(bytes)?;
        let simplex = Simplex::new(game, &support);
        Ok(Oracle {
            game,
            support,
            tolerance: ROUNDING / simplex.scale(),
            simplex,
            bytes,
            refinements: 0,
            work: AtomicU64::new(work),
        })
    }

    /// The memory of the dictionary, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Goes on for this many operations with entries.
    pub fn advance(
        &mut self,
        bounds: &mut Bounds<'_>,
        statistics: &mut Statistics,
        watch: &mut Watch<'_>,
        work: u64,
    ) -> Result<Exactness, StopReason> {
        let (mut left, mut before) = (work, self.simplex.work());
        while left > 0 {
            let pair = || Some((bounds.pair[0].clone(), bounds.pair[1].clone()));
            watch.check_and_report("simplex method", statistics.pivots, watch.taken(), pair)?;
            let step = self.simplex.step();
            left = left.saturating_sub(self.simplex.work() - before);
            before = self.simplex.work();
            let exactness = match step {
                Step::Pivoted => {
                    statistics.pivots += 1;
                    continue;
                }
                Step::Stuck => {
                    self.refinements += 1;
                    self.rebuild(&self.simplex.used(), watch)?
                }
                Step::Optimal => self.search_whole_game(bounds, statistics, watch)?,
            };
            if exactness != Exactness::Open {
                return Ok(exactness);
            }
            if self.refinements > REFINEMENTS {
                return Ok(Exactness::Failed(StopReason::Precision));
            }
            // A new dictionary counts from 0 on.
            before = before.min(self.simplex.work());
        }
        Ok(Exactness::Open)
    }

    /// Searches for better responses in the whole game when the restricted one is solved; if there is none, for exact plans.
    fn search_whole_game(
        &mut self,
        bounds: &mut Bounds<'_>,
        statistics: &mut Statistics,
        watch: &mut Watch<'_>,
    ) -> Result<Exactness, StopReason> {
        let plans = self.simplex.plans(self.game);
        bounds.offer_rounded([&plans[0], &plans[1]], watch.limits())?;
        if bounds.are_close() {
            return Ok(Exactness::Done);
        }
        let mut used = self.simplex.used();
        let tolerance = self.tolerance;
        let plans = [&plans[0][..], &plans[1]];
        if self.extend(plans, &tolerance, &mut used, watch.limits())? {
            return self.rebuild(&used, watch);
        }
        statistics.bases += 1;
        let [first, second] = [0, 1].map(|player| self.vertex(&used, player, watch));
        let vertices = match (first, second) {
            (Ok(first), Ok(second)) => [first, second],
            (Err(Unsolved::Stopped(reason)), _) | (_, Err(Unsolved::Stopped(reason))) => {
                return Err(reason);
            }
            _ => return Ok(Exactness::Failed(StopReason::Precision)),
        };
        for (player, vertex) in vertices.iter().enumerate() {
            if vertex.is_plan() {
                let plan = RealizationPlan::exact(vertex.weights.clone(), vertex.whole.clone());
                bounds.offer(player, plan, watch.limits())?;
            }
        }
        if bounds.are_close() {
            return Ok(Exactness::Done);
        }
        self.refinements += 1;
        let float = |vertex: &Vertex, number: &BigInt| {
            let fraction = BigRational::new_raw(number.clone(), vertex.whole.clone());
            fraction.to_f64().unwrap_or(0.0)
        };
        let violation = self.simplex.refine(
            |player, sequence| float(&vertices[player], &vertices[player].weights[sequence]),
            |player, sequence| {
                float(
                    &vertices[1 - player],
                    &vertices[1 - player].slacks[sequence],
                )
            },
        );
        if violation > 0.0 {
            return Ok(Exactness::Open);
        }
        let weights = [0, 1].map(|player: usize| &vertices[player].weights[..]);
        match self.extend(weights, &BigInt::zero(), &mut used, watch.limits())? {
            true => self.rebuild(&used, watch),
            false => Ok(Exactness::Failed(StopReason::Precision)),
        }
    }

    /// Allows better responses to plans; whether there are any.
    fn extend<W: Weight>(
        &mut self,
        plans: [&[W]; 2],
        tolerance: &W,
        used: &mut Used,
        limits: &Limits,
    ) -> Result<bool, StopReason> {
        let mut added = 0;
        for (player, used) in used.iter_mut().enumerate() {
            let tree = self.game.tree(player);
            let mut gains = vec![W::zero(); tree.sequences()];
            self.game
                .add_gains(player, plans[1 - player], &mut gains, limits)?;
            best_response(tree, &mut gains);
            let is_new = |sequence: usize| used[sequence] = true;
            added += self
                .support
                .extend(self.game, player, &gains, tolerance, is_new);
        }
        Ok(added > 0)
    }

    /// A new dictionary, with this basis as far as possible.
    fn rebuild(&mut self, used: &Used, watch: &mut Watch<'_>) -> Result<Exactness, StopReason> {
        watch.give_memory_back(std::mem::take(&mut self.bytes));
        let bytes = Simplex::bytes(self.game, &self.support);
        if let Err(reason) = watch.take_memory(bytes) {
            return Ok(Exactness::Failed(reason));
        }
        self.bytes = bytes;
        self.simplex = Simplex::new(self.game, &self.support);
        self.simplex.approach(used, || watch.check_limits())?;
        Ok(Exactness::Open)
    }

    fn vertex(&self, used: &Used, player: usize, watch: &Watch<'_>) -> Result<Vertex, Unsolved> {
        let left = |all: u64| all.saturating_sub(watch.taken());
        let resources = Resources {
            limits: watch.limits(),
            work: &self.work,
            memory: watch.limits().memory.map_or(u64::MAX, left),
        };
        Vertex::new(self.game, &self.support, used, player, resources)
    }
}
