//! Random games in which facts stay and exclude each other.

use circuit::{Circuit, Literal, Step};
use fastrand::Rng;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use sqasp_emm::{Agent, Problem};

/// Some of these, at least one.
fn some<T: Copy>(random: &mut Rng, all: &[T], most: usize) -> Vec<T> {
    let count = random.usize(1..=most.min(all.len()));
    (0..count).map(|_| all[random.usize(..all.len())]).collect()
}

/// A board: cells are claimed for one of several colours; lines of cells of one colour end the play or
/// pay. Everything may go slightly wrong: cells that are taken again, lines that allow a move, take
/// stones away or need an empty cell. There may be facts that say of cells that they are empty.
pub fn random_board(random: &mut Rng, says_empty: bool) -> Problem {
    let mut circuit = Circuit::new();
    let (cells, colours) = (random.usize(2..6), random.usize(1..4));
    let mut facts: Vec<Literal> = (0..cells * colours + 1).map(|_| circuit.input(0)).collect();
    let turn = facts[cells * colours];
    let empty: Vec<Literal> = match says_empty {
        true => (0..cells).map(|_| circuit.input(0)).collect(),
        false => Vec::new(),
    };
    facts.extend(&empty);
    let stone = |cell: usize, colour: usize| facts[cell * colours + colour];
    let taken: Vec<Literal> = (0..cells)
        .map(|cell| match empty.get(cell) {
            Some(&empty) => !empty,
            None => circuit.or((0..colours).map(|colour| stone(cell, colour))),
        })
        .collect();
    let mut lines = Vec::new();
    for _ in 0..random.usize(1..7) {
        let colour = random.usize(..colours);
        let stones: Vec<Literal> = (0..cells).map(|cell| stone(cell, colour)).collect();
        let mut line = some(random, &stones, 3);
        match random.usize(0..12) {
            0 => line.push(!taken[random.usize(..cells)]),
            1 => line.push(facts[random.usize(..facts.len())]),
            2 => line.push(turn),
            _ => {}
        }
        lines.push(circuit.and(line));
    }
    // Two players who may both move, or wait for their turn; and chance.
    let takes_turns = random.bool();
    let (mut moves, mut legal) = (Vec::new(), Vec::new());
    let mut agents = vec![Agent::Maximizer, Agent::Adversary];
    if random.usize(0..3) == 0 {
        agents[1] = Agent::Chance;
    }
    for player in 0..2 {
        moves.push((0..=cells).map(|_| circuit.input(1)).collect::<Vec<_>>());
        let own = match (takes_turns, player) {
            (false, _) => Literal::TRUE,
            (true, 0) => turn,
            (true, _) => !turn,
        };
        let mut allowed: Vec<Literal> = taken
            .iter()
            .map(|&taken| circuit.and([own, !taken]))
            .collect();
        if random.usize(0..8) == 0 {
            let index = random.usize(..cells);
            allowed[index] = circuit.or([allowed[index], lines[random.usize(..lines.len())]]);
        }
        allowed.push(if takes_turns { !own } else { Literal::TRUE });
        legal.push(allowed);
    }
    let outcomes = random.usize(1..4);
    agents.push(Agent::Chance);
    moves.push((0..outcomes).map(|_| circuit.input(1)).collect());
    legal.push(vec![Literal::TRUE; outcomes]);
    // The player who claims a cell and the outcome of chance decide the colour that it gets.
    let table: Vec<Vec<usize>> = (0..2)
        .map(|_| (0..outcomes).map(|_| random.usize(..colours)).collect())
        .collect();
    let mut next = Vec::new();
    for cell in 0..cells {
        let first = circuit.and([moves[0][cell], !taken[cell]]);
        let second = circuit.and([moves[1][cell], !moves[0][cell], !taken[cell]]);
        for colour in 0..colours {
            let mut ways = Vec::new();
            for (claimed, colour_of) in [first, second].into_iter().zip(&table) {
                let lucky = (0..outcomes).filter(|&o| colour_of[o] == colour);
                let lucky = circuit.or(lucky.map(|outcome| moves[2][outcome]));
                ways.push(circuit.and([claimed, lucky]));
            }
            ways.push(match random.usize(0..40) {
                0 => circuit.and([stone(cell, colour), !lines[random.usize(..lines.len())]]),
                1 => moves[0][cell],
                _ => stone(cell, colour),
            });
            next.push(circuit.or(ways));
        }
    }
    next.push(!turn);
    for (cell, &empty) in empty.iter().enumerate() {
        next.push(circuit.and([empty, !moves[0][cell], !moves[1][cell]]));
    }
    let ends = some(random, &lines, 3);
    let full = circuit.and(taken.iter().copied());
    let terminal = match random.usize(0..4) {
        0 => full,
        1 => circuit.or(ends),
        _ => {
            let line = circuit.or(ends);
            circuit.or([line, full])
        }
    };
    // No side is asked for a move without having one.
    let stuck: Vec<Literal> = legal
        .iter()
        .map(|legal| circuit.and(legal.iter().map(|&legal| !legal)))
        .collect();
    let terminal = circuit.or(stuck.into_iter().chain([terminal]));
    let paid = random.usize(1..3);
    let payoff = (0..paid)
        .map(|_| {
            let signals = some(random, &lines, 3);
            (
                BigRational::new(BigInt::one(), BigInt::from(paid)),
                circuit.or(signals),
            )
        })
        .collect();
    Problem {
        payoff,
        unfinished: BigRational::default(),
        flaw: Literal::FALSE,
        step: Step {
            goals: vec![Vec::new(); agents.len()],
            initial: facts.iter().map(|fact| empty.contains(fact)).collect(),
            circuit,
            facts,
            moves,
            legal,
            terminal,
            next,
        },
        agents,
    }
}
