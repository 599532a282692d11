//! What lies between two cuts, as code for many branches at once.
//!
//! All variables of a segment become wires of one [`Circuit`]: the key and the variables that are
//! decided are its inputs, gates are gates, and a variable that was known before the cut but is not
//! part of the key is computed again where it is needed. Nothing is compiled that neither a check
//! nor the next key depends on; what the key already settles is computed once for all branches.
//!
//! The *level* of a wire is the number of decisions it depends on, from the first to the last. Wires
//! of level 0 are alike in all lanes. A wire of a higher level that is needed behind a further
//! decision must be copied to the lanes of the branches: it gets a new slot there, so that the old
//! one is still there for those branches that do not fit into the same word.

use super::effects::merge_equal_effects;
use crate::compile::{Cut, Layout, Readers};
use crate::order::{Decision, Item, Program};
use circuit::{Block, Circuit, Code, Literal, Signal, Slots};
use formula::{Lit, Probability, Quantifier, Var};
use std::ops::Range;

/// The code between two cuts.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The slots that the bits of the key fill.
    pub key_slots: Vec<u32>,
    /// What follows from the key alone.
    pub start: Block,
    /// Whether the key alone leaves all checks true.
    pub start_check: Literal,
    /// The decisions.
    pub stages: Vec<Stage>,
    /// The bits of the next key.
    pub next_key: Vec<Literal>,
    /// If true at the end, all that follows is true.
    pub won: Literal,
    /// The number of slots.
    pub slots: usize,
}

/// A decision and what follows from it.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Who decides.
    pub quantifier: Quantifier,
    /// What can be decided.
    pub choice: Choice,
    /// The words to copy to the lanes of the branches.
    pub moves: Vec<(u32, u32)>,
    /// What follows from the decision.
    pub body: Block,
    /// Whether the checks that can be tested now are true.
    pub check: Literal,
}

/// What can be decided in a stage. Literals are for the lanes before the decision.
#[derive(Clone, Debug)]
pub enum Choice {
    /// One of some listed assignments.
    Listed {
        /// The slots of the variables.
        slots: Vec<u32>,
        /// For each assignment, the slots to set.
        patterns: Vec<Vec<u32>>,
        /// For each assignment, whether it is allowed.
        allowed: Vec<Literal>,
        /// Assignments with equal effects: a partition, as sets of bits.
        classes: Vec<u64>,
        /// Where this is true, the maximising player decides whatever the quantifier.
        maximise: Literal,
    },
    /// The value of one variable.
    Single {
        /// The slot of the variable, if anything reads it.
        slot: Option<u32>,
        /// For chance: how likely it is true.
        probability: Option<Probability>,
        /// Whether its positive and its negative literal are of interest.
        interest: [Literal; 2],
    },
}

/// What is known about a segment before it is compiled.
pub struct Part<'a> {
    /// The items.
    pub items: Range<usize>,
    /// Where it starts, and the literals that would have won there.
    pub start: &'a (Cut, Vec<Lit>),
    /// Where it ends, and the literals that win there.
    pub end: &'a (Cut, Vec<Lit>),
}

/// Compiles segments, one after the other.
pub struct Compiler<'a> {
    program: &'a Program,
    layout: &'a Layout,
    readers: Readers,
    chances: &'a [Option<Probability>],
    skip_inactive: bool,
    merge_effects: bool,
    circuit: Circuit,
    /// The wire of each variable in the present segment, valid if its stamp is the present one.
    wires: Vec<Signal>,
    stamps: Vec<u32>,
    stamp: u32,
    /// The code of all segments.
    pub code: Code,
}

/// A decision while its segment is compiled.
struct Draft {
    decision: usize,
    quantifier: Quantifier,
    /// The inputs of the circuit for its variables.
    inputs: Vec<Signal>,
    choice: DraftChoice,
}

enum DraftChoice {
    Listed {
        patterns: Vec<Vec<u16>>,
        allowed: Vec<Signal>,
        classes: Vec<u64>,
        maximise: Signal,
    },
    Single {
        probability: Option<Probability>,
        interest: [Signal; 2],
    },
}

impl Draft {
    /// What is evaluated in the lanes before the decision.
    fn questions(&self) -> Vec<Signal> {
        match &self.choice {
            DraftChoice::Listed {
                allowed, maximise, ..
            } => allowed.iter().copied().chain([*maximise]).collect(),
            DraftChoice::Single { interest, .. } => interest.to_vec(),
        }
    }
}

impl<'a> Compiler<'a> {
    /// No segment is compiled yet.
    pub fn new(
        program: &'a Program,
        layout: &'a Layout,
        chances: &'a [Option<Probability>],
        options: &crate::Options,
    ) -> Self {
        let variables = layout.variables();
        Compiler {
            program,
            layout,
            readers: Readers::new(program, layout),
            chances,
            skip_inactive: options.skip_inactive,
            merge_effects: options.merge_effects,
            circuit: Circuit::new(),
            wires: vec![Signal::FALSE; variables],
            stamps: vec![0; variables],
            stamp: 0,
            code: Code::default(),
        }
    }

    fn define(&mut self, variable: Var, wire: Signal) {
        self.stamps[variable.index()] = self.stamp;
        self.wires[variable.index()] = wire;
    }

    fn defined(&self, variable: Var) -> Option<Signal> {
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

    /// Compiles one part.
    pub fn compile(&mut self, part: &Part<'_>) -> Segment {
        self.stamp += 1;
        self.circuit.clear();
        let (start, would_have_won) = part.start;
        for literal in would_have_won {
            let value = if literal.is_negative() {
                Signal::TRUE
            } else {
                Signal::FALSE
            };
            self.define(literal.var(), value);
        }
        let mut key = Vec::new();
        for &variable in &start.key {
            if self.defined(variable).is_none() {
                let input = self.circuit.input(0);
                self.define(variable, input);
                key.push(input);
            }
        }
        let mut drafts = self.drafts(part);
        let checks = self.checks(part, &mut drafts);
        let (end, wins) = part.end;
        let next_key = end.key.iter().copied();
        let next_key = next_key.filter(|v| !wins.iter().any(|literal| literal.var() == *v));
        let next_key: Vec<Signal> = next_key.map(|variable| self.wire(variable)).collect();
        let won = self.clause(wins.iter().copied());

        if self.merge_effects {
            for number in 0..drafts.len() {
                let mut effects = checks.clone();
                effects.extend(drafts[number + 1..].iter().flat_map(Draft::questions));
                effects.extend(next_key.iter().copied().chain([won]));
                let Draft { inputs, choice, .. } = &mut drafts[number];
                if let DraftChoice::Listed {
                    patterns, classes, ..
                } = choice
                {
                    *classes = merge_equal_effects(&mut self.circuit, inputs, patterns, &effects);
                }
            }
        }
        self.emit(&key, &drafts, &checks, &next_key, won)
    }

    /// The decisions of a part, with inputs for their variables, but without their questions.
    fn drafts(&mut self, part: &Part<'_>) -> Vec<Draft> {
        let program = self.program;
        let mut drafts: Vec<Draft> = Vec::new();
        for item in &program.items[part.items.clone()] {
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
    fn checks(&mut self, part: &Part<'_>, drafts: &mut [Draft]) -> Vec<Signal> {
        let mut demands: Vec<Vec<Vec<Signal>>> = drafts
            .iter()
            .map(|draft| match &draft.choice {
                DraftChoice::Listed { patterns, .. } => vec![Vec::new(); patterns.len()],
                DraftChoice::Single { .. } => Vec::new(),
            })
            .collect();
        let mut checks = Vec::new();
        for item in &self.program.items[part.items.clone()] {
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

    /// Writes the code.
    fn emit(
        &mut self,
        key: &[Signal],
        drafts: &[Draft],
        checks: &[Signal],
        next_key: &[Signal],
        won: Signal,
    ) -> Segment {
        let stages = drafts.len();
        let mut by_level = vec![Vec::new(); stages + 1];
        for &check in checks {
            by_level[self.circuit.level(check) as usize].push(check);
        }
        let checks: Vec<Signal> = by_level
            .into_iter()
            .map(|level| self.circuit.and(level))
            .collect();
        // The conjunction of checks may be known earlier than each of them.
        let circuit = &self.circuit;
        let ends: Vec<Signal> = next_key.iter().copied().chain([won]).collect();
        let mut roots = ends.clone();
        roots.extend(&checks);
        roots.extend(drafts.iter().flat_map(Draft::questions));
        let cone = circuit.cone(&roots);
        let mut last_use = vec![0; circuit.node_count()];
        let mut needed = vec![false; circuit.node_count()];
        let mut levels: Vec<Vec<Signal>> = vec![Vec::new(); stages + 1];
        for &node in &cone {
            needed[node] = true;
            let signal = circuit.signal(node);
            let level = circuit.level(signal);
            for input in circuit.gate(node) {
                let last = &mut last_use[input.node()];
                *last = (*last).max(level);
            }
            if !circuit.gate(node).is_empty() {
                levels[level as usize].push(signal);
            }
        }
        let mut used = |signal: Signal, stage: usize| {
            let last = &mut last_use[signal.node()];
            *last = (*last).max(stage as u32);
        };
        ends.iter().for_each(|&end| used(end, stages));
        for (stage, &check) in checks.iter().enumerate() {
            used(check, stage);
        }
        for (stage, draft) in drafts.iter().enumerate() {
            draft
                .questions()
                .into_iter()
                .for_each(|question| used(question, stage));
        }

        let mut slots = Slots::new();
        let key_slots = key.iter().map(|&input| slots.add(input)).collect();
        let start = self
            .code
            .push(circuit, levels[0].iter().copied(), &mut slots);
        let mut segment = Segment {
            key_slots,
            start,
            start_check: slots.literal(checks[0]),
            stages: Vec::new(),
            next_key: Vec::new(),
            won: 0,
            slots: 0,
        };
        let mut varying: Vec<usize> = Vec::new();
        for (index, draft) in drafts.iter().enumerate() {
            let stage = index as u32 + 1;
            let questions: Vec<Literal> = draft
                .questions()
                .into_iter()
                .map(|question| slots.literal(question))
                .collect();
            varying.retain(|&node| last_use[node] >= stage);
            let moves = varying.iter().map(|&node| {
                let from = slots.of_node(node).expect("it was computed before");
                (from, slots.add(circuit.signal(node)))
            });
            let moves = moves.collect();
            let mut slot = |input: &Signal| needed[input.node()].then(|| slots.add(*input));
            let input_slots: Vec<Option<u32>> = draft.inputs.iter().map(&mut slot).collect();
            let body = self
                .code
                .push(circuit, levels[index + 1].iter().copied(), &mut slots);
            let inputs = draft.inputs.iter().filter(|input| needed[input.node()]);
            varying.extend(inputs.map(|input| input.node()));
            varying.extend(levels[index + 1].iter().map(|signal| signal.node()));
            let choice = match &draft.choice {
                DraftChoice::Listed {
                    patterns, classes, ..
                } => Choice::Listed {
                    slots: input_slots.iter().copied().flatten().collect(),
                    patterns: patterns
                        .iter()
                        .map(|pattern| {
                            let places = pattern.iter();
                            places
                                .filter_map(|&place| input_slots[usize::from(place)])
                                .collect()
                        })
                        .collect(),
                    allowed: questions[..patterns.len()].to_vec(),
                    classes: classes.clone(),
                    maximise: questions[patterns.len()],
                },
                DraftChoice::Single { probability, .. } => Choice::Single {
                    slot: input_slots[0],
                    probability: probability.clone(),
                    interest: [questions[0], questions[1]],
                },
            };
            segment.stages.push(Stage {
                quantifier: draft.quantifier,
                choice,
                moves,
                body,
                check: slots.literal(checks[index + 1]),
            });
        }
        segment.next_key = next_key.iter().map(|&bit| slots.literal(bit)).collect();
        segment.won = slots.literal(won);
        segment.slots = slots.len();
        segment
    }
}

/// Whether the assignments of a decision are listed, and worth treating so: a single variable with
/// both values is decided by what is of interest.
fn is_listed(decision: &Decision) -> bool {
    let single = decision.variables.len() == 1 && decision.patterns.len() == 2;
    decision.selection.is_some() || decision.quantifier == Quantifier::Exists && !single
}
