//! A lower bound by a controller: for each expanded belief an action, and for each belief after it the expanded belief whose plan goes on
//! there. It is improved in floating point, as in point-based policy iteration (Ji, Parr, Li, Liao, Carin 2007), and proved as a Markov chain on pairs of a
//! belief and a state.
//!
//! A plan goes on only where the same states are possible, so all that it observes it knows.

use crate::policy::{IMPROVEMENTS, STEPS};
use crate::pomdp::graph::BeliefGraph;
use crate::pomdp::model::{Pomdp, PomdpOutcome, PomdpState};
use crate::pomdp::process::Ends;
use crate::pomdp::solution::NONE;
use endless::{Builder, Target, solve};
use limits::StopReason;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

/// Plans change for a gain above this, which rounding does not reach.
const GAIN: f64 = 1e-14;

/// The outcomes of an action in a state, equal ones together.
pub(crate) struct Transition {
    /// The payoffs of plays that are over, times their probabilities.
    payoff: f64,
    /// Observation, next state, and how many of all outcomes.
    rest: Vec<(u32, u32, u64)>,
    all: u64,
}

/// By state, then by action.
pub(crate) fn transitions(model: &Pomdp) -> Vec<Vec<Transition>> {
    let of_state = |state: &PomdpState| match state {
        PomdpState::End(_) => Vec::new(),
        PomdpState::Inner { actions, .. } => {
            let of_action = |outcomes: &Vec<PomdpOutcome>| {
                let mut payoff = 0.0;
                let mut rest: Vec<(u32, u32, u64)> = Vec::new();
                for outcome in outcomes {
                    match &model.states[outcome.next as usize] {
                        PomdpState::End(worth) => payoff += worth.to_f64().unwrap_or(0.0),
                        PomdpState::Inner { .. } => {
                            rest.push((outcome.observation, outcome.next, 1));
                        }
                    }
                }
                rest.sort_unstable();
                rest.dedup_by(|next, kept| {
                    let is_same = (next.0, next.1) == (kept.0, kept.1);
                    kept.2 += u64::from(is_same);
                    is_same
                });
                Transition {
                    payoff: payoff / outcomes.len() as f64,
                    rest,
                    all: outcomes.len() as u64,
                }
            };
            actions.iter().map(of_action).collect()
        }
    };
    model.states.iter().map(of_state).collect()
}

/// A belief and a state, the payoff there, and the pairs that follow, each as plan, place and probability.
struct Row {
    node: usize,
    place: usize,
    payoff: f64,
    rest: Vec<(usize, usize, f64)>,
}

/// The plans. All lists are by belief.
#[derive(Default)]
pub(crate) struct Controller {
    /// The action; [`NONE`] where the belief was not expanded.
    pub(crate) action: Vec<u32>,
    /// The belief whose plan goes on here; [`NONE`] if there is none.
    pub(crate) plan: Vec<u32>,
    /// A lower bound, in floating point, of the value of the own plan in each possible state.
    vectors: Vec<Vec<f64>>,
    /// The value of the plan that goes on.
    worth: Vec<f64>,
}

impl Controller {
    /// Improves the plans for the beliefs as they are now.
    pub(crate) fn improve(&mut self, graph: &BeliefGraph<'_>) -> Result<(), StopReason> {
        let count = graph.beliefs.len();
        self.action.resize(count, NONE);
        self.plan.resize(count, NONE);
        self.worth.resize(count, 0.0);
        for node in self.vectors.len()..count {
            self.vectors.push(vec![0.0; graph.shares[node].len()]);
        }
        let expanded: Vec<usize> = (0..count).filter(|&node| graph.is_expanded(node)).collect();
        for _ in 0..IMPROVEMENTS {
            let before = self.worth[0];
            let mut is_changed = false;
            for node in 0..count {
                graph.watch.limits().check()?;
                is_changed |= self.choose_plan(graph, node);
            }
            for &node in &expanded {
                is_changed |= self.choose_action(graph, node);
            }
            self.step(graph, &expanded);
            self.worth[0] = self.worth_by(graph, self.plan[0], 0);
            if !is_changed && self.worth[0] - before < GAIN {
                break;
            }
        }
        Ok(())
    }

    /// The value of the plan of one belief in another.
    fn worth_by(&self, graph: &BeliefGraph<'_>, plan: u32, node: usize) -> f64 {
        match self.vectors.get(plan as usize) {
            Some(vector) => vector
                .iter()
                .zip(&graph.shares[node])
                .map(|(a, b)| a * b)
                .sum(),
            None => 0.0,
        }
    }

    /// Chooses the plan that goes on in a belief: its own, or where it has none the best one of beliefs like it. Gives whether that is another
    /// one.
    fn choose_plan(&mut self, graph: &BeliefGraph<'_>, node: usize) -> bool {
        if graph.is_expanded(node) {
            self.plan[node] = node as u32;
        }
        let mut is_changed = false;
        let mut best = self.worth_by(graph, self.plan[node], node);
        if !graph.is_expanded(node) {
            for &other in graph.alike(node) {
                let worth = self.worth_by(graph, other, node);
                if worth > best + GAIN || self.plan[node] == NONE {
                    best = worth;
                    self.plan[node] = other;
                    is_changed = true;
                }
            }
        }
        self.worth[node] = best;
        is_changed
    }

    /// Chooses the best action in an expanded belief, by the worths of all. Gives whether that is another one.
    fn choose_action(&mut self, graph: &BeliefGraph<'_>, node: usize) -> bool {
        let worth = |action: usize| graph.worth(action, &self.worth);
        let actions = graph.solution.nodes[node].actions.clone();
        let mut chosen = self.action[node];
        let mut best = match chosen {
            NONE => f64::NEG_INFINITY,
            chosen => worth(actions.start + chosen as usize),
        };
        for (number, action) in actions.enumerate() {
            let worth = worth(action);
            if worth > best + GAIN {
                best = worth;
                chosen = number as u32;
            }
        }
        std::mem::replace(&mut self.action[node], chosen) != chosen
    }

    /// The plan that goes on after a belief's action and an observation, and the place of a state in the belief of that plan.
    fn next(
        &self,
        graph: &BeliefGraph<'_>,
        node: usize,
        observation: u32,
        state: u32,
    ) -> Option<(usize, usize)> {
        let action = graph.solution.nodes[node].actions.start + self.action[node] as usize;
        let successors =
            &graph.solution.successors[graph.solution.actions[action].successors.clone()];
        let found = successors.binary_search_by_key(&observation, |next| next.observation);
        let plan = self.plan[successors[found.ok()?].node as usize];
        let belief = graph.beliefs.get_index(plan as usize)?;
        let place = belief.binary_search_by_key(&state, |of| of.0).ok()?;
        Some((plan as usize, place))
    }

    /// Some steps of value iteration with these plans.
    fn step(&mut self, graph: &BeliefGraph<'_>, expanded: &[usize]) {
        let mut rows = Vec::new();
        for &node in expanded {
            for (place, &(state, _)) in graph.beliefs[node].iter().enumerate() {
                let transition = &graph.transitions[state as usize][self.action[node] as usize];
                let rest = transition.rest.iter();
                let rest = rest.filter_map(|&(observation, next, weight)| {
                    let (plan, place) = self.next(graph, node, observation, next)?;
                    Some((plan, place, weight as f64 / transition.all as f64))
                });
                rows.push(Row {
                    node,
                    place,
                    payoff: transition.payoff,
                    rest: rest.collect(),
                });
            }
        }
        for step in 0..STEPS {
            let mut update = |row: &Row| {
                let rest = row.rest.iter();
                let worths = rest.map(|&(plan, place, chance)| chance * self.vectors[plan][place]);
                self.vectors[row.node][row.place] = row.payoff + worths.sum::<f64>();
            };
            // Gains pass quickly through the rows in both orders.
            match step % 2 {
                0 => rows.iter().rev().for_each(&mut update),
                _ => rows.iter().for_each(&mut update),
            }
        }
    }

    /// Proves lower bounds of all beliefs by the plans of the expanded ones, and takes them over where they are closer.
    ///
    /// # Errors
    /// The reason why bounds are not as close as they could be.
    pub(crate) fn prove(&self, graph: &mut BeliefGraph<'_>) -> Result<(), StopReason> {
        let mut first = vec![0; graph.beliefs.len()];
        let mut pairs = 0;
        for (node, belief) in graph.beliefs.iter().enumerate() {
            first[node] = pairs;
            pairs += match graph.is_expanded(node) {
                true => belief.len() as u32,
                false => 0,
            };
        }
        let mut ends = Ends::default();
        let nothing = ends.end(BigRational::zero());
        let mut builder = Builder::default();
        for (node, belief) in graph.beliefs.iter().enumerate() {
            graph.watch.limits().check()?;
            if !graph.is_expanded(node) {
                continue;
            }
            for &(state, _) in belief.iter() {
                builder.state();
                builder.alternative();
                builder.reply();
                let action = self.action[node] as usize;
                for &(observation, next, weight) in &graph.transitions[state as usize][action].rest
                {
                    let target = match self.next(graph, node, observation, next) {
                        Some((plan, place)) => Target::State(first[plan] + place as u32),
                        None => nothing,
                    };
                    builder.outcome(target, weight);
                }
                if let PomdpState::Inner { actions, .. } = &graph.model.states[state as usize] {
                    for outcome in &actions[action] {
                        if let PomdpState::End(payoff) = &graph.model.states[outcome.next as usize]
                        {
                            builder.outcome(ends.end(payoff.clone()), 1);
                        }
                    }
                }
            }
        }
        let game = ends.game(builder).ok_or(StopReason::Memory)?;
        let found = solve(&game, &graph.for_bounds(), graph.watch.limits());
        for node in 0..graph.beliefs.len() {
            graph.watch.check_limits()?;
            let plan = self.plan[node];
            if plan == NONE {
                continue;
            }
            let pairs = first[plan as usize] as usize..;
            let chances = graph.exact_shares(node).into_iter().zip(pairs);
            let worths = chances.map(|(chance, pair)| chance * found.bounds(pair).0);
            let worth = worths.sum::<BigRational>();
            let lower = &mut graph.solution.lower[node];
            if node == 0 && worth >= *lower {
                graph.solution.kept.clone_from(&self.action);
                graph.solution.plan.clone_from(&self.plan);
            }
            if worth > *lower {
                *lower = worth;
            }
        }
        found.stopped.map_or(Ok(()), Err)
    }
}
