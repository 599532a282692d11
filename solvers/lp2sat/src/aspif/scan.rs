//! Numbers and texts from the bytes of a file, with the line they stand on.

/// A text is not a ground program we can read: where and why.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct AspifError {
    /// The line, counted from 1.
    pub line: usize,
    /// The mistake and its remedy.
    pub message: String,
}

/// A position in a text.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    text: &'a [u8],
    position: usize,
    line: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Scanner {
            text,
            position: 0,
            line: 1,
        }
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T, AspifError> {
        Err(AspifError {
            line: self.line,
            message: message.into(),
        })
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r') = self.text.get(self.position) {
            self.position += 1;
        }
    }

    /// The next word of this line; empty at its end.
    pub(super) fn word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let rest = &self.text[self.position..];
        let is_end = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        self.position += length;
        &rest[..length]
    }

    /// The next number of this line, within these bounds.
    pub(super) fn number(&mut self, what: &str, least: i64, most: i64) -> Result<i64, AspifError> {
        let word = self.word();
        if word.is_empty() {
            return self.fail(format!("the line ends where {what} should stand"));
        }
        let shown = || {
            let text = String::from_utf8_lossy(&word[..word.len().min(40)]);
            format!("\"{}\"", text.escape_debug())
        };
        match std::str::from_utf8(word)
            .ok()
            .and_then(|text| text.parse::<i64>().ok())
        {
            None => self.fail(format!(
                "{} is not a number; {what} should stand here",
                shown()
            )),
            Some(number) if number < least || number > most => self.fail(format!(
                "{number} cannot be {what}: it must be from {least} to {most}"
            )),
            Some(number) => Ok(number),
        }
    }

    /// A count of things that are still to come, each of which takes at least two bytes.
    pub(super) fn count(&mut self, of: &str) -> Result<usize, AspifError> {
        let count = self.number(&format!("the number of {of}"), 0, i64::MAX)?;
        let rest = (self.text.len() - self.position) / 2;
        match usize::try_from(count) {
            Ok(count) if count <= rest => Ok(count),
            _ => self.fail(format!(
                "{count} {of} are announced, but the text ends before"
            )),
        }
    }

    /// The next `length` bytes, after one blank.
    pub(super) fn bytes(&mut self, length: usize) -> Result<&'a str, AspifError> {
        if self.text.get(self.position) != Some(&b' ') {
            return self.fail("a blank and a text should follow the length of the text");
        }
        let start = self.position + 1;
        let Some(bytes) = self.text.get(start..).and_then(|rest| rest.get(..length)) else {
            return self.fail(format!(
                "a text of {length} bytes is announced, but the file ends"
            ));
        };
        self.position = start + length;
        let Ok(text) = std::str::from_utf8(bytes) else {
            return self.fail("the text is not UTF-8, or its length is wrong");
        };
        if text.contains('\n') {
            return self.fail("the text goes beyond the end of its line: its length is wrong");
        }
        Ok(text)
    }

    /// Leaves this line, of which nothing may be left.
    pub(super) fn end_line(&mut self) -> Result<(), AspifError> {
        let word = self.word();
        if !word.is_empty() {
            let text = String::from_utf8_lossy(&word[..word.len().min(40)]);
            return self.fail(format!(
                "the statement is complete, but \"{}\" follows",
                text.escape_debug()
            ));
        }
        self.next_line();
        Ok(())
    }

    /// Leaves this line, whatever is left of it.
    pub(super) fn next_line(&mut self) {
        let rest = &self.text[self.position..];
        match rest.iter().position(|&byte| byte == b'\n') {
            Some(length) => {
                self.position += length + 1;
                self.line += 1;
            }
            None => self.position = self.text.len(),
        }
    }

    /// Whether the text is over.
    pub(super) fn is_over(&mut self) -> bool {
        self.skip_blanks();
        self.position == self.text.len()
    }
}
