//! The small language segments are compiled to: flat lists over *slots*, one byte for the value of
//! a variable in a segment.
//!
//! A literal is `2 * slot + (1 if negated)`. Slot 0 is always false.
//!
//! Clauses are arranged as trees on common literals: clauses that share their first literals are
//! looked at together, and one true literal skips all of them. Games need this: hundreds of
//! clauses say "this move is not chosen, or ...". The tree is written in preorder; each node has
//! the place to go on when its literal is true, and a node with which a clause ends says so.
//!
//! ```text
//! (a or b) (a or c or d)       a  -> end        a false: go on with b
//!                                b last -> c    b false: a clause is violated
//!                                c  -> end
//!                                  d last -> end
//! ```
//!
//! A tree of *demands* is written alike, but each clause ends with a number instead of a literal.

use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::ops::Range;

/// The literal that is always false.
pub const FALSE: u32 = 0;
/// A value that is not known, in three-valued evaluation; 0 is false and 1 is true.
pub const UNKNOWN: u8 = 2;

/// A literal of a tree.
#[derive(Clone, Copy, Debug)]
struct Node {
    literal: u32,
    /// Where to go on when the literal is true, and perhaps [`LAST`].
    next: u32,
}

/// Marks a node with which a clause ends.
const LAST: u32 = 1 << 31;

/// A list of clauses: its nodes.
pub type Tree = Range<u32>;

/// Sets one slot to the conjunction of some clauses, or its negation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Where the result goes.
    pub output: u32,
    inverted: bool,
    /// The clauses are single literals: `literals` lists them. Otherwise each clause is preceded by
    /// its length.
    simple: bool,
    literals: Range<u32>,
}

/// All code of a compiled formula.
#[derive(Default, Debug)]
pub struct Code {
    nodes: Vec<Node>,
    operations: Vec<Operation>,
    literals: Vec<u32>,
}

/// How much code there is: to drop what was added since.
#[derive(Clone, Copy)]
pub struct Extent {
    nodes: usize,
    operations: usize,
    literals: usize,
}

/// The value of a literal whose slot is known.
#[inline]
pub fn is_true(values: &[u8], literal: u32) -> bool {
    values[(literal >> 1) as usize] != (literal & 1) as u8
}

/// The value of a literal in three-valued evaluation.
#[inline]
pub fn three_valued(values: &[u8], literal: u32) -> u8 {
    match values[(literal >> 1) as usize] {
        UNKNOWN => UNKNOWN,
        value => value ^ (literal & 1) as u8,
    }
}

impl Code {
    /// How much there is now.
    pub fn extent(&self) -> Extent {
        Extent {
            nodes: self.nodes.len(),
            operations: self.operations.len(),
            literals: self.literals.len(),
        }
    }

    /// Drops what was added since.
    pub fn truncate(&mut self, extent: Extent) {
        self.nodes.truncate(extent.nodes);
        self.operations.truncate(extent.operations);
        self.literals.truncate(extent.literals);
    }

    /// Where the next operation will be.
    pub fn next_operation(&self) -> u32 {
        self.operations.len() as u32
    }

    /// Appends an operation.
    pub fn push_operation(&mut self, output: u32, inverted: bool, clauses: &[Vec<u32>]) {
        let simple = clauses.iter().all(|clause| clause.len() == 1);
        let first = self.literals.len() as u32;
        for clause in clauses {
            if !simple {
                self.literals.push(clause.len() as u32);
            }
            self.literals.extend_from_slice(clause);
        }
        self.operations.push(Operation {
            output,
            inverted,
            simple,
            literals: first..self.literals.len() as u32,
        });
    }

    /// Appends clauses as a tree. `known_at` tells when each slot gets its value: early literals
    /// come first, then those that many clauses share.
    pub fn push_tree(&mut self, mut clauses: Vec<Vec<u32>>, known_at: &[u32]) -> Tree {
        sort_literals(clauses.iter_mut(), known_at);
        for clause in &mut clauses {
            if clause.is_empty() {
                clause.push(FALSE);
            }
        }
        self.push_paths(clauses)
    }

    /// Appends clauses that each end with a demand: a number that is asked for when the rest of the
    /// clause is violated.
    pub fn push_demands(&mut self, mut clauses: Vec<(Vec<u32>, u32)>, known_at: &[u32]) -> Tree {
        sort_literals(clauses.iter_mut().map(|(clause, _)| clause), known_at);
        let path = |(mut clause, demand): (Vec<u32>, u32)| {
            clause.push(demand | LAST);
            clause
        };
        let paths = clauses.into_iter().map(path).collect();
        self.push_paths(paths)
    }

    /// Appends a tree of paths.
    fn push_paths(&mut self, mut paths: Vec<Vec<u32>>) -> Tree {
        let first = self.nodes.len() as u32;
        paths.sort_unstable();
        // The nodes from the root to the last one written.
        let mut open: Vec<u32> = Vec::new();
        let mut previous: &[u32] = &[];
        for path in &paths {
            let pairs = previous.iter().zip(path);
            let common = pairs.take_while(|(a, b)| a == b).count();
            if common == previous.len() && common > 0 {
                // The previous clause is part of this one, which adds nothing.
                continue;
            }
            self.close(&mut open, common);
            for &literal in &path[common..] {
                open.push(self.nodes.len() as u32);
                let literal = literal & !LAST;
                self.nodes.push(Node { literal, next: 0 });
            }
            self.nodes.last_mut().expect("not empty").next |= LAST;
            previous = path;
        }
        self.close(&mut open, 0);
        first..self.nodes.len() as u32
    }

    /// Ends the nodes of a path beyond this length.
    fn close(&mut self, path: &mut Vec<u32>, length: usize) {
        let next = self.nodes.len() as u32;
        for node in path.drain(length..) {
            self.nodes[node as usize].next |= next;
        }
    }

    /// Executes operations.
    #[inline]
    pub fn execute(&self, operations: Range<u32>, values: &mut [u8]) {
        for operation in &self.operations[operations.start as usize..operations.end as usize] {
            let literals =
                &self.literals[operation.literals.start as usize..operation.literals.end as usize];
            let conjunction = if operation.simple {
                literals.iter().all(|&literal| is_true(values, literal))
            } else {
                let holds = |clause: &[u32]| clause.iter().any(|&l| is_true(values, l));
                clauses(literals).all(holds)
            };
            values[operation.output as usize] = u8::from(conjunction != operation.inverted);
        }
    }

    /// Whether some clause of a tree is violated.
    #[inline]
    pub fn violated(&self, tree: &Tree, values: &[u8]) -> bool {
        self.walk_tree(tree, |literal| is_true(values, literal))
    }

    /// Executes operations with three values. The slot `pinned` keeps its value.
    pub fn execute_three_valued(&self, operations: Range<u32>, values: &mut [u8], pinned: u32) {
        for operation in &self.operations[operations.start as usize..operations.end as usize] {
            if operation.output == pinned {
                continue;
            }
            let literals =
                &self.literals[operation.literals.start as usize..operation.literals.end as usize];
            let any = |clause: &[u32]| {
                let values = clause.iter().map(|&literal| three_valued(values, literal));
                values.fold(0, |any, value| match (any, value) {
                    (1, _) | (_, 1) => 1,
                    (UNKNOWN, _) | (_, UNKNOWN) => UNKNOWN,
                    _ => 0,
                })
            };
            let all = |all, value| match (all, value) {
                (0, _) | (_, 0) => 0,
                (UNKNOWN, _) | (_, UNKNOWN) => UNKNOWN,
                _ => 1,
            };
            let conjunction = if operation.simple {
                literals.chunks(1).map(any).fold(1, all)
            } else {
                clauses(literals).map(any).fold(1, all)
            };
            values[operation.output as usize] = match conjunction {
                UNKNOWN => UNKNOWN,
                value => value ^ u8::from(operation.inverted),
            };
        }
    }

    /// Whether some clause of a tree is not certainly true.
    pub fn may_be_violated(&self, tree: &Tree, values: &[u8]) -> bool {
        self.walk_tree(tree, |literal| three_valued(values, literal) == 1)
    }

    /// Calls `ask` with the demands of a tree, until it says that that is enough.
    #[inline]
    pub fn demands(&self, tree: &Tree, values: &[u8], ask: impl FnMut(u32) -> bool) {
        self.walk_demands(tree, |literal| is_true(values, literal), ask);
    }

    /// The same with three values: calls `ask` with the demands of clauses whose rest is not
    /// certainly true.
    pub fn possible_demands(&self, tree: &Tree, values: &[u8], ask: impl FnMut(u32) -> bool) {
        self.walk_demands(tree, |literal| three_valued(values, literal) == 1, ask);
    }

    /// The same with three values: calls `ask` with the demands of clauses whose rest is certainly
    /// false.
    pub fn certain_demands(&self, tree: &Tree, values: &[u8], ask: impl FnMut(u32) -> bool) {
        self.walk_demands(tree, |literal| three_valued(values, literal) != 0, ask);
    }

    #[inline]
    fn walk_demands(
        &self,
        tree: &Tree,
        is_true: impl Fn(u32) -> bool,
        mut ask: impl FnMut(u32) -> bool,
    ) {
        let mut place = tree.start;
        while place < tree.end {
            let node = self.nodes[place as usize];
            if node.next & LAST != 0 {
                if !ask(node.literal) {
                    return;
                }
                place += 1;
            } else if is_true(node.literal) {
                place = node.next;
            } else {
                place += 1;
            }
        }
    }

    #[inline]
    fn walk_tree(&self, tree: &Tree, is_true: impl Fn(u32) -> bool) -> bool {
        let mut place = tree.start;
        while place < tree.end {
            let node = self.nodes[place as usize];
            if is_true(node.literal) {
                place = node.next & !LAST;
            } else if node.next & LAST != 0 {
                return true;
            } else {
                place += 1;
            }
        }
        false
    }
}

/// Brings the literals of clauses into the order of a tree.
fn sort_literals<'c>(clauses: impl Iterator<Item = &'c mut Vec<u32>>, known_at: &[u32]) {
    let mut clauses: Vec<_> = clauses.collect();
    let mut counts = FxHashMap::<u32, u32>::default();
    for &literal in clauses.iter().flat_map(|clause| clause.iter()) {
        *counts.entry(literal).or_default() += 1;
    }
    for clause in &mut clauses {
        clause.sort_unstable_by_key(|literal| {
            let known_at = known_at[(literal >> 1) as usize];
            (known_at, Reverse(counts[literal]), *literal)
        });
    }
}

/// Cuts a list of clauses, each preceded by its length.
fn clauses(mut literals: &[u32]) -> impl Iterator<Item = &[u32]> {
    std::iter::from_fn(move || {
        let (&length, rest) = literals.split_first()?;
        let (clause, rest) = rest.split_at(length as usize);
        literals = rest;
        Some(clause)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_violated_like_its_clauses() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..500 {
            let mut clauses = Vec::new();
            for _ in 0..random.usize(0..8) {
                let mut clause: Vec<u32> =
                    (0..random.usize(0..4)).map(|_| random.u32(2..12)).collect();
                clause.sort_unstable();
                clause.dedup();
                clauses.push(clause);
            }
            let mut code = Code::default();
            code.push_tree(vec![vec![3, 4], vec![5]], &[0; 6]);
            let tree = code.push_tree(clauses.clone(), &[0, 0, 1, 0, 1, 2]);
            for bits in 0..32u8 {
                let values: Vec<u8> = (0..6)
                    .map(|slot| if slot == 0 { 0 } else { bits >> (slot - 1) & 1 })
                    .collect();
                let expected = clauses
                    .iter()
                    .any(|clause| !clause.iter().any(|&l| is_true(&values, l)));
                assert_eq!(
                    code.violated(&tree, &values),
                    expected,
                    "{clauses:?} {values:?}"
                );
            }
        }
    }
}
