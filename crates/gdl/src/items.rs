//! The words and lists at the outermost level of a text in prefix form, as they are written, by one pass that counts parentheses.
//!
//! ```text
//! (mark 1 1) noop ; a comment        two items
//! ```

/// The text does not have the form expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct TextError {
    /// The line, from 1.
    pub line: usize,
    /// The character in that line, from 1.
    pub column: usize,
    /// The mistake, and the text to write.
    pub message: String,
}

/// A word or a list at the outermost level.
pub struct Item<'a> {
    pub text: &'a str,
    line: usize,
    column: usize,
}

impl Item<'_> {
    /// An error at its begin.
    pub fn error(&self, message: String) -> TextError {
        TextError {
            line: self.line,
            column: self.column,
            message,
        }
    }
}

/// The words and lists of the outermost level. Comments run from `;` to the end of the line.
pub fn items(text: &str) -> Result<Vec<Item<'_>>, TextError> {
    let mut items = Vec::new();
    let (mut line, mut column) = (1, 0);
    let mut depth = 0usize;
    let mut in_comment = false;
    // Where the item under way began: offset, line, column.
    let mut start: Option<(usize, usize, usize)> = None;
    let item = |(from, line, column): (usize, usize, usize), to: usize| Item {
        text: &text[from..to],
        line,
        column,
    };
    for (offset, character) in text.char_indices() {
        column += 1;
        if character == '\n' {
            (line, column) = (line + 1, 0);
            in_comment = false;
        }
        if in_comment {
            continue;
        }
        let ends_word = character.is_whitespace() || matches!(character, '(' | ')' | ';');
        if depth == 0 && ends_word {
            items.extend(start.take().map(|start| item(start, offset)));
        }
        match character {
            ';' => in_comment = true,
            '(' => {
                start.get_or_insert((offset, line, column));
                depth += 1;
            }
            ')' if depth == 0 => {
                return Err(TextError {
                    line,
                    column,
                    message: "this parenthesis closes nothing".to_owned(),
                });
            }
            ')' => {
                depth -= 1;
                if depth == 0 {
                    items.extend(start.take().map(|start| item(start, offset + 1)));
                }
            }
            _ if depth == 0 && !ends_word => {
                start.get_or_insert((offset, line, column));
            }
            _ => {}
        }
    }
    match start {
        Some((_, line, column)) if depth > 0 => Err(TextError {
            line,
            column,
            message: "this parenthesis is never closed".to_owned(),
        }),
        start => {
            items.extend(start.map(|start| item(start, text.len())));
            Ok(items)
        }
    }
}
