//! Numbers to pictures: SVG text of curves, cactus plots and scatter plots.
//!
//! Three kinds, those that studies of solvers use:
//!
//! - [`lines`]: values over a parameter, such as the horizon; bounds are drawn as bars.
//! - [`cactus`]: how many instances each solver solves within how much time each. A point (n, t) says
//!   that n instances were solved in at most t seconds each; further right and lower is better.
//! - [`scatter`]: two solvers on the same instances, one point each; below the diagonal the second
//!   is faster. Instances that were not solved lie on a line of their own at the limit.
//!
//! [`NumberTable`] reads the numbers from CSV, fractions included.
//!
//! Invariant: this folder draws and knows nothing of games or solvers; nothing is read or written
//! here. Pictures are the one place where an exact value becomes a float, and nothing comes back.

mod axis;
mod cactus;
mod frame;
mod lines;
mod scatter;
mod table;

pub use cactus::cactus;
pub use lines::{Point, lines};
pub use scatter::scatter;
pub use table::{NumberTable, TableError};

/// What is written around a picture.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// Above it.
    pub title: String,
    /// Below the horizontal axis.
    pub x: String,
    /// Beside the vertical axis.
    pub y: String,
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlotError {
    /// Nothing could be drawn.
    #[error("there is no number to draw")]
    Empty,
    /// The numbers do not fit on the axes.
    #[error("the picture cannot be drawn: {0}")]
    Drawing(String),
}
