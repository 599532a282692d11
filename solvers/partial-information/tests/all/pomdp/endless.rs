//! Play without a last step: finitely many beliefs, bounds where there are more, and processes whose values are known otherwise.

use super::{coin, end, inner, outcome};
use endless::{Builder, GameGraph, Options, Target};
use generators::rounds;
use limits::{Limits, Publisher, StopReason, lock};
use num_rational::BigRational;
use num_traits::One;
use sqasp_partial_information::pomdp::{Pomdp, PomdpOutcome, PomdpState, solve, solve_endless};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn endless(model: &Pomdp) -> (BigRational, BigRational, Option<StopReason>) {
    let solution =
        solve_endless(model, 12, &Limits::default(), &Publisher::default()).expect("clear states");
    let (lower, upper) = solution.bounds();
    (lower, upper, solution.stopped())
}

fn exact(model: &Pomdp) -> BigRational {
    let (lower, upper, stopped) = endless(model);
    assert_eq!((&lower, stopped), (&upper, None), "{model:?}");
    lower
}

/// An agent that listens for ever and hears more and more gets as close to 1 as it wants.
#[test]
fn a_value_that_no_policy_has_is_bounded() {
    let (lower, upper, stopped) = endless(&coin());
    assert_eq!(
        (upper, stopped),
        (BigRational::one(), Some(StopReason::Precision))
    );
    let least: BigRational = "999999999999/1000000000000".parse().expect("a fraction");
    assert!(lower >= least && lower < BigRational::one(), "{lower}");
}

#[test]
fn limits_leave_bounds_that_hold() {
    let limits = Limits::with_memory(Some(100_000));
    let solution =
        solve_endless(&coin(), 12, &limits, &Publisher::default()).expect("clear states");
    let (lower, upper) = solution.bounds();
    let least: BigRational = "20/27".parse().expect("a fraction");
    assert!(lower > least && upper == BigRational::one(), "{lower}");
    let over = Limits::until(std::time::Instant::now());
    let late = solve_endless(&coin(), 12, &over, &Publisher::default());
    let late = late.expect("clear states");
    assert_eq!(
        (late.stopped(), late.bounds()),
        (
            Some(StopReason::Time),
            (BigRational::default(), BigRational::one())
        )
    );
}

/// Where listening may end the play, the agent does not listen for ever: few beliefs matter, of infinitely many.
#[test]
fn beliefs_that_best_play_does_not_lead_to_do_not_count() {
    let mut model = coin();
    for state in [1, 2] {
        let PomdpState::Inner { actions, .. } = &mut model.states[state] else {
            unreachable!()
        };
        let right = state as u32 - 1;
        let mut listen = vec![outcome(state as u32, right); 16];
        listen.extend([outcome(state as u32, 1 - right); 3]);
        listen.push(outcome(4, 0));
        actions[2] = listen;
    }
    assert_eq!(exact(&model).to_string(), "16/19");
}

/// An agent can listen in vain for ever. The value for an agent that sees all is no value of this game.
#[test]
fn waiting_is_worth_nothing() {
    let mut model = coin();
    for state in [1, 2] {
        let PomdpState::Inner { actions, .. } = &mut model.states[state] else {
            unreachable!()
        };
        actions[2] = vec![outcome(state as u32, 0)];
    }
    assert_eq!(exact(&model).to_string(), "1/2");
}

/// A random process whose states lead to each other and to ends, with `throws` outcomes of each action; the observation of an outcome
/// is told by its state.
fn random_process(
    random: &mut fastrand::Rng,
    throws: usize,
    ends: usize,
    observation: impl Fn(u32) -> u32,
) -> Pomdp {
    let inner_states = random.u32(2..5);
    let mut states = Vec::new();
    for _ in 0..inner_states {
        let actions = (0..2).map(|_| {
            let next = (0..throws).map(|throw| match throw < ends {
                true => inner_states + random.u32(..3),
                false => random.u32(..inner_states),
            });
            next.map(|next| outcome(next, observation(next))).collect()
        });
        states.push(inner(0, actions.collect()));
    }
    states.extend(["0", "1/3", "1"].map(end));
    Pomdp { states }
}

/// The value if the state is seen.
fn seen(model: &Pomdp) -> BigRational {
    let count = model.states.len() as u32 - 3;
    let mut builder = Builder::default();
    for state in &model.states {
        if let PomdpState::Inner { actions, .. } = state {
            builder.state();
            for outcomes in actions {
                builder.alternative();
                builder.reply();
                for &PomdpOutcome { next, .. } in outcomes {
                    let target = match next.checked_sub(count) {
                        None => Target::State(next),
                        Some(end) => Target::End(end),
                    };
                    builder.outcome(target, 1);
                }
            }
        }
    }
    value(builder)
}

/// The value of a game with three ends.
fn value(builder: Builder) -> BigRational {
    let payoffs = ["0", "1/3", "1"].map(|payoff| payoff.parse().expect("a fraction"));
    let game = GameGraph::new(builder.finish(3).expect("a game"), payoffs.to_vec());
    let game = game.expect("payoffs");
    let solution = endless::solve(&game, &Options::default(), &Limits::default());
    solution.value(0).expect("an exact value")
}

/// Where the observation is the state, beliefs are certain, and the value is that of the process with open eyes.
#[test]
fn certain_beliefs_are_states() {
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..rounds(60) {
        let model = random_process(&mut random, 3, 0, |next| next);
        let with_ends = random_process(&mut random, 3, 1, |next| next);
        for model in [model, with_ends] {
            assert_eq!(exact(&model), seen(&model), "{model:?}");
        }
    }
}

/// Where three of four outcomes end the play, few steps tell the value nearly.
#[test]
fn few_steps_tell_the_value_nearly() {
    let mut random = fastrand::Rng::with_seed(8);
    let mut is_exact = 0;
    for _ in 0..rounds(60) {
        let bits = random.u32(..16);
        let model = random_process(&mut random, 4, 3, |next| bits >> next.min(3) & 1);
        let (lower, upper, stopped) = endless(&model);
        let steps = solve(&model, Some(7), &Limits::default()).expect("clear states");
        let value = steps.bounds().0;
        let rest = BigRational::new(1.into(), 16384.into());
        assert!(
            value <= upper && lower <= &value + rest && lower <= upper,
            "{lower} {value} {upper}: {model:?}"
        );
        let width: BigRational = "1/1000000000000".parse().expect("a fraction");
        assert!(&upper - &lower <= width, "{lower} {upper}: {model:?}");
        is_exact += usize::from(stopped.is_none());
    }
    assert!(is_exact > 0);
}

/// What the best policy gets that remembers the last observation only, where `observation` tells it of each state.
fn without_memory(model: &Pomdp, observation: impl Fn(u32) -> u32) -> BigRational {
    let count = model.states.len() as u32 - 3;
    let worths = (0..8).map(|policy: u32| {
        let mut builder = Builder::default();
        // The start, where nothing was observed, stands before all states.
        for state in [0].into_iter().chain(0..count) {
            let chosen = match builder.state() {
                0 => 0,
                _ => 1 + observation(state),
            };
            builder.alternative();
            builder.reply();
            let PomdpState::Inner { actions, .. } = &model.states[state as usize] else {
                unreachable!()
            };
            for &PomdpOutcome { next, .. } in &actions[(policy >> chosen & 1) as usize] {
                let target = match next.checked_sub(count) {
                    None => Target::State(next + 1),
                    Some(end) => Target::End(end),
                };
                builder.outcome(target, 1);
            }
        }
        value(builder)
    });
    worths.max().expect("there are policies")
}

/// Bounds hold that are stopped anywhere: the value is between that of few steps, or of a policy without memory, and that of an agent that sees all. More work
/// gives no worse ones.
#[test]
fn bounds_that_are_stopped_anywhere_hold() {
    let mut random = fastrand::Rng::with_seed(11);
    let most = |one: BigRational, other| if one < other { other } else { one };
    let (mut exact, mut moved) = (0, 0);
    for _ in 0..rounds(150) {
        let bits = random.u32(..16);
        let observation = |next: u32| bits >> next.min(3) & 1;
        let ends = random.usize(..3);
        let model = random_process(&mut random, 4, ends, observation);
        let steps = solve(&model, Some(8), &Limits::default()).expect("clear states");
        let least = most(steps.bounds().0, without_memory(&model, observation));
        // Half of all outcomes end the play: little is left after eight steps.
        let greatest = match ends {
            2 => steps.bounds().0 + BigRational::new(1.into(), 256.into()),
            _ => seen(&model),
        };
        let mut known = (BigRational::default(), BigRational::one());
        let mut checks = random.u64(..300);
        while checks < 100_000 {
            let limits = Limits::after_checks(checks);
            let found = solve_endless(&model, 12, &limits, &Publisher::default());
            let found = found.expect("clear states");
            let (lower, upper) = found.bounds();
            assert!(
                least <= upper && lower <= greatest && lower <= upper,
                "{least} {greatest} {lower} {upper}: {model:?}"
            );
            assert!(
                known.0 <= lower && upper <= known.1,
                "{known:?} {lower} {upper} {checks}: {model:?}"
            );
            exact += usize::from(found.stopped().is_none());
            moved += usize::from(known.0 < lower || upper < known.1);
            known = (lower, upper);
            checks = 3 * checks + 100;
        }
    }
    assert!(exact > 0 && moved > 100, "{exact} {moved}");
}

/// All bounds on the way are those of the start. The processes on beliefs, and the one whose states are seen, have other values.
#[test]
fn bounds_on_the_way_are_those_of_the_start() {
    let mut random = fastrand::Rng::with_seed(10);
    let mut closer = 0;
    for _ in 0..rounds(60) {
        let bits = random.u32(..16);
        let model = random_process(&mut random, 4, 3, |next| bits >> next.min(3) & 1);
        let (lower, upper, _) = endless(&model);
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&heard);
        let publisher = Publisher::new(
            (BigRational::default(), BigRational::one()),
            Duration::ZERO,
            move |bounds| {
                lock(&listener).push(bounds.clone());
            },
        );
        let limits = Limits::after_checks(random.u64(..3000));
        let stopped = solve_endless(&model, 12, &limits, &publisher).expect("clear states");
        let heard = std::mem::take(&mut *lock(&heard));
        closer += heard.len();
        for (least, most) in heard.iter().chain([&stopped.bounds()]) {
            assert!(
                *least <= upper && lower <= *most,
                "{least} {most}: {model:?}"
            );
        }
    }
    assert!(closer > 100, "{closer}");
}

/// The tiger of Cassandra, Kaelbling and Littman (1994): listening costs 1, the tiger 100, gold brings 10, and after a door is opened all begins again. With a
/// discount of 0.95 it is worth 19.37: each step is the last one with probability 1/20, and then only its reward counts, from -100 to 10.
#[test]
fn a_discounted_tiger_is_worth_what_was_published() {
    let state = |tiger: u32| {
        let hear = |heard| outcome(tiger, heard);
        let mut listen = vec![outcome(3, 0); 20];
        listen.extend([vec![hear(tiger); 323], vec![hear(3 - tiger); 57]].concat());
        let open = |door: u32| {
            let mut outcomes = vec![outcome(if door == tiger { 4 } else { 5 }, 0); 2];
            outcomes.extend([1, 2].map(|tiger| [outcome(tiger, 0); 19]).concat());
            outcomes
        };
        inner(1, vec![listen, open(1), open(2)])
    };
    let hide = inner(0, vec![vec![outcome(1, 0), outcome(2, 0)]]);
    let ends = ["9/10", "0", "1"].map(end);
    let states = [vec![hide, state(1), state(2)], ends.to_vec()].concat();
    let (lower, upper, _) = endless(&Pomdp { states });
    let reward = |worth: BigRational| {
        let [cost, range, last] =
            [100, 110, 20].map(|number| BigRational::from_integer(number.into()));
        (worth * range - cost) * last
    };
    let [least, most] = ["1937/100", "1938/100"].map(|bound| bound.parse().expect("a fraction"));
    let (lower, upper) = (reward(lower), reward(upper));
    assert!(least < lower && upper < most, "{lower} {upper}");
}

/// Nothing is seen, and all that the agent can do is exchange states before it guesses: the best of all words counts.
#[test]
fn blind_words_are_worth_what_the_best_is() {
    let mut random = fastrand::Rng::with_seed(9);
    for _ in 0..rounds(60) {
        let mut orders = [[1, 2, 3]; 2];
        orders.iter_mut().for_each(|order| random.shuffle(order));
        let weights = [0; 3].map(|_| random.usize(1..5));
        let payoffs = [[0; 3]; 2].map(|row| row.map(|_| random.i64(0..5)));
        let start = (1..4).flat_map(|state| vec![outcome(state, 0); weights[state as usize - 1]]);
        let mut states = vec![inner(0, vec![start.collect()])];
        for state in 0..3 {
            let words = orders.iter().map(|order| vec![outcome(order[state], 0)]);
            let guesses = payoffs
                .iter()
                .map(|row| vec![outcome(4 + row[state] as u32, 0)]);
            states.push(inner(1, words.chain(guesses).collect()));
        }
        states.extend((0..5).map(|payoff| end(&format!("{payoff}/4"))));
        let model = Pomdp { states };
        // All weights that words lead to.
        let mut reached = vec![weights];
        let mut best = 0;
        let mut place = 0;
        while let Some(&weights) = reached.get(place) {
            place += 1;
            for row in payoffs {
                let worth = weights
                    .iter()
                    .zip(row)
                    .map(|(&w, payoff)| w as i64 * payoff);
                best = best.max(worth.sum::<i64>());
            }
            for order in orders {
                let mut next = [0; 3];
                (0..3).for_each(|state| next[order[state] as usize - 1] = weights[state]);
                if !reached.contains(&next) {
                    reached.push(next);
                }
            }
        }
        let whole = 4 * weights.iter().sum::<usize>() as i64;
        let expected = BigRational::new(best.into(), whole.into());
        assert_eq!(exact(&model), expected, "{model:?}");
    }
}
