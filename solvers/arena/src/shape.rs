//! The tree between a state and its successors, without the state: few kinds of states have many trees.

use crate::tree::{Kind, Node, Tree};
use base::value::Numerator;
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::ToPrimitive;
use rustc_hash::FxHashMap;

/// A node of a shape.
#[derive(Debug)]
struct ShapeNode<N> {
    kind: Kind,
    /// Below a mean: the factor by which the value is multiplied.
    weight: N,
    /// The kind of the node above: a maximum, a minimum or a mean.
    above: Kind,
    /// The number of the node above.
    parent: u32,
    /// Whether it is the last one below that.
    is_last: bool,
}

/// The tree between a state and its successors: the state itself, then all nodes below, each behind the one
/// above it.
#[derive(Debug)]
pub struct Shape<N> {
    nodes: Vec<ShapeNode<N>>,
    /// How many of them are leaves.
    pub leaves: usize,
}

/// The choices in a state as those of a matrix game: the maximizer chooses a row, the minimizer a column, and chance decides in each cell.
pub struct MatrixShape {
    pub columns: usize,
    /// Row by row, the leaves of each cell, by index among those of the state, with their weights. All cells have the same sum of weights.
    pub cells: Vec<Vec<(u32, u64)>>,
}

impl<N: Numerator> Shape<N> {
    /// The shape as a matrix; nothing if in some place another order of moves is used than that of the maximizer, the minimizer and chance, or
    /// weights are too long.
    pub fn matrix(&self) -> Option<MatrixShape> {
        let mut below = vec![Vec::new(); self.nodes.len()];
        let (mut leaf, mut leaves) = (0, Vec::with_capacity(self.nodes.len()));
        for (number, node) in self.nodes.iter().enumerate() {
            if number > 0 {
                below[node.parent as usize].push(number);
            }
            leaves.push(leaf);
            leaf += u32::from(node.kind == Kind::Leaf);
        }
        let under = |node: usize, kind| match self.nodes[node].kind == kind {
            true => below[node].clone(),
            false => vec![node],
        };
        let (mut columns, mut cells) = (None, Vec::new());
        for row in under(0, Kind::Max) {
            let own = under(row, Kind::Min);
            if *columns.get_or_insert(own.len()) != own.len() {
                return None;
            }
            for cell in own {
                let outcomes = under(cell, Kind::Mean).into_iter();
                let outcomes = outcomes.map(|outcome| {
                    let node = &self.nodes[outcome];
                    let weight = match outcome == cell {
                        true => N::one().to_big(),
                        false => node.weight.to_big(),
                    };
                    (node.kind == Kind::Leaf).then_some((leaves[outcome], weight))
                });
                cells.push(outcomes.collect::<Option<Vec<_>>>()?);
            }
        }
        let weights = cells.iter().flatten().map(|(_, weight)| weight.clone());
        let common = weights.reduce(|common, weight| common.gcd(&weight))?;
        let short = |(leaf, weight): (u32, BigUint)| Some((leaf, (weight / &common).to_u64()?));
        let cells = cells
            .into_iter()
            .map(|cell| cell.into_iter().map(short).collect());
        Some(MatrixShape {
            columns: columns?,
            cells: cells.collect::<Option<_>>()?,
        })
    }

    /// The bytes that the shape takes in memory.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<ShapeNode<N>>()
    }

    /// The value of the state from those of its leaves, in order; `values` is working memory.
    pub fn value<'a>(
        &self,
        leaves: impl DoubleEndedIterator<Item = &'a N>,
        values: &mut Vec<N>,
    ) -> N {
        let mut leaves = leaves.rev();
        if values.len() < self.nodes.len() {
            values.resize(self.nodes.len(), N::zero());
        }
        // Each node stands before the nodes below it, so it is complete when its turn comes.
        for (number, part) in self.nodes.iter().enumerate().skip(1).rev() {
            let (above, below) = values.split_at_mut(number);
            let value = match part.kind {
                Kind::Leaf => leaves.next().expect("each leaf has one"),
                _ => &below[0],
            };
            let sum = &mut above[part.parent as usize];
            match (part.above, part.is_last) {
                (Kind::Mean, true) => *sum = part.weight.times(value),
                (Kind::Mean, false) => *sum = sum.plus(&part.weight.times(value)),
                (Kind::Max, false) if *sum >= *value => {}
                (Kind::Min, false) if *sum <= *value => {}
                _ => *sum = value.clone(),
            }
        }
        values[0].clone()
    }

    /// Whether a state and all nodes below it, which begin with `first`, have this shape.
    fn is_of(&self, root: &Node<N>, nodes: &[Node<N>], first: usize) -> bool {
        self.nodes.len() == nodes.len() + 1
            && self.nodes[0].kind == root.kind
            && self.nodes[1..].iter().zip(nodes).all(|(part, node)| {
                part.kind == kind(node)
                    && part.parent == parent(node, first)
                    && part.weight == node.weight
            })
    }
}

/// Whether a node has a value of its own: a state, or one whose value is known.
pub fn is_leaf<N: Numerator>(node: &Node<N>) -> bool {
    node.is_state() || node.kind == Kind::Leaf
}

/// The kind of a node in a shape.
fn kind<N: Numerator>(node: &Node<N>) -> Kind {
    match node.is_state() {
        true => Kind::Leaf,
        false => node.kind,
    }
}

/// The number that the node above one has in a shape, if those below the state begin with `first`.
fn parent<N: Numerator>(node: &Node<N>, first: usize) -> u32 {
    (node.parent as usize + 1).saturating_sub(first) as u32
}

/// Finds shapes that were seen before.
#[derive(Default)]
pub struct Shapes {
    by_hash: FxHashMap<u64, Vec<u32>>,
    settled: Option<u32>,
    /// The shape found last: the next one is often the same.
    last: Option<u32>,
}

impl Shapes {
    /// The shape of a state with one successor, whose value is its own.
    pub fn settled<N: Numerator>(&mut self, shapes: &mut Vec<Shape<N>>) -> u32 {
        *self.settled.get_or_insert_with(|| {
            let node = |kind| ShapeNode {
                kind,
                weight: N::one(),
                above: Kind::Max,
                parent: 0,
                is_last: true,
            };
            shapes.push(Shape {
                nodes: vec![node(Kind::Max), node(Kind::Leaf)],
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
        let (root, nodes, first) = (&tree.nodes[state], &tree.nodes[all.clone()], all.start);
        if let Some(last) = self.last
            && shapes[last as usize].is_of(root, nodes, first)
        {
            return last;
        }
        let mut hash = (nodes.len() as u64) << 8 | root.kind as u64;
        for node in nodes {
            let here =
                node.weight.word(0) ^ u64::from(node.count) << 48 ^ (kind(node) as u64) << 40;
            hash = (hash.rotate_left(7) ^ here).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        let numbers = self.by_hash.entry(hash).or_default();
        let is_same = |number: &&u32| shapes[**number as usize].is_of(root, nodes, first);
        let number = match numbers.iter().find(is_same) {
            Some(&number) => number,
            None => {
                let number = shapes.len() as u32;
                numbers.push(number);
                shapes.push(shape(root, nodes, first));
                number
            }
        };
        self.last = Some(number);
        number
    }
}

/// The shape of a state and all nodes below it, which begin with `first`.
fn shape<N: Numerator>(root: &Node<N>, nodes: &[Node<N>], first: usize) -> Shape<N> {
    let mut all: Vec<ShapeNode<N>> = Vec::with_capacity(nodes.len() + 1);
    all.push(ShapeNode {
        kind: root.kind,
        weight: N::one(),
        above: Kind::Max,
        parent: 0,
        is_last: true,
    });
    for (index, node) in nodes.iter().enumerate() {
        let parent = parent(node, first);
        let next = nodes.get(index + 1);
        all.push(ShapeNode {
            kind: kind(node),
            weight: node.weight.clone(),
            above: all[parent as usize].kind,
            parent,
            is_last: next.is_none_or(|next| next.parent != node.parent),
        });
    }
    Shape {
        leaves: nodes.iter().filter(|node| is_leaf(node)).count(),
        nodes: all,
    }
}
