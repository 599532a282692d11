//! Programs that answer requests about a game until they are ended.
//!
//! - [`evaluator`]: values of positions for other programs, by lines of JSON.
//! - [`explorer`]: a page in a browser that shows a game and the value of every move, which asks the evaluator.
//! - [`player`]: a player of the general game playing protocol, and a referee of matches.
//! - [`http`]: just enough of it for the last two.

pub mod evaluator;
pub mod explorer;
pub mod http;
pub mod player;
