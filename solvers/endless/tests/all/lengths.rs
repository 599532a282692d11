//! Mean numbers of steps: of random games by definition, and of some that are known.
//!
//! The oracle is that of values, with the steps of chains.

use super::lists::{bounds_only, builder, random_family, random_options};
use super::{by_strategies, ends, of_chain, ratio};
use generators::{Cycles, Next, Outcomes, random_cycles, seeds};
use limits::Limits;
use num_rational::BigRational;
use num_traits::Zero;
use sqasp_endless::{Length, Options, QuickSide, lengths};

/// Whether play may go on for ever, and the mean number of steps that count if it may not.
type MeanSteps = (bool, BigRational);

/// By state of a chain.
fn mean_steps(chain: &[&Outcomes], counts: &[bool]) -> Vec<MeanSteps> {
    let mut follows = ends(chain);
    for _ in chain {
        for state in 0..chain.len() {
            let mut outcomes = chain[state].iter();
            follows[state] &= outcomes.all(|(_, next)| match next {
                Next::End(_) => true,
                Next::State(next) => follows[*next],
            });
        }
    }
    let paid = |state: usize| ratio(counts[state].into(), 1);
    let means = of_chain(chain, &follows, paid, |_| BigRational::zero());
    let is_endless = follows.into_iter().map(|follows| !follows);
    is_endless.zip(means).collect()
}

#[test]
fn lengths_are_those_of_the_definition() {
    let (mut finite, mut infinite, mut bounded) = (0, 0, 0);
    for (seed, mut random) in seeds(61_000_000, 600) {
        let states = random.usize(1..5);
        let family = random_family(&mut random, states);
        let cycles = random_cycles(&mut random, &family);
        let counts: Vec<bool> = (0..states).map(|_| random.u8(..4) > 0).collect();
        let options = random_options(&mut random);
        let arena = builder(&cycles)
            .finish(cycles.payoffs.len())
            .expect("a game");
        for quick in [QuickSide::Alternatives, QuickSide::Replies] {
            let at = format!("seed {seed}, {quick:?}, {options:?}\n{counts:?} {cycles:?}");
            let found = lengths(&arena, &counts, quick, &options, &Limits::default());
            let found = found.expect("no limit");
            let is_better = |one: &MeanSteps, other: &MeanSteps| match quick {
                QuickSide::Alternatives => one < other,
                QuickSide::Replies => one > other,
            };
            let expected = by_strategies(&cycles, |chain| mean_steps(chain, &counts), is_better);
            for (state, (length, expected)) in found.lengths.iter().zip(expected).enumerate() {
                let at = format!("{at}\nstate {state}: {length:?}, expected {expected:?}");
                match (length, expected) {
                    (Length::Infinite, (true, _)) => infinite += 1,
                    (Length::Finite { lower, upper }, (false, expected)) => {
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
        "{finite} finite, {infinite} infinite, {bounded} bounded"
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
    let (mut close, mut far) = (0, 0);
    for (seed, mut random) in seeds(62_000_000, 40) {
        let states = random.usize(5..150);
        let family = random_family(&mut random, states);
        let cycles = random_cycles(&mut random, &family);
        let arena = builder(&cycles)
            .finish(cycles.payoffs.len())
            .expect("a game");
        let counts = vec![true; states];
        for quick in [QuickSide::Alternatives, QuickSide::Replies] {
            let solve = |options: &Options| {
                let found = lengths(&arena, &counts, quick, options, &Limits::default());
                found.expect("no limit").lengths
            };
            for (exact, bounds) in solve(&Options::default()).iter().zip(solve(&bounds_only())) {
                let at = format!("seed {seed}, {quick:?}: {family:?}\n{exact:?} {bounds:?}");
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
    assert!(close > 500 && far < close / 20, "{close} close, {far} far");
}
