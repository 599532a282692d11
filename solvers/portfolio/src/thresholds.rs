//! Thresholds: dynamic programming over the part of the prefix before the last one, by residual formulas.
//!
//! A threshold asks whether the value of the rest is at least a number, and puts 1 or 0 in its place:
//!
//! ```text
//! e 1 0          the maximum over 1
//! t 1/2 0        of the question whether at least 1/2 is
//! r 1/3 2 0      the mean over 2
//! 1 2 0          of the clauses:      1 true: 1 >= 1/2;  1 false: 1/3 < 1/2;  so the value is 1
//! ```
//!
//! Variables are decided in the order of the prefix. Behind the last threshold stands an ordinary formula, which a solver values. The
//! residual formula is the key under which values are remembered: the values of earlier variables matter only through it.
//!
//! **A threshold of 0 makes the value 1**: what stands behind it is 1, and so is any maximum, minimum or mean of it. Otherwise a
//! matrix that is false is worth 0 everywhere, and unit clauses set
//!
//! - existential variables anywhere: the other branch is worth 0;
//! - no universal variable: the value is 0, since the minimizer takes the other branch;
//! - variables of chance before the next threshold: the other branch is worth 0, and maxima, minima and means before the threshold
//!   may be multiplied afterwards. Behind it the factor counts in another comparison, so the variable stays.
//!
//! **At a limit** the bounds of the part at work are combined along the path: branches that were not tried are worth 0 to 1, and a threshold
//! is decided if one of the bounds decides it.

use formula::{
    Answer, BigRational, Clauses, Exactness, Formula, Lit, Names, Outcome, Prefix, Quantifier,
    Solver, SolverError, Threshold, Value, Var,
};
use limits::{Limits, StopReason};
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

/// The value of a formula with thresholds, the outermost first. The part behind the last one is left to a solver.
///
/// # Errors
/// Those of the solver; if its values are rounded.
pub fn solve_with_thresholds(
    formula: &Formula,
    thresholds: &[Threshold],
    limits: &Limits,
    solver: &mut dyn Solver,
) -> Result<Answer, SolverError> {
    if solver.exactness() == Exactness::Float {
        return Err(SolverError::Unsupported {
            solver: solver.name().to_owned(),
            reason: "thresholds need exact values; use xssat".to_owned(),
        });
    }
    if thresholds.iter().any(|it| it.at_least.is_zero()) {
        return Ok(Answer {
            outcome: Outcome::Solved(Value::Exact(BigRational::one())),
            statistics: Vec::new(),
        });
    }
    let mut search = Search::new(formula, thresholds, limits, solver);
    let outcome = match search.value() {
        Ok(value) => Outcome::Solved(Value::Exact(value)),
        Err(Ending::Limit(reason, bounds)) => {
            let [lower, upper] = search.bounds(*bounds);
            Outcome::between(lower, upper, reason)
        }
        Err(Ending::Error(error)) => return Err(error),
    };
    Ok(Answer {
        outcome,
        statistics: search.statistics,
    })
}

/// The reason why there is no value.
enum Ending {
    /// A limit was reached; the bounds are those of the residual formula at work.
    Limit(StopReason, Box<[BigRational; 2]>),
    Error(SolverError),
}

/// The place of a variable in the prefix.
#[derive(Clone, Copy, Default)]
struct Place {
    /// How many thresholds stand before it.
    part: usize,
    /// The variables of a block between two thresholds, which are decided in any order, have the same number; later ones a higher one.
    rank: usize,
}

/// A residual formula that waits for the value of a part of it.
struct Node {
    part: usize,
    clauses: Clauses,
    /// The chance of the variables that unit clauses set.
    factor: BigRational,
    wait: Wait,
}

/// The work that a residual formula waits for.
enum Wait {
    /// The value of the rest behind its threshold.
    Rest,
    /// The values of both branches; that where the variable is true comes first.
    Branches(Var, Option<BigRational>),
}

/// The next step of the search.
enum Step {
    /// A residual formula is to be valued; the number counts the thresholds before it.
    Enter(usize, Clauses),
    /// A residual formula has this value.
    Leave(BigRational),
}

struct Search<'a> {
    formula: &'a Formula,
    thresholds: &'a [Threshold],
    limits: &'a Limits,
    solver: &'a mut dyn Solver,
    quantifiers: Vec<Quantifier>,
    places: Vec<Place>,
    /// The residual formulas above the present one.
    path: Vec<Node>,
    /// The values of residual formulas, by the number of thresholds before them.
    known: FxHashMap<(usize, Clauses), BigRational>,
    /// Bytes that the path and the known values take.
    bytes: u64,
    /// How often a variable occurs; all 0 between uses.
    occurrences: Vec<u32>,
    statistics: Vec<(&'static str, u64)>,
}

impl<'a> Search<'a> {
    fn new(
        formula: &'a Formula,
        thresholds: &'a [Threshold],
        limits: &'a Limits,
        solver: &'a mut dyn Solver,
    ) -> Self {
        let variables = formula.variables();
        let mut quantifiers = vec![Quantifier::Exists; variables];
        let mut places = vec![Place::default(); variables];
        let (mut now, mut before) = (Place::default(), 0);
        for block in formula.prefix().blocks() {
            now.rank += 1;
            for var in &block.variables {
                while thresholds
                    .get(now.part)
                    .is_some_and(|it| it.after <= before)
                {
                    now.part += 1;
                    now.rank += 1;
                }
                quantifiers[var.index()] = block.quantifier;
                places[var.index()] = now;
                before += 1;
            }
        }
        Search {
            formula,
            thresholds,
            limits,
            solver,
            quantifiers,
            places,
            path: Vec::new(),
            known: FxHashMap::default(),
            bytes: 0,
            occurrences: vec![0; variables],
            statistics: vec![("decisions", 0), ("solved_parts", 0)],
        }
    }

    /// The value of the whole formula.
    fn value(&mut self) -> Result<BigRational, Ending> {
        let mut step = Step::Enter(0, self.formula.matrix().clone());
        loop {
            step = match step {
                Step::Enter(part, clauses) => self.enter(part, clauses)?,
                Step::Leave(value) => match self.path.pop() {
                    None => return Ok(value),
                    Some(node) => self.resume(node, value),
                },
            };
        }
    }

    /// Begins to value a residual formula.
    fn enter(&mut self, part: usize, clauses: Clauses) -> Result<Step, Ending> {
        let limit = |reason| Ending::Limit(reason, Box::new(unknown()));
        self.limits.check(self.bytes).map_err(limit)?;
        let Some((clauses, factor)) = self.propagate(part, clauses) else {
            return Ok(Step::Leave(BigRational::zero()));
        };
        if clauses.is_empty() {
            return Ok(Step::Leave(factor));
        }
        let key = (part, clauses);
        if let Some(value) = self.known.get(&key) {
            return Ok(Step::Leave(factor * value));
        }
        let (part, clauses) = key;
        if part == self.thresholds.len() {
            let value = self.solve(&clauses).map_err(|ending| match ending {
                Ending::Limit(reason, bounds) => {
                    Ending::Limit(reason, Box::new(bounds.map(|bound| bound * &factor)))
                }
                error => error,
            })?;
            self.know(part, clauses, &value);
            return Ok(Step::Leave(factor * value));
        }
        self.bytes += size(&clauses);
        let (wait, next) = match self.choose(part, &clauses) {
            Some(var) => {
                self.statistics[0].1 += 1;
                let branch = restricted(&clauses, var.positive());
                (Wait::Branches(var, None), Step::Enter(part, branch))
            }
            None => (Wait::Rest, Step::Enter(part + 1, clauses.clone())),
        };
        self.path.push(Node {
            part,
            clauses,
            factor,
            wait,
        });
        Ok(next)
    }

    /// Goes on with a residual formula when a part of it has got a value.
    fn resume(&mut self, mut node: Node, value: BigRational) -> Step {
        let value = match node.wait {
            Wait::Rest => self.is_enough(node.part, &value),
            Wait::Branches(var, None) => {
                let quantifier = self.quantifiers[var.index()];
                let is_best = match quantifier {
                    Quantifier::Exists => value.is_one(),
                    Quantifier::Forall => value.is_zero(),
                    Quantifier::Chance => false,
                };
                if !is_best {
                    let branch = restricted(&node.clauses, var.negative());
                    let part = node.part;
                    node.wait = Wait::Branches(var, Some(value));
                    self.path.push(node);
                    return Step::Enter(part, branch);
                }
                value
            }
            Wait::Branches(var, Some(first)) => self.combined(var, first, value),
        };
        self.bytes -= size(&node.clauses);
        self.know(node.part, node.clauses, &value);
        Step::Leave(value * node.factor)
    }

    /// 1 if a value is at least the threshold behind a part, else 0.
    fn is_enough(&self, part: usize, value: &BigRational) -> BigRational {
        let is_enough = value >= self.thresholds[part].at_least.as_rational();
        BigRational::from_integer(u8::from(is_enough).into())
    }

    /// The value of a decision by those of its branches.
    fn combined(&self, var: Var, if_true: BigRational, if_false: BigRational) -> BigRational {
        match self.quantifiers[var.index()] {
            Quantifier::Exists => if_true.max(if_false),
            Quantifier::Forall => if_true.min(if_false),
            Quantifier::Chance => {
                if_true * self.chance(var.positive()) + if_false * self.chance(var.negative())
            }
        }
    }

    /// Bounds of the whole formula by those of the residual formula at work. All steps are monotone, so each bound goes up the path for itself.
    fn bounds(&mut self, mut bounds: [BigRational; 2]) -> [BigRational; 2] {
        while let Some(node) = self.path.pop() {
            let above = |(bound, not_tried): (BigRational, BigRational)| {
                let value = match &node.wait {
                    Wait::Rest => self.is_enough(node.part, &bound),
                    Wait::Branches(var, None) => self.combined(*var, bound, not_tried),
                    Wait::Branches(var, Some(first)) => self.combined(*var, first.clone(), bound),
                };
                value * &node.factor
            };
            let ([lower, upper], [zero, one]) = (bounds, unknown());
            bounds = [(lower, zero), (upper, one)].map(above);
        }
        bounds
    }

    fn know(&mut self, part: usize, clauses: Clauses, value: &BigRational) {
        self.bytes += size(&clauses);
        self.known.insert((part, clauses), value.clone());
    }

    /// The probability of a literal of chance.
    fn chance(&self, literal: Lit) -> BigRational {
        let probability = self.formula.prefix().probability(literal.var());
        let probability = probability.expect("chance variables have probabilities");
        match literal.is_negative() {
            false => probability.as_rational().clone(),
            true => probability.complement().as_rational().clone(),
        }
    }

    /// Sets what unit clauses set, and gives the chance of it; none if the value is 0.
    fn propagate(&self, part: usize, mut clauses: Clauses) -> Option<(Clauses, BigRational)> {
        let mut factor = BigRational::one();
        loop {
            let mut unit = None;
            for clause in clauses.iter() {
                match *clause {
                    [] => return None,
                    [literal] => match self.quantifiers[literal.var().index()] {
                        Quantifier::Forall => return None,
                        Quantifier::Exists => unit = Some(literal),
                        Quantifier::Chance if self.places[literal.var().index()].part == part => {
                            unit = Some(literal);
                        }
                        Quantifier::Chance => {}
                    },
                    _ => {}
                }
            }
            let Some(literal) = unit else {
                return Some((clauses, factor));
            };
            if self.quantifiers[literal.var().index()] == Quantifier::Chance {
                factor *= self.chance(literal);
            }
            clauses = restricted(&clauses, literal);
        }
    }

    /// The variable to decide before the next threshold: one of the outermost block that occurs most often.
    fn choose(&mut self, part: usize, clauses: &Clauses) -> Option<Var> {
        let variables = || clauses.iter().flatten().map(|literal| literal.var());
        for var in variables() {
            self.occurrences[var.index()] += 1;
        }
        let here = variables().filter(|var| self.places[var.index()].part == part);
        let chosen = here.min_by_key(|var| {
            let often = self.occurrences[var.index()];
            (
                self.places[var.index()].rank,
                std::cmp::Reverse(often),
                *var,
            )
        });
        for var in variables() {
            self.occurrences[var.index()] = 0;
        }
        chosen
    }

    /// The value of a residual formula behind the last threshold.
    fn solve(&mut self, clauses: &Clauses) -> Result<BigRational, Ending> {
        self.statistics[1].1 += 1;
        let mut is_open = vec![false; self.formula.variables()];
        for literal in clauses.iter().flatten() {
            is_open[literal.var().index()] = true;
        }
        let mut prefix = Prefix::new();
        for block in self.formula.prefix().blocks() {
            let open = block.variables.iter().copied();
            let open = open.filter(|var| is_open[var.index()]);
            if block.quantifier == Quantifier::Chance {
                for var in open {
                    let probability = self.formula.prefix().probability(var);
                    let probability = probability.expect("chance variables have probabilities");
                    prefix.push_chance(var, probability.clone());
                }
            } else {
                prefix.push(block.quantifier, open);
            }
        }
        // Variables that do not occur become existential there.
        let variables = self.formula.variables();
        let rest = Formula::new(variables, prefix, clauses.clone(), Names::default());
        let answer = self.solver.solve(&rest, self.limits);
        match answer.map_err(Ending::Error)?.outcome {
            Outcome::Solved(Value::Exact(value)) => Ok(value),
            Outcome::Solved(Value::Float(_)) => unreachable!("the solver is exact"),
            Outcome::Stopped {
                reason,
                lower,
                upper,
                ..
            } => Err(Ending::Limit(reason, Box::new([lower, upper]))),
        }
    }
}

/// The bounds of any value.
fn unknown() -> [BigRational; 2] {
    [BigRational::zero(), BigRational::one()]
}

/// The clauses that are left when a literal is true.
fn restricted(clauses: &Clauses, literal: Lit) -> Clauses {
    let mut rest = Clauses::new();
    for clause in clauses.iter().filter(|clause| !clause.contains(&literal)) {
        rest.push(clause.iter().copied().filter(|&other| other != !literal));
    }
    rest
}

/// About how many bytes a residual formula takes.
fn size(clauses: &Clauses) -> u64 {
    (4 * clauses.literal_count() + 8 * clauses.len() + 200) as u64
}
