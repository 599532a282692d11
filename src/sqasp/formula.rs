//! Ground program, clauses and quantifiers to a formula.

use super::prefix::{Place, PrefixMethod};
use super::quantifiers::{Presence, Quantifiers};
use formula::{Formula, Lit, Names, Prefix, Probability, Quantifier, Var};
use lp2sat::{Atom, Clausified, GroundProgram};

/// A program that cannot be given the prefix asked for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FormulaError {
    /// Atoms without quantifier are not functions of the others.
    #[error(
        "the dependency prefix needs a program that is stratified but for its choice rules: {0}; \
         use the base prefix (--quant base)"
    )]
    NotStratified(String),
}

/// Puts a formula together. Its value is the value of the program (Theorem 3.1 of He and Thielscher 2026).
///
/// Variables are those of the clauses; quantified universal and chance atoms that the grounder
/// removed get a variable of their own behind them, fixed by a clause.
///
/// # Errors
/// If the dependency prefix is asked for and atoms without quantifier are not functions of the
/// quantified ones.
pub fn build_formula(
    program: &GroundProgram,
    clausified: &Clausified,
    quantifiers: &Quantifiers,
    method: PrefixMethod,
) -> Result<Formula, FormulaError> {
    let mut variables: Vec<Variable> = Vec::with_capacity(clausified.variable_count());
    let places = match method {
        PrefixMethod::Base => vec![Place::INNERMOST; clausified.variable_count()],
        PrefixMethod::Dependency => places_by_dependency(program, clausified, quantifiers)?,
    };
    variables.extend(places.into_iter().map(Variable::function));

    let mut matrix = clausified.clauses().clone();
    let mut names = Names::default();
    for (atom, name) in program.names() {
        names.set(clausified.literal(atom).var(), name);
    }
    for (level, quantifier, atoms) in quantifiers.levels() {
        for atom in atoms {
            let variable = Variable {
                place: Place::at_level(level),
                quantifier,
                probability: atom.probability.clone(),
            };
            match atom.presence {
                Presence::Open(open) => {
                    variables[clausified.literal(open).var().index()] = variable;
                }
                // The maximising player just decides such an atom as it is.
                Presence::Fact | Presence::Absent if quantifier == Quantifier::Exists => {}
                Presence::Fact | Presence::Absent => {
                    let fresh = Var::new(variables.len());
                    variables.push(variable);
                    matrix.push([fresh.literal(atom.presence == Presence::Fact)]);
                    names.set(fresh, atom.name.as_str());
                }
            }
        }
    }
    let prefix = sort_into_prefix(&variables);
    Ok(Formula::new(variables.len(), prefix, matrix, names))
}

/// A variable of the formula and when it is decided.
struct Variable {
    place: Place,
    quantifier: Quantifier,
    probability: Option<Probability>,
}

impl Variable {
    /// A variable without quantifier of its own.
    fn function(place: Place) -> Self {
        Variable {
            place,
            quantifier: Quantifier::Exists,
            probability: None,
        }
    }
}

fn sort_into_prefix(variables: &[Variable]) -> Prefix {
    let mut order: Vec<usize> = (0..variables.len()).collect();
    order.sort_by_key(|&index| variables[index].place);
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

/// The place of every variable of the clauses by what it depends on. Places of quantified atoms
/// are those for what depends on them; the caller puts the atoms themselves where they belong.
fn places_by_dependency(
    program: &GroundProgram,
    clausified: &Clausified,
    quantifiers: &Quantifiers,
) -> Result<Vec<Place>, FormulaError> {
    lp2sat::check_stratified(program)
        .map_err(|error| FormulaError::NotStratified(error.to_string()))?;
    let mut known: Vec<Option<u32>> = vec![None; program.atom_count()];
    for choice in choice_atoms(program) {
        known[choice.index()] = Some(Place::INNERMOST.0);
    }
    for (level, quantifier, atoms) in quantifiers.levels() {
        let place = match quantifier {
            Quantifier::Exists => Place::at_level(level),
            Quantifier::Forall | Quantifier::Chance => Place::behind_level(level),
        };
        for atom in atoms {
            if let Presence::Open(atom) = atom.presence {
                known[atom.index()] = Some(place.0);
            }
        }
    }
    let mut places: Vec<Place> = lp2sat::propagate_levels(program, &known)
        .into_iter()
        .map(Place)
        .collect();
    places.resize(clausified.variable_count(), Place::INNERMOST);
    for helper in clausified.helpers().filter(|helper| helper.determined) {
        let of_input = |input: &Lit| places[input.var().index()];
        places[helper.variable.index()] = helper
            .inputs
            .iter()
            .map(of_input)
            .max()
            .unwrap_or(Place::OUTERMOST);
    }
    Ok(places)
}

/// The heads of choice rules.
fn choice_atoms(program: &GroundProgram) -> impl Iterator<Item = Atom> {
    program.rules().flat_map(|rule| match rule.head {
        lp2sat::Head::Choice(atoms) => atoms.to_vec(),
        lp2sat::Head::Atom(_) | lp2sat::Head::Constraint => Vec::new(),
    })
}
