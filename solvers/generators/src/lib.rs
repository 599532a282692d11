//! Formulas and games for tests and measurements. All random choices come from a seeded generator, so a
//! test that prints its seed can be repeated.
//!
//! Random formulas, for comparison with plain enumeration:
//! - [`structured`]: small formulas that contain what real ones contain (defined variables,
//!   exactly-one groups) and what they should not (tautologies, empty clauses, certain chance).
//! - [`layered`]: small games in disguise: a state, a decision, a next state, and so on.
//! - [`random_clauses`]: the usual random k-CNF under a random prefix.
//! - [`grid`]: random 3-clauses on the squares of a grid, which a tree decomposition cuts.
//! - [`random_blocks`]: random k-CNF over given blocks, also with a given number of literals from
//!   each block (the model of Chen and Interian for random QBF).
//!
//! Families of problems, as in public collections of stochastic SAT and QBF. Each has a method
//! `value` that solves the problem itself, not the formula: a known value at sizes where
//! enumeration is hopeless.
//! - [`sand_castle`]: planning with chance, blindly or seeing what happens.
//! - [`bomb_in_toilet`]: planning without seeing where the bomb is (ToiletA).
//! - [`lost_robot`]: find the corner of a grid without seeing anything (square, cube).
//! - [`gambler`]: a Markov decision process, or a game with a house.
//! - [`network`]: reliability of a network, with a builder and an attacker.
//! - [`strategic_companies`]: minimal sets of companies, against all others or a random one.
//!
//! Tools of tests: [`enumerate()`] is the value of a small formula by its definition, and [`shrink()`] makes a formula that
//! shows a mistake small, as [`leave_out`] does with lists; [`signals()`] are those of a step of a game, and [`random_signal`] makes some; [`rows`] reads a table of cases; [`damage()`] changes files; a
//! [`FormulaBuilder`] writes a formula variable by variable.
//!
//! Games without a last step, as plain lists of states:
//! - [`random_cycles`], [`ruin`] and [`pig`]; [`prove_values`] proves values of any list.
//!
//! Random games as rules in GDL:
//! - [`random_game`], [`graph_game`], [`simultaneous_game`] and [`hidden_game`].
//!
//! The suite that every solver of formulas runs through is [`conformance`].
//!
//! ```
//! use sqasp_generators::{Structured, structured};
//! let formula = structured(&mut fastrand::Rng::with_seed(1), &Structured::default());
//! assert!(formula.variables() <= 11);
//! ```

mod bomb_in_toilet;
mod builder;
pub mod conformance;
mod cycles;
mod damage;
mod enumerate;
mod gambler;
mod games;
mod grid;
mod layered;
mod lost_robot;
mod network;
mod proved;
mod random_blocks;
mod rounds;
mod rows;
mod sand_castle;
mod shrink;
mod signals;
mod strategic_companies;
mod structured;

pub use bomb_in_toilet::{BombInToilet, bomb_in_toilet};
pub use builder::{FormulaBuilder, Unknown};
pub use cycles::{Cycles, Next, Outcomes, RandomCycles, pig, random_cycles, ruin};
pub use damage::damage;
pub use enumerate::{MAX_VARIABLES, TooManyVariables, enumerate};
pub use gambler::{Gambler, gambler};
pub use games::{
    GraphGame, GraphKind, GraphPoints, RandomGame, endless_hidden_game, endless_random_game,
    graph_game, hidden_game, one_hidden_role, random_game, simultaneous_game, two_hidden_roles,
};
pub use grid::{Grid, grid};
pub use layered::{Layered, layered};
pub use lost_robot::{LostRobot, lost_robot};
pub use network::{Network, network};
pub use proved::{ListedMove, prove_values, worth};
pub use random_blocks::{RandomBlock, RandomBlocks, random_blocks};
pub use rounds::{rounds, seeds};
pub use rows::rows;
pub use sand_castle::{SandCastle, sand_castle};
pub use shrink::{leave_out, shrink};
pub use signals::{random_signal, signals};
pub use strategic_companies::{StrategicCompanies, strategic_companies};
pub use structured::{Structured, structured};

use fastrand::Rng;
use formula::{Clauses, Formula, Lit, Names, Prefix, Probability, Quantifier, Var};

#[derive(Clone, Debug)]
pub struct RandomClauses {
    pub variables: usize,
    /// The number of variables in each block but the last.
    pub block: usize,
    pub clauses: usize,
    /// The number of literals in each clause, over distinct variables.
    pub width: usize,
    /// The quantifiers of the blocks, used in turn.
    pub quantifiers: Vec<Quantifier>,
}

/// Random k-CNF: clauses of one width, all equally likely, under blocks of one size.
///
/// # Panics
/// If the width is larger than the number of variables, or there are no quantifiers.
pub fn random_clauses(rng: &mut Rng, family: &RandomClauses) -> Formula {
    let mut prefix = Prefix::new();
    for index in 0..family.variables {
        let turn = index / family.block.max(1);
        let quantifier = family.quantifiers[turn % family.quantifiers.len()];
        quantify(rng, &mut prefix, quantifier, Var::new(index), false);
    }
    let matrix = (0..family.clauses).map(|_| distinct(rng, family.variables, family.width));
    build(family.variables, prefix, matrix)
}

/// Literals over this many distinct variables.
fn distinct(rng: &mut Rng, variables: usize, count: usize) -> Vec<Lit> {
    assert!(
        count <= variables,
        "{count} distinct variables of {variables}"
    );
    let mut clause: Vec<Lit> = Vec::with_capacity(count);
    while clause.len() < count {
        let var = Var::new(rng.usize(0..variables));
        if clause.iter().all(|lit| lit.var() != var) {
            clause.push(var.literal(rng.bool()));
        }
    }
    clause
}

/// Adds a variable to a prefix, with a random probability if it is decided by chance.
fn quantify(rng: &mut Rng, prefix: &mut Prefix, quantifier: Quantifier, var: Var, certain: bool) {
    if quantifier != Quantifier::Chance {
        prefix.push(quantifier, [var]);
        return;
    }
    // Halves and quarters, fractions with other denominators, and if wanted 0 and 1.
    let denominator = rng.choice([2, 2, 3, 4, 5, 7, 1000]).expect("not empty");
    let numerator = rng.u64(1..denominator);
    let probability = match rng.u32(0..12) {
        0 if certain => Probability::ratio(0, 1),
        1 if certain => Probability::ratio(1, 1),
        _ => Probability::ratio(numerator, denominator),
    };
    prefix.push_chance(var, probability);
}

fn build(variables: usize, prefix: Prefix, clauses: impl IntoIterator<Item = Vec<Lit>>) -> Formula {
    let mut matrix = Clauses::new();
    for clause in clauses {
        matrix.push(clause);
    }
    Formula::new(variables, prefix, matrix, Names::default())
}

/// The clauses of `output = and of inputs`.
fn and_gate(output: Lit, inputs: &[Lit]) -> Vec<Vec<Lit>> {
    let mut clauses: Vec<Vec<Lit>> = inputs.iter().map(|&input| vec![!output, input]).collect();
    let mut all = vec![output];
    all.extend(inputs.iter().map(|&input| !input));
    clauses.push(all);
    clauses
}

/// The clauses of `output = (first differs from second)`.
fn xor_gate(output: Lit, first: Lit, second: Lit) -> Vec<Vec<Lit>> {
    vec![
        vec![!output, first, second],
        vec![!output, !first, !second],
        vec![output, first, !second],
        vec![output, !first, second],
    ]
}

/// The clauses of `output = (if condition then yes else no)`.
fn choice_gate(output: Lit, condition: Lit, yes: Lit, no: Lit) -> Vec<Vec<Lit>> {
    vec![
        vec![!condition, !yes, output],
        vec![!condition, yes, !output],
        vec![condition, !no, output],
        vec![condition, no, !output],
    ]
}

/// The clauses of "exactly one of these".
fn exactly_one(literals: &[Lit]) -> Vec<Vec<Lit>> {
    let mut clauses = vec![literals.to_vec()];
    for (index, &first) in literals.iter().enumerate() {
        clauses.extend(
            literals[..index]
                .iter()
                .map(|&second| vec![!first, !second]),
        );
    }
    clauses
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::{One, Zero};

    #[test]
    fn the_same_seed_gives_the_same_formula() {
        let make = |seed| structured(&mut Rng::with_seed(seed), &Structured::default());
        assert_eq!(make(7), make(7));
        assert_ne!(make(7), make(8));
    }

    #[test]
    fn values_are_of_all_kinds() {
        let mut rng = Rng::with_seed(1);
        let (mut zero, mut one, mut between) = (0, 0, 0);
        let mut count = |formula: &Formula| {
            let value = enumerate(formula).unwrap();
            match (value.is_zero(), value.is_one()) {
                (true, _) => zero += 1,
                (_, true) => one += 1,
                _ => between += 1,
            }
        };
        for _ in 0..100 {
            count(&structured(&mut rng, &Structured::default()));
            count(&layered(&mut rng, &Layered::default()));
            let family = RandomClauses {
                variables: 8,
                block: 2,
                clauses: 10,
                width: 3,
                quantifiers: vec![Quantifier::Exists, Quantifier::Chance],
            };
            count(&random_clauses(&mut rng, &family));
        }
        assert!(
            zero >= 30 && one >= 30 && between >= 90,
            "seed 1: {zero} zeros, {one} ones, {between} between"
        );
    }

    /// Values that were known before; `ssat` compares those of random problems with values of their formulas.
    #[test]
    fn problems_have_their_textbook_values() {
        use Unknown::{Adversary, Uniform};
        let castle = |steps, sees| SandCastle::new(steps, sees).value();
        let bomb = |steps, position| BombInToilet::new(4, 1, steps, position).value();
        let gambler = |capital, house: bool| {
            let problem = Gambler {
                capital,
                target: 4,
                rounds: 9,
                wins: Probability::ratio(2, 5),
                other: house.then(|| Probability::ratio(1, 3)),
            };
            problem.value()
        };
        let bridge = |safe, cut| {
            let ends = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)];
            let fails = Probability::ratio(1, 2);
            let lines = ends.map(|(first, second)| (first, second, fails.clone()));
            let network = Network {
                places: 4,
                lines: lines.to_vec(),
                safe,
                cut,
            };
            network.value()
        };
        // 1 and 2 control 0.
        let companies = |producers: &[usize], opponent| {
            let holding = StrategicCompanies {
                companies: 3,
                goods: vec![producers.to_vec()],
                controls: vec![(vec![1, 2], 0)],
                opponent,
            };
            holding.value()
        };
        for (value, expected) in [
            // Builds in the open; with two steps twice so, or a moat first.
            (castle(1, true), "1/4"),
            (castle(2, false), "23/50"),
            // Dunks and flushes in turn.
            (bomb(6, Adversary), "0"),
            (bomb(7, Adversary), "1"),
            (bomb(4, Uniform), "1/2"),
            // Bold play wins twice; or once, or loses 1 and wins with 2.
            (gambler(1, false), "4/25"),
            (gambler(3, false), "16/25"),
            (gambler(1, true), "1/9"),
            // A line from the start is safe: 1 - (1 - 1/2) * (1 - 3/8); it is cut: in series 1/2 and 1 - (1 - 1/2) * (1 - 1/4).
            (bridge(0, 0), "1/2"),
            (bridge(1, 0), "11/16"),
            (bridge(2, 0), "1"),
            (bridge(0, 1), "5/16"),
            // {0} and {1} are minimal; where 1 alone produces, the best is {0, 1}, and 1 of 8 random sets is {1}.
            (companies(&[0, 1], Adversary), "1"),
            (companies(&[1], Adversary), "0"),
            (companies(&[1], Uniform), "7/8"),
        ] {
            assert_eq!(value.to_string(), expected);
        }
    }
}
