//! Beliefs of small processes: the steps that count, limits, and states that cannot be told apart.

mod endless;

use limits::{Limits, StopReason};
use num_rational::BigRational;
use sqasp_partial_information::pomdp::{Ambiguous, Pomdp, PomdpOutcome, PomdpState, solve};

fn outcome(next: u32, observation: u32) -> PomdpOutcome {
    PomdpOutcome { next, observation }
}

fn inner(menu: u32, actions: Vec<Vec<PomdpOutcome>>) -> PomdpState {
    PomdpState::Inner { menu, actions }
}

fn end(payoff: &str) -> PomdpState {
    PomdpState::End(payoff.parse().expect("a fraction"))
}

/// A coin is thrown; waiting tells its side two times of three, and guessing it wins.
fn coin() -> Pomdp {
    let listen = |own, right, wrong| {
        vec![
            outcome(own, right),
            outcome(own, right),
            outcome(own, wrong),
        ]
    };
    Pomdp {
        states: vec![
            inner(0, vec![vec![outcome(1, 0), outcome(2, 0)]]),
            inner(
                1,
                vec![vec![outcome(3, 0)], vec![outcome(4, 0)], listen(1, 0, 1)],
            ),
            inner(
                1,
                vec![vec![outcome(4, 0)], vec![outcome(3, 0)], listen(2, 1, 0)],
            ),
            end("1"),
            end("0"),
        ],
    }
}

fn value(depth: u32) -> String {
    let solution = solve(&coin(), Some(depth), &Limits::default()).expect("clear states");
    let (lower, upper) = solution.bounds();
    assert_eq!(lower, upper);
    assert!(solution.cuts_off());
    lower.to_string()
}

/// The guess is the side heard more often; an even number of times never helps.
#[test]
fn more_steps_are_worth_more() {
    let values = [0, 1, 2, 3, 4, 5, 6].map(value);
    assert_eq!(values, ["0", "0", "1/2", "2/3", "2/3", "20/27", "20/27"]);
}

/// An agent that listens for ever and hears more and more gets as close to 1 as it wants.
#[test]
fn a_limit_leaves_bounds_that_hold() {
    let limits = Limits::with_memory(Some(100_000));
    let solution = solve(&coin(), None, &limits).expect("clear states");
    assert_eq!(solution.stopped(), Some(StopReason::Memory));
    let (lower, upper) = solution.bounds();
    let least: BigRational = "20/27".parse().expect("a fraction");
    assert!(
        lower > least && upper == BigRational::from_integer(1.into()),
        "{lower}"
    );
    let late =
        solve(&coin(), None, &Limits::until(std::time::Instant::now())).expect("clear states");
    assert_eq!(
        (late.stopped(), late.bounds().0),
        (Some(StopReason::Time), BigRational::default())
    );
}

#[test]
fn states_with_different_actions_are_told_apart_by_an_observation() {
    let mut model = coin();
    let PomdpState::Inner { menu, .. } = &mut model.states[2] else {
        unreachable!()
    };
    *menu = 2;
    assert_eq!(
        solve(&model, Some(3), &Limits::default()).err(),
        Some(Ambiguous(1, 2))
    );
    model.states[0] = inner(0, vec![vec![outcome(1, 0), outcome(2, 1)]]);
    let solution = solve(&model, Some(3), &Limits::default()).expect("clear states");
    assert_eq!(solution.bounds().0.to_string(), "1");
    // The start, what is seen then, and the step before nothing more counts.
    assert_eq!(solution.successors(0, 0).count(), 2);
    assert_eq!(solution.best(0), Some(0));
}
