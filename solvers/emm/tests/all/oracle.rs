//! Random steps against the definition, which is evaluated here state by state.

use crate::definition::{Definition, joint_moves, random_case, random_options};
use crate::random::random_problem;
use generators::{rounds, seeds};
use limits::{Limits, StopReason};
use num_traits::{One, Zero};
use sqasp_emm::{Engine, NoHorizon, Options, QuestionError};
use std::time::Duration;

#[test]
fn values_are_those_of_the_definition() {
    let mut between = 0;
    for seed in 0..rounds(600) {
        let (mut random, problem, mut engine) = random_case(seed);
        let mut definition = Definition::new(&problem);
        // One engine answers several questions, which share tables.
        for _ in 0..4 {
            let steps = random.u32(0..7);
            let state: Vec<bool> = match random.bool() {
                true => engine.initial().to_vec(),
                false => engine.initial().iter().map(|_| random.bool()).collect(),
            };
            let expected = definition.value(&state, steps);
            between += u32::from(!expected.is_zero() && !expected.is_one());
            let answer = engine.solve(&state, Some(steps), &Limits::default());
            let answer = answer.expect("a sound question");
            assert_eq!(answer.outcome.value(), Some(&expected), "seed {seed}");
            assert_eq!(answer.outcome.stopped, None, "seed {seed}");
        }
    }
    assert!(between > 300, "only {between} values between 0 and 1");
}

#[test]
fn values_of_moves_are_those_of_the_definition() {
    let mut compared = 0;
    for seed in 0..rounds(300) {
        let (mut random, problem, mut engine) = random_case(seed);
        let mut definition = Definition::new(&problem);
        let steps = random.u32(1..6);
        let state = engine.initial().to_vec();
        let limits = Limits::default();
        let moves = engine.moves(&state, Some(steps), &limits).expect("sound");
        let value = definition.value(&state, steps);
        let legal = definition.legal(&state);
        for found in &moves {
            let expected = definition.move_value(&state, steps, &legal, found.number);
            assert_eq!(found.outcome.value(), Some(&expected), "seed {seed}");
            assert_eq!(found.may_be_best, expected == value, "seed {seed}");
            let replies = engine.replies(&state, found.number, Some(steps), &limits);
            let replies = replies.expect("sound");
            assert_eq!(replies[0].outcome.value(), Some(&expected), "seed {seed}");
            compared += 1;
        }
    }
    assert!(compared > 200, "only {compared}");
}

/// Little memory, little time and an interrupt: what is said holds, and what was found before is still
/// known.
#[test]
fn bounds_are_valid_under_all_limits() {
    let mut stopped = 0;
    for seed in 0..rounds(300) {
        let (mut random, problem, mut engine) = random_case(seed);
        let mut definition = Definition::new(&problem);
        let state = engine.initial().to_vec();
        for _ in 0..4 {
            let limits = Limits {
                memory: Some(random.u64(100..100_000)),
                ..Limits::default().within(
                    random
                        .bool()
                        .then(|| Duration::from_micros(random.u64(0..300))),
                )
            };
            if random.u8(0..4) == 0 {
                limits.interrupt.raise();
            }
            let steps = random.u32(1..7);
            let expected = definition.value(&state, steps);
            let answer = engine.solve(&state, Some(steps), &limits).expect("sound");
            let mut outcomes = vec![(answer.outcome, expected)];
            let legal = definition.legal(&state);
            let moves = engine.moves(&state, Some(steps), &limits).expect("sound");
            for found in moves {
                let expected = definition.move_value(&state, steps, &legal, found.number);
                outcomes.push((found.outcome, expected));
            }
            for (outcome, expected) in outcomes {
                let holds = outcome.lower <= expected && expected <= outcome.upper;
                assert!(holds, "seed {seed}: {outcome:?}, {expected}");
                let is_known = outcome.lower == outcome.upper;
                assert_eq!(
                    outcome.stopped.is_none(),
                    is_known,
                    "seed {seed}: {outcome:?}"
                );
                stopped += u32::from(!is_known);
            }
        }
    }
    assert!(stopped > 100, "only {stopped}");
}

#[test]
fn bounds_are_valid_whenever_the_search_is_stopped() {
    let mut stopped = 0;
    for (seed, mut random) in seeds(0, 300) {
        let problem = random_problem(&mut random);
        let mut definition = Definition::new(&problem);
        let steps = random.u32(1..7);
        let limit = random.u64(0..30);
        let mut options = random_options(&mut random);
        options.search.expansion_limit = Some(limit);
        let mut engine = Engine::new(problem.clone(), options).expect("a sound problem");
        let state = engine.initial().to_vec();
        let expected = definition.value(&state, steps);
        // Each time it gets a bit further.
        for _ in 0..3 {
            let answer = engine.solve(&state, Some(steps), &Limits::default());
            let outcome = answer.expect("a sound question").outcome;
            assert!(
                outcome.lower <= expected && expected <= outcome.upper,
                "seed {seed}"
            );
            if outcome.value().is_none() {
                assert_eq!(
                    outcome.stopped,
                    Some(StopReason::Interrupted),
                    "seed {seed}"
                );
                stopped += 1;
            }
        }
    }
    assert!(stopped > 20, "only {stopped}");
}

/// The length of the longest play from a state, if it is at most `most`.
fn longest(definition: &Definition<'_>, state: &[bool], most: u32) -> Option<u32> {
    let mut layer = std::collections::HashSet::from([state.to_vec()]);
    for steps in 0..=most {
        let mut next = std::collections::HashSet::new();
        for state in &layer {
            if definition.payoff(state).is_none() {
                let moves = joint_moves(&definition.legal(state));
                next.extend(moves.iter().map(|moves| definition.next(state, moves)));
            }
        }
        if next.is_empty() {
            return Some(steps);
        }
        layer = next;
    }
    None
}

#[test]
fn horizons_are_those_of_the_longest_plays() {
    let (mut finite, mut endless) = (0, 0);
    for (seed, mut random) in seeds(0, 400) {
        let problem = random_problem(&mut random);
        let definition = Definition::new(&problem);
        let mut engine = Engine::new(problem.clone(), Options::default()).expect("sound");
        let state = engine.initial().to_vec();
        // A play that meets a state twice can go on for ever, so it is longer than any number.
        let expected = longest(&definition, &state, 1 << problem.step.facts.len());
        match engine.horizon(&state, &Limits::default()) {
            Ok(found) => {
                assert_eq!(Some(found), expected, "seed {seed}");
                finite += 1;
                // More steps than plays take change nothing, and take no memory.
                let legal = definition.legal(&state);
                let mut states = vec![(state.clone(), found)];
                if found > 0 && legal.iter().all(|moves| !moves.is_empty()) {
                    let moves: Vec<usize> = legal.iter().map(|moves| moves[0]).collect();
                    states.push((definition.next(&state, &moves), found - 1));
                }
                for (state, steps) in states {
                    let solve = |engine: &mut Engine, steps| {
                        let answer = engine.solve(&state, Some(steps), &Limits::default());
                        answer.expect("a value")
                    };
                    let many = solve(&mut engine, 1_000_000);
                    let mut other =
                        Engine::new(problem.clone(), Options::default()).expect("sound");
                    let enough = solve(&mut other, steps);
                    assert_eq!(many.outcome, enough.outcome, "seed {seed}");
                    let taken = many.statistics.iter().find(|(name, _)| *name == "steps");
                    let is_over = |taken: u64| taken <= u64::from(steps.max(1));
                    assert!(
                        taken.is_some_and(|(_, n)| is_over(*n)),
                        "seed {seed}: {taken:?}"
                    );
                }
            }
            Err(found) => {
                assert_eq!(
                    found,
                    QuestionError::NoHorizon(NoHorizon::Endless),
                    "seed {seed}"
                );
                assert_eq!(expected, None, "seed {seed}");
                endless += 1;
            }
        }
    }
    assert!(finite > 50 && endless > 50, "{finite} {endless}");
}
