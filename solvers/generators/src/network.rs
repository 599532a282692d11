//! Network reliability: the places that are still connected when lines fail.
//!
//! A network of lines is to connect place 0 with the last place. Beforehand a builder may make
//! some lines safe, then an attacker may cut some of the others, then each line that is neither
//! fails with a probability of its own. Without builder and attacker the value is the classical
//! two-terminal reliability, which is hard to count (Valiant); stochastic network connectivity in
//! this form is an example of stochastic SAT in Papadimitriou's games against nature.
//!
//! The prefix is "exists safe lines, for all cuts, chance failures, exists gates", with one
//! variable a line in each block (none in a block whose number of lines is 0). The gates count and
//! search breadth first: with `p` places and `l` lines, about `p * (p + 2 * l)` of them, of about
//! 3 clauses each. An attacker who cuts too many lines cuts none. The value is known by going
//! through all sets of safe, cut and failing lines.

use super::builder::FormulaBuilder;
use fastrand::Rng;
use formula::{BigRational, Formula, Lit, Probability, Quantifier};
use num_traits::{One, Zero};

#[derive(Clone, Debug)]
pub struct Network {
    /// The number of places, at least 1.
    pub places: usize,
    /// The lines: two places, and the probability that it fails.
    pub lines: Vec<(usize, usize, Probability)>,
    /// How many lines can be made safe.
    pub safe: usize,
    /// How many lines can be cut.
    pub cut: usize,
}

impl Network {
    /// A random network: a random tree, so that all is connected, and further lines. Lines join
    /// places whose numbers differ by at most 3, and fail with a probability of 1/10 to 5/10.
    ///
    /// # Panics
    /// If there are fewer lines than a tree has.
    pub fn random(rng: &mut Rng, places: usize, lines: usize, safe: usize, cut: usize) -> Self {
        assert!(
            places > 0 && lines + 1 >= places,
            "a tree has places - 1 lines"
        );
        let mut near = |place: usize| (rng.usize(place.saturating_sub(3)..place), place);
        let mut ends: Vec<(usize, usize)> = (1..places).map(&mut near).collect();
        while ends.len() < lines && places > 1 {
            ends.push(near(1 + ends.len() % (places - 1)));
        }
        let lines = ends
            .into_iter()
            .map(|(first, second)| (first, second, Probability::ratio(rng.u64(1..=5), 10)))
            .collect();
        Network {
            places,
            lines,
            safe,
            cut,
        }
    }

    /// The highest probability that the first and the last place stay connected, by going
    /// through all sets of lines (at most 63).
    pub fn value(&self) -> BigRational {
        let sets = |most: usize| {
            (0..1_u64 << self.lines.len()).filter(move |set| set.count_ones() as usize <= most)
        };
        let guaranteed = sets(self.safe).map(|safe| {
            let after = sets(self.cut).map(|cut| self.reliability(safe, cut, 0, 0));
            after.min().expect("nothing is cut")
        });
        guaranteed.max().expect("nothing is safe")
    }

    /// The probability that the ends stay connected, when lines below `line` have been settled.
    fn reliability(&self, safe: u64, cut: u64, line: usize, working: u64) -> BigRational {
        let Some((_, _, fails)) = self.lines.get(line) else {
            return if self.connects(working) {
                BigRational::one()
            } else {
                BigRational::zero()
            };
        };
        let this = 1 << line;
        let works = || self.reliability(safe, cut, line + 1, working | this);
        let gone = || self.reliability(safe, cut, line + 1, working);
        match (safe & this != 0, cut & this != 0) {
            (true, _) => works(),
            (false, true) => gone(),
            _ => works() * fails.complement().as_rational() + gone() * fails.as_rational(),
        }
    }

    fn connects(&self, working: u64) -> bool {
        let mut group: Vec<usize> = (0..self.places).collect();
        for (line, &(first, second, _)) in self.lines.iter().enumerate() {
            if working >> line & 1 == 1 {
                let (from, to) = (group[first], group[second]);
                for group in &mut group {
                    if *group == from {
                        *group = to;
                    }
                }
            }
        }
        group[0] == group[self.places - 1]
    }
}

/// Network reliability as a formula; its value is the highest probability of a connection.
///
/// # Panics
/// If there is no place, or a line ends nowhere.
pub fn network(problem: &Network) -> Formula {
    let places = problem.places;
    assert!(places > 0, "a network has places");
    let mut builder = FormulaBuilder::default();
    let mut chosen = |most: usize, quantifier, name: &str| -> Vec<Lit> {
        let lines = if most == 0 { 0 } else { problem.lines.len() };
        (0..lines)
            .map(|line| builder.player(quantifier, format_args!("{name}({line})")))
            .collect()
    };
    let safe = chosen(problem.safe, Quantifier::Exists, "safe");
    let cuts = chosen(problem.cut, Quantifier::Forall, "cut");
    let fails: Vec<Lit> = problem
        .lines
        .iter()
        .enumerate()
        .map(|(line, (_, _, fails))| builder.chance(format_args!("fails({line})"), fails))
        .collect();

    if let Some(too_many) = more_than(&mut builder, &safe, problem.safe, "safe") {
        builder.clause([!too_many]);
    }
    let too_many_cuts = more_than(&mut builder, &cuts, problem.cut, "cut");
    let working: Vec<Lit> = (0..problem.lines.len())
        .map(|line| {
            let mut alive = builder.and(format_args!("no_failure({line})"), &[!fails[line]]);
            if let Some(&cut) = cuts.get(line) {
                let mut ignored = vec![!cut];
                ignored.extend(too_many_cuts);
                let name = format!("not_cut({line})");
                let not_cut = builder.or(name, &ignored);
                alive = builder.and(format_args!("alive({line})"), &[alive, not_cut]);
            }
            match safe.get(line) {
                None => alive,
                Some(&safe) => builder.or(format_args!("works({line})"), &[safe, alive]),
            }
        })
        .collect();
    search(&mut builder, problem, &working);
    builder.finish()
}

/// A gate: whether more of the literals than this hold; none if that cannot be.
fn more_than(
    builder: &mut FormulaBuilder,
    literals: &[Lit],
    most: usize,
    name: &str,
) -> Option<Lit> {
    // at_least[count]: of the literals so far at least count + 1 hold.
    let mut at_least: Vec<Lit> = Vec::new();
    for (index, &literal) in literals.iter().enumerate() {
        let mut name = |what: &str, count: usize, inputs: &[Lit], all: bool| {
            let name = format!("{what}_{name}({},{index})", count + 1);
            if all {
                builder.and(name, inputs)
            } else {
                builder.or(name, inputs)
            }
        };
        let mut after = Vec::new();
        for count in 0..=index.min(most) {
            let mut ways: Vec<Lit> = at_least.get(count).copied().into_iter().collect();
            if count == 0 {
                ways.push(literal);
            } else {
                ways.push(name(
                    "reaches",
                    count,
                    &[at_least[count - 1], literal],
                    true,
                ));
            }
            after.push(name("at_least", count, &ways, false));
        }
        at_least = after;
    }
    at_least.get(most).copied()
}

/// Searches breadth first from place 0 and demands that the last place is found.
fn search(builder: &mut FormulaBuilder, problem: &Network, working: &[Lit]) {
    let last = problem.places - 1;
    let mut found: Vec<Lit> = (0..=last)
        .map(|place| {
            let found = builder.exists(format_args!("found({place},0)"));
            builder.clause([if place == 0 { found } else { !found }]);
            found
        })
        .collect();
    for round in 1..=last {
        found = (0..=last)
            .map(|place| {
                let mut ways = vec![found[place]];
                for (line, &(first, second, _)) in problem.lines.iter().enumerate() {
                    let from = match place {
                        _ if place == first => second,
                        _ if place == second => first,
                        _ => continue,
                    };
                    let name = format!("step({line},{place},{round})");
                    ways.push(builder.and(name, &[working[line], found[from]]));
                }
                builder.or(format_args!("found({place},{round})"), &ways)
            })
            .collect();
    }
    builder.clause([found[last]]);
}
