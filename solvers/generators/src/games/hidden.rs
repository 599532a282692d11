//! Small random games in which roles see a part of what happens.

use std::fmt::Write;

const FACTS: [&str; 4] = ["a", "b", "c", "d"];

/// A random condition on the state and, if `moves`, on the moves of these roles.
fn condition(random: &mut fastrand::Rng, movers: &[(&str, usize)]) -> String {
    let fact = FACTS[random.usize(..4)];
    match random.usize(..if movers.is_empty() { 2 } else { 4 }) {
        0 => format!("(true {fact})"),
        1 => format!("(not (true {fact}))"),
        _ => {
            let (role, moves) = movers[random.usize(..movers.len())];
            format!("(does {role} m{})", random.usize(..moves))
        }
    }
}

/// A random game that ends after this number of steps. `movers` are its roles, the last of them `random`, each with its number of moves. A coin (a) is
/// tossed in each step, and in the next one the role x guesses it (c); d holds where the first two roles make the same move. All else is random.
pub fn hidden_game(seed: u64, movers: &[(&str, usize)], steps: usize) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut text = String::new();
    for (role, moves) in movers {
        let _ = write!(text, "(role {role}) ");
        for number in 0..*moves {
            // The first is always legal. Sometimes another depends on a fact that the role may not know.
            let condition = match number > 0 && random.u8(..12) == 0 {
                true => condition(&mut random, &[]),
                false => "(role random)".to_owned(),
            };
            let _ = writeln!(text, "(<= (legal {role} m{number}) {condition})");
        }
    }
    let other = movers[1].0;
    let _ = writeln!(
        text,
        "(init a) (init s0) (<= (next a) (does random m0)) (<= (next c) (does x m0) (true a))
         (<= (next c) (does x m1) (not (true a))) (<= (next d) (does x m0) (does {other} m0))
         (<= (next d) (does x m1) (does {other} m1)) (<= terminal (true s{steps}))"
    );
    for step in 0..steps {
        let _ = writeln!(text, "(<= (next s{}) (true s{step}))", step + 1);
    }
    for fact in FACTS {
        for _ in 0..random.usize(..2) {
            let conditions = [0; 2].map(|_| condition(&mut random, movers)).join(" ");
            let _ = writeln!(text, "(<= (next {fact}) {conditions})");
        }
    }
    for (role, _) in movers.iter().filter(|(role, _)| *role != "random") {
        for percept in 0..random.usize(..4) {
            let condition = condition(&mut random, movers);
            let _ = writeln!(text, "(<= (sees {role} p{percept}) {condition})");
        }
        let one = match random.usize(..3) {
            0 => condition(&mut random, &[]),
            number => format!("(true {})", ["c", "d"][number - 1]),
        };
        let other = condition(&mut random, &[]);
        let _ = writeln!(
            text,
            "(<= (wins {role}) {one}) (<= (draws {role}) {other}) (<= (goal {role} 100) (wins {role}))
             (<= (goal {role} 40) (draws {role}) (not (wins {role})))
             (<= (goal {role} 0) (role {role}) (not (wins {role})) (not (draws {role})))"
        );
        // So that it is a game of hidden information, even without any percept.
        let _ = writeln!(text, "(<= (sees {role} never) (true never))");
    }
    let _ = writeln!(text, "(<= (next never) (true never))");
    text
}

/// A role against chance.
pub fn one_hidden_role(seed: u64) -> String {
    hidden_game(
        seed,
        &[
            ("x", 2 + seed as usize % 2),
            ("random", 2 + seed as usize / 2 % 2),
        ],
        2 + seed as usize / 4 % 2,
    )
}

/// A role against chance. After each second step play is over with probability 1/2 at least, else it goes on.
pub fn endless_hidden_game(seed: u64) -> String {
    let text = hidden_game(seed, &[("x", 2), ("random", 2)], 2);
    let end = "(<= (next s2) (true s1) (does random m0)) (<= (next s0) (true s1) (does random m1))";
    text.replace("(<= (next s2) (true s1))", end)
}

/// Two roles and chance.
pub fn two_hidden_roles(seed: u64) -> String {
    hidden_game(
        seed,
        &[("x", 2), ("y", 2 + seed as usize % 2), ("random", 2)],
        1 + usize::from(!seed.is_multiple_of(4)),
    )
}
