//! Propagation over a role's set of moves, without trying each move.
//!
//! In a game with many moves most gates that depend on moves say "one of these is made": something
//! moves away from a cell, or to it. A satisfiability solver that knows nothing of such sets tries their
//! moves one by one, each with everything that follows. But much is plain to see:
//!
//! ```text
//! what all moves of a set need to be legal holds if one of them is made    made -> needed
//! if all need it but some that are also in another set                     made -> needed or other made
//! of two sets without a common move only one is made                       not (made and other made)
//! ```
//!
//! So "to c5" implies that c5 is empty, "shoot at c5" implies that it is empty or was left just now, and
//! nothing moves to c5 that shoots there. [`find`] lists the sets and their constraints that are plain to see; all
//! of it follows from the rule that each role makes exactly one move, and that a legal one.

use super::bounds::{EXCEPTIONS, MAX_NEEDED, MAX_SETS, MIN_SET};
use circuit::{Circuit, Literal};
use rustc_hash::{FxHashMap, FxHashSet};
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct MoveSet {
    pub(super) role: usize,
    /// The moves, by number in ascending order.
    pub(super) moves: Vec<usize>,
}

/// A gate that says "none of these moves, and all of these signals".
#[derive(Clone, Debug)]
pub(super) struct GateOfSets {
    pub(super) node: usize,
    /// The sets, by number.
    pub(super) sets: Vec<usize>,
    /// Its other inputs.
    pub(super) others: Vec<Literal>,
}

/// Something plain to see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Claim {
    /// If a move of the set is made, the signal holds, or a move of the other set is made.
    Needs(usize, Literal, Option<usize>),
    /// No moves of both sets are made.
    Excludes(usize, usize),
}

/// Sets of moves, the gates that they are from, and their constraints that are plain to see.
#[derive(Default, Debug)]
pub(super) struct Choices {
    pub(super) sets: Vec<MoveSet>,
    pub(super) gates: Vec<GateOfSets>,
    pub(super) claims: Vec<Claim>,
}

/// Looks at the gates that some signals depend on. For each role there are the inputs of its moves, and
/// whether each of them is legal. When time is up, not all is looked at.
pub(super) fn find(
    circuit: &Circuit,
    roots: &[Literal],
    moves: &[Vec<Literal>],
    legal: &[Vec<Literal>],
    is_late: &dyn Fn() -> bool,
) -> Choices {
    let mut choices = Choices::default();
    choices.find_sets(circuit, roots, moves);
    let mut needed = Needed {
        circuit,
        of_node: FxHashMap::default(),
    };
    for role in 0..moves.len() {
        let of_role: Vec<usize> = (0..choices.sets.len())
            .filter(|&set| choices.sets[set].role == role)
            .collect();
        if !of_role.is_empty() && of_role.len() <= MAX_SETS {
            let needs: Vec<Vec<Literal>> = legal[role].iter().map(|&l| needed.by(l)).collect();
            choices.compare(&of_role, moves[role].len(), &needs, is_late);
        }
    }
    choices
}

impl Choices {
    fn find_sets(&mut self, circuit: &Circuit, roots: &[Literal], moves: &[Vec<Literal>]) {
        let mut role_and_move = FxHashMap::default();
        for (role, moves) in moves.iter().enumerate() {
            for (number, input) in moves.iter().enumerate() {
                role_and_move.insert(input.node(), (role, number));
            }
        }
        let mut known: FxHashMap<MoveSet, usize> = FxHashMap::default();
        for node in circuit.cone(roots) {
            let mut of_role = vec![Vec::new(); moves.len()];
            let mut others = Vec::new();
            for &input in circuit.gate(node) {
                match role_and_move.get(&input.node()) {
                    Some(&(role, number)) if input.is_negated() => of_role[role].push(number),
                    _ => others.push(input),
                }
            }
            let mut sets = Vec::new();
            for (role, mut numbers) in of_role.into_iter().enumerate() {
                if numbers.len() < MIN_SET {
                    others.extend(numbers.iter().map(|&number| !moves[role][number]));
                    continue;
                }
                numbers.sort_unstable();
                let set = MoveSet {
                    role,
                    moves: numbers,
                };
                let next = known.len();
                let number = *known.entry(set.clone()).or_insert(next);
                if number == next {
                    self.sets.push(set);
                }
                sets.push(number);
            }
            if !sets.is_empty() {
                self.gates.push(GateOfSets { node, sets, others });
            }
        }
    }

    /// Compares the sets of one role, which has `moves` moves; `needs` lists the signals that each of them needs.
    fn compare(
        &mut self,
        of_role: &[usize],
        moves: usize,
        needs: &[Vec<Literal>],
        is_late: &dyn Fn() -> bool,
    ) {
        // For each move the sets that it is in.
        let mut sets_of = vec![Vec::new(); moves];
        for &set in of_role {
            for &number in &self.sets[set].moves {
                sets_of[number].push(set);
            }
        }
        for &set in of_role {
            if is_late() {
                return;
            }
            let members = &self.sets[set].moves;
            let mut common: FxHashSet<usize> = FxHashSet::default();
            let mut counts: FxHashMap<Literal, usize> = FxHashMap::default();
            for &number in members {
                common.extend(&sets_of[number]);
                for &signal in &needs[number] {
                    *counts.entry(signal).or_default() += 1;
                }
            }
            let later = of_role.iter().filter(|&&other| other > set);
            let disjoint = later.filter(|other| !common.contains(other));
            self.claims
                .extend(disjoint.map(|&other| Claim::Excludes(set, other)));
            let mut counts: Vec<(Literal, usize)> = counts.into_iter().collect();
            counts.sort_unstable();
            for (signal, count) in counts {
                if count == members.len() {
                    self.claims.push(Claim::Needs(set, signal, None));
                } else if (members.len() - count) * EXCEPTIONS <= members.len() {
                    let exceptions = members
                        .iter()
                        .filter(|&&n| needs[n].binary_search(&signal).is_err());
                    if let Some(other) = smallest_common(&self.sets, &sets_of, set, exceptions) {
                        self.claims.push(Claim::Needs(set, signal, Some(other)));
                    }
                }
            }
        }
    }
}

/// The smallest set but one that has all these moves.
fn smallest_common<'a>(
    sets: &[MoveSet],
    sets_of: &[Vec<usize>],
    but: usize,
    mut moves: impl Iterator<Item = &'a usize>,
) -> Option<usize> {
    let mut common: Vec<usize> = sets_of[*moves.next()?].clone();
    common.retain(|&set| set != but);
    for &number in moves {
        common.retain(|set| sets_of[number].contains(set));
        if common.is_empty() {
            return None;
        }
    }
    common.into_iter().min_by_key(|&set| sets[set].moves.len())
}

/// Signals that must hold so that a signal does, as far as that is seen at once.
struct Needed<'a> {
    circuit: &'a Circuit,
    of_node: FxHashMap<usize, Vec<Literal>>,
}

impl Needed<'_> {
    /// The signal, the needs of an "and", and the common needs of few alternatives; sorted.
    fn by(&mut self, signal: Literal) -> Vec<Literal> {
        let mut found = conjuncts(self.circuit, signal);
        let mut next = 0;
        while next < found.len() && found.len() < MAX_NEEDED {
            let signal = found[next];
            next += 1;
            let alternatives = self.circuit.gate(signal.node()).len();
            if signal.is_negated() && (2..=4).contains(&alternatives) {
                found.extend(self.by_alternatives(signal.node()));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The signals that every alternative of an "or" needs; the "or" is the opposite of this gate. Alternatives are
    /// looked at without alternatives of their own, so that nothing recurses.
    fn by_alternatives(&mut self, node: usize) -> Vec<Literal> {
        if let Some(known) = self.of_node.get(&node) {
            return known.clone();
        }
        let mut inputs = self.circuit.gate(node).iter();
        let first = inputs.next().map(|&input| conjuncts(self.circuit, !input));
        let mut common = first.unwrap_or_default();
        for &input in inputs {
            let mut needed = conjuncts(self.circuit, !input);
            needed.sort_unstable();
            common.retain(|signal| needed.binary_search(signal).is_ok());
        }
        self.of_node.insert(node, common.clone());
        common
    }
}

/// A signal, its needs if it is an "and", and their needs in turn.
fn conjuncts(circuit: &Circuit, signal: Literal) -> Vec<Literal> {
    let mut found = vec![signal];
    let mut next = 0;
    while next < found.len() && found.len() < MAX_NEEDED {
        if !found[next].is_negated() {
            found.extend(circuit.gate(found[next].node()));
        }
        next += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    const FACTS: usize = 4;

    fn literal(facts: &[Literal], random: &mut Rng) -> Literal {
        facts[random.usize(..facts.len())].negated_if(random.bool())
    }

    /// Whatever is claimed holds in every state, whichever legal move is made.
    #[test]
    fn claims_hold_for_every_legal_move() {
        let seed = fastrand::u64(..);
        let mut random = Rng::with_seed(seed);
        let (mut plain, mut with_other, mut exclusive) = (0, 0, 0);
        for round in 0..300 {
            let mut circuit = Circuit::new();
            let facts: Vec<Literal> = (0..FACTS).map(|_| circuit.input(0)).collect();
            let moves: Vec<Vec<Literal>> = (0..2)
                .map(|_| (0..random.usize(1..14)).map(|_| circuit.input(1)).collect())
                .collect();
            let legal: Vec<Vec<Literal>> = moves
                .iter()
                .map(|moves| {
                    let shared = literal(&facts, &mut random);
                    let one = |_: &Literal| {
                        let ways = (0..random.usize(1..3)).map(|_| {
                            let mut needs = vec![literal(&facts, &mut random)];
                            if random.usize(0..8) > 0 {
                                needs.push(shared);
                            }
                            circuit.and(needs)
                        });
                        let ways: Vec<Literal> = ways.collect();
                        circuit.or(ways)
                    };
                    moves.iter().map(one).collect()
                })
                .collect();
            let next: Vec<Literal> = (0..6)
                .map(|_| {
                    let all = moves.iter().flatten();
                    let some = all.filter(|_| random.usize(0..3) == 0).copied();
                    let mut some: Vec<Literal> = some.collect();
                    some.push(literal(&facts, &mut random));
                    circuit.or(some)
                })
                .collect();
            let found = find(&circuit, &next, &moves, &legal, &|| false);
            for gate in &found.gates {
                let sets = gate.sets.iter().map(|&set| &found.sets[set]);
                let made = sets.flat_map(|set| set.moves.iter().map(|&n| !moves[set.role][n]));
                let mut inputs: Vec<Literal> = made.chain(gate.others.iter().copied()).collect();
                let mut expected = circuit.gate(gate.node).to_vec();
                inputs.sort_unstable();
                expected.sort_unstable();
                assert_eq!(inputs, expected, "seed {seed}, round {round}");
            }
            for state in 0..1 << FACTS {
                let true_facts = (0..FACTS).filter(|fact| state >> fact & 1 == 1);
                let values = circuit.evaluate(true_facts.map(|fact| facts[fact]));
                let legal_moves = |role: usize| -> Vec<usize> {
                    let all = 0..moves[role].len();
                    all.filter(|&n| legal[role][n].holds(&values)).collect()
                };
                for first in legal_moves(0) {
                    for second in legal_moves(1) {
                        let joint = [first, second];
                        let made = |set: &usize| {
                            let set = &found.sets[*set];
                            set.moves.contains(&joint[set.role])
                        };
                        for claim in &found.claims {
                            let is_right = match claim {
                                Claim::Needs(set, signal, other) => {
                                    !made(set)
                                        || signal.holds(&values)
                                        || other.as_ref().is_some_and(made)
                                }
                                Claim::Excludes(one, other) => !(made(one) && made(other)),
                            };
                            assert!(is_right, "seed {seed}, round {round}: {claim:?}");
                        }
                    }
                }
            }
            for claim in &found.claims {
                match claim {
                    Claim::Needs(_, _, None) => plain += 1,
                    Claim::Needs(_, _, Some(_)) => with_other += 1,
                    Claim::Excludes(..) => exclusive += 1,
                }
            }
        }
        assert!(
            plain > 50 && with_other > 10 && exclusive > 10,
            "too little was claimed: {plain}, {with_other}, {exclusive}"
        );
    }
}
