//! Games that are given as graphs or as files: not by rules.

use crate::numbers::{Bytes, Count, Seconds};
use crate::{asked, failed, interruptible, limits, raised};
use endless::{Builder, GameGraph, Options, Target, solve};
use pyo3::prelude::*;
use sqasp::Report as _;
use umb::Reach;

/// By choice of a state its outcomes, each with a weight.
type Choices = Vec<Vec<(u32, u64)>>;

/// By state: bounds of the value as fractions in text, and the index of a best choice.
type Values = Vec<(String, String, usize)>;

/// Solves a graph: for each state whether the maximizer chooses, its choices, and what it is worth if play is over there.
#[pyfunction]
#[pyo3(signature = (is_maximizing, choices, payoffs, *, time, memory))]
pub(crate) fn solve_graph(
    py: Python<'_>,
    is_maximizing: Vec<bool>,
    choices: Vec<Choices>,
    payoffs: Vec<Option<String>>,
    time: Option<Seconds>,
    memory: Option<Bytes>,
) -> PyResult<Values> {
    let limits = limits(time, memory);
    let interrupt = limits.interrupt.clone();
    interruptible(py, &interrupt, move || {
        let mut builder = Builder::default();
        let mut ends = Vec::new();
        for ((is_maximizing, choices), payoff) in is_maximizing.iter().zip(&choices).zip(&payoffs) {
            builder.state();
            if let Some(payoff) = payoff {
                builder.alternative();
                builder.reply();
                builder.outcome(Target::End(ends.len() as u32), 1);
                ends.push(payoff.parse().map_err(asked)?);
                continue;
            }
            for (index, outcomes) in choices.iter().enumerate() {
                if *is_maximizing || index == 0 {
                    builder.alternative();
                }
                builder.reply();
                for &(target, weight) in outcomes {
                    builder.outcome(Target::State(target), weight);
                }
            }
        }
        let arena = builder.finish(ends.len()).map_err(failed)?;
        let game = GameGraph::new(arena, ends).map_err(failed)?;
        let solution = solve(&game, &Options::default(), &limits.for_engine());
        let value = |(state, is_maximizing): (usize, &bool)| {
            let (lower, upper) = solution.bounds(state);
            let alternative = solution.alternatives.get(state).copied().unwrap_or(0) as usize;
            let choice = match (is_maximizing, solution.alternatives.is_empty()) {
                (_, true) => 0,
                (true, _) => alternative - game.arena().alternatives(state).start,
                (false, _) => {
                    let first = game.arena().replies(alternative).start;
                    solution.replies[alternative] as usize - first
                }
            };
            (lower.to_string(), upper.to_string(), choice)
        };
        Ok(is_maximizing.iter().enumerate().map(value).collect())
    })
}

/// The probability of reaching a label in a UMB file, as JSON.
#[pyfunction]
#[pyo3(signature = (file, *, objective, players, depth, time, memory))]
pub(crate) fn solve_model(
    py: Python<'_>,
    file: Vec<u8>,
    objective: &str,
    players: Option<Vec<String>>,
    depth: Option<Count>,
    time: Option<Seconds>,
    memory: Option<Bytes>,
) -> PyResult<String> {
    let limits = limits(time, memory);
    let reach = Reach {
        players,
        steps: depth.map(|depth| depth.0),
        ..Reach::label(objective)
    };
    let interrupt = limits.interrupt.clone();
    interruptible(py, &interrupt, move || {
        let report = sqasp::solve_model(&file[..], &reach, &limits).map_err(raised)?;
        Ok(report.json())
    })
}
