//! Clauses by the original translators, so that results can be compared.
//!
//! The programs lp2normal2, lp2acyc and lp2sat know atoms by name only, so every atom gets one, and
//! the variables that come back are renumbered to put the atoms first. All other variables count as
//! undetermined: they go innermost in the prefix.

use super::program::ProgramError;
use external::{Asptools, NamedClauses, Translation};
use formula::{Clauses, Lit, Var};
use limits::Limits;
use lp2sat::{Atom, Clausified, GroundProgram, Symbol};
use std::io::Write;

/// Clauses of a ground program by outside programs.
pub(super) fn clausify_outside(
    program: &GroundProgram,
    tools: &Asptools,
    limits: &Limits,
) -> Result<Clausified, ProgramError> {
    let named = name_all_atoms(program);
    let write = |to: &mut dyn Write| lp2sat::write_smodels(&named, to);
    match tools.clausify(write, limits)? {
        Translation::Finished(clauses) => renumber(&named, &clauses),
        Translation::Stopped(reason) => Err(ProgramError::Stopped(reason)),
    }
}

/// The same program with a name for every atom. Names start with an underscore where the program
/// has none; programs of ours do not use such names for atoms.
fn name_all_atoms(program: &GroundProgram) -> GroundProgram {
    let mut named = program.clone();
    for atom in atoms(program) {
        if program.name(atom).is_none() {
            let number = i32::try_from(atom.number()).expect("atoms have such numbers");
            let name = Symbol::function("_unnamed", [Symbol::number(number)]);
            named.set_name(atom, name);
        }
    }
    named
}

fn atoms(program: &GroundProgram) -> impl Iterator<Item = Atom> + use<> {
    let count = program.atom_count() as u32;
    (1..=count).map(|number| Atom::new(number).expect("atoms are numbered from 1"))
}

/// Moves the variables of atoms to the front, in the order of the atoms.
fn renumber(program: &GroundProgram, named: &NamedClauses) -> Result<Clausified, ProgramError> {
    let mut renumbered: Vec<Option<Var>> = vec![None; named.variable_count];
    for atom in atoms(program) {
        let name = program
            .name(atom)
            .expect("all atoms have names")
            .to_string();
        let variable = named
            .variables
            .get(&name)
            .ok_or_else(|| ProgramError::AtomLost(name.clone()))?;
        let slot = &mut renumbered[variable.index()];
        if slot.is_some() {
            return Err(ProgramError::AtomLost(name));
        }
        *slot = Some(Var::new(atom.index()));
    }
    let atom_count = program.atom_count();
    let mut helpers = 0;
    let renumbered: Vec<Var> = renumbered
        .into_iter()
        .map(|variable| {
            variable.unwrap_or_else(|| {
                helpers += 1;
                Var::new(atom_count + helpers - 1)
            })
        })
        .collect();
    let moved = |lit: &Lit| renumbered[lit.var().index()].literal(!lit.is_negative());
    let mut clauses = Clauses::new();
    for clause in named.clauses.iter() {
        clauses.push(clause.iter().map(moved));
    }
    Ok(Clausified::from_foreign(clauses, atom_count, helpers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lp2sat::{Body, Head};

    fn clause(numbers: &[i32]) -> Vec<Lit> {
        numbers
            .iter()
            .map(|&number| Lit::from_dimacs(number).unwrap())
            .collect()
    }

    #[test]
    fn atoms_move_to_the_front() {
        let mut program = GroundProgram::new();
        let (a, b) = (program.new_atom(), program.new_atom());
        program.set_name(a, "a");
        program.add_rule(Head::Choice(&[a, b]), Body::All(&[]));
        let program = name_all_atoms(&program);
        let mut clauses = Clauses::new();
        clauses.push(clause(&[1, -2, 3]));
        let variables =
            [("a", 3), ("_unnamed(2)", 1)].map(|(name, at)| (name.to_owned(), Var::new(at - 1)));
        let mut named = NamedClauses {
            clauses,
            variable_count: 3,
            variables: variables.into_iter().collect(),
        };
        let clausified = renumber(&program, &named).unwrap();
        assert_eq!(clausified.clauses().get(0), clause(&[2, -3, 1]));
        assert_eq!(
            (clausified.atom_count(), clausified.variable_count()),
            (2, 3)
        );
        named.variables.remove("a");
        let error = renumber(&program, &named).unwrap_err().to_string();
        assert!(error.contains("`a`"), "{error}");
    }
}
