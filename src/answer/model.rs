//! What a model in a UMB file is worth, as text and as JSON.

use super::json::{JsonOutcome, stopped_by};
use super::value_text;
use formula::{Outcome, Value};
use gdl::visible;
use serde::Serialize;
use umb::{Model, ModelValue, Reach};

/// The probability of reaching a label in a model.
#[derive(Clone, Debug)]
pub struct ModelReport {
    /// The name of the model, if it has one.
    pub name: Option<String>,
    /// What was asked.
    pub objective: Reach,
    /// How many states, choices and branches the model has.
    pub sizes: [usize; 3],
    /// Whether its probabilities are decimal numbers, which were taken for the simplest fractions next to them.
    pub has_decimals: bool,
    /// The value, or bounds of it.
    pub outcome: Outcome,
}

#[derive(Serialize)]
struct JsonModel<'a> {
    model: Option<&'a str>,
    objective: &'a str,
    depth: Option<u64>,
    status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_by: Option<&'a str>,
    #[serde(flatten)]
    outcome: JsonOutcome,
    decimals: bool,
    states: usize,
    choices: usize,
    branches: usize,
}

impl ModelReport {
    /// What was found about a model.
    pub fn new(model: &Model, objective: &Reach, found: ModelValue) -> Self {
        ModelReport {
            name: model.name.clone(),
            objective: objective.clone(),
            sizes: [model.states(), model.choices(), model.branches()],
            has_decimals: model.has_decimals,
            outcome: match found.stopped {
                None => Outcome::Solved(Value::Exact(found.lower)),
                Some(reason) => Outcome::Stopped {
                    lower: found.lower,
                    upper: found.upper,
                    reason,
                    estimate: None,
                },
            },
        }
    }

    /// The report for people. A model may come from anywhere, so nothing in it commands a terminal.
    pub fn text(&self) -> String {
        let within = match self.objective.steps {
            None => "without a step limit".to_owned(),
            Some(1) => "within 1 step".to_owned(),
            Some(steps) => format!("within {steps} steps"),
        };
        let exactness = match self.outcome.stopped_by() {
            None => "exact".to_owned(),
            Some(reason) => format!("bounds: {reason}"),
        };
        let text = format!(
            "{}\n`{}` can be reached with this probability {within} ({exactness}; {} states)",
            value_text(&self.outcome),
            self.objective.label,
            self.sizes[0]
        );
        visible(&text).into_owned()
    }

    /// The report as one JSON object.
    pub fn json(&self) -> String {
        let stopped = self.outcome.stopped_by().map(stopped_by);
        let [states, choices, branches] = self.sizes;
        let json = JsonModel {
            model: self.name.as_deref(),
            objective: &self.objective.label,
            depth: self.objective.steps,
            status: if stopped.is_none() {
                "solved"
            } else {
                "bounds"
            },
            stopped_by: stopped,
            outcome: JsonOutcome::new(&self.outcome),
            decimals: self.has_decimals,
            states,
            choices,
            branches,
        };
        serde_json::to_string(&json).expect("plain data")
    }
}
