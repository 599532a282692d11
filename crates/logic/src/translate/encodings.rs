//! The method, as files for readers: the folder `encodings` of the repository.
//!
//! | file | rules of the paper | facts that it needs |
//! |---|---|---|
//! | `play.lp` | (1) to (4) | `time(T)`, `step(T)`, `input(P,A)`, and the rules of the game |
//! | `win.lp` | (5), (6) | `maximizer(X)`, `succeeds(V)` |
//! | `score.lp` | for (5), (6) | `maximizer(X)`, `payoff(V,N,F)` |
//! | `opponents.lp` | (7), (8) | `minimiser(O)`, `order(O,A,I)` |
//! | `legality.lp` | (9) to (14) | `order(random,A,I)` |
//! | `chance.lp` | (15), (16) | `order(random,A,I)` |
//! | `quantifiers.lp` | Definition 3 | all of these |
//! | `moves.lp` | | the rules of the game without time and without negations |
//! | `planning.lp` | | the rules of the game by steps |
//! | `base_case.lp`, `induction_step.lp`, `plays.lp`, `refutation.lp` | | see the crate `prove` |

use crate::asp::Encoding;

macro_rules! encodings {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {
        $($(#[$doc])* pub static $name: Encoding = Encoding {
            file: $file,
            text: include_str!(concat!("../../encodings/", $file)),
        };)*
    };
}

encodings! {
    /// Each role makes one legal move a step until the game has ended.
    PLAY = "play.lp";
    /// The maximizer succeeds when the game ends.
    WIN = "win.lp";
    /// The value is a mean of points.
    SCORE = "score.lp";
    /// The opponents' moves follow bits.
    OPPONENTS = "opponents.lp";
    /// The legal moves of `random`, counted.
    LEGALITY = "legality.lp";
    /// The moves of `random` follow coins.
    CHANCE = "chance.lp";
    /// The quantifier and the level of every atom: the side that decides it, and when.
    QUANTIFIERS = "quantifiers.lp";
    /// The moves that roles may ever have.
    MOVES = "moves.lp";
    /// Plans of one player, step by step.
    PLANNING = "planning.lp";
    /// Proofs: the initial state.
    BASE_CASE = "base_case.lp";
    /// Proofs: any state and the next one.
    INDUCTION_STEP = "induction_step.lp";
    /// Proofs: plays of some steps.
    PLAYS = "plays.lp";
    /// Proofs: an answer set is a counterexample.
    REFUTATION = "refutation.lp";
}
