//! A strategy as a circuit in the AIGER format (Biere, The AIGER And-Inverter Graph format, version 20071012), for other
//! programs: ASCII, or binary.
//!
//! The inputs are variables of the formula, the outputs the variables that a player decides; both are named `x` and the
//! number of the variable. A function of the maximizer depends on variables of chance and of the other player
//! only: in place of the player's own variables stand their functions. The same holds for the minimizer. So an
//! existential variable may be an output (what the maximizer does) and an input (what the minimizer sees).

use crate::strategy::{Decider, Strategy};
use formula::{Formula, Lit, Var};
use std::io::{self, Write};

/// The two ways of writing a circuit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aiger {
    /// Text: `aag`.
    Ascii,
    /// Short: `aig`.
    Binary,
}

/// A circuit of gates with two inputs. Literals are as in AIGER: twice the variable, plus one if negated.
#[derive(Default)]
struct Circuit {
    inputs: Vec<Var>,
    ands: Vec<(u32, u32)>,
    outputs: Vec<(Var, u32)>,
}

impl Circuit {
    fn and(&mut self, literals: impl Iterator<Item = u32>) -> u32 {
        let mut all = 1;
        for literal in literals {
            all = match (all, literal) {
                (0, _) | (_, 0) => 0,
                (1, other) | (other, 1) => other,
                (one, other) => {
                    self.ands.push((one.max(other), one.min(other)));
                    2 * (self.inputs.len() + self.ands.len()) as u32
                }
            };
        }
        all
    }

    /// Adds what one player does. `signals` has a literal for each input, by variable of the formula.
    fn add(&mut self, formula: &Formula, strategy: &Strategy, side: Decider, inputs: &[u32]) {
        let mut signals = inputs.to_vec();
        signals.resize(strategy.variables + strategy.gates.len(), UNKNOWN);
        let mut functions = vec![None; strategy.variables];
        for &(variable, function) in strategy.functions(side) {
            functions[variable.index()] = Some(function);
            signals[variable.index()] = UNKNOWN;
        }
        for block in formula.prefix().blocks() {
            for variable in &block.variables {
                let Some(function) = functions[variable.index()] else {
                    continue;
                };
                for gate in cone(strategy, function, &signals) {
                    let literals = strategy.gates.get(gate - strategy.variables);
                    let and = self.and(literals.iter().map(|&literal| signal(&signals, literal)));
                    signals[gate] = and;
                }
                let value = signal(&signals, function);
                signals[variable.index()] = value;
                self.outputs.push((*variable, value));
            }
        }
    }
}

const UNKNOWN: u32 = u32::MAX;

fn signal(signals: &[u32], literal: Lit) -> u32 {
    signals[literal.var().index()] ^ u32::from(literal.is_negative())
}

/// The gates without a signal that a literal needs, in order.
fn cone(strategy: &Strategy, function: Lit, signals: &[u32]) -> Vec<usize> {
    let mut found = rustc_hash::FxHashSet::default();
    let mut open = vec![function.var().index()];
    while let Some(variable) = open.pop() {
        if variable >= strategy.variables && signals[variable] == UNKNOWN && found.insert(variable)
        {
            let gate = strategy.gates.get(variable - strategy.variables);
            open.extend(gate.iter().map(|literal| literal.var().index()));
        }
    }
    let mut found: Vec<usize> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// The circuit of a strategy that [`check`](crate::check) has found to be one for the formula.
fn circuit(formula: &Formula, strategy: &Strategy) -> Circuit {
    let mut circuit = Circuit::default();
    let mut is_input = vec![false; strategy.variables];
    let literals = strategy.gates.iter().flatten();
    let functions =
        Decider::BOTH.map(|side| strategy.functions(side).iter().map(|(_, value)| value));
    for literal in literals.chain(functions.into_iter().flatten()) {
        if let Some(is_input) = is_input.get_mut(literal.var().index()) {
            *is_input = true;
        }
    }
    let order = formula.prefix().blocks().iter();
    let order = order.flat_map(|block| &block.variables).copied();
    circuit.inputs = order
        .filter(|variable| is_input[variable.index()])
        .collect();
    let mut inputs = vec![UNKNOWN; strategy.variables];
    for (index, variable) in circuit.inputs.iter().enumerate() {
        inputs[variable.index()] = 2 * (index as u32 + 1);
    }
    for side in Decider::BOTH {
        circuit.add(formula, strategy, side, &inputs);
    }
    circuit
}

/// Writes a strategy as a circuit.
///
/// # Errors
/// When writing fails.
pub fn write_aiger(
    formula: &Formula,
    strategy: &Strategy,
    encoding: Aiger,
    to: &mut dyn Write,
) -> io::Result<()> {
    let circuit = circuit(formula, strategy);
    let (inputs, ands) = (circuit.inputs.len(), circuit.ands.len());
    let magic = match encoding {
        Aiger::Ascii => "aag",
        Aiger::Binary => "aig",
    };
    let outputs = circuit.outputs.len();
    writeln!(to, "{magic} {} {inputs} 0 {outputs} {ands}", inputs + ands)?;
    if encoding == Aiger::Ascii {
        for index in 1..=inputs {
            writeln!(to, "{}", 2 * index)?;
        }
    }
    for (_, literal) in &circuit.outputs {
        writeln!(to, "{literal}")?;
    }
    for (index, &(left, right)) in circuit.ands.iter().enumerate() {
        let and = 2 * (inputs + index + 1) as u32;
        match encoding {
            Aiger::Ascii => writeln!(to, "{and} {left} {right}")?,
            Aiger::Binary => {
                write_number(and - left, to)?;
                write_number(left - right, to)?;
            }
        }
    }
    for (index, variable) in circuit.inputs.iter().enumerate() {
        writeln!(to, "i{index} x{}", variable.to_dimacs())?;
    }
    for (index, (variable, _)) in circuit.outputs.iter().enumerate() {
        writeln!(to, "o{index} f{}", variable.to_dimacs())?;
    }
    writeln!(to, "c")?;
    writeln!(to, "value {}", strategy.value)?;
    writeln!(to, "formula_sha256 {}", strategy.sha256)
}

/// Seven bits to a byte, the lowest first.
fn write_number(mut number: u32, to: &mut dyn Write) -> io::Result<()> {
    while number >= 128 {
        to.write_all(&[number as u8 | 128])?;
        number >>= 7;
    }
    to.write_all(&[number as u8])
}
