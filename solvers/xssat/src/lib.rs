//! An exact solver for Extended Stochastic SAT: from a [`Formula`] to its value as a fraction, or
//! to proved bounds if a limit is reached.
//!
//! The value of a formula is that of a game. The prefix says who sets which variable when: a
//! maximising player (*exists*), a minimising player (*for all*), or chance with known
//! probabilities; the play is won if all clauses are true. Plain evaluation takes time exponential
//! in the number of variables. This solver is made for formulas that describe something that
//! develops step by step, such as games: there, all that matters of the past is a *state*, and the
//! number of states is small beside the number of plays.
//!
//! Nothing in a formula says what the state is, or even that there are steps. The method finds out.
//! It is a dynamic programming over the *frontier* between what is known and what is to come:
//!
//! ```text
//! Formula --simplify--> Problem --order--> Program --selections--> Program --compile--> cuts, segments
//!                          |                                                                |
//!                      learning                                       frontier (or search, the reference)
//!                          |                                                                |
//!                          +-----------------------------> value <--------------------------+
//! ```
//!
//! 1. **Simplify** (`simplify`). Unit propagation, universal reduction, replacement of equal
//!    variables. All of it keeps the value; a unit clause on a chance variable becomes a factor of
//!    the result.
//! 2. **Order** (`order`). Walk along the prefix with the set of known variables. An existential
//!    variable that the known ones determine is a *gate*: nobody chooses it, it is computed. A
//!    clause whose last variable is known is a *check*. When nothing more can be computed, somebody
//!    decides: a *decision* over a few variables at once, such as the moves of a player, of which
//!    exactly one is true. The formula is now a straight program of gates, checks and decisions.
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
//! 8. **Compile** (`frontier::segment`) what lies between two cuts into a circuit (crate
//!    [`circuit`]), and that into code that works on words, one branch per bit. Which assignments
//!    the state allows (demands) and which of them anything can notice (`compile::activity`,
//!    `frontier::effects`) are wires of the same circuit.
//! 9. **Search** (`frontier`). A state is executed with all its branches at once, which gives a small
//!    tree whose leaves are states of the next cut. Depth first over the states, with a table per
//!    cut from exact keys to bounds of the value that all threads share, alpha-beta windows for the
//!    players, Star1 windows for chance, and first passes that only ask whether the value is (close to) 1.
//!
//! Values are whole numbers over the product of the denominators of the chance decisions to come
//! (crate [`value`]); comparisons are exact, and one fraction is made at the end. The denominators
//! are learned from what really occurs (`frontier::units`): games need far smaller ones than their
//! encoding suggests, so that most searches do with one or two machine words.
//!
//! Each technique has a file, with its own documentation, and a switch ([`SWITCHES`]); no switch
//! changes an answer. What each of them buys is measured in `docs/ablation.md`. [`Xssat::describe`]
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
//! (`docs/benchmarks.md`). Shifting is a service to solvers that branch on variables in the order of
//! the prefix.
//!
//! # Other engines
//!
//! * `search` executes the same program one branch at a time, without selections, symmetry and
//!   threads: the *reference engine*, slower and simpler to believe, for comparison
//!   ([`Engine::Reference`]).
//! * On formulas that are not layered (random clauses, planning with one block of moves) few gates
//!   are found and no key is small. Going from cut to cut would then be little more than an
//!   enumeration with a table. Such formulas are given to `learning`, with component caching and
//!   learning from conflicts, which also says when it is chosen. It is no rival to QBF solvers on
//!   formulas with many universal variables.
//!
//! # What to rely on
//!
//! * An answer is exact, or a pair of proved bounds with the reason why the run ended. Time and the
//!   interrupt are looked at all the time, also while compiling.
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
//! use formula::{Outcome, Solver, Value};
//! use limits::Limits;
//!
//! // Two coins are thrown, one after the other; in between a player says whether they will differ.
//! let text = "p cnf 3 4\nr 0.5 1 0\ne 2 0\nr 0.25 3 0\n1 3 -2 0\n-1 -3 -2 0\n1 -3 2 0\n-1 3 2 0\n";
//! let formula = formula::read(text.as_bytes())?;
//! let answer = xssat::Xssat::default().solve(&formula, &Limits::default())?;
//! assert_eq!(answer.outcome, Outcome::Solved(Value::Exact("3/4".parse()?)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compile;
mod describe;
mod frontier;
mod learning;
mod occurrences;
mod options;
mod order;
mod problem;
mod search;
mod selections;
mod simplify;
mod symmetry;

pub use options::{Engine, Options, SWITCHES};

use compile::Compiled;
use formula::{Answer, BigRational, Exactness, Formula, Outcome, Solver, SolverError, Value};
use limits::{Limits, StopReason, Watch};
use num_traits::Zero;
use problem::{Falsified, Problem};

/// Literals and clauses are numbered with 32 bits, of which code takes one for itself.
const MAX_LITERALS: usize = 1 << 29;

/// The embedded solver.
#[derive(Clone, Default, Debug)]
pub struct Xssat {
    /// How to solve.
    pub options: Options,
}

impl Solver for Xssat {
    fn name(&self) -> &'static str {
        "xssat"
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn solve(&mut self, formula: &Formula, limits: &Limits) -> Result<Answer, SolverError> {
        let literals = formula.matrix().literal_count();
        if literals > MAX_LITERALS {
            return Err(SolverError::Unsupported {
                solver: self.name().to_owned(),
                reason: format!("it has {literals} literals, and at most {MAX_LITERALS} are taken"),
            });
        }
        let mut watch = Watch::with_work_limit(limits, self.options.decision_limit);
        let mut problem = Problem::new(formula);
        let mut statistics = Vec::new();
        let outcome = match self.run(&mut problem, &mut watch, &mut statistics) {
            Ok(outcome) => outcome,
            Err(reason) => Outcome::Stopped {
                reason,
                lower: BigRational::zero(),
                upper: problem.factor,
            },
        };
        statistics.push(("decisions", watch.work()));
        Ok(Answer {
            outcome,
            statistics,
        })
    }
}

impl Xssat {
    /// The compiled form of a formula in words, for teaching and for studies.
    pub fn describe(&self, formula: &Formula) -> String {
        let limits = Limits::default();
        let mut watch = Watch::new(&limits);
        let mut problem = Problem::new(formula);
        match self.compile(&mut problem, &mut watch, &mut Vec::new()) {
            Ok(Some(compiled)) => describe::describe(&compiled, formula.names()),
            Ok(None) => "some clause is false in any case: the value is 0\n".to_owned(),
            Err(_) => unreachable!("there are no limits"),
        }
    }

    /// Compiles a problem; `None` if its value is 0.
    fn compile(
        &self,
        problem: &mut Problem,
        watch: &mut Watch<'_>,
        statistics: &mut Vec<(&'static str, u64)>,
    ) -> Result<Option<Compiled>, StopReason> {
        statistics.push(("variables", problem.variables() as u64));
        let simplified = simplify::simplify(problem, &self.options, watch)?;
        statistics.push(("clauses", problem.clauses.len() as u64));
        if let Err(Falsified) = simplified {
            return Ok(None);
        }
        let mut program = order::walk(problem, &self.options, watch)?;
        if self.options.engine != Engine::Reference {
            program = selections::lift(program, problem, &self.options);
        }
        let compiled = compile::compile(program, &problem.chances, &self.options, watch)?;
        let widest = compiled
            .segments
            .iter()
            .map(|segment| segment.key.len())
            .max();
        let symmetric = compiled
            .segments
            .iter()
            .map(|segment| segment.symmetry.maps())
            .max();
        statistics.extend([
            ("gates", compiled.program.gates.len() as u64),
            ("checks", compiled.program.checks.len() as u64),
            ("groups", compiled.program.decisions.len() as u64),
            ("segments", compiled.segments.len() as u64),
            ("key_bits", widest.unwrap_or(0) as u64),
            ("symmetry_generators", compiled.generators as u64),
            ("symmetry_maps", symmetric.unwrap_or(0) as u64),
        ]);
        Ok(Some(compiled))
    }

    fn run(
        &self,
        problem: &mut Problem,
        watch: &mut Watch<'_>,
        statistics: &mut Vec<(&'static str, u64)>,
    ) -> Result<Outcome, StopReason> {
        let is_free = self.options.engine == Engine::Auto;
        if self.options.engine == Engine::Learning || is_free && learning::has_no_steps(problem) {
            if let Err(Falsified) = simplify::simplify(problem, &self.options, watch)? {
                return Ok(Outcome::Solved(Value::Exact(BigRational::zero())));
            }
            return Ok(self.learn(problem, watch, statistics));
        }
        let Some(compiled) = self.compile(problem, watch, statistics)? else {
            return Ok(Outcome::Solved(Value::Exact(BigRational::zero())));
        };
        if is_free && learning::is_better_suited(&compiled) {
            drop(compiled);
            return Ok(self.learn(problem, watch, statistics));
        }
        watch.set_factor(problem.factor.clone());
        let found = match self.options.engine {
            Engine::Reference => search::search(&compiled, &problem.chances, &self.options, watch),
            Engine::Auto | Engine::Frontier | Engine::Learning => {
                frontier::search(&compiled, &problem.chances, &self.options, watch)?
            }
        };
        statistics.extend([
            ("states", found.states),
            ("visits", found.visits),
            ("value_bits", u64::from(found.bits)),
        ]);
        let bound = |parts| value::fraction(parts, found.denominator.clone()) * &problem.factor;
        Ok(match found.stopped {
            Some(reason) if found.lower != found.upper => Outcome::Stopped {
                reason,
                lower: bound(found.lower),
                upper: bound(found.upper),
            },
            _ => Outcome::Solved(Value::Exact(bound(found.lower))),
        })
    }

    /// Solves a simplified problem with the learning engine.
    fn learn(
        &self,
        problem: &Problem,
        watch: &mut Watch<'_>,
        statistics: &mut Vec<(&'static str, u64)>,
    ) -> Outcome {
        let found = learning::search(problem, &self.options, watch);
        statistics.extend(found.statistics);
        let (lower, upper) = (found.lower * &problem.factor, found.upper * &problem.factor);
        match found.stopped {
            Some(reason) if lower != upper => Outcome::Stopped {
                reason,
                lower,
                upper,
            },
            _ => Outcome::Solved(Value::Exact(lower)),
        }
    }
}
