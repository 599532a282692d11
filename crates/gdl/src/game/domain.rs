//! Sets of ground terms that are products: too many to list, easy to count.
//!
//! A [`Domain`] is a union of constants and of functions whose arguments run over domains. Its
//! terms are numbered, each function's in the mixed radix of its arguments' counts, so any one can
//! be made without the others.

use crate::{Name, Term};
use std::sync::Arc;

/// A set of ground terms: constants and functions of sets.
///
/// The terms are numbered, so that they can be counted without listing them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    shapes: Vec<Shape>,
    count: u128,
}

/// A constant, or a function and the domains of its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Constant(Name),
    Function(Name, Vec<Arc<Domain>>),
}

impl Domain {
    pub(super) fn new(shapes: Vec<Shape>) -> Self {
        let counts = shapes.iter().map(Shape::count);
        Domain {
            count: counts.fold(0, u128::saturating_add),
            shapes,
        }
    }

    /// How many terms there are; the largest number when there are more.
    pub fn count(&self) -> u128 {
        self.count
    }

    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All terms, made one after the other.
    pub fn terms(&self) -> impl Iterator<Item = Term> {
        (0..self.count).filter_map(|number| self.term(number))
    }

    /// The term with this number; nothing from [`Domain::count`] on.
    pub fn term(&self, mut number: u128) -> Option<Term> {
        for shape in &self.shapes {
            let count = shape.count();
            if number < count {
                return shape.term(number);
            }
            number -= count;
        }
        None
    }

    /// Whether the ground term is in this domain.
    pub fn contains(&self, term: &Term) -> bool {
        self.shapes.iter().any(|shape| match (shape, term) {
            (Shape::Constant(name), Term::Constant(constant)) => name == constant,
            (Shape::Function(name, domains), Term::Function(function, arguments)) => {
                name == function
                    && domains.len() == arguments.len()
                    && domains.iter().zip(arguments).all(|(d, a)| d.contains(a))
            }
            _ => false,
        })
    }
}

impl Shape {
    fn count(&self) -> u128 {
        match self {
            Shape::Constant(_) => 1,
            Shape::Function(_, domains) => {
                let counts = domains.iter().map(|domain| domain.count());
                counts.fold(1, u128::saturating_mul)
            }
        }
    }

    /// The number is written in the mixed radix of the arguments' counts.
    fn term(&self, mut number: u128) -> Option<Term> {
        match self {
            Shape::Constant(name) => Some(Term::Constant(name.clone())),
            Shape::Function(name, domains) => {
                let mut arguments = Vec::with_capacity(domains.len());
                for domain in domains.iter().rev() {
                    let count = domain.count();
                    arguments.push(domain.term(number % count)?);
                    number /= count;
                }
                arguments.reverse();
                Some(Term::Function(name.clone(), arguments))
            }
        }
    }
}
