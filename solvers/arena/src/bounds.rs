//! The bounds and sizes of listing, in one table. None of them changes a value, only the way to it and its time.

/// Backward induction: states of a chunk.
pub const CHUNK: usize = 2048;
/// Backward induction: the most bytes of shapes and known values that a chunk keeps for the next states of its layer.
pub const KEPT_BYTES: usize = 1 << 20;
/// Listing: the most nodes that are made together.
pub const MAX_BATCH: usize = 1 << 22;
/// Flaws: nodes that may follow from a state on the way to one.
pub const MAX_TRAIL_NODES: usize = 1 << 22;
/// Limits: bytes of numbers that are made between two checks.
pub const BYTES_PER_CHECK: usize = 1 << 18;
/// Limits: layers between two checks.
pub const LAYERS_PER_CHECK: usize = 256;
