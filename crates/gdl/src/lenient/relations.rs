//! Relations that get a name of their own: `next` as a condition of what roles see, and one name with several numbers of
//! arguments.
//!
//! ```text
//! (<= (sees ?r ?f) (role ?r) (next ?f))   becomes   (<= (sees ?r ?f) (role ?r) (next_values_1 ?f)), with the rules of `next`
//! (<= done (done ?r))                     becomes   (<= done (done_1 ?r))
//! ```
//!
//! The checks tell relations apart by name only, as validators do, so the second is a recursion to them.

use crate::check::keyword_arity;
use crate::description::{Description, Form, Word};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::format::sentence_text;
use crate::normalise::FreshNames;
use crate::syntax::Name;
use std::collections::{BTreeMap, BTreeSet};

/// Lets the rules of `sees` ask for `next`. Tells whether there was such a rule.
pub(super) fn copy_next(
    description: &mut Description,
    found: &Diagnostics,
    diagnostics: &mut Diagnostics,
) -> bool {
    let asks = |form: &&mut Form| {
        let mut asked = form.body_sentences();
        form.head.name() == "sees" && asked.any(|(sentence, _)| sentence.name() == "next")
    };
    let is_asked = found.iter().any(|d| d.code == Code::KeywordInBody);
    if !is_asked {
        return false;
    }
    let name = FreshNames::new(description).fresh("next_values");
    let mut first = None;
    for form in description.forms.iter_mut().filter(asks) {
        form.change_sentences(&mut |sentence| {
            if sentence.name() == "next" {
                sentence.word = Word::like(&name, &sentence.word);
                first.get_or_insert_with(|| (sentence.word.span, sentence_text(sentence)));
            }
        });
    }
    let Some((span, text)) = first else {
        return false;
    };
    let mut forms = Vec::with_capacity(description.forms.len() * 2);
    for form in std::mem::take(&mut description.forms) {
        if form.head.name() == "next" {
            let mut copy = form.clone();
            copy.head.word = Word::like(&name, &form.head.word);
            forms.push(copy);
        }
        forms.push(form);
    }
    description.forms = forms;
    diagnostics.push(Diagnostic::new(
        Code::LenientNext,
        span,
        format!("`next` cannot be a condition: in standard form this is {text}, with all rules of `next`"),
        "derive what comes next by a relation of its own, and `next` from it",
    ));
    true
}

/// Splits relations in recursive rules that have one name and several numbers of arguments. Tells whether there was one.
pub(super) fn split_arities(
    description: &mut Description,
    found: &Diagnostics,
    diagnostics: &mut Diagnostics,
) -> bool {
    let mut heads = BTreeMap::new();
    for error in found.iter().filter(|d| d.code == Code::Recursion) {
        let mut forms = description.forms.iter();
        let form = forms.find(|form| error.span.is_some_and(|span| form.span.contains(span)));
        heads.extend(form.map(|form| (form.head.word.name.clone(), form.head.word.span)));
    }
    let mut arities: BTreeMap<Name, BTreeSet<usize>> = BTreeMap::new();
    for form in &mut description.forms {
        form.change_sentences(&mut |sentence| {
            if let Some(known) = heads
                .get(&sentence.word.name)
                .map(|_| sentence.arguments.len())
            {
                arities
                    .entry(sentence.word.name.clone())
                    .or_default()
                    .insert(known);
            }
        });
    }
    arities.retain(|name, found| found.len() > 1 && keyword_arity(name.as_str()).is_none());
    let mut names = FreshNames::new(description);
    let mut renamed = BTreeMap::new();
    for (name, found) in &arities {
        let others: Vec<(usize, Name)> = (found.iter().skip(1))
            .map(|&arity| (arity, names.fresh(name.as_str())))
            .collect();
        let text: Vec<String> = others
            .iter()
            .map(|(arity, other)| format!("`{other}` with {arity}"))
            .collect();
        diagnostics.push(Diagnostic::new(
            Code::LenientArity,
            heads[name],
            format!(
                "`{name}` has several numbers of arguments, and one seems to depend on itself: in standard form it is {}",
                text.join(", ")
            ),
            "give each relation a name of its own",
        ));
        renamed.extend(
            others
                .into_iter()
                .map(|(arity, other)| ((name.clone(), arity), other)),
        );
    }
    for form in &mut description.forms {
        form.change_sentences(&mut |sentence| {
            let key = (sentence.word.name.clone(), sentence.arguments.len());
            if let Some(other) = renamed.get(&key) {
                sentence.word = Word::like(other, &sentence.word);
            }
        });
    }
    !arities.is_empty()
}
