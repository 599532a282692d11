//! Plans against an oracle: all plays of random single-player games, listed by the rules as written.
//!
//! The oracle lists states layer by layer with the reasoner and counts, for each number of moves and
//! of points, the plays that end so. It knows no circuit, no logic program and no heuristics.

use crate::common::rounds;
use crate::common::{checked_in_game, game};
use fastrand::Rng;
use gdl::Term;
use gdl::game::{Game, Points};
use generators::random_game;
use limits::{Limits, StopReason};
use plan::{
    Blackboard, Engine, Goal, Options, Plan, PlanBounds, Question, all_plans, check_alone, plan,
    replay,
};
use rules::{Reasoner, State};
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

/// The number of plays that end, by their moves and points, or the largest number if there are more.
type Counts = BTreeMap<(u32, Points), u64>;

/// All plays of at most `depth` moves, and whether all plays are among them.
fn list_plays(game: &Game, depth: u32) -> (Counts, bool) {
    let mut reasoner = Reasoner::new(game).expect("a valid game");
    let mut counts = Counts::new();
    let mut layer: Vec<(State, u64)> = vec![(reasoner.initial().expect("a state"), 1)];
    for moves in 0..=depth {
        let mut next: Vec<(State, u64)> = Vec::new();
        for (state, plays) in layer {
            if reasoner.terminal(&state).expect("a state") {
                let goals = reasoner.goals(&state, 0).expect("a state");
                let points = goals[0].to_string().parse().expect("points are a number");
                let count: &mut u64 = counts.entry((moves, points)).or_default();
                *count = count.saturating_add(plays);
                continue;
            }
            for action in reasoner.legal(&state, 0).expect("a state") {
                let after = reasoner.next(&state, &[action]).expect("a state");
                match next.iter_mut().find(|(other, _)| *other == after) {
                    Some((_, count)) => *count = count.saturating_add(plays),
                    None => next.push((after, plays)),
                }
            }
        }
        layer = next;
        if layer.is_empty() {
            return (counts, true);
        }
    }
    (counts, false)
}

/// A puzzle: a token goes from place to place on a random graph, over ways that are open, switches ways
/// open and shut, and must come to a place where play ends. Sometimes a clock ends it too.
fn puzzle(seed: u64) -> String {
    let mut random = Rng::with_seed(seed);
    let places = random.usize(3..7);
    let ways = random.usize(places..2 * places + 2);
    let mut text = format!("; puzzle {seed}\n(role robot) (init (at 0))\n");
    for way in 0..ways {
        let (from, to) = (random.usize(..places), random.usize(..places));
        text += &format!("(way w{way} {from} {to}) ");
        if random.u8(..3) > 0 {
            text += &format!("(init (open w{way})) ");
        }
        if random.u8(..3) == 0 {
            text += &format!("(switch {} w{way}) ", random.usize(..places));
        }
    }
    text += "\n(switch none none)
        (<= (legal robot (go ?way)) (true (at ?from)) (way ?way ?from ?to) (true (open ?way)))
        (<= (legal robot (press ?way)) (true (at ?place)) (switch ?place ?way))
        (legal robot wait)
        (<= (next (at ?to)) (does robot (go ?way)) (way ?way ?from ?to))
        (<= (next (at ?place)) (true (at ?place)) (not moves))
        (<= moves (does robot (go ?way)))
        (<= (next (open ?way)) (true (open ?way)) (not (does robot (press ?way))))
        (<= (next (open ?way)) (does robot (press ?way)) (not (true (open ?way))))\n";
    // Not the first place, mostly: that is over at the start.
    let first_end = usize::from(random.u8(..10) > 0);
    for place in first_end..places {
        if random.u8(..3) == 0 {
            text += &format!("(end {place}) ");
        }
        text += &format!("(worth {place} {}) ", 10 * random.u8(..4));
    }
    text += "(worth 0 5) (end nowhere)
        (<= terminal (true (at ?place)) (end ?place))
        (<= (goal robot ?points) (true (at ?place)) (worth ?place ?points))\n";
    if first_end == 0 {
        text = text.replace("(worth 0 5)", "");
    }
    if random.bool() {
        let last = random.usize(1..6);
        text += "(init (clock 0)) (<= (next (clock ?m)) (true (clock ?n)) (after ?n ?m))\n";
        for time in 0..last {
            text += &format!("(after {time} {}) ", time + 1);
        }
        text += &format!("(<= terminal (true (clock {last})))\n");
    }
    if random.bool() {
        text += "(<= (input robot (go ?way)) (way ?way ?from ?to))
            (<= (input robot (press ?way)) (switch ?place ?way)) (input robot wait)\n";
    }
    text
}

/// An answer that takes longer never comes. It takes less than a second on a machine that is not busy.
const PATIENCE: Duration = Duration::from_secs(900);

fn question(game: &Game, goal: Goal, depth: Option<u32>) -> Question {
    Question {
        role: game.roles()[0].clone(),
        goal,
        depth,
    }
}

fn ask(game: &Game, goal: Goal, depth: Option<u32>, engine: Engine, threads: usize) -> PlanBounds {
    let question = question(game, goal, depth);
    let board = Blackboard::new(game, &question);
    let options = Options {
        limits: Limits {
            memory: Some(4_000_000_000),
            ..Limits::default().within(PATIENCE)
        },
        threads,
        insist: true,
        engine,
    };
    let ending = plan(game, &question, &board, &options).expect("plans are right");
    assert_eq!(ending.stopped, None, "{:?}", ending.given_up);
    board.known()
}

/// Compares what is found with the best of all plays, the first of which are the shortest.
fn check_known(known: &PlanBounds, counts: &Counts, goal: Goal, case: &str) {
    let counts = counts.keys().copied();
    let enough = |points: Points| match goal {
        Goal::Best => true,
        Goal::AtLeast(least) => points >= least,
    };
    let good = counts.filter(|&(_, points)| enough(points));
    let expected = match goal {
        Goal::Best => good.max_by_key(|&(moves, points)| (points, std::cmp::Reverse(moves))),
        Goal::AtLeast(_) => good.min_by_key(|&(moves, _)| moves),
    };
    assert!(known.is_answered(), "{case}: not answered");
    let found = known
        .best()
        .map(|(plan, _)| (plan.moves.len() as u32, plan.points));
    match goal {
        Goal::Best => assert_eq!(found, expected, "{case}"),
        Goal::AtLeast(_) => {
            let length = |found: Option<(u32, Points)>| found.map(|(moves, _)| moves);
            assert_eq!(length(found), length(expected), "{case}");
            assert!(found.is_none_or(|(_, points)| enough(points)), "{case}");
        }
    }
    if let (Some(moves), Some((length, _))) = (known.empty_up_to(), found)
        && known
            .levels()
            .last()
            .is_some_and(|most| found.is_some_and(|(_, p)| p >= *most))
    {
        assert!(moves < length, "{case}");
    }
}

/// Asks every engine about a game.
fn check_game(game: &Game, depth: u32, case: &str) {
    let (counts, is_all) = list_plays(game, depth);
    for goal in [
        Goal::Best,
        Goal::AtLeast(20.into()),
        Goal::AtLeast(100.into()),
    ] {
        for (engine, threads) in [
            (Engine::All, 1),
            (Engine::All, 3),
            (Engine::Logic, 1),
            (Engine::Search, 2),
        ] {
            let case = format!("{case}, {goal:?}, {engine:?}, {threads} threads");
            let known = ask(game, goal, Some(depth), engine, threads);
            check_known(&known, &counts, goal, &case);
            // Where plays have no end only search can see that nothing new comes.
            if is_all || engine == Engine::Search {
                let (all, _) = list_plays(game, 40);
                let known = ask(game, goal, None, engine, threads);
                check_known(&known, &all, goal, &format!("{case}, no depth"));
            }
        }
    }
    check_all_plans(game, &counts, depth, case);
}

/// Compares the number of plans, each of which must hold and be new.
fn check_all_plans(game: &Game, counts: &Counts, depth: u32, case: &str) {
    let question = question(game, Goal::Best, None);
    let most = counts
        .values()
        .fold(0_u64, |sum, count| sum.saturating_add(*count));
    if most > 3_000 {
        return;
    }
    let mut found = Counts::new();
    let mut seen: HashSet<Plan> = HashSet::new();
    let options = Options::default();
    let stopped = all_plans(
        game,
        &question,
        Points::LEAST,
        0..=depth,
        &options,
        |plan| {
            assert_eq!(
                replay(game, &question.role, &plan.moves),
                Ok(plan.points),
                "{case}"
            );
            *found
                .entry((plan.moves.len() as u32, plan.points))
                .or_default() += 1;
            assert!(seen.insert(plan), "{case}: a plan comes twice");
            true
        },
    );
    assert_eq!(stopped, Ok(None), "{case}");
    assert_eq!(&found, counts, "{case}");
}

#[test]
fn puzzles_are_solved_as_by_listing_all_plays() {
    let first = fastrand::u64(..1 << 40);
    for seed in first..first + rounds(12) {
        let text = puzzle(seed);
        let case = format!("puzzle {seed}\n{text}");
        check_game(&game("puzzle", &text), 5, &case);
    }
}

#[test]
fn random_games_of_one_player_are_solved_too() {
    let first = fastrand::u64(..1 << 40);
    let games = (first..).map(|seed| (seed, random_game(seed)));
    let alone = games.filter_map(|(seed, random)| {
        let game = game("random", &random.text);
        check_alone(&game).is_ok().then_some((seed, game, random))
    });
    for (seed, game, random) in alone.take(rounds(8) as usize) {
        check_game(
            &game,
            random.depth,
            &format!("random game {seed}\n{}", random.text),
        );
    }
}

#[test]
fn our_puzzles_have_the_plans_that_were_worked_out_by_hand() {
    // The moves of a shortest plan, and the number of shortest plans.
    for (file, length, plans) in [
        ("buttons_and_lights.gdl", 6, Some(2)),
        ("coins.gdl", 4, None),
        ("one_step_puzzle.gdl", 1, Some(1)),
        ("factoring_determinate.gdl", 5, Some(120)),
        ("rule_depth_quadratic.gdl", 44, Some(1)),
    ] {
        let game = checked_in_game(file);
        for engine in [Engine::Logic, Engine::Search] {
            let known = ask(&game, Goal::Best, None, engine, 2);
            let (plan, _) = known.best().unwrap_or_else(|| panic!("{file} has a plan"));
            assert_eq!(
                (plan.points, plan.moves.len()),
                (Points::WIN, length),
                "{file}"
            );
        }
        let (lengths, options) = (length as u32..=length as u32, Options::default());
        let question = question(&game, Goal::Best, None);
        let mut count = 0;
        let stopped = all_plans(&game, &question, Points::WIN, lengths, &options, |_| {
            count += 1;
            true
        });
        assert_eq!(stopped, Ok(None));
        if length < 10 {
            let (counts, _) = list_plays(&game, length as u32);
            assert_eq!(
                counts.get(&(length as u32, Points::WIN)),
                Some(&count),
                "{file}"
            );
        }
        assert!(plans.is_none_or(|plans| plans == count), "{file}: {count}");
    }
}

#[test]
fn a_limit_leaves_what_is_known() {
    // Seven coins at a time through a narrow gate: nothing ends this soon.
    let game = checked_in_game("rule_depth_quadratic.gdl");
    let question = question(&game, Goal::Best, None);
    let board = Blackboard::new(&game, &question);
    let options = Options::default();
    options.limits.interrupt.raise();
    let ending = plan(&game, &question, &board, &options).expect("no mistake");
    let is_stopped = ending.stopped == Some(StopReason::Interrupted);
    assert!(is_stopped || board.known().is_answered());
}

#[test]
fn memory_that_is_too_small_for_grounding_is_told_with_the_size() {
    let game = checked_in_game("rule_depth_quadratic.gdl");
    let question = question(&game, Goal::Best, Some(1000));
    let board = Blackboard::new(&game, &question);
    let options = Options {
        limits: Limits::with_memory(Some(20_000_000)),
        engine: Engine::Logic,
        ..Options::default()
    };
    let ending = plan(&game, &question, &board, &options).expect("no mistake");
    assert_eq!(ending.stopped, Some(StopReason::Memory));
    let told = ending.given_up[0].to_string();
    assert!(
        told.contains("grounding 1000 steps would give about"),
        "{told}"
    );
    // Search needs no grounding of many steps.
    let known = ask(&game, Goal::Best, Some(1000), Engine::Search, 1);
    let moves: Vec<&Term> = known.best().expect("a plan").0.moves.iter().collect();
    assert_eq!(moves.len(), 44);
}
