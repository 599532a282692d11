//! Where each variable of a program is defined, by what, and where it is used last.

use crate::program::{Item, Program};
use formula::Var;

const NONE: u32 = u32::MAX;

/// Facts about the variables of a program.
pub struct Layout {
    defined_at: Vec<u32>,
    last_use: Vec<u32>,
    gate_of: Vec<u32>,
    choice_of: Vec<u32>,
    input_starts: Vec<u32>,
    inputs: Vec<Var>,
}

impl Layout {
    /// Collects the facts.
    pub fn new(program: &Program) -> Self {
        let variables = program.variables;
        let mut layout = Layout {
            defined_at: vec![NONE; variables],
            last_use: vec![NONE; variables],
            gate_of: vec![NONE; variables],
            choice_of: vec![NONE; variables],
            input_starts: vec![0],
            inputs: Vec::new(),
        };
        for gate in &program.gates {
            let start = layout.inputs.len();
            layout
                .inputs
                .extend(program.inputs(gate).map(|literal| literal.var()));
            layout.inputs[start..].sort_unstable();
            // Repeated inputs are rare and do no harm.
            let mut kept = start;
            for index in start..layout.inputs.len() {
                if index == start || layout.inputs[index] != layout.inputs[kept - 1] {
                    layout.inputs[kept] = layout.inputs[index];
                    kept += 1;
                }
            }
            layout.inputs.truncate(kept);
            layout.input_starts.push(kept as u32);
        }
        for (index, item) in program.items.iter().enumerate() {
            match *item {
                Item::Gate(gate) => {
                    let output = program.gates[gate].output.index();
                    layout.defined_at[output] = index as u32;
                    layout.gate_of[output] = gate as u32;
                }
                Item::Decision(decision) => {
                    for variable in &program.decisions[decision].variables {
                        layout.defined_at[variable.index()] = index as u32;
                        layout.choice_of[variable.index()] = decision as u32;
                    }
                }
                Item::Check(_) => {}
            }
            let mut last_use = std::mem::take(&mut layout.last_use);
            layout.for_each_use(program, item, |variable| {
                last_use[variable.index()] = index as u32;
            });
            layout.last_use = last_use;
        }
        layout
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.defined_at.len()
    }

    /// The item that defines a variable; `None` if no item does.
    pub fn defined_at(&self, variable: Var) -> Option<usize> {
        some(self.defined_at[variable.index()])
    }

    /// The last item that reads a variable.
    pub fn last_use(&self, variable: Var) -> Option<usize> {
        some(self.last_use[variable.index()])
    }

    /// The number of the gate that defines a variable.
    pub fn gate_of(&self, variable: Var) -> Option<usize> {
        some(self.gate_of[variable.index()])
    }

    /// The number of the decision that decides a variable.
    pub fn choice_of(&self, variable: Var) -> Option<usize> {
        some(self.choice_of[variable.index()])
    }

    /// The variables a gate reads.
    pub fn inputs(&self, gate: usize) -> &[Var] {
        &self.inputs[self.input_starts[gate] as usize..self.input_starts[gate + 1] as usize]
    }

    /// Calls `visit` with each variable that an item reads; a decision may read its own.
    pub fn for_each_use(&self, program: &Program, item: &Item, mut visit: impl FnMut(Var)) {
        match *item {
            Item::Gate(gate) => self.inputs(gate).iter().for_each(|&input| visit(input)),
            Item::Check(check) => {
                let literals = program.clauses.get(check).iter();
                literals.for_each(|literal| visit(literal.var()));
            }
            Item::Decision(decision) => {
                let decision = &program.decisions[decision];
                let legality = program.legality(decision).flatten();
                let literals = legality.copied().chain(decision.unless());
                literals.for_each(|literal| visit(literal.var()));
            }
        }
    }
}

fn some(index: u32) -> Option<usize> {
    (index != NONE).then_some(index as usize)
}
