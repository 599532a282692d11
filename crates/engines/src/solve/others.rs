//! Functions beside `solve`: the translation of a game alone, and values of formulas.

use super::peak;
use super::recorder::AnswerRecorder;
use super::validity::try_playing;
use crate::answer::{Answer, Subject};
use crate::engine::{Entry, Options, StrategyOutcome, solve_with_strategy};
use crate::error::{Error, ErrorKind};
use crate::question::Question;
use formula::{Formula, FormulaQuestion, Quantity, SolverError};
use gdl::game::Game;
use limits::{Limits, Publisher};
use logic::route::{GameRoute, StageTimes, route_game};
use std::borrow::Cow;
use std::sync::Arc;

/// All stages of the translation of a question, up to its formula.
///
/// # Errors
/// If the question does not fit the game or does not say how many steps count, the game has no value, or a
/// limit is reached.
pub fn translate(game: &Game, question: &Question, options: &Options) -> Result<GameRoute, Error> {
    game.check_open("a formula, whose players see all that was chosen before,")?;
    let game = &question.game_of_sides(game)?;
    game.role(&question.role)?;
    question.check_depth()?;
    let depth = question.depth.ok_or_else(|| {
        Error::new(
            ErrorKind::Depth,
            "a translation needs to know how many steps count".to_owned(),
        )
    })?;
    let tried = try_playing(game, depth, &options.limits)?;
    tried
        .slips()
        .for_each(|text| options.observer.remark(&text));
    options.observer.stage("translating and grounding");
    let route = route_game(game, &question.within(depth)?, &options.route())?;
    let warnings = route.stages.warnings.iter();
    warnings.for_each(|text| options.observer.remark(&format!("warning: {text}")));
    Ok(route)
}

/// The value of a formula with this name, or another number that is asked about it. The formula is given away, so that its memory is
/// free for the search.
///
/// ```
/// let count = formula::read_question(b"c t mc\np cnf 3 1\n1 2 3 0\n").unwrap();
/// let answer = sqasp_engines::solve_formula("or", count, &sqasp_engines::Options::default())?;
/// assert_eq!(answer.value(), Some(&"7".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the engine cannot take the formula, or fails.
pub fn solve_formula(
    name: &str,
    question: impl Into<FormulaQuestion>,
    options: &Options,
) -> Result<Answer, Error> {
    let question = question.into();
    let entry = entry(options);
    let answer = about_formula(name, &question.formula, &question.quantity, entry);
    entry.check_formula(&question.formula)?;
    let mut solver = entry.solver(options)?;
    evaluate(
        answer,
        &mut *solver,
        question,
        StageTimes::default(),
        options,
    )
}

/// The value of a formula, and the trace of the search, which proves it and says what both players do.
///
/// # Errors
/// If the formula is too large.
pub fn solve_formula_with_strategy(
    name: &str,
    formula: &Formula,
    options: &Options,
) -> Result<(Answer, StrategyOutcome), Error> {
    let answer = about_formula(name, formula, &Quantity::Value, xssat());
    evaluate_with_strategy(name, answer, formula, StageTimes::default(), options)
}

/// An answer of which only the formula is known.
fn about_formula(name: &str, formula: &Formula, quantity: &Quantity, entry: &Entry) -> Answer {
    let subject = Subject::Formula {
        name: name.to_owned(),
        count: match quantity {
            Quantity::Count(count) => Some(count.clone()),
            Quantity::Value => None,
        },
    };
    let mut answer = Answer::unknown(subject, entry.name);
    answer.sizes = vec![
        ("formula_variables", formula.variables() as u64),
        ("formula_clauses", formula.matrix().len() as u64),
    ];
    answer
}

/// The engine for formulas; xssat if none is named.
pub(super) fn entry(options: &Options) -> &'static Entry {
    options.engine.unwrap_or_else(xssat)
}

/// The engine that finds strategies of formulas.
pub(super) fn xssat() -> &'static Entry {
    Entry::named("xssat").expect("it is in the list")
}

/// Finds what is asked about a formula.
pub(super) fn evaluate(
    answer: Answer,
    solver: &mut dyn formula::Solver,
    question: FormulaQuestion,
    times: StageTimes,
    options: &Options,
) -> Result<Answer, Error> {
    let found = evaluate_by(answer, times, options, |limits, publisher| {
        let solved = solver.solve_publishing(Cow::Owned(question.formula), limits, publisher)?;
        Ok((solved, ()))
    });
    Ok(found?.0)
}

/// Finds the value and the trace of a formula.
pub(super) fn evaluate_with_strategy(
    name: &str,
    answer: Answer,
    formula: &Formula,
    times: StageTimes,
    options: &Options,
) -> Result<(Answer, StrategyOutcome), Error> {
    evaluate_by(answer, times, options, |limits, publisher| {
        solve_with_strategy(name, formula, options, limits, publisher)
    })
}

/// Finds an answer by a search of a formula, which gives something else with the value.
fn evaluate_by<T>(
    answer: Answer,
    mut times: StageTimes,
    options: &Options,
    search: impl FnOnce(&Limits, &Publisher) -> Result<(formula::Answer, T), SolverError>,
) -> Result<(Answer, T), Error> {
    let range = answer.subject.range();
    options.observer.stage("solving");
    let known = AnswerRecorder::new(answer, Arc::clone(&options.observer));
    let observer = Arc::clone(&options.observer);
    let limits = Limits {
        progress: Some(Arc::new(move |progress| observer.progress(progress))),
        ..options.limits.for_engine()
    };
    // A count is the value times its factor.
    let publisher = known.publisher().times(range.width());
    let (solved, more) = times.measure("solve", || search(&limits, &publisher))?;
    known.settle(solved.outcome.times(range.width()));
    let mut answer = known.answer();
    answer.statistics = solved.statistics;
    answer.statistics.extend(peak());
    answer.times = times;
    Ok((answer, more))
}
