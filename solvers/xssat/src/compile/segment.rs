//! Compiling what lies between two cuts.
//!
//! A segment starts from the key of a state. Its first stage recomputes, from the key, the
//! variables that the segment needs; each further stage takes one decision, tests the checks that
//! need nothing else, evaluates gates, and tests the remaining checks. At the end the key of the
//! next cut is read off.

use super::activity::{Interest, Readers};
use super::code::{Code, Tree};
use super::cuts::Cut;
use super::demands::Demands;
use super::layout::Layout;
use crate::options::Options;
use crate::order::{Gate, Item, Program};
use crate::symmetry::KeySymmetry;
use formula::{Lit, Quantifier, Var};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// What is decided at the beginning of a stage.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The number of the decision in the program.
    pub decision: usize,
    /// Who decides.
    pub quantifier: Quantifier,
    /// Set if this is a selection; then, the literal under which the maximising player chooses.
    pub selection: Option<Option<u32>>,
    /// The slots of the variables.
    pub slots: Vec<u32>,
    /// For existential variables and selections, the assignments worth trying: the slots to make
    /// true.
    pub patterns: Vec<Vec<u32>>,
    /// For each variable that is decided on its own: whether its positive and its negative literal
    /// are of interest. Empty if assignments are listed.
    pub interest: Vec<[Interest; 2]>,
    /// If assignments are listed, which of them are possible in a state.
    pub demands: Option<Demands>,
}

/// A decision and what follows from it.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The decision; the first stage of a segment has none.
    pub choice: Option<Choice>,
    /// Checks that need no gate of this stage.
    pub early: Tree,
    /// Gates.
    pub operations: Range<u32>,
    /// Checks that need gates of this stage.
    pub late: Tree,
}

/// The code between two cuts.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The slots that the key fills, in the order of its bits.
    pub key_slots: Vec<u32>,
    /// The variables of the key.
    pub key: Vec<Var>,
    /// Which keys stand for the same.
    pub symmetry: KeySymmetry,
    /// The stages.
    pub stages: Vec<Stage>,
    /// The slots that make up the next key.
    pub next_key: Vec<u32>,
    /// If one of these literals is true at the end, all that follows is true.
    pub winning: Vec<u32>,
    /// The same as literals of variables.
    pub winning_literals: Vec<Lit>,
}

/// What compilation of segments needs, and what it has made so far.
pub struct Compiler<'a> {
    program: &'a Program,
    layout: &'a Layout,
    readers: &'a Readers,
    options: &'a Options,
    /// The code of all segments.
    pub code: Code,
    /// The initial values of all slots: constants are set, the rest is 0.
    pub values: Vec<u8>,
    /// When each slot gets its value: the stage in its segment.
    known_at: Vec<u32>,
    /// The slot and the stage of a variable in the present segment, valid if its stamp is present.
    slots: Vec<u32>,
    stages: Vec<u32>,
    stamps: Vec<u32>,
    required: Vec<u32>,
    stamp: u32,
}

/// The part of a program that becomes a segment.
pub struct Part<'a> {
    /// The items.
    pub items: Range<usize>,
    /// What is known at the beginning.
    pub start: &'a Cut,
    /// Variables with a known value at the beginning, because otherwise all was won.
    pub constants: &'a [Lit],
    /// What is to be known at the end.
    pub end: &'a Cut,
    /// Literals that win at the end.
    pub winning: &'a [Lit],
}

impl<'a> Compiler<'a> {
    /// No segment is compiled yet.
    pub fn new(
        program: &'a Program,
        layout: &'a Layout,
        readers: &'a Readers,
        options: &'a Options,
    ) -> Self {
        let variables = layout.variables();
        Compiler {
            program,
            layout,
            readers,
            options,
            code: Code::default(),
            values: vec![0],
            known_at: vec![0],
            slots: vec![0; variables],
            stages: vec![0; variables],
            stamps: vec![0; variables],
            required: vec![0; variables],
            stamp: 0,
        }
    }

    /// The slot of a variable in the segment compiled last.
    pub fn slot(&self, variable: Var) -> Option<u32> {
        let index = variable.index();
        (self.stamps[index] == self.stamp).then(|| self.slots[index])
    }

    /// The stage of the present segment after which a variable is known.
    fn stage(&self, variable: Var) -> Option<u32> {
        let index = variable.index();
        (self.stamps[index] == self.stamp).then(|| self.stages[index])
    }

    /// Drops slots that were added last.
    pub fn truncate_slots(&mut self, slots: usize) {
        self.values.truncate(slots);
        self.known_at.truncate(slots);
    }

    fn literal(&self, literal: Lit) -> u32 {
        let slot = self
            .slot(literal.var())
            .expect("variables get their slots before use");
        2 * slot + u32::from(literal.is_negative())
    }

    fn define(&mut self, variable: Var, stage: u32, value: u8) -> u32 {
        let index = variable.index();
        self.stamps[index] = self.stamp;
        self.stages[index] = stage;
        self.slots[index] = self.values.len() as u32;
        self.values.push(value);
        self.known_at.push(stage);
        self.slots[index]
    }

    fn require(&mut self, variable: Var) -> bool {
        std::mem::replace(&mut self.required[variable.index()], self.stamp) != self.stamp
    }

    fn is_required(&self, variable: Var) -> bool {
        self.required[variable.index()] == self.stamp
    }

    /// Compiles one part.
    pub fn compile(&mut self, part: &Part<'_>) -> Segment {
        self.stamp += 1;
        let (items, before) = self.select(part);

        for literal in part.constants {
            self.define(literal.var(), 0, u8::from(!literal.is_negative()));
        }
        let is_constant = |variable: &Var| part.constants.iter().any(|l| l.var() == *variable);
        let key: Vec<Var> = part
            .start
            .key
            .iter()
            .copied()
            .filter(|v| !is_constant(v))
            .collect();
        let key_slots: Vec<u32> = key
            .iter()
            .map(|&variable| self.define(variable, 0, 0))
            .collect();
        let mut recomputed = self.recompute(before, part.items.start);
        recomputed.sort_unstable_by_key(|gate| self.layout.defined_at(gate.output));

        let mut stages = Vec::new();
        let mut gates = recomputed;
        let mut checks: Vec<&[Lit]> = Vec::new();
        for &gate in &gates {
            self.define(gate.output, 0, 0);
        }
        let mut decision = None;
        for item in items {
            let stage = stages.len() as u32;
            match item {
                Item::Gate(index) => {
                    let gate = &self.program.gates[index];
                    self.define(gate.output, stage, 0);
                    gates.push(gate);
                }
                Item::Check(index) => checks.push(self.program.checks.get(index)),
                Item::Decision(index) => {
                    let finished = decision.replace(index);
                    stages.push(self.stage_code(stage, finished, &gates, &checks));
                    gates.clear();
                    checks.clear();
                    for &variable in &self.program.decisions[index].variables {
                        self.define(variable, stage + 1, 0);
                    }
                }
            }
        }
        let stage = stages.len() as u32;
        stages.push(self.stage_code(stage, decision, &gates, &checks));

        let slot = |variable: &Var| self.slot(*variable).expect("required at the end");
        let at_end = part.end.key.iter();
        let won = |variable: &Var| {
            part.winning
                .iter()
                .any(|literal| literal.var() == *variable)
        };
        Segment {
            key_slots,
            key,
            symmetry: KeySymmetry::default(),
            stages,
            next_key: at_end.filter(|variable| !won(variable)).map(slot).collect(),
            winning: part
                .winning
                .iter()
                .map(|&literal| self.literal(literal))
                .collect(),
            winning_literals: part.winning.to_vec(),
        }
    }

    /// The items that are needed, and the needed variables that are known before.
    fn select(&mut self, part: &Part<'_>) -> (Vec<Item>, Vec<Var>) {
        let mut before = Vec::new();
        let mut need = |compiler: &mut Self, variable: Var| {
            let defined = compiler
                .layout
                .defined_at(variable)
                .expect("needed, so defined");
            if compiler.require(variable) && defined < part.items.start {
                before.push(variable);
            }
        };
        let at_end = part.end.key.iter().copied();
        for variable in at_end.chain(part.winning.iter().map(|literal| literal.var())) {
            need(self, variable);
        }
        let mut items = Vec::new();
        for &item in self.program.items[part.items.clone()].iter().rev() {
            if let Item::Gate(gate) = item
                && !self.is_required(self.program.gates[gate].output)
            {
                continue;
            }
            items.push(item);
            let layout = self.layout;
            layout.for_each_use(self.program, &item, |variable| need(self, variable));
        }
        items.reverse();
        (items, before)
    }

    /// The gates to evaluate again so that these variables are known.
    fn recompute(&mut self, mut wanted: Vec<Var>, start: usize) -> Vec<&'a Gate> {
        let mut gates = Vec::new();
        let mut seen: FxHashSet<Var> = wanted.iter().copied().collect();
        while let Some(variable) = wanted.pop() {
            debug_assert!(
                self.layout
                    .defined_at(variable)
                    .is_some_and(|item| item < start)
            );
            if self.slot(variable).is_some() {
                continue;
            }
            let gate = self.layout.gate_of(variable);
            let gate = gate.expect("what is live and not a gate is part of the key");
            gates.push(&self.program.gates[gate]);
            wanted.extend(
                self.layout
                    .inputs(gate)
                    .iter()
                    .filter(|&&input| seen.insert(input)),
            );
        }
        gates
    }

    fn stage_code(
        &mut self,
        stage: u32,
        decision: Option<usize>,
        gates: &[&Gate],
        checks: &[&[Lit]],
    ) -> Stage {
        let outputs: FxHashSet<Var> = gates.iter().map(|gate| gate.output).collect();
        let is_late =
            |check: &&&[Lit]| check.iter().any(|literal| outputs.contains(&literal.var()));
        let (late, mut early): (Vec<&[Lit]>, Vec<&[Lit]>) = checks.iter().partition(is_late);
        let choice = decision.map(|decision| self.choice(decision, stage, &mut early));
        let early = self.tree(&early);
        let first = self.code.next_operation();
        for gate in gates {
            let clause = |clause: &[Lit]| -> Vec<u32> {
                clause
                    .iter()
                    .map(|&literal| self.literal(literal))
                    .collect()
            };
            let clauses: Vec<Vec<u32>> = self.program.conjuncts(gate).map(clause).collect();
            let output = self.slot(gate.output).expect("defined above");
            self.code.push_operation(output, gate.inverted, &clauses);
        }
        Stage {
            choice,
            early,
            operations: first..self.code.next_operation(),
            late: self.tree(&late),
        }
    }

    fn tree(&mut self, clauses: &[&[Lit]]) -> Tree {
        let clause = |clause: &&[Lit]| clause.iter().map(|&l| self.literal(l)).collect();
        let clauses = clauses.iter().map(clause).collect();
        self.code.push_tree(clauses, &self.known_at)
    }

    /// The code of a decision; takes demands out of the checks.
    fn choice(&mut self, decision: usize, stage: u32, checks: &mut Vec<&[Lit]>) -> Choice {
        let number = decision;
        let decision = &self.program.decisions[number];
        let variables = &decision.variables;
        let slots: Vec<u32> = variables
            .iter()
            .map(|&variable| self.slot(variable).expect("defined above"))
            .collect();
        let pattern = |pattern: &Vec<u16>| -> Vec<u32> {
            pattern
                .iter()
                .map(|&place| slots[usize::from(place)])
                .collect()
        };
        let mut code = std::mem::take(&mut self.code);
        let single = variables.len() == 1 && decision.patterns.len() == 2;
        let listed = match decision.selection {
            Some(_) => true,
            None => decision.quantifier == Quantifier::Exists && !single,
        };
        let demands = listed.then(|| {
            let literal = |literal: Lit| self.literal(literal);
            Demands::extract(decision, checks, literal, &mut code, &self.known_at)
        });
        let mut interest = Vec::new();
        for (place, &variable) in variables.iter().enumerate() {
            if listed {
                break;
            }
            let known = |literal: Lit| {
                let before = self.stage(literal.var()).is_some_and(|known| known < stage)
                    || variables[..place].contains(&literal.var());
                before.then(|| self.literal(literal))
            };
            interest.push(if self.options.skip_inactive {
                let (program, known_at) = (self.program, &self.known_at);
                self.readers
                    .interest(program, variable, known, &mut code, known_at)
            } else {
                [Interest::Always, Interest::Always]
            });
        }
        self.code = code;
        Choice {
            decision: number,
            quantifier: decision.quantifier,
            selection: decision
                .selection
                .map(|selection| selection.unless.map(|literal| self.literal(literal))),
            patterns: decision.patterns.iter().map(pattern).collect(),
            interest,
            demands,
            slots,
        }
    }
}
