//! Several opponents, who work together, and moves at the same time: both routes against expected
//! minimax by definition, on random games of three players and in late positions of public ones.
//!
//! A player is asked what it can guarantee against all others together, who know its move of the
//! same step. Public games are played at random, and the question is put a few steps before the end:
//! at the start nobody can guarantee anything in so few steps.

use crate::common::{
    PREFIX_METHODS, in_parallel, logical_value, question, random_joint_move, read_game, rounds,
    say, shared,
};
use engines::search::{Search, SearchOptions};
use formula::{Outcome, Value};
use gdl::game::{Game, Objective};
use gdl::{Options, Term};
use generators::random_game;
use limits::Limits;
use logic::sqasp::PrefixMethod;
use num_traits::{One, Zero};
use rules::{Minimax, Reasoner};
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of comparisons.
#[derive(Default)]
struct Counts {
    games: AtomicU64,
    /// Positions in which several players have a choice.
    simultaneous: AtomicU64,
    zero: AtomicU64,
    between: AtomicU64,
    one: AtomicU64,
}

impl Counts {
    fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// The numbers of all, in the order of the fields.
    fn say(self, about: &str) -> [u64; 5] {
        let all = [
            self.games,
            self.simultaneous,
            self.zero,
            self.between,
            self.one,
        ];
        let all = all.map(AtomicU64::into_inner);
        let [games, simultaneous, zero, between, one] = all;
        say(&format!(
            "{about}: {games} positions agree, {simultaneous} with several choices at once; values: \
             {zero} are 0, {between} between, {one} are 1"
        ));
        all
    }
}

/// The value of the initial state by search.
fn searched(game: &Game, place: usize, objective: Objective, depth: u32) -> Outcome {
    let role = &game.roles()[place];
    let search = Search::new(game, role, objective, &SearchOptions::default());
    let mut search = search.expect("one step is a circuit");
    let start = search.initial();
    let answer = search.solve(&start, Some(depth), &Limits::default());
    answer.expect("a number of steps was given").outcome
}

/// Compares all players. Nothing is compared where minimax would look at too many states.
fn compare(
    game: &Game,
    objectives: &[Objective],
    depth: u32,
    prefix: PrefixMethod,
    counts: &Counts,
) -> Result<(), String> {
    let reasoner = || Reasoner::new(game).map_err(|error| error.to_string());
    let mut rules = reasoner()?;
    let start = rules.initial().map_err(|error| error.to_string())?;
    let mut choosing = 0;
    for (place, role) in game.roles().iter().enumerate() {
        let legal = rules
            .legal(&start, place)
            .map_err(|error| error.to_string())?;
        let is_player = game.random_role() != Some(role);
        choosing += u64::from(is_player && legal.len() > 1);
    }
    let mut compared = false;
    for (place, role) in game.roles().iter().enumerate() {
        if game.random_role() == Some(role) {
            continue;
        }
        for &objective in objectives {
            let mut minimax = Minimax::new(reasoner()?, place, objective).with_state_limit(20_000);
            let Ok(expected) = minimax.initial_value(depth) else {
                continue;
            };
            let about = format!("{role}, {objective} within {depth}");
            let found = searched(game, place, objective, depth);
            if found != Outcome::Solved(Value::Exact(expected.clone())) {
                return Err(format!(
                    "{about}: {found:?} by search, {expected} by minimax"
                ));
            }
            let question = question(role.as_str(), depth, objective);
            let value = logical_value(game, &question, prefix);
            if value != expected {
                return Err(format!(
                    "{about}: {value} by {prefix}, {expected} by minimax"
                ));
            }
            compared = true;
            Counts::add(match () {
                () if expected.is_zero() => &counts.zero,
                () if expected.is_one() => &counts.one,
                () => &counts.between,
            });
        }
    }
    if compared {
        Counts::add(&counts.games);
        if choosing > 1 {
            Counts::add(&counts.simultaneous);
        }
    }
    Ok(())
}

#[test]
fn coalitions_of_random_games_have_the_values_of_minimax() {
    let counts = Counts::default();
    let wanted = rounds(40) as usize;
    let of_three = (1_000_000..)
        .map(|seed| (seed, random_game(seed)))
        .filter_map(|(seed, random)| {
            let game = read_game("random", &random.text).expect("random games are valid");
            (game.players().count() == 3).then_some((seed, random, game))
        });
    in_parallel(of_three.take(wanted).collect(), |(seed, random, game)| {
        let objectives = [Objective::Win, Objective::GoalAtLeast(50.into())];
        let prefix = PREFIX_METHODS[seed as usize % 2];
        let compared = compare(&game, &objectives, random.depth, prefix, &counts);
        compared.map_err(|trouble| format!("seed {seed}: {trouble}\n{}", random.text))
    });
    let [games, simultaneous, _, between, one] = counts.say("random games of three");
    assert!(games == wanted as u64 && simultaneous * 10 > games);
    assert!(
        between > games / 4 && one > games / 20,
        "too many trivial games"
    );
}

/// Plays at random to the end; the facts of the state `steps` steps before that.
fn late_state(game: &Game, steps: usize, rng: &mut fastrand::Rng) -> Option<Vec<Term>> {
    const LONGEST: usize = 200;
    let mut rules = Reasoner::new(game).ok()?;
    let mut states = vec![rules.initial().ok()?];
    while !rules.terminal(states.last()?).ok()? {
        let state = states.last()?.clone();
        let joint_move = random_joint_move(&mut rules, &state, rng).ok()??;
        states.push(rules.next(&state, &joint_move).ok()?);
        if states.len() > LONGEST {
            return None;
        }
    }
    let place = states.len().checked_sub(steps + 1)?;
    Some(rules.facts(&states[place]))
}

#[test]
#[ignore = "needs ../shared: public games"]
fn late_positions_of_public_games_have_the_values_of_minimax() {
    let folder = shared("games-ggp");
    let counts = Counts::default();
    let games = [
        // Three players.
        "tictactoe_3player",
        "pacman3p",
        // Two at the same time.
        "gt_attrition",
        "gt_dollar",
    ];
    let seeds = rounds(3);
    let jobs = games
        .iter()
        .flat_map(|name| (0..seeds).map(move |seed| (*name, seed)));
    in_parallel(jobs.collect(), |(name, seed)| {
        let text = std::fs::read(folder.join(format!("{name}.kif"))).expect("a file");
        let reading = gdl::game::read(name, &text, &Options::default()).expect("a valid game");
        let mut rng = fastrand::Rng::with_seed(seed);
        // Farther from the end there are too many joint moves for the rules.
        let steps = 1;
        let prefix = PREFIX_METHODS[seed as usize % 2];
        let Some(facts) = late_state(&reading.game, steps, &mut rng) else {
            return Ok(());
        };
        let game = reading.game.starting_from(&facts);
        let compared = compare(&game, &[Objective::Score], steps as u32, prefix, &counts);
        compared.map_err(|trouble| format!("{name}, seed {seed}: {trouble}"))
    });
    let [games, simultaneous, zero, between, one] = counts.say("public games");
    assert!(games >= 2 * seeds && simultaneous > 0);
    assert!(
        between + one > 0 && zero < 20 * (between + one),
        "too many trivial positions"
    );
}
