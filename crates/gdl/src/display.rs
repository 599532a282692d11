//! Drawing hints: comments that say how the explorer draws facts. Other readers ignore them.
//!
//! - `; board cell: across up`: where the two coordinates of a board grow.
//! - `; pieces: xplayer=X b=.`: how contents of fields are drawn.
//! - `; show pot as pile`: how the facts of a feature are shown.

use crate::description::{Comment, Description, WrittenTerm};
use crate::span::Span;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Where coordinates can grow.
const DIRECTIONS: [&str; 4] = ["across", "back", "down", "up"];

/// The ways to show the facts of a feature.
const KINDS: [&str; 7] = ["score", "track", "pile", "dice", "cards", "text", "nothing"];

/// The comments of a game about drawing. Features are named by the functions of their facts.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct DisplayHints {
    /// Where the two coordinates of a board grow.
    pub boards: BTreeMap<String, [String; 2]>,
    /// How contents of fields are drawn.
    pub pieces: BTreeMap<String, String>,
    /// How the facts of a feature are shown.
    pub shows: BTreeMap<String, String>,
    /// The comments that are not followed.
    #[serde(skip)]
    pub mistakes: Vec<DisplayMistake>,
}

/// A comment about drawing that is not followed.
#[derive(Clone, PartialEq, Debug)]
pub struct DisplayMistake {
    pub span: Span,
    pub message: String,
    /// The way to mend it.
    pub help: String,
}

/// The statement of a comment about a feature.
enum Line {
    Board([String; 2]),
    Show(String),
}

impl DisplayHints {
    /// Reads the comments of a game. Comments about a feature that contradict each other are mistakes, and none of them is followed.
    pub fn of(description: &Description) -> Self {
        let functions = functions(description);
        let mut hints = DisplayHints::default();
        let mut said: BTreeMap<String, Vec<(Span, Line)>> = BTreeMap::new();
        for comment in &description.comments {
            match read(comment, &functions, &mut hints.pieces) {
                Ok(None) => {}
                Ok(Some((feature, line))) => {
                    said.entry(feature).or_default().push((comment.span, line));
                }
                Err((message, help)) => hints.mistakes.push(DisplayMistake {
                    span: comment.span,
                    message: format!("{message}, so this comment is not looked at"),
                    help,
                }),
            }
        }
        for (feature, lines) in said {
            let kinds: BTreeSet<&str> = lines.iter().map(|(_, line)| line.kind()).collect();
            if kinds.len() > 1 {
                let kinds: Vec<&str> = kinds.into_iter().collect();
                let (span, _) = lines[lines.len() - 1];
                hints.mistakes.push(DisplayMistake {
                    span,
                    message: format!(
                        "comments show `{feature}` as {}, so none of them is followed",
                        kinds.join(" and as ")
                    ),
                    help: "keep one of them".to_owned(),
                });
                continue;
            }
            for (_, line) in lines {
                match line {
                    Line::Board(directions) => {
                        hints.boards.insert(feature.clone(), directions);
                    }
                    Line::Show(kind) => {
                        hints.shows.insert(feature.clone(), kind);
                    }
                }
            }
        }
        hints
    }
}

impl Line {
    fn kind(&self) -> &str {
        match self {
            Line::Board(_) => "board",
            Line::Show(kind) => kind,
        }
    }
}

/// Reads one comment: a line about a feature, or nothing where it is for people; else why it makes no sense, and what to do.
fn read(
    comment: &Comment,
    functions: &BTreeSet<&str>,
    pieces: &mut BTreeMap<String, String>,
) -> Result<Option<(String, Line)>, (String, String)> {
    let words: Vec<&str> = comment.text.split_whitespace().collect();
    match words[..] {
        ["pieces:", ref pairs @ ..] => {
            let pairs = pairs.iter().filter_map(|pair| pair.split_once('='));
            pieces.extend(pairs.map(|(name, glyph)| (name.to_owned(), glyph.to_owned())));
        }
        ["board", feature, ref directions @ ..] => {
            let feature = feature.strip_suffix(':').unwrap_or_default();
            if !functions.contains(feature) {
                return Ok(None);
            }
            let help =
                "directions are `across`, `back`, `down` and `up`: (; board cell: across up)";
            let wrong = directions.iter().find(|word| !DIRECTIONS.contains(word));
            return match (wrong, directions) {
                (Some(word), _) => Err((format!("`{word}` is no direction"), help.to_owned())),
                (None, [first, second]) => Ok(Some((
                    feature.to_owned(),
                    Line::Board([(*first).to_owned(), (*second).to_owned()]),
                ))),
                _ => Err(("a board has two directions".to_owned(), help.to_owned())),
            };
        }
        ["show", feature, "as", kind] => {
            return match (functions.contains(feature), KINDS.contains(&kind)) {
                (true, true) => Ok(Some((feature.to_owned(), Line::Show(kind.to_owned())))),
                (true, false) => Err((
                    format!("`{kind}` is no way to show facts"),
                    format!("use one of {}", KINDS.join(", ")),
                )),
                (false, true) => Err((
                    format!("no fact is called `{feature}`"),
                    "name the function of some facts, such as `cell` for (cell 1 1 b)".to_owned(),
                )),
                (false, false) => Ok(None),
            };
        }
        _ => {}
    }
    Ok(None)
}

/// The functions that occur in a game.
fn functions(description: &Description) -> BTreeSet<&str> {
    let functions = description.terms().filter_map(|term| match term {
        WrittenTerm::Function(word, _) => Some(word.as_str()),
        WrittenTerm::Constant(_) | WrittenTerm::Variable(_) => None,
    });
    functions.collect()
}
