//! Running a solver on a formula under a budget, with progress for people.

use crate::cli::args::{EngineArguments, EngineName, Format, OutputArguments};
use crate::cli::report::{Report, Subject};
use crate::cli::request::{Budget, solver};
use crate::cli::watch::{Watch, Watched};
use crate::cli::{Exit, Failure};
use crate::route::StageTimes;
use formula::{Formula, Progress, SolverError, StopReason};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

/// A command on its way to an answer: its budget, who watches over it, and how it will print.
pub(super) struct Run<'a> {
    pub(super) budget: Budget,
    subject: Subject,
    engine: &'a EngineArguments,
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

impl<'a> Run<'a> {
    /// Starts the clock.
    pub(super) fn start(
        budget: Budget,
        subject: Subject,
        engine: &'a EngineArguments,
        output: &'a OutputArguments,
        default_format: Format,
    ) -> Self {
        let watch = Watch::start(Watched {
            interrupt: budget.interrupt.clone(),
            deadline: budget.deadline,
            memory: budget.memory,
            subject: subject.clone(),
            engine: engine_name(engine),
            json: output.json,
            format: output.format.unwrap_or(default_format),
        });
        let bar = if output.quiet || !std::io::stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}")
                .expect("the template is right");
            ProgressBar::new_spinner().with_style(style)
        };
        bar.enable_steady_tick(Duration::from_millis(200));
        Run {
            budget,
            subject,
            engine,
            output,
            default_format,
            watch,
            bar,
        }
    }

    /// Tells people what is being done.
    pub(super) fn say(&self, message: &str) {
        self.bar.set_message(message.to_owned());
    }

    /// Passes on remarks.
    pub(super) fn warn(&self, warnings: &[String]) {
        if !self.output.quiet {
            self.bar.suspend(|| {
                warnings
                    .iter()
                    .for_each(|warning| eprintln!("warning: {warning}"))
            });
        }
    }

    /// Evaluates the formula and prints the answer.
    pub(super) fn answer(
        self,
        formula: &Formula,
        sizes: Vec<(&'static str, u64)>,
        mut times: StageTimes,
    ) -> Result<Exit, Failure> {
        let mut solver = solver(self.engine);
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
        let answer = times.measure("solve", || solver.solve(formula, &limits));
        self.bar.finish_and_clear();
        let answer = answer.map_err(|error| {
            let exit = match error {
                SolverError::Missing { .. } => Exit::ProgramMissing,
                SolverError::Unsupported { .. } => Exit::Usage,
                SolverError::Failed { .. } | SolverError::Io(_) => Exit::Internal,
            };
            Failure::new(exit, error)
        })?;
        let report = Report {
            subject: self.subject,
            engine: engine_name(self.engine),
            answer,
            sizes,
            times,
        };
        self.watch.finish();
        report.print(self.output, self.default_format);
        Ok(report.exit())
    }

    /// Prints the bounds that always hold, for a run that a limit ended before the solver began.
    pub(super) fn stopped(self, reason: StopReason) -> Exit {
        self.bar.finish_and_clear();
        let times = StageTimes(vec![("total", self.watch.started().elapsed())]);
        let report = Report::nothing_known(self.subject, engine_name(self.engine), reason, times);
        self.watch.finish();
        report.print(self.output, self.default_format);
        report.exit()
    }
}
