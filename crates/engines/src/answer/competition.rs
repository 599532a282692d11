//! An answer as the lines of solver competitions (`s`, `c s`), as model counters print them.

use super::{Answer, Subject};
use formula::{BigRational, Bound, Count, Outcome, Value};
use num_bigint::BigInt;
use num_traits::Zero;

impl Answer {
    /// The lines of solver competitions, with all that the text says below the value as remarks.
    pub fn competition_lines(&self) -> String {
        let heading = format!(
            "c sqasp {} {}",
            env!("CARGO_PKG_VERSION"),
            self.subject_and_engine()
        );
        let numbers = self.statistics.iter();
        let numbers = numbers.map(|(name, number)| format!("{name} {number}"));
        let condition = self.exact_if.map(|it| format!("right if {it}"));
        let remark = |line: String| format!("c o {line}");
        let mut lines = vec![heading];
        lines.extend(numbers.chain(condition).map(remark));
        lines.extend(outcome_lines(
            &self.outcome,
            self.subject.count(),
            self.exact_if.is_none(),
        ));
        lines.extend(self.more_lines().into_iter().map(remark));
        lines.join("\n")
    }

    /// As `key=value`.
    fn subject_and_engine(&self) -> String {
        let engine = self.engine;
        match &self.subject {
            Subject::Game(game) => {
                let horizon = game.depth.steps();
                let horizon = horizon.map_or(String::new(), |steps| format!(" horizon={steps}"));
                let (name, role) = (&game.name, &game.role);
                format!("game={name} player={role}{horizon} engine={engine}")
            }
            Subject::Program { name, .. } => format!("program={name} engine={engine}"),
            Subject::Formula { name, .. } => format!("formula={name} engine={engine}"),
        }
    }
}

/// The lines about a value or a count, or bounds of it; `is_exact` says that an exact value needs no condition.
fn outcome_lines(outcome: &Outcome, count: Option<&Count>, is_exact: bool) -> Vec<String> {
    let kind = format!("c s type {}", count.map_or("maxprob", Count::name));
    let verdict = |is_zero: bool| match is_zero {
        true => "s UNSATISFIABLE".to_owned(),
        false => "s SATISFIABLE".to_owned(),
    };
    match outcome {
        Outcome::Solved(Value::Exact(value)) => {
            let mut lines = vec![verdict(value.is_zero()), kind];
            if !value.is_zero() {
                lines.push(format!("c s log10-estimate {:.7e}", log10(value)));
            }
            let word = if is_exact { "exact" } else { "approx" };
            lines.push(match count {
                Some(count) if !count.is_weighted => format!("c s {word} arb int {value}"),
                _ => format!("c s {word} arb frac {}", fraction(value)),
            });
            lines
        }
        Outcome::Solved(Value::Float(value)) => vec![
            verdict(*value <= 0.0),
            kind,
            format!("c s approx float {value}"),
        ],
        Outcome::Infinite => vec![
            verdict(false),
            kind,
            "c s exact arb frac infinite".to_owned(),
        ],
        Outcome::AtLeast { reason, .. } | Outcome::Stopped { reason, .. } => {
            let (lower, upper) = outcome.extent();
            let bound = |bound: &Bound| match bound {
                Bound::Finite(number) => fraction(number),
                Bound::Infinite => bound.to_string(),
            };
            vec![
                "s UNKNOWN".to_owned(),
                kind,
                format!("c o stopped: {reason}"),
                format!("c s bounds arb frac {} {}", bound(&lower), bound(&upper)),
            ]
        }
    }
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
