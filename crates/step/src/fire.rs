//! Joins: all instances of a rule in which one row is new.
//!
//! The conditions are tried in the order of the [`Join`], and the last choice is taken back first,
//! with an explicit stack of cursors. The instance keeps only the atoms of rows that can
//! change.

use super::StepError;
use super::layout::TableId;
use super::plan::{Join, Search, Step};
use super::relaxed::Grounder;
use super::table::{ALWAYS, Table};
use rules::ReasonerError;
use rules::compiled::END;
use rules::compiled::Matcher;
use rules::compiled::matches;
use rules::compiled::{TermId, TermStore};

/// The steps of joins between two checks of the limits.
const STEPS_BETWEEN_LOOKS: u64 = 0x1000;

/// A place where a search can go on.
struct Cursor {
    step: usize,
    /// The next row of a chain, or the next place in the order of all rows.
    next: u32,
    /// The row taken last.
    row: u32,
}

impl Grounder<'_> {
    /// Finds all instances of a rule in which its trigger is this row.
    pub(super) fn fire(
        &mut self,
        join: &Join,
        new: Option<(TableId, u32)>,
    ) -> Result<(), StepError> {
        self.values.clear();
        self.values.resize(join.variables, TermId::default());
        if let Some((table, row)) = new {
            let row = self.tables[table].row(row);
            let values = &mut self.values;
            let mut columns = join.trigger.iter().zip(row);
            if !columns.all(|(matcher, &value)| matches(matcher, value, values, &self.terms)) {
                return Ok(());
            }
        }
        let new_row = new.map_or(END, |(_, row)| row);
        let mut cursors: Vec<Cursor> = Vec::new();
        let mut step = 0;
        loop {
            self.spend()?;
            let passed = match join.steps.get(step) {
                None => {
                    self.emit(join, &cursors, new)?;
                    // Other choices at the end that only decide would give the same instance.
                    while cursors
                        .last()
                        .is_some_and(|cursor| decides_only(join, cursor))
                    {
                        cursors.pop();
                    }
                    false
                }
                Some(Step::Distinct(left, right)) => self.build(left)? != self.build(right)?,
                Some(Step::Absent { table, key }) => {
                    self.build_all(key)?;
                    let row = self.tables[*table].find(&self.scratch);
                    row.is_none_or(|row| !self.tables[*table].is_possible(row))
                }
                Some(Step::Search(search)) => {
                    let next = match search.index {
                        Some(index) => {
                            self.build_all(&search.key)?;
                            self.tables[search.table].first_with(index, &self.scratch)
                        }
                        None => 0,
                    };
                    cursors.push(Cursor {
                        step,
                        next,
                        row: END,
                    });
                    // The way back is the way forward: take the next row of the last cursor.
                    false
                }
            };
            if passed {
                step += 1;
                continue;
            }
            loop {
                let Some(cursor) = cursors.last_mut() else {
                    return Ok(());
                };
                let Some(Step::Search(search)) = join.steps.get(cursor.step) else {
                    unreachable!("only searches have cursors");
                };
                let exhausted = search.once && cursor.row != END;
                let found = !exhausted
                    && advance(
                        cursor,
                        search,
                        new_row,
                        &self.tables[search.table],
                        &mut self.values,
                        &self.terms,
                        &mut self.steps,
                    );
                if found {
                    step = cursor.step + 1;
                    break;
                }
                cursors.pop();
            }
        }
    }

    fn spend(&mut self) -> Result<(), StepError> {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_BETWEEN_LOOKS) {
            self.limits.check()?;
        }
        if self.steps > self.limits.join_steps {
            return Err(StepError::TooManySteps(self.limits.join_steps));
        }
        Ok(())
    }

    /// Keeps the instance that the cursors stand at.
    fn emit(
        &mut self,
        join: &Join,
        cursors: &[Cursor],
        new: Option<(TableId, u32)>,
    ) -> Result<(), StepError> {
        self.body.clear();
        for (table, key) in &join.negated {
            self.build_all(key)?;
            let key = std::mem::take(&mut self.scratch);
            let row = self.known(*table, &key);
            self.scratch = key;
            let atom = self.tables[*table].atom(row?);
            if atom == ALWAYS {
                return Ok(());
            }
            self.body.push(2 * atom + 1);
        }
        self.build_all(&join.head)?;
        let values = std::mem::take(&mut self.scratch);
        let head = self.known(join.head_table, &values);
        self.scratch = values;
        let head = head?;
        let head_atom = self.tables[join.head_table].atom(head);
        let searched = cursors.iter().map(|cursor| match &join.steps[cursor.step] {
            Step::Search(search) => self.tables[search.table].atom(cursor.row),
            _ => unreachable!("only searches have cursors"),
        });
        let new = new.map(|(table, row)| self.tables[table].atom(row));
        // Rows of relations that never change are marked in the same way.
        let atoms = new
            .into_iter()
            .chain(searched)
            .filter(|atom| *atom != ALWAYS);
        self.body.extend(atoms.map(|atom| 2 * atom));
        if head_atom == ALWAYS || self.body.contains(&(2 * head_atom)) {
            return Ok(());
        }
        if self.instances.len() >= self.limits.instances {
            return Err(StepError::TooManyInstances(self.limits.instances));
        }
        self.instances.push(head_atom, &self.body);
        if self.tables[join.head_table].make_possible(head) {
            self.queue.push((join.head_table, head));
        }
        Ok(())
    }

    fn build_all(&mut self, matchers: &[Matcher]) -> Result<(), ReasonerError> {
        let mut built = std::mem::take(&mut self.scratch);
        built.clear();
        for matcher in matchers {
            built.push(self.build(matcher)?);
        }
        self.scratch = built;
        Ok(())
    }

    /// The term that a matcher stands for, all of whose variables have values.
    fn build(&mut self, matcher: &Matcher) -> Result<TermId, ReasonerError> {
        match matcher {
            Matcher::Ground(term) => Ok(*term),
            Matcher::Known(variable) | Matcher::Fresh(variable) => Ok(self.values[*variable]),
            Matcher::Function(name, arguments) => {
                let arguments = arguments
                    .iter()
                    .map(|argument| self.build(argument))
                    .collect::<Result<Vec<_>, _>>()?;
                self.terms.intern(*name, &arguments)
            }
        }
    }
}

fn decides_only(join: &Join, cursor: &Cursor) -> bool {
    matches!(&join.steps[cursor.step], Step::Search(search) if search.decides_only)
}

/// Moves a cursor to its next match; returns whether there is one.
fn advance(
    cursor: &mut Cursor,
    search: &Search,
    new_row: u32,
    table: &Table,
    values: &mut [TermId],
    terms: &TermStore,
    steps: &mut u64,
) -> bool {
    loop {
        let row = match search.index {
            Some(index) => {
                let row = cursor.next;
                if row == END {
                    return false;
                }
                cursor.next = table.next_in(index, row);
                row
            }
            None => {
                let Some(row) = table.visible(cursor.next as usize) else {
                    return false;
                };
                cursor.next += 1;
                row
            }
        };
        *steps += 1;
        if search.older && row == new_row {
            continue;
        }
        let values_of_row = table.row(row);
        let matched = search
            .rest
            .iter()
            .all(|(column, matcher)| matches(matcher, values_of_row[*column], values, terms));
        if matched {
            cursor.row = row;
            return true;
        }
    }
}
