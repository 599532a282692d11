//! States of a game through the facade.

use gdl::{Term, parse_terms, texts};
use sqasp::{ErrorKind, State};

const RULES: &[u8] = b"(role ann) (role bob) (role random) (init (at 0))
    (legal ann (step 1)) (legal ann (step 2)) (legal bob noop) (legal random noop)
    (<= (next (at ?n)) (does ann (step ?n))) (<= terminal (true (at 2)))
    (<= (goal ann 100) (true (at 2))) (goal bob 0) (<= (goal bob 50) (true (at 1)))";

fn start() -> State {
    State::initial(&sqasp::read("steps", RULES).expect("rules")).expect("a state")
}

fn terms(text: &str) -> Vec<Term> {
    parse_terms(text).expect("terms")
}

#[test]
fn one_state_is_reached_in_several_ways() {
    let start = start();
    let by_role = start.joint_move([("Ann", terms("(step 1)").remove(0))]);
    let next = start.play(&by_role.expect("other roles have one move"));
    let next = next.expect("a legal move");
    assert_eq!(next, start.play(&terms("(step 1) noop noop")).unwrap());
    assert_eq!(next, start.with_facts(&terms("(at 1)")).unwrap());
    assert_ne!(next, start);
    assert_eq!(format!("{next:?}"), r#"{"(at 1)"}"#);
    // Two numbers, and none.
    assert_eq!(next.goal("bob").unwrap(), None);
    assert_eq!(next.goal("random").unwrap(), None);
    assert_eq!(start.goal("bob").unwrap(), Some(0.into()));
    let moves = start.all_moves("ann").unwrap().expect("a small game");
    assert_eq!(texts(&moves), ["(step 1)", "(step 2)"]);
}

#[test]
fn wrong_moves_are_explained() {
    let start = start();
    let end = start.play(&terms("(step 2) noop noop")).unwrap();
    assert!(end.is_terminal().unwrap());
    assert_eq!(end.legal("ann").unwrap(), []);
    let given = |role, text| start.joint_move([(role, terms(text).remove(0))]).map(drop);
    let played = |state: &State, text| state.play(&terms(text)).map(drop);
    for (result, message) in [
        (
            given("bob", "noop"),
            "ann has 2 legal moves here, and none is given: one of (step 1), (step 2)",
        ),
        (
            given("bub", "noop"),
            "`bub` is not a role of this game; its roles are ann, bob; did you mean `bob`?",
        ),
        (
            played(&start, "(step 1) noop"),
            "a joint move has one move for each of ann, bob, random",
        ),
        (
            played(&start, "(setp 1) noop noop"),
            "(setp 1) is not a legal move of ann; did you mean `(step 1)`?",
        ),
        (played(&end, "(step 1) noop noop"), "play is over"),
    ] {
        let error = result.expect_err(message);
        assert_eq!(error.to_string(), message);
        assert_eq!(error.kind(), ErrorKind::Question);
    }
}
