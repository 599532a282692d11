//! JSON text to a strategy.
//!
//! Reading checks the form only: fields, fractions, terms, an answer of every opponent. Whether
//! the strategy makes sense for a game is for [`verify`](super::verify()) to say.

use super::policy::{Answer, Decision, Heading, Position, Response, Strategy};
use super::shape::{
    Depth, FORMAT, Text, UNBOUNDED, VERSION, Written, WrittenDecision, WrittenHeading,
    WrittenResponse,
};
use super::table::{TermNumber, TermTable};
use gdl::game::{Aim, Sides, ValueRange};
use gdl::{Name, Term, parse_terms};
use num_rational::BigRational;
use num_traits::Signed;
use serde::Deserialize;

/// Why a text is no strategy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReadError {
    /// The text is not JSON of the right shape.
    #[error("this is no strategy in the format of docs/strategy-format.md: {0}")]
    Shape(String),
    /// The text announces something else.
    #[error(
        "this is no strategy in the format of docs/strategy-format.md: `format` is {found:?}, not {FORMAT:?}"
    )]
    Format {
        /// Its format.
        found: String,
    },
    /// A strategy in another version of the format.
    #[error("this strategy is in version {found} of the format; version {VERSION} is read here")]
    Version {
        /// Its version.
        found: u64,
    },
    /// A field holds a value that has no meaning there.
    #[error("{place}: {message}")]
    Content {
        /// The place: the field, and for positions the list and the number, from 1.
        place: String,
        /// The mistake, and the content that belongs there.
        message: String,
    },
}

/// Reads a strategy whose format was looked at.
pub(super) fn read_known(text: &[u8]) -> Result<Strategy, ReadError> {
    let written: Written<'_> = parsed(text)?;
    let mut reader = Reader::default();
    let heading = reader.heading(&written.heading)?;
    let player = reader.side("player", &written.player, Reader::decision)?;
    let names: Vec<&str> = heading.opponents().map(Name::as_str).collect();
    let opponents = reader.side("opponents", &written.opponents, |reader, response| {
        reader.response(response, &names)
    })?;
    Ok(Strategy {
        heading,
        terms: reader.terms,
        player,
        opponents,
    })
}

/// JSON of the right shape.
pub(super) fn parsed<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, ReadError> {
    serde_json::from_slice(text).map_err(|error| ReadError::Shape(error.to_string()))
}

/// A field that holds a value that has no meaning there.
pub(super) struct Wrong {
    field: &'static str,
    message: String,
}

impl Wrong {
    pub(super) fn new(field: &'static str, message: impl ToString) -> Self {
        Wrong {
            field,
            message: message.to_string(),
        }
    }

    /// In the position with this index of a list.
    pub(super) fn within(self, list: &str, index: usize) -> ReadError {
        ReadError::Content {
            place: format!("`{}` of position {} in `{list}`", self.field, index + 1),
            message: self.message,
        }
    }
}

impl From<Wrong> for ReadError {
    fn from(wrong: Wrong) -> Self {
        ReadError::Content {
            place: format!("`{}`", wrong.field),
            message: wrong.message,
        }
    }
}

fn depth(written: &Depth) -> Result<Option<u32>, Wrong> {
    match written {
        Depth::Steps(steps) => Ok(Some(*steps)),
        Depth::Word(word) if word == UNBOUNDED => Ok(None),
        Depth::Word(word) => {
            let message = format!("{word:?} is neither a number of steps nor {UNBOUNDED:?}");
            Err(Wrong::new("depth", message))
        }
    }
}

#[derive(Default)]
pub(super) struct Reader {
    /// The range of values, whatever the game.
    range: Option<ValueRange>,
    pub(super) terms: TermTable,
    /// The same terms are read over and over.
    known: rustc_hash::FxHashMap<String, TermNumber>,
}

impl Reader {
    pub(super) fn heading(&mut self, written: &WrittenHeading<'_>) -> Result<Heading, Wrong> {
        let objective: Aim =
            (written.objective.parse()).map_err(|error: String| Wrong::new("objective", error))?;
        self.range = Some(objective.widest_range());
        let name = |text: &String| Name::new(&text.to_lowercase());
        let roles: Vec<Name> = written.roles.iter().map(name).collect();
        let role = name(&written.role);
        Sides::of(&roles, &role).map_err(|error| Wrong::new("role", error))?;
        let start = self.facts("start", &written.start)?;
        Ok(Heading {
            game: written.game.clone(),
            rules: written.rules_sha256.to_lowercase(),
            role,
            roles,
            depth: depth(&written.depth)?,
            objective,
            start: self.terms.terms(&start),
            value: self.value(&written.value)?,
        })
    }

    /// The entries of a list. A mistake is told with its list and its number there.
    pub(super) fn side<W, T>(
        &mut self,
        list: &str,
        written: &[W],
        mut read: impl FnMut(&mut Self, &W) -> Result<T, Wrong>,
    ) -> Result<Vec<T>, ReadError> {
        let entries = written.iter().enumerate();
        let entries = entries.map(|(index, entry)| {
            let entry = read(self, entry);
            entry.map_err(|wrong| wrong.within(list, index))
        });
        entries.collect()
    }

    fn decision(&mut self, written: &WrittenDecision<'_>) -> Result<Decision, Wrong> {
        Ok(Decision {
            position: self.position(&written.state, written.steps)?,
            action: self.term("move", &written.action.0)?,
            value: self.claim(written.value.as_ref())?,
        })
    }

    fn response(
        &mut self,
        written: &WrittenResponse<'_>,
        opponents: &[&str],
    ) -> Result<Response, Wrong> {
        let mut answers = Vec::with_capacity(written.answers.len());
        for answer in &written.answers {
            let missing = opponents
                .iter()
                .find(|role| !answer.reply.contains_key(**role));
            if let Some(role) = missing {
                return Err(Wrong::new("reply", format!("there is no move of {role}")));
            }
            let odd = answer
                .reply
                .keys()
                .find(|role| !opponents.contains(&role.as_str()));
            if let Some(role) = odd {
                return Err(Wrong::new("reply", format!("{role} is no opponent")));
            }
            let mut reply = Vec::with_capacity(opponents.len());
            for role in opponents {
                reply.push(self.term("reply", &answer.reply[*role].0)?);
            }
            answers.push(Answer {
                action: self.term("move", &answer.action.0)?,
                reply: reply.into(),
                value: self.claim(answer.value.as_ref())?,
            });
        }
        Ok(Response {
            position: self.position(&written.state, written.steps)?,
            value: self.claim(written.value.as_ref())?,
            answers,
        })
    }

    pub(super) fn position(
        &mut self,
        state: &[Text<'_>],
        steps: Option<u32>,
    ) -> Result<Position, Wrong> {
        let facts = self.facts("state", state)?;
        Ok(Position { facts, steps })
    }

    pub(super) fn facts(
        &mut self,
        field: &'static str,
        texts: &[Text<'_>],
    ) -> Result<Box<[TermNumber]>, Wrong> {
        texts.iter().map(|text| self.term(field, &text.0)).collect()
    }

    pub(super) fn term(&mut self, field: &'static str, text: &str) -> Result<TermNumber, Wrong> {
        if let Some(&number) = self.known.get(text) {
            return Ok(number);
        }
        let terms = parse_terms(text).map_err(|error| Wrong::new(field, error))?;
        let [term]: &[Term; 1] = terms.as_slice().try_into().map_err(|_| {
            let found = terms.len();
            Wrong::new(
                field,
                format!("{text:?} is {found} terms, where one belongs"),
            )
        })?;
        let number = self.terms.number(term);
        self.known.insert(text.to_owned(), number);
        Ok(number)
    }

    pub(super) fn claim(&self, text: Option<&Text<'_>>) -> Result<Option<BigRational>, Wrong> {
        text.map(|text| self.value(&text.0)).transpose()
    }

    /// A probability.
    pub(super) fn share(&self, text: &Text<'_>) -> Result<BigRational, Wrong> {
        text.0.parse().map_err(|_| {
            let message = format!("{:?} is no fraction, such as \"2/3\"", text.0);
            Wrong::new("probability", message)
        })
    }

    /// A value as a fraction, such as `2/3`, `0` and `1`.
    pub(super) fn value(&self, text: &str) -> Result<BigRational, Wrong> {
        let is_plain = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'-'));
        let value: Option<BigRational> = text.parse().ok().filter(|_| is_plain);
        let (least, largest) =
            (self.range.as_ref()).map_or_else(Default::default, ValueRange::ends);
        let is_bounded = self.range.as_ref().is_none_or(ValueRange::is_bounded);
        value
            .filter(|value| value.is_negative() == text.starts_with('-'))
            .filter(|value| *value >= least && (*value <= largest || !is_bounded))
            .ok_or_else(|| {
                let to = match is_bounded {
                    true => format!(" to {largest}"),
                    false => " on".to_owned(),
                };
                let message = format!("{text:?} is no fraction from {least}{to}, such as \"2/3\"");
                Wrong::new("value", message)
            })
    }
}
