//! Programs with planted symmetry, faulty permutations, and searches with canonical keys.

use super::statements::sorted;
use super::*;
use crate::program::evaluate::{Evaluation, Values, evaluate, gate_value};
use crate::program::{Decision, Item};
use formula::{BigRational, Probability, Quantifier};
use generators::seeds;
use limits::Limits;
use num_traits::One;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Evaluates programs by definition, and remembers states, one for all that are images of each other.
struct Remembering<'a> {
    program: &'a Program,
    /// By the index of an item: the cut before each decision.
    cuts: FxHashMap<usize, Cut>,
    states: RefCell<FxHashMap<(usize, Vec<u64>), BigRational>>,
}

struct Cut {
    /// The variables known before that are used after.
    key: Vec<Var>,
    symmetry: KeySymmetry,
}

impl<'a> Remembering<'a> {
    fn new(program: &'a Program, mut symmetry: Symmetry) -> Self {
        let mut cuts = FxHashMap::default();
        let mut known: FxHashSet<Var> = FxHashSet::default();
        for (position, item) in program.items.iter().enumerate() {
            match *item {
                Item::Check(_) => {}
                Item::Gate(index) => {
                    known.insert(program.gates[index].output);
                }
                Item::Decision(index) => {
                    let mut key: Vec<Var> = Vec::new();
                    for item in &program.items[position..] {
                        let used: Vec<Lit> = match *item {
                            Item::Check(index) => program.clauses.get(index).to_vec(),
                            Item::Gate(index) => program.inputs(&program.gates[index]).collect(),
                            Item::Decision(index) => {
                                let decision = &program.decisions[index];
                                let legality = program.legality(decision).flatten().copied();
                                legality.chain(decision.unless()).collect()
                            }
                        };
                        let variables = used.iter().map(|literal| literal.var());
                        key.extend(variables.filter(|variable| known.contains(variable)));
                    }
                    key.sort_unstable();
                    key.dedup();
                    let symmetry = symmetry.of_key(&key, &[]);
                    cuts.insert(position, Cut { key, symmetry });
                    known.extend(program.decisions[index].variables.iter().copied());
                }
            }
        }
        Remembering {
            program,
            cuts,
            states: RefCell::default(),
        }
    }

    /// The least key among the images of a state.
    fn key(&self, cut: &Cut, values: &[Option<bool>]) -> Vec<u64> {
        let mut key = vec![0; cut.key.len().div_ceil(64)];
        for (bit, variable) in cut.key.iter().enumerate() {
            let value = values[variable.index()].expect("it is known");
            key[bit / 64] |= u64::from(value) << (bit % 64);
        }
        cut.symmetry.canonicalise(&mut key);
        key
    }

    /// The value, and the number of states.
    fn value(&self) -> (BigRational, usize) {
        let meet = |item: usize, values: &mut Values| {
            let cut = self.cuts.get(&item)?;
            let key = self.key(cut, values);
            if let Some(value) = self.states.borrow().get(&(item, key.clone())) {
                return Some(value.clone());
            }
            values.fill(None);
            for (bit, variable) in cut.key.iter().enumerate() {
                values[variable.index()] = Some(key[bit / 64] >> (bit % 64) & 1 == 1);
            }
            None
        };
        let visit = |item: usize, values: &[Option<bool>], value: &BigRational| {
            if let Some(cut) = self.cuts.get(&item) {
                let key = (item, self.key(cut, values));
                self.states.borrow_mut().insert(key, value.clone());
            }
        };
        let evaluation = Evaluation {
            program: self.program,
            visit: &visit,
            meet: &meet,
        };
        let value = evaluation.rest(0, &mut vec![None; self.program.variables]);
        (value, self.states.borrow().len())
    }
}

/// The fault of a planted automorphism.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Check,
    Gate,
    Assignment,
    Legality,
    Unless,
}

/// Planted programs have fewer variables.
const MAX_VARIABLES: usize = 1000;

/// A random program, and an involution that is its automorphism.
struct Planted {
    program: Program,
    involution: Automorphism,
}

impl Planted {
    /// With a fault, the planted permutation is an automorphism but for one thing.
    fn new(random: &mut fastrand::Rng, mut fault: Option<Fault>) -> Self {
        let mut moves: Vec<(Var, Lit)> = Vec::new();
        let mut variables = 0;
        let mut variable = || {
            variables += 1;
            Var::new(variables - 1)
        };
        let mut known: Vec<Lit> = Vec::new();
        let mut program = Program::new(MAX_VARIABLES, BigRational::one());
        for _ in 0..random.usize(1..4) {
            let quantifiers = [Quantifier::Exists, Quantifier::Forall, Quantifier::Chance];
            let quantifier = quantifiers[random.usize(0..3)];
            let selected = quantifier != Quantifier::Exists && random.bool();
            let is_open = quantifier != Quantifier::Exists && !selected;
            let is_mean = is_open && quantifier == Quantifier::Chance;
            let mut decided: Vec<(Var, Option<Probability>)> = Vec::new();
            // Pairs of variables that are exchanged, and single ones; some negated on the way.
            for _ in 0..random.usize(1..3) {
                let first = variable();
                let flipped = random.u8(0..4) == 0;
                let second = if random.u8(0..3) > 0 {
                    variable()
                } else {
                    first
                };
                let chance = is_mean.then(|| {
                    let half = first == second && flipped;
                    Probability::ratio(if half { 2 } else { random.u64(0..5) }, 4)
                });
                let image = |chance: &Probability| match flipped {
                    true => chance.complement(),
                    false => chance.clone(),
                };
                let image = chance.as_ref().map(image);
                moves.push((first, second.literal(!flipped)));
                decided.push((first, chance));
                if first != second {
                    moves.push((second, first.literal(!flipped)));
                    decided.push((second, image));
                }
            }
            random.shuffle(&mut decided);
            let (own, chances): (Vec<Var>, Vec<_>) = decided.into_iter().unzip();
            let involution = Automorphism::new(moves.clone());
            let mut unless = None;
            if selected {
                let any = fault.take_if(|fault| *fault == Fault::Unless).is_some();
                let fixed = known.iter().filter(|&&l| any || involution.image(l) == l);
                let literal = random.choice(fixed.copied().collect::<Vec<_>>());
                unless = literal.filter(|_| any || random.bool());
            }
            let mut assignments: Vec<Vec<u16>> = Vec::new();
            if !is_open {
                for _ in 0..random.usize(1..6) {
                    let values = own.iter().map(|variable| variable.literal(random.bool()));
                    let values: Vec<Lit> = values.collect();
                    let images: Vec<Lit> = values.iter().map(|&l| involution.image(l)).collect();
                    for literals in [values, images] {
                        let positions = 0..own.len() as u16;
                        let is_true = |&position: &u16| {
                            literals.contains(&own[usize::from(position)].positive())
                        };
                        let assignment: Vec<u16> = positions.filter(is_true).collect();
                        let is_new = !assignments.contains(&assignment);
                        if is_new && fault.take_if(|f| *f == Fault::Assignment).is_none() {
                            assignments.push(assignment);
                        }
                    }
                }
            }
            for variable in &own {
                known.extend([variable.positive(), variable.negative()]);
            }
            let chances = chances.into_iter().flatten().collect();
            program.push_decision(match is_open {
                true => Decision::open(quantifier, own, chances),
                false => Decision::listed(quantifier, own, assignments, unless),
            });
            for _ in 0..if is_open { 0 } else { random.usize(0..3) } {
                let clause = pick(random, &known, 3);
                let mapped = image(&moves, &clause);
                program.push_legal(&clause);
                if clause != mapped && fault.take_if(|f| *f == Fault::Legality).is_none() {
                    program.push_legal(&mapped);
                }
            }
            for _ in 0..random.usize(0..4) {
                let clauses: Vec<Vec<Lit>> = (0..random.usize(1..4))
                    .map(|_| pick(random, &known, 2))
                    .collect();
                let inverted = random.bool();
                let mapped: Vec<Vec<Lit>> = clauses.iter().map(|c| image(&moves, c)).collect();
                let first = variable();
                if random.u8(0..3) == 0 {
                    let both = clauses.into_iter().chain(mapped);
                    program.push_gate(first, inverted, both);
                    moves.push((first, first.positive()));
                    known.extend([first.positive(), first.negative()]);
                } else {
                    let second = variable();
                    // The image may be written down the other way round.
                    let flipped = random.bool();
                    let mut mapped = mapped;
                    if fault.take_if(|fault| *fault == Fault::Gate).is_some() {
                        mapped[0] = pick(random, &known, 2);
                    }
                    program.push_gate(first, inverted, clauses);
                    program.push_gate(second, inverted != flipped, mapped);
                    moves.push((first, second.literal(!flipped)));
                    moves.push((second, first.literal(!flipped)));
                    for variable in [first, second] {
                        known.extend([variable.positive(), variable.negative()]);
                    }
                }
            }
            for _ in 0..random.usize(0..4) {
                let clause = pick(random, &known, 3);
                let mapped = image(&moves, &clause);
                program.push_check(&clause);
                if clause != mapped && fault.take_if(|fault| *fault == Fault::Check).is_none() {
                    program.push_check(&mapped);
                }
            }
        }
        program.variables = variables;
        assert_eq!(program.check(), Ok(()));
        Planted {
            program,
            involution: Automorphism::new(moves),
        }
    }

    /// Whether states that are images of each other have one value, for random states.
    fn check(&self, map: &Automorphism, random: &mut fastrand::Rng, hint: &str) {
        for item in 0..self.program.items.len() {
            if !matches!(self.program.items[item], Item::Decision(_)) {
                continue;
            }
            // Whatever is known has values that were computed; what is not will be overwritten.
            let variables = 0..self.program.variables;
            let mut state: Values = variables.map(|_| Some(random.bool())).collect();
            for &item in &self.program.items[..item] {
                if let Item::Gate(index) = item {
                    let value = gate_value(&self.program, index, &state);
                    state[self.program.gates[index].output.index()] = Some(value);
                }
            }
            let mut mapped = state.clone();
            for (index, &value) in state.iter().enumerate() {
                let image = map.image(Var::new(index).positive());
                mapped[image.var().index()] = value.map(|value| image.holds(value));
            }
            let evaluation = Evaluation {
                program: &self.program,
                visit: &|_, _, _| (),
                meet: &|_, _| None,
            };
            let of = |mut state| evaluation.rest(item, &mut state);
            assert_eq!(
                of(state),
                of(mapped),
                "{hint}, item {item}: {map:?} of {:?}",
                self.program
            );
        }
    }
}

fn image(moves: &[(Var, Lit)], clause: &[Lit]) -> Vec<Lit> {
    let map = Automorphism::new(moves.to_vec());
    sorted(clause.iter().map(|&literal| map.image(literal)).collect())
}

/// A random clause, without a variable twice.
fn pick(random: &mut fastrand::Rng, known: &[Lit], most: usize) -> Vec<Lit> {
    let mut clause: Vec<Lit> = Vec::new();
    for _ in 0..random.usize(1..=most) {
        let literal = known[random.usize(0..known.len())];
        if clause.iter().all(|other| other.var() != literal.var()) {
            clause.push(literal);
        }
    }
    sorted(clause)
}

#[test]
fn planted_symmetry_is_accepted_found_and_keeps_values() {
    let limits = Limits::default();
    let (mut moving, mut merging) = (0, 0);
    for (seed, mut random) in seeds(0, 400) {
        let planted = Planted::new(&mut random, None);
        let hint = format!("seed {seed}");
        let statements = Statements::new(&planted.program);
        let verifier = Verifier::new(&statements, planted.program.chances());
        assert!(
            verifier.accepts(&planted.involution),
            "{hint}: {:?}",
            planted.program
        );
        planted.check(&planted.involution, &mut random, &hint);
        let mut watch = Watch::new(&limits);
        let symmetry = Symmetry::find(&planted.program, &mut watch).unwrap();
        for generator in &symmetry.generators {
            planted.check(generator, &mut random, &hint);
        }
        // The whole program, with one state for all its images.
        let remembering = |symmetry| Remembering::new(&planted.program, symmetry).value();
        let generators = symmetry.generators();
        let expected = evaluate(&planted.program);
        let (value, states) = remembering(Symmetry::none());
        assert_eq!(value, expected, "{hint}: {:?}", planted.program);
        let (value, fewer) = remembering(symmetry);
        assert_eq!(value, expected, "{hint}: {:?}", planted.program);
        merging += usize::from(fewer < states);
        // Flips of listed variables are not searched for.
        let permutes = |&(_, image): &(Var, Lit)| !image.is_negative();
        let moves = planted.involution.moves();
        if !moves.is_empty() && moves.iter().all(permutes) {
            moving += 1;
            assert!(generators > 0, "{hint}: {:?}", planted.program);
        }
    }
    assert!(moving > 50, "only {moving} programs with a permutation");
    assert!(merging > 20, "only {merging} programs with fewer states");
}

#[test]
fn wrong_permutations_are_refused() {
    let faults = [
        Fault::Check,
        Fault::Gate,
        Fault::Assignment,
        Fault::Legality,
        Fault::Unless,
    ];
    let mut refused = 0;
    for (seed, mut random) in seeds(0, 4_000) {
        let fault = random.choice(faults);
        let planted = Planted::new(&mut random, fault);
        let hint = format!("seed {seed}");
        let statements = Statements::new(&planted.program);
        let verifier = Verifier::new(&statements, planted.program.chances());
        // The planted permutation, which one fault may break; and two exchanged or negated literals.
        let [left, right] = [0, 0].map(|_| Var::new(random.usize(0..planted.program.variables)));
        let sign = random.bool();
        let exchange = vec![(left, right.literal(sign)), (right, left.literal(sign))];
        let exchange = match left == right {
            true => Automorphism::new(vec![(left, left.negative())]),
            false => Automorphism::new(exchange),
        };
        for candidate in [&planted.involution, &exchange] {
            if verifier.accepts(candidate) {
                planted.check(candidate, &mut random, &hint);
            } else {
                refused += 1;
            }
        }
        // Not even a permutation.
        if left != right {
            let both = Automorphism::new(vec![(left, right.positive())]);
            assert!(!verifier.accepts(&both), "{hint}");
        }
    }
    assert!(refused > 2_000, "only {refused} are refused");
}

#[test]
fn an_exchange_of_different_probabilities_is_refused() {
    let [left, right] = [0, 1].map(Var::new);
    let accepts = |chances: [u64; 2], sign: bool| {
        let chances = chances.map(|parts| Probability::ratio(parts, 3));
        let mut program = Program::new(2, BigRational::one());
        let variables = vec![left, right];
        program.push_decision(Decision::open(
            Quantifier::Chance,
            variables,
            chances.to_vec(),
        ));
        program.push_check(&[left.positive(), right.positive()]);
        let statements = Statements::new(&program);
        let exchange = vec![(left, right.literal(sign)), (right, left.literal(sign))];
        Verifier::new(&statements, program.chances()).accepts(&Automorphism::new(exchange))
    };
    assert!(accepts([1, 1], true));
    assert!(!accepts([1, 2], true));
    // The probabilities would allow this one, the check does not.
    assert!(!accepts([1, 2], false));
}

#[test]
fn an_exchange_of_listed_and_other_assignments_is_refused() {
    let [left, right] = [0, 1].map(Var::new);
    let accepts = |assignments: &[&[u16]]| {
        let mut program = Program::new(2, BigRational::one());
        let assignments = assignments
            .iter()
            .map(|positions| positions.to_vec())
            .collect();
        let variables = vec![left, right];
        program.push_decision(Decision::listed(
            Quantifier::Exists,
            variables,
            assignments,
            None,
        ));
        let exchange = vec![(left, right.positive()), (right, left.positive())];
        let statements = Statements::new(&program);
        Verifier::new(&statements, program.chances()).accepts(&Automorphism::new(exchange))
    };
    assert!(accepts(&[&[0], &[1]]));
    assert!(accepts(&[&[], &[0, 1]]));
    assert!(!accepts(&[&[0]]));
    assert!(!accepts(&[&[0], &[0, 1]]));
}
