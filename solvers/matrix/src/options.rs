//! Options of the solver.

/// The precision that is wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The decimal digits wanted of values that are not found exactly: about 10 can be had.
    pub digits: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { digits: 9 }
    }
}
