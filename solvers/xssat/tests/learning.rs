//! The learning engine.

use conformance::{Options as Suite, check};
use xssat::{Engine, Xssat};

fn learning() -> Xssat {
    let mut solver = Xssat::default();
    solver.options.engine = Engine::Learning;
    solver
}

#[test]
fn passes_the_suite() {
    let suite = Suite {
        rounds: 1500,
        seed: 21,
        ..Suite::default()
    };
    let summary = check(&mut learning(), &suite).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(summary.refused, 0);
}
