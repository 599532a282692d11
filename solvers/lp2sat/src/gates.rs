//! Conjunctions of literals as clauses, each distinct conjunction once.
//!
//! Everything this crate defines is built from one kind of gate, `output <-> l1 & ... & lk`:
//! bodies of rules are conjunctions, atoms are negated conjunctions of negated bodies, sums and
//! rounds of recursion are networks of both. A gate is written as `k + 1` clauses, which are an
//! equivalence, so its output is a function of its inputs.
//!
//! The output is a new *helper* variable or an atom: an atom whose definition is `a <-> l1 & l2`
//! serves as the gate wherever else `l1 & l2` is needed.
//!
//! Invariant: the inputs of a helper's gate are atoms and helpers with smaller numbers.

use formula::{Clauses, Lit, Var};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::ops::Not;

/// A truth value that is known, or a literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Signal {
    False,
    True,
    Lit(Lit),
}

impl Not for Signal {
    type Output = Signal;
    fn not(self) -> Signal {
        match self {
            Signal::False => Signal::True,
            Signal::True => Signal::False,
            Signal::Lit(lit) => Signal::Lit(!lit),
        }
    }
}

impl From<Lit> for Signal {
    fn from(lit: Lit) -> Self {
        Signal::Lit(lit)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct HelperRecord {
    pub(crate) determined: bool,
    pub(crate) inputs_start: usize,
    pub(crate) inputs_end: usize,
}

#[derive(Clone, Copy, Debug)]
struct Gate {
    inputs_start: usize,
    inputs_end: usize,
    output: Lit,
}

/// Clauses under construction, and the gates they define.
#[derive(Debug)]
pub(crate) struct Gates {
    pub(crate) clauses: Clauses,
    pub(crate) atom_count: usize,
    pub(crate) helpers: Vec<HelperRecord>,
    pub(crate) inputs: Vec<Lit>,
    gates: HashTable<Gate>,
    scratch: Vec<Lit>,
    clause: Vec<Lit>,
    overflow: bool,
}

/// Sorts literals and drops repeated ones; `false` if a literal stands beside its negation.
pub(crate) fn normalize(lits: &mut Vec<Lit>) -> bool {
    lits.sort_unstable();
    lits.dedup();
    lits.windows(2).all(|pair| pair[0] != !pair[1])
}

fn hash(lits: &[Lit]) -> u64 {
    let mut hasher = FxHasher::default();
    lits.hash(&mut hasher);
    hasher.finish()
}

impl Gates {
    pub(crate) fn new(atom_count: usize) -> Self {
        Gates {
            clauses: Clauses::new(),
            atom_count,
            helpers: Vec::new(),
            inputs: Vec::new(),
            gates: HashTable::new(),
            scratch: Vec::new(),
            clause: Vec::new(),
            overflow: false,
        }
    }

    /// Whether more variables were asked for than a formula can have; the clauses are useless then.
    pub(crate) fn overflowed(&self) -> bool {
        self.overflow
    }

    fn new_variable(&mut self, record: HelperRecord) -> Var {
        let index = self.atom_count + self.helpers.len();
        if index > Var::MAX_INDEX {
            self.overflow = true;
            return Var::new(Var::MAX_INDEX);
        }
        self.helpers.push(record);
        Var::new(index)
    }

    /// A helper that no gate defines.
    pub(crate) fn free_helper(&mut self) -> Lit {
        let end = self.inputs.len();
        self.new_variable(HelperRecord {
            determined: false,
            inputs_start: end,
            inputs_end: end,
        })
        .positive()
    }

    fn is_determined(&self, lit: Lit) -> bool {
        match lit.var().index().checked_sub(self.atom_count) {
            Some(helper) => self
                .helpers
                .get(helper)
                .is_some_and(|helper| helper.determined),
            None => true,
        }
    }

    /// Adds the disjunction of these signals as a clause.
    pub(crate) fn clause(&mut self, signals: impl IntoIterator<Item = Signal>) {
        self.clause.clear();
        for signal in signals {
            match signal {
                Signal::True => return,
                Signal::False => {}
                Signal::Lit(lit) => self.clause.push(lit),
            }
        }
        self.add_clause();
    }

    fn add_clause(&mut self) {
        if normalize(&mut self.clause) {
            self.clauses.push(self.clause.iter().copied());
        }
    }

    /// Collects the inputs of a conjunction; `Some` if its value is plain without a gate.
    fn collect(&mut self, signals: impl IntoIterator<Item = Signal>) -> Option<Signal> {
        self.scratch.clear();
        for signal in signals {
            match signal {
                Signal::True => {}
                Signal::False => return Some(Signal::False),
                Signal::Lit(lit) => self.scratch.push(lit),
            }
        }
        if !normalize(&mut self.scratch) {
            return Some(Signal::False);
        }
        match self.scratch[..] {
            [] => Some(Signal::True),
            [lit] => Some(Signal::Lit(lit)),
            _ => None,
        }
    }

    /// The output of the gate with the collected inputs, or the hash under which to add it.
    fn look_up(&self) -> Result<Lit, u64> {
        let hash = hash(&self.scratch);
        let is_same =
            |gate: &Gate| self.inputs[gate.inputs_start..gate.inputs_end] == self.scratch[..];
        let found = self.gates.find(hash, is_same);
        found.map(|gate| gate.output).ok_or(hash)
    }

    fn add_gate(&mut self, hash_of: u64, output: Lit, inputs_start: usize, inputs_end: usize) {
        let gate = Gate {
            inputs_start,
            inputs_end,
            output,
        };
        let inputs = &self.inputs;
        self.gates.insert_unique(hash_of, gate, |gate| {
            hash(&inputs[gate.inputs_start..gate.inputs_end])
        });
        self.clause.clear();
        self.clause.push(output);
        for position in inputs_start..inputs_end {
            let input = self.inputs[position];
            self.clause.push(!input);
        }
        self.add_clause();
        for position in inputs_start..inputs_end {
            let input = self.inputs[position];
            self.clause.clear();
            self.clause.extend([!output, input]);
            self.add_clause();
        }
    }

    /// The conjunction of these signals.
    pub(crate) fn and(&mut self, signals: impl IntoIterator<Item = Signal>) -> Signal {
        if let Some(plain) = self.collect(signals) {
            return plain;
        }
        let hash = match self.look_up() {
            Ok(output) => return output.into(),
            Err(hash) => hash,
        };
        let inputs_start = self.inputs.len();
        self.inputs.extend_from_slice(&self.scratch);
        let inputs_end = self.inputs.len();
        let determined = self.scratch.iter().all(|&lit| self.is_determined(lit));
        let output = self
            .new_variable(HelperRecord {
                determined,
                inputs_start,
                inputs_end,
            })
            .positive();
        self.add_gate(hash, output, inputs_start, inputs_end);
        output.into()
    }

    /// The disjunction of these signals.
    pub(crate) fn or(&mut self, signals: impl IntoIterator<Item = Signal>) -> Signal {
        !self.and(signals.into_iter().map(Not::not))
    }

    /// The conjunction of these signals, if it needs no new helper.
    pub(crate) fn find_and(&mut self, signals: impl IntoIterator<Item = Signal>) -> Option<Signal> {
        self.collect(signals)
            .or_else(|| self.look_up().ok().map(Signal::Lit))
    }

    /// Requires the output, a literal of an atom, to equal the conjunction of these signals.
    pub(crate) fn define_and(&mut self, output: Lit, signals: impl IntoIterator<Item = Signal>) {
        debug_assert!(output.var().index() < self.atom_count);
        if let Some(plain) = self.collect(signals) {
            self.equate(output, plain);
            return;
        }
        match self.look_up() {
            Ok(other) => self.equate(output, other.into()),
            Err(hash) => {
                let start = self.inputs.len();
                self.inputs.extend_from_slice(&self.scratch);
                self.add_gate(hash, output, start, self.inputs.len());
            }
        }
    }

    /// Requires the output, a literal of an atom, to equal the disjunction of these signals.
    pub(crate) fn define_or(&mut self, output: Lit, signals: impl IntoIterator<Item = Signal>) {
        self.define_and(!output, signals.into_iter().map(Not::not));
    }

    fn equate(&mut self, output: Lit, signal: Signal) {
        self.clause([output.into(), !signal]);
        self.clause([(!output).into(), signal]);
    }
}
