//! [`Model::solve`]: the probability of reaching a label, exactly.

use crate::model::{Model, ModelError};
use endless::{Builder, GameGraph, Options, Target, solve};
use limits::{Limits, StopReason, Watch};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// Bytes of memory for a branch, a choice and a state of the game that is solved; lists grow by doubling.
const BRANCH_BYTES: u64 = 24;
const CHOICE_BYTES: u64 = 16;
const STATE_BYTES: u64 = 16;

/// States that get a value between two checks of the limits.
const STATES_PER_CHECK: usize = 1 << 10;

/// Roughly the bytes of a fraction: its words, and two blocks of memory with what the allocator adds.
fn bytes_of(value: &BigRational) -> u64 {
    size_of::<BigRational>() as u64 + 64 + (value.numer().bits() + value.denom().bits()) / 8
}

/// The question about a model: the probability with which a set of states can be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reach {
    /// The label of the states.
    pub label: String,
    /// The players that maximize the probability of reaching it; all others minimize it. None for the first player.
    pub players: Option<Vec<String>>,
    /// Within how many steps; all count without a number.
    pub steps: Option<u64>,
}

impl Reach {
    /// The first player wants to reach these states.
    pub fn label(label: &str) -> Self {
        Reach {
            label: label.to_owned(),
            players: None,
            steps: None,
        }
    }

    /// The same, within this many steps.
    #[must_use]
    pub fn within(self, steps: u64) -> Self {
        Reach {
            steps: Some(steps),
            ..self
        }
    }
}

/// Proved bounds of a probability, equal if it is known exactly.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelValue {
    pub lower: BigRational,
    pub upper: BigRational,
    /// The limit that came first, if one did.
    pub stopped: Option<StopReason>,
}

impl ModelValue {
    /// Nothing is known, for a reason.
    pub fn unknown(reason: StopReason) -> Self {
        ModelValue {
            lower: BigRational::zero(),
            upper: BigRational::one(),
            stopped: Some(reason),
        }
    }

    /// The exact probability, if it is known.
    pub fn value(&self) -> Option<&BigRational> {
        (self.lower == self.upper).then_some(&self.lower)
    }
}

impl Model {
    /// The probability with which some players can guarantee to reach states with a label.
    pub fn solve(&self, objective: &Reach, limits: &Limits) -> Result<ModelValue, ModelError> {
        let label = &objective.label;
        let goal = self.labels.get(label).ok_or_else(|| {
            let known: Vec<&str> = self.labels.keys().map(String::as_str).collect();
            let known = known.join(", ");
            ModelError::Question(format!(
                "the model has no label `{label}`; its labels: {known}"
            ))
        })?;
        let seeks = self.who_seeks(objective.players.as_deref())?;
        Ok(match objective.steps {
            Some(steps) => self.within(goal, &seeks, steps, limits),
            None => self.some_day(goal, &seeks, limits)?,
        })
    }

    /// By player: whether the label is to be reached.
    fn who_seeks(&self, wanted: Option<&[String]>) -> Result<Vec<bool>, ModelError> {
        let Some(wanted) = wanted else {
            return Ok((0..self.players.len()).map(|index| index == 0).collect());
        };
        if let Some(name) = wanted.iter().find(|name| !self.players.contains(name)) {
            let known = self.players.join(", ");
            return Err(ModelError::Question(format!(
                "the model has no player `{name}`; its players: {known}"
            )));
        }
        Ok(self
            .players
            .iter()
            .map(|name| wanted.contains(name))
            .collect())
    }

    fn seeks(&self, state: usize, seeks: &[bool]) -> bool {
        seeks
            .get(self.owners[state] as usize)
            .copied()
            .unwrap_or(true)
    }

    fn choices_of(&self, state: usize) -> std::ops::Range<usize> {
        self.first_choice[state]..self.first_choice[state + 1]
    }

    fn branches_of(&self, choice: usize) -> impl Iterator<Item = (usize, u64)> {
        let range = self.first_branch[choice]..self.first_branch[choice + 1];
        let targets = self.targets[range.clone()].iter();
        let targets = targets.map(|&target| target as usize);
        targets.zip(self.weights[range].iter().copied())
    }

    /// Without a limit of steps.
    fn some_day(
        &self,
        goal: &[bool],
        seeks: &[bool],
        limits: &Limits,
    ) -> Result<ModelValue, ModelError> {
        let arena = [
            (self.branches(), BRANCH_BYTES),
            (self.choices(), CHOICE_BYTES),
            (self.states(), STATE_BYTES),
        ];
        let arena: u64 = arena
            .map(|(count, bytes)| count as u64 * bytes)
            .iter()
            .sum();
        let mut limits = limits.clone();
        if let Some(memory) = &mut limits.memory {
            let Some(left) = memory.checked_sub(arena) else {
                return Ok(ModelValue::unknown(StopReason::Memory));
            };
            *memory = left;
        }
        // States have their own numbers; in the goal play is over with payoff 1, without a choice with payoff 0.
        let mut builder = Builder::default();
        for (state, &is_goal) in goal.iter().enumerate() {
            builder.state();
            let choices = self.choices_of(state);
            if is_goal || choices.is_empty() {
                builder.alternative();
                builder.reply();
                builder.outcome(Target::End(u32::from(!is_goal)), 1);
                continue;
            }
            let is_seeking = self.seeks(state, seeks);
            for (index, choice) in choices.enumerate() {
                if is_seeking || index == 0 {
                    builder.alternative();
                }
                builder.reply();
                for (target, weight) in self.branches_of(choice) {
                    builder.outcome(Target::State(target as u32), weight);
                }
            }
        }
        let failed = |error: &dyn std::fmt::Display| ModelError::Format(error.to_string());
        let arena = builder.finish(2).map_err(|error| failed(&error))?;
        let payoffs = vec![BigRational::one(), BigRational::zero()];
        let game = GameGraph::new(arena, payoffs).map_err(|error| failed(&error))?;
        let solution = solve(&game, &Options::default(), &limits);
        let (lower, upper) = solution.bounds(self.initial);
        let stopped = (lower != upper).then_some(solution.stopped.unwrap_or(StopReason::Precision));
        Ok(ModelValue {
            lower,
            upper,
            stopped,
        })
    }

    /// Within a number of steps: step by step, from none on. The probability at a limit is a lower bound.
    fn within(&self, goal: &[bool], seeks: &[bool], steps: u64, limits: &Limits) -> ModelValue {
        let mut watch = Watch::new(limits);
        let one = BigRational::one();
        let value = |&is_goal: &bool| {
            if is_goal {
                one.clone()
            } else {
                BigRational::zero()
            }
        };
        let mut values: Vec<BigRational> = goal.iter().map(value).collect();
        let mut bytes: u64 = values.iter().map(bytes_of).sum();
        for step in 0..steps {
            let stopped = |reason| ModelValue {
                lower: values[self.initial].clone(),
                upper: one.clone(),
                stopped: Some(reason),
            };
            if let Err(reason) = watch.check("stepping", step) {
                return stopped(reason);
            }
            let (mut next, mut next_bytes) = (Vec::with_capacity(values.len()), 0);
            for (state, &is_goal) in goal.iter().enumerate() {
                if state % STATES_PER_CHECK == 0
                    && let Err(reason) = limits.check_memory(bytes + next_bytes)
                {
                    return stopped(reason);
                }
                let value = if is_goal {
                    one.clone()
                } else {
                    self.best(state, self.seeks(state, seeks), &values)
                };
                next_bytes += bytes_of(&value);
                next.push(value);
            }
            // Nothing changes any more.
            if next == values {
                break;
            }
            (values, bytes) = (next, next_bytes);
        }
        ModelValue {
            lower: values[self.initial].clone(),
            upper: values[self.initial].clone(),
            stopped: None,
        }
    }

    /// The best mean of a state's choices; 0 without a choice.
    fn best(&self, state: usize, is_seeking: bool, values: &[BigRational]) -> BigRational {
        let means = self.choices_of(state).map(|choice| {
            let weighted = self
                .branches_of(choice)
                .filter(|(target, _)| !values[*target].is_zero());
            let sum: BigRational = weighted
                .map(|(target, weight)| &values[target] * BigInt::from(weight))
                .sum();
            sum / BigInt::from(self.totals[choice])
        });
        let best = match is_seeking {
            true => means.max(),
            false => means.min(),
        };
        best.unwrap_or_else(BigRational::zero)
    }
}
