//! What was typed, checked and resolved.

use super::args::{
    ClauseMaker as ClauseMakerName, EngineArguments, EngineName, FormulaArguments, LimitArguments,
    MethodName, QuestionArguments,
};
use super::depths::Depths;
use super::{Exit, Failure, memory};
use crate::game::{Game, Objective, largest_value};
use crate::gdl::Name;
use crate::ground::{BYTES_PER_RULE, GroundLimits};
use crate::route::{ClauseMaker, RouteOptions};
use crate::search::SearchOptions;
use crate::translate::Question;
use formula::{BigRational, Outcome, Solver};
use limits::{Clock, Limits, StopReason};
use portfolio::{Engine, Portfolio};
use std::time::{Duration, Instant};

/// What is asked of a game.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Asked {
    /// The role that wants to win.
    pub(super) role: Name,
    /// How many steps count; none until that is known.
    pub(super) depth: Option<u32>,
    /// What counts as success.
    pub(super) objective: Objective,
    /// No value is larger than this. Solvers of formulas compute parts of it.
    pub(super) largest: BigRational,
}

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

impl Asked {
    /// What was typed, for a number of steps if it is known.
    pub(super) fn new(
        typed: &QuestionArguments,
        game: &Game,
        depth: Option<u32>,
    ) -> Result<Self, Failure> {
        let role = match &typed.role {
            Some(role) => Name::new(&role.to_lowercase()),
            None => game.players().next().cloned().ok_or_else(|| {
                Failure::new(
                    Exit::InvalidInput,
                    "this game has no role but `random`: nobody to win it",
                )
            })?,
        };
        Ok(Asked {
            largest: largest_value(game, &role, typed.objective),
            role,
            depth,
            objective: typed.objective,
        })
    }

    /// Nothing is known of the value but that it is no larger than it can be.
    pub(super) fn unknown(&self, reason: StopReason) -> Outcome {
        Outcome::unknown(reason).times(&self.largest)
    }

    /// The question, for a number of steps.
    pub(super) fn within(&self, depth: u32) -> Question {
        Question {
            role: self.role.clone(),
            depth,
            objective: self.objective,
        }
    }
}

/// Reads a time such as `10`, `0.5`, `10s`, `5m` or `2h`, in seconds.
pub(super) fn parse_seconds(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let unit = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let factor = match unit {
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("write a time such as 10, 10s, 5m or 2h".to_owned()),
    };
    let number: f64 = text[..text.len() - unit.len()]
        .trim_end()
        .parse()
        .map_err(|_| "write a time such as 10, 10s, 5m or 2h".to_owned())?;
    Ok(number * factor)
}

/// A clock that ends a number of seconds from now; without a number, never.
pub(super) fn within(seconds: Option<f64>) -> Result<Clock, Failure> {
    let clock = Clock::default();
    let Some(seconds) = seconds else {
        return Ok(clock);
    };
    if seconds.is_nan() || seconds < 0.0 {
        return Err(Failure::new(
            Exit::Usage,
            format!("--time {seconds} is no number of seconds; use 0 or more"),
        ));
    }
    // A time too far away to be written down is no limit.
    Ok(Duration::try_from_secs_f64(seconds).map_or(clock.clone(), |time| clock.within(time)))
}

/// What a command may use, from its start on.
#[derive(Clone)]
pub(super) struct Budget {
    pub(super) clock: Clock,
    pub(super) memory: Option<u64>,
}

impl Budget {
    /// The budget that was typed.
    pub(super) fn new(typed: &LimitArguments) -> Result<Self, Failure> {
        Budget::with_memory(typed.memory).and_time(typed.time)
    }

    /// For commands without limits of their own: they take no more than the memory there is.
    pub(super) fn of_the_machine() -> Self {
        Budget::with_memory(None)
    }

    fn with_memory(typed: Option<u64>) -> Self {
        let memory = typed.or_else(memory::default_limit);
        Budget {
            clock: Clock::default(),
            memory: memory.into_iter().chain(memory::address_space()).min(),
        }
    }

    /// The same, but at most a number of seconds from now.
    pub(super) fn and_time(mut self, seconds: Option<f64>) -> Result<Self, Failure> {
        self.clock.deadline = within(seconds)?.deadline;
        Ok(self)
    }

    /// The limit that is reached, if one is.
    pub(super) fn reached(&self) -> Option<StopReason> {
        self.clock.look().err()
    }

    /// The same if time is not up before this moment.
    pub(super) fn reached_after(&self, earliest: Instant) -> Option<StopReason> {
        self.reached()
            .filter(|&reason| reason != StopReason::Time || Instant::now() >= earliest)
    }

    /// What is left of it for a solver. Some of the memory stays free for what solvers do not count.
    pub(super) fn for_solver(&self) -> Limits {
        let used = memory::in_use().unwrap_or(0);
        Limits {
            time: self.clock.left(),
            memory: self
                .memory
                .map(|memory| (memory.saturating_sub(used) / 10 * 9).max(memory / 20)),
            interrupt: self.clock.interrupt.clone(),
            progress: None,
        }
    }
}

/// How many threads to use; 0 for as many as there are cores.
fn threads(typed: Option<u16>) -> usize {
    match memory::has_room_for_threads() {
        true => typed.map_or(0, usize::from),
        false => 1,
    }
}

/// How formulas are to be made.
pub(super) fn route_options(typed: &FormulaArguments, budget: &Budget) -> RouteOptions {
    RouteOptions {
        prefix: typed.prefix(),
        clause_maker: match typed.cnf_via {
            None | Some(ClauseMakerName::Lp2sat) => ClauseMaker::default(),
            Some(ClauseMakerName::Asptools) => ClauseMaker::Asptools(external::Asptools::new()),
        },
        limits: GroundLimits {
            clock: budget.clock.clone(),
            rules: budget.memory.map(max_rules),
            progress: None,
        },
        memory: budget.memory,
    }
}

/// The rules of a ground program that memory has room for; always enough to ground a few steps of a
/// game, which tells how large it gets.
fn max_rules(memory: u64) -> usize {
    usize::try_from(memory / BYTES_PER_RULE).map_or(usize::MAX, |rules| rules.max(100_000))
}

/// The solver of formulas that was asked for.
///
/// # Errors
/// If options do not go with the engine.
pub(super) fn solver(typed: &EngineArguments) -> Result<Box<dyn Solver>, Failure> {
    check_options(typed)?;
    Ok(match (typed.engine, &typed.solver_path) {
        (EngineName::Auto | EngineName::Xssat, _) => Box::new(built_in(typed)),
        (EngineName::Emm, _) => {
            let message = "emm searches games; for a formula or a program use --engine xssat";
            return Err(Failure::new(Exit::Usage, message));
        }
        (EngineName::Sharpssat, None) => Box::new(external::SharpSsat::new()),
        (EngineName::Sharpssat, Some(path)) => Box::new(external::SharpSsat::new().at(path)),
        (EngineName::Depqbf, None) => Box::new(external::Qbf::depqbf()),
        (EngineName::Depqbf, Some(path)) => Box::new(external::Qbf::depqbf().at(path)),
        (EngineName::Caqe, None) => Box::new(external::Qbf::caqe()),
        (EngineName::Caqe, Some(path)) => Box::new(external::Qbf::caqe().at(path)),
    })
}

/// Refuses options that do not go with the engine.
pub(super) fn check_options(typed: &EngineArguments) -> Result<(), Failure> {
    let usage = |message: String| Err(Failure::new(Exit::Usage, message));
    let is_outside = matches!(
        typed.engine,
        EngineName::Sharpssat | EngineName::Depqbf | EngineName::Caqe
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
    for name in &typed.without {
        let known = match typed.engine {
            EngineName::Auto => is_known("xssat", name) || is_known("emm", name),
            EngineName::Xssat => is_known("xssat", name),
            EngineName::Emm => is_known("emm", name),
            EngineName::Sharpssat | EngineName::Depqbf | EngineName::Caqe => {
                return usage(
                    "--without is for the techniques of xssat and emm; drop it or use --engine \
                     xssat or emm"
                        .into(),
                );
            }
        };
        if !known {
            let (this, other) = match typed.engine {
                EngineName::Emm => ("emm", "xssat"),
                _ => ("xssat", "emm"),
            };
            return usage(format!(
                "--without {name} is a technique of {other}; drop it or use --engine {other} \
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
    if typed.method != MethodName::Auto && (is_outside || typed.engine == EngineName::Emm) {
        return usage("--method is for xssat; drop it or use --engine xssat".into());
    }
    if typed.no_symmetry && is_outside {
        return usage(
            "--no-symmetry is for xssat and emm; drop it or use --engine xssat or emm".into(),
        );
    }
    Ok(())
}

/// How emm is to search.
pub(super) fn search_options(typed: &EngineArguments, budget: &Budget) -> SearchOptions {
    let mut options = SearchOptions::default();
    options.step.clock.clone_from(&budget.clock);
    options.engine.threads = threads(typed.threads);
    options.engine.use_symmetry = !typed.no_symmetry;
    for switch in emm::SWITCHES {
        if typed.without.iter().any(|name| name == switch.name) {
            *(switch.field)(&mut options.engine) = false;
        }
    }
    options
}

/// Our own solver, as it was asked for and without the techniques that are switched off.
pub(super) fn built_in(typed: &EngineArguments) -> Portfolio {
    let mut solver = Portfolio::default();
    solver.options.engine = match typed.method {
        MethodName::Auto => Engine::Auto,
        MethodName::Layered => Engine::Layered,
        MethodName::Learning => Engine::Learning,
        MethodName::Reference => unreachable!("it was refused"),
    };
    solver.options.layered.threads = threads(typed.threads);
    solver.options.layered.use_symmetry = !typed.no_symmetry;
    for name in &typed.without {
        if let Some(technique) = solver.options.technique(name) {
            *technique = false;
        }
    }
    solver
}
