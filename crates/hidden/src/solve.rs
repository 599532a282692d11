//! From a question to a solution with names.

use crate::belief::model;
use crate::error::HiddenError;
use crate::listing::Listing;
use crate::tree::{Tree, build};
use gdl::game::{Game, Objective, ValueRange};
use gdl::{Name, Term};
use limits::{Limits, Publisher, StopReason, Watch};
use num_rational::BigRational;
use num_traits::{One, Zero};
use partial_information::pomdp::Ambiguous;
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
    /// The decimal digits asked for where the value is not found exactly.
    pub digits: u32,
    /// The threads that walk through plays that are too many to be listed.
    pub threads: usize,
    /// The facts of the state that play starts from, which all roles know, if it is not the initial state.
    pub start: Option<Vec<Term>>,
}

impl HiddenQuestion {
    /// About the initial state.
    pub fn new(role: Name, objective: Objective, depth: Option<u32>) -> Self {
        HiddenQuestion {
            role,
            objective,
            depth,
            digits: 12,
            threads: 1,
            start: None,
        }
    }

    /// The states of the game that the question is about, and the range of the role's values.
    pub(crate) fn list(
        &self,
        game: &Game,
        limits: &Limits,
    ) -> Result<(Listing, ValueRange), HiddenError> {
        let index = game.role(&self.role)?;
        let started = self.start.as_ref().map(|facts| game.starting_from(facts));
        let started = started.as_ref().unwrap_or(game);
        let range = ValueRange::of(started, &self.role, self.objective);
        let asked = (self.objective, &range);
        let listing = Listing::new(started, index, asked, self.depth, limits)?;
        Ok((listing, range))
    }
}

/// The value that the role guarantees with what it knows, or bounds of it, and how.
pub struct HiddenSolution {
    pub(crate) listing: Listing,
    pub(crate) found: SolutionKind,
    /// Values are parts of this one.
    pub(crate) range: ValueRange,
    pub(crate) heading: Heading,
}

/// The solution for the listed states, by the kind of the question.
pub(crate) enum SolutionKind {
    /// A limit ended the listing of states, or of what both sides can know. Bounds are those of the first steps.
    Part(StopReason, (BigRational, BigRational)),
    /// The role is alone against chance.
    Alone(partial_information::pomdp::PomdpSolution),
    Opposed(
        Box<Tree>,
        Box<partial_information::sequence_form::SequenceSolution>,
    ),
}

/// Answers a question. A limit leaves bounds.
pub fn solve(
    game: &Game,
    question: &HiddenQuestion,
    limits: &Limits,
) -> Result<HiddenSolution, HiddenError> {
    solve_publishing(game, question, limits, &Publisher::default())
}

/// The same, and publishes bounds of the value on the way.
pub fn solve_publishing(
    game: &Game,
    question: &HiddenQuestion,
    limits: &Limits,
    publisher: &Publisher,
) -> Result<HiddenSolution, HiddenError> {
    let HiddenQuestion {
        role,
        objective,
        depth,
        digits,
        threads,
        ..
    } = question;
    // Where not all can be listed, bounds of the first steps take a part of the time. A role alone has none.
    let is_opposed = game.players().any(|player| player != role);
    let most = || match limits.time_left().filter(|_| is_opposed) {
        Some(time) => limits.within(time / PART_FOR_LISTING.1 * PART_FOR_LISTING.0),
        None => limits.clone(),
    };
    let (listing, range) = question.list(game, &most())?;
    let part = |reason| {
        let bounds = match listing.coalition.is_empty() {
            true => Ok((BigRational::zero(), BigRational::one())),
            false => bounds_of_first_steps(&listing, question, limits),
        };
        bounds.map(|bounds| SolutionKind::Part(reason, bounds))
    };
    let publisher = &publisher.plus(range.least()).times(range.width());
    let heading = Heading::new(game, role, *objective, *depth, listing.start.clone());
    let is_endless = depth.is_none() && listing.longest.is_none();
    if is_endless && range.has_negative() && listing.stopped.is_none() {
        return Err(HiddenError::BelowZero);
    }
    let found = if let Some(reason) = listing.stopped {
        part(reason)?
    } else if !listing.coalition.is_empty() {
        if is_endless {
            return Err(HiddenError::Endless);
        }
        let most = most();
        let mut watch = Watch::new(&most);
        match build(&listing, *depth, range.unfinished(), *threads, &mut watch)? {
            Err(reason) => part(reason)?,
            Ok(tree) => {
                let options = partial_information::sequence_form::Options::default();
                let rest = |all: u64| all.saturating_sub(watch.taken());
                let limits = Limits {
                    memory: limits.memory.map(rest),
                    ..limits.clone()
                };
                let solution = partial_information::sequence_form::solve_publishing(
                    &tree.game, &options, &limits, publisher,
                );
                SolutionKind::Opposed(Box::new(tree), Box::new(solution))
            }
        }
    } else {
        let model = model(&listing);
        let found = match is_endless {
            true => partial_information::pomdp::solve_endless(&model, *digits, limits, publisher),
            false => partial_information::pomdp::solve(&model, *depth, limits),
        };
        let found = found
            .map_err(|Ambiguous(one, other)| listing.in_the_dark(listing.sides.role, one, other))?;
        if found.cuts_off() && range.has_negative() {
            return Err(HiddenError::BelowZero);
        }
        SolutionKind::Alone(found)
    };
    Ok(HiddenSolution {
        listing,
        found,
        range,
        heading,
    })
}

/// The work that goes into the exact value of the first steps, and the width of bounds that is enough.
const EXACT_WORK: u64 = 1_000_000_000;
const WIDTH: (u32, u32) = (1, 1000);

/// The part of the memory that the first steps may take, and of the time that may go by before them.
const PART_FOR_STEPS: u64 = 8;
const PART_FOR_LISTING: (u32, u32) = (3, 4);

/// Bounds of the value, as parts of the range, by the first steps, more and more of them while limits allow: all that follows them counts as
/// the least payoff for the lower bound, as the largest for the upper one.
fn bounds_of_first_steps(
    listing: &Listing,
    question: &HiddenQuestion,
    limits: &Limits,
) -> Result<(BigRational, BigRational), HiddenError> {
    let (mut lower, mut upper) = (BigRational::zero(), BigRational::one());
    let options = partial_information::sequence_form::Options {
        width: BigRational::new(WIDTH.0.into(), WIDTH.1.into()),
        exact_work: EXACT_WORK,
    };
    let memory = limits.memory.map(|memory| memory / PART_FOR_STEPS);
    for depth in 1..=question.depth.unwrap_or(u32::MAX) {
        for behind in [BigRational::zero(), BigRational::one()] {
            let limits = Limits {
                memory,
                ..limits.within(limits.time_left().map(|time| time / 2))
            };
            let is_least = behind.is_zero();
            let mut watch = Watch::new(&limits);
            let tree = build(listing, Some(depth), behind, question.threads, &mut watch)?;
            let Ok(tree) = tree else {
                return Ok((lower, upper));
            };
            let found = partial_information::sequence_form::solve(&tree.game, &options, &limits);
            match is_least {
                true => lower = lower.max(found.lower),
                false => upper = upper.min(found.upper),
            }
            if !tree.cuts_off {
                return Ok((lower, upper));
            }
        }
    }
    Ok((lower, upper))
}

impl HiddenSolution {
    /// Proved bounds of the value of the start: both are the value if it is known.
    pub fn bounds(&self) -> (BigRational, BigRational) {
        match &self.found {
            SolutionKind::Part(_, bounds) => self.whole(bounds.clone()),
            SolutionKind::Alone(solution) => self.whole(solution.bounds()),
            SolutionKind::Opposed(_, solution) => {
                self.whole((solution.lower.clone(), solution.upper.clone()))
            }
        }
    }

    /// The limit that was reached, if any.
    pub fn stopped(&self) -> Option<StopReason> {
        match &self.found {
            SolutionKind::Part(reason, _) => Some(*reason),
            SolutionKind::Alone(solution) => solution.stopped(),
            SolutionKind::Opposed(_, solution) => solution.stopped,
        }
    }

    /// Whether more time may tell more.
    pub fn is_unfinished(&self) -> bool {
        let reason = self.stopped();
        matches!(reason, Some(StopReason::Time | StopReason::Interrupted))
    }

    /// Whether plays that were not over after the last step may count, as worth nothing. If a limit came first not all plays were seen.
    pub fn cuts_off(&self) -> bool {
        let counts_steps = self.heading.depth.is_some();
        match &self.found {
            SolutionKind::Part(..) => counts_steps,
            SolutionKind::Alone(solution) => {
                solution.cuts_off() || counts_steps && solution.stopped().is_some()
            }
            SolutionKind::Opposed(tree, _) => tree.cuts_off,
        }
    }

    /// The most steps that play can take, if it is known and all steps count.
    pub fn longest_play(&self) -> Option<u32> {
        self.listing
            .longest
            .filter(|_| self.heading.depth.is_none())
    }

    /// Whether all steps count, and play can come back to a state.
    pub(crate) fn is_endless(&self) -> bool {
        self.heading.depth.is_none() && self.listing.longest.is_none()
    }

    /// Advice where a limit left little known.
    pub fn remark(&self) -> Option<String> {
        let SolutionKind::Part(reason, bounds) = &self.found else {
            return None;
        };
        let known = match bounds.0.is_zero() && bounds.1.is_one() {
            true => "nothing is known of the value",
            false => "bounds are those of the first steps",
        };
        let states = self.listing.nodes.len();
        Some(format!(
            "{reason} before all states ({states} so far) and all that the sides can know were listed, so {known}: \
             count fewer steps, or hide less"
        ))
    }

    /// The opponents that choose.
    pub fn coalition(&self) -> impl Iterator<Item = &Name> {
        self.listing
            .coalition
            .iter()
            .map(|&index| &self.heading.roles[index])
    }

    /// Sizes of the data, by name.
    pub fn statistics(&self) -> Vec<(&'static str, u64)> {
        let mut sizes = vec![("states", self.listing.nodes.len() as u64)];
        match &self.found {
            SolutionKind::Part(..) => {}
            SolutionKind::Alone(solution) => sizes.push(("beliefs", solution.beliefs() as u64)),
            SolutionKind::Opposed(tree, solution) => sizes.extend([
                ("player_sets", tree.game.tree(0).sets() as u64),
                ("opponents_sets", tree.game.tree(1).sets() as u64),
                ("payoffs", tree.game.entries().unwrap_or(0) as u64),
                ("rounds", solution.statistics.rounds),
                ("pivots", solution.statistics.pivots),
            ]),
        }
        sizes
    }

    pub(crate) fn whole(
        &self,
        (lower, upper): (BigRational, BigRational),
    ) -> (BigRational, BigRational) {
        (self.range.value(&lower), self.range.value(&upper))
    }
}
