//! Expansions: the place where a game puts the successors of states, and the reasons why it may refuse to.

use crate::afterstates::AfterstateLookup;
use crate::denominators::{NewShare, Scale};
use crate::tree::{Rows, Tree};
use base::value::Numerator;
use limits::Limits;
use limits::StopReason;

/// The reason why states could not be expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// A denominator is too coarse.
    NewShare(NewShare),
    /// The tree would take more memory than allowed.
    TooLarge,
    /// This state has no value, or what follows it in one step has none.
    Flaw(u32),
    /// A limit was reached on the way, or another thread has ended the work.
    Stopped(StopReason),
}

impl From<StopReason> for Refusal {
    fn from(stopped: StopReason) -> Self {
        Refusal::Stopped(stopped)
    }
}

/// Findings where only successors are wanted, and no values.
#[derive(Clone, Default, Debug)]
pub struct Survey {
    /// The shares of chance that occur.
    pub shares: Vec<NewShare>,
    /// A state that has no value, if one was met.
    pub flaw: Option<u32>,
}

/// The place for the successors of states of one layer.
pub struct Expansion<'a, N> {
    /// The states, and the nodes that were added below them.
    pub tree: &'a mut Tree<N>,
    /// The layer of the states.
    pub layer: usize,
    pub limits: &'a Limits,
    /// Whether some play is not over though nothing is left to do.
    pub cuts_off: bool,
    pub(crate) scale: &'a Scale<N>,
    /// The words of the states that follow.
    pub(crate) rows: Rows,
    /// The most nodes that the tree may have.
    pub(crate) max_nodes: usize,
    /// If there, weights and values mean nothing.
    pub(crate) survey: Option<&'a mut Survey>,
    /// Where afterstates are noted, if what follows from them is listed once.
    pub(crate) afterstates: Option<AfterstateLookup<'a>>,
}

impl<'a, N: Numerator> Expansion<'a, N> {
    /// Whether afterstates are listed once, so that their keys are of use.
    pub fn wants_afterstates(&self) -> bool {
        self.afterstates.is_some()
    }

    /// Notes an *afterstate*: chance decides next at a node, and the successors depend on this key only. Whether they are
    /// known already, so that the node may stay a leaf. All keys must have the same length.
    #[inline]
    pub fn is_known_afterstate(&mut self, node: u32, key: &[u64]) -> bool {
        match &mut self.afterstates {
            Some(afterstates) => afterstates.meet(node, key),
            None => false,
        }
    }

    /// The words of the states that follow.
    pub fn rows(&self) -> Rows {
        self.rows
    }

    /// How many more nodes the tree may have.
    pub fn room(&self) -> usize {
        self.max_nodes.saturating_sub(self.tree.nodes.len())
    }

    /// The number 1 of the states that follow.
    #[inline]
    pub fn one(&self) -> &'a N {
        match self.survey {
            None => &self.scale.ones[self.layer - 1],
            Some(_) => &self.scale.ones[0],
        }
    }

    /// The payoffs, in parts that [`Expansion::worth`] knows.
    #[inline]
    pub fn payoffs(&self) -> &'a [N] {
        &self.scale.payoffs
    }

    /// The worth of an end of play that pays this sum of payoffs, at most 1.
    #[inline]
    pub fn worth(&self, sum: N) -> N {
        match self.survey {
            None => self.scale.worth(self.layer - 1, sum),
            Some(_) => N::zero(),
        }
    }

    /// The denominator of a site.
    #[inline]
    pub fn denominator(&self, site: usize) -> &'a N {
        match self.survey {
            None => self.scale.denominator(self.layer, site),
            Some(_) => &self.scale.ones[0],
        }
    }

    /// The weight of each of `count` equally likely outcomes at a site.
    #[inline]
    pub fn share(&mut self, site: usize, count: u32) -> Result<&'a N, Refusal> {
        let layer = self.layer;
        if let Some(survey) = &mut self.survey {
            let share = NewShare { layer, site, count };
            survey.shares.push(share);
            return Ok(&self.scale.ones[0]);
        }
        let share = self.scale.share(layer, site, count);
        share.map_err(Refusal::NewShare)
    }

    /// The weights of the two outcomes of a coin.
    #[inline]
    pub fn sides(&mut self, site: usize) -> Result<[&'a N; 2], Refusal> {
        let layer = self.layer;
        if let Some(survey) = &mut self.survey {
            survey.shares.push(NewShare::coin(layer, site));
            return Ok([&self.scale.ones[0]; 2]);
        }
        let [first, second] = self.scale.sides(layer, site).map_err(Refusal::NewShare)?;
        Ok([first, second])
    }

    /// A weight times a small number.
    #[inline]
    pub fn times(&self, weight: &N, small: u32) -> N {
        match (small, &self.survey) {
            (1, _) | (_, Some(_)) => weight.clone(),
            (_, None) => self.scale.times(weight, small),
        }
    }

    /// Notes that a state that is expanded, or a successor of it, has no value.
    ///
    /// # Errors
    /// Always, unless the states are only surveyed.
    pub fn refuse_flaw(&mut self, state: u32) -> Result<(), Refusal> {
        let survey = self.survey.as_mut().ok_or(Refusal::Flaw(state))?;
        survey.flaw = Some(state);
        Ok(())
    }
}
