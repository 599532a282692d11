//! The probabilities with which both sides make their moves.

use crate::mixed::MixedPlay;
use formula::BigRational;
use gdl::game::fraction;
use gdl::{Term, texts};
use num_traits::Zero;
use serde::Serialize;

/// The mixtures of both sides in a state; moves that are never made are left out.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Mixtures {
    /// The role's moves.
    pub player: Vec<Share<Term>>,
    /// Joint moves of the opponents: one move for each.
    pub opponents: Vec<Share<Vec<Term>>>,
}

/// A move, or one of each opponent, and its probability.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Share<M> {
    /// The move.
    #[serde(rename = "move")]
    pub action: M,
    /// How likely it is.
    #[serde(serialize_with = "fraction")]
    pub probability: BigRational,
}

impl<M> Share<M> {
    fn new(action: &M, probability: &BigRational) -> Self
    where
        M: Clone,
    {
        Share {
            action: action.clone(),
            probability: probability.clone(),
        }
    }
}

impl From<&MixedPlay> for Mixtures {
    fn from(play: &MixedPlay) -> Self {
        let made = play.moves.iter().filter(|each| !each.share.is_zero());
        let replies = play.replies.iter();
        Mixtures {
            player: made
                .map(|each| Share::new(&each.action, &each.share))
                .collect(),
            opponents: replies
                .map(|(reply, share)| Share::new(reply, share))
                .collect(),
        }
    }
}

impl Mixtures {
    /// The probability of a move of the role.
    pub fn of(&self, action: &Term) -> BigRational {
        let own = self.player.iter().find(|share| share.action == *action);
        own.map_or_else(BigRational::zero, |share| share.probability.clone())
    }

    /// Both mixtures, in two lines.
    pub fn lines(&self) -> Vec<String> {
        let own = self.player.iter();
        let own = joined(own.map(|share| (share.action.to_string(), &share.probability)));
        let mut lines = vec![format!("the role mixes: {own}")];
        let replies = self.opponents.iter();
        if replies.clone().any(|share| !share.action.is_empty()) {
            let replies =
                replies.map(|share| (texts(&share.action).join(" and "), &share.probability));
            lines.push(format!("against it: {}", joined(replies)));
        }
        lines
    }
}

fn joined<'a>(shares: impl Iterator<Item = (String, &'a BigRational)>) -> String {
    let parts = shares.map(|(action, share)| format!("{action} {share}"));
    parts.collect::<Vec<_>>().join(", ")
}
