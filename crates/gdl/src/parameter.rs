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
    let found = comments(files).filter_map(|comment| parameter(&comment).ok().flatten());
    found.collect()
}

fn comments(files: &[(String, Vec<u8>)]) -> impl Iterator<Item = Comment> {
    files.iter().flat_map(|(_, bytes)| {
        let text = String::from_utf8_lossy(bytes);
        crate::read(&text, 0, &mut Diagnostics::default()).comments
    })
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
            return Err(no_parameter(name, files));
        };
        if !parameter.range.contains(number) {
            return Err(format!(
                "`{name}` cannot be {number}: the game allows numbers from {} to {}",
                parameter.range.start(),
                parameter.range.end()
            ));
        }
        for (_, bytes) in &mut *files {
            // Places in text that is not UTF-8 are those of its replacement; the reader refuses such files.
            let Ok(text) = std::str::from_utf8(bytes) else {
                continue;
            };
            let description = crate::read(text, 0, &mut Diagnostics::default());
            if let [(word, _)] = facts(&description.forms, name)[..] {
                bytes.splice(word.span.range(), number.to_string().into_bytes());
            }
        }
    }
    Ok(())
}

/// Says that the texts of a game have no parameter of this name, and the parameters that they have. A comment that
/// should declare it and is wrong is named.
pub fn no_parameter(name: &str, files: &[(String, Vec<u8>)]) -> String {
    let is_meant = |comment: &Comment| {
        let mut words = comment.text.split_whitespace().skip(1);
        words.next().is_some_and(|word| word.to_lowercase() == name)
    };
    let wrong = comments(files).find_map(|comment| match parameter(&comment) {
        Err(message) if is_meant(&comment) => Some((message, comment.text)),
        _ => None,
    });
    if let Some((message, comment)) = wrong {
        return format!(
            "the comment `; {}` declares no parameter: {message}",
            comment.trim()
        );
    }
    let known = parameters(files);
    let names: Vec<String> = known.iter().map(ToString::to_string).collect();
    let there_is = match &names[..] {
        [] => format!("; the line `; parameter {name} 1..9` beside the fact ({name} 5) makes one"),
        names => format!("; there is {}", names.join(", ")),
    };
    let meant = did_you_mean(name, known.iter().map(|parameter| parameter.name.as_str()));
    format!("the game has no parameter `{name}`{meant}{there_is}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_not_utf8_is_left_to_the_reader() {
        // Each byte of the comment becomes three, so that places behind it are outside of the bytes.
        let mut bytes = b"; parameter target 1..9\n;".to_vec();
        bytes.extend([0xe9; 40]);
        bytes.extend(b"\n(target 5)");
        let mut files = vec![("latin.gdl".to_owned(), bytes.clone())];
        set_parameters(&mut files, &[("target".to_owned(), 7)]).unwrap();
        assert_eq!(files[0].1, bytes);
        let mut files = vec![(
            "e.gdl".to_owned(),
            "; é parameter\n; parameter target 1..9\n(target 5)".into(),
        )];
        set_parameters(&mut files, &[("target".to_owned(), 7)]).unwrap();
        assert!(files[0].1.ends_with(b"(target 7)"));
    }

    #[test]
    fn a_wrong_declaration_is_named() {
        for (text, part) in [
            ("; parameter pond 2-12\n(pond 7)", "write it as"),
            ("; parameter POND 9..2\n(pond 7)", "has no number"),
            ("; parameter pond 2..12 by 2\n(pond 7)", "write it as"),
        ] {
            let mut files = vec![("pond.gdl".to_owned(), text.into())];
            let settings = [("pond".to_owned(), 3)];
            let message = set_parameters(&mut files, &settings).unwrap_err();
            assert!(message.contains("declares no parameter: "), "{message}");
            assert!(message.contains(part), "{message}");
            let message = no_parameter("size", &files);
            assert!(message.contains("has no parameter `size`"), "{message}");
        }
    }
}
