//! The clauses of random small programs against their answer sets, found by definition and by the
//! real clingo. Every program is written as clauses in several ways; the models, projected to the
//! atoms, must be the answer sets, and helpers that are said to be functions of atoms must be.

mod answer_sets;
mod clingo;
mod models;
mod programs;

use answer_sets::answer_sets;
use lp2sat::{Clausified, GroundProgram, Options, RecursionMethod, clausify};
use models::count_extensions;
use programs::{build, random_rules, shrink};

fn rounds(base: u64) -> u64 {
    let factor = std::env::var("SQASP_TEST_ROUNDS").map_or(1, |text| {
        text.parse().expect("SQASP_TEST_ROUNDS is a number")
    });
    base * factor
}

/// All ways of writing clauses worth telling apart on small programs.
fn all_options() -> Vec<Options> {
    let default = Options::default();
    vec![
        default.clone(),
        Options {
            recursion: RecursionMethod::Unfold,
            pairwise_limit: 0,
            ..default
        },
        Options {
            recursion: RecursionMethod::Ranking,
            ..Options::default()
        },
        Options {
            diagram_limit: 0,
            unfolding_limit: 6,
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
        if clausified.helper_name(variable).is_none() {
            return Err(format!("{variable:?} has no name"));
        }
        known.push(helper.determined);
    }
    let all_determined = known.iter().all(|&known| known);
    let mut result = Vec::new();
    for set in 0..1u32 << atom_count {
        let most = if all_determined { 2 } else { 1 };
        let variable_count = clausified.variable_count();
        match count_extensions(clausified.clauses(), variable_count, atom_count, set, most) {
            0 => {}
            1 => result.push(set),
            _ => return Err(format!("{set:b} has two extensions by determined helpers")),
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
    for seed in 0..rounds(4000) {
        let mut random = fastrand::Rng::with_seed(seed);
        let most_atoms = if seed % 10 == 0 { 8 } else { 5 };
        let (atom_count, rules) = random_rules(&mut random, most_atoms);
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
fn models_are_the_answer_sets_of_clingo() {
    if !clingo::is_present() {
        eprintln!("SKIPPED: no clingo on the PATH to compare with (Debian: apt install gringo)");
        return;
    }
    for seed in 0..rounds(400) {
        let mut random = fastrand::Rng::with_seed(1_000_000 + seed);
        let (atom_count, rules) = random_rules(&mut random, 7);
        let program = build(atom_count, &rules);
        let expected = clingo::answer_sets(&program);
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
