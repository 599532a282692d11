//! Flattening: gates as sums of products, by the distributive law, so that the order in which rules combine things is gone.
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
//! A gate stays a gate of its own if it is a result, or if it depends on all facts of a kind or on none, as
//! the total of all dice does and that of some does not. Facts are of one kind if what they are next has the same shape. Where a sum would be too
//! long, what it is made of stays. A product that has another one in it is left out of a sum: then "not two of three" is one sum, too, however it is counted.

use crate::policy::{FEWER_PRODUCTS, MAX_FLAT_LITERALS, MAX_PRODUCTS, MAX_SUPPORT_WORDS};
use crate::problem::Problem;
use circuit::{Circuit, Literal};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// The problem with the same functions, flattened; nothing if that changes no gate, or is too much work.
pub fn flattened(problem: &Problem, facts: &[usize]) -> Option<Problem> {
    let step = &problem.step;
    let mut roots = problem.ends();
    roots.extend(step.legal.iter().flatten());
    roots.extend(facts.iter().map(|&fact| step.next[fact]));
    let cone = step.circuit.cone(&roots);
    let mut gates = Gates::new(&step.circuit, &cone, &roots);
    gates.mixed().next()?;
    gates.keep_whole(problem, facts, &cone)?;
    let mut max_products = MAX_PRODUCTS;
    let (chosen, mut sums) = loop {
        gates.keep_below_large(max_products);
        let chosen = gates.mixed().map(|signal| (signal.node(), signal));
        let chosen: FxHashMap<usize, Literal> = chosen.collect();
        match gates.sums(chosen.values()) {
            Some(sums) => break (chosen, sums),
            None if max_products < FEWER_PRODUCTS => return None,
            None => max_products /= FEWER_PRODUCTS,
        }
    };
    let mut circuit = step.circuit.clone();
    let mut images: FxHashMap<usize, Literal> = FxHashMap::default();
    for node in &cone {
        let Some(signal) = chosen.get(node) else {
            circuit.substitute(&[], &[*node], &mut images);
            continue;
        };
        let products = sums.remove(signal).expect("it was asked for");
        let image = |&signal: &Literal| match images.get(&signal.node()) {
            Some(image) => image.negated_if(signal.is_negated()),
            None => signal,
        };
        let product = |product: &Vec<Literal>| circuit.and(product.iter().map(image));
        let products: Vec<Literal> = products.iter().map(product).collect();
        let flat = circuit.or(products);
        images.insert(*node, flat.negated_if(signal.is_negated()));
    }
    let mut flat = problem.clone();
    let found = circuit.substitute(&roots, &[], &mut images);
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

/// A sum of products.
type Sum = Vec<Vec<Literal>>;

/// The gates of a circuit.
struct Gates<'a> {
    circuit: &'a Circuit,
    /// In ascending order.
    nodes: Vec<usize>,
    /// Whether each node stays a gate of its own.
    is_kept: Vec<bool>,
    /// By node: at most how many products its sum and that of its negation have, where gates that are kept are single.
    products: Vec<[usize; 2]>,
    /// By node and by whether it is negated: whether its sum is another gate than it is.
    is_mixed: Vec<[bool; 2]>,
}

impl<'a> Gates<'a> {
    /// The gates of a cone; only those are kept that are roots.
    fn new(circuit: &'a Circuit, cone: &[usize], roots: &[Literal]) -> Self {
        let mut is_kept = vec![false; circuit.node_count()];
        roots.iter().for_each(|root| is_kept[root.node()] = true);
        let is_gate = |node: &usize| !circuit.gate(*node).is_empty();
        let mut gates = Gates {
            circuit,
            nodes: cone.iter().copied().filter(is_gate).collect(),
            is_kept,
            products: vec![[1; 2]; circuit.node_count()],
            is_mixed: vec![[false; 2]; circuit.node_count()],
        };
        gates.count();
        gates
    }

    /// Whether a signal stands for the sum of products below it, not for itself.
    fn is_open(&self, signal: Literal) -> bool {
        !self.is_kept[signal.node()] && !self.circuit.gate(signal.node()).is_empty()
    }

    fn count(&mut self) {
        for &node in &self.nodes {
            let (mut counts, mut mixed) = ([1usize, 0], [false; 2]);
            for &input in self.circuit.gate(node) {
                let is_open = self.is_open(input);
                let of = |signal: Literal| {
                    let index = usize::from(signal.is_negated());
                    match is_open {
                        true => (
                            self.products[signal.node()][index],
                            self.is_mixed[signal.node()][index],
                        ),
                        false => (1, false),
                    }
                };
                let ((count, is_mixed), other) = (of(input), of(!input));
                counts = [
                    counts[0].saturating_mul(count),
                    counts[1].saturating_add(other.0),
                ];
                // A product in a product, or a sum in a sum.
                let is_nested = is_open && !input.is_negated();
                mixed = [
                    mixed[0] || is_nested || is_mixed || count > 1,
                    mixed[1] || is_nested || other.1,
                ];
            }
            (self.products[node], self.is_mixed[node]) = (counts, mixed);
        }
    }

    /// The number of products of a gate or its negation, whichever has fewer; and whether that is the negation.
    fn fewest(&self, node: usize) -> (usize, bool) {
        let [plain, negated] = self.products[node];
        (plain.min(negated), negated <= plain)
    }

    /// Those that are kept and become flat, each negated if that makes fewer products.
    fn mixed(&self) -> impl Iterator<Item = Literal> {
        let kept = self.nodes.iter().filter(|&&node| self.is_kept[node]);
        kept.filter_map(|&node| {
            let (_, negate) = self.fewest(node);
            let is_mixed = self.is_mixed[node][usize::from(negate)];
            is_mixed.then(|| self.circuit.signal(node).negated_if(negate))
        })
    }

    /// Keeps what gates with too many products are made of, from below, until there are none.
    fn keep_below_large(&mut self, max_products: usize) {
        let is_large = |gates: &Self, node: usize| gates.fewest(node).0 > max_products;
        loop {
            let mut below: Vec<usize> = Vec::new();
            for &node in &self.nodes {
                let inputs = self.circuit.gate(node).iter();
                let open = || inputs.clone().filter(|&&input| self.is_open(input));
                if is_large(self, node) && !open().any(|input| is_large(self, input.node())) {
                    below.extend(open().map(|input| input.node()));
                }
            }
            if below.is_empty() {
                return;
            }
            below.iter().for_each(|&node| self.is_kept[node] = true);
            self.count();
        }
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
        let mut is_whole = vec![true; self.circuit.node_count()];
        for (index, &fact) in facts.iter().enumerate() {
            let signal = step.next[fact];
            let shape = (shapes[signal.node()], signal.is_negated());
            let kind = kinds.entry(hash(shape)).or_insert_with(|| vec![0; words]);
            kind[index / 64] |= 1 << (index % 64);
            let mut support = vec![0; words];
            support[index / 64] = 1 << (index % 64);
            supports.insert(step.facts[fact].node(), support);
        }
        kinds.retain(|_, kind| kind.iter().map(|word| word.count_ones()).sum::<u32>() > 1);
        let covers = |support: &Vec<u64>| {
            let covers_kind = |kind: &Vec<u64>| {
                let mut pairs = kind.iter().zip(support);
                let is_inside = pairs.clone().all(|(kind, support)| kind & !support == 0);
                is_inside || pairs.all(|(kind, support)| kind & support == 0)
            };
            kinds.values().all(covers_kind)
        };
        for (&fact, support) in &supports {
            is_whole[fact] = covers(support);
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
            is_whole[node] = covers(&support);
            supports.insert(node, support);
        }
        // The last term of a chain depends on all of a kind, too. Nothing else uses it, and there are other terms beside it.
        let mut uses = vec![0; is_whole.len()];
        let mut is_term = vec![false; is_whole.len()];
        for &node in &self.nodes {
            let inputs = || self.circuit.gate(node).iter().map(|input| input.node());
            let has_part = inputs().any(|input| !is_whole[input]);
            inputs().for_each(|input| {
                uses[input] += 1;
                is_term[input] = has_part;
            });
        }
        for &node in &self.nodes {
            self.is_kept[node] |= is_whole[node] && !(uses[node] == 1 && is_term[node]);
        }
        self.count();
        Some(())
    }

    /// The sums of products of some signals, and of all below that are not kept; nothing if that is too much.
    fn sums<'b>(
        &self,
        wanted: impl Iterator<Item = &'b Literal>,
    ) -> Option<FxHashMap<Literal, Sum>> {
        let of_node = |node: usize| {
            let signal = self.circuit.signal(node);
            [signal, !signal]
        };
        // The inputs of a gate are negated with it: then it is a sum.
        let inputs = |signal: Literal| {
            let inputs = self.circuit.gate(signal.node()).iter();
            inputs.map(move |input| input.negated_if(signal.is_negated()))
        };
        let mut needed: FxHashSet<Literal> = wanted.copied().collect();
        for signal in self.nodes.iter().rev().flat_map(|&node| of_node(node)) {
            if needed.contains(&signal) {
                needed.extend(inputs(signal).filter(|&input| self.is_open(input)));
            }
        }
        let mut sums: FxHashMap<Literal, Sum> = FxHashMap::default();
        let mut literals = 0;
        for signal in self.nodes.iter().flat_map(|&node| of_node(node)) {
            if !needed.contains(&signal) {
                continue;
            }
            let mut sum: Sum = match signal.is_negated() {
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
                        .flat_map(|one| below.iter().filter_map(|other| product(one, other)));
                    sum = joined.collect();
                }
            }
            absorb(&mut sum);
            literals += sum.iter().map(Vec::len).sum::<usize>();
            if literals > MAX_FLAT_LITERALS {
                return None;
            }
            sums.insert(signal, sum);
        }
        Some(sums)
    }
}

/// The product of two products, in order; nothing if it is false.
fn product(one: &[Literal], other: &[Literal]) -> Option<Vec<Literal>> {
    let mut both = [one, other].concat();
    both.sort_unstable();
    both.dedup();
    let is_false = both.windows(2).any(|pair| pair[0] == !pair[1]);
    (!is_false).then_some(both)
}

/// Takes out of a sum all products that have another one in them. What is left of a sum without negations depends on its function only.
fn absorb(sum: &mut Sum) {
    sum.sort_unstable_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    sum.dedup();
    let mask = |product: &[Literal]| {
        let bits = product.iter().map(|&signal| 1 << (hash(signal) >> 58));
        bits.fold(0u64, |mask, bit| mask | bit)
    };
    let masks: Vec<u64> = sum.iter().map(|product| mask(product)).collect();
    let is_left = |index: usize| {
        let (product, mask) = (&sum[index], masks[index]);
        let mut others = sum
            .iter()
            .zip(&masks)
            .take_while(|(other, _)| other.len() < product.len());
        !others.any(|(other, &of_other)| {
            of_other & !mask == 0 && other.iter().all(|it| product.binary_search(it).is_ok())
        })
    };
    let mut left = (0..sum.len()).map(is_left).collect::<Vec<_>>().into_iter();
    sum.retain(|_| left.next() == Some(true));
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
        let facts: Vec<Literal> = (0..9).map(|_| circuit.input(0)).collect();
        let throws: Vec<Literal> = (0..27).map(|_| circuit.input(1)).collect();
        let noop = circuit.input(1);
        let mut next = Vec::new();
        let mut sums = vec![Literal::TRUE];
        for die in 0..3 {
            let mut more = vec![Literal::FALSE; sums.len() + 3];
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
            unfinished: BigRational::default(),
            flaw: Literal::FALSE,
            step: Step {
                initial: vec![false; 9],
                legal: vec![vec![Literal::TRUE], vec![Literal::TRUE; 27]],
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

    /// Four lamps of which a player switches two or three on, counted one after the other: two of those that are lit already win, and three of
    /// all that are lit then are needed to go on. With `odd` the first one counts without being picked.
    fn lamps(odd: bool) -> Problem {
        let mut circuit = Circuit::new();
        let facts: Vec<Literal> = (0..4).map(|_| circuit.input(0)).collect();
        let won = circuit.input(0);
        let sets: Vec<usize> = (0..16_usize)
            .filter(|set| (2..4).contains(&set.count_ones()))
            .collect();
        let moves: Vec<Literal> = sets.iter().map(|_| circuit.input(1)).collect();
        let (mut counts, mut lit) = (
            [
                Literal::TRUE,
                Literal::FALSE,
                Literal::FALSE,
                Literal::FALSE,
            ],
            Vec::new(),
        );
        for (lamp, &fact) in facts.iter().enumerate() {
            let picked = sets
                .iter()
                .zip(&moves)
                .filter(|(set, _)| *set >> lamp & 1 == 1);
            let picks = circuit.or(picked.map(|(_, &input)| input));
            let is_odd = odd && lamp == 0;
            let both = circuit.and([fact, if is_odd { Literal::TRUE } else { picks }]);
            for count in (1..4).rev() {
                let more = circuit.and([counts[count - 1], both]);
                counts[count] = circuit.or([counts[count], more]);
            }
            lit.push(circuit.or([facts[lamp], picks]));
        }
        let goes_on = !counts[3];
        let mut next: Vec<Literal> = lit.iter().map(|&lit| circuit.and([lit, goes_on])).collect();
        next.push(counts[2]);
        Problem {
            agents: vec![Agent::Maximizer],
            payoff: vec![(BigRational::from_integer(1.into()), won)],
            unfinished: BigRational::default(),
            flaw: Literal::FALSE,
            step: Step {
                initial: vec![false; 5],
                legal: vec![vec![Literal::TRUE; moves.len()]],
                moves: vec![moves],
                goals: vec![Vec::new()],
                terminal: won,
                circuit,
                facts: facts.into_iter().chain([won]).collect(),
                next,
            },
        }
    }

    #[test]
    fn things_that_are_counted_with_moves_may_be_exchanged() {
        let facts: Vec<usize> = (0..5).collect();
        let orbits = |problem: &Problem| orbits(5, &generators(problem, &facts, || true));
        for (odd, expected) in [(false, [0, 0, 0, 0, 4]), (true, [0, 1, 1, 1, 4])] {
            let problem = lamps(odd);
            assert_ne!(orbits(&problem), expected);
            let flat = flattened(&problem, &facts).expect("a chain");
            assert_eq!(orbits(&flat), expected);
        }
    }

    #[test]
    fn functions_stay_the_same() {
        for problem in [dice(2), lamps(false), lamps(true)] {
            let facts: Vec<usize> = (0..problem.step.facts.len()).collect();
            let flat = flattened(&problem, &facts).expect("a sum of sums");
            for seed in 0..2000 {
                let mut random = fastrand::Rng::with_seed(seed);
                let step = &problem.step;
                let inputs = step.facts.iter().chain(step.moves.iter().flatten());
                let inputs: Vec<Literal> = inputs.copied().filter(|_| random.bool()).collect();
                let results = |step: &Step| {
                    let values = step.circuit.evaluate(inputs.iter().copied());
                    let results = step.next.iter().chain([&step.terminal]);
                    results.map(|it| it.holds(&values)).collect::<Vec<_>>()
                };
                assert_eq!(results(&problem.step), results(&flat.step), "seed {seed}");
            }
        }
    }
}
