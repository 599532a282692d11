//! The rules of a game as they are written: states, legal moves, the next state, goals, values by definition.
//!
//! A state machine answers five questions: the initial state, legal moves, the next state, whether
//! a state is terminal, goal values. [`Reasoner`] answers them by evaluating the rules as written,
//! state by state, by goal-directed derivation with tables (`evaluate`). It is the *reference*:
//! simple rather than fast, independent of every other route, and pinned by recorded play of
//! another reasoner.
//!
//! On it stand [`simulate()`] (random play that searches for defects of the game) and [`Minimax`] (exact
//! values by the definition, for small games). Faster play is in the crate `step`.
//!
//! Invariant: nothing here knows circuits, answer set programs, formulas or solvers, so that values computed
//! here are evidence about them. All work is bounded by [`RuleLimits`], also on games that derive
//! without end.
//!
//! ```
//! use gdl::game;
//!
//! let text = b"(role guest) (role random) (door a) (door b)
//!     (<= (legal ?role (open ?door)) (role ?role) (door ?door))
//!     (<= (next won) (does guest (open ?door)) (does random (open ?door)))
//!     (<= (next over) (role ?role)) (<= terminal (true over))
//!     (<= (goal guest 100) (true won)) (<= (goal guest 0) (not (true won)))";
//! let game = game::read("doors", text, &gdl::Options::default())?.game;
//! let mut reasoner = sqasp_rules::Reasoner::new(&game)?;
//! let state = reasoner.initial()?;
//! let moves: Vec<String> = reasoner.legal(&state, 0)?.iter().map(|m| m.to_string()).collect();
//! assert_eq!(moves, ["(open a)", "(open b)"]);
//!
//! let mut minimax = sqasp_rules::Minimax::new(reasoner, 0, game::Objective::Win);
//! assert_eq!(minimax.initial_value(1)?.to_string(), "1/2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod compiled;
mod effort;
mod evaluate;
mod idle;
mod index;
mod lost;
mod minimax;
mod payoff;
mod plan;
mod program;
mod reasoner;
mod relation;
mod rows;
mod simulate;
mod tables;
mod terms;
#[cfg(test)]
mod test_games;

pub use effort::RuleLimits;
pub use minimax::{Minimax, MinimaxError};
pub use payoff::{defect, goal_defect, payoff, worth};
pub use reasoner::{Reasoner, State};
pub use simulate::{
    Observations, PlayDefect, PlayFinding, PlaySettings, Simulation, listed, simulate,
};

/// Why a question about a game has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReasonerError {
    /// The rules took more steps than allowed.
    #[error(
        "the rules need more than {limit} derivation steps for one state; \
         simplify them or raise the limit"
    )]
    TooManySteps { limit: u64 },
    /// The rules derived more than allowed.
    #[error(
        "the rules derive more than {limit} sentences for one state; \
         simplify them or raise the limit"
    )]
    TooManyRows { limit: u64 },
    #[error("{0} while evaluating the rules")]
    Stopped(limits::StopReason),
    /// A rule built a term of too many nested functions.
    #[error("the rules build terms with functions nested more than {limit} deep")]
    TermTooDeep { limit: u32 },
    /// More different terms than can be numbered.
    #[error("the rules build too many different terms")]
    TooManyTerms,
    /// Relations build on each other through too many levels.
    #[error("the rules build on each other through more than {limit} levels")]
    NestedTooDeep { limit: usize },
    /// A negated sentence depends on itself.
    #[error("a negated sentence depends on itself: the rules are not stratified")]
    NotStratified,
    /// A variable gets no value.
    #[error("a variable of the rule `{rule}` gets no value: it must occur in a positive sentence")]
    UnsafeRule {
        /// The rule as text.
        rule: String,
    },
    /// A joint move has the wrong length.
    #[error("a joint move has one move for each of the {expected} roles; {found} were given")]
    WrongNumberOfMoves {
        /// The number of roles.
        expected: usize,
        /// The number of moves.
        found: usize,
    },
}
