//! Safety: every variable gets its values from a positive sentence.
//!
//! A variable of the head, of a negated sentence or of a `distinct` must occur in a positive
//! sentence of the body; in an `or` only if it does so in every disjunct. Facts have no variables.

use crate::description::{
    Condition, Description, Form, Syntax, Word, WrittenSentence, WrittenTerm,
};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::format::{condition_text, form_text};
use crate::syntax::Name;
use rustc_hash::FxHashSet;

pub(super) fn check(description: &Description, diagnostics: &mut Diagnostics) {
    let syntax = description.syntax;
    for form in &description.forms {
        if form.conditions().is_empty() {
            check_fact(form, mark(syntax), diagnostics);
        } else {
            check_rule(form, syntax, diagnostics);
        }
    }
}

fn check_fact(form: &Form, mark: &str, diagnostics: &mut Diagnostics) {
    for word in each_once(form.head.variables()) {
        diagnostics.push(Diagnostic::new(
            Code::VariableInFact,
            word.span,
            format!("the variable `{mark}{}` is in a fact", word.spelling),
            "facts have no variables; a rule needs a condition that says which values it takes",
        ));
    }
}

fn check_rule(form: &Form, syntax: Syntax, diagnostics: &mut Diagnostics) {
    let mut bound = FxHashSet::default();
    for condition in form.conditions() {
        bound.extend(bound_by(condition));
    }
    let mut report = |code, word: &Word, place: &str, more: &dyn Fn() -> String| {
        if !bound.contains(word) {
            let v = format!("{}{}", mark(syntax), word.spelling);
            diagnostics.push(Diagnostic::new(
                code,
                word.span,
                format!("the variable `{v}` of {place} is in no positive sentence of the body"),
                format!(
                    "add a condition that says which values `{v}` can take{}",
                    more()
                ),
            ));
        }
    };
    for word in each_once(form.head.variables()) {
        report(Code::UnsafeHead, word, "the head", &String::new);
    }
    for (part, _) in form.parts() {
        match part {
            Condition::Not(_, inner) => {
                for (sentence, _) in inner.sentences() {
                    for word in each_once(sentence.variables()) {
                        let hint = || none_of(sentence, &bound, syntax);
                        report(Code::UnsafeNegation, word, "this negation", &hint);
                    }
                }
            }
            Condition::Distinct(_, left, right) => {
                for word in each_once(left.variables().chain(right.variables())) {
                    report(Code::UnsafeDistinct, word, "this `distinct`", &String::new);
                }
            }
            Condition::Sentence(_) | Condition::Or(..) => {}
        }
    }
}

/// The mark that variables begin with.
fn mark(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::Kif => "?",
        Syntax::Infix => "",
    }
}

/// How to say that no instance of the sentence holds: with a relation of its own, that some instance does.
fn none_of(sentence: &WrittenSentence, bound: &FxHashSet<&Word>, syntax: Syntax) -> String {
    let word = match &sentence.arguments[..] {
        [WrittenTerm::Function(word, _)] if sentence.name() == "true" => word,
        _ => &sentence.word,
    };
    if syntax == Syntax::Infix {
        return format!(
            "; to say that there is none, derive `some_{0}` from it, and write `~some_{0}` here",
            word.name
        );
    }
    let shared = each_once(sentence.variables()).filter(|word| bound.contains(word));
    let arguments: Vec<_> = shared.cloned().map(WrittenTerm::Variable).collect();
    let some = WrittenSentence {
        word: Word::like(&Name::new(&format!("some_{}", word.name)), word),
        parenthesised: !arguments.is_empty(),
        arguments,
    };
    let helper = Form {
        head: some.clone(),
        body: Some(vec![Condition::Sentence(sentence.clone())]),
        span: sentence.word.span,
        lines_before: 1,
    };
    let not = Word::like(&Name::new("not"), &sentence.word);
    let none = Condition::Not(not, Box::new(Condition::Sentence(some)));
    format!(
        "; to say that there is none, write {} and here {}",
        form_text(&helper),
        condition_text(&none)
    )
}

/// The variables that a condition gives values to.
pub(crate) fn bound_by(condition: &Condition) -> FxHashSet<&Word> {
    match condition {
        Condition::Sentence(sentence) => sentence.variables().collect(),
        Condition::Or(_, disjuncts) => disjuncts
            .iter()
            .map(bound_by)
            .reduce(|a, b| a.into_iter().filter(|word| b.contains(*word)).collect())
            .unwrap_or_default(),
        Condition::Not(..) | Condition::Distinct(..) => FxHashSet::default(),
    }
}

/// The first occurrence of each variable.
fn each_once<'a>(words: impl Iterator<Item = &'a Word>) -> impl Iterator<Item = &'a Word> {
    let mut seen = FxHashSet::default();
    words.filter(move |word| seen.insert(*word))
}
