//! Options of an answer: its engine, and what that may use.

use super::{ENGINES, Entry, Need};
use crate::error::{Error, ErrorKind};
use crate::observer::{Observer, Silent};
use crate::search::SearchOptions;
use limits::Limits;
use logic::ground::{BYTES_PER_RULE, GroundLimits, GroundProgress};
use logic::route::{ClauseMaker, RouteOptions};
use logic::sqasp::PrefixMethod;
use std::sync::Arc;

/// The further answers beside the value. The default is none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Extras {
    /// The value of each legal first move.
    pub moves: bool,
    /// A first move that wins, where the value is 1 and nothing is left to chance.
    pub winning_move: bool,
    /// The strategies of both sides, in at most this many positions; of a formula, in at most this many literals of gates.
    pub strategy: Option<usize>,
    /// The length of best play, and the points that it gives.
    pub statistics: bool,
}

/// How a question is answered. The default is the engine that suits it, without limits.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// The further answers beside the value.
    pub extras: Extras,
    /// The engine that answers; the one that suits the question if none is named.
    #[doc(hidden)]
    pub engine: Option<&'static Entry>,
    /// The abilities that the engine must have, beside that to answer the question.
    #[doc(hidden)]
    pub needs: Vec<Need>,
    /// The time and memory of the work.
    pub limits: Limits,
    /// How emm grounds and searches.
    #[doc(hidden)]
    pub search: SearchOptions,
    /// How xssat solves.
    #[doc(hidden)]
    pub solver: ssat::portfolio::Options,
    /// Where atoms without a quantifier go in the prefix of formulas.
    #[doc(hidden)]
    pub prefix: PrefixMethod,
    /// The program that makes the clauses of formulas.
    #[doc(hidden)]
    pub clause_maker: ClauseMaker,
    /// The observer, which hears how the work goes on.
    pub observer: Arc<dyn Observer>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            extras: Extras::default(),
            engine: None,
            needs: Vec::new(),
            limits: Limits::default(),
            search: SearchOptions::default(),
            solver: ssat::portfolio::Options::default(),
            prefix: PrefixMethod::Dependency,
            clause_maker: ClauseMaker::default(),
            observer: Arc::new(Silent),
        }
    }
}

/// The most threads that work for one question.
pub const MAX_THREADS: usize = 1024;

/// Refuses a number of threads that nothing is done by.
///
/// # Errors
/// The numbers to use instead.
pub fn check_threads(count: u64) -> Result<usize, String> {
    match usize::try_from(count) {
        Ok(count @ 1..=MAX_THREADS) => Ok(count),
        _ => Err(format!(
            "{count} is no number of threads: use 1 to {MAX_THREADS}"
        )),
    }
}

impl Options {
    /// The engine that suits the question, within limits, and with an observer of the work.
    pub fn new(limits: Limits, observer: Arc<dyn Observer>) -> Self {
        Options {
            limits,
            observer,
            ..Options::default()
        }
    }

    /// The engine with this name answers, such as `emm` or `xssat`.
    ///
    /// # Errors
    /// If there is no such engine.
    pub fn engine(self, name: &str) -> Result<Self, Error> {
        let engine = Entry::named(name).ok_or_else(|| {
            let names: Vec<&str> = ENGINES.iter().map(|entry| entry.name).collect();
            let message = format!("there is no engine `{name}`: {}", names.join(", "));
            Error::new(ErrorKind::Question, message)
        })?;
        let engine = Some(engine);
        Ok(Options { engine, ..self })
    }

    /// Lets at most this many threads work; without a number as many as there are cores.
    pub fn use_threads(&mut self, count: Option<usize>) {
        let count = count.map_or(0, |count| count.min(MAX_THREADS));
        self.search.engine.search.threads = count;
        self.solver.layered.search.threads = count;
        self.solver.learning.threads = count;
    }

    /// The options of emm, within the limits.
    pub(crate) fn search(&self) -> SearchOptions {
        let mut options = self.search.clone();
        options.step.overall.clone_from(&self.limits);
        options.engine.limits.clone_from(&self.limits);
        options
    }

    /// The options of the route to a formula, within the limits.
    pub(crate) fn route(&self) -> RouteOptions {
        let observer = Arc::clone(&self.observer);
        let show = move |rules| observer.stage(&format!("grounding: {rules} rules"));
        RouteOptions {
            prefix: self.prefix,
            clause_maker: self.clause_maker.clone(),
            limits: GroundLimits {
                overall: self.limits.clone(),
                rules: self.limits.memory.map(max_rules),
                progress: Some(GroundProgress(Arc::new(show))),
            },
            memory: self.limits.memory,
        }
    }
}

/// The rules of a ground program that memory has room for; always enough to ground a few steps of a
/// game, which tells how large it gets.
fn max_rules(memory: u64) -> usize {
    usize::try_from(memory / BYTES_PER_RULE).map_or(usize::MAX, |rules| rules.max(100_000))
}
