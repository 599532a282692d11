//! Small random circuits as formulas.

use formula::{Formula, Lit};
use generators::FormulaBuilder;

/// Blocks of all kinds, gates of what stands before, or half a gate, and clauses over all of it.
pub fn circuit(random: &mut fastrand::Rng) -> Formula {
    let (mut made, mut all) = (FormulaBuilder::default(), Vec::new());
    for _ in 0..random.usize(1..=3) {
        let block = random.choice(["e", "a", "r 1/3", "r 1/2", "r 1/2"]);
        all.extend(made.block(block.expect("not empty"), random.usize(1..=3)));
    }
    let inputs = all.len();
    let pick = |random: &mut fastrand::Rng, all: &[Lit]| {
        let literal = all[random.i32(1..=all.len() as i32) as usize - 1];
        if random.bool() { literal } else { !literal }
    };
    for _ in 0..random.usize(1..=5) {
        let (a, b) = (pick(random, &all), pick(random, &all));
        all.push(match random.u8(0..4) {
            0 => made.and("", &[a, b]),
            1 => made.xor("", a, b),
            2 => made.and("", &[a]),
            _ => {
                let half = made.exists("");
                made.clause([!half, a]);
                made.clause([!half, b]);
                half
            }
        });
    }
    for _ in 0..random.i32(1..=inputs as i32 + 1) {
        let width = random.usize(2..=3);
        made.clause((0..width).map(|_| pick(random, &all)));
    }
    made.finish()
}
