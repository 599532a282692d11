//! Numbers of steps as an argument: `9`, or `1..9` for every number from 1 to 9.

use engines::MAX_STEPS;
use std::str::FromStr;

/// One number of steps, or a range of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Depths {
    /// One.
    Single(u32),
    /// All from the first to the second, both included.
    Range(u32, u32),
}

impl FromStr for Depths {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let steps = |text: &str| match text.trim().parse::<u32>() {
            Ok(steps) if steps <= MAX_STEPS => Ok(steps),
            _ => Err(format!(
                "`{text}` is no number of steps; use 0 to {MAX_STEPS}, a range such as 1..9, or no `--depth` for no step limit"
            )),
        };
        match text.split_once("..") {
            None => Ok(Depths::Single(steps(text)?)),
            Some((first, last)) => {
                let (first, last) = (steps(first)?, steps(last)?);
                if first > last {
                    return Err(format!("the range {first}..{last} is empty"));
                }
                Ok(Depths::Range(first, last))
            }
        }
    }
}
