//! A description as it was written: forms, conditions and terms with their places and spelling.
//!
//! Both syntaxes are read into these types. Two descriptions are equal when
//! they have the same forms with the same names in lower case; places, spelling and comments do
//! not count. This is the meaning of "round trip" in the tests.
//!
//! Every place is that of a [`Word`]: a list is located by the word it starts with. Nesting is
//! bounded by [`MAXIMUM_NESTING`], so recursion over these types needs little stack.

use super::span::Span;
use super::syntax::Name;
use std::hash::{Hash, Hasher};

/// The deepest nesting of parentheses that is read. Real games stay below 30.
pub const MAXIMUM_NESTING: usize = 400;

/// The largest numerator and denominator of goal values that are taken, and the negative of the least numerator; GDL itself takes 0 to 100.
pub const MAX_POINTS: u32 = 1_000_000;

/// The two ways to write descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Prefix form (KIF): `(<= terminal (true (step 9)))`.
    Kif,
    /// Infix form: `terminal :- true(step(9)).`
    Infix,
}

/// One name where it stands in the text.
#[derive(Clone, Debug)]
pub struct Word {
    /// The name in lower case, without a variable's question mark.
    pub name: Name,
    /// The name as it was written, without a variable's question mark.
    pub spelling: Name,
    pub span: Span,
}

impl Word {
    /// This name in the place of another word.
    pub(crate) fn like(name: &Name, at: &Word) -> Self {
        Word {
            name: name.clone(),
            spelling: name.clone(),
            span: at.span,
        }
    }

    /// The name in lower case.
    pub fn as_str(&self) -> &str {
        self.name.as_str()
    }
}

impl PartialEq for Word {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Word {}

impl Hash for Word {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// A term as written. A function without arguments is a constant in needless parentheses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WrittenTerm {
    /// A name that stands for itself.
    Constant(Word),
    Variable(Word),
    /// A function and its arguments.
    Function(Word, Vec<WrittenTerm>),
}

/// A condition as a term of the same text: how `and` holds the conditions that it joins.
impl From<Condition> for WrittenTerm {
    fn from(condition: Condition) -> Self {
        match condition {
            Condition::Sentence(sentence) if !sentence.parenthesised => {
                WrittenTerm::Constant(sentence.word)
            }
            Condition::Sentence(sentence) => {
                WrittenTerm::Function(sentence.word, sentence.arguments)
            }
            Condition::Not(word, inner) => WrittenTerm::Function(word, vec![(*inner).into()]),
            Condition::Or(word, parts) => {
                WrittenTerm::Function(word, parts.into_iter().map(WrittenTerm::from).collect())
            }
            Condition::Distinct(word, left, right) => {
                WrittenTerm::Function(word, vec![left, right])
            }
        }
    }
}

impl WrittenTerm {
    /// The mark of a tuple of infix form, in place of a function's name, until it gets one.
    pub(crate) const TUPLE: &str = "(";

    /// The first word, which locates the term.
    pub fn word(&self) -> &Word {
        match self {
            WrittenTerm::Constant(word)
            | WrittenTerm::Variable(word)
            | WrittenTerm::Function(word, _) => word,
        }
    }

    /// This term and all terms inside it, each before those inside it.
    pub fn terms(&self) -> impl Iterator<Item = &WrittenTerm> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let term = open.pop()?;
            if let WrittenTerm::Function(_, arguments) = term {
                open.extend(arguments.iter().rev());
            }
            Some(term)
        })
    }

    /// Calls `f` on this term and then on all terms inside it, to change them.
    pub(crate) fn change(&mut self, f: &mut impl FnMut(&mut WrittenTerm)) {
        f(self);
        if let WrittenTerm::Function(_, arguments) = self {
            for argument in arguments {
                argument.change(f);
            }
        }
    }

    /// The variable, if it is one.
    fn as_variable(&self) -> Option<&Word> {
        match self {
            WrittenTerm::Variable(word) => Some(word),
            WrittenTerm::Constant(_) | WrittenTerm::Function(..) => None,
        }
    }

    /// Every occurrence of a variable.
    pub fn variables(&self) -> impl Iterator<Item = &Word> {
        self.terms().filter_map(WrittenTerm::as_variable)
    }

    /// Whether no variable occurs.
    pub fn is_ground(&self) -> bool {
        self.variables().next().is_none()
    }
}

/// A relation and its arguments, as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WrittenSentence {
    /// The relation.
    pub word: Word,
    pub arguments: Vec<WrittenTerm>,
    /// Whether there are parentheses; without arguments they are needless.
    pub parenthesised: bool,
}

impl WrittenSentence {
    /// The relation's name in lower case.
    pub fn name(&self) -> &str {
        self.word.as_str()
    }

    /// Every term, those inside others included.
    pub fn terms(&self) -> impl Iterator<Item = &WrittenTerm> {
        self.arguments.iter().flat_map(WrittenTerm::terms)
    }

    /// Every occurrence of a variable.
    pub fn variables(&self) -> impl Iterator<Item = &Word> {
        self.terms().filter_map(WrittenTerm::as_variable)
    }
}

/// A condition of a rule body, as written. The words are those of the connectives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    Sentence(WrittenSentence),
    /// The condition does not hold. Valid only around a sentence.
    Not(Word, Box<Condition>),
    /// At least one of the conditions holds.
    Or(Word, Vec<Condition>),
    Distinct(Word, WrittenTerm, WrittenTerm),
}

impl Condition {
    /// This condition and all conditions inside it, each with whether it is below a `not`.
    pub fn parts(&self) -> impl Iterator<Item = (&Condition, bool)> {
        let mut open = vec![(self, false)];
        std::iter::from_fn(move || {
            let (part, negated) = open.pop()?;
            match part {
                Condition::Not(_, inner) => open.push((&**inner, true)),
                Condition::Or(_, inner) => {
                    open.extend(inner.iter().rev().map(|inner| (inner, negated)));
                }
                Condition::Sentence(_) | Condition::Distinct(..) => {}
            }
            Some((part, negated))
        })
    }

    /// Calls `f` on this condition and then on all conditions inside it, to change them.
    pub(crate) fn change(&mut self, f: &mut impl FnMut(&mut Condition)) {
        f(self);
        match self {
            Condition::Not(_, inner) => inner.change(f),
            Condition::Or(_, inner) => inner.iter_mut().for_each(|c| c.change(f)),
            Condition::Sentence(_) | Condition::Distinct(..) => {}
        }
    }

    /// Every sentence, with whether it is below a `not`.
    pub fn sentences(&self) -> impl Iterator<Item = (&WrittenSentence, bool)> {
        self.parts().filter_map(|(part, negated)| match part {
            Condition::Sentence(sentence) => Some((sentence, negated)),
            Condition::Not(..) | Condition::Or(..) | Condition::Distinct(..) => None,
        })
    }

    /// The terms of this condition, without those of conditions inside it.
    fn own_terms(&self) -> Vec<&WrittenTerm> {
        match self {
            Condition::Sentence(sentence) => sentence.terms().collect(),
            Condition::Distinct(_, left, right) => left.terms().chain(right.terms()).collect(),
            Condition::Not(..) | Condition::Or(..) => Vec::new(),
        }
    }
}

/// A fact or a rule, as written.
#[derive(Clone, Debug)]
pub struct Form {
    /// The sentence that is stated or derived.
    pub head: WrittenSentence,
    /// The conditions; nothing for a fact, an empty list for a rule without conditions.
    pub body: Option<Vec<Condition>>,
    /// From the first to the last character.
    pub span: Span,
    /// How many line ends, at most 2, are between this and what stands before.
    pub lines_before: u8,
}

impl PartialEq for Form {
    fn eq(&self, other: &Self) -> bool {
        (&self.head, &self.body) == (&other.head, &other.body)
    }
}

impl Form {
    /// The conditions, none for a fact.
    pub fn conditions(&self) -> &[Condition] {
        self.body.as_deref().unwrap_or_default()
    }

    /// All conditions of the body, those inside others included, each with whether it is below a `not`.
    pub fn parts(&self) -> impl Iterator<Item = (&Condition, bool)> {
        self.conditions().iter().flat_map(Condition::parts)
    }

    /// Every sentence of the body, with whether it is below a `not`.
    pub fn body_sentences(&self) -> impl Iterator<Item = (&WrittenSentence, bool)> {
        self.conditions().iter().flat_map(Condition::sentences)
    }

    /// The head, and every sentence of the body.
    pub fn sentences(&self) -> impl Iterator<Item = &WrittenSentence> {
        let body = self.body_sentences().map(|(sentence, _)| sentence);
        std::iter::once(&self.head).chain(body)
    }

    /// Every term of head and body, those inside others included.
    pub fn terms(&self) -> impl Iterator<Item = &WrittenTerm> {
        let body = self.parts().flat_map(|(part, _)| part.own_terms());
        self.head.terms().chain(body)
    }

    /// Every occurrence of a variable.
    pub fn variables(&self) -> impl Iterator<Item = &Word> {
        self.terms().filter_map(WrittenTerm::as_variable)
    }

    /// Calls `f` on the head and on every sentence of the body, to change them.
    pub(crate) fn change_sentences(&mut self, f: &mut impl FnMut(&mut WrittenSentence)) {
        f(&mut self.head);
        for condition in self.body.iter_mut().flatten() {
            condition.change(&mut |part| {
                if let Condition::Sentence(sentence) = part {
                    f(sentence);
                }
            });
        }
    }

    /// Calls `f` on every term of head and body, those inside others included, to change them.
    pub(crate) fn change_terms(&mut self, f: &mut impl FnMut(&mut WrittenTerm)) {
        self.head
            .arguments
            .iter_mut()
            .for_each(|term| term.change(f));
        for condition in self.body.iter_mut().flatten() {
            condition.change(&mut |part| match part {
                Condition::Sentence(sentence) => {
                    sentence
                        .arguments
                        .iter_mut()
                        .for_each(|term| term.change(f));
                }
                Condition::Distinct(_, left, right) => {
                    left.change(f);
                    right.change(f);
                }
                Condition::Not(..) | Condition::Or(..) => {}
            });
        }
    }
}

/// A comment, one line of it, without its mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// How often the mark was repeated: 3 for `;;; title`.
    pub marks: usize,
    /// The text behind the mark, blanks included.
    pub text: String,
    pub span: Span,
    /// How many line ends, at most 2, are between this and what stands before.
    pub lines_before: u8,
}

/// Everything in a file that could be read.
#[derive(Clone, Debug)]
pub struct Description {
    /// How it was written.
    pub syntax: Syntax,
    /// Facts and rules in order.
    pub forms: Vec<Form>,
    pub comments: Vec<Comment>,
}

impl Description {
    /// Whether there is a fact or a rule for the relation of this name.
    pub(crate) fn defines(&self, relation: &str) -> bool {
        self.forms.iter().any(|form| form.head.name() == relation)
    }

    /// Every term of all forms, those inside others included.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &WrittenTerm> {
        self.forms.iter().flat_map(Form::terms)
    }
}

impl PartialEq for Description {
    fn eq(&self, other: &Self) -> bool {
        self.forms == other.forms
    }
}

/// Makes words, sharing equal names so that a large file stays small in memory.
#[derive(Default)]
pub(crate) struct Words {
    known: rustc_hash::FxHashMap<Box<str>, (Name, Name)>,
}

impl Words {
    /// The word with this spelling at this place.
    pub(crate) fn word(&mut self, spelling: &str, span: Span) -> Word {
        if let Some((name, spelling)) = self.known.get(spelling) {
            return Word {
                name: name.clone(),
                spelling: spelling.clone(),
                span,
            };
        }
        let written = Name::new(spelling);
        let folded = spelling.to_lowercase();
        let name = if folded == spelling {
            written.clone()
        } else {
            self.word(&folded, span).name
        };
        self.known
            .insert(spelling.into(), (name.clone(), written.clone()));
        Word {
            name,
            spelling: written,
            span,
        }
    }
}
