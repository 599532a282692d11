//! Solves a board game, for measurements beside programs for boards only.
//!
//! ```text
//! boards drop|mark WIDTH HEIGHT LINE rand|KEEP:FLIP 1|2 [THREADS [MEGABYTES]] [--no-SWITCH]...
//! ```

#[path = "../tests/all/stones.rs"]
mod stones;

use limits::Limits;
use sqasp_emm::{Engine, Options};
use std::time::Instant;
use stones::Board;

const USAGE: &str =
    "boards drop|mark WIDTH HEIGHT LINE rand|KEEP:FLIP 1|2 [THREADS [MEGABYTES]] [--no-SWITCH]...";

fn main() {
    let mut options = Options::default();
    let mut words = Vec::new();
    for word in std::env::args().skip(1) {
        match word.strip_prefix("--no-") {
            None => match word.strip_prefix("--lanes=") {
                Some(lanes) => options.search.sibling_lanes = lanes.parse().expect(USAGE),
                None => match word.strip_prefix("--sweep-after=") {
                    Some(count) => options.search.list_after = count.parse().expect(USAGE),
                    None => words.push(word),
                },
            },
            Some(name) => {
                *options.technique(name).expect("a known technique") = false;
            }
        }
    }
    let number = |index: usize| {
        words
            .get(index)
            .map(|word| word.parse::<usize>().expect(USAGE))
    };
    let side = |index: usize| number(index).expect(USAGE);
    let chance = words.get(4).expect(USAGE);
    let (keep, flip) = chance.split_once(':').unwrap_or(("0", "0"));
    let board = Board {
        drop: words[0] == "drop",
        width: side(1),
        height: side(2),
        line: side(3),
        against_random: chance == "rand",
        keep: keep.parse().expect(USAGE),
        flip: flip.parse().expect(USAGE),
        player: side(5) - 1,
    };
    options.search.threads = number(6).unwrap_or(1);
    let limits = Limits {
        memory: number(7).map(|megabytes| (megabytes as u64) << 20),
        ..Limits::default()
    };
    let started = Instant::now();
    let mut engine = Engine::new(board.problem(), options).expect("a board is a sound problem");
    let initial = engine.initial().to_vec();
    let answer = engine
        .solve(&initial, Some(board.steps()), &limits)
        .expect("a sound question");
    println!("{}", words.join(" "));
    println!("value {}", answer.outcome.lower);
    if answer.outcome.lower != answer.outcome.upper {
        println!("upper {}", answer.outcome.upper);
    }
    println!("seconds {:.3}", started.elapsed().as_secs_f64());
    for (name, count) in answer.statistics {
        println!("{name} {count}");
    }
}
