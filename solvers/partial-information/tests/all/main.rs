//! Games with hidden information against oracles that share nothing with the solver.

mod games;
mod outline;
mod pomdp;
mod pure_strategies;
#[path = "../../src/sequence_form/shares.rs"]
mod shares;
mod walks;

use fastrand::Rng;
use generators::{rounds, seeds};
use limits::{Limits, StopReason};
use num_rational::BigRational;
use outline::Outline;
use sqasp_partial_information::sequence_form::{GameError, Options, SequenceSolution, solve};
use std::time::Duration;

fn solved(outline: &Outline, context: &str) -> SequenceSolution {
    let game = outline.build().expect("small numbers");
    let solution = solve(&game, &Options::default(), &Limits::default());
    assert!(solution.is_proved(&game), "{context}");
    assert!(
        solution.value().is_some(),
        "{context}: {:?}",
        solution.statistics
    );
    solution
}

/// Play from a node on, where what the players know is chosen at random.
fn grow(
    outline: &mut Outline,
    random: &mut Rng,
    depth: u32,
    sequences: [u32; 2],
    payoffs: i64,
    weight: i64,
) {
    if depth == 0 || random.u8(..8) == 0 {
        return outline.end(sequences, weight * random.i64(-payoffs..=payoffs));
    }
    match random.usize(..5) {
        0 => {
            let outcomes = random.i64(1..3);
            for _ in 0..outcomes {
                let weight = weight * random.i64(1..3);
                grow(outline, random, depth - 1, sequences, payoffs, weight);
            }
        }
        one => {
            let player = one % 2;
            // A player knows all own moves, and sometimes a bit more.
            let sequence = sequences[player];
            let mut knowledge = sequence.to_le_bytes().to_vec();
            knowledge.push(random.u8(..3));
            let sets = outline.sets[player].len();
            let wanted = random.u32(1..4);
            let first = outline.moves(player, sequence, &knowledge, wanted);
            let moves = match outline.sets[player].len() > sets {
                true => wanted,
                false => outline.move_count(player, first),
            };
            for index in 0..moves {
                let mut sequences = sequences;
                sequences[player] = first + index;
                grow(outline, random, depth - 1, sequences, payoffs, weight);
            }
        }
    }
}

/// A game with at most 60 pure strategies of each player.
fn random_game(random: &mut Rng) -> Outline {
    loop {
        let mut outline = Outline::new(random.u32(1..10));
        let depth = random.u32(0..8);
        let payoffs = [1, 2, 10, 1_000_000, 1 << 40][random.usize(..5)];
        grow(&mut outline, random, depth, [0, 0], payoffs, 1);
        if outline.strategy_counts().iter().all(|&count| count <= 60) {
            return outline;
        }
    }
}

#[test]
fn values_are_those_of_pure_strategies() {
    for seed in 0..rounds(300u64) {
        let outline = random_game(&mut Rng::with_seed(seed));
        let solution = solved(&outline, &format!("seed {seed}"));
        assert_eq!(solution.value(), Some(&outline.value()), "seed {seed}");
    }
}

/// The oracle is too slow for them, but a value with two exact best responses needs none.
#[test]
fn larger_games_are_proved() {
    let mut largest = 0;
    for (seed, ref mut random) in seeds(0, 40) {
        let mut outline = Outline::new(random.u32(1..10));
        let payoffs = [1, 2, 10, 1_000_000, 1 << 40][random.usize(..5)];
        for _ in 0..random.u8(1..20) {
            let depth = random.u32(6..12);
            grow(&mut outline, random, depth, [0, 0], payoffs, 1);
        }
        solved(&outline, &format!("seed {seed}"));
        let sequences = outline.sets.iter().flatten().map(|(_, moves)| moves);
        largest = largest.max(sequences.sum());
    }
    assert!(largest > 500, "{largest}");
}

fn fraction(text: &str) -> BigRational {
    text.parse().expect("a fraction")
}

#[test]
fn known_games_have_their_values() {
    // Two players with a coin each, where heads are worth 3.
    let mut pennies = Outline::new(1);
    let [row, column] = [0, 1].map(|player| pennies.moves(player, 0, &[], 2));
    for (index, payoff) in [3, -1, -1, 1].into_iter().enumerate() {
        pennies.end([row + index as u32 / 2, column + index as u32 % 2], payoff);
    }
    let leduc = "-1454920850547486749701863871533/16995463438839962469905132501930";
    for (outline, value) in [
        (pennies, "1/3"),
        (games::kuhn(3), "-1/18"),
        // Known as -0.0856064.
        (games::leduc(false), leduc),
        (games::leduc(true), leduc),
    ] {
        assert_eq!(solved(&outline, value).lower, fraction(value));
    }
}

/// Games for which dictionaries begin with few sequences.
#[test]
fn double_oracles_end_with_the_value() {
    for (sides, value) in [(3, "1/9"), (4, "1/16"), (5, "1/125")] {
        assert_eq!(
            solved(&games::liars_dice(sides), value).lower,
            fraction(value)
        );
    }
}

#[test]
fn trees_without_choices_have_values() {
    let empty = Outline::new(1);
    assert_eq!(solved(&empty, "empty").lower, fraction("0"));
    let mut leaf = Outline::new(6);
    leaf.end([0, 0], 4);
    leaf.end([0, 0], -7);
    assert_eq!(solved(&leaf, "leaf").lower, fraction("-1/2"));
    // One player alone, with sets without payoffs and sets of one move in a row.
    for player in [0, 1] {
        let mut one_sided = Outline::new(2);
        let mut sequences = [0, 0];
        for set in 0..5 {
            sequences[player] = one_sided.moves(player, sequences[player], &[set], 1);
        }
        let first = one_sided.moves(player, sequences[player], &[5], 3);
        one_sided.moves(player, first, &[6], 2);
        for index in 0..3 {
            sequences[player] = first + index;
            one_sided.end(sequences, i64::from(index) - 7);
        }
        let value = ["-5/2", "-7/2"][player];
        assert_eq!(solved(&one_sided, value).lower, fraction(value));
    }
}

/// Whatever limit is reached: the bounds are proved, and they include the value.
#[test]
fn limits_leave_proved_bounds() {
    let game = games::leduc(false).build().expect("small numbers");
    let exact = solve(&game, &Options::default(), &Limits::default());
    let value = exact.value().expect("a value").clone();
    let bounds_only = Options {
        exact_work: 0,
        ..Options::default()
    };
    for checks in [0, 20] {
        let solution = solve(&game, &bounds_only, &Limits::after_checks(checks));
        assert!(solution.is_proved(&game) && solution.stopped == Some(StopReason::Interrupted));
        assert!(solution.lower <= value && value <= solution.upper);
    }
    let late = solve(
        &game,
        &bounds_only,
        &Limits::default().within(Duration::ZERO),
    );
    assert!(late.is_proved(&game) && late.stopped == Some(StopReason::Time));
    let limits = Limits::with_memory(Some(1000));
    let solution = solve(&game, &Options::default(), &limits);
    assert!(solution.is_proved(&game) && solution.stopped == Some(StopReason::Memory));
}

/// Bounds of any width can be had, and without an exact value they end where rounding begins to matter.
#[test]
fn bounds_close_in() {
    let game = games::kuhn(5).build().expect("small numbers");
    let exact = solve(&game, &Options::default(), &Limits::default());
    let value = exact.value().expect("a value");
    let mut rounds = 0;
    for width in ["1/10", "1/1000", "1/10000", "0"] {
        let options = Options {
            width: fraction(width),
            exact_work: 0,
        };
        let solution = solve(&game, &options, &Limits::default());
        assert!(solution.is_proved(&game));
        assert!(&solution.lower <= value && value <= &solution.upper);
        match width {
            "0" => assert_eq!(solution.stopped, Some(StopReason::Precision)),
            _ => assert!(solution.stopped.is_none()),
        }
        let least = options.width.max(fraction("1/100000"));
        assert!(solution.upper - solution.lower <= least);
        assert!(solution.statistics.rounds > rounds);
        rounds = solution.statistics.rounds;
    }
}

#[test]
fn wrong_solutions_are_refused() {
    let game = games::kuhn(3).build().expect("small numbers");
    let right = solve(&game, &Options::default(), &Limits::default());
    let mut wrong = right.clone();
    wrong.lower += fraction("1/1000000");
    assert!(!wrong.is_proved(&game));
    let mut wrong = right.clone();
    wrong.upper -= fraction("1/1000000");
    assert!(!wrong.is_proved(&game));
    let mut wrong = right;
    wrong.plans.reverse();
    assert!(!wrong.is_proved(&game));
}

/// In Kuhn poker there are many best plans of player 0, but one of player 1: with the lowest card a bluff of one in three.
#[test]
fn mixtures_are_those_of_the_books() {
    let outline = games::kuhn(3);
    let game = outline.build().expect("small numbers");
    let solution = solved(&outline, "Kuhn");
    for player in [0, 1] {
        let (tree, plan) = (game.tree(player), &solution.plans[player]);
        for set in 0..tree.sets() {
            let Some(mixture) = plan.mixture(tree, set) else {
                continue;
            };
            assert_eq!(mixture.iter().sum::<BigRational>(), fraction("1"));
            let weight = |sequence| plan.weight(sequence) / plan.weight(tree.parent(set));
            assert!(tree.moves(set).map(weight).eq(mixture));
        }
    }
    // The sets of player 1 in the order of the builder: the first deal is of 0 and 1.
    let mixtures = (0..6).map(|set| solution.plans[1].mixture(game.tree(1), set));
    let bets: Vec<String> = mixtures
        .map(|it| it.expect("reached")[1].to_string())
        .collect();
    assert_eq!(bets, ["0", "1/3", "1", "1", "1/3", "0"]);
}

#[test]
fn too_large_numbers_are_refused() {
    let mut outline = Outline::new(1);
    outline.end([0, 0], i64::MAX);
    assert!(outline.build().is_ok());
    outline.end([0, 0], 1);
    assert_eq!(outline.build().err(), Some(GameError::PayoffTooLarge));
    let mut outline = Outline::new(1);
    outline.end([0, 0], i64::MIN);
    assert_eq!(outline.build().err(), Some(GameError::PayoffTooLarge));
}

#[test]
fn shares_next_to_short_fractions_are_these() {
    let units = shares::divisible(1 << shares::MAX_BITS);
    assert!(units <= 1 << shares::MAX_BITS && units > 1 << (shares::MAX_BITS - 2));
    assert_eq!(shares::part(units, 1.0 / 3.0), units / 3);
    assert_eq!(shares::part(units, 0.1 + 0.2), units / 10 * 3);
    assert_eq!(shares::part(units / 13, 1.0 / 13.0), units / 169);
    assert_eq!(shares::part(units, 0.0), 0);
    assert_eq!(shares::part(units, 1.0), units);
    assert_eq!(shares::part(0, f64::NAN), 0);
    assert_eq!(shares::part(7, 1.0 / 3.0), 2);
    let odd = shares::part(units, 0.123_456_789);
    assert!((odd as f64 / units as f64 - 0.123_456_789).abs() < 1e-15);
}
