//! The recursion restriction, which keeps the set of derivable sentences finite.
//!
//! Let a rule have a positive body sentence q in a cycle (of relation names) with the head. Each
//! argument of q must be ground, or be an argument of the head, or be an argument of a positive
//! body sentence that is not in a cycle with the head.

use super::relations::Relations;
use crate::description::{Condition, Description, WrittenTerm};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use rustc_hash::FxHashSet;

pub(super) fn check(
    description: &Description,
    relations: &Relations,
    diagnostics: &mut Diagnostics,
) {
    for form in &description.forms {
        let head = &form.head.word.name;
        let mut recursive: Vec<_> = form.body_sentences().collect();
        recursive.retain(|(sentence, negated)| {
            !negated && relations.in_cycle(head, &sentence.word.name)
        });
        if recursive.is_empty() {
            continue;
        }
        let mut allowed: FxHashSet<&WrittenTerm> = form.head.arguments.iter().collect();
        for condition in form.conditions() {
            // Inside an `or` a sentence need not hold, so it bounds nothing.
            if let Condition::Sentence(sentence) = condition
                && !relations.in_cycle(head, &sentence.word.name)
            {
                allowed.extend(&sentence.arguments);
            }
        }
        for (sentence, _) in recursive {
            for argument in &sentence.arguments {
                if !argument.is_ground() && !allowed.contains(argument) {
                    let relation = &sentence.word.spelling;
                    diagnostics.push(
                        Diagnostic::new(
                            Code::Recursion,
                            argument.word().span,
                            format!(
                                "`{relation}` depends on itself here, and nothing bounds this \
                                 argument"
                            ),
                            format!(
                                "give it a condition whose relation does not depend on `{head}`; this is \
                                 taken: (<= (path ?x ?z) (edge ?x ?y) (path ?y ?z))"
                            ),
                        )
                        .with_related(form.head.word.span, "the head of the rule"),
                    );
                }
            }
        }
    }
}
