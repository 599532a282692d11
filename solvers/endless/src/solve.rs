//! All components of a game, each after those that it leads to.

use crate::attractor::{Class, certain};
use crate::component::{Component, Ends, Strategies};
use crate::exact::{Denominators, ExactValue, Quantity, improve};
use crate::forecast::Forecast;
use crate::interval::Interval;
use crate::linear_system::{Resources, Unsolved};
use crate::options::Options;
use crate::process::FEW_NODES;
use crate::solution::{Solution, Statistics};
use arena::GameGraph;
use arena::{Arena, Backward, NONE};
use base::graph::{Components, Graph};
use limits::{Limits, Publisher, StopReason, Watch, share_out};
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Components of one level are shared between threads if they have this many states together.
pub const WORTH_THREADS: usize = 512;

/// Components that are solved before what was found is kept.
const ROUND: usize = 1 << 12;

/// For how long bounds are made, after a limit, from those that are known.
const GRACE: Duration = Duration::from_millis(100);

/// The time that the check takes for an outcome, and the largest part of all time that is left for what comes last.
const CHECK_TIME: Duration = Duration::from_nanos(60);
const MOST_LAST: u32 = 4;

/// The part of the time in which first bounds are found, until those of the first state are close, and then; and how often each component
/// is gone through for them where time is not limited.
const CLOSE: f64 = 0.004;
const SHARE_TO_CLOSE: f64 = 0.9;
const SHARE: f64 = 0.33;
const BRACKET_SWEEPS: usize = 16;

/// Bytes of memory for a state, and for an outcome, beside the graph itself.
const STATE_BYTES: u64 = 150;
const OUTCOME_BYTES: u64 = 40;

/// The bytes of an entry of factors, with what elimination takes for its order.
const ENTRY_BYTES: u64 = 32;

/// Finds the values of all states.
///
/// # Panics
/// If the bounds found are not proved by the strategies found: then there is a mistake in this program, and no answer.
pub fn solve(game: &GameGraph, options: &Options, limits: &Limits) -> Solution {
    solve_publishing(game, None, options, limits, &Publisher::default())
}

/// The same, and publishes bounds of the first state on the way. The work goes on from an earlier solution of the same game that a limit ended.
///
/// # Panics
/// As for [`solve()`].
pub fn solve_publishing(
    game: &GameGraph,
    mut before: Option<Solution>,
    options: &Options,
    limits: &Limits,
    publisher: &Publisher,
) -> Solution {
    let run = |memory, watch: &mut Watch<'_>| {
        let begin = Instant::now();
        let (mut solver, levels) = Solver::new(game, options, memory, watch.limits())?;
        if let Some(before) = before.take().filter(|before| !before.lower.is_empty()) {
            solver.go_on_from(before);
        }
        // The last steps take no longer than the first ones, however busy the machine is.
        let last = begin.elapsed();
        let limits = ending_before(watch.limits(), last);
        let watch = &mut Watch::publishing(&limits, publisher);
        let stopped = solver.run(&levels, watch).err();
        Ok(solver.finish(stopped))
    };
    let found = start(game, limits, run);
    match before {
        // There was no time to begin.
        Some(before) => Solution {
            stopped: found.stopped,
            ..before
        },
        None => found,
    }
}

/// Finds the values of all states of a game in which play does not come back to any state: nothing else is needed than an order. `order` lists the
/// states such that what follows from a state stands in an earlier list.
pub fn solve_in_order(
    game: &GameGraph,
    order: Vec<Vec<u32>>,
    options: &Options,
    limits: &Limits,
) -> Solution {
    let run = |memory, watch: &mut Watch<'_>| {
        let (states, alternatives) = (game.arena().states(), game.arena().alternative_count());
        let (known, choices) = (vec![None; states], vec![NONE; states]);
        let replies = vec![NONE; alternatives];
        let mut solver = Solver::begin(game, options, memory, known, choices, replies);
        solver.solution.statistics.components = states;
        solver.solution.statistics.largest = states.min(1);
        let stopped = solver.run(&order, watch).err();
        solver.members = order;
        Ok(solver.finish(stopped))
    };
    start(game, limits, run)
}

/// Runs a solver with the memory that is left for it, in bytes.
fn start(
    game: &GameGraph,
    limits: &Limits,
    run: impl FnOnce(u64, &mut Watch<'_>) -> Result<Solution, StopReason>,
) -> Solution {
    let arena = game.arena();
    let outcomes = (arena.outcome_count() + arena.reply_count()) as u64;
    // Bounds at a limit, and the check, take time as well.
    let last = GRACE + CHECK_TIME * u32::try_from(outcomes).unwrap_or(u32::MAX);
    let time = limits.time_left().unwrap_or_default();
    let limits = &ending_before(limits, last.min(time / MOST_LAST));
    let mut watch = Watch::new(limits);
    let needed = arena.states() as u64 * STATE_BYTES + outcomes * OUTCOME_BYTES;
    let may_start = watch
        .check("preparing", 0)
        .and_then(|()| watch.take_memory(needed));
    if let Err(reason) = may_start {
        return Solution::unknown(reason);
    }
    let left = watch
        .limits()
        .memory
        .map_or(u64::MAX, |limit| limit - needed);
    run(left, &mut watch).unwrap_or_else(Solution::unknown)
}

/// The limits, with a deadline that is earlier by this time.
fn ending_before(limits: &Limits, time: Duration) -> Limits {
    Limits {
        deadline: limits
            .deadline
            .map(|end| end.checked_sub(time).unwrap_or(end)),
        ..limits.clone()
    }
}

pub struct Solver<'a> {
    pub(crate) game: &'a GameGraph,
    pub(crate) threads: usize,
    /// Memory for components, in bytes.
    pub(crate) memory: u64,
    pub(crate) work: AtomicU64,
    pub(crate) is_positive: Vec<bool>,
    /// How much wider bounds may get in a component, in units.
    pub(crate) wanted: i128,
    /// The states of each component. Nothing if each state is one.
    pub(crate) members: Vec<Vec<u32>>,
    pub(crate) solution: Solution,
    pub(crate) denominators: Denominators,
    /// Whether each state is solved.
    pub(crate) is_solved: Vec<bool>,
    /// Whether bounds were found before components were solved.
    pub(crate) is_bracketed: bool,
    pub(crate) zero: ExactValue,
    pub(crate) one: ExactValue,
}

/// The solution of a component.
enum Found {
    /// It is a single state that does not lead to itself.
    State(StateSolution),
    Component(ComponentSolution),
}

/// Bounds and choices of a state that does not lead to itself.
pub struct StateSolution {
    pub lower: i128,
    pub upper: i128,
    pub exact: Option<ExactValue>,
    pub alternative: u32,
    /// By alternative.
    pub replies: Vec<u32>,
}

/// Bounds and choices in a component: in its own numbering.
struct ComponentSolution {
    lower: Vec<i128>,
    upper: Vec<i128>,
    exact: Option<Vec<ExactValue>>,
    strategies: Strategies,
}

impl<'a> Solver<'a> {
    /// The bounds in the end, checked.
    pub(crate) fn finish(mut self, stopped: Option<StopReason>) -> Solution {
        self.solution.stopped = stopped;
        self.solution.work_left = *self.work.get_mut();
        if stopped.is_some() && !self.is_bracketed {
            let end = Instant::now() + GRACE;
            let _ = self.bracket(usize::MAX, |_| match Instant::now() < end {
                true => Ok(()),
                false => Err(StopReason::Time),
            });
        }
        let states = self.game.arena().states();
        let exact = self.solution.exact[..states].iter();
        self.solution.statistics.exact = exact.filter(|exact| exact.is_some()).count();
        match self.solution.check(self.game, self.threads, &self.members) {
            Ok(ranks) => self.solution.ranks = ranks,
            Err(refuted) => panic!("{refuted}: this is a bug"),
        }
        self.solution
    }

    /// The solver, and components in levels: each level leads to earlier ones only.
    fn new(
        game: &'a GameGraph,
        options: &Options,
        memory: u64,
        limits: &Limits,
    ) -> Result<(Self, Vec<Vec<u32>>), StopReason> {
        let arena = game.arena();
        let states = arena.states();
        let backward = Backward::new(arena);
        limits.check()?;
        let is_positive = |end: usize| !game.payoffs()[end].is_zero();
        let certain = certain(arena, &backward, is_positive, |end| {
            game.payoffs()[end].is_one()
        });
        limits.check()?;
        let classes = certain.classes.iter();
        let is_open: Vec<bool> = classes.map(|&class| class == Class::Open).collect();
        let graph = Graph::new(states, |edge| {
            for state in (0..states).filter(|&state| is_open[state]) {
                for reply in replies(arena, state) {
                    let targets = arena.targets(reply).iter().map(|&target| target as usize);
                    let targets = targets.filter(|&target| target < states && is_open[target]);
                    targets.for_each(|target| edge(state, target));
                }
            }
        });
        limits.check()?;
        let components = graph.components();
        limits.check()?;
        // In each, most states come after those that they lead to.
        let all = components
            .iter()
            .filter(|members| is_open[members[0] as usize]);
        let members: Vec<Vec<u32>> = all.map(<[u32]>::to_vec).collect();
        let levels = levels(&graph, &members, &components);
        let [zero, one] = [BigRational::zero(), BigRational::one()].map(|it| ExactValue::new(&it));
        let value = |&class: &Class| match class {
            Class::Zero => Some(zero.clone()),
            Class::One => Some(one.clone()),
            Class::Open => None,
        };
        let known = certain.classes.iter().map(value).collect();
        let (alternatives, all_replies) = (certain.alternatives, certain.replies);
        limits.check()?;
        let mut solver = Solver::begin(game, options, memory, known, alternatives, all_replies);
        // The widths of bounds add up from level to level.
        let width = 10f64.powi(-(options.digits() as i32)) / (2 * levels.len().max(1)) as f64;
        solver.wanted = (width * (1u128 << solver.solution.bits) as f64) as i128;
        let count = |class: Class| certain.classes.iter().filter(|&&it| it == class).count();
        solver.solution.statistics = Statistics {
            zeros: count(Class::Zero),
            ones: count(Class::One),
            components: members.len(),
            largest: members.iter().map(Vec::len).max().unwrap_or(0),
            exact: 0,
        };
        solver.members = members;
        Ok((solver, levels))
    }

    /// Begins with some known values of states, and with choices of which [`NONE`] stands for the first one.
    pub(crate) fn begin(
        game: &'a GameGraph,
        options: &Options,
        memory: u64,
        known: Vec<Option<ExactValue>>,
        alternatives: Vec<u32>,
        all_replies: Vec<u32>,
    ) -> Self {
        let arena = game.arena();
        let bits = options.bits(game);
        let is_solved = known.iter().map(Option::is_some).collect();
        let ends = game.payoffs().iter();
        let ends = ends.map(|payoff| Some(ExactValue::new(payoff)));
        let exact: Vec<Option<ExactValue>> = known.into_iter().chain(ends).collect();
        let rounded = |exact: &Option<ExactValue>| match exact {
            Some(exact) => exact.rounded(bits),
            None => (0, 1 << bits),
        };
        let (lower, upper) = exact.iter().map(rounded).unzip();
        let is_positive = |exact: &Option<ExactValue>| {
            let exact = exact.as_ref();
            exact.is_none_or(|exact| !exact.is_zero())
        };
        let or_first = |choices: Vec<u32>, first: &dyn Fn(usize) -> usize| -> Vec<u32> {
            let choice = |(index, known): (usize, u32)| match known {
                NONE => first(index) as u32,
                known => known,
            };
            choices.into_iter().enumerate().map(choice).collect()
        };
        Solver {
            game,
            threads: options.threads(),
            zero: ExactValue::new(&BigRational::zero()),
            one: ExactValue::new(&BigRational::one()),
            memory,
            work: AtomicU64::new(options.exact_work),
            is_positive: exact.iter().map(is_positive).collect(),
            is_solved,
            is_bracketed: false,
            wanted: 0,
            members: Vec::new(),
            denominators: Denominators::default(),
            solution: Solution {
                lower,
                upper,
                exact,
                bits,
                alternatives: or_first(alternatives, &|state| arena.alternatives(state).start),
                replies: or_first(all_replies, &|alternative| arena.replies(alternative).start),
                ranks: Vec::new(),
                work_left: 0,
                stopped: None,
                statistics: Statistics::default(),
            },
        }
    }

    /// Takes over what an earlier solution proves. What was spent on its fractions is spent.
    fn go_on_from(&mut self, before: Solution) {
        let states = self.is_solved.len();
        let statistics = std::mem::take(&mut self.solution.statistics);
        self.solution = Solution {
            statistics,
            stopped: None,
            ..before
        };
        let exact = &self.solution.exact;
        let is_positive =
            |exact: &Option<ExactValue>| exact.as_ref().is_none_or(|it| !it.is_zero());
        self.is_positive = exact.iter().map(is_positive).collect();
        self.is_solved = exact[..states].iter().map(Option::is_some).collect();
        *self.work.get_mut() = self.solution.work_left;
    }

    /// The states of a component.
    fn members<'b>(&'b self, component: &'b u32) -> &'b [u32] {
        let members = self.members.get(*component as usize);
        members.map_or(std::slice::from_ref(component), Vec::as_slice)
    }

    /// Solves all components that are not solved yet, level by level.
    fn run(&mut self, levels: &[Vec<u32>], watch: &mut Watch<'_>) -> Result<(), StopReason> {
        let has_components = !self.members.is_empty();
        let time = watch.limits().time_left().filter(|_| has_components);
        let half = time.map(|time| Instant::now() + time / 2);
        // While one large component is solved no bounds get known.
        if self.solution.statistics.largest > FEW_NODES {
            self.bracket_first(watch)?;
        }
        let mut solved = 0;
        let is_open = |members: &&Vec<u32>| !self.is_solved[members[0] as usize];
        let open = self.members.iter().filter(is_open);
        let mut forecast = has_components.then(|| Forecast::new(open, self.work.load(Relaxed)));
        let mut indices = vec![Vec::new(); self.threads.max(1)];
        for level in levels {
            let is_open = |it: &u32| !self.is_solved[self.members(it)[0] as usize];
            let level: Vec<u32> = level.iter().copied().filter(is_open).collect();
            if level.is_empty() {
                continue;
            }
            if !self.is_bracketed && half.is_some_and(|half| Instant::now() >= half) {
                self.bracket_first(watch)?;
            }
            let sum: usize = level.iter().map(|it| self.members(it).len()).sum();
            let threads = match sum < WORTH_THREADS {
                true => 1,
                false => indices.len().min(level.len()),
            };
            for round in level.chunks(ROUND) {
                watch.check("solving components", solved as u64)?;
                self.solve_all(round, &mut indices[..threads], watch.limits())?;
                solved += round.iter().map(|it| self.members(it).len()).sum::<usize>();
            }
            watch.check("solving components", solved as u64)?;
            let members = level.iter().filter_map(|&it| self.members.get(it as usize));
            let work = self.work.load(Relaxed);
            if forecast
                .as_mut()
                .is_some_and(|it| !it.may_be_enough(members, work))
            {
                *self.work.get_mut() = 0;
            }
        }
        Ok(())
    }

    /// Finds first bounds, in a part of the time, or in a few sweeps if time is not limited.
    fn bracket_first(&mut self, watch: &mut Watch<'_>) -> Result<(), StopReason> {
        self.is_bracketed = true;
        let (begin, time) = (Instant::now(), watch.limits().time_left());
        let max_sweeps = if time.is_some() {
            usize::MAX
        } else {
            BRACKET_SWEEPS
        };
        let states = self.solution.alternatives.len() as u64;
        let mut stopped = Ok(());
        let _ = self.bracket(max_sweeps, |[lower, upper]| {
            let exact = |bound: f64| BigRational::from_float(bound);
            let bounds = || exact(lower).zip(exact(upper));
            stopped = watch.check_and_report("closing in on values", states, 0, bounds);
            let share = if upper - lower > CLOSE {
                SHARE_TO_CLOSE
            } else {
                SHARE
            };
            match time.is_some_and(|time| begin.elapsed() >= time.mul_f64(share)) {
                true => Err(StopReason::Time),
                false => stopped,
            }
        });
        stopped
    }

    /// Solves components that do not lead to each other, with a thread for each seat, and keeps what is found.
    fn solve_all(
        &mut self,
        components: &[u32],
        seats: &mut [Vec<u32>],
        limits: &Limits,
    ) -> Result<(), StopReason> {
        let threads = seats.len();
        let part = (components.len() / (8 * threads)).max(1);
        let found = share_out(seats, components.chunks(part), |indices, components| {
            let checked = limits.check();
            let solve = |component| {
                checked?;
                self.solve(component, indices, limits, threads)
            };
            components.iter().map(solve).collect::<Vec<_>>()
        });
        let mut stopped = Ok(());
        for (component, found) in components.iter().zip(found.into_iter().flatten()) {
            match found {
                Ok(found) => self.keep(component, found),
                Err(reason) => stopped = Err(reason),
            }
        }
        stopped
    }

    fn solve(
        &self,
        component: &u32,
        indices: &mut Vec<u32>,
        limits: &Limits,
        threads: usize,
    ) -> Result<Found, StopReason> {
        let (arena, solution) = (self.game.arena(), &self.solution);
        let states = self.members(component);
        let resources = Resources {
            limits,
            work: &self.work,
            memory: self.memory / threads as u64,
        };
        if let &[state] = states {
            let mut all = replies(arena, state as usize).flat_map(|reply| arena.targets(reply));
            if self.members.is_empty() || all.all(|&target| target != state) {
                let found = self.solve_single(state as usize, resources)?;
                return Ok(Found::State(found));
            }
        }
        limits.check()?;
        indices.resize(solution.lower.len(), NONE);
        let (part, targets) = arena.part(states, |_| true, indices);
        let at = |values: &[i128]| -> Vec<i128> {
            targets
                .iter()
                .map(|&target| values[target as usize])
                .collect()
        };
        let is_positive = targets
            .iter()
            .map(|&target| self.is_positive[target as usize]);
        let ends = Ends {
            lower: &at(&solution.lower),
            upper: &at(&solution.upper),
            is_positive: &is_positive.collect::<Vec<bool>>(),
            bits: solution.bits,
        };
        let max_entries = usize::try_from(resources.memory / ENTRY_BYTES).unwrap_or(usize::MAX);
        let mut problem = Component::new(&part, ends, max_entries, self.wanted, limits);
        let members: Vec<i128> = (states.iter())
            .map(|&state| solution.lower[state as usize])
            .collect();
        let (mut strategies, mut lower) = problem.begin(&members)?;
        problem.lower(&mut strategies, &mut lower)?;
        let exact: Option<Vec<&ExactValue>> = targets
            .iter()
            .map(|&target| solution.exact[target as usize].as_ref())
            .collect();
        if let Some(ends) = exact {
            let mut exact_strategies = strategies.clone();
            match improve(
                &part,
                &ends,
                Quantity::Payoff,
                &mut exact_strategies,
                resources,
            ) {
                Ok(values) => {
                    let found = ComponentSolution::exact(values, exact_strategies, solution.bits);
                    return Ok(Found::Component(found));
                }
                Err(Unsolved::Stopped(reason)) => return Err(reason),
                // From now on no fraction is short.
                Err(Unsolved::TooMuch) => {}
            }
        }
        let upper = problem.close(&mut strategies, &mut lower)?;
        Ok(Found::Component(ComponentSolution {
            lower,
            upper,
            exact: None,
            strategies,
        }))
    }

    /// Keeps what was found in a component.
    fn keep(&mut self, component: &u32, found: Found) {
        let found = match found {
            Found::State(found) => return self.keep_single(self.members(component)[0], found),
            Found::Component(found) => found,
        };
        let (arena, solution) = (self.game.arena(), &mut self.solution);
        let members = &self.members[*component as usize];
        // Earlier bounds may be better at some states; the better ones of both together are proved as well, if of equal ones all are taken from the
        // same side: where the minimizer could stay, the largest bounds would be those of one side alone.
        let is_exact = found.exact.is_some();
        let (mut first_alternative, mut first_reply) = (0, 0);
        for (index, &state) in members.iter().enumerate() {
            let state = state as usize;
            self.is_solved[state] = true;
            let all = arena.alternatives(state);
            if is_exact || found.lower[index] > solution.lower[state] {
                solution.lower[state] = found.lower[index];
                let chosen = found.strategies.alternatives[index] as usize - first_alternative;
                solution.alternatives[state] = (all.start + chosen) as u32;
            }
            let is_lower = is_exact || found.upper[index] < solution.upper[state];
            if is_lower {
                solution.upper[state] = found.upper[index];
            }
            for alternative in all {
                let replies = arena.replies(alternative);
                let chosen = found.strategies.replies[first_alternative] as usize - first_reply;
                if is_lower {
                    solution.replies[alternative] = (replies.start + chosen) as u32;
                }
                first_alternative += 1;
                first_reply += replies.len();
            }
        }
        for (&state, exact) in members.iter().zip(found.exact.into_iter().flatten()) {
            solution.exact[state as usize] = Some(self.denominators.shared(exact));
        }
    }

    /// Improves the bounds of all states that are not solved, by interval iteration.
    fn bracket(
        &mut self,
        max_sweeps: usize,
        check: impl FnMut([f64; 2]) -> Result<(), StopReason>,
    ) -> Result<(), StopReason> {
        let (arena, solution) = (self.game.arena(), &mut self.solution);
        let bounds = [&solution.lower[..], &solution.upper[..]];
        let mut interval = Interval::new(arena, bounds, solution.bits, &solution.alternatives);
        let is_open = |state: &u32| !self.is_solved[*state as usize];
        let open = self
            .members
            .iter()
            .map(|all| all.iter().copied().filter(is_open).collect());
        let open: Vec<Vec<u32>> = open
            .filter(|states: &Vec<u32>| !states.is_empty())
            .collect();
        let ended = interval.run(&open, max_sweeps, check);
        for state in open.into_iter().flatten() {
            let state = state as usize;
            let [lower, upper] = interval.bounds(state, solution.bits);
            // Iteration rounds outwards, so its bounds may be wider than those that were known.
            if lower > solution.lower[state] {
                solution.lower[state] = lower;
                solution.alternatives[state] = interval.alternatives[state];
            }
            if upper < solution.upper[state] {
                solution.upper[state] = upper;
                for alternative in arena.alternatives(state) {
                    solution.replies[alternative] = interval.best_reply(alternative);
                }
            }
        }
        ended
    }
}

impl ComponentSolution {
    fn exact(values: Vec<ExactValue>, strategies: Strategies, bits: u32) -> Self {
        let (lower, upper) = values.iter().map(|value| value.rounded(bits)).unzip();
        ComponentSolution {
            lower,
            upper,
            exact: Some(values),
            strategies,
        }
    }
}

/// All replies in a state.
pub fn replies(arena: &Arena, state: usize) -> impl Iterator<Item = usize> + '_ {
    arena
        .alternatives(state)
        .flat_map(|alternative| arena.replies(alternative))
}

/// Components by the length of the longest way from them through components. They are in topological order.
fn levels(graph: &Graph, members: &[Vec<u32>], components: &Components) -> Vec<Vec<u32>> {
    let mut level_of = vec![0usize; components.count()];
    let mut levels: Vec<Vec<u32>> = Vec::new();
    for (number, states) in members.iter().enumerate() {
        let own = components.component_of(states[0] as usize);
        let targets = states
            .iter()
            .flat_map(|&state| graph.targets(state as usize));
        let others = targets.map(|&target| components.component_of(target as usize));
        let behind = others
            .filter(|&other| other != own)
            .map(|other| level_of[other as usize] + 1);
        let level = behind.max().unwrap_or(0);
        level_of[own as usize] = level;
        if levels.len() == level {
            levels.push(Vec::new());
        }
        levels[level].push(number as u32);
    }
    levels
}
