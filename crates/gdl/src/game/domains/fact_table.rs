//! Relations that facts of constants alone define, as tables: a variable takes only values of rows that fit the other
//! arguments (generalised arc consistency).

use super::Value;
use super::placed_rule::{Pattern, PlacedSentence};
use super::values::{self, Bindings};
use std::borrow::Cow;

/// The most rows of a table that is looked at: larger ones count as products of their columns.
pub(super) const MAX_ROWS: usize = 1200;

/// The rows of a relation.
#[derive(Clone, Debug)]
pub(super) struct FactTable {
    /// The values of each column, in ascending order.
    columns: Vec<Vec<Value>>,
    /// One row after the other: for each column the index of its value there.
    rows: Vec<u16>,
}

impl FactTable {
    /// The table of these rows, at least one.
    pub(super) fn of(rows: &[Vec<Value>]) -> Self {
        let column = |number: usize| {
            let mut values: Vec<Value> = rows.iter().map(|row| row[number]).collect();
            values.sort_unstable();
            values.dedup();
            values
        };
        let columns: Vec<Vec<Value>> = (0..rows[0].len()).map(column).collect();
        let position = |(column, value): (&Vec<Value>, &Value)| {
            let position = column.binary_search(value).expect("it is from there");
            u16::try_from(position).expect("there are few rows")
        };
        let rows = rows
            .iter()
            .flat_map(|row| columns.iter().zip(row).map(position));
        FactTable {
            rows: rows.collect(),
            columns,
        }
    }

    /// How many values all rows have together.
    pub(super) fn size(&self) -> usize {
        self.rows.len()
    }

    /// Narrows the variables of a sentence to the values that they have in some row that fits; false when none does.
    pub(super) fn narrow(&self, sentence: &PlacedSentence, bindings: &mut Bindings<'_>) -> bool {
        let arguments = || sentence.positions.iter().map(|(_, argument)| argument);
        let fitting = |(column, argument): (&Vec<Value>, &Pattern)| match argument {
            Pattern::Constant(constant) => column.iter().map(|v| v == constant).collect(),
            Pattern::Variable(number) => match &bindings[*number] {
                Some(values) => values::members(column, values).collect(),
                None => vec![false; column.len()],
            },
            Pattern::Function(..) => vec![false; column.len()],
        };
        let fits: Vec<Vec<bool>> = self.columns.iter().zip(arguments()).map(fitting).collect();
        let mut found: Vec<Vec<bool>> = fits.iter().map(|fits| vec![false; fits.len()]).collect();
        for row in self.rows.chunks_exact(fits.len()) {
            let mut values = row.iter().zip(&fits);
            if values.all(|(&position, fits)| fits[usize::from(position)]) {
                for (&position, found) in row.iter().zip(&mut found) {
                    found[usize::from(position)] = true;
                }
            }
        }
        for ((column, argument), found) in self.columns.iter().zip(arguments()).zip(&found) {
            let Pattern::Variable(number) = argument else {
                continue;
            };
            let left = column.iter().zip(found).filter(|(_, found)| **found);
            let left: Vec<Value> = left.map(|(value, _)| *value).collect();
            let values = bindings[*number].take();
            bindings[*number] = values.map(|values| {
                if left.len() < values.len() {
                    Cow::Owned(values::filter(&left, &values, true))
                } else {
                    values
                }
            });
        }
        found[0].contains(&true)
    }
}
