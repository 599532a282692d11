//! The engine for positions that are asked about one after the other, as while somebody plays.

use super::{DefinitionEngine, EmmEngine, Engine, MixedEngine, Options, TableEngine};
use crate::error::Error;
use crate::search::{SearchError, SearchOptions, TableReader};
use gdl::game::{Game, Objective};
use limits::Limits;
use std::path::Path;

/// Expected minimax on the circuit of one step, ready for a role; where there is no circuit, by the rules,
/// and why. With a folder positions are looked up in the table there first.
///
/// # Errors
/// When the table is of something else, the rules cannot be evaluated, or nobody decides for the role.
pub fn for_positions(
    game: &Game,
    objective: Objective,
    role: usize,
    options: SearchOptions,
    table: Option<&Path>,
) -> Result<(Box<dyn Engine>, Option<String>), Error> {
    game.check_open("the value of single positions")?;
    let limits = Limits::default();
    let open = |folder| TableReader::open(game, objective, false, folder, &options, &limits);
    let reader = table.map(open);
    let reader = reader.transpose()?;
    let limits = options.step.overall.clone();
    let searching = EmmEngine::new(game, objective, options).and_then(|mut engine| {
        engine.prepare(role)?;
        Ok(engine)
    });
    match searching {
        Ok(engine) => Ok((with_table(reader, Box::new(engine)), None)),
        Err(SearchError::Step(error)) => {
            let why = format!("{error}; positions are valued by the rules alone, which is slow");
            let engine = Box::new(DefinitionEngine::new(game, objective, limits)?);
            Ok((with_table(reader, engine), Some(why)))
        }
        Err(error) => Err(error.into()),
    }
}

/// The engine for mixed strategies. With a folder positions are looked up in the table there first.
///
/// # Errors
/// When the table is of something else, or one step of the game is no circuit.
pub fn for_mixed_positions(
    game: &Game,
    objective: Objective,
    options: &Options,
    table: Option<&Path>,
) -> Result<Box<dyn Engine>, Error> {
    let engine = MixedEngine::new(game, objective, options)?;
    let (search, limits) = (options.search(), Limits::default());
    let open = |folder| TableReader::open(game, objective, true, folder, &search, &limits);
    let reader = table.map(open).transpose()?;
    Ok(with_table(reader, Box::new(engine)))
}

fn with_table(reader: Option<TableReader>, engine: Box<dyn Engine>) -> Box<dyn Engine> {
    match reader {
        Some(reader) => Box::new(TableEngine::new(reader, engine)),
        None => engine,
    }
}
