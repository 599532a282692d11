//! The strategies of a quantified program for people: each quantified atom of a player as cases of earlier atoms, by name.
//!
//! ```text
//! level 1, the player:
//!   pack(umbrella)  no
//! level 3, the opponent:
//!   rain            yes if cloud, not wind
//!                   yes if storm
//! ```

use formula::{Lit, Quantifier, Var};
use gdl::game::Unit;
use logic::route::ProgramRoute;
use logic::sqasp::Presence;
use ssat::trace::{Case, Cases, Trace};

/// The most cases of an atom, so that people can read them.
const MAX_CASES: usize = 1_000;

/// What a trace of the formula of a program says, in lines.
///
/// # Errors
/// If an atom has too many cases: its name, and their most.
pub(crate) fn function_lines(stages: &ProgramRoute, trace: &Trace) -> Result<Vec<String>, String> {
    let cases = Cases::new(&stages.formula, trace);
    let mut lines = vec![format!(
        "% {}: the player gets {}, and no more; conditions of an atom are tried in their order, and `no` is the rest",
        trace.formula,
        Unit::Percent.text(&trace.value)
    )];
    for (level, quantifier, atoms) in stages.quantifiers.levels() {
        let player = match quantifier {
            Quantifier::Exists => "the player",
            Quantifier::Forall => "the opponent",
            Quantifier::Chance => continue,
        };
        lines.push(format!("level {level}, {player}:"));
        let atoms: Vec<_> = (atoms.iter())
            .map(|atom| (atom.name.to_string(), atom.presence))
            .collect();
        let width = atoms.iter().map(|(name, _)| name.chars().count()).max();
        let width = width.unwrap_or(0);
        for (name, presence) in atoms {
            let open = match presence {
                Presence::Open(atom) => Some(stages.clauses.literal(atom).var()),
                Presence::Fact | Presence::Absent => None,
            };
            let rows = match open {
                Some(variable) => {
                    let found = cases.of(variable, MAX_CASES);
                    let found =
                        found.ok_or_else(|| format!("`{name}` has more than {MAX_CASES} cases"))?;
                    rows(&found, |variable| name_of(stages, variable))
                }
                None => vec![settled(quantifier, presence).to_owned()],
            };
            let names = std::iter::once(name.as_str()).chain(std::iter::repeat(""));
            lines.extend(
                rows.iter()
                    .zip(names)
                    .map(|(row, name)| format!("  {name:width$}  {row}")),
            );
        }
    }
    Ok(lines)
}

/// What is done with an atom that grounding settled: the opponent makes sure that no answer set has its value.
fn settled(quantifier: Quantifier, presence: Presence) -> &'static str {
    match (quantifier, presence) {
        (Quantifier::Forall, Presence::Fact) => "no, and every answer set has it",
        (Quantifier::Forall, _) => "yes, and no answer set has it",
        (_, Presence::Fact) => "yes, as in every answer set",
        _ => "no, as in every answer set",
    }
}

/// The cases of an atom, up to the one that always holds, without those that make no difference.
fn rows(cases: &[Case], name: impl Fn(Var) -> String) -> Vec<String> {
    let literal = |literal: &Lit| match literal.is_negative() {
        true => format!("not {}", name(literal.var())),
        false => name(literal.var()),
    };
    let mut rows = Vec::new();
    let last = cases.iter().rposition(|case| case.value);
    for case in last.map_or(&cases[..0], |last| &cases[..=last]) {
        let value = if case.value { "yes" } else { "no" };
        let condition: Vec<String> = case.condition.iter().map(literal).collect();
        if condition.is_empty() {
            rows.push(value.to_owned());
            return rows;
        }
        rows.push(format!("{value} if {}", condition.join(", ")));
    }
    if rows.is_empty() {
        rows.push("no".to_owned());
    }
    rows
}

/// The name of a variable; helper variables of the clauses have a number.
fn name_of(stages: &ProgramRoute, variable: Var) -> String {
    let name = stages.formula.names().get(variable);
    name.map_or_else(|| format!("helper {}", variable.to_dimacs()), str::to_owned)
}
