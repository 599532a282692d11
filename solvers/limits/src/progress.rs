//! The progress that work reports.

use std::sync::Arc;

/// The progress that running work reports now and then. Nothing of it is about the value: bounds have a [`Publisher`](crate::Publisher).
/// [`Progress::default`] knows nothing, so a solver fills in the fields that it knows.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Progress {
    /// The phase of the work, in a few words.
    pub phase: &'static str,
    /// States (table entries, decisions) handled so far.
    pub states: u64,
    /// Memory held by tables, in bytes.
    pub memory: u64,
    /// The load of the tables, from 0 to 1: the part of the memory allowed for them that is used.
    /// For people to look at, not a promise.
    pub fill: Option<f64>,
}

/// A receiver of progress reports.
pub type ProgressListener = Arc<dyn Fn(&Progress) + Send + Sync>;
