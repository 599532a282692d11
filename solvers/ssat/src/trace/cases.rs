//! What a trace says about single variables: for each a reduced decision diagram over earlier variables, written as a list of cases.
//!
//! ```text
//! test 1: node 2, else 1     node 2: 5     node 1: -5          5 is true where 1 is, else false
//! test 1: node 4, else 3     node 4: 5     node 3: 7           5 is true: where 1 is false it does not matter
//! ```
//!
//! The diagram of a player is gone through from its leaves to the root, once for each variable. Each node gets the function that
//! play by it comes to; where both sides of a test are the same, or one does not matter, the test is left out. What a player does by
//! itself (`docs/formula-strategy-format.md`) are cases before those.

use super::{Diagram, Failure, Node, Trace, owners};
use formula::{Formula, Lit, Quantifier, Var};
use rustc_hash::FxHashMap;

/// A case of a variable: where these literals are true, and no case before it holds, it has this value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Literals of earlier variables.
    pub condition: Vec<Lit>,
    /// The value of the variable.
    pub value: bool,
}

/// The cases of the variables of a trace for a formula.
pub struct Cases<'a> {
    formula: &'a Formula,
    trace: &'a Trace,
    /// The block of each variable, and its player.
    levels: Vec<u32>,
    quantifiers: Vec<Quantifier>,
}

/// A function of earlier variables: one of the three constants, or a node of a decision diagram, from 3.
type Function = usize;

/// Nothing is said, so any value is right.
const ANY: Function = 0;
const NO: Function = 1;
const YES: Function = 2;

/// Functions as nodes of one diagram, each there once.
#[derive(Default)]
struct Functions {
    nodes: Vec<(Var, Function, Function)>,
    numbers: FxHashMap<(Var, Function, Function), Function>,
}

impl Functions {
    /// The function that is the first where the variable is true, else the second.
    fn test(&mut self, variable: Var, on_true: Function, on_false: Function) -> Function {
        match (on_true, on_false) {
            (ANY, other) | (other, ANY) => other,
            (same, other) if same == other => same,
            _ => {
                let node = (variable, on_true, on_false);
                let nodes = &mut self.nodes;
                *self.numbers.entry(node).or_insert_with(|| {
                    nodes.push(node);
                    nodes.len() - 1 + 3
                })
            }
        }
    }

    /// The conditions under which a function is true, unless they are more than `max`.
    fn conditions(&self, root: Function, max: usize) -> Option<Vec<Vec<Lit>>> {
        let mut found = Vec::new();
        let mut open = vec![(root, Vec::new())];
        while let Some((function, condition)) = open.pop() {
            match function {
                YES => found.push(condition),
                ANY | NO => {}
                _ => {
                    let (variable, on_true, on_false) = self.nodes[function - 3];
                    for (next, value) in [(on_false, false), (on_true, true)] {
                        let last = variable.literal(value);
                        open.push((next, condition.iter().copied().chain([last]).collect()));
                    }
                }
            }
            if found.len() + open.len() > max {
                return None;
            }
        }
        Some(found)
    }
}

impl<'a> Cases<'a> {
    /// For the formula that the trace is of.
    pub fn new(formula: &'a Formula, trace: &'a Trace) -> Self {
        let (levels, quantifiers) = owners(formula);
        Cases {
            formula,
            trace,
            levels,
            quantifiers,
        }
    }

    /// When a variable of a player is true, otherwise it is false; `None` if there are more than `max` cases.
    pub fn of(&self, variable: Var, max: usize) -> Option<Vec<Case>> {
        let is_universal = self.quantifiers[variable.index()] == Quantifier::Forall;
        let mut cases = match is_universal {
            true => self.of_last_literals(variable),
            false => Vec::new(),
        };
        let mut definitions = self.trace.definitions.iter();
        if let Some(definition) = definitions.find(|one| one.variable == variable) {
            let clauses = definition.clauses.iter();
            let clauses = clauses.map(|&number| self.trace.clauses.clause(number));
            let needing = clauses.filter(|clause| clause.contains(&variable.positive()));
            cases.extend(needing.map(|clause| Case {
                condition: false_ones(clause.iter().filter(|lit| lit.var() != variable)),
                value: !is_universal,
            }));
            // The minimizer plays against the definition.
            cases.extend(is_universal.then(|| Case {
                condition: Vec::new(),
                value: true,
            }));
        } else {
            let diagram = match is_universal {
                true => &self.trace.upper,
                false => &self.trace.lower,
            };
            let mut functions = Functions::default();
            let root = self.function(diagram, variable, &mut functions);
            let conditions = functions.conditions(root, max)?;
            cases.extend(conditions.into_iter().map(|condition| Case {
                condition,
                value: true,
            }));
        }
        (cases.len() <= max).then_some(cases)
    }

    /// The minimizer makes the last literals of a clause false where all others are.
    fn of_last_literals(&self, variable: Var) -> Vec<Case> {
        let level = |lit: &Lit| self.levels[lit.var().index()];
        let is_universal = |lit: &Lit| self.quantifiers[lit.var().index()] == Quantifier::Forall;
        let mut cases: Vec<Case> = Vec::new();
        for clause in self.formula.matrix().iter() {
            let others = clause.iter().filter(|lit| !is_universal(lit));
            let last = others.map(level).max();
            let is_last =
                |lit: &Lit| is_universal(lit) && last.is_none_or(|last| level(lit) > last);
            let own = clause
                .iter()
                .find(|lit| lit.var() == variable && is_last(lit));
            let is_true = clause.iter().any(|lit| clause.contains(&!*lit));
            if let (Some(own), false) = (own, is_true) {
                let case = Case {
                    condition: false_ones(clause.iter().filter(|lit| !is_last(lit))),
                    value: own.is_negative(),
                };
                if !cases.contains(&case) {
                    cases.push(case);
                }
            }
        }
        cases
    }

    /// The function of a variable at the root of its player's diagram.
    fn function(&self, diagram: &Diagram, own: Var, functions: &mut Functions) -> Function {
        let is_earlier = |other: Var| self.levels[other.index()] < self.levels[own.index()];
        let made_false = |failure: Failure| {
            let literals = diagram.made_false(failure.made_false).iter();
            let mut literals = literals.filter(|lit| lit.var() == own);
            match literals.next() {
                None => ANY,
                Some(literal) if literal.is_negative() => YES,
                Some(_) => NO,
            }
        };
        let mut at = vec![ANY; diagram.nodes().len() + 1];
        for (index, node) in diagram.nodes().iter().enumerate() {
            at[index + 1] = match *node {
                Node::Test {
                    variable,
                    on_true,
                    on_false,
                } if is_earlier(variable) => {
                    functions.test(variable, at[on_true as usize], at[on_false as usize])
                }
                // What comes later is not known yet.
                Node::Test { .. } => ANY,
                Node::Branch { steps, nodes } => {
                    let children = diagram.children(nodes).iter();
                    let mut said = children.map(|&node| at[node as usize]);
                    let below = said.find(|&function| function != ANY).unwrap_or(ANY);
                    let steps = diagram.steps(steps).iter().rev();
                    steps.fold(below, |below, step| {
                        let (literal, variable) = (step.literal, step.literal.var());
                        match step.otherwise {
                            None if variable == own && literal.is_negative() => NO,
                            None if variable == own => YES,
                            Some(failure) if is_earlier(variable) => {
                                let mut sides = [below, made_false(failure)];
                                if literal.is_negative() {
                                    sides.reverse();
                                }
                                functions.test(variable, sides[0], sides[1])
                            }
                            _ => below,
                        }
                    })
                }
                Node::False(failure) => made_false(failure),
            };
        }
        at.last().copied().unwrap_or(ANY)
    }
}

/// The literals that are true where these are false.
fn false_ones<'l>(literals: impl Iterator<Item = &'l Lit>) -> Vec<Lit> {
    literals.map(|&literal| !literal).collect()
}
