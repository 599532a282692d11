//! Ground program, clauses and quantifiers to a formula.

use super::prefix::{PrefixMethod, PrefixPosition};
use super::quantifiers::{Presence, Quantifiers};
use formula::{Formula, Lit, Names, Prefix, Probability, Quantifier, Var};
use lp2sat::{Atom, Clausified, GroundProgram};

/// Puts a formula together. Its value is the value of the program (Theorem 3.1 of He and Thielscher 2026).
///
/// Variables are those of the clauses; quantified universal and chance atoms that the grounder
/// removed get a variable of their own behind them, fixed by a clause.
pub fn build_formula(
    program: &GroundProgram,
    clausified: &Clausified,
    quantifiers: &Quantifiers,
    method: PrefixMethod,
) -> Formula {
    let mut variables: Vec<Variable> = Vec::with_capacity(clausified.variable_count());
    let positions = match method {
        PrefixMethod::Base => vec![PrefixPosition::INNERMOST; clausified.variable_count()],
        PrefixMethod::Dependency => places_by_dependency(program, clausified, quantifiers),
    };
    variables.extend(positions.into_iter().map(Variable::function));

    let mut matrix = clausified.clauses().clone();
    let mut names = Names::default();
    for (atom, name) in program.names() {
        names.set(clausified.literal(atom).var(), name.to_string());
    }
    for (level, quantifier, atoms) in quantifiers.levels() {
        for atom in atoms {
            let variable = Variable {
                position: PrefixPosition::at_level(level),
                quantifier,
                probability: atom.probability.clone(),
            };
            match atom.presence {
                Presence::Open(open) => {
                    variables[clausified.literal(open).var().index()] = variable;
                }
                // The maximizing player just decides such an atom as it is.
                Presence::Fact | Presence::Absent if quantifier == Quantifier::Exists => {}
                Presence::Fact | Presence::Absent => {
                    let fresh = Var::new(variables.len());
                    variables.push(variable);
                    matrix.push([fresh.literal(atom.presence == Presence::Fact)]);
                    names.set(fresh, atom.name.to_string());
                }
            }
        }
    }
    let prefix = sort_into_prefix(&variables);
    Formula::new(variables.len(), prefix, matrix, names)
}

/// A variable of the formula and when it is decided.
struct Variable {
    position: PrefixPosition,
    quantifier: Quantifier,
    probability: Option<Probability>,
}

impl Variable {
    /// A variable without quantifier of its own.
    fn function(position: PrefixPosition) -> Self {
        Variable {
            position,
            quantifier: Quantifier::Exists,
            probability: None,
        }
    }
}

fn sort_into_prefix(variables: &[Variable]) -> Prefix {
    let mut order: Vec<usize> = (0..variables.len()).collect();
    order.sort_by_key(|&index| variables[index].position);
    let mut prefix = Prefix::new();
    for index in order {
        let (var, variable) = (Var::new(index), &variables[index]);
        match &variable.probability {
            Some(probability) => prefix.push_chance(var, probability.clone()),
            None => prefix.push(variable.quantifier, [var]),
        }
    }
    prefix
}

/// The position of every variable of the clauses by the atoms it depends on. Positions of quantified atoms
/// are those for variables that depend on them; the caller puts the atoms themselves where they belong.
fn places_by_dependency(
    program: &GroundProgram,
    clausified: &Clausified,
    quantifiers: &Quantifiers,
) -> Vec<PrefixPosition> {
    let mut known: Vec<Option<u32>> = vec![None; program.atom_count()];
    // Atoms that are no function of the quantified atoms, and all atoms that depend on them, wait to the end.
    for open in choice_atoms(program).chain(lp2sat::unstratified_atoms(program)) {
        known[open.index()] = Some(PrefixPosition::INNERMOST.0);
    }
    for (level, quantifier, atoms) in quantifiers.levels() {
        let position = match quantifier {
            Quantifier::Exists => PrefixPosition::at_level(level),
            Quantifier::Forall | Quantifier::Chance => PrefixPosition::behind_level(level),
        };
        for atom in atoms {
            if let Presence::Open(atom) = atom.presence {
                known[atom.index()] = Some(position.0);
            }
        }
    }
    let mut positions: Vec<PrefixPosition> = lp2sat::propagate_levels(program, &known)
        .into_iter()
        .map(PrefixPosition)
        .collect();
    positions.resize(clausified.variable_count(), PrefixPosition::INNERMOST);
    for helper in clausified.helpers().filter(|helper| helper.determined) {
        let of_input = |input: &Lit| positions[input.var().index()];
        positions[helper.variable.index()] = helper
            .inputs
            .iter()
            .map(of_input)
            .max()
            .unwrap_or(PrefixPosition::OUTERMOST);
    }
    positions
}

/// The heads of choice rules.
fn choice_atoms(program: &GroundProgram) -> impl Iterator<Item = Atom> {
    program.rules().flat_map(|rule| match rule.head {
        lp2sat::Head::Choice(atoms) => atoms.to_vec(),
        lp2sat::Head::Atom(_) | lp2sat::Head::Constraint => Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::{GroundLimits, ground};
    use generators::rows;

    /// The value of a program with both prefix methods, by enumeration.
    fn values(text: &str) -> [String; 2] {
        let program = ground(text, &GroundLimits::default()).unwrap().program;
        let clausified = lp2sat::clausify(&program, &lp2sat::Options::default()).unwrap();
        let quantifiers = Quantifiers::read(&program).unwrap();
        [PrefixMethod::Base, PrefixMethod::Dependency].map(|method| {
            let formula = build_formula(&program, &clausified, &quantifiers, method);
            generators::enumerate(&formula).unwrap().to_string()
        })
    }

    #[test]
    fn both_prefixes_give_the_value_of_the_definition() {
        for [text, value] in rows(
            r"
                // Chosen after the coin is known, or before.
                {a; b}. :- a, not b. :- b, not a. _chance(1,1,3,b). _exists(2,a). => 1
                {a; b}. :- a, not b. :- b, not a. _chance(2,1,3,b). _exists(1,a). => 2/3
                // The minimizing player sees the coin.
                {a; b}. c :- a. c :- b. :- not c. _chance(1,1,4,b). _forall(2,a). => 1/4
                // Atoms that the grounder decides are quantified all the same.
                {b}. :- not b. c. _chance(1,1,4,b). _chance(2,1,3,c). => 1/12
                {b}. :- not b. _chance(1,1,4,b). _chance(2,1,3,c). => 1/6
                {b}. _exists(1,b). _forall(2,c). => 0
                {b}. c. _exists(1,b). _forall(2,c). => 0
                {b}. _exists(1,b). _exists(2,c). => 1
                // A choice without a quantifier, and a cycle through negation, wait for the coin.
                {a; b}. :- a, not b. :- b, not a. _chance(1,1,3,b). => 1
                a :- not b. b :- not a. {c}. :- c, a. :- not c, b. _chance(1,1,3,c). => 1
                // So do the atoms that depend on them.
                a :- not b. b :- not a. d :- a. {c}. :- c, d. :- not c, b. _chance(1,1,3,c). => 1
                // Positive recursion: d and e cannot support each other.
                d :- e. e :- d. d :- c. {c}. :- not e. _chance(1,2,5,c). => 2/5
                ",
        ) {
            assert_eq!(values(&text), [&*value, &*value], "{text}");
        }
    }
}
