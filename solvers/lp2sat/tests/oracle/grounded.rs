//! Programs with recursion, bounds and names, grounded by the real clingo: the clauses must have
//! as many models as the program has answer sets. clasp counts both.

use crate::clingo::{count_models, ground};
use crate::read_statements::read_statements;
use generators::rounds;
use sqasp_lp2sat::{GroundProgram, Options, clausify};
use std::fmt::Write;

fn dimacs(program: &GroundProgram, options: &Options) -> String {
    let clausified = clausify(program, options).unwrap();
    assert!(clausified.helpers().all(|helper| helper.determined));
    let clauses = clausified.clauses();
    let mut text = format!("p cnf {} {}\n", clausified.variable_count(), clauses.len());
    for clause in clauses.iter() {
        for lit in clause {
            write!(text, "{} ", lit.to_dimacs()).unwrap();
        }
        text.push_str("0\n");
    }
    text
}

#[track_caller]
fn check(text: &str) {
    let aspif = ground(text);
    let program = read_statements(str::from_utf8(&aspif).unwrap());
    let expected = count_models(&aspif);
    assert!(expected > 0, "the program should have answer sets\n{text}");
    let unfold = Options {
        unfolding_limit: Some(usize::MAX),
        ..Options::default()
    };
    let adders = Options {
        diagram_limit: 0,
        pairwise_limit: 0,
        ..Options::default()
    };
    for options in [Options::default(), unfold, adders] {
        let clauses = dimacs(&program, &options);
        assert_eq!(
            count_models(clauses.as_bytes()),
            expected,
            "{options:?}\n{text}"
        );
    }
}

#[test]
#[ignore = "needs clingo: to compare with"]
fn clauses_have_as_many_models_as_answer_sets() {
    // Two players fill a board of hexagons; exactly one connects the two sides.
    for size in 2..=rounds(3).min(4) {
        check(&format!(
            "cell(1..{size},1..{size}).
             near(X,Y,X,Y+1) :- cell(X,Y), cell(X,Y+1).
             near(X,Y,X+1,Y) :- cell(X,Y), cell(X+1,Y).
             near(X,Y,X+1,Y-1) :- cell(X,Y), cell(X+1,Y-1).
             beside(A,B,C,D) :- near(A,B,C,D). beside(A,B,C,D) :- near(C,D,A,B).
             {{ white(X,Y) : cell(X,Y) }}. black(X,Y) :- cell(X,Y), not white(X,Y).
             down(1,Y) :- white(1,Y). down(X,Y) :- white(X,Y), beside(X,Y,A,B), down(A,B).
             across(X,1) :- black(X,1). across(X,Y) :- black(X,Y), beside(X,Y,A,B), across(A,B).
             wins(white) :- down({size},Y). wins(black) :- across(X,{size}).
             :- wins(white), wins(black). :- not wins(white), not wins(black)."
        ));
    }
    // Round trips, with bounds on both sides of each edge.
    check(
        "node(1..5). edge(X,Y) :- node(X), node(Y), X != Y.
         1 { next(X,Y) : edge(X,Y) } 1 :- node(X). 1 { next(X,Y) : edge(X,Y) } 1 :- node(Y).
         seen(1). seen(Y) :- seen(X), next(X,Y). :- node(X), not seen(X).",
    );
    // A symmetric transitive closure under sums.
    check(
        "node(1..5). { bridge(X,Y) : node(X), node(Y), X < Y } 3.
         joined(X,Y) :- bridge(X,Y). joined(X,Y) :- joined(Y,X).
         joined(X,Z) :- joined(X,Y), joined(Y,Z), X != Z.
         :- not joined(1,3). :- 7 #sum { X*Y,X,Y : joined(X,Y) } 11.",
    );
    // Recursion through a sum and a choice; moves under a condition that may end.
    check(
        "{ open(1..4) }. { on(1) } :- open(1). on(X) :- X = 2..5, 2 #sum { |X-Y|,Y : on(Y), open(Y) }.
         { on(2) } :- on(5). on(5) :- open(4), on(3).
         move(a;b;c). { ended(0) }. ended(T+1) :- ended(T), T < 2. ended(2) :- does(c,1).
         1 { does(M,T) : move(M) } 1 :- not ended(T), T = 0..2.",
    );
}
