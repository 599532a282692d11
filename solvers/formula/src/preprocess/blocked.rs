//! Blocked clause elimination: clauses go that a player can make true without harm.
//!
//! A clause C is *blocked* by one of its literals l if the variable x of l is existential, and every clause with the negation of l has the
//! negation of another literal of C, whose variable stands in the block of x or before it.
//!
//! ```text
//! e 1 2 0,  r 1/2 3 0,  e 4 0:    (-4 1) (-4 2) (4 -1 -2) (4 3)
//! (-4 1) is not blocked by -4:  (4 -1 -2) has -1, but (4 3) has not.
//! Without (4 3) it is, and so is (-4 2); then 4 occurs in one sign only, and (4 -1 -2) is blocked as well.
//! ```
//!
//! *Why the value stays.* Without C it is not smaller. Take a strategy of the maximizer for the formula without C, and let it set l
//! true whenever all other literals of C in the block of x or before it are false. Then C is true: by l, or by one of these others. A clause with the negation
//! of l stays true: where l was changed, it has the negation of a false literal. So each play that
//! was won is still won, and the value with C is not smaller either. This holds for any prefix, one clause after the other. ∎
//!
//! Formulas of plans have many such clauses: definitions of which only one direction is needed (Järvisalo, Biere and Heule 2010; for prefixes of two
//! quantifiers Biere, Lonsing and Seidl 2011). A definition that lost a direction defines nothing, so clauses of variables that are to stay defined stay.

use super::occurrences::Occurrences;
use super::problem::Problem;
use crate::{Clauses, Lit, Quantifier};
use std::cmp::Reverse;

/// The problem without blocked clauses, which has the same value; nothing if there are none. Clauses of certain variables stay. At most
/// about `limit` literals are visited.
pub fn without_blocked(problem: &Problem, stays: &[bool], limit: u64) -> Option<Problem> {
    let mut work = Work {
        problem,
        occurrences: Occurrences::new(problem.variables(), &problem.clauses),
        is_gone: vec![false; problem.clauses.len()],
        seen_in: vec![0; 2 * problem.variables()],
        left: limit,
    };
    let mut waiting = vec![Vec::new(); problem.clauses.len()];
    let mut candidates = work.candidates(stays);
    let mut changed = false;
    while let Some(candidate) = candidates.pop() {
        if work.is_gone[candidate.clause as usize] {
            continue;
        }
        match work.obstacle(candidate) {
            Some(obstacle) if work.left > 0 => waiting[obstacle.clause as usize].push(Candidate {
                checked: obstacle.checked,
                ..candidate
            }),
            Some(_) => break,
            None => {
                changed = true;
                work.is_gone[candidate.clause as usize] = true;
                candidates.append(&mut waiting[candidate.clause as usize]);
            }
        }
    }
    let kept = problem.clauses.iter().zip(&work.is_gone);
    let kept = kept.filter(|(_, is_gone)| !**is_gone);
    changed.then(|| problem.with_clauses(kept.map(|(clause, _)| clause).collect::<Clauses>()))
}

/// A clause that may be blocked by a literal.
#[derive(Clone, Copy)]
struct Candidate {
    clause: u32,
    literal: Lit,
    /// How many of the clauses with the negation of the literal do not stand in the way, and never will.
    checked: u32,
}

/// A clause that keeps another one from being blocked, and how many before it do not.
struct Obstacle {
    clause: u32,
    checked: u32,
}

struct Work<'a> {
    problem: &'a Problem,
    occurrences: Occurrences,
    is_gone: Vec<bool>,
    /// By code of a literal: the last clause that was visited and has it, counted from 1.
    seen_in: Vec<u32>,
    left: u64,
}

impl Work<'_> {
    /// All candidates. Those with little to visit come last.
    fn candidates(&self, stays: &[bool]) -> Vec<Candidate> {
        let mut candidates = Vec::with_capacity(self.problem.clauses.literal_count());
        for (id, clause) in self.problem.clauses.iter().enumerate() {
            if clause.iter().any(|literal| stays[literal.var().index()]) {
                continue;
            }
            let existential =
                |literal: &Lit| self.problem.quantifier(literal.var()) == Quantifier::Exists;
            let literals = clause.iter().copied().filter(existential);
            candidates.extend(literals.map(|literal| Candidate {
                clause: id as u32,
                literal,
                checked: 0,
            }));
        }
        candidates.sort_by_key(|one| Reverse(self.occurrences.of(!one.literal).len()));
        candidates
    }

    /// The first clause that keeps a candidate from being blocked.
    fn obstacle(&mut self, candidate: Candidate) -> Option<Obstacle> {
        let Candidate {
            clause, literal, ..
        } = candidate;
        for one in self.problem.clauses.get(clause as usize) {
            self.seen_in[one.code()] = clause + 1;
        }
        let levels = &self.problem.levels;
        let level = levels[literal.var().index()];
        let others = self.occurrences.of(!literal).iter().enumerate();
        for (checked, &other) in others.skip(candidate.checked as usize) {
            if self.is_gone[other as usize] {
                continue;
            }
            let contradicts = |one: &Lit| {
                *one != !literal
                    && self.seen_in[(!*one).code()] == clause + 1
                    && levels[one.var().index()] <= level
            };
            let literals = self.problem.clauses.get(other as usize);
            self.left = self.left.saturating_sub(1 + literals.len() as u64);
            if self.left == 0 || !literals.iter().any(contradicts) {
                return Some(Obstacle {
                    clause: other,
                    checked: checked as u32,
                });
            }
        }
        None
    }
}
