//! The way to a value: regret minimization for bounds at any time, and beside it the simplex method for the exact value.
//!
//! Both get the same time, so neither costs more than twice what it takes alone. Whatever they find becomes a plan in whole numbers, and only
//! an exact best response to a plan makes a bound.

use crate::basis::{Basis, Vertex};
use crate::game::SequenceGame;
use crate::plan::Plan;
use crate::regret::{self, Regrets};
use crate::simplex::{Simplex, Step};
use crate::solution::{Solution, Statistics};
use limits::{Limits, StopReason, Watch};
use linear_system::{Means, Unsolved};
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// The precision that is wanted. No option makes a wrong value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Bounds this close are enough; 0 for the exact value.
    pub width: BigRational,
    /// Values are exact while that takes no more than about this many operations with machine words; 0 for bounds only.
    pub exact_work: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            width: BigRational::zero(),
            exact_work: 100_000_000_000,
        }
    }
}

/// The value of a game, or bounds when the limits are reached.
pub fn solve(game: &SequenceGame, options: &Options, limits: &Limits) -> Solution {
    let mut search = Search::new(game, options);
    let stopped = search.run(&mut Watch::new(limits)).err();
    Solution {
        lower: search.bounds[0].clone(),
        upper: search.bounds[1].clone(),
        plans: search.plans,
        stopped,
        statistics: search.statistics,
    }
}

/// The best plans so far.
struct Search<'a> {
    game: &'a SequenceGame,
    options: &'a Options,
    magnitude: u128,
    plans: [Plan; 2],
    bounds: [BigRational; 2],
    work: AtomicU64,
    statistics: Statistics,
}

/// The rounds before the first look at the bounds.
const FIRST_ROUNDS: u64 = 16;

/// The simplex method gets at least this much time, then as much as regret minimization took.
const SHORT: Duration = Duration::from_millis(50);

/// An exact basis that is not optimal is improved this often before rounding counts as too rough.
const REFINEMENTS: u32 = 20;

impl<'a> Search<'a> {
    fn new(game: &'a SequenceGame, options: &'a Options) -> Self {
        let magnitude = game.magnitude();
        let plans = [0, 1].map(|player| {
            let tree = game.tree(player);
            Plan::rounded(tree, &vec![1.0; tree.sequences()], magnitude)
        });
        let bounds = [0, 1].map(|player| plans[player].bound(game, player));
        Search {
            game,
            options,
            magnitude,
            plans,
            bounds,
            work: AtomicU64::new(options.exact_work),
            statistics: Statistics::default(),
        }
    }

    /// Whether the bounds are as close as wanted.
    fn is_done(&self) -> bool {
        &self.bounds[1] - &self.bounds[0] <= self.options.width
    }

    fn offer(&mut self, player: usize, plan: Plan) {
        let bound = plan.bound(self.game, player);
        let is_better = match player {
            0 => bound > self.bounds[0],
            _ => bound < self.bounds[1],
        };
        if is_better {
            (self.plans[player], self.bounds[player]) = (plan, bound);
        }
    }

    /// Takes over plans in floating-point numbers, where they are better.
    fn offer_rounded(&mut self, weights: [&[f64]; 2]) {
        for (player, weights) in weights.into_iter().enumerate() {
            let plan = Plan::rounded(self.game.tree(player), weights, self.magnitude);
            self.offer(player, plan);
        }
    }

    /// Searches until the bounds are close enough.
    fn run(&mut self, watch: &mut Watch<'_>) -> Result<(), StopReason> {
        if self.is_done() {
            return Ok(());
        }
        let sequences = [0, 1].map(|player| self.game.tree(player).sequences() as u64);
        watch.take_memory(sequences.iter().sum::<u64>() * (regret::BYTES + 32))?;
        let mut regrets = Regrets::new(self.game);
        let mut pivoting = None;
        let (mut wanted, mut is_exact_open) = (FIRST_ROUNDS, true);
        loop {
            let begin = Instant::now();
            while regrets.rounds() < wanted {
                self.look(watch, "regret minimization", regrets.rounds())?;
                regrets.round(self.game);
            }
            self.statistics.rounds = wanted;
            wanted += wanted / 2;
            self.offer_rounded([regrets.average(0), regrets.average(1)]);
            if self.is_done() {
                return Ok(());
            }
            let time = begin.elapsed().max(SHORT);
            if is_exact_open && pivoting.is_none() {
                pivoting = self.dictionary(watch, &regrets);
                is_exact_open = pivoting.is_some();
            }
            if let Some(simplex) = &mut pivoting {
                match self.pivot(simplex, watch, time)? {
                    Exactness::Open => {}
                    Exactness::Done => return Ok(()),
                    Exactness::Failed => (pivoting, is_exact_open) = (None, false),
                }
            }
        }
    }

    fn look(&self, watch: &mut Watch<'_>, phase: &'static str, work: u64) -> Result<(), StopReason> {
        let taken = watch.taken();
        let bounds = || Some((self.bounds[0].clone(), self.bounds[1].clone()));
        watch.look_and_tell(phase, work, taken, bounds)
    }

    /// A dictionary that begins with the most probable moves; none if it is too large.
    fn dictionary(&self, watch: &mut Watch<'_>, regrets: &Regrets) -> Option<Simplex> {
        let [rows, columns] = Simplex::size(self.game).map(|size| size as u64);
        // Rows of first choices of player 1 are there for a while.
        let bytes = 8 * (columns + 2) * (rows + 2 + self.game.tree(1).sets() as u64);
        if self.options.exact_work == 0 {
            return None;
        }
        watch.take_memory(bytes).ok()?;
        let choice = |player: usize, set: usize| {
            let average = regrets.average(player);
            let moves = self.game.tree(player).moves(set);
            let best = moves.max_by(|&one, &other| average[one].total_cmp(&average[other]));
            best.expect("a set has a move")
        };
        Some(Simplex::new(self.game, choice))
    }

    /// Pivots for some time, and solves optimal bases exactly.
    fn pivot(&mut self, simplex: &mut Simplex, watch: &mut Watch<'_>, time: Duration) -> Result<Exactness, StopReason> {
        let end = Instant::now() + time;
        while Instant::now() < end {
            self.look(watch, "simplex method", self.statistics.pivots)?;
            match simplex.step() {
                Step::Pivoted => self.statistics.pivots += 1,
                Step::Stuck => return Ok(Exactness::Failed),
                Step::Optimal => {
                    let [first, second] = simplex.plans(self.game);
                    self.offer_rounded([&first, &second]);
                    if self.is_done() {
                        return Ok(Exactness::Done);
                    }
                    match self.solve_basis(simplex, watch)? {
                        Exactness::Open => {}
                        known => return Ok(known),
                    }
                }
            }
        }
        Ok(Exactness::Open)
    }

    fn solve_basis(&mut self, simplex: &mut Simplex, watch: &Watch<'_>) -> Result<Exactness, StopReason> {
        self.statistics.bases += 1;
        let basis = simplex.basis();
        let (first, second) = match (self.vertex(&basis, 0, watch), self.vertex(&basis, 1, watch)) {
            (Ok(first), Ok(second)) => (first, second),
            (Err(Unsolved::Stopped(reason)), _) | (_, Err(Unsolved::Stopped(reason))) => return Err(reason),
            _ => return Ok(Exactness::Failed),
        };
        let vertices = [first, second];
        for (player, vertex) in vertices.iter().enumerate() {
            if vertex.is_plan() {
                self.offer(player, Plan::exact(vertex.weights.clone(), vertex.whole.clone()));
            }
        }
        if self.is_done() {
            return Ok(Exactness::Done);
        }
        let float = |vertex: &Vertex, number: &num_bigint::BigInt| {
            let fraction = BigRational::new_raw(number.clone(), vertex.whole.clone());
            fraction.to_f64().unwrap_or(0.0)
        };
        let violation = simplex.refine(
            |player, sequence| float(&vertices[player], &vertices[player].weights[sequence]),
            |player, sequence| float(&vertices[1 - player], &vertices[1 - player].slacks[sequence]),
        );
        match violation > 0.0 && self.statistics.bases < REFINEMENTS.into() {
            true => Ok(Exactness::Open),
            false => Ok(Exactness::Failed),
        }
    }

    fn vertex(&self, basis: &Basis, player: usize, watch: &Watch<'_>) -> Result<Vertex, Unsolved> {
        let left = |all: u64| all.saturating_sub(watch.taken());
        let means = Means {
            limits: watch.limits(),
            work: &self.work,
            memory: watch.limits().memory.map_or(u64::MAX, left),
        };
        Vertex::new(self.game, basis, player, means)
    }
}

/// Whether the exact value is found.
enum Exactness {
    /// Not yet.
    Open,
    /// It is, or bounds are close enough.
    Done,
    /// It takes too much work, or numbers that are rounded less.
    Failed,
}
