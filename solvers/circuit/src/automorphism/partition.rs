//! Ordered partitions of the nodes into cells, with undo.
//!
//! The nodes stand in one list, cell by cell; a cell is named by the place where it starts. Cells
//! only ever split, and the part in front keeps the name. So a cell of an earlier moment is a
//! stretch of the list at any later moment, whatever happened inside; undoing a split means joining
//! two neighbouring stretches.

/// An ordered partition of the nodes `0..n`.
pub struct Partition {
    /// All nodes, cell by cell.
    pub order: Vec<u32>,
    /// Where a node stands in the order.
    index: Vec<u32>,
    /// The cell of a node.
    cell_of: Vec<u32>,
    /// The number of nodes in a cell; only valid for starts of cells.
    length: Vec<u32>,
    /// All splits so far: the cell that was split, and the new cell behind it.
    splits: Vec<(u32, u32)>,
}

impl Partition {
    /// The nodes by colour; colours in increasing order.
    pub fn new(colours: &[u32]) -> Self {
        let mut order: Vec<u32> = (0..colours.len() as u32).collect();
        order.sort_by_key(|&node| colours[node as usize]);
        let mut partition = Partition {
            index: vec![0; order.len()],
            cell_of: vec![0; order.len()],
            length: vec![0; order.len()],
            splits: Vec::new(),
            order,
        };
        let mut start = 0;
        for index in 0..partition.order.len() {
            let node = partition.order[index] as usize;
            let before = partition.order[index.saturating_sub(1)] as usize;
            if colours[before] != colours[node] {
                start = index;
            }
            partition.index[node] = index as u32;
            partition.cell_of[node] = start as u32;
            partition.length[start] += 1;
        }
        partition
    }

    /// The starts of all cells.
    pub fn cells(&self) -> impl Iterator<Item = u32> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let cell = next;
            next += self.length.get(cell as usize)?;
            Some(cell)
        })
    }

    /// The cell of a node.
    #[inline]
    pub fn cell_of(&self, node: u32) -> u32 {
        self.cell_of[node as usize]
    }

    /// The number of nodes in a cell.
    #[inline]
    pub fn length(&self, cell: u32) -> usize {
        self.length[cell as usize] as usize
    }

    /// The nodes of a cell.
    #[inline]
    pub fn members(&self, cell: u32) -> &[u32] {
        &self.order[cell as usize..cell as usize + self.length(cell)]
    }

    /// Puts a node at a place within its cell.
    pub fn put(&mut self, node: u32, index: u32) {
        let (old, other) = (self.index[node as usize], self.order[index as usize]);
        debug_assert_eq!(self.cell_of(node), self.cell_of(other));
        self.order.swap(old as usize, index as usize);
        self.index[node as usize] = index;
        self.index[other as usize] = old;
    }

    /// Makes what stands in a cell from this place on a cell of its own.
    pub fn split(&mut self, cell: u32, index: u32) {
        let end = cell + self.length[cell as usize];
        debug_assert!(cell < index && index < end);
        self.length[cell as usize] = index - cell;
        self.length[index as usize] = end - index;
        for &node in &self.order[index as usize..end as usize] {
            self.cell_of[node as usize] = index;
        }
        self.splits.push((cell, index));
    }

    pub fn splits(&self) -> &[(u32, u32)] {
        &self.splits
    }

    /// Undoes all splits but the first `mark`.
    pub fn undo_to(&mut self, mark: usize) {
        while self.splits.len() > mark {
            let (cell, index) = self.splits.pop().expect("there are more");
            let length = self.length[index as usize];
            for &node in &self.order[index as usize..(index + length) as usize] {
                self.cell_of[node as usize] = cell;
            }
            self.length[cell as usize] += length;
        }
    }
}
