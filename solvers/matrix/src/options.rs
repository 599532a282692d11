//! Options of the solver.

/// The precision that is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The decimal digits asked for of values that are not found exactly: about 15 can be had.
    pub digits: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { digits: 9 }
    }
}
