//! The bounds and sizes of the engine, in one table. None of them changes a value, only the way to it and its time.
//!
//! They were chosen on the 42 questions of `scripts/bench emm` and on public games for two players.

use std::time::Duration;

/// Random plays: their number.
pub const PLAYS: usize = 64;
/// Random plays: their number where they are to refute that a horizon can be proved.
pub const FEW_PLAYS: usize = 4;
/// Random plays: states of one.
pub const MAX_PLAY_LENGTH: usize = 2_000;
/// Random plays: states of all.
pub const MAX_SAMPLES: usize = 20_000;
/// Random plays: bytes of all.
pub const MAX_SAMPLE_BYTES: usize = 1 << 23;
/// Random plays: nodes of the tree that lists what follows from a state.
pub const MAX_SAMPLE_NODES: usize = 1 << 20;

/// Horizon: states to be listed before the other ways.
pub const FEW_STATES: usize = 20_000;
/// Horizon: states to be listed after them.
pub const MANY_STATES: usize = 3_000_000;
/// Horizon: the part of time and memory in which other ways than listing all states are tried, and in which these are listed; the rest is
/// for their values.
pub const SHARE: u32 = 3;
/// Horizon: the same where values are none of the engine's business.
pub const WHOLE: u32 = 1;
/// Horizon: gates that are evaluated with unknown moves.
pub const MAX_SIMULATED_GATES: usize = 300_000_000;
/// Horizon: where more steps than these are asked for, it is worth finding out whether plays are shorter.
pub const LONG: u32 = 500;

/// Replies: the bytes that one takes in a list, roughly.
pub const BYTES_PER_REPLY: u64 = 1000;
/// Replies: how long they are still looked up in the tables when a limit is reached.
pub const LOOK_UP: Duration = Duration::from_millis(50);

/// Joint moves: those of a state that is expanded.
pub const MAX_JOINT_MOVES: usize = 1 << 26;
/// Joint moves: those that are combined between two looks at the limits.
pub const MOVES_PER_LOOK: usize = 1 << 14;
/// Joint moves: slots of code that are written for successors between two looks at the limits.
pub const WORK_PER_LOOK: usize = 1 << 18;
/// Joint moves: moves of the maximizer, and joint moves of the adversaries, that the history tells apart.
pub const MAX_CHOICES: u32 = 256;
/// Joint moves: inputs of gates that are looked at to compare the effects of moves.
pub const MAX_COMPARED_INPUTS: usize = 20_000_000;
/// Afterstates: gates that are copied over all moves to find what still matters.
pub const MAX_AFTERSTATE_GATES: usize = 1_000_000;

/// Symmetry: edges and nodes that the search for candidates visits.
pub const MAX_SYMMETRY_EFFORT: u64 = 20_000_000;
/// Symmetry: gates that checks visit, all together.
pub const MAX_CHECKED_GATES: usize = 20_000_000;
/// Symmetry: products of a gate that is flattened for the search; gates with more are made of other gates.
pub const MAX_PRODUCTS: usize = 1 << 13;
/// Symmetry: their signals, and those of the gates below, all together.
pub const MAX_FLAT_LITERALS: usize = 1 << 17;
/// Symmetry: words that say which facts the gates depend on that may be flattened.
pub const MAX_SUPPORT_WORDS: usize = 1 << 20;
/// Symmetry: images that are compared, the state itself included.
pub const MAX_IMAGES: usize = 128;
/// Symmetry: interchangeable things that are sorted.
pub const MAX_SORTED: usize = 64;
/// Symmetry: pairs of interchangeable things under which outcomes are compared; at most 63.
pub const MAX_PAIRS: usize = 63;
/// Joint moves: choices of chance that are worth comparing in each state.
pub const MANY_OUTCOMES: usize = 64;
/// Symmetry: images of moves under all of these.
pub const MAX_IMAGE_ENTRIES: usize = 1 << 21;
/// Joint moves: partitions of outcomes that are kept.
pub const MAX_PARTITIONS: usize = 1 << 12;
/// Joint moves: outcomes in all of these.
pub const MAX_PARTITION_ENTRIES: usize = 1 << 24;
/// Symmetry: stabilisers whose partition is kept.
pub const MAX_STABILISERS: usize = 1 << 16;
/// Symmetry: bytes that the tables should take.
pub const MAX_KEY_BYTES: usize = 1 << 20;

/// Dead facts: gates of a step in which they are looked for.
pub const MAX_DEAD_FACT_GATES: usize = 30_000;
/// Dead facts: guesses, each with fewer dead facts than the one before.
pub const MAX_ROUNDS: usize = 8;
/// Dead facts: states that are kept as examples.
pub const MAX_EXAMPLES: usize = 500;
