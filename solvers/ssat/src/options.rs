//! The one table of what can be switched. No switch changes the answer, only the way to it.

/// The techniques that are used; the default is the fastest on the formulas of `docs/speed.md`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// At most this many threads; 0 for as many as the machine has cores.
    pub threads: usize,
    /// The work after which other threads begin, and how much more for each literal: they begin by copying all clauses.
    pub first_help: u64,
    /// See [`Options::first_help`].
    pub help_per_literal: u64,
    /// Subsumption and self-subsuming resolution before the search.
    pub subsume: bool,
    /// Leaving out blocked clauses before the search.
    pub drop_blocked: bool,
    /// Eliminating existential variables before the search, where that makes no more clauses.
    pub eliminate: bool,
    /// Remembering the values of components.
    pub cache_components: bool,
    /// Checking whether one assignment of the existential variables makes all clauses of a component
    /// true.
    pub try_trivial_truth: bool,
    /// Deciding first what chance or the opponent must do so that such an assignment wins, where components are seldom met again.
    pub generalize_minterms: bool,
    /// Deciding existential variables that have no choice in the block of chance that defines them.
    pub move_defined: bool,
    /// Finding universal variables that earlier variables determine: they make the value 0.
    pub refute_defined: bool,
    /// Changing in turns whether such variables are decided first or last, where no tree decomposition says which is better.
    pub take_turns: bool,
    /// The work after which that changes for the first time. Later turns are longer, in proportion to all work before.
    pub first_turn: u64,
    /// Short turns in which branches of small probability are left, and in which a player is fixed: bounds before the end.
    pub limited_turns: bool,
    /// The work after which there is such a turn for the first time.
    pub first_limited: u64,
    /// Searching in these turns the formula in which a player decides last.
    pub relaxes: bool,
    /// Searching in these turns the formula after universal expansion.
    pub expands: bool,
    /// Searching in these turns for a choice of the maximizer that wins for certain.
    pub wins_for_certain: bool,
    /// Deciding first what is near to the middle of a tree decomposition.
    pub cut_in_the_middle: bool,
    /// The work after which the decomposition is searched for.
    pub first_decomposition: u64,
    /// Components of at most this many variables and clauses together are split after each
    /// decision, larger ones less often.
    pub small_component: usize,
    /// The limit of small components grows by this for each branch that did not fail. Where no branch
    /// comes back there is one path only, on which splitting after each decision would take quadratic time.
    pub split_per_return: usize,
    /// Stop after this many decisions, as if interrupted. For tests.
    pub decision_limit: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            threads: 0,
            first_help: 5_000_000,
            help_per_literal: 16,
            subsume: true,
            drop_blocked: true,
            eliminate: true,
            cache_components: true,
            try_trivial_truth: true,
            generalize_minterms: true,
            move_defined: true,
            refute_defined: true,
            take_turns: true,
            first_turn: 2_000_000,
            limited_turns: true,
            first_limited: 8_000_000,
            relaxes: true,
            expands: true,
            wins_for_certain: true,
            cut_in_the_middle: true,
            first_decomposition: 500_000,
            small_component: 4096,
            split_per_return: 16,
            decision_limit: None,
        }
    }
}

impl Options {
    /// How many threads there may be.
    pub(crate) fn threads(&self) -> usize {
        limits::thread_count(self.threads)
    }
}

formula::switches! {
    Options {
        subsume "subsumption" "drop clauses and literals that others imply, before the search"
        drop_blocked "blocked" "drop clauses that a player can always make true, before the search"
        eliminate "elimination" "eliminate existential variables before the search"
        cache_components "component-cache" "remember the values of components"
        try_trivial_truth "trivial-truth" "stop where the existential variables alone satisfy all"
        generalize_minterms "minterm" "decide first what must happen so that the existential variables win"
        move_defined "defined-variables" "decide what chance defines together with chance"
        refute_defined "refutation" "stop where earlier variables define a universal one"
        take_turns "turns" "decide what chance defines first and last, in turns"
        limited_turns "limited" "for short whiles, leave what is not likely, for bounds"
        relaxes "relaxation" "for short whiles, let a player decide last, for bounds"
        expands "expansion" "for short whiles, copy what universal variables decide about"
        wins_for_certain "certain-win" "for short whiles, look for a choice that wins whatever follows"
        cut_in_the_middle "decomposition" "decide what cuts a formula in the middle first, by a tree decomposition"
    }
}
