//! Ground instances of rules, side by side in three flat tables.

use super::table::Atom;

/// A literal of an instance: twice the atom, plus one if negated.
pub(super) type GroundLiteral = u32;

/// Instances of rules: their heads follow from their bodies.
#[derive(Default)]
pub(super) struct Instances {
    heads: Vec<Atom>,
    /// Where the body of each instance ends in `literals`.
    ends: Vec<u32>,
    literals: Vec<GroundLiteral>,
}

impl Instances {
    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    pub(super) fn push(&mut self, head: Atom, body: &[GroundLiteral]) {
        self.heads.push(head);
        self.literals.extend_from_slice(body);
        self.ends.push(self.literals.len() as u32);
    }

    /// The heads of all instances, in order.
    pub(super) fn heads(&self) -> &[Atom] {
        &self.heads
    }

    /// The body of an instance.
    pub(super) fn body(&self, instance: usize) -> &[GroundLiteral] {
        let start = instance
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        &self.literals[start as usize..self.ends[instance] as usize]
    }
}
