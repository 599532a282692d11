//! Algorithm selection by shape: formulas for clause learning, and formulas for the engine that goes from cut to cut.
//!
//! Two things make the latter fast: what is computed and not decided (gates cost it next to
//! nothing, while learning propagates each of them, splits it off and lists it in keys), and cuts that
//! forget what was decided before. Both can be read off the compiled form. A formula goes to learning if
//!
//! 1. it has fewer gates than decided variables: it does not describe how something develops; or
//! 2. there is no cut at all, so that nothing would be found in a table, and gates are not many
//!    either; or
//! 3. the widest key has more than 3/5 as many bits as variables are decided altogether, and gates
//!    are not very many: the choices are not absorbed by a state. (The key of a large board is wide
//!    too where few steps are asked for, but then the rules of the game make ten times as many gates
//!    as there are decisions. Connect-4 on 6x6 for 19 steps, 3353 gates, 114 decided, widest 72, takes
//!    1.3 s from cut to cut and more than 300 s by learning.)
//!
//! The first of these is known before the formula is cut. The others take up to a second for formulas with large blocks, and learning
//! is often done sooner. So learning is tried first, for a time that is short beside that of compiling; if it is chosen then, it goes on.
//!
//! Measured (one core, seconds; `-`: not within 5 s; the time includes compiling):
//!
//! ```text
//!                                        gates  decided  cuts  widest    cuts  learn
//! tic-tac-toe 3x3                          324       81     4      18    0.02    0.21
//! stochastic tic-tac-toe 3x3               586      134     8      18    0.01       -
//! connect-3 4x4                           1521       64     7      32    0.01    0.44
//! gambler, 10 rounds                       407       59     8       8    0.00    0.02
//! strategic companies, 12, chance           34       21     0       0    0.39    0.01
//! lost robot 3x3, 6 steps, chance          102       28     0       0    0.12    0.00
//! random 3-CNF, e20 r10 e20, 150 clauses     0       50     4      37    0.93    0.00
//! random 3-CNF, r20 e40, 120 clauses         0       60     7      37       -    0.09
//! random 3-CNF, e30 r30, 90 clauses          0       60     4      40       -    0.22
//! random 3-CNF, 4 blocks of 15, 120          0       60     3      41       -    0.94
//! random 3-CNF, r60, 120 clauses             0       60     1      37       -    0.34
//! ```

use formula::Quantifier;
use formula::preprocess::Problem;
use xssat::{Shape, program::Program};

/// Whether a simplified formula cannot have many steps, so that it need not be compiled to know: either the
/// maximizer decides all variables, or none, and then there are no gates; or there are at most three blocks and
/// no universal variable. Circuits and blind plans are like that, and learning counts them better.
pub fn has_no_steps(problem: &Problem) -> bool {
    let levels = problem
        .levels
        .iter()
        .max()
        .map_or(0, |&last| last as usize + 1);
    let mut owners: Vec<Option<Quantifier>> = vec![None; levels];
    for (index, occurs) in problem.occurring().into_iter().enumerate() {
        if occurs {
            owners[problem.levels[index] as usize] = Some(problem.quantifiers[index]);
        }
    }
    let mut quantifiers: Vec<Quantifier> = owners.into_iter().flatten().collect();
    quantifiers.dedup();
    let mut existential = quantifiers.iter().map(|&one| one == Quantifier::Exists);
    let first = existential.next();
    existential.all(|next| Some(next) == first)
        || quantifiers.len() <= 3 && !quantifiers.contains(&Quantifier::Forall)
}

/// Whether clause learning suits a program better wherever it is cut, because few of its variables are computed.
pub fn has_few_gates(program: &Program) -> bool {
    let decisions = program.decisions.iter();
    program.gates.len() < decisions.map(|decision| decision.variables.len()).sum()
}

/// Whether clause learning suits a formula better than going from cut to cut.
pub fn is_for_learning(shape: &Shape) -> bool {
    let &Shape {
        gates,
        decided,
        segments,
        widest_key,
    } = shape;
    let enough_gates = match segments > 1 {
        false => 4,
        true if 5 * widest_key > 3 * decided => 10,
        true => 1,
    };
    gates < enough_gates * decided
}

#[cfg(test)]
mod tests {
    use super::*;
    use formula::preprocess::simplify;
    use formula::{Formula, Probability};
    use generators::{Gambler, RandomClauses, gambler, random_clauses};
    use limits::{Limits, Watch};

    fn simplified(formula: &Formula, watch: &mut Watch<'_>) -> Problem {
        let mut problem = Problem::new(formula);
        let simplified = simplify(
            &mut problem,
            &formula::preprocess::Options::default(),
            watch,
        );
        simplified.expect("no limits").expect("not plainly false");
        problem
    }

    fn is_learned(formula: &Formula) -> bool {
        let limits = Limits::default();
        let mut watch = Watch::new(&limits);
        let problem = simplified(formula, &mut watch);
        assert!(!has_no_steps(&problem));
        let options = xssat::Options::default();
        let program = xssat::order(&problem, &options, &mut watch).expect("no limits");
        let has_few_gates = has_few_gates(&program);
        let compiled = xssat::compile(program, &options, &mut watch, &mut Vec::new());
        let is_learned = is_for_learning(&compiled.expect("no limits").shape());
        assert!(is_learned || !has_few_gates);
        is_learned
    }

    #[test]
    fn random_clauses_are_learned() {
        let mut random = fastrand::Rng::with_seed(1);
        use Quantifier::{Chance, Exists};
        for quantifiers in [[Exists, Chance], [Chance, Exists]] {
            let family = RandomClauses {
                variables: 60,
                block: 15,
                clauses: 150,
                width: 4,
                quantifiers: quantifiers.to_vec(),
            };
            assert!(
                is_learned(&random_clauses(&mut random, &family)),
                "{quantifiers:?}"
            );
        }
    }

    #[test]
    fn what_goes_step_by_step_is_not() {
        let family = Gambler {
            capital: 3,
            target: 8,
            rounds: 10,
            wins: Probability::ratio(2, 5),
            other: None,
        };
        assert!(!is_learned(&gambler(&family)));
    }

    #[test]
    fn some_prefixes_need_no_look() {
        for (prefix, expected) in [
            ("e 1 2 3 0", true),
            ("r 0.5 1 2 3 0", true),
            ("r 0.5 1 0\ne 2 3 0", true),
            ("a 1 0\ne 2 3 0", false),
            // Variables that the opponent decides last disappear before this test.
            ("r 0.5 1 0\ne 2 0\na 3 0", true),
        ] {
            let text = format!("p cnf 3 2\n{prefix}\n1 2 3 0\n-1 -2 3 0\n");
            let formula = formula::read(text.as_bytes()).expect("well-formed");
            let limits = Limits::default();
            let problem = simplified(&formula, &mut Watch::new(&limits));
            assert_eq!(has_no_steps(&problem), expected, "{prefix}");
        }
    }
}
