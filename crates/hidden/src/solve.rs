//! From a question to a solution with names.

use crate::belief::model;
use crate::error::HiddenError;
use crate::listing::Listing;
use gdl::game::{Game, Objective, largest_value};
use gdl::{Name, Term};
use limits::{Limits, StopReason};
use num_rational::BigRational;
use num_traits::Zero;
use pomdp::Ambiguous;
use rules::{Reasoner, RuleLimits};
use verify::Heading;

/// A question about a game of hidden information.
#[derive(Clone, PartialEq, Debug)]
pub struct HiddenQuestion {
    /// The role whose value is asked for.
    pub role: Name,
    /// The quantity that it maximizes.
    pub objective: Objective,
    /// The number of steps that count; without a number all do.
    pub depth: Option<u32>,
    /// The facts of the state that play starts from, which everybody knows, if it is not the initial state.
    pub start: Option<Vec<Term>>,
}

impl HiddenQuestion {
    /// About the initial state.
    pub fn new(role: Name, objective: Objective, depth: Option<u32>) -> Self {
        HiddenQuestion { role, objective, depth, start: None }
    }
}

/// The value that the role guarantees with what it knows, or bounds of it, and how.
pub struct HiddenSolution {
    pub(crate) listing: Listing,
    pub(crate) found: Found,
    /// Values are parts of this one.
    largest: BigRational,
    pub(crate) heading: Heading,
}

/// What was found about the listed states.
pub(crate) enum Found {
    /// A limit ended the listing.
    Nothing,
    /// The role is alone against chance.
    Alone(pomdp::Solution),
}

/// A legal move of the role in the first step.
#[derive(Clone, PartialEq, Debug)]
pub struct HiddenMove {
    /// The move.
    pub action: Term,
    /// Its worth, or bounds of it.
    pub bounds: (BigRational, BigRational),
}

/// Answers a question. A limit leaves bounds.
///
/// # Errors
/// If the game has no value, a role does not know its legal moves, opponents see different things, or play can go on for ever and
/// all steps count.
pub fn solve(game: &Game, question: &HiddenQuestion, limits: &Limits) -> Result<HiddenSolution, HiddenError> {
    let HiddenQuestion { role, objective, depth, start } = question;
    let index = game.role(role)?;
    let started = start.as_ref().map(|facts| game.starting_from(facts));
    let started = started.as_ref().unwrap_or(game);
    let largest = largest_value(started, role, *objective);
    let listing = Listing::new(started, index, (*objective, &largest), *depth, limits)?;
    let mut reasoner = Reasoner::with_limits(started, RuleLimits::within(limits))?;
    let initial = reasoner.initial()?;
    let heading = Heading::new(game, role, *objective, *depth, reasoner.facts(&initial));
    let found = if listing.stopped.is_some() {
        Found::Nothing
    } else if depth.is_none() && listing.longest.is_none() {
        return Err(HiddenError::Endless);
    } else {
        let found = pomdp::solve(&model(&listing), *depth, limits);
        Found::Alone(found.map_err(|Ambiguous(one, other)| listing.in_the_dark(index, one, other))?)
    };
    Ok(HiddenSolution { listing, found, largest, heading })
}

impl HiddenSolution {
    /// Proved bounds of the value of the start: both are the value if it is known.
    pub fn bounds(&self) -> (BigRational, BigRational) {
        match &self.found {
            Found::Nothing => (BigRational::zero(), self.largest.clone()),
            Found::Alone(solution) => self.whole(solution.bounds()),
        }
    }

    /// The limit that was reached, if any.
    pub fn stopped(&self) -> Option<StopReason> {
        match &self.found {
            Found::Nothing => self.listing.stopped,
            Found::Alone(solution) => solution.stopped(),
        }
    }

    /// Whether plays that were not over after the last step count, as worth nothing.
    pub fn cuts_off(&self) -> bool {
        match &self.found {
            Found::Nothing => self.heading.depth.is_some(),
            Found::Alone(solution) => solution.cuts_off(),
        }
    }

    /// The most steps that play can take, if it is known and all steps count.
    pub fn longest_play(&self) -> Option<u32> {
        self.listing.longest.filter(|_| self.heading.depth.is_none())
    }

    /// The opponents that choose.
    pub fn coalition(&self) -> impl Iterator<Item = &Name> {
        self.listing.coalition.iter().map(|&index| &self.heading.roles[index])
    }

    /// Sizes of the data, by name.
    pub fn statistics(&self) -> Vec<(&'static str, u64)> {
        let mut sizes = vec![("states", self.listing.nodes.len() as u64)];
        if let Found::Alone(solution) = &self.found {
            sizes.push(("beliefs", solution.beliefs() as u64));
        }
        sizes
    }

    /// The legal moves of the role in the first step with their worth; none if no step is made or nothing is known.
    pub fn moves(&self) -> Vec<HiddenMove> {
        let bounds = match &self.found {
            Found::Nothing => Vec::new(),
            Found::Alone(solution) => solution.actions(0),
        };
        if bounds.is_empty() {
            return Vec::new();
        }
        let moves = self.listing.legal(0, self.listing.sides.role).iter().zip(bounds);
        moves
            .map(|(action, bounds)| HiddenMove {
                action: action.clone(),
                bounds: self.whole(bounds),
            })
            .collect()
    }

    fn whole(&self, (lower, upper): (BigRational, BigRational)) -> (BigRational, BigRational) {
        (lower * &self.largest, upper * &self.largest)
    }
}
