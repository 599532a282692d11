//! The choice of decisions in existential blocks: groups of variables of which one is true, and their assignments.
//!
//! A player who moves chooses exactly one of some literals. Deciding these one by one would make a
//! deep, lopsided tree and spoil the cuts, so the group is found and decided in one go:
//!
//! * the *seed* is the variable most of whose neighbours (variables in common clauses) are known,
//!   after those whose possible inputs are all known;
//! * with it go the variables of the block that setting the seed makes false, if they are about as
//!   well determined by what is known. (This keeps moves of a later step, which the present move
//!   makes impossible, out of the group.)
//! * the assignments worth trying are those that unit propagation does not refute; a group is halved
//!   until they are few enough.
//!
//! "Possible inputs" are those of the and/or gates whose shape contains the variable. Variables that
//! are possible inputs of each other (as each move of an exactly-one group is of the others) are a
//! *cycle*, and do not wait for each other. A cycle with inputs from outside can hardly be a
//! choice: "the field is empty afterwards" and "the stone goes there" define each other as long as
//! the move is not known, but the move it is that must be chosen. So such cycles come later, if
//! anything else is as near to what is known.

use super::propagator::Propagator;
use crate::options::Options;
use crate::policy::{MAX_ASSIGNMENTS, MAX_COMPARED, MAX_MEMBERS, MAX_NEIGHBOURS};
use crate::program::Decision;
use base::graph::{Components, Graph};
use formula::preprocess::{BinaryClauses, Occurrences, Problem};
use formula::{Lit, Quantifier, Var};

/// How far a variable is determined; what stands first counts most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Readiness {
    /// Whether all its possible inputs are known, but for those of its cycle.
    inputs_known: bool,
    /// Whether any neighbour is known.
    touches_known: bool,
    /// Whether all possible inputs of its cycle are known.
    cycle_known: bool,
    /// The share of known neighbours, in thousandths.
    known_share: u32,
}

/// Chooses decisions in existential blocks.
pub struct Choices<'a> {
    problem: &'a Problem,
    occurrences: &'a Occurrences,
    group_choices: bool,
    propagator: Propagator<'a>,
    /// From each variable to its possible inputs.
    inputs: Graph,
    /// Variables that are possible inputs of each other, directly or not, share one.
    cycles: Components,
    /// From each cycle to the possible inputs from outside.
    outside: Graph,
    /// By cycle: how many of its literals, from the first on, are known.
    outside_known: Vec<usize>,
    /// The unknown variables of the present block: those from `block[done..]`.
    done: usize,
    stamps: Vec<u32>,
    stamp: u32,
}

impl<'a> Choices<'a> {
    pub fn new(
        problem: &'a Problem,
        options: &Options,
        occurrences: &'a Occurrences,
        binary: &BinaryClauses,
    ) -> Self {
        let variables = problem.variables();
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for clause in problem.clauses.iter().filter(|clause| clause.len() > 2) {
            for &output in clause {
                if problem.quantifier(output.var()) == Quantifier::Exists
                    && binary.defines(output, clause)
                {
                    // A variable that is decided later cannot be an input.
                    let level = |literal: Lit| problem.levels[literal.var().index()];
                    let others = clause
                        .iter()
                        .filter(|&&literal| literal != output && level(literal) <= level(output));
                    let edge = |other: Var| (output.var().index(), other.index());
                    edges.extend(others.map(|other| edge(other.var())));
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let inputs = Graph::new(variables, |edge| {
            edges
                .iter()
                .for_each(|&(output, input)| edge(output, input));
        });
        let cycles = inputs.components();
        let outside = Graph::new(cycles.count(), |edge| {
            for &(output, input) in &edges {
                let [cycle, other] = [output, input].map(|node| cycles.component_of(node));
                if cycle != other {
                    edge(cycle as usize, input);
                }
            }
        });
        Choices {
            problem,
            occurrences,
            group_choices: options.group_choices,
            propagator: Propagator::new(variables, &problem.clauses, occurrences),
            cycles,
            outside_known: vec![0; outside.node_count()],
            inputs,
            outside,
            done: 0,
            stamps: vec![0; variables],
            stamp: 0,
        }
    }

    /// The next decision in this block; `None` when all of it is known.
    pub fn next(&mut self, block: &[Var], known: &[bool]) -> Option<Decision> {
        while block
            .get(self.done)
            .is_some_and(|variable| known[variable.index()])
        {
            self.done += 1;
        }
        let unknown = block[self.done..].iter().copied();
        let unknown = unknown.filter(|variable| !known[variable.index()]);
        let candidates: Vec<(Var, Readiness)> = unknown
            .take(MAX_COMPARED)
            .map(|variable| (variable, self.readiness(variable, known)))
            .collect();
        // The first of the best, so that the order of the file decides ties.
        let best = candidates
            .iter()
            .rev()
            .max_by_key(|(_, readiness)| *readiness)?;
        let &(seed, readiness) = best;
        let mut members = vec![seed];
        if self.group_choices && readiness.inputs_known {
            // Exactly one is true, as a rule; or exactly one is false, if their negations stand for
            // moves.
            for literal in [seed.positive(), seed.negative()] {
                let mark = self.propagator.mark();
                if self.propagator.assume(literal) {
                    let enough = readiness.known_share / 4;
                    let excluded = candidates.iter().filter(|(variable, readiness)| {
                        let same = variable.literal(!literal.is_negative());
                        *variable != seed
                            && readiness.inputs_known
                            && readiness.known_share >= enough
                            && self.propagator.value(same) == Some(false)
                    });
                    members.extend(excluded.map(|(variable, _)| *variable));
                }
                self.propagator.undo_to(mark);
                if members.len() > 1 {
                    self.complete_alternatives(literal, &mut members, known);
                    members.truncate(MAX_MEMBERS);
                    break;
                }
            }
        }
        loop {
            if let Some(assignments) = self.assignments(&members) {
                return Some(Decision::listed(
                    Quantifier::Exists,
                    members,
                    assignments,
                    None,
                ));
            }
            members.truncate(members.len().div_ceil(2));
        }
    }

    /// If a clause says that some literal of a group must be true, and mostly speaks of members,
    /// takes the variables of that clause as the group: those left out were just less well
    /// determined, and those not in the clause, which stand for several of its literals, are gates.
    /// (Each of an exactly-one group is a gate of the others. Which to decide is a matter of taste,
    /// and this choice keeps the symmetry of a game.)
    fn complete_alternatives(&mut self, seed: Lit, members: &mut Vec<Var>, known: &[bool]) {
        let mark = self.propagator.mark();
        if !self.propagator.assume(seed) {
            return;
        }
        let level = self.problem.levels[seed.var().index()];
        let is_alternative = |literal: &Lit| {
            let variable = literal.var();
            literal.is_negative() == seed.is_negative()
                && !known[variable.index()]
                && self.problem.levels[variable.index()] == level
                && (*literal == seed || self.propagator.value(*literal) == Some(false))
        };
        let clauses = self.occurrences.of(seed).iter();
        let clauses = clauses.map(|&index| self.problem.clauses.get(index as usize));
        let longest = clauses
            .filter(|clause| clause.len() <= 2 * members.len() && clause.iter().all(is_alternative))
            .max_by_key(|clause| clause.len());
        if let Some(clause) = longest {
            let is_member = |literal: &&Lit| members.contains(&literal.var());
            if 2 * clause.iter().filter(is_member).count() > clause.len() {
                *members = clause.iter().map(|literal| literal.var()).collect();
            }
        }
        self.propagator.undo_to(mark);
    }

    /// Turns to another block.
    pub fn finish_block(&mut self) {
        self.done = 0;
    }

    fn readiness(&mut self, variable: Var, known: &[bool]) -> Readiness {
        let node = variable.index();
        let cycle = self.cycles.component_of(node);
        let inputs_known = self.inputs.targets(node).iter().all(|&input| {
            known[input as usize] || self.cycles.component_of(input as usize) == cycle
        });
        let outside = self.outside.targets(cycle as usize);
        let done = &mut self.outside_known[cycle as usize];
        while outside
            .get(*done)
            .is_some_and(|&input| known[input as usize])
        {
            *done += 1;
        }
        let outside_known = *done == outside.len();
        self.stamp += 1;
        let (mut count, mut all) = (0u32, 0u32);
        let mut left = MAX_NEIGHBOURS;
        'clauses: for &index in self.occurrences.of_variable(variable) {
            for literal in self.problem.clauses.get(index as usize) {
                let neighbour = literal.var().index();
                if std::mem::replace(&mut self.stamps[neighbour], self.stamp) != self.stamp {
                    all += 1;
                    count += u32::from(known[neighbour]);
                }
                left -= 1;
                if left == 0 {
                    break 'clauses;
                }
            }
        }
        // The variable itself was counted as an unknown neighbour.
        let known_share = (1000 * count + 10) / (all.max(2) - 1);
        Readiness {
            inputs_known,
            touches_known: count > 0,
            cycle_known: outside_known,
            known_share,
        }
    }

    /// All assignments of these variables that propagation does not refute; `None` if there are
    /// too many. For one variable there are at most two.
    fn assignments(&mut self, members: &[Var]) -> Option<Vec<Vec<u16>>> {
        let mut assignments = Vec::new();
        let complete = self.extend(members, &mut assignments);
        complete.then_some(assignments)
    }

    /// Depth-first over the members, without recursion: the stack holds, for each member decided
    /// by branching, where it stands, what to undo, and whether *false* is still to be tried.
    fn extend(&mut self, members: &[Var], assignments: &mut Vec<Vec<u16>>) -> bool {
        let root = self.propagator.mark();
        let mut branches: Vec<(usize, usize, bool)> = Vec::new();
        let mut position = 0;
        let mut complete = true;
        loop {
            let mut consistent = true;
            while let Some(&member) = members.get(position) {
                if self.propagator.value(member.positive()).is_none() {
                    branches.push((position, self.propagator.mark(), true));
                    if !self.propagator.assume(member.positive()) {
                        consistent = false;
                        break;
                    }
                }
                position += 1;
            }
            if consistent {
                let is_true = |member: &Var| self.propagator.value(member.positive()) == Some(true);
                let positions = 0..members.len() as u16;
                let assignment =
                    positions.filter(|&position| is_true(&members[usize::from(position)]));
                assignments.push(assignment.collect());
                if members.len() > 1 && assignments.len() > MAX_ASSIGNMENTS {
                    complete = false;
                    break;
                }
            }
            // Back to the last member whose other side is untried.
            let resumed = loop {
                let Some((branch, mark, untried)) = branches.pop() else {
                    break false;
                };
                self.propagator.undo_to(mark);
                if untried {
                    branches.push((branch, mark, false));
                    if self.propagator.assume(members[branch].negative()) {
                        position = branch + 1;
                        break true;
                    }
                }
            };
            if !resumed {
                break;
            }
        }
        self.propagator.undo_to(root);
        complete
    }
}
