//! Values as text: fractions, decimals, competition lines.

use formula::{Answer, BigRational, Outcome, Value, decimal_text};
use limits::StopReason;
use num_bigint::BigInt;
use num_traits::Zero;

/// `fraction = decimal`, or for bounds `[fraction, fraction] = [decimal, decimal]`, with an estimate if there is one.
pub(super) fn value_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Solved(Value::Exact(value)) => format!("{value} = {}", decimal_text(value)),
        Outcome::Solved(Value::Float(value)) => format!("{value} (floating point, not exact)"),
        Outcome::Stopped { lower, upper, .. } => {
            let decimals = [lower, upper].map(decimal_text).join(", ");
            let estimate = outcome.estimate();
            let estimate = estimate.map(|about| format!("; estimate {about:.3}, not proved"));
            let estimate = estimate.unwrap_or_default();
            format!("[{lower}, {upper}] = [{decimals}]{estimate}")
        }
    }
}

/// Why a run stopped, for people.
pub(super) fn reason_text(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Time => "the time limit was reached",
        StopReason::Memory => "the memory limit was reached",
        StopReason::Interrupted => "interrupted",
    }
}

/// The lines of solver competitions (`s`, `c s`), as model counters print them; `exact_if` is a condition
/// under which the answer is exact.
pub(super) fn competition_lines(
    heading: &str,
    answer: &Answer,
    exact_if: Option<&'static str>,
) -> String {
    let mut lines = vec![format!("c sqasp {} {heading}", env!("CARGO_PKG_VERSION"))];
    for (name, number) in &answer.statistics {
        lines.push(format!("c o {name} {number}"));
    }
    lines.extend(exact_if.map(|condition| format!("c o right if {condition}")));
    match &answer.outcome {
        Outcome::Solved(Value::Exact(value)) => {
            lines.push(satisfiable(!value.is_zero()));
            lines.push("c s type maxprob".to_owned());
            if !value.is_zero() {
                lines.push(format!("c s log10-estimate {:.7e}", log10(value)));
            }
            let word = if exact_if.is_none() {
                "exact"
            } else {
                "approx"
            };
            lines.push(format!("c s {word} arb frac {}", fraction(value)));
        }
        Outcome::Solved(Value::Float(value)) => {
            lines.push(satisfiable(*value > 0.0));
            lines.push("c s type maxprob".to_owned());
            lines.push(format!("c s approx float {value}"));
        }
        Outcome::Stopped {
            reason,
            lower,
            upper,
            ..
        } => {
            lines.push("s UNKNOWN".to_owned());
            lines.push("c s type maxprob".to_owned());
            lines.push(format!("c o stopped: {}", reason_text(*reason)));
            lines.push(format!(
                "c s bounds arb frac {} {}",
                fraction(lower),
                fraction(upper)
            ));
        }
    }
    lines.join("\n")
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

/// A number of things in words: `1 step`, `2 steps`.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::One;

    fn ratio(numerator: i64, denominator: i64) -> BigRational {
        BigRational::new(numerator.into(), denominator.into())
    }

    #[test]
    fn logarithms_of_tiny_values_are_finite() {
        let tiny = BigRational::new(BigInt::one(), num_traits::pow(BigInt::from(10), 5000));
        assert!((log10(&tiny) + 5000.0).abs() < 1e-6);
        assert!((log10(&ratio(1, 4)) + 0.602_059_991).abs() < 1e-6);
    }
}
