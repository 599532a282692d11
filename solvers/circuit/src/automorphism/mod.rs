//! Generators of the automorphism group of a coloured undirected graph, within a bounded effort.
//!
//! An *automorphism* is a permutation of the nodes that keeps colours and edges. The method is the
//! one of nauty (McKay 1981) in the form for large sparse graphs of saucy (Darga, Sakallah and
//! Markov 2008), without canonical labelling:
//!
//! 1. *Refine.* Two nodes of one colour with different numbers of neighbours in some colour class
//!    cannot be images of each other. Split classes ("cells") until nothing of that kind is left
//!    (`refinement`). If every cell has one node, the identity is the only automorphism; on graphs
//!    without symmetry this is mostly where it ends, in time near to linear.
//! 2. *Go down.* Otherwise give a colour of its own to one node of the first larger cell and refine
//!    again, and so on until all cells have one node. This is the left path (`search`).
//! 3. *Compare.* Back on the way up, give at each level the new colour to another node of the cell
//!    instead, and repeat the refinement. If it takes exactly the trace of the left path,
//!    the two partitions suggest a permutation: node by node in cells of one node, the identity in
//!    cells with the same nodes left and right. It is tested on the edges before it is believed.
//!    Nodes that known generators already reach need no test.
//!
//! No step recurses, and the work is counted: a search that would take too long ends with the
//! generators found so far. This, and that nothing here is `unsafe` or can end the process, is why
//! the crate does not wrap nauty, which is written in C: it is far better on graphs made to be
//! hard, but cannot be stopped.
//!
//! [`Images`] finds the smallest image of a row of bits under such permutations: it is a key for all of
//! them. [`SortedImages`] sorts what is interchangeable in place of listing images.
//!
//! ```
//! use base::graph::Graph;
//!
//! // A path of three nodes can be turned round, unless its ends differ in colour.
//! let edges = [(0, 1), (1, 0), (1, 2), (2, 1)];
//! let path = Graph::new(3, |edge| edges.iter().for_each(|&(from, to)| edge(from, to)));
//! let find = |colours: &[u32]| sqasp_circuit::automorphism::generators(&path, colours, 1_000, || true);
//! assert_eq!(find(&[0, 0, 0]).generators, [vec![(0, 2), (2, 0)]]);
//! assert!(find(&[0, 0, 1]).generators.is_empty());
//! ```

mod blocks;
mod images;
mod partition;
mod refinement;
mod search;

pub use blocks::{Blocks, MAX_BLOCK, SortedImages, blocks, is_product};
pub use images::{BitMap, Images, Weight, subgroup};
pub use search::{ColouredGraph, Generators, MovedPairs, generators};
