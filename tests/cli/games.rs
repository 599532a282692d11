//! A smallest game, and ways to spoil it.

/// Both roles move once; then `x` has won.
pub const SMALLEST: &str = "
    (role x) (role o)
    (init (at start)) (legal x go) (legal o go)
    (<= (next (at end)) (true (at start)))
    (<= terminal (true (at end)))
    (goal x 100) (goal o 0)
";

/// One player counts aloud: the game ends, yet its moves have no bound that rules alone show.
pub const COUNTER: &str = "
    (role x) (init (count zero)) (<= (legal x (say ?n)) (true (count ?n)))
    (<= (next (count (after ?n))) (does x (say ?n)))
    (<= terminal (true (count (after (after zero)))))
    (<= (goal x 100) terminal) (<= (goal x 0) (not terminal))
";

/// The smallest game with one part exchanged.
pub fn spoiled(part: &str, by: &str) -> String {
    assert!(SMALLEST.contains(part), "{part}");
    SMALLEST.replace(part, by)
}

/// The smallest game with something added.
pub fn extended(by: &str) -> String {
    format!("{SMALLEST}\n{by}\n")
}
