//! Strategies for formulas: found with the value, and checked.

use crate::report::FormulaVerification;
use engines::answer::Subject;
use engines::{Answer, Error, Options};
use formula::{BigRational, Formula, Outcome};
use limits::{Limits, Publisher, StopReason};
use logic::route::{ProgramRoute, StageTimes};
use num_traits::One;
use ssat::StrategyOutcome;
use ssat::portfolio::Portfolio;
use std::sync::Arc;
use std::time::Instant;

/// The most nodes, steps, literals and hints of a strategy, where the options say nothing.
const MAX_SIZE: usize = 20_000_000;

/// The value of a formula, and the trace of the search, which proves it and says what both players do.
///
/// ```
/// use sqasp::{Report, StrategyOutcome};
///
/// // A coin is thrown (1), then a player says how it fell (2).
/// let coin = sqasp::read_formula(b"p cnf 2 2\nr 0.7 1 0\ne 2 0\n1 -2 0\n-1 2 0\n")?.formula;
/// let options = sqasp::Options::default();
/// let (answer, found) = sqasp::solve_formula_with_strategy("coin", &coin, &options)?;
/// assert_eq!(answer.value(), Some(&"1".parse()?));
/// let StrategyOutcome::Strategy(strategy) = found else { panic!("there is room") };
/// let report = sqasp::verify_formula("coin", &coin, &strategy, &options.limits);
/// assert!(report.text().starts_with("100 %"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the formula is too large.
pub fn solve_formula_with_strategy(
    name: &str,
    formula: &Formula,
    options: &Options,
) -> Result<(Answer, StrategyOutcome), Error> {
    let subject = Subject::Formula {
        name: name.to_owned(),
        count: None,
    };
    let mut answer = Answer::unknown(subject, "xssat");
    answer.sizes = vec![
        ("formula_variables", formula.variables() as u64),
        ("formula_clauses", formula.matrix().len() as u64),
    ];
    with_strategy(name, answer, formula, options)
}

/// The value of a program that was translated with these options, and the trace that proves it, with the names of its atoms.
/// [`verify_formula`] checks it with the formula of the program.
///
/// ```
/// use sqasp::{Report, StrategyOutcome};
///
/// let text = "{ heads }. { say }. :- heads, not say. :- say, not heads. _chance(1,7,10,heads). _exists(2,say).";
/// let options = sqasp::Options::default();
/// let route = sqasp::translate_program(text, &options)?;
/// let (answer, found) = sqasp::solve_program_with_strategy("coin", &route, &options)?;
/// assert_eq!(answer.value(), Some(&"1".parse()?));
/// let StrategyOutcome::Strategy(strategy) = found else { panic!("there is room") };
/// let report = sqasp::verify_formula("coin", &route.formula, &strategy, &options.limits);
/// assert!(report.text().starts_with("100 %"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the formula is too large.
pub fn solve_program_with_strategy(
    name: &str,
    route: &ProgramRoute,
    options: &Options,
) -> Result<(Answer, StrategyOutcome), Error> {
    let subject = Subject::Program {
        name: name.to_owned(),
        prefix: options.prefix,
    };
    let mut answer = Answer::unknown(subject, "xssat");
    answer.sizes = route.sizes();
    let (mut answer, mut found) = with_strategy(name, answer, &route.formula, options)?;
    let stages = route.times.0.iter().copied();
    answer.times.0.splice(0..0, stages);
    if let StrategyOutcome::Strategy(trace) = &mut found {
        trace.quant = Some(options.prefix.to_string());
    }
    Ok((answer, found))
}

/// Finds the value and the trace of a formula. The answer has all that is known before.
fn with_strategy(
    name: &str,
    mut answer: Answer,
    formula: &Formula,
    options: &Options,
) -> Result<(Answer, StrategyOutcome), Error> {
    options.observer.stage("solving");
    let observer = Arc::clone(&options.observer);
    let limits = Limits {
        progress: Some(Arc::new(move |progress| observer.progress(progress))),
        ..options.limits.for_engine()
    };
    let (observer, known) = (Arc::clone(&options.observer), answer.clone());
    let period = options.observer.period();
    let publisher = Publisher::new(
        (BigRational::default(), BigRational::one()),
        period,
        move |(lower, upper)| {
            let (lower, upper) = (lower.clone(), upper.clone());
            let mut answer = known.clone();
            answer.outcome = Outcome::between(lower, upper, StopReason::Interrupted);
            observer.answer(&answer);
        },
    );
    let max_size = options.extras.strategy.unwrap_or(MAX_SIZE);
    let solver = Portfolio {
        options: options.solver.clone(),
    };
    let mut times = StageTimes::default();
    let solve = || solver.solve_with_strategy(name, formula, &limits, &publisher, max_size);
    let (solved, found) = times.measure("solve", solve)?;
    answer.outcome = solved.outcome;
    answer.statistics = solved.statistics;
    let peak = limits::memory::peak().map(|bytes| ("memory", bytes));
    answer.statistics.extend(peak);
    answer.times = times;
    Ok((answer, found))
}

/// Proves what a strategy for a formula promises from the formula alone, or refuses it and says what is wrong.
pub fn verify_formula(
    name: &str,
    formula: &Formula,
    strategy: &ssat::trace::Trace,
    limits: &Limits,
) -> FormulaVerification {
    let begin = Instant::now();
    let verification = ssat::trace::check::verify(formula, strategy, &limits.for_engine());
    FormulaVerification::new(name, &strategy.value, verification, begin.elapsed())
}
