//! Counting with components and a cache: the value of a formula in which one player's variables are computed.
//!
//! ```text
//! value(component):
//!   in the cache: that value
//!   take a variable of the outermost block, and for each of its values:
//!     assign it, propagate units; a conflict: 0
//!     else the chances assigned, times the values of the components of what is left
//!   the maximum, the minimum, or the sum weighted by chance
//! ```
//!
//! There is no learning, no bound, no model and no rule for pure literals: it is meant to be believed.
//!
//! **Definitions that are not needed are left out.** A component begins with clauses of the formula that are not true yet,
//! and with what is left of the definitions of computed variables that have a value. The definition of an open computed
//! variable belongs to it only if the variable stands in one of these, or in such a definition. All other definitions can
//! be made true in exactly one way, for any values of the others.
//!
//! **Computed variables may be decided with chance.** If all inputs of a computed variable stand in a block of chance or
//! before it, then for each of their values one of its branches is 0. So the sum of both branches is the value.

use crate::assignment::Assignment;
use crate::problem::{Kind, Problem};
use crate::strategy::Decider;
use formula::{BigRational, Lit};
use limits::{StopReason, Watch};
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

/// Deeper than this the search does not go: its stack has an end. See [`STACK_BYTES`].
const MAX_DEPTH: usize = 100_000;

/// The stack that the search needs for that.
pub const STACK_BYTES: usize = 1 << 28;

/// The bytes that an entry of the cache takes besides its key.
const ENTRY_BYTES: usize = 160;

/// Open variables, and the clauses that hold them together.
struct Component {
    variables: Vec<u32>,
    clauses: Vec<u32>,
}

/// The search.
pub struct Counter<'a, 'b> {
    problem: &'a Problem,
    assignment: Assignment<'a>,
    cache: FxHashMap<Box<[u8]>, BigRational>,
    /// Memory asked for, for the cache.
    bytes: u64,
    watch: &'a mut Watch<'b>,
    depth: usize,
    /// By variable, the component that it was put into, while a component is split.
    groups: Vec<u32>,
    /// The number of branchings.
    pub decisions: u64,
}

impl<'a, 'b> Counter<'a, 'b> {
    /// For a problem.
    pub fn new(problem: &'a Problem, watch: &'a mut Watch<'b>) -> Self {
        Counter {
            assignment: Assignment::new(problem),
            cache: FxHashMap::default(),
            bytes: 0,
            watch,
            depth: 0,
            groups: vec![u32::MAX; problem.kinds.len()],
            decisions: 0,
            problem,
        }
    }

    /// The value.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn value(&mut self) -> Result<BigRational, StopReason> {
        let Ok(factor) = self.assignment.start() else {
            return Ok(BigRational::zero());
        };
        let clauses: Vec<u32> = (0..self.problem.clauses.len() as u32).collect();
        let value = self.product(factor, &clauses);
        self.watch.give_memory_back(self.bytes);
        value
    }

    /// A factor times the values of the components of the rest of these clauses.
    fn product(&mut self, factor: BigRational, clauses: &[u32]) -> Result<BigRational, StopReason> {
        let mut product = factor;
        for component in self.split(clauses) {
            if product.is_zero() {
                break;
            }
            let value = self.component(&component)?;
            if !value.is_one() {
                product *= value;
            }
        }
        Ok(product)
    }

    /// The components of the rest of these clauses: see above.
    fn split(&mut self, clauses: &[u32]) -> Vec<Component> {
        let mut union = Union::default();
        let mut touched: Vec<u32> = Vec::new();
        let mut open_definitions: Vec<u32> = Vec::new();
        let mut kept: Vec<u32> = Vec::new();
        for &clause in clauses {
            if !self.assignment.is_unsatisfied(clause) {
                continue;
            }
            if self.problem.is_given(clause) || !self.assignment.is_open(self.problem.owner(clause))
            {
                kept.push(clause);
                self.join(clause, &mut union, &mut touched, &mut open_definitions);
            }
        }
        while let Some(variable) = open_definitions.pop() {
            let (start, end) = self.problem.definitions[variable as usize];
            for clause in start..end {
                if self.assignment.is_unsatisfied(clause) {
                    kept.push(clause);
                    self.join(clause, &mut union, &mut touched, &mut open_definitions);
                }
            }
        }
        let mut numbers: FxHashMap<u32, usize> = FxHashMap::default();
        let mut components: Vec<Component> = Vec::new();
        touched.sort_unstable();
        kept.sort_unstable();
        for &variable in &touched {
            let root = union.find(self.groups[variable as usize]);
            let number = *numbers.entry(root).or_insert_with(|| {
                components.push(Component {
                    variables: Vec::new(),
                    clauses: Vec::new(),
                });
                components.len() - 1
            });
            components[number].variables.push(variable);
        }
        for &clause in &kept {
            let variable = self.assignment.open_variables(clause).next();
            let variable = variable.expect("a clause without an open literal is a conflict");
            let root = union.find(self.groups[variable as usize]);
            components[numbers[&root]].clauses.push(clause);
        }
        for variable in touched {
            self.groups[variable as usize] = u32::MAX;
        }
        components.sort_by_key(|component| component.variables.len());
        components
    }

    /// Joins the open variables of a clause; notes those that were not met before.
    fn join(
        &mut self,
        clause: u32,
        union: &mut Union,
        touched: &mut Vec<u32>,
        open_definitions: &mut Vec<u32>,
    ) {
        let mut first = None;
        for variable in self.assignment.open_variables(clause) {
            let group = &mut self.groups[variable as usize];
            if *group == u32::MAX {
                *group = union.add();
                touched.push(variable);
                if self.problem.kinds[variable as usize] == Kind::Computed {
                    open_definitions.push(variable);
                }
            }
            match first {
                None => first = Some(*group),
                Some(first) => union.join(first, *group),
            }
        }
    }

    fn component(&mut self, component: &Component) -> Result<BigRational, StopReason> {
        self.watch.look("counting", self.cache.len() as u64)?;
        let key = key(component);
        if let Some(value) = self.cache.get(&key) {
            return Ok(value.clone());
        }
        if self.depth == MAX_DEPTH {
            return Err(StopReason::Memory);
        }
        self.decisions += 1;
        self.depth += 1;
        let value = self.branch(component);
        self.depth -= 1;
        let value = value?;
        self.store(key, &value)?;
        Ok(value)
    }

    fn branch(&mut self, component: &Component) -> Result<BigRational, StopReason> {
        let variable = self.choose(component);
        let mut values: [BigRational; 2] = Default::default();
        for (index, value) in [true, false].into_iter().enumerate() {
            let literal = Assignment::literal(variable, value);
            values[index] = self.decide(literal, component)?;
            let is_settled = match self.problem.kinds[variable as usize] {
                Kind::Free(Decider::Exists) => values[index].is_one(),
                Kind::Free(Decider::Forall) => values[index].is_zero(),
                _ => false,
            };
            if is_settled {
                return Ok(values[index].clone());
            }
        }
        let [with, without] = values;
        Ok(match self.problem.kinds[variable as usize] {
            Kind::Free(Decider::Exists) => with.max(without),
            Kind::Free(Decider::Forall) => with.min(without),
            // The probability of each branch is in its value.
            Kind::Chance(_) | Kind::Computed => with + without,
        })
    }

    fn decide(&mut self, literal: Lit, component: &Component) -> Result<BigRational, StopReason> {
        let mark = self.assignment.mark();
        let value = match self.assignment.assign(literal) {
            Err(_) => Ok(BigRational::zero()),
            Ok(factor) => self.product(factor, &component.clauses),
        };
        self.assignment.undo(mark);
        value
    }

    /// Of the variables that may be decided, one that is in most clauses.
    fn choose(&self, component: &Component) -> u32 {
        let problem = self.problem;
        let is_computed = |variable: u32| problem.kinds[variable as usize] == Kind::Computed;
        let level = |variable: u32| problem.levels[variable as usize];
        let decided = component.variables.iter().copied();
        let first = decided
            .filter(|&variable| !is_computed(variable))
            .min_by_key(|&variable| level(variable));
        let Some(first) = first else {
            return component.variables[0];
        };
        let is_chance = matches!(problem.kinds[first as usize], Kind::Chance(_));
        let may_be_decided = |variable: u32| match is_computed(variable) {
            true => is_chance && level(variable) <= level(first),
            false => level(variable) == level(first),
        };
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        for &clause in &component.clauses {
            for variable in self.assignment.open_variables(clause) {
                *counts.entry(variable).or_default() += 1;
            }
        }
        let candidates = component.variables.iter().copied();
        let candidates = candidates.filter(|&variable| may_be_decided(variable));
        let best =
            candidates.max_by_key(|variable| (counts[variable], std::cmp::Reverse(*variable)));
        best.unwrap_or(first)
    }

    fn store(&mut self, key: Box<[u8]>, value: &BigRational) -> Result<(), StopReason> {
        let digits = value.numer().bits() + value.denom().bits();
        let bytes = (key.len() + ENTRY_BYTES) as u64 + digits / 8;
        if self.watch.take_memory(bytes).is_err() {
            // Values can be found again.
            self.cache = FxHashMap::default();
            self.watch.give_memory_back(self.bytes);
            self.bytes = 0;
            self.watch.take_memory(bytes)?;
        }
        self.bytes += bytes;
        self.cache.insert(key, value.clone());
        Ok(())
    }
}

/// The exact key of a component: its open variables and clauses. The rest of a clause is its open literals, because
/// none is true.
fn key(component: &Component) -> Box<[u8]> {
    let mut key = Vec::new();
    push(&mut key, component.variables.len() as u32);
    for list in [&component.variables, &component.clauses] {
        let mut last = 0;
        for &number in list {
            push(&mut key, number - last);
            last = number;
        }
    }
    key.into()
}

/// Adds a number, seven bits to a byte.
fn push(key: &mut Vec<u8>, mut number: u32) {
    while number >= 128 {
        key.push(number as u8 | 128);
        number >>= 7;
    }
    key.push(number as u8);
}

/// Disjoint sets.
#[derive(Default)]
struct Union {
    parents: Vec<u32>,
}

impl Union {
    fn add(&mut self) -> u32 {
        self.parents.push(self.parents.len() as u32);
        self.parents.len() as u32 - 1
    }

    fn find(&mut self, mut one: u32) -> u32 {
        while self.parents[one as usize] != one {
            let above = self.parents[self.parents[one as usize] as usize];
            self.parents[one as usize] = above;
            one = above;
        }
        one
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        self.parents[one as usize] = other;
    }
}
