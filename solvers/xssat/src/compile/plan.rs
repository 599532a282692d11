//! Segment plans: the circuit of a segment, which lies between two cuts, and its decisions.
//!
//! All variables of a segment become wires of one [`Circuit`]: the key and the variables that are
//! decided are its inputs, gates are gates, and a variable that was known before the cut but is not
//! part of the key is computed again where it is needed.
//!
//! The *level* of a wire is the number of decisions it depends on, from the first to the last. Wires
//! of level 0 depend on the key alone.

use super::activity::Readers;
use super::cuts::Cut;
use super::layout::Layout;
use crate::options::Options;
use crate::program::{AssignmentList, Decision, Item, Program};
use circuit::{Circuit, Literal};
use formula::{Lit, Probability, Quantifier, Var};

/// A segment as signals of a circuit.
pub struct SegmentPlan {
    /// The variables of the key.
    pub key: Vec<Var>,
    /// The inputs for the bits of the key.
    pub key_inputs: Vec<Literal>,
    /// The decisions, in order; number n makes the wires of level n + 1.
    pub decisions: Vec<DecisionPlan>,
    /// The checks, which must hold.
    pub checks: Vec<Literal>,
    /// The bits of the next key.
    pub next_key: Vec<Literal>,
    /// If true at the end, all that follows is true.
    pub won: Literal,
}

/// Makes the circuits of segments, one after the other.
pub struct Planner<'a> {
    program: &'a Program,
    layout: &'a Layout<'a>,
    readers: Readers,
    skip_inactive: bool,
    /// The circuit of the present segment.
    pub circuit: Circuit,
    /// The wire of each variable in the present segment, valid if its stamp is the present one.
    wires: Vec<Literal>,
    stamps: Vec<u32>,
    stamp: u32,
}

/// A decision while its segment is compiled.
pub struct DecisionPlan {
    /// The number of the decision in the program.
    pub decision: usize,
    pub quantifier: Quantifier,
    /// The inputs of the circuit for its variables.
    pub inputs: Vec<Literal>,
    /// The options to choose from.
    pub choice: ChoicePlan,
}

/// The options of a decision; see [`Choice`](super::segment::Choice).
pub enum ChoicePlan {
    /// One of some listed assignments.
    Listed {
        /// The inputs that each assignment makes true.
        assignments: Vec<Vec<u16>>,
        /// For each assignment, whether it is legal.
        legal: Vec<Literal>,
        /// The classes of assignments with equal effects.
        classes: Vec<u64>,
        /// Where the maximizer decides whatever the quantifier.
        maximize: Literal,
    },
    /// The value of one variable.
    Single {
        /// For chance: how likely it is true.
        probability: Option<Probability>,
        /// Whether its positive and its negative literal are of interest.
        interest: [Literal; 2],
    },
}

impl DecisionPlan {
    /// The signals that are evaluated in the lanes before the decision.
    pub fn questions(&self) -> Vec<Literal> {
        match &self.choice {
            ChoicePlan::Listed {
                legal, maximize, ..
            } => legal.iter().copied().chain([*maximize]).collect(),
            ChoicePlan::Single { interest, .. } => interest.to_vec(),
        }
    }
}

impl<'a> Planner<'a> {
    /// There is no segment yet.
    pub fn new(program: &'a Program, layout: &'a Layout<'a>, options: &Options) -> Self {
        let variables = layout.variables();
        Planner {
            program,
            layout,
            readers: Readers::new(program, layout),
            skip_inactive: options.skip_inactive,
            circuit: Circuit::new(),
            wires: vec![Literal::FALSE; variables],
            stamps: vec![0; variables],
            stamp: 0,
        }
    }

    fn define(&mut self, variable: Var, wire: Literal) {
        self.stamps[variable.index()] = self.stamp;
        self.wires[variable.index()] = wire;
    }

    /// The wire of a variable, if it is part of the present segment.
    pub fn defined(&self, variable: Var) -> Option<Literal> {
        let index = variable.index();
        (self.stamps[index] == self.stamp).then(|| self.wires[index])
    }

    /// The wire of a literal; builds the gates it depends on.
    fn literal(&mut self, literal: Lit) -> Literal {
        self.wire(literal.var()).negated_if(literal.is_negative())
    }

    fn wire(&mut self, variable: Var) -> Literal {
        if let Some(wire) = self.defined(variable) {
            return wire;
        }
        let (program, layout) = (self.program, self.layout);
        // The path of gates under construction, each with the number of inputs that are there.
        let mut path = vec![(variable, 0)];
        while let Some((variable, done)) = path.last_mut() {
            let gate = layout.definitions.gate(*variable);
            let gate = gate.expect("what is neither known nor decided here is a gate");
            if let Some(&input) = layout.inputs(gate).get(*done) {
                *done += 1;
                if self.defined(input).is_none() {
                    path.push((input, 0));
                }
            } else {
                let variable = *variable;
                let gate = &program.gates[gate];
                let mut clauses = Vec::new();
                for clause in program.conjuncts(gate) {
                    let literals: Vec<Literal> = clause.iter().map(|&l| self.literal(l)).collect();
                    clauses.push(self.circuit.or(literals));
                }
                let wire = self.circuit.and(clauses).negated_if(gate.inverted);
                self.define(variable, wire);
                path.pop();
            }
        }
        self.defined(variable).expect("just defined")
    }

    /// The disjunction of some literals.
    fn clause(&mut self, literals: impl IntoIterator<Item = Lit>) -> Literal {
        let literals: Vec<Literal> = literals.into_iter().map(|l| self.literal(l)).collect();
        self.circuit.or(literals)
    }

    /// Makes the circuit of the part between two cuts.
    pub fn plan(&mut self, start: &Cut, end: &Cut) -> SegmentPlan {
        self.stamp += 1;
        self.circuit.clear();
        let items = &self.program.items[start.item..end.item];
        for literal in &start.winning {
            self.define(
                literal.var(),
                Literal::FALSE.negated_if(literal.is_negative()),
            );
        }
        let (mut key, mut key_inputs) = (Vec::new(), Vec::new());
        for &variable in &start.key {
            if self.defined(variable).is_none() {
                let input = self.circuit.input(0);
                self.define(variable, input);
                key.push(variable);
                key_inputs.push(input);
            }
        }
        let decisions = self.decisions(items);
        let checks = self.checks(items);
        let next_key = end.key.iter().copied();
        let next_key = next_key.filter(|v| !end.winning.iter().any(|literal| literal.var() == *v));
        SegmentPlan {
            key,
            key_inputs,
            decisions,
            checks,
            next_key: next_key.map(|variable| self.wire(variable)).collect(),
            won: self.clause(end.winning.iter().copied()),
        }
    }

    /// The decisions among some items, with inputs for their variables, but without their questions.
    fn decisions(&mut self, items: &[Item]) -> Vec<DecisionPlan> {
        let program = self.program;
        let mut plans: Vec<DecisionPlan> = Vec::new();
        for item in items {
            let Item::Decision(number) = *item else {
                continue;
            };
            let decision = &program.decisions[number];
            let level = plans.len() as u32 + 1;
            if let Some(listed) = decision.listed.as_ref().filter(|_| !is_single(decision)) {
                let variables = decision.variables.iter();
                let inputs = variables.map(|&variable| self.decided(variable, level));
                plans.push(DecisionPlan {
                    decision: number,
                    quantifier: decision.quantifier,
                    inputs: inputs.collect(),
                    choice: ChoicePlan::Listed {
                        assignments: listed.assignments.clone(),
                        legal: Vec::new(),
                        classes: (0..listed.assignments.len()).map(|n| 1 << n).collect(),
                        maximize: Literal::FALSE,
                    },
                });
                continue;
            }
            for (position, &variable) in decision.variables.iter().enumerate() {
                let probability = decision.probabilities.get(position);
                match probability {
                    Some(certain) if certain.is_one() => self.define(variable, Literal::TRUE),
                    Some(certain) if certain.is_zero() => self.define(variable, Literal::FALSE),
                    _ => {
                        let level = plans.len() as u32 + 1;
                        plans.push(DecisionPlan {
                            decision: number,
                            quantifier: decision.quantifier,
                            inputs: vec![self.decided(variable, level)],
                            choice: ChoicePlan::Single {
                                probability: probability.cloned(),
                                interest: [Literal::TRUE; 2],
                            },
                        });
                    }
                }
            }
        }
        for plan in &mut plans {
            self.ask(plan);
        }
        plans
    }

    /// An input of the circuit for a variable that is decided.
    fn decided(&mut self, variable: Var, level: u32) -> Literal {
        let input = self.circuit.input(level);
        self.define(variable, input);
        input
    }

    /// Finds the options of each decision, whether they matter, and the player who decides.
    fn ask(&mut self, plan: &mut DecisionPlan) {
        let decision = &self.program.decisions[plan.decision];
        match &mut plan.choice {
            ChoicePlan::Listed {
                legal, maximize, ..
            } => {
                let listed = decision.listed.as_ref().expect("the plan is listed");
                *legal = self.legal(decision, listed);
                if let Some(unless) = listed.unless {
                    *maximize = self.literal(unless);
                }
            }
            ChoicePlan::Single { interest, .. } if self.skip_inactive => {
                let own = |v: &&Var| self.defined(**v) == Some(plan.inputs[0]);
                let position = decision.variables.iter().position(|v| own(&v));
                let position = position.expect("the variable is one of its decision");
                let variable = decision.variables[position];
                let now = self.layout.definitions.item(variable);
                let is_known = |literal: Lit| {
                    self.layout.definitions.item(literal.var()) < now
                        || decision.variables[..position].contains(&literal.var())
                };
                let clauses = self.readers.clauses(self.program, variable, is_known);
                *interest = clauses.map(|clauses| match clauses {
                    None => Literal::TRUE,
                    Some(clauses) => {
                        let clauses: Vec<Literal> = clauses
                            .into_iter()
                            .map(|clause| self.clause(clause))
                            .collect();
                        !self.circuit.and(clauses)
                    }
                });
            }
            ChoicePlan::Single { .. } => {}
        }
    }

    /// The signals that say where each assignment of a decision is legal. The values that the decision itself gives are
    /// put in, so that the question can be asked before it is taken.
    fn legal(&mut self, decision: &Decision, listed: &AssignmentList) -> Vec<Literal> {
        let mut demands: Vec<Vec<Literal>> = vec![Vec::new(); listed.assignments.len()];
        for clause in self.program.legality(decision) {
            let position = |literal: &Lit| {
                let mut variables = decision.variables.iter();
                variables.position(|&variable| variable == literal.var())
            };
            let rest = clause.iter().copied().filter(|l| position(l).is_none());
            let rest = self.clause(rest);
            for (assignment, demands) in listed.assignments.iter().zip(&mut demands) {
                let is_true = |literal: &Lit| {
                    let position = position(literal).map(|position| position as u16);
                    position.is_some_and(|position| literal.holds(assignment.contains(&position)))
                };
                if !clause.iter().any(is_true) {
                    demands.push(rest);
                }
            }
        }
        let demands = demands.into_iter();
        demands.map(|demands| self.circuit.and(demands)).collect()
    }

    /// The wires of checks among some items, and of the legality of decisions that are not listed
    /// here: of the maximizer, for whom an illegal choice is a lost one.
    fn checks(&mut self, items: &[Item]) -> Vec<Literal> {
        let program = self.program;
        let mut checks = Vec::new();
        for item in items {
            match *item {
                Item::Gate(_) => {}
                Item::Check(number) => {
                    checks.push(self.clause(program.clauses.get(number).iter().copied()));
                }
                Item::Decision(number) if is_single(&program.decisions[number]) => {
                    for clause in program.legality(&program.decisions[number]) {
                        checks.push(self.clause(clause.iter().copied()));
                    }
                }
                Item::Decision(_) => {}
            }
        }
        checks
    }
}

/// Whether the maximizer decides a single variable and can give it both values: then what
/// counts is which of them is of interest.
fn is_single(decision: &Decision) -> bool {
    let listed = decision.listed.as_ref();
    decision.quantifier == Quantifier::Exists
        && decision.variables.len() == 1
        && listed.is_some_and(|listed| listed.assignments.len() == 2)
}
