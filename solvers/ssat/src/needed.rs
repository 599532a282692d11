//! A set of literals that is emptied in constant time (Briggs and Torczon 1993, with times in place of positions).

use formula::Lit;

/// A set of literals as a list and as marks, which are emptied at once.
#[derive(Clone, Default)]
pub struct NeededLiterals {
    pub list: Vec<Lit>,
    /// The time of the last mark, by code of the literal; those of now are in the list.
    marks: Vec<u32>,
    now: u32,
}

impl NeededLiterals {
    pub fn clear(&mut self, literals: usize) {
        self.list.clear();
        self.marks.resize(literals, 0);
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.marks.fill(0);
            self.now = 1;
        }
    }

    pub fn contains(&self, literal: Lit) -> bool {
        self.marks[literal.code()] == self.now
    }

    pub fn push(&mut self, literal: Lit) {
        self.marks[literal.code()] = self.now;
        self.list.push(literal);
    }
}
