//! Requests: the arguments of a command, checked and resolved.

use super::args::{
    ClauseMaker as ClauseMakerName, EngineArguments, FormulaArguments, LimitArguments, MethodName,
    QuestionArguments, ThreadArguments,
};
use super::depths::Depths;
use super::{Exit, Failure};
use crate::engine::{Entry, MAX_THREADS, Way, check_threads};
use crate::game::Game;
use crate::gdl::Name;
use crate::route::ClauseMaker;
use crate::{Budget, Observer, Options, Question, memory};
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

/// What was typed as a question about a game, for a number of steps if it is known.
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
        program: engine.solver_path.clone(),
        observer,
        ..Options::default()
    };
    options.search.engine.threads = threads(&engine.threads);
    options.search.engine.digits = engine.digits;
    options.search.engine.use_symmetry = !engine.no_symmetry;
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
    let entry = typed.engine.0;
    let name = entry.map_or("auto", |entry| entry.name);
    let is_outside = matches!(
        entry,
        Some(Entry {
            way: Way::Formula {
                program: Some(_),
                ..
            },
            ..
        })
    );
    if let (Some(path), false) = (&typed.solver_path, is_outside) {
        return usage(format!(
            "--solver-path {} is for outside solvers, and xssat and emm are built in; \
             add --engine sharpssat, depqbf or caqe",
            path.display()
        ));
    }
    let is_known = |engine: &str, name: &str| match engine {
        "xssat" => portfolio::techniques().any(|(other, _)| other == name),
        _ => emm::SWITCHES.iter().any(|switch| switch.name == name),
    };
    for technique in &typed.without {
        if is_outside {
            return usage(
                "--without is for the techniques of xssat and emm; drop it or use --engine \
                 xssat or emm"
                    .into(),
            );
        }
        let known = match entry {
            None => is_known("xssat", technique) || is_known("emm", technique),
            Some(_) => is_known(name, technique),
        };
        if !known {
            let (this, other) = match name {
                "emm" => ("emm", "xssat"),
                _ => ("xssat", "emm"),
            };
            return usage(format!(
                "--without {technique} is a technique of {other}; drop it or use --engine {other} \
                 instead of {this}"
            ));
        }
    }
    if typed.method == MethodName::Reference {
        return usage(
            "--method reference is gone; for a second opinion use --method learning or --engine emm"
                .into(),
        );
    }
    if typed.method != MethodName::Auto && (is_outside || ["emm", "table"].contains(&name)) {
        return usage("--method is for xssat; drop it or use --engine xssat".into());
    }
    if typed.no_symmetry && is_outside {
        return usage(
            "--no-symmetry is for xssat and emm; drop it or use --engine xssat or emm".into(),
        );
    }
    let options = Options {
        program: typed.solver_path.clone(),
        ..Options::default()
    };
    entry.map_or(Ok(()), |entry| Ok(entry.locate(&options)?))
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
    solver.options.engine = match typed.method {
        MethodName::Auto | MethodName::Reference => Engine::Auto,
        MethodName::Layered => Engine::Layered,
        MethodName::Learning => Engine::Learning,
    };
    solver.options.layered.threads = threads(&typed.threads);
    solver.options.learning.threads = solver.options.layered.threads;
    solver.options.layered.use_symmetry = !typed.no_symmetry;
    for name in &typed.without {
        if let Some(technique) = solver.options.technique(name) {
            *technique = false;
        }
    }
    solver
}
