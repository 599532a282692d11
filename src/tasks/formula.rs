//! Proofs of strategies for formulas.

use crate::report::FormulaVerification;
use formula::Formula;
use limits::Limits;
use std::time::Instant;

/// Proves what a strategy for a formula promises from the formula alone, or refuses it and says what is wrong. A strategy for a program is one for its
/// formula.
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
///
/// // The same as a program.
/// let text = "{ heads }. { say }. :- heads, not say. :- say, not heads. _chance(1,7,10,heads). _exists(2,say).";
/// let route = sqasp::translate_program(text, &options)?;
/// let (answer, found) = sqasp::solve_program_with_strategy("coin", &route, &options)?;
/// assert_eq!(answer.value(), Some(&"1".parse()?));
/// let StrategyOutcome::Strategy(strategy) = found else { panic!("there is room") };
/// let report = sqasp::verify_formula("coin", &route.formula, &strategy, &options.limits);
/// assert!(report.text().starts_with("100 %"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
