//! Text of game descriptions: reading, checking, printing; and [`game`], the games made of them. This crate knows no time and no ASP.
//!
//! [`parse`] turns bytes into a [`Description`] (the text as written, in prefix or infix form, told
//! apart by content) and [`Diagnostics`] (everything there is to say about it, with places and
//! hints). [`normalise`] turns a description into rules without sugar, which [`game::read`] makes a
//! [`Game`](game::Game) of. [`format()`] prints a description in prefix form; [`render`] draws diagnostics.
//!
//! The idea: reading never stops at the first error, and never fails. It returns all that it could
//! read and all that is wrong; [`Diagnostics::has_errors`] says whether the rest may be used. Input
//! is not trusted: nothing in here panics, overflows the stack, or needs much more memory than the
//! text, whatever the bytes are.
//!
//! ```
//! use sqasp_gdl::{Options, format, parse};
//!
//! let parsed = parse("toy", b"role(p). terminal :- true(X).", &Options::strict());
//! let codes: Vec<_> = parsed.diagnostics.iter().map(|d| d.code.as_str()).collect();
//! assert!(codes.contains(&"missing-relation")); // there is no `goal` and no `legal`
//! assert_eq!(
//!     format(&parsed.description),
//!     "(role p)\n(<= terminal (true ?X))\n"
//! );
//! ```
//!
//! Left out: checks that need play (they are in the crate `rules`). `random` is an ordinary name
//! here, and `sees` is one where it occurs in a body; else it says what roles see ([`game::Game::has_percepts`]).

mod check;
mod description;
mod diagnostic;
mod display;
mod format;
pub mod game;
mod infix;
mod infix_tokens;
mod items;
mod json;
mod kif;
mod kif_forms;
mod lenient;
mod library;
mod normalise;
mod parameter;
mod render;
mod similar;
mod source;
mod span;
mod syntax;
mod terms;

use check::{has_percepts, is_recursive};
pub use description::{
    Comment, Condition, Description, Form, MAX_POINTS, MAXIMUM_NESTING, Syntax, Word,
    WrittenSentence, WrittenTerm,
};
pub use diagnostic::{Code, Diagnostic, Diagnostics, Options, Severity, Verdict};
pub use display::{DisplayHints, DisplayMistake};
pub use format::format;
pub use items::{Item, TextError, items};
pub use library::{MAX_NUMBER, add_files_beside, standalone, without_libraries};
pub use normalise::{MAX_PRODUCTS, NormalRule, normalise};
pub use parameter::{Parameter, no_parameter, parameters, set_parameters};
pub use render::{Drawing, render, summary, visible};
#[doc(hidden)]
pub use similar::{did_you_mean, did_you_mean_term};
pub use source::{MAXIMUM_BYTES, Position, Source};
pub use span::Span;
pub use syntax::{Literal, Name, Rule, Sentence, Term};
pub use terms::{TermError, parse_patterns, parse_terms, texts};

/// The result of reading a description.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The text, for drawing diagnostics.
    pub source: Source,
    /// The part of the description that could be read.
    pub description: Description,
    /// The errors, warnings and notes about it.
    pub diagnostics: Diagnostics,
}

/// Reads and checks a description. The name (of the file, say) is used in messages.
pub fn parse(name: &str, bytes: &[u8], options: &Options) -> Parsed {
    parse_files(&[(name, bytes)], options)
}

/// Reads and checks a description that stands in several files, each with its name and in either form. Built-in libraries
/// that they use are added; for files beside them see [`add_files_beside`].
///
/// # Panics
/// If there is no file.
pub fn parse_files(files: &[(&str, &[u8])], options: &Options) -> Parsed {
    let mut diagnostics = Diagnostics::default();
    let mut source = source::decode(files, &mut diagnostics);
    let mut description = Description {
        syntax: detect_syntax(source.text()),
        forms: Vec::new(),
        comments: Vec::new(),
    };
    if !diagnostics.has_errors() {
        for range in source.ranges() {
            let read = read(&source.text()[..range.end], range.start, &mut diagnostics);
            description.forms.extend(read.forms);
            description.comments.extend(read.comments);
        }
        library::add(&mut source, &mut description, &mut diagnostics);
        parameter::check(&description, &mut diagnostics);
        format::note_layout(source.text(), &mut description);
        let complete = !diagnostics.has_errors();
        lenient::name_tuples(&mut description, &mut diagnostics);
        lenient::name_anonymous(&mut description);
        let said = &mut diagnostics;
        if options.lenient {
            lenient::mend_and_check(&source, &mut description, complete, options, said)
        } else {
            check::check(&source, &description, complete, said)
        }
    }
    diagnostics.finish(options);
    Parsed {
        source,
        description,
        diagnostics,
    }
}

/// Reads a text in either form from this byte on.
fn read(text: &str, from: usize, diagnostics: &mut Diagnostics) -> Description {
    match detect_syntax(&text[from..]) {
        Syntax::Kif => kif::read(text, from, diagnostics),
        Syntax::Infix => infix::read(text, from, diagnostics),
    }
}

/// Tells the two forms apart: prefix form starts, after comments, with a parenthesis, or, when it
/// starts with a bare word such as `terminal`, has prefix rules further on.
fn detect_syntax(text: &str) -> Syntax {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
        let after_line = |text: &'_ str| text.find(['\n', '\r']).unwrap_or(text.len());
        match rest.as_bytes() {
            [b';' | b'%', ..] | [b'/', b'/', ..] => rest = &rest[after_line(rest)..],
            [b'/', b'*', ..] => rest = rest[2..].find("*/").map_or("", |end| &rest[end + 4..]),
            [b'(' | b')' | b'?', ..] => return Syntax::Kif,
            [] if text.trim_start().starts_with(['%', '/']) => return Syntax::Infix,
            [] => return Syntax::Kif,
            _ if text.contains("(<=") && !text.contains(":-") => return Syntax::Kif,
            _ => return Syntax::Infix,
        }
    }
}

#[cfg(test)]
mod tests;
