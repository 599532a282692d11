//! Concurrent games against the definition, and against numbers that bound endless ones from both sides.

mod matrices;
mod supports;

use fastrand::Rng;
use generators::seeds;
use limits::{Interrupt, Limits, StopReason};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use sqasp_matrix::{ConcurrentGame, ConcurrentSolution, Options, Stage, StageError, solve};
use std::time::Duration;
use supports::value_by_supports;

/// A state is a number: of a payoff, or of a stage.
#[derive(Clone, Debug)]
enum Place {
    End(BigRational),
    Stage(Stage<usize>),
}

#[derive(Clone, Debug)]
struct Listed(Vec<Place>);

impl ConcurrentGame for Listed {
    type State = usize;
    type Payoff = BigRational;
    type Error = String;

    fn payoff(&mut self, state: &usize) -> Result<Option<BigRational>, StageError<String>> {
        match &self.0[*state] {
            Place::End(payoff) => Ok(Some(payoff.clone())),
            Place::Stage(_) => Ok(None),
        }
    }

    fn stage(&mut self, state: &usize, _: &Limits) -> Result<Stage<usize>, StageError<String>> {
        match &self.0[*state] {
            Place::Stage(stage) if stage.columns > 0 => Ok(stage.clone()),
            _ => Err(StageError::Failed(format!("no stage at {state}"))),
        }
    }
}

fn fraction(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

/// The value by definition. Long fractions are cut towards 0, which gives lower bounds.
fn by_definition(game: &Listed, steps: u32, cut: Option<u32>) -> Vec<BigRational> {
    let end = |place: &Place| match place {
        Place::End(payoff) => payoff.clone(),
        Place::Stage(_) => BigRational::zero(),
    };
    let mut values: Vec<BigRational> = game.0.iter().map(end).collect();
    for _ in 0..steps {
        let one_step = |place: &Place| {
            let Place::Stage(stage) = place else {
                return end(place);
            };
            let mean = |cell: &Vec<(usize, u64)>| {
                let whole: u64 = cell.iter().map(|(_, weight)| weight).sum();
                let sum = cell
                    .iter()
                    .map(|(next, weight)| &values[*next] * BigInt::from(*weight));
                sum.sum::<BigRational>() / BigInt::from(whole)
            };
            let rows: Vec<Vec<BigRational>> = stage
                .cells
                .chunks(stage.columns)
                .map(|row| row.iter().map(mean).collect())
                .collect();
            let value = value_by_supports(&rows);
            match cut {
                Some(bits) => BigRational::new(
                    (value * (BigInt::one() << bits)).to_integer(),
                    BigInt::one() << bits,
                ),
                None => value,
            }
        };
        values = game.0.iter().map(one_step).collect();
    }
    values
}

/// A game whose stages lead to the states that `next` gives for a stage.
fn random_game(random: &mut Rng, stages: usize, next: impl Fn(&mut Rng, usize) -> usize) -> Listed {
    let mut places: Vec<Place> = Vec::new();
    for state in 0..stages {
        let (rows, columns) = (random.usize(1..=3), random.usize(1..=3));
        let total = random.u64(1..=3);
        let mut cell = || (0..total).map(|_| (next(random, state), 1)).collect();
        let cells = (0..rows * columns).map(|_| cell()).collect();
        places.push(Place::Stage(Stage { columns, cells }));
    }
    for payoff in 0..4 {
        places.push(Place::End(fraction(payoff, 3)));
    }
    Listed(places)
}

fn answer(game: &Listed, depth: Option<u32>) -> ConcurrentSolution<usize> {
    answer_within(game, depth, 9, &Limits::default())
}

fn answer_within(
    game: &Listed,
    depth: Option<u32>,
    digits: u32,
    limits: &Limits,
) -> ConcurrentSolution<usize> {
    let found = solve(&mut game.clone(), 0, depth, &Options { digits }, limits);
    found.expect("all states have stages")
}

#[test]
fn bounded_plays_have_the_value_of_the_definition() {
    for (seed, ref mut random) in seeds(0, 300) {
        let stages = random.usize(1..6);
        // Forwards only, or anywhere.
        let forwards = random.bool();
        let game = random_game(random, stages, |random, state| match forwards {
            true => random.usize(state + 1..stages + 4),
            false => random.usize(0..stages + 4),
        });
        for depth in 0..4 {
            let expected = &by_definition(&game, depth, None)[0];
            let found = answer(&game, Some(depth));
            let context = format!("seed {seed}, {depth} steps, {game:?}");
            assert_eq!(
                found.bounds(),
                (expected.clone(), expected.clone()),
                "{context}"
            );
            check_play(&found, depth, &context);
        }
        if forwards {
            let expected = &by_definition(&game, 6, None)[0];
            assert_eq!(&answer(&game, None).bounds().0, expected, "seed {seed}");
            assert!(!answer(&game, Some(6)).cuts_off());
        }
    }
}

/// The mixtures at the start get the value against all that the other side can do.
fn check_play(found: &ConcurrentSolution<usize>, depth: u32, context: &str) {
    let Some(play) = found.play(0, Some(depth)) else {
        assert!(depth == 0 || found.cells(0).next().is_none(), "{context}");
        return;
    };
    assert_eq!(play.bounds, found.bounds(), "{context}");
    let best = play.row_values.iter().map(|(lower, _)| lower).max();
    assert_eq!(best, Some(&play.bounds.0), "{context}");
    let mean: BigRational = play
        .rows
        .iter()
        .zip(&play.row_values)
        .map(|(share, (value, _))| share * value)
        .sum();
    assert_eq!(mean, play.bounds.0, "{context}");
    assert!(play.rows.iter().sum::<BigRational>().is_one());
    assert!(play.columns.iter().sum::<BigRational>().is_one());
}

/// Each step ends play with a probability of at least 1/4, so values of many steps are close from below, by a known distance.
#[test]
fn endless_games_that_end_are_bounded_closely() {
    for (seed, ref mut random) in seeds(0, 25) {
        let stages = random.usize(1..4);
        let mut game = random_game(random, stages, |random, _| random.usize(0..stages + 4));
        for place in &mut game.0 {
            let Place::Stage(stage) = place else { continue };
            for cell in &mut stage.cells {
                cell.push((stages + random.usize(0..4), 1));
            }
        }
        let (lower, upper) = answer(&game, None).bounds();
        // (3/4)^100 < 10^-12
        let near = &by_definition(&game, 100, Some(64))[0];
        let (small, context) = (
            fraction(1, 1_000_000_000),
            format!("seed {seed}, {lower} {upper}, {game:?}"),
        );
        assert!(*near <= upper && lower <= near + &small, "{context}");
        assert!(&upper - &lower <= small, "{context}");
    }
}

/// Bounds of any game agree with values of many steps, and with the same game for the other side.
#[test]
fn endless_games_have_right_bounds() {
    let (mut exact, mut all) = (0, 0);
    for (seed, ref mut random) in seeds(0, 40) {
        let stages = random.usize(1..5);
        let game = random_game(random, stages, |random, _| random.usize(0..stages + 4));
        let (lower, upper) = answer(&game, None).bounds();
        let context = format!("seed {seed}, {lower} {upper}, {game:?}");
        let below = &by_definition(&game, 60, Some(64))[0];
        assert!(lower <= upper && *below <= upper, "{context}");
        let other = Listed(game.0.iter().map(turned).collect());
        // While there is time more and more rounds are tried.
        let hour = Limits::default().within(Duration::from_secs(3600));
        let (other_lower, _) = answer_within(&other, None, 12, &hour).bounds();
        assert!(&lower + &other_lower <= BigRational::one(), "{context}");
        all += 1;
        exact += usize::from(lower == upper);
        let width = (upper - lower).to_f64().expect("a number");
        assert!(width < 0.05, "{context}");
    }
    assert!(2 * exact > all, "{exact} of {all} are exact");
}

/// The sets of states of value 1 agree with bounds of mixtures, which know nothing of them, and with the other side.
#[test]
fn values_of_one_are_known() {
    let (mut reached, mut unreached) = (0, 0);
    for (seed, ref mut random) in seeds(0, 400) {
        let stages = random.usize(1..4);
        let ends = [stages, stages + 3, stages + 3];
        let game = random_game(random, stages, |random, _| {
            match random.usize(0..stages + 3) {
                state if state < stages => state,
                end => ends[end - stages],
            }
        });
        let found = answer(&game, None);
        let (lower, upper) = found.guaranteed();
        let context = format!("seed {seed}, {lower} {upper}, {game:?}");
        let is_one = found.bounds().0.is_one();
        assert_eq!(is_one && !lower.is_one(), found.is_unreached(), "{context}");
        let other = Listed(game.0.iter().map(turned).collect());
        if is_one {
            assert!(upper.is_one(), "{context}");
            assert!(answer(&other, None).bounds().0.is_zero(), "{context}");
        } else {
            assert!(upper < BigRational::one(), "{context}");
        }
        reached += usize::from(lower.is_one());
        unreached += usize::from(found.is_unreached());
    }
    assert!(reached > 20 && unreached > 5, "{reached} {unreached}");
}

/// The game of the column side.
fn turned(place: &Place) -> Place {
    match place {
        Place::End(payoff) => Place::End(BigRational::one() - payoff),
        Place::Stage(Stage { columns, cells }) => {
            let rows = cells.len() / columns;
            let cell = |number: usize| cells[number % rows * columns + number / rows].clone();
            Place::Stage(Stage {
                columns: rows,
                cells: (0..cells.len()).map(cell).collect(),
            })
        }
    }
}

/// One stage, whose cells lead back to it, to a loss or a win.
fn one_stage(columns: usize, cells: &[&[(usize, u64)]]) -> Listed {
    let cells = cells.iter().map(|cell| cell.to_vec()).collect();
    Listed(vec![
        Place::Stage(Stage { columns, cells }),
        Place::End(BigRational::zero()),
        Place::End(BigRational::one()),
    ])
}

const AGAIN: (usize, u64) = (0, 1);
const LOSS: (usize, u64) = (1, 1);
const WIN: (usize, u64) = (2, 1);

#[test]
fn known_endless_games_come_out() {
    // Rock, paper, scissors until a player wins.
    let game = one_stage(
        3,
        &[
            &[AGAIN],
            &[LOSS],
            &[WIN],
            &[WIN],
            &[AGAIN],
            &[LOSS],
            &[LOSS],
            &[WIN],
            &[AGAIN],
        ],
    );
    assert_eq!(
        answer(&game, None).bounds(),
        (fraction(1, 2), fraction(1, 2))
    );
    let play = answer(&game, None).play(0, None).expect("a mixture");
    assert_eq!(play.rows, vec![fraction(1, 3); 3]);
    // v is the value of ((v/2, 1), (1, 0)): v = 1 / (2 - v/2), which is 2 minus the root of 2.
    let game = one_stage(2, &[&[AGAIN, LOSS], &[(2, 2)], &[(2, 2)], &[(1, 2)]]);
    let (lower, upper) = answer(&game, None).bounds();
    let rest = |bound: &BigRational| fraction(2, 1) - bound;
    assert!(rest(&lower) * rest(&lower) > fraction(2, 1), "{lower}");
    assert!(rest(&upper) * rest(&upper) < fraction(2, 1), "{upper}");
    assert!(upper - lower < fraction(1, 1_000_000_000));
    let (lower, upper) = answer_within(&game, None, 14, &Limits::default()).bounds();
    assert!(upper - lower < fraction(1, 100_000_000_000_000));
    // Hide or run: worth 1, though no strategy guarantees that.
    let game = one_stage(2, &[&[AGAIN], &[WIN], &[WIN], &[LOSS]]);
    let found = answer(&game, None);
    let (lower, upper) = found.guaranteed();
    assert!(
        lower > fraction(9, 10) && lower < fraction(1, 1) && upper == fraction(1, 1),
        "{lower} {upper}"
    );
    assert_eq!(found.bounds(), (fraction(1, 1), fraction(1, 1)));
    assert!(found.is_unreached());
    // The same after a coin has fallen right: worth 1/2.
    let Listed(mut places) = game;
    let coin = vec![vec![AGAIN, LOSS]];
    places.push(Place::Stage(Stage {
        columns: 1,
        cells: coin,
    }));
    let start = places.len() - 1;
    let mut game = Listed(places);
    let found = solve(
        &mut game,
        start,
        None,
        &Options::default(),
        &Limits::default(),
    );
    let found = found.expect("a value");
    assert_eq!(found.bounds(), (fraction(1, 2), fraction(1, 2)));
    assert!(found.guaranteed().0 < fraction(1, 2) && found.is_unreached());
    // Both can wait for ever.
    let game = one_stage(2, &[&[AGAIN], &[LOSS], &[LOSS], &[LOSS]]);
    assert!(answer(&game, None).bounds().1.is_zero());
}

#[test]
fn limits_leave_bounds() {
    // 2^20 states in a row of choices that all matter.
    struct Counting;
    impl ConcurrentGame for Counting {
        type State = (u32, u32);
        type Payoff = BigRational;
        type Error = String;

        fn payoff(
            &mut self,
            &(depth, number): &(u32, u32),
        ) -> Result<Option<BigRational>, StageError<String>> {
            Ok((depth == 20).then(|| fraction(i64::from(number.count_ones()), 20)))
        }

        fn stage(
            &mut self,
            &(depth, number): &(u32, u32),
            _: &Limits,
        ) -> Result<Stage<(u32, u32)>, StageError<String>> {
            // One of two plays is over, with 1/2.
            let next = |bit: u32| vec![((depth + 1, 2 * number + bit), 1), ((20, 1023), 1)];
            let cells = vec![next(0), next(1), next(1), next(0)];
            Ok(Stage { columns: 2, cells })
        }
    }
    let run = |limits: &Limits| {
        let found =
            solve(&mut Counting, (0, 0), Some(20), &Options::default(), limits).expect("a bound");
        let (lower, upper) = found.bounds();
        assert!(
            lower <= fraction(1, 2) && fraction(1, 2) <= upper,
            "{lower} {upper}"
        );
        (found.stopped(), upper - lower)
    };
    let memory = Limits::with_memory(Some(1_000_000));
    let (stopped, width) = run(&memory);
    assert_eq!(stopped, Some(StopReason::Memory));
    assert!(width < fraction(1, 1), "{width}");
    let time = Limits::default().within(Duration::from_millis(50));
    assert_eq!(run(&time).0, Some(StopReason::Time));
    let interrupt = Interrupt::default();
    interrupt.raise();
    let interrupted = Limits {
        interrupt,
        ..Limits::default()
    };
    assert_eq!(run(&interrupted).0, Some(StopReason::Interrupted));
}

#[test]
fn states_without_a_stage_are_told() {
    let wrong = Stage {
        columns: 0,
        cells: Vec::new(),
    };
    let mut game = Listed(vec![Place::Stage(wrong)]);
    let found = solve(
        &mut game,
        0,
        Some(3),
        &Options::default(),
        &Limits::default(),
    );
    assert_eq!(found.err(), Some("no stage at 0".to_owned()));
}
