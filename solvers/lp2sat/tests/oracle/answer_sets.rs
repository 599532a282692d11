//! Answer sets by their definition: every set of atoms is tried.

use sqasp_lp2sat::{Body, GroundProgram, Head, Literal};

/// All answer sets, each as a bit set (atom 1 is bit 0), ascending.
pub fn answer_sets(program: &GroundProgram) -> Vec<u32> {
    (0..1u32 << program.atom_count())
        .filter(|&set| is_answer_set(program, set))
        .collect()
}

fn has(set: u32, literal: Literal) -> bool {
    set >> literal.atom().index() & 1 == 1
}

/// Whether the body holds when positive literals are read in one set and negative ones in another.
fn body_holds(body: Body<'_>, positive: u32, negative: u32) -> bool {
    let holds = |literal: Literal| {
        if literal.is_negative() {
            !has(negative, literal)
        } else {
            has(positive, literal)
        }
    };
    match body {
        Body::All(literals) => literals.iter().all(|&literal| holds(literal)),
        Body::Weighted { bound, literals } => {
            let held = literals.iter().filter(|(literal, _)| holds(*literal));
            held.map(|&(_, weight)| u128::from(weight)).sum::<u128>() >= bound.into()
        }
    }
}

fn is_answer_set(program: &GroundProgram, set: u32) -> bool {
    // The least model of the reduct: negative literals are read in the set, chosen heads are
    // derived if they are in the set.
    let mut derived = 0u32;
    loop {
        let before = derived;
        for rule in program.rules() {
            if body_holds(rule.body, derived, set) {
                match rule.head {
                    Head::Constraint => {}
                    Head::Atom(atom) => derived |= 1 << atom.index(),
                    Head::Choice(atoms) => {
                        for atom in atoms {
                            derived |= set & 1 << atom.index();
                        }
                    }
                }
            }
        }
        if derived == before {
            break;
        }
    }
    let violated = program
        .rules()
        .any(|rule| rule.head == Head::Constraint && body_holds(rule.body, set, set));
    derived == set && !violated
}
