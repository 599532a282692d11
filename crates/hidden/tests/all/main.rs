//! Values of games of hidden information against their definition: all policies by what a role saw, and all pure strategies of both roles.

#[path = "../../../../tests/common/definition.rs"]
mod definition;
mod knowledge;

use definition::{Definition, best_row, matrix_value};
use gdl::Term;
use gdl::game::{Game, Objective, read};
use generators::{endless_hidden_game, one_hidden_role, rounds, two_hidden_roles};
use limits::{Limits, Publisher, StopReason};
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use rules::{Reasoner, State};
use sqasp_hidden::{
    HiddenError, HiddenQuestion, HiddenSolution, KnownMove, solve, solve_publishing,
};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use verify::{Flaw, HiddenStrategy, Verdict, verify_hidden};

fn game(text: &str) -> Game {
    read("test", text.as_bytes(), &gdl::Options::default())
        .unwrap_or_else(|refused| panic!("{refused}: {text}"))
        .game
}

fn answer(
    game: &Game,
    role: usize,
    objective: Objective,
    depth: Option<u32>,
) -> Result<HiddenSolution, HiddenError> {
    let question = HiddenQuestion::new(game.roles()[role].clone(), objective, depth);
    solve(game, &question, &Limits::default())
}

fn first_moves(solution: &HiddenSolution) -> Vec<KnownMove> {
    let known = solution.knowledge(&[], &Limits::default());
    known.expect("the start is known").moves
}

/// The definition for the first role, and the start.
fn definition(game: &Game, objective: Objective) -> (Definition, State) {
    let mut definition = Definition::new(game, vec![0], objective);
    let start = definition.rules.initial().expect("a state");
    (definition, start)
}

/// The joint moves of these moves of all roles.
fn joint_moves(legal: &[Vec<Term>]) -> Vec<Vec<Term>> {
    gdl::game::joint_moves(legal.iter().map(Vec::as_slice))
}

/// The strategy of a solution proves its value, also when it was written and read.
fn check_proof(game: &Game, solution: &HiddenSolution, context: &str) {
    let strategy = solution
        .strategy(100_000, &Limits::default())
        .expect(context);
    let mut text = Vec::new();
    verify::write_hidden(&strategy, &mut text).expect("written");
    let strategy = match verify::read_any(&text) {
        Ok(verify::AnyStrategy::Hidden(strategy)) => strategy,
        other => panic!("{other:?}: {context}"),
    };
    let verified = verify_hidden(game, &strategy, &Limits::default()).expect(context);
    assert_eq!(
        verified.verdict,
        Verdict::Proved(solution.bounds().0),
        "{context}"
    );
}

#[test]
fn one_role_gets_what_the_best_of_all_policies_gets() {
    let objectives = [Objective::Win, Objective::Points, Objective::Score];
    let (mut smaller, mut in_the_dark) = (0, 0);
    for seed in 0..rounds(60u64) {
        let text = one_hidden_role(seed);
        let game = game(&text);
        let objective = objectives[seed as usize % 3];
        let depth = if seed % 5 == 0 { 2 } else { 3 };
        let context = format!("seed {seed}, {objective}, {depth} steps\n{text}");
        let solution = match answer(&game, 0, objective, Some(depth)) {
            Ok(solution) => solution,
            Err(HiddenError::InTheDark(_)) => {
                in_the_dark += 1;
                continue;
            }
            Err(error) => panic!("{error}: {context}"),
        };
        let (mut definition, start) = definition(&game, objective);
        let expected = definition.hidden_value(&start, depth).expect("one role");
        assert_eq!(
            solution.bounds(),
            (expected.clone(), expected.clone()),
            "{context}"
        );
        let best = first_moves(&solution)
            .into_iter()
            .filter_map(|each| Some(each.bounds?.0))
            .max();
        assert!(best.is_none_or(|best| best == expected), "{context}");
        check_proof(&game, &solution, &context);
        // With open eyes the role gets at least as much.
        let mut minimax = rules::Minimax::new(Reasoner::new(&game).expect("rules"), 0, objective);
        let seeing = minimax.initial_value(depth).expect("a value");
        assert!(seeing >= expected, "{context}");
        smaller += usize::from(seeing > expected);
    }
    let count = rounds(60usize);
    assert!(
        smaller > count / 5 && in_the_dark > 0,
        "{smaller} values smaller than with open eyes, {in_the_dark} without a value"
    );
    eprintln!("{smaller} values of {count} games smaller than with open eyes");
}

/// The gain of the role's side within a number of steps, in floating-point numbers: the states that are reached, each with what the role knows there.
fn gain(game: &Game, objective: Objective, strategy: &HiddenStrategy, steps: u32) -> f64 {
    let (mut definition, start) = definition(game, objective);
    let mut places = HashMap::from([((start, 0), 1.0)]);
    let mut sum = 0.0;
    for _ in 0..steps {
        for ((state, number), likely) in std::mem::take(&mut places) {
            let choices = strategy
                .player
                .get(number)
                .map_or(&[][..], |it| &it.choices);
            for choice in choices {
                let mut legal = definition.legal(&state);
                let action = strategy.terms.term(choice.moves[0]);
                assert!(legal[0].contains(action));
                legal[0] = vec![action.clone()];
                let joint_moves = joint_moves(&legal);
                let share = choice.share.to_f64().expect("a number") / joint_moves.len() as f64;
                for joint_move in joint_moves {
                    let (then, sees) = definition.after(&state, &joint_move);
                    if let Some(worth) = definition.worth(&then) {
                        sum += likely * share * worth.to_f64().expect("a number");
                        continue;
                    }
                    let seen = |next: &&(Box<[u32]>, u32)| strategy.terms.terms(&next.0) == sees[0];
                    if let Some((_, number)) = choice.next.iter().find(seen) {
                        *places.entry((then, *number as usize)).or_default() += likely * share;
                    }
                }
            }
        }
    }
    sum
}

/// The strategy of a game without a last step is worth the lower bound, and `verify` says so.
fn check_machine(game: &Game, objective: Objective, solution: &HiddenSolution, context: &str) {
    let (lower, upper) = solution.bounds();
    let mut strategy = solution
        .strategy(100_000, &Limits::default())
        .expect(context);
    let verified = |strategy: &HiddenStrategy| {
        let verified = verify_hidden(game, strategy, &Limits::default()).expect(context);
        verified.verdict
    };
    let proved = match verified(&strategy) {
        Verdict::Stopped { lower, .. } | Verdict::Proved(lower) => lower,
        Verdict::Refused(refusal) => panic!("{}: {context}", refusal.flaw),
    };
    assert_eq!(proved, lower, "{context}");
    // After 60 steps few plays go on.
    let gain = gain(game, objective, &strategy, 60);
    let value = lower.to_f64().expect("a number");
    assert!(gain > value - 1e-6, "{gain} {value}: {context}");
    if lower == upper {
        assert!(gain < value + 1e-6, "{gain} {value}: {context}");
        strategy.heading.value += BigRational::new(1.into(), 1_000_000.into());
        assert!(
            matches!(verified(&strategy), Verdict::Refused(_)),
            "{context}"
        );
    }
}

/// The value without a limit is at least that within a number of steps. It is larger by no more than the probability of plays that go on then.
#[test]
fn without_a_last_step_bounds_are_those_of_many_steps() {
    let objectives = [Objective::Win, Objective::Points, Objective::Score];
    let (mut solved, mut exact, mut machines) = (0, 0, 0);
    for seed in 0..rounds(40u64) {
        let text = endless_hidden_game(seed);
        let game = game(&text);
        let objective = objectives[seed as usize % 3];
        let question = HiddenQuestion::new(game.roles()[0].clone(), objective, None);
        let limits = Limits::with_memory(Some(3_000_000));
        let context = format!("seed {seed}, {objective}\n{text}");
        let solution = match solve(&game, &question, &limits) {
            Err(HiddenError::InTheDark(_)) => continue,
            other => other.unwrap_or_else(|error| panic!("{error}: {context}")),
        };
        let (lower, upper) = solution.bounds();
        let Ok(steps) = answer(&game, 0, objective, Some(6)) else {
            continue;
        };
        let value = steps.bounds().0;
        let largest = gdl::game::ValueRange::of(&game, &game.roles()[0], objective).largest();
        let rest = largest / BigRational::from_integer(8.into());
        assert!(
            lower <= upper && value <= upper && lower <= &value + rest,
            "{lower} {value} {upper}: {context}"
        );
        assert_eq!(lower == upper, solution.stopped().is_none(), "{context}");
        if solution.longest_play().is_none() {
            check_machine(&game, objective, &solution, &context);
            machines += 1;
        }
        solved += 1;
        exact += usize::from(lower == upper);
    }
    assert!(
        solved > rounds(20) && exact > 0 && machines > rounds(10),
        "{solved} {exact} {machines}"
    );
    eprintln!("{solved} games without a last step, {exact} of them exact, {machines} machines");
}

#[test]
fn two_roles_get_the_value_of_the_matrix_of_all_policies() {
    let objectives = [Objective::Win, Objective::Points, Objective::Score];
    let (mut solved, mut mixed) = (0, 0);
    for seed in 0..rounds(100u64) {
        let text = two_hidden_roles(seed);
        let game = game(&text);
        let objective = objectives[seed as usize % 3];
        let depth = if seed % 4 == 0 { 1 } else { 2 };
        let context = format!("seed {seed}, {objective}, {depth} steps\n{text}");
        let solution = match answer(&game, 0, objective, Some(depth)) {
            Err(HiddenError::InTheDark(_)) => continue,
            other => other.unwrap_or_else(|error| panic!("{error}: {context}")),
        };
        let (mut definition, start) = definition(&game, objective);
        let Some(matrix) = definition.plan_matrix(&start, depth) else {
            continue;
        };
        let (pure, expected) = (best_row(&matrix), matrix_value(&matrix));
        assert_eq!(
            solution.bounds(),
            (expected.clone(), expected.clone()),
            "{context}"
        );
        check_proof(&game, &solution, &context);
        let best = first_moves(&solution)
            .into_iter()
            .filter_map(|each| Some(each.bounds?.0))
            .max();
        assert!(best.is_none_or(|best| best == expected), "{context}");
        solved += 1;
        mixed += usize::from(pure != expected);
    }
    let count = rounds(100usize);
    assert!(
        solved > count / 2 && mixed > count / 20,
        "{solved} games, {mixed} with mixtures"
    );
    eprintln!("{solved} games, in {mixed} of them sides mix");
}

const COIN: &str = "(role x) (role y) (role z) (role random) (init s0) (<= (legal random m0) (role x)) (<= (legal random m1) (role x))
    (<= (next s1) (true s0)) (<= (next s2) (true s1)) (<= terminal (true s2)) (<= (legal ?r noop) (player ?r) (true s0))
    (player x) (player y) (player z) (<= (legal ?r (say ?b)) (player ?r) (bit ?b) (true s1)) (bit m0) (bit m1)
    (<= (next (coin ?b)) (true s0) (does random ?b)) (<= (next (coin ?b)) (true (coin ?b)))
    (<= (next right) (true (coin ?b)) (does x (say ?b)) (not (does y (say ?b)))) (<= (goal x 100) (true right))
    (<= (goal x 0) (not (true right))) (goal y 0) (goal z 0)";

#[test]
fn opponents_are_one_side_if_they_see_the_same() {
    let blind = game(&format!(
        "{COIN} (<= (sees x coin) (true never)) (<= (next never) (true never))"
    ));
    let solution = answer(&blind, 0, Objective::Win, None).expect("a value");
    assert_eq!(solution.bounds().0.to_string(), "1/4");
    assert_eq!(solution.coalition().count(), 2);
    check_proof(&blind, &solution, "blind");
    // Both opponents see the coin, and y says it.
    let seeing =
        format!("{COIN} (<= (sees y ?b) (does random ?b)) (<= (sees z ?b) (does random ?b))");
    let solution = answer(&game(&seeing), 0, Objective::Win, None).expect("a value");
    assert_eq!(solution.bounds().0.to_string(), "0");
    let one = game(&format!("{COIN} (<= (sees y ?b) (does random ?b))"));
    let refused = answer(&one, 0, Objective::Win, None)
        .err()
        .map(|error| error.to_string());
    assert!(
        refused.is_some_and(|text| text.contains("the opponents y and z see different things"))
    );
}

#[test]
fn limits_leave_bounds_and_wrong_strategies_are_refused() {
    let seed = (0..)
        .find(|seed| two_hidden_roles(*seed).contains("(legal y m2)"))
        .expect("some");
    let game = game(&two_hidden_roles(seed));
    let question = HiddenQuestion::new(game.roles()[0].clone(), Objective::Points, None);
    let late = solve(&game, &question, &Limits::until(Instant::now())).map(|solution| {
        let largest = BigRational::from_integer(100.into());
        assert_eq!(solution.bounds(), (BigRational::zero(), largest));
        assert!(
            solution
                .remark()
                .is_some_and(|text| text.contains("count fewer steps"))
        );
        solution.stopped()
    });
    assert!(
        matches!(
            late,
            Ok(Some(StopReason::Time)) | Err(HiddenError::Stopped(StopReason::Time))
        ),
        "{late:?}"
    );
    let solution = solve(&game, &question, &Limits::default()).expect("a value");
    assert!(matches!(
        solution.strategy(1, &Limits::default()),
        Err(HiddenError::TooLarge(1))
    ));
    let right = solution
        .strategy(1000, &Limits::default())
        .expect("a strategy");
    let refused = |change: &dyn Fn(&mut verify::HiddenStrategy)| {
        let mut wrong = right.clone();
        change(&mut wrong);
        match verify_hidden(&game, &wrong, &Limits::default()).map(|verified| verified.verdict) {
            Ok(Verdict::Refused(refusal)) => refusal.flaw,
            other => panic!("{other:?}"),
        }
    };
    assert!(matches!(
        refused(&|it| it.heading.value += BigRational::one()),
        Flaw::BrokenPromise { .. }
    ));
    assert!(matches!(
        refused(&|it| it.upper += BigRational::one()),
        Flaw::BrokenPromise { .. }
    ));
    assert!(matches!(refused(&|it| it.player.clear()), Flaw::Missing));
    assert!(matches!(
        refused(&|it| it.player[0].choices.clear()),
        Flaw::NoMixture
    ));
    assert!(matches!(
        refused(&|it| it.coalition.clear()),
        Flaw::NotInCoalition { .. }
    ));
    let action = Term::Constant(gdl::Name::new("fly"));
    assert!(matches!(
        refused(&|it| it.opponents[0].choices[0].moves[0] = it.terms.number(&action)),
        Flaw::IllegalMove { .. }
    ));
}

/// Where the tree does not fit into memory plays are walked through: the bounds hold the value, which is known from elsewhere.
#[test]
fn large_trees_are_walked_through() {
    let rules = include_str!("../../../../games/hidden_tic_tac_toe_2x3.gdl");
    let game = game(rules);
    let value = BigRational::new(2075.into(), 24.into());
    let mut question = HiddenQuestion::new(game.roles()[0].clone(), Objective::Points, None);
    question.threads = 2;
    let limits = Limits::with_memory(Some(5_000_000));
    // It is stopped when bounds are close, however long that takes.
    let close = limits.interrupt.clone();
    let publisher = Publisher::new(
        (BigRational::zero(), BigRational::from_integer(100.into())),
        Duration::ZERO,
        move |(lower, upper)| {
            if upper - lower < BigRational::one() {
                close.raise();
            }
        },
    );
    let solution = solve_publishing(&game, &question, &limits, &publisher).expect("bounds");
    let (lower, upper) = solution.bounds();
    assert!(lower <= value && value <= upper, "{lower} {upper}");
    assert!(upper - lower < BigRational::one());
    assert!(solution.statistics().contains(&("payoffs", 0)));
    // Cells that are images of each other are as good and as likely as each other.
    let moves = first_moves(&solution);
    let shares = moves.iter().map(|each| each.share.clone());
    assert_eq!(
        shares.sum::<Option<BigRational>>(),
        Some(BigRational::one())
    );
    let replies = solution.replies(&[]).expect("mixtures");
    let shares = replies.iter().map(|(_, share)| share);
    assert_eq!(shares.sum::<BigRational>(), BigRational::one());
    for cells in [[0, 4], [2, 3]] {
        assert_eq!(moves[cells[0]].bounds, moves[cells[1]].bounds);
        assert_eq!(moves[cells[0]].share, moves[cells[1]].share);
    }
    let best = moves
        .into_iter()
        .filter_map(|each| Some(each.bounds?.0))
        .max();
    assert_eq!(best, Some(solution.bounds().1));
    let refused = solution.strategy(1_000_000, &Limits::default());
    assert!(matches!(refused, Err(HiddenError::Walked)));
}

/// Where not all states fit into memory, bounds come from the first steps.
#[test]
fn the_first_steps_give_bounds() {
    let game = game(include_str!("../../../../games/hidden_tic_tac_toe_2x3.gdl"));
    let value = BigRational::new(2075.into(), 24.into());
    let question = HiddenQuestion::new(game.roles()[0].clone(), Objective::Points, None);
    let mut closest = BigRational::from_integer(100.into());
    for memory in [50_000, 200_000, 500_000] {
        let limits = Limits::with_memory(Some(memory));
        let solution = solve(&game, &question, &limits).expect("bounds");
        assert_eq!(solution.stopped(), Some(StopReason::Memory));
        let (lower, upper) = solution.bounds();
        assert!(lower <= value && value <= upper, "{lower} {upper}");
        eprintln!("{memory} bytes: {lower} to {upper}");
        closest = closest.min(upper - lower);
    }
    assert!(closest < BigRational::from_integer(60.into()), "{closest}");
}
