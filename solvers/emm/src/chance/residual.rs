//! The residual of a step: what is left to chance once the state and the players' moves are known.
//!
//! Put a state and moves into the circuit, and leave the signals of chance unknown. Then some gates are known, and of the others some
//! make no difference, since a gate behind them is false anyway. The rest is a function of the signals: the *residual*. Its *record*
//! is the same for all states and moves with one residual, and the signals that it depends on are *live*.
//!
//! ```text
//! hand 2 5 6, keep throw throw     record: the first die stays and is a 2; points; free categories     live: the second and the third die
//! hand 2 2 3, keep throw throw     the same record, so the same 21 hands follow
//! ```
//!
//! Of each gate that depends on chance, the other inputs together say whether it is *open*. Observed are next facts; of a gate that is
//! observed and open, all inputs, or only those known to be false if there are such. The record are the next facts that do not depend on chance, whether
//! chance's moves are legal, and which gates are open and observed. `docs/theory.md` proves that this is enough. All of that is a circuit of
//! facts and moves, so it is computed for 64 states and moves at once. A function of many signals often has few results: those of 64 outcomes
//! are computed at once, too.

use crate::policy::{MAX_RECORD_BITS, MAX_RESIDUAL_GATES};
use circuit::lanes::{by_lane, write_rows};
use circuit::{Block, Circuit, Code, Literal, Slots, set, word};
use rustc_hash::FxHashMap;

/// Some signals of chance, one bit for each.
pub type Live = u64;

/// A step from which residuals are computed.
#[derive(Clone, Debug)]
pub struct Source {
    /// The circuit, with signals in the place of chance's moves.
    pub circuit: Circuit,
    /// The facts that matter.
    pub facts: Vec<Literal>,
    /// Whether they hold next.
    pub next: Vec<Literal>,
    /// For each of one or two players the inputs of its moves.
    pub players: Vec<Vec<Literal>>,
    /// The signals of chance.
    pub signals: Vec<Literal>,
    /// Whether the moves of chance are legal.
    pub chance_legal: Vec<Literal>,
}

/// A step as a circuit of records and live signals, of facts and moves of the players.
#[derive(Debug)]
pub struct Analysis {
    circuit: Circuit,
    /// What is left to chance.
    residual: Vec<Literal>,
    /// Next facts that do not depend on chance and that no exchange moves.
    settled: Vec<Literal>,
    /// For each signal of chance, whether it is live.
    live: Vec<Literal>,
    /// Next facts that depend on chance.
    mixed: Vec<Literal>,
}

/// Code for records, and for live signals and next facts behind it.
#[derive(Debug)]
pub struct Residuals {
    code: Code,
    records: Block,
    outcomes: Block,
    slots: usize,
    facts: Vec<u32>,
    players: Vec<Vec<u32>>,
    signals: Vec<u32>,
    /// The residual, in words of their own; behind them next facts that do not depend on chance and that no exchange moves.
    record: Vec<Vec<Literal>>,
    /// How many words of a record are the residual.
    residual_words: usize,
    live: Vec<Literal>,
    /// Next facts that depend on chance, in words of their own.
    mixed: Vec<Vec<Literal>>,
}

/// What is known of a gate, where chance is not: that it is true, that it is false.
#[derive(Clone, Copy)]
struct Known {
    is_true: Literal,
    is_false: Literal,
}

impl Known {
    fn negated_if(self, negate: bool) -> Known {
        match negate {
            true => Known {
                is_true: self.is_false,
                is_false: self.is_true,
            },
            false => self,
        }
    }
}

/// A gate that depends on chance.
struct MixedGate {
    node: usize,
    /// Whether all inputs are true that do not depend on chance.
    is_open: Literal,
    /// The other inputs.
    inputs: Vec<Literal>,
    /// Whether one of these is known to be false.
    has_false: Literal,
}

impl Analysis {
    /// For a step; nothing if that would be too long, or if chance makes no difference. `is_moved` says of a fact, by place, whether some exchange
    /// moves it.
    pub fn new(source: &Source, is_moved: impl Fn(u32) -> bool) -> Option<Self> {
        let mut circuit = source.circuit.clone();
        let cone = circuit.cone(&source.next);
        if cone.len() > MAX_RESIDUAL_GATES {
            return None;
        }
        let unknown = Known {
            is_true: Literal::FALSE,
            is_false: Literal::FALSE,
        };
        let signals = source.signals.iter().map(|signal| (signal.node(), unknown));
        let mut known: FxHashMap<usize, Known> = signals.collect();
        let gates = mixed_gates(&mut circuit, &cone, &mut known);
        let mut residual = source.chance_legal.clone();
        let (mut settled, mut mixed) = (Vec::new(), Vec::new());
        let mut observed: FxHashMap<usize, Vec<Literal>> = FxHashMap::default();
        for (&next, fact) in source.next.iter().zip(0..) {
            match known.contains_key(&next.node()) {
                true => {
                    mixed.push(next);
                    observed.insert(next.node(), vec![Literal::TRUE]);
                }
                false if is_moved(fact) => residual.push(next),
                false => settled.push(next),
            }
        }
        if observed.is_empty() {
            return None;
        }
        for gate in gates.iter().rev() {
            let observers = observed.remove(&gate.node).unwrap_or_default();
            let is_observed = circuit.or(observers);
            let is_open = circuit.and([is_observed, gate.is_open]);
            if gate.is_open != Literal::TRUE {
                residual.push(is_open);
            }
            for input in &gate.inputs {
                let is_false = known[&input.node()].negated_if(input.is_negated()).is_false;
                let counts = circuit.or([!gate.has_false, is_false]);
                let observes = circuit.and([is_open, counts]);
                observed.entry(input.node()).or_default().push(observes);
            }
        }
        let mut live = |signal: &Literal| {
            let observers = observed.remove(&signal.node()).unwrap_or_default();
            circuit.or(observers)
        };
        let live = source.signals.iter().map(&mut live).collect();
        Some(Analysis {
            residual: distinct(residual),
            settled: distinct(settled),
            live,
            mixed: distinct(mixed),
            circuit,
        })
    }
}

impl Residuals {
    /// Code for a step; nothing if records would be too long.
    pub fn new(source: &Source, analysis: &Analysis) -> Option<Self> {
        let Analysis {
            circuit,
            residual,
            settled,
            live,
            mixed,
        } = analysis;
        if residual.len() + settled.len() > MAX_RECORD_BITS {
            return None;
        }
        let (mut slots, mut code) = (Slots::new(), Code::default());
        let mut add = |inputs: &[Literal]| inputs.iter().map(|&input| slots.add(input)).collect();
        let facts = add(&source.facts);
        let players = source.players.iter().map(|moves| add(moves)).collect();
        let signals = add(&source.signals);
        let of_records = residual.iter().chain(settled).copied();
        let records = code.push(circuit, of_records, &mut slots);
        let of_outcomes = live.iter().chain(mixed).copied();
        let outcomes = code.push(circuit, of_outcomes, &mut slots);
        let literals = |signals: &[Literal]| -> Vec<Literal> {
            signals
                .iter()
                .map(|&signal| slots.literal(signal))
                .collect()
        };
        let words =
            |bits: &[Literal]| -> Vec<Vec<Literal>> { bits.chunks(64).map(literals).collect() };
        let residual = words(residual);
        Some(Residuals {
            residual_words: residual.len(),
            record: [residual, words(settled)].concat(),
            live: literals(live),
            mixed: words(mixed),
            slots: slots.len(),
            code,
            records,
            outcomes,
            facts,
            players,
            signals,
        })
    }

    /// The words of a record.
    pub fn words(&self) -> usize {
        self.record.len().max(1)
    }

    /// How many of these, the first ones, say what is left to chance. The others are next facts that do not depend on it.
    pub fn residual_words(&self) -> usize {
        self.residual_words
    }

    /// Computes the residuals of up to 64 states, given by their facts, each with moves of the players. `values` is working memory.
    pub fn run<'a>(
        &self,
        states: impl Iterator<Item = &'a [u64]> + Clone,
        moves: &[[u32; 2]],
        values: &mut Vec<u64>,
    ) {
        if values.is_empty() {
            *values = Slots::values(self.slots);
        }
        write_rows(values, &self.facts, states);
        let inputs = self.players.iter().flatten();
        inputs.for_each(|&slot| set(values, slot, 0));
        for (moves, lane) in moves.iter().zip(0..) {
            for (slots, &number) in self.players.iter().zip(moves) {
                let slot = slots[number as usize];
                let before = values[2 * slot as usize];
                set(values, slot, before | 1 << lane);
            }
        }
        self.code.run(self.records.clone(), values);
    }

    /// Appends the records of this many lanes.
    pub fn write_records(&self, lanes: usize, values: &[u64], records: &mut Vec<u64>) {
        write_lanes(values, &self.record, lanes, records);
    }

    /// The live signals in the first lane, whose residual was computed.
    pub fn live(&self, values: &mut [u64]) -> Live {
        self.code.run(self.outcomes.clone(), values);
        let live = self.live.iter().zip(0..);
        live.fold(0, |live, (&literal, index)| {
            live | (word(values, literal) & 1) << index
        })
    }

    /// The words of the next facts that depend on chance.
    pub fn mixed_words(&self) -> usize {
        self.mixed.len()
    }

    /// Appends the next facts that depend on chance in a state, given by its facts, with moves of the players, for each of these outcomes.
    pub fn write_mixed(
        &self,
        state: &[u64],
        moves: [u32; 2],
        outcomes: &[Live],
        values: &mut Vec<u64>,
        next: &mut Vec<u64>,
    ) {
        self.run(std::iter::repeat_n(state, 64), &[moves; 64], values);
        for outcomes in outcomes.chunks(64) {
            let rows = outcomes.iter().map(std::slice::from_ref);
            write_rows(values, &self.signals, rows);
            self.code.run(self.outcomes.clone(), values);
            write_lanes(values, &self.mixed, outcomes.len(), next);
        }
    }

    /// The lanes whose residual is that of the first.
    pub fn like_first(&self, values: &[u64]) -> u64 {
        let word = |&literal: &Literal| word(values, literal);
        let words = self.record[..self.residual_words]
            .iter()
            .flatten()
            .map(word);
        !words.fold(0, |differs, word| {
            differs | word ^ (word & 1).wrapping_neg()
        })
    }
}

/// Appends a row for each of the first lanes: the values of some literals, in words; at least one word.
fn write_lanes(values: &[u64], literals: &[Vec<Literal>], lanes: usize, rows: &mut Vec<u64>) {
    let (start, words) = (rows.len(), literals.len().max(1));
    rows.resize(start + lanes * words, 0);
    for (number, literals) in literals.iter().enumerate() {
        let lanes = by_lane(values, literals);
        let rows = rows[start..].chunks_exact_mut(words);
        rows.zip(lanes).for_each(|(row, lane)| row[number] = lane);
    }
}

/// The nodes of some signals, each once, without constants.
fn distinct(mut signals: Vec<Literal>) -> Vec<Literal> {
    for signal in &mut signals {
        *signal = signal.negated_if(signal.is_negated());
    }
    signals.retain(|signal| signal.node() != 0);
    signals.sort_unstable();
    signals.dedup();
    signals
}

/// Finds the gates of a cone that depend on chance, in ascending order. At first only signals of chance are `known` to depend on it.
fn mixed_gates(
    circuit: &mut Circuit,
    cone: &[usize],
    known: &mut FxHashMap<usize, Known>,
) -> Vec<MixedGate> {
    let mut gates = Vec::new();
    for &node in cone {
        let inputs = circuit.gate(node).to_vec();
        let depends = |input: &Literal| known.contains_key(&input.node());
        let (inputs, others): (Vec<Literal>, Vec<Literal>) = inputs.into_iter().partition(depends);
        if inputs.is_empty() {
            continue;
        }
        let is_open = circuit.and(others);
        let below = inputs.iter();
        let below = below.map(|input| known[&input.node()].negated_if(input.is_negated()));
        let (all_true, any_false): (Vec<Literal>, Vec<Literal>) =
            below.map(|it| (it.is_true, it.is_false)).unzip();
        let has_false = circuit.or(any_false);
        let here = Known {
            is_true: circuit.and(all_true.into_iter().chain([is_open])),
            is_false: circuit.or([!is_open, has_false]),
        };
        known.insert(node, here);
        gates.push(MixedGate {
            node,
            is_open,
            inputs,
            has_false,
        });
    }
    gates
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use generators::seeds;

    /// A random step with signals of chance as inputs.
    fn random_source(random: &mut Rng) -> Source {
        let mut circuit = Circuit::new();
        let mut inputs = |level: u32, count: usize| -> Vec<Literal> {
            (0..count).map(|_| circuit.input(level)).collect()
        };
        let facts = inputs(0, random.usize(1..6));
        let players = (0..random.usize(1..3)).map(|_| inputs(1, random.usize(1..4)));
        let players: Vec<Vec<Literal>> = players.collect();
        let signals = inputs(2, random.usize(1..5));
        let mut some = |among: &[Literal], gates: usize| {
            let mut found = among.to_vec();
            for _ in 0..gates {
                let parts = (0..random.usize(2..4))
                    .map(|_| found[random.usize(..found.len())].negated_if(random.bool()));
                let parts: Vec<Literal> = parts.collect();
                found.push(circuit.and(parts));
            }
            let last = found[found.len() - 1 - random.usize(..found.len().min(3))];
            last.negated_if(random.bool())
        };
        let chance_legal = vec![some(&facts, 2), some(&facts, 0)];
        let all = [&facts[..], &players.concat(), &signals].concat();
        Source {
            next: facts.iter().map(|_| some(&all, 12)).collect(),
            chance_legal,
            facts,
            players,
            signals,
            circuit,
        }
    }

    /// All sets of some inputs.
    fn subsets(inputs: &[Literal]) -> Vec<Vec<Literal>> {
        let set = |bits: usize| {
            let inputs = inputs.iter().enumerate();
            let chosen = inputs.filter(|(index, _)| bits >> index & 1 == 1);
            chosen.map(|(_, &input)| input).collect()
        };
        (0..1 << inputs.len()).map(set).collect()
    }

    #[test]
    fn records_say_what_each_outcome_leads_to() {
        let (mut shared, mut halved) = (0, 0);
        for (seed, mut random) in seeds(0, 400) {
            let source = random_source(&mut random);
            let Some(analysis) = Analysis::new(&source, |_| false) else {
                continue;
            };
            let residuals = Residuals::new(&source, &analysis).expect("records are short");
            let outcomes = subsets(&source.signals);
            let mut by_record = FxHashMap::default();
            let mut by_residual = FxHashMap::default();
            let (mut values, mut records) = (Vec::new(), Vec::new());
            for (state, facts) in (0u64..).zip(subsets(&source.facts)) {
                let others = source.players.get(1).map_or(1, Vec::len);
                for number in 0..source.players[0].len() * others {
                    let moves = [number / others, number % others];
                    let players = source.players.iter().zip(moves);
                    let players = players.map(|(inputs, number)| inputs[number]);
                    let known: Vec<Literal> = facts.iter().copied().chain(players).collect();
                    let evaluate = |outcome: &Vec<Literal>| {
                        source
                            .circuit
                            .evaluate(known.iter().chain(outcome).copied())
                    };
                    let next = |outcome| -> Vec<bool> {
                        let values = evaluate(outcome);
                        let next = source.next.iter();
                        next.map(|signal| signal.holds(&values)).collect()
                    };
                    let table: Vec<Vec<bool>> = outcomes.iter().map(next).collect();
                    let values_now = evaluate(&outcomes[0]);
                    let legal = source.chance_legal.iter();
                    let legal: Vec<bool> = legal.map(|signal| signal.holds(&values_now)).collect();

                    records.clear();
                    let states = [[state]];
                    let states = states.iter().map(|state| &state[..]);
                    residuals.run(states, &[moves.map(|it| it as u32)], &mut values);
                    residuals.write_records(1, &values, &mut records);
                    let live = residuals.live(&mut values);
                    let rows: Vec<Live> = (0..table.len() as Live).collect();
                    let mut mixed = Vec::new();
                    let moves_now = moves.map(|it| it as u32);
                    residuals.write_mixed(&[state], moves_now, &rows, &mut values, &mut mixed);
                    let mixed: Vec<&[u64]> = mixed.chunks(residuals.mixed_words()).collect();
                    for (one, outcome) in table.iter().enumerate() {
                        let same = table[one & live as usize] == *outcome;
                        assert!(same, "seed {seed}");
                        let first = table.iter().position(|it| it == outcome);
                        let found = mixed.iter().position(|it| *it == mixed[one]);
                        assert_eq!(first, found, "seed {seed}");
                    }
                    halved += u32::from(live.count_ones() < source.signals.len() as u32);
                    // What chance changes.
                    let differs = |row: &Vec<bool>| -> Vec<bool> {
                        let both = row.iter().zip(&table[0]);
                        both.map(|(here, there)| here != there).collect()
                    };
                    let changes: Vec<Vec<bool>> = table.iter().map(differs).collect();
                    let residual = records[..residuals.residual_words()].to_vec();
                    let known = by_residual
                        .entry(residual)
                        .or_insert_with(|| (legal.clone(), changes.clone()));
                    assert_eq!(*known, (legal.clone(), changes), "seed {seed}");
                    let mut is_new = false;
                    let known = by_record.entry(records.clone()).or_insert_with(|| {
                        is_new = true;
                        (legal.clone(), table.clone())
                    });
                    assert_eq!(*known, (legal, table), "seed {seed}");
                    shared += u32::from(!is_new);
                }
            }
        }
        assert!(
            shared > 500 && halved > 500,
            "{shared} shared, {halved} with fewer live signals"
        );
    }
}
