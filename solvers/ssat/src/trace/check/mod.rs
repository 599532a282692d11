//! The check of a trace: it follows both diagrams from the leaves to the root, and believes the formula alone.
//!
//! Clauses and definitions are checked one after the other. Values, and the order of tests, take one pass over the nodes of a
//! diagram. The module `paths` checks what holds "on each path". There is no recursion over nodes, and memory is asked for.
//!
//! Invariant: this module uses the formula, the trace and the limits, and nothing of the solver.

mod flaw;
mod paths;

pub use flaw::{Flaw, Side, Verdict, Verification};

use super::{Failure, Node, NodeId, Step, Trace, fingerprint, owners};
use formula::{BigRational, Clauses, Formula, Lit, Quantifier, Var};
use limits::{Limits, StopReason, Watch};
use num_traits::{One, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

/// Cases that are distinguished for one definition, before it counts as not shown. The solver's own search takes 400.
const MAX_CASES: u32 = 20_000;

/// Nodes between two checks of the limits.
const NODES_PER_CHECK: usize = 1 << 14;

/// Checks a trace. No value is below 0 or above 1, so where that is promised, one side needs no diagram.
pub fn verify(formula: &Formula, trace: &Trace, limits: &Limits) -> Verification {
    let mut bounds = [BigRational::zero(), BigRational::one()];
    let verdict = match check(formula, trace, limits, &mut bounds) {
        Ok(()) => Verdict::Proved(trace.value.clone()),
        Err(Stop::Flaw(flaw)) => Verdict::Refused(flaw),
        Err(Stop::Limit(reason)) => {
            let [lower, upper] = bounds;
            Verdict::Stopped {
                reason,
                lower,
                upper,
            }
        }
    };
    let nodes = [&trace.lower, &trace.upper].map(|diagram| diagram.nodes.len() as u64);
    Verification { verdict, nodes }
}

/// The end of a check before all is proved.
enum Stop {
    Flaw(Flaw),
    Limit(StopReason),
}

impl From<Flaw> for Stop {
    fn from(flaw: Flaw) -> Self {
        Stop::Flaw(flaw)
    }
}

impl From<StopReason> for Stop {
    fn from(reason: StopReason) -> Self {
        Stop::Limit(reason)
    }
}

/// Checks all of a trace; `bounds` become those that are proved.
fn check(
    formula: &Formula,
    trace: &Trace,
    limits: &Limits,
    bounds: &mut [BigRational; 2],
) -> Result<(), Stop> {
    let expected = fingerprint(formula);
    if trace.sha256 != expected {
        let (name, found) = (trace.formula.clone(), trace.sha256.clone());
        return Err(Stop::Flaw(Flaw::OtherFormula {
            name,
            found,
            expected,
        }));
    }
    let (found, expected) = (trace.variables, formula.variables());
    if found != expected {
        return Err(Stop::Flaw(Flaw::Variables { found, expected }));
    }
    let names = trace.names.sorted().into_iter();
    let mut wrong = names.filter(|&(variable, name)| formula.names().get(variable) != Some(name));
    if let Some((variable, name)) = wrong.next() {
        let name = name.to_owned();
        return Err(Stop::Flaw(Flaw::Name { variable, name }));
    }
    let mut watch = Watch::new(limits);
    let matrix = formula.matrix();
    let nodes = trace.lower.nodes.len() + trace.upper.nodes.len();
    let room = 32 * (matrix.literal_count() + matrix.len())
        + 80 * formula.variables()
        + 24 * trace.clauses.len()
        + 128 * nodes;
    watch.take_memory(room as u64)?;
    let mut checker = Checker::new(formula, trace, watch);
    checker.check_clauses()?;
    checker.check_definitions()?;
    for (index, side) in [Side::Lower, Side::Upper].into_iter().enumerate() {
        if bounds[index] == trace.value {
            continue;
        }
        let found = checker.bound(side)?;
        if found != trace.value {
            let (value, found) = (Box::new(trace.value.clone()), Box::new(found));
            return Err(Stop::Flaw(Flaw::BrokenPromise { side, value, found }));
        }
        bounds[index] = found;
    }
    Ok(())
}

/// The value of a node, and the first blocks of variables below it.
#[derive(Clone)]
struct Summary {
    value: BigRational,
    /// The first block of a variable that the player of the diagram sets below.
    choice: u32,
    /// The first block of chance below.
    chance: u32,
}

impl Summary {
    /// Nothing is set below.
    fn of(value: BigRational) -> Self {
        Summary {
            value,
            choice: u32::MAX,
            chance: u32::MAX,
        }
    }
}

struct Checker<'a> {
    formula: &'a Formula,
    trace: &'a Trace,
    watch: Watch<'a>,
    /// By variable, its block and the player.
    levels: Vec<u32>,
    quantifiers: Vec<Quantifier>,
    /// For a defined variable, the block after which it is known.
    known_after: Vec<Option<u32>>,
    is_summed: Vec<bool>,
    /// Whether earlier variables define a universal one.
    is_refuted: bool,
    /// The clauses after universal reduction, with sorted literals; no tautologies.
    matrix: Clauses,
}

impl<'a> Checker<'a> {
    fn new(formula: &'a Formula, trace: &'a Trace, watch: Watch<'a>) -> Self {
        let variables = formula.variables();
        let (levels, quantifiers) = owners(formula);
        let mut matrix = Clauses::new();
        for clause in formula.matrix().iter() {
            let is_universal = |lit: &Lit| quantifiers[lit.var().index()] == Quantifier::Forall;
            let level = |lit: &Lit| levels[lit.var().index()];
            let last = clause
                .iter()
                .filter(|lit| !is_universal(lit))
                .map(level)
                .max();
            let is_kept =
                |lit: &&Lit| !is_universal(lit) || last.is_some_and(|last| level(lit) < last);
            let is_true = clause.iter().any(|lit| clause.contains(&!*lit));
            if !is_true {
                let mut kept: Vec<Lit> = clause.iter().filter(is_kept).copied().collect();
                kept.sort_unstable();
                kept.dedup();
                matrix.push(kept);
            }
        }
        Checker {
            formula,
            trace,
            watch,
            levels,
            quantifiers,
            known_after: vec![None; variables],
            is_summed: vec![false; variables],
            is_refuted: false,
            matrix,
        }
    }

    fn level(&self, variable: Var) -> u32 {
        self.levels[variable.index()]
    }

    fn quantifier(&self, variable: Var) -> Quantifier {
        self.quantifiers[variable.index()]
    }

    /// The probability of a literal of chance.
    fn chance(&self, literal: Lit) -> BigRational {
        let chance = self.formula.prefix().probability(literal.var());
        let chance = chance.expect("a chance variable has a probability");
        match literal.is_negative() {
            true => chance.complement().as_rational().clone(),
            false => chance.as_rational().clone(),
        }
    }

    fn check_limits(&mut self, done: usize) -> Result<(), StopReason> {
        match done.is_multiple_of(NODES_PER_CHECK) {
            true => self.watch.check("checking", done as u64),
            false => Ok(()),
        }
    }

    /// Each clause is of the formula, or follows from earlier ones.
    fn check_clauses(&mut self) -> Result<(), Stop> {
        let clauses = &self.trace.clauses;
        let matrix = std::mem::take(&mut self.matrix);
        let given: FxHashSet<&[Lit]> = matrix.iter().collect();
        let mut is_false = vec![false; 2 * self.levels.len()];
        for number in 0..clauses.len() as u32 {
            self.check_limits(number as usize)?;
            let (clause, hints) = (clauses.clause(number), clauses.hints(number));
            let is_right = match hints {
                [] => {
                    let mut sorted = clause.to_vec();
                    sorted.sort_unstable();
                    sorted.dedup();
                    given.contains(&sorted[..])
                }
                _ => {
                    let mut falsified = clause.to_vec();
                    clause.iter().for_each(|lit| is_false[lit.code()] = true);
                    let mut ends = false;
                    for &hint in hints.iter().filter(|&&hint| hint < number) {
                        let hint = clauses.clause(hint).iter();
                        let mut open = hint.filter(|lit| !is_false[lit.code()]);
                        match (open.next(), open.next()) {
                            (None, _) => ends = true,
                            (Some(&unit), None) => {
                                is_false[(!unit).code()] = true;
                                falsified.push(!unit);
                            }
                            _ => {}
                        }
                    }
                    falsified
                        .iter()
                        .for_each(|lit| is_false[lit.code()] = false);
                    ends
                }
            };
            if !is_right {
                let clause = number as usize + 1;
                return Err(Stop::Flaw(Flaw::Clause { clause }));
            }
        }
        self.matrix = matrix;
        Ok(())
    }

    /// Definitions leave their variables no choice.
    fn check_definitions(&mut self) -> Result<(), Stop> {
        for (index, definition) in self.trace.definitions.iter().enumerate() {
            self.watch.check("checking", index as u64)?;
            let variable = definition.variable;
            let flaw = || Flaw::Definition {
                definition: index + 1,
                variable,
            };
            let numbers = definition.clauses.iter();
            let clauses: Vec<&[Lit]> = numbers
                .map(|&number| self.trace.clauses.clause(number))
                .collect();
            let mut left = MAX_CASES;
            if self.known_after[variable.index()].is_some()
                || !is_contradiction(&clauses, variable, &mut FxHashMap::default(), &mut left)
            {
                return Err(Stop::Flaw(flaw()));
            }
            let inputs = clauses.iter().copied().flatten().map(|lit| lit.var());
            let inputs = inputs.filter(|&input| input != variable);
            let known = |input: Var| self.known_after[input.index()].unwrap_or(self.level(input));
            let last = inputs.map(known).max();
            match self.quantifier(variable) {
                Quantifier::Exists => {
                    self.known_after[variable.index()] = Some(last.unwrap_or(0));
                    self.is_summed[variable.index()] = definition.is_summed;
                }
                Quantifier::Forall if last.is_none_or(|last| last < self.level(variable)) => {
                    self.is_refuted = true;
                }
                _ => return Err(Stop::Flaw(flaw())),
            }
        }
        Ok(())
    }

    /// The bound that the diagram of a side proves.
    fn bound(&mut self, side: Side) -> Result<BigRational, Stop> {
        if side == Side::Upper && self.is_refuted {
            return Ok(BigRational::zero());
        }
        let (diagram, nothing) = match side {
            Side::Lower => (&self.trace.lower, BigRational::zero()),
            Side::Upper => (&self.trace.upper, BigRational::one()),
        };
        let mut found = vec![Summary::of(nothing)];
        for (index, node) in diagram.nodes().iter().enumerate() {
            self.check_limits(index)?;
            let summary = match *node {
                Node::Test {
                    variable,
                    on_true,
                    on_false,
                } => self.test(side, variable, [on_true, on_false], &found),
                Node::Branch { steps, nodes } => {
                    let mut steps = diagram.steps(steps).iter();
                    let below = product(diagram.children(nodes), &found);
                    steps.try_fold(below, |below, step| self.step(side, step, below))
                }
                Node::False(_) if side == Side::Lower => Err("is of the other diagram"),
                Node::False(failure) => self.made_false(failure).map(|choice| Summary {
                    choice,
                    ..Summary::of(BigRational::zero())
                }),
            };
            let summary = summary.map_err(|message| node_flaw(side, index, message))?;
            let digits = summary.value.numer().bits() + summary.value.denom().bits();
            self.watch.take_memory(digits / 8)?;
            found.push(summary);
        }
        self.check_variables(side)?;
        match side {
            Side::Lower => self.check_truth()?,
            Side::Upper => self.check_falsity()?,
        }
        Ok(found.pop().expect("there is the open node").value)
    }

    /// The summary of a step and all that is below.
    fn step(&self, side: Side, step: &Step, mut below: Summary) -> Result<Summary, &'static str> {
        let variable = step.literal.var();
        let (level, quantifier) = (self.level(variable), self.quantifier(variable));
        let choice = match (side, quantifier, step.otherwise) {
            (Side::Lower, _, Some(_)) => return Err("has a step with a clause"),
            (Side::Lower, Quantifier::Forall, _) => return Err("sets a universal variable"),
            (Side::Lower, Quantifier::Exists, _)
                if self.known_after[variable.index()].is_none() =>
            {
                level
            }
            (Side::Lower, ..) => u32::MAX,
            (Side::Upper, Quantifier::Forall, None) => level,
            (Side::Upper, Quantifier::Exists | Quantifier::Chance, Some(failure)) => {
                self.made_false(failure)?
            }
            (Side::Upper, ..) => return Err("has a step without a reason"),
        };
        if side == Side::Upper && quantifier != Quantifier::Forall && choice <= level {
            return Err("makes a literal false too early");
        }
        below.choice = below.choice.min(choice);
        if quantifier == Quantifier::Chance {
            below.chance = below.chance.min(level);
            below.value *= self.chance(step.literal);
        }
        Ok(below)
    }

    /// The summary of a test.
    fn test(
        &self,
        side: Side,
        variable: Var,
        nodes: [NodeId; 2],
        found: &[Summary],
    ) -> Result<Summary, &'static str> {
        let [with, without] = nodes.map(|node| &found[node as usize]);
        let mut level = self.level(variable);
        let (choice, mut chance) = (
            with.choice.min(without.choice),
            with.chance.min(without.chance),
        );
        let value = match (self.quantifier(variable), side) {
            (Quantifier::Chance, _) => {
                chance = chance.min(level);
                let mean = |literal: Lit, value: &BigRational| match value.is_zero() {
                    true => BigRational::zero(),
                    false => self.chance(literal) * value,
                };
                mean(variable.positive(), &with.value) + mean(variable.negative(), &without.value)
            }
            (Quantifier::Exists, _) if self.is_summed[variable.index()] => {
                level = self.known_after[variable.index()].expect("it is defined");
                (&with.value + &without.value).min(BigRational::one())
            }
            (Quantifier::Forall, Side::Lower) if level < chance => {
                (&with.value).min(&without.value).clone()
            }
            (Quantifier::Exists, Side::Upper) if level < chance => {
                (&with.value).max(&without.value).clone()
            }
            (Quantifier::Forall, Side::Lower) | (Quantifier::Exists, Side::Upper) => {
                return Err("tests a variable before chance that comes earlier");
            }
            _ => return Err("tests a variable that its player sets"),
        };
        if level >= choice {
            return Err("tests a variable that is not known where one below is set");
        }
        Ok(Summary {
            value,
            choice,
            chance,
        })
    }

    /// The first block of the literals that the minimizer makes false.
    fn made_false(&self, failure: Failure) -> Result<u32, &'static str> {
        let literals = self.trace.upper.made_false(failure.made_false);
        let is_universal = |lit: &Lit| self.quantifier(lit.var()) == Quantifier::Forall;
        match literals.iter().all(is_universal) {
            true => Ok(literals
                .iter()
                .map(|lit| self.level(lit.var()))
                .min()
                .unwrap_or(u32::MAX)),
            false => Err("makes a literal false that is not the minimizer's"),
        }
    }
}

fn node_flaw(side: Side, index: usize, message: &str) -> Stop {
    Stop::Flaw(Flaw::Node {
        side,
        node: index + 1,
        message: message.to_owned(),
    })
}

fn product(nodes: &[NodeId], found: &[Summary]) -> Summary {
    let mut all = Summary::of(BigRational::one());
    for &node in nodes {
        let one = &found[node as usize];
        all.value *= &one.value;
        all.choice = all.choice.min(one.choice);
        all.chance = all.chance.min(one.chance);
    }
    all
}

/// Whether no assignment makes these clauses true, each without the literals of one variable: by units, and by cases
/// (Davis, Logemann and Loveland 1962).
fn is_contradiction(
    clauses: &[&[Lit]],
    without: Var,
    values: &mut FxHashMap<Var, bool>,
    left: &mut u32,
) -> bool {
    let mut assigned: Vec<Var> = Vec::new();
    let found = loop {
        let (mut unit, mut case) = (None, None);
        let mut is_false = false;
        for clause in clauses {
            let value = |lit: &Lit| values.get(&lit.var()).map(|&value| lit.holds(value));
            let literals = clause.iter().filter(|lit| lit.var() != without);
            if literals.clone().any(|lit| value(lit) == Some(true)) {
                continue;
            }
            let mut open = literals.filter(|lit| value(lit).is_none());
            match (open.next(), open.next()) {
                (None, _) => is_false = true,
                (Some(&literal), None) => unit = Some(literal),
                (Some(&literal), _) => case = Some(literal),
            }
        }
        if is_false {
            break true;
        }
        if let Some(literal) = unit {
            values.insert(literal.var(), !literal.is_negative());
            assigned.push(literal.var());
            continue;
        }
        let (Some(literal), Some(fewer)) = (case, left.checked_sub(1)) else {
            break false;
        };
        *left = fewer;
        break [false, true].into_iter().all(|value| {
            values.insert(literal.var(), value);
            let found = is_contradiction(clauses, without, values, left);
            values.remove(&literal.var());
            found
        });
    };
    for variable in assigned {
        values.remove(&variable);
    }
    found
}
