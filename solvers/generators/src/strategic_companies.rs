//! Strategic companies: which company can be indispensable?
//!
//! A holding owns companies. Companies produce goods; some sets of companies together control
//! another one. A set of companies is *viable* if its members produce every good, and contain
//! every company that members control. A company is strategic if it is in a viable set that has
//! no viable proper subset. Deciding that is complete for the second level of the polynomial
//! hierarchy (Cadoli, Eiter, Gottlob), a standard problem of answer set programming. In
//! stochastic SAT collections the question becomes: for the best viable set with the company, how
//! probable is it that a random set (each company with probability 1/2) is not a smaller viable
//! one?
//!
//! The prefix is "exists set, for all / chance smaller set, exists reasons": two variables a
//! company, then gates for the reasons why the second set is no counterexample. With `c`
//! companies, `g` goods and `k` controls there are `4 * c + g + k + 1` variables and nearly
//! 3 times as many clauses. The value is known by going through all pairs of viable sets.

use super::builder::{FormulaBuilder, Unknown};
use fastrand::Rng;
use formula::{BigRational, Formula, Lit, Probability, Quantifier};
use num_traits::{One, Zero};

/// The holding of companies for [`strategic_companies`].
#[derive(Clone, Debug)]
pub struct StrategicCompanies {
    /// The number of companies; the question is about company 0.
    pub companies: usize,
    /// For each good the companies that produce it.
    pub goods: Vec<Vec<usize>>,
    /// Sets of companies that together control one more.
    pub controls: Vec<(Vec<usize>, usize)>,
    /// The player who searches for a smaller viable set.
    pub opponent: Unknown,
}

impl StrategicCompanies {
    /// A random holding: each good has 1 or 2 producers, each controlled company 1 to 3
    /// controllers.
    ///
    /// # Panics
    /// If there are fewer than 4 companies.
    pub fn random(
        rng: &mut Rng,
        companies: usize,
        goods: usize,
        controls: usize,
        opponent: Unknown,
    ) -> Self {
        assert!(companies >= 4, "3 companies may control another one");
        let mut some = |count: usize| rng.choose_multiple(0..companies, count);
        let goods = (0..goods)
            .map(|good| some(1 + usize::from(good % 4 != 0)))
            .collect();
        let controls = (0..controls)
            .map(|control| {
                let mut group = some(2 + control % 3);
                let controlled = group.pop().expect("it has 2 to 4 members");
                (group, controlled)
            })
            .collect();
        StrategicCompanies {
            companies,
            goods,
            controls,
            opponent,
        }
    }

    /// The highest probability that no smaller viable set is found, by going through all pairs
    /// of sets (at most 63 companies).
    pub fn value(&self) -> BigRational {
        let viable: Vec<u64> = (0..1 << self.companies)
            .filter(|&set| self.is_viable(set))
            .collect();
        let with_company = viable.iter().filter(|&set| set & 1 == 1);
        let values = with_company.map(|set| {
            let smaller = viable
                .iter()
                .filter(|&&other| other & !set == 0 && other != *set);
            match (self.opponent, smaller.count() as u64) {
                (Unknown::Adversary, 0) => BigRational::one(),
                (Unknown::Adversary, _) => BigRational::zero(),
                (Unknown::Uniform, count) => Probability::ratio(count, 1 << self.companies)
                    .complement()
                    .as_rational()
                    .clone(),
            }
        });
        values.max().unwrap_or_else(BigRational::zero)
    }

    fn is_viable(&self, set: u64) -> bool {
        let has = |&company: &usize| set >> company & 1 == 1;
        self.goods.iter().all(|producers| producers.iter().any(has))
            && self
                .controls
                .iter()
                .all(|(group, controlled)| has(controlled) || !group.iter().all(has))
    }
}

/// Strategic companies as a formula: its value is 1 or 0 with an adversary (whether company 0 is
/// strategic), and with chance the highest probability that no smaller viable set is found.
///
/// # Panics
/// If there is no company.
pub fn strategic_companies(problem: &StrategicCompanies) -> Formula {
    let mut builder = FormulaBuilder::default();
    let set: Vec<Lit> = (0..problem.companies)
        .map(|company| builder.exists(format_args!("in({company})")))
        .collect();
    let other: Vec<Lit> = (0..problem.companies)
        .map(|company| {
            let name = format!("smaller({company})");
            match problem.opponent {
                Unknown::Adversary => builder.player(Quantifier::Forall, name),
                Unknown::Uniform => builder.chance(name, &Probability::ratio(1, 2)),
            }
        })
        .collect();
    builder.clause([set[0]]);
    for producers in &problem.goods {
        builder.clause(producers.iter().map(|&company| set[company]));
    }
    for (group, controlled) in &problem.controls {
        let group = group.iter().map(|&company| !set[company]);
        builder.clause(group.chain([set[*controlled]]));
    }

    // The other set is no smaller viable one, for one of these reasons.
    let mut reasons = Vec::new();
    let mut complete = Vec::new();
    for company in 0..problem.companies {
        let (inside, chosen) = (set[company], other[company]);
        reasons.push(builder.and(format_args!("foreign({company})"), &[!inside, chosen]));
        complete.push(builder.or(format_args!("not_left_out({company})"), &[!inside, chosen]));
    }
    reasons.push(builder.and("nothing_left_out", &complete));
    for (good, producers) in problem.goods.iter().enumerate() {
        let none: Vec<Lit> = producers.iter().map(|&company| !other[company]).collect();
        reasons.push(builder.and(format_args!("lacks({good})"), &none));
    }
    for (control, (group, controlled)) in problem.controls.iter().enumerate() {
        let mut broken: Vec<Lit> = group.iter().map(|&company| other[company]).collect();
        broken.push(!other[*controlled]);
        reasons.push(builder.and(format_args!("breaks({control})"), &broken));
    }
    builder.clause(reasons);
    builder.finish()
}
