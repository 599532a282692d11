//! Facts that hold but no longer matter, as a stone on a board through which no line can be completed
//! any more. States that differ in such facts only have equal values, and get one key.
//!
//! ```text
//! x o x      no line of either colour goes through the corner stones any more:
//! . x .      whose they are does not matter, only that these cells are taken
//! o . o
//! ```
//!
//! **A guess.** Some facts stay once they hold, and exclude others ([`PersistentFacts`]). So in some states some
//! gates stay false from then on: a line of x-stones in which a stone is o's. The inputs of such a gate do
//! not matter there. A fact that stays and matters nowhere is *dead*; a circuit says in which states. Dead
//! facts that exclude each other get one form: the key says of all of them that they hold, which no
//! other state does.
//!
//! **A proof.** What the key sees of a state is enough if it is a bisimulation: two states in which it sees
//! the same have the same legal moves, and after each joint move either both are terminal and worth the
//! same, or neither is and the key again sees the same. Then their values are equal by induction. This
//! is proved for two copies of the step ([`StepProver`]), claim by claim. A counterexample says which facts
//! are not dead after all; without them the proof starts again. In the end it is checked that symmetries
//! map dead facts to dead facts.

use crate::abstraction::Abstraction;
use crate::claims::Claims;
use crate::policy::{MAX_DEAD_FACT_GATES, MAX_ROUNDS};
use crate::problem::Problem;
use crate::symmetry::{Symmetry, orbits};
use circuit::invariants::{Oracle, PersistentFacts, StepProver};
use circuit::{Circuit, Literal};
use limits::Limits;
use rustc_hash::FxHashMap;

/// Whether the circuit of some fact says directly that the fact stays; without such a fact none is dead.
pub fn may_exist(problem: &Problem, facts: &[usize]) -> bool {
    let step = &problem.step;
    facts.iter().any(|&fact| {
        let (now, next) = (step.facts[fact], step.next[fact]);
        next.is_negated() && step.circuit.gate(next.node()).contains(&!now)
    })
}

/// Finds dead facts among those that matter, and proves that they are; nothing if there are none.
/// `symmetries` are those of these facts. Nothing is found if the states met in random
/// play have fewer than `fewest` dead facts on average.
pub fn find(
    problem: &Problem,
    facts: &[usize],
    claims: &Claims,
    symmetries: &[Symmetry],
    fewest: usize,
    limits: &Limits,
) -> Option<Abstraction> {
    let persistent = &claims.persistent;
    let candidates: Vec<bool> = facts
        .iter()
        .map(|fact| persistent.stay_true.binary_search(fact).is_ok())
        .collect();
    let (mut circuit, matters) = relevance(problem, facts, persistent)?;
    let mut dying: Vec<bool> = candidates
        .iter()
        .zip(&matters)
        .map(|(&candidate, &matters)| candidate && matters != Literal::TRUE)
        .collect();
    let orbits = orbits(facts.len(), symmetries);
    for _ in 0..MAX_ROUNDS {
        if !dying.contains(&true) {
            return None;
        }
        let seen = see(problem, facts, persistent, &matters, &dying, &mut circuit);
        let abstraction = Abstraction {
            circuit: circuit.clone(),
            inputs: facts.iter().map(|&fact| problem.step.facts[fact]).collect(),
            facts: seen,
        };
        if symmetries
            .iter()
            .any(|map| !abstraction.respects(&map.facts))
        {
            return None;
        }
        if abstraction.differences(facts, &claims.samples) < fewest * claims.samples.len() {
            return None;
        }
        let Some(wrong) =
            counterexample(problem, facts, persistent, &abstraction, &orbits, limits)?
        else {
            return Some(abstraction);
        };
        let before = dying.clone();
        // With a fact, its images under symmetry are not dead either.
        for &index in &wrong {
            for image in 0..dying.len() {
                dying[image] &= orbits[image] != orbits[index];
            }
        }
        if before == dying {
            return None;
        }
    }
    None
}

/// Everything that is to be the same in states that the key takes for one.
fn outcomes(problem: &Problem, facts: &[usize]) -> Vec<Literal> {
    let step = &problem.step;
    let mut roots = problem.ends();
    roots.extend(step.legal.iter().flatten());
    roots.extend(facts.iter().map(|&fact| step.next[fact]));
    roots
}

/// For each fact, in which states it matters; with the circuit that says so.
fn relevance(
    problem: &Problem,
    facts: &[usize],
    persistent: &PersistentFacts,
) -> Option<(Circuit, Vec<Literal>)> {
    let step = &problem.step;
    let mut circuit = step.circuit.clone();
    let roots = outcomes(problem, facts);
    let cone = circuit.cone(&roots);
    if cone.len() > MAX_DEAD_FACT_GATES {
        return None;
    }
    let settled = settled(problem, facts, persistent, &cone, &mut circuit);
    // Of each fact that stays, those that it excludes and that stay too, itself included.
    let mut groups: FxHashMap<usize, Vec<Literal>> = FxHashMap::default();
    for group in persistent.groups(&persistent.stay_true) {
        let group: Vec<Literal> = group.iter().map(|&fact| step.facts[fact]).collect();
        for fact in &group {
            groups.insert(fact.node(), group.clone());
        }
    }
    let own_next = |&fact: &usize| (step.facts[fact].node(), step.next[fact].node());
    let own_next: FxHashMap<usize, usize> = persistent.stay_true.iter().map(own_next).collect();
    let mut matters: FxHashMap<usize, Vec<Literal>> = FxHashMap::default();
    for root in &roots {
        matters.insert(root.node(), vec![Literal::TRUE]);
    }
    let mut found = FxHashMap::default();
    for &node in cone.iter().rev() {
        let here = circuit.or(matters.remove(&node).unwrap_or_default());
        let inputs = circuit.gate(node).to_vec();
        if inputs.is_empty() {
            found.insert(node, here);
            continue;
        }
        let open = circuit.and([here, !settled[&node].0]);
        for &input in &inputs {
            // Its own next value does not make a fact matter.
            if input.is_negated() && own_next.get(&input.node()) == Some(&node) {
                continue;
            }
            // "None of the group holds" is known from the key also where the facts of the group are dead.
            let group = groups.get(&input.node()).map_or(&[][..], Vec::as_slice);
            let is_whole = input.is_negated() && group.iter().all(|m| inputs.contains(&!*m));
            let below = match is_whole && !group.is_empty() {
                true => circuit.and(group.iter().map(|&member| !member).chain([open])),
                false => open,
            };
            matters.entry(input.node()).or_default().push(below);
        }
    }
    let of_fact = |&fact: &usize| {
        let found = found.get(&step.facts[fact].node());
        found.copied().unwrap_or(Literal::FALSE)
    };
    let matters = facts.iter().map(of_fact).collect();
    Some((circuit, matters))
}

/// For each node of a cone, in which states it stays false because some facts will never hold, and in
/// which it stays true because of that.
fn settled(
    problem: &Problem,
    facts: &[usize],
    persistent: &PersistentFacts,
    cone: &[usize],
    circuit: &mut Circuit,
) -> FxHashMap<usize, (Literal, Literal)> {
    let step = &problem.step;
    let comes = |fact: usize| persistent.stay_true.binary_search(&fact).is_ok();
    let mut kept_away: FxHashMap<usize, Vec<Literal>> = FxHashMap::default();
    for &(one, other) in &persistent.exclusive {
        for (fact, by) in [(one, other), (other, one)] {
            if comes(by) {
                kept_away.entry(fact).or_default().push(step.facts[by]);
            }
        }
    }
    for &fact in &persistent.stay_false {
        kept_away.entry(fact).or_default().push(!step.facts[fact]);
    }
    let mut known = FxHashMap::default();
    known.insert(0, (Literal::TRUE, Literal::FALSE));
    for fact in facts {
        let never = circuit.or(kept_away.remove(fact).unwrap_or_default());
        known.insert(step.facts[*fact].node(), (never, Literal::FALSE));
    }
    for &node in cone {
        if known.contains_key(&node) {
            continue;
        }
        let inputs = circuit.gate(node).to_vec();
        if inputs.is_empty() {
            known.insert(node, (Literal::FALSE, Literal::FALSE));
            continue;
        }
        let of = |input: &Literal| {
            let (never, always) = known[&input.node()];
            if input.is_negated() {
                (always, never)
            } else {
                (never, always)
            }
        };
        let (never, always): (Vec<Literal>, Vec<Literal>) = inputs.iter().map(of).unzip();
        let never = circuit.or(never);
        let always = circuit.and(always);
        known.insert(node, (never, always));
    }
    known
}

/// For each fact the signal that the key sees instead, if these facts may be dead.
fn see(
    problem: &Problem,
    facts: &[usize],
    persistent: &PersistentFacts,
    matters: &[Literal],
    dying: &[bool],
    circuit: &mut Circuit,
) -> Vec<Literal> {
    let step = &problem.step;
    let indices: FxHashMap<usize, usize> = facts.iter().copied().zip(0..).collect();
    let all: Vec<usize> = (0..facts.len()).filter(|&index| dying[index]).collect();
    let mut seen: Vec<Literal> = facts.iter().map(|&fact| step.facts[fact]).collect();
    let all: Vec<usize> = all.iter().map(|&index| facts[index]).collect();
    for group in persistent.groups(&all) {
        let dead = group.iter().map(|fact| {
            let matters = matters[indices[fact]];
            circuit.and([step.facts[*fact], !matters])
        });
        let dead: Vec<Literal> = dead.collect();
        if group.len() == 1 {
            // A fact alone is seen as false where it is dead.
            let index = indices[&group[0]];
            seen[index] = circuit.and([step.facts[group[0]], matters[index]]);
            continue;
        }
        let any = circuit.or(dead);
        for fact in &group {
            seen[indices[fact]] = circuit.or([step.facts[*fact], any]);
        }
    }
    seen
}

/// Two states in which the key sees the same and that have different outcomes: the places of dead facts in
/// which they differ.
/// `Some(None)` if it is proved that there are none, `None` if that took too much effort.
fn counterexample(
    problem: &Problem,
    facts: &[usize],
    persistent: &PersistentFacts,
    abstraction: &Abstraction,
    orbits: &[usize],
    limits: &Limits,
) -> Option<Option<Vec<usize>>> {
    let step = &problem.step;
    let mut circuit = abstraction.circuit.clone();
    let is_blurred = |index: usize| abstraction.facts[index] != step.facts[facts[index]];
    let blurred: Vec<usize> = (0..facts.len())
        .filter(|&index| is_blurred(index))
        .collect();
    // The same for the next state.
    let ends = problem.ends();
    let mut after: Vec<Literal> = ends.clone();
    after.extend(&abstraction.facts);
    let cone = circuit.cone(&after);
    let nexts = facts
        .iter()
        .map(|&fact| (step.facts[fact].node(), step.next[fact]));
    let mut images: FxHashMap<usize, Literal> = nexts.collect();
    let after = circuit.substitute(&after, &cone, &mut images);
    // And all of it for another state.
    let mut copies: FxHashMap<usize, Literal> = FxHashMap::default();
    for &index in &blurred {
        let copy = circuit.input(0);
        copies.insert(step.facts[facts[index]].node(), copy);
    }
    let mut one = vec![step.terminal];
    one.extend(step.legal.iter().flatten());
    let now = one.len();
    one.extend(&after);
    let claims = one.len();
    one.extend(&abstraction.facts);
    one.extend(facts.iter().map(|&fact| step.facts[fact]));
    let cone = circuit.cone(&one);
    let other = circuit.substitute(&one, &cone, &mut copies);

    let mut roots = one.clone();
    roots.extend(&other);
    roots.extend(step.moves.iter().flatten());
    let mut prover = StepProver::new(&circuit, &roots, limits);
    prover.assume_step(step.terminal, &step.moves, &step.legal);
    // Terminal states have no key.
    let other_terminal = prover.literal(other[0]);
    prover.require(&[!other_terminal]);
    for index in claims..claims + facts.len() {
        let pair = [one[index], other[index]].map(|signal| prover.literal(signal));
        prover.require(&[pair[0], !pair[1]]);
        prover.require(&[!pair[0], pair[1]]);
    }
    let indices: FxHashMap<usize, usize> =
        facts.iter().copied().zip(claims + facts.len()..).collect();
    for (first, second) in &persistent.exclusive {
        for signals in [&one, &other] {
            let pair = [first, second].map(|fact| !prover.literal(signals[indices[fact]]));
            prover.require(&pair);
        }
    }
    let next_terminal = prover.literal(one[now]);
    let first_seen = now + ends.len();
    for claim in 1..claims {
        let pair = [one[claim], other[claim]].map(|signal| prover.literal(signal));
        // A proof about a fact holds for its images too.
        let is_image = claim >= first_seen && orbits[claim - first_seen] < claim - first_seen;
        if one[claim] == other[claim] || is_image {
            continue;
        }
        let is_end = (now..first_seen).contains(&claim);
        // The copies are alike, so that one is true and the other is false is all there is to
        // refute.
        let mut assumed = vec![pair[0], !pair[1]];
        if claim > now && is_end {
            assumed.push(next_terminal);
        } else if claim > now {
            assumed.push(!next_terminal);
        }
        if prover.can_hold(&assumed).ok()? {
            let mut blamed: Vec<usize> = Vec::new();
            for &index in &blurred {
                let known = claims + facts.len() + index;
                let pair = [one[known], other[known]].map(|signal| prover.literal(signal));
                if prover.is_true(pair[0]) != prover.is_true(pair[1]) {
                    blamed.push(index);
                }
            }
            return Some(Some(blamed));
        }
    }
    Some(None)
}
