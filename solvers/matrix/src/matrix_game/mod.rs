//! Zero-sum matrix games (von Neumann 1928): exact values and best mixtures of both sides, by an integer simplex method.
//!
//! One side chooses a row, the other a column, and neither knows the choice of the other; the entry is what the column side
//! pays to the row side. Each side may choose at random. The value is the mean that the row side can guarantee, and
//! the column side can hold it down to.
//!
//! ```text
//! Matrix --dominance--> smaller Matrix --saddle point | simplex--> MatrixSolution
//! ```
//!
//! - `dominance`: rows and columns that are never better than another one go, round by round.
//! - `saddle`: an entry that is least in its row and largest in its column.
//! - `simplex`: linear programming on whole numbers. Each tableau is an integer matrix over one denominator (Edmonds
//!   1967; Bareiss 1968), in machine words as long as these suffice.
//!
//! Whichever way found it: [`MatrixSolution::is_proved`] checks a solution by the best responses to both mixtures, in whole numbers. Debug
//! builds check each one.
//!
//! ```
//! use sqasp_matrix::{Matrix, solve_matrix};
//!
//! // Matching pennies, where heads are worth 3.
//! let solution = solve_matrix(&Matrix::new(2, [3, -1, -1, 1].map(Into::into).to_vec()));
//! assert_eq!(solution.value.to_string(), "1/3");
//! let texts: Vec<String> = solution.rows.iter().map(|share| share.to_string()).collect();
//! assert_eq!(texts, ["1/3", "2/3"]);
//! ```

mod dominance;
mod matrix;
mod saddle;
mod simplex;
mod solution;

pub use matrix::Matrix;
pub use solution::{MatrixSolution, solve_matrix};
