//! `sqasp plan`: plans for a game's only player.

use super::evaluate::{player, with_team};
use super::load::load_game;
use super::translate::SHOW_MOVES;
use crate::cli::args::{PlanArguments, PlanEngine};
use crate::cli::request::{limits, threads};
use crate::cli::run::{Task, spinner};
use crate::cli::start::start_facts;
use crate::cli::watchdog::guarded;
use crate::cli::{Exit, Failure, files};
use crate::tasks::{PlanSearch, Planning};
use gdl::game::{Objective, Points};
use indicatif::ProgressBar;
use logic::translate::{Names, planning_program};
use plan::{Blackboard, Engine};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

pub(super) fn plan(arguments: &PlanArguments) -> Result<Exit, Failure> {
    let limits = limits(&arguments.limits)?;
    let rules = guarded(&limits, || {
        load_game(&arguments.game, arguments.report.quiet, &limits)
    })?;
    let start = start_facts(&rules, &arguments.start, arguments.report.quiet, &limits)?;
    let rules = with_team(&rules, arguments.role.as_deref())?;
    let role = plan::check_alone(&rules).map_err(|error| Failure::new(Exit::Usage, error))?;
    player(&rules, arguments.role.as_deref())?;
    if arguments.to.is_some() {
        let game = start.map_or_else(|| rules.clone(), |facts| rules.starting_from(&facts));
        let shown = planning_program(&game, role, &Names::of(&game));
        files::write(None, &limits, |to| {
            write!(
                to,
                "{}\n#program base.\n{SHOW_MOVES}\n",
                shown.program.explained()
            )
        })?;
        return Ok(Exit::Answered);
    }
    let asked = Planning {
        goal: match arguments.objective {
            objective if objective.is_mean() => None,
            Objective::GoalAtLeast(points) => Some(points),
            _ => Some(Points::WIN),
        },
        depth: arguments.depth,
        start,
        plans: arguments.plans,
    };
    let search = PlanSearch::new(&rules, &asked, &limits)?;
    let unfinished = search.clone();
    let task = Task::start(
        &limits,
        arguments.report.form.is_json(),
        move |reason, _| unfinished.cut_short(reason),
    );
    let engine = match arguments.engine {
        PlanEngine::Auto => Engine::All,
        PlanEngine::Asp => Engine::Logic,
        PlanEngine::Search => Engine::Search,
    };
    let found = shown(&search.board, arguments.report.quiet, || {
        search.run(threads(&arguments.threads), engine)
    });
    let found = found.map(|(report, given_up)| {
        if report.stopped.is_some() && !arguments.report.quiet {
            let reasons = given_up.iter();
            reasons.for_each(|error| files::tell(&format!("sqasp: {error}")));
        }
        report
    });
    task.end_process(found.map_err(Failure::from))
}

/// Does something while people see how it goes on.
fn shown<T>(board: &Blackboard, quiet: bool, run: impl FnOnce() -> T) -> T {
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

/// Sets the flag on drop, also after a panic.
struct Set<'a>(&'a AtomicBool);

impl Drop for Set<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn show(board: &Blackboard, bar: &ProgressBar, done: &AtomicBool) {
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
