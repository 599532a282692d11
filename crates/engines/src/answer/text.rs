//! An answer as sentences: the one place of words and rounding.

use super::{Answer, GameSubject, Mixtures, Subject, moves};
use crate::opponents::Opponents;
use crate::strategy::Extracted;
use formula::{BigRational, Bound, Count, Outcome, Value};
use gdl::game::{Aim, Objective, StepAim, Unit};
use limits::StopReason;
use logic::sqasp::PrefixMethod;
use rules::listed;
use std::fmt::Display;
use std::time::Duration;

/// The most digits of a number that is printed whole, so that a fraction fits into a line.
const MAX_DIGITS: usize = 32;
/// The digits of a longer number that are printed at its beginning, and at its end.
const SHOWN_DIGITS: usize = 12;

/// The characters of most numbers from the point on, as in 0.462963.
const SHOWN_DECIMALS: usize = 7;

/// The remark about a game whose `sees` rules were left out.
pub const PERFECT_INFORMATION: &str =
    "this is another game than the rules describe: all roles are taken to see everything";

/// The value with its fraction, `53.125 % (17/32)`, or for bounds `[50 %, 75 %] ([1/2, 3/4])`, with an estimate if there is one.
pub fn value_text(outcome: &Outcome, unit: Unit) -> String {
    match outcome {
        Outcome::Solved(Value::Exact(value)) => unit.text(value),
        Outcome::Stopped { .. } | Outcome::AtLeast { .. } => {
            let (lower, upper) = outcome.extent();
            let is_fraction =
                |bound: &Bound| matches!(bound, Bound::Finite(it) if !it.is_integer());
            let bounds = rounded(outcome, unit);
            match is_fraction(&lower) || is_fraction(&upper) {
                true => format!("{bounds} ([{lower}, {upper}])"),
                false => bounds,
            }
        }
        _ => rounded(outcome, unit),
    }
}

/// Numbers with blanks before them, so that their points stand below one another; bounds, and what is infinite, stay as they are.
pub(super) fn at_point(numbers: &[String]) -> Vec<String> {
    let whole = |number: &String| match number.starts_with(['[', 'i']) {
        true => 0,
        false => number.find(['.', ' ']).unwrap_or(number.len()),
    };
    let most = numbers.iter().map(whole).max().unwrap_or(0);
    let padded = |number: &String| match whole(number) {
        0 => number.clone(),
        length => " ".repeat(most - length) + number,
    };
    numbers.iter().map(padded).collect()
}

/// Rows as lines, their cells in columns two blanks apart; columns without content are left out.
pub(super) fn in_columns<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).filter(|(_, width)| *width > 0);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// The value with its fraction, in columns: below other values of this subject, points and fractions stand below one another.
pub fn value_columns(outcome: &Outcome, subject: &Subject) -> String {
    let unit = subject.unit();
    let Outcome::Solved(Value::Exact(value)) = outcome else {
        return value_text(outcome, unit);
    };
    let largest = unit.rounded(&subject.range().largest().ceil());
    let number = at_point(&[unit.rounded(value), largest.clone()]).swap_remove(0);
    let width = largest.len() + SHOWN_DECIMALS;
    match value.is_integer() {
        true => number,
        false => format!("{number:<width$}  ({value})"),
    }
}

/// The value in few digits, or bounds in as many as tell them apart.
pub(super) fn rounded(outcome: &Outcome, unit: Unit) -> String {
    match outcome {
        Outcome::Solved(Value::Exact(value)) => unit.rounded(value),
        Outcome::Solved(Value::Float(value)) => {
            let exact = BigRational::from_float(*value);
            let text = exact.map_or_else(|| value.to_string(), |value| unit.rounded(&value));
            format!("{text} (floating point, not exact)")
        }
        Outcome::Infinite => Bound::Infinite.to_string(),
        Outcome::AtLeast { lower, .. } => {
            format!("[{}, {}]", unit.lower(lower), Bound::Infinite)
        }
        Outcome::Stopped { lower, upper, .. } => {
            let [low, high] = unit.interval(lower, upper);
            let estimate = outcome.estimate().and_then(BigRational::from_float);
            let estimate =
                estimate.map(|about| format!("; estimate {}, not proved", unit.rounded(&about)));
            format!("[{low}, {high}]{}", estimate.unwrap_or_default())
        }
    }
}

/// A text in which the numbers of fractions are shortened in the middle where they have very many digits.
pub fn shortened(text: &str) -> String {
    let mut short = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let end = number.find(|c: char| !c.is_ascii_digit());
        let (digits, behind) = number.split_at(end.unwrap_or(number.len()));
        short.push_str(before);
        let is_of_fraction = short.ends_with('/') || behind.starts_with('/');
        if is_of_fraction && digits.len() > MAX_DIGITS {
            let last = digits.len() - SHOWN_DIGITS;
            short.extend([&digits[..SHOWN_DIGITS], "...", &digits[last..]]);
        } else {
            short.push_str(digits);
        }
        rest = behind;
    }
    short + rest
}

/// How exact a number or several are, or why not all are known.
pub fn exactness<'a>(
    outcomes: impl Iterator<Item = &'a Outcome> + Clone,
    exact_if: Option<&str>,
) -> String {
    let is_float = outcomes.clone().any(|outcome| outcome.rounded().is_some());
    let stopped = outcomes.clone().find_map(Outcome::stopped_by);
    match (stopped, exact_if) {
        (Some(reason), None) => format!("bounds: {reason}"),
        (Some(reason), Some(condition)) => format!("bounds: {reason}; right if {condition}"),
        (None, _) if is_float => "not exact: floating point".to_owned(),
        (None, None) => "exact".to_owned(),
        (None, Some(condition)) => format!("exact if {condition}"),
    }
}

/// The remark about plays that are cut off.
pub(super) fn cut_off(aim: Option<Aim>) -> &'static str {
    match aim {
        Some(Aim::Steps(_)) => {
            "; some plays are not over by then, and further steps are not counted"
        }
        _ => "; plays that are not over by then count as 0",
    }
}

/// The remark about a value that is a limit.
/// How strategies get a value that the one which is known does not get.
fn unreached(is_largest: bool) -> &'static str {
    match is_largest {
        true => "; no strategy reaches it, but some come as near as wanted",
        false => "; the strategy that is known gets less, but some come as near as wanted",
    }
}

impl Answer {
    /// The answer for people, in a few lines.
    pub fn text(&self) -> String {
        let value = value_text(&self.outcome, self.subject.unit());
        let lines = [value, self.second_line()].into_iter();
        lines
            .chain(self.more_lines())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// All that is said below the value and its meaning.
    pub(super) fn more_lines(&self) -> Vec<String> {
        let unit = self.subject.unit();
        let values = self.equilibrium.iter();
        let mut lines: Vec<String> = values.flat_map(|it| it.lines(&self.subject)).collect();
        lines.extend(self.never.iter().map(|never| never.because.clone()));
        let is_mean = self
            .subject
            .game()
            .is_some_and(|game| game.objective.payoff().is_some_and(Objective::is_mean));
        if let (true, Some(Outcome::Stopped { lower, upper, .. })) = (is_mean, self.whole_game()) {
            let [lower, upper] = [lower, upper].map(|bound| unit.text(&bound));
            lines.push(format!(
                "the whole game is worth between {lower} and {upper}"
            ));
        }
        lines.extend(self.endless_line());
        if let Some(moves) = &self.moves {
            lines.extend(moves::move_lines(moves, unit, self.subject.prefers_small()));
            lines.extend(
                moves
                    .is_empty()
                    .then(|| "there is no move to make".to_owned()),
            );
            let stopped = moves::stopped(moves).filter(|&reason| reason != StopReason::Ties);
            if let (Outcome::Solved(_), Some(reason)) = (&self.outcome, stopped) {
                lines.push(format!("{reason} before every move had its value"));
            }
        }
        lines.extend(self.mixtures.iter().flat_map(Mixtures::lines));
        let sure = self.winning_move.iter();
        lines.extend(sure.map(|action| format!("first move that guarantees it: {action}")));
        lines.extend(self.strategy_line());
        match &self.best_play {
            None => {}
            Some(Ok(play)) => lines.extend(play.lines(unit)),
            Some(Err(reason)) => lines.push(format!(
                "best play is not known: {reason} before it was followed"
            )),
        }
        let game = self.subject.game();
        if game.is_some_and(|game| game.assumes_perfect_information) {
            lines.push(PERFECT_INFORMATION.to_owned());
        }
        lines
    }

    /// The meaning of the value, and how it was found.
    fn second_line(&self) -> String {
        let shown = Shown::of(&self.outcome);
        let probability = shown.phrase("probability", "probabilities");
        let (statement, prefix) = match &self.subject {
            Subject::Game(game) => {
                let statement = match (game.objective, &self.outcome) {
                    (Aim::Steps(aim), Outcome::Infinite) => infinite_statement(&game.role, aim),
                    _ => game.statement(shown),
                };
                let over = match game.depth_found {
                    true => ", after which every play is over",
                    false => "",
                };
                (
                    format!("{statement}{over}{}", game.circumstances()),
                    game.prefix,
                )
            }
            Subject::Program { prefix, .. } => {
                let statement = format!(
                    "the existential player can give the program an answer set with {probability}"
                );
                (statement, Some(*prefix))
            }
            Subject::Formula { count: None, .. } => {
                let statement =
                    format!("the existential player can make the formula true with {probability}");
                (statement, None)
            }
            Subject::Formula {
                count: Some(count), ..
            } => (counted_statement(count), None),
        };
        let exactness = exactness([&self.outcome].into_iter(), self.exact_if);
        let aim = self.subject.game().map(|game| game.objective);
        let cut_off = if self.is_cut_off() { cut_off(aim) } else { "" };
        let unreached = match self.unreached {
            true => unreached(self.outcome.bounds().0 == self.subject.range().largest()),
            false => "",
        };
        let by = made_by(self.engine, prefix, self.times.total());
        let how = format!("({exactness}{cut_off}{unreached}; {by})");
        format!("{statement} {how}")
    }

    /// The side that can keep play going for ever, and a state where it can, if the number of steps is infinite.
    fn endless_line(&self) -> Option<String> {
        let (game, state) = (self.subject.game()?, self.endless.as_ref()?);
        let side = match (game.objective, game.opponent_count) {
            (Aim::Steps(StepAim::Most), _) => format!("{} can keep play going", game.role),
            (_, 0) => "play goes on".to_owned(),
            (_, 1) => "the opponent can keep play going".to_owned(),
            _ => "the opponents can keep play going".to_owned(),
        };
        Some(format!(
            "from the state {{{}}} on {side} for ever",
            listed(state)
        ))
    }

    /// The fate of the strategy that was asked for.
    fn strategy_line(&self) -> Option<String> {
        Some(match self.strategy.as_ref()? {
            Extracted::Complete(strategy) => {
                let (player, opponents) = strategy.sizes();
                let player = counted(player, "position");
                let file = self.strategy_file.as_ref();
                let place = file.map_or(String::new(), |file| format!(" in {file}"));
                format!("strategy{place}: {player} of the role, {opponents} of its opponents")
            }
            Extracted::TooLarge { positions } => format!(
                "no strategy was written: it has more than {positions} positions; allow more"
            ),
            Extracted::Endless => "no strategy was written: play can come to states from which it can be kept going for ever, and a \
                 strategy has a number for each"
                .to_owned(),
            Extracted::Stopped(reason) => {
                format!("no strategy was written: {reason} before it was complete")
            }
        })
    }
}

/// The engine, how it makes formulas, and the time.
pub(super) fn made_by(engine: &str, prefix: Option<PrefixMethod>, time: Duration) -> String {
    let prefix = prefix.map_or(String::new(), |prefix| format!(", quant {prefix}"));
    format!("engine {engine}{prefix}, {:.2} s", time.as_secs_f64())
}

/// The subject of a sentence: a value, bounds of it, or several values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// The value.
    Value,
    /// Bounds of it.
    Bounds,
    /// Several values.
    Values,
}

impl Shown {
    /// A value, or bounds of one.
    pub fn of(outcome: &Outcome) -> Self {
        match outcome.stopped_by() {
            Some(_) => Shown::Bounds,
            None => Shown::Value,
        }
    }

    /// The subject, of which this is the name of one, and that of many.
    fn phrase(self, one: &str, many: &str) -> String {
        match self {
            Shown::Value => format!("this {one}"),
            Shown::Bounds => format!("a {one} between these bounds"),
            Shown::Values => format!("these {many}"),
        }
    }
}

impl GameSubject {
    /// The meaning of its value, or of bounds of it, as a sentence.
    #[doc(hidden)]
    pub fn statement(&self, shown: Shown) -> String {
        let (role, depth) = (&self.role, self.depth);
        let how = || shown.phrase("probability", "probabilities");
        let is_guaranteed = self.opponents != Opponents::Selfish;
        let what = match self.objective {
            Aim::Payoff(Objective::Win) if !is_guaranteed => {
                return format!("{role} wins with {}{depth}", how());
            }
            Aim::Payoff(Objective::Win) => format!("winning with {}", how()),
            Aim::Payoff(Objective::GoalAtLeast(points)) => {
                format!("at least {points} points with {}", how())
            }
            Aim::Payoff(Objective::Score) => {
                let part = shown.phrase("part of 100 points", "parts of 100 points");
                format!("{part} on average")
            }
            Aim::Payoff(Objective::Points) => match shown {
                Shown::Bounds => "expected points between these bounds".to_owned(),
                Shown::Value | Shown::Values => "these expected points".to_owned(),
            },
            Aim::Steps(aim) => {
                let what = match aim {
                    StepAim::Fewest => "end play after",
                    StepAim::Most => "make play last",
                };
                let number = shown.phrase("number of steps", "numbers of steps");
                return format!("{role} can {what} {number} on average{depth}");
            }
        };
        let verb = match is_guaranteed {
            true => "can guarantee",
            false => "gets",
        };
        format!("{role} {verb} {what}{depth}")
    }
}

/// The meaning of an infinite number of steps.
fn infinite_statement(role: &dyn Display, aim: StepAim) -> String {
    match aim {
        StepAim::Fewest => format!("play may never end, whatever {role} does"),
        StepAim::Most => {
            format!("{role} can keep play from ending, at least with positive probability")
        }
    }
}

/// The meaning of a count.
fn counted_statement(count: &Count) -> String {
    let number = match count.is_weighted {
        false => "number of models",
        true => "sum of the weights of models",
    };
    let shown = match count.is_projected {
        false => "",
        true => ", told apart by the shown variables",
    };
    format!("{number}{shown}")
}

/// A number of things in words: `1 step`, `2 steps`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
