//! Variables that occur once in their rule: any value will do for them, which may be a slip of the pen.
//!
//! ```text
//! (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) (open ?y1))      `?y1` occurs once; was `?y` meant?
//! ```
//!
//! Most such variables are meant: a condition is to hold for some value. So one note tells all of them, and
//! only one that looks like a misspelt variable of the same rule gets a warning. A name that begins
//! with `_` says that any value is meant.

use crate::description::{Description, Form, Syntax, Word, WrittenSentence};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Source;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The most rules that are listed, and one.
const MAX_RULES: usize = 11;

pub(super) fn check(source: &Source, description: &Description, diagnostics: &mut Diagnostics) {
    let mark = match description.syntax {
        Syntax::Kif => "?",
        Syntax::Infix => "",
    };
    let (mut rules, mut list) = (0_usize, String::new());
    // Rules stand in the order of the text, so lines are counted from the one before.
    let (mut file, mut at, mut line) = (0, 0, 1);
    for form in &description.forms {
        // Variables of facts are errors already; those of our own libraries are meant.
        if form.conditions().is_empty() || source.is_built_in(form.span.range().start) {
            continue;
        }
        let counts = occurrences(form);
        let single = |word: &Word| counts[word.as_str()].1 == 1 && !word.as_str().starts_with('_');
        let mut names = Vec::new();
        for (sentence, _) in form.body_sentences() {
            for word in sentence.variables().filter(|word| single(word)) {
                if names.is_empty() {
                    let start = word.span.range().start;
                    if source.file_at(start) != file {
                        file = source.file_at(start);
                        at = source.file_start(file);
                        line = 1;
                    }
                    let between = source.text().get(at..start).unwrap_or_default();
                    line += between.matches('\n').count();
                    at = start;
                }
                names.push(format!("{mark}{}", word.spelling));
                if let Some(other) = meant_by(word, sentence, &counts) {
                    warn(word, other, mark, diagnostics);
                }
            }
        }
        if !names.is_empty() {
            rules += 1;
            if rules > MAX_RULES {
                continue;
            }
            let separator = if list.is_empty() { "" } else { "; " };
            let of = match file {
                0 => String::new(),
                _ => format!(" of {}", source.name_at(at)),
            };
            let _ = match rules {
                MAX_RULES => write!(list, "{separator}..."),
                _ => write!(list, "{separator}line {line}{of}: {}", names.join(" ")),
            };
        }
    }
    if rules > 0 {
        let have = if rules == 1 { "rule has" } else { "rules have" };
        diagnostics.push(Diagnostic::of_file(
            Code::SingleVariable,
            format!("{rules} {have} variables that occur once, so any value will do: {list}"),
            format!("a name that begins with `{mark}_` says that this is meant"),
        ));
    }
}

fn warn(word: &Word, other: &Word, mark: &str, diagnostics: &mut Diagnostics) {
    let (name, meant) = (&word.spelling, &other.spelling);
    diagnostics.push(Diagnostic::new(
        Code::SimilarVariable,
        word.span,
        format!("`{mark}{name}` occurs once in this rule, so any value will do for it"),
        format!("was `{mark}{meant}` meant? If any value is, write `{mark}_{name}`"),
    ));
}

/// Whether a variable of a sentence, which occurs once in the form, looks like a misspelt other one.
pub(crate) fn is_slip(word: &Word, sentence: &WrittenSentence, form: &Form) -> bool {
    meant_by(word, sentence, &occurrences(form)).is_some()
}

/// The variable of the rule that one of a sentence, which occurs once, may be a slip for.
fn meant_by<'a>(
    word: &Word,
    sentence: &WrittenSentence,
    counts: &BTreeMap<&str, (&'a Word, usize)>,
) -> Option<&'a Word> {
    // A name that is told apart from such a one beside it is meant.
    let is_told_apart = sentence.variables().any(|beside| is_similar(word, beside));
    let mut others = counts.values().filter(|(_, count)| *count > 1);
    let (other, _) = others.find(|(other, _)| is_similar(word, other) && !is_told_apart)?;
    Some(other)
}

/// How often each variable occurs in a rule, by name; with the first place.
fn occurrences(form: &Form) -> BTreeMap<&str, (&Word, usize)> {
    let mut counts = BTreeMap::new();
    for word in form.variables() {
        counts.entry(word.as_str()).or_insert((word, 0)).1 += 1;
    }
    counts
}

/// Whether one name may be the other with a slip of the pen: a number more, less or another, or, in a long
/// name, a letter.
fn is_similar(word: &Word, other: &Word) -> bool {
    let split = |word: &'_ str| word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (left, right) = (word.as_str(), other.as_str());
    let (left_base, left_number) = left.split_at(split(left));
    let (right_base, right_number) = right.split_at(split(right));
    if left_base == right_base {
        return left != right && !left_base.is_empty();
    }
    left_number == right_number
        && left_base.len().min(right_base.len()) >= 3
        && strsim::osa_distance(left_base, right_base) == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Severity, parse};

    fn found(rules: &str, options: &Options) -> Vec<(Code, Severity, String)> {
        let parsed = parse("x", rules.as_bytes(), options);
        let ours = [Code::SingleVariable, Code::SimilarVariable];
        let mut found: Vec<_> = (parsed.diagnostics.iter())
            .filter(|d| ours.contains(&d.code))
            .map(|d| (d.code, d.severity, format!("{} {}", d.message, d.hint)))
            .collect();
        found.sort();
        found
    }

    #[test]
    fn a_note_lists_variables_that_occur_once() {
        let rules =
            "(p 1)\n(<= (q ?x) (p ?x) (r ?y ?z))\n(<= s\n (r ?_any ?x))\n(<= (r ?x ?x) (p ?x))";
        let found = found(rules, &Options::default());
        let [(Code::SingleVariable, Severity::Note, text)] = &found[..] else {
            panic!("{found:?}");
        };
        assert!(text.starts_with("2 rules have"), "{text}");
        assert!(text.contains("line 2: ?y ?z; line 4: ?x "), "{text}");
    }

    #[test]
    fn a_slip_of_the_pen_is_a_warning() {
        for (rule, meant) in [
            ("(<= (q ?x) (p ?x) (r ?x ?x) (p ?X1))", Some("?x")),
            ("(<= (q ?x2) (p ?x2) (p ?x1))", Some("?x2")),
            ("(<= (q ?row) (p ?row) (p ?rwo))", Some("?row")),
            ("(<= (q ?player) (p ?player) (p ?plyer))", Some("?player")),
            ("(<= (q ?row2) (p ?row2) (p ?raw2))", Some("?row2")),
            // Told apart on purpose, short, or with nothing to be mistaken for.
            ("(<= (q ?x) (r ?x ?x1))", None),
            ("(<= (q ?x) (p ?x) (r ?x2 ?x3))", None),
            ("(<= (q ?x) (p ?x) (p ?y))", None),
            ("(<= (q ?x) (p ?x) (p ?_x))", None),
            ("(<= (q ?row) (p ?row) (p ?column))", None),
        ] {
            let found = found(rule, &Options::default());
            let warning = found
                .iter()
                .find(|(code, ..)| *code == Code::SimilarVariable);
            match meant {
                None => assert!(warning.is_none(), "{rule}: {found:?}"),
                Some(meant) => {
                    let (_, severity, text) = warning.unwrap_or_else(|| panic!("{rule}"));
                    assert_eq!(*severity, Severity::Warning);
                    assert!(text.contains(&format!("was `{meant}` meant")), "{text}");
                }
            }
        }
        // Validators have no such warning.
        let strict = found("(<= (q ?x) (p ?x) (p ?x1))", &Options::strict());
        assert!(
            strict
                .iter()
                .all(|(_, severity, _)| *severity == Severity::Note)
        );
    }
}
