//! The item of a program that defines each variable.

use super::{Item, Program};
use formula::Var;

const NONE: u32 = u32::MAX;

/// For each variable of a program, the item that defines it.
pub struct Definitions<'p> {
    program: &'p Program,
    items: Vec<u32>,
}

impl<'p> Definitions<'p> {
    /// Collects the outputs of gates and the variables of decisions.
    pub fn new(program: &'p Program) -> Self {
        let mut items = vec![NONE; program.variables];
        for (index, item) in (0..).zip(&program.items) {
            match *item {
                Item::Gate(gate) => items[program.gates[gate].output.index()] = index,
                Item::Decision(decision) => {
                    for variable in &program.decisions[decision].variables {
                        items[variable.index()] = index;
                    }
                }
                Item::Check(_) => {}
            }
        }
        Definitions { program, items }
    }

    /// The index of the item that defines a variable; `None` if no item does.
    pub fn item(&self, variable: Var) -> Option<usize> {
        let item = self.items[variable.index()];
        (item != NONE).then_some(item as usize)
    }

    /// The number of the gate that defines a variable, if one does.
    pub fn gate(&self, variable: Var) -> Option<usize> {
        match self.program.items[self.item(variable)?] {
            Item::Gate(gate) => Some(gate),
            _ => None,
        }
    }

    /// The number of the decision that decides a variable, if one does.
    pub fn decision(&self, variable: Var) -> Option<usize> {
        match self.program.items[self.item(variable)?] {
            Item::Decision(decision) => Some(decision),
            _ => None,
        }
    }
}
