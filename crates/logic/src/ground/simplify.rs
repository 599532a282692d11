//! Simplification of ground programs: facts and auxiliary atoms that the grounder leaves.
//!
//! clingo's grounder numbers every fact. It also numbers conjunctions: those of conditional literals in
//! bodies (`a : b`), and bodies of choices with bounds.
//!
//! ```text
//! 1.   2 :- a, not b.   :- c, 2.            becomes            :- c, a, not b.
//! ```
//!
//! An atom without a name that stands for a conjunction is replaced by it, and an atom without a name
//! that no body asks for is dropped, with its rules. The rest of the program has the same answer sets over
//! the atoms with names. Its atoms are numbered anew, in the old order.

use lp2sat::{Atom, Body, GroundProgram, Head, Literal, Symbol};

/// A conjunction is written out if all its copies together have at most this many literals: a program
/// may share a long one among very many rules.
const MAX_COPIED: usize = 1 << 14;

/// The occurrences of an atom in the rules.
#[derive(Clone, Copy, Default)]
struct Occurrences<'a> {
    /// The number of rules that derive it.
    rules: usize,
    /// The body of the last of them, if it is a conjunction.
    body: Option<&'a [Literal]>,
    /// How often a conjunction asks for it.
    uses: usize,
    /// Whether it has a name, or stands in a choice, below `not`, or in a sum.
    stays: bool,
}

impl<'a> Occurrences<'a> {
    /// The conjunction that the atom stands for, if it can be written out.
    fn conjunction(&self) -> Option<&'a [Literal]> {
        let body = self.body.filter(|_| self.rules == 1 && !self.stays)?;
        (body.len() * self.uses <= MAX_COPIED).then_some(body)
    }

    fn is_unused(&self) -> bool {
        self.uses == 0 && !self.stays
    }
}

/// The program without the atoms that are not needed.
pub(super) fn simplify(program: &GroundProgram) -> GroundProgram {
    let names = program.names();
    let atoms = occurrences(program, &names);
    let stands_for = |literal: &Literal| -> Option<&[Literal]> {
        let body = atoms[literal.atom().index()].conjunction()?;
        // One level is enough for clingo's, and ends on cycles.
        let mut inner = body.iter().map(|inner| atoms[inner.atom().index()]);
        inner
            .all(|atom| atom.conjunction().is_none())
            .then_some(body)
    };
    let is_dropped = |atom: Atom| {
        atoms[atom.index()].is_unused() || stands_for(&Literal::positive(atom)).is_some()
    };
    let mut buffer = Vec::new();
    let mut each_rule = |visit: &mut dyn FnMut(Head<'_>, Body<'_>)| {
        for rule in program.rules() {
            match (rule.head, rule.body) {
                (Head::Atom(atom), _) if is_dropped(atom) => {}
                (head, Body::All(body)) => {
                    buffer.clear();
                    for literal in body {
                        let itself = std::slice::from_ref(literal);
                        buffer.extend_from_slice(stands_for(literal).unwrap_or(itself));
                    }
                    visit(head, Body::All(&buffer));
                }
                (head, weighted) => visit(head, weighted),
            }
        }
    };

    let mut left = vec![false; program.atom_count()];
    each_rule(&mut |head, body| each_atom(head, body, &mut |atom| left[atom.index()] = true));
    for (atom, _) in &names {
        left[atom.index()] = true;
    }
    let mut simplified = GroundProgram::new();
    let numbers: Vec<Option<Atom>> = left
        .into_iter()
        .map(|is_left| is_left.then(|| simplified.new_atom()))
        .collect();
    let atom = |old: Atom| numbers[old.index()].expect("this one is left");
    let literal = |old: Literal| match (atom(old.atom()), old.is_negative()) {
        (atom, false) => Literal::positive(atom),
        (atom, true) => Literal::negative(atom),
    };
    each_rule(&mut |head, body| {
        let heads: Vec<Atom>;
        let head = match head {
            Head::Constraint => Head::Constraint,
            Head::Atom(old) => Head::Atom(atom(old)),
            Head::Choice(old) => {
                heads = old.iter().map(|&old| atom(old)).collect();
                Head::Choice(&heads)
            }
        };
        match body {
            Body::All(old) => {
                let literals: Vec<Literal> = old.iter().map(|&old| literal(old)).collect();
                simplified.add_rule(head, Body::All(&literals));
            }
            Body::Weighted { bound, literals } => {
                let literals: Vec<(Literal, u64)> = literals
                    .iter()
                    .map(|&(old, weight)| (literal(old), weight))
                    .collect();
                let literals = &literals;
                simplified.add_rule(head, Body::Weighted { bound, literals });
            }
        }
    });
    for (old, name) in names {
        simplified.set_name(atom(old), name.clone());
    }
    program
        .facts()
        .for_each(|fact| simplified.add_fact(fact.clone()));
    simplified
}

fn occurrences<'a>(program: &'a GroundProgram, names: &[(Atom, &Symbol)]) -> Vec<Occurrences<'a>> {
    let mut atoms = vec![Occurrences::default(); program.atom_count()];
    for rule in program.rules() {
        match rule.head {
            Head::Constraint => {}
            Head::Atom(head) => {
                let head = &mut atoms[head.index()];
                head.rules += 1;
                head.body = match rule.body {
                    Body::All(body) => Some(body),
                    Body::Weighted { .. } => None,
                };
            }
            Head::Choice(heads) => heads.iter().for_each(|a| atoms[a.index()].stays = true),
        }
        match rule.body {
            Body::All(body) => {
                for literal in body {
                    let atom = &mut atoms[literal.atom().index()];
                    atom.uses += 1;
                    atom.stays |= literal.is_negative();
                }
            }
            Body::Weighted { literals, .. } => {
                literals
                    .iter()
                    .for_each(|(l, _)| atoms[l.atom().index()].stays = true);
            }
        }
    }
    for (atom, _) in names {
        atoms[atom.index()].stays = true;
    }
    atoms
}

fn each_atom(head: Head<'_>, body: Body<'_>, visit: &mut dyn FnMut(Atom)) {
    match head {
        Head::Constraint => {}
        Head::Atom(atom) => visit(atom),
        Head::Choice(atoms) => atoms.iter().for_each(|&atom| visit(atom)),
    }
    match body {
        Body::All(literals) => literals.iter().for_each(|literal| visit(literal.atom())),
        Body::Weighted { literals, .. } => literals.iter().for_each(|(l, _)| visit(l.atom())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Heads, of which 0 is that of a constraint, and bodies.
    type Rules<'a> = &'a [(u32, &'a [i32])];

    /// Literals by the numbers of their atoms.
    fn literals(numbers: &[i32]) -> Vec<Literal> {
        let literals = numbers.iter().map(|&number| Literal::from_aspif(number));
        literals.collect::<Option<_>>().unwrap()
    }

    /// The atoms 1 and 2 are chosen and have names.
    fn choice() -> GroundProgram {
        let mut program = GroundProgram::new();
        let chosen = ["a", "b"].map(|name| {
            let atom = program.new_atom();
            program.set_name(atom, name);
            atom
        });
        program.add_rule(Head::Choice(&chosen), Body::All(&[]));
        program.add_fact("fact");
        program
    }

    fn add(program: &mut GroundProgram, head: u32, body: &[i32]) {
        let head = Atom::new(head).map_or(Head::Constraint, Head::Atom);
        program.add_rule(head, Body::All(&literals(body)));
    }

    #[test]
    fn conjunctions_are_written_out_and_facts_dropped() {
        let cases: [(Rules<'_>, &str); 5] = [
            // Atom 3 is a fact, atom 4 stands for `a, not b`.
            (&[(3, &[]), (4, &[1, -2]), (0, &[4])], ":- a, not b.\n"),
            // A fact in a body is nothing.
            (&[(3, &[]), (0, &[1, 3])], ":- a.\n"),
            // An atom that stands below `not`, or has two rules, is left.
            (&[(9, &[1, 2]), (0, &[-9])], "_3 :- a, b.\n:- not _3.\n"),
            (
                &[(9, &[1]), (9, &[2]), (0, &[9])],
                "_3 :- a.\n_3 :- b.\n:- _3.\n",
            ),
            // So is a cycle.
            (
                &[(3, &[4]), (4, &[3]), (0, &[3])],
                "_3 :- _4.\n_4 :- _3.\n:- _3.\n",
            ),
        ];
        for (rules, left) in cases {
            let mut program = choice();
            for &(head, body) in rules {
                add(&mut program, head, body);
            }
            let found = simplify(&program).to_string();
            assert_eq!(found, format!("fact.\n{{a; b}}.\n{left}"), "{rules:?}");
        }
    }

    #[test]
    fn an_atom_in_a_sum_is_left() {
        let mut program = choice();
        add(&mut program, 9, &[1, 2]);
        let weighted = [(literals(&[1])[0], 1), (literals(&[9])[0], 2)];
        let body = Body::Weighted {
            bound: 2,
            literals: &weighted,
        };
        program.add_rule(Head::Constraint, body);
        assert_eq!(
            simplify(&program).to_string(),
            "fact.\n{a; b}.\n_3 :- a, b.\n:- 2 <= {a=1; _3=2}.\n"
        );
    }

    #[test]
    fn a_long_conjunction_of_many_rules_is_left() {
        let mut program = choice();
        add(&mut program, 3, &[1; 200]);
        for _ in 0..200 {
            add(&mut program, 0, &[3, 2]);
        }
        let text = simplify(&program).to_string();
        assert!(text.contains(":- _3, b."), "{}", text.len());
    }
}
