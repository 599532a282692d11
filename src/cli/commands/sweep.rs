//! `sqasp solve --sweep NAME`: the value for every number of a parameter of the game.

use super::curve::refuse_single;
use super::load::{game_of, read_texts, warn};
use super::solve::{check_engine, check_hidden, solve_options};
use crate::Observer;
use crate::cli::args::{Format, SolveArguments};
use crate::cli::files::print;
use crate::cli::request::{limits, question, single_depth};
use crate::cli::run::{VALUE_COLUMNS, WorkDisplay, exit, print_csv, value_cells};
use crate::cli::start::start_facts;
use crate::cli::watchdog::{Watchdog, guarded};
use crate::cli::{Exit, Failure};
use crate::report::json;
use engines::answer::{
    Answer, Depth, Shown, Subject, exactness, shortened, statement, value_columns,
};
use formula::Outcome;
use gdl::{Parameter, no_parameter, parameters};
use limits::lock;
use serde::{Serialize, Serializer};
use std::sync::{Arc, Mutex};
use std::time::Instant;

pub(super) fn solve_sweep(arguments: &SolveArguments, name: &str) -> Result<Exit, Failure> {
    let usage = |message: String| Failure::new(Exit::Usage, message);
    refuse_single(arguments, "game", "--sweep")?;
    check_engine(arguments)?;
    let depth = single_depth(&arguments.question)?;
    let name = name.to_lowercase();
    if arguments.game.set.iter().any(|(set, _)| *set == name) {
        return Err(usage(format!(
            "--sweep gives `{name}` all its numbers; leave out --set {name}"
        )));
    }
    let limits = limits(&arguments.limits)?;
    let texts = guarded(&limits, || read_texts(&arguments.game, &limits))?;
    let known = parameters(&texts);
    let parameter = known.iter().find(|parameter| parameter.name == name);
    let parameter = parameter.ok_or_else(|| usage(no_parameter(&name, &texts)))?;
    let sweep = Arc::new(Mutex::new(Sweep {
        parameter: parameter.clone(),
        format: arguments.output.form.format(),
        exact: arguments.output.exact,
        rows: Vec::new(),
    }));
    lock(&sweep).begin()?;
    let known_rows = Arc::clone(&sweep);
    let watch = Watchdog::start(&limits, move |_, _| {
        // The process ends anyway; rows of text were printed.
        let _ = lock(&known_rows).end();
    });
    let shown = Arc::new(WorkDisplay::new(arguments.output.quiet));
    let observer: Arc<dyn Observer> = Arc::clone(&shown) as Arc<dyn Observer>;
    let options = solve_options(arguments, &limits, observer);
    let begin = Instant::now();
    let mut ending = Exit::Answered;
    for number in parameter.values() {
        let settings = [&arguments.game.set[..], &[(name.clone(), number)]].concat();
        let reading = game_of(texts.clone(), &settings, &arguments.game.options(), &limits)?;
        if number == *parameter.range.start() && !arguments.output.quiet {
            shown.suspended(|| warn(&reading));
        }
        let rules = reading.game;
        check_hidden(&rules, arguments)?;
        let start = start_facts(&rules, &arguments.start, arguments.output.quiet, &limits)?;
        let question = question(&arguments.question, &rules, depth)?
            .start(start)
            .mixed(arguments.mixed);
        let roles = arguments.question.roles(&rules, &question.role);
        let answers = roles.iter().map(|role| {
            let question = question.clone().role(role.as_str());
            crate::solve(&rules, &question, &options)
        });
        let row = Row {
            number,
            answers: answers.collect::<Result<_, _>>()?,
        };
        let stopped = row
            .answers
            .iter()
            .map(exit)
            .find(|exit| *exit != Exit::Answered);
        let mut sweep = lock(&sweep);
        sweep.rows.push(row);
        shown.suspended(|| sweep.show())?;
        if let Some(exit) = stopped {
            ending = exit;
            break;
        }
    }
    shown.finish();
    // Everything is known, and is told now.
    drop(watch);
    let sweep = lock(&sweep);
    sweep.end()?;
    if sweep.format == Format::Text {
        let seconds = begin.elapsed().as_secs_f64();
        print(|to| writeln!(to, "{}", sweep.last_line(seconds)))?;
    }
    Ok(ending)
}

/// The characters of a value in percent with a fraction of usual length, so that those of the next role stand below one another.
const VALUE_WIDTH: usize = 40;

/// The values for one number of the parameter.
#[derive(Serialize)]
struct Row {
    number: u32,
    /// One for each role that is asked for.
    answers: Vec<Answer>,
}

/// The values as far as they are known.
#[derive(Serialize)]
struct Sweep {
    #[serde(serialize_with = "name_of")]
    parameter: Parameter,
    #[serde(skip)]
    format: Format,
    /// Whether fractions are printed whole.
    #[serde(skip)]
    exact: bool,
    #[serde(rename = "sweep")]
    rows: Vec<Row>,
}

fn name_of<S: Serializer>(parameter: &Parameter, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&parameter.name)
}

impl Sweep {
    /// Prints what comes before all rows.
    fn begin(&self) -> Result<(), Failure> {
        if self.format != Format::Csv {
            return Ok(());
        }
        let heads = [self.parameter.name.as_str(), "role"].into_iter();
        print_csv(&[heads.chain(VALUE_COLUMNS).map(str::to_owned).collect()])
    }

    /// Prints the last row, unless all come together at the end.
    fn show(&self) -> Result<(), Failure> {
        let row = self.rows.last().expect("there is a row");
        match self.format {
            Format::Text => print(|to| writeln!(to, "{}", self.line(row))),
            Format::Csv => print_csv(&csv(row)),
            _ => Ok(()),
        }
    }

    /// The number, and the value for each role.
    fn line(&self, row: &Row) -> String {
        let width = self.parameter.range.end().to_string().len();
        let value = |answer: &Answer| {
            let value = value_columns(&answer.outcome, &answer.subject);
            match self.exact {
                true => value,
                false => shortened(&value),
            }
        };
        let values: Vec<String> = match &row.answers[..] {
            [only] => vec![value(only)],
            answers => answers
                .iter()
                .map(|answer| format!("{} {:<VALUE_WIDTH$}", role(answer), value(answer)))
                .collect(),
        };
        let line = format!("{:>width$}  {}", row.number, values.join("  "));
        line.trim_end().to_owned()
    }

    /// The meaning of the values.
    fn last_line(&self, seconds: f64) -> String {
        let answers = self.rows.iter().flat_map(|row| &row.answers);
        let exactness = exactness(answers.clone().map(|answer| &answer.outcome), None);
        let last = answers.last();
        let roles: Vec<String> = self
            .rows
            .first()
            .map_or_else(Vec::new, |row| row.answers.iter().map(role).collect());
        let roles = match &roles[..] {
            [only] => only.clone(),
            roles => format!("each of {}", roles.join(", ")),
        };
        let name = &self.parameter.name;
        let meaning = last.map_or_else(String::new, |answer| match &answer.subject {
            Subject::Game(game) => {
                let shown = match answer.outcome {
                    Outcome::Stopped { .. } => Shown::Bounds,
                    Outcome::Solved(_) => Shown::Value,
                };
                let depth = match (game.depth, game.depth_found) {
                    (Depth::Steps(steps), false) => Depth::Steps(steps),
                    _ => Depth::Unknown,
                };
                let opponents = &game.opponents;
                let meaning = statement(&roles, game.objective, opponents, depth, shown);
                format!(
                    "{meaning}, for each number of {name}{}",
                    game.circumstances()
                )
            }
            _ => String::new(),
        });
        let done = self.rows.last().map_or(0, |row| row.number);
        let mut left = self.parameter.values().filter(|number| *number > done);
        let left = left.next().map_or_else(String::new, |number| {
            format!("; nothing is known from {name} {number} on")
        });
        format!("{meaning} ({exactness}{left}; {seconds:.2} s)")
    }

    /// Prints what comes after all rows.
    fn end(&self) -> Result<(), Failure> {
        if self.format != Format::Json {
            return Ok(());
        }
        print(|to| writeln!(to, "{}", json(self)))
    }
}

fn role(answer: &Answer) -> String {
    match &answer.subject {
        Subject::Game(game) => game.role.to_string(),
        _ => String::new(),
    }
}

/// For each role a line of cells: the number, the role, and the value.
fn csv(row: &Row) -> Vec<Vec<String>> {
    let lines = row.answers.iter().map(|answer| {
        let cells = [row.number.to_string(), role(answer)].into_iter();
        cells.chain(value_cells(&answer.outcome)).collect()
    });
    lines.collect()
}
