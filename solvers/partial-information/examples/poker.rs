//! Measures known games: `cargo run --release -p sqasp-partial-information --example poker -- leduc`.
//!
//! Prints the size of the game, the time, and the value or its bounds.
//!
//! ```text
//! poker kuhn [CARDS] | leduc | suits | dice [SIDES]   [width DIGITS] [time SECONDS] [bounds]
//! ```

#[path = "../tests/all/games.rs"]
mod games;
#[path = "../tests/all/outline.rs"]
mod outline;

use limits::Limits;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use sqasp_partial_information::sequence_form::{Options, solve};
use std::time::{Duration, Instant};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| words.get(index).and_then(|word| word.parse::<u64>().ok());
    let option = |name: &str| words.iter().position(|word| word == name);
    let outline = match words.first().map(String::as_str) {
        Some("kuhn") => games::kuhn(number(1).unwrap_or(3) as u8),
        Some("leduc") => games::leduc(false),
        Some("suits") => games::leduc(true),
        Some("dice") => games::liars_dice(number(1).unwrap_or(6) as u8),
        _ => panic!("see the first lines of this file"),
    };
    let mut options = Options::default();
    let mut limits = Limits::default();
    if let Some(digits) = option("width").and_then(|index| number(index + 1)) {
        options.width = BigRational::new(1.into(), BigInt::from(10).pow(digits as u32));
    }
    if let Some(seconds) = option("time").and_then(|index| number(index + 1)) {
        limits = limits.within(Duration::from_secs(seconds));
    }
    if option("bounds").is_some() {
        options.exact_work = 0;
    }
    let game = outline.build().expect("a small game");
    let sequences = [0, 1].map(|player| game.tree(player).sequences());
    println!("{sequences:?} sequences, {:?} payoffs", game.entries());
    let begin = Instant::now();
    let solution = solve(&game, &options, &limits);
    let seconds = begin.elapsed().as_secs_f64();
    let float = |number: &BigRational| number.to_f64().unwrap_or(f64::NAN);
    let (lower, upper) = (&solution.lower, &solution.upper);
    println!(
        "{seconds:.3} s, {:.12} to {:.12}, width {:.1e}, {:?}, stopped: {:?}",
        float(lower),
        float(upper),
        float(&(upper - lower)),
        solution.statistics,
        solution.stopped,
    );
    if let Some(value) = solution.value() {
        println!("{value}");
    }
}
