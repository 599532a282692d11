//! Values of states and moves in steps, and the moves of both sides.

use super::backward::{Layers, best_reply, counted, layers, mean};
use super::listing::{Listing, PART_FOR_BOUNDS, list};
use crate::answer::MoveValue;
use crate::mixed::{MixedError, PositionGame};
use crate::strategy::{Advisor, Reply};
use endless::{Length, Lengths, Options, QuickSide, lengths};
use formula::{Outcome, Value};
use gdl::game::{Objective, Points, StepAim, ValueRange};
use gdl::{Name, Term};
use limits::{Limits, StopReason};
use num_bigint::BigInt;
use num_rational::BigRational;
use step::StateMachine;
use verify::AnyStrategy;

/// A question about steps.
#[derive(Clone, Copy)]
pub(crate) struct StepQuestion<'a> {
    /// The index of the role.
    pub(crate) role: usize,
    pub(crate) aim: StepAim,
    /// The number of steps that are looked at; without a number all.
    pub(crate) depth: Option<u32>,
    /// The decimal digits of bounds.
    pub(crate) digits: u32,
    /// The strategy of an opponent that follows one.
    pub(crate) followed: Option<&'a AnyStrategy>,
}

/// Values from a start on.
pub(crate) struct StepSolution {
    game: PositionGame,
    listing: Listing,
    aim: StepAim,
    values: Values,
    /// The state that is asked about.
    start: usize,
}

/// Why a state has no exact number of steps.
#[derive(Debug)]
pub(crate) enum NoNumber {
    Infinite,
    Stopped(StopReason),
}

enum Values {
    /// By state, where all steps are looked at.
    All(Lengths),
    /// For each number of steps left. Without a number of steps they are lower bounds, where a limit came before all states were listed.
    Layers(Layers, Option<u32>),
}

/// Values the state with these facts.
///
/// # Errors
/// If the game has no value, or a limit comes before there are bounds.
pub(crate) fn solve(
    machine: &mut StateMachine,
    question: StepQuestion<'_>,
    start: &[Term],
    limits: &Limits,
) -> Result<StepSolution, MixedError> {
    let StepQuestion { aim, depth, .. } = question;
    // Payoffs say here only that play is over.
    let range = ValueRange::of_probabilities();
    let mut game = PositionGame::new(machine, question.role, Objective::Win, range)?;
    let roles: Vec<Name> = machine.roles().to_vec();
    let start = game.starting(start, &roles, question.followed)?;
    let listing = list(&mut game, machine.reasoner(), start, depth, limits)?;
    let values = match (depth, listing.stopped) {
        (Some(steps), _) => Values::Layers(layers(&listing, aim, steps, limits), depth),
        (None, Some(_)) => {
            let limits = Limits {
                memory: limits.memory.map(|all| all / PART_FOR_BOUNDS),
                ..limits.clone()
            };
            Values::Layers(layers(&listing, aim, u32::MAX, &limits), depth)
        }
        (None, None) => {
            let quick = match aim {
                StepAim::Fewest => QuickSide::Alternatives,
                StepAim::Most => QuickSide::Replies,
            };
            let options = Options {
                digits: question.digits,
                ..Options::default()
            };
            let found = lengths(&listing.arena, &listing.counts, quick, &options, limits);
            Values::All(found.map_err(MixedError::Stopped)?)
        }
    };
    Ok(StepSolution {
        start: 0,
        game,
        listing,
        aim,
        values,
    })
}

fn solved(value: BigRational) -> Outcome {
    Outcome::Solved(Value::Exact(value))
}

fn outcome(length: Length) -> Outcome {
    let reason = StopReason::Precision;
    match length {
        Length::Infinite => Outcome::Infinite,
        Length::Finite {
            lower,
            upper: Some(upper),
        } => Outcome::between(lower, upper, reason),
        Length::Finite { lower, upper: None } => Outcome::AtLeast { reason, lower },
    }
}

impl StepSolution {
    /// The value of the start, or bounds of it.
    pub(crate) fn outcome(&self) -> Outcome {
        let start = self.start;
        match &self.values {
            Values::All(lengths) => outcome(lengths.lengths[start].clone()),
            Values::Layers(layers, depth) => {
                let known = layers.values.len() - 1;
                let lower = layers.values[known][start].clone();
                let upper = depth.map(|depth| match self.listing.stopped {
                    // Each further step adds at most one.
                    None => &lower + BigInt::from(u64::from(depth) - known as u64),
                    Some(_) => BigInt::from(depth).into(),
                });
                self.at_least(lower, upper)
            }
        }
    }

    /// A value by layers: a lower bound of what lies below the upper one, where a limit ended the work.
    fn at_least(&self, lower: BigRational, upper: Option<BigRational>) -> Outcome {
        match (self.stopped(), upper) {
            (None, _) => solved(lower),
            (Some(reason), None) => Outcome::AtLeast { reason, lower },
            (Some(reason), Some(upper)) => Outcome::between(lower, upper, reason),
        }
    }

    /// Turns to another state, if its value is known: to the start, or where all steps count to any listed one; says whether it is.
    pub(crate) fn turn_to(&mut self, facts: &[Term]) -> bool {
        let row = self.game.row(facts).ok();
        let number = row.and_then(|row| self.listing.states.get_index_of(&row));
        match (number, &self.values) {
            (Some(number), Values::All(_)) | (Some(number @ 0), _) => {
                self.start = number;
                true
            }
            _ => false,
        }
    }

    /// The value of each move of the role at the start, or bounds of it.
    pub(crate) fn moves(&mut self) -> Vec<MoveValue> {
        let start = self.start;
        if !self.listing.goes_on[start] {
            return Vec::new();
        }
        let outcomes: Vec<Outcome> = match &self.values {
            Values::Layers(layers, depth) => {
                let behind = layers.with(depth.map_or(u32::MAX, |depth| depth - 1));
                let listing = &self.listing;
                let upper = depth.map(|depth| BigInt::from(depth).into());
                let value = |one: usize| {
                    let mean = best_reply(listing, self.aim, one, |target| &behind[target]).1;
                    self.at_least(counted(listing, start, mean), upper.clone())
                };
                listing.arena.alternatives(start).map(value).collect()
            }
            Values::All(lengths) => {
                let alternatives = self.listing.arena.alternatives(start);
                alternatives
                    .map(|one| outcome(self.length_after(lengths, start, one)))
                    .collect()
            }
        };
        let moves = self.names(start).0.into_iter().zip(outcomes);
        moves
            .map(|(action, outcome)| MoveValue { action, outcome })
            .collect()
    }

    /// The length of play from a state in which the role chooses an alternative.
    fn length_after(&self, lengths: &Lengths, state: usize, alternative: usize) -> Length {
        let replies = self.listing.arena.replies(alternative);
        let behind = replies.map(|reply| lengths.after(&self.listing.arena, reply));
        let best = behind.reduce(|best, other| match self.aim {
            StepAim::Fewest => best.or_longer(other),
            StepAim::Most => best.or_shorter(other),
        });
        let best = best.expect("an alternative has a reply");
        best.after_step(self.listing.counts[state])
    }

    /// The role's moves in a state, in the order of its alternatives, and the opponents' joint moves, in that of the replies.
    fn names(&mut self, state: usize) -> (Vec<Term>, Vec<Vec<Term>>) {
        let legal = self.game.legal(&self.listing.states[state]);
        let actions = self.game.actions(self.game.sides.role, &legal);
        (actions, self.game.named_replies(&legal))
    }

    /// If the value is infinite: the facts of a state, of the nearest to the start, from which one side surely keeps play going for ever.
    pub(crate) fn endless(&self) -> Option<Vec<Term>> {
        let Values::All(lengths) = &self.values else {
            return None;
        };
        if self.outcome() != Outcome::Infinite {
            return None;
        }
        let (mut seen, mut next) = (vec![self.start], 0);
        let mut is_new = vec![true; self.listing.states.len()];
        while let Some(&state) = seen.get(next) {
            next += 1;
            if lengths.endless[state] {
                return Some(self.game.facts(&self.listing.states[state]));
            }
            let alternatives = self.listing.arena.alternatives(state);
            let replies = alternatives.flat_map(|one| self.listing.arena.replies(one));
            for &target in replies.flat_map(|reply| self.listing.arena.targets(reply)) {
                let target = target as usize;
                if target < is_new.len() && std::mem::take(&mut is_new[target]) {
                    seen.push(target);
                }
            }
        }
        None
    }

    /// Whether play may not be over after the last step.
    pub(crate) fn cuts_off(&self) -> bool {
        match &self.values {
            Values::All(_) | Values::Layers(_, None) => false,
            Values::Layers(layers, Some(_)) => layers.cuts_off,
        }
    }

    /// The number of states in which play goes on.
    pub(crate) fn states(&self) -> usize {
        let goes_on = self.listing.goes_on.iter();
        goes_on.filter(|goes_on| **goes_on).count()
    }

    /// The limit that ended the work.
    pub(crate) fn stopped(&self) -> Option<StopReason> {
        self.listing.stopped.or(match &self.values {
            Values::Layers(layers, _) => layers.stopped,
            Values::All(_) => None,
        })
    }

    /// The exact value of a state.
    fn exact(&self, state: usize, steps: Option<u32>) -> Result<&BigRational, NoNumber> {
        if let Some(reason) = self.stopped() {
            return Err(NoNumber::Stopped(reason));
        }
        match (&self.values, steps) {
            (Values::Layers(layers, _), Some(steps)) => Ok(&layers.with(steps)[state]),
            (Values::All(lengths), None) => match &lengths.lengths[state] {
                Length::Infinite => Err(NoNumber::Infinite),
                length => length
                    .value()
                    .ok_or(NoNumber::Stopped(StopReason::Precision)),
            },
            _ => unreachable!("steps are counted as in the question"),
        }
    }
}

/// States are numbers of the listing.
impl Advisor for StepSolution {
    type State = usize;
    type Error = NoNumber;

    fn start(&mut self) -> Result<usize, NoNumber> {
        Ok(self.start)
    }

    fn facts(&mut self, state: &usize) -> Vec<Term> {
        self.game.facts(&self.listing.states[*state])
    }

    fn is_over(&mut self, state: &usize) -> Result<bool, NoNumber> {
        Ok(!self.listing.goes_on[*state])
    }

    fn points(&mut self, _: &usize) -> Result<Points, NoNumber> {
        Ok(Points::default())
    }

    fn value(&mut self, state: &usize, steps: Option<u32>) -> Result<BigRational, NoNumber> {
        self.exact(*state, steps).cloned()
    }

    fn decide(
        &mut self,
        state: &usize,
        steps: Option<u32>,
    ) -> Result<(Term, BigRational), NoNumber> {
        let value = self.exact(*state, steps)?.clone();
        let index = match &self.values {
            // The quick side's move must lead somewhere.
            Values::All(lengths) => {
                let first = self.listing.arena.alternatives(*state).start;
                lengths.alternatives[*state] as usize - first
            }
            Values::Layers(..) => {
                let replies = self.answer(state, steps)?;
                let found = replies.iter().position(|reply| reply.value == value);
                found.expect("the value is that of the best move")
            }
        };
        Ok((self.names(*state).0.swap_remove(index), value))
    }

    fn answer(&mut self, state: &usize, steps: Option<u32>) -> Result<Vec<Reply>, NoNumber> {
        let state = *state;
        let mut found = Vec::new();
        for alternative in self.listing.arena.alternatives(state) {
            let replies = self.listing.arena.replies(alternative);
            let targets = replies.flat_map(|reply| self.listing.arena.targets(reply));
            let left = steps.map(|steps| steps - 1);
            // All of them, so that what follows needs no errors.
            for &target in targets {
                self.exact(target as usize, left)?;
            }
            let behind = |target: usize| self.exact(target, left).expect("it was asked for");
            let (first, best) = best_reply(&self.listing, self.aim, alternative, behind);
            let reply = match &self.values {
                // The quick side's reply must lead somewhere.
                Values::All(lengths) => {
                    let proper = lengths.replies[alternative] as usize;
                    let is_best = mean(&self.listing, proper, behind) == best;
                    if is_best { proper } else { first }
                }
                Values::Layers(..) => first,
            };
            found.push((reply - self.listing.arena.replies(alternative).start, best));
        }
        let (actions, replies) = self.names(state);
        let named = actions.into_iter().zip(found);
        let named = named.map(|(action, (column, best))| Reply {
            action,
            reply: replies[column].clone(),
            value: counted(&self.listing, state, best),
        });
        Ok(named.collect())
    }

    fn prefers_small(&self) -> bool {
        self.aim == StepAim::Fewest
    }

    fn successors(
        &mut self,
        state: &usize,
        action: &Term,
        reply: Option<&[Term]>,
    ) -> Result<Vec<Vec<usize>>, NoNumber> {
        let (actions, replies) = self.names(*state);
        let index = actions.iter().position(|it| it == action);
        let index = index.expect("the move is legal");
        let arena = &self.listing.arena;
        let all = arena.replies(arena.alternatives(*state).start + index);
        let meant = all.zip(&replies);
        let meant = meant.filter(|(_, moves)| reply.is_none_or(|reply| reply == &moves[..]));
        let targets = |reply| arena.targets(reply).iter().map(|&target| target as usize);
        Ok(meant.map(|(reply, _)| targets(reply).collect()).collect())
    }
}
