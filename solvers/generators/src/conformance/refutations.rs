//! Proofs by *reverse unit propagation* (RUP), checked while a satisfiability solver works.
//!
//! A learned clause follows from the clauses before it if unit propagation refutes its negation; a set of assumptions is refuted if unit
//! propagation refutes these (E. Goldberg and Y. Novikov, *Verification of proofs of unsatisfiability for CNF formulas*, DATE 2003).
//! The checker shares nothing with the solver but the clauses that are required of it. It never forgets one, so it needs not be told of those that
//! the solver forgets.

use circuit::Literal;
use circuit::sat::{Observer, observed};
use std::cell::Cell;
use std::rc::Rc;

/// How many steps of proofs were checked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ProofSize {
    /// Learned clauses.
    pub lemmas: u64,
    /// Answers that say that there is no solution.
    pub refutations: u64,
}

/// Does some work, and checks each step of each proof of each solver that this thread makes meanwhile.
///
/// # Panics
/// If a step does not follow.
pub fn check_refutations<T>(work: impl FnOnce() -> T) -> (T, ProofSize) {
    let checked = Rc::new(Cell::new(ProofSize::default()));
    let shared = Rc::clone(&checked);
    let checker = move || -> Box<dyn Observer> {
        Box::new(Refutations {
            checked: Rc::clone(&shared),
            ..Refutations::default()
        })
    };
    let done = observed(checker, work);
    (done, checked.get())
}

/// All clauses so far, with their consequences by unit propagation.
#[derive(Default)]
struct Refutations {
    checked: Rc<Cell<ProofSize>>,
    clauses: Vec<Vec<Literal>>,
    /// By literal, the clauses of which it is one of the first two literals.
    watchers: Vec<Vec<usize>>,
    /// By literal, whether it is true.
    is_true: Vec<bool>,
    /// Literals that are true, in the order in which they became so.
    trail: Vec<Literal>,
    /// How many of the trail were propagated.
    propagated: usize,
    /// Whether the clauses have no solution.
    is_refuted: bool,
}

impl Refutations {
    fn is_true(&self, literal: Literal) -> bool {
        self.is_true[literal.index()]
    }

    /// Makes room for the variables of some literals.
    fn know(&mut self, literals: &[Literal]) {
        for literal in literals {
            let room = 2 * literal.node() + 2;
            if self.is_true.len() < room {
                self.is_true.resize(room, false);
                self.watchers.resize(room, Vec::new());
            }
        }
    }

    /// Makes a literal true; `false` if it is false.
    fn set(&mut self, literal: Literal) -> bool {
        if self.is_true(!literal) {
            return false;
        }
        if !std::mem::replace(&mut self.is_true[literal.index()], true) {
            self.trail.push(literal);
        }
        true
    }

    /// Adds a clause for good, while nothing is assumed.
    fn add(&mut self, clause: &[Literal]) {
        self.know(clause);
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        let is_trivial = clause.windows(2).any(|pair| pair[0] == !pair[1]);
        if is_trivial || clause.iter().any(|&literal| self.is_true(literal)) {
            return;
        }
        clause.retain(|&literal| !self.is_true(!literal));
        match clause.as_slice() {
            [] => self.is_refuted = true,
            [unit] => self.is_refuted |= !(self.set(*unit) && self.propagate()),
            [one, other, ..] => {
                let number = self.clauses.len();
                self.watchers[one.index()].push(number);
                self.watchers[other.index()].push(number);
                self.clauses.push(clause);
            }
        }
    }

    /// Makes all literals true that follow; `false` if a clause has none left.
    fn propagate(&mut self) -> bool {
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let failed = !literal;
            let watching = std::mem::take(&mut self.watchers[failed.index()]);
            let mut kept = Vec::with_capacity(watching.len());
            let mut clauses = watching.into_iter();
            let mut holds = true;
            for number in clauses.by_ref() {
                let clause = &mut self.clauses[number];
                if clause[0] == failed {
                    clause.swap(0, 1);
                }
                let is_false = |&literal: &Literal| self.is_true[(!literal).index()];
                match clause[2..].iter().position(|other| !is_false(other)) {
                    _ if self.is_true[clause[0].index()] => kept.push(number),
                    Some(place) => {
                        clause.swap(1, 2 + place);
                        let watched = clause[1];
                        self.watchers[watched.index()].push(number);
                    }
                    None => {
                        let unit = clause[0];
                        kept.push(number);
                        holds = self.set(unit);
                        if !holds {
                            break;
                        }
                    }
                }
            }
            kept.extend(clauses);
            self.watchers[failed.index()] = kept;
            if !holds {
                return false;
            }
        }
        true
    }

    /// Whether unit propagation refutes these literals together.
    fn refutes(&mut self, mut literals: impl Iterator<Item = Literal>) -> bool {
        let before = self.trail.len();
        let holds = literals.all(|literal| self.set(literal));
        let is_refuted = !(holds && self.propagate());
        for literal in self.trail.drain(before..) {
            self.is_true[literal.index()] = false;
        }
        self.propagated = before;
        is_refuted
    }
}

impl Observer for Refutations {
    fn require(&mut self, clause: &[Literal]) {
        self.add(clause);
    }

    fn learn(&mut self, clause: &[Literal]) {
        self.know(clause);
        let follows = self.is_refuted || self.refutes(clause.iter().map(|&literal| !literal));
        assert!(follows, "a learned clause does not follow: {clause:?}");
        self.add(clause);
        let checked = self.checked.get();
        let lemmas = checked.lemmas + 1;
        self.checked.set(ProofSize { lemmas, ..checked });
    }

    fn refute(&mut self, assumptions: &[Literal]) {
        self.know(assumptions);
        let follows = self.is_refuted || self.refutes(assumptions.iter().copied());
        assert!(follows, "these are not refuted: {assumptions:?}");
        let checked = self.checked.get();
        let refutations = checked.refutations + 1;
        self.checked.set(ProofSize {
            refutations,
            ..checked
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rounds;
    use circuit::sat::BatSat;

    /// Random clauses of three literals.
    fn clauses(random: &mut fastrand::Rng, variables: usize, count: usize) -> Vec<[Literal; 3]> {
        let mut literal = || Literal::new(random.usize(..variables)).negated_if(random.bool());
        (0..count).map(|_| [(); 3].map(|()| literal())).collect()
    }

    #[test]
    fn refutations_of_random_clauses_follow() {
        let mut random = fastrand::Rng::with_seed(7);
        let ((), checked) = check_refutations(|| {
            for _ in 0..rounds(30) {
                let mut solver = BatSat::new();
                let literals: Vec<Literal> = (0..50).map(|_| solver.new_literal()).collect();
                for clause in clauses(&mut random, 50, 200) {
                    solver.require(&clause);
                }
                for _ in 0..10 {
                    let assumed = [(); 4].map(|()| literals[random.usize(..50)]);
                    let assumed = assumed.map(|literal| literal.negated_if(random.bool()));
                    solver.solve(&assumed).expect("nothing stops it");
                    solver.require(&clauses(&mut random, 50, 1)[0]);
                }
            }
        });
        assert!(checked.lemmas > 1000, "{checked:?}");
        assert!(checked.refutations > 100, "{checked:?}");
    }

    #[test]
    fn what_does_not_follow_is_noticed() {
        let [a, b, c] = [0, 1, 2].map(Literal::new);
        let mut proof = Refutations::default();
        for clause in [[a, b], [a, !b], [!a, c]] {
            proof.require(&clause);
        }
        assert!(proof.refutes([!a].into_iter()));
        assert!(!proof.refutes([a].into_iter()) && !proof.refutes([!b].into_iter()));
        proof.learn(&[a]);
        proof.refute(&[b, !c]);
        let wrong = std::panic::AssertUnwindSafe(|| proof.learn(&[!b]));
        assert!(std::panic::catch_unwind(wrong).is_err());
    }
}
