//! Atoms that are in no answer set because a constraint excludes them.
//!
//! Knowing them changes nothing about the answer sets, but much about the clauses: the body of an
//! excluded atom needs no gate, it just must not hold. This matters for the commonest rule of all,
//! `1 { x; y; z } 1 :- c.`, which the grounder writes with four atoms of its own:
//!
//! ```text
//! {x; y; z} :- c.    some :- 1 {x; y; z}.    many :- 2 {x; y; z}.
//! fine :- some, not many.                    :- c, not fine.
//! ```
//!
//! `many` is excluded: under `c` the constraint forbids it, and without `c` its members have no
//! support. So "no two of x, y, z" can be written as binary clauses, without `c` and without
//! helpers.

use crate::supports::Supports;
use crate::{Atom, Body, GroundProgram, Head, Literal};

/// How often an upper bound is tried against different conditions: enough for the pattern above,
/// and a bound on the work.
const TRIES: u8 = 4;

/// Longer constraints are not searched for upper bounds.
const LONGEST_CONDITION: usize = 16;

/// Marks excluded atoms, by atom index.
pub(crate) fn find_excluded(program: &GroundProgram, supports: &Supports) -> Vec<bool> {
    let mut search = Search {
        program,
        supports,
        holds: vec![None; program.atom_count()],
        waiting: Vec::new(),
    };
    let facts: Vec<bool> = (1..=program.atom_count() as u32)
        .map(|number| supports.is_fact(program, Atom::new(number).expect("atoms are numbered so")))
        .collect();
    let limits = find_limits(program, supports);
    let mut tries = vec![0u8; program.atom_count()];
    let mut condition: Vec<Literal> = Vec::new();
    for rule in program.rules() {
        let (Head::Constraint, Body::All(body)) = (rule.head, rule.body) else {
            continue;
        };
        let is_known = |literal: &Literal| !literal.is_negative() && facts[literal.atom().index()];
        condition.clear();
        condition.extend(body.iter().filter(|literal| !is_known(literal)));
        if let [literal] = condition[..] {
            search.require(literal.atom(), literal.is_negative());
            continue;
        }
        if condition.len() > LONGEST_CONDITION {
            continue;
        }
        for position in 0..condition.len() {
            let Some(many) = limits[condition[position].atom().index()]
                .filter(|limit| limit.of_negation == condition[position].is_negative())
                .map(|limit| limit.many)
            else {
                continue;
            };
            let tried = &mut tries[many.index()];
            if *tried == TRIES || search.holds[many.index()].is_some() {
                continue;
            }
            *tried += 1;
            let mut rest = condition.clone();
            rest.swap_remove(position);
            if search.needs(many, &rest) {
                search.require(many, false);
            }
        }
    }
    search.spread();
    search
        .holds
        .iter()
        .map(|&value| value == Some(false))
        .collect()
}

/// An atom `many` with a weight body that a constraint forbids when it has the literal in question.
#[derive(Clone, Copy)]
struct Limit {
    of_negation: bool,
    many: Atom,
}

/// For each atom `a` the weight body that `not a` (or `a`, being that atom itself) stands for.
fn find_limits(program: &GroundProgram, supports: &Supports) -> Vec<Option<Limit>> {
    let mut limits = vec![None; program.atom_count()];
    let mut weighted = Vec::new();
    for rule in program.rules() {
        if let (Head::Atom(many), Body::Weighted { .. }) = (rule.head, rule.body)
            && supports.of(many).len() == 1
        {
            limits[many.index()] = Some(Limit {
                of_negation: false,
                many,
            });
            weighted.push(many);
        }
    }
    if weighted.is_empty() {
        return limits;
    }
    for index in 0..program.atom_count() {
        let fine = Atom::new(index as u32 + 1).expect("atoms are numbered so");
        if let Some(body) = supports.only_conjunction(program, fine) {
            let many = body
                .iter()
                .filter(|literal| literal.is_negative())
                .find_map(|literal| {
                    limits[literal.atom().index()].filter(|limit| !limit.of_negation)
                });
            limits[fine.index()] = many.map(|limit| Limit {
                of_negation: true,
                ..limit
            });
        }
    }
    limits
}

struct Search<'a> {
    program: &'a GroundProgram,
    supports: &'a Supports,
    /// Values that atoms have in every answer set.
    holds: Vec<Option<bool>>,
    waiting: Vec<Atom>,
}

impl Search<'_> {
    fn require(&mut self, atom: Atom, value: bool) {
        if self.holds[atom.index()].is_none() {
            self.holds[atom.index()] = Some(value);
            self.waiting.push(atom);
        }
    }

    /// Follows single rules: what an atom that must hold needs, and what one that must not hold
    /// must not get.
    fn spread(&mut self) {
        while let Some(atom) = self.waiting.pop() {
            let program = self.program;
            if self.holds[atom.index()] == Some(true) {
                let body = self.supports.only_conjunction(program, atom);
                for literal in body.unwrap_or_default() {
                    self.require(literal.atom(), !literal.is_negative());
                }
                continue;
            }
            for &index in self.supports.of(atom) {
                let rule = program.rule(index as usize);
                if let (Head::Atom(_), Body::All([literal])) = (rule.head, rule.body) {
                    self.require(literal.atom(), literal.is_negative());
                }
            }
        }
    }

    /// Whether the only body of this atom, a weight body, cannot hold without the whole condition.
    fn needs(&self, many: Atom, condition: &[Literal]) -> bool {
        let [index] = self.supports.of(many) else {
            return false;
        };
        let Body::Weighted { bound, literals } = self.program.rule(*index as usize).body else {
            return false;
        };
        let without: u128 = literals
            .iter()
            .filter(|(literal, _)| !condition.iter().all(|&c| self.implies(*literal, c, 3)))
            .map(|&(_, weight)| u128::from(weight))
            .sum();
        without < u128::from(bound)
    }

    /// Whether every rule for the literal asks for the condition, perhaps through other atoms.
    fn implies(&self, literal: Literal, condition: Literal, depth: u32) -> bool {
        if literal == condition {
            return true;
        }
        if literal.is_negative() || depth == 0 {
            return false;
        }
        let rules = self.supports.of(literal.atom());
        rules
            .iter()
            .all(|&index| match self.program.rule(index as usize).body {
                Body::All(body) => {
                    body.contains(&condition)
                    // Only short ways are followed: the work stays in proportion to the program.
                    || depth > 1
                        && rules.len() == 1
                        && body.len() <= 4
                        && body.iter().any(|&next| self.implies(next, condition, depth - 1))
                }
                Body::Weighted { .. } => false,
            })
    }
}
