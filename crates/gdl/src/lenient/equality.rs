//! `not` around `distinct`: two terms are the same. They are unified, and the rule is written with the term that they
//! have in common.
//!
//! ```text
//! (<= (h ?x) (n ?x) (m ?y) (not (distinct ?x (f ?y))))     becomes     (<= (h (f ?y)) (n (f ?y)) (m ?y))
//! ```

use crate::description::{Condition, Form, Word, WrittenTerm};
use crate::syntax::Name;
use std::collections::BTreeMap;

/// Whether the condition says that two terms are the same.
pub(super) fn is_equality(condition: &Condition) -> bool {
    matches!(condition, Condition::Not(_, inner) if matches!(**inner, Condition::Distinct(..)))
}

/// The form without conditions that say that two terms are the same; one that never holds if they cannot be.
pub(super) fn unified(mut form: Form) -> Form {
    let body = form.body.get_or_insert_default();
    let mut terms = BTreeMap::new();
    let mut clash = None;
    body.retain(|condition| {
        if let Condition::Not(word, inner) = condition
            && let Condition::Distinct(_, left, right) = &**inner
        {
            if !unify(left, right, &mut terms) {
                clash = Some(word.clone());
            }
            return false;
        }
        true
    });
    if let Some(word) = clash {
        let same = || WrittenTerm::Constant(Word::like(&Name::new("same"), &word));
        let distinct = Word::like(&Name::new("distinct"), &word);
        body.push(Condition::Distinct(distinct, same(), same()));
    } else if !terms.is_empty() {
        form.change_terms(&mut |term| substitute(term, &terms));
    }
    form
}

/// The terms that variables stand for.
type Terms = BTreeMap<Name, WrittenTerm>;

/// Makes two terms the same, if that can be.
fn unify(left: &WrittenTerm, right: &WrittenTerm, terms: &mut Terms) -> bool {
    match (in_term(left, terms), in_term(right, terms)) {
        (WrittenTerm::Variable(left), WrittenTerm::Variable(right)) if left.name == right.name => {
            true
        }
        (WrittenTerm::Variable(word), term) | (term, WrittenTerm::Variable(word)) => {
            let occurs = term.variables().any(|inner| inner.name == word.name);
            if !occurs {
                let this = Terms::from([(word.name.clone(), term.clone())]);
                for known in terms.values_mut() {
                    *known = in_term(known, &this);
                }
                terms.extend(this);
            }
            !occurs
        }
        (left, right) => {
            let parts = |term: WrittenTerm| match term {
                WrittenTerm::Function(_, arguments) => arguments,
                WrittenTerm::Constant(_) | WrittenTerm::Variable(_) => Vec::new(),
            };
            if left.word().name != right.word().name {
                return false;
            }
            let (left, right) = (parts(left), parts(right));
            let mut pairs = left.iter().zip(&right);
            left.len() == right.len() && pairs.all(|(left, right)| unify(left, right, terms))
        }
    }
}

fn in_term(term: &WrittenTerm, terms: &Terms) -> WrittenTerm {
    let mut term = term.clone();
    term.change(&mut |term| substitute(term, terms));
    term
}

/// Puts the term in the place of a variable that stands for one; no such variable is in it.
fn substitute(term: &mut WrittenTerm, terms: &Terms) {
    if let WrittenTerm::Variable(word) = term
        && let Some(known) = terms.get(&word.name)
    {
        *term = known.clone();
    }
}
