//! An exact solver for Extended Stochastic SAT in layers: from a [`Formula`] to its value as a
//! fraction, or to proved bounds if a limit is reached. `docs/xssat.md` explains the method, and
//! `docs/theory.md` proves it.
//!
//! The value of a formula is that of a game. The prefix says which player sets which variable when: a
//! maximizer (*exists*), a minimizer (*for all*), or chance with known
//! probabilities; the play is won if all clauses are true. Plain evaluation takes time exponential
//! in the number of variables. This solver is made for formulas that describe something that
//! develops step by step, such as games: there, all that matters of the past is a *state*, and the
//! number of states is small beside the number of plays.
//!
//! Nothing in a formula says what the state is, or even that there are steps. The method finds out.
//! It is dynamic programming, cut by cut, over the boundary between known and open variables:
//!
//! ```text
//! Formula --preprocess--> Problem --order--> Program --selections--> Program --compile--> cuts, segments
//!                                                                                            |
//!                                                                            value <-- layered
//! ```
//!
//! 1. **Simplify** ([`formula::preprocess`]). Unit propagation, universal reduction, replacement of
//!    equal variables.
//! 2. **Order** (`order`). Walk along the prefix with the set of known variables. An existential
//!    variable that the known ones determine is a *gate*: it is computed, not chosen. A
//!    clause whose last variable is known is a *check*. When nothing more can be computed, there
//!    is a *decision* over a few variables at once, such as the moves of a player, of which
//!    exactly one is true. The formula is now a straight [`program`](mod@program) of gates, checks and decisions.
//! 3. **Lift selections** (`selections`). The bits by which an opponent or chance picks a move, and
//!    the forced choice that carries the move out, are proved to be, and become, one plain choice
//!    among the legal moves. The counting that the encoding needs for it falls away.
//! 4. **Prune** (`compile::cone`) what no check depends on.
//! 5. **Cut** (`compile::cuts`). Between two decisions, the variables known before and used after
//!    determine all that is to come. Leave out those that the rest determines; what is left is the
//!    *key*. On games it turns out to be the bare position (32 bits for a board of 4 by 4 fields).
//!    Cut the program where the key is small, and so that the branches of a segment are as many as
//!    are worth executing together.
//! 6. **Win early** (`compile::winning`). A literal that alone makes all later checks true ends the
//!    play with value 1: found backwards over the cuts, it is mostly "the game has ended".
//! 7. **Find symmetry** (`symmetry`). Permutations of the literals that map the program to itself;
//!    states that are images of each other have one value and get one key.
//! 8. **Compile** what lies between two cuts into a circuit (`compile::plan`, crate
//!    [`circuit`]), and that into code that works on words, one branch per bit (`compile::segment`).
//!    Which assignments are legal in a state, and which of them anything can notice
//!    (`compile::activity`, `compile::effects`) are wires of the same circuit.
//! 9. **Search** (`layered`, crate [`arena`]). A state is executed with all its branches
//!    at once, which gives a small tree whose leaves are states of the next cut. Depth first over the states, with a table per
//!    cut from exact keys to bounds of the value that all threads share, alpha-beta windows for the
//!    players, Star1 windows for chance, and first passes that only ask whether the value is (close to) 1. Where
//!    that takes long, all states are listed, with as many states in a word as have room, and valued from the last cut to the first.
//!
//! Values are whole numbers over the product of the denominators of the chance decisions to come
//! (crate [`base::value`]); comparisons are exact, and one fraction is made at the end. The denominators
//! are learned from what really occurs (crate [`arena`]): games need far smaller ones than their
//! encoding suggests, so that most searches do with one or two machine words.
//!
//! Each technique has a file, with its own documentation, and a switch ([`Options::techniques`]); no switch
//! changes an answer. The gain of each is measured in `docs/bench/ablation.csv`. [`describe()`]
//! shows the compiled form of a formula.
//!
//! # Does quantifier shifting matter?
//!
//! Encodings may put all helper atoms into the innermost block ("base"), or shift them outwards as
//! far as they may go ("dep"). He and Thielscher found that dep helps the solver they used, and left
//! open when and why. Here it makes no difference, and step 2 says why: a determined variable is
//! found as soon as its inputs are known, in whatever block behind them it stands. Both encodings
//! become nearly the same program (on the formulas of the table: the same keys and decisions, in
//! some cases another order of equal choices). Over the 42 questions of their table the geometric
//! mean of the time with base over the time with dep is 1.01, that of the states 1.00
//! (`scripts/bench xssat --quant both --alone`). Shifting is a service to solvers that branch on variables in the order of
//! the prefix.
//!
//! # Suitable formulas
//!
//! On formulas that are not layered (random clauses, planning with one block of moves) few gates
//! are found and no key is small. Going from cut to cut is then little more than an enumeration with a
//! table. Such formulas are for the crate `ssat`, with component caching and learning from
//! conflicts; the module `portfolio` of that crate chooses by the [`Shape`] of a formula.
//!
//! # Guarantees
//!
//! * An answer is exact, or a pair of proved bounds with the reason why the run ended. Time and the
//!   interrupt are checked all the time, also while compiling.
//! * Equal calls give equal answers; with one thread, also equal statistics.
//! * Tables take no more memory than allowed: new states then replace old ones, and the search goes
//!   on.
//! * No step recurses to a depth that depends on the formula, but for the decisions of one segment,
//!   whose number is bounded.
//! * Compilation takes nearly linear time on layered formulas. Where a step could be worse, it has a
//!   bound, beyond which it finds less.
//!
//! # Example
//!
//! ```
//! use formula::{Outcome, Value, preprocess};
//! use limits::{Limits, Publisher};
//! use sqasp_xssat::{Options, compile, order, search};
//!
//! // Two coins are thrown, one after the other; in between a player says whether they will differ.
//! let text = "p cnf 3 4\nr 0.5 1 0\ne 2 0\nr 0.25 3 0\n1 3 -2 0\n-1 -3 -2 0\n1 -3 2 0\n-1 3 2 0\n";
//! let formula = formula::read(text.as_bytes())?;
//! let (simplify, options) = (preprocess::Options::default(), Options::default());
//! let limits = (&Limits::default(), &Publisher::default());
//! let answer = formula::engine::solve("xssat", formula, limits, None, &simplify, |problem, watch, statistics| {
//!     let program = order(&problem, &options, watch)?;
//!     let compiled = compile(program, &options, watch, statistics)?;
//!     Ok(search(&compiled, &options, watch, statistics))
//! })?;
//! assert_eq!(answer.outcome, Outcome::Solved(Value::Exact("3/4".parse()?)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compile;
mod describe;
mod layered;
mod options;
mod order;
mod policy;
pub mod program;
mod selections;
mod symmetry;

pub use compile::{Compiled, Shape};
pub use options::Options;

use formula::engine::Statistics;
use formula::preprocess::{Falsified, Problem};
use formula::{BigRational, Formula};
use limits::{Bounds, Limits, StopReason, Watch};
use num_traits::Zero;
use program::Program;

/// The compiled form of a formula in words, for teaching and for studies.
pub fn describe(
    formula: &Formula,
    simplify: &formula::preprocess::Options,
    options: &Options,
) -> String {
    match compiled(formula, simplify, options) {
        Some(compiled) => describe::describe(&compiled, formula.names()),
        None => "some clause is false in any case: the value is 0\n".to_owned(),
    }
}

/// The program that a formula becomes, before it is cut into segments. It has the value of the
/// formula.
pub fn program(
    formula: &Formula,
    simplify: &formula::preprocess::Options,
    options: &Options,
) -> Program {
    match compiled(formula, simplify, options) {
        Some(compiled) => compiled.program,
        None => Program::new(0, BigRational::zero()),
    }
}

/// The compiled form of a formula; `None` if its value is 0.
fn compiled(
    formula: &Formula,
    simplify: &formula::preprocess::Options,
    options: &Options,
) -> Option<Compiled> {
    let limits = Limits::default();
    let mut watch = Watch::new(&limits);
    let mut problem = Problem::new(formula);
    let simplified = formula::preprocess::simplify(&mut problem, simplify, &mut watch);
    if let Err(Falsified) = simplified.expect("there are no limits") {
        return None;
    }
    let program = order(&problem, options, &mut watch);
    let compiled =
        program.and_then(|program| compile(program, options, &mut watch, &mut Vec::new()));
    Some(compiled.expect("there are no limits"))
}

/// The program of a simplified problem, without what no check depends on.
pub fn order(
    problem: &Problem,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<Program, StopReason> {
    let room = policy::ORDER_BYTES * problem.clauses.literal_count() as u64;
    watch.take_memory(room)?;
    let program = order::walk(problem, options, watch);
    watch.give_memory_back(room);
    let program = selections::lift(program?, options);
    Ok(match options.prune_cone {
        true => compile::prune(&program),
        false => program,
    })
}

/// Cuts a program into segments, and compiles them.
pub fn compile(
    program: Program,
    options: &Options,
    watch: &mut Watch<'_>,
    statistics: &mut Statistics,
) -> Result<Compiled, StopReason> {
    let compiled = compile::compile(program, options, watch)?;
    let shape = compiled.shape();
    let symmetric = compiled.segments.iter();
    let symmetric = symmetric.map(|segment| segment.symmetry.maps()).max();
    statistics.extend([
        ("gates", shape.gates as u64),
        ("checks", compiled.program.clauses.len() as u64),
        ("groups", compiled.program.decisions.len() as u64),
        ("segments", shape.segments as u64),
        ("key_bits", shape.widest_key as u64),
        ("symmetry_generators", compiled.generators as u64),
        ("symmetry_maps", symmetric.unwrap_or(0) as u64),
    ]);
    Ok(compiled)
}

/// Finds the value of a compiled problem.
pub fn search(
    compiled: &Compiled,
    options: &Options,
    watch: &mut Watch<'_>,
    statistics: &mut Statistics,
) -> Bounds {
    let (found, states) = layered::search(compiled, options, watch);
    statistics.extend([
        ("states", states),
        ("visits", found.expanded),
        ("value_bits", u64::from(found.value_bits)),
    ]);
    found.bounds
}
