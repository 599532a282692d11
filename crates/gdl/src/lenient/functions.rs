//! Functions that get a name: tuples of infix form, and keywords in percepts.
//!
//! ```text
//! init(at(white, (a, 1)))                    becomes   (init (at white (tuple a 1)))
//! (<= (sees ?r (does ?p ?m)) (does ?p ?m))   becomes   (<= (sees ?r (did ?p ?m)) (does ?p ?m))
//! ```
//!
//! Roles only compare what they see, and no rule asks for it, so another name means the same there.

use super::Mended;
use crate::check::has_percepts;
use crate::description::{Description, Form, Word, WrittenTerm};
use crate::diagnostic::{Code, Diagnostics};
use crate::format::{sentence_text, term_text};
use crate::normalise::FreshNames;
use crate::syntax::Name;

/// Gives all tuples one function. Without lenience they are refused, but have a name.
pub(crate) fn name_tuples(description: &mut Description, diagnostics: &mut Diagnostics) {
    let is_tuple = |term: &WrittenTerm| term.word().as_str() == WrittenTerm::TUPLE;
    if !description.terms().any(is_tuple) {
        return;
    }
    let name = FreshNames::apart_from_terms(description).first("tuple");
    for form in &mut description.forms {
        form.change_terms(&mut |term| rename(term, WrittenTerm::TUPLE, &name));
    }
    let mut mended = Mended::default();
    for term in description.terms().filter(|term| term.word().name == name) {
        mended.note(term.word().span, || format!("this is {}", term_text(term)));
    }
    let hint = format!("write a function before each parenthesis, such as `{name}`");
    mended.tell(Code::LenientTuple, "GDL has no tuples", &hint, diagnostics);
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
        let mut mended = Mended::default();
        for form in description.forms.iter_mut().filter(is_seen) {
            let name = name.get_or_insert_with(|| names.first(other));
            rename(&mut form.head.arguments[1], keyword, name);
            let span = form.head.arguments[1].word().span;
            mended.note(span, || format!("this is {}", sentence_text(&form.head)));
        }
        mended.tell(
            Code::LenientPercept,
            &format!("`{keyword}` is a relation, which cannot be seen"),
            "give the percept a name of its own",
            diagnostics,
        );
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
