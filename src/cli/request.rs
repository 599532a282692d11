//! Requests: the arguments of a command, checked and resolved.

use super::args::{
    ClauseMaker as ClauseMakerName, EngineArguments, FormulaArguments, LimitArguments,
    QuestionArguments, ThreadArguments,
};
use super::depths::Depths;
use super::{Exit, Failure};
use crate::{Budget, Observer, Options, Question};
use engines::{Entry, MAX_THREADS, Way, check_threads};
use gdl::Name;
use gdl::game::Game;
use limits::memory;
use logic::route::ClauseMaker;
use portfolio::{Engine, Portfolio};
use std::sync::Arc;
use std::time::Duration;

/// The one number of steps that was typed, if one was.
pub(super) fn single_depth(typed: &QuestionArguments) -> Result<Option<u32>, Failure> {
    match typed.depth {
        None => Ok(None),
        Some(Depths::Single(depth)) => Ok(Some(depth)),
        Some(Depths::Range(first, last)) => Err(Failure::new(
            Exit::Usage,
            format!("--depth {first}..{last} asks for many values; give one number of steps here"),
        )),
    }
}

/// The question about a game that was typed, for a number of steps if it is known.
pub(super) fn question(
    typed: &QuestionArguments,
    game: &Game,
    depth: Option<u32>,
) -> Result<Question, Failure> {
    let question = match &typed.role {
        Some(_) if typed.asks_for_all_roles(game) => Question::about(game)?,
        Some(role) => Question::new(Name::new(&role.to_lowercase())),
        None => Question::about(game)?,
    };
    Ok(Question {
        depth,
        objective: typed.objective,
        ..question
    })
}

/// Reads a time such as `10`, `0.5`, `10s`, `5m` or `2h`, in seconds.
pub(super) fn parse_seconds(text: &str) -> Result<f64, String> {
    let text = text.trim();
    if let Ok(seconds) = text.parse() {
        return Ok(seconds);
    }
    let unit = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let help = || "write a time such as 10, 10s, 5m or 2h".to_owned();
    let factor = match unit {
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(help()),
    };
    let number = text[..text.len() - unit.len()].trim_end().parse::<f64>();
    number.map(|number| number * factor).map_err(|_| help())
}

/// Reads a number of threads.
pub(super) fn parse_threads(text: &str) -> Result<usize, String> {
    let count = text.trim().parse();
    check_threads(
        count.map_err(|_| format!("`{text}` is no number of threads: use 1 to {MAX_THREADS}"))?,
    )
}

/// A number of seconds as it was typed; nothing if it is too long to be a limit.
pub(super) fn time(seconds: Option<f64>) -> Result<Option<Duration>, Failure> {
    match seconds {
        None => Ok(None),
        Some(seconds) if seconds >= 0.0 => Ok(Duration::try_from_secs_f64(seconds).ok()),
        Some(seconds) => Err(Failure::new(
            Exit::Usage,
            format!("--time {seconds} is no number of seconds; use 0 or more"),
        )),
    }
}

/// The budget that was typed, from now on.
pub(super) fn budget(typed: &LimitArguments) -> Result<Budget, Failure> {
    Ok(Budget::with_memory(typed.memory).within(time(typed.time)?))
}

/// How questions are to be answered.
pub(super) fn options(
    engine: &EngineArguments,
    formula: Option<&FormulaArguments>,
    budget: &Budget,
    observer: Arc<dyn Observer>,
) -> Options {
    let mut options = Options {
        engine: engine.engine.0,
        budget: budget.clone(),
        solver: built_in(engine).options,
        observer,
        ..Options::default()
    };
    options.search.engine.threads = threads(&engine.threads);
    options.search.engine.digits = engine.digits;
    for switch in emm::SWITCHES {
        if engine.without.iter().any(|name| name == switch.name) {
            *(switch.field)(&mut options.search.engine) = false;
        }
    }
    match formula {
        Some(formula) => with_formulas(options, formula),
        None => options,
    }
}

/// How formulas are to be made.
pub(super) fn formula_options(
    formula: &FormulaArguments,
    budget: &Budget,
    observer: Arc<dyn Observer>,
) -> Options {
    let options = Options {
        budget: budget.clone(),
        observer,
        ..Options::default()
    };
    with_formulas(options, formula)
}

fn with_formulas(mut options: Options, formula: &FormulaArguments) -> Options {
    options.prefix = formula.prefix();
    if formula.cnf_via == Some(ClauseMakerName::Asptools) {
        options.clause_maker = ClauseMaker::Asptools(external::Asptools::new());
    }
    options
}

/// How many threads to use; 0 for as many as there are cores.
pub(super) fn threads(typed: &ThreadArguments) -> usize {
    if memory::has_room_for_threads() {
        typed.count.unwrap_or(0)
    } else {
        1
    }
}

/// Refuses options that do not go with the engine, and an engine whose program is missing.
pub(super) fn check_options(typed: &EngineArguments) -> Result<(), Failure> {
    let usage = |message: String| Err(Failure::new(Exit::Usage, message));
    let of_formulas = |name: &str| portfolio::techniques().any(|(other, _)| other == name);
    let of_games = |name: &str| emm::SWITCHES.iter().any(|switch| switch.name == name);
    let Some(entry) = typed.engine.0 else {
        return Ok(());
    };
    for technique in &typed.without {
        let (is_known, other) = match entry.way {
            Way::Formula {
                program: Some(_), ..
            } => (false, "xssat or emm"),
            Way::Formula { .. } => (of_formulas(technique), "emm"),
            Way::Game(_) => (of_games(technique), "xssat"),
        };
        if !is_known {
            return usage(format!(
                "--without {technique} is no technique of {}; drop it or use --engine {other}",
                entry.name
            ));
        }
    }
    Ok(entry.locate()?)
}

impl EngineArguments {
    /// The engine for formulas that was asked for.
    ///
    /// # Errors
    /// If it searches games.
    pub(super) fn formula_engine(&self) -> Result<&'static Entry, Failure> {
        match self.engine.0 {
            None => Ok(Entry::named("xssat").expect("it is in the list")),
            Some(Entry {
                way: Way::Game(_),
                name,
                ..
            }) => Err(Failure::new(
                Exit::Usage,
                format!("{name} searches games; for a formula or a program use --engine xssat"),
            )),
            Some(entry) => Ok(entry),
        }
    }
}

/// Our own solver of formulas, as it was asked for and without the techniques that are switched off.
pub(super) fn built_in(typed: &EngineArguments) -> Portfolio {
    let mut solver = Portfolio::default();
    solver.options.engine = match typed.engine.0.map(|entry| entry.name) {
        Some("frontier") => Engine::Layered,
        Some("learning") => Engine::Learning,
        _ => Engine::Auto,
    };
    solver.options.layered.threads = threads(&typed.threads);
    solver.options.learning.threads = solver.options.layered.threads;
    for name in &typed.without {
        if let Some(technique) = solver.options.technique(name) {
            *technique = false;
        }
    }
    solver
}
