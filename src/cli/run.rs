//! A run on its way to an answer: the watch over it, its display for people, and its end.

use super::args::{Format, OutputArguments};
use super::files::{self, tell};
use super::progress::{Speed, progress_text};
use super::watchdog::Watchdog;
use super::{Exit, Failure};
use crate::report::json;
use crate::{Answer, Limits, Observer, Report, ReportEnd};
use engines::answer::{MoveValue, ranked, shortened};
use formula::{Bound, Outcome, Value};
use gdl::game::decimal_text;
use indicatif::{ProgressBar, ProgressStyle};
use limits::memory;
use limits::{Progress, StopReason, lock};
use logic::route::StageTimes;
use num_traits::{One, Zero};
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// A command on its way to an answer.
pub(super) struct Run<'a> {
    pub(super) limits: Limits,
    output: &'a OutputArguments,
    watch: Watchdog,
    shown: Arc<WorkDisplay>,
}

/// A command on its way to a report: the watch over it, and its end.
pub(super) struct Task {
    watch: Watchdog,
    json: bool,
}

impl Task {
    /// Starts the clock. `cut_short` makes the report if a limit comes and a stage does not stop by itself within this time.
    pub(super) fn start<R: Report>(
        limits: &Limits,
        json: bool,
        cut_short: impl Fn(StopReason, Duration) -> R + Send + 'static,
    ) -> Self {
        let watch = Watchdog::start(limits, move |reason, elapsed| {
            // The process ends anyway.
            let _ = print_report(&cut_short(reason, elapsed), json);
        });
        Task { watch, json }
    }

    /// Prints the report as the last thing.
    pub(super) fn end(self, report: &impl Report) -> Result<Exit, Failure> {
        drop(self.watch);
        print_report(report, self.json)
    }

    /// Prints the report and ends the process at once, whose other threads may still be at work.
    pub(super) fn end_process<R: Report>(self, report: Result<R, Failure>) -> ! {
        let json = self.json;
        self.watch.end_process(|| print_report(&report?, json))
    }
}

/// Prints a report, and gives the exit code.
pub(super) fn print_report(report: &impl Report, json: bool) -> Result<Exit, Failure> {
    let text = if json { report.json() } else { report.text() };
    files::print(|to| writeln!(to, "{}", text.trim_end()))?;
    Ok(match report.ending() {
        ReportEnd::Complete => Exit::Answered,
        ReportEnd::Refused => Exit::InvalidInput,
        ReportEnd::Stopped(reason) => Exit::for_stop(reason),
        _ => Exit::Limit,
    })
}

/// Prints a result that is not a [`Report`]: as one line of JSON, or as text.
pub(super) fn print_result(
    result: &(impl Serialize + Display),
    is_json: bool,
) -> Result<(), Failure> {
    let text = match is_json {
        true => json(result),
        false => result.to_string(),
    };
    files::print(|to| writeln!(to, "{}", text.trim_end()))
}

/// Does something while people see that it goes on.
pub(super) fn with_spinner<T>(quiet: bool, stage: &'static str, run: impl FnOnce() -> T) -> T {
    let bar = spinner(quiet);
    bar.set_message(stage);
    let done = run();
    bar.finish_and_clear();
    done
}

/// A sign of work on a terminal; hidden where standard error is none.
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

/// The display of the work for people, and the answer as far as it is known.
pub(super) struct WorkDisplay {
    answer: Mutex<Option<Answer>>,
    /// The answers before it, where several are asked for.
    before: Mutex<Option<Vec<Answer>>>,
    bar: ProgressBar,
    is_quiet: bool,
    stage: Mutex<String>,
    speed: Mutex<Speed>,
}

impl WorkDisplay {
    /// Shows nothing but remarks where standard error is no terminal.
    pub(super) fn new(is_quiet: bool) -> Self {
        WorkDisplay {
            answer: Mutex::default(),
            before: Mutex::default(),
            bar: spinner(is_quiet),
            is_quiet,
            stage: Mutex::default(),
            speed: Mutex::default(),
        }
    }

    /// Does something that may speak to people, with the bar out of their way.
    pub(super) fn suspended<T>(&self, run: impl FnOnce() -> T) -> T {
        self.bar.suspend(run)
    }

    /// Shows nothing any more.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for WorkDisplay {
    fn stage(&self, text: &str) {
        text.clone_into(&mut lock(&self.stage));
        *lock(&self.speed) = Speed::default();
        self.bar.set_message(text.to_owned());
    }

    fn progress(&self, progress: &Progress) {
        if !self.bar.is_hidden() {
            let rate = lock(&self.speed).rate(progress.states, Instant::now());
            let seen = Progress {
                memory: memory::in_use().unwrap_or(progress.memory),
                ..progress.clone()
            };
            let bounds = match lock(&self.answer).as_ref() {
                Some(Answer {
                    outcome: outcome @ Outcome::Stopped { .. },
                    subject,
                    ..
                }) => {
                    let bounds = outcome.bounds();
                    let is_news = bounds != subject.range().ends();
                    is_news.then_some((bounds, subject.unit()))
                }
                _ => None,
            };
            let bounds = bounds.as_ref().map(|(bounds, unit)| (bounds, *unit));
            let text = progress_text(&seen, rate, bounds);
            self.bar
                .set_message(format!("{}: {text}", lock(&self.stage)));
        }
    }

    fn answer(&self, answer: &Answer) {
        *lock(&self.answer) = Some(answer.clone());
    }

    fn remark(&self, text: &str) {
        if !self.is_quiet {
            let is_warning = text.starts_with("warning: ");
            let prefix = if is_warning { "" } else { "sqasp: " };
            self.suspended(|| tell(&format!("{prefix}{text}")));
        }
    }
}

impl<'a> Run<'a> {
    /// Starts the clock. `unread` is the answer that is known before anything is read.
    pub(super) fn start(limits: Limits, unread: Answer, output: &'a OutputArguments) -> Self {
        let shown = Arc::new(WorkDisplay::new(output.quiet));
        shown.answer(&unread);
        let (said, known) = (output.clone(), Arc::clone(&shown));
        let watch = Watchdog::start(&limits, move |reason, elapsed| {
            let answer = ended(&known, reason, elapsed);
            let before = lock(&known.before).clone();
            let several = before.is_some();
            let answers = before.into_iter().flatten().chain([answer]);
            let answers: Vec<Answer> = answers.collect();
            // The process ends anyway.
            let _ = print_all(&answers, several, &said);
        });
        Run {
            limits,
            output,
            watch,
            shown,
        }
    }

    /// The observer of the work.
    pub(super) fn observer(&self) -> Arc<WorkDisplay> {
        Arc::clone(&self.shown)
    }

    /// Writes a file beside the answer.
    pub(super) fn write(
        &self,
        file: &Path,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        self.watch.write(Some(file), &self.limits, content)
    }

    /// Ends without an answer, before something else is printed.
    pub(super) fn finish(self) {
        self.shown.finish();
    }

    /// Prints an answer as the last thing.
    pub(super) fn end(self, answer: &Answer) -> Result<Exit, Failure> {
        self.finish_with(std::slice::from_ref(answer), false)
    }

    /// Prints answers as the last thing, which are found one after the other. Where one cannot be found, those before it are
    /// printed.
    pub(super) fn end_all(
        self,
        answers: impl Iterator<Item = Result<Answer, crate::Error>>,
    ) -> Result<Exit, Failure> {
        *lock(&self.shown.before) = Some(Vec::new());
        let mut found = Vec::new();
        let mut failure = None;
        for answer in answers {
            match answer {
                Ok(answer) => found.push(answer),
                Err(error) => {
                    failure = Some(Failure::from(error));
                    break;
                }
            }
            *lock(&self.shown.before) = Some(found.clone());
        }
        match failure {
            Some(failure) if found.is_empty() => Err(failure),
            Some(failure) => self.finish_with(&found, true).and(Err(failure)),
            None => self.finish_with(&found, true),
        }
    }

    fn finish_with(self, answers: &[Answer], several: bool) -> Result<Exit, Failure> {
        self.shown.finish();
        drop(self.watch);
        print_all(answers, several, self.output).map_err(|failure| {
            // Where an answer cannot be printed, people are told at least.
            let texts: Vec<String> = answers.iter().map(Answer::text).collect();
            let message = format!("{}; the answer is\n{}", failure.message, texts.join("\n"));
            Failure::new(failure.exit, message)
        })?;
        let exits = answers
            .iter()
            .map(|answer| match self.output.form.format() {
                Format::Sat => sat_exit(answer),
                _ => exit(answer),
            });
        let not_answered = exits.into_iter().find(|exit| *exit != Exit::Answered);
        Ok(not_answered.unwrap_or(Exit::Answered))
    }

    /// Ends with the bounds that always hold where a limit is the reason why something cannot be read.
    pub(super) fn unread(self, failure: Failure) -> Result<Exit, Failure> {
        if !matches!(failure.exit, Exit::Limit | Exit::Interrupted) {
            return Err(failure);
        }
        let reason = self.limits.reached().unwrap_or(StopReason::Memory);
        self.shown.remark(&failure.message);
        let answer = ended(&self.shown, reason, self.watch.started().elapsed());
        self.end(&answer)
    }
}

/// The answer as far as it is known, where a limit ends the run after this time.
fn ended(shown: &WorkDisplay, reason: StopReason, elapsed: Duration) -> Answer {
    let known = lock(&shown.answer).clone();
    let mut answer = known
        .expect("there is one from the start")
        .cut_short(reason);
    answer.times = StageTimes(vec![("total", elapsed)]);
    answer
        .statistics
        .extend(memory::peak().map(|bytes| ("memory", bytes)));
    answer
}

/// Prints answers as asked for: as JSON an array, if they are `several`.
fn print_all(answers: &[Answer], several: bool, output: &OutputArguments) -> Result<(), Failure> {
    let text = |answer: &Answer| match output.form.format() {
        Format::Text if output.exact => answer.text(),
        Format::Text => shortened(&answer.text()),
        _ => answer.competition_lines(),
    };
    match output.form.format() {
        Format::Csv => print_csv(&csv_table(answers)),
        Format::Json => {
            let text = match answers {
                [only] if !several => only.json(),
                all => json(&all),
            };
            files::print(|to| writeln!(to, "{text}"))
        }
        _ => files::print(|to| {
            answers
                .iter()
                .try_for_each(|each| writeln!(to, "{}", text(each)))
        }),
    }
}

/// The columns of a value in a table of comma-separated values.
pub(super) const VALUE_COLUMNS: [&str; 4] = ["value", "decimal", "lower", "upper"];

/// The cells of a value: as a fraction and as a decimal, empty where a limit came first, and proved bounds.
pub(super) fn value_cells(outcome: &Outcome) -> [String; 4] {
    let (value, decimal) = match outcome {
        Outcome::Solved(Value::Exact(value)) => (value.to_string(), decimal_text(value)),
        Outcome::Solved(Value::Float(value)) => (String::new(), value.to_string()),
        Outcome::Infinite => (Bound::Infinite.to_string(), Bound::Infinite.to_string()),
        Outcome::Stopped { .. } | Outcome::AtLeast { .. } => Default::default(),
    };
    let (lower, upper) = match outcome {
        // A float proves nothing.
        Outcome::Solved(Value::Float(_)) => Default::default(),
        other => {
            let (lower, upper) = other.extent();
            (lower.to_string(), upper.to_string())
        }
    };
    [value, decimal, lower, upper]
}

/// A table of answers: the heads of its columns, a row for each answer, and below it one for each of its moves.
fn csv_table(answers: &[Answer]) -> Vec<Vec<String>> {
    let role = |answer: &Answer| Some(answer.subject.game()?.role.to_string());
    let has_moves = answers.iter().any(|answer| answer.moves.is_some());
    let has_shares = answers.iter().any(|answer| answer.mixtures.is_some());
    let columns = [
        (answers.iter().any(|answer| role(answer).is_some()), "role"),
        (has_moves, "move"),
        (has_shares, "probability"),
    ];
    let row = |cells: [String; 3], outcome: &Outcome| {
        let cells = columns
            .iter()
            .zip(cells)
            .filter(|((is_there, _), _)| *is_there);
        let cells = cells.map(|(_, cell)| cell);
        cells.chain(value_cells(outcome)).collect::<Vec<String>>()
    };
    let heads = columns.iter().filter(|(is_there, _)| *is_there);
    let heads = heads.map(|(_, head)| *head).chain(VALUE_COLUMNS);
    let mut table = vec![heads.map(str::to_owned).collect()];
    for answer in answers {
        let role = role(answer).unwrap_or_default();
        table.push(row(
            [role.clone(), String::new(), String::new()],
            &answer.outcome,
        ));
        let moves = answer.moves.as_deref().unwrap_or_default();
        let ranked = ranked(moves, None, answer.subject.prefers_small());
        for MoveValue {
            action, outcome, ..
        } in ranked.into_iter().map(|each| each.value)
        {
            let share = answer.mixtures.as_ref();
            let share = share.map(|mixtures| mixtures.of(&action).to_string());
            let cells = [role.clone(), action.to_string(), share.unwrap_or_default()];
            table.push(row(cells, &outcome));
        }
    }
    table
}

/// Prints rows of comma-separated values; cells with commas or quotes are quoted.
pub(super) fn print_csv(rows: &[Vec<String>]) -> Result<(), Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row).expect("rows are equally long");
    }
    let text = writer.into_inner().expect("a list takes everything");
    files::print(|to| to.write_all(&text))
}

/// The exit code for an answer.
pub(super) fn exit(answer: &Answer) -> Exit {
    answer.stopped_by().map_or(Exit::Answered, Exit::for_stop)
}

/// The same, but for the values 1 and 0 the codes of SAT and QBF solvers. A count above 0 is like 1.
fn sat_exit(answer: &Answer) -> Exit {
    let is_count = answer.subject.count().is_some();
    match &answer.outcome {
        Outcome::Solved(Value::Exact(value)) if value.is_zero() => Exit::Unsatisfiable,
        Outcome::Solved(Value::Exact(value)) if value.is_one() || is_count => Exit::Satisfiable,
        _ => exit(answer),
    }
}
