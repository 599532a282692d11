//! The one table of switches: tests run every combination, and studies
//! measure the gain of each technique. No switch changes the answer, only the way to it.

use crate::policy::{GROUP_SIZE, LIST_AFTER, SEGMENT_BITS, SEGMENT_LENGTH, WIDEST_KEY};

/// The techniques to use, and the sizes of segments. [`Options::default`] is the fastest mixture on the questions of `docs/speed.md`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// At most this many threads; 0 for as many as the machine has cores.
    pub threads: usize,
    /// Recognising and/or gates by the shape of their clauses.
    pub recognise_gates: bool,
    /// Recognising other gates by a small satisfiability check.
    pub check_definability: bool,
    /// Deciding existential variables of which at most one is true in one go.
    pub group_choices: bool,
    /// Replacing encoded moves of opponents and of chance by plain choices among legal moves.
    pub lift_selections: bool,
    /// Dropping gates that no check depends on.
    pub prune_cone: bool,
    /// Recomputing what the rest of a key determines.
    pub reduce_keys: bool,
    /// Finding literals that make every later check true.
    pub find_winning_literals: bool,
    /// Not branching on variables that occur in no open check, nor on the pointless side of one.
    pub skip_inactive: bool,
    /// Storing one key for all states that are images of each other.
    pub use_symmetry: bool,
    /// Searching with windows: alpha-beta for players, Star1 for chance.
    pub narrow_windows: bool,
    /// Asking first whether the value is 1, then whether it is close to 1, which cuts off much.
    pub ask_for_certainty: bool,
    /// Backward induction where searching takes long.
    pub induct_backwards: bool,
    /// Trying first the branch that did best before.
    pub order_branches: bool,
    /// Taking assignments with equal effects as one branch.
    pub merge_effects: bool,
    /// At most this many universal or chance variables are decided in one go (1 to 8).
    pub group_size: usize,
    /// A segment takes in several steps as long as its branches are at most this many, as a power
    /// of two.
    pub segment_bits: u32,
    /// At most this many variables are decided one after the other between two cuts.
    pub segment_length: u32,
    /// Keys of more bits than this are not stored: no cut is made there.
    pub widest_key: usize,
    /// States are listed when the search has expanded this many.
    pub list_after: u64,
    /// Stop after this many decisions, as if interrupted. For tests.
    pub decision_limit: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            threads: 0,
            recognise_gates: true,
            check_definability: true,
            group_choices: true,
            lift_selections: true,
            prune_cone: true,
            reduce_keys: true,
            find_winning_literals: true,
            skip_inactive: true,
            use_symmetry: true,
            narrow_windows: true,
            ask_for_certainty: true,
            induct_backwards: true,
            order_branches: true,
            merge_effects: true,
            group_size: GROUP_SIZE,
            segment_bits: SEGMENT_BITS,
            segment_length: SEGMENT_LENGTH,
            widest_key: WIDEST_KEY,
            list_after: LIST_AFTER,
            decision_limit: None,
        }
    }
}

formula::switches! {
    Options {
        recognise_gates "gates" "find and/or gates by the shape of their clauses"
        check_definability "definability" "find other gates by a small satisfiability check"
        group_choices "groups" "decide exactly-one groups in one go"
        lift_selections "selections" "make encoded moves of others plain choices among legal moves"
        prune_cone "cone" "drop gates that no check depends on"
        reduce_keys "key-reduction" "do not store what the rest of a key determines"
        find_winning_literals "winning-literals" "stop where one literal makes every later check true"
        skip_inactive "activity" "do not branch where no open check can notice"
        use_symmetry "symmetry" "store one key for all states that are images of each other"
        narrow_windows "windows" "alpha-beta for players and Star1 for chance"
        ask_for_certainty "certainty" "ask first whether the value is 1, or close to 1"
        induct_backwards "sweep" "list all states where searching takes long"
        order_branches "ordering" "try first the branch that did best before"
        merge_effects "effects" "merge assignments with equal effects"
    }
}
