//! Definitions and last uses of the variables of a program, and the inputs of its gates.

use crate::program::{Definitions, Item, Program};
use formula::Var;

const NONE: u32 = u32::MAX;

/// Facts about the variables of a program.
pub struct Layout<'p> {
    /// The item that defines each variable.
    pub definitions: Definitions<'p>,
    last_use: Vec<u32>,
    input_starts: Vec<u32>,
    inputs: Vec<Var>,
}

impl<'p> Layout<'p> {
    /// Collects the facts.
    pub fn new(program: &'p Program) -> Self {
        let variables = program.variables;
        let mut layout = Layout {
            definitions: Definitions::new(program),
            last_use: vec![NONE; variables],
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
            let mut last_use = std::mem::take(&mut layout.last_use);
            layout.for_each_use(program, item, |variable| {
                last_use[variable.index()] = index as u32;
            });
            layout.last_use = last_use;
        }
        layout
    }

    pub fn variables(&self) -> usize {
        self.last_use.len()
    }

    /// The last item that reads a variable.
    pub fn last_use(&self, variable: Var) -> Option<usize> {
        let item = self.last_use[variable.index()];
        (item != NONE).then_some(item as usize)
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
