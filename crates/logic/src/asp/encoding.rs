//! Parts of programs that are files.

/// A part of a program that is the same for all games: a file of the folder `encodings`. Its first line is
/// a comment that names its contents.
#[derive(PartialEq, Eq, Debug)]
pub struct Encoding {
    /// The name of the file.
    pub file: &'static str,
    /// Its text, with comments.
    pub text: &'static str,
}

impl Encoding {
    /// The first line, without the sign of a comment.
    pub fn title(&self) -> &'static str {
        let first = self.text.lines().next().unwrap_or_default();
        first.trim_start_matches(['%', ' '])
    }

    /// The lines that are no comments.
    pub fn rules(&self) -> impl Iterator<Item = &'static str> {
        let lines = self.text.lines();
        lines.filter(|line| !line.is_empty() && !line.starts_with('%'))
    }
}
