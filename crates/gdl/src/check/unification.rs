//! Unification of terms whose variables are numbers.
//!
//! Terms can double in size with every step, so every look at a part of a term costs fuel. When
//! the fuel is used up, answers are worthless and the caller must give up.

use crate::syntax::Name;
use std::cell::Cell;
use std::rc::Rc;

/// The deepest patterns that are followed; deeper ones come from terms that grow without end.
const DEEPEST: usize = 1000;

/// A term whose variables are numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Pattern {
    Constant(Name),
    Variable(usize),
    Function(Name, Rc<[Pattern]>),
}

/// The terms that variables stand for. Every look at a part of a term costs fuel; without fuel all answers
/// are worthless and the search ends.
#[derive(Clone)]
pub(super) struct Bindings<'a> {
    values: Vec<Option<Pattern>>,
    fuel: &'a Cell<usize>,
}

impl<'a> Bindings<'a> {
    pub(super) fn new(variables: usize, fuel: &'a Cell<usize>) -> Self {
        Bindings {
            values: vec![None; variables],
            fuel,
        }
    }

    fn has_fuel(&self) -> bool {
        self.fuel.set(self.fuel.get().saturating_sub(1));
        self.fuel.get() > 0
    }

    pub(super) fn walk<'b>(&'b self, mut pattern: &'b Pattern) -> &'b Pattern {
        while let Pattern::Variable(number) = pattern
            && let Some(value) = &self.values[*number]
        {
            pattern = value;
        }
        pattern
    }

    pub(super) fn resolve(&self, pattern: &Pattern) -> Pattern {
        self.resolve_at(pattern, 0)
    }

    fn resolve_at(&self, pattern: &Pattern, depth: usize) -> Pattern {
        if depth > DEEPEST {
            self.fuel.set(0);
        }
        match self.walk(pattern) {
            Pattern::Function(name, arguments) if self.has_fuel() => Pattern::Function(
                name.clone(),
                arguments
                    .iter()
                    .map(|a| self.resolve_at(a, depth + 1))
                    .collect(),
            ),
            Pattern::Function(name, _) => Pattern::Constant(name.clone()),
            other => other.clone(),
        }
    }

    pub(super) fn is_ground(&self, pattern: &Pattern) -> bool {
        match self.walk(pattern) {
            Pattern::Constant(_) => true,
            Pattern::Variable(_) => false,
            Pattern::Function(_, arguments) => {
                self.has_fuel() && arguments.iter().all(|a| self.is_ground(a))
            }
        }
    }

    fn occurs(&self, variable: usize, pattern: &Pattern) -> bool {
        match self.walk(pattern) {
            Pattern::Constant(_) => false,
            Pattern::Variable(number) => *number == variable,
            Pattern::Function(_, arguments) => {
                self.has_fuel() && arguments.iter().any(|a| self.occurs(variable, a))
            }
        }
    }

    pub(super) fn unify_all(&mut self, left: &[Pattern], right: &[Pattern]) -> bool {
        left.len() == right.len() && left.iter().zip(right).all(|(a, b)| self.unify(a, b))
    }

    fn unify(&mut self, left: &Pattern, right: &Pattern) -> bool {
        if !self.has_fuel() {
            return false;
        }
        let (left, right) = (self.walk(left).clone(), self.walk(right).clone());
        match (&left, &right) {
            (Pattern::Variable(a), Pattern::Variable(b)) if a == b => true,
            (Pattern::Variable(variable), other) | (other, Pattern::Variable(variable)) => {
                let possible = !self.occurs(*variable, other);
                self.values[*variable] = possible.then(|| other.clone());
                possible
            }
            (Pattern::Constant(a), Pattern::Constant(b)) => a == b,
            (Pattern::Function(f, a), Pattern::Function(g, b)) => f == g && self.unify_all(a, b),
            _ => false,
        }
    }
}
