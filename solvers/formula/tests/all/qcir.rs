//! QCIR: random circuits have the value of the definition, evaluated gate by gate; mistakes are named.

use fastrand::Rng;
use generators::{enumerate, rounds, rows, seeds};
use num_traits::{One, Zero};
use sqasp_formula::{BigRational, Quantifier, read};
use std::fmt::Write;

/// A variable, or a gate behind the variables; and whether it is not negated.
type Input = (usize, bool);

struct Circuit {
    /// The quantifiers of the variables; chance is true with the probability 1/n.
    variables: Vec<(Quantifier, u32)>,
    gates: Vec<(&'static str, Vec<Input>)>,
    output: Input,
}

fn random(rng: &mut Rng) -> Circuit {
    let kinds = [Quantifier::Exists, Quantifier::Forall, Quantifier::Chance];
    let variables = (0..rng.usize(1..6)).map(|_| (rng.choice(kinds).unwrap(), rng.u32(1..5)));
    let variables: Vec<(Quantifier, u32)> = variables.collect();
    let mut gates = Vec::new();
    for _ in 0..rng.usize(1..6) {
        let known = variables.len() + gates.len();
        let kind = rng.choice(["and", "or", "xor", "ite", "AND"]).unwrap();
        let size = match kind {
            "xor" => 2,
            "ite" => 3,
            _ => rng.usize(0..4),
        };
        let inputs = (0..size)
            .map(|_| (rng.usize(..known), rng.bool()))
            .collect();
        gates.push((kind, inputs));
    }
    let last = variables.len() + gates.len() - 1;
    Circuit {
        output: (if rng.u8(..9) == 0 { 0 } else { last }, rng.bool()),
        variables,
        gates,
    }
}

impl Circuit {
    fn text(&self, rng: &mut Rng) -> String {
        let literal = |&(index, is_positive): &Input| {
            let sign = if is_positive { "" } else { "-" };
            let letter = if index < self.variables.len() {
                "x"
            } else {
                "g_"
            };
            format!("{sign}{letter}{index}")
        };
        let mut text = String::from("#QCIR-G14 99\n");
        for (index, (quantifier, n)) in self.variables.iter().enumerate() {
            match quantifier {
                Quantifier::Exists => writeln!(text, "exists(x{index})"),
                Quantifier::Forall => writeln!(text, "forall ( x{index} ) # a comment"),
                Quantifier::Chance => writeln!(text, "random(1/{n}, x{index})"),
            }
            .unwrap();
        }
        writeln!(text, "output({})\n", literal(&self.output)).unwrap();
        for (index, (kind, inputs)) in self.gates.iter().enumerate() {
            let inputs: Vec<String> = inputs.iter().map(literal).collect();
            let comma = rng.choice([",", ", ", " ,\t"]).unwrap();
            let number = self.variables.len() + index;
            writeln!(text, "g_{number} = {kind}({})", inputs.join(comma)).unwrap();
        }
        text
    }

    fn value(&self, values: &mut Vec<bool>) -> BigRational {
        let Some((quantifier, n)) = self.variables.get(values.len()) else {
            return match self.is_true(values.clone()) {
                true => BigRational::one(),
                false => BigRational::zero(),
            };
        };
        let [without, with] = [false, true].map(|value| {
            values.push(value);
            let found = self.value(values);
            values.pop();
            found
        });
        match quantifier {
            Quantifier::Exists => without.max(with),
            Quantifier::Forall => without.min(with),
            Quantifier::Chance => {
                let chance = BigRational::new(1.into(), (*n).into());
                (BigRational::one() - &chance) * without + chance * with
            }
        }
    }

    fn is_true(&self, mut values: Vec<bool>) -> bool {
        let holds = |values: &[bool], (index, is_positive): Input| values[index] == is_positive;
        for (kind, inputs) in &self.gates {
            let inputs: Vec<bool> = inputs.iter().map(|&input| holds(&values, input)).collect();
            values.push(match *kind {
                "or" => inputs.contains(&true),
                "xor" => inputs[0] != inputs[1],
                "ite" => inputs[if inputs[0] { 1 } else { 2 }],
                _ => !inputs.contains(&false),
            });
        }
        holds(&values, self.output)
    }
}

#[test]
fn random_circuits_have_the_value_of_the_definition() {
    for (seed, mut rng) in seeds(14_000_000, 3000) {
        let circuit = random(&mut rng);
        let text = circuit.text(&mut rng);
        let formula = read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}{error}"));
        let (found, expected) = (
            enumerate(&formula).expect("it is small"),
            circuit.value(&mut Vec::new()),
        );
        assert_eq!(found, expected, "seed {seed}:\n{text}");
    }
}

#[test]
fn mistakes_are_named() {
    for [text, message] in rows(
        r"
            free(a)\noutput(a) => line 2, column 1: `free(a)`: the formula is not closed
            exists(a)\noutput(g)\ng = exists(b; a) => line 4, column 5: `exists`: the formula is not prenex
            exists(a)\noutput(g) => line 3, column 8: `g`: there is no such variable
            exists(a, a)\noutput(a) => line 2, column 11: `a`: this name is there twice
            random(3/2, a)\noutput(a) => `3/2`: this is no probability
            exists(a)\noutput(a)\ng = xor(a) => line 4, column 5: `xor`: xor has 2 inputs
            exists(a)\noutput(g)\ng = nand(a, a) => `nand`: there is no such gate
            exists(a) => line 2, column 10: the output is missing
            exists(a b) => `a b`: this is no name
            exists(-a) => `-a`: this is no name
            exists(,) => this is no name
            exists( => `exists(`: a list in parentheses is missing
            exists(a)\noutput() => neither a quantifier nor the output
            exists(a)\noutput(a)\nexists(b) => `exists(b)`: this does not belong here
            éé(a) => line 2, column 1: `éé(a)`: neither
            ",
    ) {
        let text = format!("#QCIR-G14\n{text}");
        let error = read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(&message), "{text}{error}");
    }
}

#[test]
fn any_bytes_are_read_without_a_panic() {
    let mut rng = Rng::with_seed(15);
    let pieces = [
        "exists", "forall", "random", "output", "(", ")", ",", "-", "=", "a", "g", "and", "xor",
        "ite", "1/3", "\n", "#", "\u{e9}", "\0", " ",
    ];
    for _ in 0..rounds(2000) {
        let count = rng.usize(..20);
        let words: Vec<&str> = (0..count).map(|_| rng.choice(pieces).unwrap()).collect();
        let _ = read(format!("#QCIR-G14\n{}", words.concat()).as_bytes());
    }
}
