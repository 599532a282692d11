//! Single ground terms from text, and to it: moves and facts that people and programs send.

use super::diagnostic::Diagnostics;
use super::normalise::term;
use super::syntax::Term;
use super::{kif, source::Source};

/// The text is not a list of ground terms.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (at character {column} of `{text}`)")]
pub struct TermError {
    text: String,
    column: usize,
    message: String,
}

/// Reads ground terms in prefix form, in lower case and normal form: `(mark 1 2) noop`.
pub fn parse_terms(text: &str) -> Result<Vec<Term>, TermError> {
    parse(text, false)
}

/// Reads terms that may have variables: `(cell ?x ?y b)`.
pub fn parse_patterns(text: &str) -> Result<Vec<Term>, TermError> {
    parse(text, true)
}

/// The text of each term.
pub fn texts(terms: &[Term]) -> Vec<String> {
    terms.iter().map(Term::to_string).collect()
}

fn parse(text: &str, variables: bool) -> Result<Vec<Term>, TermError> {
    let error = |column: usize, message: &str| TermError {
        text: text.chars().take(200).collect(),
        column,
        message: message.to_owned(),
    };
    if text.len() > 1 << 20 {
        return Err(error(1, "this is too long for a list of terms"));
    }
    // The terms become the arguments of one sentence. A comment must not swallow the end.
    const OPEN: &str = "(terms ";
    let wrapped = format!("{OPEN}{text}\n)");
    let mut diagnostics = Diagnostics::default();
    let description = kif::read(&wrapped, 0, &mut diagnostics);
    let source = Source::new("", &wrapped);
    let column = |offset: u32| {
        source
            .position(offset as usize)
            .column
            .saturating_sub(OPEN.len())
    };
    if let Some(diagnostic) = diagnostics.iter().next() {
        let offset = diagnostic.span.map_or(0, |span| span.start);
        return Err(error(column(offset).max(1), &diagnostic.message));
    }
    let [form] = &description.forms[..] else {
        return Err(error(1, "the parentheses are not balanced"));
    };
    match form.head.variables().next() {
        Some(word) if !variables => Err(error(
            column(word.span.start),
            "a variable stands where a name belongs",
        )),
        _ => Ok(form.head.arguments.iter().map(term).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_terms;

    #[test]
    fn terms_are_read() {
        for (text, expected) in [
            ("noop", "noop"),
            ("(mark 1 2) NOOP", "(mark 1 2) noop"),
            (" ( move (pos A 1)(f) ) ; a comment", "(move (pos a 1) f)"),
            ("", ""),
        ] {
            let terms = parse_terms(text).unwrap_or_else(|e| panic!("{e}"));
            let texts: Vec<_> = terms.iter().map(ToString::to_string).collect();
            assert_eq!(texts.join(" "), expected);
        }
        for (text, column) in [
            ("(mark 1", 1),
            (") (x", 1),
            ("x)", 1),
            ("(mark ?x)", 7),
            ("a ()", 3),
            ("((a))", 2),
        ] {
            let error = parse_terms(text)
                .err()
                .unwrap_or_else(|| panic!("{text} was read"));
            assert_eq!(error.column, column, "{error}");
        }
    }
}
