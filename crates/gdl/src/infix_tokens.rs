//! Infix form: text to tokens.
//!
//! Names start with a lower-case letter, a digit, or a sign and a digit; variables with an
//! upper-case letter or `_`. Two quotings of ours make every KIF name writable: `'any text'` is a
//! name (`\'` and `\\` inside), and `?` before a name, quoted or not, makes it a variable. Comments
//! are `%` and `//` to the end of the line, and `/* ... */`.

use super::description::Comment;
use super::diagnostic::{Code, Diagnostic, Diagnostics};
use super::span::Span;
use std::borrow::Cow;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Name(Cow<'a, str>),
    Variable(Cow<'a, str>),
    /// `_`: another variable each time.
    Anonymous,
    /// `(`, `)`, `,`, `&`, `|`, `~`, `.` or `:-`.
    Mark(&'static str),
    End,
}

impl Token<'_> {
    /// The token for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Token::Name(name) => format!("`{name}`"),
            Token::Variable(name) => format!("the variable `{name}`"),
            Token::Anonymous => "the variable `_`".to_owned(),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::End => "the end of the file".to_owned(),
        }
    }
}

/// Whether a character can continue a name without quotes.
fn continues(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

fn starts_variable(text: &str) -> bool {
    text.starts_with(|c: char| c == '_' || c.is_uppercase())
}

/// Whether the text can be a name at all, so that prefix form can write it, too.
fn is_possible_name(text: &str) -> bool {
    let separates = |c: char| matches!(c, '(' | ')' | ';' | '\u{FEFF}') || c.is_whitespace();
    !text.is_empty() && !text.starts_with('?') && text != "<=" && !text.contains(separates)
}

/// How many bytes of the text are a name without quotes.
fn bare_name_length(text: &str) -> usize {
    let unsigned = text.strip_prefix(['+', '-']);
    let number = unsigned.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let body = number.unwrap_or(text);
    if !body.starts_with(char::is_alphanumeric) || starts_variable(body) {
        return 0;
    }
    text.len() - body.len() + body.find(|c| !continues(c)).unwrap_or(body.len())
}

pub(crate) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    pub(crate) comments: Vec<Comment>,
}

impl<'a> Tokens<'a> {
    /// The tokens from this byte on.
    pub(crate) fn new(text: &'a str, from: usize) -> Self {
        Tokens {
            text,
            at: from,
            comments: Vec::new(),
        }
    }

    /// The next token and its place. Characters that start none are reported and skipped.
    pub(crate) fn next(&mut self, diagnostics: &mut Diagnostics) -> (Token<'a>, Span) {
        loop {
            self.skip_blanks(diagnostics);
            let rest = &self.text[self.at..];
            let start = self.at;
            let Some(first) = rest.chars().next() else {
                return (Token::End, Span::new(start, start));
            };
            let marks = [":-", "(", ")", ",", "&", "|", "~", "."];
            if let Some(mark) = marks.into_iter().find(|mark| rest.starts_with(mark)) {
                self.at += mark.len();
                return (Token::Mark(mark), Span::new(start, self.at));
            }
            if first == '?' {
                self.at += 1;
                match self.any_name(diagnostics) {
                    None => continue,
                    Some(name) if name.is_empty() => {}
                    Some(name) => return (Token::Variable(name), Span::new(start, self.at)),
                }
            } else if starts_variable(rest) {
                let length = rest.find(|c| !continues(c)).unwrap_or(rest.len());
                self.at += length;
                let span = Span::new(start, self.at);
                return match &rest[..length] {
                    "_" => (Token::Anonymous, span),
                    name => (Token::Variable(name.into()), span),
                };
            } else if first == '\'' || bare_name_length(rest) > 0 {
                match self.any_name(diagnostics) {
                    None => continue,
                    Some(name) => return (Token::Name(name), Span::new(start, self.at)),
                }
            } else {
                let strange = |c: char| {
                    !c.is_whitespace() && !c.is_alphanumeric() && !"()',&|~.:_?%/".contains(c)
                };
                let length = rest.find(|c| !strange(c)).unwrap_or(rest.len());
                self.at += length.max(first.len_utf8());
            }
            let hint = match first {
                ';' => "comments of the infix form start with `%`",
                '<' => "rules of the infix form are written `head :- condition, condition.`",
                '?' => "write a name after it: `?x` or `X`",
                '"' => "names with unusual characters stand in single quotes",
                _ => "names with unusual characters stand in quotes: '+'",
            };
            diagnostics.push(Diagnostic::new(
                Code::UnexpectedText,
                Span::new(start, self.at),
                format!(
                    "`{}` cannot stand here",
                    shorten(&self.text[start..self.at])
                ),
                hint,
            ));
            if diagnostics.is_full() {
                self.at = self.text.len();
            }
        }
    }

    /// A name at this place, quoted or not; after `?` it may start with any letter. Nothing when
    /// a quote is reported as wrong; empty when there is no quote and no letter.
    fn any_name(&mut self, diagnostics: &mut Diagnostics) -> Option<Cow<'a, str>> {
        let rest = &self.text[self.at..];
        if !rest.starts_with('\'') {
            let signed = bare_name_length(rest);
            let length = rest
                .find(|c| !continues(c))
                .unwrap_or(rest.len())
                .max(signed);
            self.at += length;
            return Some(Cow::Borrowed(&rest[..length]));
        }
        let mut name = String::new();
        let mut characters = rest.char_indices().skip(1);
        while let Some((i, c)) = characters.next() {
            match c {
                '\'' => {
                    let start = self.at;
                    self.at += i + 1;
                    if !is_possible_name(&name) {
                        diagnostics.push(Diagnostic::new(
                            Code::UnexpectedText,
                            Span::new(start, self.at),
                            "a name cannot be empty, start with `?`, or contain blanks, \
                             parentheses or `;`"
                                .to_owned(),
                            "the prefix form could not write it",
                        ));
                        if name.is_empty() {
                            return None;
                        }
                    }
                    return Some(Cow::Owned(name));
                }
                '\\' => name.extend(characters.next().map(|(_, c)| c)),
                '\n' => break,
                _ => name.push(c),
            }
        }
        diagnostics.push(Diagnostic::new(
            Code::Unterminated,
            Span::new(self.at, self.at + 1),
            "this quote is not closed on its line".to_owned(),
            "add the closing `'`; a quote inside is written `\\'`",
        ));
        self.at += rest.find('\n').unwrap_or(rest.len());
        None
    }

    fn skip_blanks(&mut self, diagnostics: &mut Diagnostics) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
            self.at += rest.len() - trimmed.len();
            let start = self.at;
            if let Some(inside) = trimmed.strip_prefix("/*") {
                let end = inside.find("*/").map(|i| i + 2);
                if end.is_none() {
                    diagnostics.push(Diagnostic::new(
                        Code::Unterminated,
                        Span::new(start, start + 2),
                        "this comment is never closed".to_owned(),
                        "add `*/` where it ends",
                    ));
                }
                let body = &trimmed[2..end.unwrap_or(trimmed.len())];
                self.at += end.map_or(trimmed.len(), |end| end + 2);
                let span = Span::new(start, self.at);
                let lines = body.lines().map(|line| Comment {
                    marks: 1,
                    text: line.trim_end().to_owned(),
                    span,
                    lines_before: 1,
                });
                self.comments.extend(lines);
            } else if trimmed.starts_with('%') || trimmed.starts_with("//") {
                let length = trimmed.find(['\n', '\r']).unwrap_or(trimmed.len());
                let line = &trimmed[..length];
                let mark = if line.starts_with('%') { '%' } else { '/' };
                let body = line.trim_start_matches(mark);
                let marks = line.len() - body.len();
                self.comments.push(Comment {
                    marks: if mark == '/' { marks - 1 } else { marks },
                    text: body.trim_end().to_owned(),
                    span: Span::new(start, start + length),
                    lines_before: 1,
                });
                self.at += length;
            } else {
                return;
            }
        }
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(30) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
