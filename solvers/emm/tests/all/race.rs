//! Random races: pieces that move forwards by what a die shows, in which play leads to one state after different numbers of steps.

use circuit::{Circuit, Literal, Step};
use fastrand::Rng;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use sqasp_emm::{Agent, Problem};

/// A race: each step the player on turn, or each of two players, chooses a piece, which moves by what the die shows, or not at all if that is too
/// far. Some races go slightly wrong: a piece can be sent back, or a step may change nothing but the turn.
pub fn random_race(random: &mut Rng) -> Problem {
    let mut circuit = Circuit::new();
    let (pieces, length, sides) = (random.usize(1..4), random.usize(2..6), random.usize(1..4));
    let mut facts: Vec<Literal> = (0..pieces * length).map(|_| circuit.input(0)).collect();
    let turn = circuit.input(0);
    facts.push(turn);
    let at = |piece: usize, index: usize| facts[piece * length + index];
    let mut agents = vec![Agent::Maximizer, Agent::Adversary];
    if random.bool() {
        agents[1] = Agent::Chance;
    }
    let (mut moves, mut legal) = (Vec::new(), Vec::new());
    for player in 0..2 {
        let own = if player == 0 { turn } else { !turn };
        let inputs: Vec<Literal> = (0..=pieces).map(|_| circuit.input(1)).collect();
        let mut allowed: Vec<Literal> = (0..pieces)
            .map(|piece| circuit.and([own, !at(piece, length - 1)]))
            .collect();
        let is_stuck = circuit.and(allowed.iter().map(|&legal| !legal));
        // A player who may move seldom waits.
        let waits = random.usize(0..10) == 0;
        allowed.push(if waits { Literal::TRUE } else { is_stuck });
        moves.push(inputs);
        legal.push(allowed);
    }
    agents.push(Agent::Chance);
    moves.push((0..sides).map(|_| circuit.input(1)).collect());
    legal.push(vec![Literal::TRUE; sides]);
    let sent_back = (random.usize(0..5) == 0).then(|| random.usize(..pieces));
    let stays_where_too_far = random.bool();
    let mut next = Vec::new();
    for piece in 0..pieces {
        let chosen = circuit.or([moves[0][piece], moves[1][piece]]);
        let mut indices: Vec<Vec<Literal>> = vec![Vec::new(); length];
        for from in 0..length {
            indices[from].push(circuit.and([at(piece, from), !chosen]));
            for (side, &shows) in moves[2].iter().enumerate() {
                let to = match from + side + 1 {
                    to if to < length => to,
                    _ if stays_where_too_far => from,
                    _ => length - 1,
                };
                let to = match sent_back {
                    Some(other) if other == piece && side == 0 => 0,
                    _ => to,
                };
                indices[to].push(circuit.and([at(piece, from), chosen, shows]));
            }
        }
        next.extend(indices.into_iter().map(|ways| circuit.or(ways)));
    }
    next.push(match random.bool() {
        true => !turn,
        false => circuit.or([turn, moves[2][0]]),
    });
    let goals: Vec<Literal> = (0..pieces).map(|piece| at(piece, length - 1)).collect();
    let terminal = match random.bool() {
        true => circuit.or(goals.iter().copied()),
        false => circuit.and(goals.iter().copied()),
    };
    let share = BigRational::new(BigInt::one(), BigInt::from(2));
    Problem {
        payoff: vec![(share.clone(), goals[0]), (share, turn)],
        unfinished: BigRational::default(),
        flaw: Literal::FALSE,
        step: Step {
            goals: vec![Vec::new(); agents.len()],
            initial: (0..pieces * length + 1)
                .map(|fact| fact == pieces * length || fact % length == 0)
                .collect(),
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
