//! Circuits in the AIGER format do what the functions do.

use crate::random;
use formula::{Formula, Quantifier, Var};
use generators::rounds;
use std::collections::HashMap;
use witness::{Aiger, Decider, Strategy, write_aiger};

/// A circuit as the format has it: inputs, gates and outputs, with names.
struct Circuit {
    inputs: Vec<usize>,
    ands: Vec<(usize, usize)>,
    outputs: Vec<(usize, usize)>,
}

fn numbers(line: &str) -> Vec<usize> {
    let words = line.split(' ');
    words.map(|word| word.parse().expect("a number")).collect()
}

/// Seven bits to a byte, the lowest first.
fn number(bytes: &mut &[u8]) -> usize {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first().expect("more bytes");
        *bytes = rest;
        number |= usize::from(byte & 127) << shift;
        shift += 7;
        if byte < 128 {
            return number;
        }
    }
}

fn line<'a>(bytes: &mut &'a [u8]) -> &'a str {
    let end = bytes
        .iter()
        .position(|&byte| byte == b'\n')
        .expect("a line");
    let (line, rest) = bytes.split_at(end);
    *bytes = &rest[1..];
    std::str::from_utf8(line).expect("text")
}

fn read(mut bytes: &[u8]) -> Circuit {
    let bytes = &mut bytes;
    let (magic, header) = line(bytes).split_once(' ').expect("a header");
    let header = numbers(header);
    let [all, inputs, latches, outputs, ands] = header[..] else {
        panic!("{header:?}");
    };
    assert_eq!((all, latches), (inputs + ands, 0));
    if magic == "aag" {
        for index in 1..=inputs {
            assert_eq!(numbers(line(bytes)), [2 * index]);
        }
    }
    let outputs: Vec<usize> = (0..outputs).map(|_| numbers(line(bytes))[0]).collect();
    let ands = (0..ands).map(|index| {
        let and = 2 * (inputs + index + 1);
        if magic == "aag" {
            let numbers = numbers(line(bytes));
            assert_eq!(numbers[0], and);
            return (numbers[1], numbers[2]);
        }
        let left = and - number(bytes);
        (left, left - number(bytes))
    });
    let ands: Vec<(usize, usize)> = ands.collect();
    let mut names = HashMap::new();
    loop {
        match line(bytes).split_once(' ') {
            None => break,
            Some((place, name)) => names.insert(place.to_owned(), name.to_owned()),
        };
    }
    let variable = |place: String, letter: &str| {
        let name = names[&place].strip_prefix(letter).expect("its letter");
        name.parse::<usize>().expect("a number") - 1
    };
    Circuit {
        inputs: (0..inputs)
            .map(|index| variable(format!("i{index}"), "x"))
            .collect(),
        outputs: outputs
            .iter()
            .enumerate()
            .map(|(index, &literal)| (variable(format!("o{index}"), "f"), literal))
            .collect(),
        ands,
    }
}

impl Circuit {
    /// The values of the outputs, by variable.
    fn run(&self, values: &[bool]) -> HashMap<usize, bool> {
        let mut signals = vec![false];
        signals.extend(self.inputs.iter().map(|&input| values[input]));
        let signal = |signals: &[bool], literal: usize| signals[literal / 2] != (literal % 2 == 1);
        for &(left, right) in &self.ands {
            assert!(left >= right && left / 2 < signals.len());
            signals.push(signal(&signals, left) && signal(&signals, right));
        }
        let outputs = self.outputs.iter();
        outputs
            .map(|&(variable, literal)| (variable, signal(&signals, literal)))
            .collect()
    }
}

/// What the functions of one player do where others give these values.
fn decisions(
    formula: &Formula,
    strategy: &Strategy,
    side: Decider,
    values: &[bool],
) -> HashMap<usize, bool> {
    let mut values = values.to_vec();
    let mut decided = HashMap::new();
    for block in formula.prefix().blocks() {
        if block.quantifier != side.quantifier() {
            continue;
        }
        let mut all = values.clone();
        for gate in strategy.gates.iter() {
            let value = gate.iter().all(|lit| lit.holds(all[lit.var().index()]));
            all.push(value);
        }
        for &(variable, function) in strategy.functions(side) {
            if block.variables.contains(&variable) {
                let value = function.holds(all[function.var().index()]);
                values[variable.index()] = value;
                decided.insert(variable.index(), value);
            }
        }
    }
    decided
}

#[test]
fn circuits_do_what_functions_do() {
    let seed = 3;
    let mut rng = fastrand::Rng::with_seed(seed);
    for round in 0..rounds(300) {
        let formula = random::formula(&mut rng);
        let strategy = random::strategy(&mut rng, &formula);
        let circuits = [Aiger::Ascii, Aiger::Binary].map(|encoding| {
            let mut text = Vec::new();
            write_aiger(&formula, &strategy, encoding, &mut text).expect("memory takes all");
            read(&text)
        });
        for _ in 0..10 {
            let values: Vec<bool> = (0..formula.variables()).map(|_| rng.bool()).collect();
            let mut expected = decisions(&formula, &strategy, Decider::Exists, &values);
            expected.extend(decisions(&formula, &strategy, Decider::Forall, &values));
            for circuit in &circuits {
                assert_eq!(circuit.run(&values), expected, "seed {seed}, round {round}");
            }
        }
    }
}

/// A function depends on nothing but chance and the other player.
#[test]
fn own_variables_are_replaced_by_their_functions() {
    let text = "p cnf 3 0\nr 1/2 1 0\ne 2 0\na 3 0\n";
    let formula = formula::read(text.as_bytes()).expect("well-formed");
    let mut strategy = random::strategy(&mut fastrand::Rng::with_seed(2), &formula);
    let [one, two, three] = [0, 1, 2].map(Var::new);
    strategy.exists = vec![(two, one.negative())];
    strategy.forall = vec![(three, two.positive())];
    assert_eq!(formula.prefix().blocks()[1].quantifier, Quantifier::Exists);
    strategy.drop_unused_gates();
    let mut text = Vec::new();
    write_aiger(&formula, &strategy, Aiger::Ascii, &mut text).expect("memory takes all");
    let text = String::from_utf8(text).expect("text");
    let expected =
        "aag 2 2 0 2 0\n2\n4\n3\n4\ni0 x1\ni1 x2\no0 f2\no1 f3\nc\nvalue 0\nformula_sha256 ";
    assert!(text.starts_with(expected), "{text}");
}
