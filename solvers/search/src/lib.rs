//! Exact values of two-player stochastic games on states: the core that `emm` and `xssat` share.
//!
//! A *stochastic game* has states. In each a maximizer chooses, a minimizer replies knowing that, and
//! chance decides with known probabilities, in any order and number; then play is in a state of the next
//! *layer*, or over with a known value. The value of a state is the largest mean that the maximizer can
//! guarantee. A game says of itself what follows from a state and which states have the same value
//! ([`arena::StochasticGame`]); this crate finds values, or proved bounds where a limit is reached.
//!
//! ```text
//! Question --random_play--> denominators --search, or arena::Sweep--> value
//! ```
//!
//! Each technique has a file:
//!
//! * `windows`: alpha-beta, and Star1 for chance; `aspiration`: narrow windows at the root first.
//! * `worker`: one thread of the depth-first search, with a table per layer from exact keys to bounds
//!   (crate `base`), and siblings that are expanded together.
//! * `history`: which choice is searched first.
//! * `random_play`: the shares of chance that occur, for denominators.
//! * `policy`: whether to search or to list all states; it has the thresholds, with their reasons.
//! * `values`: the driver: widths, threads, limits, and values kept from one question to the next.
//!
//! Values are whole numbers over a common denominator, and become fractions at the very end. No step
//! recurses, and every loop that can take long checks the limits.

mod aspiration;
mod bounds;
mod history;
mod options;
mod policy;
mod question;
mod random_play;
mod values;
mod windows;
mod worker;

pub use options::Options;
pub use question::Question;
pub use values::{Valuation, Values};
