//! Random formulas with strategies that are not good, but right in form.

use fastrand::Rng;
use formula::{Formula, Lit, Quantifier, Var};
use generators::{RandomClauses, Structured, random_clauses, structured};
use num_traits::Zero;
use sqasp_witness::{GateList, Strategy, fingerprint};

/// A formula with variables of both players and of chance, or of some of them.
pub fn formula(rng: &mut Rng) -> Formula {
    if rng.bool() {
        return structured(rng, &Structured::default());
    }
    let mut quantifiers = vec![Quantifier::Exists, Quantifier::Forall, Quantifier::Chance];
    rng.shuffle(&mut quantifiers);
    let family = RandomClauses {
        variables: 9,
        block: rng.usize(1..=3),
        clauses: rng.usize(3..=18),
        width: 3,
        quantifiers,
    };
    random_clauses(rng, &family)
}

/// Functions of variables of earlier blocks, by some gates each. The promise is 0.
pub fn strategy(rng: &mut Rng, formula: &Formula) -> Strategy {
    let mut gates = GateList::new(formula.variables());
    let mut known: Vec<Lit> = vec![gates.truth()];
    let (mut exists, mut forall) = (Vec::new(), Vec::new());
    for block in formula.prefix().blocks() {
        for _ in 0..rng.usize(0..=4) {
            let count = rng.usize(1..=3);
            let inputs: Vec<Lit> = (0..count).map(|_| pick(rng, &known)).collect();
            known.push(gates.and(&inputs));
        }
        let functions = match block.quantifier {
            Quantifier::Exists => Some(&mut exists),
            Quantifier::Forall => Some(&mut forall),
            Quantifier::Chance => None,
        };
        if let Some(functions) = functions {
            let decided = block.variables.iter();
            functions.extend(decided.map(|&variable| (variable, pick(rng, &known))));
        }
        known.extend(
            block
                .variables
                .iter()
                .map(|variable: &Var| variable.positive()),
        );
    }
    Strategy {
        formula: "random".to_owned(),
        sha256: fingerprint(formula),
        variables: formula.variables(),
        value: Zero::zero(),
        gates: gates.into_gates(),
        exists,
        forall,
    }
}

fn pick(rng: &mut Rng, known: &[Lit]) -> Lit {
    // Later literals are taken more often.
    let place = rng.usize(0..known.len()).max(rng.usize(0..known.len()));
    match rng.bool() {
        true => known[place],
        false => !known[place],
    }
}
