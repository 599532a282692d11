//! All clauses, those of the formula first and then the learned ones, end to end in one block.
//!
//! Learned clauses are forgotten when there are too many: those that join many decision levels and
//! were of no use lately go first ("glue", as in CDCL solvers).

use formula::{Clauses, Lit};

/// The number of a clause. Those of the formula keep theirs for ever.
pub type ClauseId = u32;

#[derive(Clone)]
struct Header {
    start: usize,
    length: u32,
    /// How many decision levels the clause joined when it was learned.
    glue: u32,
    /// Whether the clause took part in a conflict since the last time clauses were forgotten.
    used: bool,
    /// Where the last literal to be watched was found. The search for the next one starts here, or
    /// else it would go over the same false literals of a long clause again and again.
    search_from: u32,
}

impl Header {
    fn new(start: usize, length: usize, glue: u32) -> Self {
        Header {
            start,
            length: length as u32,
            glue,
            used: true,
            search_from: 2,
        }
    }
}

/// A clause to visit when a literal becomes false.
#[derive(Clone, Copy)]
pub struct Watcher {
    pub clause: ClauseId,
    /// If this literal of the clause is true, it need not be visited.
    pub blocker: Lit,
}

#[derive(Clone)]
pub struct Store {
    literals: Vec<Lit>,
    headers: Vec<Header>,
    given: usize,
    /// Memory of the learned clauses.
    pub bytes: u64,
}

impl Store {
    /// Takes over the clauses of a formula.
    pub fn new(clauses: Clauses) -> Self {
        let mut end = 0;
        let header = |clause: &[Lit]| {
            end += clause.len();
            Header::new(end - clause.len(), clause.len(), 0)
        };
        let headers: Vec<Header> = clauses.iter().map(header).collect();
        Store {
            given: headers.len(),
            headers,
            literals: clauses.into_literals(),
            bytes: 0,
        }
    }

    pub fn push(&mut self, clause: &[Lit], glue: u32) -> ClauseId {
        let start = self.literals.len();
        self.headers.push(Header::new(start, clause.len(), glue));
        self.literals.extend_from_slice(clause);
        self.bytes += Self::bytes(clause.len());
        self.headers.len() as ClauseId - 1
    }

    /// The literals of a clause.
    #[inline]
    pub fn get(&self, id: ClauseId) -> &[Lit] {
        let header = &self.headers[id as usize];
        &self.literals[header.start..header.start + header.length as usize]
    }

    /// The literals of a clause, whose order is free.
    #[inline]
    pub fn get_mut(&mut self, id: ClauseId) -> &mut [Lit] {
        let header = &self.headers[id as usize];
        &mut self.literals[header.start..header.start + header.length as usize]
    }

    /// Where the last literal to be watched was found.
    #[inline]
    pub fn start(&self, id: ClauseId) -> usize {
        self.headers[id as usize].search_from as usize
    }

    /// Notes where a literal to be watched was found.
    #[inline]
    pub fn set_start(&mut self, id: ClauseId, index: usize) {
        self.headers[id as usize].search_from = index as u32;
    }

    /// The number of all clauses.
    pub fn len(&self) -> usize {
        self.headers.len()
    }

    /// The number of clauses of the formula.
    pub fn given(&self) -> usize {
        self.given
    }

    /// The number of learned clauses.
    pub fn learned(&self) -> usize {
        self.headers.len() - self.given
    }

    /// The number of the literals of the clauses of the formula.
    pub fn literals_of_given(&self) -> usize {
        let last = self.given.checked_sub(1).map(|last| &self.headers[last]);
        last.map_or(0, |last| last.start + last.length as usize)
    }

    pub fn forget_learned(&mut self) {
        self.literals.truncate(self.literals_of_given());
        self.headers.truncate(self.given);
        self.bytes = 0;
    }

    /// Notes that a clause took part in a conflict.
    pub fn use_clause(&mut self, id: ClauseId) {
        self.headers[id as usize].used = true;
    }

    /// Memory that a clause of this length takes here and in two watch lists.
    fn bytes(length: usize) -> u64 {
        // Vectors grow by doubling.
        2 * (size_of::<Header>() + 2 * size_of::<Watcher>() + length * size_of::<Lit>()) as u64
    }

    /// Forgets about half of the learned clauses, but none that is needed. Gives the new number of
    /// each clause.
    pub fn forget(&mut self, is_needed: impl Fn(ClauseId) -> bool) -> Vec<Option<ClauseId>> {
        let mut ranks: Vec<(bool, u32, u32, ClauseId)> = (self.given..self.headers.len())
            .map(|id| {
                let header = &self.headers[id];
                (!header.used, header.glue, header.length, id as ClauseId)
            })
            .collect();
        ranks.sort_unstable();
        let mut kept = vec![true; self.headers.len()];
        for &(_, glue, length, id) in &ranks[ranks.len() / 2..] {
            kept[id as usize] = glue <= 2 && length <= 8 || is_needed(id);
        }
        let mut numbers = vec![None; self.headers.len()];
        let (mut next, mut end) = (0, 0);
        for (id, number) in numbers.iter_mut().enumerate() {
            let (start, length) = (self.headers[id].start, self.headers[id].length as usize);
            if !kept[id] {
                self.bytes -= Self::bytes(length);
                continue;
            }
            *number = Some(next as ClauseId);
            self.literals.copy_within(start..start + length, end);
            self.headers.swap(next, id);
            self.headers[next].start = end;
            self.headers[next].used = false;
            next += 1;
            end += length;
        }
        self.headers.truncate(next);
        self.literals.truncate(end);
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literals(numbers: &[i32]) -> Vec<Lit> {
        let literal = |&number: &i32| Lit::from_dimacs(number).unwrap();
        numbers.iter().map(literal).collect()
    }

    #[test]
    fn useless_clauses_are_forgotten_and_the_rest_renumbered() {
        let mut given = Clauses::new();
        given.push(literals(&[1, 2]));
        let mut store = Store::new(given);
        store.push(&literals(&[1, 2, 3]), 9);
        let needed = store.push(&literals(&[-1, 2, 4]), 9);
        store.push(&literals(&[3, 4]), 2);
        store.push(&literals(&[3, 5, 6, 7]), 9);
        let before = store.bytes;
        let numbers = store.forget(|id| id == needed);
        assert_eq!(before - store.bytes, Store::bytes(4));
        assert_eq!(numbers, [Some(0), Some(1), Some(2), Some(3), None]);
        assert_eq!(store.get(0), literals(&[1, 2]));
    }
}
