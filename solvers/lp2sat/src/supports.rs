//! The rules that can derive each atom.

use crate::{Atom, Body, GroundProgram, Head, Literal};

/// For each atom the positions of the rules that have it in their head, by atom. Rules that can
/// derive nothing new are left out: those with a contradiction in the body, and those with their
/// own head among the conjuncts (`a :- a, b.`).
#[derive(Debug)]
pub(crate) struct Supports {
    starts: Vec<usize>,
    rules: Vec<u32>,
}

impl Supports {
    pub(crate) fn new(program: &GroundProgram) -> Self {
        let mut starts = vec![0usize; program.atom_count() + 1];
        for_each_support(program, |atom, _| starts[atom.index() + 1] += 1);
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut rules = vec![0u32; starts[program.atom_count()]];
        let mut next = starts.clone();
        for_each_support(program, |atom, rule| {
            rules[next[atom.index()]] = rule;
            next[atom.index()] += 1;
        });
        Supports { starts, rules }
    }

    /// The positions of the rules that can derive the atom.
    #[inline]
    pub(crate) fn of(&self, atom: Atom) -> &[u32] {
        &self.rules[self.starts[atom.index()]..self.starts[atom.index() + 1]]
    }

    /// Whether the atom is a fact.
    pub(crate) fn is_fact(&self, program: &GroundProgram, atom: Atom) -> bool {
        self.of(atom).iter().any(|&index| {
            let rule = program.rule(index as usize);
            matches!(rule.head, Head::Atom(_))
                && matches!(rule.body, Body::All([]) | Body::Weighted { bound: 0, .. })
        })
    }

    /// The only rule that can derive the atom, if its body is a conjunction.
    pub(crate) fn only_conjunction<'a>(
        &self,
        program: &'a GroundProgram,
        atom: Atom,
    ) -> Option<&'a [Literal]> {
        let [index] = self.of(atom) else { return None };
        match program.rule(*index as usize).body {
            Body::All(literals) => Some(literals),
            Body::Weighted { .. } => None,
        }
    }
}

fn for_each_support(program: &GroundProgram, mut visit: impl FnMut(Atom, u32)) {
    let mut sorted: Vec<Literal> = Vec::new();
    for (index, rule) in program.rules().enumerate() {
        let heads = match &rule.head {
            Head::Constraint => continue,
            Head::Atom(atom) => std::slice::from_ref(atom),
            Head::Choice(atoms) => atoms,
        };
        if let Body::All(literals) = rule.body {
            sorted.clear();
            sorted.extend_from_slice(literals);
            sorted.sort_unstable_by_key(|literal| (literal.atom(), literal.is_negative()));
            sorted.dedup();
            if sorted
                .windows(2)
                .any(|pair| pair[0].atom() == pair[1].atom())
            {
                continue;
            }
        } else {
            sorted.clear();
        }
        for &head in heads {
            let found = sorted.binary_search_by_key(&(head, false), |literal| {
                (literal.atom(), literal.is_negative())
            });
            if found.is_err() {
                visit(head, index as u32);
            }
        }
    }
}
