//! Kinds of files, by their records.

/// The records of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Keys with states.
    Rows = 1,
    /// Keys.
    Keys = 2,
    /// Values.
    Values = 3,
    /// Rows of lower layers, each behind a word that says how far below it stands.
    Below = 4,
}

impl Kind {
    /// Whether such files are compressed: those that are read from the front only.
    pub fn is_packed(self) -> bool {
        matches!(self, Kind::Rows | Kind::Below)
    }

    /// How the names of such files end.
    pub fn ending(self) -> &'static str {
        match self {
            Kind::Rows => "rows",
            Kind::Keys => "keys",
            Kind::Values => "values",
            Kind::Below => "below",
        }
    }
}
