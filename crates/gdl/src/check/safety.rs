//! Safety: every variable gets its values from a positive sentence.
//!
//! A variable of the head, of a negated sentence or of a `distinct` must occur in a positive
//! sentence of the body; in an `or` only if it does so in every disjunct. Facts have no variables.

use crate::description::{Condition, Description, Form, Syntax, Word, WrittenSentence};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use std::collections::HashSet;

pub(super) fn check(description: &Description, diagnostics: &mut Diagnostics) {
    let mark = match description.syntax {
        Syntax::Kif => "?",
        Syntax::Infix => "",
    };
    for form in &description.forms {
        if form.conditions().is_empty() {
            check_fact(form, mark, diagnostics);
        } else {
            check_rule(form, mark, diagnostics);
        }
    }
}

fn check_fact(form: &Form, mark: &str, diagnostics: &mut Diagnostics) {
    each_once(&form.head, &mut |word| {
        diagnostics.push(Diagnostic::new(
            Code::VariableInFact,
            word.span,
            format!("the variable `{mark}{}` is in a fact", word.spelling),
            "facts have no variables; a rule needs a condition that says which values it takes",
        ));
    });
}

fn check_rule(form: &Form, mark: &str, diagnostics: &mut Diagnostics) {
    let mut bound = HashSet::new();
    for condition in form.conditions() {
        bound.extend(bound_by(condition));
    }
    let mut report = |code, word: &Word, place: &str| {
        if !bound.contains(word) {
            let v = format!("{mark}{}", word.spelling);
            diagnostics.push(Diagnostic::new(
                code,
                word.span,
                format!("the variable `{v}` of {place} is in no positive sentence of the body"),
                format!("add a condition that says which values `{v}` can take"),
            ));
        }
    };
    each_once(&form.head, &mut |word| {
        report(Code::UnsafeHead, word, "the head");
    });
    for condition in form.conditions() {
        condition.visit(&mut |part| match part {
            Condition::Not(_, inner) => inner.sentences(&mut |sentence, _| {
                each_once(sentence, &mut |word| {
                    report(Code::UnsafeNegation, word, "this negation");
                });
            }),
            Condition::Distinct(_, left, right) => {
                let mut seen = HashSet::new();
                for term in [left, right] {
                    term.variables(&mut |word| {
                        if seen.insert(word) {
                            report(Code::UnsafeDistinct, word, "this `distinct`");
                        }
                    });
                }
            }
            Condition::Sentence(_) | Condition::Or(..) => {}
        });
    }
}

/// The variables that a condition gives values to.
fn bound_by(condition: &Condition) -> HashSet<&Word> {
    match condition {
        Condition::Sentence(sentence) => {
            let mut variables = HashSet::new();
            sentence.variables(&mut |word| {
                variables.insert(word);
            });
            variables
        }
        Condition::Or(_, disjuncts) => disjuncts
            .iter()
            .map(bound_by)
            .reduce(|a, b| a.into_iter().filter(|word| b.contains(*word)).collect())
            .unwrap_or_default(),
        Condition::Not(..) | Condition::Distinct(..) => HashSet::new(),
    }
}

/// Calls `f` on the first occurrence of each variable.
fn each_once<'a>(sentence: &'a WrittenSentence, f: &mut impl FnMut(&'a Word)) {
    let mut seen = HashSet::new();
    sentence.variables(&mut |word| {
        if seen.insert(word) {
            f(word);
        }
    });
}
