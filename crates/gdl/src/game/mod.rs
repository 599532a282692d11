//! Games: descriptions that passed every check, in normal form. This folder knows no clauses.
//!
//! [`read`] takes the text of a description all the way to a [`Game`], or refuses it with all that
//! is wrong. [`Domains`] are supersets of the facts and moves for games that do not declare them;
//! [`GoalValues`] are those that a role can get, and [`never()`] says why it gets none that counts; [`predict_size`] says what grounding would cost; [`classify`] says what kind of game it is, as
//! far as that shows without play.
//!
//! ```
//! use sqasp_gdl::game::read;
//! use sqasp_gdl::Options;
//!
//! let text = b"(role p) (init (s 0)) (<= (legal p go) (true (s 0)))
//!     (<= (next (s 1)) (does p go)) (<= terminal (true (s 1)))
//!     (<= (goal p 100) (true (s 1))) (<= (goal p 0) (true (s 0)))";
//! let game = read("smallest", text, &Options::default())?.game;
//! assert_eq!(game.domains().facts()?.count(), 2); // (s 0) and (s 1)
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aim;
mod checks;
mod classification;
mod decimal;
mod domain;
mod domains;
mod fraction;
// The file of the type `Game`, which deserves its name.
#[allow(clippy::module_inception)]
mod game;
mod goals;
mod never;
mod objective;
mod points;
mod read;
mod roles;
mod size;
mod team;
mod value_range;

pub use crate::syntax::RelationKey;
pub use aim::{Aim, COUNTED_STEP, StepAim};
pub use classification::{Classification, classify};
pub use decimal::{Unit, decimal_text};
pub use domain::Domain;
pub use domains::{Domains, InfiniteDomain};
pub use fraction::{Fraction, fraction};
pub use game::{Game, HiddenInformation};
pub use goals::GoalValues;
pub use never::{Never, never};
pub use objective::Objective;
pub use points::{Points, points};
pub(crate) use read::game_of;
pub use read::{Reading, Refused, read, read_files};
pub use roles::{NoSuchRole, Sides, count_joint_moves, joint_moves};
pub use size::{StepSize, predict_instances, predict_size};
pub use team::NoTeam;
pub use value_range::ValueRange;
