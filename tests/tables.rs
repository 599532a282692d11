//! Tables on disk: every game of `games/` that ends has one, with the values that a search in memory finds, and every value
//! is what the rules say of a sample of positions. What keys rest on is checked with them: each step of each refutation.

use crate::common::{
    AnyError, checked_in_game, checked_table, file_name, in_parallel, open_game_files, slow_tests,
    takes_all,
};
use engines::search::{Search, SearchOptions};
use engines::table::{DiskTableError, Probe, TableEntry, TableFailure, build};
use fastrand::Rng;
use formula::{Outcome, Value};
use gdl::game::{Game, Objective};
use gdl::{Name, Term};
use generators::conformance::check_refutations;
use limits::Limits;
use rules::RuleLimits;
use sqasp::Question;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use step::{StateMachine, StepLimits};

fn question(role: &Name, objective: Objective, depth: Option<u32>) -> Question {
    Question::new(role.clone())
        .objective(objective)
        .depth(depth)
}

/// Builds a table, and compares it with the search and the rules. How many positions were compared where play may go on for ever.
pub(crate) fn compare(
    game: &Game,
    role: &Name,
    objective: Objective,
    depth: Option<u32>,
    seed: u64,
) -> Result<Option<u64>, AnyError> {
    let folder = tempfile::tempdir()?;
    let question = question(role, objective, depth);
    let mut probe = checked_table(game, &question, folder.path(), seed)?;
    let mut machine = StateMachine::new(game, &StepLimits::default(), RuleLimits::default())?;
    let mut search = Search::new(game, role, objective, &SearchOptions::default())?;
    let mut random = Rng::with_seed(seed);
    let is_endless = probe.table().manifest().endless;
    let mut positions = 0;
    for _ in 0..4 {
        positions += follow(&mut probe, &mut machine, &mut random, |_, facts, entry| {
            let state = search.state(facts)?;
            let left = (!is_endless).then_some(entry.layer as u32);
            let found = search.solve(&state, left, &Limits::default())?.outcome;
            match found == Outcome::Solved(Value::Exact(entry.value.clone())) {
                true => Ok(()),
                false => Err(format!("{}, the search {found:?}", entry.value).into()),
            }
        })?;
    }
    Ok(is_endless.then_some(positions))
}

/// Follows a play at random, and compares the entries of its positions. Gives their number.
pub(crate) fn follow(
    probe: &mut Probe,
    machine: &mut StateMachine,
    random: &mut Rng,
    mut compare: impl FnMut(&mut Probe, &[Term], &TableEntry) -> Result<(), AnyError>,
) -> Result<u64, AnyError> {
    let mut place = machine.initial().expect("an initial state");
    let is_endless = probe.table().manifest().endless;
    let mut steps = probe.table().manifest().depth;
    let mut played = 0;
    while steps > 0 && played < 100 && !machine.terminal(&place).expect("rules") {
        let facts = machine.facts(&place);
        let entries = probe.entries(Some(&facts)).expect("a table");
        let entry = entries.iter().find(|entry| entry.layer == steps);
        let entry = entry.ok_or_else(|| format!("{facts:?} is missing with {steps} steps left"))?;
        compare(probe, &facts, entry)
            .map_err(|error| format!("{facts:?} with {steps} steps left: {error}"))?;
        let joint_move = machine.random_move(&place, random).expect("rules");
        let joint_move = joint_move.expect("moves");
        place = machine.next(&place, &joint_move).expect("rules");
        steps -= usize::from(!is_endless);
        played += 1;
    }
    Ok(played)
}

#[test]
fn every_game_has_a_table_with_the_values_of_the_search() {
    let seed = fastrand::u64(..);
    let mut jobs = Vec::new();
    for path in open_game_files() {
        let file = file_name(&path);
        let game = checked_in_game(&file);
        let ends = !file.starts_with("endless_");
        for role in game.players() {
            for objective in [Objective::Win, Objective::Points] {
                let is_first = game.players().next() == Some(role);
                let is_small = !file.contains("4x4");
                let is_moderate = file != "stochastic_ttt_4x4.gdl" || slow_tests();
                if !(is_small || is_moderate && is_first && objective == Objective::Win) {
                    continue;
                }
                // Half of them: wins of the first role, points of the others.
                if !takes_all() && (is_first != (objective == Objective::Win) || !is_small) {
                    continue;
                }
                let depths = [None, Some(3)];
                for depth in depths.into_iter().take(if ends { 1 } else { 2 }) {
                    jobs.push((file.clone(), game.clone(), role.clone(), objective, depth));
                }
            }
        }
    }
    assert!(jobs.len() > 60, "{}", jobs.len());
    let (endless, refutations) = (AtomicUsize::new(0), AtomicU64::new(0));
    in_parallel(jobs, |(file, game, role, objective, depth)| {
        let (compared, checked) =
            check_refutations(|| compare(&game, &role, objective, depth, seed));
        refutations.fetch_add(checked.refutations, Ordering::Relaxed);
        let positions = compared.map_err(|error| {
            format!("{file} {role} {objective} {depth:?}, seed {seed}: {error}")
        })?;
        endless.fetch_add(usize::from(positions.is_some()), Ordering::Relaxed);
        Ok(())
    });
    assert!(endless.into_inner() > 10, "seed {seed}");
    assert!(refutations.into_inner() > 1_000, "seed {seed}");
}

/// All files of a folder.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let file = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().expect("our own name");
        (name, std::fs::read(entry.path()).expect("a file"))
    };
    entries
        .map(|entry| file(entry.expect("an entry")))
        .collect()
}

#[test]
fn a_table_may_start_elsewhere_and_says_so() {
    let game = checked_in_game("stochastic_ttt.gdl");
    let role = Name::new("xplayer");
    let facts = {
        let limits = RuleLimits::default();
        let mut machine =
            StateMachine::new(&game, &StepLimits::default(), limits).expect("a machine");
        let start = machine.initial().expect("rules");
        let moves: Vec<Term> = ["(mark 2 2)", "noop", "(keep 1)"]
            .map(|text| gdl::parse_terms(text).expect("a term").remove(0))
            .to_vec();
        let next = machine.next(&start, &moves).expect("rules");
        machine.facts(&next)
    };
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits::default();
    let whole = question(&role, Objective::Win, None);
    let later = whole.clone().start(facts.clone());
    build(&game, &later, folder.path(), &limits, 2, &mut |_| ()).expect("a table");
    let mut probe = Probe::open(folder.path(), &limits).expect("a table");
    let entries = probe.entries(None).expect("a table");
    let values: Vec<String> = entries
        .iter()
        .map(|entry| entry.value.to_string())
        .collect();
    assert_eq!(values, ["187749/390625"]);
    assert_eq!(probe.entries(Some(&facts)).expect("a table"), entries);
    let other = build(&game, &whole, folder.path(), &limits, 2, &mut |_| ());
    let is_other = |failure: &TableFailure| {
        matches!(
            failure,
            TableFailure::Disk(DiskTableError::Other { what: "game", .. })
        )
    };
    assert!(other.is_err_and(|failure| is_other(&failure)));
}
