//! Boards as steps built by hand, shared by the tests and the benchmark.

#![allow(dead_code, reason = "each user takes a part")]

use circuit::{Circuit, Literal, Step};
use num_rational::BigRational;
use sqasp_emm::{Agent, Problem};

/// A board game of two players, as in `scripts/board-game`.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// Whether stones fall (connect), or are put anywhere (tic-tac-toe).
    pub drop: bool,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Stones that win.
    pub line: usize,
    /// Whether the other side moves at random; else chance keeps the colour of a stone with `keep`
    /// of its moves and flips it with `flip` of them.
    pub against_random: bool,
    /// See there.
    pub keep: usize,
    /// See there.
    pub flip: usize,
    /// The player whose value is asked for: 0 moves first, 1 second.
    pub player: usize,
}

impl Board {
    /// The number of steps that every play takes at most.
    pub fn steps(&self) -> u32 {
        (self.width * self.height) as u32
    }

    fn lines(&self) -> Vec<Vec<usize>> {
        let (width, height) = (self.width as isize, self.height as isize);
        let mut lines = Vec::new();
        for x in 0..width {
            for y in 0..height {
                for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                    let cells = (0..self.line as isize).map(|n| (x + n * dx, y + n * dy));
                    let inside = |&(x, y): &(isize, isize)| {
                        (0..width).contains(&x) && (0..height).contains(&y)
                    };
                    if cells.clone().all(|cell| inside(&cell)) {
                        lines.push(cells.map(|(x, y)| (x * height + y) as usize).collect());
                    }
                }
            }
        }
        lines
    }

    /// The board as a problem. Facts: for each cell and colour a stone, then whose turn it is (one
    /// fact each). Agents: the two players, and chance unless it is one of them.
    pub fn problem(&self) -> Problem {
        let cells = self.width * self.height;
        let mut circuit = Circuit::new();
        let facts: Vec<Literal> = (0..2 * cells + 2).map(|_| circuit.input(0)).collect();
        let stone = |cell: usize, colour: usize| facts[2 * cell + colour];
        let control = [facts[2 * cells], facts[2 * cells + 1]];
        let indices = if self.drop { self.width } else { cells };
        // The last move is to wait.
        let mut moves: Vec<Vec<Literal>> = (0..2)
            .map(|_| (0..=indices).map(|_| circuit.input(1)).collect())
            .collect();
        let taken: Vec<Literal> = (0..cells)
            .map(|cell| circuit.or([stone(cell, 0), stone(cell, 1)]))
            .collect();
        let mut legal = Vec::new();
        for colour in 0..2 {
            let mut list: Vec<Literal> = (0..indices)
                .map(|index| {
                    let full = if self.drop {
                        taken[index * self.height + self.height - 1]
                    } else {
                        taken[index]
                    };
                    circuit.and([control[colour], !full])
                })
                .collect();
            list.push(control[1 - colour]);
            legal.push(list);
        }
        let mut kept = Literal::TRUE;
        let mut agents = vec![Agent::Adversary; 2];
        agents[self.player] = Agent::Maximizer;
        if self.against_random {
            agents[1 - self.player] = Agent::Chance;
        } else {
            let outcomes: Vec<Literal> = (0..self.keep + self.flip)
                .map(|_| circuit.input(1))
                .collect();
            kept = circuit.or(outcomes[..self.keep].iter().copied());
            legal.push(vec![Literal::TRUE; outcomes.len()]);
            moves.push(outcomes);
            agents.push(Agent::Chance);
        }
        let mut next = Vec::new();
        for cell in 0..cells {
            let placed: Vec<Literal> = (0..2)
                .map(|colour| {
                    let index = if self.drop { cell / self.height } else { cell };
                    let mut parts = vec![control[colour], moves[colour][index], !taken[cell]];
                    if self.drop && cell % self.height > 0 {
                        parts.push(taken[cell - 1]);
                    }
                    circuit.and(parts)
                })
                .collect();
            for colour in 0..2 {
                let own = circuit.and([placed[colour], kept]);
                let other = circuit.and([placed[1 - colour], !kept]);
                next.push(circuit.or([stone(cell, colour), own, other]));
            }
        }
        next.extend([control[1], control[0]]);
        let won: Vec<Literal> = (0..2)
            .map(|colour| {
                let lines: Vec<Literal> = self
                    .lines()
                    .iter()
                    .map(|line| circuit.and(line.iter().map(|&cell| stone(cell, colour))))
                    .collect();
                circuit.or(lines)
            })
            .collect();
        let full = circuit.and(taken.iter().copied());
        let terminal = circuit.or([won[0], won[1], full]);
        let mut initial = vec![false; facts.len()];
        initial[2 * cells] = true;
        let goals = vec![Vec::new(); moves.len()];
        Problem {
            payoff: vec![(BigRational::from_integer(1.into()), won[self.player])],
            unfinished: BigRational::default(),
            flaw: Literal::FALSE,
            agents,
            step: Step {
                circuit,
                facts,
                initial,
                moves,
                legal,
                terminal,
                goals,
                next,
            },
        }
    }
}
