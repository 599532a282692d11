//! One equilibrium where play may go on for ever, by iteration of values and of moves.
//!
//! Values are iterated in floating point, as if one step after the other were added to the play; a player leaves the move that it has only
//! for one that is better. The moves that remain are valued exactly, by one linear system: play that never ends is worth nothing. Players then take
//! moves that are better for them, and are valued again, until no player gains by one deviation. Goals are not negative, so that none gains by
//! more deviations either: the values are then at least those of any other play of the player (Puterman 1994, theorem 7.2.2).
//! Nothing says that iteration ends, or that there is such an equilibrium.

use super::error::SelfishError;
use super::listing::{Choice, Listing, Node};
use super::values::Vector;
use endless::{Builder, GameGraph, Options, Target};
use limits::{Limits, StopReason, Watch};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Values that differ by less are equal in floating point.
const EPSILON: f64 = 1e-9;
/// Iteration ends when no value changes by more.
const SETTLED: f64 = 1e-12;
/// The most outcomes that are followed in floating point: some seconds.
const MAX_WORK: u64 = 1 << 30;
/// How often all players may take better moves, and how often then one may.
const ROUNDS: usize = 50;
const SINGLE_ROUNDS: usize = 200;

/// The move of each position, by its index, and the values that follow.
pub(super) struct Profile {
    pub(super) moves: Vec<usize>,
    pub(super) values: Vec<Vector>,
}

/// A stationary equilibrium.
///
/// # Errors
/// If none is found.
pub(super) fn iterate(listing: &Listing, watch: &mut Watch<'_>) -> Result<Profile, SelfishError> {
    let mut moves = by_floats(listing, watch)?;
    for round in 0..ROUNDS + SINGLE_ROUNDS {
        watch.check("exact deviations", round as u64)?;
        let values = exact(listing, &moves, watch.limits())?;
        let better = deviations(listing, &moves, &values, watch)?;
        if better.is_empty() {
            return Ok(Profile { moves, values });
        }
        let count = if round < ROUNDS { better.len() } else { 1 };
        for &(number, index) in &better[..count] {
            moves[number] = index;
        }
    }
    Err(SelfishError::NotFound)
}

/// Moves by iteration of values.
fn by_floats(listing: &Listing, watch: &mut Watch<'_>) -> Result<Vec<usize>, StopReason> {
    let players = listing.players.len();
    let mut moves: Vec<Option<usize>> = vec![None; listing.nodes.len()];
    let start = listing.nodes.iter().flat_map(|node| match node {
        Node::Over(vector) => vector.iter().map(|it| it.to_f64().unwrap_or(0.0)).collect(),
        Node::Open(_) => vec![0.0; players],
    });
    let mut values: Vec<f64> = start.collect();
    let outcomes = listing.nodes.iter().map(|node| match node {
        Node::Over(_) => 0,
        Node::Open(choice) => choice.outcomes.iter().map(Vec::len).sum::<usize>() as u64,
    });
    let sweeps = MAX_WORK / outcomes.sum::<u64>().max(1);
    for sweep in 0..sweeps.max(100) {
        watch.check("iteration of values", sweep)?;
        let mut next = values.clone();
        let mut change: f64 = 0.0;
        for (number, node) in listing.nodes.iter().enumerate() {
            let Node::Open(choice) = node else { continue };
            let mean = |index: usize, player: usize| {
                let outcomes = &choice.outcomes[index];
                let sum: f64 = outcomes
                    .iter()
                    .map(|&it| values[it as usize * players + player])
                    .sum();
                sum / outcomes.len() as f64
            };
            let kept = *moves[number].get_or_insert(0);
            let mut best = kept;
            if let Some(mover) = choice.mover {
                let mut most = mean(kept, mover);
                for index in 0..choice.moves.len() {
                    let value = mean(index, mover);
                    if value > most + EPSILON {
                        (best, most) = (index, value);
                    }
                }
            }
            moves[number] = Some(best);
            for player in 0..players {
                let value = mean(best, player);
                let place = &mut next[number * players + player];
                change = change.max((value - *place).abs());
                *place = value;
            }
        }
        values = next;
        if change < SETTLED {
            break;
        }
    }
    Ok(moves.into_iter().map(|index| index.unwrap_or(0)).collect())
}

/// The positions whose mover has a better move, each with the best.
fn deviations(
    listing: &Listing,
    moves: &[usize],
    values: &[Vector],
    watch: &mut Watch<'_>,
) -> Result<Vec<(usize, usize)>, StopReason> {
    let mut better = Vec::new();
    for (number, node) in listing.nodes.iter().enumerate() {
        watch.check("exact deviations", number as u64)?;
        if let Node::Open(choice) = node
            && let Some(mover) = choice.mover
        {
            let (index, value) = best_move(choice, mover, values);
            if value > values[number][mover] && index != moves[number] {
                better.push((number, index));
            }
        }
    }
    Ok(better)
}

/// The first of the moves that are best for the mover, and its value for it.
fn best_move(choice: &Choice, mover: usize, values: &[Vector]) -> (usize, BigRational) {
    let mut best = (0, mean(&choice.outcomes[0], mover, values));
    for (index, outcomes) in choice.outcomes.iter().enumerate().skip(1) {
        let value = mean(outcomes, mover, values);
        if value > best.1 {
            best = (index, value);
        }
    }
    best
}

/// The mean of a player's values at these positions.
pub(super) fn mean(outcomes: &[u32], player: usize, values: &[Vector]) -> BigRational {
    let sum: BigRational = (outcomes.iter())
        .map(|&next| &values[next as usize][player])
        .sum();
    sum / BigRational::from_integer(outcomes.len().into())
}

/// The values of these moves.
fn exact(listing: &Listing, moves: &[usize], limits: &Limits) -> Result<Vec<Vector>, StopReason> {
    let (mut builder, mut ends) = (Builder::default(), Vec::new());
    for (node, &index) in listing.nodes.iter().zip(moves) {
        builder.state();
        builder.alternative();
        builder.reply();
        match node {
            Node::Over(vector) => {
                builder.outcome(Target::End(ends.len() as u32), 1);
                ends.push(vector);
            }
            Node::Open(choice) => {
                let next = choice.outcomes[index].iter();
                next.for_each(|&next| builder.outcome(Target::State(next), 1));
            }
        }
    }
    let chain = builder.finish(ends.len()).map_err(|_| StopReason::Memory)?;
    let nothing = vec![BigRational::zero(); ends.len()];
    let mut game = GameGraph::new(chain, nothing).expect("payoffs of 0");
    let options = Options {
        exact_work: u64::MAX,
        ..Options::default()
    };
    let mut values = vec![Vec::with_capacity(listing.players.len()); moves.len()];
    for player in 0..listing.players.len() {
        let payoffs = ends.iter().map(|vector| &vector[player]);
        let most = payoffs.clone().max().filter(|most| most.is_positive());
        let most = most.cloned().unwrap_or_else(BigRational::one);
        for (end, payoff) in payoffs.enumerate() {
            game.set_payoff(end, payoff / &most);
        }
        let solution = endless::solve(&game, &options, limits);
        for (state, values) in values.iter_mut().enumerate() {
            let reason = solution.stopped.unwrap_or(StopReason::Precision);
            values.push(solution.value(state).ok_or(reason)? * &most);
        }
    }
    Ok(values.into_iter().map(Vector::from).collect())
}

/// The moves and values of one equilibrium of a play with a last step: the first of equally good moves is taken everywhere.
pub(super) fn first_of_ties(listing: &Listing, order: &[u32]) -> Profile {
    let mut profile = Profile {
        moves: vec![0; listing.nodes.len()],
        values: vec![Vector::default(); listing.nodes.len()],
    };
    for &number in order {
        let number = number as usize;
        profile.values[number] = match &listing.nodes[number] {
            Node::Over(vector) => vector.clone(),
            Node::Open(choice) => {
                let best = choice
                    .mover
                    .map(|mover| best_move(choice, mover, &profile.values).0);
                profile.moves[number] = best.unwrap_or(0);
                let outcomes = &choice.outcomes[best.unwrap_or(0)];
                let players = 0..listing.players.len();
                players
                    .map(|player| mean(outcomes, player, &profile.values))
                    .collect()
            }
        };
    }
    profile
}
