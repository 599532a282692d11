//! Rules that are left out: those that never fire, and `outcome`.
//!
//! ```text
//! (<= (tried ?m ?n) fail)                                      nothing makes `fail` true
//! (outcome ?role ?move (set (does ?role ?move)) (set 1))       each move has its own effect
//! ```
//!
//! A rule that breaks the rules of GDL never fires if the others cannot make one of its conditions true (relaxed reachability,
//! as in `game::never`): the least model of the others is then that of all. `outcome` is an extension of a player program:
//! a move becomes one of several by chance. Where chance decides nothing it says nothing.

use super::more;
use crate::description::{Condition, Description, Form, WrittenSentence, WrittenTerm};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Options, Severity};
use crate::format::{form_text, sentence_text};
use crate::game::game_of;
use crate::normalise::sentence;

/// Leaves out the rules with errors that never fire, if these are all with errors. Tells whether there were some.
pub(super) fn drop_never_firing(
    description: &mut Description,
    found: &Diagnostics,
    diagnostics: &mut Diagnostics,
) -> bool {
    let errors = || found.iter().filter(|d| d.severity == Severity::Error);
    let may_be_left_out = |code| {
        matches!(
            code,
            Code::UnsafeHead | Code::UnsafeNegation | Code::UnsafeDistinct | Code::Recursion
        )
    };
    if !errors().all(|error| may_be_left_out(error.code)) {
        return false;
    }
    let spans: Vec<_> = errors().filter_map(|error| error.span).collect();
    let (wrong, others): (Vec<Form>, Vec<Form>) = (description.forms.iter().cloned())
        .partition(|form| spans.iter().any(|span| form.span.contains(*span)));
    let rest = Description {
        forms: others,
        ..description.clone()
    };
    let game = game_of("", &rest, &Options::default());
    let domains = game.domains();
    let never = |form: &Form| {
        form.conditions()
            .iter()
            .find_map(|condition| match condition {
                Condition::Sentence(asked) if !domains.may_hold([&sentence(asked)]) => {
                    Some(asked.clone())
                }
                _ => None,
            })
    };
    let never: Option<Vec<WrittenSentence>> = wrong.iter().map(never).collect();
    let (Some(never), [first, ..]) = (never, &wrong[..]) else {
        return false;
    };
    diagnostics.push(Diagnostic::new(
        Code::LenientNever,
        first.head.word.span,
        format!(
            "this rule never fires, since nothing makes `{}` true; it is left out{}",
            sentence_text(&never[0]),
            more(wrong.len())
        ),
        "remove it, or correct that condition",
    ));
    description.forms = rest.forms;
    true
}

/// Leaves out `outcome`, and refuses it where it says something.
pub(super) fn drop_outcomes(description: &mut Description, diagnostics: &mut Diagnostics) {
    let is_outcome = |form: &Form| {
        let set = |term: &WrittenTerm| matches!(term, WrittenTerm::Function(word, _) if word.as_str() == "set");
        let arguments = &form.head.arguments[..];
        form.head.name() == "outcome"
            && matches!(arguments, [_, _, moves, chances] if set(moves) && set(chances))
    };
    let (outcomes, others): (Vec<Form>, Vec<Form>) = std::mem::take(&mut description.forms)
        .into_iter()
        .partition(is_outcome);
    description.forms = others;
    let changes = outcomes.iter().find(|form| !is_the_move_itself(form));
    diagnostics.extend(match (changes, outcomes.first()) {
        (Some(form), _) => Some(Diagnostic::new(
            Code::Outcome,
            form.head.word.span,
            "`outcome` gives this move several outcomes by chance or another one; GDL has chance by moves of `random` only"
                .to_owned(),
            "add (role random), let it choose among as many moves as there are equal chances, and write each effect in `next` \
             with the moves of both",
        )),
        (None, Some(form)) => Some(Diagnostic::new(
            Code::LenientOutcome,
            form.head.word.span,
            format!(
                "`outcome` is not of GDL, and gives each move its own effect: in standard form {} is left out{}",
                form_text(form),
                more(outcomes.len())
            ),
            "remove it",
        )),
        (None, None) => None,
    });
}

/// Whether this is `(outcome ?r ?m (set (does ?r ?m)) (set 1))`, for whatever role and move.
fn is_the_move_itself(form: &Form) -> bool {
    let [role, action, moves, chances] = &form.head.arguments[..] else {
        return false;
    };
    let one = |term: &WrittenTerm| match term {
        WrittenTerm::Function(_, arguments) => match &arguments[..] {
            [only] => Some(only.clone()),
            _ => None,
        },
        _ => None,
    };
    let is_does = match one(moves) {
        Some(WrittenTerm::Function(word, arguments)) => {
            word.as_str() == "does" && arguments == [role.clone(), action.clone()]
        }
        _ => false,
    };
    is_does && matches!(one(chances), Some(WrittenTerm::Constant(word)) if word.as_str() == "1")
}
