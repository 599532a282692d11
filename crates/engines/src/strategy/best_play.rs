//! Play when both sides keep to their strategies: only chance decides.
//!
//! The role makes the moves that [`extract`](super::extract()) would write down, and its opponents give the answers. Other best
//! moves can be worth the same and lead elsewhere.

use super::extract::{
    Advisor, EarlyEnd, ExtractLimits, Extracted, Frontier, Reply, Walk, extracted,
};
use gdl::game::Points;
use num_rational::BigRational;

/// The successors of a position of best play, or its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Continuation {
    /// Play is over, and the role gets these points.
    Over(Points),
    /// No steps are left.
    CutOff,
    /// Play goes on.
    OneOf {
        /// One of these positions, by their numbers: all are equally likely, and some can come several times. With a number of
        /// steps they have larger numbers than this one.
        positions: Vec<u32>,
        /// The losses of other players here, against the best move; none where the role has one move only.
        losses: Option<Losses>,
    },
}

/// Losses of players that do not know the best move, in a position with a choice.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Losses {
    /// The mean loss of a legal move at random.
    pub at_random: BigRational,
    /// The mean loss of a greedy player, who takes a move that is best if only [`GREEDY_STEPS`] steps count, any of them with the same
    /// probability.
    pub greedy: BigRational,
}

/// How many steps a greedy player looks ahead: its own, and the answer to it.
pub const GREEDY_STEPS: u32 = 2;

/// Follows best play for this many steps; without a number for all. Gives the successors or the end of each position; the start is number 0.
///
/// # Errors
/// When the advisor fails.
pub fn best_play<A: Advisor>(
    advisor: &mut A,
    depth: Option<u32>,
    limits: &ExtractLimits,
) -> Result<Extracted<Vec<Continuation>>, A::Error> {
    extracted(Walk::new(advisor, depth, limits).best_play(), limits)
}

/// The loss of each reply's move against the best one, on the average.
fn mean_loss<'a>(best: &BigRational, taken: impl Iterator<Item = &'a Reply>) -> BigRational {
    let losses: Vec<BigRational> = taken.map(|reply| best - &reply.value).collect();
    let count = BigRational::from_integer(losses.len().into());
    losses.into_iter().sum::<BigRational>() / count
}

impl<A: Advisor> Walk<'_, A> {
    fn best_play(&mut self) -> Result<Vec<Continuation>, EarlyEnd<A::Error>> {
        let start = self.advisor.start()?;
        let mut frontier = Frontier::new();
        frontier.number(start, self.steps);
        let mut all = Vec::new();
        while let Some((state, steps)) = frontier.waiting.pop_front() {
            if self.advisor.is_over(&state)? {
                all.push(Continuation::Over(self.advisor.points(&state)?));
                continue;
            }
            if steps == Some(0) {
                all.push(Continuation::CutOff);
                continue;
            }
            self.count()?;
            let (action, _) = self.advisor.decide(&state, steps)?;
            let replies = self.advisor.answer(&state, steps)?;
            let losses = self.losses(&state, steps, &replies)?;
            let mut replies = replies.into_iter().filter(|reply| reply.action == action);
            let reply = replies.next().expect("each move has an answer").reply;
            let next = self.advisor.successors(&state, &action, Some(&reply))?;
            let left = steps.map(|steps| steps - 1);
            let numbers = next.concat().into_iter();
            all.push(Continuation::OneOf {
                positions: numbers.map(|state| frontier.number(state, left)).collect(),
                losses,
            });
        }
        Ok(all)
    }

    /// The losses of other players in a position with these replies to the role's moves; none for a single move.
    fn losses(
        &mut self,
        state: &A::State,
        steps: Option<u32>,
        replies: &[Reply],
    ) -> Result<Option<Losses>, EarlyEnd<A::Error>> {
        let best = replies.iter().map(|reply| &reply.value).max();
        let Some(best) = best.filter(|_| replies.len() > 1) else {
            return Ok(None);
        };
        let at_random = mean_loss(best, replies.iter());
        let near = steps.map_or(GREEDY_STEPS, |steps| steps.min(GREEDY_STEPS));
        let near = self.advisor.answer(state, Some(near))?;
        let most = near.iter().map(|reply| &reply.value).max();
        let is_taken = |(_, near): &(&Reply, &Reply)| Some(&near.value) == most;
        let taken = replies.iter().zip(&near).filter(is_taken);
        let greedy = mean_loss(best, taken.map(|(reply, _)| reply));
        Ok(Some(Losses { at_random, greedy }))
    }
}
