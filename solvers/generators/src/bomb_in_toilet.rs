//! Bomb in the toilet: planning without seeing anything.
//!
//! One of several packages holds a bomb, it is unknown which. Dunking a package into a toilet
//! disarms a bomb in it, unless the toilet is clogged; dunking clogs the toilet, always or with
//! some probability; flushing unclogs it. A plan is fixed before anything happens and makes one
//! move a step. The problem goes back to McDermott; with a certain clogging and one toilet it is
//! the family ToiletA of QBF collections when the bomb is where it hurts most, and of stochastic
//! SAT collections when it is anywhere with equal probability.
//!
//! The prefix is "exists plan, for all / chance position, chance spills, exists gates". With `p`
//! packages, `t` toilets and `n` steps, `n * t * (p + 1)` variables are the plan, `p - 1` the
//! position, `n` the spills if dunking does not always clog, and about `n * t * (p + 3)` are gates;
//! each gate has about 4 clauses, and each step one for every two of its `t * (p + 1)` moves. The
//! value is known by going through all plans, and where dunking always clogs, by counting how many
//! packages can be dunked in time.

use super::builder::{FormulaBuilder, Unknown};
use formula::{BigRational, Formula, Lit, Probability};
use num_traits::{One, Zero};
use std::collections::BTreeMap;

/// The sizes and probabilities for [`bomb_in_toilet`].
#[derive(Clone, Debug)]
pub struct BombInToilet {
    /// The number of packages, at least 1.
    pub packages: usize,
    /// The number of toilets, at least 1.
    pub toilets: usize,
    pub steps: usize,
    /// The player who hides the bomb.
    pub position: Unknown,
    /// The probability that dunking clogs the toilet.
    pub clogs: Probability,
}

/// The belief for one position of the bomb: each state that may have come about (disarmed or not, and the toilets that are
/// clogged), with its probability.
type Belief = BTreeMap<(bool, u64), BigRational>;

/// A move: flush a toilet, or dunk a package into it.
#[derive(Clone, Copy)]
struct Move {
    toilet: usize,
    package: Option<usize>,
}

impl BombInToilet {
    /// The problem with certain clogging.
    pub fn new(packages: usize, toilets: usize, steps: usize, position: Unknown) -> Self {
        BombInToilet {
            packages,
            toilets,
            steps,
            position,
            clogs: Probability::ratio(1, 1),
        }
    }

    /// The highest probability that the bomb is disarmed, by going through all plans (at most 64
    /// toilets). Where dunking always clogs it is a matter of counting: first each toilet takes a
    /// package, then every second step one more.
    pub fn value(&self) -> BigRational {
        if self.clogs.is_one() {
            let more = self.steps.saturating_sub(self.toilets) / 2;
            let dunked = (self.steps.min(self.toilets) + more).min(self.packages);
            return self.settle((0..self.packages).map(|package| {
                if package < dunked {
                    BigRational::one()
                } else {
                    BigRational::zero()
                }
            }));
        }
        self.value_by_plans()
    }

    fn value_by_plans(&self) -> BigRational {
        let start = Belief::from([((false, 0), BigRational::one())]);
        self.best(&vec![start; self.packages], self.steps)
    }

    /// The mean or the minimum over the positions of the bomb.
    fn settle(&self, disarmed: impl Iterator<Item = BigRational>) -> BigRational {
        match self.position {
            Unknown::Adversary => disarmed.min().expect("there is a package"),
            Unknown::Uniform => {
                disarmed.sum::<BigRational>() / BigRational::from_integer(self.packages.into())
            }
        }
    }

    fn moves(&self) -> impl Iterator<Item = Move> + use<> {
        let packages = self.packages;
        (0..self.toilets).flat_map(move |toilet| {
            (0..packages)
                .map(Some)
                .chain([None])
                .map(move |package| Move { toilet, package })
        })
    }

    /// The value of the best plan for the steps that are left.
    fn best(&self, beliefs: &[Belief], left: usize) -> BigRational {
        if left == 0 {
            return self.settle(beliefs.iter().map(|belief| {
                let disarmed = belief.iter().filter(|((disarmed, _), _)| *disarmed);
                disarmed.map(|(_, probability)| probability).sum()
            }));
        }
        let after = self.moves().map(|by| {
            let after: Vec<Belief> = (0..self.packages)
                .map(|position| self.after(&beliefs[position], position, by))
                .collect();
            self.best(&after, left - 1)
        });
        after.max().expect("there is a move")
    }

    /// The belief after one more move.
    fn after(&self, belief: &Belief, position: usize, by: Move) -> Belief {
        let mut after = Belief::new();
        let mut add = |state, probability: BigRational| {
            *after.entry(state).or_insert_with(BigRational::zero) += probability;
        };
        let toilet = 1 << by.toilet;
        for (&(disarmed, clogged), probability) in belief {
            let free = clogged & toilet == 0;
            match by.package {
                None => add((disarmed, clogged & !toilet), probability.clone()),
                Some(package) => {
                    let disarmed = disarmed || free && package == position;
                    let spill = probability * self.clogs.as_rational();
                    add((disarmed, clogged), probability - &spill);
                    add((disarmed, clogged | toilet), spill);
                }
            }
        }
        after
    }
}

/// Bomb in the toilet as a formula; its value is the highest probability of disarming it.
///
/// # Panics
/// If there is no package or no toilet.
pub fn bomb_in_toilet(problem: &BombInToilet) -> Formula {
    let (packages, toilets) = (problem.packages, problem.toilets);
    assert!(packages > 0 && toilets > 0, "a package and a toilet");
    let mut builder = FormulaBuilder::default();
    let plan: Vec<Vec<Lit>> = (0..problem.steps)
        .map(|step| {
            builder.one_of(problem.moves().map(|by| match by.package {
                Some(package) => format!("dunk({package},{},{step})", by.toilet),
                None => format!("flush({},{step})", by.toilet),
            }))
        })
        .collect();
    let position = builder.unknown(problem.position, packages, "position");
    let certain = problem.clogs.is_one();
    let mut spills = Vec::new();
    for step in 0..if certain { 0 } else { problem.steps } {
        spills.push(builder.chance(format_args!("spill({step})"), &problem.clogs));
    }

    let holds_bomb = builder.cases(&position, "bomb");
    let mut clogged = vec![None; toilets];
    let mut disarmed = Vec::new();
    for (step, chosen) in plan.iter().enumerate() {
        for (toilet, moves) in chosen.chunks(packages + 1).enumerate() {
            let (dunks, flush) = (&moves[..packages], moves[packages]);
            for (package, &dunk) in dunks.iter().enumerate() {
                let mut works = vec![dunk, holds_bomb[package]];
                works.extend(clogged[toilet].map(|clogged: Lit| !clogged));
                let name = format!("disarmed({package},{toilet},{step})");
                disarmed.push(builder.and(name, &works));
            }
            let mut clogs = builder.or(format_args!("dunk({toilet},{step})"), dunks);
            if let Some(&spill) = spills.get(step) {
                let name = format!("clogs({toilet},{step})");
                clogs = builder.and(name, &[clogs, spill]);
            }
            let after = step + 1;
            clogged[toilet] = Some(match clogged[toilet] {
                None => clogs,
                Some(before) => {
                    let name = format!("stays({toilet},{step})");
                    let stays = builder.and(name, &[before, !flush]);
                    builder.or(format_args!("clogged({toilet},{after})"), &[stays, clogs])
                }
            });
        }
    }
    builder.clause(disarmed);
    builder.finish()
}
