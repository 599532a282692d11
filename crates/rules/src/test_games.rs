//! Games as text for the tests of this folder.

use super::Reasoner;
use gdl::game::Game;
use gdl::{Name, Options, Rule, normalise, parse};

/// Reads a game without asking whether it is valid, so that tests can be short, and wrong.
pub(super) fn game(name: &str, text: &str) -> Game {
    let parsed = parse(name, text.as_bytes(), &Options::default());
    let rules = normalise(&parsed.description).into_iter();
    let rules: Vec<Rule> = rules.map(|normal| normal.rule).collect();
    let roles = rules
        .iter()
        .filter(|rule| rule.head.relation.as_str() == "role")
        .map(|rule| Name::new(&rule.head.arguments[0].to_string()))
        .collect();
    Game::from_checked_parts(name.to_owned(), roles, rules)
}

/// A reasoner for a game in prefix form.
pub(super) fn reasoner(text: &str) -> Reasoner {
    Reasoner::new(&game("test", text)).unwrap()
}

/// Tic-tac-toe on 3 x 3 cells, x first. After each mark `random` keeps or swaps its sign, with
/// `keep` of `keep + swap` equally likely moves.
pub(super) fn stochastic_tic_tac_toe(keep: usize, swap: usize) -> String {
    let mut text = String::from(
        "(role x) (role o) (role random)
         (other x o) (other o x)
         (axis 1) (axis 2) (axis 3)
         (init (turn x))
         (<= (legal ?p (put ?i ?j)) (true (turn ?p)) (axis ?i) (axis ?j) (not (full ?i ?j)))
         (<= (legal ?p pass) (true (turn ?q)) (other ?p ?q))
         (<= (legal random ?m) (outcome ?m ?effect))
         (<= (full ?i ?j) (true (sign ?i ?j ?p)))
         (<= (next (sign ?i ?j ?p)) (true (sign ?i ?j ?p)))
         (<= (next (sign ?i ?j ?p)) (does ?p (put ?i ?j)) (effect keep))
         (<= (next (sign ?i ?j ?q)) (does ?p (put ?i ?j)) (effect swap) (other ?p ?q))
         (<= (effect ?e) (does random ?m) (outcome ?m ?e))
         (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
         (<= (three ?p) (other ?p ?q) (axis ?i)
             (true (sign ?i 1 ?p)) (true (sign ?i 2 ?p)) (true (sign ?i 3 ?p)))
         (<= (three ?p) (other ?p ?q) (axis ?j)
             (true (sign 1 ?j ?p)) (true (sign 2 ?j ?p)) (true (sign 3 ?j ?p)))
         (<= (three ?p) (true (sign 1 1 ?p)) (true (sign 2 2 ?p)) (true (sign 3 3 ?p)))
         (<= (three ?p) (true (sign 1 3 ?p)) (true (sign 2 2 ?p)) (true (sign 3 1 ?p)))
         (<= gap (axis ?i) (axis ?j) (not (full ?i ?j)))
         (<= terminal (three ?p))
         (<= terminal (not gap))
         (<= (goal ?p 100) (three ?p))
         (<= (goal ?p 0) (other ?p ?q) (three ?q))
         (<= (goal ?p 50) (other ?p ?q) (not (three x)) (not (three o)))
        ",
    );
    for number in 0..keep {
        text += &format!("(outcome (k {number}) keep)");
    }
    for number in 0..swap {
        text += &format!("(outcome (s {number}) swap)");
    }
    text
}

/// Nim with a pile; taking the last of it wins. After each turn `random` may add one, with
/// probability 1/2; the game is a draw when each player has had `pile` turns.
pub(super) fn stochastic_nim(pile: usize) -> String {
    let mut text = String::from(
        "(role first) (role random) (role second)
         (after first second) (after second first)
         (init (now first)) (init (clock 0))
         (<= (legal ?p (take 1)) (true (now ?p)) (after ?p ?q))
         (<= (legal ?p (take 2)) (true (now ?p)) (after ?p ?q) (true (pile ?n)) (distinct ?n 1))
         (<= (legal ?p pass) (after ?p ?q) (not (true (now ?p))))
         (<= (legal random add) (true (now (chance ?p))))
         (<= (legal random pass) (role random))
         (<= (next (now (chance ?q))) (true (now ?p)) (after ?p ?q))
         (<= (next (now ?p)) (true (now (chance ?p))))
         (<= (next (pile ?m)) (does ?p (take 1)) (true (pile ?n)) (plus ?m ?n))
         (<= (next (pile ?k)) (does ?p (take 2)) (true (pile ?n)) (plus ?m ?n) (plus ?k ?m))
         (<= (next (pile ?m)) (does random add) (true (pile ?n)) (plus ?n ?m))
         (<= (next (pile ?n)) (true (now (chance ?p))) (not (does random add)) (true (pile ?n)))
         (<= (next (clock ?u)) (true (clock ?t)) (plus ?t ?u))
         (<= terminal (true (pile 0)))
         (<= (goal ?p 100) (true (pile 0)) (true (now (chance ?q))) (after ?p ?q))
         (<= (goal ?p 0) (true (pile 0)) (true (now (chance ?p))))
         (<= (goal ?p 50) (after ?p ?q) (not (true (pile 0))))
        ",
    );
    text += &format!(
        "(init (pile {pile})) (<= terminal (true (clock {})))",
        4 * pile
    );
    for number in 0..4 * pile {
        text += &format!("(plus {number} {})", number + 1);
    }
    text
}
