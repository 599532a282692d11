//! Strategies of `solve`, proved by `verify`: random games on graphs with many cycles, for all players, objectives and coalitions.
//!
//! States, legal moves and successors are drawn at random, so there are positions of value 0 from which a mistake of the opponents leads
//! on, moves that wait among equals, and ends with all points. One question in four also follows the best moves that `evaluate` tells.

use crate::common::{
    AnyError, in_parallel, known_strategy, legal_moves, query, read_game, rounds, say,
};
use crate::tables::compare;
use engines::search::SearchOptions;
use engines::{EmmEngine, Engine, Position};
use gdl::Term;
use gdl::game::{Game, Objective, joint_moves};
use generators::{GraphKind, GraphPoints, graph_game};
use limits::Limits;
use num_traits::Zero;
use rules::Reasoner;
use sqasp::Question;
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use verify::{Decision, Strategy, Verdict, read, verify, write_json};

/// A game with many cycles. Some positions wait among equals, and many ends give all points.
fn cyclic_game(seed: u64) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut roles = vec!["x", "o"];
    if random.u32(..3) == 0 {
        roles.push("p");
    }
    if random.bool() {
        roles.push("random");
    }
    let kind = GraphKind {
        roles,
        positions: random.usize(2..7),
        ends: random.usize(1..4),
        moves: &[1, 2, 2, 3],
        other_moves: &[1, 1, 1, 2],
        takes_turns: false,
        is_endless: true,
        stay_and_end: (2, 2),
        is_hidden: false,
        points: GraphPoints::Each(&[0, 30, 50, 100, 100, 100]),
    };
    graph_game(&mut random, &kind).text
}

/// The value that `solve` and its proof agree in.
fn check(
    game: &Game,
    place: usize,
    objective: Objective,
    follows_best: bool,
) -> Result<bool, AnyError> {
    let question = Question::new(game.roles()[place].clone()).objective(objective);
    let mut options = sqasp::Options::default();
    options.extras.strategy = Some(usize::MAX);
    let answer = sqasp::solve(game, &question, &options);
    let answer = answer?;
    let value = answer
        .value()
        .ok_or_else(|| format!("{:?}", answer.outcome))?;
    let strategy = known_strategy(&answer)?;
    let proves = |strategy: &Strategy| -> Result<(), AnyError> {
        let found = verify(game, strategy, &Limits::default())?;
        match found.verdict == Verdict::Proved(value.clone()) {
            true => Ok(()),
            false => Err(format!("{:?} is not {value}", found.verdict).into()),
        }
    };
    let mut text = Vec::new();
    write_json(strategy, &mut text)?;
    proves(&read(&text)?)?;
    if follows_best {
        let followed = followed(game, place, objective, strategy)?;
        proves(&followed).map_err(|error| format!("best moves of evaluate: {error}"))?;
    }
    Ok(!value.is_zero())
}

/// The same strategy, with the best moves of the evaluator on the role's side.
fn followed(
    game: &Game,
    place: usize,
    objective: Objective,
    strategy: &Strategy,
) -> Result<Strategy, AnyError> {
    let engine = EmmEngine::new(game, objective, SearchOptions::default());
    let mut engine = engine?;
    let mut rules = Reasoner::new(game)?;
    let mut followed = strategy.clone();
    followed.player.clear();
    let start = rules.initial()?;
    let (mut met, mut waiting) = (BTreeSet::new(), VecDeque::from([start]));
    while let Some(state) = waiting.pop_front() {
        let facts = rules.facts(&state);
        let text: Vec<String> = facts.iter().map(Term::to_string).collect();
        let is_over = rules.terminal(&state)?;
        if is_over || !met.insert(text) {
            continue;
        }
        let query = query(Position::State(facts.clone()), place, None, true);
        let found = engine.evaluate(&query)?;
        let best = found.best.ok_or("no best move")?;
        let mut legal = legal_moves(&mut rules, &state)?;
        legal[place] = vec![best.clone()];
        for joint in joint_moves(legal.iter().map(Vec::as_slice)) {
            waiting.push_back(rules.next(&state, &joint)?);
        }
        let (lower, _) = found.outcome.bounds();
        followed.player.push(Decision {
            position: verify::Position {
                facts: followed.terms.numbers(&facts),
                steps: None,
            },
            action: followed.terms.number(&best),
            value: Some(lower),
        });
    }
    Ok(followed)
}

#[test]
fn what_solve_writes_down_is_proved() {
    let objectives = [
        Objective::Win,
        Objective::GoalAtLeast(50.into()),
        Objective::Points,
        Objective::Score,
    ];
    let (asked, positive) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let seeds = (5_000_000..5_000_000 + rounds(1500)).collect();
    in_parallel(seeds, |seed: u64| {
        let text = cyclic_game(seed);
        let game =
            read_game("cyclic", &text).map_err(|_| format!("seed {seed}: refused\n{text}"))?;
        let players = game.players().count();
        let place = seed as usize % players;
        let objective = objectives[seed as usize / players % objectives.len()];
        let is_positive =
            check(&game, place, objective, seed.is_multiple_of(4)).map_err(|trouble| {
                format!(
                    "seed {seed}: {}, {objective}: {trouble}\n{text}",
                    game.roles()[place]
                )
            })?;
        asked.fetch_add(1, Ordering::Relaxed);
        positive.fetch_add(usize::from(is_positive), Ordering::Relaxed);
        Ok(())
    });
    let [asked, positive] = [asked, positive].map(AtomicUsize::into_inner);
    say(&format!(
        "{asked} strategies of games on graphs proved, {positive} of positive values"
    ));
    assert!(positive > asked / 8);
}

/// The start is worth nothing to x, who takes 1 once o has made a mistake, and must not stay for ever then.
const MISTAKE: &str = "(role x) (role o) (init a)
    (<= (legal x stay) (true b)) (<= (legal x win) (true b)) (<= (legal x noop) (true a))
    (<= (legal o hold) (true a)) (<= (legal o err) (true a)) (<= (legal o noop) (true b))
    (<= (next a) (true a) (does o hold)) (<= (next b) (true a) (does o err))
    (<= (next b) (true b) (does x stay)) (<= (next w) (true b) (does x win))
    (<= terminal (true w)) (<= (goal x 100) (true w)) (<= (goal x 0) (not (true w))) (<= (goal o 0))";

#[test]
fn behind_positions_without_value_play_gets_somewhere() {
    let game = read_game("mistake", MISTAKE).unwrap_or_else(|_| panic!("a valid game"));
    for objective in [Objective::Win, Objective::Points] {
        assert!(!check(&game, 0, objective, true).expect("a proof"));
    }
}

/// [`what_solve_writes_down_is_proved`] proves values of the search.
#[test]
fn tables_of_endless_games_have_the_values_of_the_search() {
    let objectives = [Objective::Win, Objective::Points, Objective::Score];
    let (tables, positions) = (AtomicUsize::new(0), AtomicU64::new(0));
    let first = fastrand::u64(..1 << 40);
    let count = rounds(300);
    in_parallel((first..first + count).collect(), |seed: u64| {
        let text = cyclic_game(seed);
        let read = read_game("cyclic", &text);
        let game = read.map_err(|_| format!("seed {seed}: refused\n{text}"))?;
        let place = seed as usize % game.players().count();
        let objective = objectives[seed as usize / 2 % objectives.len()];
        let compared = compare(&game, &game.roles()[place], objective, None, seed);
        let compared =
            compared.map_err(|trouble| format!("seed {seed}: {objective}: {trouble}\n{text}"))?;
        tables.fetch_add(usize::from(compared.is_some()), Ordering::Relaxed);
        positions.fetch_add(compared.unwrap_or(0), Ordering::Relaxed);
        Ok(())
    });
    let (tables, positions) = (tables.into_inner(), positions.into_inner());
    say(&format!(
        "seed {first}: {tables} tables of endless games, {positions} positions"
    ));
    assert!(tables as u64 * 4 > count, "seed {first}");
}
