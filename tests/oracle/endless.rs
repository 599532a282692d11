//! Values without a step limit: random games that may go on for ever, and those of `games/`, against what the rules prove.
//!
//! The reasoner lists all states, each is valued by search, and `prove_values` checks the values.

use crate::common::brute_force::{heading, strategy};
use crate::common::{AnyError, checked_in_game, in_parallel, read_game, rounds, say, takes_all};
use engines::answer::BestPlay;
use engines::search::{Adviser, Search, SearchOptions};
use formula::{BigRational, Outcome, Value};
use gdl::Term;
use gdl::game::{Game, Objective, joint_moves};
use generators::{ListedMove, endless_random_game, prove_values, worth};
use limits::{Limits, StopReason};
use num_traits::{One, Zero};
use rules::{Reasoner, State, payoff};
use sqasp::Question;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use verify::{Flaw, Heading, Side, Strategy, Verdict, read, verify, write_json};

/// Larger games are left out.
const MAX_STATES: usize = 400;

/// The choices of the role in a state.
pub(super) type Choices = Vec<ListedMove<Term>>;

/// The states of a game, by the rules as written.
pub(super) struct Listed {
    pub(super) states: Vec<State>,
    /// By state: what terminal states are worth, what follows from all others.
    pub(super) ends: Vec<Option<BigRational>>,
    pub(super) choices: Vec<Choices>,
}

impl Listed {
    /// Nothing if there are too many states, or one has no value.
    pub(super) fn new(
        reasoner: &mut Reasoner,
        game: &Game,
        role: usize,
        objective: Objective,
    ) -> Option<Self> {
        let random = game
            .roles()
            .iter()
            .position(|name| game.random_role() == Some(name));
        let mut states = vec![reasoner.initial().ok()?];
        let mut numbers = HashMap::from([(states[0].clone(), 0)]);
        let (mut ends, mut all_choices) = (Vec::new(), Vec::new());
        while ends.len() < states.len() {
            let state = states[ends.len()].clone();
            if reasoner.terminal(&state).ok()? {
                ends.push(Some(payoff(reasoner, &state, role, objective).ok()??));
                all_choices.push(Vec::new());
                continue;
            }
            let legal = (0..game.roles().len()).map(|place| reasoner.legal(&state, place));
            let legal: Vec<Vec<Term>> = legal.collect::<Result<_, _>>().ok()?;
            if legal.iter().any(Vec::is_empty) || states.len() > MAX_STATES {
                return None;
            }
            let only = |place: usize, term: &Term, moves: &[Vec<Term>]| {
                let mut moves = moves.to_vec();
                moves[place] = vec![term.clone()];
                moves
            };
            let mut choices: Choices = Vec::new();
            for action in &legal[role] {
                let mut opponents = only(role, action, &legal);
                if let Some(random) = random {
                    opponents[random].truncate(1);
                }
                let mut replies = Vec::new();
                for joint in joint_moves(opponents.iter().map(Vec::as_slice)) {
                    let mut outcomes: Vec<Vec<Term>> =
                        joint.into_iter().map(|it| vec![it]).collect();
                    if let Some(random) = random {
                        outcomes[random].clone_from(&legal[random]);
                    }
                    let mut targets = Vec::new();
                    for joint in joint_moves(outcomes.iter().map(Vec::as_slice)) {
                        let next = reasoner.next(&state, &joint).ok()?;
                        let number = *numbers.entry(next.clone()).or_insert_with(|| {
                            states.push(next);
                            states.len() - 1
                        });
                        targets.push(number);
                    }
                    replies.push(targets);
                }
                choices.push((action.clone(), replies));
            }
            ends.push(None);
            all_choices.push(choices);
        }
        Some(Listed {
            states,
            ends,
            choices: all_choices,
        })
    }

    /// Whether some state can be met twice.
    fn has_cycle(&self) -> bool {
        let targets = |state: usize| {
            self.choices[state]
                .iter()
                .flat_map(|(_, it)| it.iter().flatten())
        };
        let mut is_over: Vec<bool> = self.ends.iter().map(Option::is_some).collect();
        loop {
            let all = 0..self.states.len();
            let next = all
                .into_iter()
                .find(|&state| !is_over[state] && targets(state).all(|&it| is_over[it]));
            match next {
                Some(state) => is_over[state] = true,
                None => return is_over.contains(&false),
            }
        }
    }
}

/// The number of comparisons.
#[derive(Default)]
struct Counts {
    endless: AtomicUsize,
    between: AtomicUsize,
    /// Strategies that were damaged, and found to let the opponents play for ever.
    loops: AtomicUsize,
}

/// Compares the values of all states, and of the first moves, for all players.
fn compare(game: &Game, objectives: &[Objective], counts: &Counts) -> Result<(), AnyError> {
    for (place, role) in game.roles().iter().enumerate() {
        if game.random_role() == Some(role) {
            continue;
        }
        for &objective in objectives {
            compare_for(game, place, objective, counts)
                .map_err(|error| format!("{role}, {objective}: {error}"))?;
        }
    }
    Ok(())
}

/// The same for a player and an objective.
fn compare_for(
    game: &Game,
    place: usize,
    objective: Objective,
    counts: &Counts,
) -> Result<(), AnyError> {
    let mut reasoner = Reasoner::new(game)?;
    let Some(listed) = Listed::new(&mut reasoner, game, place, objective) else {
        return Ok(());
    };
    let options = SearchOptions::default();
    let mut search = Search::new(game, &game.roles()[place], objective, &options)?;
    let mut values = Vec::new();
    for state in &listed.states {
        let state = search.state(&reasoner.facts(state))?;
        match search.solve(&state, None, &Limits::default())?.outcome {
            Outcome::Solved(Value::Exact(value)) => values.push(value),
            other => return Err(format!("{other:?}").into()),
        }
    }
    prove_values(&listed.ends, &listed.choices, &values)?;
    check_bounds(game, place, objective, &values[0])?;
    let moves = search.moves(&search.initial(), None, &Limits::default())?;
    let expected = listed.choices[0].iter().map(|(action, replies)| {
        let worth = worth(replies, &values);
        (action.clone(), Outcome::Solved(Value::Exact(worth)))
    });
    let expected: Vec<(Term, Outcome)> = expected.collect();
    let is_same = moves.len() == expected.len() && moves.iter().all(|it| expected.contains(it));
    if !is_same {
        return Err(format!("{moves:?}, but it is {expected:?}").into());
    }
    check_best_play(game, place, objective, &values[0])?;
    check_strategy(&mut search, game, place, objective, &values[0], counts)?;
    if listed.has_cycle() {
        counts.endless.fetch_add(1, Ordering::Relaxed);
        let is_between = !values[0].is_zero() && !values[0].is_one();
        let between = usize::from(is_between);
        counts.between.fetch_add(between, Ordering::Relaxed);
    }
    Ok(())
}

/// The strategies of both sides are proved by the rules. With another move it is refused, or guarantees the same; of
/// `make test`, in one position of four.
fn check_strategy(
    search: &mut Search,
    game: &Game,
    place: usize,
    objective: Objective,
    value: &BigRational,
    counts: &Counts,
) -> Result<(), AnyError> {
    let heading = Heading {
        depth: None,
        ..heading(game, &game.roles()[place], 0, objective)
    };
    let mut adviser = Adviser::new(search, Limits::default());
    let strategy = strategy(&mut adviser, heading);
    let verdict = |strategy: &Strategy| {
        let found = verify(game, strategy, &Limits::default());
        found
            .map(|it| it.verdict)
            .map_err(|error| error.to_string())
    };
    let mut text = Vec::new();
    write_json(&strategy, &mut text)?;
    let again = read(&text)?;
    let proved = Verdict::Proved(value.clone());
    if verdict(&again)? != proved {
        return Err(format!("{:?} is not {value}", verdict(&again)?).into());
    }
    let every = if takes_all() { 1 } else { 4 };
    for wrong in (0..strategy.player.len()).step_by(every) {
        let mut reasoner = Reasoner::new(game)?;
        let facts = strategy.terms.terms(&strategy.player[wrong].position.facts);
        let state = reasoner.state(&facts)?;
        for action in reasoner.legal(&state, place)? {
            let mut other = strategy.clone();
            other.player[wrong].action = other.terms.number(&action);
            match verdict(&other)? {
                found if found == proved => {}
                Verdict::Refused(refusal) if refusal.side == Some(Side::Role) => {
                    let is_loop = refusal.flaw == Flaw::Endless;
                    counts
                        .loops
                        .fetch_add(usize::from(is_loop), Ordering::Relaxed);
                }
                found => return Err(format!("{action} in {facts:?}: {found:?}").into()),
            }
        }
    }
    Ok(())
}

/// Best play gives the value, and the chances of all ends add up to 1.
fn check_best_play(
    game: &Game,
    place: usize,
    objective: Objective,
    value: &BigRational,
) -> Result<(), AnyError> {
    let question = Question::new(game.roles()[place].clone()).objective(objective);
    let mut options = sqasp::Options::default();
    options.extras.statistics = true;
    let answer = sqasp::solve(game, &question, &options);
    let play = answer?.best_play;
    let Some(Ok(BestPlay {
        steps,
        points,
        cut_off,
        endless,
        ..
    })) = play
    else {
        return Err(format!("{play:?}").into());
    };
    let chances = points.iter().map(|(_, chance)| chance);
    let sum = chances.sum::<BigRational>() + cut_off + &endless;
    let worth = points
        .iter()
        .map(|(points, chance)| chance * objective.worth(*points));
    let worth: BigRational = worth.sum();
    let is_right = sum.is_one() && worth == *value && steps.is_some() == endless.is_zero();
    match is_right {
        true => Ok(()),
        false => Err(format!("{points:?}, {steps:?}, {endless}, but it is {value}").into()),
    }
}

/// Without exact values there are bounds, which agree in 12 digits.
fn check_bounds(
    game: &Game,
    place: usize,
    objective: Objective,
    value: &BigRational,
) -> Result<(), AnyError> {
    let mut options = SearchOptions::default();
    options.engine.exact_work = 0;
    let search = Search::new(game, &game.roles()[place], objective, &options);
    let mut search = search?;
    let found = search.solve(&search.initial(), None, &Limits::default());
    let outcome = found?.outcome;
    let (lower, upper) = outcome.bounds();
    let width = search.range().largest() / BigRational::from_integer(10u64.pow(12).into());
    let reason = outcome.stopped_by();
    let is_expected = lower <= *value
        && *value <= upper
        && &upper - &lower <= width
        && reason.is_none_or(|reason| reason == StopReason::Precision);
    match is_expected {
        true => Ok(()),
        false => Err(format!("{value} is not {outcome:?}").into()),
    }
}

#[test]
fn random_games_without_an_end_have_the_values_that_the_rules_prove() {
    let counts = Counts::default();
    let objectives = [
        Objective::Win,
        Objective::GoalAtLeast(50.into()),
        Objective::Score,
    ];
    let seeds = (2_000_000..2_000_000 + rounds(150)).collect();
    in_parallel(seeds, |seed| {
        let text = endless_random_game(seed);
        let Ok(game) = read_game("endless", &text) else {
            return Err(format!("seed {seed}: refused\n{text}"));
        };
        let objective = objectives[seed as usize % objectives.len()];
        compare(&game, &[objective], &counts)
            .map_err(|trouble| format!("seed {seed}: {trouble}\n{text}"))
    });
    let [endless, between, loops] =
        [counts.endless, counts.between, counts.loops].map(AtomicUsize::into_inner);
    say(&format!(
        "{endless} games without an end, {between} with a value between 0 and 1, {loops} moves that go round"
    ));
    // Moves that go round are rare: the fewer games of `make test` have none.
    let games = rounds(150);
    assert!(
        endless > games / 3 && between > games / 9 && (loops > 0 || games < 150),
        "{endless} {between} {loops}"
    );
}

#[test]
fn checked_in_games_without_an_end_have_the_values_that_the_rules_prove() {
    let counts = Counts::default();
    for file in [
        "endless_pig.gdl",
        "endless_pursuit.gdl",
        "endless_ruin.gdl",
        "endless_snakes.gdl",
        "endless_standoff.gdl",
        "endless_ur.gdl",
        "endless_ur_ending.gdl",
    ] {
        let game = checked_in_game(file);
        let objectives = &[Objective::Win, Objective::Points][..1 + usize::from(takes_all())];
        compare(&game, objectives, &counts).expect(file);
    }
    let games = 13 * (1 + usize::from(takes_all()));
    assert_eq!(counts.endless.into_inner(), games);
}
