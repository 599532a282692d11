//! One step of a game as a circuit, against the reasoner, along random play.

mod common;

use circuit::Signal;
use common::{checked_in_game, game_files, rounds};
use sqasp::game::{Game, read};
use sqasp::gdl::{Options, Term};
use sqasp::machine::{GroundStep, Reasoner, StepLimits, ground_step, random_game};
use std::time::Instant;

/// The plain value of every node, for a state and joint moves.
fn evaluate(ground: &GroundStep, state: &[bool], joint_move: Option<&[usize]>) -> Vec<bool> {
    let step = &ground.step;
    let mut values = vec![false; step.circuit.node_count()];
    for (fact, &holds) in step.facts.iter().zip(state) {
        values[fact.node()] = holds;
    }
    for (role, &action) in joint_move.unwrap_or_default().iter().enumerate() {
        values[step.moves[role][action].node()] = true;
    }
    for node in 1..values.len() {
        let gate = step.circuit.gate(node);
        if !gate.is_empty() {
            values[node] = gate.iter().all(|&input| value(&values, input));
        }
    }
    values
}

fn value(values: &[bool], signal: Signal) -> bool {
    values[signal.node()] != signal.is_negated()
}

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
        let values = evaluate(ground, &bits, None);
        let facts = ground.facts.iter().zip(bits.iter().copied());
        assert_eq!(texts(&reasoner.facts(&state)), chosen(facts), "{at}");
        let terminal = reasoner.terminal(&state).unwrap();
        assert_eq!(terminal, value(&values, ground.step.terminal), "{at}");
        let mut joint_move = Vec::new();
        for role in 0..ground.roles.len() {
            let legal: Vec<bool> = ground.step.legal[role]
                .iter()
                .map(|&signal| value(&values, signal))
                .collect();
            let moves = ground.moves[role].iter().zip(legal.iter().copied());
            let expected = texts(&reasoner.legal(&state, role).unwrap());
            assert_eq!(expected, chosen(moves), "{at}");
            let goals = ground.goals[role]
                .iter()
                .map(|(term, signal)| (term, value(&values, *signal)));
            let expected = texts(&reasoner.goals(&state, role).unwrap());
            assert_eq!(expected, chosen(goals), "{at}");
            let legal: Vec<usize> = (0..legal.len()).filter(|&place| legal[place]).collect();
            joint_move.extend(random.choice(&legal));
        }
        if terminal || joint_move.len() < ground.roles.len() {
            return ply + 1;
        }
        let values = evaluate(ground, &bits, Some(&joint_move));
        let next = ground.step.next.iter();
        bits = next.map(|&signal| value(&values, signal)).collect();
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
        let file = common::file_name(&path);
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
        let game = read("random", random.text.as_bytes(), &Options::default())
            .unwrap_or_else(|refused| panic!("seed {seed}: {refused}"))
            .game;
        let ground = ground_step(&game, &StepLimits::default())
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        for playout in 0..10 {
            compare(&game, &ground, 1000 * seed + playout, 10);
        }
    }
}
