//! The rules that a new row may make fire.
//!
//! Each positive condition about something that changes is a *trigger*. Games that were written by
//! a program have thousands of rules about one fact or move each; so triggers with a ground
//! argument are found by it, and a row does not have to try them all.

use super::plan::Join;
use rules::compiled::TermId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A condition of a rule that a new row of some table can make fire.
pub(super) struct Trigger {
    pub(super) rule: usize,
    /// The index of the condition in the rule.
    pub(super) index: usize,
    /// Made when it is needed first, since then more is known about the sizes of tables.
    pub(super) join: Option<Rc<Join>>,
}

/// The triggers for rows of one table, by number.
#[derive(Default)]
pub(super) struct Triggers {
    /// Numbers of triggers without a ground argument.
    general: Vec<usize>,
    /// By column: numbers of triggers with this ground argument there, and in no column before.
    ground: Vec<FxHashMap<TermId, Vec<usize>>>,
}

impl Triggers {
    pub(super) fn add(&mut self, trigger: usize, ground: Option<(usize, TermId)>) {
        match ground {
            None => self.general.push(trigger),
            Some((column, term)) => {
                if self.ground.len() <= column {
                    self.ground.resize_with(column + 1, FxHashMap::default);
                }
                self.ground[column].entry(term).or_default().push(trigger);
            }
        }
    }

    /// The triggers that a row may match.
    pub(super) fn for_row<'a>(&'a self, row: &'a [TermId]) -> impl Iterator<Item = usize> + 'a {
        let by_column = self.ground.iter().zip(row);
        let ground = by_column.filter_map(|(triggers, term)| triggers.get(term));
        self.general.iter().chain(ground.flatten()).copied()
    }
}
