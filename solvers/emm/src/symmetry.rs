//! Symmetries of a step: permutations of facts and of each agent's moves that change nothing.
//!
//! The circuit is turned into a coloured graph: a node for each gate, input, and negated signal that
//! is used; edges from gates to their inputs; and nodes that tie a fact to what it is next, and a move
//! to what makes it legal. Colours tell apart what must not be exchanged: agents, payoffs, the end,
//! and gates of different depth, so that edges need no direction. Automorphisms of the graph (module
//! [`circuit::automorphism`]) are candidates.
//!
//! Each candidate is checked. The images of facts and moves are put into the circuit, and what comes out
//! must be the same signals: `next` of the image of each fact, `legal` of the image of each move, the
//! same end and payoffs. Then states that are images of each other have equal values, since the value is
//! defined by these alone.

use crate::keys::Permutation;
use crate::policy::{MAX_CHECKED_GATES, MAX_SYMMETRY_EFFORT};
use crate::problem::Problem;
use base::graph::UnionFind;
use circuit::automorphism::ColouredGraph;
use circuit::{Circuit, Literal};
use rustc_hash::FxHashMap;

/// A permutation of facts and of the moves of each agent.
#[derive(Clone, Debug)]
pub struct Symmetry {
    /// The image of each relevant fact, both by index in their list.
    pub facts: Permutation,
    /// For each agent the image of each move.
    pub moves: Vec<Permutation>,
}

/// Generators of a group of symmetries, for these facts (the relevant ones). `go_on` is called now and then; if it says `false`
/// the search ends.
pub fn generators(
    problem: &Problem,
    facts: &[usize],
    mut go_on: impl FnMut() -> bool,
) -> Vec<Symmetry> {
    let structure = Structure::new(problem, facts);
    let found = (structure.graph).generators(MAX_SYMMETRY_EFFORT, &mut go_on);
    let mut circuit = problem.step.circuit.clone();
    let cone = circuit.cone(&structure.roots);
    let most = MAX_CHECKED_GATES / cone.len().max(1);
    let mut symmetries = Vec::new();
    for moves in found.generators.iter().rev().take(most) {
        if !go_on() {
            break;
        }
        let images: FxHashMap<u32, u32> = moves.iter().copied().collect();
        let checked = structure.check(problem, facts, &images, &cone, &mut circuit);
        let is_identity = |p: &Permutation| p.iter().zip(0..).all(|(&to, from)| to == from);
        symmetries.extend(checked.filter(|found| !is_identity(&found.facts)));
    }
    symmetries
}

/// For each fact the first one that symmetries map it to.
pub fn orbits(facts: usize, symmetries: &[Symmetry]) -> Vec<usize> {
    let mut union = UnionFind::new(facts);
    for symmetry in symmetries {
        for (fact, &image) in (0..).zip(&symmetry.facts) {
            union.join(fact, image);
        }
    }
    (0..facts as u32)
        .map(|fact| union.find(fact) as usize)
        .collect()
}

/// The kind of a node of the graph; nodes of one kind may be exchanged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Kind {
    Constant,
    Fact,
    /// A move of an agent, and whether it is always legal: then nothing ties it to what makes it legal.
    Move(u32, bool),
    Gate(u32),
    Negation(u32),
    Next,
    Legal(u32),
    End,
    Flaw,
    Payoff(u32),
}

struct Structure {
    graph: ColouredGraph<Kind>,
    /// The node of each signal.
    nodes: FxHashMap<Literal, u32>,
    /// For each agent the node of its first move; those of its other moves follow.
    first_moves: Vec<u32>,
    roots: Vec<Literal>,
}

impl Structure {
    fn new(problem: &Problem, facts: &[usize]) -> Self {
        let step = &problem.step;
        let circuit = &step.circuit;
        let mut roots = problem.ends();
        roots.extend(step.legal.iter().flatten());
        roots.extend(facts.iter().map(|&fact| step.next[fact]));
        let mut structure = Structure {
            graph: ColouredGraph::default(),
            nodes: FxHashMap::default(),
            first_moves: Vec::new(),
            roots,
        };
        structure.add(Literal::FALSE, Kind::Constant);
        for &fact in facts {
            structure.add(step.facts[fact], Kind::Fact);
        }
        for (agent, (moves, legal)) in (0..).zip(step.moves.iter().zip(&step.legal)) {
            structure.first_moves.push(structure.graph.nodes() as u32);
            for (&input, &legal) in moves.iter().zip(legal) {
                structure.add(input, Kind::Move(agent, legal == Literal::TRUE));
            }
        }
        let mut depths: FxHashMap<usize, u32> = FxHashMap::default();
        for node in circuit.cone(&structure.roots) {
            let gate = circuit.gate(node);
            if gate.is_empty() {
                continue;
            }
            let below = gate.iter().filter_map(|input| depths.get(&input.node()));
            let depth = below.max().map_or(0, |depth| depth + 1);
            depths.insert(node, depth);
            let here = structure.add(circuit.signal(node), Kind::Gate(depth));
            for &input in gate {
                let there = structure.literal(input, &depths);
                structure.graph.edge(here, there);
            }
        }
        for &fact in facts {
            let tie = structure.tie(step.next[fact], Kind::Next, &depths);
            let there = structure.nodes[&step.facts[fact]];
            structure.graph.edge(tie, there);
        }
        for (agent, (moves, legal)) in step.moves.iter().zip(&step.legal).enumerate() {
            let tied = moves.iter().zip(legal);
            for (&input, &legal) in tied.filter(|&(_, &legal)| legal != Literal::TRUE) {
                let tie = structure.tie(legal, Kind::Legal(agent as u32), &depths);
                let there = structure.nodes[&input];
                structure.graph.edge(tie, there);
            }
        }
        structure.tie(step.terminal, Kind::End, &depths);
        structure.tie(problem.flaw, Kind::Flaw, &depths);
        for (number, (_, signal)) in problem.payoff.iter().enumerate() {
            structure.tie(*signal, Kind::Payoff(number as u32), &depths);
        }
        structure
    }

    fn add(&mut self, signal: Literal, kind: Kind) -> u32 {
        let node = self.graph.node(kind);
        self.nodes.insert(signal, node);
        node
    }

    /// The node of a signal; that of a negated one is made when it is first used.
    fn literal(&mut self, signal: Literal, depths: &FxHashMap<usize, u32>) -> u32 {
        if let Some(&node) = self.nodes.get(&signal) {
            return node;
        }
        let depth = depths.get(&signal.node()).map_or(0, |depth| depth + 1);
        let there = self.nodes[&!signal];
        let node = self.add(signal, Kind::Negation(depth));
        self.graph.edge(node, there);
        node
    }

    /// A node of its own beside a signal.
    fn tie(&mut self, signal: Literal, kind: Kind, depths: &FxHashMap<usize, u32>) -> u32 {
        let there = self.literal(signal, depths);
        let node = self.graph.node(kind);
        self.graph.edge(node, there);
        node
    }

    /// The symmetry, if exchanging facts and moves like this changes nothing.
    fn check(
        &self,
        problem: &Problem,
        facts: &[usize],
        images: &FxHashMap<u32, u32>,
        cone: &[usize],
        circuit: &mut Circuit,
    ) -> Option<Symmetry> {
        let step = &problem.step;
        let image = |signal: Literal| {
            let node = self.nodes[&signal];
            images.get(&node).copied().unwrap_or(node)
        };
        let indices: FxHashMap<u32, usize> = (0..facts.len())
            .map(|index| (self.nodes[&step.facts[facts[index]]], index))
            .collect();
        let mut substitution = FxHashMap::default();
        let mut permutation = Permutation::new();
        for &fact in facts {
            let index = *indices.get(&image(step.facts[fact]))?;
            permutation.push(index as u32);
            let to = step.facts[facts[index]];
            substitution.insert(step.facts[fact].node(), to);
        }
        let mut targets = permutation.clone();
        targets.sort_unstable();
        targets.dedup();
        if targets.len() != facts.len() {
            return None;
        }
        let mut expected = problem.ends();
        let mut images_of_moves = Vec::new();
        let agents = step.moves.iter().zip(&step.legal);
        for ((moves, legal), &first) in agents.zip(&self.first_moves) {
            let mut used = vec![false; moves.len()];
            let mut map = Permutation::new();
            for (node, &input) in (first..).zip(moves) {
                let image = images.get(&node).copied().unwrap_or(node);
                let number = image.checked_sub(first)? as usize;
                if std::mem::replace(used.get_mut(number)?, true) {
                    return None;
                }
                if image != node {
                    substitution.insert(input.node(), moves[number]);
                }
                expected.push(legal[number]);
                map.push(number as u32);
            }
            images_of_moves.push(map);
        }
        let next = permutation
            .iter()
            .map(|&index| step.next[facts[index as usize]]);
        expected.extend(next);
        let found = circuit.substitute(&self.roots, cone, &mut substitution);
        (found == expected).then_some(Symmetry {
            facts: permutation,
            moves: images_of_moves,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Agent;
    use circuit::Step;
    use num_rational::BigRational;

    /// Lamps that are switched on, each by its own move; all on is the end. With `odd`, the last
    /// lamp needs the first.
    fn lamps(count: usize, odd: bool) -> Problem {
        let mut circuit = Circuit::new();
        let facts: Vec<Literal> = (0..count).map(|_| circuit.input(0)).collect();
        let moves: Vec<Literal> = (0..count).map(|_| circuit.input(1)).collect();
        let mut next = Vec::new();
        for number in 0..count {
            let mut made = moves[number];
            if odd && number + 1 == count {
                made = circuit.and([made, facts[0]]);
            }
            next.push(circuit.or([facts[number], made]));
        }
        let terminal = circuit.and(facts.iter().copied());
        Problem {
            agents: vec![Agent::Maximizer],
            payoff: vec![(BigRational::from_integer(1.into()), terminal)],
            unfinished: BigRational::default(),
            flaw: Literal::FALSE,
            step: Step {
                initial: vec![false; count],
                legal: vec![facts.iter().map(|&fact| !fact).collect()],
                moves: vec![moves],
                goals: vec![Vec::new()],
                circuit,
                facts,
                terminal,
                next,
            },
        }
    }

    fn orbit(problem: &Problem, fact: u32) -> Vec<u32> {
        let facts: Vec<usize> = (0..problem.step.facts.len()).collect();
        let generators = generators(problem, &facts, || true);
        let mut orbit = vec![fact];
        let mut next = 0;
        while next < orbit.len() {
            for generator in &generators {
                let image = generator.facts[orbit[next] as usize];
                if !orbit.contains(&image) {
                    orbit.push(image);
                }
            }
            next += 1;
        }
        orbit.sort_unstable();
        orbit
    }

    #[test]
    fn equal_lamps_may_be_exchanged() {
        assert_eq!(orbit(&lamps(5, false), 0), [0, 1, 2, 3, 4]);
        assert_eq!(orbit(&lamps(5, true), 0), [0]);
        assert_eq!(orbit(&lamps(5, true), 1), [1, 2, 3]);
        assert_eq!(orbit(&lamps(5, true), 4), [4]);
    }
}
