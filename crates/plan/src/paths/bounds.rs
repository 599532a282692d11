//! The bounds and sizes of all searches, in one table.
//!
//! None of them changes what is true of a path, only what is found in which time. They were last measured on the
//! public games of one player (`docs/speed.md`).

/// Ternary simulation: the most gates that are evaluated.
pub const MAX_SIMULATED_GATES: usize = 100_000_000;

/// Depth first: the states that a run of the first round may expand; each round doubles it.
pub const FIRST_EXPANSIONS: u64 = 4_096;
/// Depth first: the longest path of the first round where no depth is given; each round makes it half as long
/// again.
pub const FIRST_LENGTH: u32 = 256;

/// Contradictions: the conflicts that the question about one level may take.
pub const CONTRADICTION_CONFLICTS: u64 = 5_000;
/// Counting: the conflicts that the question what has to change may take.
pub const COUNTING_CONFLICTS: u64 = 100_000;
/// Counting, and effects of moves: the most gates that are collapsed, over all moves.
pub const MAX_COLLAPSED_GATES: usize = 400_000_000;

/// Side by side: the numbers of layers that are tried.
pub const LAYERS: [usize; 7] = [1, 2, 3, 4, 6, 8, 12];
/// Side by side: the conflicts that a question of the first round may take; each round doubles it.
pub const FIRST_CONFLICTS: u64 = 500;
/// Side by side: the longest paths where clocks run.
pub const MAX_CLOCKED_MOVES: u32 = 400;
/// Side by side: the most literals of a count, times what is counted to.
pub const MAX_COUNTED: usize = 4_000_000;
/// Side by side: the most nodes that the legality of moves after a layer depends on, summed over moves.
pub const MAX_LEGALITY_NODES: usize = 20_000_000;
