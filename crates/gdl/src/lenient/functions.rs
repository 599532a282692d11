//! Functions that get a name: tuples of infix form, and keywords in percepts.
//!
//! ```text
//! init(at(white, (a, 1)))                    becomes   (init (at white (tuple a 1)))
//! (<= (sees ?r (does ?p ?m)) (does ?p ?m))   becomes   (<= (sees ?r (did ?p ?m)) (does ?p ?m))
//! ```
//!
//! Roles only compare what they see, and no rule asks for it, so another name means the same there.

use crate::check::has_percepts;
use crate::description::{Description, Form, Word, WrittenTerm};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::format::{sentence_text, term_text};
use crate::normalise::FreshNames;
use crate::span::Span;
use crate::syntax::Name;

/// Gives all tuples one function. Without lenience they are refused, but have a name.
pub(crate) fn name_tuples(description: &mut Description, diagnostics: &mut Diagnostics) {
    let is_tuple = |term: &WrittenTerm| term.word().as_str() == WrittenTerm::TUPLE;
    let mut count = 0;
    for form in &description.forms {
        form.visit_terms(&mut |term| count += usize::from(is_tuple(term)));
    }
    if count == 0 {
        return;
    }
    let name = FreshNames::apart_from_terms(description).first("tuple");
    let mut first: Option<(Span, String)> = None;
    for form in &mut description.forms {
        form.change_terms(&mut |term| rename(term, WrittenTerm::TUPLE, &name));
        form.visit_terms(&mut |term| {
            if term.word().name == name {
                first.get_or_insert_with(|| (term.word().span, term_text(term)));
            }
        });
    }
    diagnostics.extend(first.map(|(span, text)| {
        Diagnostic::new(
            Code::LenientTuple,
            span,
            format!(
                "GDL has no tuples: in standard form this is {text}{}",
                more(count)
            ),
            format!("write a function before each parenthesis, such as `{name}`"),
        )
    }));
}

/// Gives `does` and `true` another name where a role sees them.
pub(super) fn rename_percepts(description: &mut Description, diagnostics: &mut Diagnostics) {
    if !has_percepts(description) {
        return;
    }
    let mut names = FreshNames::apart_from_terms(description);
    for (keyword, other) in [("does", "did"), ("true", "held")] {
        let is_seen = |form: &&mut Form| {
            let seen = form.head.arguments.get(1);
            form.head.name() == "sees" && seen.is_some_and(|seen| seen.word().as_str() == keyword)
        };
        let mut name = None;
        let mut first: Option<(Span, String)> = None;
        let mut count = 0;
        for form in description.forms.iter_mut().filter(is_seen) {
            let name = name.get_or_insert_with(|| names.first(other));
            rename(&mut form.head.arguments[1], keyword, name);
            let span = form.head.arguments[1].word().span;
            first.get_or_insert_with(|| (span, sentence_text(&form.head)));
            count += 1;
        }
        diagnostics.extend(first.map(|(span, text)| {
            Diagnostic::new(
                Code::LenientPercept,
                span,
                format!(
                    "`{keyword}` is a relation, which cannot be seen: in standard form this is {text}{}",
                    more(count)
                ),
                "give the percept a name of its own",
            )
        }));
    }
}

/// Gives a term with this name another one.
fn rename(term: &mut WrittenTerm, from: &str, to: &Name) {
    if let WrittenTerm::Function(word, _) | WrittenTerm::Constant(word) = term
        && word.as_str() == from
    {
        *word = Word::like(to, word);
    }
}

/// The end of a message about the first of several places.
pub(super) fn more(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        _ => format!(", and {} more like it", count - 1),
    }
}
