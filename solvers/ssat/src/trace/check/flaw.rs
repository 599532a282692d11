//! The result of a check: the bounds that are proved, or the first mistake.

use formula::{BigRational, Lit, Var};
use limits::StopReason;

/// One of the two bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// What the maximizer gets at least.
    Lower,
    /// What the minimizer allows at most.
    Upper,
}

impl Side {
    /// The name of the diagram in files.
    pub fn name(self) -> &'static str {
        match self {
            Side::Lower => "lower",
            Side::Upper => "upper",
        }
    }
}

/// A mistake in a trace. Clauses, nodes and definitions are counted from 1.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Flaw {
    /// It is for another formula.
    #[error(
        "the strategy is for another formula ({name}): its SHA-256 is {found}, that of this formula {expected}"
    )]
    OtherFormula {
        /// The name of the other formula.
        name: String,
        /// The SHA-256 in the trace.
        found: String,
        /// The SHA-256 of the formula.
        expected: String,
    },
    /// The number of variables is not that of the formula.
    #[error("the strategy is for {found} variables, and this formula has {expected}")]
    Variables {
        /// The number in the trace.
        found: usize,
        /// The number in the formula.
        expected: usize,
    },
    /// A variable has another name in the formula, or none.
    #[error("variable {} has the name `{name}`, and not in the formula", .variable.to_dimacs())]
    Name {
        variable: Var,
        /// The name in the trace.
        name: String,
    },
    /// A clause is neither of the formula nor does it follow from its hints.
    #[error(
        "clause {clause} of `clauses` is not of the formula, and does not follow from its hints"
    )]
    Clause {
        /// The number of the clause.
        clause: usize,
    },
    /// The clauses of a definition leave the variable a choice.
    #[error("the clauses of definition {definition} do not define variable {}", .variable.to_dimacs())]
    Definition {
        /// The number of the definition.
        definition: usize,
        variable: Var,
    },
    /// A node or a step that its diagram cannot have.
    #[error("node {node} of `{}` {message}", .side.name())]
    Node {
        side: Side,
        /// The number of the node.
        node: usize,
        /// What is wrong with it.
        message: String,
    },
    /// A clause of the formula is not true on some path.
    #[error("on some path of `lower`, the clause {clause:?} is not true")]
    NotTrue { clause: Vec<i32> },
    /// A clause that is said to be false is not.
    #[error("on some path of `upper`, a clause is said to be false and its literal {} is not", .literal.to_dimacs())]
    NotFalse { literal: Lit },
    /// A diagram shows less than the promise.
    #[error("`{}` shows {found}, not the value {value} that the strategy promises", .side.name())]
    BrokenPromise {
        side: Side,
        /// The value that the trace promises.
        value: Box<BigRational>,
        /// The value of the diagram.
        found: Box<BigRational>,
    },
}

/// Whether a trace proves its promise.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// Both diagrams prove this value.
    Proved(BigRational),
    Refused(Flaw),
    /// A limit was reached; these bounds are proved.
    Stopped {
        reason: StopReason,
        lower: BigRational,
        upper: BigRational,
    },
}

/// The result of the check of a trace.
#[derive(Clone, PartialEq, Debug)]
pub struct Verification {
    pub verdict: Verdict,
    /// The nodes of the lower and of the upper diagram.
    pub nodes: [u64; 2],
}
