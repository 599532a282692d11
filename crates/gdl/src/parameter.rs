//! Parameters: numbers of a game that can be set when it is read. The comment `; parameter target 10..100 step 10` says which
//! numbers the fact `(target 30)` may have.
//!
//! A parameter is set in the text, before it is read as a game, so that all places and all later stages are those of a game
//! in which the number was written by hand.

use crate::description::{Comment, Description, Form, Word, WrittenTerm};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::similar::did_you_mean;
use std::fmt;
use std::ops::RangeInclusive;

/// A parameter of a game, and its numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The relation of its fact.
    pub name: String,
    /// The smallest and the largest number that it may have.
    pub range: RangeInclusive<u32>,
    /// From one number of a sweep to the next.
    pub step: u32,
}

impl Parameter {
    /// The numbers of a sweep.
    pub fn values(&self) -> impl Iterator<Item = u32> + use<> {
        self.range.clone().step_by(self.step as usize)
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (self.range.start(), self.range.end());
        write!(f, "`{}` from {first} to {last}", self.name)
    }
}

/// The parameters that the texts of a game have.
pub fn parameters(files: &[(String, Vec<u8>)]) -> Vec<Parameter> {
    let read = files.iter().flat_map(|(_, bytes)| read(bytes).comments);
    let found = read.filter_map(|comment| parameter(&comment).ok().flatten());
    found.collect()
}

/// Writes these numbers in place of those of the parameters.
///
/// # Errors
/// With the reason if a name is that of no parameter, or a number is outside of its range.
pub fn set_parameters(
    files: &mut [(String, Vec<u8>)],
    settings: &[(String, u32)],
) -> Result<(), String> {
    let known = if settings.is_empty() {
        Vec::new()
    } else {
        parameters(files)
    };
    for (name, number) in settings {
        let Some(parameter) = known.iter().find(|parameter| parameter.name == *name) else {
            return Err(no_parameter(name, &known));
        };
        if !parameter.range.contains(number) {
            return Err(format!(
                "`{name}` cannot be {number}: the game allows numbers from {} to {}",
                parameter.range.start(),
                parameter.range.end()
            ));
        }
        for (_, bytes) in &mut *files {
            let description = read(bytes);
            if let [(word, _)] = facts(&description.forms, name)[..] {
                bytes.splice(word.span.range(), number.to_string().into_bytes());
            }
        }
    }
    Ok(())
}

/// Says that a game has no parameter of this name, and what it has.
pub fn no_parameter(name: &str, known: &[Parameter]) -> String {
    let names: Vec<String> = known.iter().map(ToString::to_string).collect();
    let there_is = match &names[..] {
        [] => format!("; the line `; parameter {name} 1..9` beside the fact ({name} 5) makes one"),
        names => format!("; there is {}", names.join(", ")),
    };
    let meant = did_you_mean(name, known.iter().map(|parameter| parameter.name.as_str()));
    format!("the game has no parameter `{name}`{meant}{there_is}")
}

fn read(bytes: &[u8]) -> Description {
    crate::read(
        &String::from_utf8_lossy(bytes),
        0,
        &mut Diagnostics::default(),
    )
}

/// The parameter that a comment declares; nothing if it is about something else.
fn parameter(comment: &Comment) -> Result<Option<Parameter>, String> {
    let words: Vec<&str> = comment.text.split_whitespace().collect();
    let ["parameter", name, range, rest @ ..] = &words[..] else {
        return Ok(None);
    };
    if !range.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(None);
    }
    let range = range
        .split_once("..")
        .map(|(first, last)| (first.parse(), last.parse()));
    let (Some((Ok(first), Ok(last))), Ok(step)) = (range, step(rest)) else {
        return Err(format!("write it as `; parameter {name} 10..100 step 10`"));
    };
    if first > last || step == 0 {
        return Err(format!(
            "the parameter `{name}` has no number: the first may not be larger than the last, the step not 0"
        ));
    }
    Ok(Some(Parameter {
        name: name.to_lowercase(),
        range: first..=last,
        step,
    }))
}

fn step(words: &[&str]) -> Result<u32, ()> {
    match words {
        [] => Ok(1),
        ["step", number] => number.parse().map_err(drop),
        _ => Err(()),
    }
}

/// The facts with one number of this relation: where the number stands, and which one it is.
fn facts<'a>(forms: &'a [Form], name: &str) -> Vec<(&'a Word, u32)> {
    let of_name = forms.iter().filter(|form| form.head.name() == name);
    let numbers = of_name.filter_map(|form| match (&form.body, &form.head.arguments[..]) {
        (None, [WrittenTerm::Constant(word)]) => Some((word, word.as_str().parse().ok()?)),
        _ => None,
    });
    numbers.collect()
}

/// Refuses comments that declare no parameter, and parameters without their one fact.
pub(crate) fn check(description: &Description, diagnostics: &mut Diagnostics) {
    for comment in &description.comments {
        let message = match parameter(comment) {
            Ok(None) => continue,
            Err(message) => message,
            Ok(Some(parameter)) => {
                let Parameter { name, range, .. } = &parameter;
                let number = *range.start();
                let defining = description
                    .forms
                    .iter()
                    .filter(|form| form.head.name() == name);
                match (&facts(&description.forms, name)[..], defining.count()) {
                    ([(_, number)], 1) if range.contains(number) => continue,
                    ([(_, number)], 1) => {
                        format!("({name} {number}) is outside of the range of its parameter")
                    }
                    ([], _) => format!(
                        "the parameter `{name}` needs a fact with its number, such as ({name} {number})"
                    ),
                    _ => {
                        format!("the parameter `{name}` has several facts or rules; leave one fact")
                    }
                }
            }
        };
        diagnostics.push(Diagnostic::new(
            Code::Parameter,
            comment.span,
            message,
            "such a comment says which numbers a fact of the game may have",
        ));
    }
}
