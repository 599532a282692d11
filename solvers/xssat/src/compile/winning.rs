//! Winning literals: literals that alone make every later check true, found backwards over the
//! cuts. In games, "the game has ended" is one: no check is about moves after the end. A state with such a
//! literal has value 1 and is not expanded. In all other states the literal is false, so it need not be
//! part of the key.
//!
//! To test a literal, the circuit of the segment is evaluated with three values
//! ([`May`]): the literal is true, everything else known at the cut is unknown, chance and universal
//! variables are unknown, and existential variables take the first assignment under which the
//! checks up to their stage are certainly true. After a selection, a variable is known if all assignments that
//! may be legal agree on it, and at least one is certainly legal. If all checks hold and a winning literal of the
//! next cut is true (or there is no next cut), the literal wins: the assignments found are a strategy that
//! works in all cases.

use super::plan::{ChoicePlan, DecisionPlan, SegmentPlan};
use circuit::{Circuit, Literal, May};
use formula::Quantifier;

/// Tests literals at the start of a segment.
pub struct SegmentTester<'a> {
    circuit: &'a Circuit,
    decisions: &'a [DecisionPlan],
    /// The winning literals of the next cut.
    won: Literal,
    /// By level: the nodes that matter, and the checks.
    nodes: Vec<Vec<usize>>,
    checks: Vec<Vec<Literal>>,
    values: Vec<May>,
}

impl<'a> SegmentTester<'a> {
    /// For one segment; `is_last` says that none follows.
    pub fn new(circuit: &'a Circuit, plan: &'a SegmentPlan, is_last: bool) -> Self {
        let decisions = plan.decisions.as_slice();
        let won = if is_last { Literal::TRUE } else { plan.won };
        let mut roots = plan.checks.clone();
        roots.extend(decisions.iter().flat_map(DecisionPlan::questions));
        roots.push(won);
        let levels = decisions.len() + 1;
        let (mut nodes, mut checks) = (vec![Vec::new(); levels], vec![Vec::new(); levels]);
        for node in circuit.cone(&roots) {
            nodes[circuit.level(circuit.signal(node)) as usize].push(node);
        }
        for &check in &plan.checks {
            checks[circuit.level(check) as usize].push(check);
        }
        SegmentTester {
            circuit,
            decisions,
            won,
            nodes,
            checks,
            values: circuit.unknown(),
        }
    }

    /// The work of a test, in nodes.
    pub fn effort(&self) -> usize {
        1 + self.nodes.iter().map(Vec::len).sum::<usize>()
    }

    pub fn wins(&mut self, literal: Literal) -> bool {
        let node = literal.node();
        self.values[node] = May::known(!literal.is_negated());
        let wins = self.passes(0, Some(node))
            && (1..=self.decisions.len()).all(|level| self.decides(level))
            && self.is_certain(self.won);
        self.values[node] = May::EITHER;
        wins
    }

    fn is_certain(&self, signal: Literal) -> bool {
        !May::of(&self.values, signal).fail
    }

    /// Evaluates the wires of a level but for one; says whether all checks there are certainly true.
    fn passes(&mut self, level: usize, except: Option<usize>) -> bool {
        let nodes = self.nodes[level].iter().copied();
        let nodes = nodes.filter(|&node| Some(node) != except);
        self.circuit.propagate(nodes, &mut self.values);
        let mut checks = self.checks[level].iter();
        checks.all(|&check| self.is_certain(check))
    }

    /// Takes the decision of a level; says whether all checks there are certainly true.
    fn decides(&mut self, level: usize) -> bool {
        let decision = &self.decisions[level - 1];
        match &decision.choice {
            ChoicePlan::Single { .. } if decision.quantifier == Quantifier::Exists => {
                [true, false].into_iter().any(|value| {
                    self.values[decision.inputs[0].node()] = May::known(value);
                    self.passes(level, None)
                })
            }
            ChoicePlan::Single { .. } => {
                self.values[decision.inputs[0].node()] = May::EITHER;
                self.passes(level, None)
            }
            ChoicePlan::Listed {
                assignments,
                legal,
                maximize,
                ..
            } => {
                if decision.quantifier == Quantifier::Exists || self.is_certain(*maximize) {
                    assignments.iter().zip(legal).any(|(assignment, &legal)| {
                        self.is_certain(legal) && {
                            for (index, input) in (0..).zip(&decision.inputs) {
                                self.values[input.node()] = May::known(assignment.contains(&index));
                            }
                            self.passes(level, None)
                        }
                    })
                } else {
                    self.select(&decision.inputs, assignments, legal) && self.passes(level, None)
                }
            }
        }
    }

    /// Sets the variables of a selection to what is known of them after any choice; says whether some
    /// assignment is certainly legal.
    fn select(&mut self, inputs: &[Literal], assignments: &[Vec<u16>], legal: &[Literal]) -> bool {
        let listed = assignments.iter().zip(legal);
        let possible = listed.filter(|&(_, &legal)| May::of(&self.values, legal).hold);
        let possible: Vec<&Vec<u16>> = possible.map(|(assignment, _)| assignment).collect();
        for (index, input) in (0..).zip(inputs) {
            let count = possible.iter().filter(|p| p.contains(&index)).count();
            self.values[input.node()] = May {
                hold: count > 0,
                fail: count < possible.len(),
            };
        }
        legal.iter().any(|&legal| self.is_certain(legal))
    }
}
