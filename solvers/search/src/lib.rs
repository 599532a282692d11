//! Exact values of two-player stochastic games on states: the core that `emm` and `xssat` share.
//!
//! A *stochastic game* has states. In each a maximizer chooses, a minimizer replies knowing that, and
//! chance decides with known probabilities, in any order and number; then play is in a state of the next
//! *layer*, or over with a known value. The value of a state is the largest mean that the maximizer can
//! guarantee. A game says of itself what follows from a state and which states have the same value
//! ([`StochasticGame`]); this crate finds values, or proved bounds where a limit is reached.
//!
//! ```text
//! Question --random_play--> denominators --search, or backwards--> value
//! ```
//!
//! Each technique has a file:
//!
//! * `tree`: what may happen from the states on the path, with bounds.
//! * `windows`: alpha-beta, and Star1 for chance; `aspiration`: narrow windows at the root first.
//! * `worker`: one thread of the depth-first search, with a table per layer from exact keys to bounds
//!   (crate `table`), and siblings that are expanded together.
//! * `history`: which choice is looked at first.
//! * `denominators`: values as whole numbers; `random_play` learns which shares occur.
//! * `backwards`: backward induction where the search takes long; `shape`: the trees of listed states, each
//!   kept once; `projection` guesses whether all fits.
//! * `layered`: backward induction with layers that the caller keeps, as on disk.
//! * `values`: the driver: widths, threads, limits, and values kept from one question to the next.
//! * `batch`: states expanded together, for all of these; `chunk`: their shapes and successors, for backward induction.
//! * `successors`: one state's; `trail`: the way to a state without a value; `explore`: all states as a graph
//!   (`listing`), where steps do not count.
//!
//! Values are whole numbers over a common denominator, and become fractions at the very end. No step
//! recurses, and every loop that can take long looks at the limits.

mod aspiration;
mod backwards;
mod bounds;
mod history;
mod options;
mod projection;
mod question;
mod random_play;
mod trend;
mod values;
mod windows;
mod worker;

pub use options::Options;
pub use question::Question;
pub use values::{Valuation, Values};
