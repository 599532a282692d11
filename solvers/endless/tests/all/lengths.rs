//! Mean numbers of steps: of random games by definition, and of some that are known.
//!
//! The oracle lists all pairs of strategies that look at the state only, and values each chain by elimination in fractions.

use super::lists::{builder, random_family, random_options};
use super::{advance, eliminate, ratio};
use fastrand::Rng;
use generators::{Cycles, Next, Outcomes, random_cycles, rounds};
use limits::Limits;
use num_rational::BigRational;
use num_traits::{One, Zero};
use sqasp_endless::{Length, Options, QuickSide, lengths};

/// The mean number of steps in a chain from each state, of those that count; nothing where play may go on for ever.
fn of_chain(chain: &[&Outcomes], counts: &[bool]) -> Vec<Option<BigRational>> {
    let size = chain.len();
    let targets = |state: usize| {
        chain[state].iter().filter_map(|(_, next)| match next {
            Next::State(next) => Some(*next),
            Next::End(_) => None,
        })
    };
    let mut ends: Vec<bool> = vec![false; size];
    let mut endless: Vec<bool> = vec![false; size];
    for _ in 0..size {
        for state in 0..size {
            ends[state] |= targets(state).count() < chain[state].len()
                || targets(state).any(|next| ends[next]);
        }
    }
    for _ in 0..=size {
        for state in 0..size {
            endless[state] |= !ends[state] || targets(state).any(|next| endless[next]);
        }
    }
    let mut rows = vec![vec![BigRational::zero(); size + 1]; size];
    for (state, row) in rows.iter_mut().enumerate() {
        row[state] = BigRational::one();
        if endless[state] {
            continue;
        }
        let total: u64 = chain[state].iter().map(|(weight, _)| weight).sum();
        if counts[state] {
            row[size] = BigRational::one();
        }
        for &(weight, next) in chain[state] {
            if let Next::State(next) = next {
                row[next] -= ratio(weight, total);
            }
        }
    }
    let values = eliminate(rows).into_iter().zip(endless);
    values
        .map(|(value, endless)| (!endless).then_some(value))
        .collect()
}

/// Whether a length is less; nothing is infinite.
fn is_less(one: &Option<BigRational>, other: &Option<BigRational>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one < other,
        (one, _) => one.is_some(),
    }
}

/// By state: the best that one side can do, by trying all pairs of strategies.
fn by_definition(cycles: &Cycles, counts: &[bool], quick: QuickSide) -> Vec<Option<BigRational>> {
    let states = cycles.states.len();
    let alternatives: Vec<usize> = cycles.states.iter().map(Vec::len).collect();
    let mut chosen = vec![0; states];
    let mut best: Vec<Option<Option<BigRational>>> = vec![None; states];
    loop {
        let rows = cycles.states.iter().zip(&chosen);
        let rows: Vec<&Vec<Outcomes>> = rows.map(|(state, &choice)| &state[choice]).collect();
        let replies: Vec<usize> = rows.iter().map(|row| row.len()).collect();
        let mut answers = vec![0; states];
        let mut worst: Vec<Option<Option<BigRational>>> = vec![None; states];
        loop {
            let chain = rows.iter().zip(&answers);
            let chain: Vec<&Outcomes> = chain.map(|(row, &reply)| &row[reply]).collect();
            for (worst, value) in worst.iter_mut().zip(of_chain(&chain, counts)) {
                let replaces = |known: &Option<BigRational>| match quick {
                    QuickSide::Alternatives => is_less(known, &value),
                    QuickSide::Replies => is_less(&value, known),
                };
                if worst.as_ref().is_none_or(replaces) {
                    *worst = Some(value);
                }
            }
            if !advance(&mut answers, &replies) {
                break;
            }
        }
        for (best, value) in best.iter_mut().zip(worst) {
            let value = value.expect("there is a reply");
            let replaces = |known: &Option<BigRational>| match quick {
                QuickSide::Alternatives => is_less(&value, known),
                QuickSide::Replies => is_less(known, &value),
            };
            if best.as_ref().is_none_or(replaces) {
                *best = Some(value);
            }
        }
        if !advance(&mut chosen, &alternatives) {
            return best
                .into_iter()
                .map(|it| it.expect("there is a choice"))
                .collect();
        }
    }
}

#[test]
fn lengths_are_those_of_the_definition() {
    let seed = 61;
    let mut random = Rng::with_seed(seed);
    let (mut finite, mut infinite, mut bounded) = (0, 0, 0);
    for round in 0..rounds(600) {
        let states = random.usize(1..5);
        let family = random_family(&mut random, states);
        let cycles = random_cycles(&mut random, &family);
        let counts: Vec<bool> = (0..states).map(|_| random.u8(..4) > 0).collect();
        let options = random_options(&mut random);
        let arena = builder(&cycles)
            .finish(cycles.payoffs.len())
            .expect("a game");
        for quick in [QuickSide::Alternatives, QuickSide::Replies] {
            let at = format!(
                "seed {seed}, round {round}, {quick:?}, {options:?}\n{counts:?} {cycles:?}"
            );
            let found = lengths(&arena, &counts, quick, &options, &Limits::default());
            let found = found.expect("no limit");
            let expected = by_definition(&cycles, &counts, quick);
            for (state, (length, expected)) in found.lengths.iter().zip(expected).enumerate() {
                let at = format!("{at}\nstate {state}: {length:?}, expected {expected:?}");
                match (length, expected) {
                    (Length::Infinite, None) => infinite += 1,
                    (Length::Finite { lower, upper }, Some(expected)) => {
                        assert!(*lower <= expected, "{at}");
                        assert!(
                            upper.as_ref().is_none_or(|upper| *upper >= expected),
                            "{at}"
                        );
                        if options.exact_work > 1000 {
                            assert_eq!(length.value(), Some(&expected), "{at}");
                        }
                        finite += u32::from(length.value().is_some());
                        bounded += u32::from(length.value().is_none());
                    }
                    _ => panic!("{at}"),
                }
            }
        }
    }
    assert!(
        finite > 500 && infinite > 100 && bounded > 50,
        "seed {seed}: {finite} finite, {infinite} infinite, {bounded} bounded"
    );
}

/// Collecting all faces of a die takes 147/10 throws on the average, and a side that gains by waiting waits for ever.
#[test]
fn coupons_are_collected_as_the_formula_says() {
    let state = |faces: usize| {
        let more = match faces + 1 {
            6 => Next::End(0),
            more => Next::State(more),
        };
        vec![vec![vec![
            (6 - faces as u64, more),
            (faces as u64, Next::State(faces)),
        ]]]
    };
    let mut states: Vec<_> = (0..6).map(state).collect();
    // Waits, or begins.
    states.push(vec![
        vec![vec![(1, Next::State(6))]],
        vec![vec![(1, Next::State(0))]],
    ]);
    let cycles = Cycles {
        states,
        payoffs: vec![(1, 1)],
    };
    let arena = builder(&cycles).finish(1).expect("a game");
    for (quick, expected) in [
        (QuickSide::Alternatives, Some(ratio(157, 10))),
        (QuickSide::Replies, None),
    ] {
        let found = lengths(
            &arena,
            &[true; 7],
            quick,
            &Options::default(),
            &Limits::default(),
        );
        let found = found.expect("no limit");
        assert_eq!(found.lengths[0].value(), Some(&ratio(147, 10)));
        assert_eq!(found.lengths[6].value(), expected.as_ref());
    }
}

/// Without exact values, bounds are close in larger games.
#[test]
fn exact_lengths_lie_between_close_bounds_in_larger_games() {
    let seed = 62;
    let mut random = Rng::with_seed(seed);
    let (mut close, mut far) = (0, 0);
    for round in 0..rounds(40) {
        let states = random.usize(5..150);
        let family = random_family(&mut random, states);
        let cycles = random_cycles(&mut random, &family);
        let arena = builder(&cycles)
            .finish(cycles.payoffs.len())
            .expect("a game");
        let counts = vec![true; states];
        let bounds_only = Options {
            exact_work: 0,
            ..Options::default()
        };
        for quick in [QuickSide::Alternatives, QuickSide::Replies] {
            let solve = |options: &Options| {
                let found = lengths(&arena, &counts, quick, options, &Limits::default());
                found.expect("no limit").lengths
            };
            for (exact, bounds) in solve(&Options::default()).iter().zip(solve(&bounds_only)) {
                let at = format!(
                    "seed {seed}, round {round}, {quick:?}: {family:?}\n{exact:?} {bounds:?}"
                );
                match bounds {
                    Length::Infinite => assert_eq!(exact, &Length::Infinite, "{at}"),
                    Length::Finite { lower, upper } => {
                        let value = exact.value().expect("small games are solved exactly");
                        let upper = upper.expect("an upper bound");
                        assert!(lower <= *value && *value <= upper, "{at}");
                        let is_close = (&upper - &lower) * ratio(1_000_000, 1) <= *value;
                        far += u32::from(!is_close);
                        close += u32::from(is_close);
                    }
                }
            }
        }
    }
    assert!(
        close > 500 && far < close / 20,
        "seed {seed}: {close} close, {far} far"
    );
}
