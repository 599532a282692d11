//! A plan tried by the rules as written, before it is reported.

use gdl::game::{Game, Points, points};
use gdl::{Name, Term};
use rules::{Reasoner, ReasonerError};

/// A reason why the rules refute a plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refuted {
    /// Play is over too early.
    #[error("play is over after {0} of its moves")]
    OverEarly(usize),
    /// A move is not legal.
    #[error("move {0}, {1}, is not legal")]
    Illegal(usize, Term),
    /// Play goes on after it.
    #[error("play is not over after it")]
    NotOver,
    /// There is not one number of points.
    #[error("the final state does not give one number of points")]
    NoPoints,
    /// The rules could not be evaluated.
    #[error(transparent)]
    Rules(#[from] ReasonerError),
}

/// Plays the moves from the initial state of a game with one role, and returns the points that the
/// role has when play is over.
pub fn replay(game: &Game, role: &Name, moves: &[Term]) -> Result<Points, Refuted> {
    let mut reasoner = Reasoner::new(game)?;
    let role = game.role(role).map_err(|_| Refuted::NoPoints)?;
    let mut state = reasoner.initial()?;
    for (number, action) in moves.iter().enumerate() {
        if reasoner.terminal(&state)? {
            return Err(Refuted::OverEarly(number));
        }
        if !reasoner.legal(&state, role)?.contains(action) {
            return Err(Refuted::Illegal(number + 1, action.clone()));
        }
        state = reasoner.next(&state, std::slice::from_ref(action))?;
    }
    if !reasoner.terminal(&state)? {
        return Err(Refuted::NotOver);
    }
    match reasoner.goals(&state, role)?.as_slice() {
        [value] => points(value).ok_or(Refuted::NoPoints),
        _ => Err(Refuted::NoPoints),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl::Options;

    #[test]
    fn only_plans_that_hold_pass() {
        let rules = b"(role p) (init (at a)) (way a b) (way b c) (way b d)
            (<= (legal p (go ?y)) (true (at ?x)) (way ?x ?y)) (<= (next (at ?y)) (does p (go ?y)))
            (<= terminal (true (at c))) (<= terminal (true (at d))) (goal p 70)
            (<= (goal p 80) (true (at d)))";
        let reading = gdl::game::read("test", rules, &Options::default());
        let game = reading.expect("a valid game").game;
        let go = |places: &str| {
            let moves = places.split_whitespace().map(|place| {
                let place = Term::Constant(Name::new(place));
                Term::Function(Name::new("go"), vec![place])
            });
            replay(&game, &Name::new("p"), &moves.collect::<Vec<Term>>())
        };
        assert_eq!(go("b c"), Ok(70.into()));
        assert_eq!(go("b"), Err(Refuted::NotOver));
        assert_eq!(go("b c c"), Err(Refuted::OverEarly(2)));
        assert!(matches!(go("c"), Err(Refuted::Illegal(1, _))));
        assert_eq!(go("b d"), Err(Refuted::NoPoints));
    }
}
