//! Running a solver on a formula under a budget, with progress for people.

use crate::cli::args::{EngineArguments, EngineName, Format, OutputArguments};
use crate::cli::files::tell;
use crate::cli::moves::{MoveValue, overall};
use crate::cli::progress::{Speed, progress_text};
use crate::cli::report::{Engine, Known, Report, Subject};
use crate::cli::request::Budget;
use crate::cli::watch::{Watch, Watched};
use crate::cli::{Exit, Failure, memory};
use crate::ground::GroundProgress;
use crate::route::{RouteOptions, StageTimes};
use formula::{Answer, BigRational, Formula, Lit, Outcome, Solver, SolverError};
use indicatif::{ProgressBar, ProgressStyle};
use limits::{Limits, Progress, ProgressListener, StopReason};
use std::fmt::Display;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A command on its way to an answer: its budget, who watches over it, and how it will print.
pub(super) struct Run<'a> {
    pub(super) budget: Budget,
    output: &'a OutputArguments,
    default_format: Format,
    watch: Watch,
    bar: ProgressBar,
    /// What to say if the run is cut short.
    known: Arc<Mutex<Known>>,
}

/// Who answers, where nobody has to choose.
pub(super) fn engine_of(engine: &EngineArguments) -> Engine {
    Engine {
        name: match engine.engine {
            EngineName::Auto | EngineName::Xssat => "xssat",
            EngineName::Emm => "emm",
            EngineName::Sharpssat => "sharpssat",
            EngineName::Depqbf => "depqbf",
            EngineName::Caqe => "caqe",
        },
        why: None,
        exact_if: None,
    }
}

/// Shows people that something is going on; hidden where nobody would see it.
pub(super) fn spinner(quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template("{spinner} {elapsed} {msg}").expect("the template is right");
    let bar = ProgressBar::new_spinner().with_style(style);
    // That takes a thread, and panics where the system has no room for one.
    if thread::Builder::new().spawn(|| ()).is_ok() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}

/// Shows how grounding goes on.
pub(super) fn show_grounding(bar: &ProgressBar, options: &mut RouteOptions) {
    bar.set_message("translating and grounding");
    if !bar.is_hidden() {
        let bar = bar.clone();
        let show = move |rules| bar.set_message(format!("grounding: {rules} rules"));
        options.limits.progress = Some(GroundProgress(Arc::new(show)));
    }
}

/// Makes sure that an outside solver is there, before work is done that would be in vain.
pub(super) fn find_program(engine: &EngineArguments) -> Result<(), Failure> {
    let name = engine_of(engine).name;
    let is_meant = |program: &&external::ExternalProgram| program.name.eq_ignore_ascii_case(name);
    match external::PROGRAMS.iter().find(is_meant) {
        None => Ok(()),
        Some(program) => match program.locate(engine.solver_path.as_deref()) {
            Ok(_) => Ok(()),
            Err(error) => Err(failed(&error)),
        },
    }
}

/// What a failed solver or other outside program means for the command.
pub(super) fn failed(error: &SolverError) -> Failure {
    let exit = match error {
        SolverError::Missing { .. } => Exit::ProgramMissing,
        SolverError::Unsupported { .. } => Exit::Usage,
        SolverError::Failed { .. } | SolverError::Io(_) => Exit::Internal,
    };
    Failure::new(exit, error)
}

/// Refuses a formula that the engine cannot take, before anything is written.
pub(super) fn check_engine(engine: &EngineArguments, formula: &Formula) -> Result<(), Failure> {
    let without_chance = [EngineName::Depqbf, EngineName::Caqe];
    if !without_chance.contains(&engine.engine) || !formula.has_chance() {
        return Ok(());
    }
    Err(Failure::new(
        Exit::Usage,
        format!(
            "{} cannot take this formula: it has chance; use --engine xssat",
            engine_of(engine).name
        ),
    ))
}

impl<'a> Run<'a> {
    /// Starts the clock.
    pub(super) fn start(
        budget: Budget,
        subject: Subject,
        engine: Engine,
        output: &'a OutputArguments,
        default_format: Format,
    ) -> Self {
        let known = Arc::new(Mutex::new(Known::new(subject, engine)));
        let watch = Watch::start(Watched {
            budget: budget.clone(),
            last_words: {
                let (output, known) = (output.clone(), Arc::clone(&known));
                Box::new(move |reason, elapsed| {
                    let times = StageTimes(vec![("total", elapsed)]);
                    let known = lock(&known).clone();
                    let mut report = Report::cut_short(reason, times, known);
                    report.answer.statistics.extend(peak());
                    // The process ends anyway.
                    let _ = report.print(&output, default_format);
                })
            },
        });
        let bar = spinner(output.quiet);
        Run {
            budget,
            output,
            default_format,
            watch,
            bar,
            known,
        }
    }

    /// Takes note of who answers, and tells people at a terminal why.
    pub(super) fn choose(&self, engine: Engine) {
        if let Some(why) = &engine.why
            && !self.bar.is_hidden()
        {
            let text = format!("sqasp: engine {}: {why}", engine.name);
            self.bar.suspend(|| tell(&text));
        }
        self.known().engine = engine;
    }

    /// What to say if the run is cut short, to be changed.
    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        lock(&self.known)
    }

    /// Takes note of what is asked.
    pub(super) fn ask(&self, subject: Subject) {
        let mut known = self.known();
        known.bounds.1 = subject.largest().min(known.bounds.1.clone());
        known.subject = subject;
    }

    /// Tells people what is being done.
    pub(super) fn say(&self, message: &str) {
        self.bar.set_message(message.to_owned());
    }

    /// Shows how grounding goes on.
    pub(super) fn show_grounding(&self, options: &mut RouteOptions) {
        show_grounding(&self.bar, options);
    }

    /// Does something that may speak to people, with the bar out of their way.
    pub(super) fn suspended<T>(&self, run: impl FnOnce() -> T) -> T {
        self.bar.suspend(run)
    }

    /// Passes on remarks.
    pub(super) fn warn(&self, warnings: &[String]) {
        if !self.output.quiet {
            self.bar.suspend(|| {
                warnings
                    .iter()
                    .for_each(|warning| tell(&format!("warning: {warning}")));
            });
        }
    }

    /// Does something that must not be cut in half, such as writing files.
    pub(super) fn undisturbed<T>(&self, run: impl FnOnce() -> T) -> T {
        self.watch.undisturbed(run)
    }

    /// Ends without an answer, before something else is printed.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }

    /// Evaluates the formula and prints the answer. With `sat_codes` the exit code tells the values 0
    /// and 1 as SAT and QBF solvers do.
    pub(super) fn answer(
        self,
        solver: &mut dyn Solver,
        formula: &Formula,
        sizes: Vec<(&'static str, u64)>,
        mut times: StageTimes,
        sat_codes: bool,
    ) -> Result<Exit, Failure> {
        let answer = self.evaluate(solver, formula, &mut times)?;
        let report = self.report(answer, sizes, times);
        self.end(&report)?;
        Ok(if sat_codes {
            report.sat_exit()
        } else {
            report.exit()
        })
    }

    /// Evaluates the formula.
    pub(super) fn evaluate(
        &self,
        solver: &mut dyn Solver,
        formula: &Formula,
        times: &mut StageTimes,
    ) -> Result<Answer, Failure> {
        self.say("solving");
        let listener = self.listener("", |known, bounds| known.bounds = bounds);
        let limits = Limits {
            progress: Some(listener),
            ..self.budget.for_solver()
        };
        let answer = times.measure("solve", || solver.solve(formula, &limits));
        let Answer {
            outcome,
            statistics,
        } = answer.map_err(|error| failed(&error))?;
        Ok(Answer {
            outcome: outcome.times(&self.largest()),
            statistics,
        })
    }

    /// No value is larger than this. Solvers compute parts of it.
    fn largest(&self) -> BigRational {
        self.known().subject.largest()
    }

    /// Evaluates the formula once for each of these moves of the first step, and prints what each is
    /// worth. The value of the formula is the largest. The time that is left is shared equally among
    /// the moves still to come.
    pub(super) fn answer_moves(
        self,
        solver: &mut dyn Solver,
        formula: &Formula,
        moves: Vec<(String, Vec<Lit>)>,
        sizes: Vec<(&'static str, u64)>,
        mut times: StageTimes,
    ) -> Result<Exit, Failure> {
        let largest = self.largest();
        let unsolved = |(action, _): &(String, Vec<Lit>)| MoveValue {
            action: action.clone(),
            outcome: Outcome::unknown(StopReason::Interrupted).times(&largest),
        };
        lock(&self.known).moves = Some(moves.iter().map(unsolved).collect());
        let mut statistics = Vec::new();
        for (index, (action, literals)) in moves.iter().enumerate() {
            let count = moves.len();
            let about = format!("move {} of {count}, {action}: ", index + 1);
            self.say(&format!("{about}solving"));
            let progress = self.listener(&about, move |known, bounds| {
                let (lower, upper) = bounds;
                let reason = StopReason::Interrupted;
                set_outcome(known, index, Outcome::between(lower, upper, reason));
            });
            let limits = self.budget.for_solver();
            let still_to_come = u32::try_from(count - index).expect("moves are few");
            let limits = Limits {
                time: limits.time.map(|time| time / still_to_come),
                progress: Some(progress),
                ..limits
            };
            let outcome = if let Some(reason) = self.budget.clock.interrupt.raised() {
                Outcome::unknown(reason).times(&largest)
            } else if limits.time.is_some_and(|time| time.is_zero()) {
                Outcome::unknown(StopReason::Time).times(&largest)
            } else {
                let answer = times.measure("solve", || {
                    solver.solve(&formula.restricted(literals), &limits)
                });
                let answer = answer.map_err(|error| failed(&error))?;
                add_statistics(&mut statistics, &answer.statistics);
                answer.outcome.times(&largest)
            };
            set_outcome(&mut lock(&self.known), index, outcome);
        }
        let outcome = overall(lock(&self.known).moves.as_deref().unwrap_or_default());
        let answer = Answer {
            outcome,
            statistics,
        };
        let report = self.report(answer, sizes, times);
        self.end(&report)?;
        Ok(report.exit())
    }

    /// The same where no move can be made: the game is over at the start, or no step is played.
    pub(super) fn answer_without_moves(
        self,
        solver: &mut dyn Solver,
        formula: &Formula,
        sizes: Vec<(&'static str, u64)>,
        times: StageTimes,
    ) -> Result<Exit, Failure> {
        lock(&self.known).moves = Some(Vec::new());
        self.answer(solver, formula, sizes, times, false)
    }

    /// Somebody who shows progress, and remembers bounds in case the run is cut short.
    pub(super) fn listener(
        &self,
        about: &str,
        remember: impl Fn(&mut Known, (BigRational, BigRational)) + Send + Sync + 'static,
    ) -> ProgressListener {
        let (bar, known, about) = (self.bar.clone(), Arc::clone(&self.known), about.to_owned());
        let largest = self.largest();
        let speed = Mutex::new(Speed::default());
        Arc::new(move |progress: &Progress| {
            if let Some((lower, upper)) = &progress.bounds {
                remember(&mut lock(&known), (lower * &largest, upper * &largest));
            }
            if !bar.is_hidden() {
                let rate = lock(&speed).rate(progress.states, Instant::now());
                let seen = Progress {
                    memory: memory::in_use().unwrap_or(progress.memory),
                    ..progress.clone()
                };
                bar.set_message(format!("{about}{}", progress_text(&seen, rate)));
            }
        })
    }

    pub(super) fn report(
        &self,
        mut answer: Answer,
        sizes: Vec<(&'static str, u64)>,
        times: StageTimes,
    ) -> Report {
        let known = lock(&self.known).clone();
        answer.statistics.extend(peak());
        Report {
            subject: known.subject,
            engine: known.engine,
            answer,
            moves: known.moves,
            sure_move: known.sure_move,
            cut_off: known.cut_off,
            strategy: None,
            certificate: None,
            sizes,
            times,
        }
    }

    /// Prints a report as the last thing.
    pub(super) fn end(self, report: &Report) -> Result<(), Failure> {
        self.bar.finish_and_clear();
        drop(self.watch);
        report
            .print(self.output, self.default_format)
            .map_err(|failure| {
                // Where the answer cannot be printed, people are told at least.
                let message = format!("{}; the answer is\n{}", failure.message, report.sentences());
                Failure::new(failure.exit, message)
            })
    }

    /// Ends with the bounds that always hold where a limit is the reason why something cannot be read.
    pub(super) fn unread(self, failure: Failure) -> Result<Exit, Failure> {
        if !matches!(failure.exit, Exit::Limit | Exit::Interrupted) {
            return Err(failure);
        }
        let reason = self.budget.reached().unwrap_or(StopReason::Memory);
        self.stopped(reason, &failure.message)
    }

    /// Prints the bounds that always hold, for a run that a limit ended before the solver began,
    /// and says where it was.
    pub(super) fn stopped(
        self,
        reason: StopReason,
        message: &dyn Display,
    ) -> Result<Exit, Failure> {
        self.bar.finish_and_clear();
        if !self.output.quiet {
            tell(&format!("sqasp: {message}"));
        }
        let times = StageTimes(vec![("total", self.watch.started().elapsed())]);
        let answer = Answer {
            outcome: Outcome::unknown(reason).times(&self.largest()),
            statistics: Vec::new(),
        };
        let report = self.report(answer, Vec::new(), times);
        self.end(&report)?;
        Ok(report.exit())
    }
}

/// The most memory that was in use, as the system sees it, as a number about a run.
fn peak() -> Option<(&'static str, u64)> {
    memory::peak().map(|bytes| ("memory", bytes))
}

/// Locks what no holder can leave broken.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn set_outcome(known: &mut Known, index: usize, outcome: Outcome) {
    if let Some(moves) = &mut known.moves {
        moves[index].outcome = outcome;
    }
}

/// Adds the numbers of one run to those of the runs before: counts of work are summed, of all else
/// the largest is kept.
fn add_statistics(all: &mut Vec<(&'static str, u64)>, run: &[(&'static str, u64)]) {
    for &(name, number) in run {
        match all.iter_mut().find(|(other, _)| *other == name) {
            None => all.push((name, number)),
            Some((_, total)) if ["states", "visits", "decisions"].contains(&name) => {
                *total += number;
            }
            Some((_, largest)) => *largest = number.max(*largest),
        }
    }
}
