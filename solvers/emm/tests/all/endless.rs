//! Random steps that may be repeated for ever: values of all states, proved from their list by the definition, and engines with random
//! options, whose bounds hold them.

use crate::definition::{Definition, listed, of_agent, random_options};
use crate::random::random_problem;
use fastrand::Rng;
use generators::{ListedMove, prove_values, seeds, worth};
use limits::{Bounds, Limits};
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use sqasp_emm::{Agent, Engine, Options, Problem};
use std::collections::BTreeMap;

/// The states that follow from one, which is the first.
struct Listed {
    states: Vec<Vec<bool>>,
    /// The payoffs of terminal states.
    ends: Vec<Option<BigRational>>,
    /// By state: the moves of the maximizer.
    choices: Vec<Vec<ListedMove<usize>>>,
}

fn list(problem: &Problem, first: &[bool]) -> Listed {
    let definition = Definition::new(problem);
    let (mut states, mut ends, mut choices) = (Vec::new(), Vec::new(), Vec::new());
    for (state, moves) in listed(&definition, first) {
        ends.push(definition.payoff(&state));
        states.push(state);
        let mut following: BTreeMap<usize, BTreeMap<Vec<usize>, Vec<usize>>> = BTreeMap::new();
        for (moves, number) in moves {
            let of = |agent| of_agent(problem, agent, &moves);
            let replies = following.entry(of(Agent::Maximizer)[0]).or_default();
            let reply = replies.entry(of(Agent::Adversary)).or_default();
            reply.push(number);
        }
        let of_move =
            |(own, replies): (usize, BTreeMap<_, _>)| (own, replies.into_values().collect());
        choices.push(following.into_iter().map(of_move).collect());
    }
    Listed {
        states,
        ends,
        choices,
    }
}

/// A random problem, and all states that follow from some state: not too few, if that is easy to find.
fn random_game(random: &mut Rng) -> (Problem, Listed) {
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
        let listed = list(&problem, &first);
        if listed.states.len() >= wanted || tries == TRIES {
            return (problem, listed);
        }
    }
}

/// The values of all states, which are proved.
fn proved_values(problem: &Problem, listed: &Listed, at: &str) -> Vec<BigRational> {
    let options = Options {
        exact_work: u64::MAX,
        ..Options::default()
    };
    let mut engine = Engine::new(problem.clone(), options).expect("a sound problem");
    let values = listed.states.iter().map(|state| {
        let answer = engine.solve(state, None, &Limits::default());
        let outcome = answer.expect("a sound question").outcome;
        outcome.value().expect("it is exact").clone()
    });
    let values: Vec<BigRational> = values.collect();
    assert_eq!(
        prove_values(&listed.ends, &listed.choices, &values),
        Ok(()),
        "{at}"
    );
    values
}

#[test]
fn values_without_a_limit_are_proved_and_within_all_bounds() {
    let [mut games, mut states, mut endless, mut staying, mut stalled] = [0; 5];
    let [mut between, mut coalitions, mut scores] = [0; 3];
    for (seed, mut random) in seeds(0, 1000) {
        let (problem, listed) = random_game(&mut random);
        let options = Options {
            exact_work: [0, 100, 10_000, u64::MAX][random.usize(..4)],
            digits: [12, 20][random.usize(..2)],
            ..random_options(&mut random)
        };
        let is_exact = options.exact_work == u64::MAX;
        let at = format!("seed {seed}: {options:?}");
        let values = proved_values(&problem, &listed, &at);
        let mut engine = Engine::new(problem.clone(), options).expect("a sound problem");
        let limits = Limits::default();
        let holds = |outcome: &Bounds, value: &BigRational| {
            assert!(
                outcome.lower <= *value && *value <= outcome.upper,
                "{at}: {outcome:?}"
            );
        };
        // The first state, and one on the way, which the engine has listed by then.
        for number in [0, random.usize(..values.len())] {
            let value = &values[number];
            let answer = engine.solve(&listed.states[number], None, &limits);
            let outcome = answer.expect("a sound question").outcome;
            holds(&outcome, value);
            let width = (&outcome.upper - &outcome.lower).to_f64();
            assert!(width.expect("a number") <= 1e-11, "{at}: {outcome:?}");
            assert!(!is_exact || outcome.value().is_some(), "{at}: {outcome:?}");
            between += usize::from(!value.is_zero() && !value.is_one());
        }
        let first = &listed.states[0];
        let moves = engine.moves(first, None, &limits).expect("sound");
        for (found, (own, replies)) in moves.iter().zip(&listed.choices[0]) {
            assert_eq!(found.number, *own, "{at}");
            holds(&found.outcome, &worth(replies, &values));
        }
        games += 1;
        states += values.len();
        endless += usize::from(engine.known_horizon(first).is_none());
        // Each best move but one may be to wait; and the others may refuse to go where something is paid.
        let some = |holds: &dyn Fn(usize, &Vec<Vec<usize>>) -> bool| {
            let choices = listed.choices.iter().enumerate();
            let mut all = choices.flat_map(|(state, all)| all.iter().map(move |it| (state, &it.1)));
            usize::from(all.any(|(state, replies)| holds(state, replies)))
        };
        staying += some(&|state, replies| {
            let stays = replies
                .iter()
                .any(|reply| reply.iter().all(|&next| next == state));
            stays && !values[state].is_zero() && worth(replies, &values) == values[state]
        });
        stalled += some(&|state, replies| {
            let pays = replies
                .iter()
                .flatten()
                .any(|&next| !values[next].is_zero());
            pays && values[state].is_zero()
        });
        let adversaries = problem.agents.iter().filter(|a| **a == Agent::Adversary);
        coalitions += usize::from(adversaries.count() > 1);
        scores += usize::from(problem.payoff.len() > 1);
    }
    println!(
        "{games} games with {states} states: {endless} may go on for ever, {staying} in which the maximizer can \
         wait, {stalled} in which the others refuse, {coalitions} with coalitions, {scores} with scores; \
         {between} values between 0 and 1"
    );
    assert!(5 * endless > games && 100 * staying > games && 50 * stalled > games);
    assert!(10 * between > games && 20 * coalitions > games);
}
