//! The policy of the engine: every number by which it decides. None of them changes a value, only the way to it and its time.
//!
//! A formula is compiled once, in the order of the modules of [`crate`]; each technique has a bound of its own, so that compilation stays below a few seconds on formulas
//! of any kind. When the search lists states is decided in the crate `search`, from [`LIST_AFTER`] on.
//!
//! Behind a number stands the row of `docs/bench` that it was chosen on. A number without a row is a guard, chosen so that nothing is lost on the 42
//! formulas of `scripts/bench xssat` and on the families of `scripts/bench xssat --families`.

/// Search: decisions after which states are listed for the first time: later than where states have fewer branches (`ablation.csv`: sweep, S-TT 4x4 4/5 first).
pub const LIST_AFTER: u64 = 40_000;
/// Search: words of branches between two checks of the limits.
pub const WORDS_PER_CHECK: usize = 16;

/// Cuts: universal or chance variables that are decided in one go: 64 branches fill a word.
pub const GROUP_SIZE: usize = 6;
/// Cuts: branches of a segment, as a power of two, up to which it takes in several steps: two words.
pub const SEGMENT_BITS: u32 = 7;
/// Cuts: variables that are decided one after the other between two cuts.
pub const SEGMENT_LENGTH: u32 = 120;
/// Cuts: bits of a key; no cut is made where it would be longer.
pub const WIDEST_KEY: usize = 4096;
/// Cuts: variables visited, for each cut, by the search for a way to recompute live ones.
pub const MAX_RECOMPUTED: usize = 20_000;
/// Cuts: branches of a segment, as a power of two.
pub const MAX_BRANCH_BITS: u32 = 20;
/// Cuts: what must be left for each branch of a segment where memory is limited, in bytes: a few times what a
/// branch takes, because the trees of several segments and threads exist at the same time.
pub const BYTES_PER_BRANCH: u64 = 4096;
/// Ordering: memory for each literal of the clauses, in bytes.
pub const ORDER_BYTES: u64 = 24;

/// Selections: the words that all proofs together visit, a fraction of a second.
pub const MAX_SELECTION_EFFORT: u64 = 500_000_000;
/// Selections: inputs of a proof, whose cases are all tried.
pub const MAX_INPUTS: usize = 20;
/// Selections: universal variables of a proof, whose assignments are all tried.
pub const MAX_UNIVERSALS: usize = 8;
/// Selections: variables that are followed back through gates.
pub const MAX_CONE: usize = 20_000;
/// Selections: checks on an input that are read.
pub const MAX_CHECKS: usize = 1_000;

/// Groups: members of one.
pub const MAX_MEMBERS: usize = 256;
/// Groups: variables of a block that are compared with each other: the first ones.
pub const MAX_COMPARED: usize = 500;
/// Groups: clauses and literals for each variable in which neighbours are counted.
pub const MAX_NEIGHBOURS: usize = 2_000;
/// Groups: literals after which propagation stops. A long game would otherwise be propagated to its
/// end for each choice. Stopping early finds fewer conflicts, which is harmless.
pub const MAX_CONSEQUENCES: usize = 5_000;

/// Symmetry: nodes of a graph whose automorphisms are searched for.
pub const MAX_GRAPH: usize = 300_000;
/// Symmetry: edges that the search visits, a few tenths of a second.
pub const MAX_SYMMETRY_EFFORT: u64 = 20_000_000;
/// Symmetry: nodes that all automorphisms together move.
pub const MAX_MOVED: usize = 2_000_000;
/// Symmetry: bytes of the tables of all cuts together.
pub const MAX_SYMMETRY_BYTES: usize = 64 << 20;
/// Symmetry: words of a key that is mapped.
pub const MAX_KEY_WORDS: usize = 4;
/// Symmetry: images that are compared at a cut, the key itself included.
pub const MAX_IMAGES: usize = 64;
/// Symmetry: bytes that the tables of a cut should take, if narrower chunks help.
pub const CACHE_BYTES: usize = 32 << 10;
/// Symmetry: bytes that the tables of a cut may take.
pub const MAX_CUT_BYTES: usize = 256 << 10;
/// Symmetry: bits of the narrowest chunks of a key.
pub const MIN_CHUNK_BITS: usize = 4;

/// Effects: gates that are copied over all assignments.
pub const MAX_EFFECT_GATES: usize = 30_000;

/// Winning literals: nodes of circuits that the search visits, so that formulas on which it finds nothing do not get
/// slower.
pub const MAX_WINNING_NODES: usize = 400_000_000;

/// Programs: assignments of a decision.
pub const MAX_ASSIGNMENTS: usize = 64;
