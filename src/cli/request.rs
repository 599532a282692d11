//! What was typed, checked and resolved.

use super::args::{
    ClauseMaker as ClauseMakerName, EngineArguments, EngineName, FormulaArguments, LimitArguments,
    MethodName, QuestionArguments,
};
use super::{Exit, Failure, memory};
use crate::game::Game;
use crate::gdl::Name;
use crate::ground::{BYTES_PER_RULE, GroundLimits};
use crate::route::{ClauseMaker, RouteOptions};
use crate::translate::Question;
use formula::{Interrupt, Limits, Solver};
use std::time::{Duration, Instant};

/// The largest horizon. Longer ones would need more formula variables than there are numbers.
const MAX_DEPTH: i64 = 1_000_000;

/// The question that was asked.
pub(super) fn question(typed: &QuestionArguments, game: &Game) -> Result<Question, Failure> {
    if !(0..=MAX_DEPTH).contains(&typed.depth) {
        return Err(Failure::new(
            Exit::Usage,
            format!(
                "--depth {} is no number of steps; use 0 to {MAX_DEPTH}",
                typed.depth
            ),
        ));
    }
    let role = match &typed.role {
        Some(role) => Name::new(&role.to_lowercase()),
        None => game.players().next().cloned().ok_or_else(|| {
            Failure::new(
                Exit::InvalidInput,
                "this game has no role but `random`: nobody to win it",
            )
        })?,
    };
    let depth = u32::try_from(typed.depth).expect("the depth was just checked");
    Ok(Question {
        role,
        depth,
        objective: typed.objective,
    })
}

/// When this many seconds will have passed; none without a limit.
pub(super) fn deadline(seconds: Option<f64>) -> Result<Option<Instant>, Failure> {
    let Some(seconds) = seconds else {
        return Ok(None);
    };
    if seconds.is_nan() || seconds < 0.0 {
        return Err(Failure::new(
            Exit::Usage,
            format!("--time {seconds} is no number of seconds; use 0 or more"),
        ));
    }
    // A time too far away to be written down is no limit.
    let time = Duration::try_from_secs_f64(seconds).ok();
    Ok(time.and_then(|time| Instant::now().checked_add(time)))
}

/// What a command may use, from its start on.
#[derive(Clone)]
pub(super) struct Budget {
    pub(super) interrupt: Interrupt,
    pub(super) deadline: Option<Instant>,
    pub(super) memory: Option<u64>,
}

impl Budget {
    /// The budget that was typed.
    pub(super) fn new(typed: &LimitArguments) -> Result<Self, Failure> {
        let deadline = deadline(typed.time)?;
        let memory = typed.memory.or_else(memory::default_limit);
        let memory = memory.into_iter().chain(memory::address_space()).min();
        Ok(Budget {
            interrupt: Interrupt::default(),
            deadline,
            memory,
        })
    }

    /// What is left of it for a solver.
    pub(super) fn for_solver(&self) -> Limits {
        let used = memory::in_use().unwrap_or(0);
        Limits {
            time: self
                .deadline
                .map(|deadline| deadline.saturating_duration_since(Instant::now())),
            memory: self
                .memory
                .map(|memory| memory.saturating_sub(used).max(memory / 20)),
            interrupt: self.interrupt.clone(),
            progress: None,
        }
    }
}

/// How formulas are to be made.
pub(super) fn route_options(typed: &FormulaArguments, budget: &Budget) -> RouteOptions {
    RouteOptions {
        prefix: typed.quant,
        clause_maker: match typed.cnf_via {
            ClauseMakerName::Lp2sat => ClauseMaker::default(),
            ClauseMakerName::Asptools => ClauseMaker::Asptools(external::Asptools::new()),
        },
        limits: GroundLimits {
            deadline: budget.deadline,
            rules: budget.memory.map(most_rules),
            interrupt: budget.interrupt.clone(),
            progress: None,
        },
        memory: budget.memory,
    }
}

/// The rules of a ground program that memory has room for; always so many that a few steps of a
/// game can be grounded to tell how large it gets.
fn most_rules(memory: u64) -> usize {
    usize::try_from(memory / BYTES_PER_RULE).map_or(usize::MAX, |rules| rules.max(100_000))
}

/// The solver that was asked for.
///
/// # Errors
/// If a place is given for a solver that is built in.
pub(super) fn solver(typed: &EngineArguments) -> Result<Box<dyn Solver>, Failure> {
    let is_built_in = matches!(typed.engine, EngineName::Auto | EngineName::Xssat);
    let usage = |message: String| Err(Failure::new(Exit::Usage, message));
    match &typed.solver_path {
        Some(path) if is_built_in => {
            return usage(format!(
                "--solver-path {} is for outside solvers, and xssat is built in; \
                 add --engine sharpssat, depqbf or caqe",
                path.display()
            ));
        }
        _ => {}
    }
    if !typed.without.is_empty() && !is_built_in {
        return usage(
            "--without is for the techniques of xssat; drop it or use --engine xssat".into(),
        );
    }
    let has_method = typed.method != MethodName::Auto;
    if (has_method || typed.no_symmetry) && !is_built_in {
        return usage(
            "--method and --no-symmetry are for xssat; drop them or use --engine xssat".into(),
        );
    }
    Ok(outside_or_built_in(typed))
}

fn outside_or_built_in(typed: &EngineArguments) -> Box<dyn Solver> {
    match (typed.engine, &typed.solver_path) {
        (EngineName::Auto | EngineName::Xssat, _) => Box::new(built_in(typed)),
        (EngineName::Sharpssat, None) => Box::new(external::SharpSsat::new()),
        (EngineName::Sharpssat, Some(path)) => Box::new(external::SharpSsat::new().at(path)),
        (EngineName::Depqbf, None) => Box::new(external::Qbf::depqbf()),
        (EngineName::Depqbf, Some(path)) => Box::new(external::Qbf::depqbf().at(path)),
        (EngineName::Caqe, None) => Box::new(external::Qbf::caqe()),
        (EngineName::Caqe, Some(path)) => Box::new(external::Qbf::caqe().at(path)),
    }
}

/// Our own solver, as it was asked for and without the techniques that are switched off.
pub(super) fn built_in(typed: &EngineArguments) -> xssat::Xssat {
    let mut solver = xssat::Xssat::default();
    solver.options.engine = match typed.method {
        MethodName::Auto => xssat::Engine::Auto,
        MethodName::Frontier => xssat::Engine::Frontier,
        MethodName::Reference => xssat::Engine::Reference,
        MethodName::Learning => xssat::Engine::Learning,
    };
    solver.options.threads = typed.threads.map_or(0, usize::from);
    solver.options.use_symmetry = !typed.no_symmetry;
    for switch in xssat::SWITCHES {
        if typed.without.iter().any(|name| name == switch.name) {
            *(switch.field)(&mut solver.options) = false;
        }
    }
    solver
}
