//! `and`, and `not` around something other than a sentence.
//!
//! ```text
//! (<= h (and a (or b c)))      becomes   (<= h a (or b c))
//! (<= h (or a b (and c d)))    becomes   (<= h (or a b)) (<= h c d)
//! (<= h (not (or a b)))        becomes   (<= h (not a) (not b))
//! (<= h (not (and a b)))       becomes   (<= h (or (not a) (not b)))
//! ```
//!
//! `and` is a connective only in a description that does not define a relation of this name. A form that would
//! become more than [`MAX_PRODUCTS`] rules stays as it is; the checks refuse it then.

use super::equality::{is_equality, unified};
use crate::description::{Condition, Description, Form, Word, WrittenSentence, WrittenTerm};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::normalise::MAX_PRODUCTS;
use crate::syntax::Name;

/// Writes the conditions of all rules with GDL's own connectives.
pub(super) fn mend(description: &mut Description, diagnostics: &mut Diagnostics) {
    let mut mender = Mender {
        reads_and: !description.defines("and"),
        found: Vec::new(),
    };
    let mut forms = Vec::with_capacity(description.forms.len());
    for form in std::mem::take(&mut description.forms) {
        mender.found.clear();
        let mended = mender.is_unusual(&form).then(|| mender.form(&form));
        match mended.flatten() {
            Some(mended) => {
                mender.found.drain(..).for_each(|d| diagnostics.push(d));
                forms.extend(mended);
            }
            None => forms.push(form),
        }
    }
    description.forms = forms;
}

/// Conditions that hold together, each one as GDL has it.
type Conjunction = Vec<Condition>;

struct Mender {
    reads_and: bool,
    /// The diagnostics about changes to the form at hand.
    found: Vec<Diagnostic>,
}

impl Mender {
    /// Whether this is an `and` of conditions.
    fn is_and(&self, sentence: &WrittenSentence) -> bool {
        self.reads_and && sentence.name() == "and" && sentence.parenthesised
    }

    /// Whether there is something to mend.
    fn is_unusual(&self, form: &Form) -> bool {
        form.parts().any(|(part, _)| match part {
            Condition::Sentence(sentence) => self.is_and(sentence),
            Condition::Not(_, inner) => !matches!(inner.as_ref(), Condition::Sentence(_)),
            Condition::Or(..) | Condition::Distinct(..) => false,
        })
    }

    /// The forms that mean the same; nothing where they would be too many.
    fn form(&mut self, form: &Form) -> Option<Vec<Form>> {
        let body = form.body.as_ref()?;
        let choices = self.all(body.iter(), false)?;
        let with = |body: Conjunction| {
            let same = body.iter().any(is_equality);
            let form = Form {
                body: Some(body),
                ..form.clone()
            };
            if same { unified(form) } else { form }
        };
        Some(choices.into_iter().map(with).collect())
    }

    /// The ways in which the condition holds or, when `negated`, does not.
    fn choices(&mut self, condition: &Condition, negated: bool) -> Option<Vec<Conjunction>> {
        match condition {
            Condition::Sentence(sentence) => {
                if self.is_and(sentence)
                    && let Some(parts) = conditions(&sentence.arguments)
                {
                    self.found.push(Diagnostic::new(
                        Code::LenientAnd,
                        sentence.word.span,
                        "GDL has no `and`: the conditions are read one after the other".to_owned(),
                        "the conditions of a rule all hold, so write them without `and`",
                    ));
                    return if negated {
                        self.any(&sentence.word, &parts, true)
                    } else {
                        self.all(parts.iter(), false)
                    };
                }
                let sentence = Condition::Sentence(sentence.clone());
                let condition = if negated {
                    Condition::Not(not(condition), Box::new(sentence))
                } else {
                    sentence
                };
                Some(vec![vec![condition]])
            }
            Condition::Not(word, inner) => {
                if !matches!(inner.as_ref(), Condition::Sentence(s) if !self.is_and(s)) {
                    self.found.push(Diagnostic::new(
                        Code::LenientNot,
                        word.span,
                        "only a sentence can be negated: this `not` is moved to the sentences inside"
                            .to_owned(),
                        "negate each sentence by itself: (not a) (not b)",
                    ));
                }
                self.choices(inner, !negated)
            }
            Condition::Or(_, parts) if negated => self.all(parts.iter(), true),
            Condition::Or(word, parts) => self.any(word, parts, false),
            Condition::Distinct(word, ..) if negated => {
                let word = Word::like(&Name::new("not"), word);
                Some(vec![vec![Condition::Not(
                    word,
                    Box::new(condition.clone()),
                )]])
            }
            Condition::Distinct(..) => Some(vec![vec![condition.clone()]]),
        }
    }

    /// The ways in which all parts hold, or all do not.
    fn all<'a>(
        &mut self,
        parts: impl Iterator<Item = &'a Condition>,
        negated: bool,
    ) -> Option<Vec<Conjunction>> {
        let mut all: Vec<Conjunction> = vec![Vec::new()];
        for part in parts {
            let choices = self.choices(part, negated)?;
            if all.len() * choices.len() > MAX_PRODUCTS {
                return None;
            }
            let longer = all.iter().flat_map(|before| {
                choices
                    .iter()
                    .map(move |after| [&before[..], after].concat())
            });
            all = longer.collect();
        }
        Some(all)
    }

    /// The ways in which some part holds, or does not: single conditions stay together in an `or`.
    fn any(&mut self, word: &Word, parts: &[Condition], negated: bool) -> Option<Vec<Conjunction>> {
        let (mut single, mut several) = (Vec::new(), Vec::new());
        for part in parts {
            for choice in self.choices(part, negated)? {
                match <[Condition; 1]>::try_from(choice) {
                    Ok([condition]) if !is_equality(&condition) => single.push(condition),
                    Ok([equality]) => several.push(vec![equality]),
                    Err(choice) => several.push(choice),
                }
            }
        }
        if single.len() > 1 || several.is_empty() {
            let word = Word::like(&Name::new("or"), word);
            single = vec![Condition::Or(word, single)];
        }
        if !single.is_empty() {
            several.insert(0, single);
        }
        (several.len() <= MAX_PRODUCTS).then_some(several)
    }
}

/// The word for a `not` before this condition.
fn not(condition: &Condition) -> Word {
    let (Condition::Sentence(WrittenSentence { word, .. })
    | Condition::Not(word, _)
    | Condition::Or(word, _)
    | Condition::Distinct(word, ..)) = condition;
    Word::like(&Name::new("not"), word)
}

/// Terms as the conditions that they would be outside of a sentence; nothing if one cannot be a condition.
fn conditions(terms: &[WrittenTerm]) -> Option<Vec<Condition>> {
    let condition = |term: &WrittenTerm| {
        let (word, arguments) = match term {
            WrittenTerm::Variable(_) => return None,
            WrittenTerm::Constant(word) => (word, None),
            WrittenTerm::Function(word, arguments) => (word, Some(arguments)),
        };
        Some(match (word.as_str(), arguments) {
            ("not", Some(inner)) => {
                let [inner] = <[Condition; 1]>::try_from(conditions(inner)?).ok()?;
                Condition::Not(word.clone(), Box::new(inner))
            }
            ("or", Some(inner)) => Condition::Or(word.clone(), conditions(inner)?),
            ("distinct", Some(terms)) => {
                let [left, right] = terms.as_slice() else {
                    return None;
                };
                Condition::Distinct(word.clone(), left.clone(), right.clone())
            }
            ("not" | "or" | "distinct" | "<=", _) => return None,
            _ => Condition::Sentence(WrittenSentence {
                word: word.clone(),
                arguments: arguments.cloned().unwrap_or_default(),
                parenthesised: arguments.is_some(),
            }),
        })
    };
    terms.iter().map(condition).collect()
}
