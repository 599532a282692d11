//! Rules that are written like functions: their unbound variables take the values of the calls (magic sets: Bancilhon, Maier, Sagiv
//! and Ullman, PODS 1986).
//!
//! ```text
//! (<= (low ?x ?y ?x) (not (more ?x ?y)))     becomes     (<= (low_called ?x ?y) (dice ?x ?y))
//! (<= (best ?z) (dice ?x ?y) (low ?x ?y ?z))             (<= (low ?x ?y ?x) (not (more ?x ?y)) (low_called ?x ?y))
//! ```
//!
//! The relation holds for fewer values, but not where a condition asks for it, so all others mean the same.

use super::Mended;
use super::recursion::bounding;
use crate::check::{Relations, bound_by, keyword_arity};
use crate::description::{Condition, Description, Form, Word, WrittenSentence, WrittenTerm};
use crate::diagnostic::{Code, Diagnostics};
use crate::format::{condition_text, form_text};
use crate::normalise::FreshNames;
use crate::syntax::Name;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The arguments of a relation that calls bind, by their positions from 0.
type Called = (Name, Vec<usize>);

/// Binds the variables by the values of calls. Tells whether there were some to bind.
pub(super) fn bind_by_calls(
    description: &mut Description,
    found: &Diagnostics,
    diagnostics: &mut Diagnostics,
) -> bool {
    let errors = found.places_of(&[
        Code::UnsafeHead,
        Code::UnsafeNegation,
        Code::UnsafeDistinct,
        Code::VariableInFact,
    ]);
    let relations = Relations::of(description);
    let mut names = FreshNames::new(description);
    let mut known: BTreeMap<Called, Option<Word>> = BTreeMap::new();
    let mut mended = Mended::default();
    let mut forms = Vec::with_capacity(description.forms.len());
    for form in &description.forms {
        let mut form = form.clone();
        let is_wrong = errors.iter().any(|error| form.span.contains(*error));
        let start = forms.len();
        if let Some(positions) = is_wrong.then(|| unbound(&form)).flatten() {
            let called = (form.head.word.name.clone(), positions);
            let word = known.entry(called.clone()).or_insert_with(|| {
                let name = names.first(&format!("{}_called", form.head.name()));
                let word = Word::like(&name, &form.head.word);
                forms.extend(calls(description, &called, &word, &relations)?);
                Some(word)
            });
            if let Some(word) = word {
                let bound = Condition::Sentence(restriction(&form.head, &called.1, word));
                mended.note(form.head.word.span, || {
                    let helpers: Vec<String> = forms[start..].iter().map(form_text).collect();
                    format!("{}, and here {}", helpers.join(" "), condition_text(&bound))
                });
                form.body.get_or_insert_default().push(bound);
            }
        }
        forms.push(form);
    }
    description.forms = forms;
    mended.tell(
        Code::LenientCall,
        "variables of this rule are bound only where its relation is used",
        "add a condition that says which values the variables can take",
        diagnostics,
    )
}

/// The positions of the head's arguments with variables that no condition binds; none if another variable is unbound too, or the relation is a keyword.
fn unbound(form: &Form) -> Option<Vec<usize>> {
    let bound: FxHashSet<&Word> = form.conditions().iter().flat_map(bound_by).collect();
    let open: FxHashSet<&Word> = (form.variables())
        .filter(|word| !bound.contains(word))
        .collect();
    let mut covered = FxHashSet::default();
    let mut positions = Vec::new();
    for (position, argument) in form.head.arguments.iter().enumerate() {
        let before = covered.len();
        covered.extend(argument.variables().filter(|word| open.contains(word)));
        if covered.len() > before {
            positions.push(position);
        }
    }
    (!positions.is_empty() && covered == open && keyword_arity(form.head.name()).is_none())
        .then_some(positions)
}

/// One rule for each condition that asks for the relation: the values that it asks for. None if there is no such
/// condition, or the others beside one do not bind the values.
fn calls(
    description: &Description,
    (relation, positions): &Called,
    word: &Word,
    relations: &Relations,
) -> Option<Vec<Form>> {
    let sentences = (description.forms.iter())
        .flat_map(|form| (form.body_sentences()).map(move |(sentence, _)| (form, sentence)));
    let asked: Vec<_> = sentences
        .filter(|(_, sentence)| sentence.word.name == *relation)
        .collect();
    if asked.is_empty() {
        return None;
    }
    (asked.into_iter())
        .map(|(form, sentence)| {
            let head = restriction(sentence, positions, word);
            let body = bounding(form, &head.arguments, relation, relations)?;
            Some(Form {
                head,
                body: Some(body),
                ..form.clone()
            })
        })
        .collect()
}

/// The sentence that a relation is called with these arguments of a sentence.
fn restriction(sentence: &WrittenSentence, positions: &[usize], word: &Word) -> WrittenSentence {
    let arguments: Vec<WrittenTerm> = (positions.iter())
        .filter_map(|position| sentence.arguments.get(*position).cloned())
        .collect();
    WrittenSentence {
        word: word.clone(),
        arguments,
        parenthesised: true,
    }
}
