//! The strategy of the maximising player, found with this solver and played against everything the
//! others can do.

use conformance::play_strategies;
use formula::Strategy;
use limits::Limits;
use portfolio::Portfolio;

#[test]
fn playing_reaches_the_value_and_not_more() {
    play_strategies(2, |formula, known, _| {
        let mut solver = Portfolio::default();
        let mut strategy = Strategy::new(formula, &mut solver);
        let decision = strategy.decide(known, &Limits::default());
        let decision = decision.expect("it is its turn");
        decision.literals.expect("there is no limit")
    });
}
