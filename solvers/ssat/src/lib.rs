//! An exact solver for stochastic SAT and QBF that do not develop step by step: from a formula to its
//! value by branching on variables, with component caching and clause learning. For formulas that do,
//! such as those of games, see the crate `xssat`; the module [`portfolio`] chooses.
//!
//! 1. **Parts** (`instance`). Clauses are made fewer and shorter (`preprocess`). Parts of the problem that share no variable are solved one by one.
//! 2. **Branch** (`search`, `evaluate`, `branch`). A variable of the outermost block is chosen (`heuristic`) and decided, unit clauses are
//!    propagated (`propagate`), and what is left (`residual`) is split into components (`component`, `connect`). The
//!    value of a branch is the product of the probabilities of chance literals that were assigned
//!    and of the values of the components. The value of a node is the maximum, the minimum, or the
//!    sum of its branches. Each is asked only what its node needs to know (`frame`).
//! 3. **Remember** (`cache`). Values of components are kept under exact keys.
//! 4. **Keep a model** (`model`). No component is entered without a model of it, that is an
//!    assignment of all its variables, those of all players, that makes its clauses true. Without
//!    one the value is 0. With one the value is 1 if all variables are existential.
//! 5. **Learn** (`analyse`). From each conflict a clause is learned that the formula implies.
//! 6. **Pure literals** (`heuristic`). An existential variable that occurs with one sign only gets
//!    that sign, and a universal one the other. (For chance there is no such rule.)
//! 7. **Trivial truth** (`minterm`). If the existential literals of the model, mended a little, make
//!    all clauses of a component true by themselves, its value is 1. Else what they need besides is decided first.
//! 8. **Count** (`defined`). If earlier variables define a universal one, the value is 0. Existential variables that have no choice, such as outputs of gates, are decided together
//!    with the chance variables that define them, by the sum of both branches.
//! 9. **Cut** (`decomposition`, `modes`, `order`). Where a tree decomposition of a block has small bags, its variables are decided from the
//!    middle of the tree on.
//! 10. **Bounds before the end** (`anytime`). The bounds along the path are combined whenever a caller asks. In short turns
//!     unlikely branches are left and one player is fixed, which bounds the value long before it is known.
//! 11. **Certain wins** (`certain`). If the maximizer begins, a choice that wins whatever follows is searched for by counterexamples.
//! 12. **Expansion** (`search::other`). If few universal variables stand last, the larger formula without them is searched in turns.
//! 13. **Together** (`team`, `busy_components`). After some work other threads search the same tree, and share the values of components.
//!
//! ```text
//! r 1, e 2, r 3:  (1 or 2) (-2 or 3)     1 true:   (-2 or 3)       2 is pure: value 1
//!                                        1 false:  2 is unit, then 3: value P(3)
//! ```
//!
//! With [`solve_with_strategy`] the search also writes down a [`trace`] (`record`, `derive`), which proves the value and says what both players do.
//!
//! # Why units are right for every quantifier
//!
//! If a clause has one open literal left, the branch that makes it false has value 0. So the value
//! is that of the other branch, for chance times its probability, wherever the variable stands in
//! the prefix: a factor that does not depend on other variables passes through maximum, minimum and
//! mean. If the variable is universal, the value is 0.
//!
//! # Why learned clauses are right inside of a component
//!
//! A clause that the formula implies does not change its value. But a learned clause may be a
//! consequence of the clauses of *several* components of what is left. If one of them could not be
//! satisfied, the clause could give another one a value below its own; the product would be 0 all
//! the same, but the wrong value would stay in the cache. (Model counters remove such values
//! afterwards.) Here this cannot happen. Let component A be at work and B be all that waits beside
//! it or further up. There is a model of B. If A and B together imply a clause C over variables of A, then any
//! model of A together with the one of B makes C true. So A alone implies C, and adding C keeps the
//! value of A.
//!
//! Universal reduction needs more care, because a reduced clause is not implied by the formula in
//! this sense. So stored clauses are never reduced; only what is left of a clause is, while it is
//! used, and only if all its open literals lie in the component at work. That is universal reduction
//! of a clause which this component implies, and keeps its value. (The price: fewer clauses can
//! be learned than by Q-resolution.)
//!
//! # Numbers
//!
//! The value of a component is a whole number over the product of the denominators of its chance
//! variables. So products of values are products of numerators, nothing is ever reduced to lowest
//! terms before the end, and comparing is exact. The width of the numbers is chosen once, per part.
//!
//! # Guarantees
//!
//! Bounds are valid whenever the search is stopped, and are reported a few times a second. The depth of the search is bounded by memory
//! that was asked for, never by the stack. If memory runs out, the older half of the cache and half
//! of the learned clauses go, and the search goes on; it stops only if that does not help. Splitting a very large
//! component is put off until it pays, so that one path takes linear time; the more branches come back, the larger the
//! components that are split at once.
//!
//! # Limits
//!
//! With universal variables most conflicts teach nothing, because the learned clause would have such a variable with both signs; and
//! nothing is learned from success (cubes). The rest of a satisfied branch is used through the cache only. On random QBF
//! of 24 to 300 variables the answers are those of DepQBF, at about 5 times the time.
//!
//! The techniques come from DPLL with unit and pure literals and thresholds for stochastic satisfiability
//! (Littman, Majercik and Pitassi 2001), component caching (Sang, Bacchus, Beame, Kautz and Pitassi
//! 2004; Thurley 2006, sharpSAT), trivial truth (Cadoli, Giovanardi and Schaerf 1998), CDCL (Marques-Silva and Sakallah 1996) and Star1 (Ballard 1983).

mod analyse;
mod branch;
mod busy_components;
mod cache;
mod certain;
mod component;
mod connect;
mod decide;
mod decomposition;
mod deduction;
mod defined;
mod derive;
mod evaluate;
mod frame;
mod heap;
mod heuristic;
mod instance;
mod leb128;
mod minterm;
mod model;
mod needed;
mod options;
mod order;
mod policy;
pub mod portfolio;
mod propagate;
mod record;
mod recorder;
mod residual;
mod search;
mod store;
mod strategy;
pub mod trace;

use base::value::U256;
use component::product;
use decomposition::Decomposition;
use deduction::Counts;
use defined::DecisionOrder;
use formula::engine::Statistics;
use formula::preprocess::{Problem, Reduction};
use formula::{BigRational, Clauses, Probability};
use instance::Instance;
use limits::{Bounds, Watch};
use num_bigint::BigUint;
use num_traits::Zero;
use search::{Outside, PartAnswer, Recording, Search};
use std::borrow::Borrow;
use trace::Proof;

pub use options::Options;
pub use strategy::{StrategyOutcome, solve_with_strategy};

/// Finds the value of a simplified problem. A problem that is given away is dropped before the search begins.
pub fn search(
    problem: impl Borrow<Problem>,
    options: &Options,
    watch: &mut Watch<'_>,
    statistics: &mut Statistics,
) -> Bounds {
    let found = attempt(problem, options, watch, statistics, None);
    found.expect("only a short run ends without bounds")
}

/// The same for a short run of at most this much work, that is clauses and variables visited; nothing if that or the memory was not enough. Then
/// the watch has learned bounds.
pub fn attempt(
    problem: impl Borrow<Problem>,
    options: &Options,
    watch: &mut Watch<'_>,
    statistics: &mut Statistics,
    short_run: Option<u64>,
) -> Option<Bounds> {
    let mut decisions = DecisionOrder::find(problem.borrow(), options);
    if decisions.refuted.is_none()
        && let Some(smaller) = smaller(problem.borrow(), &decisions, options, watch, short_run)
    {
        decisions.carry_over(&problem.borrow().levels, &smaller);
        drop(problem);
        return run(
            smaller, &decisions, options, watch, statistics, short_run, None,
        );
    }
    run(
        problem, &decisions, options, watch, statistics, short_run, None,
    )
}

/// A problem of the same value with fewer and shorter clauses, if there is one and memory for it.
fn smaller(
    problem: &Problem,
    decisions: &DecisionOrder,
    options: &Options,
    watch: &mut Watch<'_>,
    short: Option<u64>,
) -> Option<Problem> {
    let clauses = &problem.clauses;
    let room = formula::preprocess::room_for_reduction(
        problem.variables(),
        clauses.len(),
        clauses.literal_count(),
    );
    watch.take_memory(room).ok()?;
    let limit = short.unwrap_or(policy::REDUCING * clauses.literal_count() as u64);
    // Circuits are counted by cutting them, at any variable: those that are gone are missing there.
    let eliminates = options.eliminate && !decisions.begins_with_defined();
    let reduction = Reduction {
        subsumes: options.subsume,
        eliminates,
        lengthens: eliminates && !cuts_well(problem.variables(), clauses, limit, watch),
    };
    let unblocked = match options.drop_blocked {
        true => {
            let limit = short.unwrap_or(policy::BLOCKING * clauses.literal_count() as u64);
            formula::preprocess::without_blocked(problem, &decisions.is_defined, limit)
        }
        false => None,
    };
    let smaller =
        formula::preprocess::reduced(unblocked.as_ref().unwrap_or(problem), reduction, limit);
    watch.give_memory_back(room);
    smaller.or(unblocked)
}

/// Whether a formula has good places to cut; no if that takes more than this much work to find, or memory that is not there.
fn cuts_well(variables: usize, clauses: &Clauses, limit: u64, watch: &mut Watch<'_>) -> bool {
    let room = decomposition::room(variables);
    if watch.take_memory(room).is_err() {
        return false;
    }
    let found = Decomposition::cuts_well(variables, clauses, limit);
    watch.give_memory_back(room);
    found
}

/// The trace of the search of all parts, and the proofs of each.
#[derive(Default)]
struct Recorded {
    trace: Option<Recording>,
    proofs: Vec<Proof>,
}

fn run(
    problem: impl Borrow<Problem>,
    decisions: &DecisionOrder,
    options: &Options,
    watch: &mut Watch<'_>,
    statistics: &mut Statistics,
    mut short_run: Option<u64>,
    mut recorded: Option<&mut Recorded>,
) -> Option<Bounds> {
    let mut found = Bounds::known(BigRational::zero());
    let clauses = &problem.borrow().clauses;
    if decisions.refuted.is_some() || clauses.iter().any(<[_]>::is_empty) {
        return Some(found);
    }
    let chances = &problem.borrow().chances;
    let room = room(chances, clauses.len(), clauses.literal_count());
    if let Err(reason) = watch.take_memory(room) {
        return short_run.is_none().then(|| Bounds::unknown(reason));
    }
    let (mut lowers, mut uppers, mut ones) = (Vec::new(), Vec::new(), Vec::new());
    let (mut counts, mut threads) = (Counts::default(), 1);
    let parts = Instance::parts(problem.borrow(), decisions);
    drop(problem);
    let mut waiting = parts.len();
    for mut part in parts {
        waiting -= 1;
        let outside = Outside {
            values: &lowers,
            ones: &ones,
            waits: waiting > 0,
        };
        let names = std::mem::take(&mut part.names);
        let mut recording = recorded
            .as_mut()
            .map(|recorded| recorded.trace.take().unwrap_or_default());
        if let Some((_, derivations)) = &mut recording {
            derivations.begin(names);
        }
        let Some(part) = solve(part, options, watch, &mut short_run, recording, outside) else {
            watch.give_memory_back(room);
            return None;
        };
        counts.add(&part.counts);
        threads = threads.max(part.threads as u64);
        if let Some(recorded) = &mut recorded {
            recorded.trace = part.recording;
            recorded.proofs.push(part.proof);
        }
        let is_zero = part.upper.is_zero();
        lowers.push(part.lower);
        uppers.push(part.upper);
        ones.push(part.one);
        found.stopped = part.stopped;
        if is_zero {
            found.stopped = None;
            break;
        }
        if found.stopped.is_some() {
            if waiting > 0 {
                // The parts that were not searched have values from 0 to 1.
                lowers.push(BigUint::ZERO);
            }
            break;
        }
    }
    watch.give_memory_back(room);
    let one = product(ones.into_iter());
    found.lower = base::value::fraction(product(lowers.into_iter()), one.clone());
    found.upper = base::value::fraction(product(uppers.into_iter()), one);
    let defined = decisions
        .is_defined
        .iter()
        .filter(|&&is_defined| is_defined)
        .count();
    statistics.push(("defined", defined as u64));
    statistics.extend(counts.named());
    if threads > 1 {
        statistics.push(("threads", threads));
    }
    Some(found)
}

fn solve(
    part: Instance,
    options: &Options,
    watch: &mut Watch<'_>,
    short_run: &mut Option<u64>,
    recording: Option<Recording>,
    outside: Outside<'_>,
) -> Option<PartAnswer> {
    let chances = part.chances.iter().flatten();
    let denominators = chances.map(|chance| chance.as_rational().denom().magnitude());
    // A sum of two upper bounds is at most twice as large.
    let bits = product(denominators.cloned()).bits() + u64::from(part.is_defined.contains(&true));
    match bits {
        0..=64 => Search::<u64>::new(part, options, watch, recording, outside).solve(short_run),
        65..=128 => Search::<u128>::new(part, options, watch, recording, outside).solve(short_run),
        129..=256 => Search::<U256>::new(part, options, watch, recording, outside).solve(short_run),
        _ => Search::<BigUint>::new(part, options, watch, recording, outside).solve(short_run),
    }
}

/// Memory that the lists about variables and clauses take when the search begins, in bytes.
fn room(chances: &[Option<Probability>], clauses: usize, literals: usize) -> u64 {
    let fractions = chances.iter().flatten().count();
    (116 * chances.len() + 200 * fractions + 92 * clauses + 12 * literals) as u64
}
