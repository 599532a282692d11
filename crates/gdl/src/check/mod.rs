//! The checks that make a description valid, one idea per file.
//!
//! They follow FORMATS 11: the checks of the widely used validator of the GGP base project, with
//! its levels, and notes of our own. They run on the forms as written, so that every message has a
//! place; only stratification looks at rules in normal form.
//!
//! - `keywords`: fixed arity and place of `role`, `init`, `true`, ... and of the connectives;
//! - `safety`: variables are bound by positive sentences;
//! - `dependencies`: relations that may depend on the state and on moves, or are missing or unused;
//! - `recursion`: the restriction that keeps derivations finite;
//! - `stratification`: no sentence depends on its own negation;
//! - `names`: spelling, arity, characters;
//! - `style`: harmless oddities;
//! - `drawing`: comments that say how facts are drawn;
//! - `variables`: those that occur once in a rule.
//!
//! When the text could not be read in full, checks of the whole file are left out: a relation that seems to
//! be missing may stand in the part that could not be read.

mod dependencies;
mod drawing;
mod keywords;
mod names;
mod patterns;
mod recursion;
mod relations;
mod safety;
mod stratification;
mod style;
mod variables;

pub(crate) use keywords::keyword_arity;
pub(crate) use relations::{Relations, is_recursive};
pub(crate) use safety::bound_by;
pub(crate) use variables::is_slip;

use super::description::{Description, Form, WrittenSentence};
use super::diagnostic::{Code, Diagnostic, Diagnostics};
use super::source::Source;

/// Runs all checks. `complete` says whether every form of the file could be read.
pub(crate) fn check(
    source: &Source,
    description: &Description,
    complete: bool,
    diagnostics: &mut Diagnostics,
) {
    if description.forms.is_empty() {
        if complete {
            diagnostics.push(Diagnostic::of_file(
                Code::Empty,
                "there is nothing here: no facts and no rules".to_owned(),
                "a game needs at least `role`, `legal`, `goal` and `terminal`",
            ));
        }
        return;
    }
    keywords::check(description, diagnostics);
    safety::check(description, diagnostics);
    names::check(description, diagnostics);
    style::check(description, diagnostics);
    drawing::check(description, diagnostics);
    variables::check(source, description, diagnostics);
    let relations = Relations::of(description);
    recursion::check(description, &relations, diagnostics);
    if complete {
        dependencies::check(source, description, &relations, diagnostics);
        stratification::check(description, &relations, diagnostics);
    }
}

/// Whether the description has `sees` rules in the sense of GDL-II: `sees/2` is derived and, as
/// the language demands, in no body. Otherwise `sees` is a name like any other.
pub(crate) fn has_percepts(description: &Description) -> bool {
    let forms = description.forms.iter();
    let mut asked = forms.clone().flat_map(Form::body_sentences);
    forms.clone().any(|form| is_sees(&form.head)) && !asked.any(|(sentence, _)| is_sees(sentence))
}

/// Whether a sentence says that a role sees something, or asks for it.
fn is_sees(sentence: &WrittenSentence) -> bool {
    sentence.name() == "sees" && sentence.arguments.len() == 2
}
