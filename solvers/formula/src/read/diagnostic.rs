//! Diagnostics: the error in a text, its line, and the text to write instead.

use super::tokens::{Place, Token};
use std::fmt;

/// More problems than this are counted but not kept: the first ones show the cause.
pub const MAX_DIAGNOSTICS: usize = 20;

/// The most characters of the text that a message repeats.
const MAX_EXCERPT: usize = 40;

/// One problem in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The text that is wrong, shortened and made printable; empty at the end of the file.
    pub text: String,
    pub message: String,
    /// The text to write instead.
    pub hint: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if !self.text.is_empty() {
            write!(f, "`{}`: ", self.text)?;
        }
        write!(f, "{} ({})", self.message, self.hint)
    }
}

/// A text that is not a formula, with all problems found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// The problems in the order of the text as far as possible; at least one and at most
    /// [`MAX_DIAGNOSTICS`].
    #[doc(hidden)]
    pub diagnostics: Vec<Diagnostic>,
    /// Whether there were more, or reading stopped before the end.
    pub more: bool,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.diagnostics.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{diagnostic}")?;
        }
        if self.more {
            write!(f, "\n... and more problems of this kind")?;
        }
        Ok(())
    }
}

impl std::error::Error for ReadError {}

/// Collects problems of one text.
pub(super) struct Diagnostics<'a> {
    text: &'a [u8],
    found: Vec<Diagnostic>,
    more: bool,
}

impl<'a> Diagnostics<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Diagnostics {
            text,
            found: Vec::new(),
            more: false,
        }
    }

    /// Reports a word.
    #[cold]
    pub(super) fn token(&mut self, token: &Token<'_>, message: impl Into<String>, hint: &str) {
        self.add(token.place, token.text, message, hint);
    }

    /// Reports some text at a place.
    #[cold]
    pub(super) fn add(
        &mut self,
        place: Place,
        text: &[u8],
        message: impl Into<String>,
        hint: &str,
    ) {
        if self.full() {
            self.more = true;
            return;
        }
        let before = &self.text[place.line_start..place.offset];
        self.found.push(Diagnostic {
            line: place.line,
            // Bytes that continue a character of UTF-8 have no column of their own.
            column: 1 + before.iter().filter(|byte| *byte & 0xC0 != 0x80).count(),
            text: excerpt(text),
            message: message.into(),
            hint: hint.to_owned(),
        });
    }

    /// Notes that the rest of the text was not read.
    pub(super) fn stop(&mut self) {
        self.more = true;
    }

    pub(super) fn full(&self) -> bool {
        self.found.len() == MAX_DIAGNOSTICS
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(super) fn into_result(self) -> Result<(), ReadError> {
        if self.found.is_empty() {
            return Ok(());
        }
        Err(ReadError {
            diagnostics: self.found,
            more: self.more,
        })
    }
}

/// The beginning of some text, printable on one line.
fn excerpt(text: &[u8]) -> String {
    // A character has at most four bytes.
    let start = &text[..text.len().min(4 * MAX_EXCERPT + 4)];
    let lossy = String::from_utf8_lossy(start.trim_ascii());
    let mut result: String = lossy
        .chars()
        .take(MAX_EXCERPT)
        .map(|c| if c.is_control() { '\u{FFFD}' } else { c })
        .collect();
    if lossy.chars().count() > MAX_EXCERPT || start.len() < text.len() {
        result.push_str("...");
    }
    result
}
