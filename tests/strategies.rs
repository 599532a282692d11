//! Strategies made by brute force are proved; damaged ones are refused, with the position that
//! shows the damage.

use crate::common::brute_force::{BruteForce, heading, strategy};
use crate::common::rounds;
use crate::common::{checked_in_game, game, in_parallel, say};
use engines::strategy::{ExtractLimits, Extracted, extract};
use fastrand::Rng;
use gdl::game::{Game, Objective};
use gdl::{Name, Term, parse_terms};
use generators::random_game;
use limits::{Limits, StopReason};
use num_rational::BigRational;
use rules::Reasoner;
use std::collections::BTreeMap;
use std::sync::Mutex;
use verify::{
    Flaw, Position, Refusal, Side, Strategy, Verdict, VerifyError, read, verify, write_json,
};

fn json(strategy: &Strategy) -> String {
    let mut text = Vec::new();
    write_json(strategy, &mut text).expect("memory can be written to");
    String::from_utf8(text).expect("JSON is text")
}

/// The verdict on a strategy.
fn checked(game: &Game, strategy: &Strategy) -> Verdict {
    let verification = verify(game, strategy, &Limits::default());
    let verification = verification.expect("the strategy is for this game");
    verification.verdict
}

/// A strategy with the best play of both sides, after it has been written and read.
fn best(game: &Game, role: &Name, depth: u32, objective: Objective) -> Strategy {
    let mut advisor = BruteForce::new(game, role, depth, objective);
    let heading = heading(game, role, depth, objective);
    let written = json(&strategy(&mut advisor, heading));
    let again = read(written.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{written}"));
    assert_eq!(json(&again), written);
    again
}

/// The position of a refusal, as play from the start finds it.
fn replayed(game: &Game, refusal: &Refusal) -> (Vec<Term>, Option<u32>) {
    let mut reasoner = Reasoner::new(game).expect("a game");
    let mut state = reasoner.initial().expect("a state");
    for joint_move in refusal.history.as_ref().expect("a play to the position") {
        for (place, action) in joint_move.iter().enumerate() {
            let legal = reasoner.legal(&state, place).expect("moves");
            assert!(legal.contains(action), "{refusal:?}");
        }
        state = reasoner.next(&state, joint_move).expect("a state");
    }
    (reasoner.facts(&state), refusal.steps)
}

/// One way to damage a strategy, and what must be said about it.
struct Damage {
    strategy: Strategy,
    side: Side,
    flaw: Flaw,
    /// The position that shows it; with no number of steps where any would do.
    position: (Vec<Term>, Option<u32>),
    /// Whether play can reach the position, so that the refusal tells how.
    has_history: bool,
}

fn place(strategy: &Strategy, position: &Position) -> (Vec<Term>, Option<u32>) {
    let mut facts = strategy.terms.terms(&position.facts);
    facts.sort_by_cached_key(Term::to_string);
    (facts, position.steps)
}

fn term(text: &str) -> Term {
    parse_terms(text).expect("a term").remove(0)
}

/// Another fraction from 0 to 1.
fn other_value(value: &BigRational) -> BigRational {
    (value + BigRational::from_integer(1.into())) / BigRational::from_integer(3.into())
}

/// Damages to one position of a side.
struct Damages<'a> {
    strategy: &'a Strategy,
    side: Side,
    position: (Vec<Term>, Option<u32>),
    all: Vec<Damage>,
}

impl<'a> Damages<'a> {
    fn new(strategy: &'a Strategy, side: Side, position: &Position) -> Self {
        Damages {
            strategy,
            side,
            position: place(strategy, position),
            all: Vec::new(),
        }
    }

    /// A damage that only a position which play can reach shows.
    fn add(&mut self, flaw: Flaw, change: impl Fn(&mut Strategy)) {
        let mut strategy = self.strategy.clone();
        change(&mut strategy);
        self.all.push(Damage {
            strategy,
            side: self.side,
            has_history: flaw != Flaw::ListedTwice,
            flaw,
            position: self.position.clone(),
        });
    }

    /// A value that is wrong, of a position or of a move in it.
    fn add_value(
        &mut self,
        action: Option<Term>,
        found: &Option<BigRational>,
        claim: impl Fn(&mut Strategy) -> &mut Option<BigRational>,
    ) {
        let found = found.clone().expect("claims are made");
        let claimed = other_value(&found);
        if claimed != found {
            let flaw = Flaw::WrongValue {
                action,
                claimed: claimed.clone(),
                found,
            };
            self.add(flaw, |strategy| *claim(strategy) = Some(claimed.clone()));
        }
    }
}

/// Damages to what the role's side says about one position.
fn player_damages(strategy: &Strategy, rng: &mut Rng) -> Vec<Damage> {
    let index = rng.usize(..strategy.player.len());
    let decision = &strategy.player[index];
    let mut damages = Damages::new(strategy, Side::Role, &decision.position);
    damages.add(Flaw::Missing, |strategy| {
        strategy.player.remove(index);
    });
    damages.add(Flaw::ListedTwice, |strategy| {
        let again = strategy.player[index].clone();
        strategy.player.push(again);
    });
    let flaw = Flaw::IllegalMove {
        role: strategy.heading.role.clone(),
        action: term("(fly 1)"),
    };
    damages.add(flaw, |strategy| {
        strategy.player[index].action = strategy.terms.number(&term("(fly 1)"));
    });
    damages.add_value(None, &decision.value, |strategy| {
        &mut strategy.player[index].value
    });
    damages.all
}

/// Damages to what the opponents' side says about one position.
fn opponents_damages(strategy: &Strategy, rng: &mut Rng) -> Vec<Damage> {
    let index = rng.usize(..strategy.opponents.len());
    let response = &strategy.opponents[index];
    let which = rng.usize(..response.answers.len());
    let answer = &response.answers[which];
    let action = strategy.terms.term(answer.action).clone();
    let mut damages = Damages::new(strategy, Side::Opponents, &response.position);
    damages.add(Flaw::Missing, |strategy| {
        strategy.opponents.remove(index);
    });
    damages.add(Flaw::ListedTwice, |strategy| {
        let again = strategy.opponents[index].clone();
        strategy.opponents.push(again);
    });
    let flaw = Flaw::NoAnswer {
        action: action.clone(),
    };
    damages.add(flaw, |strategy| {
        strategy.opponents[index].answers.remove(which);
    });
    let opponents: Vec<&Name> = strategy.heading.opponents().collect();
    let opponent = rng.usize(..opponents.len());
    let flaw = Flaw::IllegalMove {
        role: opponents[opponent].clone(),
        action: term("(fly 1)"),
    };
    damages.add(flaw, |strategy| {
        let fly = strategy.terms.number(&term("(fly 1)"));
        strategy.opponents[index].answers[which].reply[opponent] = fly;
    });
    damages.add_value(None, &response.value, |strategy| {
        &mut strategy.opponents[index].value
    });
    damages.add_value(Some(action), &answer.value, |strategy| {
        &mut strategy.opponents[index].answers[which].value
    });
    damages.all
}

fn check_damage(game: &Game, damage: &Damage) {
    let verdict = checked(game, &damage.strategy);
    let Verdict::Refused(refusal) = verdict else {
        panic!("{:?} was not seen: {verdict:?}", damage.flaw);
    };
    assert_eq!(refusal.flaw, damage.flaw);
    assert_eq!(refusal.side, Some(damage.side), "{refusal:?}");
    assert_eq!(refusal.state, damage.position.0, "{refusal:?}");
    if damage.position.1.is_some() {
        assert_eq!(refusal.steps, damage.position.1, "{refusal:?}");
    }
    assert_eq!(refusal.history.is_some(), damage.has_history);
    if damage.has_history {
        let (state, steps) = replayed(game, &refusal);
        let played = refusal.history.as_ref().expect("a play").len() as u32;
        assert_eq!(state, refusal.state);
        let depth = damage.strategy.heading.depth.expect("a number of steps");
        assert_eq!(steps, Some(depth - played));
    }
}

/// Whether it is found that one side does its worst in one position and plays well everywhere else;
/// none if the worst is as good as the best there.
fn weakness_found(game: &Game, strategy: &Strategy, side: Side, rng: &mut Rng) -> Option<Refusal> {
    let position = match side {
        Side::Role => &rng.choice(&strategy.player)?.position,
        Side::Opponents => &rng.choice(&strategy.opponents)?.position,
    };
    let heading = &strategy.heading;
    let depth = heading.depth.expect("a number of steps");
    let mut advisor = BruteForce::new(
        game,
        &heading.role,
        depth,
        heading.objective.payoff().expect("points"),
    );
    let spot = place(strategy, position);
    advisor.weak_spot = Some(spot.clone());
    let weak = crate::common::brute_force::strategy(&mut advisor, heading.clone());
    let weak = Strategy {
        heading: heading.clone(),
        ..weak
    };
    match checked(game, &weak) {
        Verdict::Proved(_) => None,
        Verdict::Refused(refusal) => {
            assert!(
                matches!(refusal.flaw, Flaw::WrongValue { .. }),
                "{refusal:?}"
            );
            assert_eq!(refusal.state, spot.0, "{refusal:?}");
            Some(*refusal)
        }
        stopped => panic!("{stopped:?}"),
    }
}

#[test]
fn strategies_of_random_games_are_proved_and_damage_is_found() {
    let games = rounds(300);
    let counts: Mutex<BTreeMap<String, usize>> = Mutex::default();
    in_parallel((0..games).collect(), |seed| {
        let count = |what: String| *counts.lock().expect("counting").entry(what).or_default() += 1;
        let random = random_game(seed);
        let game = game("random", &random.text);
        let mut rng = Rng::with_seed(seed);
        let players: Vec<&Name> = game.players().collect();
        let role = rng.choice(&players).expect("a player");
        let objectives = [
            Objective::Win,
            Objective::Score,
            Objective::GoalAtLeast(50.into()),
        ];
        let objective = rng.choice(objectives).expect("an objective");
        // Sometimes play does not end in time; then positions depend on the steps left.
        let depth = match rng.u8(..4) {
            0 => rng.u32(..random.depth),
            _ => random.depth,
        };
        let strategy = best(&game, role, depth, objective);
        let mut minimax = BruteForce::new(&game, role, depth, objective);
        let value = minimax.initial_value();
        let verdict = checked(&game, &strategy);
        if verdict != Verdict::Proved(value.clone()) {
            return Err(format!(
                "seed {seed}: {verdict:?} instead of {value}\n{}",
                random.text
            ));
        }
        count("proved".into());
        let mut damages = Vec::new();
        if !strategy.player.is_empty() {
            damages.extend(player_damages(&strategy, &mut rng));
        }
        if !strategy.opponents.is_empty() {
            damages.extend(opponents_damages(&strategy, &mut rng));
        }
        for damage in damages {
            check_damage(&game, &damage);
            let name = format!("{:?}", damage.flaw);
            let name = name.split([' ', '{']).next().unwrap_or_default().to_owned();
            count(format!("{:?} {name}", damage.side));
        }
        for side in [Side::Role, Side::Opponents] {
            if let Some(refusal) = weakness_found(&game, &strategy, side, &mut rng) {
                let side = refusal.side.expect("one side is weak");
                count(format!("weak {side:?}"));
            }
        }
        let mut promise = strategy.clone();
        promise.heading.value = other_value(&value);
        if promise.heading.value != value {
            let Verdict::Refused(refusal) = checked(&game, &promise) else {
                return Err(format!("seed {seed}: a broken promise was believed"));
            };
            let flaw = Flaw::BrokenPromise {
                promised: promise.heading.value,
                found: value,
            };
            assert_eq!(refusal.flaw, flaw);
            assert_eq!(refusal.history, Some(Vec::new()));
            count("broken promise".into());
        }
        Ok(())
    });
    let counts = counts.into_inner().expect("counting");
    say(&format!("{games} random games: {counts:?}"));
    for what in [
        "Role Missing",
        "Role ListedTwice",
        "Role IllegalMove",
        "Role WrongValue",
        "Opponents Missing",
        "Opponents ListedTwice",
        "Opponents IllegalMove",
        "Opponents NoAnswer",
        "Opponents WrongValue",
        "weak Role",
        "weak Opponents",
        "broken promise",
    ] {
        let seen = counts.get(what).copied().unwrap_or(0) as u64;
        assert!(seen * 20 > games, "{what}: only {seen} of {games}");
    }
}

#[test]
fn strategies_for_something_else_are_not_checked() {
    let game = checked_in_game("figure_1.gdl");
    let role = Name::new("xplayer");
    let strategy = best(&game, &role, 1, Objective::Win);
    let other = verify(&checked_in_game("duel.gdl"), &strategy, &Limits::default());
    assert!(
        matches!(other, Err(VerifyError::OtherRules { .. })),
        "{other:?}"
    );
    let mut roles = strategy.clone();
    roles.heading.roles.pop();
    let other = verify(&game, &roles, &Limits::default());
    assert!(
        matches!(other, Err(VerifyError::OtherRoles { .. })),
        "{other:?}"
    );
}

#[test]
fn limits_leave_what_is_proved() {
    let game = checked_in_game("stochastic_nim_5.gdl");
    let strategy = best(&game, &Name::new("xplayer"), 20, Objective::Win);
    let stopped = |limits: &Limits| match verify(&game, &strategy, limits).map(|v| v.verdict) {
        Ok(Verdict::Stopped {
            reason,
            lower,
            upper: Some(upper),
        }) => (reason, lower.to_string(), upper.to_string()),
        other => panic!("{other:?}"),
    };
    let everything = || ("0".to_owned(), "1".to_owned());
    let memory = |bytes| Limits::with_memory(Some(bytes));
    let (reason, lower, upper) = stopped(&memory(1000));
    assert_eq!((reason, (lower, upper)), (StopReason::Memory, everything()));
    // Enough for the role's side, not for the other, which is larger.
    let halves = (1..200).map(|step| stopped_or_proved(&game, &strategy, &memory(step * 2000)));
    assert!(
        halves
            .into_iter()
            .any(|lower| lower.as_deref() == Some("139/256"))
    );
    let limits = Limits::default().within(std::time::Duration::ZERO);
    let (reason, lower, upper) = stopped(&limits);
    assert_eq!((reason, (lower, upper)), (StopReason::Time, everything()));
    let limits = Limits::default();
    limits.interrupt.raise();
    let (reason, lower, upper) = stopped(&limits);
    assert_eq!(
        (reason, (lower, upper)),
        (StopReason::Interrupted, everything())
    );
}

/// The lower bound of a run that was stopped.
fn stopped_or_proved(game: &Game, strategy: &Strategy, limits: &Limits) -> Option<String> {
    match verify(game, strategy, limits).expect("a game").verdict {
        Verdict::Stopped { lower, .. } => Some(lower.to_string()),
        _ => None,
    }
}

#[test]
fn too_many_positions_are_an_outcome() {
    let game = checked_in_game("stochastic_nim_5.gdl");
    let role = Name::new("xplayer");
    let mut advisor = BruteForce::new(&game, &role, 20, Objective::Win);
    let mut limits = ExtractLimits {
        positions: 10,
        overall: Limits::default(),
    };
    let mut run = |limits: &ExtractLimits| {
        let heading = heading(&game, &role, 20, Objective::Win);
        extract(&mut advisor, heading, limits).expect("values")
    };
    assert!(matches!(run(&limits), Extracted::TooLarge { .. }));
    limits.positions = 100_000;
    assert!(matches!(run(&limits), Extracted::Complete(_)));
    limits.overall.interrupt.raise();
    assert!(matches!(
        run(&limits),
        Extracted::Stopped(StopReason::Interrupted)
    ));
}
