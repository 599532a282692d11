//! Stratification: no sentence may depend on its own negation, or the rules have no clear meaning.
//!
//! Decided in steps, cheapest first. If no cycle of relation names has a negation, all is well.
//! Otherwise real games are often still fine, because the cycle is one of names only: a `goal`
//! that is the negation of another `goal`. So rules are unfolded from their heads: which sentence
//! patterns, such as `(goal ?p 100)`, does a pattern depend on (`patterns`)? A cycle of ground
//! sentences shows up as a cycle of patterns, so without a negation in any of these there is none
//! of sentences either, and a warning is enough. Otherwise the game is refused.
//!
//! Example: `(<= (win 1) (not (win 2)))` passes, `(<= (win ?x) (not (win 2)))` does not.
//! Left out: whether conditions on the state make a cycle impossible.

use super::patterns::{Dependencies, Outcome};
use super::relations::Relations;
use crate::description::{Description, Form, WrittenSentence};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::normalise::normalise;
use crate::syntax::{Literal, Name};
use std::collections::BTreeMap;

pub(super) fn check(
    description: &Description,
    relations: &Relations,
    diagnostics: &mut Diagnostics,
) {
    if !may_be_unstratified(description, relations) {
        return;
    }
    let (mut rules, mut forms) = (Vec::new(), Vec::new());
    for normal in normalise(description) {
        rules.push(normal.rule);
        forms.push(normal.form);
    }
    let relations = Relations::of_rules(&rules);
    // The cycles of names that have a negation, and the first rule with one.
    let mut suspects: BTreeMap<u32, usize> = BTreeMap::new();
    for (number, rule) in rules.iter().enumerate() {
        for literal in &rule.body {
            if let Literal::Negative(sentence) = literal
                && relations.in_cycle(&rule.head.relation, &sentence.relation)
                && let Some(cycle) = relations.cycle_of(&sentence.relation)
            {
                suspects.entry(cycle).or_insert(number);
            }
        }
    }
    for (cycle, first) in suspects {
        let in_cycle = |name: &Name| relations.cycle_of(name) == Some(cycle);
        let outcome = Dependencies::new(&rules, &in_cycle).find_negative_cycle();
        let (number, undecided) = match outcome {
            Outcome::None => {
                warn(&description.forms[forms[first]], &in_cycle, diagnostics);
                continue;
            }
            Outcome::Cycle { rule } => (rule, false),
            Outcome::Undecided => (first, true),
        };
        refuse(
            &description.forms[forms[number]],
            &in_cycle,
            undecided,
            diagnostics,
        );
    }
}

/// Whether some cycle of names has a negation. Most descriptions need no more than this.
fn may_be_unstratified(description: &Description, relations: &Relations) -> bool {
    description.forms.iter().any(|form| {
        form.body_sentences().any(|(sentence, negated)| {
            negated && relations.in_cycle(&form.head.word.name, &sentence.word.name)
        })
    })
}

/// The first negated sentence of the form that is in the cycle.
fn negated<'a>(form: &'a Form, in_cycle: &dyn Fn(&Name) -> bool) -> &'a WrittenSentence {
    let mut negated = form.body_sentences().filter(|(_, negated)| *negated);
    let found = negated.find(|(sentence, _)| in_cycle(&sentence.word.name));
    // A form folded into helper relations may have the negation in another rule than the cycle.
    found.map_or(&form.head, |(sentence, _)| sentence)
}

fn warn(form: &Form, in_cycle: &dyn Fn(&Name) -> bool, diagnostics: &mut Diagnostics) {
    let sentence = negated(form, in_cycle);
    diagnostics.push(
        Diagnostic::new(
            Code::UnstratifiedByName,
            sentence.word.span,
            format!(
                "the relation `{}` depends on `not {}`; no sentence does so on its own negation",
                form.head.word.spelling, sentence.word.spelling
            ),
            "the game can be played; strict validators ask for another relation in between",
        )
        .with_related(form.head.word.span, "in this rule"),
    );
}

fn refuse(
    form: &Form,
    in_cycle: &dyn Fn(&Name) -> bool,
    undecided: bool,
    diagnostics: &mut Diagnostics,
) {
    let sentence = negated(form, in_cycle);
    let (negated, head) = (&sentence.word.spelling, &form.head.word.spelling);
    let message = if undecided {
        format!("`{negated}`, negated here, may depend on `{head}`: too many cases to be sure")
    } else {
        format!("`{negated}`, negated here, depends on `{head}`, the head of this rule")
    };
    diagnostics.push(
        Diagnostic::new(
            Code::Unstratified,
            sentence.word.span,
            message,
            "a sentence that depends on its own negation has no clear meaning; put what is \
             negated into a relation that does not depend on this rule",
        )
        .with_related(form.head.word.span, "the head"),
    );
}
