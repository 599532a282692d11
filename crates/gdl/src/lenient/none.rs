//! `not` around a sentence with variables that nothing binds: no instance of it holds. A relation of its own says that some
//! instance does (the usual reading of anonymous variables below negation in answer set programming).
//!
//! ```text
//! (<= (free ?x) (cell ?x) (not (at ?x ?p)))     becomes     (<= (some_at ?x) (at ?x ?p))
//!                                                           (<= (free ?x) (cell ?x) (not (some_at ?x)))
//! ```
//!
//! Such a variable may also be a slip of the pen. So it must occur in this sentence only, and either begin with `_` or
//! occur once and not look like another variable of the rule; else the checks refuse it. `_` is a variable in infix form; in
//! prefix form it is taken for one where it occurs in negations only.

use super::Mended;
use crate::check::{bound_by, is_slip};
use crate::description::{
    Condition, Description, Form, Syntax, Word, WrittenSentence, WrittenTerm,
};
use crate::diagnostic::{Code, Diagnostics};
use crate::format::{condition_text, form_text, sentence_text};
use crate::normalise::FreshNames;
use crate::syntax::Name;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Writes such negations with relations of their own.
pub(super) fn mend(description: &mut Description, diagnostics: &mut Diagnostics) {
    let mut names = FreshNames::new(description);
    // By the text of the sentence with its variables numbered.
    let mut known: FxHashMap<String, Name> = FxHashMap::default();
    let mut mended = Mended::default();
    let mut forms = Vec::with_capacity(description.forms.len());
    for mut form in std::mem::take(&mut description.forms) {
        for (negated, bound) in negations(&form) {
            let name = known.entry(pattern(&negated, &bound)).or_insert_with(|| {
                let relation = match &negated.arguments[..] {
                    [WrittenTerm::Function(word, _)] if negated.name() == "true" => word,
                    _ => &negated.word,
                };
                let name = names.first(&format!("some_{}", relation.name));
                forms.push(Form {
                    head: some(&name, &negated, &bound),
                    body: Some(vec![Condition::Sentence(negated.clone())]),
                    ..form.clone()
                });
                name
            });
            let some = Condition::Sentence(some(name, &negated, &bound));
            let not = Condition::Not(
                Word::like(&Name::new("not"), &negated.word),
                Box::new(some.clone()),
            );
            mended.note(negated.word.span, || {
                let helper = forms.last().map_or(String::new(), form_text);
                format!("{helper}, and here {}", condition_text(&not))
            });
            for condition in form.body.iter_mut().flatten() {
                condition.change(&mut |part| {
                    if let Condition::Not(_, inner) = part
                        && matches!(&**inner, Condition::Sentence(inner) if *inner == negated)
                    {
                        **inner = some.clone();
                    }
                });
            }
        }
        forms.push(form);
    }
    description.forms = forms;
    mended.tell(
        Code::LenientNone,
        "this negation has variables that nothing binds, so it says that there is none",
        "to ask for one value, add a condition that says which it is",
        diagnostics,
    );
}

/// The negated sentences of a rule that say that there is none, each with the variables that the rule binds.
fn negations(form: &Form) -> Vec<(WrittenSentence, BTreeSet<Name>)> {
    let bound: BTreeSet<Name> = (form.conditions().iter())
        .flat_map(|condition| bound_by(condition))
        .map(|word| word.name.clone())
        .collect();
    let mut found: Vec<(WrittenSentence, BTreeSet<Name>)> = Vec::new();
    let mut occurring: FxHashMap<&Name, usize> = FxHashMap::default();
    for word in form.variables() {
        *occurring.entry(&word.name).or_default() += 1;
    }
    for (sentence, _) in form.body_sentences().filter(|(_, negated)| *negated) {
        let (known, unbound): (Vec<&Word>, Vec<&Word>) =
            (sentence.variables()).partition(|word| bound.contains(&word.name));
        if unbound.is_empty() {
            continue;
        }
        // A slip hits one variable, not all of several.
        let is_whole = known.is_empty() && unbound.len() > 1;
        let is_meant = unbound.iter().all(|word| {
            let here = unbound
                .iter()
                .filter(|other| other.name == word.name)
                .count();
            let only_here = occurring[&word.name] == here;
            let is_marked = word.as_str().starts_with('_');
            only_here && (is_marked || here == 1 && (is_whole || !is_slip(word, sentence, form)))
        });
        if is_meant && found.iter().all(|(other, _)| other != sentence) {
            found.push((sentence.clone(), bound.clone()));
        }
    }
    found
}

/// The sentence that some instance of a negated one holds, for values of the bound variables.
fn some(name: &Name, negated: &WrittenSentence, bound: &BTreeSet<Name>) -> WrittenSentence {
    let mut arguments = Vec::new();
    for word in negated.variables() {
        let variable = WrittenTerm::Variable(word.clone());
        if bound.contains(&word.name) && !arguments.contains(&variable) {
            arguments.push(variable);
        }
    }
    WrittenSentence {
        word: Word::like(name, &negated.word),
        parenthesised: !arguments.is_empty(),
        arguments,
    }
}

/// The text of a sentence with its variables numbered: equal for those that need the same relation.
fn pattern(sentence: &WrittenSentence, bound: &BTreeSet<Name>) -> String {
    let mut variables: Vec<Name> = Vec::new();
    let mut numbered = sentence.clone();
    for argument in &mut numbered.arguments {
        argument.change(&mut |term| {
            if let WrittenTerm::Variable(word) = term {
                let known = variables.iter().position(|name| *name == word.name);
                let number = known.unwrap_or(variables.len());
                if known.is_none() {
                    variables.push(word.name.clone());
                }
                let kind = if bound.contains(&word.name) {
                    "bound"
                } else {
                    "any"
                };
                *word = Word::like(&Name::new(&format!("{kind}{number}")), word);
            }
        });
    }
    sentence_text(&numbered)
}

/// Makes variables of the `_` of prefix form, if they occur in negations only. Without lenience they are refused as such.
pub(crate) fn name_anonymous(description: &mut Description) {
    let is_anonymous =
        |term: &&WrittenTerm| matches!(term, WrittenTerm::Constant(word) if word.as_str() == "_");
    let all = description.terms().filter(is_anonymous).count();
    let sentences = description.forms.iter().flat_map(Form::body_sentences);
    let negated = sentences.filter(|(_, is_negated)| *is_negated);
    let negated = negated.flat_map(|(sentence, _)| sentence.terms());
    let negated = negated.filter(is_anonymous).count();
    if description.syntax == Syntax::Infix || all == 0 || all > negated {
        return;
    }
    let mut names = FreshNames::apart_from_terms(description);
    for form in &mut description.forms {
        form.change_terms(&mut |term| {
            if is_anonymous(&&*term) {
                *term = WrittenTerm::Variable(Word::like(&names.fresh("_any"), term.word()));
            }
        });
    }
}
