//! Tables of rows that rules are matched with, and the matching of a row.

use super::index::{Columns, END};
use super::plan::{Matcher, Source};
use super::program::{LEVELS, Level, Program};
use super::relation::Relation;
use super::tables::{Table, Tables};
use super::terms::{TermId, TermStore};

/// A table: its level and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TableRef {
    pub(super) level: Level,
    pub(super) number: usize,
}

/// Where rows are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rows {
    Given(Source),
    Answers(TableRef),
}

/// A choice among rows that can be taken back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    pub(super) step: usize,
    pub(super) rows: Rows,
    /// The next row to try.
    pub(super) row: u32,
    pub(super) index: Option<usize>,
}

/// All rows: those of the game, of the state, of the joint move, and those derived from them.
#[derive(Clone)]
pub(super) struct Data {
    pub(super) stored: Vec<Relation>,
    pub(super) features: Vec<Relation>,
    pub(super) facts: Relation,
    pub(super) moves: Relation,
    pub(super) tables: [Tables; LEVELS],
}

impl Data {
    /// The facts of the game, no state and no moves.
    pub(super) fn new(stored: Vec<Relation>, program: &Program) -> Self {
        let mut features = vec![Relation::default(); program.features.len()];
        for (&(_, arity), &number) in &program.features {
            features[number] = Relation::new(arity);
        }
        Data {
            stored,
            features,
            facts: Relation::new(1),
            moves: Relation::new(2),
            tables: Default::default(),
        }
    }

    /// Makes these the facts of the state.
    pub(super) fn load_state(&mut self, facts: &[TermId], terms: &TermStore, program: &Program) {
        self.tables[Level::State as usize].clear();
        self.tables[Level::Move as usize].clear();
        self.facts.clear();
        for feature in &mut self.features {
            feature.clear();
        }
        for &fact in facts {
            self.facts.push(&[fact]);
            let arguments = terms.arguments(fact);
            let feature = (terms.function(fact), arguments.len());
            if let Some(&number) = program.features.get(&feature) {
                self.features[number].push(arguments);
            }
        }
    }

    /// Makes these the moves of the roles.
    pub(super) fn load_moves(&mut self, moves: &[(TermId, TermId)]) {
        self.tables[Level::Move as usize].clear();
        self.moves.clear();
        for &(role, action) in moves {
            self.moves.push(&[role, action]);
        }
    }

    pub(super) fn table(&self, table: TableRef) -> &Table {
        self.tables[table.level as usize].table(table.number)
    }

    pub(super) fn table_mut(&mut self, table: TableRef) -> &mut Table {
        self.tables[table.level as usize].table_mut(table.number)
    }

    /// The known values of a table's question.
    pub(super) fn key(&self, table: TableRef) -> &[TermId] {
        self.tables[table.level as usize].key(table.number)
    }

    /// A cursor on the rows that have these values in these columns.
    pub(super) fn cursor_on(
        &mut self,
        source: Source,
        columns: Columns,
        key: &[TermId],
        step: usize,
    ) -> Cursor {
        let relation = self.given(source);
        let (index, row) = if columns == 0 {
            (None, 0)
        } else {
            let index = relation.index_on(columns);
            (Some(index), relation.first_with(index, key))
        };
        Cursor {
            step,
            rows: Rows::Given(source),
            row,
            index,
        }
    }

    /// The row under the cursor, which moves on.
    pub(super) fn next_row(&self, cursor: &mut Cursor) -> Option<u32> {
        let relation = self.relation(cursor.rows);
        let row = cursor.row;
        match cursor.index {
            Some(index) if row != END => cursor.row = relation.next_in(index, row),
            None if row < relation.len() => cursor.row = row + 1,
            _ => return None,
        }
        Some(row)
    }

    pub(super) fn given(&mut self, source: Source) -> &mut Relation {
        match source {
            Source::Feature(number) => &mut self.features[number],
            Source::AllFacts => &mut self.facts,
            Source::Moves => &mut self.moves,
            Source::Stored(predicate) | Source::Call { predicate, .. } => {
                &mut self.stored[predicate]
            }
        }
    }

    pub(super) fn relation(&self, rows: Rows) -> &Relation {
        match rows {
            Rows::Given(Source::Feature(number)) => &self.features[number],
            Rows::Given(Source::AllFacts) => &self.facts,
            Rows::Given(Source::Moves) => &self.moves,
            Rows::Given(Source::Stored(predicate) | Source::Call { predicate, .. }) => {
                &self.stored[predicate]
            }
            Rows::Answers(table) => &self.table(table).answers,
        }
    }
}

/// Whether a row matches; `rest` goes by column, or by position when the row has only these columns.
pub(super) fn matches_row(
    rest: &[(usize, Matcher)],
    by_position: bool,
    row: &[TermId],
    values: &mut [TermId],
    terms: &TermStore,
) -> bool {
    rest.iter()
        .enumerate()
        .all(|(position, (column, matcher))| {
            let value = row[if by_position { position } else { *column }];
            matches(matcher, value, values, terms)
        })
}

/// Whether a ground term matches, giving values to fresh variables.
#[inline]
pub fn matches(matcher: &Matcher, term: TermId, values: &mut [TermId], terms: &TermStore) -> bool {
    match matcher {
        Matcher::Ground(other) => *other == term,
        Matcher::Known(variable) => values[*variable] == term,
        Matcher::Fresh(variable) => {
            values[*variable] = term;
            true
        }
        Matcher::Function(name, arguments) => {
            let inner = terms.arguments(term);
            terms.function(term) == *name
                && inner.len() == arguments.len()
                && arguments
                    .iter()
                    .zip(inner)
                    .all(|(matcher, &term)| matches(matcher, term, values, terms))
        }
    }
}
