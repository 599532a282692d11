//! `sqasp solve --sweep NAME`: the value for every number of a parameter of the game, or for those of two as a table.

use super::curve::refuse_single;
use super::load::{game_of, read_texts, warn};
use super::solve::{asked, check_engine, solve_options};
use crate::cli::args::{Format, SolveArguments};
use crate::cli::files::print;
use crate::cli::request::{limits, single_depth};
use crate::cli::run::{VALUE_COLUMNS, WorkDisplay, exit, print_csv, value_cells};
use crate::cli::watchdog::{Watchdog, guarded};
use crate::cli::{Exit, Failure};
use crate::report::json;
use engines::answer::{
    Answer, BestPlay, Choices, Depth, GameSubject, Shown, exactness, shortened, value_columns,
    value_text,
};
use formula::BigRational;
use gdl::game::Unit;
use gdl::{Name, Parameter, no_parameter, parameters};
use limits::lock;
use num_traits::Signed;
use serde::Serialize;
use std::sync::{Arc, Mutex};
use std::time::Instant;

pub(super) fn solve_sweep(arguments: &SolveArguments) -> Result<Exit, Failure> {
    let usage = |message: String| Failure::new(Exit::Usage, message);
    refuse_single(arguments, &[], "game", "--sweep")?;
    check_engine(arguments)?;
    let depth = single_depth(&arguments.question)?;
    let names = arguments.sweep.iter().map(|name| name.to_lowercase());
    let names: Vec<String> = names.collect();
    match &names[..] {
        [_] => {}
        [one, other] if one != other => {}
        _ => {
            let problem = "--sweep takes one parameter, or two different ones: --sweep NAME,NAME";
            return Err(usage(problem.to_owned()));
        }
    }
    let is_set = |name: &&String| arguments.game.set.iter().any(|(set, _)| set == *name);
    if let Some(name) = names.iter().find(is_set) {
        return Err(usage(format!(
            "--sweep gives `{name}` all its numbers; leave out --set {name}"
        )));
    }
    let limits = limits(&arguments.limits)?;
    let texts = guarded(&limits, || read_texts(&arguments.game, &limits))?;
    let known = parameters(&texts);
    let find = |name: &String| {
        let parameter = known.iter().find(|parameter| parameter.name == *name);
        let parameter = parameter.ok_or_else(|| usage(no_parameter(name, &texts)));
        parameter.cloned()
    };
    let parameter = find(&names[0])?;
    let across = names.get(1).map(find).transpose()?;
    let sweep = Arc::new(Mutex::new(Sweep {
        parameter: parameter.clone(),
        across: across.clone(),
        format: arguments.output.form.format(),
        exact: arguments.output.exact,
        rows: Vec::new(),
    }));
    let known_rows = Arc::clone(&sweep);
    let watch = Watchdog::start(&limits, move |_, _| {
        // The process ends anyway; rows of text were printed.
        let _ = lock(&known_rows).end();
    });
    let shown = Arc::new(WorkDisplay::new(arguments.output.quiet));
    let options = solve_options(arguments, &limits, shown.clone());
    let begin = Instant::now();
    let mut ending = Exit::Answered;
    let mut is_first = true;
    let columns = |number| match &across {
        None => vec![(number, None)],
        Some(across) => across.values().map(|other| (number, Some(other))).collect(),
    };
    for (number, other) in parameter.values().flat_map(columns) {
        let given = names
            .iter()
            .cloned()
            .zip([Some(number), other].into_iter().flatten());
        let settings: Vec<_> = arguments.game.set.iter().cloned().chain(given).collect();
        let reading = game_of(texts.clone(), &settings, &arguments.game.options(), &limits)?;
        if is_first && !arguments.output.quiet {
            shown.suspended(|| warn(&reading));
        }
        let rules = reading.game;
        let question = asked(arguments, &rules, depth, &limits)?;
        let roles = arguments.question.roles(&rules, &question.role);
        if is_first {
            lock(&sweep).begin(roles.len())?;
        }
        is_first = false;
        let answers = roles.iter().map(|role| {
            let question = question.clone().role(role.as_str());
            crate::solve(&rules, &question, &options)
        });
        let row = Row {
            number,
            across: other,
            answers: answers.collect::<Result<_, _>>()?,
        };
        let mut exits = row.answers.iter().map(exit);
        let stopped = exits.find(|exit| *exit != Exit::Answered);
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
        let mut lines = sweep.nearest_line().into_iter();
        let last = sweep.last_line(seconds);
        print(|to| {
            lines.try_for_each(|line| writeln!(to, "{line}"))?;
            writeln!(to, "{last}")
        })?;
    }
    Ok(ending)
}

/// The characters of a value in percent with a fraction of usual length, so that those of the next role stand below one another.
const VALUE_WIDTH: usize = 40;

/// The characters of a value in a table.
const CELL_WIDTH: usize = 11;

/// The values for one number of the parameter, and of the second one if there is one.
#[derive(Serialize)]
struct Row {
    number: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    across: Option<u32>,
    /// One for each role that is asked for.
    answers: Vec<Answer>,
}

/// The values as far as they are known.
struct Sweep {
    parameter: Parameter,
    /// The second parameter, whose numbers stand side by side.
    across: Option<Parameter>,
    format: Format,
    /// Whether fractions are printed whole.
    exact: bool,
    rows: Vec<Row>,
}

/// All values, for programs.
#[derive(Serialize)]
struct SweepView<'a> {
    parameter: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    across: Option<&'a str>,
    sweep: &'a [Row],
}

impl Sweep {
    /// Prints what comes before all rows, for so many roles.
    fn begin(&self, roles: usize) -> Result<(), Failure> {
        let across = self.across.as_ref();
        match (self.format, across) {
            (Format::Text, Some(_)) if roles > 1 => {
                let problem = "a table is about one role; name it, or add --format csv or json";
                Err(Failure::new(Exit::Usage, problem))
            }
            (Format::Csv, _) => {
                let heads = [Some(&self.parameter), across].into_iter().flatten();
                let heads = heads
                    .map(|parameter| parameter.name.as_str())
                    .chain(["role"]);
                print_csv(&[heads.chain(VALUE_COLUMNS).map(str::to_owned).collect()])
            }
            (Format::Text, Some(across)) => {
                let numbers = across
                    .values()
                    .map(|number| format!("  {number:>CELL_WIDTH$}"));
                let (width, name) = (self.width(), &across.name);
                let numbers: String = numbers.collect();
                print(|to| writeln!(to, "{:width$}  {name}\n{:width$}{numbers}", "", ""))
            }
            _ => Ok(()),
        }
    }

    /// The characters of the numbers of the first parameter.
    fn width(&self) -> usize {
        let numbers = self.parameter.range.end().to_string().len();
        match &self.across {
            None => numbers,
            Some(_) => self.parameter.name.chars().count() + 1 + numbers,
        }
    }

    /// Prints the last row, unless all come together at the end.
    fn show(&self) -> Result<(), Failure> {
        let row = self.rows.last().expect("there is a row");
        match self.format {
            Format::Text if self.across.is_some() => self.show_cell(row),
            Format::Text => print(|to| writeln!(to, "{}", self.line(row))),
            Format::Csv => print_csv(&csv(row)),
            _ => Ok(()),
        }
    }

    /// Prints a cell of a table, with what stands before it and behind it on its line.
    fn show_cell(&self, row: &Row) -> Result<(), Failure> {
        let across = self.across.as_ref().expect("a table has two parameters");
        let width = self.width();
        let mut line = String::new();
        if row.across == Some(*across.range.start()) {
            line = format!(
                "{:>width$}",
                format!("{} {}", self.parameter.name, row.number)
            );
        }
        let answers = row.answers.iter();
        line.extend(answers.map(|answer| format!("  {:>CELL_WIDTH$}", short_value(answer))));
        if row.across == across.values().last() {
            line.push('\n');
        }
        print(|to| write!(to, "{line}"))
    }

    /// The line about the numbers with which the chances of the first role that is asked about are nearest to even.
    fn nearest_line(&self) -> Option<String> {
        let half = BigRational::new(1.into(), 2.into());
        let distance = |row: &&Row| {
            let value = row.answers.first()?.value()?;
            Some((value - &half).abs())
        };
        let known = self.rows.iter().filter(|row| distance(row).is_some());
        let nearest = known.min_by_key(distance)?;
        let answer = nearest.answers.first()?;
        if answer.subject.unit() != Unit::Percent || self.rows.len() < 2 {
            return None;
        }
        let second = self.across.as_ref().zip(nearest.across);
        let second = second.map(|(across, number)| format!(" and {} {number}", across.name));
        Some(format!(
            "nearest to 50 % for {}: {} {}{}, with {}",
            role(answer),
            self.parameter.name,
            nearest.number,
            second.unwrap_or_default(),
            short_value(answer)
        ))
    }

    /// The number, and the value for each role.
    fn line(&self, row: &Row) -> String {
        let width = self.width();
        let value = |answer: &Answer| {
            let mut value = value_columns(&answer.outcome, &answer.subject);
            if let Some(Ok(play)) = &answer.best_play {
                let statistics = statistics_text(play, answer.subject.unit());
                value = format!("{value:<VALUE_WIDTH$}{statistics}");
            }
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
        let asked = last.and_then(|answer| Some((answer.subject.game()?, &answer.outcome)));
        let meaning = asked.map_or_else(String::new, |(game, outcome)| {
            let about = GameSubject {
                role: Name::new(&roles),
                depth: match game.depth_found {
                    true => Depth::Unknown,
                    false => game.depth.steps().map_or(Depth::Unknown, Depth::Steps),
                },
                ..game.clone()
            };
            let across = self.across.as_ref();
            let second = across.map_or_else(String::new, |across| format!(" and {}", across.name));
            format!(
                "{}, for each number of {name}{second}{}",
                about.statement(Shown::of(outcome)),
                game.circumstances()
            )
        });
        let across = self
            .across
            .as_ref()
            .map_or(1, |across| across.values().count());
        let mut left = self
            .parameter
            .values()
            .skip(self.rows.len().div_ceil(across));
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
        let view = SweepView {
            parameter: &self.parameter.name,
            across: self.across.as_ref().map(|across| across.name.as_str()),
            sweep: &self.rows,
        };
        print(|to| writeln!(to, "{}", json(&view)))
    }
}

fn role(answer: &Answer) -> String {
    let game = answer.subject.game();
    game.map_or_else(String::new, |game| game.role.to_string())
}

/// A value in few digits.
fn short_value(answer: &Answer) -> String {
    match answer.value() {
        Some(value) => answer.subject.unit().rounded(value),
        None => value_text(&answer.outcome, answer.subject.unit()),
    }
}

/// How long best play is, and what other players lose by a choice.
fn statistics_text(play: &BestPlay, unit: Unit) -> String {
    let steps = play.steps.as_ref().map(|steps| {
        let steps = Unit::Number.rounded(steps);
        format!("  {steps} steps")
    });
    let losses = play.choices.as_ref().and_then(Choices::mean_losses);
    let losses = losses.map(|losses| {
        let [random, greedy] = [losses.at_random, losses.greedy].map(|loss| unit.rounded(&loss));
        format!(", a choice at random loses {random}, a greedy one {greedy}")
    });
    steps.unwrap_or_default() + &losses.unwrap_or_default()
}

/// For each role a line of cells: the number, the role, and the value.
fn csv(row: &Row) -> Vec<Vec<String>> {
    let lines = row.answers.iter().map(|answer| {
        let numbers = [Some(row.number), row.across].into_iter().flatten();
        let cells = numbers
            .map(|number| number.to_string())
            .chain([role(answer)]);
        cells.chain(value_cells(&answer.outcome)).collect()
    });
    lines.collect()
}
