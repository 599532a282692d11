//! Flattening: gates over facts as sums of products, by the distributive law, so that the order in which rules combine things is gone.
//!
//! Five dice that are added up one after the other have a total that does not change if two of them are exchanged, but the gates
//! for it do: symmetries of gates are fewer than symmetries of functions. In a sum of products nothing tells the dice
//! apart.
//!
//! ```text
//! a, b, c show 4 in all     (a1 b1) c2 + (a1 b2 + a2 b1) c1     where a and b are added first
//!                            a1 b1 c2  +  a1 b2 c1 + a2 b1 c1   the same, flat
//! ```
//!
//! A gate stays a gate of its own if results or gates with moves use it, or if it depends on all facts of a kind or on none, as
//! the total of all dice does and that of some does not. Facts are of one kind if what they are next has the same shape.

use crate::bounds::{MAX_FLAT_LITERALS, MAX_PRODUCTS, MAX_SUPPORT_WORDS};
use crate::problem::Problem;
use circuit::{Circuit, Signal};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// The problem with the same functions, flattened where they are over facts only; nothing if that changes no gate, or is too
/// much work.
pub fn flattened(problem: &Problem, facts: &[usize]) -> Option<Problem> {
    let step = &problem.step;
    let mut roots = problem.ends();
    roots.extend(step.legal.iter().flatten());
    roots.extend(facts.iter().map(|&fact| step.next[fact]));
    let cone = step.circuit.cone(&roots);
    let mut gates = Gates::new(&step.circuit, &cone, &roots);
    gates.mixed().next()?;
    gates.keep_whole(problem, facts, &cone)?;
    let chosen: Vec<Signal> = gates.mixed().collect();
    let mut sums = gates.sums(&chosen)?;
    let mut circuit = step.circuit.clone();
    let mut images = FxHashMap::default();
    for signal in chosen {
        let products = sums.remove(&signal).expect("it was asked for");
        let mut image = |&signal: &Signal| match images.get(&signal.node()) {
            Some(image) => Signal::negated_if(*image, signal.is_negated()),
            None => signal,
        };
        let product = |product: &Vec<Signal>| circuit.and(product.iter().map(&mut image));
        let products: Vec<Signal> = products.iter().map(product).collect();
        let flat = circuit.or(products);
        images.insert(signal.node(), flat.negated_if(signal.is_negated()));
    }
    let mut flat = problem.clone();
    let found = circuit.substitute(&roots, &cone, &mut images);
    let results = [&mut flat.step.terminal, &mut flat.flaw].into_iter();
    let results = results.chain(flat.payoff.iter_mut().map(|(_, signal)| signal));
    let results = results.chain(flat.step.legal.iter_mut().flatten());
    let (ends, next) = found.split_at(found.len() - facts.len());
    results
        .zip(ends)
        .for_each(|(result, &found)| *result = found);
    for (&fact, &found) in facts.iter().zip(next) {
        flat.step.next[fact] = found;
    }
    flat.step.circuit = circuit;
    Some(flat)
}

/// The gates over facts.
struct Gates<'a> {
    circuit: &'a Circuit,
    /// In ascending order.
    nodes: Vec<usize>,
    /// Whether each node stays a gate of its own.
    is_kept: Vec<bool>,
    /// By node: the products of its sum and of that of its negation, where gates that are kept are single.
    products: Vec<[usize; 2]>,
    /// By node and by whether it is negated: whether anything is distributed on the way to its sum.
    is_mixed: Vec<[bool; 2]>,
}

impl<'a> Gates<'a> {
    /// The gates of a cone; only those are kept that roots or gates with moves use.
    fn new(circuit: &'a Circuit, cone: &[usize], roots: &[Signal]) -> Self {
        let is_over_facts = |node: &usize| {
            !circuit.gate(*node).is_empty() && circuit.level(circuit.signal(*node)) == 0
        };
        let mut is_kept = vec![false; circuit.node_count()];
        (circuit.boundary(roots).iter()).for_each(|&node| is_kept[node] = true);
        let mut gates = Gates {
            circuit,
            nodes: cone.iter().copied().filter(is_over_facts).collect(),
            is_kept,
            products: vec![[1; 2]; circuit.node_count()],
            is_mixed: vec![[false; 2]; circuit.node_count()],
        };
        gates.count();
        gates
    }

    /// Whether a signal stands for the sum of products below it, not for itself.
    fn is_open(&self, signal: Signal) -> bool {
        !self.is_kept[signal.node()] && !self.circuit.gate(signal.node()).is_empty()
    }

    fn count(&mut self) {
        for &node in &self.nodes {
            let (mut counts, mut mixed) = ([1usize, 0], [false; 2]);
            for &input in self.circuit.gate(node) {
                let of = |signal: Signal| match self.is_open(signal) {
                    true => {
                        let index = usize::from(signal.is_negated());
                        let (counts, mixed) =
                            (self.products[signal.node()], self.is_mixed[signal.node()]);
                        (counts[index], mixed[index])
                    }
                    false => (1, false),
                };
                let ((count, is_mixed), other) = (of(input), of(!input));
                counts = [
                    counts[0].saturating_mul(count),
                    counts[1].saturating_add(other.0),
                ];
                mixed = [mixed[0] || is_mixed || count > 1, mixed[1] || other.1];
            }
            (self.products[node], self.is_mixed[node]) = (counts, mixed);
        }
    }

    /// Those that are kept and become flat, each negated if that makes fewer products.
    fn mixed(&self) -> impl Iterator<Item = Signal> {
        let kept = self.nodes.iter().filter(|&&node| self.is_kept[node]);
        kept.filter_map(|&node| {
            let [plain, negated] = self.products[node];
            let index = usize::from(negated <= plain);
            let is_flattened = self.is_mixed[node][index] && plain.min(negated) <= MAX_PRODUCTS;
            is_flattened.then(|| self.circuit.signal(node).negated_if(index == 1))
        })
    }

    /// Keeps all that depend on all facts of a kind or on none; nothing if there are too many to find out.
    fn keep_whole(&mut self, problem: &Problem, facts: &[usize], cone: &[usize]) -> Option<()> {
        let step = &problem.step;
        let words = facts.len().div_ceil(64);
        if self.nodes.len() * words > MAX_SUPPORT_WORDS {
            return None;
        }
        let shapes = shapes(problem, cone);
        let mut kinds: FxHashMap<u64, Vec<u64>> = FxHashMap::default();
        let mut supports: FxHashMap<usize, Vec<u64>> = FxHashMap::default();
        for (index, &fact) in facts.iter().enumerate() {
            let signal = step.next[fact];
            let shape = (shapes[signal.node()], signal.is_negated());
            let kind = kinds.entry(hash(shape)).or_insert_with(|| vec![0; words]);
            kind[index / 64] |= 1 << (index % 64);
            let mut support = vec![0; words];
            support[index / 64] = 1 << (index % 64);
            supports.insert(step.facts[fact].node(), support);
        }
        for &node in &self.nodes {
            let mut support = vec![0; words];
            for input in self.circuit.gate(node) {
                let more = supports.get(&input.node()).into_iter().flatten();
                support
                    .iter_mut()
                    .zip(more)
                    .for_each(|(all, more)| *all |= more);
            }
            let is_whole = |kind: &Vec<u64>| {
                let mut pairs = kind.iter().zip(&support);
                let is_inside = pairs.clone().all(|(kind, support)| kind & !support == 0);
                is_inside || pairs.all(|(kind, support)| kind & support == 0)
            };
            self.is_kept[node] |= kinds.values().all(is_whole);
            supports.insert(node, support);
        }
        self.count();
        Some(())
    }

    /// The sums of products of some signals, and of all below that are not kept; nothing if that is too much.
    fn sums(&self, wanted: &[Signal]) -> Option<FxHashMap<Signal, Vec<Vec<Signal>>>> {
        let of_node = |node: usize| {
            let signal = self.circuit.signal(node);
            [signal, !signal]
        };
        // The inputs of a gate are negated with it: then it is a sum.
        let inputs = |signal: Signal| {
            let inputs = self.circuit.gate(signal.node()).iter();
            inputs.map(move |input| input.negated_if(signal.is_negated()))
        };
        let mut needed: FxHashSet<Signal> = wanted.iter().copied().collect();
        for signal in self.nodes.iter().rev().flat_map(|&node| of_node(node)) {
            if needed.contains(&signal) {
                needed.extend(inputs(signal).filter(|&input| self.is_open(input)));
            }
        }
        let mut sums: FxHashMap<Signal, Vec<Vec<Signal>>> = FxHashMap::default();
        let mut literals = 0;
        for signal in self.nodes.iter().flat_map(|&node| of_node(node)) {
            if !needed.contains(&signal) {
                continue;
            }
            let mut sum: Vec<Vec<Signal>> = match signal.is_negated() {
                true => Vec::new(),
                false => vec![Vec::new()],
            };
            for input in inputs(signal) {
                let single = vec![vec![input]];
                let below = match self.is_open(input) {
                    true => &sums[&input],
                    false => &single,
                };
                if signal.is_negated() {
                    sum.extend(below.iter().cloned());
                } else {
                    let joined = sum
                        .iter()
                        .flat_map(|one| below.iter().map(|other| [&one[..], other].concat()));
                    sum = joined.collect();
                }
            }
            literals += sum.iter().map(Vec::len).sum::<usize>();
            if literals > MAX_FLAT_LITERALS {
                return None;
            }
            sums.insert(signal, sum);
        }
        Some(sums)
    }
}

/// By node of a cone, the shape of what it is made of: inputs of one kind look alike.
fn shapes(problem: &Problem, cone: &[usize]) -> Vec<u64> {
    let step = &problem.step;
    let mut shapes = vec![0; step.circuit.node_count()];
    for (agent, moves) in (1u64..).zip(&step.moves) {
        moves.iter().for_each(|input| shapes[input.node()] = agent);
    }
    let mut inputs: Vec<(u64, bool)> = Vec::new();
    for &node in cone {
        if !step.circuit.gate(node).is_empty() {
            inputs.clear();
            let gate = step.circuit.gate(node).iter();
            inputs.extend(gate.map(|input| (shapes[input.node()], input.is_negated())));
            inputs.sort_unstable();
            shapes[node] = hash(&inputs);
        }
    }
    shapes
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Agent;
    use crate::symmetry::{generators, orbits};
    use circuit::Step;
    use num_rational::BigRational;

    /// Three dice with three sides that are thrown again and again, added up one after the other. Won is a sum of 6 or more; the worth of
    /// the first side of the first die is given.
    fn dice(first: usize) -> Problem {
        let mut circuit = Circuit::new();
        let facts: Vec<Signal> = (0..9).map(|_| circuit.input(0)).collect();
        let throws: Vec<Signal> = (0..27).map(|_| circuit.input(1)).collect();
        let noop = circuit.input(1);
        let mut next = Vec::new();
        let mut sums = vec![Signal::TRUE];
        for die in 0..3 {
            let mut more = vec![Signal::FALSE; sums.len() + 3];
            for side in 0..3 {
                let shown = (0..27).filter(|throw| throw / [1, 3, 9][die] % 3 == side);
                next.push(circuit.or(shown.map(|throw| throws[throw])));
                let worth = if die + side == 0 { first } else { side + 1 };
                for (sum, &before) in sums.iter().enumerate() {
                    let made = circuit.and([before, facts[3 * die + side]]);
                    more[sum + worth] = circuit.or([more[sum + worth], made]);
                }
            }
            sums = more;
        }
        let won = circuit.or(sums[6..].iter().copied());
        Problem {
            agents: vec![Agent::Maximizer, Agent::Chance],
            payoff: vec![(BigRational::from_integer(1.into()), won)],
            flaw: Signal::FALSE,
            step: Step {
                initial: vec![false; 9],
                legal: vec![vec![Signal::TRUE], vec![Signal::TRUE; 27]],
                moves: vec![vec![noop], throws],
                goals: vec![Vec::new(); 2],
                terminal: won,
                circuit,
                facts,
                next,
            },
        }
    }

    #[test]
    fn dice_that_are_added_up_may_be_exchanged() {
        let facts: Vec<usize> = (0..9).collect();
        let orbits = |problem: &Problem| orbits(9, &generators(problem, &facts, || true));
        let problem = dice(1);
        assert_eq!(orbits(&problem), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let flat = flattened(&problem, &facts).expect("a sum of sums");
        assert_eq!(orbits(&flat), [0, 1, 2, 0, 1, 2, 0, 1, 2]);
        // Here the first die differs: its first two sides are worth the same.
        let flat = flattened(&dice(2), &facts).expect("a sum of sums");
        assert_eq!(orbits(&flat), [0, 0, 2, 3, 4, 5, 3, 4, 5]);
    }

    #[test]
    fn functions_stay_the_same() {
        let facts: Vec<usize> = (0..9).collect();
        let problem = dice(2);
        let flat = flattened(&problem, &facts).expect("a sum of sums");
        for state in 0..1 << 9 {
            let shown = |step: &Step| {
                let shown = (0..9).filter(|fact| state >> fact & 1 == 1);
                let values = step.circuit.evaluate(shown.map(|fact| step.facts[fact]));
                step.terminal.holds(&values)
            };
            assert_eq!(shown(&problem.step), shown(&flat.step), "state {state}");
        }
    }
}
