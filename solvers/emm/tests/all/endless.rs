//! Random steps that may be repeated for ever, against iteration of values in intervals.
//!
//! The oracle shares nothing with the engine but the problem. It lists the states by the definition and computes in whole numbers of 2^-60,
//! rounded outwards:
//!
//! - from below, values are iterated from 0. That never exceeds the value.
//! - from above, the adversaries keep to the replies that are best by the lower bounds, and values are iterated from 1. Where the maximizer can
//!   stay for ever, that would stop too early. So a state of such an *end component* is worth at most the best way out of it, and nothing if
//!   there is none (Kelmendi, Kraemer, Kretinsky, Weininger 2018).

use crate::definition::{Definition, random_options};
use crate::random::random_problem;
use fastrand::Rng;
use generators::rounds;
use limits::Limits;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use sqasp_emm::{Agent, Engine, Options, Problem};
use std::collections::{BTreeMap, HashMap};

/// The number that stands for 1: values are whole multiples of 2^-60.
const ONE: i128 = 1 << 60;
/// Sweeps of iteration, at most.
const MAX_SWEEPS: usize = 3000;

/// A state and its successors: the outcomes of each reply to each alternative, equally likely, by number of the state.
struct Node {
    state: Vec<bool>,
    /// The move of the maximizer, and outcomes by reply.
    alternatives: Vec<(usize, Vec<Vec<usize>>)>,
    /// The worth of the state if it is terminal.
    worth: Option<BigRational>,
}

/// All states that follow from one, which is the first.
fn list(problem: &Problem, first: &[bool]) -> Vec<Node> {
    let definition = Definition::new(problem);
    let mut numbers = HashMap::from([(first.to_vec(), 0)]);
    let mut states = vec![first.to_vec()];
    let mut nodes = Vec::new();
    while let Some(state) = states.get(nodes.len()).cloned() {
        let values = definition.evaluate(&state, &[]);
        let mut node = Node {
            state,
            alternatives: Vec::new(),
            worth: None,
        };
        if Definition::holds(&values, problem.step.terminal) {
            let payoff = problem.payoff.iter();
            let paid = payoff.filter(|(_, signal)| Definition::holds(&values, *signal));
            node.worth = Some(paid.map(|(value, _)| value).sum());
            nodes.push(node);
            continue;
        }
        let legal = definition.legal(&node.state);
        let mut following: BTreeMap<usize, BTreeMap<Vec<usize>, Vec<usize>>> = BTreeMap::new();
        let mut joint = vec![0; legal.len()];
        loop {
            let moves: Vec<usize> = joint.iter().zip(&legal).map(|(&j, l)| l[j]).collect();
            let of = |agent: Agent| -> Vec<usize> {
                let agents = problem.agents.iter().zip(&moves);
                agents
                    .filter(|(a, _)| **a == agent)
                    .map(|(_, m)| *m)
                    .collect()
            };
            let values = definition.evaluate(&node.state, &moves);
            let next = problem.step.next.iter();
            let next: Vec<bool> = next.map(|&s| Definition::holds(&values, s)).collect();
            let number = *numbers.entry(next.clone()).or_insert_with(|| {
                states.push(next);
                states.len() - 1
            });
            let replies = following.entry(of(Agent::Maximizer)[0]).or_default();
            replies
                .entry(of(Agent::Adversary))
                .or_default()
                .push(number);
            let index = (0..joint.len()).find(|&index| {
                joint[index] = (joint[index] + 1) % legal[index].len();
                joint[index] != 0
            });
            if index.is_none() {
                break;
            }
        }
        let alternatives = following.into_iter();
        node.alternatives = alternatives
            .map(|(own, replies)| (own, replies.into_values().collect()))
            .collect();
        nodes.push(node);
    }
    nodes
}

fn mean_below(outcomes: &[usize], values: &[i128]) -> i128 {
    let sum: i128 = outcomes.iter().map(|&to| values[to]).sum();
    sum.div_euclid(outcomes.len() as i128)
}

fn mean_above(outcomes: &[usize], values: &[i128]) -> i128 {
    let sum: i128 = outcomes.iter().map(|&to| -values[to]).sum();
    -sum.div_euclid(outcomes.len() as i128)
}

/// Lower and upper bounds of all states.
struct Bounds {
    lower: Vec<i128>,
    upper: Vec<i128>,
    /// Whether the maximizer can stay somewhere for ever, against the replies that are best by the lower bounds.
    may_stay: bool,
}

impl Bounds {
    fn new(nodes: &[Node]) -> Self {
        let units = |worth: &BigRational| worth * BigInt::from(ONE);
        let whole = |value: BigRational| value.to_integer().to_i128().expect("at most 1");
        let lower = |node: &Node| {
            node.worth
                .as_ref()
                .map_or(0, |worth| whole(units(worth).floor()))
        };
        let upper = |node: &Node| {
            node.worth
                .as_ref()
                .map_or(ONE, |worth| whole(units(worth).ceil()))
        };
        let mut bounds = Bounds {
            lower: nodes.iter().map(lower).collect(),
            upper: nodes.iter().map(upper).collect(),
            may_stay: false,
        };
        bounds.raise(nodes);
        bounds.sink(nodes);
        bounds
    }

    fn raise(&mut self, nodes: &[Node]) {
        for _ in 0..MAX_SWEEPS {
            let mut changes = false;
            for (number, node) in nodes.iter().enumerate().rev() {
                let least = |(_, replies): &(usize, Vec<Vec<usize>>)| {
                    let means = replies.iter().map(|reply| mean_below(reply, &self.lower));
                    means.min().expect("there is a reply")
                };
                if let Some(best) = node.alternatives.iter().map(least).max() {
                    changes |= best > self.lower[number];
                    self.lower[number] = best.max(self.lower[number]);
                }
            }
            if !changes {
                return;
            }
        }
    }

    fn sink(&mut self, nodes: &[Node]) {
        // By state and alternative, the outcomes of the reply.
        let best = |(_, replies): &(usize, Vec<Vec<usize>>)| {
            let best = replies
                .iter()
                .min_by_key(|reply| mean_below(reply, &self.lower));
            best.expect("there is a reply").clone()
        };
        let chosen: Vec<Vec<Vec<usize>>> = nodes
            .iter()
            .map(|node| node.alternatives.iter().map(best).collect())
            .collect();
        let stays = end_components(&chosen);
        self.may_stay = stays.iter().any(Option::is_some);
        for _ in 0..MAX_SWEEPS {
            let before = self.upper.clone();
            for (number, alternatives) in chosen.iter().enumerate().rev() {
                let means = alternatives
                    .iter()
                    .map(|outcomes| mean_above(outcomes, &self.upper));
                if let Some(best) = means.max() {
                    self.upper[number] = best.min(self.upper[number]);
                }
            }
            let mut ways_out: HashMap<usize, i128> = HashMap::new();
            for (number, alternatives) in chosen.iter().enumerate() {
                let Some((component, staying)) = &stays[number] else {
                    continue;
                };
                let way_out = ways_out.entry(*component).or_insert(0);
                for (outcomes, _) in alternatives
                    .iter()
                    .zip(staying)
                    .filter(|(_, stays)| !**stays)
                {
                    *way_out = (*way_out).max(mean_above(outcomes, &self.upper));
                }
            }
            for (number, stays) in stays.iter().enumerate() {
                if let Some((component, _)) = stays {
                    self.upper[number] = self.upper[number].min(ways_out[component]);
                }
            }
            if before == self.upper {
                return;
            }
        }
    }
}

/// For each state in which play can be kept for ever in a set of states that lead to each other: the first of the largest such set, and
/// which alternatives stay there.
fn end_components(chosen: &[Vec<Vec<usize>>]) -> Vec<Option<(usize, Vec<bool>)>> {
    let states = chosen.len();
    let mut stays: Vec<Vec<bool>> = chosen.iter().map(|all| vec![true; all.len()]).collect();
    loop {
        let reached: Vec<Vec<bool>> = (0..states)
            .map(|from| reach(from, chosen, &stays))
            .collect();
        let component_of = |state: usize| {
            let mut mutual = (0..states).filter(|&to| reached[state][to] && reached[to][state]);
            mutual.next().expect("the state itself")
        };
        let components: Vec<usize> = (0..states).map(component_of).collect();
        let mut changes = false;
        for state in 0..states {
            for (outcomes, stays) in chosen[state].iter().zip(&mut stays[state]) {
                if *stays
                    && outcomes
                        .iter()
                        .any(|&to| components[to] != components[state])
                {
                    (*stays, changes) = (false, true);
                }
            }
        }
        if !changes {
            let found = stays.into_iter().zip(components);
            let found = found.map(|(stays, of)| stays.contains(&true).then_some((of, stays)));
            return found.collect();
        }
    }
}

/// The states that alternatives which stay lead to from one, itself included.
fn reach(from: usize, chosen: &[Vec<Vec<usize>>], stays: &[Vec<bool>]) -> Vec<bool> {
    let mut reached = vec![false; chosen.len()];
    reached[from] = true;
    let mut open = vec![from];
    while let Some(state) = open.pop() {
        let staying = chosen[state]
            .iter()
            .zip(&stays[state])
            .filter(|(_, stays)| **stays);
        for &to in staying.flat_map(|(outcomes, _)| outcomes) {
            if !std::mem::replace(&mut reached[to], true) {
                open.push(to);
            }
        }
    }
    reached
}

/// Whether a value that the engine gives may lie within these bounds.
fn agrees(found: &limits::Bounds, lower: i128, upper: i128) -> bool {
    let unit = |units: i128| BigRational::new(BigInt::from(units), BigInt::from(ONE));
    found.lower <= unit(upper) && unit(lower) <= found.upper
}

/// A random problem, a state, and all states that follow from it: not too few, if that is easy to find.
fn random_game(random: &mut Rng) -> (Problem, Vec<bool>, Vec<Node>) {
    const TRIES: usize = 20;
    let wanted = random.usize(1..20);
    let mut tries = 0;
    loop {
        tries += 1;
        let problem = Problem {
            // Play that never ends is worth nothing.
            unfinished: BigRational::default(),
            ..random_problem(random)
        };
        let first: Vec<bool> = problem.step.facts.iter().map(|_| random.bool()).collect();
        let nodes = list(&problem, &first);
        if nodes.len() >= wanted || tries == TRIES {
            return (problem, first, nodes);
        }
    }
}

/// Whether play may lead from some state to a payoff, but the others never let it.
fn is_stalled(nodes: &[Node], bounds: &Bounds) -> bool {
    let all: Vec<Vec<Vec<usize>>> = nodes
        .iter()
        .map(|node| {
            node.alternatives
                .iter()
                .map(|(_, replies)| replies.concat())
                .collect()
        })
        .collect();
    let allowed: Vec<Vec<bool>> = all.iter().map(|all| vec![true; all.len()]).collect();
    let pays = |node: &Node| node.worth.as_ref().is_some_and(|worth| !worth.is_zero());
    (0..nodes.len())
        .filter(|&state| bounds.upper[state] == 0)
        .any(|state| {
            let reached = reach(state, &all, &allowed);
            nodes
                .iter()
                .zip(reached)
                .any(|(node, reached)| reached && pays(node))
        })
}

#[test]
fn values_without_a_limit_are_within_intervals() {
    let [mut games, mut states, mut endless, mut staying, mut stalled] = [0; 5];
    let [mut between, mut coalitions, mut scores, mut wide] = [0; 4];
    for seed in 0..rounds(1000) {
        let mut random = Rng::with_seed(seed);
        let (problem, first, nodes) = random_game(&mut random);
        let options = Options {
            exact_work: [0, 100, 10_000, u64::MAX][random.usize(..4)],
            digits: [12, 20][random.usize(..2)],
            ..random_options(&mut random)
        };
        let is_exact = options.exact_work == u64::MAX;
        let at = format!("seed {seed}: {options:?}");
        let mut engine = Engine::new(problem.clone(), options).expect("a sound problem");
        let bounds = Bounds::new(&nodes);
        let limits = Limits::default();
        // The first state, and one on the way, which the engine has listed by then.
        for number in [0, random.usize(..nodes.len())] {
            let (node, lower, upper) = (&nodes[number], bounds.lower[number], bounds.upper[number]);
            assert!(lower <= upper, "{at}");
            let answer = engine
                .solve(&node.state, None, &limits)
                .expect("a sound question");
            let outcome = answer.outcome;
            assert!(agrees(&outcome, lower, upper), "{at}: {outcome:?}");
            let width = (&outcome.upper - &outcome.lower)
                .to_f64()
                .expect("a number");
            assert!(width <= 1e-11, "{at}: {outcome:?}");
            assert!(!is_exact || outcome.value().is_some(), "{at}: {outcome:?}");
            wide += usize::from(upper - lower > ONE / 1_000_000_000);
            between += usize::from(lower > 0 && upper < ONE);
        }
        let moves = engine.moves(&first, None, &limits).expect("sound");
        for (found, (own, replies)) in moves.iter().zip(&nodes[0].alternatives) {
            assert_eq!(found.number, *own, "{at}");
            let below = replies
                .iter()
                .map(|reply| mean_below(reply, &bounds.lower))
                .min();
            let above = replies
                .iter()
                .map(|reply| mean_above(reply, &bounds.upper))
                .min();
            let (below, above) = (below.expect("a reply"), above.expect("a reply"));
            assert!(agrees(&found.outcome, below, above), "{at}: {found:?}");
        }
        games += 1;
        states += nodes.len();
        endless += usize::from(engine.known_horizon(&first).is_none());
        staying += usize::from(bounds.may_stay);
        stalled += usize::from(is_stalled(&nodes, &bounds));
        let adversaries = problem.agents.iter().filter(|a| **a == Agent::Adversary);
        coalitions += usize::from(adversaries.count() > 1);
        scores += usize::from(problem.payoff.len() > 1);
    }
    println!(
        "{games} games with {states} states: {endless} may go on for ever, {staying} in which the maximizer can \
         stall, {stalled} in which the others can, {coalitions} with coalitions, {scores} with scores; \
         {between} values between 0 and 1, {wide} intervals wider than 1e-9"
    );
    assert!(5 * endless > games && 10 * staying > games && 50 * stalled > games);
    assert!(10 * between > games && 20 * coalitions > games);
    assert!(50 * wide < games, "{wide} intervals are wide");
}
