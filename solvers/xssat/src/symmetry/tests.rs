use super::statements::{is_listed, sorted};
use super::*;
use crate::order::{Decision, Item, Selection};
use formula::{BigRational, Limits, Quantifier};
use num_traits::{One, Zero};

/// The value of what follows from an item on, by brute force.
fn value(
    program: &Program,
    chances: &[Option<Probability>],
    item: usize,
    values: &mut Vec<bool>,
) -> BigRational {
    let holds =
        |clause: &[Lit], values: &[bool]| clause.iter().any(|l| l.holds(values[l.var().index()]));
    match program.items.get(item) {
        None => BigRational::one(),
        Some(&Item::Check(index)) if !holds(program.checks.get(index), values) => {
            BigRational::zero()
        }
        Some(Item::Check(_)) => value(program, chances, item + 1, values),
        Some(&Item::Gate(index)) => {
            let gate = &program.gates[index];
            let all = program.conjuncts(gate).all(|clause| holds(clause, values));
            values[gate.output.index()] = all != gate.inverted;
            value(program, chances, item + 1, values)
        }
        Some(&Item::Decision(index)) => {
            let decision = &program.decisions[index];
            let count = decision.variables.len();
            let assignments: Vec<Vec<bool>> = if is_listed(decision) {
                let patterns = decision.patterns.iter();
                let values = |pattern: &Vec<u16>| {
                    let places = 0..count as u16;
                    places.map(|place| pattern.contains(&place)).collect()
                };
                patterns.map(values).collect()
            } else {
                let all = 0..1 << count;
                all.map(|bits| (0..count).map(|bit| bits >> bit & 1 == 1).collect())
                    .collect()
            };
            let mut known = vec![false; values.len()];
            for &item in &program.items[..item] {
                match item {
                    Item::Gate(index) => known[program.gates[index].output.index()] = true,
                    Item::Decision(index) => {
                        let variables = program.decisions[index].variables.iter();
                        variables.for_each(|variable| known[variable.index()] = true);
                    }
                    Item::Check(_) => {}
                }
            }
            let prompt: Vec<&[Lit]> = program.items[item..]
                .iter()
                .filter_map(|item| match *item {
                    Item::Check(index) => Some(program.checks.get(index)),
                    _ => None,
                })
                .filter(|clause| {
                    clause.iter().all(|literal| {
                        known[literal.var().index()] || decision.variables.contains(&literal.var())
                    })
                })
                .collect();
            let unless = decision.selection.and_then(|selection| selection.unless);
            let free = unless.is_some_and(|literal| literal.holds(values[literal.var().index()]));
            let mut outcomes: Vec<(BigRational, BigRational)> = Vec::new();
            for assignment in assignments {
                let mut weight = BigRational::one();
                for (&variable, &bit) in decision.variables.iter().zip(&assignment) {
                    values[variable.index()] = bit;
                    if let (None, Some(chance)) = (decision.selection, &chances[variable.index()]) {
                        weight *= if bit {
                            chance.as_rational().clone()
                        } else {
                            chance.complement().as_rational().clone()
                        };
                    }
                }
                let allowed = prompt.iter().all(|clause| holds(clause, values));
                if allowed || decision.selection.is_none() {
                    outcomes.push((weight, value(program, chances, item + 1, values)));
                }
            }
            let quantifier = if free {
                Quantifier::Exists
            } else {
                decision.quantifier
            };
            let only = outcomes.iter().map(|(_, value)| value.clone());
            match quantifier {
                Quantifier::Exists => only.max().unwrap_or_else(BigRational::zero),
                Quantifier::Forall => only.min().unwrap_or_else(BigRational::zero),
                Quantifier::Chance => {
                    let weights: BigRational = outcomes.iter().map(|(weight, _)| weight).sum();
                    let sum: BigRational = outcomes.iter().map(|(weight, v)| weight * v).sum();
                    if weights.is_zero() {
                        sum
                    } else {
                        sum / weights
                    }
                }
            }
        }
    }
}

/// A random program, and an involution that is its automorphism.
struct Planted {
    program: Program,
    chances: Vec<Option<Probability>>,
    involution: Automorphism,
}

impl Planted {
    /// `faulty` leaves out the image of one statement.
    fn new(random: &mut fastrand::Rng, faulty: bool) -> Self {
        let mut moves: Vec<(Var, Lit)> = Vec::new();
        let mut chances = Vec::new();
        let mut known: Vec<Lit> = Vec::new();
        let mut program = Program::default();
        let mut faults = usize::from(faulty);
        for _ in 0..random.usize(1..4) {
            let quantifiers = [Quantifier::Exists, Quantifier::Forall, Quantifier::Chance];
            let quantifier = quantifiers[random.usize(0..3)];
            let selected = quantifier != Quantifier::Exists && random.bool();
            let mut decision = Decision {
                quantifier,
                variables: Vec::new(),
                patterns: Vec::new(),
                selection: None,
            };
            // Pairs of variables that are exchanged, and single ones; some negated on the way.
            for _ in 0..random.usize(1..3) {
                let first = Var::new(chances.len());
                let flipped = random.u8(0..4) == 0;
                let second = if random.u8(0..3) > 0 {
                    Var::new(chances.len() + 1)
                } else {
                    first
                };
                let chance = (quantifier == Quantifier::Chance).then(|| {
                    let half = first == second && flipped;
                    Probability::ratio(if half { 2 } else { random.u64(0..5) }, 4)
                });
                let image = |chance: &Probability| match flipped {
                    true => chance.complement(),
                    false => chance.clone(),
                };
                let image = chance.as_ref().map(image);
                moves.push((first, second.literal(!flipped)));
                decision.variables.push(first);
                chances.push(chance);
                if first != second {
                    moves.push((second, first.literal(!flipped)));
                    decision.variables.push(second);
                    chances.push(image);
                }
            }
            random.shuffle(&mut decision.variables);
            let involution = Automorphism::new(moves.clone());
            if selected {
                let fixed = known.iter().filter(|&&l| involution.image(l) == l);
                let unless = random.choice(fixed.copied().collect::<Vec<_>>());
                decision.selection = Some(Selection {
                    unless: unless.filter(|_| random.bool()),
                });
            }
            if quantifier == Quantifier::Exists || selected {
                for _ in 0..random.usize(1..6) {
                    let values: Vec<Lit> = decision
                        .variables
                        .iter()
                        .map(|variable| variable.literal(random.bool()))
                        .collect();
                    let images: Vec<Lit> = values.iter().map(|&l| involution.image(l)).collect();
                    for literals in [values, images] {
                        let places = 0..decision.variables.len() as u16;
                        let is_true = |&place: &u16| {
                            literals.contains(&decision.variables[usize::from(place)].positive())
                        };
                        let pattern: Vec<u16> = places.filter(is_true).collect();
                        if !decision.patterns.contains(&pattern) {
                            decision.patterns.push(pattern);
                        }
                    }
                }
            }
            for &variable in &decision.variables {
                known.extend([variable.positive(), variable.negative()]);
            }
            program.push_decision(decision);
            for _ in 0..random.usize(0..4) {
                let clauses: Vec<Vec<Lit>> = (0..random.usize(1..4))
                    .map(|_| pick(random, &known, 2))
                    .collect();
                let inverted = random.bool();
                let mapped: Vec<Vec<Lit>> = clauses.iter().map(|c| image(&moves, c)).collect();
                let [first, second] = [0, 1].map(|next| Var::new(chances.len() + next));
                if random.u8(0..3) == 0 {
                    let both = clauses.into_iter().chain(mapped);
                    program.push_gate(first, inverted, both);
                    moves.push((first, first.positive()));
                    chances.push(None);
                    known.extend([first.positive(), first.negative()]);
                } else {
                    // The image may be written down the other way round.
                    let flipped = random.bool();
                    program.push_gate(first, inverted, clauses);
                    program.push_gate(second, inverted != flipped, mapped);
                    moves.push((first, second.literal(!flipped)));
                    moves.push((second, first.literal(!flipped)));
                    chances.extend([None, None]);
                    for variable in [first, second] {
                        known.extend([variable.positive(), variable.negative()]);
                    }
                }
            }
            for _ in 0..random.usize(0..4) {
                let clause = pick(random, &known, 3);
                let mapped = image(&moves, &clause);
                program.push_check(&clause);
                if clause != mapped {
                    if faults > 0 {
                        faults -= 1;
                    } else {
                        program.push_check(&mapped);
                    }
                }
            }
        }
        Planted {
            program,
            chances,
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
            let mut state: Vec<bool> = self.chances.iter().map(|_| random.bool()).collect();
            for &item in &self.program.items[..item] {
                if let Item::Gate(index) = item {
                    let gate = &self.program.gates[index];
                    let holds = |clause: &[Lit]| {
                        let mut literals = clause.iter();
                        literals.any(|literal| literal.holds(state[literal.var().index()]))
                    };
                    let all = self.program.conjuncts(gate).all(holds);
                    state[gate.output.index()] = all != gate.inverted;
                }
            }
            let mut mapped = vec![false; state.len()];
            for (index, &value) in state.iter().enumerate() {
                let image = map.image(Var::new(index).positive());
                mapped[image.var().index()] = image.holds(value);
            }
            let of = |mut state| value(&self.program, &self.chances, item, &mut state);
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

fn rounds(base: u64) -> u64 {
    let factor = std::env::var("SQASP_TEST_ROUNDS").ok();
    base * factor.map_or(1, |factor| {
        factor.parse().expect("SQASP_TEST_ROUNDS is a number")
    })
}

#[test]
fn planted_symmetry_is_accepted_found_and_keeps_values() {
    let limits = Limits::default();
    let mut moving = 0;
    for seed in 0..rounds(400) {
        let mut random = fastrand::Rng::with_seed(seed);
        let planted = Planted::new(&mut random, false);
        let hint = format!("seed {seed}");
        let statements = Statements::new(&planted.program);
        let verifier = Verifier::new(&statements, &planted.chances);
        assert!(
            verifier.accepts(&planted.involution),
            "{hint}: {:?}",
            planted.program
        );
        planted.check(&planted.involution, &mut random, &hint);
        let mut budget = Budget::new(&limits, None);
        let symmetry = Symmetry::find(&planted.program, &planted.chances, &mut budget).unwrap();
        for generator in &symmetry.generators {
            planted.check(generator, &mut random, &hint);
        }
        // Flips of listed variables are not looked for.
        let permutes = |&(_, image): &(Var, Lit)| !image.is_negative();
        let moves = planted.involution.moves();
        if !moves.is_empty() && moves.iter().all(permutes) {
            moving += 1;
            assert!(symmetry.generators() > 0, "{hint}: {:?}", planted.program);
        }
    }
    assert!(moving > 50, "only {moving} programs with a permutation");
}

#[test]
fn wrong_permutations_are_refused() {
    let mut refused = 0;
    for seed in 0..rounds(2_000) {
        let mut random = fastrand::Rng::with_seed(seed);
        let planted = Planted::new(&mut random, true);
        let hint = format!("seed {seed}");
        let statements = Statements::new(&planted.program);
        let verifier = Verifier::new(&statements, &planted.chances);
        // What was planted, but for one check; and two exchanged or negated literals.
        let [left, right] = [0, 0].map(|_| Var::new(random.usize(0..planted.chances.len())));
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
    assert!(refused > 1_000, "only {refused} are refused");
}

#[test]
fn an_exchange_of_different_probabilities_is_refused() {
    let [left, right] = [0, 1].map(Var::new);
    let mut program = Program::default();
    program.push_decision(Decision {
        quantifier: Quantifier::Chance,
        variables: vec![left, right],
        patterns: Vec::new(),
        selection: None,
    });
    program.push_check(&[left.positive(), right.positive()]);
    let statements = Statements::new(&program);
    let accepts = |chances: [u64; 2], sign: bool| {
        let chances = chances.map(|parts| Some(Probability::ratio(parts, 3)));
        let exchange = vec![(left, right.literal(sign)), (right, left.literal(sign))];
        Verifier::new(&statements, &chances).accepts(&Automorphism::new(exchange))
    };
    assert!(accepts([1, 1], true));
    assert!(!accepts([1, 2], true));
    // The probabilities would allow this one, the check does not.
    assert!(!accepts([1, 2], false));
}
