//! Small games in disguise: formulas that consist of similar layers.

use super::{and_gate, build, choice_gate, distinct, exactly_one, quantify, xor_gate};
use fastrand::Rng;
use formula::{Formula, Lit, Prefix, Quantifier, Var};

#[derive(Clone, Debug)]
pub struct Layered {
    /// The number of decisions, one after the other.
    pub steps: usize,
    /// The number of variables of a state.
    pub state: usize,
    /// The number of variables of a decision.
    pub decision: usize,
    /// The players who may decide; one of these is drawn for each step.
    pub quantifiers: Vec<Quantifier>,
}

impl Default for Layered {
    /// Three decisions of one variable over states of two: at most 14 variables.
    fn default() -> Self {
        Layered {
            steps: 3,
            state: 2,
            decision: 1,
            quantifiers: vec![Quantifier::Exists, Quantifier::Forall, Quantifier::Chance],
        }
    }
}

/// A formula in layers, as games give: a state, a decision by one of the players, a next state
/// that is a function of both, and so on; sometimes a condition on a layer, and at the end a goal.
///
/// The variables are numbered layer by layer. The value depends on the past only through the
/// state, so there are natural places to cut.
///
/// # Panics
/// If a state or a decision has no variable, or no player may decide.
pub fn layered(rng: &mut Rng, family: &Layered) -> Formula {
    assert!(family.state > 0 && family.decision > 0);
    let mut layers = Builder::default();
    let mut state = layers.add(rng, Quantifier::Exists, family.state);
    let initial: Vec<Lit> = state.iter().map(|var| var.literal(rng.bool())).collect();
    layers
        .clauses
        .extend(initial.into_iter().map(|lit| vec![lit]));
    for _ in 0..family.steps {
        let quantifier = *rng
            .choice(&family.quantifiers)
            .expect("a player may decide");
        let decision = layers.add(rng, quantifier, family.decision);
        if quantifier == Quantifier::Exists && family.decision > 1 && rng.bool() {
            let moves: Vec<Lit> = decision.iter().map(|var| var.positive()).collect();
            layers.clauses.extend(exactly_one(&moves));
        }
        let next = layers.add(rng, Quantifier::Exists, family.state);
        for &var in &next {
            layers.define(rng, var, &state, &decision);
        }
        if rng.u32(0..3) == 0 {
            // A condition that the maximizer has to keep.
            let condition = pick(rng, &next);
            layers.clauses.push(vec![condition, pick(rng, &decision)]);
        }
        state = next;
    }
    let width = rng.usize(1..=family.state.min(2));
    let goal = distinct(rng, family.state, width);
    let goal = goal.into_iter().map(|lit| {
        let var = state[lit.var().index()];
        var.literal(!lit.is_negative())
    });
    layers.clauses.push(goal.collect());
    build(layers.variables, layers.prefix, layers.clauses)
}

#[derive(Default)]
struct Builder {
    variables: usize,
    prefix: Prefix,
    clauses: Vec<Vec<Lit>>,
}

impl Builder {
    fn add(&mut self, rng: &mut Rng, quantifier: Quantifier, count: usize) -> Vec<Var> {
        let new: Vec<Var> = (self.variables..self.variables + count)
            .map(Var::new)
            .collect();
        self.variables += count;
        for &var in &new {
            quantify(rng, &mut self.prefix, quantifier, var, false);
        }
        new
    }

    /// Makes a variable of the next state a function of state and decision.
    fn define(&mut self, rng: &mut Rng, var: Var, state: &[Var], decision: &[Var]) {
        let output = var.literal(rng.bool());
        let (old, other, chosen) = (pick(rng, state), pick(rng, state), pick(rng, decision));
        self.clauses.extend(match rng.u32(0..4) {
            0 => and_gate(output, &[old, chosen]),
            1 => xor_gate(output, old, chosen),
            _ if old.var() == other.var() => and_gate(output, &[old, chosen]),
            _ => choice_gate(output, chosen, old, other),
        });
    }
}

fn pick(rng: &mut Rng, variables: &[Var]) -> Lit {
    let var = variables[rng.usize(0..variables.len())];
    var.literal(rng.bool())
}
