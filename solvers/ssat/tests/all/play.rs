//! Play by a trace, and its worth by the definition: the oracle for code that writes and checks traces.
//!
//! A player goes down its diagram as far as the values of earlier variables lead.

use formula::{BigRational, Formula, Lit, Quantifier, Var};
use num_traits::{One, Zero};
use sqasp_ssat::trace::check::Side;
use sqasp_ssat::trace::{Diagram, Node, NodeId, OPEN, Trace};

/// The value of a formula in which the player of a diagram keeps to it.
pub fn worth(formula: &Formula, trace: &Trace, side: Side) -> BigRational {
    let blocks = formula.prefix().blocks();
    let order: Vec<(Quantifier, Var)> = blocks
        .iter()
        .flat_map(|block| block.variables.iter().map(|&var| (block.quantifier, var)))
        .collect();
    let mut levels = vec![0; formula.variables()];
    for (level, block) in blocks.iter().enumerate() {
        for variable in &block.variables {
            levels[variable.index()] = level;
        }
    }
    let mut play = Play {
        formula,
        trace,
        side,
        levels,
        values: vec![None; formula.variables()],
    };
    play.rest(&order)
}

struct Play<'a> {
    formula: &'a Formula,
    trace: &'a Trace,
    side: Side,
    levels: Vec<usize>,
    values: Vec<Option<bool>>,
}

impl Play<'_> {
    fn rest(&mut self, order: &[(Quantifier, Var)]) -> BigRational {
        let Some((&(quantifier, variable), later)) = order.split_first() else {
            let holds = |lit: &Lit| self.holds(*lit) == Some(true);
            let mut clauses = self.formula.matrix().iter();
            return match clauses.all(|clause| clause.iter().any(holds)) {
                true => One::one(),
                false => Zero::zero(),
            };
        };
        let own = match self.side {
            Side::Lower => Quantifier::Exists,
            Side::Upper => Quantifier::Forall,
        };
        if quantifier == own {
            // Variables of the same block are not known yet.
            let level = self.levels[variable.index()];
            let all = self.values.clone();
            for (index, value) in self.values.iter_mut().enumerate() {
                *value = value.filter(|_| self.levels[index] < level);
            }
            let choice = match self.side {
                Side::Lower => self.best(variable),
                Side::Upper => self.worst(variable),
            };
            self.values = all;
            self.values[variable.index()] = Some(choice.unwrap_or(false));
            let value = self.rest(later);
            self.values[variable.index()] = None;
            return value;
        }
        let [without, with] = [false, true].map(|value| {
            self.values[variable.index()] = Some(value);
            self.rest(later)
        });
        self.values[variable.index()] = None;
        match quantifier {
            Quantifier::Exists => with.max(without),
            Quantifier::Forall => with.min(without),
            Quantifier::Chance => {
                let chance = self.formula.prefix().probability(variable);
                let chance = chance.expect("it is chance");
                with * chance.as_rational() + without * chance.complement().as_rational()
            }
        }
    }

    fn holds(&self, literal: Lit) -> Option<bool> {
        self.values[literal.var().index()].map(|value| literal.holds(value))
    }

    /// The value of a variable: by its definition if it has one, else as it was played.
    fn value(&self, variable: Var) -> Option<bool> {
        let mut definitions = self.trace.definitions.iter();
        let Some(definition) = definitions.find(|one| one.variable == variable) else {
            return self.values[variable.index()];
        };
        // It is true where a clause needs it.
        let mut is_needed = false;
        for &number in &definition.clauses {
            let clause = self.trace.clauses.clause(number);
            let others = clause.iter().filter(|lit| lit.var() != variable);
            let others = others.map(|lit| self.value(lit.var()).map(|value| lit.holds(value)));
            let others: Option<Vec<bool>> = others.collect();
            is_needed |= clause.contains(&variable.positive()) && !others?.contains(&true);
        }
        Some(is_needed)
    }

    fn best(&self, variable: Var) -> Option<bool> {
        let mut definitions = self.trace.definitions.iter();
        if definitions.any(|one| one.variable == variable) {
            return self.value(variable);
        }
        self.find(
            &self.trace.lower,
            self.trace.lower.nodes().len() as u32,
            variable,
        )
    }

    fn worst(&self, variable: Var) -> Option<bool> {
        let is_universal = |lit: &Lit| {
            let block = &self.formula.prefix().blocks()[self.levels[lit.var().index()]];
            block.quantifier == Quantifier::Forall
        };
        let level = |lit: &Lit| self.levels[lit.var().index()];
        for clause in self.formula.matrix().iter() {
            let last = clause
                .iter()
                .filter(|lit| !is_universal(lit))
                .map(level)
                .max();
            let is_dropped =
                |lit: &Lit| is_universal(lit) && last.is_none_or(|last| level(lit) > last);
            let is_true = clause.iter().any(|lit| clause.contains(&!*lit));
            let own = clause
                .iter()
                .find(|lit| lit.var() == variable && is_dropped(lit));
            let mut kept = clause.iter().filter(|lit| !is_dropped(lit));
            if let Some(own) = own
                && !is_true
                && kept.all(|&lit| self.holds(lit) == Some(false))
            {
                return Some(own.is_negative());
            }
        }
        let mut definitions = self.trace.definitions.iter();
        if definitions.any(|one| one.variable == variable) {
            return self.value(variable).map(|value| !value);
        }
        self.find(
            &self.trace.upper,
            self.trace.upper.nodes().len() as u32,
            variable,
        )
    }

    /// What a diagram says about a variable.
    fn find(&self, diagram: &Diagram, node: NodeId, variable: Var) -> Option<bool> {
        if node == OPEN {
            return None;
        }
        let falsified = |span| {
            let literals = diagram.made_false(span).iter();
            let own = literals.copied().find(|lit| lit.var() == variable);
            own.map(|lit| lit.is_negative())
        };
        match diagram.nodes()[node as usize - 1] {
            Node::Test {
                variable: tested,
                on_true,
                on_false,
            } => {
                let next = if self.value(tested)? {
                    on_true
                } else {
                    on_false
                };
                self.find(diagram, next, variable)
            }
            Node::Branch { steps, nodes } => {
                for step in diagram.steps(steps) {
                    match step.otherwise {
                        None if step.literal.var() == variable => {
                            return Some(!step.literal.is_negative());
                        }
                        Some(failure) if self.holds(step.literal) == Some(false) => {
                            return falsified(failure.made_false);
                        }
                        _ => {}
                    }
                }
                let mut nodes = diagram.children(nodes).iter();
                nodes.find_map(|&node| self.find(diagram, node, variable))
            }
            Node::False(failure) => falsified(failure.made_false),
        }
    }
}
