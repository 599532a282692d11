//! The one table of switches: tests run every combination, studies measure the gain of each technique. No
//! switch changes an answer.

use crate::policy::{DIGITS, EXACT_WORK, FEWEST_DEAD_FACTS, MANY_OUTCOMES, PROOFS_AFTER};
use limits::Limits;

base::options! {
    /// The techniques to use, and when. [`Options::default`] is the fastest mixture on the questions of `docs/speed.md`.
    #[derive(Clone, Debug)]
    Options {
        merge_outcomes "equal-outcomes" "take outcomes of chance as one that lead to the same once a move is made"
        share_afterstates "afterstates" "list successors once for all moves that leave the same to chance"
        use_symmetry "symmetry" "store one key for all states that are images of each other"
        merge_dead_facts "dead-facts" "store one key for states that differ in facts that no longer matter"
    }
    Parts {
        /// The search from state to state.
        search: search::Options = search::Options::default();
    }
    Sizes {
        /// Outcomes of chance are compared, and states and moves that leave the same to it, if it has at least this many.
        many_outcomes: usize = MANY_OUTCOMES;
        /// When a question has taken this many expansions, facts that no longer matter are searched for.
        proofs_after: u64 = PROOFS_AFTER;
        /// Facts that no longer matter are used only if states have at least this many of them on average.
        fewest_dead_facts: usize = FEWEST_DEAD_FACTS;
        /// Where plays may go on for ever and the fraction of the value would be too long: how many decimal digits bounds should
        /// agree in; 12 or more.
        digits: u32 = DIGITS;
        /// Where plays may go on for ever: values are exact while that takes no more than about this many operations with machine words; 0 for
        /// bounds only.
        exact_work: u64 = EXACT_WORK;
        /// When preparing a step is to end. Moves and symmetries that are not compared by then count as different, so the answer is
        /// right, but the search takes longer.
        limits: Limits = Limits::default();
    }
}
