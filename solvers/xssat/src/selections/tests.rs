//! Random games encoded by the rules that are to be recognised, intact and damaged.

use super::*;
use crate::compile::{Compiled, compile};
use crate::order::walk;
use crate::program::Decision;
use crate::program::evaluate::{evaluate, evaluate_and_visit};
use formula::engine::Statistics;
use formula::preprocess::Problem;
use formula::preprocess::simplify;
use formula::{BigRational, Clauses, Formula, Names, Outcome, Prefix, Probability, Value};
use generators::{Layered, Structured, enumerate, layered, rounds, seeds, structured};
use limits::{Limits, Publisher, Watch};
use num_traits::One;

/// Enumeration takes too long beyond this.
const MAX_ENUMERATED: usize = 14;

/// The order of a formula and its lifted form. `None` if simplification settles the formula.
fn programs(formula: &Formula, group_size: usize) -> Option<(Program, Program)> {
    let limits = Limits::default();
    let mut watch = Watch::new(&limits);
    let mut problem = Problem::new(formula);
    let options = Options {
        group_size,
        ..Options::default()
    };
    let simplified = simplify(
        &mut problem,
        &formula::preprocess::Options::default(),
        &mut watch,
    )
    .expect("there are no limits");
    simplified.ok()?;
    let mut order = || walk(&problem, &options, &mut watch).expect("there are no limits");
    let (plain, lifted) = (order(), lift(order(), &options));
    Some((plain, lifted))
}

/// The decisions that became selections.
fn selections(program: &Program) -> Vec<Decision> {
    let decisions = program.decisions.iter();
    let is_selection = |decision: &&Decision| {
        decision.listed.is_some() && decision.quantifier != Quantifier::Exists
    };
    decisions.filter(is_selection).cloned().collect()
}

/// Checks that lifting keeps the value of a formula; gives the selections.
fn check(formula: &Formula, group_size: usize, seed: u64) -> Vec<Decision> {
    let Some((plain, lifted)) = programs(formula, group_size) else {
        return Vec::new();
    };
    for program in [&plain, &lifted] {
        assert_eq!(program.check(), Ok(()), "seed {seed}: {formula:?}");
    }
    let found = evaluate(&lifted);
    assert_eq!(found, evaluate(&plain), "seed {seed}: {formula:?}");
    let selections = selections(&lifted);
    assert_eq!(
        found,
        compiled_value(lifted, seed),
        "seed {seed}: {formula:?}"
    );
    assert_eq!(
        found,
        searched_value(formula, group_size, seed),
        "seed {seed}: {formula:?}"
    );
    if formula.variables() <= MAX_ENUMERATED {
        let expected: BigRational = enumerate(formula).expect("small");
        assert_eq!(found, expected, "seed {seed}: {formula:?}");
    }
    selections
}

/// The value that the search finds from cut to cut, with a random mixture of the options that could matter.
fn searched_value(formula: &Formula, group_size: usize, seed: u64) -> BigRational {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut options = Options::default();
    for (name, _) in Options::techniques() {
        *options.technique(name).expect("it is on the list") = random.u32(0..8) > 0;
    }
    let mut simplify = formula::preprocess::Options::default();
    for (name, _) in formula::preprocess::Options::techniques() {
        *simplify.technique(name).expect("it is on the list") = random.u32(0..8) > 0;
    }
    options.lift_selections = true;
    options.search.threads = random.usize(1..=2);
    options.group_size = group_size;
    options.segment_bits = random.u32(0..=8);
    options.segment_length = random.u32(1..=4);
    let engine = |problem: Problem, watch: &mut Watch<'_>, statistics: &mut Statistics| {
        let program = crate::order(&problem, &options, watch)?;
        let compiled = crate::compile(program, &options, watch, statistics)?;
        Ok(crate::search(&compiled, &options, watch, statistics))
    };
    let limits = (&Limits::default(), &Publisher::default());
    let answer = formula::engine::solve("xssat", formula, limits, None, &simplify, engine);
    match answer.expect("solves").outcome {
        Outcome::Solved(Value::Exact(value)) => value,
        other => panic!("seed {seed}: {other:?}"),
    }
}

fn compiled(program: Program, segment_length: u32) -> Compiled {
    let options = Options {
        segment_length,
        ..Options::default()
    };
    let limits = Limits::default();
    let mut watch = Watch::new(&limits);
    compile(program, &options, &mut watch).expect("there are no limits")
}

/// The value of what compilation makes of a program. Where it says that a literal wins, it must.
fn compiled_value(program: Program, seed: u64) -> BigRational {
    let compiled = compiled(program, 1 + (seed % 4) as u32);
    let program = &compiled.program;
    assert_eq!(program.check(), Ok(()), "seed {seed}");
    let inner = compiled
        .cuts
        .iter()
        .filter(|cut| cut.item < program.items.len());
    let winning: FxHashMap<usize, &Vec<Lit>> = inner.map(|cut| (cut.item, &cut.winning)).collect();
    let visit = |position: usize, values: &[Option<bool>], value: &BigRational| {
        for literal in winning.get(&position).into_iter().copied().flatten() {
            if values[literal.var().index()] == Some(!literal.is_negative()) {
                assert!(
                    value.is_one(),
                    "seed {seed}: {literal:?} does not win: {program:?}"
                );
            }
        }
    };
    evaluate_and_visit(program, &visit)
}

/// Variables and clauses as they come.
#[derive(Default)]
struct Encoder {
    prefix: Vec<(Quantifier, Probability)>,
    clauses: Vec<Vec<Lit>>,
    /// The variables that encode a move.
    encoding: Vec<Var>,
}

impl Encoder {
    fn add(&mut self, player: Quantifier, numerator: u64, denominator: u64) -> Lit {
        self.prefix
            .push((player, Probability::ratio(numerator, denominator)));
        Var::new(self.prefix.len() - 1).positive()
    }

    fn exists(&mut self) -> Lit {
        self.add(Quantifier::Exists, 1, 2)
    }

    fn formula(&self) -> Formula {
        let mut prefix = Prefix::new();
        for (index, (player, probability)) in self.prefix.iter().enumerate() {
            if *player == Quantifier::Chance {
                prefix.push_chance(Var::new(index), probability.clone());
            } else {
                prefix.push(*player, [Var::new(index)]);
            }
        }
        let mut matrix = Clauses::new();
        for clause in &self.clauses {
            matrix.push(clause.iter().copied());
        }
        Formula::new(self.prefix.len(), prefix, matrix, Names::default())
    }

    /// An output that is true exactly if one of these is.
    fn define_or(&mut self, inputs: &[Lit]) -> Lit {
        let output = self.exists();
        for &input in inputs {
            self.clauses.push(vec![output, !input]);
        }
        let mut clause = inputs.to_vec();
        clause.push(!output);
        self.clauses.push(clause);
        output
    }

    /// The variables with which a player says which of these moves to make.
    fn encode(&mut self, player: Quantifier, moves: usize) -> Vec<Lit> {
        let encoding: Vec<Lit> = match player {
            Quantifier::Forall => {
                let bits = moves.next_power_of_two().trailing_zeros();
                (0..bits).map(|_| self.add(player, 1, 2)).collect()
            }
            _ => (2..=moves as u64).map(|i| self.add(player, 1, i)).collect(),
        };
        self.encoding
            .extend(encoding.iter().map(|literal| literal.var()));
        encoding
    }

    /// Moves of which exactly one is made, and which one is said by an encoding. A move is
    /// possible where its literal in `legal` is true, if it has one.
    fn decode(
        &mut self,
        random: &mut fastrand::Rng,
        player: Quantifier,
        encoding: &[Lit],
        legal: &[Option<Lit>],
        ended: Option<Lit>,
    ) -> Vec<Lit> {
        let moves: Vec<Lit> = legal.iter().map(|_| self.exists()).collect();
        for (position, &first) in moves.iter().enumerate() {
            for &second in &moves[position + 1..] {
                self.clauses.push(vec![!first, !second]);
            }
        }
        if random.bool() && moves.len() > 1 {
            let some = self.define_or(&moves);
            self.clauses.push(ended.into_iter().chain([some]).collect());
        } else {
            let clause = ended.into_iter().chain(moves.iter().copied());
            self.clauses.push(clause.collect());
        }
        let [stop, permit] = [random.bool(), random.bool()];
        for (&action, &legal) in moves.iter().zip(legal) {
            if let Some(legal) = legal {
                let ended = ended.filter(|_| permit);
                self.clauses
                    .push(ended.into_iter().chain([!action, legal]).collect());
            }
            if let Some(ended) = ended.filter(|_| stop) {
                self.clauses.push(vec![!action, !ended]);
            }
        }
        if player == Quantifier::Forall {
            for (number, (&action, &legal)) in moves.iter().zip(legal).enumerate() {
                let bits = encoding.iter().enumerate();
                let differs = |(bit, literal): (usize, &Lit)| {
                    if number >> bit & 1 == 1 {
                        !*literal
                    } else {
                        *literal
                    }
                };
                let clause = bits.map(differs).chain([action]);
                self.clauses
                    .push(clause.chain(legal.map(|l| !l)).chain(ended).collect());
            }
        } else {
            for set in 0u32..1 << moves.len() {
                let is_in = |position: usize| set >> position & 1 == 1;
                let consistent = legal.iter().enumerate();
                if set.count_ones() < 2
                    || consistent
                        .clone()
                        .any(|(position, legal)| legal.is_none() && !is_in(position))
                {
                    continue;
                }
                let differs = consistent.filter_map(|(position, &legal)| {
                    let legal = legal?;
                    Some(if is_in(position) { !legal } else { legal })
                });
                let count = set.count_ones() as usize;
                let members = (0..moves.len()).filter(|&position| is_in(position));
                for (position, number) in members.zip(1..) {
                    let mut clause: Vec<Lit> = differs.clone().chain(ended).collect();
                    clause.push(moves[position]);
                    clause.extend((number.max(2)..=count).map(|i| {
                        let literal = encoding[i - 2];
                        if i == number { !literal } else { literal }
                    }));
                    self.clauses.push(clause);
                }
            }
        }
        moves
    }

    fn damage(&mut self, random: &mut fastrand::Rng) {
        let clause = random.usize(0..self.clauses.len());
        let used = Var::new(random.usize(0..self.prefix.len())).literal(random.bool());
        let encoding = random
            .choice(&self.encoding)
            .expect("not empty")
            .literal(random.bool());
        // A clause that lost all its literals before is damaged enough.
        if self.clauses[clause].is_empty() {
            return;
        }
        match random.u32(0..7) {
            0 => {
                self.clauses.swap_remove(clause);
            }
            1 => {
                let position = random.usize(0..self.clauses[clause].len());
                let literal = &mut self.clauses[clause][position];
                *literal = !*literal;
            }
            2 => self.prefix[encoding.var().index()].1 = Probability::ratio(random.u64(0..4), 4),
            3 => self.clauses.push(vec![encoding, used]),
            4 => {
                let position = random.usize(0..self.clauses[clause].len());
                self.clauses[clause].remove(position);
            }
            5 => {
                let position = random.usize(0..self.clauses[clause].len());
                self.clauses[clause][position] = used;
            }
            _ => {
                let output = self.define_or(&[encoding, used]);
                self.clauses.push(vec![output, used]);
            }
        }
    }
}

/// A game of a few steps with a random end.
fn game(random: &mut fastrand::Rng) -> Encoder {
    let mut game = Encoder::default();
    let owners = [Quantifier::Exists, Quantifier::Forall, Quantifier::Chance];
    let mut state: Vec<Lit> = Vec::new();
    for _ in 0..random.usize(1..=3) {
        let owner = random.choice(owners).expect("not empty");
        state.push(game.add(owner, 1, random.u64(2..4)));
    }
    let mut actions = Vec::new();
    let draw = |random: &mut fastrand::Rng, state: &[Lit]| {
        let literal = *random.choice(state).expect("not empty");
        if random.bool() { literal } else { !literal }
    };
    for _ in 0..random.usize(1..=2) {
        let player = random
            .choice([Quantifier::Forall, Quantifier::Chance])
            .expect("not empty");
        let opponents = 1 + usize::from(random.u32(0..3) == 0);
        let counts: Vec<usize> = (0..opponents).map(|_| random.usize(2..=3)).collect();
        let encodings: Vec<Vec<Lit>> = counts
            .iter()
            .map(|&count| game.encode(player, count))
            .collect();
        let mut made = Vec::new();
        for (count, encoding) in counts.into_iter().zip(encodings) {
            let ended = random.bool().then(|| draw(random, &state));
            let mut legal = Vec::new();
            for _ in 0..count {
                legal.push(match random.u32(0..4) {
                    0 | 1 => None,
                    2 => {
                        let inputs = [draw(random, &state), draw(random, &state)];
                        Some(game.define_or(&inputs))
                    }
                    _ => Some(draw(random, &state)),
                });
            }
            made.extend(game.decode(random, player, &encoding, &legal, ended));
        }
        state.extend(&made);
        actions.extend(made);
    }
    // The gain of each move is different, so that it matters how likely the moves are.
    let gains = [(1, 3), (3, 5), (6, 7)].map(|(n, d)| game.add(Quantifier::Chance, n, d));
    for &action in &actions {
        let gain = *random.choice(&gains).expect("not empty");
        game.clauses.push(vec![!action, gain]);
    }
    for _ in 0..random.usize(0..=2) {
        let clause = (0..random.usize(2..=4))
            .map(|_| draw(random, &state))
            .collect();
        game.clauses.push(clause);
    }
    game
}

#[test]
fn lifting_keeps_the_value_of_games() {
    let (mut found, mut unless) = (0, 0);
    for (seed, mut random) in seeds(0, 300) {
        let game = game(&mut random);
        let selections = check(&game.formula(), random.usize(1..=8), seed);
        found += selections.len() as u64;
        unless += selections.iter().filter_map(Decision::unless).count();
    }
    println!("{found} selections, {unless} of them with a literal that sets the player free");
    assert!(found > rounds(100), "only {found} selections");
    assert!(
        unless > 0,
        "no selection has a literal that sets the player free"
    );
}

#[test]
fn lifting_keeps_the_value_of_damaged_games() {
    let mut found = 0;
    for (seed, mut random) in seeds(1_000_000, 400) {
        let mut game = game(&mut random);
        for _ in 0..random.usize(1..=2) {
            game.damage(&mut random);
        }
        found += check(&game.formula(), random.usize(1..=8), 1_000_000 + seed).len() as u64;
    }
    println!("{found} selections");
    assert!(found > rounds(50), "only {found} selections");
}

#[test]
fn lifting_keeps_the_value_of_other_formulas() {
    for (seed, mut random) in seeds(0, 300) {
        check(&structured(&mut random, &Structured::default()), 6, seed);
        let family = Layered {
            decision: random.usize(1..=2),
            ..Layered::default()
        };
        check(&layered(&mut random, &family), 6, seed);
    }
}

/// Chance moves, with gates that count the legal moves up to each move, as in translated games.
fn counted_game(moves: usize) -> Encoder {
    let mut game = Encoder::default();
    let legal: Vec<Lit> = (0..moves)
        .map(|_| game.add(Quantifier::Exists, 1, 2))
        .collect();
    let ended = game.exists();
    let encoding = game.encode(Quantifier::Chance, moves);
    // The number of legal moves up to the present one, in unary: `counts[k]` if there are k.
    let mut counts: Vec<Lit> = Vec::new();
    let mut up_to: Vec<Vec<Lit>> = Vec::new();
    for &legal in &legal {
        let mut next = Vec::new();
        for number in 0..=counts.len().max(1) {
            let mut ways = Vec::new();
            let before = |number: usize| counts.get(number).copied();
            if up_to.is_empty() {
                ways.push(if number == 0 { !legal } else { legal });
            } else {
                for (count, legal) in [
                    (before(number), !legal),
                    (before(number.wrapping_sub(1)), legal),
                ] {
                    if let Some(count) = count {
                        ways.push(!game.define_or(&[!count, !legal]));
                    }
                }
            }
            next.push(game.define_or(&ways));
        }
        counts = next;
        up_to.push(counts.clone());
    }
    let actions: Vec<Lit> = legal.iter().map(|_| game.exists()).collect();
    let some = game.define_or(&actions);
    game.clauses.push(vec![ended, some]);
    for (number, &action) in actions.iter().enumerate() {
        for &other in &actions[..number] {
            game.clauses.push(vec![!action, !other]);
        }
        game.clauses.push(vec![!action, legal[number]]);
        for (all, &total) in counts.iter().enumerate().skip(2) {
            for (position, &count) in up_to[number].iter().enumerate().take(all + 1).skip(1) {
                let mut clause = vec![action, !legal[number], ended];
                clause.extend([!count, !total]);
                clause.extend((position.max(2)..=all).map(|i| {
                    let literal = encoding[i - 2];
                    if i == position { !literal } else { literal }
                }));
                game.clauses.push(clause);
            }
        }
    }
    let chance = game.add(Quantifier::Chance, 1, 3);
    game.clauses.push(vec![!actions[0], chance]);
    game.clauses.push(vec![ended, !actions[moves - 1], !chance]);
    game
}

#[test]
fn counting_gates_are_evaluated() {
    assert_eq!(check(&counted_game(3).formula(), 6, 0).len(), 1);
    for (moves, expected) in [(9, 1), (12, 1), (30, 0)] {
        let (plain, lifted) = programs(&counted_game(moves).formula(), 6).expect("not settled");
        assert_eq!(selections(&lifted).len(), expected, "{moves} moves");
        let dropped = plain.clauses.len() - lifted.clauses.len();
        assert_eq!(dropped > 0, expected > 0, "{moves} moves");
    }
}

/// A selection by chance among the first, the second and so on of some variables.
fn among(variables: &[Var], unless: Option<Lit>) -> Decision {
    let assignments = (0..variables.len() as u16).map(|position| vec![position]);
    Decision::listed(
        Quantifier::Chance,
        variables.to_vec(),
        assignments.collect(),
        unless,
    )
}

fn coin(variable: Var) -> Decision {
    let half = vec![Probability::ratio(1, 2)];
    Decision::open(Quantifier::Chance, vec![variable], half)
}

/// Two of three moves make no difference; still the third has a chance of one in three.
#[test]
fn moves_without_a_difference_stay_apart() {
    let variables: Vec<Var> = (0..4).map(Var::new).collect();
    let clause = [variables[0].negative(), variables[3].positive()];
    let value = |program: &Program| evaluate(program).to_string();
    for (is_legality, expected) in [(true, "1"), (false, "5/6")] {
        let mut program = Program::new(4, BigRational::one());
        program.push_decision(coin(variables[3]));
        program.push_decision(among(&variables[..3], None));
        match is_legality {
            true => program.push_legal(&clause),
            false => program.push_check(&clause),
        }
        assert_eq!(value(&program), expected, "what is illegal has no share");
        let compiled = compiled(program, 16);
        assert_eq!(value(&compiled.program), expected);
    }
    let mut program = Program::new(4, BigRational::one());
    program.push_decision(among(&variables[..3], None));
    program.push_decision(coin(variables[3]));
    program.push_check(&clause);
    assert_eq!(value(&program), "5/6");
    assert_eq!(value(&compiled(program, 16).program), "5/6");
}

/// One literal wins; its negation does not, though the maximizer would know what to choose.
#[test]
fn what_others_select_is_not_known() {
    let [state, sign, first, second, coin_at_end] = [0, 1, 2, 3, 4].map(Var::new);
    for unless in [None, Some(sign.positive())] {
        let mut program = Program::new(5, BigRational::one());
        program.push_decision(coin(state));
        program.push_decision(coin(sign));
        program.push_decision(among(&[first, second], unless));
        program.push_decision(coin(coin_at_end));
        let others = [sign, first, coin_at_end].map(Var::positive);
        program.push_check(&[&[state.negative()][..], &others].concat());
        let compiled = compiled(program, 1);
        let winning = compiled.cuts.iter().flat_map(|cut| &cut.winning);
        let winning: Vec<Lit> = winning.copied().collect();
        assert!(
            winning.contains(&state.negative()),
            "{unless:?}: {winning:?}"
        );
        assert!(
            !winning.contains(&state.positive()),
            "{unless:?}: {winning:?}"
        );
    }
}
