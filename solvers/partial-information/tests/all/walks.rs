//! Games given as graphs of states: with a table of payoffs and walked through, with and without symmetries.

use fastrand::Rng;
use generators::rounds;
use limits::{Limits, Watch};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use sqasp_partial_information::sequence_form::{
    Options, Play, PlayError, PlayOutcome, PlayState, SequenceSolution, solve,
};
use std::sync::Arc;

/// A random game of a few steps. The states of a step have the same choices. What is seen, and where play goes, depends on differences of choices
/// in even games, which have symmetries therefore, and on anything in odd ones.
fn random_play(seed: u64) -> Vec<PlayState> {
    let random = &mut Rng::with_seed(seed);
    let steps = random.usize(1..4);
    let mut states = Vec::new();
    let width = random.u32(1..4);
    for step in 0..steps {
        let even = 2 + random.u32(..2);
        let choices = match seed % 2 {
            0 => [even; 2],
            _ => [random.u32(1..4), random.u32(1..4)],
        };
        let throws = random.usize(1..4);
        let first = if step == 0 {
            0
        } else {
            1 + (step as u32 - 1) * width
        };
        let next = 1 + step as u32 * width;
        for _ in first..next {
            let mut outcome = || PlayOutcome {
                next: next + random.u32(..width),
                seen: [random.u32(..2), random.u32(..2)],
            };
            let shifts: Vec<PlayOutcome> = (0..even as usize * throws).map(|_| outcome()).collect();
            let mut outcomes = Vec::new();
            for joint in 0..choices[0] * choices[1] {
                let [one, other] = [joint / choices[1], joint % choices[1]];
                let shift = ((one + other) % even) as usize;
                for throw in 0..throws {
                    outcomes.push(match seed % 2 {
                        0 => shifts[shift * throws + throw],
                        _ => outcome(),
                    });
                }
            }
            states.push(PlayState::Stage {
                menus: [step as u32; 2],
                choices,
                throws,
                outcomes,
            });
        }
    }
    for _ in 0..width {
        let payoff = BigRational::new(random.i64(-2..3).into(), random.i64(1..4).into());
        states.push(PlayState::End(payoff));
    }
    states
}

/// The same game after throws that do not matter, whose chances are too long for whole numbers: each step leads to one of two copies.
fn behind_throws(states: &[PlayState]) -> Vec<PlayState> {
    const STEPS: u32 = 12;
    const THROWS: u32 = 97;
    let outcome = |next| PlayOutcome { next, seen: [0; 2] };
    let games = [0, states.len() as u32].map(|first| 2 * STEPS + first);
    let mut all = Vec::new();
    for step in 0..STEPS {
        let next = match step + 1 == STEPS {
            true => games,
            false => [2 * step + 2, 2 * step + 3],
        };
        let outcomes = (0..THROWS).map(|throw| outcome(next[usize::from(throw > 0)]));
        let stage = PlayState::Stage {
            menus: [1000; 2],
            choices: [1; 2],
            throws: THROWS as usize,
            outcomes: outcomes.collect(),
        };
        all.extend([stage.clone(), stage]);
    }
    for first in games {
        let mut copy = states.to_vec();
        for state in &mut copy {
            if let PlayState::Stage { outcomes, .. } = state {
                outcomes
                    .iter_mut()
                    .for_each(|outcome| outcome.next += first);
            }
        }
        all.extend(copy);
    }
    all
}

fn walked(
    states: &[PlayState],
    merge: bool,
    threads: usize,
    options: &Options,
) -> (usize, SequenceSolution) {
    let limits = Limits::default();
    let play = Play::new(states, merge, &mut Watch::new(&limits)).expect("a game");
    let game = Arc::new(play).walked(threads);
    let solution = solve(&game, options, &limits);
    assert!(solution.is_proved(&game));
    (
        game.tree(0).sequences() + game.tree(1).sequences(),
        solution,
    )
}

#[test]
fn walks_prove_bounds_of_the_exact_value() {
    let limits = Limits::default();
    let options = Options {
        width: BigRational::new(BigInt::one(), 1000.into()),
        ..Options::default()
    };
    let (mut smaller, mut mixed) = (0, 0);
    for seed in 0..rounds(100u64) {
        let states = random_play(seed);
        let play = Play::new(&states, false, &mut Watch::new(&limits)).expect("a game");
        let listed = play.listed(&mut Watch::new(&limits)).expect("a small game");
        let exact = solve(&listed, &Options::default(), &limits);
        assert!(exact.is_proved(&listed), "seed {seed}");
        let value = exact.value().expect("a small game");
        let mut sizes = Vec::new();
        for merge in [false, true] {
            let (size, one) = walked(&states, merge, 1, &options);
            let (_, two) = walked(&states, merge, 2, &options);
            assert!(&one.lower <= value && value <= &one.upper, "seed {seed}");
            assert!(&one.upper - &one.lower <= options.width, "seed {seed}");
            assert_eq!(one.plans, two.plans, "seed {seed}");
            sizes.push(size);
            // A plan for walks is one for the table.
            if !merge {
                let bounds = [0, 1].map(|player| one.plans[player].bound(&listed, player));
                assert_eq!(bounds, [one.lower, one.upper], "seed {seed}");
            }
        }
        let (_, rounded) = walked(&behind_throws(&states), true, 2, &options);
        assert!(
            &rounded.lower <= value && value <= &rounded.upper,
            "seed {seed}"
        );
        assert!(
            &rounded.upper - &rounded.lower <= options.width,
            "seed {seed}"
        );
        assert!(sizes[1] <= sizes[0], "seed {seed}");
        smaller += usize::from(sizes[1] < sizes[0]);
        let tree = listed.tree(0);
        let mixture = (tree.sets() > 0)
            .then(|| exact.plans[0].mixture(tree, 0))
            .flatten();
        let is_mixed = |shares: Vec<BigRational>| !shares.iter().any(One::is_one);
        mixed += usize::from(mixture.is_some_and(is_mixed));
    }
    let count = rounds(100usize);
    assert!(
        smaller > count / 4 && mixed > count / 10,
        "{smaller} {mixed}"
    );
}

#[test]
fn players_have_to_know_their_choices() {
    let end = PlayState::End(BigRational::one());
    let stage = |menu: u32, choices: u32, next: &[u32]| PlayState::Stage {
        menus: [0, menu],
        choices: [1, choices],
        throws: next.len() / choices as usize,
        outcomes: next
            .iter()
            .map(|&next| PlayOutcome { next, seen: [0, 0] })
            .collect(),
    };
    let states = [
        stage(0, 1, &[1, 2]),
        stage(1, 1, &[3]),
        stage(2, 2, &[3, 4]),
        end.clone(),
        end,
    ];
    let limits = Limits::default();
    let refused = Play::new(&states, false, &mut Watch::new(&limits)).err();
    let ambiguous = PlayError::Ambiguous {
        player: 1,
        states: [1, 2],
    };
    assert_eq!(refused, Some(ambiguous));
    // Where nothing depends on them players need not know their choices.
    let play = Play::new(&states, true, &mut Watch::new(&limits)).expect("a game");
    let solution = solve(&Arc::new(play).walked(1), &Options::default(), &limits);
    assert!(solution.lower.is_one() && solution.upper.is_one());
}
