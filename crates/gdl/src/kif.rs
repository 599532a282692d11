//! Prefix form (KIF): text to lists of words.
//!
//! Tokens are `(`, `)`, and words separated by blanks; `;` starts a comment up to the end of the
//! line. Lists are built with an explicit stack, one top-level list at a time, and are handed to
//! `kif_forms`. Nesting beyond [`MAXIMUM_NESTING`] is skipped with one error, so a file of nothing
//! but parentheses costs one pass and no memory.
//!
//! When a parenthesis is never closed, everything after it seems to be inside its list. Lists in
//! it that start a line are then taken as the top-level forms they were meant to be, so that the
//! other errors of the file can be reported too.

use super::description::{Comment, Description, Form, MAXIMUM_NESTING, Syntax, Words};
use super::diagnostic::{Code, Diagnostic, Diagnostics};
use super::kif_forms::{Node, form};
use super::span::Span;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    Open(usize),
    Close(usize),
    Word(Span),
    Comment(Span),
    End,
}

fn next_token(text: &str, from: usize) -> (Token, usize) {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        match bytes.get(at) {
            None => return (Token::End, at),
            Some(b'(') => return (Token::Open(at), at + 1),
            Some(b')') => return (Token::Close(at), at + 1),
            Some(b';') => {
                let end = bytes[at..]
                    .iter()
                    .position(|b| matches!(b, b'\n' | b'\r'))
                    .map_or(bytes.len(), |i| at + i);
                return (Token::Comment(Span::new(at, end)), end);
            }
            Some(b) if b.is_ascii_whitespace() || *b == 0x0B => at += 1,
            Some(b) if !b.is_ascii() => {
                // A blank that is not ASCII (say, a no-break space) separates words too.
                let character = text[at..].chars().next().unwrap_or(' ');
                if character.is_whitespace() || character == '\u{FEFF}' {
                    at += character.len_utf8();
                } else {
                    break;
                }
            }
            Some(_) => break,
        }
    }
    let ends_word = |c: char| matches!(c, '(' | ')' | ';' | '\u{FEFF}') || c.is_whitespace();
    let end = text[at..].find(ends_word).map_or(text.len(), |i| at + i);
    (Token::Word(Span::new(at, end)), end)
}

struct List {
    open: usize,
    items: Vec<Node>,
    broken: bool,
}

/// Reads prefix form from this byte on. Mistakes go to the diagnostics; all forms that can be read are returned.
pub(crate) fn read(text: &str, from: usize, diagnostics: &mut Diagnostics) -> Description {
    let mut reader = Reader {
        text,
        words: Words::default(),
        forms: Vec::new(),
        comments: Vec::new(),
        diagnostics,
    };
    reader.run(from);
    Description {
        syntax: Syntax::Kif,
        forms: reader.forms,
        comments: reader.comments,
    }
}

struct Reader<'a> {
    text: &'a str,
    words: Words,
    forms: Vec<Form>,
    comments: Vec<Comment>,
    diagnostics: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn run(&mut self, from: usize) {
        let mut stack: Vec<List> = Vec::new();
        // How many parentheses are open beyond the limit.
        let mut beyond = 0_usize;
        let mut at = from;
        let mut after_open = false;
        loop {
            if self.diagnostics.is_full() {
                self.error(
                    Code::TooManyErrors,
                    Span::new(at, at),
                    "reading is given up here after very many errors",
                    "is this a game description?",
                );
                return;
            }
            let (token, next) = next_token(self.text, at);
            at = next;
            match token {
                Token::Comment(span) => {
                    self.comment(span);
                    continue;
                }
                Token::End => break,
                Token::Open(open) if beyond == 0 && stack.len() < MAXIMUM_NESTING => {
                    if after_open && !stack.last().is_some_and(|list| list.broken) {
                        self.error(
                            Code::ConsecutiveParentheses,
                            Span::new(open, open + 1),
                            "a list starts with a list",
                            "after `(` comes a name: a relation, a function or a connective",
                        );
                    }
                    let inherited = after_open;
                    if let (true, Some(list)) = (after_open, stack.last_mut()) {
                        list.broken = true;
                    }
                    stack.push(List {
                        open,
                        items: Vec::new(),
                        broken: inherited,
                    });
                }
                Token::Open(open) => {
                    if beyond == 0 {
                        self.error(
                            Code::TooDeep,
                            Span::new(open, open + 1),
                            &format!(
                                "parentheses are nested more than {MAXIMUM_NESTING} deep here"
                            ),
                            "use flatter terms; known games stay below 30",
                        );
                        stack.iter_mut().for_each(|list| list.broken = true);
                    }
                    beyond += 1;
                }
                Token::Close(_) if beyond > 0 => beyond -= 1,
                Token::Close(close) => match stack.pop() {
                    None => self.error(
                        Code::UnmatchedParenthesis,
                        Span::new(close, close + 1),
                        "this parenthesis closes nothing",
                        "remove it, or look for a form above that is closed too early",
                    ),
                    Some(list) => {
                        let node = Node::List {
                            span: Span::new(list.open, close + 1),
                            items: list.items,
                            broken: list.broken,
                        };
                        self.add(&mut stack, node);
                    }
                },
                Token::Word(_) if beyond > 0 => {}
                Token::Word(span) => self.add(&mut stack, Node::Word(span)),
            }
            after_open = matches!(token, Token::Open(_));
        }
        self.unclosed(stack);
    }

    fn add(&mut self, stack: &mut [List], node: Node) {
        match stack.last_mut() {
            Some(list) => list.items.push(node),
            None => self.form(&node),
        }
    }

    fn form(&mut self, node: &Node) {
        let form = form(self.text, node, &mut self.words, self.diagnostics);
        self.forms.extend(form);
    }

    fn unclosed(&mut self, stack: Vec<List>) {
        for (depth, list) in stack.iter().enumerate() {
            // The outermost one was certainly not closed; others only if they look like a form.
            if depth == 0 || self.starts_line(list.open) {
                self.error(
                    Code::UnclosedParenthesis,
                    Span::new(list.open, list.open + 1),
                    "this parenthesis is never closed",
                    "add the missing `)` at the end of this form",
                );
            }
        }
        for list in stack {
            for node in list.items {
                let is_list = matches!(node, Node::List { .. });
                if is_list && self.starts_line(node.span().start as usize) {
                    self.form(&node);
                }
            }
        }
    }

    fn starts_line(&self, at: usize) -> bool {
        at == 0 || matches!(self.text.as_bytes()[at - 1], b'\n' | b'\r')
    }

    fn comment(&mut self, span: Span) {
        let text = &self.text[span.range()];
        let body = text.trim_start_matches(';');
        self.comments.push(Comment {
            marks: text.len() - body.len(),
            text: body.trim_end().to_owned(),
            span,
            lines_before: 1,
        });
    }

    fn error(&mut self, code: Code, span: Span, message: &str, hint: &str) {
        self.diagnostics
            .push(Diagnostic::new(code, span, message.to_owned(), hint));
    }
}
