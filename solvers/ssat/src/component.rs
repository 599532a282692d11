//! Components: the parts of the formula under an assignment that share no open variable.
//!
//! ```text
//! (1 or 2) (-2 or 3 or 5) (3 or 4)   with 3 true:   (1 or 2)   and nothing about 4 and 5
//!                                    with 3 false:  (1 or 2) (-2 or 5)   and   (4)
//! ```
//!
//! The value of what is left is the product of the values of its components ([`super::instance`]
//! says why), times 1 for variables that no open clause contains any more.
//!
//! A component is a list of open variables and a list of open clauses, those in which no literal is
//! true. It is defined by them: what is left of an open clause is its open literals. This makes
//! an exact key for the cache; and since a clause of which *all* variables are in the component can
//! only be open, clauses need to be listed in the key only if some of their literals are false.
//!
//! The module `connect` finds out which variables still hang together. Here, the lists are made.

use super::connect::{Connect, Group};
use super::deduction::Deduction;
use super::order::Order;
use super::policy::STALE;
use super::residual::Residual;
use base::value::Numerator;
use formula::{Quantifier, Var};
use std::cmp::Reverse;
use std::ops::Range;

/// A component. Its lists are kept in [`Splitter::elements`].
#[derive(Clone, Debug)]
pub struct Component<N> {
    /// No other component that is open at the same time has this number.
    pub id: u64,
    /// The open variables, block by block: see [`super::order`].
    pub variables: Range<usize>,
    /// The open clauses.
    pub clauses: Range<usize>,
    /// Whether there are existential, universal and chance variables.
    pub exists: bool,
    pub forall: bool,
    pub chance: bool,
    /// The value 1: the product of the denominators of the chance variables.
    pub one: N,
    /// The product of the upper bounds of the components that are not solved yet and come after it.
    pub rest: N,
    /// The length of the trail when the lists were made.
    pub since: usize,
    /// How many variables were assigned since then; see [`Component::is_worth_splitting`].
    pub stale: usize,
    /// No variable of the list before this index is open.
    pub cursor: usize,
}

impl<N> Component<N> {
    /// How many variables and clauses it has.
    pub fn size(&self) -> usize {
        self.variables.len() + self.clauses.len()
    }

    /// Whether to split it now; `stale` variables were assigned since its lists were made. A small component is always split. A
    /// large one waits for more assignments, so that all splitting on one path takes time linear in its size; until then
    /// it stays in one piece, with the old lists.
    pub fn is_worth_splitting(&self, stale: usize, small: usize) -> bool {
        self.size() <= small || stale >= (self.size() / STALE).max(2)
    }
}

/// The product of many numbers. Numbers without a bound are multiplied pair by pair, since it is
/// products of numbers of like size that are fast.
pub fn product<N: Numerator>(numbers: impl Iterator<Item = N>) -> N {
    if N::BITS.is_some() {
        return numbers.fold(N::one(), |product, number| product.times(&number));
    }
    let mut numbers: Vec<N> = numbers.collect();
    while numbers.len() > 1 {
        let multiply = |pair: &[N]| match pair {
            [first, second] => first.times(second),
            _ => pair[0].clone(),
        };
        numbers = numbers.chunks(2).map(multiply).collect();
    }
    numbers.pop().unwrap_or(N::one())
}

/// The component of variables in none.
const NOWHERE: u64 = 0;

/// Splits components, and keeps their lists.
pub struct Splitter<N> {
    /// The lists of all components on the present path, one after the other.
    pub elements: Vec<u32>,
    /// By variable.
    pub denominators: Vec<N>,
    connect: Connect,
    ids: u64,
    /// Lists that are being made.
    parts: Vec<Vec<u32>>,
}

impl<N: Numerator> Splitter<N> {
    /// For an instance with these denominators, and this many clauses.
    pub fn new(denominators: Vec<N>, clauses: usize) -> Self {
        Splitter {
            elements: Vec::new(),
            connect: Connect::new(denominators.len(), clauses),
            denominators,
            ids: 0,
            parts: Vec::new(),
        }
    }

    /// The whole formula as a component. There is no other.
    pub fn whole(&mut self, deduction: &mut Deduction, order: &Order) -> Component<N> {
        let variables = deduction.instance.variables();
        let clauses = deduction.store.given();
        self.elements.clear();
        self.elements.extend(&order.variables);
        self.elements.extend(&order.clauses);
        self.ids += 1;
        deduction.component_of.fill(self.ids);
        let quantifiers = &deduction.instance.quantifiers;
        Component {
            id: self.ids,
            variables: 0..variables,
            clauses: variables..variables + clauses,
            exists: quantifiers.contains(&Quantifier::Exists),
            forall: quantifiers.contains(&Quantifier::Forall),
            chance: quantifiers.contains(&Quantifier::Chance),
            one: product(self.denominators.iter().cloned()),
            rest: N::one(),
            since: 0,
            stale: 0,
            cursor: 0,
        }
    }

    /// Splits what the present assignment has left of a component. `left` is the product of the denominators of its
    /// chance variables that are open. The new components are added to a list, so that those to be solved first come
    /// last. Gives the product of the denominators of chance variables that are in none of them, and whether variables
    /// moved to other components: a single component keeps the number of the old one.
    pub fn split(
        &mut self,
        deduction: &mut Deduction,
        residual: &Residual,
        component: &Component<N>,
        left: N,
        components: &mut Vec<Component<N>>,
    ) -> (N, bool) {
        let first_new = components.len();
        let groups = self
            .connect
            .groups(deduction, residual, component.id, component.since);
        for _ in 0..groups {
            let id = if groups == 1 {
                component.id
            } else {
                self.ids += 1;
                self.ids
            };
            components.push(Component {
                id,
                variables: 0..0,
                clauses: 0..0,
                exists: false,
                forall: false,
                chance: false,
                one: N::one(),
                rest: N::one(),
                since: deduction.assignment.trail.len(),
                stale: 0,
                cursor: 0,
            });
        }
        let mut free = Vec::new();
        let is_moved = if groups == 1 {
            let new = &mut components[first_new];
            let is_moved = self.list_one(deduction, residual, component, new, &mut free);
            if components[first_new].variables.is_empty() {
                components.pop();
            }
            is_moved
        } else {
            let new = &mut components[first_new..];
            self.list(deduction, residual, component, new, &mut free);
            groups > 1
        };
        let free = product(free.into_iter());
        let new = &mut components[first_new..];
        new.sort_by_key(|component| Reverse(component.size()));
        // The largest component has most variables. Its denominator is the whole one divided by those of the others, which is
        // faster than to multiply the denominators of all its variables.
        let Some((largest, others)) = new.split_first_mut() else {
            return (free, is_moved);
        };
        let mut taken = free.clone();
        for other in others.iter_mut().filter(|other| other.chance) {
            let variables = &self.elements[other.variables.clone()];
            let variables = variables.iter().map(|&variable| variable as usize);
            let chance = variables
                .filter(|&variable| deduction.instance.quantifiers[variable] == Quantifier::Chance);
            other.one = product(chance.map(|variable| self.denominators[variable].clone()));
            taken = taken.times(&other.one);
        }
        largest.one = if taken == N::one() {
            left
        } else {
            left.divided_down(&taken)
        };
        let mut rest = largest.one.clone();
        for component in others {
            component.rest = rest.clone();
            rest = rest.times(&component.one);
        }
        (free, is_moved)
    }

    /// The lists of the only component: all that is open. Says whether variables moved to other components.
    fn list_one(
        &mut self,
        deduction: &mut Deduction,
        residual: &Residual,
        old: &Component<N>,
        new: &mut Component<N>,
        free: &mut Vec<N>,
    ) -> bool {
        let mut is_moved = false;
        let start = self.elements.len();
        self.elements.reserve(old.size());
        let mut kinds = [false; 3];
        for index in old.variables.clone() {
            let variable = self.elements[index];
            if !deduction.is_open(Var::new(variable as usize).positive()) {
                continue;
            }
            let quantifier = deduction.instance.quantifiers[variable as usize];
            if residual.occurs(variable) {
                kinds[quantifier as usize] = true;
                self.elements.push(variable);
                continue;
            }
            // It must not be taken for a variable of the component, which has the number of the old one.
            deduction.component_of[variable as usize] = NOWHERE;
            is_moved = true;
            if quantifier == Quantifier::Chance {
                free.push(self.denominators[variable as usize].clone());
            }
        }
        new.variables = start..self.elements.len();
        new.cursor = start;
        for index in old.clauses.clone() {
            let clause = self.elements[index];
            if residual.is_open(clause) {
                self.elements.push(clause);
            }
        }
        new.clauses = new.variables.end..self.elements.len();
        new.exists = kinds[Quantifier::Exists as usize];
        new.forall = kinds[Quantifier::Forall as usize];
        new.chance = kinds[Quantifier::Chance as usize];
        is_moved
    }

    /// The lists of several components, in the order of the lists they are taken from. The largest one often is the rest that the search for groups
    /// did not visit: its lists are made in place, and the others beside.
    fn list(
        &mut self,
        deduction: &mut Deduction,
        residual: &Residual,
        old: &Component<N>,
        components: &mut [Component<N>],
        free: &mut Vec<N>,
    ) {
        let rest = self.connect.rest();
        let mut parts = std::mem::take(&mut self.parts);
        parts.resize_with(components.len().max(parts.len()), Vec::new);
        let start = self.elements.len();
        self.elements.reserve(old.size());
        let mut kinds = vec![[false; 3]; components.len()];
        for index in old.variables.clone() {
            let variable = self.elements[index];
            let quantifier = deduction.instance.quantifiers[variable as usize];
            match self.connect.of_variable(variable, deduction, residual) {
                Group::Number(group) => {
                    match group == rest {
                        true => self.elements.push(variable),
                        false => parts[group].push(variable),
                    }
                    kinds[group][quantifier as usize] = true;
                    deduction.component_of[variable as usize] = components[group].id;
                }
                Group::Free if quantifier == Quantifier::Chance => {
                    free.push(self.denominators[variable as usize].clone());
                }
                Group::Free | Group::Assigned => {}
            }
        }
        let ranges = self.end_lists(rest, start, &mut parts[..components.len()]);
        for (component, range) in components.iter_mut().zip(ranges) {
            component.cursor = range.start;
            component.variables = range;
        }
        let start = self.elements.len();
        for index in old.clauses.clone() {
            let clause = self.elements[index];
            if residual.is_open(clause) {
                let group = self.connect.of_clause(clause);
                match group == rest {
                    true => self.elements.push(clause),
                    false => parts[group].push(clause),
                }
            }
        }
        let ranges = self.end_lists(rest, start, &mut parts[..components.len()]);
        for ((component, range), kinds) in components.iter_mut().zip(ranges).zip(kinds) {
            component.clauses = range;
            component.exists = kinds[Quantifier::Exists as usize];
            component.forall = kinds[Quantifier::Forall as usize];
            component.chance = kinds[Quantifier::Chance as usize];
        }
        self.parts = parts;
    }

    /// Puts the lists that were made beside behind the one that was made in place; gives the place of each.
    fn end_lists(
        &mut self,
        rest: usize,
        start: usize,
        parts: &mut [Vec<u32>],
    ) -> Vec<Range<usize>> {
        let in_place = start..self.elements.len();
        let ranges = parts.iter_mut().enumerate().map(|(group, part)| {
            if group == rest {
                return in_place.clone();
            }
            let start = self.elements.len();
            self.elements.append(part);
            start..self.elements.len()
        });
        ranges.collect()
    }
}
