//! Kinds of files, by their records.

/// The records of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Keys with states.
    Rows = 5,
    Keys = 2,
    Values = 3,
}

impl Kind {
    /// The ending of the names of such files.
    pub fn ending(self) -> &'static str {
        match self {
            Kind::Rows => "rows",
            Kind::Keys => "keys",
            Kind::Values => "values",
        }
    }
}
