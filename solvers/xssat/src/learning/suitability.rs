//! Which formulas this engine is for, and which the one that goes from cut to cut.
//!
//! Two things make the other engine fast: what is computed and not decided (gates cost it next to
//! nothing, while here each of them is propagated, split off and listed in keys), and cuts that
//! forget what was decided before. Both can be read off the compiled form. A formula comes here if
//!
//! 1. it has fewer gates than decided variables: it does not describe how something develops; or
//! 2. there is no cut at all, so that nothing would be found in a table, and gates are not many
//!    either; or
//! 3. the widest key has more than 3/5 as many bits as variables are decided altogether, and gates
//!    are not very many: the choices are not absorbed by a state. (The key of a large board is wide
//!    too where few steps are asked for, but then the rules of the game make ten times as many gates
//!    as there are decisions. Connect-4 on 6x6 for 19 steps, 3353 gates, 114 decided, widest 72, takes
//!    1.3 s by the other engine and more than 300 s here.)
//!
//! Measured (one core, seconds; `-`: not within 5 s; the time includes compiling):
//!
//! ```text
//!                                        gates  decided  cuts  widest   other    here
//! tic-tac-toe 3x3                          324       81     4      18    0.02    0.21
//! stochastic tic-tac-toe 3x3               586      134     8      18    0.01       -
//! connect-3 4x4                           1521       64     7      32    0.01    0.44
//! gambler, 10 rounds                       407       59     8       8    0.00    0.02
//! sand castle, blind, 8 steps               50       38     3      11    1.08       -
//! strategic companies, 12, chance           34       21     0       0    0.39    0.01
//! lost robot 3x3, 6 steps, chance          102       28     0       0    0.12    0.00
//! random 3-CNF, e20 r10 e20, 150 clauses     0       50     4      37    0.93    0.00
//! random 3-CNF, r20 e40, 120 clauses         0       60     7      37       -    0.09
//! random 3-CNF, e30 r30, 90 clauses          0       60     4      40       -    0.22
//! random 3-CNF, 4 blocks of 15, 120          0       60     3      41       -    0.94
//! random 3-CNF, r60, 120 clauses             0       60     1      37       -    0.34
//! ```

use crate::compile::Compiled;
use crate::problem::Problem;
use formula::Quantifier;

/// Whether a formula cannot have steps, so that it need not be compiled to know: either the
/// maximising player decides all variables, or none, and then there are no gates.
pub fn has_no_steps(problem: &Problem) -> bool {
    let occurring = problem.occurring();
    let quantifiers = problem.quantifiers.iter().zip(&occurring);
    let mut quantifiers = quantifiers.filter(|&(_, &occurs)| occurs).map(|(&q, _)| q);
    let Some(first) = quantifiers.next() else {
        return true;
    };
    let is_existential = |quantifier| quantifier == Quantifier::Exists;
    quantifiers.all(|next| is_existential(next) == is_existential(first))
}

/// Whether this engine suits a formula better than the one that goes from cut to cut.
pub fn is_better_suited(compiled: &Compiled) -> bool {
    let gates = compiled.program.gates.len();
    let decisions = compiled.program.decisions.iter();
    let decided: usize = decisions.map(|decision| decision.variables.len()).sum();
    let keys = compiled.segments.iter().map(|segment| segment.key.len());
    let widest = keys.max().unwrap_or(0);
    let is_cut = compiled.segments.len() > 1;
    let enough_gates = match is_cut {
        false => 4,
        true if 5 * widest > 3 * decided => 10,
        true => 1,
    };
    gates < enough_gates * decided
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Xssat;
    use formula::{Formula, Probability};
    use generators::{Gambler, RandomClauses, gambler, random_clauses};
    use limits::{Limits, Watch};

    fn suits(formula: &Formula) -> bool {
        let limits = Limits::default();
        let mut watch = Watch::new(&limits);
        let mut problem = Problem::new(formula);
        assert!(!has_no_steps(&problem));
        let compiled = Xssat::default().compile(&mut problem, &mut watch, &mut Vec::new());
        is_better_suited(&compiled.expect("no limits").expect("not plainly false"))
    }

    #[test]
    fn random_clauses_come_here() {
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
                suits(&random_clauses(&mut random, &family)),
                "{quantifiers:?}"
            );
        }
    }

    #[test]
    fn what_goes_step_by_step_does_not() {
        let family = Gambler {
            capital: 3,
            target: 8,
            rounds: 10,
            wins: Probability::ratio(2, 5),
            other: None,
        };
        assert!(!suits(&gambler(&family)));
    }

    #[test]
    fn one_kind_of_variables_needs_no_look() {
        for (prefix, expected) in [
            ("e 1 2 0", true),
            ("r 0.5 1 2 0", true),
            ("r 0.5 1 0\ne 2 0", false),
        ] {
            let text = format!("p cnf 2 1\n{prefix}\n1 2 0\n");
            let formula = formula::read(text.as_bytes()).expect("well-formed");
            assert_eq!(has_no_steps(&Problem::new(&formula)), expected, "{prefix}");
        }
    }
}
