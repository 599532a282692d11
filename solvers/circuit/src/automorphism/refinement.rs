//! Colour refinement: splitting cells until any two nodes of one cell have equally many neighbours
//! in every cell.
//!
//! A queue holds the cells that have still to split others. Of the parts of a split
//! cell the largest may be left out if the cell itself had been visited before (Hopcroft 1971):
//! that makes the whole near to linear in the number of edges.
//!
//! The sequence of splits is independent of the names of the nodes, and can be written down as a *trace*:
//! which cell got which numbers of neighbours, in which order. Two nodes can be images of each
//! other only if singling them out leads to the same trace.

use crate::automorphism::partition::Partition;
use base::graph::Graph;
use std::collections::VecDeque;

/// The use that a refinement makes of the trace.
pub enum Trace<'a> {
    /// Nothing.
    Ignore,
    /// Append it.
    Write(&'a mut Vec<u64>),
    /// Stop as soon as it differs from this one.
    Follow(&'a [u64]),
}

impl Trace<'_> {
    /// Notes an event; `false` if it differs.
    #[inline]
    fn note(&mut self, event: u64) -> bool {
        match self {
            Trace::Ignore => true,
            Trace::Write(trace) => {
                trace.push(event);
                true
            }
            Trace::Follow(trace) => match trace.split_first() {
                Some((&expected, rest)) if expected == event => {
                    *trace = rest;
                    true
                }
                _ => false,
            },
        }
    }

    /// Whether nothing is missing at the end.
    fn is_complete(&self) -> bool {
        match self {
            Trace::Ignore | Trace::Write(_) => true,
            Trace::Follow(trace) => trace.is_empty(),
        }
    }
}

/// Refines partitions of the nodes of one graph.
pub struct Refinement<'a> {
    graph: &'a Graph,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    /// Numbers of neighbours in the present cell; 0 between calls.
    counts: Vec<u32>,
    /// Nodes with neighbours in the present cell.
    touched: Vec<u32>,
    /// The same by cell and count.
    sorted: Vec<(u64, u32)>,
    /// Edges visited so far.
    pub effort: u64,
    /// Whether some refinement ended because it was not to go on.
    pub is_cut: bool,
}

/// How much effort passes between two questions whether to go on.
const EFFORT_PER_CHECK: u64 = 1 << 16;

impl<'a> Refinement<'a> {
    pub fn new(graph: &'a Graph) -> Self {
        let nodes = graph.node_count();
        Refinement {
            graph,
            queue: VecDeque::new(),
            queued: vec![false; nodes],
            counts: vec![0; nodes],
            touched: Vec::new(),
            sorted: Vec::new(),
            effort: 0,
            is_cut: false,
        }
    }

    /// Marks a cell as one that is still to split others.
    pub fn enqueue(&mut self, cell: u32) {
        if !std::mem::replace(&mut self.queued[cell as usize], true) {
            self.queue.push_back(cell);
        }
    }

    /// Makes one node of a larger cell a cell of its own and refines.
    pub fn single_out(
        &mut self,
        partition: &mut Partition,
        node: u32,
        trace: Trace<'_>,
        max_effort: u64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        let cell = partition.cell_of(node);
        let last = cell + partition.length(cell) as u32 - 1;
        partition.put(node, last);
        partition.split(cell, last);
        self.enqueue(last);
        self.refine(partition, trace, max_effort, go_on)
    }

    /// Refines until the queue is empty; `false` if the trace differs, if the effort exceeds
    /// the bound, or if `go_on` says so. The partition may then be anything finer than before.
    pub fn refine(
        &mut self,
        partition: &mut Partition,
        mut trace: Trace<'_>,
        max_effort: u64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        let mut agrees = true;
        let mut checked = self.effort;
        while let Some(cell) = self.queue.pop_front() {
            self.queued[cell as usize] = false;
            if agrees && self.effort - checked > EFFORT_PER_CHECK {
                checked = self.effort;
                agrees = go_on();
                self.is_cut |= !agrees;
            }
            agrees = agrees
                && self.effort <= max_effort
                && self.split_neighbours(partition, cell, &mut trace);
        }
        agrees && trace.is_complete()
    }

    /// Splits cells by the numbers of neighbours in this one.
    fn split_neighbours(
        &mut self,
        partition: &mut Partition,
        cell: u32,
        trace: &mut Trace<'_>,
    ) -> bool {
        self.touched.clear();
        for &node in partition.members(cell) {
            let neighbours = self.graph.targets(node as usize);
            self.effort += 1 + neighbours.len() as u64;
            for &neighbour in neighbours {
                let count = &mut self.counts[neighbour as usize];
                if *count == 0 {
                    self.touched.push(neighbour);
                }
                *count += 1;
            }
        }
        self.sorted.clear();
        for &node in &self.touched {
            let count = std::mem::take(&mut self.counts[node as usize]);
            let key = u64::from(partition.cell_of(node)) << 32 | u64::from(count);
            self.sorted.push((key, node));
        }
        let mut sorted = std::mem::take(&mut self.sorted);
        sorted.sort_unstable();
        let mut parts = sorted.chunk_by(|left, right| left.0 >> 32 == right.0 >> 32);
        let agrees = trace.note(u64::MAX) && parts.all(|part| self.split(partition, part, trace));
        self.sorted = sorted;
        agrees
    }

    /// Splits one cell, of which these nodes have neighbours, with cell and number as key.
    fn split(
        &mut self,
        partition: &mut Partition,
        touched: &[(u64, u32)],
        trace: &mut Trace<'_>,
    ) -> bool {
        let cell = (touched[0].0 >> 32) as u32;
        let length = partition.length(cell);
        let first = cell + (length - touched.len()) as u32;
        if length > 1 {
            for (index, &(_, node)) in (first..).zip(touched) {
                partition.put(node, index);
            }
        }
        let mut end = cell + length as u32;
        let mut largest = (0, cell);
        for group in touched.chunk_by(|left, right| left.0 == right.0).rev() {
            let size = group.len() as u32;
            if !(trace.note(group[0].0) && trace.note(u64::from(size))) {
                return false;
            }
            let start = end - size;
            if start > cell {
                partition.split(cell, start);
            }
            largest = largest.max((size, start));
            end = start;
        }
        if partition.length(cell) == length {
            return true;
        }
        largest = largest.max((end - cell, cell));
        let was_queued = self.queued[cell as usize];
        let mut part = cell;
        while (part as usize) < cell as usize + length {
            if was_queued || part != largest.1 {
                self.enqueue(part);
            }
            part += partition.length(part) as u32;
        }
        true
    }
}
