//! What holds on each path of a diagram, by passes over its nodes with a word of bits for each node: which variables are below it, which clauses are true
//! on all paths below it, which literals must be false above it. There is a pass for every 64 variables or 128 clauses, so the work is linear in the trace
//! for each such group.

use super::{Checker, Flaw, Side, Stop, node_flaw};
use crate::trace::{Failure, Node, Step};
use formula::{Lit, Var};

/// Variables and clauses of one pass.
const VARIABLES: usize = 64;
const CLAUSES: usize = 128;

impl Checker<'_> {
    /// On a path each variable has one value, and nodes of one branch are about different variables.
    pub(super) fn check_variables(&mut self, side: Side) -> Result<(), Stop> {
        let diagram = match side {
            Side::Lower => &self.trace.lower,
            Side::Upper => &self.trace.upper,
        };
        for first in (0..self.levels.len()).step_by(VARIABLES) {
            let bit = |variable: Var| match variable.index().checked_sub(first) {
                Some(place) if place < VARIABLES => 1u64 << place,
                _ => 0,
            };
            let bits = |literals: &[Lit]| literals.iter().fold(0, |all, lit| all | bit(lit.var()));
            let mut below: Vec<u64> = Vec::with_capacity(diagram.nodes.len() + 1);
            below.push(0);
            for (index, node) in diagram.nodes().iter().enumerate() {
                self.check_limits(index)?;
                let mut meets = 0;
                below.push(match *node {
                    Node::Test {
                        variable,
                        on_true,
                        on_false,
                    } => {
                        let both = below[on_true as usize] | below[on_false as usize];
                        meets = both & bit(variable);
                        both | bit(variable)
                    }
                    Node::Branch { steps, nodes } => {
                        let mut all = 0;
                        for &node in diagram.children(nodes) {
                            meets |= all & below[node as usize];
                            all |= below[node as usize];
                        }
                        for step in diagram.steps(steps).iter().rev() {
                            let failure = step.otherwise.map_or((0, 0), |one| one.made_false);
                            all |= bits(diagram.made_false(failure));
                            meets |= all & bit(step.literal.var());
                            all |= bit(step.literal.var());
                        }
                        all
                    }
                    Node::False(failure) => bits(diagram.made_false(failure.made_false)),
                });
                if meets != 0 {
                    let variable = first + meets.trailing_zeros() as usize + 1;
                    let message = format!("has variable {variable} twice");
                    return Err(node_flaw(side, index, &message));
                }
            }
        }
        Ok(())
    }

    /// On each path of the lower bound that is not given up all clauses are true.
    pub(super) fn check_truth(&mut self) -> Result<(), Stop> {
        let diagram = &self.trace.lower;
        let mut bits = vec![0u128; 2 * self.levels.len()];
        for first in (0..self.matrix.len()).step_by(CLAUSES) {
            let group = first..self.matrix.len().min(first + CLAUSES);
            for (place, clause) in group.clone().enumerate() {
                for literal in self.matrix.get(clause) {
                    bits[literal.code()] |= 1 << place;
                }
            }
            let mut truths: Vec<u128> = Vec::with_capacity(diagram.nodes.len() + 1);
            truths.push(u128::MAX);
            for (index, node) in diagram.nodes().iter().enumerate() {
                self.check_limits(index)?;
                truths.push(match *node {
                    Node::Test {
                        variable,
                        on_true,
                        on_false,
                    } => {
                        (truths[on_true as usize] | bits[variable.positive().code()])
                            & (truths[on_false as usize] | bits[variable.negative().code()])
                    }
                    Node::Branch { steps, nodes } => {
                        let children = diagram.children(nodes).iter();
                        let all = children.fold(0, |all, &node| all | truths[node as usize]);
                        let steps = diagram.steps(steps).iter();
                        steps.fold(all, |all, step| all | bits[step.literal.code()])
                    }
                    Node::False(_) => 0,
                });
            }
            let truth = truths.last().expect("there is the open node");
            for (place, clause) in group.enumerate() {
                if truth >> place & 1 == 0 {
                    let clause = self.matrix.get(clause).iter();
                    let clause = clause.map(|lit| lit.to_dimacs()).collect();
                    return Err(Stop::Flaw(Flaw::NotTrue { clause }));
                }
                for literal in self.matrix.get(clause) {
                    bits[literal.code()] = 0;
                }
            }
        }
        Ok(())
    }

    /// On each path of the upper bound the literals of clauses that are said to be false are.
    pub(super) fn check_falsity(&mut self) -> Result<(), Stop> {
        let (diagram, clauses) = (&self.trace.upper, &self.trace.clauses);
        for first in (0..self.levels.len()).step_by(VARIABLES) {
            let bit = |literal: Lit| match literal.code().checked_sub(2 * first) {
                Some(place) if place < 2 * VARIABLES => 1u128 << place,
                _ => 0,
            };
            let bits = |literals: &[Lit]| literals.iter().fold(0, |all, &lit| all | bit(lit));
            let numbers = 0..clauses.len() as u32;
            let of_clauses: Vec<u128> = numbers.map(|one| bits(clauses.clause(one))).collect();
            let needed = |failure: Failure| {
                of_clauses[failure.clause as usize] & !bits(diagram.made_false(failure.made_false))
            };
            // By node, the literals that must be false above it.
            let mut above: Vec<u128> = Vec::with_capacity(diagram.nodes.len() + 1);
            above.push(0);
            for (index, node) in diagram.nodes().iter().enumerate() {
                self.check_limits(index)?;
                above.push(match *node {
                    Node::Test {
                        variable,
                        on_true,
                        on_false,
                    } => {
                        above[on_true as usize] & !bit(variable.negative())
                            | above[on_false as usize] & !bit(variable.positive())
                    }
                    Node::Branch { steps, nodes } => {
                        let children = diagram.children(nodes).iter();
                        let mut all = children.fold(0, |all, &node| all | above[node as usize]);
                        for Step { literal, otherwise } in diagram.steps(steps).iter().rev() {
                            all &= !bit(!*literal);
                            all |= otherwise.map_or(0, |one| needed(one) & !bit(*literal));
                        }
                        all
                    }
                    Node::False(failure) => needed(failure),
                });
            }
            let open = above.last().expect("there is the open node");
            if *open != 0 {
                let literal = Lit::from_code(2 * first + open.trailing_zeros() as usize);
                return Err(Stop::Flaw(Flaw::NotFalse { literal }));
            }
        }
        Ok(())
    }
}
