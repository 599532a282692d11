//! Options of the search: techniques to switch, and sizes that were tuned.

/// How to search. [`Options::default`] is the fastest known mixture. No option changes an answer, only the
/// way to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// At most this many threads; 0 for as many as the machine has cores.
    pub threads: usize,
    /// Searching with windows: alpha-beta for players, Star1 for chance.
    pub narrow_windows: bool,
    /// Asking first whether the value is 1, then whether it is close to 1.
    pub ask_for_certainty: bool,
    /// Trying first the choice that did best before.
    pub order_choices: bool,
    /// When a state is expanded, its open siblings are expanded with it, until about this many lanes are in
    /// use; 0 for no siblings.
    pub sibling_lanes: usize,
    /// Backward induction where searching takes long.
    pub induct_backwards: bool,
    /// All states are listed, if they are not too many, when the search has expanded this many; and again, with more patience, after 4 times as
    /// many.
    pub list_after: u64,
    /// The second list goes on while at most this many states are expected for each expansion; guesses are mostly too high.
    pub worth_listing: u64,
    /// Where searching takes long, bounds are found now and then by listing states near the root: at most as many as
    /// were expanded, divided by this; 0 for never.
    pub list_for_bounds: u64,
    /// Stop after this many expansions, as if interrupted. For tests.
    pub expansion_limit: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            threads: 0,
            narrow_windows: true,
            ask_for_certainty: true,
            order_choices: true,
            sibling_lanes: 32,
            induct_backwards: true,
            list_after: 20_000,
            worth_listing: 300,
            list_for_bounds: 8,
            expansion_limit: None,
        }
    }
}

impl Options {
    /// How many threads there are to be.
    pub(crate) fn threads(&self) -> usize {
        match self.threads {
            _ if self.expansion_limit.is_some() => 1,
            threads => limits::thread_count(threads),
        }
    }
}
