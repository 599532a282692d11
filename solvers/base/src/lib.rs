//! What several solvers stand on, without a meaning of states or nodes.
//!
//! - [`options`](mod@options): techniques that can be switched off, and sizes.
//! - [`graph`]: directed graphs, their strongly connected components, partitions.
//! - [`value`]: exact values as whole numbers over a known denominator, in the narrowest width.
//! - [`table`]: tables from keys to bounds and numbers, which threads share.

pub mod graph;
pub mod options;
pub mod table;
pub mod value;
