//! Oddities, most with a clear meaning: empty bodies, needless parentheses, `or` in `or`, odd values.

use super::keywords::keyword_arity;
use crate::description::MAX_POINTS;
use crate::description::{Condition, Description, Form, WrittenTerm};
use crate::diagnostic::{
    Code, Diagnostic, Diagnostics, HELP_FOR_LARGE_GOALS, HELP_FOR_UNUSUAL_GOALS,
};
use crate::game::Points;
use crate::normalise::has_too_many_alternatives;

pub(super) fn check(description: &Description, diagnostics: &mut Diagnostics) {
    for form in &description.forms {
        if form.body.as_ref().is_some_and(Vec::is_empty) {
            diagnostics.push(Diagnostic::new(
                Code::EmptyBody,
                form.head.word.span,
                "this rule has no conditions: it is read as a fact".to_owned(),
                "state a fact: write the head alone",
            ));
        }
        check_parentheses(form, diagnostics);
        for (part, _) in form.parts() {
            check_or(part, diagnostics);
        }
        if has_too_many_alternatives(form) {
            diagnostics.push(Diagnostic::new(
                Code::TooManyAlternatives,
                form.head.word.span,
                "the `or` of this rule have too many combinations".to_owned(),
                "give some of its conditions a relation of their own",
            ));
        }
        check_goal(form, diagnostics);
    }
}

fn check_parentheses(form: &Form, diagnostics: &mut Diagnostics) {
    let sentences = (form.sentences()).filter(|it| it.parenthesised && it.arguments.is_empty());
    let terms = form.terms().filter_map(|term| match term {
        WrittenTerm::Function(word, arguments) if arguments.is_empty() => Some(word),
        _ => None,
    });
    for word in sentences.map(|sentence| &sentence.word).chain(terms) {
        // A keyword with the wrong arity is an error already.
        if keyword_arity(word.as_str()).unwrap_or(0) == 0 {
            let name = &word.spelling;
            diagnostics.push(Diagnostic::new(
                Code::NeedlessParentheses,
                word.span,
                format!("`{name}` needs no parentheses"),
                format!("write `{name}`"),
            ));
        }
    }
}

fn check_or(condition: &Condition, diagnostics: &mut Diagnostics) {
    match condition {
        Condition::Or(word, disjuncts) => {
            if disjuncts.is_empty() {
                diagnostics.push(Diagnostic::new(
                    Code::EmptyOr,
                    word.span,
                    "`or` of nothing never holds".to_owned(),
                    "remove the rule, or add disjuncts",
                ));
            }
            for disjunct in disjuncts {
                if let Condition::Or(inner, _) = disjunct {
                    diagnostics.push(Diagnostic::new(
                        Code::NestedOr,
                        inner.span,
                        "`or` directly inside `or`".to_owned(),
                        "one `or` can hold all of these conditions",
                    ));
                }
            }
        }
        Condition::Not(word, inner) if !matches!(**inner, Condition::Sentence(_)) => {
            let hint = match **inner {
                Condition::Or(..) => "negate each disjunct by itself: (not a) (not b)",
                Condition::Distinct(..) => "use the same variable twice instead",
                _ => "leave both `not` out, or give the inner one a relation of its own",
            };
            diagnostics.push(Diagnostic::new(
                Code::NegatedNonSentence,
                word.span,
                "only a sentence can be negated".to_owned(),
                hint,
            ));
        }
        _ => {}
    }
}

fn check_goal(form: &Form, diagnostics: &mut Diagnostics) {
    let ("goal", [_, value]) = (form.head.name(), &form.head.arguments[..]) else {
        return;
    };
    let (word, is_lone) = match value {
        WrittenTerm::Variable(_) => return,
        WrittenTerm::Constant(word) => (word, true),
        WrittenTerm::Function(word, arguments) => (word, arguments.is_empty()),
    };
    let text = word.as_str();
    let points = text.parse::<Points>().ok().filter(|_| is_lone);
    match points.map(|points| (points, points.whole())) {
        Some((_, Some(0..=100))) => {}
        Some((points, Some(_))) if points > Points::WIN => diagnostics.push(Diagnostic::new(
            Code::LargeGoal,
            word.span,
            format!("the goal value `{text}` is over 100"),
            HELP_FOR_LARGE_GOALS,
        )),
        Some(_) => diagnostics.push(Diagnostic::new(
            Code::UnusualGoal,
            word.span,
            format!("the goal value `{text}` is below 0 or no whole number"),
            HELP_FOR_UNUSUAL_GOALS,
        )),
        _ => diagnostics.push(Diagnostic::new(
            Code::GoalValue,
            word.span,
            format!("the goal value `{text}` is no number up to {MAX_POINTS}"),
            "players get numbers of points, such as 50, -3 or 1/2 in the usual digits; 100 counts as a win",
        )),
    }
}
