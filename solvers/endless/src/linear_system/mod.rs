//! Sparse linear systems: elimination over floating-point numbers or modulo a prime, and exact solutions of systems with whole numbers by
//! p-adic lifting (Dixon 1982).
//!
//! ```text
//! System --elimination | pivots--> Factors modulo a prime --lifting--> fractions that solve it exactly
//! ```
//!
//! - `elimination`: factors of matrices whose diagonal can be eliminated in any order, as that of a Markov chain.
//! - `pivots`: factors of all others, by pivots that keep them sparse.
//! - `lifting`: digits of the solution, and the fractions that they belong to.
//!
//! ```
//! use limits::Limits;
//! use sqasp_endless::linear_system::{Pivots, Resources, System, solve};
//! use std::sync::atomic::AtomicU64;
//!
//! // 2 y = 1 and 3 x - y = 0.
//! let rows = vec![vec![(1, 2)], vec![(0, 3), (1, -1)]];
//! let right = [1u32, 0].map(Into::into).to_vec();
//! let system = System { rows, right, bound: 1u32.into(), pivots: Pivots::Any };
//! let (limits, work) = (Limits::default(), AtomicU64::new(1_000_000));
//! let resources = Resources { limits: &limits, work: &work, memory: 1 << 20 };
//! let (numerators, denominator) = solve(&system, resources).unwrap();
//! assert_eq!((numerators, denominator), (vec![1.into(), 3.into()], 6u32.into()));
//! ```

mod elimination;
mod lifting;
mod pivots;

pub use elimination::{Factors, Field, NoFactors, PRIME, Residue, SparseRows};
pub use lifting::{Pivots, Resources, System, Unsolved, solve};
