//! Running a solver on a formula under a budget, with progress for people.

use crate::cli::args::{EngineArguments, EngineName, Format, OutputArguments};
use crate::cli::files::tell;
use crate::cli::report::{Report, Subject};
use crate::cli::request::{Budget, solver};
use crate::cli::watch::{Watch, Watched};
use crate::cli::{Exit, Failure};
use crate::ground::GroundProgress;
use crate::route::{RouteOptions, StageTimes};
use formula::{Formula, Progress, Solver, SolverError, StopReason};
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Display;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

/// A command on its way to an answer: its budget, who watches over it, and how it will print.
pub(super) struct Run<'a> {
    pub(super) budget: Budget,
    subject: Subject,
    engine: &'a EngineArguments,
    solver: Box<dyn Solver>,
    output: &'a OutputArguments,
    default_format: Format,
    watch: Watch,
    bar: ProgressBar,
}

/// The name of the engine as it is printed.
fn engine_name(engine: &EngineArguments) -> &'static str {
    match engine.engine {
        EngineName::Auto | EngineName::Xssat => "xssat",
        EngineName::Sharpssat => "sharpssat",
        EngineName::Depqbf => "depqbf",
        EngineName::Caqe => "caqe",
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
    bar.enable_steady_tick(Duration::from_millis(200));
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
fn find_program(engine: &EngineArguments) -> Result<(), Failure> {
    let is_meant =
        |program: &&external::Program| program.name.eq_ignore_ascii_case(engine_name(engine));
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

impl<'a> Run<'a> {
    /// Starts the clock.
    pub(super) fn start(
        budget: Budget,
        subject: Subject,
        engine: &'a EngineArguments,
        output: &'a OutputArguments,
        default_format: Format,
    ) -> Result<Self, Failure> {
        let solver = solver(engine)?;
        find_program(engine)?;
        let watch = Watch::start(Watched {
            interrupt: budget.interrupt.clone(),
            deadline: budget.deadline,
            memory: budget.memory,
            last_words: {
                let (subject, engine) = (subject.clone(), engine_name(engine));
                let output = output.clone();
                Box::new(move |reason, elapsed| {
                    let times = StageTimes(vec![("total", elapsed)]);
                    let report = Report::nothing_known(subject.clone(), engine, reason, times);
                    // The process ends anyway.
                    let _ = report.print(&output, default_format);
                })
            },
        });
        let bar = spinner(output.quiet);
        Ok(Run {
            budget,
            subject,
            engine,
            solver,
            output,
            default_format,
            watch,
            bar,
        })
    }

    /// Tells people what is being done.
    pub(super) fn say(&self, message: &str) {
        self.bar.set_message(message.to_owned());
    }

    /// Shows how grounding goes on.
    pub(super) fn show_grounding(&self, options: &mut RouteOptions) {
        show_grounding(&self.bar, options);
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

    /// Refuses a formula that the engine cannot take, before anything is written.
    pub(super) fn check_engine(&self, formula: &Formula) -> Result<(), Failure> {
        let without_chance = [EngineName::Depqbf, EngineName::Caqe];
        if !without_chance.contains(&self.engine.engine) || !formula.has_chance() {
            return Ok(());
        }
        Err(Failure::new(
            Exit::Usage,
            format!(
                "{} cannot take this formula: it has chance; use --engine xssat",
                self.solver.name()
            ),
        ))
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
        mut self,
        formula: &Formula,
        sizes: Vec<(&'static str, u64)>,
        mut times: StageTimes,
        sat_codes: bool,
    ) -> Result<Exit, Failure> {
        let mut limits = self.budget.for_solver();
        self.say("solving");
        if !self.bar.is_hidden() {
            let bar = self.bar.clone();
            limits.progress = Some(Arc::new(move |progress: &Progress| {
                let (states, megabytes) = (progress.states, progress.memory / 1_000_000);
                bar.set_message(format!(
                    "{}: {states} states, {megabytes} MB",
                    progress.phase
                ));
            }));
        }
        let answer = times.measure("solve", || self.solver.solve(formula, &limits));
        self.bar.finish_and_clear();
        let answer = answer.map_err(|error| failed(&error))?;
        let report = Report {
            subject: self.subject,
            engine: engine_name(self.engine),
            answer,
            sizes,
            times,
        };
        drop(self.watch);
        report.print(self.output, self.default_format)?;
        Ok(if sat_codes {
            report.sat_exit()
        } else {
            report.exit()
        })
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
        let report = Report::nothing_known(self.subject, engine_name(self.engine), reason, times);
        drop(self.watch);
        report.print(self.output, self.default_format)?;
        Ok(report.exit())
    }
}
