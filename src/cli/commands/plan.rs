//! `sqasp plan`: plans for the moves of a player who is alone.

use super::load::load_game;
use crate::cli::args::{PlanArguments, PlanEngine};
use crate::cli::request::{budget, threads};
use crate::cli::run::spinner;
use crate::cli::start::start_facts;
use crate::cli::watch::{Watch, Watched, guarded};
use crate::cli::{Exit, Failure, files};
use crate::report::{PlanReport, Several};
use engines::validity::try_playing;
use gdl::game::Game;
use gdl::{MAX_POINTS, Name};
use indicatif::ProgressBar;
use limits::{StopReason, lock};
use logic::translate::{Names, planning_program};
use plan::{self, Board, Engine, Goal, Options, PlanBounds, PlanError, Question};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// The most steps of the random plays that look for defects of the game.
const MAX_TRIED: u32 = 1000;

pub(super) fn plan(arguments: &PlanArguments) -> Result<Exit, Failure> {
    let begin = Instant::now();
    let budget = budget(&arguments.limits)?;
    let rules = guarded(&budget, || {
        load_game(&arguments.game, arguments.report.quiet, &budget)
    })?;
    let player = plan::check_alone(&rules).map_err(|error| failure(&error))?;
    let question = Question {
        role: role(arguments.role.as_deref(), player),
        goal: match arguments.objective {
            objective if objective.is_mean() => Goal::Best,
            objective => Goal::AtLeast(objective.full_points(MAX_POINTS)),
        },
        depth: arguments.depth,
    };
    let game = match start_facts(&rules, &arguments.start, arguments.report.quiet, &budget)? {
        Some(facts) => rules.starting_from(&facts),
        None => rules.clone(),
    };
    if arguments.show.is_some() {
        let shown = planning_program(&game, &question.role, &Names::of(&game));
        files::write(None, &budget, |to| {
            write!(to, "{}", shown.program.explained())
        })?;
        return Ok(Exit::Answered);
    }
    try_playing(&game, question.depth.unwrap_or(MAX_TRIED), &budget)?;
    let board = Board::new(&game, &question);
    let several = Arc::new(Mutex::new(None));
    let watch = Watch::start(Watched {
        budget: budget.clone(),
        last_words: {
            let (name, question, board) = (game.name().to_owned(), question.clone(), board.clone());
            let (several, json) = (Arc::clone(&several), arguments.report.json);
            let nothing = board.known();
            Box::new(move |reason, time| {
                // A thread that holds a lock now may hold it for ever.
                let several = several.try_lock().ok();
                let report = PlanReport {
                    game: name.clone(),
                    question: question.clone(),
                    known: board.known_if_free().unwrap_or_else(|| nothing.clone()),
                    stopped: Some(reason),
                    several: several.and_then(|several| several.clone()),
                    time,
                };
                // The process ends anyway.
                let _ = print(&report, json);
            })
        },
    });
    let options = Options {
        limits: budget.left(),
        threads: threads(&arguments.threads),
        insist: arguments.shortest,
        engine: match arguments.engine {
            PlanEngine::Auto => Engine::All,
            PlanEngine::Asp => Engine::Logic,
            PlanEngine::Search => Engine::Search,
        },
    };
    let ending = shown(&board, arguments.report.quiet, || {
        let mut ending = plan::plan(&game, &question, &board, &options)?;
        if let (Some(most), None) = (arguments.plans, ending.stopped) {
            match all(&game, &question, &board, &several, most, &options) {
                Ok(stopped) => ending.stopped = stopped,
                Err(error) => {
                    ending.stopped = Some(error.stopped_by().ok_or_else(|| error.clone())?);
                    ending.given_up.push(error);
                }
            }
        }
        Ok(ending)
    });
    let stopped = ending.as_ref().ok().and_then(|ending| ending.stopped);
    watch.end_process(|| {
        let ending = ending.map_err(|error| failure(&error))?;
        if stopped.is_some() && !arguments.report.quiet {
            let reasons = ending.given_up.iter();
            reasons.for_each(|error| files::tell(&format!("sqasp: {error}")));
        }
        let report = PlanReport {
            game: game.name().to_owned(),
            question: question.clone(),
            known: board.known(),
            stopped,
            several: lock(&several).clone(),
            time: begin.elapsed(),
        };
        print(&report, arguments.report.json)?;
        Ok(report.stopped_by().map_or(Exit::Answered, Exit::for_stop))
    })
}

fn print(report: &PlanReport, json: bool) -> Result<(), Failure> {
    let text = if json { report.json() } else { report.text() };
    files::print(|to| writeln!(to, "{text}"))
}

/// The role that was typed, or the only one.
fn role(typed: Option<&str>, player: &Name) -> Name {
    typed.map_or_else(|| player.clone(), |role| Name::new(&role.to_lowercase()))
}

/// Lists plans as good as the best: those as short as it, or with a depth all within it.
fn all(
    game: &Game,
    question: &Question,
    board: &Board,
    several: &Mutex<Option<Several>>,
    most: usize,
    options: &Options,
) -> Result<Option<StopReason>, PlanError> {
    let Some((points, length)) = target(question, &board.known()) else {
        return Ok(None);
    };
    *lock(several) = Some(Several {
        plans: Vec::new(),
        is_complete: false,
    });
    let mut is_complete = true;
    let lengths = length..=question.depth.unwrap_or(length);
    let stopped = plan::all_plans(game, question, points, lengths, options, |plan| {
        let mut several = lock(several);
        let plans = &mut several.as_mut().expect("it was just set").plans;
        is_complete = plans.len() < most;
        if is_complete {
            plans.push(plan);
        }
        is_complete
    })?;
    if let Some(several) = lock(several).as_mut() {
        several.is_complete = is_complete && stopped.is_none();
    }
    Ok(stopped)
}

/// The number of points that all plans are to reach, and the least length of such plans.
fn target(question: &Question, known: &PlanBounds) -> Option<(u32, u32)> {
    let (best, _) = known.best()?;
    let points = match question.goal {
        Goal::Best => best.points,
        Goal::AtLeast(points) => points,
    };
    Some((points, best.moves.len() as u32))
}

/// Does something while people see how it goes on.
fn shown<T>(board: &Board, quiet: bool, run: impl FnOnce() -> T) -> T {
    let bar = spinner(quiet);
    let done = AtomicBool::new(false);
    let result = thread::scope(|scope| {
        // Set even where the work panics.
        let _end = Set(&done);
        if !bar.is_hidden() {
            // Without another thread nothing is shown.
            let _ = thread::Builder::new().spawn_scoped(scope, || show(board, &bar, &done));
        }
        run()
    });
    bar.finish_and_clear();
    result
}

/// Sets a flag when it goes.
struct Set<'a>(&'a AtomicBool);

impl Drop for Set<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn show(board: &Board, bar: &ProgressBar, done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        let progress = board.progress();
        let mut text = format!("looking for plans of {} moves", progress.horizon);
        if progress.conflicts > 0 {
            text += &format!(", {} conflicts", progress.conflicts);
        }
        let (states, moves) = progress.breadth;
        if states > 0 {
            text += &format!("; breadth first: {states} states up to {moves} moves");
        }
        if progress.depth > 0 {
            text += &format!("; depth first: {} states", progress.depth);
        }
        if progress.layers > 0 {
            text += &format!("; side by side: {} layers", progress.layers);
        }
        if let Some((plan, _)) = board.known().best() {
            let length = plan.moves.len();
            text += &format!("; best so far {} points in {length} moves", plan.points);
        }
        bar.set_message(text);
        thread::sleep(Duration::from_millis(200));
    }
}

/// The failure of the command where there is no answer.
fn failure(error: &PlanError) -> Failure {
    let exit = match error {
        PlanError::Chance | PlanError::SeveralPlayers(..) | PlanError::Role(_) => Exit::Usage,
        PlanError::TooLarge { .. } | PlanError::Step(_) => Exit::Limit,
        PlanError::Ground(_) | PlanError::Term(_) | PlanError::Paths(_) | PlanError::Refuted(_) => {
            Exit::Internal
        }
    };
    Failure::new(exit, error)
}
