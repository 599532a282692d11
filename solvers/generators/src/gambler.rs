//! Gambler's ruin, with stakes to choose: a Markov decision process.
//!
//! A gambler has some coins and wants to reach a target within a number of rounds. In each round
//! the gambler stakes some of the coins, no more than are missing, and a biased coin decides
//! whether the stake is won or lost. All is seen, so stakes depend on what happened. If the coin
//! is below 1/2, bold play (stake all that can be of use) is best when there is time enough
//! (Dubins, Savage). In the version with a house, the minimizer picks one of two coins
//! after seeing the stake.
//!
//! The prefix alternates: exists stake, (for all coin,) chance result, exists gates, once a round.
//! There is a variable for each stake and each capital; with target `t` a round has about
//! `t * t / 2 + 3 * t` variables and 5 times as many clauses. The value is known by dynamic programming
//! over the capital.

use super::builder::FormulaBuilder;
use formula::{BigRational, Formula, Lit, Probability, Quantifier};
use num_traits::{One, Zero};

#[derive(Clone, Debug)]
pub struct Gambler {
    /// The coins at first, at most the target.
    pub capital: usize,
    /// The coins wanted.
    pub target: usize,
    pub rounds: usize,
    /// The probability to win a round.
    pub wins: Probability,
    /// The probability with the other coin, if a house chooses between two.
    pub other: Option<Probability>,
}

impl Gambler {
    /// The highest probability to reach the target.
    pub fn value(&self) -> BigRational {
        // values[capital], with some rounds left.
        let mut values = vec![BigRational::zero(); self.target + 1];
        values[self.target] = BigRational::one();
        for _ in 0..self.rounds {
            values = (0..=self.target)
                .map(|capital| {
                    let stakes = 0..=self.most(capital);
                    let results = stakes.map(|stake| self.round(&values, capital, stake));
                    results.max().expect("a stake of 0 is possible")
                })
                .collect();
        }
        values.swap_remove(self.capital)
    }

    /// The largest stake of use.
    fn most(&self, capital: usize) -> usize {
        capital.min(self.target - capital)
    }

    fn round(&self, values: &[BigRational], capital: usize, stake: usize) -> BigRational {
        let coins = [Some(&self.wins), self.other.as_ref()];
        let results = coins.into_iter().flatten().map(|wins| {
            &values[capital + stake] * wins.as_rational()
                + &values[capital - stake] * wins.complement().as_rational()
        });
        results.min().expect("there is a coin")
    }
}

/// The gambler's problem as a formula; its value is the highest probability to reach the target.
///
/// # Panics
/// If the gambler has more than the target at first.
pub fn gambler(problem: &Gambler) -> Formula {
    let target = problem.target;
    assert!(problem.capital <= target, "no more coins than wanted");
    let mut builder = FormulaBuilder::default();
    let mut has: Vec<Lit> = (0..=target)
        .map(|coins| builder.exists(format_args!("has({coins},0)")))
        .collect();
    for (coins, &has) in has.iter().enumerate() {
        builder.clause([if coins == problem.capital { has } else { !has }]);
    }
    for round in 0..problem.rounds {
        let stakes =
            builder.one_of((0..=target / 2).map(|stake| format!("stake({stake},{round})")));
        for (coins, &has) in has.iter().enumerate() {
            for &stake in &stakes[problem.most(coins) + 1..] {
                builder.clause([!has, !stake]);
            }
        }
        let won = result(&mut builder, problem, round);
        // ways[coins]: how one can come to have that many.
        let mut ways: Vec<Vec<Lit>> = vec![Vec::new(); target + 1];
        for (coins, &has) in has.iter().enumerate() {
            for (stake, &staked) in stakes[..=problem.most(coins)].iter().enumerate() {
                if stake == 0 {
                    let name = format!("keeps({coins},{round})");
                    ways[coins].push(builder.and(name, &[has, staked]));
                    continue;
                }
                let name = format!("wins({coins},{stake},{round})");
                ways[coins + stake].push(builder.and(name, &[has, staked, won]));
                let name = format!("loses({coins},{stake},{round})");
                ways[coins - stake].push(builder.and(name, &[has, staked, !won]));
            }
        }
        has = ways
            .iter()
            .enumerate()
            .map(|(coins, ways)| builder.or(format_args!("has({coins},{})", round + 1), ways))
            .collect();
    }
    builder.clause([has[target]]);
    builder.finish()
}

/// Whether a round is won.
fn result(builder: &mut FormulaBuilder, problem: &Gambler, round: usize) -> Lit {
    let Some(other) = &problem.other else {
        return builder.chance(format_args!("won({round})"), &problem.wins);
    };
    let chosen = builder.player(Quantifier::Forall, format_args!("other({round})"));
    let first = builder.chance(format_args!("won_first({round})"), &problem.wins);
    let second = builder.chance(format_args!("won_other({round})"), other);
    builder.choice(format_args!("won({round})"), chosen, second, first)
}
