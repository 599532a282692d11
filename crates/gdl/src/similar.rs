//! Names that are like another one: what was meant where one is misspelt, by their edit distance.

use crate::{Term, texts};

/// The most names that the suggestions for one text look at, since a text may have as many unknown names as known ones. Those of a game
/// are a few hundred.
const MAX_COMPARED: usize = 1_000_000;

/// Suggestions for the misspelt names of one text.
pub(crate) struct Suggestions {
    left: usize,
}

impl Suggestions {
    pub(crate) fn new() -> Self {
        Suggestions { left: MAX_COMPARED }
    }

    /// As [`did_you_mean`], as long as not too many names were compared.
    pub(crate) fn did_you_mean<'a>(
        &mut self,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> String {
        let left = &mut self.left;
        let compared = known.into_iter().map_while(|name| {
            *left = left.checked_sub(1)?;
            Some(name)
        });
        did_you_mean(name, compared)
    }
}

/// The name that was meant by a misspelt one, if one is close: a letter or two are wrong, missing, too many, or
/// have changed places. Terms are compared name by name; they have the same parentheses.
pub(crate) fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known = known.into_iter();
    let close = known.filter_map(|other| Some((distance(name, other)?, other)));
    let close = close.filter(|(distance, _)| *distance > 0);
    close.min().map(|(_, other)| other)
}

/// How many letters are wrong in a text whose names are close to those of another one, or the same.
fn distance(text: &str, other: &str) -> Option<usize> {
    const MARKS: [char; 3] = ['(', ')', ' '];
    if !text.matches(MARKS).eq(other.matches(MARKS)) {
        return None;
    }
    let names = text.split(MARKS).zip(other.split(MARKS));
    names.map(|(name, other)| name_distance(name, other)).sum()
}

fn name_distance(name: &str, other: &str) -> Option<usize> {
    let is_number = |name: &str| name.bytes().any(|byte| byte.is_ascii_digit());
    if name == other {
        return Some(0);
    }
    let length = name.chars().count();
    let most = (length / 3).min(2);
    let is_short = name.len().max(other.len()) <= MAX_BYTES;
    let may_be_meant = length > 2 && is_short && !is_number(other);
    let distance = may_be_meant.then(|| strsim::osa_distance(name, other));
    distance.filter(|distance| *distance <= most)
}

/// Longer names are not compared: that takes the product of their lengths.
const MAX_BYTES: usize = 200;

/// `; did you mean ...?`, if there is a name that may be meant.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let meant = closest(name, known);
    meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"))
}

/// The same for a term that is none of these.
pub fn did_you_mean_term(term: &Term, known: &[Term]) -> String {
    let known = texts(known);
    did_you_mean(&term.to_string(), known.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_move_is_compared_name_by_name() {
        let long: &str = &format!("{}b", "a".repeat(999_999));
        let known = [
            "(mark 1 1)",
            "(mark 1 2)",
            "(keep (stone a1))",
            "noop",
            long,
        ];
        for (typed, meant) in [
            ("(mrak 1 2)", Some("(mark 1 2)")),
            ("(marks 1 2)", Some("(mark 1 2)")),
            ("nop", Some("noop")),
            ("(kepe (stnoe a1))", Some("(keep (stone a1))")),
            // A number is not misspelt, and neither is the shape.
            ("(mark 1 3)", None),
            ("(mark 1)", None),
            ("(keep (stone a2))", None),
            ("(mark 1 1)", None),
            ("", None),
            (&"a".repeat(1_000_000), None),
        ] {
            assert_eq!(closest(typed, known), meant, "{typed}");
        }
    }

    #[test]
    fn suggestions_end_after_some_work() {
        let mut suggestions = Suggestions::new();
        let known = ["control", "cell"];
        let meant = suggestions.did_you_mean("contrl", known);
        assert_eq!(meant, "; did you mean `control`?");
        let mut looked_at = 0;
        for _ in 0..100 {
            let many = (0..MAX_COMPARED / 10).map(|_| {
                looked_at += 1;
                "cell"
            });
            suggestions.did_you_mean("contrl", many);
        }
        assert!(looked_at <= MAX_COMPARED + 100, "{looked_at}");
        assert_eq!(suggestions.did_you_mean("contrl", known), "");
    }
}
