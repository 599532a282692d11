//! Requests: the arguments of a command, checked and resolved.

use super::args::{
    ClauseMaker as ClauseMakerName, EngineArguments, FormulaArguments, LimitArguments,
    QuestionArguments, ThreadArguments,
};
use super::depths::Depths;
use super::{Exit, Failure, files};
use crate::{Limits, Observer, Opponents, Options, Question};
use bytesize::ByteSize;
use engines::{Ability, Entry, MAX_THREADS, Need, Unable, check_threads};
use gdl::game::Game;
use gdl::{Name, did_you_mean};
use limits::memory;
use logic::route::ClauseMaker;
use ssat::portfolio::{Engine, Portfolio};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The one number of steps given, if one was.
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

/// The question given about one role of a game, for a number of steps if it is known.
pub(super) fn single_question(
    typed: &QuestionArguments,
    game: &Game,
    depth: impl Into<Option<u32>>,
) -> Result<Question, Failure> {
    match typed.asks_for_all_roles(game) {
        true => Err(Failure::new(
            Exit::Usage,
            "--role all asks for an answer for each role; name one role here",
        )),
        false => question(typed, game, depth),
    }
}

/// The question given about a game, for a number of steps if it is known.
pub(super) fn question(
    typed: &QuestionArguments,
    game: &Game,
    depth: impl Into<Option<u32>>,
) -> Result<Question, Failure> {
    let question = match &typed.role {
        Some(role) if !typed.asks_for_all_roles(game) => {
            Question::new(Name::new(&role.to_lowercase()))
        }
        _ => Question::about(game)?,
    };
    let opponents = match &typed.opponents {
        None => Opponents::Best,
        Some(name) if name == Path::new("random") => Opponents::Random,
        Some(name) if name == Path::new("selfish") => Opponents::Selfish,
        Some(name) if name == Path::new("greedy") => Opponents::Greedy,
        Some(_) if typed.asks_for_all_roles(game) => {
            let message = "one of all roles follows the strategy of --opponents; name another one with --role";
            return Err(Failure::new(Exit::Usage, message));
        }
        Some(file) => followed(file)?,
    };
    Ok(question
        .depth(depth)
        .objective(typed.objective)
        .opponents(opponents))
}

/// The opponents of which one follows the strategy in a file.
fn followed(file: &Path) -> Result<Opponents, Failure> {
    if !file.exists() && file != Path::new("-") {
        let meant = did_you_mean(&file.to_string_lossy(), ["random", "greedy", "selfish"]);
        let message = format!(
            "--opponents: there is no file {}, and opponents without a file are `random`, `greedy` or `selfish`{meant}",
            file.display()
        );
        return Err(Failure::new(Exit::Unreadable, message));
    }
    let text = files::read(file, &Limits::default())?;
    Opponents::following(&text).map_err(|error| {
        let message = format!("--opponents {}: {error}", file.display());
        Failure::new(Exit::InvalidInput, message)
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

/// Reads `500M`, `2G`, `1000000` and the like as bytes: K, M and G are powers of 1000, Ki, Mi and Gi of 1024.
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    match text.trim().parse::<ByteSize>() {
        Ok(size) if size > ByteSize(0) => Ok(size.as_u64()),
        _ => Err("write a size such as 500M, 2G or 2GiB".to_owned()),
    }
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

/// The limits given; the clock starts now.
pub(super) fn limits(typed: &LimitArguments) -> Result<Limits, Failure> {
    Ok(Limits::with_memory(typed.memory).within(time(typed.time)?))
}

/// How questions are to be answered.
pub(super) fn options(
    engine: &EngineArguments,
    formula: Option<&FormulaArguments>,
    limits: &Limits,
    observer: Arc<dyn Observer>,
) -> Options {
    let mut options = Options::new(limits.clone(), observer);
    options.engine = engine.engine.0;
    options.solver = built_in(engine).options;
    options.search.engine.search.threads = threads(&engine.threads);
    for name in &engine.without {
        if let Some(technique) = options.search.engine.technique(name) {
            *technique = false;
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
    limits: &Limits,
    observer: Arc<dyn Observer>,
) -> Options {
    with_formulas(Options::new(limits.clone(), observer), formula)
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

impl EngineArguments {
    /// These needs, and those of the techniques that are switched off.
    pub(super) fn needs(&self, needs: Vec<Need>) -> Vec<Need> {
        let techniques = self.without.iter();
        let techniques =
            techniques.map(|name| Need::new("--without", Ability::Technique(name.clone())));
        needs.into_iter().chain(techniques).collect()
    }

    /// The engine that was asked for, or the first that can do all that is needed. Refuses options that it cannot obey, and an engine
    /// whose program is missing.
    pub(super) fn able(&self, needs: Vec<Need>) -> Result<&'static Entry, Failure> {
        let named = self.engine.0;
        let able = engines::able(named, &self.needs(needs));
        let (entry, _) = able.map_err(|Unable { needs, instead }| {
            let text = match (named, instead) {
                (None, _) => format!("{needs}; drop one of them"),
                (Some(named), instead) => {
                    let instead = instead.map_or("auto", |entry| entry.name);
                    format!("{needs}: use --engine {instead} instead of {}", named.name)
                }
            };
            Failure::new(Exit::Usage, text)
        })?;
        if named.is_some() {
            entry.locate()?;
        }
        Ok(entry)
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
    solver.options.layered.search.threads = threads(&typed.threads);
    solver.options.learning.threads = solver.options.layered.search.threads;
    for name in &typed.without {
        if let Some(technique) = solver.options.technique(name) {
            *technique = false;
        }
    }
    solver
}
