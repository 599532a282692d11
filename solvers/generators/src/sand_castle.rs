//! Sand castle: a small planning problem with chance.
//!
//! At the sea a planner wants a castle of sand within some steps. Each step is either to dig a
//! moat, which may fail, or to build the castle, which succeeds more often behind a moat; a
//! building that fails may bury the moat. The problem is one of the first that were solved as
//! stochastic SAT (Littman, Majercik: MAXPLAN and ZANDER). There the plan is made blindly; we
//! also have the version where it depends on what is seen, whose prefix alternates.
//!
//! The formula has 5 decisions and 7 gates a step, so `12 * steps + 2` variables, and
//! `23 * steps + 3` clauses. The value is known from the states (moat or not, castle or not):
//! blind by going through all `2^steps` plans, seeing by dynamic programming.

use super::builder::FormulaBuilder;
use formula::{BigRational, Formula, Lit, Probability};
use num_traits::{One, Zero};

#[derive(Clone, Debug)]
pub struct SandCastle {
    pub steps: usize,
    /// Whether the plan may depend on what happened.
    pub sees: bool,
    /// The probability that digging makes a moat.
    pub dig: Probability,
    /// The probability that building succeeds behind a moat.
    pub build_behind_moat: Probability,
    /// The probability that building succeeds without a moat.
    pub build_in_the_open: Probability,
    /// The probability that a failed building buries the moat.
    pub bury: Probability,
}

impl SandCastle {
    /// The chances used most: 1/2 for a moat, 67/100 and 1/4 for the castle, 3/4 for the loss.
    pub fn new(steps: usize, sees: bool) -> Self {
        SandCastle {
            steps,
            sees,
            dig: Probability::ratio(1, 2),
            build_behind_moat: Probability::ratio(67, 100),
            build_in_the_open: Probability::ratio(1, 4),
            bury: Probability::ratio(3, 4),
        }
    }

    /// The highest probability of a castle, computed on the states.
    pub fn value(&self) -> BigRational {
        let start = [BigRational::one(), BigRational::zero()];
        if self.sees {
            let [in_the_open, _] = self.seeing(self.steps);
            in_the_open
        } else {
            self.blind(&start, self.steps)
        }
    }

    /// Probabilities of (no moat, moat), both without a castle, after one step.
    fn step(&self, builds: bool, [open, moat]: &[BigRational; 2]) -> [BigRational; 2] {
        let one = BigRational::one;
        if builds {
            let fails = moat * (one() - self.build_behind_moat.as_rational());
            let stays = open * (one() - self.build_in_the_open.as_rational());
            let buried = &fails * self.bury.as_rational();
            [stays + &buried, fails - buried]
        } else {
            let dug = open * self.dig.as_rational();
            [open - &dug, moat + dug]
        }
    }

    /// The best probability of a castle over all plans for the steps that are left.
    fn blind(&self, without: &[BigRational; 2], left: usize) -> BigRational {
        if left == 0 {
            return BigRational::one() - &without[0] - &without[1];
        }
        let plans = [false, true].map(|builds| self.blind(&self.step(builds, without), left - 1));
        let [digs, builds] = plans;
        digs.max(builds)
    }

    /// The best probability of a castle from (no moat, moat) when everything is seen.
    fn seeing(&self, left: usize) -> [BigRational; 2] {
        if left == 0 {
            return [BigRational::zero(), BigRational::zero()];
        }
        let later = self.seeing(left - 1);
        let from = |start: [BigRational; 2]| {
            [false, true]
                .map(|builds| {
                    let [open, moat] = self.step(builds, &start);
                    let castle = BigRational::one() - &open - &moat;
                    castle + open * &later[0] + moat * &later[1]
                })
                .into_iter()
                .max()
                .expect("there are two")
        };
        let (zero, one) = (BigRational::zero, BigRational::one);
        [from([one(), zero()]), from([zero(), one()])]
    }
}

/// The decisions of one step.
struct Step {
    builds: Lit,
    dug: Lit,
    behind_moat: Lit,
    in_the_open: Lit,
    buried: Lit,
}

/// Sand castle as a formula; its value is the highest probability of a castle.
pub fn sand_castle(problem: &SandCastle) -> Formula {
    let mut builder = FormulaBuilder::default();
    let mut state = ["moat(0)", "castle(0)"].map(|name| builder.exists(name));
    for nothing in state {
        builder.clause([!nothing]);
    }
    if problem.sees {
        for step in 0..problem.steps {
            let builds = builder.exists(format_args!("build({step})"));
            let decisions = chances(&mut builder, problem, step, builds);
            state = next(&mut builder, step, state, &decisions);
        }
    } else {
        let plan: Vec<Lit> = (0..problem.steps)
            .map(|step| builder.exists(format_args!("build({step})")))
            .collect();
        let steps: Vec<Step> = (0..problem.steps)
            .map(|step| chances(&mut builder, problem, step, plan[step]))
            .collect();
        for (step, decisions) in steps.iter().enumerate() {
            state = next(&mut builder, step, state, decisions);
        }
    }
    let [_, castle] = state;
    builder.clause([castle]);
    builder.finish()
}

/// The chances of one step.
fn chances(builder: &mut FormulaBuilder, problem: &SandCastle, step: usize, builds: Lit) -> Step {
    let mut chance =
        |name: &str, probability| builder.chance(format_args!("{name}({step})"), probability);
    Step {
        builds,
        dug: chance("dug", &problem.dig),
        behind_moat: chance("built_behind_moat", &problem.build_behind_moat),
        in_the_open: chance("built_in_the_open", &problem.build_in_the_open),
        buried: chance("buried", &problem.bury),
    }
}

/// The gates of one step, from (moat, castle) to the next.
fn next(
    builder: &mut FormulaBuilder,
    step: usize,
    [moat, castle]: [Lit; 2],
    by: &Step,
) -> [Lit; 2] {
    let works = builder.choice(
        format_args!("works({step})"),
        moat,
        by.behind_moat,
        by.in_the_open,
    );
    let built = builder.and(format_args!("built({step})"), &[by.builds, works]);
    // Once there is a castle the moat has no influence any more.
    let lost = builder.and(format_args!("lost({step})"), &[!works, by.buried]);
    let kept = builder.and(format_args!("kept({step})"), &[moat, !lost]);
    let dug = builder.or(format_args!("dug_or_there({step})"), &[moat, by.dug]);
    let after = step + 1;
    let new_moat = builder.choice(format_args!("moat({after})"), by.builds, kept, dug);
    let new_castle = builder.or(format_args!("castle({after})"), &[castle, built]);
    [new_moat, new_castle]
}
