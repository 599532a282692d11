//! Random games whose rules are a table: in each place two or three players choose at the same time, and a table says where play goes.

use fastrand::Rng;
use std::fmt::Write;

/// The rules of the game with this number. Endless games may come back to a place; others are over after four steps.
pub fn table_game(seed: u64, endless: bool) -> String {
    let random = &mut Rng::with_seed(seed);
    let players = if random.u8(..4) == 0 { 3 } else { 2 };
    let names = &["left", "right", "third"][..players];
    let has_chance = random.bool();
    let (places, ends) = (random.usize(2..=3), 4);
    let mut text = String::new();
    let line = &mut |line: String| writeln!(text, "{line}").expect("text is written");
    for name in names {
        line(format!("(role {name})"));
    }
    if has_chance {
        line("(role random) (legal random high) (legal random low)".to_owned());
    }
    line("(init (at 0))".to_owned());
    for place in 0..places {
        let mut tuples = vec![String::new()];
        for name in names {
            let count = random.usize(1..=3);
            for action in 0..count {
                line(format!(
                    "(<= (legal {name} (m {action})) (true (at {place})))"
                ));
            }
            tuples = tuples
                .iter()
                .flat_map(|tuple| {
                    (0..count).map(move |action| format!("{tuple} (does {name} (m {action}))"))
                })
                .collect();
        }
        for tuple in tuples {
            for chance in if has_chance {
                &[" (does random high)", " (does random low)"][..]
            } else {
                &[""]
            } {
                let next = match endless {
                    true => random.usize(0..places + ends),
                    false => random.usize(place + 1..places + ends),
                };
                line(format!(
                    "(<= (next (at {next})) (true (at {place})){tuple}{chance})"
                ));
            }
        }
    }
    for end in places..places + ends {
        line(format!("(<= terminal (true (at {end})))"));
        let points = [0, 100, 50, random.u32(0..=100)][end - places];
        for (number, name) in names.iter().enumerate() {
            let points = if number == 0 { points } else { 100 - points };
            line(format!("(<= (goal {name} {points}) (true (at {end})))"));
        }
    }
    text
}
