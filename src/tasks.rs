//! The other questions of the facade: plans, proofs of properties, proofs of strategies, exports and models of other programs.

use crate::report::{FormulaVerification, ModelReport, PlanReport, VerificationReport};
use engines::answer::Subject;
use engines::{Answer, Budget, Error, Options, Question, starts_elsewhere};
use export::{ExportError, Exported, Fix, Format, MAX_STATES, Scope};
use formula::Formula;
use gdl::game::{Game, largest_value};
use limits::{Limits, Progress, ProgressListener};
use logic::route::StageTimes;
use plan::{Board, Goal};
use portfolio::{Portfolio, Room, StrategyOutcome};
use prove::{Finding, Property, ProveError, Prover};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use strategy::CertifyError;
use umb::{Model, ModelError, ModelValue, Reach};
use verify::{Heading, MixedStrategy, Strategy, Verification, VerifyError};

/// A shortest plan of a single player for the most points, or for at least `goal` points, of at most `depth` moves;
/// and the bounds that are proved of it.
///
/// # Errors
/// If the game has several players or chance, or cannot be played.
pub fn plan(
    game: &Game,
    goal: Option<u32>,
    depth: Option<u32>,
    budget: &Budget,
) -> Result<PlanReport, Error> {
    let begin = Instant::now();
    let failed = |error: plan::PlanError| Error::Game(error.to_string());
    let question = plan::Question {
        role: plan::check_alone(game).map_err(failed)?.clone(),
        goal: goal.map_or(Goal::Best, Goal::AtLeast),
        depth,
    };
    let options = plan::Options {
        limits: budget.left(),
        threads: 0,
        insist: false,
        engine: plan::Engine::All,
    };
    let board = Board::new(game, &question);
    let ending = plan::plan(game, &question, &board, &options).map_err(failed)?;
    Ok(PlanReport {
        game: game.name().to_owned(),
        known: board.known(),
        question,
        stopped: ending.stopped,
        several: None,
        time: begin.elapsed(),
    })
}

/// The findings about properties, such as `zero-sum` or `unique (control ?p)` (`docs/properties.md`).
///
/// # Errors
/// If a property makes no sense for the game, or the rules cannot be evaluated.
pub fn prove(game: &Game, properties: &[String], budget: &Budget) -> Result<Vec<Finding>, Error> {
    let parse = |text: &String| Property::parse(text).map_err(Error::Question);
    let properties: Vec<Property> = properties.iter().map(parse).collect::<Result<_, _>>()?;
    let settings = prove::Settings {
        clock: budget.clock.clone(),
        ..prove::Settings::default()
    };
    let failed = |error: ProveError| match error {
        ProveError::Rules(error) => error.into(),
        ProveError::Property(text) => Error::Question(text),
        error => Error::TooLarge(error.to_string()),
    };
    let mut prover = Prover::new(game, settings).map_err(failed)?;
    let verdicts = prover.prove_with_features(&properties).map_err(failed)?;
    let found = properties.into_iter().zip(verdicts);
    Ok(found
        .map(|(property, verdict)| Finding { property, verdict })
        .collect())
}

/// The machine that follows play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Machine {
    /// The rules as they are written: slow, for every game, and nothing else has to be believed.
    #[default]
    Rules,
    /// The circuit of one step, compared with the rules in a sample of the positions.
    Circuit,
    /// The circuit where the game has one, else the rules.
    Auto,
}

/// Proves what a strategy of both sides promises, or refuses it with the position that shows what is wrong.
///
/// # Errors
/// If the strategy is not for this game, the game is not valid, or it has no circuit and is to be followed by one.
pub fn verify(
    game: &Game,
    strategy: &Strategy,
    machine: Machine,
    budget: &Budget,
) -> Result<VerificationReport, Error> {
    let by_rules = || verify::verify(game, strategy, &budget.left()).map_err(refused);
    let verify = || match machine {
        Machine::Rules => by_rules(),
        by => match strategy::by_circuit(game, strategy, &budget.left()) {
            Err(CertifyError::Step(_)) if by == Machine::Auto => by_rules(),
            found => found.map_err(Error::from),
        },
    };
    verification_report(game, &strategy.heading, false, budget, verify)
}

/// Whether a mixed strategy is worth what it promises: the best responses to both sides, by the rules alone.
///
/// # Errors
/// If the strategy is not for this game, or the game is not valid.
pub fn verify_mixed(
    game: &Game,
    strategy: &MixedStrategy,
    budget: &Budget,
) -> Result<VerificationReport, Error> {
    let verify = || verify::verify_mixed(game, strategy, &budget.left()).map_err(refused);
    verification_report(game, &strategy.heading, true, budget, verify)
}

fn refused(error: VerifyError) -> Error {
    match error {
        VerifyError::Rules(error) => Error::from(error),
        error => Error::Game(error.to_string()),
    }
}

fn verification_report(
    game: &Game,
    heading: &Heading,
    mixed: bool,
    budget: &Budget,
    verify: impl Fn() -> Result<Verification, Error>,
) -> Result<VerificationReport, Error> {
    let begin = Instant::now();
    let starts_elsewhere = starts_elsewhere(game, &heading.start, budget);
    // Nothing is known where a limit comes before play is followed.
    let verified = starts_elsewhere.and_then(|elsewhere| Ok((elsewhere, verify()?)));
    let (starts_elsewhere, verification) = match verified {
        Err(Error::Stopped { reason, .. }) => {
            let largest = largest_value(game, &heading.role, heading.objective);
            (false, Verification::stopped(reason, largest))
        }
        verified => verified?,
    };
    Ok(VerificationReport {
        game: game.name().to_owned(),
        assumes_perfect_information: game.assumes_perfect_information(),
        starts_elsewhere,
        heading: heading.clone(),
        mixed,
        verification,
        seconds: BTreeMap::from([("verify", begin.elapsed().as_secs_f64())]),
    })
}

/// The value of a formula, and the strategies of both players for it: each existential and each universal variable as a function of
/// variables before it.
///
/// ```
/// use sqasp::portfolio::{StrategyOutcome, Room};
///
/// // A coin is thrown (1), then a player says how it fell (2).
/// let coin = formula::read(b"p cnf 2 2\nr 0.7 1 0\ne 2 0\n1 -2 0\n-1 2 0\n")?;
/// let (room, options) = (Room { literals: 1000 }, sqasp::Options::default());
/// let (answer, found) = sqasp::solve_formula_with_strategy("coin", &coin, &options, room)?;
/// assert_eq!(answer.value(), Some(&"1".parse()?));
/// let StrategyOutcome::Strategy(strategy) = found else { panic!("there is room") };
/// let report = sqasp::verify_formula("coin", &coin, &strategy, &options.budget);
/// assert!(report.text().starts_with("1 = 1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the formula is too large.
pub fn solve_formula_with_strategy(
    name: &str,
    formula: &Formula,
    options: &Options,
    room: Room,
) -> Result<(Answer, StrategyOutcome), Error> {
    let subject = Subject::Formula {
        name: name.to_owned(),
    };
    let mut answer = Answer::unknown(subject, "xssat");
    answer.sizes = vec![
        ("formula_variables", formula.variables() as u64),
        ("formula_clauses", formula.matrix().len() as u64),
    ];
    options.observer.stage("solving");
    let observer = Arc::clone(&options.observer);
    let progress: ProgressListener = Arc::new(move |seen: &Progress| observer.progress(seen));
    let limits = Limits {
        progress: Some(progress),
        ..options.budget.left()
    };
    let solver = Portfolio {
        options: options.solver.clone(),
    };
    let mut times = StageTimes::default();
    let solve = || solver.solve_with_strategy(name, formula, &limits, room);
    let (solved, found) = times.measure("solve", solve)?;
    answer.outcome = solved.outcome;
    answer.statistics = solved.statistics;
    let peak = limits::memory::peak().map(|bytes| ("memory", bytes));
    answer.statistics.extend(peak);
    answer.times = times;
    Ok((answer, found))
}

/// Proves what a strategy for a formula promises by counting on the formula alone, or refuses it and says what is wrong.
pub fn verify_formula(
    name: &str,
    formula: &Formula,
    strategy: &witness::Strategy,
    budget: &Budget,
) -> FormulaVerification {
    let begin = Instant::now();
    let verification = witness::verify(formula, strategy, &budget.left());
    FormulaVerification {
        formula: name.to_owned(),
        promised: strategy.value.clone(),
        verification,
        seconds: BTreeMap::from([("verify", begin.elapsed().as_secs_f64())]),
    }
}

/// How a game is exported.
#[derive(Clone, Debug)]
pub struct Export {
    /// The form.
    pub format: Format,
    /// A side that chooses no more.
    pub fix: Option<Fix>,
    /// The most states.
    pub states: usize,
}

impl Export {
    /// The whole game in a form.
    pub fn to(format: Format) -> Self {
        Export {
            format,
            fix: None,
            states: MAX_STATES,
        }
    }
}

/// Lists the states that can be reached, and prepares the files for other programs: role, objective, depth and start are
/// those of the question.
///
/// # Errors
/// If the game is too large or a state has no value, a strategy does not fit, or a limit is reached.
pub fn export(
    game: &Game,
    question: &Question,
    how: &Export,
    budget: &Budget,
) -> Result<Exported, Error> {
    question.check_depth()?;
    let scope = Scope {
        role: game.role(&question.role)?,
        objective: question.objective,
        depth: question.depth,
        start: question.start.clone(),
        states: how.states,
    };
    export::export(game, &scope, how.format, how.fix.as_ref(), &budget.left()).map_err(export_error)
}

/// The probability with which players of a model in a UMB file can guarantee to reach a label.
///
/// # Errors
/// If this is no such file, or has no such label or player.
pub fn solve_model(file: &[u8], objective: &Reach, budget: &Budget) -> Result<ModelReport, Error> {
    let model = match Model::read_within(file, &budget.left()) {
        Err(ModelError::Stopped(reason)) => {
            let found = ModelValue::unknown(reason);
            return Ok(ModelReport::new(None, objective, found));
        }
        model => model.map_err(model_error)?,
    };
    let found = model
        .solve(objective, &budget.left())
        .map_err(model_error)?;
    Ok(ModelReport::new(Some(&model), objective, found))
}

fn export_error(error: ExportError) -> Error {
    let text = error.to_string();
    match error {
        ExportError::Rules(error) => error.into(),
        ExportError::Defect { .. } => Error::Game(text),
        ExportError::Strategy(_) => Error::Question(text),
        ExportError::Step(_) | ExportError::TooMany(_) | ExportError::Tree(_) => {
            Error::TooLarge(text)
        }
        ExportError::Stopped { reason, .. } => Error::stopped(reason, &text),
        ExportError::Io(_) => Error::Internal(text),
    }
}

fn model_error(error: ModelError) -> Error {
    let text = error.to_string();
    match error {
        ModelError::Question(_) => Error::Question(text),
        ModelError::Format(_) | ModelError::Unsupported(_) => Error::Game(text),
        ModelError::Stopped(reason) => Error::stopped(reason, &text),
    }
}
