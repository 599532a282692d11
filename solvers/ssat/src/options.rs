//! The one table of what can be switched. No switch changes the answer, only the way to it.

base::options! {
    /// The techniques that are used; the default is the fastest on the formulas of `docs/speed.md`.
    #[derive(Clone, PartialEq, Eq, Debug)]
    Options {
        subsume "subsumption" "drop clauses and literals that others imply, before the search"
        drop_blocked "blocked" "drop clauses that a player can always make true, before the search"
        /// Only where that makes no more clauses.
        eliminate "elimination" "eliminate existential variables before the search"
        cache_components "component-cache" "remember the values of components"
        try_trivial_truth "trivial-truth" "stop where the existential variables alone satisfy all"
        /// Where components are seldom met again.
        generalize_minterms "minterm" "decide first what must happen so that the existential variables win"
        move_defined "defined-variables" "decide what chance defines together with chance"
        refute_defined "refutation" "stop where earlier variables define a universal one"
        /// Where no tree decomposition says which is better.
        take_turns "turns" "decide what chance defines first and last, in turns"
        limited_turns "limited" "for short whiles, leave what is not likely, for bounds"
        relaxes "relaxation" "for short whiles, let a player decide last, for bounds"
        expands "expansion" "for short whiles, copy what universal variables decide about"
        wins_for_certain "certain-win" "for short whiles, look for a choice that wins whatever follows"
        cut_in_the_middle "decomposition" "decide what cuts a formula in the middle first, by a tree decomposition"
    }
    Parts {}
    Sizes {
        /// At most this many threads; 0 for as many as the machine has cores.
        threads: usize = 0;
        /// The work after which other threads begin, and how much more for each literal: they begin by copying all clauses.
        first_help: u64 = 5_000_000;
        /// See [`Options::first_help`].
        help_per_literal: u64 = 16;
        /// The work after which there is another turn for the first time. Later turns are longer, in proportion to all work before.
        first_turn: u64 = 2_000_000;
        /// The work after which there is such a short while for the first time.
        first_limited: u64 = 8_000_000;
        /// The work after which the decomposition is searched for.
        first_decomposition: u64 = 500_000;
        /// Components of at most this many variables and clauses together are split after each
        /// decision, larger ones less often.
        small_component: usize = 4096;
        /// The limit of small components grows by this for each branch that did not fail. Where no branch
        /// comes back there is one path only, on which splitting after each decision would take quadratic time.
        split_per_return: usize = 16;
        /// Stop after this many decisions, as if interrupted. For tests.
        decision_limit: Option<u64> = None;
    }
}
