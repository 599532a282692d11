//! The text of a description and positions in it.
//!
//! Bytes become a [`Source`]: a name for messages and the text. Everything later speaks of byte
//! ranges of that text ([`Span`](crate::Span)); lines and columns are computed on demand.

use super::diagnostic::{Code, Diagnostic, Diagnostics};
use super::span::Span;

/// A place as people count: both numbers from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub line: usize,
    /// The character within the line.
    pub column: usize,
}

/// The largest description that is read: 16 MiB, over two hundred times the largest known game.
/// In the worst case the description takes up to a hundred times as much memory as its text.
pub const MAXIMUM_BYTES: usize = 16 << 20;

/// A description's text, of one file or several, and their names for messages.
#[derive(Clone, Debug)]
pub struct Source {
    /// Names, and where the texts begin. There is at least one.
    files: Vec<(String, usize)>,
    text: String,
    /// Where the texts of built-in libraries begin, which are the last ones.
    libraries: Option<usize>,
}

impl Source {
    /// A source with this name (a file name, or `standard input`) and text.
    pub fn new(name: &str, text: &str) -> Self {
        Source {
            files: vec![(name.to_owned(), 0)],
            text: text.to_owned(),
            libraries: None,
        }
    }

    /// Adds the text of another file, on a line of its own. Gives the place where it begins.
    pub(crate) fn push(&mut self, name: &str, text: &str) -> usize {
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        let start = self.text.len();
        self.files.push((name.to_owned(), start));
        self.text.push_str(text);
        start
    }

    /// Adds the text of a built-in library. Gives the place where it begins.
    pub(crate) fn push_library(&mut self, name: &str, text: &str) -> usize {
        let start = self.push(&format!("library {name}"), text);
        self.libraries.get_or_insert(start);
        start
    }

    /// Whether this byte stands in a built-in library, of which users of the game cannot change anything.
    pub(crate) fn is_built_in(&self, offset: usize) -> bool {
        self.libraries.is_some_and(|start| offset >= start)
    }

    /// Whether a file of this name is part of it.
    pub(crate) fn has_file(&self, name: &str) -> bool {
        self.files.iter().any(|(file, _)| is_same_file(file, name))
    }

    /// The name for messages; of several files that of the first.
    pub fn name(&self) -> &str {
        &self.files[0].0
    }

    /// The name of the file that has this byte.
    pub fn name_at(&self, offset: usize) -> &str {
        &self.files[self.file_at(offset)].0
    }

    /// The number of the file that has this byte, from 0.
    pub fn file_at(&self, offset: usize) -> usize {
        self.files.partition_point(|(_, start)| *start <= offset) - 1
    }

    /// Where the text of a file begins.
    pub(crate) fn file_start(&self, file: usize) -> usize {
        self.files[file].1
    }

    /// Where the texts of the files stand.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let starts = self.files.iter().map(|(_, start)| *start);
        let ends = starts.clone().skip(1).chain([self.text.len()]);
        starts.zip(ends).map(|(start, end)| start..end)
    }

    /// The text, of several files one after the other. When the bytes were not UTF-8, it has replacement
    /// characters.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset, in its file.
    pub fn position(&self, offset: usize) -> Position {
        let (_, start) = self.files[self.file_at(offset)];
        let before = &self.text.as_bytes()[start..offset.clamp(start, self.text.len())];
        let line_start = before
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |i| i + 1);
        Position {
            line: before.iter().filter(|&&b| b == b'\n').count() + 1,
            column: String::from_utf8_lossy(&before[line_start..])
                .chars()
                .count()
                + 1,
        }
    }

    /// The byte range of the line around an offset, without its line end.
    pub fn line_around(&self, offset: usize) -> std::ops::Range<usize> {
        let bytes = self.text.as_bytes();
        let offset = offset.min(bytes.len());
        let start = bytes[..offset]
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |i| i + 1);
        let mut end = bytes[offset..]
            .iter()
            .position(|&b| b == b'\n')
            .map_or(bytes.len(), |i| offset + i);
        if end > start && bytes[end - 1] == b'\r' {
            end -= 1;
        }
        start..end.max(start)
    }
}

/// Whether two names are those of one file, as far as names show it.
pub(crate) fn is_same_file(name: &str, other: &str) -> bool {
    name.trim_start_matches("./") == other.trim_start_matches("./")
}

/// Turns the bytes of files, of which there is at least one, into text. When that fails the diagnostics hold an
/// error and nothing more should be done with the source than to draw it.
pub(crate) fn decode(files: &[(&str, &[u8])], diagnostics: &mut Diagnostics) -> Source {
    let (first, bytes) = files[0];
    let total: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    if total > MAXIMUM_BYTES {
        diagnostics.push(Diagnostic::of_file(
            Code::TooLarge,
            format!("the description has {total} bytes; at most {MAXIMUM_BYTES} are read"),
            "is this the right file? Known games are below 100 kB",
        ));
        return Source::new(first, "");
    }
    let mut source = decode_file(first, bytes, diagnostics);
    for (name, bytes) in &files[1..] {
        if diagnostics.has_errors() {
            return source;
        }
        let file = decode_file(name, bytes, diagnostics);
        match diagnostics.has_errors() {
            // The error's place is one in this file.
            true => source = file,
            false => drop(source.push(name, &file.text)),
        }
    }
    source
}

fn decode_file(name: &str, bytes: &[u8], diagnostics: &mut Diagnostics) -> Source {
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        diagnostics.push(Diagnostic::of_file(
            Code::NotText,
            "the file is UTF-16 text".to_owned(),
            "save it as UTF-8",
        ));
        return Source::new(name, "");
    }
    let text = String::from_utf8_lossy(bytes).into_owned();
    let bad_control = |b: u8| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0B | 0x0C);
    if let Err(error) = std::str::from_utf8(bytes) {
        let at = error.valid_up_to();
        diagnostics.push(Diagnostic::new(
            Code::NotText,
            Span::new(at, at + '\u{FFFD}'.len_utf8()),
            format!("byte {:#04x} at offset {at} is not UTF-8 text", bytes[at]),
            "is this a game description? If so, save it as UTF-8",
        ));
    } else if let Some(at) = bytes.iter().position(|&b| bad_control(b)) {
        diagnostics.push(Diagnostic::new(
            Code::NotText,
            Span::new(at, at + 1),
            format!("control character {:#04x} at offset {at}", bytes[at]),
            "is this a game description? They are plain text",
        ));
    }
    Source::new(name, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let source = Source::new("x", "ab\r\ncé(d\n");
        let at = |offset| {
            let p = source.position(offset);
            (p.line, p.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(4), (2, 1));
        assert_eq!(at(7), (2, 3));
        assert_eq!(at(99), (3, 1));
        assert_eq!(&source.text()[source.line_around(1)], "ab");
        assert_eq!(&source.text()[source.line_around(7)], "cé(d");
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        for bytes in [
            &b"(role p)\xff\xfe"[..],
            b"\xff\xfe(\0r\0",
            b"(role\0p)",
            b"\x7fELF\x02\x01\x01\0",
        ] {
            let mut diagnostics = Diagnostics::default();
            decode(&[("y", b"(a)"), ("x", bytes)], &mut diagnostics);
            assert!(diagnostics.has_errors(), "{bytes:?}");
        }
    }
}
