//! The trace of a search: two decision diagrams that prove the value of a formula, with the clauses that they rest on.
//!
//! ```text
//! lower (what the maximizer does):              upper (what the minimizer does, and why plays are lost):
//!   test 3:    node 7 if it is true, else 5       test 3
//!   branch:    4, -6; nodes 2 and 8               branch:  -9; 4 by clause 12; nodes 2 and 8
//!   node 0:    nothing is shown, value 0          false:   clause 12          node 0:  nothing is shown, value 1
//! ```
//!
//! A *test* goes on by the value of a variable of another player or of chance. A *branch* takes steps one after the other, then all of its
//! nodes, which are about different variables: values are multiplied. Nodes are numbered from the leaves to the root, so a component
//! that is met again has one node, and everything is checked by going over the nodes once in their order ([`check`](mod@check)).
//!
//! # The lower bound
//!
//! Steps set existential variables, or require a literal of chance. The value of a test is the mean, the minimum, or the sum (see below), and that of a branch the chances
//! that it requires times its nodes. It is a lower bound of the value, since
//!
//! - on each path that is not given up, all clauses are true;
//! - a choice depends only on variables before it: tests above it are of earlier variables;
//! - if a test of a universal variable is above chance, chance is later: else the minimizer would know too little.
//!
//! # The upper bound
//!
//! Steps set universal variables, or say that a literal follows: if it is false, the minimizer makes some universal literals of a clause false, and
//! then that clause is false. The value of a test is the mean, the maximum or the sum. It is an upper bound, since
//!
//! - where a clause is said to be false, all its literals are made false on each path to it;
//! - what the minimizer sets depends only on variables before it. A literal that follows may come later: if it turns out to be
//!   false, the first such literal of a path decides, and the formula is false whatever else is done;
//! - if a test of an existential variable is above chance, chance is later.
//!
//! # Clauses
//!
//! Clauses are those of the formula after universal reduction, and learned ones. Universal reduction drops literals of the
//! minimizer that stand behind all others of their clause: as soon as the rest is false, the minimizer makes them false, so the value stays. A learned clause names clauses before it,
//! *hints*: if all its literals are false, each hint in turn has one open literal at most, which follows, until one is false (as in LRAT, Cruz-Filipe and others 2017). So no
//! propagation is needed to check it.
//!
//! # Sums
//!
//! A *definition* of an existential variable is a set of clauses that no assignment satisfies with and, otherwise the same, without it. Its test may
//! stand where the variables of these clauses are known, and its value is the sum of both nodes: for any values of the others one of them
//! is false. In the lower bound the maximizer plays by the definition; in the upper one the formula is false if it does not. A universal variable that earlier variables define makes the value 0.
//!
//! (Compare CPOG, Bryant, Nawrocki, Avigad and Heule 2023: there a diagram of all models is written, and its equivalence with the formula proved clause by clause.
//! Here the two players need one direction each.)

mod cases;
pub mod check;
mod fingerprint;
mod json;

pub use cases::{Case, Cases};
pub use fingerprint::fingerprint;
pub use json::{FORMAT, ReadError, read, write_json};

use formula::{BigRational, Clauses, Formula, Lit, Names, Quantifier, Var};

/// The number of a node, counted from 1 in its diagram.
pub type NodeId = u32;

/// The node at which nothing is shown: a value of 0 below, of 1 above.
pub const OPEN: NodeId = 0;

/// The proofs of a lower and an upper bound.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Proof {
    /// The node of the lower bound.
    pub lower: NodeId,
    /// The node of the upper bound.
    pub upper: NodeId,
}

/// A range of one of the lists of a diagram.
pub type Span = (u32, u32);

/// The proof of the value of a formula, which says what both players do.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// The name of the formula, for people.
    pub formula: String,
    /// The fingerprint of the formula: see [`fingerprint`](fingerprint()).
    pub sha256: String,
    /// The number of variables of the formula.
    pub variables: usize,
    /// The names of variables, as far as the formula has them.
    #[doc(hidden)]
    pub names: Names,
    /// For the formula of a program, where atoms without a quantifier stand in its prefix: as the option `--quant` says it.
    pub quant: Option<String>,
    /// The promise: the maximizer gets this, and no more.
    pub value: BigRational,
    /// The definitions of variables, each by variables that are known or defined before.
    #[doc(hidden)]
    pub definitions: Vec<Definition>,
    /// The clauses that the upper bound and definitions rest on.
    #[doc(hidden)]
    pub clauses: Derivation,
    /// The diagram of the lower bound; its last node is the root.
    #[doc(hidden)]
    pub lower: Diagram,
    /// The diagram of the upper bound.
    #[doc(hidden)]
    pub upper: Diagram,
}

/// Clauses that leave a variable no choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The variable.
    pub variable: Var,
    /// Whether tests of it sum their nodes.
    pub is_summed: bool,
    /// The numbers of the clauses, from 0.
    pub clauses: Vec<u32>,
}

/// Clauses of the formula, and others with the earlier ones from which they follow.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Derivation {
    clauses: Clauses,
    hints: Vec<u32>,
    ends: Vec<usize>,
}

impl Derivation {
    /// Adds a clause that follows from these, or is of the formula; gives its number.
    pub fn push(
        &mut self,
        clause: impl IntoIterator<Item = Lit>,
        hints: impl IntoIterator<Item = u32>,
    ) -> u32 {
        self.clauses.push(clause);
        self.hints.extend(hints);
        self.ends.push(self.hints.len());
        self.clauses.len() as u32 - 1
    }

    /// The number of clauses.
    pub fn len(&self) -> usize {
        self.clauses.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    /// A clause.
    pub fn clause(&self, number: u32) -> &[Lit] {
        self.clauses.get(number as usize)
    }

    /// The hints of a clause; none if it is of the formula.
    pub fn hints(&self, number: u32) -> &[u32] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.hints[start..self.ends[number]]
    }

    /// The number of literals and hints.
    pub fn size(&self) -> usize {
        self.clauses.literal_count() + self.hints.len()
    }

    /// About how many bytes it takes while it grows.
    pub fn bytes(&self) -> u64 {
        (8 * self.size() + 32 * self.len()) as u64
    }
}

/// A clause that is false if a literal is, once some universal literals of it were made false.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The number of the clause, from 0.
    pub clause: u32,
    /// The literals that the minimizer makes false.
    pub made_false: Span,
}

/// A step of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The literal that becomes true.
    pub literal: Lit,
    /// In the upper bound, the reason why a literal follows that the minimizer does not set.
    pub otherwise: Option<Failure>,
}

/// A node of a diagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// On with one of two nodes.
    Test {
        /// The variable that says which.
        variable: Var,
        /// The node where it is true.
        on_true: NodeId,
        /// The node where it is false.
        on_false: NodeId,
    },
    /// Steps, then all of some nodes.
    Branch {
        /// The steps.
        steps: Span,
        /// The nodes.
        nodes: Span,
    },
    /// A clause is false.
    False(Failure),
}

/// A decision diagram.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Diagram {
    nodes: Vec<Node>,
    steps: Vec<Step>,
    children: Vec<NodeId>,
    made_false: Vec<Lit>,
}

fn part<T>(list: &[T], (start, end): Span) -> &[T] {
    &list[start as usize..end as usize]
}

impl Diagram {
    /// All nodes, the root last; node 1 is the first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The steps of a branch.
    pub fn steps(&self, span: Span) -> &[Step] {
        part(&self.steps, span)
    }

    /// The nodes of a branch.
    pub fn children(&self, span: Span) -> &[NodeId] {
        part(&self.children, span)
    }

    /// The literals that the minimizer makes false.
    pub fn made_false(&self, span: Span) -> &[Lit] {
        part(&self.made_false, span)
    }

    /// How many nodes, steps and references to nodes there are.
    pub fn size(&self) -> usize {
        self.nodes.len() + self.steps.len() + self.children.len() + self.made_false.len()
    }

    /// About how many bytes it takes while it grows.
    pub fn bytes(&self) -> u64 {
        (2 * size_of::<Node>() * self.nodes.len()
            + 2 * size_of::<Step>() * self.steps.len()
            + 8 * (self.children.len() + self.made_false.len())) as u64
    }

    /// Adds a node.
    pub fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() as NodeId
    }

    /// Adds literals that the minimizer makes false.
    pub fn push_made_false(&mut self, literals: &[Lit]) -> Span {
        let start = self.made_false.len() as u32;
        self.made_false.extend_from_slice(literals);
        (start, self.made_false.len() as u32)
    }

    /// Adds the node of a test of this literal: `nodes` are those after it and after its negation.
    pub fn test(&mut self, literal: Lit, nodes: [NodeId; 2]) -> NodeId {
        let [mut on_true, mut on_false] = nodes;
        if literal.is_negative() {
            std::mem::swap(&mut on_true, &mut on_false);
        }
        self.push(Node::Test {
            variable: literal.var(),
            on_true,
            on_false,
        })
    }

    /// Adds the node of a branch.
    pub fn branch(&mut self, steps: &[Step], nodes: &[NodeId]) -> NodeId {
        let first = (self.steps.len() as u32, self.children.len() as u32);
        self.steps.extend_from_slice(steps);
        self.children.extend_from_slice(nodes);
        self.push(Node::Branch {
            steps: (first.0, self.steps.len() as u32),
            nodes: (first.1, self.children.len() as u32),
        })
    }

    /// The part of it that a root leads to. `clause` gives clauses their new numbers.
    pub fn below(&self, root: NodeId, clause: &mut dyn FnMut(u32) -> u32) -> Diagram {
        let mut numbers = vec![OPEN; root as usize + 1];
        let mut is_needed = vec![false; root as usize + 1];
        is_needed[root as usize] = true;
        for id in (1..=root).rev().filter(|&id| id != OPEN) {
            if is_needed[id as usize] {
                match self.nodes[id as usize - 1] {
                    Node::Test {
                        on_true, on_false, ..
                    } => [on_true, on_false]
                        .into_iter()
                        .for_each(|node| is_needed[node as usize] = true),
                    Node::Branch { nodes, .. } => self
                        .children(nodes)
                        .iter()
                        .for_each(|&node| is_needed[node as usize] = true),
                    Node::False(_) => {}
                }
            }
        }
        let mut kept = Diagram::default();
        let mut failure = |failure: Failure, kept: &mut Diagram| Failure {
            clause: clause(failure.clause),
            made_false: kept.push_made_false(self.made_false(failure.made_false)),
        };
        for id in 1..=root as usize {
            if !is_needed[id] {
                continue;
            }
            numbers[id] = match self.nodes[id - 1] {
                Node::Test {
                    variable,
                    on_true,
                    on_false,
                } => kept.push(Node::Test {
                    variable,
                    on_true: numbers[on_true as usize],
                    on_false: numbers[on_false as usize],
                }),
                Node::Branch { steps, nodes } => {
                    let steps: Vec<Step> = self
                        .steps(steps)
                        .iter()
                        .map(|step| Step {
                            otherwise: step.otherwise.map(|one| failure(one, &mut kept)),
                            ..*step
                        })
                        .collect();
                    let nodes = self.children(nodes).iter();
                    let nodes: Vec<NodeId> = nodes.map(|&node| numbers[node as usize]).collect();
                    kept.branch(&steps, &nodes)
                }
                Node::False(one) => {
                    let one = failure(one, &mut kept);
                    kept.push(Node::False(one))
                }
            };
        }
        kept
    }
}

/// By variable, its block and its player.
fn owners(formula: &Formula) -> (Vec<u32>, Vec<Quantifier>) {
    let variables = formula.variables();
    let (mut levels, mut quantifiers) = (vec![0; variables], vec![Quantifier::Exists; variables]);
    for (level, block) in (0..).zip(formula.prefix().blocks()) {
        for variable in &block.variables {
            levels[variable.index()] = level;
            quantifiers[variable.index()] = block.quantifier;
        }
    }
    (levels, quantifiers)
}
