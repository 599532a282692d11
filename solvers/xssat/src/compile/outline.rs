//! The circuit of what lies between two cuts.
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
use crate::order::{Decision, Item, Program};
use circuit::{Circuit, Signal};
use formula::{Lit, Probability, Quantifier, Var};

/// What a segment does, as signals of a circuit.
pub struct Outline {
    /// The variables of the key.
    pub key: Vec<Var>,
    /// The inputs for the bits of the key.
    pub key_inputs: Vec<Signal>,
    /// The decisions, in order; number n makes the wires of level n + 1.
    pub drafts: Vec<Draft>,
    /// What must hold.
    pub checks: Vec<Signal>,
    /// The bits of the next key.
    pub next_key: Vec<Signal>,
    /// If true at the end, all that follows is true.
    pub won: Signal,
}

/// Makes the circuits of segments, one after the other.
pub struct Outliner<'a> {
    program: &'a Program,
    layout: &'a Layout,
    readers: Readers,
    chances: &'a [Option<Probability>],
    skip_inactive: bool,
    /// The circuit of the present segment.
    pub circuit: Circuit,
    /// The wire of each variable in the present segment, valid if its stamp is the present one.
    wires: Vec<Signal>,
    stamps: Vec<u32>,
    stamp: u32,
}

/// A decision while its segment is compiled.
pub struct Draft {
    /// The number of the decision in the program.
    pub decision: usize,
    /// Who decides.
    pub quantifier: Quantifier,
    /// The inputs of the circuit for its variables.
    pub inputs: Vec<Signal>,
    /// What can be decided.
    pub choice: DraftChoice,
}

/// What can be decided; see [`Choice`](super::segment::Choice).
pub enum DraftChoice {
    /// One of some listed assignments.
    Listed {
        /// The inputs that each assignment makes true.
        patterns: Vec<Vec<u16>>,
        /// Which of them are allowed.
        allowed: Vec<Signal>,
        /// Which of them have equal effects.
        classes: Vec<u64>,
        /// Where the maximising player decides whatever the quantifier.
        maximise: Signal,
    },
    /// The value of one variable.
    Single {
        /// For chance: how likely it is true.
        probability: Option<Probability>,
        /// Whether its positive and its negative literal are of interest.
        interest: [Signal; 2],
    },
}

impl Draft {
    /// What is evaluated in the lanes before the decision.
    pub fn questions(&self) -> Vec<Signal> {
        match &self.choice {
            DraftChoice::Listed {
                allowed, maximise, ..
            } => allowed.iter().copied().chain([*maximise]).collect(),
            DraftChoice::Single { interest, .. } => interest.to_vec(),
        }
    }
}

impl<'a> Outliner<'a> {
    /// There is no segment yet.
    pub fn new(
        program: &'a Program,
        layout: &'a Layout,
        chances: &'a [Option<Probability>],
        options: &Options,
    ) -> Self {
        let variables = layout.variables();
        Outliner {
            program,
            layout,
            readers: Readers::new(program, layout),
            chances,
            skip_inactive: options.skip_inactive,
            circuit: Circuit::new(),
            wires: vec![Signal::FALSE; variables],
            stamps: vec![0; variables],
            stamp: 0,
        }
    }

    fn define(&mut self, variable: Var, wire: Signal) {
        self.stamps[variable.index()] = self.stamp;
        self.wires[variable.index()] = wire;
    }

    /// The wire of a variable, if it is part of the present segment.
    pub fn defined(&self, variable: Var) -> Option<Signal> {
        let index = variable.index();
        (self.stamps[index] == self.stamp).then(|| self.wires[index])
    }

    /// The wire of a literal; builds the gates it depends on.
    fn literal(&mut self, literal: Lit) -> Signal {
        self.wire(literal.var()).negated_if(literal.is_negative())
    }

    fn wire(&mut self, variable: Var) -> Signal {
        if let Some(wire) = self.defined(variable) {
            return wire;
        }
        let (program, layout) = (self.program, self.layout);
        // The path of gates under construction, each with the number of inputs that are there.
        let mut path = vec![(variable, 0)];
        while let Some((variable, done)) = path.last_mut() {
            let gate = layout.gate_of(*variable);
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
                    let literals: Vec<Signal> = clause.iter().map(|&l| self.literal(l)).collect();
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
    fn clause(&mut self, literals: impl IntoIterator<Item = Lit>) -> Signal {
        let literals: Vec<Signal> = literals.into_iter().map(|l| self.literal(l)).collect();
        self.circuit.or(literals)
    }

    /// Makes the circuit of what lies between two cuts.
    pub fn outline(&mut self, start: &Cut, end: &Cut) -> Outline {
        self.stamp += 1;
        self.circuit.clear();
        let items = &self.program.items[start.item..end.item];
        for literal in &start.winning {
            self.define(
                literal.var(),
                Signal::FALSE.negated_if(literal.is_negative()),
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
        let mut drafts = self.drafts(items);
        let checks = self.checks(items, &mut drafts);
        let next_key = end.key.iter().copied();
        let next_key = next_key.filter(|v| !end.winning.iter().any(|literal| literal.var() == *v));
        Outline {
            key,
            key_inputs,
            drafts,
            checks,
            next_key: next_key.map(|variable| self.wire(variable)).collect(),
            won: self.clause(end.winning.iter().copied()),
        }
    }

    /// The decisions among some items, with inputs for their variables, but without their questions.
    fn drafts(&mut self, items: &[Item]) -> Vec<Draft> {
        let program = self.program;
        let mut drafts: Vec<Draft> = Vec::new();
        for item in items {
            let Item::Decision(number) = *item else {
                continue;
            };
            let decision = &program.decisions[number];
            if is_listed(decision) {
                let level = drafts.len() as u32 + 1;
                let inputs: Vec<Signal> = decision
                    .variables
                    .iter()
                    .map(|_| self.circuit.input(level))
                    .collect();
                for (&variable, &input) in decision.variables.iter().zip(&inputs) {
                    self.define(variable, input);
                }
                drafts.push(Draft {
                    decision: number,
                    quantifier: decision.quantifier,
                    inputs,
                    choice: DraftChoice::Listed {
                        patterns: decision.patterns.clone(),
                        allowed: vec![Signal::TRUE; decision.patterns.len()],
                        classes: (0..decision.patterns.len()).map(|n| 1 << n).collect(),
                        maximise: Signal::FALSE,
                    },
                });
                continue;
            }
            for &variable in &decision.variables {
                let probability = self.chances[variable.index()].clone();
                let probability = probability.filter(|_| decision.quantifier == Quantifier::Chance);
                match &probability {
                    Some(certain) if certain.is_one() => self.define(variable, Signal::TRUE),
                    Some(certain) if certain.is_zero() => self.define(variable, Signal::FALSE),
                    _ => {
                        let input = self.circuit.input(drafts.len() as u32 + 1);
                        self.define(variable, input);
                        drafts.push(Draft {
                            decision: number,
                            quantifier: decision.quantifier,
                            inputs: vec![input],
                            choice: DraftChoice::Single {
                                probability,
                                interest: [Signal::TRUE; 2],
                            },
                        });
                    }
                }
            }
        }
        for draft in &mut drafts {
            self.ask(draft);
        }
        drafts
    }

    /// Finds out what decides whether a decision matters, and who decides.
    fn ask(&mut self, draft: &mut Draft) {
        let decision = &self.program.decisions[draft.decision];
        match &mut draft.choice {
            DraftChoice::Listed { maximise, .. } => {
                if let Some(unless) = decision.selection.and_then(|selection| selection.unless) {
                    *maximise = self.literal(unless);
                }
            }
            DraftChoice::Single { interest, .. } if self.skip_inactive => {
                let own = |v: &&Var| self.defined(**v) == Some(draft.inputs[0]);
                let place = decision.variables.iter().position(|v| own(&v));
                let place = place.expect("the variable is one of its decision");
                let variable = decision.variables[place];
                let now = self.layout.defined_at(variable);
                let is_known = |literal: Lit| {
                    self.layout.defined_at(literal.var()) < now
                        || decision.variables[..place].contains(&literal.var())
                };
                let clauses = self.readers.clauses(self.program, variable, is_known);
                *interest = clauses.map(|clauses| match clauses {
                    None => Signal::TRUE,
                    Some(clauses) => {
                        let clauses: Vec<Signal> = clauses
                            .into_iter()
                            .map(|clause| self.clause(clause))
                            .collect();
                        !self.circuit.and(clauses)
                    }
                });
            }
            DraftChoice::Single { .. } => {}
        }
    }

    /// The wires of checks. What a check demands of a listed decision, in view of what was known
    /// before, goes to the allowed assignments of that decision instead.
    fn checks(&mut self, items: &[Item], drafts: &mut [Draft]) -> Vec<Signal> {
        let mut demands: Vec<Vec<Vec<Signal>>> = drafts
            .iter()
            .map(|draft| match &draft.choice {
                DraftChoice::Listed { patterns, .. } => vec![Vec::new(); patterns.len()],
                DraftChoice::Single { .. } => Vec::new(),
            })
            .collect();
        let mut checks = Vec::new();
        for item in items {
            let Item::Check(check) = *item else {
                continue;
            };
            let check = self.program.checks.get(check);
            match self.demanded(check, drafts) {
                None => checks.push(self.clause(check.iter().copied())),
                Some(number) => {
                    let decision = &self.program.decisions[drafts[number].decision];
                    let place = |literal: &Lit| {
                        let mut variables = decision.variables.iter();
                        variables.position(|&v| v == literal.var())
                    };
                    let rest = check.iter().copied().filter(|l| place(l).is_none());
                    let rest = self.clause(rest);
                    for (pattern, demands) in decision.patterns.iter().zip(&mut demands[number]) {
                        let satisfied = check.iter().any(|literal| {
                            place(literal).is_some_and(|place| {
                                pattern.contains(&(place as u16)) != literal.is_negative()
                            })
                        });
                        if !satisfied {
                            demands.push(rest);
                        }
                    }
                }
            }
        }
        for (draft, demands) in drafts.iter_mut().zip(demands) {
            if let DraftChoice::Listed { allowed, .. } = &mut draft.choice {
                for (allowed, demands) in allowed.iter_mut().zip(demands) {
                    *allowed = self.circuit.and(demands);
                }
            }
        }
        checks
    }

    /// The draft of the listed decision of which a check demands something.
    fn demanded(&self, check: &[Lit], drafts: &[Draft]) -> Option<usize> {
        let decision = self.layout.demanded(self.program, check)?;
        let number = drafts.iter().position(|draft| draft.decision == decision)?;
        matches!(drafts[number].choice, DraftChoice::Listed { .. }).then_some(number)
    }
}

/// Whether the assignments of a decision are listed, and worth treating so: a single variable with
/// both values is decided by what is of interest.
fn is_listed(decision: &Decision) -> bool {
    let single = decision.variables.len() == 1 && decision.patterns.len() == 2;
    decision.selection.is_some() || decision.quantifier == Quantifier::Exists && !single
}
