//! Recursive rules whose arguments are bounded inside of terms: a relation of its own bounds them as GDL wants it.
//!
//! ```text
//! (<= (reached ?y) (reached ?x) (edge (pair ?x ?y)))     becomes     (<= (bound_1 ?x) (edge (pair ?x ?y)))
//!                                                                    (<= (reached ?y) (reached ?x) (edge (pair ?x ?y)) (bound_1 ?x))
//! ```
//!
//! The new condition follows from the others, so the rule means the same.

use super::functions::more;
use crate::check::Relations;
use crate::description::{Condition, Description, Form, Word, WrittenSentence, WrittenTerm};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::format::{condition_text, form_text};
use crate::normalise::FreshNames;
use crate::span::Span;
use crate::syntax::Name;
use std::collections::HashSet;

/// Adds conditions that bound the arguments. Tells whether there were some to add.
pub(super) fn bound_arguments(
    description: &mut Description,
    found: &Diagnostics,
    diagnostics: &mut Diagnostics,
) -> bool {
    let errors: Vec<Span> = (found.iter())
        .filter(|d| d.code == Code::Recursion)
        .filter_map(|d| d.span)
        .collect();
    let relations = Relations::of(description);
    let mut names = FreshNames::new(description);
    let mut first: Option<(Span, String)> = None;
    let mut count = 0;
    let mut forms = Vec::with_capacity(description.forms.len());
    for mut form in std::mem::take(&mut description.forms) {
        for argument in unbounded(&form, &errors) {
            let Some(conditions) = bounding(
                &form,
                std::slice::from_ref(&argument),
                &form.head.word.name,
                &relations,
            ) else {
                continue;
            };
            let word = argument.word();
            let bound = WrittenSentence {
                word: Word::like(&names.fresh("bound"), word),
                arguments: vec![argument.clone()],
                parenthesised: true,
            };
            let helper = Form {
                head: bound.clone(),
                body: Some(conditions),
                ..form.clone()
            };
            let bound = Condition::Sentence(bound);
            first.get_or_insert_with(|| {
                let text = format!(
                    "{}, and here {}",
                    form_text(&helper),
                    condition_text(&bound)
                );
                (word.span, text)
            });
            count += 1;
            form.body.get_or_insert_default().push(bound);
            forms.push(helper);
        }
        forms.push(form);
    }
    description.forms = forms;
    diagnostics.extend(first.map(|(span, text)| {
        Diagnostic::new(
            Code::LenientRecursion,
            span,
            format!("this argument of a recursion is bounded inside a term only: in standard form {text}{}", more(count)),
            "GDL wants the whole argument in a condition that does not depend on the head",
        )
    }));
    count > 0
}

/// The arguments in the body that errors are about.
fn unbounded(form: &Form, errors: &[Span]) -> Vec<WrittenTerm> {
    let mut found: Vec<WrittenTerm> = Vec::new();
    form.body_sentences(&mut |sentence, _| {
        for argument in &sentence.arguments {
            if errors.contains(&argument.word().span) && !found.contains(argument) {
                found.push(argument.clone());
            }
        }
    });
    found
}

/// The conditions of a rule that bind the variables of some terms and are in no cycle with a relation; none if a variable is not bound so.
pub(super) fn bounding(
    form: &Form,
    terms: &[WrittenTerm],
    apart_from: &Name,
    relations: &Relations,
) -> Option<Vec<Condition>> {
    let mut open = HashSet::new();
    for term in terms {
        term.variables(&mut |word| {
            open.insert(word.name.clone());
        });
    }
    let mut conditions = Vec::new();
    for condition in form.conditions() {
        let Condition::Sentence(sentence) = condition else {
            continue;
        };
        let name = &sentence.word.name;
        let mut binds = false;
        if name != apart_from && !relations.in_cycle(apart_from, name) {
            sentence.variables(&mut |word| binds |= open.remove(&word.name));
        }
        if binds {
            conditions.push(condition.clone());
        }
    }
    open.is_empty().then_some(conditions)
}
