//! An answer as sentences, and as the lines of solver competitions.

use super::{Answer, GameSubject, Subject, moves};
use formula::{BigRational, Count, Outcome, Value};
use gdl::Term;
use gdl::game::{Objective, Unit};
use mixed::MixedPlay;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use std::fmt::Display;
use strategy::Extracted;

/// The most digits of a number that is printed whole, so that a fraction fits into a line.
const MAX_DIGITS: usize = 32;
/// The digits of a longer number that are printed at its beginning, and at its end.
const SHOWN_DIGITS: usize = 12;

/// The characters of most numbers from the point on, as in 0.462963.
const SHOWN_DECIMALS: usize = 7;

/// The remark about a game whose `sees` rules were left out.
pub const PERFECT_INFORMATION: &str =
    "this is another game than the rules describe: everybody is taken to see everything";

/// The value with its fraction, `53.125 % (17/32)`, or for bounds `[50 %, 75 %] ([1/2, 3/4])`, with an estimate if there is one.
pub fn value_text(outcome: &Outcome, unit: Unit) -> String {
    match outcome {
        Outcome::Solved(Value::Exact(value)) => unit.text(value),
        Outcome::Stopped { lower, upper, .. } if !(lower.is_integer() && upper.is_integer()) => {
            format!("{} ([{lower}, {upper}])", rounded(outcome, unit))
        }
        Outcome::Solved(Value::Float(_)) | Outcome::Stopped { .. } => rounded(outcome, unit),
    }
}

/// Numbers with blanks before them, so that their points stand below one another; bounds stay as they are.
pub(super) fn at_point(numbers: &[String]) -> Vec<String> {
    let whole = |number: &String| match number.starts_with('[') {
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

/// The value with its fraction, in columns: below other values of this subject, points and fractions stand below one another.
pub fn value_columns(outcome: &Outcome, subject: &Subject) -> String {
    let unit = subject.unit();
    let Outcome::Solved(Value::Exact(value)) = outcome else {
        return value_text(outcome, unit);
    };
    let largest = unit.rounded(&subject.largest().ceil());
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
            let exact = BigRational::from_float(*value).filter(|value| !value.is_negative());
            let text = exact.map_or_else(|| value.to_string(), |value| unit.rounded(&value));
            format!("{text} (floating point, not exact)")
        }
        Outcome::Stopped { lower, upper, .. } => {
            let [mut low, mut high] = [lower, upper].map(|bound| unit.rounded(bound));
            if low == high {
                [low, high] = [lower, upper].map(|bound| unit.precise(bound));
            }
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

/// The probabilities of the moves of both sides, in two lines.
pub fn mixture_lines(play: &MixedPlay) -> Vec<String> {
    let shares = |shares: &mut dyn Iterator<Item = (String, &BigRational)>| {
        let parts = shares.map(|(action, share)| format!("{action} {share}"));
        parts.collect::<Vec<_>>().join(", ")
    };
    let own = play.moves.iter().filter(|each| !each.share.is_zero());
    let own = shares(&mut own.map(|each| (each.action.to_string(), &each.share)));
    let mut lines = vec![format!("the role mixes: {own}")];
    if play.replies.iter().any(|(reply, _)| !reply.is_empty()) {
        let replies = play.replies.iter();
        let text = |reply: &[Term]| {
            reply
                .iter()
                .map(Term::to_string)
                .collect::<Vec<_>>()
                .join(" and ")
        };
        let others = shares(&mut replies.map(|(reply, share)| (text(reply), share)));
        lines.push(format!("against it: {others}"));
    }
    lines
}

/// The knowledge of roles that do not know all moves, as the end of a sentence. Members of a team share what they see.
pub fn who_knows(is_hidden: bool, is_team: bool) -> &'static str {
    match (is_hidden, is_team) {
        (false, _) => ", where nobody knows the others' moves of a step",
        (true, false) => ", where roles know only their own moves and what they see",
        (true, true) => {
            ", where roles know only their own moves and what they see, and the members of the team share all of it"
        }
    }
}

impl GameSubject {
    /// How the opponents play, and who knows what, as the end of a sentence.
    pub fn circumstances(&self) -> String {
        let mut text = self.opponents.to_string();
        if let Some(opponents) = self.mixed_against {
            text.push_str(who_knows(self.is_hidden, self.is_team));
            if opponents > 1 {
                text.push_str(" and its opponents choose at random together");
            }
        }
        text
    }
}

impl Answer {
    /// The answer for people, in a few lines.
    pub fn text(&self) -> String {
        let exactness = match &self.outcome {
            Outcome::Solved(Value::Exact(_)) => match self.exact_if {
                None => "exact".to_owned(),
                Some(condition) => format!("exact if {condition}"),
            },
            Outcome::Solved(Value::Float(_)) => "not exact: floating point".to_owned(),
            Outcome::Stopped { reason, .. } => {
                let condition = self.exact_if.map(|it| format!("; right if {it}"));
                format!("bounds: {reason}{}", condition.unwrap_or_default())
            }
        };
        let seconds = self.times.total().as_secs_f64();
        let (statement, prefix) = match &self.subject {
            Subject::Game(game) => {
                let bounded = matches!(self.outcome, Outcome::Stopped { .. });
                let mut statement = statement(&game.role, game.objective, game.depth, bounded);
                if game.depth_found {
                    statement.push_str(", after which every play is over");
                }
                if game.counts_all_steps {
                    statement.push_str(" without a step limit");
                }
                statement += &game.circumstances();
                (Some(statement), game.prefix.as_ref())
            }
            Subject::Program { prefix, .. } => (None, Some(prefix)),
            Subject::Formula { count, .. } => (count.as_ref().map(counted_statement), None),
        };
        let prefix = prefix.map_or(String::new(), |prefix| format!(", quant {prefix}"));
        let cut_off = if self.is_cut_off() {
            "; plays that are not over by then count as 0"
        } else {
            ""
        };
        let how = format!(
            "({exactness}{cut_off}; engine {}{prefix}, {seconds:.2} s)",
            self.engine
        );
        let second_line = match statement {
            Some(statement) => format!("{statement} {how}"),
            None => how,
        };
        let unit = self.subject.unit();
        let mut lines = vec![value_text(&self.outcome, unit), second_line];
        lines.extend(self.never_line());
        let is_mean = matches!(&self.subject, Subject::Game(game) if game.objective.is_mean());
        if let (true, Some(Outcome::Stopped { lower, upper, .. })) = (is_mean, self.whole_game()) {
            let [lower, upper] = [lower, upper].map(|bound| unit.text(&bound));
            lines.push(format!(
                "the whole game is worth between {lower} and {upper}"
            ));
        }
        if let Some(moves) = &self.moves {
            lines.extend(moves::move_lines(moves, unit));
            if moves.is_empty() {
                lines.push("there is no move to make".to_owned());
            }
            let stopped = moves::stopped(moves);
            if let (Outcome::Solved(_), Some(reason)) = (&self.outcome, stopped) {
                lines.push(format!("{reason} before every move had its value"));
            }
        }
        lines.extend(self.mixtures.iter().flat_map(mixture_lines));
        let sure = self.winning_move.as_ref();
        lines.extend(sure.map(|action| format!("first move that guarantees it: {action}")));
        lines.extend(self.strategy_line());
        lines.extend(self.best_play_lines());
        lines.extend(self.assumption().map(str::to_owned));
        lines.join("\n")
    }

    /// Assumptions about the game against its rules.
    fn assumption(&self) -> Option<&'static str> {
        match &self.subject {
            Subject::Game(game) => game
                .assumes_perfect_information
                .then_some(PERFECT_INFORMATION),
            Subject::Program { .. } | Subject::Formula { .. } => None,
        }
    }

    /// The lines of solver competitions (`s`, `c s`), as model counters print them, with remarks on the moves.
    pub fn competition_lines(&self) -> String {
        let mut lines = vec![format!(
            "c sqasp {} {}",
            env!("CARGO_PKG_VERSION"),
            self.heading()
        )];
        for (name, number) in &self.statistics {
            lines.push(format!("c o {name} {number}"));
        }
        let condition = self.exact_if;
        lines.extend(condition.map(|condition| format!("c o right if {condition}")));
        lines.extend(self.assumption().map(|text| format!("c o {text}")));
        let count = match &self.subject {
            Subject::Formula { count, .. } => count.as_ref(),
            Subject::Game(_) | Subject::Program { .. } => None,
        };
        lines.extend(outcome_lines(&self.outcome, count, condition.is_none()));
        lines.extend(self.never_line().map(|line| format!("c o {line}")));
        let moves = self
            .moves
            .iter()
            .flat_map(|moves| moves::move_lines(moves, self.subject.unit()));
        lines.extend(moves.map(|line| format!("c o move {line}")));
        let mixtures = self.mixtures.iter().flat_map(mixture_lines);
        lines.extend(mixtures.map(|line| format!("c o {line}")));
        let sure = self.winning_move.as_ref();
        lines.extend(sure.map(|action| format!("c o winning move {action}")));
        let notes = self
            .strategy_line()
            .into_iter()
            .chain(self.best_play_lines());
        lines.extend(notes.map(|line| format!("c o {line}")));
        lines.join("\n")
    }

    /// The subject of the answer, as `key=value`.
    fn heading(&self) -> String {
        let engine = self.engine;
        match &self.subject {
            Subject::Game(GameSubject {
                name, role, depth, ..
            }) => {
                let horizon = depth.map(|depth| format!(" horizon={depth}"));
                let horizon = horizon.unwrap_or_default();
                format!("game={name} player={role}{horizon} engine={engine}")
            }
            Subject::Program { name, .. } => format!("program={name} engine={engine}"),
            Subject::Formula { name, .. } => format!("formula={name} engine={engine}"),
        }
    }

    /// Why no play is worth anything, and the objective that may tell more.
    pub(super) fn never_line(&self) -> Option<String> {
        let never = self.never.as_ref()?;
        let tells_more = never.is_too_few_points && never.most > 0;
        let hint = if tells_more {
            "; the objective `points` tells what it can expect"
        } else {
            ""
        };
        Some(format!("{never}{hint}"))
    }

    /// How best play goes, if that was asked for.
    fn best_play_lines(&self) -> Vec<String> {
        match &self.best_play {
            None => Vec::new(),
            Some(Ok(play)) => play.lines(self.subject.unit()),
            Some(Err(reason)) => {
                vec![format!(
                    "best play is not known: {reason} before it was followed"
                )]
            }
        }
    }

    /// The fate of the strategy that was asked for.
    fn strategy_line(&self) -> Option<String> {
        let line = match self.strategy_sizes()? {
            Extracted::Complete(sizes) => {
                let (player, opponents) = *sizes;
                let word = if player == 1 { "position" } else { "positions" };
                let file = self.strategy_file.as_ref();
                let place = file.map_or(String::new(), |file| format!(" in {file}"));
                format!(
                    "strategy{place}: {player} {word} of the role, {opponents} of its opponents"
                )
            }
            Extracted::TooLarge { positions } => format!(
                "no strategy was written: it has more than {positions} positions; allow more"
            ),
            Extracted::Stopped(reason) => {
                format!("no strategy was written: {reason} before it was complete")
            }
        };
        Some(line)
    }
}

/// The meaning of a value of a game, or of bounds of it, as a sentence.
pub fn statement(
    role: &dyn Display,
    objective: Objective,
    depth: Option<u32>,
    bounded: bool,
) -> String {
    let (what, how) = match (objective, bounded) {
        (Objective::Score, false) => ("can guarantee this part of 100 points on average", ""),
        (Objective::Score, true) => (
            "can guarantee a part of 100 points between these bounds on average",
            "",
        ),
        (Objective::Points, false) => ("can guarantee these expected points", ""),
        (Objective::Points, true) => ("can guarantee expected points between these bounds", ""),
        (_, false) => ("can guarantee", " with this probability"),
        (_, true) => ("can guarantee", " with a probability between these bounds"),
    };
    let goal = match objective {
        Objective::Win => " winning".to_owned(),
        Objective::GoalAtLeast(points) => format!(" at least {points} points"),
        Objective::Score | Objective::Points => String::new(),
    };
    let within = match depth {
        None => String::new(),
        Some(steps) => format!(" within {}", counted(steps as usize, "step")),
    };
    format!("{role} {what}{goal}{how}{within}")
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

/// The lines about a value or a count, or bounds of it; `is_exact` says that an exact value needs no condition.
fn outcome_lines(outcome: &Outcome, count: Option<&Count>, is_exact: bool) -> Vec<String> {
    let kind = format!("c s type {}", count.map_or("maxprob", Count::name));
    let mut lines = Vec::new();
    match outcome {
        Outcome::Solved(Value::Exact(value)) => {
            lines.push(satisfiable(!value.is_zero()));
            lines.push(kind);
            if !value.is_zero() {
                lines.push(format!("c s log10-estimate {:.7e}", log10(value)));
            }
            let word = if is_exact { "exact" } else { "approx" };
            lines.push(match count {
                Some(count) if !count.is_weighted => format!("c s {word} arb int {value}"),
                _ => format!("c s {word} arb frac {}", fraction(value)),
            });
        }
        Outcome::Solved(Value::Float(value)) => {
            lines.push(satisfiable(*value > 0.0));
            lines.push(kind);
            lines.push(format!("c s approx float {value}"));
        }
        Outcome::Stopped {
            reason,
            lower,
            upper,
            ..
        } => {
            lines.push("s UNKNOWN".to_owned());
            lines.push(kind);
            lines.push(format!("c o stopped: {reason}"));
            lines.push(format!(
                "c s bounds arb frac {} {}",
                fraction(lower),
                fraction(upper)
            ));
        }
    }
    lines
}

fn satisfiable(positive: bool) -> String {
    format!(
        "s {}",
        if positive {
            "SATISFIABLE"
        } else {
            "UNSATISFIABLE"
        }
    )
}

/// `numerator/denominator`, whole numbers too.
fn fraction(value: &BigRational) -> String {
    format!("{}/{}", value.numer(), value.denom())
}

/// The 10-based logarithm, also of fractions far too small for a floating point number.
fn log10(value: &BigRational) -> f64 {
    let of = |number: &BigInt| {
        let digits = number.to_string();
        let (head, rest) = digits.split_at(digits.len().min(17));
        head.parse::<f64>().expect("digits are a number").log10() + rest.len() as f64
    };
    of(value.numer()) - of(value.denom())
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::One;

    fn ratio(numerator: i64, denominator: i64) -> BigRational {
        BigRational::new(numerator.into(), denominator.into())
    }

    #[test]
    fn bounds_are_told_apart() {
        let between = |lower, upper| Outcome::between(lower, upper, limits::StopReason::Time);
        for (outcome, text) in [
            (between(ratio(0, 1), ratio(1, 1)), "[0 %, 100 %]"),
            (
                between(ratio(1, 3), ratio(1, 2)),
                "[33.3333 %, 50 %] ([1/3, 1/2])",
            ),
            (
                between(ratio(1, 3), ratio(333_333_334, 1_000_000_000)),
                "[33.33333333333333 %, 33.3333334 %] ([1/3, 166666667/500000000])",
            ),
            (
                Outcome::Solved(Value::Float(0.3)),
                "30.0 % (floating point, not exact)",
            ),
        ] {
            assert_eq!(value_text(&outcome, Unit::Percent), text);
        }
    }

    #[test]
    fn long_numbers_are_shortened_in_the_middle() {
        let long = "1234567890".repeat(4);
        for (text, short) in [
            (
                format!("50 % (1/{long})"),
                "50 % (1/123456789012...901234567890)",
            ),
            (
                format!("{long}/7 {}/7", &long[8..]),
                "123456789012...901234567890/7 90123456789012345678901234567890/7",
            ),
            (
                format!("no é fraction {long}"),
                "no é fraction 1234567890123456789012345678901234567890",
            ),
        ] {
            assert_eq!(shortened(&text), short);
        }
    }

    #[test]
    fn logarithms_of_tiny_values_are_finite() {
        let tiny = BigRational::new(BigInt::one(), num_traits::pow(BigInt::from(10), 5000));
        assert!((log10(&tiny) + 5000.0).abs() < 1e-6);
        assert!((log10(&ratio(1, 4)) + 0.602_059_991).abs() < 1e-6);
    }
}
