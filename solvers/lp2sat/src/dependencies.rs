//! The dependency graph of atoms, through heads and bodies.
//!
//! An atom depends on another if a rule has the one in its head and the other, positive or
//! negative, in its body, or through further atoms (Definition 4 of the paper on stochastic
//! two-player games, He and Thielscher 2026). Quantifying a program needs two facts
//! about this: that the decided atoms determine all others ([`check_stratified`], [`check_decided`]),
//! and the last decision an atom waits for ([`propagate_levels`]).

use crate::{Atom, Body, GroundProgram, Head, Literal};
use base::graph::{Components, Graph};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// A ground program lacks what quantifying its atoms takes for granted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AssumptionError {
    /// Without its choice rules the program is not stratified.
    #[error(
        "the program is not stratified: {} depends on its own negation ({}); only choice rules \
         may leave atoms open, so write a choice rule instead",
        cycle.first().map_or("an atom", |literal| literal.trim_start_matches("not ")),
        cycle.join(" :- ")
    )]
    NotStratified {
        /// Literals of which each depends on the next, from an atom back to itself.
        cycle: Vec<String>,
    },
    /// An atom with a quantifier is also derived by an ordinary rule.
    #[error(
        "{atom} is to be decided, but the rule \"{rule}\" also derives it; decided atoms may \
         only stand in the heads of choice rules"
    )]
    Derived { atom: String, rule: String },
    /// No choice rule offers an atom with a quantifier.
    #[error(
        "{0} is to be decided, but no choice rule offers it; perhaps the grounder replaced the \
         atom by a helper of its own"
    )]
    NotChosen(String),
}

fn for_each_literal(body: Body<'_>, mut visit: impl FnMut(Literal)) {
    match body {
        Body::All(literals) => literals.iter().for_each(|&literal| visit(literal)),
        Body::Weighted { literals, .. } => {
            literals.iter().for_each(|&(literal, _)| visit(literal));
        }
    }
}

fn heads<'a>(head: &'a Head<'a>) -> &'a [Atom] {
    match head {
        Head::Constraint => &[],
        Head::Atom(atom) => std::slice::from_ref(atom),
        Head::Choice(atoms) => atoms,
    }
}

/// Checks that the program without its choice rules is stratified: no atom depends on its own
/// negation. Then every choice of the chosen atoms has at most one answer set.
///
/// # Errors
/// If there is a cycle through negation; the error shows it.
pub fn check_stratified(program: &GroundProgram) -> Result<(), AssumptionError> {
    let graph = graph_of_rules(program);
    let components = graph.components();
    let Some((head, negated)) = negations_in_components(program, &components).next() else {
        return Ok(());
    };
    let component = components.component_of(head.index());
    let inside = |node: u32| components.component_of(node as usize) == component;
    let back = shortest_path(&graph, inside, negated.atom(), head);
    let mut cycle = vec![program.display_atom(head)];
    cycle.push(program.display_literal(negated));
    let shown = back.iter().skip(1);
    cycle.extend(shown.map(|&atom| program.display_atom(atom)));
    Err(AssumptionError::NotStratified { cycle })
}

/// The atoms that depend on each other in a cycle through negation, choice rules left out: those
/// that keep a program from being stratified, and that answer sets may leave open. In the order of
/// their numbers.
pub fn unstratified_atoms(program: &GroundProgram) -> Vec<Atom> {
    let components = graph_of_rules(program).components();
    let with_negation: FxHashSet<u32> = negations_in_components(program, &components)
        .map(|(head, _)| components.component_of(head.index()))
        .collect();
    (0..program.atom_count())
        .filter(|&index| with_negation.contains(&components.component_of(index)))
        .map(|index| Atom::new(index as u32 + 1).expect("atoms are numbered from 1"))
        .collect()
}

/// The edges from the atoms of heads to those of bodies, choice rules left out.
fn graph_of_rules(program: &GroundProgram) -> Graph {
    Graph::new(program.atom_count(), |edge| {
        for rule in program.rules() {
            if let Head::Atom(head) = rule.head {
                for_each_literal(rule.body, |literal| {
                    edge(head.index(), literal.atom().index())
                });
            }
        }
    })
}

/// For every rule with one, a negative body literal whose atom depends on the rule's head.
fn negations_in_components<'a>(
    program: &'a GroundProgram,
    components: &'a Components,
) -> impl Iterator<Item = (Atom, Literal)> + 'a {
    program.rules().filter_map(|rule| {
        let Head::Atom(head) = rule.head else {
            return None;
        };
        let component = components.component_of(head.index());
        let mut negated = None;
        for_each_literal(rule.body, |literal| {
            if literal.is_negative() && components.component_of(literal.atom().index()) == component
            {
                negated.get_or_insert(literal);
            }
        });
        negated.map(|negated| (head, negated))
    })
}

/// The atoms on a shortest path, both ends included.
fn shortest_path(graph: &Graph, inside: impl Fn(u32) -> bool, from: Atom, to: Atom) -> Vec<Atom> {
    let (from, to) = (from.index() as u32, to.index() as u32);
    // Searched from the end, so that following the steps goes forwards.
    let mut next = vec![None; graph.node_count()];
    let mut queue = VecDeque::from([from]);
    next[from as usize] = Some(from);
    while let Some(node) = queue.pop_front() {
        if node == to {
            break;
        }
        for &target in graph.targets(node as usize) {
            if inside(target) && next[target as usize].is_none() {
                next[target as usize] = Some(node);
                queue.push_back(target);
            }
        }
    }
    let mut path = vec![to];
    let mut node = to;
    while node != from {
        node = next[node as usize].expect("both ends are in one component");
        path.push(node);
    }
    path.reverse();
    path.iter()
        .map(|&node| Atom::new(node + 1).expect("nodes are atoms"))
        .collect()
}

/// Checks that each of these atoms stands in the head of a choice rule and in no other head, so
/// that deciding it freely is what the program means.
///
/// # Errors
/// If one is derived otherwise, or not offered at all.
pub fn check_decided(
    program: &GroundProgram,
    decided: impl IntoIterator<Item = Atom>,
) -> Result<(), AssumptionError> {
    const CHOSEN: u8 = 1;
    const DERIVED: u8 = 2;
    let mut seen = vec![0u8; program.atom_count()];
    for rule in program.rules() {
        let kind = if matches!(rule.head, Head::Choice(_)) {
            CHOSEN
        } else {
            DERIVED
        };
        for atom in heads(&rule.head) {
            seen[atom.index()] |= kind;
        }
    }
    for atom in decided {
        let seen = seen.get(atom.index()).copied().unwrap_or(0);
        if seen & DERIVED != 0 {
            let rule = program.rules().find(|rule| rule.head == Head::Atom(atom));
            return Err(AssumptionError::Derived {
                atom: program.display_atom(atom),
                rule: rule.map_or(String::new(), |rule| program.display_rule(rule)),
            });
        }
        if seen & CHOSEN == 0 {
            return Err(AssumptionError::NotChosen(program.display_atom(atom)));
        }
    }
    Ok(())
}

/// The level of each atom, by atom index. Atoms with an initial level keep it. Every other atom
/// gets the greatest level among the atoms it depends on, and 0 if it depends on none with a
/// level. Atoms that depend on each other share a level. Initial levels beyond the table's end are
/// `None`.
///
/// ```
/// use sqasp_lp2sat::{Body, GroundProgram, Head, Literal, propagate_levels};
/// // {1; 2}. 3 :- not 1. 4 :- 2, 3.
/// let mut program = GroundProgram::new();
/// let atoms = [0; 4].map(|_| program.new_atom());
/// program.add_rule(Head::Choice(&atoms[..2]), Body::All(&[]));
/// program.add_rule(Head::Atom(atoms[2]), Body::All(&[Literal::negative(atoms[0])]));
/// let both = [Literal::positive(atoms[1]), Literal::positive(atoms[2])];
/// program.add_rule(Head::Atom(atoms[3]), Body::All(&both));
/// let levels = propagate_levels(&program, &[Some(3), Some(7)]);
/// assert_eq!(levels, [3, 7, 3, 7]);
/// ```
pub fn propagate_levels(program: &GroundProgram, initial: &[Option<u32>]) -> Vec<u32> {
    let fixed = |atom: usize| initial.get(atom).copied().flatten();
    let graph = Graph::new(program.atom_count(), |edge| {
        for rule in program.rules() {
            for head in heads(&rule.head) {
                if fixed(head.index()).is_none() {
                    for_each_literal(rule.body, |literal| {
                        edge(head.index(), literal.atom().index());
                    });
                }
            }
        }
    });
    let mut levels = vec![0; program.atom_count()];
    // Components come after those they depend on, and atoms with a fixed level depend on none.
    for members in graph.components().iter() {
        let targets = members
            .iter()
            .flat_map(|&member| graph.targets(member as usize));
        let highest = targets
            .map(|&target| levels[target as usize])
            .max()
            .unwrap_or(0);
        for &member in members {
            levels[member as usize] = fixed(member as usize).unwrap_or(highest);
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_statements::read_statements as program;

    fn atom(number: u32) -> Atom {
        Atom::new(number).unwrap()
    }

    #[test]
    fn negation_of_choices_and_below_is_stratified() {
        let rules = "1 1 1 1 0 1 -3\n1 0 1 2 0 1 -1\n1 0 1 3 0 1 2\n1 0 1 3 0 1 3\n1 0 0 0 1 -3";
        assert_eq!(check_stratified(&program(rules)), Ok(()));
    }

    #[test]
    fn a_cycle_through_negation_is_shown() {
        let rules = "1 0 1 1 0 1 -2\n1 0 1 2 1 1 1 3 1\n1 0 1 3 0 2 4 1\n4 1 p 1 1\n4 1 q 1 2";
        let error = check_stratified(&program(rules)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the program is not stratified: p depends on its own negation (p :- not q :- _3 :- p); \
             only choice rules may leave atoms open, so write a choice rule instead"
        );
        let error = check_stratified(&program("1 0 1 1 0 1 -1")).unwrap_err();
        assert_eq!(
            error,
            AssumptionError::NotStratified {
                cycle: vec!["_1".into(), "not _1".into()]
            }
        );
    }

    #[test]
    fn decided_atoms_are_chosen_and_not_derived() {
        let program = program("1 1 2 1 2 0 0\n1 0 1 2 0 1 -1\n4 1 p 1 2\n1 0 1 3 0 0");
        assert_eq!(check_decided(&program, [atom(1)]), Ok(()));
        assert_eq!(
            check_decided(&program, [atom(1), atom(2)])
                .unwrap_err()
                .to_string(),
            "p is to be decided, but the rule \"p :- not _1.\" also derives it; decided atoms may \
             only stand in the heads of choice rules"
        );
        assert!(matches!(
            check_decided(&program, [atom(3)]),
            Err(AssumptionError::Derived { .. })
        ));
        let beyond = check_decided(&program, [atom(9)]);
        assert_eq!(beyond, Err(AssumptionError::NotChosen("_9".into())));
    }

    #[test]
    fn levels_pass_through_choices_weights_and_cycles() {
        // 4 and 5 depend on each other; 6 is chosen without a level of its own; 2 keeps its level
        // although its choice rule depends on 3.
        let rules = "1 1 1 1 0 0\n1 1 1 2 0 1 3\n1 1 1 3 0 0\n1 0 1 4 0 2 5 -1\n\
                     1 0 1 5 1 1 2 4 1 -2 1\n1 1 1 6 0 1 5\n1 0 1 7 0 1 8";
        let initial = [Some(1), Some(2), Some(9)];
        assert_eq!(
            propagate_levels(&program(rules), &initial),
            [1, 2, 9, 2, 2, 2, 0, 0]
        );
    }

    #[test]
    fn levels_are_the_greatest_among_reachable_atoms() {
        for (seed, mut random) in generators::seeds(0, 300) {
            let count = random.u32(2..9);
            let mut program = GroundProgram::new();
            for _ in 0..count {
                program.new_atom();
            }
            let initial: Vec<Option<u32>> = (0..count)
                .map(|_| (random.u8(..3) == 0).then(|| random.u32(0..20)))
                .collect();
            let mut depends = vec![vec![false; count as usize]; count as usize];
            for _ in 0..random.u32(0..2 * count) {
                let (head, body) = (atom(random.u32(1..=count)), atom(random.u32(1..=count)));
                let literal = if random.bool() {
                    Literal::positive(body)
                } else {
                    Literal::negative(body)
                };
                program.add_rule(Head::Atom(head), Body::All(&[literal]));
                depends[head.index()][body.index()] |= initial[head.index()].is_none();
            }
            let size = count as usize;
            for middle in 0..size {
                for one in 0..size {
                    for other in 0..size {
                        depends[one][other] |= depends[one][middle] && depends[middle][other];
                    }
                }
            }
            let expected: Vec<u32> = (0..size)
                .map(|one| {
                    initial[one].unwrap_or_else(|| {
                        let reached = (0..size).filter(|&other| depends[one][other]);
                        reached
                            .filter_map(|other| initial[other])
                            .max()
                            .unwrap_or(0)
                    })
                })
                .collect();
            assert_eq!(
                propagate_levels(&program, &initial),
                expected,
                "seed {seed}\n{program}"
            );
        }
    }
}
