//! The choice of an engine: a question needs abilities, an engine has some, and the first in the list that has all that are needed answers.
//!
//! A game in which all roles see everything may be searched or translated. Where the user leaves it open, the game decides: if one step of it
//! is a circuit and not too many moves can be made together, emm searches it: on the questions of `scripts/bench compare` it is the faster one nearly
//! everywhere, and where it is not, it loses seconds (`docs/speed.md`).

use super::hidden::HiddenEngine;
use super::mixed::MixedEngine;
use super::{
    Ability, DefinitionEngine, ENGINES, EmmEngine, Engine, EngineInput, Entry, SelfishEngine,
    Setting, StepsEngine, TableEngine, emm, formulas,
};
use crate::error::{Error, ErrorKind, Remedy};
use crate::question::Play;
use crate::search::{SearchError, SearchOptions, TableReader};
use gdl::game::{Aim, Game};
use limits::Limits;
use logic::route::StageTimes;
use std::fmt;
use std::path::Path;

/// A search tries all joint moves of a state one after the other, a formula speaks of the moves of each
/// role: with more joint moves than these it is the better way (ten roles with ten moves each: 0.1 s).
const MAX_JOINT_MOVES: usize = 100_000;

/// Something that needs an ability of the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Need {
    /// The part of the question that needs it, such as an option.
    pub what: String,
    /// The ability.
    pub ability: Ability,
}

impl Need {
    /// A need of this.
    pub fn new(what: &str, ability: Ability) -> Self {
        let what = what.to_owned();
        Need { what, ability }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} needs an engine that {}", self.what, self.ability)
    }
}

/// Why no engine will do.
pub struct Unable {
    /// A need that is not met, and another that keeps the engine for it from being taken.
    pub needs: String,
    /// For an engine that was named another one that has the ability.
    pub instead: Option<&'static Entry>,
}

/// The engine that was named, or the first that has all abilities needed, and why the very first has not.
///
/// # Errors
/// If the engine that was named lacks an ability, or no engine has all.
pub fn able(
    named: Option<&'static Entry>,
    needs: &[Need],
) -> Result<(&'static Entry, Option<String>), Unable> {
    let lacking = |entry: &Entry| needs.iter().find(|need| !entry.can(&need.ability));
    let with = |need: &Need| ENGINES.iter().find(|entry| entry.can(&need.ability));
    let able = ENGINES.iter().find(|entry| lacking(entry).is_none());
    match (named, able) {
        (Some(entry), _) => match lacking(entry) {
            None => Ok((entry, None)),
            Some(need) => Err(Unable {
                needs: need.to_string(),
                instead: with(need),
            }),
        },
        (None, Some(able)) => Ok((able, lacking(&ENGINES[0]).map(Need::to_string))),
        (None, None) => {
            let other = with(&needs[0]).and_then(lacking);
            let other = other.map(|it| format!(", but {} one that {}", it.what, it.ability));
            Err(Unable {
                needs: format!("{}{}", needs[0], other.unwrap_or_default()),
                instead: None,
            })
        }
    }
}

/// The engine for a question, and why it is this one if it was chosen here. Where all steps count and the engine that was asked for cannot
/// take the game, formulas for more and more steps still give bounds.
///
/// # Errors
/// If the engine that was asked for cannot take the game, or a limit comes first.
pub(crate) fn choose(
    setting: &Setting<'_>,
    play: Play,
    times: &mut StageTimes,
) -> Result<(Box<dyn Engine>, Option<String>), Error> {
    let make = |entry: &'static Entry, times: &mut StageTimes| match entry.input {
        EngineInput::Game(_) if play != Play::Hidden => {
            times.measure("step", || entry.make(setting))
        }
        _ => entry.make(setting),
    };
    let extras = &setting.options.extras;
    let aim = setting.question.objective;
    let is_about_steps = aim.payoff().is_none();
    if extras.statistics && (matches!(play, Play::Followed | Play::Selfish) || is_about_steps) {
        let message = match is_about_steps {
            true => {
                "statistics are about payoffs; here the answer itself is a mean number of steps"
            }
            false => "statistics are for opponents that play as well as possible",
        };
        return Err(Error::new(ErrorKind::Question, message));
    }
    let mut needs = setting.options.needs.clone();
    if is_about_steps {
        let what = format!("the objective `{aim}`");
        needs.push(Need::new(&what, Ability::Steps));
    }
    let needs_advice = extras.strategy.is_some() || extras.statistics;
    let xssat = Entry::named(formulas::XSSAT.name).expect("it is in the list");
    if let Some(entry) = setting.options.engine {
        if is_about_steps {
            able(Some(entry), &needs).map_err(|it| {
                let instead = it.instead.map_or("auto", |entry| entry.name);
                Error::new(ErrorKind::Question, it.needs).with_remedy(Remedy::Engine(instead))
            })?;
        }
        entry.check_play(setting.game, play)?;
        return match make(entry, times) {
            Err(error)
                if error.kind() == ErrorKind::TooLarge
                    && (play, setting.question.depth) == (Play::Open, None)
                    && !needs_advice =>
            {
                let why = format!("{} cannot take the game: {error}", entry.name);
                Ok((make(xssat, times)?, Some(why)))
            }
            made => Ok((made?, None)),
        };
    }
    let (asked, why) =
        able(None, &needs).map_err(|it| Error::new(ErrorKind::Question, it.needs))?;
    if is_about_steps {
        asked.check_play(setting.game, play)?;
        return Ok((make(asked, times)?, None));
    }
    if play != Play::Open {
        let entry = ENGINES.iter().find(|entry| entry.can(&Ability::Play(play)));
        let entry = entry.expect("there is an engine for each kind of play");
        if !needs.iter().all(|need| entry.can(&need.ability)) {
            asked.check_play(setting.game, play)?;
        }
        return Ok((make(entry, times)?, None));
    }
    if asked.name != emm::ENTRY.name {
        return Ok((make(asked, times)?, why));
    }
    let objective = setting.question.payoff(emm::ENTRY.name)?;
    let searching = times.measure("step", || emm::for_setting(setting, objective));
    match searching {
        Ok(engine)
            if needs_advice || engine.joint_moves(&setting.question.role) <= MAX_JOINT_MOVES =>
        {
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

impl Entry {
    /// Refuses play that the engine does not value.
    fn check_play(&self, game: &Game, play: Play) -> Result<(), Error> {
        if self.can(&Ability::Play(play)) {
            return Ok(());
        }
        game.check_open(match self.input {
            EngineInput::Game(_) => self.name,
            EngineInput::Formula { .. } => {
                "a formula, whose players see all that was chosen before,"
            }
        })?;
        let message = match play {
            Play::Followed => "does not follow strategies of opponents",
            Play::Selfish => {
                "takes the opponents of a role to be one side; the engine selfish lets each play for itself"
            }
            _ if self.can(&Ability::Play(Play::Selfish)) => "is for opponents that are `selfish`",
            Play::Mixed => {
                "values play in which opponents know the role's move, not mixed strategies"
            }
            Play::Open | Play::Hidden => "is not for play in which all roles see everything",
        };
        let message = format!("{} {message}", self.name);
        Err(Error::new(ErrorKind::Question, message))
    }
}

/// Makes sure that steps are counted where that can be done position by position.
///
/// # Errors
/// If they are to be counted in other play, or with a table.
pub fn check_aim(aim: Aim, play: Play, has_table: bool) -> Result<(), Error> {
    if aim.payoff().is_some() || play == Play::Open && !has_table {
        return Ok(());
    }
    let message = format!(
        "steps (`{aim}`) are counted where opponents know the role's move, all roles see everything, and there is no table"
    );
    Err(Error::new(ErrorKind::Question, message))
}

/// The engine for positions that are asked about one after the other, as in the course of a play. Where all roles see everything, that is
/// expected minimax on the circuit of one step, ready for a role; where there is no circuit, by the rules, and why. With a folder positions are
/// looked up in the table there first.
///
/// # Errors
/// When the table is of something else, the rules cannot be evaluated, or the role does not choose.
pub fn for_positions(
    game: &Game,
    play: Play,
    aim: Aim,
    role: usize,
    options: SearchOptions,
    table: Option<&Path>,
) -> Result<(Box<dyn Engine>, Option<String>), Error> {
    check_aim(aim, play, table.is_some())?;
    let objective = match aim {
        Aim::Payoff(objective) => objective,
        Aim::Steps(aim) => return Ok((Box::new(StepsEngine::new(game, aim, &options)?), None)),
    };
    if table.is_some() || play == Play::Open {
        game.check_open("the value of single positions")?;
    }
    let open = |folder| {
        let limits = Limits::default();
        TableReader::open(
            game,
            objective,
            play == Play::Mixed,
            folder,
            &options,
            &limits,
        )
    };
    let reader = table.map(open).transpose()?;
    let (engine, why): (Box<dyn Engine>, _) = match play {
        Play::Hidden => (
            Box::new(HiddenEngine::new(game, None, objective, &options)),
            None,
        ),
        Play::Mixed | Play::Followed => {
            (Box::new(MixedEngine::new(game, objective, &options)?), None)
        }
        Play::Selfish => (
            Box::new(SelfishEngine::new(game, objective, &options)?),
            None,
        ),
        Play::Open => {
            let limits = options.step.overall.clone();
            let searching = EmmEngine::new(game, objective, options).and_then(|mut engine| {
                engine.prepare(role)?;
                Ok(engine)
            });
            match searching {
                Ok(engine) => (Box::new(engine), None),
                Err(SearchError::Step(error)) => {
                    let why =
                        format!("{error}; positions are valued by the rules alone, which is slow");
                    (
                        Box::new(DefinitionEngine::new(game, objective, limits)?),
                        Some(why),
                    )
                }
                Err(error) => return Err(error.into()),
            }
        }
    };
    match reader {
        Some(reader) => Ok((Box::new(TableEngine::new(reader, engine)), why)),
        None => Ok((engine, why)),
    }
}
