//! The values of all subgame perfect equilibria by backward induction on sets.
//!
//! E(s) has a vector for each equilibrium of the play from s on, with a value for each player; moves are pure, and may depend on the past, so that each
//! way to come to a state may be followed by another equilibrium. A player that moves can be held to a move whose equilibrium gives it no less
//! than the worst equilibrium behind every other move:
//!
//! ```text
//! E(s) = union over moves a of { v in E(a) : v_i >= max over moves b of min of w_i over w in E(b) }
//! ```
//!
//! After a move chance decides: E(a) has the means of all combinations of equilibria behind its outcomes. Where there are too many vectors
//! an interval for each player takes the place of the set. It has all vectors of the set, and may be wider.

use super::listing::{Choice, Listing, Node};
use limits::{StopReason, Watch};
use num_rational::BigRational;
use num_traits::{One, Zero};

/// A value for each player.
pub(super) type Vector = Box<[BigRational]>;

/// The most vectors of a set: as many as those of six ties that do not depend on each other.
const MAX_VECTORS: usize = 64;

/// The values of the equilibria of a position.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Values {
    /// All vectors, sorted.
    Set(Vec<Vector>),
    /// For each player an interval that has its values.
    Intervals(Vec<(BigRational, BigRational)>),
}

impl Values {
    pub(super) fn one(vector: Vector) -> Self {
        Values::Set(vec![vector])
    }

    /// The least and the largest value of a player.
    pub(super) fn interval(&self, player: usize) -> (BigRational, BigRational) {
        match self {
            Values::Set(vectors) => {
                let values = || vectors.iter().map(|vector| &vector[player]);
                let ends = values().min().zip(values().max());
                let (least, largest) = ends.expect("every position has an equilibrium");
                (least.clone(), largest.clone())
            }
            Values::Intervals(intervals) => intervals[player].clone(),
        }
    }

    fn intervals(&self, players: usize) -> Vec<(BigRational, BigRational)> {
        (0..players).map(|player| self.interval(player)).collect()
    }

    /// The values of a move after which chance picks one of these, all equally likely.
    pub(super) fn mean(outcomes: &[&Values], players: usize) -> Self {
        let share = BigRational::new(One::one(), outcomes.len().into());
        let mean = |sum: BigRational| sum * &share;
        if let Some(sums) = sums(outcomes, players) {
            let means = sums
                .into_iter()
                .map(|sum| sum.into_vec().into_iter().map(mean).collect());
            return Values::Set(means.collect());
        }
        let intervals = (0..players).map(|player| {
            let ends = outcomes.iter().map(|values| values.interval(player));
            let (least, largest): (Vec<_>, Vec<_>) = ends.unzip();
            (
                mean(least.into_iter().sum()),
                mean(largest.into_iter().sum()),
            )
        });
        Values::Intervals(intervals.collect())
    }

    /// The values of a position in which a player chooses between moves with these values.
    fn choice(mover: usize, moves: Vec<Values>, players: usize) -> Self {
        let worst = moves.iter().map(|values| values.interval(mover).0);
        let guaranteed = worst.max().expect("every player has a move");
        let kept: Vec<Values> = moves
            .into_iter()
            .filter_map(|values| values.at_least(mover, &guaranteed))
            .collect();
        let sets = kept.iter().map(|values| match values {
            Values::Set(vectors) => Some(&vectors[..]),
            Values::Intervals(_) => None,
        });
        if let Some(sets) = sets.collect::<Option<Vec<_>>>()
            && let Some(all) = few(sets.into_iter().flatten().cloned().collect())
        {
            return Values::Set(all);
        }
        let hull = kept
            .iter()
            .map(|values| values.intervals(players))
            .reduce(|one, other| {
                let both = one.into_iter().zip(other);
                both.map(|(one, other)| (one.0.min(other.0), one.1.max(other.1)))
                    .collect()
            });
        Values::Intervals(hull.expect("the move that guarantees most is kept"))
    }

    /// Those in which a player has at least so much, if there are any.
    fn at_least(self, player: usize, bound: &BigRational) -> Option<Self> {
        match self {
            Values::Set(mut vectors) => {
                vectors.retain(|vector| vector[player] >= *bound);
                (!vectors.is_empty()).then_some(Values::Set(vectors))
            }
            Values::Intervals(mut intervals) => {
                let (least, largest) = &mut intervals[player];
                if *largest < *bound {
                    return None;
                }
                if *least < *bound {
                    least.clone_from(bound);
                }
                Some(Values::Intervals(intervals))
            }
        }
    }
}

/// The sums of a vector of each set; none if they are too many, or some are intervals.
fn sums(sets: &[&Values], players: usize) -> Option<Vec<Vector>> {
    let mut sums: Vec<Vector> = vec![vec![BigRational::zero(); players].into()];
    for values in sets {
        let Values::Set(vectors) = values else {
            return None;
        };
        let all = sums.iter().flat_map(|sum| {
            let plus =
                |vector: &Vector| sum.iter().zip(vector).map(|(one, two)| one + two).collect();
            vectors.iter().map(plus)
        });
        sums = few(all.collect())?;
    }
    Some(sums)
}

/// The vectors, each once, if they are not too many.
fn few(mut vectors: Vec<Vector>) -> Option<Vec<Vector>> {
    vectors.sort_unstable();
    vectors.dedup();
    (vectors.len() <= MAX_VECTORS).then_some(vectors)
}

/// The values of a move of a position.
pub(super) fn of_move(values: &[Values], choice: &Choice, index: usize, players: usize) -> Values {
    let outcomes = choice.outcomes[index].iter();
    let outcomes: Vec<&Values> = outcomes.map(|&next| &values[next as usize]).collect();
    Values::mean(&outcomes, players)
}

/// The values of all positions, which come in this order, each behind those that follow it.
pub(super) fn backwards(
    listing: &Listing,
    order: &[u32],
    watch: &mut Watch<'_>,
) -> Result<Vec<Values>, StopReason> {
    let players = listing.players.len();
    let mut values = vec![Values::Set(Vec::new()); listing.nodes.len()];
    for (done, &number) in order.iter().enumerate() {
        watch.check("backward induction", done as u64)?;
        let found = match &listing.nodes[number as usize] {
            Node::Over(vector) => Values::one(vector.clone()),
            Node::Open(choice) => {
                let moves = 0..choice.outcomes.len();
                let moves = moves.map(|index| of_move(&values, choice, index, players));
                Values::choice(choice.mover.unwrap_or(0), moves.collect(), players)
            }
        };
        let vectors = match &found {
            Values::Set(vectors) => vectors.len(),
            Values::Intervals(_) => 2,
        };
        watch.take_memory((vectors * players * 64) as u64)?;
        values[number as usize] = found;
    }
    Ok(values)
}
