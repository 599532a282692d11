//! Random small programs, and smaller ones made from them.

use fastrand::Rng;
use generators::leave_out;
use sqasp_lp2sat::{Atom, Body, GroundProgram, Head, Literal};

/// One rule that owns its parts, so that it can be changed.
#[derive(Clone, PartialEq, Debug)]
pub enum OwnedBody {
    All(Vec<Literal>),
    Weighted(u64, Vec<(Literal, u64)>),
}

/// The head kind: 0 constraint, 1 atom, 2 choice.
#[derive(Clone, PartialEq, Debug)]
pub struct OwnedRule {
    pub kind: u8,
    pub heads: Vec<Atom>,
    pub body: OwnedBody,
}

pub fn build(atom_count: usize, rules: &[OwnedRule]) -> GroundProgram {
    let mut program = GroundProgram::new();
    for _ in 0..atom_count {
        program.new_atom();
    }
    for rule in rules {
        let head = match rule.kind {
            0 => Head::Constraint,
            1 => Head::Atom(rule.heads[0]),
            _ => Head::Choice(&rule.heads),
        };
        let body = match &rule.body {
            OwnedBody::All(literals) => Body::All(literals),
            OwnedBody::Weighted(bound, literals) => Body::Weighted {
                bound: *bound,
                literals,
            },
        };
        program.add_rule(head, body);
    }
    program
}

/// Rules over few atoms. Each program has a flavour of its own: how many atoms, rules, negations,
/// choices, weights, and whether positive literals may form cycles.
pub fn random_rules(random: &mut Rng, max_atoms: usize) -> (usize, Vec<OwnedRule>) {
    if random.u8(..10) == 0 {
        return wide_sum(random, max_atoms);
    }
    let atom_count = random.usize(1..=max_atoms);
    let rule_count = random.usize(1..=2 * atom_count + 2);
    let tight = random.u8(..3) == 0;
    let negation = random.f64() * 0.7;
    let choice = random.f64() * 0.6;
    let weights = random.f64() * 0.5;
    let big_weights = random.u8(..4) == 0;
    let constraint = random.f64() * 0.3;
    let atom = |random: &mut Rng, from: usize| {
        Atom::new(random.usize(from.min(atom_count - 1)..atom_count) as u32 + 1).unwrap()
    };
    let mut rules = Vec::new();
    for _ in 0..rule_count {
        let kind = if random.f64() < constraint {
            0
        } else if random.f64() < choice {
            2
        } else {
            1
        };
        let heads: Vec<Atom> = match kind {
            0 => Vec::new(),
            1 => vec![atom(random, 0)],
            _ => (0..random.usize(0..4)).map(|_| atom(random, 0)).collect(),
        };
        let from = heads.iter().map(|atom| atom.index() + 1).max().unwrap_or(0);
        let literal = |random: &mut Rng| {
            if random.f64() < negation {
                Literal::negative(atom(random, 0))
            } else if tight && kind != 0 {
                if from >= atom_count {
                    Literal::negative(atom(random, 0))
                } else {
                    Literal::positive(atom(random, from))
                }
            } else {
                Literal::positive(atom(random, 0))
            }
        };
        let length = random.usize(0..5);
        let body = if random.f64() < weights {
            let heavy = if big_weights {
                random.u64(1..60)
            } else {
                random.u64(1..4)
            };
            let literals: Vec<(Literal, u64)> = (0..length + 1)
                .map(|_| (literal(random), random.u64(0..=heavy)))
                .collect();
            let total: u64 = literals.iter().map(|&(_, weight)| weight).sum();
            OwnedBody::Weighted(random.u64(0..=total + 1), literals)
        } else {
            OwnedBody::All((0..length).map(|_| literal(random)).collect())
        };
        rules.push(OwnedRule { kind, heads, body });
    }
    if random.u8(..4) == 0 {
        add_bounded_choice(random, atom_count, &mut rules)
    } else {
        (atom_count, rules)
    }
}

/// Stretches the weights and bounds to the ends of their range. (clingo's own are far smaller.)
pub fn enlarge_weights(random: &mut Rng, rules: &mut [OwnedRule]) {
    for rule in rules {
        let OwnedBody::Weighted(bound, literals) = &mut rule.body else {
            continue;
        };
        let weights = literals.iter().map(|&(_, weight)| weight);
        let factor = u64::MAX / weights.chain([*bound, 1]).max().expect("not empty");
        let mut stretch = |number: u64| {
            let stretched = number * factor;
            match random.u8(..4) {
                0 => stretched.saturating_add(random.u64(..3)),
                1 => stretched.saturating_sub(random.u64(..3)),
                _ => stretched,
            }
        };
        *bound = stretch(*bound);
        for (_, weight) in literals {
            *weight = stretch(*weight);
        }
    }
}

/// A choice of all atoms but the last, and one weight body over many of them: in a constraint or
/// for the last atom, which may have to hold or not to hold.
fn wide_sum(random: &mut Rng, max_atoms: usize) -> (usize, Vec<OwnedRule>) {
    let atoms: Vec<Atom> = (1..=max_atoms as u32)
        .map(|number| Atom::new(number).unwrap())
        .collect();
    let (&last, chosen) = atoms.split_last().unwrap();
    let heaviest = [1, 1, 3, 1000][random.usize(..4)];
    let literals: Vec<(Literal, u64)> = (0..random.usize(1..=max_atoms + 2))
        .map(|position| {
            let positive = Literal::positive(chosen[position % chosen.len()]);
            let literal = if random.u8(..4) == 0 {
                positive.complement()
            } else {
                positive
            };
            (literal, random.u64(1..=heaviest))
        })
        .collect();
    let total: u64 = literals.iter().map(|&(_, weight)| weight).sum();
    let bound = if random.bool() {
        2
    } else {
        random.u64(0..=total + 1)
    };
    let body = OwnedBody::Weighted(bound, literals);
    let rule = |kind, heads: &[Atom], body| OwnedRule {
        kind,
        heads: heads.to_vec(),
        body,
    };
    let mut rules = vec![rule(2, chosen, OwnedBody::All(Vec::new()))];
    if random.bool() {
        rules.push(rule(0, &[], body));
    } else {
        rules.push(rule(1, &[last], body));
        match random.u8(..3) {
            0 => rules.push(rule(0, &[], OwnedBody::All(vec![Literal::positive(last)]))),
            1 => rules.push(rule(0, &[], OwnedBody::All(vec![Literal::negative(last)]))),
            _ => {}
        }
    }
    (max_atoms, rules)
}

/// Adds `{x; y; z}` with bounds under a condition, written as the grounder writes it.
fn add_bounded_choice(
    random: &mut Rng,
    atom_count: usize,
    rules: &mut Vec<OwnedRule>,
) -> (usize, Vec<OwnedRule>) {
    let atom = |number: usize| Atom::new(number as u32).unwrap();
    let mut members: Vec<Atom> = (1..=atom_count).map(atom).collect();
    random.shuffle(&mut members);
    members.truncate(random.usize(1..=4));
    let condition: Vec<Literal> = (0..random.usize(..3))
        .map(|_| {
            let literal = Literal::positive(atom(random.usize(1..=atom_count)));
            if random.bool() {
                literal
            } else {
                literal.complement()
            }
        })
        .collect();
    let [some, many, fine] = [1, 2, 3].map(|more| atom(atom_count + more));
    let weighted = |bound| {
        let literals = members
            .iter()
            .map(|&member| (Literal::positive(member), 1))
            .collect();
        OwnedBody::Weighted(bound, literals)
    };
    let lower = random.u64(0..3);
    let upper = random.u64(lower..4);
    let mut forbidden = condition.clone();
    forbidden.push(Literal::negative(fine));
    let rule = |kind, heads, body| OwnedRule { kind, heads, body };
    if random.u8(..5) > 0 {
        rules.retain(|rule| !rule.heads.iter().any(|head| members.contains(head)));
    }
    rules.push(rule(2, members.clone(), OwnedBody::All(condition)));
    rules.push(rule(1, vec![some], weighted(lower)));
    rules.push(rule(1, vec![many], weighted(upper + 1)));
    let both = vec![Literal::positive(some), Literal::negative(many)];
    rules.push(rule(1, vec![fine], OwnedBody::All(both)));
    rules.push(rule(0, vec![], OwnedBody::All(forbidden)));
    (atom_count + 3, std::mem::take(rules))
}

/// Makes failing rules fewer and shorter while they still fail.
pub fn shrink(rules: &[OwnedRule], fails: impl Fn(&[OwnedRule]) -> bool) -> Vec<OwnedRule> {
    let mut small = rules.to_vec();
    loop {
        let before = small.clone();
        small = leave_out(&small, &fails);
        for index in 0..small.len() {
            let mut other = small.clone();
            let mut fails_with = |body| {
                other[index].body = body;
                fails(&other)
            };
            small[index].body = match &small[index].body {
                OwnedBody::All(all) => OwnedBody::All(leave_out(all, |literals| {
                    fails_with(OwnedBody::All(literals.to_vec()))
                })),
                OwnedBody::Weighted(bound, all) => {
                    let weighted = |literals: &[_]| OwnedBody::Weighted(*bound, literals.to_vec());
                    weighted(&leave_out(all, |literals| fails_with(weighted(literals))))
                }
            };
        }
        if small == before {
            return small;
        }
    }
}
