//! The policy of the search: all of its thresholds. What it decides next stands in `decide`.
//!
//! Units: *work* is a count of clauses and variables that were visited, about 10^8 a second. A row is a technique of `docs/bench/ablation.csv`, or of
//! `ablation-bounds.csv` beside it; options can switch it off. Numbers without a row are bounds of cost: the value next to it hardly matters.

use std::time::Duration;

// Before the search. Rows: subsumption, elimination, blocked.

/// Literals that may be visited to make clauses fewer and shorter, for each literal of the formula. Before a short run it is no more than its work.
pub const REDUCING: u64 = 100;
/// Elimination makes no clause longer where all variables are so many times as many as the largest bag has: `QIF-reverse` 39 times (0.04 s for 20 s),
/// `ere-dec-0.125-0.10` 11 times (0.4 s for 0.24 s).
pub const CUTS_WELL: usize = 16;
/// It is so too only where bags have at most so many variables, since parts behind larger ones are hardly met again.
pub const MAX_BAG: usize = 24;
/// The same as `REDUCING` to find blocked clauses.
pub const BLOCKING: u64 = 400;

// The order of decisions. Rows: minterm, turns, decomposition.

/// If more than one component in this many that were stored is met again, the formula describes a plan, and late events are not decided first.
pub const HITS_TO_KEEP_ORDER: u64 = 8;
/// The score of a clause beside that of a conflict.
pub const CLAUSE: u64 = 64;
/// A decomposition of a block with this many times as many variables as the largest bag has is *narrow*: then it decides alone.
pub const NARROW: usize = 8;
/// Blocks of fewer variables have no decomposition: the score orders them as well.
pub const MIN_BLOCK: usize = 16;
/// The most clauses that nearness to the middle of a decomposition counts for: more than variables have.
pub const MAX_NEARNESS: f64 = 1e7;
/// The work for a decomposition, as a multiple of that of the search so far, and at most (a twentieth of a second): then bags are too large to be of use.
pub const DECOMPOSING: u64 = 4;
pub const MAX_DECOMPOSING: u64 = 100_000_000;
/// A decomposition is searched for again after so many times the work, if there was too much to do, or if a new part of this size of all variables
/// follows from no decision.
pub const DECOMPOSE_AGAIN: u64 = 8;
pub const CHANGED: usize = 16;

// Models and learned clauses.

/// The n-th restart of a search for a model comes after this many conflicts times the n-th number of Luby's sequence.
pub const RESTART: u64 = 64;
/// The most literals of a clause that are tried to mend a model.
pub const MAX_CANDIDATES: usize = 16;
/// The part by which the number of learned clauses that are kept grows each time that half of them are forgotten.
pub const KEEP_MORE: usize = 16;

/// How many learned clauses are kept at first, beside so many of the formula.
pub fn first_learned(given: usize) -> usize {
    2000 + given / 2
}

// Splitting.

/// The part of a large component that must be assigned before it is split again, so that all splitting on one path takes time linear in its
/// size.
pub const STALE: usize = 64;

// Bounds before the end. Rows: limited, relaxation, certain-win, expansion.

/// Each kind of a limited turn takes this part of all work before it, and the next turn comes when the work has doubled: all kinds together take less than
/// a fifth.
pub const LIMITED_SHARE: u64 = 24;
/// How many times smaller the probabilities of each pass are.
pub const FINER: f64 = 4.0;
/// With less work than this for each literal, preparing a relaxed formula takes longer than its search.
pub const RELAXING: u64 = 50;
/// The same for an expanded formula; and the bytes for each literal of it, its clauses and variables included.
pub const EXPANDING: u64 = 8;
pub const EXPANDED_BYTES: u64 = 120;
/// The search for a certain win takes this part of the time, which its satisfiability solvers do not count as work.
pub const CERTAIN_SHARE: u32 = 6;
/// After so many scenarios that were left out, choices are good enough.
pub const MOST_LEFT_OUT: u32 = 64;

// The choice between the engines. Row: trial.

/// The work of clause learning before the formula is compiled, for each literal. That costs less than compiling, and settles many formulas from elsewhere.
pub const TRIAL_WORK: u64 = 5;
/// When the layered engine pauses first, and how many times later each next pause is.
pub const FIRST_PAUSE: Duration = Duration::from_millis(100);
pub const NEXT_PAUSE: u32 = 4;
/// The number of times that the trial must have gone by before the first pause: a formula that takes long to read is not tried again soon.
pub const TRIALS: u32 = 20;
/// The part of the time gone by that learning takes in a pause, and its part of the memory allowed.
pub const PAUSE_SHARE: u32 = 30;
pub const PAUSE_MEMORY: u64 = 16;

// Several threads. Rows of `docs/bench/ablation-parts.csv`.

/// Components that a thread enters between two checks of what others have settled, and this many more for each on its path.
pub const ENTERED_PER_CHECK: usize = 64;
pub const ENTERED_PER_FRAME: usize = 8;
