//! Terms, sentences and rules after normalisation: names in lower case, no `or`, no sugar.
//!
//! Everything prints as canonical KIF text: single blanks, no blank next to a parenthesis, `(name)`
//! as `name`.

use std::fmt;
use std::sync::Arc;

/// A constant, function, relation or variable name. Cheap to clone; compares by its text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<str>);

impl Name {
    /// The name with this text. Variables are stored without their question mark.
    pub fn new(text: &str) -> Self {
        Name(text.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the name of the role that moves at random.
    pub fn is_random(&self) -> bool {
        self.as_str() == "random"
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A term: an argument of a relation or a function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// A name that stands for itself. `1` and `01` are different constants.
    Constant(Name),
    /// A variable, without its question mark.
    Variable(Name),
    /// A function applied to at least one term.
    Function(Name, Vec<Term>),
}

impl Term {
    /// Whether no variable occurs in this term.
    pub fn is_ground(&self) -> bool {
        match self {
            Term::Constant(_) => true,
            Term::Variable(_) => false,
            Term::Function(_, arguments) => arguments.iter().all(Term::is_ground),
        }
    }

    /// The name of a constant or a function.
    pub fn name(&self) -> Option<&Name> {
        match self {
            Term::Constant(name) | Term::Function(name, _) => Some(name),
            Term::Variable(_) => None,
        }
    }

    /// This term and all terms inside it, each before those inside it.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let term = open.pop()?;
            if let Term::Function(_, arguments) = term {
                open.extend(arguments.iter().rev());
            }
            Some(term)
        })
    }

    /// Changes this term and all terms inside it, each before those inside it.
    fn change(&mut self, f: &mut impl FnMut(&mut Term)) {
        f(self);
        if let Term::Function(_, arguments) = self {
            arguments.iter_mut().for_each(|inner| inner.change(f));
        }
    }

    /// Every occurrence of a variable.
    pub fn variables(&self) -> impl Iterator<Item = &Name> {
        self.terms().filter_map(|term| match term {
            Term::Variable(name) => Some(name),
            Term::Constant(_) | Term::Function(..) => None,
        })
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Constant(name) => write!(f, "{name}"),
            Term::Variable(name) => write!(f, "?{name}"),
            Term::Function(name, arguments) => write_list(f, name, arguments),
        }
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A relation: its name and its number of arguments.
pub type RelationKey = (Name, usize);

/// A relation applied to terms, possibly none.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sentence {
    /// The relation's name. Relations of different arity are different relations.
    pub relation: Name,
    /// The arguments.
    pub arguments: Vec<Term>,
}

impl Sentence {
    /// The relation.
    pub fn key(&self) -> RelationKey {
        (self.relation.clone(), self.arguments.len())
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.arguments.is_empty() {
            write!(f, "{}", self.relation)
        } else {
            write_list(f, &self.relation, &self.arguments)
        }
    }
}

impl fmt::Debug for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn write_list(f: &mut fmt::Formatter<'_>, name: &Name, arguments: &[Term]) -> fmt::Result {
    write!(f, "({name}")?;
    for argument in arguments {
        write!(f, " {argument}")?;
    }
    write!(f, ")")
}

/// A condition in a rule body.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Literal {
    /// The sentence holds.
    Positive(Sentence),
    /// The sentence does not hold (negation as failure).
    Negative(Sentence),
    /// The two terms are not the same.
    Distinct(Term, Term),
}

impl Literal {
    /// The sentence that holds or does not hold.
    pub fn sentence(&self) -> Option<&Sentence> {
        match self {
            Literal::Positive(sentence) | Literal::Negative(sentence) => Some(sentence),
            Literal::Distinct(..) => None,
        }
    }

    /// The arguments of the sentence, or the two terms.
    pub fn arguments(&self) -> impl Iterator<Item = &Term> {
        let (arguments, pair) = match self {
            Literal::Positive(sentence) | Literal::Negative(sentence) => {
                (&sentence.arguments[..], None)
            }
            Literal::Distinct(left, right) => (&[][..], Some([left, right])),
        };
        arguments.iter().chain(pair.into_iter().flatten())
    }

    /// Every occurrence of a variable.
    pub fn variables(&self) -> impl Iterator<Item = &Name> {
        self.arguments().flat_map(Term::variables)
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Positive(sentence) => write!(f, "{sentence}"),
            Literal::Negative(sentence) => write!(f, "(not {sentence})"),
            Literal::Distinct(left, right) => write!(f, "(distinct {left} {right})"),
        }
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A rule; a fact when the body is empty.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    /// The sentence derived.
    pub head: Sentence,
    /// The conditions, all of which must hold.
    pub body: Vec<Literal>,
}

impl Rule {
    /// The head, and the sentences of the body.
    pub fn sentences(&self) -> impl Iterator<Item = &Sentence> {
        let body = self.body.iter().filter_map(Literal::sentence);
        std::iter::once(&self.head).chain(body)
    }

    /// The same, to be changed.
    pub(crate) fn sentences_mut(&mut self) -> impl Iterator<Item = &mut Sentence> {
        let body = self.body.iter_mut().filter_map(|literal| match literal {
            Literal::Positive(sentence) | Literal::Negative(sentence) => Some(sentence),
            Literal::Distinct(..) => None,
        });
        std::iter::once(&mut self.head).chain(body)
    }

    /// Changes all terms, each before those inside it.
    pub(crate) fn change_terms(&mut self, f: &mut impl FnMut(&mut Term)) {
        for sentence in self.sentences_mut() {
            sentence
                .arguments
                .iter_mut()
                .for_each(|term| term.change(f));
        }
        for literal in &mut self.body {
            if let Literal::Distinct(left, right) = literal {
                left.change(f);
                right.change(f);
            }
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.body.is_empty() {
            return write!(f, "{}", self.head);
        }
        write!(f, "(<= {}", self.head)?;
        for literal in &self.body {
            write!(f, " {literal}")?;
        }
        write!(f, ")")
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
