//! Worth of each move of the first step, by restricted formulas, against expected minimax.

use crate::common::rounds;
use crate::common::{
    PREFIX_METHODS, file_name, game, in_parallel, open_game_files, question, read_text, route, say,
    solve, takes_all,
};
use formula::BigRational;
use gdl::Term;
use gdl::game::{Game, Objective};
use generators::random_game;
use logic::route::FirstMoves;
use rules::{Minimax, Reasoner};
use std::sync::atomic::{AtomicU64, Ordering};

/// The values of all legal first moves by minimax; none if the game is over at the start, or takes
/// too long this way.
fn by_minimax(
    game: &Game,
    place: usize,
    objective: Objective,
    depth: u32,
) -> Option<Vec<(Term, BigRational)>> {
    let reasoner = Reasoner::new(game).ok()?;
    let mut minimax = Minimax::new(reasoner, place, objective).with_state_limit(3000);
    let state = minimax.reasoner().initial().ok()?;
    if depth == 0 || minimax.reasoner().terminal(&state).ok()? {
        return None;
    }
    minimax.move_values(&state, depth).ok()
}

/// Compares all roles; counts the moves that are not the best.
fn compare(
    game: &Game,
    objective: Objective,
    depth: u32,
    compared: &AtomicU64,
    worse: &AtomicU64,
) -> Result<(), String> {
    for (place, role) in game.roles().iter().enumerate() {
        if game.random_role() == Some(role) {
            continue;
        }
        let Some(expected) = by_minimax(game, place, objective, depth) else {
            continue;
        };
        let best = expected.iter().map(|(_, value)| value.clone()).max();
        for prefix in PREFIX_METHODS {
            let question = question(role.as_str(), depth, objective);
            let about = format!("{role}, {objective} within {depth}, {prefix}");
            let route =
                route(game, &question, prefix).map_err(|error| format!("{about}: {error}"))?;
            let moves =
                FirstMoves::of(game, role, &route.stages).map_err(|error| error.to_string())?;
            for (action, value) in &expected {
                let Some(literals) = moves.literals(action) else {
                    return Err(format!("{about}: the formula lacks {action}"));
                };
                let found = solve(&route.stages.formula.restricted(&literals));
                if found != *value {
                    return Err(format!("{about}: {action} has {found}, by minimax {value}"));
                }
                compared.fetch_add(1, Ordering::Relaxed);
                worse.fetch_add(u64::from(best.as_ref() != Some(value)), Ordering::Relaxed);
            }
        }
    }
    Ok(())
}

#[test]
fn first_moves_of_random_games_have_the_values_of_minimax() {
    let (compared, worse) = (AtomicU64::new(0), AtomicU64::new(0));
    let games = rounds(250);
    in_parallel((0..games).collect(), |seed| {
        let random = random_game(seed);
        let mut rng = fastrand::Rng::with_seed(seed);
        let game = game("random", &random.text);
        let objectives = [
            Objective::Win,
            Objective::Score,
            Objective::GoalAtLeast(50.into()),
        ];
        let objective = rng.choice(objectives).expect("not empty");
        let depth = rng.u32(1..=random.depth);
        compare(&game, objective, depth, &compared, &worse)
            .map_err(|complaint| format!("seed {seed}: {complaint}\n{}", random.text))
    });
    let (compared, worse) = (compared.into_inner(), worse.into_inner());
    say(&format!(
        "{compared} first moves of {games} random games agree; {worse} are not the best"
    ));
    assert!(
        worse > games / 4,
        "too many games in which every move is the best"
    );
}

#[test]
fn first_moves_of_our_games_have_the_values_of_minimax() {
    let (compared, worse) = (AtomicU64::new(0), AtomicU64::new(0));
    in_parallel(open_game_files(), |path| {
        let name = file_name(&path);
        let game = game(&name, &read_text(&path));
        // As far as plain minimax gets.
        for depth in 1..=if takes_all() { 4 } else { 2 } {
            compare(&game, Objective::Win, depth, &compared, &worse)
                .map_err(|complaint| format!("{name}: {complaint}"))?;
        }
        Ok(())
    });
    let compared = compared.into_inner();
    say(&format!("{compared} first moves of our games agree"));
    assert!(compared > 200 && worse.into_inner() > 10);
}

/// Where all move at the same time the opponents answer knowing the move, and chance comes last; a
/// role that only waits has one move.
#[test]
fn moves_at_the_same_time_are_worth_what_is_left_after_the_answer() {
    const RULES: &str = "(role x) (role o) (role random) (init start)
        (side l) (side r)
        (<= (input ?p ?s) (role ?p) (side ?s)) (input random edge) (input x stay) (input o fly)
        (base start) (move l) (move r) (move edge) (<= (base (did ?p ?m)) (role ?p) (move ?m))
        (<= (legal x ?s) (side ?s)) (<= (legal o ?s) (side ?s))
        (<= (legal random ?s) (side ?s)) (legal random edge)
        (<= (next (did ?p ?s)) (does ?p ?s))
        (<= terminal (not (true start)))
        (<= won (true (did x l)) (true (did random l)))
        (<= won (true (did x r)) (not (true (did random r))) (true (did o l)))
        (<= (goal x 100) won) (<= (goal x 0) (not won))
        (<= (goal o 100) (not won)) (<= (goal o 0) won) (goal random 0)";
    let game = game("sides", RULES);
    for (role, expected) in [("x", "l 1/3, r 0"), ("o", "l 1/3, r 2/3")] {
        let question = question(role, 1, Objective::Win);
        let route = route(&game, &question, PREFIX_METHODS[0]).expect("a small game");
        let moves = FirstMoves::of(&game, &question.role, &route.stages).expect("its moves");
        let value = |name: &str| {
            let action = Term::Constant(gdl::Name::new(name));
            let literals = moves.literals(&action).expect("a declared move");
            solve(&route.stages.formula.restricted(&literals)).to_string()
        };
        assert_eq!(format!("l {}, r {}", value("l"), value("r")), expected);
        // Declared, but not legal: it cannot be made, and what nobody declared is not there.
        let never = if role == "x" { "stay" } else { "fly" };
        assert_eq!(value(never), "0");
        assert_eq!(
            moves.literals(&Term::Constant(gdl::Name::new("jump"))),
            None
        );
    }
}
