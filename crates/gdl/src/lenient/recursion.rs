//! Recursive rules whose arguments are bounded inside of terms: a relation of its own bounds them as GDL wants it.
//!
//! ```text
//! (<= (reached ?y) (reached ?x) (edge (pair ?x ?y)))     becomes     (<= (bound_1 ?x) (edge (pair ?x ?y)))
//!                                                                    (<= (reached ?y) (reached ?x) (edge (pair ?x ?y)) (bound_1 ?x))
//! ```
//!
//! The new condition follows from the others, so the rule means the same.

use super::Mended;
use crate::check::Relations;
use crate::description::{Condition, Description, Form, Word, WrittenSentence, WrittenTerm};
use crate::diagnostic::{Code, Diagnostics};
use crate::format::{condition_text, form_text};
use crate::normalise::FreshNames;
use crate::span::Span;
use crate::syntax::Name;
use rustc_hash::FxHashSet;

/// Adds conditions that bound the arguments. Tells whether there were some to add.
pub(super) fn bound_arguments(
    description: &mut Description,
    found: &Diagnostics,
    diagnostics: &mut Diagnostics,
) -> bool {
    let errors = found.places_of(&[Code::Recursion]);
    let relations = Relations::of(description);
    let mut names = FreshNames::new(description);
    let mut mended = Mended::default();
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
            mended.note(word.span, || {
                let (helper, bound) = (form_text(&helper), condition_text(&bound));
                format!("{helper}, and here {bound}")
            });
            form.body.get_or_insert_default().push(bound);
            forms.push(helper);
        }
        forms.push(form);
    }
    description.forms = forms;
    mended.tell(
        Code::LenientRecursion,
        "this argument of a recursion is bounded inside a term only",
        "GDL wants the whole argument in a condition that does not depend on the head",
        diagnostics,
    )
}

/// The arguments in the body that errors are about.
fn unbounded(form: &Form, errors: &[Span]) -> Vec<WrittenTerm> {
    let mut found: Vec<WrittenTerm> = Vec::new();
    for argument in form.body_sentences().flat_map(|(s, _)| &s.arguments) {
        if errors.contains(&argument.word().span) && !found.contains(argument) {
            found.push(argument.clone());
        }
    }
    found
}

/// The conditions of a rule that bind the variables of some terms and are in no cycle with a relation; none if a variable is not bound so.
pub(super) fn bounding(
    form: &Form,
    terms: &[WrittenTerm],
    apart_from: &Name,
    relations: &Relations,
) -> Option<Vec<Condition>> {
    let variables = terms.iter().flat_map(WrittenTerm::variables);
    let mut open: FxHashSet<&Name> = variables.map(|word| &word.name).collect();
    let mut conditions = Vec::new();
    for condition in form.conditions() {
        let Condition::Sentence(sentence) = condition else {
            continue;
        };
        let name = &sentence.word.name;
        let mut binds = false;
        if name != apart_from && !relations.in_cycle(apart_from, name) {
            for word in sentence.variables() {
                binds |= open.remove(&word.name);
            }
        }
        if binds {
            conditions.push(condition.clone());
        }
    }
    open.is_empty().then_some(conditions)
}
