//! The engine for positions that are asked about one after the other, as while somebody plays.

use super::{Definition, Engine, Searching};
use crate::error::Error;
use crate::search::{SearchError, SearchOptions};
use gdl::game::{Game, Objective};

/// Expected minimax on the circuit of one step, ready for a role; where there is no circuit, by the rules,
/// and why.
///
/// # Errors
/// When the rules cannot be evaluated, or nobody decides for the role.
pub fn for_positions(
    game: &Game,
    objective: Objective,
    role: usize,
    options: SearchOptions,
) -> Result<(Box<dyn Engine>, Option<String>), Error> {
    let searching = Searching::new(game, objective, options).and_then(|mut engine| {
        engine.prepare(role)?;
        Ok(engine)
    });
    match searching {
        Ok(engine) => Ok((Box::new(engine), None)),
        Err(SearchError::Step(error)) => {
            let why = format!("{error}; positions are valued by the rules alone, which is slow");
            Ok((Box::new(Definition::new(game, objective)?), Some(why)))
        }
        Err(error) => Err(error.into()),
    }
}
