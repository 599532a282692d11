//! Verdicts about properties against exhaustive enumeration, recorded play and random play.
//!
//! Soundness first: what is proved must hold in every state that anybody has ever seen, and in small
//! games in every state there is. SQASP_SLOW_TESTS=1 takes every recorded game; otherwise a few.

use crate::common::recorded::{Recorded, our_play, public_play};
use crate::common::{
    game, game_files, in_parallel, legal_moves, rounds, say, slow_tests, takes_all,
};
use gdl::Term;
use gdl::game::{Game, joint_moves};
use generators::random_game;
use limits::Limits;
use prove::{
    Condition, Finding, Property, Prover, Route, Settings, StateView, Verdict, Vocabulary,
};
use rules::{Reasoner, RuleLimits, State};
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::time::Duration;
use step::{StateMachine, StepLimits, replay_with};

fn settings(route: Route) -> Settings {
    Settings {
        route,
        plays: 10,
        max_steps: 2,
        ..Settings::default()
    }
}

fn all(prover: &mut Prover<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    prover
        .prove_all(&mut |finding| found.push(finding))
        .unwrap_or_else(|error| panic!("{error}"));
    found
}

/// Plays of more steps go on forever: the games here have fewer states.
const FOREVER: usize = 300;

/// Every state that play can lead to, and after how many steps the last play is over.
fn enumerate(game: &Game) -> (Vec<Vec<Term>>, usize) {
    let mut reasoner = Reasoner::new(game).unwrap();
    let mut level: Vec<State> = vec![reasoner.initial().unwrap()];
    let mut seen: HashSet<Vec<Term>> = HashSet::new();
    let mut longest = 0;
    for depth in 0..=FOREVER {
        let mut next_level: HashMap<Vec<Term>, State> = HashMap::new();
        for state in level {
            seen.insert(reasoner.facts(&state));
            longest = depth;
            if reasoner.terminal(&state).unwrap() {
                continue;
            }
            let legal = legal_moves(&mut reasoner, &state).unwrap();
            for joint_move in joint_moves(legal.iter().map(Vec::as_slice)) {
                let next = reasoner.next(&state, &joint_move).unwrap();
                next_level.insert(reasoner.facts(&next), next);
            }
        }
        if next_level.is_empty() {
            break;
        }
        level = next_level.into_values().collect();
    }
    (seen.into_iter().collect(), longest)
}

/// Whether the instances hold in a state, by the rules.
fn holds(
    vocabulary: &Vocabulary,
    machine: &mut StateMachine,
    facts: &[Term],
    instances: &[Condition],
) -> bool {
    let position = machine.position(facts).unwrap();
    let view = StateView::new(vocabulary, machine, &position).unwrap();
    instances.iter().all(|condition| view.holds(condition))
}

/// Formulas about the random games, of every shape.
const FORMULAS: [&str; 6] = [
    "(or terminal (exists (role ?r) (at-least 1 (legal ?r _))))",
    "(forall (role ?r) (=> terminal (at-most 1 (goal ?r _))))",
    "(not (and terminal (at-least 3 (true _))))",
    "(forall (legal ?r ?m) (or (not (legal ?r ?m)) (at-most 2 (legal ?r _))))",
    "(at-most 4 (true _))",
    "(=> (at-least 3 (true _)) (not (exactly 5 (true _))))",
];

#[test]
fn verdicts_about_random_games_are_right() {
    let counts: Mutex<HashMap<&str, usize>> = Mutex::default();
    in_parallel((0..rounds(24)).collect::<Vec<u64>>(), |seed| {
        let text = random_game(seed).text;
        let game = game(&format!("random_{seed}"), &text);
        let (states, longest) = enumerate(&game);
        let mut machine = StateMachine::by_rules(Reasoner::new(&game).unwrap());
        let mut first: HashMap<String, Verdict> = HashMap::new();
        for route in [Route::AnswerSets, Route::Circuit] {
            let mut prover = Prover::new(&game, settings(route)).unwrap();
            let mut findings = all(&mut prover);
            for text in FORMULAS {
                let property = Property::parse(text).unwrap();
                let verdict = prover.prove(&property, &[]).unwrap();
                findings.push(Finding { property, verdict });
            }
            for steps in [longest.saturating_sub(1), longest] {
                let property = Property::Terminates(u32::try_from(steps).unwrap());
                let verdict = prover.prove(&property, &[]).unwrap();
                findings.push(Finding { property, verdict });
            }
            let vocabulary = prover.vocabulary().clone();
            for Finding { property, verdict } in findings {
                let at = format!("{property}, game {seed}, {route:?}: {verdict:?}\n{text}");
                let truth = match &property {
                    Property::Terminates(steps) => longest <= *steps as usize,
                    _ => {
                        let instances = prover.instances(&property).unwrap();
                        let mut states = states.iter();
                        states.all(|facts| holds(&vocabulary, &mut machine, facts, &instances))
                    }
                };
                match &verdict {
                    Verdict::Proved(_) => assert!(truth, "{at}"),
                    Verdict::Refuted(_) => assert!(!truth, "{at}"),
                    Verdict::NotInductive(counterexample) => {
                        let instances = prover.instances(&property).unwrap();
                        assert!(
                            holds(&vocabulary, &mut machine, &counterexample.state, &instances),
                            "{at}"
                        );
                        assert!(
                            !holds(&vocabulary, &mut machine, &counterexample.next, &instances),
                            "{at}"
                        );
                    }
                    Verdict::Unknown(_) => {}
                }
                *counts.lock().unwrap().entry(verdict.word()).or_default() += 1;
                // Both routes find out the same; only what was not finished may differ.
                let key = property.to_string();
                match first.get(&key) {
                    Some(other) => assert_eq!(other.word(), verdict.word(), "{at}\n{other:?}"),
                    None => drop(first.insert(key, verdict)),
                }
            }
        }
        Ok(())
    });
    let counts = counts.into_inner().unwrap();
    say(&format!("verdicts about random games: {counts:?}"));
    for word in ["proved", "refuted", "not-inductive"] {
        assert!(
            counts
                .get(word)
                .is_some_and(|&count| count >= rounds(24) / 4),
            "{counts:?}"
        );
    }
}

/// A reachable state as the rules show it.
struct StateByRules {
    facts: Vec<Term>,
    terminal: bool,
    /// The moves and the goal values of each role.
    legal: Vec<Vec<Term>>,
    goals: Vec<Vec<Term>>,
}

impl StateByRules {
    fn of(reasoner: &mut Reasoner, facts: &[Term]) -> Self {
        let state = reasoner.state(facts).unwrap();
        let roles = 0..reasoner.roles().len();
        StateByRules {
            facts: facts.to_vec(),
            terminal: reasoner.terminal(&state).unwrap(),
            legal: legal_moves(reasoner, &state).unwrap(),
            goals: roles
                .map(|role| reasoner.goals(&state, role).unwrap())
                .collect(),
        }
    }

    /// Whether a property holds here, by its definition in `docs/properties.md`, where goal values of zero-sum games make this total.
    fn has(&self, property: &str, players: &[usize], total: i32) -> bool {
        let goals = |least, most| {
            let all = self.goals.iter().map(Vec::len).collect::<Vec<_>>();
            all.iter().all(|count| (least..=most).contains(count))
        };
        match property {
            "turn-taking" => {
                let choosing = players.iter().filter(|&&p| self.legal[p].len() > 1);
                self.terminal || choosing.count() <= 1
            }
            "legal-nonempty" => self.terminal || self.legal.iter().all(|moves| !moves.is_empty()),
            "zero-sum" => {
                let values = players.iter().map(|&player| match &self.goals[player][..] {
                    [value] => value.to_string().parse::<i32>().ok(),
                    _ => None,
                });
                !self.terminal || values.sum::<Option<i32>>() == Some(total)
            }
            "(forall (role ?r) (=> terminal (exactly 1 (goal ?r _))))" => {
                !self.terminal || goals(1, 1)
            }
            "(forall (role ?r) (at-most 1 (goal ?r _)))" => goals(0, 1),
            "(forall (role ?r) (=> terminal (at-least 1 (goal ?r _))))" => {
                !self.terminal || goals(1, usize::MAX)
            }
            "(not (exists (role ?r) (and terminal (at-least 2 (goal ?r _)))))" => {
                !self.terminal || goals(0, 1)
            }
            "(exists (role ?r) (exactly 0 (goal ?r _)))" => self.goals.iter().any(Vec::is_empty),
            "unique (step _)" => {
                let is_step = |fact: &&Term| fact.to_string().starts_with("(step ");
                self.facts.iter().filter(is_step).count() == 1
            }
            "(forall (role ?r) (or terminal (at-most 2 (legal ?r _))))" => {
                self.terminal || self.legal.iter().all(|moves| moves.len() <= 2)
            }
            other => panic!("no definition of {other}"),
        }
    }
}

/// The properties that [`StateByRules::has`] defines.
const DEFINED: [&str; 10] = [
    "turn-taking",
    "legal-nonempty",
    "zero-sum",
    "(forall (role ?r) (=> terminal (exactly 1 (goal ?r _))))",
    "(forall (role ?r) (at-most 1 (goal ?r _)))",
    "(forall (role ?r) (=> terminal (at-least 1 (goal ?r _))))",
    "(not (exists (role ?r) (and terminal (at-least 2 (goal ?r _)))))",
    "(exists (role ?r) (exactly 0 (goal ?r _)))",
    "unique (step _)",
    "(forall (role ?r) (or terminal (at-most 2 (legal ?r _))))",
];

/// A random game whose goal and `legal` rules may be wrong: states with several goal values or none, roles without goals or moves.
fn flawed_game(seed: u64) -> String {
    let text = random_game(seed).text;
    let mut random = fastrand::Rng::with_seed(seed);
    let roles: Vec<&str> = (text.split("(role ").skip(1))
        .filter_map(|rest| rest.split(')').next())
        .filter(|role| !role.starts_with('?'))
        .collect();
    let is_of = |line: &str, keyword: &str| {
        [format!("({keyword} "), format!("(<= ({keyword} ")]
            .iter()
            .any(|start| line.starts_with(start))
    };
    // How many of a hundred rules are left out, of each kind.
    let (lost_goals, lost_moves) = (
        random.choice([0, 0, 30, 100]).unwrap_or(0),
        random.choice([0, 0, 0, 20]).unwrap_or(0),
    );
    let kept = text.lines().filter(|line| {
        !(is_of(line, "goal") && random.u32(..100) < lost_goals
            || is_of(line, "legal") && random.u32(..100) < lost_moves)
    });
    let mut lines: Vec<String> = kept.map(str::to_owned).collect();
    for role in &roles {
        for _ in 0..random.usize(..3) {
            let value = match seed % 4 {
                0 => random.choice([-50, -25, 0, 25, 50]),
                _ => random.choice([0, 25, 50, 75, 100, 100]),
            };
            let value = value.unwrap_or(0);
            lines.push(match random.u8(..3) {
                0 => format!("(goal {role} {value})"),
                1 => format!(
                    "(<= (goal {role} {value}) (true (step {})))",
                    random.u8(1..4)
                ),
                _ => format!(
                    "(<= (goal {role} {value}) (not (true (step {}))))",
                    random.u8(1..4)
                ),
            });
        }
    }
    // All of these relations must be there.
    lines.push("(<= (goal nobody 0) (true (step 0)) (not (true (step 0))))".to_owned());
    lines.push("(<= (legal nobody wait) (true (step 0)) (not (true (step 0))))".to_owned());
    lines.join("\n")
}

/// The oracle shares nothing with the conditions that are proved: it asks the rules for moves and goal values in all states.
#[test]
fn properties_mean_what_their_definitions_say() {
    let counts: Mutex<HashMap<(&str, &str), usize>> = Mutex::default();
    in_parallel((0..rounds(60)).collect::<Vec<u64>>(), |seed| {
        let text = flawed_game(seed);
        let game = game(&format!("flawed_{seed}"), &text);
        // The goals of `random` count for nothing.
        let is_negative = |line: &str| {
            line.contains("(goal ") && line.contains(" -") && !line.contains("(goal random")
        };
        let has_negative = text.lines().any(is_negative);
        let total = if has_negative { 0 } else { 100 };
        let (states, longest) = enumerate(&game);
        let mut reasoner = Reasoner::new(&game).unwrap();
        let states: Vec<StateByRules> = states
            .iter()
            .map(|facts| StateByRules::of(&mut reasoner, facts))
            .collect();
        let roles = game.roles().iter().enumerate();
        let players: Vec<usize> = roles
            .filter(|(_, role)| !role.is_random())
            .map(|(number, _)| number)
            .collect();
        for route in [Route::AnswerSets, Route::Circuit] {
            let mut prover = Prover::new(&game, settings(route)).unwrap();
            let ends = format!("terminates within {}", longest.saturating_sub(1));
            for name in DEFINED.into_iter().chain([ends.as_str()]) {
                if name == "zero-sum" && players.len() < 2 {
                    continue;
                }
                let property = Property::parse(name).unwrap();
                let verdicts = prover.prove_with_features(std::slice::from_ref(&property));
                let verdict = verdicts.unwrap().remove(0);
                let truth = match property {
                    Property::Terminates(steps) => longest <= steps as usize,
                    _ => states.iter().all(|state| state.has(name, &players, total)),
                };
                let at = format!("{name}, game {seed}, {route:?}: {verdict:?}\n{text}");
                match verdict {
                    Verdict::Proved(_) => assert!(truth, "{at}"),
                    Verdict::Refuted(_) => assert!(!truth, "{at}"),
                    _ => {}
                }
                let name = DEFINED.into_iter().find(|other| *other == name);
                let key = (name.unwrap_or("terminates"), verdict.word());
                *counts.lock().unwrap().entry(key).or_default() += 1;
            }
        }
        Ok(())
    });
    let counts = counts.into_inner().unwrap();
    say(&format!("verdicts about flawed games: {counts:?}"));
    for name in DEFINED
        .into_iter()
        .filter(|name| !name.starts_with("(exists") && !name.starts_with("unique"))
    {
        for word in ["proved", "refuted"] {
            assert!(
                counts.contains_key(&(name, word)) || rounds(60) < 60,
                "{name} {word}: {counts:?}"
            );
        }
    }
}

/// Nobody has two results in a zero-sum game.
#[test]
fn two_goal_values_that_add_up_are_no_zero_sum() {
    for (goals, word) in [
        ("(goal a 100) (goal b 0)", "proved"),
        ("(goal a 100) (goal b 0) (goal a 0) (goal b 100)", "refuted"),
        ("(goal a 50) (goal b 50) (goal b 0)", "refuted"),
        ("(goal a 100)", "refuted"),
        ("(goal a 100) (goal b 0) (goal random 7)", "proved"),
        ("(goal a 100) (<= (goal b 0) (true (at 1)))", "proved"),
        ("(goal a 100) (<= (goal b 0) (true (at 0)))", "refuted"),
        ("(goal a 1/2) (goal b -1/2)", "proved"),
        ("(goal a 150) (goal b -50)", "refuted"),
        ("(goal a 0) (goal b 0)", "refuted"),
        (
            "(goal a 0) (goal b 0) (<= (goal b -7) (true (at 2)))",
            "proved",
        ),
    ] {
        let text = format!(
            "(role a) (role b) (role random) (init (at 0)) (<= (legal ?r go) (role ?r))
             (<= (next (at 1)) (does a go)) (<= terminal (true (at 1))) {goals}"
        );
        let game = game("goals", &text);
        for route in [Route::AnswerSets, Route::Circuit] {
            let mut prover = Prover::new(&game, settings(route)).unwrap();
            let verdict = prover.prove(&Property::ZeroSum, &[]).unwrap();
            assert_eq!(verdict.word(), word, "{goals}, {route:?}: {verdict:?}");
        }
    }
}

#[test]
fn goal_values_through_variables_are_all_listed() {
    let text = "(role p) (init (points 250)) (legal p go) (<= (next (points 3)) (does p go))
        (<= terminal (true (points 3))) (<= (goal p ?n) (true (points ?n)))";
    let vocabulary = Vocabulary::of_domains(&game("points", text), &limits::Limits::default());
    let goals: Vec<String> = vocabulary.unwrap().goals[0]
        .iter()
        .map(Term::to_string)
        .collect();
    assert_eq!(goals, ["250", "3"]);
}

/// Checks that proved properties hold in a state. Gives whether play is over there.
fn check(
    vocabulary: &Vocabulary,
    machine: &mut StateMachine,
    position: &step::Position,
    proved: &[(Property, Vec<Condition>)],
    step: u32,
    name: &str,
) -> bool {
    let terminal = machine.terminal(position).unwrap();
    let view = StateView::new(vocabulary, machine, position).unwrap();
    for (property, instances) in proved {
        let fine = match property {
            Property::Terminates(steps) => step < *steps || terminal,
            _ => instances.iter().all(|condition| view.holds(condition)),
        };
        assert!(
            fine,
            "{name}: {property} was proved, but not in step {step}"
        );
    }
    terminal
}

/// Proves properties of each game within some limits: plays that refute them lead where they say, and what is proved holds in random plays and
/// in the record of the game. Gives the number of what is proved, and that of the games.
fn check_games(
    records: Vec<Recorded>,
    plays: usize,
    limits: impl Fn() -> Limits + Sync,
) -> (usize, usize) {
    let totals = Mutex::new((0_usize, 0_usize, 0_usize));
    let all_games = records.len();
    in_parallel(records, |recorded| {
        let name = &recorded.name;
        let game = recorded.game();
        let settings = Settings {
            limits: limits(),
            ..settings(Route::Auto)
        };
        let Ok(mut prover) = Prover::new(&game, settings) else {
            return Ok(());
        };
        let findings = all(&mut prover);
        let vocabulary = prover.vocabulary().clone();
        let mut machine =
            StateMachine::new(&game, &StepLimits::modest(), RuleLimits::default()).unwrap();
        let mut proved = Vec::new();
        for Finding { property, verdict } in findings {
            // When time is over, instances are not listed.
            let Ok(instances) = prover.instances(&property) else {
                continue;
            };
            match verdict {
                Verdict::Proved(_) => proved.push((property, instances)),
                Verdict::Refuted(witness) => {
                    let start = machine.initial().unwrap();
                    let end = step::follow(&mut machine, start, &witness.joint_moves).unwrap();
                    let view = StateView::new(&vocabulary, &mut machine, &end).unwrap();
                    let is_broken = instances.iter().any(|condition| !view.holds(condition));
                    assert!(is_broken, "{name}: {property}");
                }
                _ => {}
            }
        }
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..plays {
            let mut position = machine.initial().unwrap();
            for step in 0..200 {
                if check(&vocabulary, &mut machine, &position, &proved, step, name) {
                    break;
                }
                let joint_move = machine.random_move(&position, &mut random).unwrap();
                position = machine.next(&position, &joint_move.unwrap()).unwrap();
            }
        }
        let mut states = 0;
        let replay = replay_with(&mut machine, &recorded.lines(), &mut |machine, replayed| {
            let step = u32::try_from(replayed.step).unwrap();
            check(&vocabulary, machine, replayed.position, &proved, step, name);
            states += 1;
            Ok(())
        });
        assert!(replay.unwrap().difference.is_none(), "{name}");
        let mut totals = totals.lock().unwrap();
        *totals = (totals.0 + 1, totals.1 + proved.len(), totals.2 + states);
        Ok(())
    });
    let (games, proved, states) = totals.into_inner().unwrap();
    say(&format!(
        "{proved} properties of {games} recorded games hold in {states} states"
    ));
    assert!(2 * games >= all_games && states > games);
    (proved, games)
}

#[test]
fn witnesses_and_proofs_of_our_games_stand() {
    let (proved, games) = check_games(our_play(), 20, Limits::default);
    assert!(proved > games);
    assert_eq!(games, game_files().len());
}

#[test]
#[ignore = "needs ../shared: recorded play of public games"]
fn what_is_proved_holds_in_recorded_play_of_public_games() {
    let (every, seconds) = match (slow_tests(), takes_all()) {
        (true, _) => (1, 20),
        (false, true) => (16, 3),
        (false, false) => (96, 3),
    };
    let records = public_play().into_iter().step_by(every).collect();
    // Some of these games are too large to be proved anything about, and a busy machine proves less in this time.
    check_games(records, 0, || {
        Limits::default().within(Duration::from_secs(seconds))
    });
}

/// A game of two players in turn who take stones away and may put others in their place; a player who
/// is in turn may also have to wait. Mostly stones are put further down, so that play comes to an end.
fn stones(random: &mut fastrand::Rng) -> String {
    let stones = random.usize(3..6);
    let mut text = "(role white) (role black) (init (turn white))
        (<= (next (turn white)) (true (turn black))) (<= (next (turn black)) (true (turn white)))
        (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
        (<= terminal (not open)) (goal white 50) (goal black 50)"
        .to_owned();
    for stone in 0..stones {
        if stone == 0 || random.bool() {
            text += &format!("(init (stone {stone}))");
        }
        text +=
            &format!("(<= (next (stone {stone})) (true (stone {stone})) (not (taken {stone})))");
    }
    // Sometimes both have to move at once, and sometimes play may go around in circles.
    let turn = if random.u8(..4) == 0 {
        "(role ?p)"
    } else {
        "(true (turn ?p))"
    };
    let circles = random.u8(..4) == 0;
    for action in 0..random.usize(2..5) {
        let taken = random.usize(..stones);
        let mut others: Vec<usize> = (0..stones).filter(|_| random.u8(..3) == 0).collect();
        others.retain(|&stone| circles || stone > taken);
        text += &format!(
            "(<= (legal ?p (take {action})) {turn} (true (stone {taken})))
             (<= open (true (stone {taken})))
             (<= (taken {taken}) (does ?p (take {action})))"
        );
        for stone in others {
            text += &format!("(<= (next (stone {stone})) (does ?p (take {action})))");
        }
    }
    text
}

#[test]
fn no_play_is_longer_than_was_proved() {
    let counts: Mutex<HashMap<&str, usize>> = Mutex::default();
    in_parallel((0..rounds(150)).collect::<Vec<u64>>(), |seed| {
        let text = stones(&mut fastrand::Rng::with_seed(seed));
        let game = game(&format!("stones_{seed}"), &text);
        let (_, longest) = enumerate(&game);
        for route in [Route::AnswerSets, Route::Circuit] {
            let mut prover = Prover::new(&game, settings(route)).unwrap();
            for Finding { property, verdict } in all(&mut prover) {
                if let (Property::Terminates(steps), Verdict::Proved(proof)) = (property, verdict) {
                    let at = format!("game {seed}, {route:?}: {steps}, {proof:?}\n{text}");
                    assert!(
                        longest <= steps as usize && longest < FOREVER,
                        "{longest} {at}"
                    );
                    *counts.lock().unwrap().entry(proof.method).or_default() += 1;
                }
            }
        }
        Ok(())
    });
    let counts = counts.into_inner().unwrap();
    say(&format!("games whose plays are over some time: {counts:?}"));
    // The fewer games of `make test` have no such sums.
    let sums = counts.get("a sum that falls").copied().unwrap_or(0);
    assert!(sums > 5 || rounds(150_u64) < 150, "{counts:?}");
}

/// Two lamps that are only together what they seem: each is switched by the other.
const TOGETHER: &str = "(role p) (init (a off)) (init (b off)) (legal p go) (legal p stay)
    (<= (next (a on)) (does p go) (true (b off))) (<= (next (a off)) (does p go) (true (b on)))
    (<= (next (a ?x)) (does p stay) (true (b ?x)))
    (<= (next (b on)) (does p go) (true (a off))) (<= (next (b off)) (does p go) (true (a on)))
    (<= (next (b ?x)) (does p stay) (true (a ?x)))
    (<= terminal (true (a done))) (goal p 0)";

#[test]
fn what_holds_only_together_is_proved_together() {
    let game = game("together", TOGETHER);
    for route in [Route::AnswerSets, Route::Circuit] {
        let one_step = Settings {
            max_steps: 1,
            ..settings(route)
        };
        let mut prover = Prover::new(&game, one_step).unwrap();
        let [a, b] = ["unique (a _)", "unique (b _)"].map(|text| Property::parse(text).unwrap());
        // Alone neither follows from itself.
        for property in [&a, &b] {
            let verdict = prover.prove(property, &[]).unwrap();
            assert_eq!(verdict.word(), "not-inductive", "{property}");
        }
        let findings = prover.prove_features().unwrap();
        for (property, other) in [(&a, &b), (&b, &a)] {
            let finding = findings
                .iter()
                .find(|finding| finding.property == *property)
                .unwrap();
            let Verdict::Proved(proof) = &finding.verdict else {
                panic!("{property}: {:?}", finding.verdict);
            };
            assert!(
                proof.using.contains(&other.to_string()),
                "{:?}",
                proof.using
            );
        }
    }
}

/// `bad` follows `p`, and `p` follows `a` without `b`, which both stay as they are: that `bad` never
/// holds shows only when three states in a row are looked at.
const LATE: &str = "(role go) (init a) (init b) (legal go on)
    (<= (next a) (true a)) (<= (next b) (true b))
    (<= (next p) (true a) (not (true b))) (<= (next bad) (true p))
    (<= terminal (true bad)) (goal go 0)";

#[test]
fn some_properties_need_several_steps() {
    let game = game("late", LATE);
    let property = Property::parse("(not (true bad))").unwrap();
    for route in [Route::AnswerSets, Route::Circuit] {
        for steps in [1, 2, 3] {
            let limits = Settings {
                max_steps: steps,
                ..settings(route)
            };
            let mut prover = Prover::new(&game, limits).unwrap();
            match prover.prove(&property, &[]).unwrap() {
                Verdict::Proved(proof) => assert_eq!((steps, proof.steps), (3, 3), "{route:?}"),
                Verdict::NotInductive(_) => assert!(steps < 3, "{route:?}"),
                other => panic!("{route:?}: {other:?}"),
            }
        }
    }
}
