//! Lost robot: find the corner without seeing anything.
//!
//! A robot stands somewhere on a grid of some dimensions, all of the same length, and has to be in
//! the corner where all coordinates are 0 after a number of steps. It moves one step along an axis
//! at a time; a move against a wall does nothing, and any move may fail. The plan is fixed
//! beforehand. Without failing moves this is the family "square" (two dimensions) and "cube"
//! (three) of conformant planning.
//!
//! The prefix is "exists plan, for all / chance start, chance failures, exists gates". With side
//! `s`, `d` dimensions and `n` steps, `2 * d * n` variables are the plan, `d * (s - 1)` the start,
//! `n` the failures, and about `4 * d * s * n` are gates of about 3 clauses each. The value is known
//! by going through all plans, and for large problems because it never helps to move away from
//! the corner: only the number of moves along each axis matters, and the axes are independent.

use super::builder::{FormulaBuilder, Unknown};
use formula::{BigRational, Formula, Lit, Probability};
use num_traits::{One, Zero};

/// The sizes and probabilities for [`lost_robot`].
#[derive(Clone, Debug)]
pub struct LostRobot {
    /// The number of places along each axis, at least 1.
    pub side: usize,
    /// The number of axes.
    pub dimensions: usize,
    pub steps: usize,
    /// The player who chooses the start.
    pub start: Unknown,
    /// The probability that a move fails.
    pub fails: Probability,
}

impl LostRobot {
    /// The highest probability of standing in the corner, from the numbers of moves towards it.
    pub fn value(&self) -> BigRational {
        // best[moves]: with this many moves along the axes so far.
        let arrivals: Vec<BigRational> =
            (0..=self.steps).map(|moves| self.arrives(moves)).collect();
        let mut best = vec![BigRational::zero(); self.steps + 1];
        best[0] = BigRational::one();
        for _ in 0..self.dimensions {
            best = (0..=self.steps)
                .map(|moves| {
                    let splits = (0..=moves).map(|here| &best[moves - here] * &arrivals[here]);
                    splits.max().expect("no move is one possibility")
                })
                .collect();
        }
        best.into_iter().max().expect("no move is one possibility")
    }

    /// The probability to reach coordinate 0 with this many moves towards it.
    fn arrives(&self, moves: usize) -> BigRational {
        // distribution[coordinate]; the worst start is the farthest.
        let mut distribution = match self.start {
            Unknown::Uniform => {
                vec![
                    Probability::ratio(1, self.side as u64)
                        .as_rational()
                        .clone();
                    self.side
                ]
            }
            Unknown::Adversary => {
                let mut farthest = vec![BigRational::zero(); self.side];
                farthest[self.side - 1] = BigRational::one();
                farthest
            }
        };
        for _ in 0..moves {
            for coordinate in 1..self.side {
                let moving = &distribution[coordinate] * self.fails.complement().as_rational();
                distribution[coordinate] -= &moving;
                distribution[coordinate - 1] += moving;
            }
        }
        distribution.swap_remove(0)
    }
}

/// The lost robot as a formula; its value is the highest probability of ending in the corner.
///
/// # Panics
/// If the side is 0.
pub fn lost_robot(problem: &LostRobot) -> Formula {
    let &LostRobot {
        side,
        dimensions,
        steps,
        ..
    } = problem;
    assert!(side > 0, "a grid has places");
    let mut builder = FormulaBuilder::default();
    let plan: Vec<Vec<Lit>> = (0..if dimensions == 0 { 0 } else { steps })
        .map(|step| {
            builder.one_of((0..dimensions).flat_map(|axis| {
                ["down", "up"].map(|direction| format!("{direction}({axis},{step})"))
            }))
        })
        .collect();
    let start: Vec<Vec<Lit>> = (0..dimensions)
        .map(|axis| builder.unknown(problem.start, side, &format!("start({axis})")))
        .collect();
    let mut works = Vec::new();
    if !problem.fails.is_zero() {
        for step in 0..plan.len() {
            let works_with = problem.fails.complement();
            works.push(builder.chance(format_args!("works({step})"), &works_with));
        }
    }

    for (axis, start) in start.iter().enumerate() {
        let mut places = builder.cases(start, &format!("at({axis},0)"));
        for (step, moves) in plan.iter().enumerate() {
            let [down, up] = ["down", "up"].map(|direction| {
                let chosen = moves[2 * axis + usize::from(direction == "up")];
                match works.get(step) {
                    None => chosen,
                    Some(&works) => {
                        let name = format!("moves_{direction}({axis},{step})");
                        builder.and(name, &[chosen, works])
                    }
                }
            });
            places = (0..side)
                .map(|place| {
                    // At a wall the place to come from is the place itself.
                    let above = places[(place + 1).min(side - 1)];
                    let below = places[place.saturating_sub(1)];
                    let name = |what: &str| format!("{what}({axis},{place},{})", step + 1);
                    let mut ways = Vec::new();
                    // Moving down leads here from above, and at 0 also from here.
                    if place + 1 < side {
                        ways.push(builder.and(name("from_above"), &[down, above]));
                    }
                    if place > 0 {
                        ways.push(builder.and(name("from_below"), &[up, below]));
                    }
                    let mut stays = vec![places[place]];
                    if place > 0 {
                        stays.push(!down);
                    }
                    if place + 1 < side {
                        stays.push(!up);
                    }
                    ways.push(builder.and(name("stays"), &stays));
                    builder.or(name("at"), &ways)
                })
                .collect();
        }
        builder.clause([places[0]]);
    }
    builder.finish()
}
