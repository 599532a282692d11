//! Prefix form (KIF): lists of words to forms.
//!
//! A form is a sentence or `(<= sentence condition...)`; a condition is a sentence, `(not c)`,
//! `(or c...)` or `(distinct term term)`; a term is a name, a variable or `(name term...)`. A
//! connective where a name belongs is read as a name and reported by the checks. Each error is
//! reported at its word, and only the smallest part that has an error is given up with its form.

use super::description::{Condition, Form, Word, Words, WrittenSentence, WrittenTerm};
use super::diagnostic::{Code, Diagnostic, Diagnostics};
use super::span::Span;

/// A word or a list of nodes.
#[derive(Debug)]
pub(crate) enum Node {
    /// A name or a variable, its place.
    Word(Span),
    /// A list, from its opening to its closing parenthesis.
    List {
        span: Span,
        items: Vec<Node>,
        /// Something was wrong with it that is already reported.
        broken: bool,
    },
}

impl Node {
    pub(crate) fn span(&self) -> Span {
        match self {
            Node::Word(span) | Node::List { span, .. } => *span,
        }
    }
}

/// Turns a top-level node into a form, or reports why it is none.
pub(crate) fn form(
    text: &str,
    node: &Node,
    words: &mut Words,
    diagnostics: &mut Diagnostics,
) -> Option<Form> {
    let mut reader = FormReader {
        text,
        words,
        diagnostics,
    };
    reader.form(node)
}

struct FormReader<'a> {
    text: &'a str,
    words: &'a mut Words,
    diagnostics: &'a mut Diagnostics,
}

/// The start of a list: its name and the nodes behind it, or something else than a name.
enum Start<'n> {
    Name(Word, &'n [Node]),
    Broken,
}

impl FormReader<'_> {
    fn form(&mut self, node: &Node) -> Option<Form> {
        let span = node.span();
        if let Node::List {
            items,
            broken: false,
            ..
        } = node
            && let Some(Node::Word(first)) = items.first()
            && &self.text[first.range()] == "<="
        {
            let Some(head) = items.get(1) else {
                self.error(
                    Code::RuleWithoutHead,
                    *first,
                    "this rule has no head".into(),
                    "write `(<= head condition...)`",
                );
                return None;
            };
            let head = self.head(head);
            // Conditions are read even if the head is bad, so that all errors are seen.
            let body: Vec<_> = items[2..].iter().map(|item| self.condition(item)).collect();
            return Some(Form {
                head: head?,
                body: Some(body.into_iter().collect::<Option<_>>()?),
                span,
                lines_before: 1,
            });
        }
        let hint = "only facts and rules `(<= head condition...)` can stand here";
        let head = self.sentence(node, Code::NotASentence, hint)?;
        Some(Form {
            head,
            body: None,
            span,
            lines_before: 1,
        })
    }

    fn head(&mut self, node: &Node) -> Option<WrittenSentence> {
        let hint = "the head of a rule is one sentence; conditions come after it";
        self.sentence(node, Code::HeadNotASentence, hint)
    }

    /// Reads a sentence; connectives are refused with the given code.
    fn sentence(&mut self, node: &Node, code: Code, hint: &str) -> Option<WrittenSentence> {
        match node {
            Node::Word(span) => {
                let text = &self.text[span.range()];
                if text.starts_with('?') {
                    let message = format!("the variable `{text}` stands where a sentence belongs");
                    self.error(code, *span, message, hint);
                    return None;
                }
                if is_connective(text) {
                    let message = format!("`{text}` stands where a sentence belongs");
                    self.error(code, *span, message, hint);
                    return None;
                }
                Some(WrittenSentence {
                    word: self.words.word(text, *span),
                    arguments: Vec::new(),
                    parenthesised: false,
                })
            }
            Node::List { .. } => {
                let Start::Name(word, items) = self.start(node) else {
                    return None;
                };
                if is_connective(word.as_str()) {
                    let message = format!("`{}` stands where a sentence belongs", word.spelling);
                    self.error(code, word.span, message, hint);
                    return None;
                }
                Some(WrittenSentence {
                    word,
                    arguments: self.terms(items)?,
                    parenthesised: true,
                })
            }
        }
    }

    fn condition(&mut self, node: &Node) -> Option<Condition> {
        let hint = "a condition is a sentence, or `not`, `or`, `distinct` applied to something";
        if let Node::List {
            items,
            broken: false,
            ..
        } = node
            && let Some(Node::Word(first)) = items.first()
        {
            let text = &self.text[first.range()];
            let items = &items[1..];
            if text == "<=" {
                self.error(
                    Code::RuleInRule,
                    *first,
                    "a rule stands inside a rule".into(),
                    "give the inner rule a line of its own, or look for a missing `)` before it",
                );
                return None;
            }
            let word = is_connective(text).then(|| self.words.word(text, *first));
            match word.as_ref().map(Word::as_str) {
                Some("not") => {
                    let [inner] = items else {
                        self.wrong_count(word?, "one condition", items.len());
                        return None;
                    };
                    return Some(Condition::Not(word?, Box::new(self.condition(inner)?)));
                }
                Some("or") => {
                    let inner: Vec<_> = items.iter().map(|item| self.condition(item)).collect();
                    let inner = inner.into_iter().collect::<Option<_>>()?;
                    return Some(Condition::Or(word?, inner));
                }
                Some("distinct") => {
                    let terms = self.terms(items)?;
                    let count = terms.len();
                    let Ok([left, right]) = <[WrittenTerm; 2]>::try_from(terms) else {
                        self.wrong_count(word?, "two terms", count);
                        return None;
                    };
                    return Some(Condition::Distinct(word?, left, right));
                }
                _ => {}
            }
        }
        self.sentence(node, Code::NotASentence, hint)
            .map(Condition::Sentence)
    }

    fn wrong_count(&mut self, word: Word, takes: &str, given: usize) {
        let message = format!("`{}` takes {takes}, not {given}", word.spelling);
        let hint = match word.as_str() {
            "not" => "several negated conditions need one `not` each",
            _ => "write `(distinct ?x ?y)`; more than two terms need one `distinct` for each pair",
        };
        self.error(Code::ConnectiveArity, word.span, message, hint);
    }

    fn terms(&mut self, nodes: &[Node]) -> Option<Vec<WrittenTerm>> {
        let terms: Vec<_> = nodes.iter().map(|node| self.term(node)).collect();
        terms.into_iter().collect()
    }

    fn term(&mut self, node: &Node) -> Option<WrittenTerm> {
        match node {
            Node::Word(span) => match self.text[span.range()].strip_prefix('?') {
                Some("") => {
                    self.error(
                        Code::VariableAsName,
                        *span,
                        "`?` without a name is no variable".into(),
                        "write a name after it: `?x`",
                    );
                    None
                }
                Some(name) => Some(WrittenTerm::Variable(self.words.word(name, *span))),
                None => {
                    let word = self.words.word(&self.text[span.range()], *span);
                    Some(WrittenTerm::Constant(word))
                }
            },
            Node::List { .. } => match self.start(node) {
                Start::Name(word, items) => Some(WrittenTerm::Function(word, self.terms(items)?)),
                Start::Broken => None,
            },
        }
    }

    /// The name a list starts with and the rest; reports when there is none.
    fn start<'n>(&mut self, node: &'n Node) -> Start<'n> {
        let Node::List {
            span,
            items,
            broken: false,
        } = node
        else {
            return Start::Broken;
        };
        match items.first() {
            None => self.error(
                Code::EmptyList,
                *span,
                "these parentheses hold nothing".into(),
                "write a name after `(`, or remove the parentheses",
            ),
            Some(Node::Word(first)) => {
                let text = &self.text[first.range()];
                if !text.starts_with('?') {
                    return Start::Name(self.words.word(text, *first), &items[1..]);
                }
                self.error(
                    Code::VariableAsName,
                    *first,
                    format!("the variable `{text}` is used as a relation or function"),
                    "names of relations and functions must be constants",
                );
            }
            // Consecutive parentheses, which the list reader has reported.
            Some(Node::List { .. }) => {}
        }
        Start::Broken
    }

    fn error(&mut self, code: Code, span: Span, message: String, hint: &str) {
        self.diagnostics
            .push(Diagnostic::new(code, span, message, hint));
    }
}

/// Whether this is `<=`, `not`, `or` or `distinct`, in any case.
pub(crate) fn is_connective(text: &str) -> bool {
    ["<=", "not", "or", "distinct"]
        .iter()
        .any(|connective| connective.eq_ignore_ascii_case(text))
}
