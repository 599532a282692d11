//! Measures games that may go on for ever: `cargo run --release -p sqasp-endless --example cycles -- pig 100`.
//!
//! Prints the time that it takes to find values, and the values in the first state.
//!
//! ```text
//! cycles pig GOAL | ruin TARGET UP DOWN | random STATES REACH ENDS SEED   [digits N] [work N] [threads N] [widths]
//! ```

#[path = "../tests/all/lists.rs"]
mod lists;

use generators::{RandomCycles, pig, random_cycles, ruin};
use limits::Limits;
use lists::game;
use num_traits::ToPrimitive;
use sqasp_endless::{Options, solve};
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| -> u64 {
        let word = words.get(index).expect("see the first lines of this file");
        word.parse().expect("a number")
    };
    let option = |name: &str| words.iter().position(|word| word == name);
    let cycles = match words.first().map(String::as_str) {
        Some("pig") => pig(number(1) as u32),
        Some("ruin") => ruin(number(1) as usize, [number(2), number(3)]),
        Some("random") => {
            let family = RandomCycles {
                states: number(1) as usize,
                choices: [3, 3, 4],
                ends: number(3) as u32,
                max_weight: 6,
                reach: number(2) as usize,
            };
            random_cycles(&mut fastrand::Rng::with_seed(number(4)), &family)
        }
        _ => panic!("see the first lines of this file"),
    };
    let mut options = Options::default();
    if let Some(index) = option("digits") {
        options.digits = number(index + 1) as u32;
    }
    if let Some(index) = option("work") {
        options.exact_work = number(index + 1);
    }
    if let Some(index) = option("threads") {
        options.threads = number(index + 1) as usize;
    }
    let game = game(&cycles);
    drop(cycles);
    let begin = Instant::now();
    let solution = solve(&game, &options, &Limits::default());
    let seconds = begin.elapsed().as_secs_f64();
    let states = game.arena().states();
    let (lower, upper) = solution.bounds(0);
    let width = |state: usize| {
        let (lower, upper) = solution.bounds(state);
        (upper - lower).to_f64().unwrap_or(f64::NAN)
    };
    println!(
        "{states} states, {} outcomes, {seconds:.3} s",
        game.arena().outcome_count()
    );
    println!("{:?} stopped: {:?}", solution.statistics, solution.stopped);
    println!(
        "value {} .. {}, width {:.1e}; bits of an exact denominator {:?}",
        lower.to_f64().unwrap_or(f64::NAN),
        upper.to_f64().unwrap_or(f64::NAN),
        width(0),
        solution.value(0).map(|value| value.denom().bits()),
    );
    if option("widths").is_some() {
        println!(
            "largest width {:.1e}",
            (0..states).map(width).fold(0.0, f64::max)
        );
    }
}
