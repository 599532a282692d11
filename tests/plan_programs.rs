//! The programs of Genesereth and Thielscher, "General Game Playing", chapter 15, on clingo's solver:
//! Figure 15.1, and the rules of its exercises 1 and 2.

use logic::ground::{GroundLimits, MultiShot, Searched};
use std::collections::BTreeSet;

/// The answer sets of a program, each as its atoms of this name.
fn answer_sets(text: &str, shown: (&str, usize)) -> Vec<BTreeSet<String>> {
    let mut program =
        MultiShot::new(text, Some(shown), 1, &GroundLimits::default()).expect("a program");
    program.ground("base", None).expect("it is small");
    let mut found = Vec::new();
    let searched = program.search(
        &[],
        || None,
        |atoms| {
            found.push(atoms.iter().map(ToString::to_string).collect());
            true
        },
    );
    assert_eq!(searched, Ok(Searched::NoMore));
    found
}

/// The rules of Figure 15.1 but the first: what is the case at time 2 after one of two actions.
const ACTIONS: &str = "holds(p2) :- holds(a1), holds(p1). holds(p2) :- holds(b1), not holds(p1).
    holds(a1) :- not holds(b1). holds(b1) :- not holds(a1). :- holds(p2).";

#[test]
fn figure_15_1_has_one_answer_set() {
    let found = answer_sets(&format!("holds(p1). {ACTIONS}"), ("holds", 1));
    let expected = ["holds(b1)", "holds(p1)"].map(str::to_owned);
    assert_eq!(found, [BTreeSet::from(expected)]);
}

#[test]
fn without_its_first_rule_only_one_of_two_minimal_models_is_supported() {
    // All subsets of the atoms, as bits: p1, p2, a1, b1.
    let is_model = |model: u32| {
        let [p1, p2, a1, b1] = [0, 1, 2, 3].map(|bit| model >> bit & 1 == 1);
        let broken = [a1 && p1 && !p2, b1 && !p1 && !p2, !a1 && !b1, p2];
        !broken.contains(&true)
    };
    let models: Vec<u32> = (0..16).filter(|&model| is_model(model)).collect();
    let is_minimal = |&model: &u32| !models.iter().any(|&m| m != model && m & model == m);
    let minimal: Vec<u32> = models.iter().copied().filter(is_minimal).collect();
    assert_eq!(minimal, [0b0100, 0b1001]);
    let expected = BTreeSet::from(["holds(a1)".to_owned()]);
    assert_eq!(answer_sets(ACTIONS, ("holds", 1)), [expected]);
}

/// Three lights in a row: the first button switches the first light, the others let two neighbours
/// change places. All must be on after six steps; one step more is looked at.
const LIGHTS: &str = "time(0..6). input(a; b; c).
    true(p,T+1) :- does(a,T), not true(p,T).      true(p,T+1) :- does(b,T), true(q,T).
    true(p,T+1) :- does(c,T), true(p,T).          true(q,T+1) :- does(b,T), true(p,T).
    true(q,T+1) :- does(c,T), true(r,T).          true(q,T+1) :- does(a,T), true(q,T).
    true(r,T+1) :- does(c,T), true(q,T).          true(r,T+1) :- does((a;b),T), true(r,T).
    terminal(6). :- terminal(T), not true(p,T).   :- terminal(T), not true(q,T).
    :- terminal(T), not true(r,T).";

#[test]
fn a_move_is_asked_for_only_until_play_is_over() {
    // As in the text: any move may be made in the last step, when play is over.
    let always = format!("{LIGHTS} 1 {{ does(A,T) : input(A) }} 1 :- time(T).");
    assert_eq!(answer_sets(&always, ("does", 2)).len(), 6);
    // Exercise 2: `terminal` may hold at the end only, so what is over stays over.
    let until_the_end = format!(
        "{LIGHTS} over(T) :- terminal(T). over(T+1) :- over(T), time(T).
        1 {{ does(A,T) : input(A) }} 1 :- time(T), not over(T)."
    );
    let found = answer_sets(&until_the_end, ("does", 2));
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|plan| plan.len() == 6));
}
