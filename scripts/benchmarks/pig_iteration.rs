//! Pig by iteration of values in floating point, as one would write it for this game alone:
//!
//!     rustc -O pig_iteration.rs && ./pig_iteration 100
//!
//! Prints the probability that the first player wins. The value of a position is that of who is in turn:
//! own score, the other's score, the pot. Sweeps go on until none changes a value by more than 10^-12, which proves
//! nothing about how far they are from the truth.

const SIDES: usize = 6;

fn main() {
    let goal: usize = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(100);
    let place = |own: usize, other: usize, pot: usize| (own * goal + other) * goal + pot;
    let mut values = vec![0.5f64; goal * goal * goal];
    loop {
        let mut change = 0f64;
        for own in (0..goal).rev() {
            for other in (0..goal).rev() {
                for pot in (0..goal - own).rev() {
                    let hold = match pot {
                        0 => 0.0,
                        _ => 1.0 - values[place(other, own + pot, 0)],
                    };
                    let lost = 1.0 - values[place(other, own, 0)];
                    let mut roll = lost;
                    for side in 2..=SIDES {
                        roll += match own + pot + side >= goal {
                            true => 1.0,
                            false => values[place(own, other, pot + side)],
                        };
                    }
                    let value = hold.max(roll / SIDES as f64);
                    let known = &mut values[place(own, other, pot)];
                    change = change.max((value - *known).abs());
                    *known = value;
                }
            }
        }
        if change < 1e-12 {
            break;
        }
    }
    println!("{:.15}", values[0]);
}
