//! Infix form: tokens to forms.
//!
//! A clause is `head.` or `head :- condition, condition.`; `&` is the same as `,`, `~c` the same
//! as `not c`, `(c | d)` the same as `or(c, d)`, and `(c & d)` the same as the `(and c d)` of prefix
//! form. The full stop may be left out before a clause that starts on a new line. After an error,
//! reading goes on at the next clause: after a full stop, or at a name in the first column.

use super::description::{
    Condition, Description, Form, MAXIMUM_NESTING, Syntax, Word, Words, WrittenSentence,
    WrittenTerm,
};
use super::diagnostic::{Code, Diagnostic, Diagnostics};
use super::infix_tokens::{Token, Tokens};
use super::kif_forms::is_connective;
use super::span::Span;

/// Reads infix form from this byte on. Mistakes go to the diagnostics; all forms that can be read are returned.
pub(crate) fn read(text: &str, from: usize, diagnostics: &mut Diagnostics) -> Description {
    let mut tokens = Tokens::new(text, from);
    let (token, span) = tokens.next(diagnostics);
    let mut parser = Parser {
        text,
        tokens,
        token,
        span,
        previous_end: from as u32,
        depth: 0,
        anonymous: 0,
        anonymous_prefix: String::new(),
        words: Words::default(),
        joined: Vec::new(),
        diagnostics,
    };
    let mut forms = Vec::new();
    while parser.token != Token::End {
        if parser.diagnostics.is_full() {
            let message = "reading is given up here after very many errors".to_owned();
            parser.error(Code::TooManyErrors, message, "is this a game description?");
            break;
        }
        let start = parser.span;
        match parser.clause() {
            Ok(form) => forms.push(form),
            Err(Reported) => parser.recover(start),
        }
    }
    let description = Description {
        syntax: Syntax::Infix,
        forms,
        comments: parser.tokens.comments,
    };
    // `and(a, b)` is a sentence then.
    if description.defines("and")
        && let Some(&span) = parser.joined.first()
    {
        parser.diagnostics.push(Diagnostic::new(
            Code::UnexpectedText,
            span,
            "`&` cannot stand in parentheses in a game with a relation `and`".to_owned(),
            "call the relation something else",
        ));
    }
    description
}

/// An error was found and reported.
struct Reported;

struct Parser<'a> {
    text: &'a str,
    tokens: Tokens<'a>,
    token: Token<'a>,
    span: Span,
    previous_end: u32,
    depth: usize,
    anonymous: usize,
    anonymous_prefix: String,
    words: Words,
    /// Where conditions are joined with `&` in parentheses.
    joined: Vec<Span>,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Parser<'a> {
    fn clause(&mut self) -> Result<Form, Reported> {
        let start = self.span;
        self.depth = 0;
        self.anonymous = 0;
        let head = match self.condition()? {
            Condition::Sentence(sentence) => sentence,
            Condition::Not(word, _) | Condition::Or(word, _) | Condition::Distinct(word, ..) => {
                self.diagnostics.push(Diagnostic::new(
                    Code::HeadNotASentence,
                    word.span,
                    format!("`{}` stands where a sentence belongs", word.spelling),
                    "a fact or the head of a rule is one sentence; conditions come after `:-`",
                ));
                return Err(Reported);
            }
        };
        let mut body = None;
        if self.eat(":-") {
            let mut conditions = Vec::new();
            // A rule without conditions needs its full stop, since conditions may follow on the
            // next line.
            if !matches!(self.token, Token::End | Token::Mark(".")) {
                loop {
                    conditions.push(self.condition()?);
                    if !self.eat(",") && !self.eat("&") {
                        break;
                    }
                }
            }
            body = Some(conditions);
        }
        let end = self.previous_end;
        if !self.eat(".") && !self.at_clause_end() {
            let hint = match self.token {
                Token::Mark("|") => "put a disjunction in parentheses: (a | b)",
                Token::Mark(")") => "this parenthesis closes nothing",
                _ => "join conditions with `,` or `&`; end a clause with a full stop",
            };
            return self.unexpected(hint);
        }
        Ok(Form {
            head,
            body,
            span: Span {
                start: start.start,
                end,
            },
            lines_before: 1,
        })
    }

    /// Whether a clause without a full stop can end here: the next one starts on a new line.
    fn at_clause_end(&self) -> bool {
        match &self.token {
            Token::End | Token::Mark(".") => true,
            Token::Name(_) => {
                let between = &self.text[self.previous_end as usize..self.span.start as usize];
                between.contains(['\n', '\r'])
            }
            _ => false,
        }
    }

    fn condition(&mut self) -> Result<Condition, Reported> {
        self.deeper()?;
        let condition = match &self.token {
            Token::Mark("~") => {
                let word = self.words.word("not", self.span);
                self.advance();
                Condition::Not(word, Box::new(self.condition()?))
            }
            Token::Mark("(") => self.group()?,
            Token::Name(_) => self.sentence_or_connective()?,
            Token::Variable(_) => {
                return self.unexpected(
                    "terms that differ are distinct(X, Y); GDL has no arithmetic, so a sum is looked up in a \
                     table: sum(A, B, N)",
                );
            }
            _ => return self.unexpected("a condition starts with a name, `~`, `not` or `(`"),
        };
        self.depth -= 1;
        Ok(condition)
    }

    /// `( c )` or `( c | d | ... )`, where each part may be `c & d & ...`.
    fn group(&mut self) -> Result<Condition, Reported> {
        let open = self.span;
        self.advance();
        let first = self.conjunction()?;
        let mut conditions = vec![first];
        while self.eat("|") {
            conditions.push(self.conjunction()?);
        }
        self.close(open, "conditions are joined with `&` or `|`")?;
        match <[Condition; 1]>::try_from(conditions) {
            Ok([single]) => Ok(single),
            Err(conditions) => Ok(Condition::Or(self.words.word("or", open), conditions)),
        }
    }

    /// Conditions joined with `&` inside parentheses: one, or what prefix form writes as `(and c d ...)`.
    fn conjunction(&mut self) -> Result<Condition, Reported> {
        let first = self.condition()?;
        if !matches!(self.token, Token::Mark("&" | ",")) {
            return Ok(first);
        }
        let word = self.words.word("and", self.span);
        let mut conditions = vec![first];
        while self.eat("&") || self.eat(",") {
            conditions.push(self.condition()?);
        }
        self.joined.push(word.span);
        Ok(Condition::Sentence(WrittenSentence {
            word,
            parenthesised: true,
            arguments: conditions.into_iter().map(WrittenTerm::from).collect(),
        }))
    }

    fn sentence_or_connective(&mut self) -> Result<Condition, Reported> {
        let word = self.take_word()?;
        let open = self.span;
        match word.as_str() {
            // `not(p(X))` and `not p(X)`.
            "not" => Ok(Condition::Not(word, Box::new(self.condition()?))),
            "or" if self.eat("(") => {
                let mut conditions = Vec::new();
                if self.token != Token::Mark(")") {
                    conditions.push(self.condition()?);
                    while self.eat(",") || self.eat("|") {
                        conditions.push(self.condition()?);
                    }
                }
                self.close(open, "separate the conditions of `or` with `,`")?;
                Ok(Condition::Or(word, conditions))
            }
            "distinct" if self.token == Token::Mark("(") => {
                let terms = self.arguments()?;
                let count = terms.len();
                let Ok([left, right]) = <[WrittenTerm; 2]>::try_from(terms) else {
                    self.diagnostics.push(Diagnostic::new(
                        Code::ConnectiveArity,
                        word.span,
                        format!("`distinct` takes two terms, not {count}"),
                        "write distinct(X, Y)",
                    ));
                    return Err(Reported);
                };
                Ok(Condition::Distinct(word, left, right))
            }
            text if is_connective(text) => {
                self.diagnostics.push(Diagnostic::new(
                    Code::NotASentence,
                    word.span,
                    format!("`{}` stands where a sentence belongs", word.spelling),
                    "write or(a, b) and distinct(X, Y)",
                ));
                Err(Reported)
            }
            _ => {
                let parenthesised = self.token == Token::Mark("(");
                let arguments = if parenthesised {
                    self.arguments()?
                } else {
                    Vec::new()
                };
                Ok(Condition::Sentence(WrittenSentence {
                    word,
                    parenthesised,
                    arguments,
                }))
            }
        }
    }

    /// `( term, term, ... )`, at the parenthesis.
    fn arguments(&mut self) -> Result<Vec<WrittenTerm>, Reported> {
        let open = self.span;
        self.deeper()?;
        self.advance();
        let mut terms = Vec::new();
        if self.token != Token::Mark(")") {
            terms.push(self.term()?);
            while self.eat(",") {
                terms.push(self.term()?);
            }
        }
        self.close(open, "separate arguments with `,`")?;
        self.depth -= 1;
        Ok(terms)
    }

    fn term(&mut self) -> Result<WrittenTerm, Reported> {
        match &self.token {
            Token::Variable(name) => {
                let word = self.words.word(name, self.span);
                self.advance();
                if self.token == Token::Mark("(") {
                    self.diagnostics.push(Diagnostic::new(
                        Code::VariableAsName,
                        word.span,
                        format!("the variable `{}` is used as a function", word.spelling),
                        "names of functions start with a lower-case letter, or stand in quotes",
                    ));
                    return Err(Reported);
                }
                Ok(WrittenTerm::Variable(word))
            }
            Token::Anonymous => {
                self.anonymous += 1;
                let count = self.anonymous;
                let name = format!("{}{count}", self.anonymous_prefix());
                let word = self.words.word(&name, self.span);
                self.advance();
                Ok(WrittenTerm::Variable(word))
            }
            Token::Name(_) => {
                let word = self.take_word()?;
                if self.token == Token::Mark("(") {
                    return Ok(WrittenTerm::Function(word, self.arguments()?));
                }
                Ok(WrittenTerm::Constant(word))
            }
            Token::Mark("(") => {
                let word = self.words.word(WrittenTerm::TUPLE, self.span);
                let mut terms = self.arguments()?;
                match terms.len() {
                    0 => self.unexpected("a tuple has at least two terms"),
                    1 => Ok(terms.remove(0)),
                    _ => Ok(WrittenTerm::Function(word, terms)),
                }
            }
            _ => self.unexpected("a term is a name, a variable, or name(term, ...)"),
        }
    }

    /// The start of names for `_`: one that the text does not contain.
    fn anonymous_prefix(&mut self) -> &str {
        if self.anonymous_prefix.is_empty() {
            let text = self.text.to_lowercase();
            self.anonymous_prefix = "_any".to_owned();
            while text.contains(&self.anonymous_prefix) {
                self.anonymous_prefix.push('x');
            }
        }
        &self.anonymous_prefix
    }

    fn take_word(&mut self) -> Result<Word, Reported> {
        let Token::Name(name) = &self.token else {
            return self.unexpected("a name belongs here");
        };
        let word = self.words.word(name, self.span);
        self.advance();
        Ok(word)
    }

    fn close(&mut self, open: Span, hint: &str) -> Result<(), Reported> {
        if self.eat(")") {
            return Ok(());
        }
        if self.at_clause_end() {
            self.diagnostics.push(Diagnostic::new(
                Code::UnclosedParenthesis,
                open,
                "this parenthesis is not closed in its clause".to_owned(),
                "add the missing `)`",
            ));
            return Err(Reported);
        }
        self.unexpected(hint)
    }

    fn deeper(&mut self) -> Result<(), Reported> {
        self.depth += 1;
        if self.depth <= MAXIMUM_NESTING {
            return Ok(());
        }
        let message = format!("this is nested more than {MAXIMUM_NESTING} deep");
        self.error(
            Code::TooDeep,
            message,
            "use flatter terms; known games stay below 30",
        );
        Err(Reported)
    }

    fn advance(&mut self) {
        self.previous_end = self.span.end;
        (self.token, self.span) = self.tokens.next(self.diagnostics);
    }

    fn eat(&mut self, mark: &'static str) -> bool {
        let found = self.token == Token::Mark(mark);
        if found {
            self.advance();
        }
        found
    }

    /// Goes to where the next clause starts, at least one token on from where this one started.
    fn recover(&mut self, start: Span) {
        if self.span == start {
            self.advance();
        }
        loop {
            match &self.token {
                Token::End => return,
                Token::Mark(".") => return self.advance(),
                Token::Name(_) if self.starts_line() => return,
                _ => self.advance(),
            }
        }
    }

    fn starts_line(&self) -> bool {
        let before = &self.text.as_bytes()[..self.span.start as usize];
        before.last().is_none_or(|b| matches!(b, b'\n' | b'\r'))
    }

    fn unexpected<T>(&mut self, hint: &str) -> Result<T, Reported> {
        let code = match self.token {
            Token::Mark(")") => Code::UnmatchedParenthesis,
            _ => Code::UnexpectedText,
        };
        let message = format!("{} cannot stand here", self.token.describe());
        self.error(code, message, hint);
        Err(Reported)
    }

    fn error(&mut self, code: Code, message: String, hint: &str) {
        self.diagnostics
            .push(Diagnostic::new(code, self.span, message, hint));
    }
}
