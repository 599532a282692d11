//! The policy of the engine: every number by which it decides what to do next, and when to give up. None of them changes a value, only the way to
//! it and its time.
//!
//! A question is answered in this order ([`crate::Engine`]):
//!
//! 1. All steps count, or more than [`LONG`] ([`needs_length`]): how long do plays take? [`next_action`] decides by which way that is found, and how many states
//!    are listed for it. Listed states have values without a search.
//! 2. Else the search begins. After [`PROOFS_AFTER`] expansions it stops once, and facts that no longer matter are searched for.
//! 3. The search itself lists states where it takes long; that policy is the one of the crate `search`.
//!
//! Behind a number stands the row of `docs/bench` that it was chosen on. A number without a row is a guard: it bounds the time or the memory of a part on unusual
//! inputs, and was chosen so that the 42 questions of `scripts/bench emm` and the games of `scripts/bench twoplayer` stay below it.

use std::time::Duration;

/// Expansions of a question after which facts that no longer matter are searched for: below it a question is answered sooner than a proof is found
/// (`ablation.csv`: dead-facts, C-4 5x4 first).
pub const PROOFS_AFTER: u64 = 5_000;
/// Facts that no longer matter are used only if states have at least this many on average: with fewer the second view of a state costs more than it saves (the same row).
pub const FEWEST_DEAD_FACTS: usize = 2;
/// Decimal digits in which bounds agree where a fraction would be too long: what an answer shows.
pub const DIGITS: u32 = 12;
/// Operations with machine words that a fraction may take where plays may go on for ever: about ten seconds
/// (`ablation-parts.csv`: forecast of the work for fractions).
pub const EXACT_WORK: u64 = 10_000_000_000;

/// Horizon: states to be listed before the other ways, a few tenths of a second.
const FEW_STATES: usize = 20_000;
/// Horizon: states to be listed after them where only the number of steps is asked for.
const MANY_STATES: usize = 3_000_000;
/// Horizon: the part of time and memory in which other ways than listing all states are tried, and in which these are listed; the rest is
/// for their values.
pub const SHARE: u32 = 3;
/// Horizon: the same where values are none of the engine's business.
pub const WHOLE: u32 = 1;
/// Horizon: gates that are evaluated with unknown moves, less than a second.
pub const MAX_SIMULATED_GATES: usize = 300_000_000;
/// Horizon: steps asked for from which on it pays to find out whether plays are shorter: tables are kept for each number of steps.
pub const LONG: u32 = 500;

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
/// Random plays: nodes of the tree of a state's successors.
pub const MAX_SAMPLE_NODES: usize = 1 << 20;

/// Replies: the bytes that one takes in a list, roughly.
pub const BYTES_PER_REPLY: u64 = 1000;
/// Replies: how long they are still looked up in the tables when a limit is reached: a person does not notice it.
pub const LOOK_UP: Duration = Duration::from_millis(50);

/// Joint moves: those of a state that is expanded.
pub const MAX_JOINT_MOVES: usize = 1 << 26;
/// Joint moves: those that are combined between two checks of the limits.
pub const MOVES_PER_CHECK: usize = 1 << 14;
/// Joint moves: slots of code that are written for successors between two checks of the limits.
pub const WORK_PER_CHECK: usize = 1 << 18;
/// Joint moves: moves of the maximizer, and joint moves of the adversaries, that the history tells apart: both fit into one number of 16 bits.
pub const MAX_CHOICES: u32 = 256;

/// Chance: outcomes from which on they are compared in each state, and afterstates with each other: fewer are made sooner (`ablation.csv`: equal-outcomes and afterstates,
/// Yahtzee; 2048 has 18 and would take twice as long).
pub const MANY_OUTCOMES: usize = 64;
/// Chance: gates of a step whose outcomes are compared.
pub const MAX_RESIDUAL_GATES: usize = 100_000;
/// Chance: gates into which all of its moves are put where there are many signals (`dice.csv`: 2048 on 3x3).
pub const MAX_COMPARED_GATES: usize = 2_000_000;
/// Chance: bits of the record of what is left to it; a longer one takes longer to compare than it saves.
pub const MAX_RECORD_BITS: usize = 512;
/// Chance: joint moves in states that are expanded together, of which records are kept.
pub const MAX_AFTERSTATES: usize = 1 << 20;
/// Chance: pairs of interchangeable things under which outcomes are compared: with the state itself they fill a word.
pub const MAX_PAIRS: usize = 63;
/// Chance: images of moves under all of these.
pub const MAX_IMAGE_ENTRIES: usize = 1 << 21;
/// Chance: partitions of outcomes that are kept.
pub const MAX_PARTITIONS: usize = 1 << 12;
/// Chance: outcomes in all of these.
pub const MAX_PARTITION_ENTRIES: usize = 1 << 24;
/// Chance: residuals of which the partition is kept, some megabytes.
pub const MAX_RESIDUALS: usize = 1 << 16;

/// Symmetry: edges and nodes that the search for candidates visits, a few tenths of a second.
pub const MAX_SYMMETRY_EFFORT: u64 = 20_000_000;
/// Symmetry: gates that checks visit, all together.
pub const MAX_CHECKED_GATES: usize = 20_000_000;
/// Symmetry: products of a gate that is flattened for the search; gates with more are made of other gates.
pub const MAX_PRODUCTS: usize = 1 << 13;
/// Symmetry: how many times fewer products a gate may have where all together are too long.
pub const FEWER_PRODUCTS: usize = 16;
/// Symmetry: signals of these products, and those of the gates below, all together.
pub const MAX_FLAT_LITERALS: usize = 1 << 17;
/// Symmetry: words that say which facts the gates depend on that may be flattened.
pub const MAX_SUPPORT_WORDS: usize = 1 << 20;
/// Symmetry: images that are compared, the state itself included (`ablation.csv`: symmetry, TT 4x4 second has 8).
pub const MAX_IMAGES: usize = 128;
/// Symmetry: interchangeable things that are sorted.
pub const MAX_SORTED: usize = 64;
/// Symmetry: bytes of the tables of images: what a cache holds.
pub const MAX_KEY_BYTES: usize = 1 << 20;

/// Dead facts: gates of a step in which they are searched for.
pub const MAX_DEAD_FACT_GATES: usize = 30_000;
/// Dead facts: guesses, each with fewer dead facts than the one before.
pub const MAX_ROUNDS: usize = 8;
/// Dead facts: states that are kept as examples.
pub const MAX_EXAMPLES: usize = 500;

/// Whether it is to be found out how long plays take before anything is searched.
pub fn needs_length(steps_left: Option<u32>) -> bool {
    steps_left.is_none_or(|steps| steps > LONG)
}

/// The use of the length of plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// A search of fewer steps.
    FewerSteps,
    /// The length itself.
    Length,
    /// Values where all steps count: if there is no cheap proof, they are those of the listed states.
    Values,
}

/// What was done so far to find out how long plays take.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// The use of it.
    pub purpose: Purpose,
    /// States that were listed.
    pub listed: usize,
    /// Whether the cheap proofs were tried.
    pub has_tried_proofs: bool,
    /// Whether facts may be found that no longer matter. With them there are fewer states, so the list begins anew.
    pub may_have_dead_facts: bool,
}

/// What to do next to find out how long plays take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// List one state more.
    List,
    /// Try the cheap proofs.
    Prove,
    /// Find facts that no longer matter.
    FindDeadFacts,
    /// Give up.
    Stop,
}

/// Decides what to do next to find out how long plays take.
pub fn next_action(state: State) -> Action {
    let most = match state.purpose {
        Purpose::FewerSteps => FEW_STATES,
        Purpose::Length => MANY_STATES,
        Purpose::Values => usize::MAX,
    };
    match state.listed {
        0..=FEW_STATES => Action::List,
        _ if !state.has_tried_proofs => Action::Prove,
        _ if state.may_have_dead_facts => Action::FindDeadFacts,
        listed if listed <= most => Action::List,
        _ => Action::Stop,
    }
}
