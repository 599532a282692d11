//! One step of a game as a circuit, against the reasoner, along random play.

use crate::common::{checked_in_game, game, game_files, rounds};
use gdl::Term;
use gdl::game::Game;
use generators::{random_game, signals};
use limits::Limits;
use rules::{Reasoner, RuleLimits};
use std::time::Instant;
use step::{GroundStep, PlayoutSettings, StateMachine, StepLimits, ground_step, ground_step_from};

fn texts(terms: &[Term]) -> Vec<String> {
    terms.iter().map(Term::to_string).collect()
}

fn chosen<'a>(terms: impl IntoIterator<Item = (&'a Term, bool)>) -> Vec<String> {
    let terms = terms.into_iter().filter(|(_, holds)| *holds);
    terms.map(|(term, _)| term.to_string()).collect()
}

/// Plays at random and compares everything in every state.
fn compare(game: &Game, ground: &GroundStep, seed: u64, plies: usize) -> usize {
    let name = game.name();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut reasoner = Reasoner::new(game).unwrap();
    let mut state = reasoner.initial().unwrap();
    let mut bits = ground.step.initial.clone();
    for ply in 0..plies {
        let at = format!("{name}, seed {seed}, ply {ply}");
        let holds = signals(&ground.step, &bits, &[]);
        let facts = ground.facts.iter().zip(bits.iter().copied());
        assert_eq!(texts(&reasoner.facts(&state)), chosen(facts), "{at}");
        let terminal = reasoner.terminal(&state).unwrap();
        assert_eq!(terminal, holds(ground.step.terminal), "{at}");
        let mut joint_move = Vec::new();
        for role in 0..ground.roles.len() {
            let legal: Vec<bool> = ground.step.legal[role]
                .iter()
                .map(|&signal| holds(signal))
                .collect();
            let moves = ground.moves[role].iter().zip(legal.iter().copied());
            let expected = texts(&reasoner.legal(&state, role).unwrap());
            assert_eq!(expected, chosen(moves), "{at}");
            let goals = ground.goals[role]
                .iter()
                .map(|(term, signal)| (term, holds(*signal)));
            let expected = texts(&reasoner.goals(&state, role).unwrap());
            assert_eq!(expected, chosen(goals), "{at}");
            let legal: Vec<usize> = (0..legal.len()).filter(|&place| legal[place]).collect();
            joint_move.extend(random.choice(&legal));
        }
        if terminal || joint_move.len() < ground.roles.len() {
            return ply + 1;
        }
        let next = ground.step.next.iter().copied();
        bits = next
            .map(signals(&ground.step, &bits, &joint_move))
            .collect();
        let terms: Vec<Term> = joint_move
            .iter()
            .enumerate()
            .map(|(role, &action)| ground.moves[role][action].clone())
            .collect();
        state = reasoner.next(&state, &terms).unwrap();
    }
    plies
}

#[test]
fn our_games_are_played_as_by_the_reasoner() {
    for path in game_files() {
        let file = crate::common::file_name(&path);
        let game = checked_in_game(&file);
        let start = Instant::now();
        let ground = ground_step(&game, &StepLimits::default()).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        let states: usize = (0..rounds(20))
            .map(|seed| compare(&game, &ground, seed, 200))
            .sum();
        eprintln!(
            "{seconds:7.3} s  {file}: {} facts, {} instances, {} nodes; {states} states",
            ground.facts.len(),
            ground.instances,
            ground.step.circuit.node_count(),
        );
    }
}

#[test]
fn random_games_are_played_as_by_the_reasoner() {
    for seed in 0..rounds(300) {
        let random = random_game(seed);
        let game = game("random", &random.text);
        let ground = ground_step(&game, &StepLimits::default())
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        for playout in 0..10 {
            compare(&game, &ground, 1000 * seed + playout, 10);
        }
    }
}

/// How often each goal value of each role is reached in random play.
fn goals(machine: &mut StateMachine, seed: u64, playouts: u64) -> Vec<Vec<(Term, u64)>> {
    let settings = PlayoutSettings {
        playouts,
        depth: 20,
        seed,
        limits: Limits::default(),
    };
    let start = machine.initial().unwrap();
    let played = machine.playouts(&start, &settings).unwrap();
    assert_eq!(playouts, played.ended, "seed {seed}");
    assert!(played.states > playouts, "seed {seed}");
    played.goals
}

#[test]
fn plays_in_lanes_reach_goals_as_often_as_by_the_rules() {
    for seed in 0..rounds(40) {
        let text = random_game(seed).text;
        let game = game("random", &text);
        let by_rules = StateMachine::by_rules(Reasoner::new(&game).unwrap());
        let by_circuit =
            StateMachine::new(&game, &StepLimits::default(), RuleLimits::default()).unwrap();
        assert!(by_circuit.circuit().is_ok());
        let [few, many] = [400, 40_000];
        let rare = goals(&mut { by_rules }, seed, few);
        let often = goals(&mut { by_circuit }, seed, many);
        for (rare, often) in rare.iter().zip(&often) {
            for (value, count) in often {
                let found = rare.iter().find(|(other, _)| other == value);
                let found = found.map_or(0, |(_, count)| *count) as f64 / few as f64;
                let expected = *count as f64 / many as f64;
                // Five standard deviations, and what a rare event may miss.
                let spread = (expected * (1.0 - expected) / few as f64).sqrt();
                let error = (found - expected).abs();
                assert!(
                    error < 5.0 * spread + 0.01,
                    "seed {seed}, {value}: {found} {expected}"
                );
            }
        }
    }
}

#[test]
fn states_from_outside_are_played_by_the_rules_and_come_back() {
    let rules = "(role x) (init (at a)) (edge a b) (edge b c) (edge z a)
        (<= (legal x (go ?y)) (true (at ?x)) (edge ?x ?y)) (legal x stay)
        (<= (next (at ?y)) (does x (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does x stay))
        (<= terminal (true (at c))) (<= (goal x 100) (true (at c))) (<= (goal x 0) (not (true (at c))))";
    let game = game("path", rules);
    let mut machine =
        StateMachine::new(&game, &StepLimits::default(), RuleLimits::default()).unwrap();
    let [z, a] = ["(at z)", "(at a)"].map(|text| gdl::parse_terms(text).unwrap());
    let outside = machine.position(&z).unwrap();
    assert_eq!(
        texts(&machine.legal(&outside, 0).unwrap()),
        ["(go a)", "stay"]
    );
    let go = machine.legal(&outside, 0).unwrap()[0].clone();
    let back = machine.next(&outside, std::slice::from_ref(&go)).unwrap();
    let initial = machine.initial().unwrap();
    assert_eq!(back, initial);
    assert_eq!(back, machine.position(&a).unwrap());
    assert_eq!(machine.facts(&back), a);
    // A move that can never be legal does what the rules say.
    let elsewhere = machine
        .next(&initial, &gdl::parse_terms("(go z)").unwrap())
        .unwrap();
    assert_eq!(elsewhere, outside);
    // A circuit that is to know the state does.
    let ground = ground_step_from(&game, std::slice::from_ref(&z), &StepLimits::default()).unwrap();
    assert_eq!(
        ground
            .state(&z)
            .unwrap()
            .iter()
            .filter(|holds| **holds)
            .count(),
        1
    );
    let small = ground_step(&game, &StepLimits::default()).unwrap();
    assert_eq!(small.state(&z), Err(z[0].clone()));
}

#[test]
fn odd_rules_are_played_as_by_the_reasoner() {
    let frame = "(role x) (role y) (init (n 0)) (init (h a)) (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (next (n ?j)) (true (n ?i)) (succ ?i ?j)) (<= terminal (true (n 3)))
        (<= (goal ?r 100) (role ?r)) (<= (legal ?r (go ?i)) (role ?r) (true (n ?i)))
        (legal x noop)";
    for rules in [
        // Facts of a relation that also has rules, searched by a column.
        "(q a b) (q b a) (<= (q ?x ?x) (true (h ?x))) (<= (next (h ?y)) (true (h ?x)) (q ?x ?y))",
        // The same condition twice, and a fact that is searched whole.
        "(<= (next (h ?z)) (true (h ?x)) (true (h ?y)) (does x ?m) (f ?x ?y ?z)) (f a a b) (f a b c)
         (<= (next ?f) (true ?f) (does x noop) (distinct ?f (n 0)))",
        // Moves and facts inside functions, and variables that occur twice.
        "(<= (next (did ?r ?m)) (does ?r ?m)) (<= (next (same ?m)) (does ?r ?m) (does ?s ?m) (distinct ?r ?s))
         (<= (next (both ?i)) (true (did x (go ?i))) (true (did y (go ?i))))
         (<= (next (pair ?m ?m)) (true (did ?r ?m)) (not (true (pair ?m ?m))))",
        // Negation of what never is, of what always is, and of moves.
        "(<= (next never) (true (h b))) (<= (next (h a)) (not (true never)) (not (does y noop)))
         (<= (next odd) (true (h a)) (not (legal x noop))) (<= (next even) (not (does x noop)))",
        // Recursion with negation of something below, over two relations.
        "(<= (up ?i) (true (n ?i))) (<= (up ?j) (down ?i) (succ ?i ?j) (not (blocked ?j)))
         (<= (down ?i) (up ?i)) (<= (down ?i) (up ?j) (succ ?i ?j))
         (<= (blocked ?j) (does x (go ?i)) (succ ?i ?j)) (<= (next (seen ?i)) (up ?i))",
        // A role that is none, and moves named after facts.
        "(legal nobody fly) (<= (next flown) (does nobody fly)) (<= (legal y (copy ?m)) (true (h ?m)))",
    ] {
        let text = format!("{frame} {rules}");
        let game = game("odd", &text);
        let ground = ground_step(&game, &StepLimits::default())
            .unwrap_or_else(|error| panic!("{rules}: {error}"));
        let states: usize = (0..20).map(|seed| compare(&game, &ground, seed, 10)).sum();
        assert_eq!(states, 80, "{rules}");
    }
}

#[test]
fn what_cannot_be_grounded_says_why() {
    let raised = Limits::default();
    raised.interrupt.raise();
    let frame = "(role x) (legal x go) (<= terminal (true over)) (goal x 100)";
    for (rules, limits, expected) in [
        (
            "(init (n 0)) (<= (next (n (s ?x))) (true (n ?x)))",
            StepLimits {
                atoms: 1000,
                ..StepLimits::default()
            },
            "one step of the game has more than 1000 ground sentences",
        ),
        (
            "(init (n 0)) (<= (next (n (s ?x))) (true (n ?x)))",
            StepLimits {
                term_depth: 9,
                ..StepLimits::default()
            },
            "the rules build terms with functions nested more than 9 deep",
        ),
        (
            "(init a) (init b) (<= (next (p ?x ?y)) (true ?x) (true ?y))",
            StepLimits {
                instances: 3,
                ..StepLimits::default()
            },
            "the rules of the game have more than 3 ground instances",
        ),
        (
            "(init a) (init b) (<= (next (p ?x ?y)) (true ?x) (true ?y))",
            StepLimits {
                join_steps: 30,
                ..StepLimits::default()
            },
            "grounding one step of the game takes more than 30 steps",
        ),
        (
            "(init a) (init b) (<= (next c) (true a) (not (true b)))",
            StepLimits {
                gates: 3,
                ..StepLimits::default()
            },
            "the circuit of one step of the game has more than 3 gates",
        ),
        (
            "(init a)",
            StepLimits::default().within(&Limits::until(Instant::now())),
            "the time limit was reached while grounding one step of the game",
        ),
        (
            "(init a)",
            StepLimits::default().within(&raised),
            "interrupted while grounding one step of the game",
        ),
    ] {
        let text = format!("{frame} {rules}");
        let game = game("test", &text);
        let error = ground_step(&game, &limits).unwrap_err();
        assert_eq!(expected, error.to_string(), "{rules}");
    }
}
