//! Unit propagation by counting: the values of variables and their consequences.
//!
//! For each clause two numbers are kept: how many of its literals are true, and how many are open. This is the plainest way
//! of propagating, and shares nothing with that of the solvers.

use crate::problem::{Kind, Problem};
use crate::strategy::Decider;
use formula::{BigRational, Lit, Var};
use num_traits::{One, Zero};

/// A conflict: some clause is false, or will be when the minimizer has moved.
#[derive(Debug)]
pub struct Conflict;

/// The values of variables.
pub struct Assignment<'a> {
    problem: &'a Problem,
    values: Vec<Option<bool>>,
    trail: Vec<Lit>,
    true_in: Vec<u32>,
    open_in: Vec<u32>,
    /// By code of the literal, the clauses that it is in.
    occurrences: Vec<Vec<u32>>,
}

impl<'a> Assignment<'a> {
    /// No variable has a value.
    pub fn new(problem: &'a Problem) -> Self {
        let variables = problem.kinds.len();
        let mut occurrences = vec![Vec::new(); 2 * variables];
        let mut open_in = Vec::with_capacity(problem.clauses.len());
        for (index, clause) in problem.clauses.iter().enumerate() {
            for literal in clause {
                occurrences[literal.code()].push(index as u32);
            }
            open_in.push(clause.len() as u32);
        }
        Assignment {
            problem,
            values: vec![None; variables],
            trail: Vec::new(),
            true_in: vec![0; problem.clauses.len()],
            open_in,
            occurrences,
        }
    }

    /// Whether a variable has no value.
    pub fn is_open(&self, variable: u32) -> bool {
        self.values[variable as usize].is_none()
    }

    /// Whether no literal of a clause is true.
    pub fn is_unsatisfied(&self, clause: u32) -> bool {
        self.true_in[clause as usize] == 0
    }

    /// The number of literals that were made true so far.
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Assigns what clauses of one literal say from the start. A conflict makes the value 0.
    pub fn start(&mut self) -> Result<BigRational, Conflict> {
        let mut units = Vec::new();
        for clause in self.problem.clauses.iter() {
            match *clause {
                [] => return Err(Conflict),
                [literal] => units.push(literal),
                _ => {}
            }
        }
        self.assign_all(units)
    }

    /// Makes a literal true, and all that follows. Gives the probability of the literals of chance among them.
    pub fn assign(&mut self, literal: Lit) -> Result<BigRational, Conflict> {
        self.assign_all(vec![literal])
    }

    fn assign_all(&mut self, mut units: Vec<Lit>) -> Result<BigRational, Conflict> {
        let mut factor = BigRational::one();
        let mut is_decision = units.len() == 1;
        while let Some(literal) = units.pop() {
            let is_first = std::mem::take(&mut is_decision);
            match self.values[literal.var().index()] {
                Some(value) if literal.holds(value) => continue,
                Some(_) => return Err(Conflict),
                None => {}
            }
            let kind = &self.problem.kinds[literal.var().index()];
            if *kind == Kind::Free(Decider::Forall) && !(is_first && self.is_choice(literal)) {
                return Err(Conflict);
            }
            if let Kind::Chance(_) = kind {
                let weight = self.problem.weight(literal);
                if weight.is_zero() {
                    return Err(Conflict);
                }
                if !weight.is_one() {
                    factor *= weight;
                }
            }
            self.set(literal, &mut units)?;
        }
        Ok(factor)
    }

    /// Whether no clause forces a literal: then it was chosen.
    fn is_choice(&self, literal: Lit) -> bool {
        let mut clauses = self.occurrences[literal.code()].iter();
        clauses
            .all(|&clause| self.true_in[clause as usize] > 0 || self.open_in[clause as usize] > 1)
    }

    fn set(&mut self, literal: Lit, units: &mut Vec<Lit>) -> Result<(), Conflict> {
        self.values[literal.var().index()] = Some(!literal.is_negative());
        self.trail.push(literal);
        for &clause in &self.occurrences[literal.code()] {
            self.true_in[clause as usize] += 1;
            self.open_in[clause as usize] -= 1;
        }
        let mut result = Ok(());
        for &clause in &self.occurrences[(!literal).code()] {
            let open = &mut self.open_in[clause as usize];
            *open -= 1;
            if self.true_in[clause as usize] > 0 {
                continue;
            }
            match *open {
                0 => result = Err(Conflict),
                1 => {
                    let clause = self.problem.clauses.get(clause as usize);
                    let unit = clause
                        .iter()
                        .find(|literal| self.values[literal.var().index()].is_none());
                    units.push(*unit.expect("one is open"));
                }
                _ => {}
            }
        }
        result
    }

    /// Takes back all that came after a mark.
    pub fn undo(&mut self, mark: usize) {
        for literal in self.trail.drain(mark..) {
            self.values[literal.var().index()] = None;
            for &clause in &self.occurrences[literal.code()] {
                self.true_in[clause as usize] -= 1;
                self.open_in[clause as usize] += 1;
            }
            for &clause in &self.occurrences[(!literal).code()] {
                self.open_in[clause as usize] += 1;
            }
        }
    }

    /// The open variables of a clause.
    pub fn open_variables(&self, clause: u32) -> impl Iterator<Item = u32> {
        let literals = self.problem.clauses.get(clause as usize).iter();
        let variables = literals.map(|literal| literal.var().index() as u32);
        variables.filter(|&variable| self.is_open(variable))
    }

    /// The literal of a variable with a value.
    pub fn literal(variable: u32, value: bool) -> Lit {
        Var::new(variable as usize).literal(value)
    }
}
