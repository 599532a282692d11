//! The report of the value of a UMB model.

use super::{Report, ReportEnd};
use engines::answer::{Depth, counted, ended, exactness, value_text};
use formula::{Outcome, Value};
use gdl::game::Unit;
use gdl::visible;
use serde::{Serialize, Serializer};
use umb::{Decimals, Model, ModelValue, Reach};

/// The probability of reaching a label in a model.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ModelReport {
    /// The name of the model, if it has one.
    pub model: Option<String>,
    /// The label that is to be reached.
    pub objective: String,
    /// The number of steps that count; all without a number.
    pub depth: Option<u64>,
    /// The value, or bounds of it.
    #[serde(flatten, serialize_with = "ended")]
    pub outcome: Outcome,
    /// The probabilities that were decimal numbers, taken for the simplest fractions next to them.
    #[serde(serialize_with = "are_there")]
    pub(crate) decimals: Option<Decimals>,
    /// How many states the model has, if that much of it was read.
    pub states: Option<usize>,
    /// How many choices.
    pub choices: Option<usize>,
    /// How many branches.
    pub branches: Option<usize>,
}

fn are_there<S: Serializer>(decimals: &Option<Decimals>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bool(decimals.is_some())
}

impl ModelReport {
    /// The bounds of a model, as far as it was read.
    pub(crate) fn new(model: Option<&Model>, objective: &Reach, found: ModelValue) -> Self {
        ModelReport {
            model: model.and_then(|model| model.name.clone()),
            objective: objective.label.clone(),
            depth: objective.steps,
            outcome: match found.stopped {
                None => Outcome::Solved(Value::Exact(found.lower)),
                Some(reason) => Outcome::Stopped {
                    lower: found.lower,
                    upper: found.upper,
                    reason,
                    estimate: None,
                },
            },
            decimals: model.and_then(|model| model.decimals.clone()),
            states: model.map(Model::states),
            choices: model.map(Model::choices),
            branches: model.map(Model::branches),
        }
    }
}

impl Report for ModelReport {
    fn text(&self) -> String {
        let within = match self.depth {
            None => Depth::All.to_string(),
            Some(steps) => format!(" within {}", counted(steps as usize, "step")),
        };
        let exactness = exactness([&self.outcome].into_iter(), None);
        let states = self.states;
        let states = states.map_or(String::new(), |states| format!("; {states} states"));
        let text = format!(
            "{}\n`{}` can be reached with this probability{within} ({exactness}{states})",
            value_text(&self.outcome, Unit::Percent),
            self.objective,
        );
        visible(&text).into_owned()
    }

    fn ending(&self) -> ReportEnd {
        ReportEnd::of(self.outcome.stopped_by())
    }
}
