//! What is left of the formula under an assignment, split into components: parts that share no
//! open variable.
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
//! true. It is determined by them: what is left of an open clause is its open literals. This makes
//! an exact key for the cache; and since a clause of which *all* variables are in the component can
//! only be open, clauses need to be listed in the key only if some of their literals are false.

use super::deduction::Deduction;
use super::union::Union;
use formula::{Quantifier, Var};
use std::cmp::Reverse;
use std::ops::Range;
use value::Numerator;

/// A component. Its lists are kept in [`Splitter::elements`].
#[derive(Clone, Debug)]
pub struct Component<N> {
    /// No other component has this number.
    pub id: u64,
    /// The open variables, in the order of the prefix.
    pub variables: Range<usize>,
    /// The open clauses.
    pub clauses: Range<usize>,
    /// Whether there are existential, universal and chance variables.
    pub exists: bool,
    pub forall: bool,
    pub chance: bool,
    /// The value 1: the product of the denominators of the chance variables.
    pub one: N,
    /// The product of this for the components that are to be solved after it.
    pub rest: N,
    /// How many variables were assigned since the lists were made; see [`Splitter::is_worthwhile`].
    pub stale: usize,
    /// No variable of the list before this place is open.
    pub cursor: usize,
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

/// Splits components, and keeps their lists.
pub struct Splitter<N> {
    /// The lists of all components on the present path, one after the other.
    pub elements: Vec<u32>,
    /// By variable.
    pub denominators: Vec<N>,
    union: Union,
    /// The number of a component, by the variable that represents it.
    groups: Vec<u32>,
    /// Open clauses, each with one of its open variables.
    open: Vec<(u32, u32)>,
    ids: u64,
}

/// Representative of variables in no open clause.
const FREE: u32 = u32::MAX;
/// Representative of a component that has no number yet.
const NEW: u32 = u32::MAX - 1;

impl<N: Numerator> Splitter<N> {
    /// For an instance with these denominators.
    pub fn new(denominators: Vec<N>) -> Self {
        Splitter {
            elements: Vec::new(),
            union: Union::new(denominators.len()),
            groups: vec![FREE; denominators.len()],
            denominators,
            open: Vec::new(),
            ids: 0,
        }
    }

    /// The whole formula as a component.
    pub fn whole(&mut self, deduction: &mut Deduction) -> Component<N> {
        let variables = deduction.instance.variables();
        let clauses = deduction.instance.clauses.len();
        self.elements.extend(0..variables as u32);
        self.elements.extend(0..clauses as u32);
        self.ids += 1;
        deduction.places.fill(self.ids);
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
            stale: 0,
            cursor: 0,
        }
    }

    /// Whether a component is to be split. If it is not small, only after a number of decisions
    /// that keeps the whole work of splitting on a path linear in its size; until then it is left
    /// in one piece, with the old lists.
    pub fn is_worthwhile(component: &Component<N>, small: usize) -> bool {
        let size = Self::needed(component);
        size <= small || component.stale >= (size / 64).max(2)
    }

    /// Memory needed to split a component further, in elements.
    pub fn needed(component: &Component<N>) -> usize {
        component.variables.len() + component.clauses.len()
    }

    /// Splits what the present assignment has left of a component. The new components are added
    /// to a list, so that those to be solved first come last; gives the product of the denominators
    /// of chance variables that are in none of them.
    pub fn split(
        &mut self,
        deduction: &mut Deduction,
        component: &Component<N>,
        components: &mut Vec<Component<N>>,
    ) -> N {
        let first_new = components.len();
        self.join(deduction, component);
        let free = self.count(deduction, component, components);
        self.fill(deduction, component, &mut components[first_new..]);
        let new = &mut components[first_new..];
        new.sort_by_key(|component| Reverse(Self::needed(component)));
        let mut rest = N::one();
        for component in new {
            component.rest = rest.clone();
            rest = rest.times(&component.one);
        }
        free
    }

    /// Makes the components, and puts their sizes in place of their lists.
    fn count(
        &mut self,
        deduction: &mut Deduction,
        component: &Component<N>,
        components: &mut Vec<Component<N>>,
    ) -> N {
        let first_new = components.len();
        let mut free: Vec<N> = Vec::new();
        for place in component.variables.clone() {
            let variable = self.elements[place];
            let index = variable as usize;
            if !deduction.is_open(Var::new(index).positive()) {
                continue;
            }
            let quantifier = deduction.instance.quantifiers[index];
            let group = &mut self.groups[self.union.find(variable) as usize];
            if *group == FREE {
                if quantifier == Quantifier::Chance {
                    free.push(self.denominators[index].clone());
                }
                continue;
            }
            if *group == NEW {
                *group = (components.len() - first_new) as u32;
                self.ids += 1;
                components.push(Component {
                    id: self.ids,
                    variables: 0..0,
                    clauses: 0..0,
                    exists: false,
                    forall: false,
                    chance: false,
                    one: N::one(),
                    rest: N::one(),
                    stale: 0,
                    cursor: 0,
                });
            }
            let component = &mut components[first_new + *group as usize];
            component.variables.end += 1;
            match quantifier {
                Quantifier::Exists => component.exists = true,
                Quantifier::Forall => component.forall = true,
                Quantifier::Chance => component.chance = true,
            }
            deduction.places[index] = component.id;
        }
        for &(_, variable) in &self.open {
            let group = self.groups[self.union.find(variable) as usize] as usize;
            components[first_new + group].clauses.end += 1;
        }
        product(free.into_iter())
    }

    /// Fills the lists of the components, in the order of the lists they are taken from.
    fn fill(
        &mut self,
        deduction: &Deduction,
        component: &Component<N>,
        components: &mut [Component<N>],
    ) {
        let mut end = self.elements.len();
        for component in components.iter_mut() {
            component.cursor = end;
            let (variables, clauses) = (component.variables.end, component.clauses.end);
            component.variables = end..end;
            component.clauses = end + variables..end + variables;
            end += variables + clauses;
        }
        self.elements.resize(end, 0);
        for place in component.variables.clone() {
            let variable = self.elements[place];
            let group = self.groups[self.union.find(variable) as usize];
            if group != FREE && deduction.is_open(Var::new(variable as usize).positive()) {
                let variables = &mut components[group as usize].variables;
                self.elements[variables.end] = variable;
                variables.end += 1;
            }
        }
        for component in components.iter_mut().filter(|component| component.chance) {
            let variables = self.elements[component.variables.clone()].iter();
            let chance = variables
                .map(|&variable| variable as usize)
                .filter(|&variable| deduction.instance.quantifiers[variable] == Quantifier::Chance);
            component.one = product(chance.map(|variable| self.denominators[variable].clone()));
        }
        for &(clause, variable) in &self.open {
            let group = self.groups[self.union.find(variable) as usize];
            let clauses = &mut components[group as usize].clauses;
            self.elements[clauses.end] = clause;
            clauses.end += 1;
        }
    }

    /// Joins the open variables of each open clause.
    fn join(&mut self, deduction: &Deduction, component: &Component<N>) {
        for place in component.variables.clone() {
            let variable = self.elements[place];
            self.union.reset(variable);
            self.groups[variable as usize] = FREE;
        }
        self.open.clear();
        for place in component.clauses.clone() {
            let clause = self.elements[place];
            let literals = deduction.store.get(clause);
            if literals.iter().any(|&literal| deduction.is_true(literal)) {
                continue;
            }
            let open = literals.iter().filter(|&&l| deduction.is_open(l));
            let mut open = open.map(|literal| literal.var().index() as u32);
            let first = open.next().expect("no clause is false after propagation");
            let root = self.union.find(first);
            let union = &mut self.union;
            open.fold(root, |root, variable| union.join_root(root, variable));
            self.open.push((clause, first));
        }
        for &(_, variable) in &self.open {
            self.groups[self.union.find(variable) as usize] = NEW;
        }
    }
}
