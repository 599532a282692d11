//! The report of the value of a UMB model, as text and as JSON.

use super::{Report, ReportEnd};
use engines::answer::json::{JsonOutcome, stopped_by};
use engines::answer::value_text;
use formula::{Outcome, Value};
use gdl::game::Unit;
use gdl::visible;
use serde::Serialize;
use umb::{Decimals, Model, ModelValue, Reach};

/// The probability of reaching a label in a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ModelReport {
    /// The name of the model, if it has one.
    pub name: Option<String>,
    /// The objective that was asked about.
    pub objective: Reach,
    /// How many states, choices and branches the model has, if that much of it was read.
    pub sizes: Option<[usize; 3]>,
    /// The probabilities that were decimal numbers, taken for the simplest fractions next to them.
    pub decimals: Option<Decimals>,
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
    states: Option<usize>,
    choices: Option<usize>,
    branches: Option<usize>,
}

impl ModelReport {
    /// The bounds of a model, as far as it was read.
    pub(crate) fn new(model: Option<&Model>, objective: &Reach, found: ModelValue) -> Self {
        ModelReport {
            name: model.and_then(|model| model.name.clone()),
            objective: objective.clone(),
            sizes: model.map(|model| [model.states(), model.choices(), model.branches()]),
            decimals: model.and_then(|model| model.decimals.clone()),
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
}

impl Report for ModelReport {
    fn text(&self) -> String {
        let within = match self.objective.steps {
            None => "without a step limit".to_owned(),
            Some(1) => "within 1 step".to_owned(),
            Some(steps) => format!("within {steps} steps"),
        };
        let exactness = match self.outcome.stopped_by() {
            None => "exact".to_owned(),
            Some(reason) => format!("bounds: {reason}"),
        };
        let states = match self.sizes {
            Some([states, ..]) => format!("; {states} states"),
            None => String::new(),
        };
        let text = format!(
            "{}\n`{}` can be reached with this probability {within} ({exactness}{states})",
            value_text(&self.outcome, Unit::Percent),
            self.objective.label,
        );
        visible(&text).into_owned()
    }

    fn json(&self) -> String {
        let stopped = self.outcome.stopped_by().map(stopped_by);
        let [states, choices, branches] = self.sizes.map_or([None; 3], |sizes| sizes.map(Some));
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
            decimals: self.decimals.is_some(),
            states,
            choices,
            branches,
        };
        serde_json::to_string(&json).expect("plain data")
    }

    fn ending(&self) -> ReportEnd {
        ReportEnd::of(self.outcome.stopped_by())
    }
}
