//! `base` and `input`: left out where they have no meaning, and the ranges of unbound variables.

use crate::description::{Condition, Description, Form, Word, WrittenSentence};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::normalise::FreshNames;

/// The relations that list the values of a head: `input` the moves of `legal`, `base` the facts of `next`.
const LISTS: [(&str, &str); 2] = [("legal", "input"), ("next", "base")];

/// Leaves out all of `base` when an error is in one of its forms, and of `input` likewise: they are derived
/// from the rules. Tells whether something was left out.
pub(super) fn drop_ill_formed(
    description: &mut Description,
    found: &Diagnostics,
    diagnostics: &mut Diagnostics,
) -> bool {
    let mut dropped = false;
    for (_, list) in LISTS {
        let is_list = |form: &Form| form.head.name() == list;
        let errors = found.iter().filter(|d| d.severity == Severity::Error);
        let mut in_list = errors.filter_map(|error| {
            let span = error.span?;
            let mut forms = description.forms.iter();
            let inside = forms.any(|form| is_list(form) && form.span.contains(span));
            inside.then_some((error, span))
        });
        let Some((error, span)) = in_list.next() else {
            continue;
        };
        let count = description.forms.iter().filter(|f| is_list(f)).count();
        let which = match count {
            1 => format!("it is left out, and `{list}`"),
            _ => format!("all {count} facts and rules for `{list}` are left out, and it"),
        };
        diagnostics.push(Diagnostic::new(
            Code::LenientDomain,
            span,
            format!("{}: {which} is derived from the rules", error.message),
            error.hint.clone(),
        ));
        description.forms.retain(|form| !is_list(form));
        dropped = true;
    }
    dropped
}

/// Lets the variables of the heads of `legal` and `next` that no condition binds range over `input` and
/// `base`, where these are declared. Tells whether there was such a variable.
///
/// A rule's body cannot ask for `input`, so a relation with another name gets the same facts and rules.
pub(super) fn bind_heads(
    description: &mut Description,
    found: &Diagnostics,
    diagnostics: &mut Diagnostics,
) -> bool {
    let mut bound = false;
    let mut names = FreshNames::new(description);
    for (head, list) in LISTS {
        let is_list = |form: &Form| form.head.name() == list;
        let mut unbound = found.places_of(&[Code::UnsafeHead, Code::VariableInFact]);
        unbound.retain(|span| {
            let mut forms = description.forms.iter();
            forms.any(|form| form.head.name() == head && form.span.contains(*span))
        });
        if unbound.is_empty() || !description.defines(list) {
            continue;
        }
        let what = if head == "legal" { "move" } else { "fact" };
        for span in &unbound {
            diagnostics.push(Diagnostic::new(
                Code::LenientRange,
                *span,
                format!("no condition binds this variable of `{head}`: the {what} is any that `{list}` lists"),
                "add a condition that says which values the variable can take",
            ));
        }
        let name = names.fresh(&format!("{list}_values"));
        let mut forms = Vec::with_capacity(description.forms.len() + 1);
        for mut form in std::mem::take(&mut description.forms) {
            let values = WrittenSentence {
                word: Word::like(&name, &form.head.word),
                ..form.head.clone()
            };
            if is_list(&form) {
                forms.push(Form {
                    head: values,
                    ..form.clone()
                });
            } else if unbound.iter().any(|span| form.span.contains(*span)) {
                let body = form.body.get_or_insert_default();
                body.push(Condition::Sentence(values));
            }
            forms.push(form);
        }
        description.forms = forms;
        bound = true;
    }
    bound
}
