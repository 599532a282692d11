//! Comments that say how the explorer draws a board, such as `; board cell: across up`.

use crate::description::{Description, WrittenTerm};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};

/// Where coordinates can grow.
const DIRECTIONS: [&str; 4] = ["across", "back", "down", "up"];

/// Warns of directions that do not exist: such a comment is not looked at.
pub(super) fn check(description: &Description, diagnostics: &mut Diagnostics) {
    for comment in &description.comments {
        let mut words = comment.text.split_whitespace();
        let (Some("board"), Some(feature)) = (words.next(), words.next()) else {
            continue;
        };
        let Some(feature) = feature.strip_suffix(':') else {
            continue;
        };
        let directions: Vec<&str> = words.collect();
        let wrong = directions.iter().find(|word| !DIRECTIONS.contains(word));
        let message = match (wrong, directions.len()) {
            // A comment for people, as far as that shows.
            _ if !is_function(description, feature) => continue,
            (Some(word), _) => {
                format!("`{word}` is no direction, so this comment is not looked at")
            }
            (None, 2) => continue,
            (None, _) => "a board has two directions, so this comment is not looked at".to_owned(),
        };
        diagnostics.push(Diagnostic::new(
            Code::DrawingHint,
            comment.span,
            message,
            "directions are `across`, `back`, `down` and `up`: (; board cell: across up)",
        ));
    }
}

fn is_function(description: &Description, name: &str) -> bool {
    let mut found = false;
    for form in &description.forms {
        form.visit_terms(&mut |term| {
            found |= matches!(term, WrittenTerm::Function(word, _) if word.as_str() == name);
        });
    }
    found
}
