//! The clauses of random small programs against their answer sets, found by definition and by the
//! real clingo. Every program is written as clauses in several ways; the models, projected to the
//! atoms, must be the answer sets, and helpers that are said to be functions of atoms must be.

mod answer_sets;
mod clingo;
mod grounded;
mod models;
mod programs;
#[path = "../../src/read_statements.rs"]
mod read_statements;

use answer_sets::answer_sets;
use clingo::Format;
use generators::seeds;
use models::{count_models, hold_by_definition, propagate};
use programs::{build, enlarge_weights, random_rules, shrink};
use read_statements::read_statements;
use sqasp_lp2sat::{
    Atom, Body, Clausified, GroundProgram, Head, Literal, Options, clausify, write_aspif,
};

/// All ways of writing clauses worth telling apart on small programs.
fn all_options() -> Vec<Options> {
    let default = Options::default();
    vec![
        default.clone(),
        Options {
            unfolding_limit: Some(usize::MAX),
            pairwise_limit: 0,
            ..default
        },
        Options {
            unfolding_limit: None,
            ..Options::default()
        },
        Options {
            diagram_limit: 0,
            ..Options::default()
        },
    ]
}

/// The models of the clauses, projected to the atoms, and whether helpers keep their promise.
fn projected_models(clausified: &Clausified) -> Result<Vec<u32>, String> {
    let atom_count = clausified.atom_count();
    let mut known: Vec<bool> = vec![true; atom_count];
    for helper in clausified.helpers() {
        let variable = helper.variable;
        if variable.index() != known.len() {
            return Err(format!("{variable:?} is out of order"));
        }
        let inputs = helper.inputs.iter();
        if inputs.clone().any(|lit| lit.var() >= variable) {
            return Err(format!("{variable:?} is defined from later variables"));
        }
        let inputs_known = inputs.clone().all(|lit| known[lit.var().index()]);
        if helper.determined != (inputs_known && inputs.len() > 0) {
            return Err(format!("{variable:?} is wrong about being determined"));
        }
        known.push(helper.determined);
    }
    let all_determined = known.iter().all(|&known| known);
    let mut result = Vec::new();
    for set in 0..1u32 << atom_count {
        let atoms: Vec<bool> = (0..atom_count).map(|index| set >> index & 1 == 1).collect();
        let mut values: Vec<Option<bool>> = atoms.iter().copied().map(Some).collect();
        values.resize(clausified.variable_count(), None);
        let most = if all_determined { 2 } else { 1 };
        let count = count_models(clausified.clauses(), values, most);
        if count == 2 {
            return Err(format!("{set:b} has two extensions by determined helpers"));
        }
        if all_determined && hold_by_definition(clausified, &atoms) != (count == 1) {
            return Err(format!(
                "helpers of {set:b} are not the conjunctions they should be"
            ));
        }
        if count == 1 {
            result.push(set);
        }
    }
    Ok(result)
}

fn check(program: &GroundProgram, expected: &[u32]) -> Result<(), String> {
    for options in all_options() {
        let clausified = clausify(program, &options).map_err(|error| error.to_string())?;
        let models =
            projected_models(&clausified).map_err(|text| format!("{options:?}: {text}"))?;
        if models != expected {
            return Err(format!(
                "{options:?}: models {models:?}, answer sets {expected:?}, clauses {:?}",
                clausified.clauses()
            ));
        }
    }
    Ok(())
}

#[test]
fn models_are_the_answer_sets_of_the_definition() {
    for (seed, mut random) in seeds(0, 4000) {
        let max_atoms = if seed % 10 == 0 { 8 } else { 5 };
        let (atom_count, mut rules) = random_rules(&mut random, max_atoms);
        if seed % 8 == 3 {
            enlarge_weights(&mut random, &mut rules);
        }
        let test = |rules: &[_]| {
            let program = build(atom_count, rules);
            check(&program, &answer_sets(&program))
        };
        if test(&rules).is_err() {
            let rules = shrink(&rules, |rules| test(rules).is_err());
            let program = build(atom_count, &rules);
            panic!("seed {seed}: {}\n{program}", test(&rules).unwrap_err());
        }
    }
}

#[test]
#[ignore = "needs clingo: to compare with"]
fn models_are_the_answer_sets_of_clingo() {
    for (seed, mut random) in seeds(1_000_000, 400) {
        let (atom_count, rules) = random_rules(&mut random, 7);
        let program = build(atom_count, &rules);
        let format = if seed % 2 == 0 {
            Format::Aspif
        } else {
            Format::Smodels
        };
        let expected = clingo::answer_sets(&program, format);
        assert_eq!(
            answer_sets(&program),
            expected,
            "seed {seed}: the definition\n{program}"
        );
        if let Err(text) = check(&program, &expected) {
            panic!("seed {seed}: {text}\n{program}");
        }
    }
}

/// Reachable nodes of a random graph, where some of its edges are chosen: cycles with many
/// atoms in every cut, so that one round too few or a rank too few would show.
#[test]
fn reachability_takes_as_many_rounds_as_it_needs() {
    for (seed, mut random) in seeds(0, 200) {
        let node_count = random.usize(3..12);
        let atom = |index: usize| Atom::new(index as u32 + 1).unwrap();
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for _ in 0..random.usize(node_count..3 * node_count) {
            let (from, to) = (random.usize(..node_count), random.usize(..node_count));
            edges.extend([(from, to), (to, from)]);
        }
        edges.extend((1..node_count).map(|node| (node - 1, node)));
        edges.push((node_count - 1, 0));
        let mut program = GroundProgram::new();
        program.add_rule(Head::Atom(atom(0)), Body::All(&[]));
        for (index, &(from, to)) in edges.iter().enumerate() {
            let edge = atom(node_count + index);
            program.add_rule(Head::Choice(&[edge]), Body::All(&[]));
            let body = [Literal::positive(atom(from)), Literal::positive(edge)];
            program.add_rule(Head::Atom(atom(to)), Body::All(&body));
        }
        for unfolding_limit in [Some(usize::MAX), None] {
            // Plain search for ranks takes too long on bigger graphs.
            if unfolding_limit.is_none() && node_count > 4 {
                continue;
            }
            let options = Options {
                unfolding_limit,
                ..Options::default()
            };
            let clausified = clausify(&program, &options).unwrap();
            for _ in 0..20 {
                let density = random.f64();
                let chosen: Vec<bool> = edges.iter().map(|_| random.f64() < density).collect();
                let mut reached = vec![false; node_count];
                reached[0] = true;
                for _ in 0..node_count {
                    for (&(from, to), _) in edges.iter().zip(&chosen).filter(|(_, c)| **c) {
                        reached[to] |= reached[from];
                    }
                }
                let mut values = vec![None; node_count];
                values.extend(chosen.iter().copied().map(Some));
                values.resize(clausified.variable_count(), None);
                let mut settled = values.clone();
                assert!(propagate(clausified.clauses(), &mut settled), "seed {seed}");
                let expected: Vec<Option<bool>> = reached.iter().copied().map(Some).collect();
                if unfolding_limit.is_some() {
                    assert_eq!(settled[..node_count], expected, "seed {seed}\n{program}");
                    assert!(
                        settled.iter().all(Option::is_some),
                        "seed {seed}\n{program}"
                    );
                } else {
                    values[..node_count].copy_from_slice(&expected);
                    let found = count_models(clausified.clauses(), values.clone(), 1);
                    assert_eq!(found, 1, "seed {seed}\n{program}");
                    // Nodes that are not reached may not support each other.
                    if let Some(first) = reached.iter().position(|reached| !reached) {
                        for node in (first..node_count).filter(|&node| !reached[node]) {
                            values[node] = random.bool().then_some(true);
                        }
                        values[first] = Some(true);
                        let found = count_models(clausified.clauses(), values, 1);
                        assert_eq!(found, 0, "seed {seed}\n{program}");
                    }
                }
            }
        }
    }
}

#[test]
fn aspif_reads_back_as_it_was_written() {
    for (seed, mut random) in seeds(0, 500) {
        let (atom_count, rules) = random_rules(&mut random, 6);
        let mut program = build(atom_count, &rules);
        let names = ["a", "p(1,x)", "\"two words\"", "q(\"0 1\\n\")", "é"];
        for (index, name) in names.iter().take(atom_count).enumerate() {
            match random.u8(..3) {
                0 => program.set_name(Atom::new(index as u32 + 1).unwrap(), *name),
                1 => program.add_fact(*name),
                _ => {}
            }
        }
        let mut text = Vec::new();
        write_aspif(&program, &mut text).unwrap();
        let read = read_statements(str::from_utf8(&text).unwrap());
        assert_eq!(read.to_string(), program.to_string(), "seed {seed}");
        let mut again = Vec::new();
        write_aspif(&read, &mut again).unwrap();
        assert_eq!(again, text, "seed {seed}");
    }
}
