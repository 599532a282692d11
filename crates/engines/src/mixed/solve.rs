//! From a question to a solution with names.

use super::error::MixedError;
use super::greedy::Greedy;
use super::position::PositionGame;
use gdl::game::{Game, Objective, ValueRange};
use gdl::{Name, Term};
use limits::{Limits, StopReason};
use matrix::{ConcurrentSolution, Stage, StagePlay};
use num_rational::BigRational;
use num_traits::Zero;
use rules::RuleLimits;
use step::{StateMachine, StepLimits};
use verify::AnyStrategy;

/// A question about a game whose roles may mix their moves.
#[derive(Clone, PartialEq, Debug)]
pub struct MixedQuestion {
    /// The role whose value is asked for.
    pub role: Name,
    /// The quantity that it maximizes.
    pub objective: Objective,
    /// The number of steps that count; without a number all do.
    pub depth: Option<u32>,
    /// The decimal digits wanted where the value is not found exactly.
    pub digits: u32,
}

impl MixedQuestion {
    /// With the usual digits.
    pub fn new(role: Name, objective: Objective, depth: Option<u32>) -> Self {
        let digits = matrix::Options::default().digits;
        MixedQuestion {
            role,
            objective,
            depth,
            digits,
        }
    }
}

/// Play of the opponents that is given.
#[derive(Clone, Copy, Debug)]
pub enum GivenPlay<'a> {
    /// One of them follows a strategy, the others move at random.
    Strategy(&'a AnyStrategy),
    /// Each looks this many steps ahead.
    Greedy(u32),
}

/// The value that the role guarantees by mixing its moves, or bounds of it, and how.
pub struct MixedSolution {
    pub(super) game: PositionGame,
    pub(super) solution: ConcurrentSolution<Box<[u64]>>,
    /// Values are parts of this range.
    pub(super) range: ValueRange,
    pub(super) heading: verify::Heading,
}

/// A move of the role in a state.
#[derive(Clone, PartialEq, Debug)]
pub struct MixedMove {
    /// The move.
    pub action: Term,
    /// Its probability in the role's mixture.
    pub share: BigRational,
    /// Its worth against the opponents' mixture, or bounds of it.
    pub bounds: (BigRational, BigRational),
}

/// The mixtures of both sides in a state.
#[derive(Clone, PartialEq, Debug)]
pub struct MixedPlay {
    /// Bounds of the value of the state.
    pub bounds: (BigRational, BigRational),
    /// The role's moves, all that are legal.
    pub moves: Vec<MixedMove>,
    /// Joint moves of the opponents, in the order of roles, with their probabilities, none of which is 0.
    pub replies: Vec<(Vec<Term>, BigRational)>,
}

impl MixedPlay {
    /// The best mixtures in one state, given for each of the role's moves and, within it, each reply of the opponents what they are worth.
    ///
    /// # Panics
    /// If there are more or fewer worths than joint moves, or none.
    pub fn of_matrix(moves: &[Term], replies: &[Vec<Term>], worths: &[BigRational]) -> Self {
        assert_eq!(worths.len(), moves.len() * replies.len(), "one for each");
        let stage = Stage {
            columns: replies.len(),
            cells: (0..worths.len() as u32)
                .map(|cell| vec![(cell, 1)])
                .collect(),
        };
        let play = stage.play(worths);
        let moves = moves.iter().zip(play.rows).zip(play.row_values);
        let moves = moves.map(|((action, share), bounds)| MixedMove {
            action: action.clone(),
            share,
            bounds,
        });
        let replies = replies.iter().cloned().zip(play.columns);
        MixedPlay {
            bounds: play.bounds,
            moves: moves.collect(),
            replies: replies.filter(|(_, share)| !share.is_zero()).collect(),
        }
    }
}

/// Answers a question about the initial state. A limit leaves bounds.
///
/// # Errors
/// If the game has no circuit or no value, or the question does not fit it.
pub fn solve(
    game: &Game,
    question: &MixedQuestion,
    limits: &Limits,
) -> Result<MixedSolution, MixedError> {
    let steps = StepLimits::patient().within(limits);
    let mut machine = StateMachine::new(game, &steps, RuleLimits::within(limits))?;
    let start = machine.initial()?;
    let start = machine.facts(&start);
    solve_on(game, &machine, question, &start, limits)
}

/// The same from a state on, on a machine with a circuit that covers it.
///
/// # Errors
/// The same.
pub fn solve_on(
    game: &Game,
    machine: &StateMachine,
    question: &MixedQuestion,
    start: &[Term],
    limits: &Limits,
) -> Result<MixedSolution, MixedError> {
    found(game, machine, question, None, start, limits)
}

/// The role's best response to given play of the opponents. Where a strategy says nothing, and in place of other opponents, moves are random.
///
/// # Errors
/// The same, and if the strategy does not fit the game.
pub fn respond_on(
    game: &Game,
    machine: &StateMachine,
    question: &MixedQuestion,
    given: GivenPlay<'_>,
    start: &[Term],
    limits: &Limits,
) -> Result<MixedSolution, MixedError> {
    found(game, machine, question, Some(given), start, limits)
}

fn found(
    game: &Game,
    machine: &StateMachine,
    question: &MixedQuestion,
    given: Option<GivenPlay<'_>>,
    start: &[Term],
    limits: &Limits,
) -> Result<MixedSolution, MixedError> {
    let MixedQuestion {
        role,
        objective,
        depth,
        digits,
    } = question;
    let range = ValueRange::of(&game.starting_from(start), role, *objective);
    let mut states = PositionGame::new(machine, game.role(role)?, *objective, range.clone())?;
    if let Some(GivenPlay::Greedy(steps)) = given {
        let opponents = states.sides.opponents.iter();
        let games = opponents.map(|&opponent| {
            let range = ValueRange::of(game, &machine.roles()[opponent], *objective);
            PositionGame::new(machine, opponent, *objective, range)
        });
        let games = games.collect::<Result<Vec<_>, _>>()?;
        states.greedy = Some(Greedy::of(games.into_iter(), steps));
    }
    let followed = match given {
        Some(GivenPlay::Strategy(strategy)) => Some(strategy),
        _ => None,
    };
    let row = states.starting(start, machine.roles(), followed)?;
    let options = matrix::Options { digits: *digits };
    let solution = matrix::solve(&mut states, row, *depth, &options, limits)?;
    if depth.is_none() && range.has_negative() && solution.longest_play().is_none() {
        return Err(solution
            .stopped()
            .map_or(MixedError::BelowZero, MixedError::Stopped));
    }
    let heading = verify::Heading::new(game, role, *objective, *depth, start.to_vec());
    Ok(MixedSolution {
        game: states,
        solution,
        range,
        heading,
    })
}
impl MixedSolution {
    /// Proved bounds of the value of the start: both are the value if it is known.
    pub fn bounds(&self) -> (BigRational, BigRational) {
        self.whole(self.solution.bounds())
    }

    /// The bounds that the mixtures guarantee.
    pub fn guaranteed(&self) -> (BigRational, BigRational) {
        self.whole(self.solution.guaranteed())
    }

    /// Whether no mixtures get the value, though they come as near as wanted.
    pub fn is_unreached(&self) -> bool {
        self.solution.is_unreached()
    }

    /// The limit that was reached, if any.
    pub fn stopped(&self) -> Option<StopReason> {
        self.solution.stopped()
    }

    /// Whether plays that were not over after the last step count, as worth nothing.
    pub fn cuts_off(&self) -> bool {
        self.solution.cuts_off()
    }

    /// The most steps that play can take, if it is known and all steps count.
    pub fn longest_play(&self) -> Option<u32> {
        self.solution.longest_play()
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.solution.states()
    }

    /// The mixtures at the start; none if play is over there, no steps are left, or nothing is known.
    pub fn play(&mut self) -> Option<MixedPlay> {
        let play = self.solution.play(0, self.solution.depth())?;
        Some(self.named(0, play))
    }

    /// The mixtures in a state with these facts; none also if play from the start does not lead there.
    pub fn play_from(&mut self, facts: &[Term]) -> Option<MixedPlay> {
        let row = self.game.row(facts).ok()?;
        let mut states = 0..self.solution.states();
        let state = states.find(|&state| *self.solution.state(state) == row)?;
        let play = self.solution.play(state, self.solution.depth())?;
        Some(self.named(state, play))
    }

    /// The mixtures in a state with names.
    pub(super) fn named(&mut self, state: usize, play: StagePlay) -> MixedPlay {
        let legal = self.game.legal(self.solution.state(state));
        let role = self.game.sides.role;
        let actions = self.game.actions(role, &legal).into_iter();
        let moves = actions.zip(play.rows).zip(play.row_values);
        let moves = moves.map(|((action, share), bounds)| MixedMove {
            action,
            share,
            bounds: self.whole(bounds),
        });
        let replies = self.game.named_replies(&legal).into_iter();
        let replies = replies.zip(play.columns);
        let replies = replies.filter(|(_, share)| *share > BigRational::default());
        MixedPlay {
            bounds: self.whole(play.bounds),
            moves: moves.collect(),
            replies: replies.collect(),
        }
    }

    fn whole(&self, (lower, upper): (BigRational, BigRational)) -> (BigRational, BigRational) {
        (self.range.value(&lower), self.range.value(&upper))
    }
}
