//! Tables of all positions of a stochastic game, layer by layer on disk: built within a memory limit, and resumed
//! where they were killed.
//!
//! ```text
//! StochasticGame --build--> folder --DiskTable::open--> probe: key -> exact value
//! ```
//!
//! * `rows`: rows gathered by hash, sorted runs, merged without duplicates (delayed duplicate detection).
//! * `build`: the order of work, with `listing` forwards and `valuing` backwards; each finished file is a checkpoint.
//! * `behind`: the layer behind, held in memory while its keys are found (a sort-merge join with `valuing`).
//! * `endless`: games in which play may go on for ever: one layer, solved in memory.
//! * `part`, `merge`: the work on a layer in parts, done by processes that send each other states: `processes`, `communicator`.
//! * `shard`, `row_file`, `blocks`, `kind`, `folder`, `manifest`, `codec`: the files (`docs/table-format.md`). Each byte that is read has a checksum.
//! * `work`: limits, progress, and work shared between threads. `policy`: the numbers that steer it.
//! * `table`: values looked up.
//! * `check`: whether files are whole; `check_all`: whether values follow from each other.
//!
//! How often bytes are read, where layers are numbers of steps:
//!
//! ```text
//! rows             forwards once, backwards once
//! runs             once, where the successors of a layer do not fit into memory
//! keys, values     never, where two layers fit into five eighths of the memory; once, where one does; else once a round
//! ```
//!
//! Invariant: what is in a finished folder depends on the game and the question only, not on memory or on how often the
//! work was stopped. The crate knows no rules: games list the successors of states ([`arena::StochasticGame`]).

mod behind;
mod blocks;
mod build;
mod check;
mod check_all;
mod codec;
mod communicator;
mod endless;
mod error;
mod folder;
mod kind;
mod listing;
mod manifest;
mod merge;
mod part;
mod policy;
mod processes;
mod row_file;
mod rows;
mod shard;
mod table;
mod valuing;
mod work;

pub use build::build;
pub use check::{CheckedFiles, check};
pub use check_all::check_all;
pub use communicator::{Communicator, Packet};
pub use error::DiskTableError;
pub use folder::Folder;
pub use manifest::{FORMAT, LayerInfo, Layers, Manifest, VERSION, fingerprint};
pub use processes::build_by_processes;
pub use table::DiskTable;
pub use work::TableProgress;
