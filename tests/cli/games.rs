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

/// A game that is nothing but large: `side` to the third facts, each of which a move makes true, three in a row of them win.
pub(super) fn cube(side: usize) -> String {
    let mut rules = String::from(
        "(role a) (role b) (legal b noop)
         (<= (legal a (set ?x ?y ?z)) (n ?x) (n ?y) (n ?z) (not (true (p ?x ?y ?z))))
         (<= (next (p ?x ?y ?z)) (does a (set ?x ?y ?z))) (<= (next (p ?x ?y ?z)) (true (p ?x ?y ?z)))
         (<= row (true (p ?x ?y 1)) (true (p ?x ?y 2)) (true (p ?x ?y 3)))
         (<= terminal row) (<= (goal a 100) row) (<= (goal a 0) (not row))
         (<= (goal b 100) (not row)) (<= (goal b 0) row)\n",
    );
    for number in 1..=side {
        rules.push_str(&format!("(n {number}) "));
    }
    rules
}
