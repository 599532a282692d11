//! From program text to a formula.

use super::asptools::clausify_outside;
use crate::ground::{GroundError, GroundLimits, ShownPredicates, ground};
use crate::sqasp::{PrefixMethod, QuantifierError, Quantifiers, build_formula};
use formula::{Formula, SolverError};
use limits::{Limits, StopReason};
use lp2sat::{Clausified, ClausifyError, GroundProgram};
use std::time::{Duration, Instant};

/// How to get from a program to a formula.
#[derive(Clone, Debug, Default)]
pub struct RouteOptions {
    /// The place of atoms without quantifier in the prefix.
    pub prefix: PrefixMethod,
    /// The maker of the clauses.
    pub clause_maker: ClauseMaker,
    pub limits: GroundLimits,
    /// Memory for the ground program and all that is made of it, in bytes. Programs predicted to be
    /// larger are not grounded at all.
    pub memory: Option<u64>,
}

/// The maker of the clauses of a ground program.
#[derive(Clone, Debug)]
pub enum ClauseMaker {
    /// The crate [`lp2sat`] of this project.
    Lp2sat(lp2sat::Options),
    /// The original programs lp2normal2, lp2acyc and lp2sat, as child processes.
    Asptools(external::Asptools),
}

impl Default for ClauseMaker {
    fn default() -> Self {
        ClauseMaker::Lp2sat(lp2sat::Options::default())
    }
}

/// The wall-clock time of each stage, by name, in the order they ran.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct StageTimes(pub Vec<(&'static str, Duration)>);

impl StageTimes {
    /// Runs a stage and adds its time.
    pub fn measure<T>(&mut self, stage: &'static str, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = run();
        self.add(stage, start.elapsed());
        result
    }

    fn add(&mut self, stage: &'static str, time: Duration) {
        match self.0.iter_mut().find(|(name, _)| *name == stage) {
            Some((_, total)) => *total += time,
            None => self.0.push((stage, time)),
        }
    }

    /// All stages together.
    pub fn total(&self) -> Duration {
        self.0.iter().map(|(_, time)| *time).sum()
    }
}

/// A program on its way to a formula, with every stage.
#[derive(Clone, Debug)]
pub struct ProgramRoute {
    #[doc(hidden)]
    pub ground: GroundProgram,
    #[doc(hidden)]
    pub clauses: Clausified,
    /// The quantified atoms.
    #[doc(hidden)]
    pub quantifiers: Quantifiers,
    /// The atoms that the program shows.
    #[doc(hidden)]
    pub shown: ShownPredicates,
    pub formula: Formula,
    /// Remarks for the author of the program.
    pub warnings: Vec<String>,
    /// How long each stage took.
    #[doc(hidden)]
    pub times: StageTimes,
}

/// A program that does not become a formula.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    #[error(transparent)]
    Ground(#[from] GroundError),
    /// Its quantifiers make no sense.
    #[error(transparent)]
    Quantifier(#[from] QuantifierError),
    /// It is too large for clauses.
    #[error(transparent)]
    Clauses(#[from] ClausifyError),
    /// Outside programs could not make its clauses.
    #[error(transparent)]
    Outside(#[from] SolverError),
    /// Outside programs lost an atom or merged it with another.
    #[error(
        "the clauses made by outside programs lack a variable of its own for `{0}`; use our lp2sat"
    )]
    AtomLost(String),
    #[error("making clauses was stopped by a limit")]
    Stopped(StopReason),
}

impl ProgramError {
    /// The limit that ended the work, if it was one.
    pub fn stopped_by(&self) -> Option<StopReason> {
        match self {
            ProgramError::Ground(GroundError::Stopped { reason, .. })
            | ProgramError::Stopped(reason) => Some(*reason),
            ProgramError::Clauses(ClausifyError::TooManyVariables) => Some(StopReason::Memory),
            _ => None,
        }
    }
}

impl ProgramRoute {
    /// How large each stage is, by name.
    pub fn sizes(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("atoms", self.ground.atom_count() as u64),
            ("rules", self.ground.rule_count() as u64),
            ("variables", self.formula.variables() as u64),
            ("clauses", self.formula.matrix().len() as u64),
        ]
    }
}

/// Turns a stochastic quantified program in clingo's language into a formula with the same value.
pub fn route_program(text: &str, options: &RouteOptions) -> Result<ProgramRoute, ProgramError> {
    let mut times = StageTimes::default();
    let grounded = times.measure("ground", || ground(text, &options.limits))?;
    let quantifiers = Quantifiers::read(&grounded.program)?;
    let mut warnings = grounded.warnings;
    warnings.extend(quantifiers.warnings(&grounded.program));
    let mut route = finish(grounded.program, quantifiers, options, times)?;
    route.shown = grounded.shown;
    route.warnings = warnings;
    Ok(route)
}

/// The stages after grounding.
pub(super) fn finish(
    ground: GroundProgram,
    quantifiers: Quantifiers,
    options: &RouteOptions,
    mut times: StageTimes,
) -> Result<ProgramRoute, ProgramError> {
    let clauses = times.measure("lp2sat", || match &options.clause_maker {
        ClauseMaker::Lp2sat(how) => lp2sat::clausify(&ground, how).map_err(ProgramError::from),
        ClauseMaker::Asptools(tools) => {
            let limits = Limits {
                memory: options.memory,
                ..options.limits.overall.clone()
            };
            clausify_outside(&ground, tools, &limits)
        }
    })?;
    let formula = times.measure("formula", || {
        build_formula(&ground, &clauses, &quantifiers, options.prefix)
    });
    Ok(ProgramRoute {
        ground,
        clauses,
        quantifiers,
        shown: ShownPredicates::default(),
        formula,
        warnings: Vec::new(),
        times,
    })
}
