//! Tables of all positions of a stochastic game, layer by layer on disk: built within a memory limit, and resumed
//! where they were killed.
//!
//! ```text
//! StochasticGame --build--> folder --Table::open--> probe: key -> exact value
//! ```
//!
//! * `rows`: sorted runs, merged without duplicates (delayed duplicate detection).
//! * `build`: forwards all states of each layer, backwards their values; each finished file is a checkpoint.
//! * `shard`, `folder`, `manifest`: the files (`docs/table-format.md`).
//! * `table`: values looked up; `check`: whether files are whole, and values follow from each other.
//!
//! Invariant: what is in a finished folder depends on the game and the question only, not on memory or on how often the
//! work was stopped. The crate knows no rules: games say what follows from states ([`stochastic_game::StochasticGame`]).

mod build;
mod check;
mod codec;
mod error;
mod folder;
mod manifest;
mod rows;
mod shard;
mod table;

pub use build::{Progress, build};
pub use check::{Checked, check};
pub use error::TableError;
pub use folder::Folder;
pub use manifest::{FORMAT, LayerInfo, Layers, Manifest, VERSION, fingerprint};
pub use table::Table;
