//! The one table of switches: tests run every combination, and studies
//! measure the gain of each technique. No switch changes the answer, only the way to it.

use crate::policy::{GROUP_SIZE, LIST_AFTER, SEGMENT_BITS, SEGMENT_LENGTH, WIDEST_KEY};

base::options! {
    /// The techniques to use, and the sizes of segments. [`Options::default`] is the fastest mixture on the questions of `docs/speed.md`.
    #[derive(Clone, PartialEq, Eq, Debug)]
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
        merge_effects "effects" "merge assignments with equal effects"
    }
    Parts {
        /// The search from cut to cut. A segment has many branches of its own, and siblings of its state are often cut off: they are not expanded with it.
        search: search::Options = search::Options {
            sibling_lanes: 0,
            list_after: LIST_AFTER,
            worth_listing: 100,
            list_for_bounds: 16,
            ..search::Options::default()
        };
    }
    Sizes {
        /// At most this many universal or chance variables are decided in one go (1 to 8).
        group_size: usize = GROUP_SIZE;
        /// A segment takes in several steps as long as its branches are at most this many, as a power
        /// of two.
        segment_bits: u32 = SEGMENT_BITS;
        /// At most this many variables are decided one after the other between two cuts.
        segment_length: u32 = SEGMENT_LENGTH;
        /// Keys of more bits than this are not stored: no cut is made there.
        widest_key: usize = WIDEST_KEY;
    }
}
