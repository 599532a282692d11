//! Games through the QDIMACS writer and DepQBF, and the files that we write, read again.
//!
//! DepQBF knows no chance, but it can say whether a value is above 0 (chance is on the role's side)
//! and whether it is 1 (chance is on the opponents' side), since all coins fall either way.

use crate::common::{
    PREFIX_METHODS, checked_in_game, file_name, game, in_parallel, open_game_files, question,
    route, say, solve,
};
use crate::common::{rounds, takes_all};
use external::Qbf;
use formula::{BigRational, Formula, Outcome, Prefix, Quantifier, Solver, Value};
use formula::{read, sdimacs};
use gdl::game::Objective;
use generators::random_game;
use limits::Limits;
use num_traits::{One, Zero};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The formula with each coin that can fall either way decided by a player instead.
fn with_coins_decided_by(formula: &Formula, quantifier: Quantifier) -> Formula {
    let mut prefix = Prefix::new();
    for block in formula.prefix().blocks() {
        for &var in &block.variables {
            match formula.prefix().probability(var) {
                Some(coin) if coin.is_zero() || coin.is_one() => {
                    prefix.push_chance(var, coin.clone());
                }
                Some(_) => prefix.push(quantifier, [var]),
                None => prefix.push(block.quantifier, [var]),
            }
        }
    }
    let (matrix, names) = (formula.matrix().clone(), formula.names().clone());
    Formula::new(formula.variables(), prefix, matrix, names)
}

/// The answer of DepQBF; none if it takes too long. It must read the file in any case.
fn depqbf(formula: &Formula, seconds: u64) -> Result<Option<BigRational>, String> {
    let limits = Limits::default().within(Duration::from_secs(seconds));
    match Qbf::depqbf().solve(formula, &limits) {
        Ok(answer) => match answer.outcome {
            Outcome::Solved(Value::Exact(value)) => Ok(Some(value)),
            Outcome::Stopped { .. } => Ok(None),
            other => Err(format!("{other:?}")),
        },
        Err(error) => Err(error.to_string()),
    }
}

/// Asks DepQBF whether the value is above 0 and whether it is 1. Gives the number of answers.
fn compare(formula: &Formula, value: Option<&BigRational>, seconds: u64) -> Result<u64, String> {
    let mut answers = 0;
    for (quantifier, what) in [(Quantifier::Exists, "above 0"), (Quantifier::Forall, "1")] {
        let decided = with_coins_decided_by(formula, quantifier);
        let Some(found) = depqbf(&decided, seconds)? else {
            continue;
        };
        answers += 1;
        let Some(value) = value else { continue };
        let expected = match quantifier {
            Quantifier::Exists => !value.is_zero(),
            _ => value.is_one(),
        };
        if found.is_one() != expected {
            return Err(format!(
                "the value is {value}; DepQBF says {found} to: is it {what}?"
            ));
        }
    }
    Ok(answers)
}

#[test]
#[ignore = "needs depqbf: a second opinion"]
fn depqbf_agrees_on_random_games() {
    let deterministic = AtomicU64::new(0);
    let answers = AtomicU64::new(0);
    in_parallel((0..rounds(150)).collect(), |seed| {
        let random = random_game(seed);
        let game = game("random", &random.text);
        if game.random_role().is_none() {
            deterministic.fetch_add(1, Ordering::Relaxed);
        }
        for role in game.players() {
            let question = question(role.as_str(), random.depth, Objective::Win);
            for prefix in PREFIX_METHODS {
                let formula = route(&game, &question, prefix)
                    .map_err(|error| error.to_string())?
                    .stages
                    .formula;
                let agreed =
                    compare(&formula, Some(&solve(&formula)), 60).map_err(|complaint| {
                        format!(
                            "seed {seed}, {role}, {prefix}: {complaint}\n{}",
                            random.text
                        )
                    })?;
                answers.fetch_add(agreed, Ordering::Relaxed);
            }
        }
        Ok(())
    });
    let (answers, deterministic) = (answers.into_inner(), deterministic.into_inner());
    say(&format!(
        "DepQBF agrees {answers} times on random games, {deterministic} of them without chance"
    ));
    assert!(deterministic > rounds(150) / 50 && answers > rounds(150) * 3);
}

/// The key of a board is wide beside the few decisions of few steps; the rules make many gates of it
/// all the same, so it is searched from state to state and not by clause learning.
#[test]
fn few_steps_on_a_board_are_searched_from_state_to_state() {
    for depth in [5, 7, 9] {
        let question = question("xplayer", depth, Objective::Win);
        let game = checked_in_game("connect_3.gdl");
        let formula = route(&game, &question, PREFIX_METHODS[0]).expect("small");
        let formula = formula.stages.formula;
        let answer = ssat::portfolio::Portfolio::default().solve(&formula, &Limits::default());
        let answer = answer.expect("it takes every formula");
        let names: Vec<&str> = answer.statistics.iter().map(|(name, _)| *name).collect();
        assert!(
            names.contains(&"states") && !names.contains(&"learned"),
            "{depth}: {names:?}"
        );
    }
}

#[test]
#[ignore = "needs depqbf: a second opinion"]
fn depqbf_agrees_on_boards_without_chance() {
    // Wins take that long; before, the value is 0.
    let boards = [
        ("tic_tac_toe.gdl", "xplayer", 5),
        ("tic_tac_toe.gdl", "oplayer", 4),
        ("connect_3.gdl", "xplayer", 5),
        ("connect_3.gdl", "oplayer", 6),
        ("buttons_and_lights.gdl", "player", 5),
        ("buttons_and_lights.gdl", "player", 6),
    ];
    let jobs = boards
        .iter()
        .flat_map(|board| PREFIX_METHODS.map(|prefix| (*board, prefix)));
    in_parallel(jobs.collect(), |((file, role, depth), prefix)| {
        for objective in [Objective::Win, Objective::GoalAtLeast(1.into())] {
            let name = format!("{file} {role} {depth} {objective} {prefix}");
            let question = question(role, depth, objective);
            let formula = route(&checked_in_game(file), &question, prefix)
                .map_err(|error| format!("{name}: {error}"))?
                .stages
                .formula;
            let value = solve(&formula);
            let found = depqbf(&formula, 120).map_err(|error| format!("{name}: {error}"))?;
            if found.as_ref() != Some(&value) {
                return Err(format!("{name}: {value}, but DepQBF says {found:?}"));
            }
        }
        Ok(())
    });
}

/// For every game, role and prefix, the formula of four steps; gives its value.
fn for_formulas_of_games(run: impl Fn(&Formula, BigRational) -> Result<(), String> + Sync) {
    let mut jobs = Vec::new();
    for path in open_game_files() {
        let file = file_name(&path);
        for role in checked_in_game(&file).players() {
            jobs.extend(PREFIX_METHODS.map(|prefix| (file.clone(), role.clone(), prefix)));
        }
    }
    in_parallel(jobs, |(file, role, prefix)| {
        let question = question(role.as_str(), 4, Objective::Win);
        let route = route(&checked_in_game(&file), &question, prefix);
        let formula = route.map(|route| route.stages.formula);
        formula
            .map_err(|error| error.to_string())
            .and_then(|formula| run(&formula, solve(&formula)))
            .map_err(|complaint| format!("{file} {role} {prefix}: {complaint}"))
    });
}

/// SDIMACS that we write comes back the same through our own reader.
#[test]
fn files_of_every_game_are_read() {
    for_formulas_of_games(|formula, value| {
        let mut text = Vec::new();
        sdimacs::write(formula, &mut text).map_err(|error| error.to_string())?;
        let again = read(&text).map_err(|error| error.to_string())?;
        let mut text_again = Vec::new();
        sdimacs::write(&again, &mut text_again).map_err(|error| error.to_string())?;
        // A matrix that is plainly false is written as a small false formula with the reason.
        if text != text_again && !value.is_zero() {
            return Err("what was read is written otherwise".to_owned());
        }
        match solve(&again) == value {
            true => Ok(()),
            false => Err("what was read has another value".to_owned()),
        }
    });
}

/// DepQBF reads our QDIMACS without complaint. It may take too long to solve it.
#[test]
#[ignore = "needs depqbf: a second opinion"]
fn depqbf_reads_files_of_every_game() {
    let (answers, formulas) = (AtomicU64::new(0), AtomicU64::new(0));
    for_formulas_of_games(|formula, value| {
        // `make test` takes one of three.
        if !takes_all() && formulas.fetch_add(1, Ordering::Relaxed) % 3 > 0 {
            return Ok(());
        }
        let agreed = compare(formula, Some(&value), 5)?;
        answers.fetch_add(agreed, Ordering::Relaxed);
        Ok(())
    });
    say(&format!(
        "DepQBF answers for games of games/: {}",
        answers.into_inner()
    ));
}
