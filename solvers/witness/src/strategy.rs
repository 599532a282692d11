//! The type [`Strategy`]: a boolean function for each variable that a player decides.
//!
//! Functions are literals of gates, and gates are conjunctions. With negation that is enough for every function, and
//! everybody can read it without a table of kinds of gates.

use formula::{BigRational, Clauses, Formula, Lit, Quantifier, Var};

/// One of the two players of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decider {
    /// The maximizer, who decides existential variables.
    Exists,
    /// The minimizer, who decides universal variables.
    Forall,
}

impl Decider {
    /// Both sides.
    pub const BOTH: [Decider; 2] = [Decider::Exists, Decider::Forall];

    /// The quantifier of the variables that this player decides.
    pub fn quantifier(self) -> Quantifier {
        match self {
            Decider::Exists => Quantifier::Exists,
            Decider::Forall => Quantifier::Forall,
        }
    }

    /// The name of the list of this side in files.
    pub fn name(self) -> &'static str {
        match self {
            Decider::Exists => "exists",
            Decider::Forall => "forall",
        }
    }
}

/// The functions of both players of a formula.
#[derive(Clone, PartialEq, Debug)]
pub struct Strategy {
    /// The name of the formula, for people.
    pub formula: String,
    /// The fingerprint of the formula: see [`fingerprint`](crate::fingerprint()).
    pub sha256: String,
    /// The number of variables of the formula.
    pub variables: usize,
    /// The promise: the maximizer gets this, and no more.
    pub value: BigRational,
    /// The gates. Gate `i` is variable `variables + i`. It is true if all its literals are, which are of variables of the
    /// formula and of earlier gates. So a gate without literals is true.
    pub gates: Clauses,
    /// For each existential variable the literal that says its value.
    pub exists: Vec<(Var, Lit)>,
    /// The same for each universal variable.
    pub forall: Vec<(Var, Lit)>,
}

impl Strategy {
    /// Leaves out gates that no function needs, and numbers the others anew.
    pub fn drop_unused_gates(&mut self) {
        let variables = self.variables;
        let gate_of = |literal: Lit| literal.var().index().checked_sub(variables);
        let functions = self.exists.iter().chain(&self.forall);
        let is_needed = self.needed_gates(functions.map(|&(_, function)| function));
        let mut numbers = vec![0; is_needed.len()];
        let mut kept = Clauses::new();
        let renumbered = |literal: Lit, numbers: &[usize]| match gate_of(literal) {
            Some(gate) => Var::new(variables + numbers[gate]).literal(!literal.is_negative()),
            None => literal,
        };
        for gate in (0..is_needed.len()).filter(|&gate| is_needed[gate]) {
            numbers[gate] = kept.len();
            let inputs = self.gates.get(gate).iter();
            kept.push(inputs.map(|&input| renumbered(input, &numbers)));
        }
        for (_, function) in self.exists.iter_mut().chain(&mut self.forall) {
            *function = renumbered(*function, &numbers);
        }
        self.gates = kept;
    }

    /// For each gate, whether these functions need it.
    pub(crate) fn needed_gates(&self, functions: impl Iterator<Item = Lit>) -> Vec<bool> {
        let gate_of = |literal: Lit| literal.var().index().checked_sub(self.variables);
        let mut is_needed = vec![false; self.gates.len()];
        for gate in functions.filter_map(gate_of) {
            is_needed[gate] = true;
        }
        for gate in (0..is_needed.len()).rev() {
            if is_needed[gate] {
                let inputs = self.gates.get(gate).iter();
                inputs
                    .filter_map(|&input| gate_of(input))
                    .for_each(|input| is_needed[input] = true);
            }
        }
        is_needed
    }

    /// The functions of one player.
    pub fn functions(&self, side: Decider) -> &[(Var, Lit)] {
        match side {
            Decider::Exists => &self.exists,
            Decider::Forall => &self.forall,
        }
    }
}

/// Gates that are being put together.
#[derive(Clone, Debug)]
pub struct GateList {
    variables: usize,
    gates: Clauses,
    truth: Lit,
}

impl GateList {
    /// For a formula with this many variables. There is one gate, which is true.
    pub fn new(variables: usize) -> Self {
        let mut gates = Clauses::new();
        gates.push([]);
        GateList {
            variables,
            gates,
            truth: Var::new(variables).positive(),
        }
    }

    /// The literal that is always true.
    pub fn truth(&self) -> Lit {
        self.truth
    }

    /// A literal that is true if all of these are.
    pub fn and(&mut self, literals: &[Lit]) -> Lit {
        if literals.contains(&!self.truth) {
            return !self.truth;
        }
        let mut kept: Vec<Lit> = literals.to_vec();
        kept.retain(|&literal| literal != self.truth);
        kept.sort_unstable();
        kept.dedup();
        if kept.windows(2).any(|pair| pair[0] == !pair[1]) {
            return !self.truth;
        }
        match kept[..] {
            [] => self.truth,
            [literal] => literal,
            _ => {
                self.gates.push(kept);
                Var::new(self.variables + self.gates.len() - 1).positive()
            }
        }
    }

    /// A literal that is true if one of these is.
    pub fn or(&mut self, literals: &[Lit]) -> Lit {
        let negated: Vec<Lit> = literals.iter().map(|&literal| !literal).collect();
        !self.and(&negated)
    }

    /// The number of gates.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Whether there are no gates. That is never so, since one is true.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The number of literals of all gates.
    pub fn literals(&self) -> usize {
        self.gates.literal_count()
    }

    /// The gates as they are.
    pub fn into_gates(self) -> Clauses {
        self.gates
    }
}

/// The block of the prefix in which each variable of a formula stands, and the player who decides it.
pub fn positions(formula: &Formula) -> Vec<(u32, Quantifier)> {
    let mut positions = vec![(0, Quantifier::Exists); formula.variables()];
    for (level, block) in formula.prefix().blocks().iter().enumerate() {
        for &variable in &block.variables {
            positions[variable.index()] = (level as u32, block.quantifier);
        }
    }
    positions
}
