//! Keywords and connectives: their arity, and where they may stand.

use crate::description::{Description, Form, WrittenSentence, WrittenTerm};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::kif_forms::is_connective;

/// The relations with a fixed meaning and their arity.
pub(super) const KEYWORDS: [(&str, usize); 10] = [
    ("role", 1),
    ("init", 1),
    ("true", 1),
    ("next", 1),
    ("legal", 2),
    ("does", 2),
    ("terminal", 0),
    ("goal", 2),
    ("base", 1),
    ("input", 2),
];

/// The arity of a keyword; nothing for other names.
pub(crate) fn keyword_arity(name: &str) -> Option<usize> {
    let keyword = KEYWORDS.iter().find(|(keyword, _)| *keyword == name);
    keyword.map(|(_, arity)| *arity)
}

pub(super) fn check(description: &Description, diagnostics: &mut Diagnostics) {
    let defines_and = description.defines("and");
    for form in &description.forms {
        check_head(form, diagnostics);
        check_arity(&form.head, diagnostics);
        for (sentence, _) in form.body_sentences() {
            check_arity(sentence, diagnostics);
            let name = sentence.name();
            if name == "and" && !defines_and {
                diagnostics.push(Diagnostic::new(
                    Code::NotASentence,
                    sentence.word.span,
                    "GDL has no `and`".to_owned(),
                    "the conditions of a rule all hold, so write them one after the other; an `and` \
                     inside `or` needs a relation of its own",
                ));
            }
            if matches!(name, "init" | "next" | "base" | "input") {
                let instead = match name {
                    "init" | "next" | "base" => {
                        "`true` is the state; what a step leads to can be asked for only in the next step"
                    }
                    _ => "`legal` says what can be done, `does` what is done",
                };
                diagnostics.push(Diagnostic::new(
                    Code::KeywordInBody,
                    sentence.word.span,
                    format!("`{name}` is only derived; it cannot be a condition"),
                    instead,
                ));
            }
        }
        for term in form.terms() {
            check_term(term, diagnostics);
        }
    }
}

fn check_head(form: &Form, diagnostics: &mut Diagnostics) {
    let name = form.head.name();
    let has_conditions = !form.conditions().is_empty();
    let span = form.head.word.span;
    match name {
        "true" | "does" => {
            let (code, what) = match form.body {
                Some(_) => (Code::KeywordInHead, "the head of a rule"),
                None => (Code::KeywordStated, "a fact"),
            };
            let hint = match name {
                "true" => "use `init` for the first state and `next` for the following ones",
                _ => "moves are made by the players; `legal` says which they can make",
            };
            let message = format!("`{name}` comes from play; it cannot be {what}");
            diagnostics.push(Diagnostic::new(code, span, message, hint));
        }
        "role" if has_conditions => diagnostics.push(Diagnostic::new(
            Code::KeywordInHead,
            span,
            "roles are facts; `role` cannot be the head of a rule".to_owned(),
            "state each role: (role white)",
        )),
        "role" => {
            if let [WrittenTerm::Function(word, arguments)] = &form.head.arguments[..]
                && !arguments.is_empty()
            {
                diagnostics.push(Diagnostic::new(
                    Code::RoleNotAConstant,
                    word.span,
                    "a role is a plain name, not a function term".to_owned(),
                    "call it, for instance, (role white)",
                ));
            }
        }
        _ => {}
    }
}

fn check_arity(sentence: &WrittenSentence, diagnostics: &mut Diagnostics) {
    let name = sentence.name();
    let Some(arity) = keyword_arity(name) else {
        return;
    };
    let given = sentence.arguments.len();
    if given == arity {
        return;
    }
    let takes = match arity {
        0 => "no argument".to_owned(),
        1 => "one argument".to_owned(),
        _ => "two arguments".to_owned(),
    };
    let hint = match name {
        "legal" | "does" | "input" => format!("write ({name} role move)"),
        "goal" => "write (goal role value)".to_owned(),
        "terminal" => "write terminal".to_owned(),
        "role" => "write (role name)".to_owned(),
        "base" => {
            "write (base fact), such as (base (cell 1 2)); or leave `base` out: it is only for \
                   information"
                .to_owned()
        }
        _ => {
            format!("write ({name} fact); a fact with several parts is a term: ({name} (cell 1 2))")
        }
    };
    diagnostics.push(Diagnostic::new(
        Code::KeywordArity,
        sentence.word.span,
        format!("`{name}` takes {takes}, not {given}"),
        hint,
    ));
}

fn check_term(term: &WrittenTerm, diagnostics: &mut Diagnostics) {
    let word = match term {
        WrittenTerm::Variable(_) => return,
        WrittenTerm::Constant(word) | WrittenTerm::Function(word, _) => word,
    };
    let name = word.as_str();
    if is_connective(name) {
        diagnostics.push(Diagnostic::new(
            Code::ConnectiveAsName,
            word.span,
            format!("`{name}` stands inside a sentence"),
            "connectives join sentences; they are neither constants nor functions",
        ));
    } else if keyword_arity(name).is_some() {
        let diagnostic = match term {
            WrittenTerm::Function(..) => Diagnostic::new(
                Code::KeywordAsFunction,
                word.span,
                format!("`{name}` is used as a function"),
                "keywords are relations, which cannot stand inside a sentence",
            ),
            _ => Diagnostic::new(
                Code::KeywordAsConstant,
                word.span,
                format!("the keyword `{name}` is used as a constant"),
                "another name would be easier to read",
            ),
        };
        diagnostics.push(diagnostic);
    }
}
