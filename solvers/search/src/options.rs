//! Options of the search: techniques to switch, and sizes that were tuned.

base::options! {
    /// How to search. [`Options::default`] is the fastest known mixture for emm. No option changes an answer, only the
    /// way to it.
    #[derive(Clone, PartialEq, Eq, Debug)]
    Options {
        narrow_windows "windows" "alpha-beta for players and Star1 for chance"
        ask_for_certainty "certainty" "ask first whether the value is 1, or close to 1"
        induct_backwards "sweep" "list all states where searching takes long"
        order_choices "ordering" "try first the choice that did best before"
    }
    Parts {}
    Sizes {
        /// At most this many threads; 0 for as many as the machine has cores.
        threads: usize = 0;
        /// When a state is expanded, its open siblings are expanded with it, until about this many lanes are in
        /// use; 0 for no siblings. Half a word, since more would be expanded for nothing (`ablation-parts.csv`: siblings expanded together).
        sibling_lanes: usize = 32;
        /// All states are listed, if they are not too many, when the search has expanded this many; and again, with more patience, after 4 times as
        /// many (`ablation.csv`: sweep, C-4 5x4 first).
        list_after: u64 = 20_000;
        /// The second list goes on while at most this many states are expected for each expansion; guesses are mostly too high.
        worth_listing: u64 = 300;
        /// Where searching takes long, bounds are found now and then by listing states near the root: at most as many as
        /// were expanded, divided by this; 0 for never.
        list_for_bounds: u64 = 8;
        /// Stop after this many expansions, as if interrupted. For tests.
        expansion_limit: Option<u64> = None;
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
