//! The one table of switches: tests run every combination, studies measure the gain of each technique. No
//! switch changes an answer.

use crate::policy::{
    DIGITS, EXACT_WORK, FEWEST_DEAD_FACTS, LIST_AFTER, MANY_OUTCOMES, PROOFS_AFTER, SIBLING_LANES,
};
use limits::Limits;

/// The techniques to use, and when. [`Options::default`] is the fastest mixture on the questions of `docs/speed.md`.
#[derive(Clone, Debug)]
pub struct Options {
    /// At most this many threads; 0 for as many as the machine has cores.
    pub threads: usize,
    /// Taking outcomes of chance as one that lead to the same once a move is made.
    pub merge_outcomes: bool,
    /// Outcomes of chance are compared, and states and moves that leave the same to it, if it has at least this many.
    pub many_outcomes: usize,
    /// Listing successors once for all states and moves that leave the same to chance.
    pub share_afterstates: bool,
    /// Storing one key for all states that are images of each other.
    pub use_symmetry: bool,
    /// Storing one key for all states that differ only in facts that no longer matter.
    pub merge_dead_facts: bool,
    /// When a question has taken this many expansions, facts that no longer matter are searched for.
    pub proofs_after: u64,
    /// Facts that no longer matter are used only if states have at least this many of them on average.
    pub fewest_dead_facts: usize,
    /// Searching with windows: alpha-beta for players, Star1 for chance.
    pub narrow_windows: bool,
    /// Asking first whether the value is 1.
    pub ask_for_certainty: bool,
    /// Trying first the move that did best before.
    pub order_moves: bool,
    /// When a state is expanded, its open siblings are expanded with it, until about this many
    /// lanes are in use; 0 for no siblings.
    pub sibling_lanes: usize,
    /// When the depth-first search has expanded this many states, all states are listed, if they are
    /// not too many; and again, with more patience, after some times as many.
    pub list_after: u64,
    /// Listing all states where the depth-first search takes long.
    pub induct_backwards: bool,
    /// Where plays may go on for ever and the fraction of the value would be too long: how many decimal digits bounds should
    /// agree in; 12 or more.
    pub digits: u32,
    /// Where plays may go on for ever: values are exact while that takes no more than about this many operations with machine words; 0 for
    /// bounds only.
    pub exact_work: u64,
    /// When preparing a step is to end. Moves and symmetries that are not compared by then count as different, so the answer is
    /// right, but the search takes longer.
    pub limits: Limits,
    /// Stop after this many expansions, as if interrupted. For tests.
    pub expansion_limit: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            threads: 0,
            merge_outcomes: true,
            many_outcomes: MANY_OUTCOMES,
            share_afterstates: true,
            use_symmetry: true,
            merge_dead_facts: true,
            proofs_after: PROOFS_AFTER,
            fewest_dead_facts: FEWEST_DEAD_FACTS,
            narrow_windows: true,
            ask_for_certainty: true,
            order_moves: true,
            sibling_lanes: SIBLING_LANES,
            list_after: LIST_AFTER,
            induct_backwards: true,
            digits: DIGITS,
            exact_work: EXACT_WORK,
            limits: Limits::default(),
            expansion_limit: None,
        }
    }
}

impl Options {
    /// The options of the search.
    pub(crate) fn search(&self) -> search::Options {
        search::Options {
            threads: self.threads,
            narrow_windows: self.narrow_windows,
            ask_for_certainty: self.ask_for_certainty,
            order_choices: self.order_moves,
            sibling_lanes: self.sibling_lanes,
            induct_backwards: self.induct_backwards,
            list_after: self.list_after,
            expansion_limit: self.expansion_limit,
            ..search::Options::default()
        }
    }
}

formula::switches! {
    Options {
        merge_outcomes "equal-outcomes" "take outcomes of chance as one that lead to the same once a move is made"
        share_afterstates "afterstates" "list successors once for all moves that leave the same to chance"
        use_symmetry "symmetry" "store one key for all states that are images of each other"
        merge_dead_facts "dead-facts" "store one key for states that differ in facts that no longer matter"
        narrow_windows "windows" "alpha-beta for players and Star1 for chance"
        ask_for_certainty "certainty" "ask first whether the value is 1"
        induct_backwards "sweep" "list all states where searching takes long"
        order_moves "ordering" "try first the move that did best before"
    }
}
