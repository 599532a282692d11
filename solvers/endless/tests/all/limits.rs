//! Limits leave bounds, and lists that are no games are refused.

use super::lists::{bounds_only, builder, game, random_family};
use super::proof::prove;
use super::{ratio, waiting};
use fastrand::Rng;
use generators::{Cycles, Next, Outcomes, RandomCycles, random_cycles, seeds};
use limits::{Limits, Publisher, StopReason};
use sqasp_endless::{ArenaError, GameGraph, Options, Solution, Target, solve, solve_publishing};

#[test]
fn limits_leave_proved_bounds() {
    let mut reasons = [0; 2];
    for (seed, mut random) in seeds(44_000_000, 60) {
        let states = random.usize(1..60);
        let family = random_family(&mut random, states);
        let cycles = random_cycles(&mut random, &family);
        let game = game(&cycles);
        let exact = solve(&game, &Options::default(), &Limits::default());
        let limits = Limits {
            memory: random.bool().then(|| random.u64(..30_000)),
            ..Limits::after_checks(1 << random.u32(..12))
        };
        let at = format!("seed {seed}: {limits:?}, {family:?}");
        let solution = solve(&game, &Options::default(), &limits);
        assert_eq!(prove(&solution, &game), Ok(()), "{at}");
        for state in 0..states {
            let value = exact.value(state).expect("small games are solved exactly");
            let (lower, upper) = solution.bounds(state);
            assert!(lower <= value && value <= upper, "{at}\nstate {state}");
        }
        let stopped = solution.stopped;
        go_on(&game, &exact, solution, &mut random);
        match stopped {
            Some(StopReason::Memory) => reasons[0] += 1,
            Some(StopReason::Interrupted) => reasons[1] += 1,
            Some(other) => panic!("{at}: {other:?}"),
            None => {}
        }
    }
    assert!(reasons.iter().all(|&count| count > 3), "{reasons:?}");
}

/// Goes on from what a limit left, until the end: every solution on the way is proved, and without a limit of fractions all is exact.
fn go_on(game: &GameGraph, exact: &Solution, mut solution: Solution, random: &mut Rng) {
    let mut known = solution.statistics.exact;
    let is_short = random.u32(..3) == 0;
    let options = Options {
        exact_work: match is_short {
            true => random.u64(..5_000),
            false => Options::default().exact_work,
        },
        ..Options::default()
    };
    if is_short {
        solution = solve(game, &options, &Limits::after_checks(random.u64(..100)));
        known = solution.statistics.exact;
    }
    for checks in [random.u64(..20), random.u64(..200), u64::MAX] {
        let limits = Limits::after_checks(checks);
        let before = Some(solution);
        solution = solve_publishing(game, before, &options, &limits, &Publisher::default());
        assert_eq!(prove(&solution, game), Ok(()));
        assert!(solution.statistics.exact >= known, "no value is lost");
        known = solution.statistics.exact;
    }
    for state in 0..game.arena().states() {
        let value = exact.value(state).expect("small games are solved exactly");
        let (lower, upper) = solution.bounds(state);
        assert!(lower <= value && value <= upper);
        assert!(is_short || lower == upper);
    }
}

/// A component that is too large for the work that is allowed has close bounds long before it is solved.
#[test]
fn bounds_are_close_before_all_is_solved() {
    let family = RandomCycles {
        states: 20_000,
        choices: [3, 3, 4],
        ends: 10,
        max_weight: 6,
        reach: 0,
    };
    let game = game(&random_cycles(&mut Rng::with_seed(1), &family));
    let mut checks = 100;
    loop {
        let limits = Limits::after_checks(checks);
        let solution = solve(&game, &bounds_only(), &limits);
        prove(&solution, &game).expect("bounds are proved");
        assert!(solution.stopped.is_some(), "solved without close bounds");
        let (lower, upper) = solution.bounds(0);
        if upper - lower < ratio(1, 100) {
            break;
        }
        checks += checks / 2;
    }
}

#[test]
fn what_is_no_game_is_refused() {
    let one = |cycles: Vec<Vec<Vec<Outcomes>>>| {
        let payoffs = vec![(1, 1)];
        builder(&Cycles {
            states: cycles,
            payoffs,
        })
        .finish(1)
        .map(|_| ())
    };
    assert_eq!(
        one(vec![vec![]]),
        Err(ArenaError::NoAlternative { state: 0 })
    );
    assert_eq!(
        one(vec![vec![vec![]]]),
        Err(ArenaError::NoOutcome { state: 0 })
    );
    assert_eq!(
        one(vec![vec![vec![vec![]]]]),
        Err(ArenaError::NoOutcome { state: 0 })
    );
    let outcome = |weight, next| one(vec![vec![vec![vec![(weight, next), (1, next)]]]]);
    let target = Target::State(1);
    assert_eq!(
        outcome(1, Next::State(1)),
        Err(ArenaError::Target { state: 0, target })
    );
    let target = Target::End(1);
    assert_eq!(
        outcome(1, Next::End(1)),
        Err(ArenaError::Target { state: 0, target })
    );
    assert_eq!(
        outcome(u64::MAX, Next::End(0)),
        Err(ArenaError::Weights { state: 0 })
    );
    assert_eq!(outcome(0, Next::End(0)), Ok(()));
    let arena = builder(&waiting()).finish(2).expect("a game");
    for payoffs in [
        vec![ratio(1, 1)],
        vec![ratio(1, 1), ratio(3, 2)],
        vec![ratio(0, 1); 3],
    ] {
        assert!(GameGraph::new(arena.clone(), payoffs).is_err());
    }
}
