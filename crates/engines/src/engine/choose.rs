//! The choice of an engine for a question about a game.
//!
//! Where the user leaves it open, the game decides: if one step of it is a circuit and not too many moves
//! can be made together, emm searches it: on the questions of `scripts/compare` it is the faster one nearly
//! everywhere, and where it is not, it loses seconds (`docs/speed.md`).

use super::{EmmEngine, Engine, EngineInput, Entry, Setting, emm, formulas};
use crate::error::{Error, ErrorKind};
use logic::route::StageTimes;

/// A search tries all joint moves of a state one after the other, a formula speaks of the moves of each
/// role: with more joint moves than these it is the better way (ten roles with ten moves each: 0.1 s).
const MAX_JOINT_MOVES: usize = 100_000;

/// The engine for a question, and why it is this one if it was chosen here. Only emm gives advice. Where all steps count and the
/// engine that was asked for cannot take the game, formulas for more and more steps still give bounds.
///
/// # Errors
/// If the engine that was asked for cannot take the game, or a limit comes first.
pub(crate) fn choose(
    setting: &Setting<'_>,
    depth: Option<u32>,
    needs_advice: bool,
    times: &mut StageTimes,
) -> Result<(Box<dyn Engine>, Option<String>), Error> {
    let make = |entry: &'static Entry, times: &mut StageTimes| match entry.input {
        EngineInput::Game(_) => times.measure("step", || entry.make(setting)),
        EngineInput::Formula { .. } => entry.make(setting),
    };
    let xssat = Entry::named(formulas::XSSAT.name).expect("it is in the list");
    if let Some(entry) = setting.options.engine {
        return match make(entry, times) {
            Err(error)
                if error.kind() == ErrorKind::TooLarge && depth.is_none() && !needs_advice =>
            {
                let why = format!("{} cannot take the game: {error}", entry.name);
                Ok((make(xssat, times)?, Some(why)))
            }
            made => Ok((made?, setting.options.why.clone())),
        };
    }
    let searching = times.measure("step", || {
        EmmEngine::for_role(
            setting.game,
            setting.role,
            setting.objective,
            setting.options.search(),
        )
    });
    match searching {
        Ok(engine) if needs_advice || engine.joint_moves(setting.role) <= MAX_JOINT_MOVES => {
            let sizes = engine.sizes();
            let size = |name: &str| sizes.iter().find(|(other, _)| *other == name);
            let [gates, facts, moves] =
                ["gates", "facts", "moves"].map(|name| size(name).map_or(0, |(_, number)| *number));
            let why = format!(
                "one step of the game is a circuit of {gates} gates over {facts} facts and {moves} moves"
            );
            Ok((Box::new(engine), Some(why)))
        }
        Ok(_) => {
            let why =
                format!("there are more than {MAX_JOINT_MOVES} joint moves in the initial state");
            Ok((make(xssat, times)?, Some(why)))
        }
        Err(error) if needs_advice || error.stopped_by().is_some() => Err(error.into()),
        Err(error) => {
            let why = format!("one step of the game is no circuit: {error}");
            Ok((make(xssat, times)?, Some(why)))
        }
    }
}

/// The name of the engine that is tried first.
pub(crate) const FIRST: &str = emm::ENTRY.name;
