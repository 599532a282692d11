//! The tree between a state and its successors, without the state: few kinds of states have many trees.

use crate::tree::{Kind, Node, Tree};
use rustc_hash::FxHashMap;
use value::Numerator;

/// A node of a shape. The nodes below it are numbered within the shape.
#[derive(Clone, PartialEq, Debug)]
struct Part<N> {
    kind: Kind,
    first: u32,
    count: u32,
    weight: N,
}

/// The tree between a state and its successors: the state itself, then all nodes below, each behind the one
/// above it.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape<N> {
    parts: Vec<Part<N>>,
    /// How many of them are leaves.
    pub leaves: usize,
}

impl<N: Numerator> Shape<N> {
    /// What it takes in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.parts.capacity() * size_of::<Part<N>>()
    }

    /// The value of the state from those of its leaves, in order; `values` is working memory.
    pub fn value<'a>(
        &self,
        leaves: impl DoubleEndedIterator<Item = &'a N>,
        values: &mut Vec<N>,
    ) -> N {
        let mut leaves = leaves.rev();
        values.clear();
        values.resize(self.parts.len(), N::zero());
        // What is below a node stands behind it.
        for (number, part) in self.parts.iter().enumerate().rev() {
            values[number] = match part.kind {
                Kind::Leaf => leaves.next().expect("each leaf has one").clone(),
                _ => self.combine(part, values),
            };
        }
        values[0].clone()
    }

    /// The value of a node that is no leaf from those of the nodes below; `values` are those of all nodes.
    fn combine(&self, part: &Part<N>, values: &[N]) -> N {
        let below = part.first as usize..(part.first + part.count) as usize;
        let parts = &self.parts[below.clone()];
        let values = values[below].iter();
        match part.kind {
            Kind::Max => values.max().expect("it has one").clone(),
            Kind::Min => values.min().expect("it has one").clone(),
            Kind::Mean | Kind::Leaf => parts
                .iter()
                .zip(values)
                .fold(N::zero(), |sum, (part, value)| {
                    sum.plus(&part.weight.times(value))
                }),
        }
    }
}

/// Whether a node has a value of its own: a state, or one whose value is known.
pub fn is_leaf<N: Numerator>(node: &Node<N>) -> bool {
    node.is_state() || node.kind == Kind::Leaf
}

/// Finds shapes that were seen before.
#[derive(Default)]
pub struct Shapes {
    by_hash: FxHashMap<u64, Vec<u32>>,
    settled: Option<u32>,
}

impl Shapes {
    /// The shape of a state with one successor, whose value is its own.
    pub fn settled<N: Numerator>(&mut self, shapes: &mut Vec<Shape<N>>) -> u32 {
        *self.settled.get_or_insert_with(|| {
            let part = |kind, first, count| Part {
                kind,
                first,
                count,
                weight: N::one(),
            };
            shapes.push(Shape {
                parts: vec![part(Kind::Max, 1, 1), part(Kind::Leaf, 0, 0)],
                leaves: 1,
            });
            shapes.len() as u32 - 1
        })
    }

    /// The shape of an expanded state.
    pub fn of<N: Numerator>(
        &mut self,
        tree: &Tree<N>,
        state: usize,
        shapes: &mut Vec<Shape<N>>,
    ) -> u32 {
        let all = tree.all_below(state);
        let nodes = &tree.nodes[all.clone()];
        let root = &tree.nodes[state];
        let mut hash = (nodes.len() as u64) << 8 | root.kind as u64;
        for node in nodes {
            let here = node.weight.word(0) ^ u64::from(node.count) << 48 ^ (node.kind as u64) << 40;
            hash = (hash.rotate_left(7) ^ here).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        let is_same = |part: &Part<N>, node: &Node<N>| match is_leaf(node) {
            true => part.kind == Kind::Leaf && part.weight == node.weight,
            false => {
                part.kind == node.kind
                    && part.count == node.count
                    && part.first == node.first - all.start as u32 + 1
                    && part.weight == node.weight
            }
        };
        let same = |shape: &Shape<N>| {
            shape.parts.len() == nodes.len() + 1
                && shape.parts[0].kind == root.kind
                && shape.parts[0].count == root.count
                && (shape.parts[1..].iter().zip(nodes)).all(|(part, node)| is_same(part, node))
        };
        let numbers = self.by_hash.entry(hash).or_default();
        if let Some(&number) = numbers.iter().find(|&&n| same(&shapes[n as usize])) {
            return number;
        }
        let part = |node: &Node<N>| Part {
            kind: node.kind,
            first: node.first.wrapping_sub(all.start as u32).wrapping_add(1),
            count: node.count,
            weight: node.weight.clone(),
        };
        let below = |node: &Node<N>| match is_leaf(node) {
            true => Part {
                kind: Kind::Leaf,
                first: 0,
                count: 0,
                weight: node.weight.clone(),
            },
            false => part(node),
        };
        shapes.push(Shape {
            parts: [part(root)]
                .into_iter()
                .chain(nodes.iter().map(below))
                .collect(),
            leaves: nodes.iter().filter(|node| is_leaf(node)).count(),
        });
        let number = shapes.len() as u32 - 1;
        numbers.push(number);
        number
    }
}
