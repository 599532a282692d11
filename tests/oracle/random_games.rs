//! Random games: the logical route against the search on the circuit of a step and against expected
//! minimax by definition, exactly. The three share the reader of descriptions and nothing else. What
//! the search advises is written down as a strategy, which is verified by the rules. Half of the games are written otherwise.

use crate::common::brute_force::{heading, strategy};
use crate::common::{
    PREFIX_METHODS, first_player, game, in_parallel, minimax_value, question, read_game, rounds,
    say, solve,
};
use engines::search::{Adviser, Search, SearchOptions};
use formula::{BigRational, Outcome, Value};
use gdl::Name;
use gdl::game::{Game, Objective};
use generators::{leave_out, random_game};
use limits::Limits;
use logic::route::{RouteOptions, route_game};
use logic::sqasp::{Quantifiers, build_formula};
use num_traits::{One, Zero};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use verify::{Verdict, verify};

/// The questions about one game: these objectives, within this many steps.
pub(super) struct Questions {
    pub(super) objectives: Vec<Objective>,
    pub(super) depth: u32,
}

/// The fault of the search's value, or of its strategy, in words.
fn search_trouble(
    game: &Game,
    role: &Name,
    objective: Objective,
    questions: &Questions,
    expected: &BigRational,
) -> Option<String> {
    let depth = questions.depth;
    let options = SearchOptions::default();
    let mut search = match Search::new(game, role, objective, &options) {
        Ok(search) => search,
        Err(error) => return Some(format!("no search: {error}")),
    };
    let start = search.initial();
    let answer = search.solve(&start, Some(depth), &Limits::default());
    let found = answer.map(|answer| answer.outcome);
    if found != Ok(Outcome::Solved(Value::Exact(expected.clone()))) {
        return Some(format!("{found:?} by search, {expected} by minimax"));
    }
    let mut adviser = Adviser::new(&mut search, Limits::default());
    let strategy = strategy(&mut adviser, heading(game, role, depth, objective));
    let verified = verify(game, &strategy, &Limits::default());
    match verified.map(|verification| verification.verdict) {
        Ok(Verdict::Proved(value)) if value == *expected => None,
        other => Some(format!("the strategy for {expected}: {other:?}")),
    }
}

/// The first value on which the ways disagree, in words. Counts the values that were between 0
/// and 1. A game that minimax cannot play has no disagreement.
pub(super) fn disagreement(
    game: &Game,
    questions: &Questions,
    between: &AtomicU64,
) -> Option<String> {
    for (place, role) in game.roles().iter().enumerate() {
        if game.random_role() == Some(role) {
            continue;
        }
        for &objective in &questions.objectives {
            let depth = questions.depth;
            let expected = minimax_value(game, place, objective, depth)?;
            if !expected.is_zero() && !expected.is_one() {
                between.fetch_add(1, Ordering::Relaxed);
            }
            let about = format!("{role}, {objective} within {depth}");
            if let Some(trouble) = search_trouble(game, role, objective, questions, &expected) {
                return Some(format!("{about}: {trouble}"));
            }
            let question = question(role.as_str(), depth, objective);
            let (route, range) = match route_game(game, &question, &RouteOptions::default()) {
                Ok(route) => (route.stages, route.range),
                Err(error) => return Some(format!("{about}: {error}")),
            };
            let quantifiers = Quantifiers::read(&route.ground).expect("they were read before");
            for prefix in PREFIX_METHODS {
                let formula = build_formula(&route.ground, &route.clauses, &quantifiers, prefix);
                let value = range.value(&solve(&formula));
                if value != expected {
                    return Some(format!(
                        "{about}: {value} with the prefix {prefix}, {expected} by minimax"
                    ));
                }
            }
        }
    }
    None
}

/// The same, and a panic is a disagreement too. Rules that are no valid game have none.
fn complaint(text: &str, questions: &Questions, between: &AtomicU64) -> Option<String> {
    let game = read_game("random", text).ok()?;
    catch_unwind(AssertUnwindSafe(|| disagreement(&game, questions, between)))
        .unwrap_or_else(|_| Some("a panic, see above".to_owned()))
}

/// A game with other points in place of each number of points.
fn with_other_points(text: &str, rng: &mut fastrand::Rng) -> String {
    let others = ["-3", "1/2", "-1/18", "0", "100", "250", "-7/3", "-1000000"];
    let mut parts = text.split("(goal ");
    let mut all = parts.next().unwrap_or_default().to_owned();
    let mut known: HashMap<&str, &str> = HashMap::new();
    for part in parts {
        let (head, rest) = part.split_once(')').expect("a goal");
        let (role, points) = head.split_once(' ').expect("a role and points");
        let other = known
            .entry(points)
            .or_insert_with(|| others[rng.usize(..others.len())]);
        all += &format!("(goal {role} {other}){rest}");
    }
    all
}

/// Rules that nothing asks for, with names that stand in no random game.
const UNUSED: &str = "
(spare a) (spare 7) (pair a b) (pair b c)
(<= (joined ?x ?y) (pair ?x ?y))
(<= (joined ?x ?z) (joined ?x ?y) (pair ?y ?z))
(<= (spareable ?x) (spare ?x) (true (step 0)))
(<= (spared ?r ?x) (spareable ?x) (does ?r wait))
(<= neverAsked (not (spareable a)) (true (step 1)))
";

/// The game's text written otherwise: rules in another order, rules that nothing asks for, or without stated domains.
fn written_otherwise(text: &str, rng: &mut fastrand::Rng) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    if rng.bool() {
        let domains = ["(base ", "(input ", "(<= (base ", "(<= (input "];
        lines.retain(|line| !domains.iter().any(|start| line.starts_with(start)));
    }
    if rng.bool() {
        lines.extend(UNUSED.lines());
    }
    rng.shuffle(&mut lines);
    lines.join("\n")
}

/// Random games, with other points than usual or as they are, have the values of minimax by search and by the logical route.
fn check_random_games(games: u64, has_usual_points: bool) {
    let between = AtomicU64::new(0);
    in_parallel((0..games).collect(), |seed| {
        let random = random_game(seed);
        let mut rng = fastrand::Rng::with_seed(seed);
        let points: u32 = rng.choice([0, 1, 25, 50, 60, 99, 100]).unwrap_or(50);
        let mut text = match has_usual_points {
            true => random.text.clone(),
            false => with_other_points(&random.text, &mut rng),
        };
        if rng.bool() {
            let as_it_was = game("random", &text);
            text = written_otherwise(&text, &mut rng);
            let otherwise = game("random", &text);
            let place = first_player(&as_it_was);
            let value = |game: &Game| {
                let name = &as_it_was.roles()[place];
                minimax_value(game, game.role(name).ok()?, Objective::Points, random.depth)
            };
            if value(&as_it_was) != value(&otherwise) {
                return Err(format!("seed {seed}: another game\n{text}"));
            }
        }
        let least = if has_usual_points {
            points.into()
        } else {
            "-1/18".parse().expect("points")
        };
        let questions = Questions {
            objectives: vec![
                Objective::Win,
                Objective::Score,
                Objective::Points,
                Objective::GoalAtLeast(least),
            ],
            // Mostly to the end, sometimes less far, sometimes farther.
            depth: match rng.u8(..if has_usual_points { 8 } else { 4 }) {
                0 => rng.u32(..random.depth),
                1 => random.depth + rng.u32(1..4),
                _ => random.depth,
            },
        };
        let Some(first) = complaint(&text, &questions, &between) else {
            return Ok(());
        };
        let ignored = AtomicU64::new(0);
        let lines: Vec<&str> = text.lines().collect();
        let small = leave_out(&lines, |lines| {
            complaint(&lines.join("\n"), &questions, &ignored).is_some()
        });
        let small = small.join("\n");
        let still = complaint(&small, &questions, &ignored).unwrap_or_default();
        Err(format!(
            "seed {seed}: {first}\nAs small as it could be made: {still}\n{small}\n"
        ))
    });
    let between = between.into_inner();
    say(&format!(
        "{games} random games agree; {between} values lie between 0 and 1"
    ));
    assert!(between > games / 2, "too many trivial games");
}

#[test]
fn random_games_have_the_values_of_minimax() {
    check_random_games(rounds(300), true);
}

#[test]
fn random_games_with_points_below_0_have_the_values_of_minimax() {
    check_random_games(rounds(150), false);
}
