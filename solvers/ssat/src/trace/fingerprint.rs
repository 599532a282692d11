//! Fingerprints that tell one formula from another.

use formula::{Formula, Quantifier};
use sha2::{Digest, Sha256};

/// The SHA-256 of a formula's canonical text, in lower-case hexadecimal (`docs/formula-strategy-format.md`): the number of
/// variables, the blocks of the prefix with each chance variable on a line of its own, and the clauses in the order of
/// the file. Layout, comments and names do not count.
pub fn fingerprint(formula: &Formula) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("{}\n", formula.variables()));
    for block in formula.prefix().blocks() {
        match block.quantifier {
            Quantifier::Chance => {
                for &variable in &block.variables {
                    let chance = formula.prefix().probability(variable);
                    let chance = chance.expect("a chance variable has a probability");
                    let chance = chance.as_rational();
                    hash.update(format!("r {chance} {} 0\n", variable.to_dimacs()));
                }
            }
            quantifier => {
                let letter = match quantifier {
                    Quantifier::Forall => "a",
                    _ => "e",
                };
                hash.update(letter);
                for variable in &block.variables {
                    hash.update(format!(" {}", variable.to_dimacs()));
                }
                hash.update(" 0\n");
            }
        }
    }
    for clause in formula.matrix().iter() {
        for literal in clause {
            hash.update(format!("{} ", literal.to_dimacs()));
        }
        hash.update("0\n");
    }
    let digest = hash.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
