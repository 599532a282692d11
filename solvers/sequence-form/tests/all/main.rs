//! Games with hidden information against oracles that share nothing with the solver.

mod games;
mod outline;

use fastrand::Rng;
use generators::rounds;
use limits::Limits;
use num_rational::BigRational;
use outline::Outline;
use sqasp_sequence_form::{Options, Solution, solve};

fn solved(outline: &Outline, context: &str) -> Solution {
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

fn fraction(text: &str) -> BigRational {
    text.parse().expect("a fraction")
}

#[test]
fn kuhn_poker_is_worth_one_eighteenth() {
    let solution = solved(&games::kuhn(3), "Kuhn");
    assert_eq!(solution.lower, fraction("-1/18"));
}
