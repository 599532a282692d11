//! The numbers that steer the work on a table: how memory is divided, and how much is done at once.
//!
//! ```text
//! listing    all memory but the layer held    3/4 buffers of rows, the rest for what threads expand and sort
//! valuing    5/8 the layer behind and the present one, if they fit    1/16 chunks of all threads
//!            else 1/2 chunks    1/16 a portion of the layer behind
//! ```
//!
//! None of them changes a byte of a finished table but [`FRACTION_BYTES`]. Sizes that belong to the format are in [`crate::blocks`].
//! Measured on the division of memory: with 512 MB a build of 14 MB reads 0.7 times the table, with 24 MB twice.

/// The bytes of memory that are used where no limit is set.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// The bytes of a thread for blocks of rows, and to compress them.
const BYTES_PER_THREAD: u64 = 3 << 17;

/// The bytes that rows, chunks and layers may take together.
pub fn working_memory(limit: Option<u64>, threads: usize) -> u64 {
    let memory = limit.unwrap_or(DEFAULT_MEMORY);
    memory - (threads as u64 * BYTES_PER_THREAD).min(memory / 4)
}

/// The bytes that a layer which is held may take together with the one that is valued. The rest is for chunks.
pub fn held_bytes(memory: u64) -> u64 {
    memory / 8 * 5
}

/// The bytes of all buffers of rows, beside a layer that is held.
pub fn buffer_bytes(memory: u64, held: u64) -> u64 {
    memory.saturating_sub(held) / 4 * 3
}

/// The bytes of one thread's chunk of states that are valued together. Where the layer behind is held, chunks stay in the cache of a
/// processor (with 512 MB a layer is read at most once anyhow). Where it is not, it is read once for all chunks: the larger the better.
pub fn chunk_bytes(memory: u64, threads: usize, is_held: bool) -> usize {
    const CACHED_BYTES: usize = 1 << 21;
    let (part, most) = match is_held {
        true => (16, CACHED_BYTES),
        false => (2, usize::MAX),
    };
    let bytes = usize::try_from(memory / part / threads as u64).unwrap_or(usize::MAX);
    bytes.clamp(MIN_BYTES, most)
}

/// The bytes of a layer that are read at once where it is not held.
pub fn portion_bytes(memory: u64) -> u64 {
    (memory / 16).max(MIN_BYTES as u64)
}

/// The fewest bytes of a chunk and of a portion: smaller ones cost more calls than they save memory.
const MIN_BYTES: usize = 1 << 16;

/// The states that a thread expands between two checks of memory and time, about: some milliseconds.
pub const STATES_PER_CHECK: usize = 1 << 12;
/// The rows that are merged between two checks of the limits: some milliseconds.
pub const ROWS_PER_CHECK: u64 = 1 << 16;
/// The most rows that are sorted between two checks of the limits: some tens of milliseconds.
pub const SORTED_PER_CHECK: usize = 1 << 20;

/// The states that are expanded until a buffer must have room again for their successors.
pub const STATES_PER_ROOM: usize = 1 << 8;
/// The states that are added between two checks of the size of a chunk.
pub const STATES_AT_ONCE: usize = 1 << 8;

/// The fewest states of a layer that several processes share. A layer with fewer is done before they would have agreed on it.
pub const MIN_SHARED: u64 = 1 << 12;

/// The rows that a buffer may have: so many that runs are worth a file each, and no more than 32 bits can number.
pub const BUFFER_ROWS: [usize; 2] = [1 << 10, 1 << 31];
/// The most bytes for recent rows of a buffer: they should stay in the cache of a processor.
pub const RECENT_BYTES: usize = 1 << 18;
/// The rows that are added to a buffer together: the processor waits for many places of memory at once.
pub const ROWS_AT_ONCE: usize = 1 << 8;
/// The rows of the longest buffer in a range of keys that one thread merges.
pub const ROWS_PER_RANGE: usize = 1 << 12;
/// The most runs that are open at once. Some systems let a process open 256 files.
pub const MAX_OPEN_RUNS: usize = 128;
/// The most layers of a finished table whose two files are held open.
pub const MAX_OPEN_LAYERS: usize = 100;

/// The bytes of the values of the first layer of matrix games that is tried: enough for fractions of small numbers.
pub const FRACTION_BYTES: usize = 2;
