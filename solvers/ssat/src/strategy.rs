//! Strategies of both players as circuits, from the trace of a search.
//!
//! A node of the [trace](super::trace) is *active* if play comes by it. A root is; a node after a test is if the test is and
//! its variable has the value; a node after a branch is if the branch is. That makes one gate for each node that several
//! others lead to. An existential variable is true if an active branch sets it to true. A universal variable is set by the
//! first active entry on the path, and nodes near the root have higher numbers.
//!
//! A function depends on what stands before its variable. For a test this holds because the search decides outermost
//! variables first. The exception are defined variables, which may be decided before their place: for these stands their
//! definition, by variables that are known by then. If the maximizer gives one another value than its definition, the
//! formula is false whatever follows.
//!
//! The formula is not simplified before, since that hides choices, but for universal reduction. A strategy of the maximizing
//! player for the reduced formula is one for the formula, because longer clauses are easier to satisfy. The minimizer
//! makes the universal literals false that were dropped from a clause, if all its others are: that comes before all else, and
//! the first such clause decides. If earlier variables define a universal one, it is made the opposite of that.

use crate::defined::DecisionOrder;
use crate::options::Options;
use crate::trace::{Entry, NOTHING, Node, NodeId};
use crate::{Recording, run};
use formula::{Answer, Formula, Lit, Outcome, Quantifier, SolverError, Var};
use limits::{Limits, Publisher, StopReason, Watch};
use preprocess::{Bounds, Problem, Statistics};
use witness::{Decider, GateList, Strategy};

/// Between two looks at the limits, this many nodes are gone over.
const NODES_PER_LOOK: usize = 1 << 12;

/// Bytes for a node, and for a literal of a gate, while gates are made.
const NODE_BYTES: u64 = 32;
const LITERAL_BYTES: u64 = 24;

/// The result of the request for a strategy.
#[derive(Debug)]
pub enum StrategyOutcome {
    /// The functions of both players.
    Strategy(Box<Strategy>),
    /// Its gates have more literals than they may have.
    TooLarge,
    /// A limit was reached before it was complete.
    Stopped(StopReason),
}

/// Finds the value of a formula, of which it publishes bounds, and the strategies by which both players get it: their gates have at most
/// `max_literals` literals.
///
/// # Errors
/// If the formula is too large.
pub fn solve_with_strategy(
    name: &str,
    formula: &Formula,
    options: &Options,
    limits: &Limits,
    publisher: &Publisher,
    max_literals: usize,
) -> Result<(Answer, StrategyOutcome), SolverError> {
    let reduction_only = preprocess::Options {
        propagate_units: false,
        substitute_equivalences: false,
        reduce_universals: true,
    };
    let mut found = None;
    let engine = |problem: Problem, watch: &mut Watch<'_>, statistics: &mut Statistics| {
        let mut recorded = Vec::new();
        let decisions = DecisionOrder::find(&problem, options);
        let record = Some(&mut recorded);
        let bounds = run(
            &problem, &decisions, options, watch, statistics, None, record,
        );
        let bounds = bounds.expect("a search goes on unless a short run ends it");
        found = Some(match bounds.stopped {
            Some(reason) => StrategyOutcome::Stopped(reason),
            None => write_down(
                name,
                formula,
                &problem,
                &decisions,
                &recorded,
                &bounds,
                watch,
                max_literals,
            ),
        });
        Ok(bounds)
    };
    let limit = options.decision_limit;
    let answer = preprocess::solve(
        "ssat",
        formula,
        (limits, publisher),
        limit,
        &reduction_only,
        engine,
    )?;
    let found = match (found, &answer.outcome) {
        (Some(found), _) => found,
        (None, Outcome::Stopped { reason, .. }) => StrategyOutcome::Stopped(*reason),
        (None, Outcome::Solved(_)) => unreachable!("nothing is settled before the search"),
    };
    Ok((answer, found))
}

/// The reason why there are no gates.
enum Unwritten {
    TooLarge,
    Stopped(StopReason),
}

impl From<StopReason> for Unwritten {
    fn from(reason: StopReason) -> Self {
        Unwritten::Stopped(reason)
    }
}

#[allow(clippy::too_many_arguments)]
fn write_down(
    name: &str,
    formula: &Formula,
    problem: &Problem,
    decisions: &DecisionOrder,
    recorded: &[Recording],
    bounds: &Bounds,
    watch: &mut Watch<'_>,
    max_literals: usize,
) -> StrategyOutcome {
    let mut writer = Writer {
        gates: GateList::new(problem.variables()),
        definitions: vec![None; problem.variables()],
        is_defined: &decisions.is_defined,
        refuted: decisions.refuted,
        problem,
        max_literals,
        taken: 0,
        looked: 0,
    };
    let mut write = || {
        writer.define(decisions);
        let exists = writer.exists(recorded, watch)?;
        let forall = writer.forall(formula, recorded, watch)?;
        Ok((exists, forall))
    };
    let written = write();
    watch.give_memory_back(writer.taken);
    match written {
        Err(Unwritten::TooLarge) => StrategyOutcome::TooLarge,
        Err(Unwritten::Stopped(reason)) => StrategyOutcome::Stopped(reason),
        Ok((exists, forall)) => {
            let mut strategy = Strategy {
                formula: name.to_owned(),
                sha256: witness::fingerprint(formula),
                variables: formula.variables(),
                value: bounds.lower.clone(),
                gates: writer.gates.into_gates(),
                exists,
                forall,
            };
            strategy.drop_unused_gates();
            StrategyOutcome::Strategy(Box::new(strategy))
        }
    }
}

struct Writer<'a> {
    gates: GateList,
    /// For a defined variable the literal of its definition.
    definitions: Vec<Option<Lit>>,
    is_defined: &'a [bool],
    /// A universal variable that earlier ones determine.
    refuted: Option<Var>,
    problem: &'a Problem,
    max_literals: usize,
    /// Memory asked for.
    taken: u64,
    looked: usize,
}

impl Writer<'_> {
    /// Makes the definitions of defined variables.
    fn define(&mut self, decisions: &DecisionOrder) {
        for definition in &decisions.definitions {
            let clauses = definition.clauses.iter();
            let cases: Vec<Lit> = clauses
                .map(|&clause| {
                    let clause = self.problem.clauses.get(clause as usize).iter();
                    let others = clause.filter(|literal| literal.var() != definition.literal.var());
                    let others: Vec<Lit> = others.map(|&other| !self.known(other)).collect();
                    self.gates.and(&others)
                })
                .collect();
            let holds = self.gates.or(&cases);
            self.definitions[definition.literal.var().index()] =
                Some(holds.with_sign_of(definition.literal));
        }
    }

    /// A literal of what is known about a variable: its definition if it has one.
    fn known(&self, literal: Lit) -> Lit {
        match self.definitions[literal.var().index()] {
            Some(definition) => definition.with_sign_of(literal),
            None => literal,
        }
    }

    /// The literal that a test of a variable asks for.
    fn tested(&self, variable: Var) -> Lit {
        match self.is_defined[variable.index()] {
            true => self.known(variable.positive()),
            false => variable.positive(),
        }
    }

    /// Looks at the limits.
    fn look(&mut self, watch: &mut Watch<'_>) -> Result<(), Unwritten> {
        self.looked += 1;
        let literals = self.gates.literals() + self.gates.len();
        if literals > self.max_literals {
            return Err(Unwritten::TooLarge);
        }
        if self.looked.is_multiple_of(NODES_PER_LOOK) {
            watch.look("writing the strategy", self.gates.len() as u64)?;
        }
        Ok(())
    }

    fn take(&mut self, bytes: u64, watch: &mut Watch<'_>) -> Result<(), Unwritten> {
        watch.take_memory(bytes)?;
        self.taken += bytes;
        Ok(())
    }

    /// Goes over all nodes that a root leads to, from the root to the leaves, and tells of the entries of each active
    /// branch: the literal that says whether it is active, and what is to be set.
    fn walk(
        &mut self,
        recorded: &Recording,
        root: NodeId,
        watch: &mut Watch<'_>,
        entry: &mut dyn FnMut(&mut Self, Lit, Entry),
    ) -> Result<(), Unwritten> {
        if root == NOTHING {
            return Ok(());
        }
        self.take(NODE_BYTES * u64::from(root), watch)?;
        let mut ways: Vec<Vec<Lit>> = vec![Vec::new(); root as usize + 1];
        ways[root as usize].push(self.gates.truth());
        let (trace, names) = (&recorded.trace, &recorded.names);
        let name = |literal: Lit| names[literal.var().index()].literal(!literal.is_negative());
        for id in (1..=root).rev() {
            let mut leading = std::mem::take(&mut ways[id as usize]);
            if leading.is_empty() {
                continue;
            }
            self.look(watch)?;
            leading.sort_unstable();
            leading.dedup();
            let active = self.gates.or(&leading);
            match trace.node(id) {
                Node::Test {
                    variable,
                    on_true,
                    on_false,
                } => {
                    let tested = self.tested(names[variable.index()]);
                    for (node, literal) in [(on_true, tested), (on_false, !tested)] {
                        if node != NOTHING {
                            let way = self.gates.and(&[active, literal]);
                            ways[node as usize].push(way);
                        }
                    }
                }
                Node::Branch { entries, nodes } => {
                    for &Entry { when, set } in trace.entries(entries) {
                        let (when, set) = (when.map(name), name(set));
                        entry(self, active, Entry { when, set });
                    }
                    for &node in trace.nodes(nodes) {
                        ways[node as usize].push(active);
                    }
                }
            }
        }
        Ok(())
    }

    /// The functions of the maximizer.
    fn exists(
        &mut self,
        recorded: &[Recording],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<(Var, Lit)>, Unwritten> {
        // By code of the literal, when it is set.
        let mut cases: Vec<Vec<Lit>> = vec![Vec::new(); 2 * self.problem.variables()];
        for part in recorded {
            let root = part.proof.lower;
            let mut count = 0;
            self.walk(part, root, watch, &mut |_, active, entry| {
                count += 1;
                cases[entry.set.code()].push(active);
            })?;
            self.take(LITERAL_BYTES * count, watch)?;
        }
        let mut functions = Vec::new();
        for variable in self.decided(Decider::Exists) {
            self.look(watch)?;
            let [with, without] =
                [variable.positive(), variable.negative()].map(|literal| &cases[literal.code()]);
            // Where nothing sets it, its value does not matter.
            let function = match (
                self.definitions[variable.index()],
                with.len(),
                without.len(),
            ) {
                (Some(definition), _, _) => definition,
                (None, 0, _) => !self.gates.truth(),
                (None, _, 0) => self.gates.truth(),
                (None, one, other) if one <= other => self.gates.or(with),
                _ => !self.gates.or(without),
            };
            functions.push((variable, function));
        }
        self.look(watch)?;
        Ok(functions)
    }

    /// The functions of the minimizer.
    fn forall(
        &mut self,
        formula: &Formula,
        recorded: &[Recording],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<(Var, Lit)>, Unwritten> {
        // By variable, what sets it, earlier entries of a path first.
        let mut cases: Vec<Vec<(Lit, bool)>> = vec![Vec::new(); self.problem.variables()];
        if self.decided(Decider::Forall).is_empty() {
            return Ok(Vec::new());
        }
        self.falsify_dropped(formula, &mut cases, watch)?;
        for part in recorded {
            let root = part.proof.upper;
            let mut count = 0;
            self.walk(part, root, watch, &mut |writer, active, entry| {
                count += 1;
                let when = match entry.when {
                    Some(when) => writer.gates.and(&[active, when]),
                    None => active,
                };
                let value = !entry.set.is_negative();
                cases[entry.set.var().index()].push((when, value));
            })?;
            self.take(LITERAL_BYTES * count, watch)?;
        }
        let mut functions = Vec::new();
        for variable in self.decided(Decider::Forall) {
            self.look(watch)?;
            let mut cases = std::mem::take(&mut cases[variable.index()]);
            if self.refuted == Some(variable) {
                // Some clause is false if it is not what the others determine.
                let defined = self.known(variable.positive());
                cases.extend([(defined, false), (self.gates.truth(), true)]);
            }
            let function = self.first_case(&cases);
            functions.push((variable, function));
        }
        self.look(watch)?;
        Ok(functions)
    }

    /// Adds the cases in which the minimizer makes universal literals false that universal reduction drops from clauses: see above.
    fn falsify_dropped(
        &mut self,
        formula: &Formula,
        cases: &mut [Vec<(Lit, bool)>],
        watch: &mut Watch<'_>,
    ) -> Result<(), Unwritten> {
        let levels = levels(formula);
        let quantifiers = &self.problem.quantifiers;
        let is_universal = |literal: Lit| quantifiers[literal.var().index()] == Quantifier::Forall;
        for clause in formula.matrix().iter() {
            let others = clause.iter().filter(|&&literal| !is_universal(literal));
            let last = others.map(|literal| levels[literal.var().index()]).max();
            let is_dropped = |literal: Lit| {
                is_universal(literal)
                    && last.is_none_or(|last| levels[literal.var().index()] > last)
            };
            if is_tautology(clause) || !clause.iter().any(|&literal| is_dropped(literal)) {
                continue;
            }
            self.look(watch)?;
            let (dropped, kept): (Vec<Lit>, Vec<Lit>) =
                clause.iter().partition(|&&literal| is_dropped(literal));
            let negated: Vec<Lit> = kept.iter().map(|&literal| !literal).collect();
            let when = self.gates.and(&negated);
            self.take(LITERAL_BYTES * dropped.len() as u64, watch)?;
            for literal in dropped {
                cases[literal.var().index()].push((when, literal.is_negative()));
            }
        }
        Ok(())
    }

    /// The value that the first case gives that holds. Where none holds, the value does not matter.
    fn first_case(&mut self, cases: &[(Lit, bool)]) -> Lit {
        let constant = |gates: &GateList, value: bool| match value {
            true => gates.truth(),
            false => !gates.truth(),
        };
        let mut runs = cases.chunk_by(|(_, one), (_, other)| one == other).rev();
        let Some(last) = runs.next() else {
            return !self.gates.truth();
        };
        let mut function = constant(&self.gates, last[0].1);
        for run in runs {
            let whens: Vec<Lit> = run.iter().map(|&(when, _)| when).collect();
            let applies = self.gates.or(&whens);
            function = match run[0].1 {
                true => self.gates.or(&[applies, function]),
                false => self.gates.and(&[!applies, function]),
            };
        }
        function
    }

    /// The variables that a player decides.
    fn decided(&self, side: Decider) -> Vec<Var> {
        let quantifiers = &self.problem.quantifiers;
        let decides = |index: &usize| quantifiers[*index] == side.quantifier();
        let decided = (0..quantifiers.len()).filter(decides);
        decided.map(Var::new).collect()
    }
}

/// The block of each variable of a formula.
fn levels(formula: &Formula) -> Vec<usize> {
    let mut levels = vec![0; formula.variables()];
    for (level, block) in formula.prefix().blocks().iter().enumerate() {
        for variable in &block.variables {
            levels[variable.index()] = level;
        }
    }
    levels
}

/// Whether a clause is always true.
fn is_tautology(clause: &[Lit]) -> bool {
    let mut clause = clause.to_vec();
    clause.sort_unstable();
    clause.windows(2).any(|pair| pair[0] == !pair[1])
}

/// Signs of literals.
trait Signed {
    /// This literal, negated if the other one is.
    fn with_sign_of(self, other: Lit) -> Lit;
}

impl Signed for Lit {
    fn with_sign_of(self, other: Lit) -> Lit {
        match other.is_negative() {
            true => !self,
            false => self,
        }
    }
}
