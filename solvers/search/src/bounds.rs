//! The bounds and sizes of the search, in one table. None of them changes a value, only the way to it and its time.
//!
//! They were chosen on the 42 rows of `scripts/bench emm` and of `scripts/bench xssat`; what may be switched or
//! differs between the two is in `Options`.

/// Questions: by how much more may be missing from 1 at the next one.
pub const MISSING_FACTOR: u32 = 8;

/// Memory: for trees where no limit is set, in bytes.
pub const UNLIMITED: u64 = 1 << 33;
/// Memory: what is kept for a layer even if nothing is found there, in bytes, roughly.
pub const BYTES_PER_LAYER: u64 = 350;
/// Memory: for what the number 1 is in each layer, in bytes. Numbers get longer with every layer, so this is
/// quadratic in their number.
pub const MAX_SCALE_BYTES: u64 = 1 << 30;
/// Memory: numbers 1 that are remembered.
pub const MAX_ONES: usize = 64;
/// Memory: this part is for trees, the rest for tables.
pub const TREES: u64 = 6;

/// History: layers with an entry of their own.
pub const HISTORY_LAYERS: usize = 64;
/// History: choices with an entry of their own.
pub const HISTORY_CHOICES: usize = 512;
/// History: how far a score moves to the latest value, as a power of one half.
pub const INERTIA: u32 = 6;

/// Random play: nodes that are made.
pub const MAX_PLAY_NODES: usize = 50_000;
/// Random play: plays without news that are enough.
pub const ENOUGH_WITHOUT_NEWS: usize = 24;

/// Limits: states that are expanded between two checks.
pub const PULSE: u64 = 512;
/// Limits: nodes that are made between two checks, if numbers are short.
pub const WORK_PER_CHECK: usize = 1 << 16;
/// Limits: states that are looked up between two checks.
pub const LOOKED_UP_PER_CHECK: usize = 1 << 10;
/// Limits: tables that are made between two checks.
pub const TABLES_PER_CHECK: usize = 256;
