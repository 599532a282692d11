//! Subsumption, self-subsuming resolution and bounded variable elimination: fewer and shorter clauses, until nothing changes or a
//! limit of work is reached.
//!
//! **Subsumption.** A clause that contains another one says nothing besides it, and goes. **Self-subsuming resolution.** If a clause contains all of another
//! one, but one literal negated, that literal goes: the resolvent of both is the rest. Both keep the matrix equivalent, so the value stays under
//! any prefix.
//!
//! ```text
//! (1 2) (1 2 3) (-1 2 4)   becomes   (1 2) (2 4)
//! ```
//!
//! **Elimination.** Let an existential variable x be in no clause together with a variable of a later block. Then its clauses are replaced by all their
//! resolvents on x, if these are no more and have no more literals than the clauses.
//!
//! *Why the value stays.* Fix the values of the variables of earlier blocks and of all others of the block of x. Variables of later blocks do not
//! occur in the clauses C of x, so the value of the rest is that of the other clauses if C holds, and 0 if not. The maximum over x is therefore
//! the value of the other clauses where C holds for some x, and 0 elsewhere. The resolvents say the same: they are the
//! clauses of "C for some x" (Davis and Putnam 1960). A maximum over the block does not depend on the order in which its variables are decided. ∎
//!
//! **Places to cut.** A variable that few clauses share is a place to cut: once it is decided, what stands on both sides falls apart, and the cache meets
//! each side again. Long resolvents tie both sides together. So where the formula can be cut well, no resolvent may be longer than the longest clause
//! that it replaces. (`QIF-reverse` of SharpSSAT's files, with bags of 4 for 157 variables, takes 20 s with long resolvents, and 0.04 s without;
//! `SyGuS-IssueServiceImpl`, which cannot be cut, 4 s with them, and more than 20 s without.)
//!
//! The innermost existential block is always like that, and outputs of gates that only later variables of their own block read. (Without a bound the number of clauses may be squared
//! with each variable: Eén and Biere 2005.)

use super::problem::Problem;
use crate::{Clauses, Lit, Quantifier, Var};
use std::cmp::Reverse;

/// Variables with more clauses are not tried.
const MAX_CLAUSES: usize = 48;

/// The techniques that are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reduction {
    /// Subsumption and self-subsuming resolution.
    pub subsumes: bool,
    /// Bounded elimination of variables.
    pub eliminates: bool,
    /// Whether elimination may make clauses longer than those they replace.
    pub lengthens: bool,
}

/// A smaller problem of the same value; nothing if there is none. At most about `limit` literals are visited.
pub fn reduced(problem: &Problem, reduction: Reduction, limit: u64) -> Option<Problem> {
    let mut work = Work::new(problem, reduction, limit);
    work.run();
    work.changed.then(|| work.problem())
}

/// Memory that [`reduced`] takes, in bytes.
pub fn room(variables: usize, clauses: usize, literals: usize) -> u64 {
    (120 * variables + 100 * clauses + 24 * literals) as u64
}

/// A problem on its way to fewer and shorter clauses.
struct Work<'a> {
    problem: &'a Problem,
    reduction: Reduction,
    /// Sorted; empty where `is_gone`.
    clauses: Vec<Vec<Lit>>,
    is_gone: Vec<bool>,
    /// A bit for each variable, by clause; several variables may have the same one.
    signatures: Vec<u64>,
    /// By code of the literal. Clauses that are gone, or have lost it, may still be there.
    occurrences: Vec<Vec<u32>>,
    /// Clauses that may subsume others, and whether a clause is among them.
    queue: Vec<u32>,
    is_queued: Vec<bool>,
    /// Variables that may be eliminated, and whether one is among them.
    candidates: Vec<u32>,
    is_candidate: Vec<bool>,
    left: u64,
    changed: bool,
    is_false: bool,
}

fn signature(clause: &[Lit]) -> u64 {
    let bits = clause
        .iter()
        .map(|literal| 1 << (literal.var().index() % 64));
    bits.fold(0, |all, bit: u64| all | bit)
}

impl<'a> Work<'a> {
    fn new(problem: &'a Problem, reduction: Reduction, limit: u64) -> Self {
        let count = problem.clauses.len();
        let mut work = Work {
            problem,
            reduction,
            clauses: Vec::with_capacity(count),
            is_gone: Vec::with_capacity(count),
            signatures: Vec::with_capacity(count),
            occurrences: vec![Vec::new(); 2 * problem.variables()],
            queue: Vec::new(),
            is_queued: Vec::with_capacity(count),
            candidates: Vec::new(),
            is_candidate: vec![false; problem.variables()],
            left: limit,
            changed: false,
            is_false: false,
        };
        for clause in problem.clauses.iter() {
            work.add(clause.to_vec());
        }
        // Those that are tried first come last.
        work.queue.reverse();
        work.candidates.sort_unstable_by_key(|&variable| {
            let variable = Var::new(variable as usize);
            let count = |literal: Lit| work.occurrences[literal.code()].len();
            Reverse(count(variable.positive()) + count(variable.negative()))
        });
        work
    }

    fn add(&mut self, clause: Vec<Lit>) {
        let id = self.clauses.len() as u32;
        for &literal in &clause {
            self.occurrences[literal.code()].push(id);
            self.offer(literal.var());
        }
        self.is_false |= clause.is_empty();
        self.signatures.push(signature(&clause));
        self.clauses.push(clause);
        self.is_gone.push(false);
        self.is_queued.push(true);
        self.queue.push(id);
    }

    fn remove(&mut self, id: u32) {
        self.is_gone[id as usize] = true;
        for literal in std::mem::take(&mut self.clauses[id as usize]) {
            self.offer(literal.var());
        }
        self.changed = true;
    }

    /// Makes a variable one that may be eliminated.
    fn offer(&mut self, variable: Var) {
        let index = variable.index();
        if self.reduction.eliminates
            && self.problem.quantifiers[index] == Quantifier::Exists
            && !std::mem::replace(&mut self.is_candidate[index], true)
        {
            self.candidates.push(index as u32);
        }
    }

    fn spend(&mut self, work: usize) {
        self.left = self.left.saturating_sub(work as u64);
    }

    fn run(&mut self) {
        while self.left > 0 && !self.is_false {
            if let Some(id) = self.queue.pop() {
                self.is_queued[id as usize] = false;
                if self.reduction.subsumes && !self.is_gone[id as usize] {
                    self.subsume_by(id);
                }
            } else if let Some(variable) = self.candidates.pop() {
                self.is_candidate[variable as usize] = false;
                self.eliminate(Var::new(variable as usize));
            } else {
                return;
            }
        }
    }

    /// Drops the clauses that contain this one, and the literals of others that its resolvents do without.
    fn subsume_by(&mut self, id: u32) {
        let clause = self.clauses[id as usize].clone();
        let count = |literal: Lit| self.occurrences[literal.code()].len();
        let Some(&rarest) = clause
            .iter()
            .min_by_key(|&&literal| count(literal) + count(!literal))
        else {
            return;
        };
        for literal in [rarest, !rarest] {
            for index in 0..self.occurrences[literal.code()].len() {
                let other = self.occurrences[literal.code()][index];
                let missing = self.signatures[id as usize] & !self.signatures[other as usize];
                self.spend(1);
                if other == id || self.is_gone[other as usize] || missing != 0 {
                    continue;
                }
                self.spend(self.clauses[other as usize].len());
                match contained(&clause, &self.clauses[other as usize]) {
                    Contained::No => {}
                    Contained::Whole => self.remove(other),
                    Contained::But(literal) => self.shorten(other, literal),
                }
            }
        }
    }

    fn shorten(&mut self, id: u32, literal: Lit) {
        let clause = &mut self.clauses[id as usize];
        clause.retain(|&one| one != literal);
        self.is_false |= clause.is_empty();
        self.signatures[id as usize] = signature(clause);
        let others = clause.clone();
        for one in others.into_iter().chain([literal]) {
            self.offer(one.var());
        }
        if !std::mem::replace(&mut self.is_queued[id as usize], true) {
            self.queue.push(id);
        }
        self.changed = true;
    }

    /// The clauses of a literal.
    fn clean(&mut self, literal: Lit) -> Vec<u32> {
        let list = &mut self.occurrences[literal.code()];
        list.retain(|&id| self.clauses[id as usize].contains(&literal));
        let list = list.clone();
        self.spend(list.len());
        list
    }

    /// Replaces the clauses of a variable by their resolvents, if that is right and there are no more of them.
    fn eliminate(&mut self, variable: Var) {
        let [with, without] = [variable.positive(), variable.negative()].map(|l| self.clean(l));
        let before = with.len() + without.len();
        if before == 0 || before > MAX_CLAUSES {
            return;
        }
        let levels = &self.problem.levels;
        let level = levels[variable.index()];
        let is_late = |literal: &Lit| levels[literal.var().index()] > level;
        let old = with.iter().chain(&without);
        let mut old = old.map(|&id| &self.clauses[id as usize]);
        let mut literals: usize = old.clone().map(Vec::len).sum();
        let longest = match self.reduction.lengthens {
            true => usize::MAX,
            false => old.clone().map(Vec::len).max().unwrap_or(0),
        };
        if old.any(|clause| clause.iter().any(is_late)) {
            return;
        }
        let mut resolvents = Vec::new();
        for &one in &with {
            for &other in &without {
                let [one, other] = [one, other].map(|id| &self.clauses[id as usize]);
                let (work, resolvent) = (one.len() + other.len(), resolvent(one, other, variable));
                self.spend(work);
                if let Some(resolvent) = resolvent {
                    if resolvents.len() == before || resolvent.len() > longest.min(literals) {
                        return;
                    }
                    literals -= resolvent.len();
                    resolvents.push(resolvent);
                }
            }
        }
        for id in with.into_iter().chain(without) {
            self.remove(id);
        }
        for resolvent in resolvents {
            self.add(resolvent);
        }
    }

    /// The problem that is left.
    fn problem(self) -> Problem {
        let mut clauses = Clauses::new();
        for (clause, is_gone) in self.clauses.into_iter().zip(self.is_gone) {
            if !is_gone {
                clauses.push(clause);
            }
        }
        self.problem.with_clauses(clauses)
    }
}

/// Whether a clause contains another one.
enum Contained {
    No,
    Whole,
    /// All but one literal, the negation of which it has: this one.
    But(Lit),
}

/// Whether the second clause contains the first, but for the sign of one literal at most. Both are sorted by variable.
fn contained(clause: &[Lit], other: &[Lit]) -> Contained {
    let mut others = other.iter();
    let mut but = None;
    for &literal in clause {
        match others.find(|other| other.var() >= literal.var()) {
            Some(&found) if found == literal => {}
            Some(&found) if found == !literal && but.is_none() => but = Some(found),
            _ => return Contained::No,
        }
    }
    but.map_or(Contained::Whole, Contained::But)
}

/// The resolvent of two clauses on a variable; nothing if it is always true.
fn resolvent(one: &[Lit], other: &[Lit], variable: Var) -> Option<Vec<Lit>> {
    let both = one.iter().chain(other).copied();
    let mut resolvent: Vec<Lit> = both.filter(|literal| literal.var() != variable).collect();
    resolvent.sort_unstable();
    resolvent.dedup();
    let is_true = resolvent.windows(2).any(|pair| pair[0] == !pair[1]);
    (!is_true).then_some(resolvent)
}
