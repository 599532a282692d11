//! A proof that values of a game without a last step are right, from the list of its states alone.
//!
//! Values v are those of the game if
//!
//! - v is the payoff of ends, and in all other states the maximum over the maximizer's moves of the minimum over the replies of the mean of v
//!   over the next states: then no strategy of the maximizer guarantees more;
//! - with moves that attain this maximum, the other side cannot keep play for ever in states with v > 0: then these moves
//!   guarantee v. This is so if, again and again, some state has such a move, each reply to which may lead to the end, to a state
//!   with v = 0, or to a state that was found before.

use formula::BigRational;
use num_traits::Zero;

/// A move of the maximizer, and for each reply the next states by number, which are equally likely.
pub type ListedMove<M> = (M, Vec<Vec<usize>>);

/// Checks the values of all states: the payoffs of those that end play, and the choices in all others.
///
/// # Errors
/// The first state whose value does not follow.
pub fn prove_values<M>(
    ends: &[Option<BigRational>],
    choices: &[Vec<ListedMove<M>>],
    values: &[BigRational],
) -> Result<(), String> {
    let mut best_moves = Vec::new();
    for (state, choices) in choices.iter().enumerate() {
        let worths = choices.iter().map(|(_, replies)| worth(replies, values));
        let worths: Vec<BigRational> = worths.collect();
        let best = worths.iter().max();
        let expected = ends[state].as_ref().or(best).expect("an end or a move");
        let value = &values[state];
        if value != expected {
            return Err(format!("state {state}: {value}, but moves make {expected}"));
        }
        let moves = choices.iter().zip(worths);
        let best = moves.filter(|(_, worth)| worth == value);
        best_moves.push(best.map(|((_, replies), _)| replies).collect::<Vec<_>>());
    }
    let is_left = |state: usize| ends[state].is_some() || values[state].is_zero();
    let mut found: Vec<bool> = (0..values.len()).map(is_left).collect();
    loop {
        let leads = |replies: &&Vec<Vec<usize>>| {
            let leads = |reply: &Vec<usize>| reply.iter().any(|&next| found[next]);
            replies.iter().all(leads)
        };
        let mut open = (0..values.len()).filter(|&state| !found[state]);
        match open.find(|&state| best_moves[state].iter().any(leads)) {
            Some(state) => found[state] = true,
            None => break,
        }
    }
    match found.iter().position(|found| !found) {
        Some(state) => Err(format!(
            "state {state}: nothing guarantees {}",
            values[state]
        )),
        None => Ok(()),
    }
}

/// The worth of a move whose replies lead to these states.
///
/// # Panics
/// If there is no reply.
pub fn worth(replies: &[Vec<usize>], values: &[BigRational]) -> BigRational {
    let mean = |reply: &Vec<usize>| {
        let sum: BigRational = reply.iter().map(|&state| &values[state]).sum();
        sum / BigRational::from_integer(reply.len().into())
    };
    replies.iter().map(mean).min().expect("there is a reply")
}
