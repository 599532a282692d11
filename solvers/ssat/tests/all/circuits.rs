//! Small random circuits as formulas.

/// Blocks of all kinds, gates of what stands before, or half a gate, and clauses over all of it.
pub fn circuit(random: &mut fastrand::Rng) -> String {
    use std::fmt::Write;
    let (mut prefix, mut clauses, mut last) = (String::new(), Vec::new(), 0);
    for _ in 0..random.usize(1..=3) {
        let block = random
            .choice(["e", "a", "r 1/3", "r 0.5", "r 1/2"])
            .expect("not empty");
        write!(prefix, "{block} ").expect("strings take all");
        for _ in 0..random.usize(1..=3) {
            last += 1;
            write!(prefix, "{last} ").expect("strings take all");
        }
        prefix += "0\n";
    }
    let inputs = last;
    let pick = |random: &mut fastrand::Rng, last: i32| {
        random.i32(1..=last) * if random.bool() { 1 } else { -1 }
    };
    prefix += "e ";
    for _ in 0..random.usize(1..=5) {
        let (a, b, new) = (pick(random, last), pick(random, last), last + 1);
        let gate = match random.u8(0..4) {
            0 => vec![vec![-new, a], vec![-new, b], vec![new, -a, -b]],
            1 => vec![
                vec![-new, a, b],
                vec![-new, -a, -b],
                vec![new, -a, b],
                vec![new, a, -b],
            ],
            2 => vec![vec![-new, a], vec![new, -a]],
            _ => vec![vec![-new, a], vec![-new, b]],
        };
        clauses.extend(gate);
        last = new;
        write!(prefix, "{new} ").expect("strings take all");
    }
    for _ in 0..random.i32(1..=inputs + 1) {
        let width = random.usize(2..=3);
        clauses.push((0..width).map(|_| pick(random, last)).collect());
    }
    let mut text = format!("p cnf {last} {}\n{prefix}0\n", clauses.len());
    for clause in clauses {
        clause
            .iter()
            .for_each(|literal| write!(text, "{literal} ").expect("strings take all"));
        text += "0\n";
    }
    text
}
