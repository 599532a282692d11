//! Numbers from CSV.

/// A table of text with named columns.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberTable {
    names: Vec<String>,
    /// Each with its line, from 1.
    rows: Vec<(usize, Vec<String>)>,
}

/// Why a table cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// There is no line with the names of columns.
    #[error("the table is empty; its first line has the names of the columns")]
    Empty,
    /// A line has too many cells or too few.
    #[error("line {line} has {found} cells, and the first line has {expected}")]
    Ragged {
        /// The line, from 1.
        line: usize,
        /// Its cells.
        found: usize,
        /// The cells it should have.
        expected: usize,
    },
    /// A cell begins with a quote that does not end.
    #[error("line {line}: a quote is never closed")]
    Quote {
        /// The line, from 1.
        line: usize,
    },
    /// There is no such column.
    #[error("there is no column `{name}`; the columns are {names}")]
    Column {
        /// The name asked for.
        name: String,
        /// The names there are.
        names: String,
    },
    /// A cell is not a number.
    #[error("line {line}, column `{column}`: `{text}` is not a number, a fraction, or empty")]
    Number {
        /// The line, from 1.
        line: usize,
        /// The name of the column.
        column: String,
        /// What stands there.
        text: String,
    },
}

impl NumberTable {
    /// Reads comma-separated values; the first line has the names. Cells may be in double quotes, in
    /// which two quotes stand for one; a cell does not go over the end of its line.
    ///
    /// # Errors
    /// When lines do not have the same number of cells, or a quote is not closed.
    pub fn read(text: &str) -> Result<Self, TableError> {
        // Spreadsheets begin files with a byte order mark.
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let mut lines = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim().is_empty());
        let (number, first) = lines.next().ok_or(TableError::Empty)?;
        let names = cells(first, number)?;
        let mut rows = Vec::new();
        for (line, text) in lines {
            let row = cells(text, line)?;
            if row.len() != names.len() {
                return Err(TableError::Ragged {
                    line,
                    found: row.len(),
                    expected: names.len(),
                });
            }
            rows.push((line, row));
        }
        Ok(NumberTable { names, rows })
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The numbers of a column from top to bottom; none where a cell is empty.
    ///
    /// # Errors
    /// When there is no such column, or something else stands in a cell.
    pub fn numbers(&self, name: &str) -> Result<Vec<Option<f64>>, TableError> {
        let column = self.names.iter().position(|other| other == name);
        let column = column.ok_or_else(|| TableError::Column {
            name: name.to_owned(),
            names: self.names.join(", "),
        })?;
        self.rows
            .iter()
            .map(|(line, cells)| {
                let text = cells[column].trim();
                if text.is_empty() {
                    return Ok(None);
                }
                number(text).map(Some).ok_or_else(|| TableError::Number {
                    line: *line,
                    column: shortened(name),
                    text: shortened(text),
                })
            })
            .collect()
    }
}

/// The beginning of a text, which may be as long as a file.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// A number or a fraction.
fn number(text: &str) -> Option<f64> {
    let value = match text.split_once('/') {
        None => text.parse().ok()?,
        Some((numerator, denominator)) => {
            numerator.trim().parse::<f64>().ok()? / denominator.trim().parse::<f64>().ok()?
        }
    };
    value.is_finite().then_some(value)
}

/// The cells of a line.
fn cells(line: &str, number: usize) -> Result<Vec<String>, TableError> {
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        let (cell, after) = match rest.strip_prefix('"') {
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
            Some(quoted) => {
                let mut cell = String::new();
                let mut quoted = quoted;
                loop {
                    let end = quoted.find('"').ok_or(TableError::Quote { line: number })?;
                    cell.push_str(&quoted[..end]);
                    quoted = &quoted[end + 1..];
                    match quoted.strip_prefix('"') {
                        Some(more) => {
                            cell.push('"');
                            quoted = more;
                        }
                        None => break,
                    }
                }
                // Anything between the quote and the comma belongs to the cell.
                let end = quoted.find(',').unwrap_or(quoted.len());
                cell.push_str(&quoted[..end]);
                (cell, &quoted[end..])
            }
        };
        cells.push(cell);
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None => return Ok(cells),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_fractions_are_read() {
        let table = NumberTable::read(
            "\u{feff}p,value,\"a \"\"name\"\", quoted\"\n0,1/4,\n0.5, 2 ,\"3\"\n",
        )
        .unwrap();
        assert_eq!(table.names(), ["p", "value", "a \"name\", quoted"]);
        assert_eq!(table.numbers("p"), Ok(vec![Some(0.0), Some(0.5)]));
        assert_eq!(table.numbers("value"), Ok(vec![Some(0.25), Some(2.0)]));
        assert_eq!(
            table.numbers("a \"name\", quoted"),
            Ok(vec![None, Some(3.0)])
        );
        let missing = table.numbers("q").unwrap_err().to_string();
        assert!(
            missing.contains("`q`") && missing.contains("p, value"),
            "{missing}"
        );
    }

    #[test]
    fn mistakes_have_places() {
        for (text, fragment) in [
            ("", "empty"),
            ("a,b\n1\n", "line 2 has 1 cells"),
            ("a\n\"1\n", "line 2: a quote"),
        ] {
            let error = NumberTable::read(text).unwrap_err().to_string();
            assert!(error.contains(fragment), "{error}");
        }
        for text in ["x", "1/0", "inf", "1/2/3"] {
            let table = NumberTable::read(&format!("a\n0\n{text}\n")).unwrap();
            let error = table.numbers("a").unwrap_err().to_string();
            assert!(error.contains("line 3, column `a`"), "{error}");
        }
    }
}
