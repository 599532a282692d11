//! Symmetry: states that are images of each other have one value, so one of them is enough.
//!
//! A board can be mirrored, and the game goes on mirrored; the formula of the game knows nothing of
//! boards, but has the same symmetry, as a permutation of its literals. Here such permutations are
//! found, tested, and used to replace the key of a state by the smallest key among its images.
//!
//! # Definition of automorphisms
//!
//! A permutation s of the literals, with s(not l) = not s(l), is an *automorphism* of a program if
//!
//! * every decision is mapped to itself: its variables are permuted among themselves, with signs;
//!   a chance literal and its image have one probability; the listed assignments are mapped to
//!   listed ones; the literal `unless` stays;
//! * every gate is mapped to a gate: if g is the conjunction of some clauses, s(g) is the conjunction
//!   of their images, and there are as many decisions before the one as before the other;
//! * every check is mapped to a check with as many decisions before it, and every clause of the
//!   legality of a decision to one of the same decision.
//!
//! # Why images have one value
//!
//! An assignment A of some variables is mapped to the assignment s(A) in which s(l) is true where l
//! is true in A. Let A assign all that is known before decision i. All variables of A are decided
//! or computed with fewer than i decisions before, so s(A) assigns the same variables, and it
//! satisfies the definitions of gates and the checks among them exactly if A does. Claim: what
//! follows has one value after A and after s(A). After the last decision it is 1 or 0, as all
//! checks hold or not. Otherwise each assignment B of the variables of decision i goes with s(B):
//! B is possible (listed, allowed by the checks) after A exactly if s(B) is after s(A), both have
//! one probability, the gates that follow A and B take the values that are mapped to those that
//! follow s(A) and s(B), and by induction, from the last decision backwards, the values from there
//! on are equal. So the maximum, minimum or mean is taken over equal numbers.
//!
//! A *key* is the part of A on some variables that determines all that matters of A. If s permutes
//! the variables of the key among themselves, the key of s(A) is the image of the key of A, and
//! both have one value. ([`KeySymmetry`] leaves out maps for which this fails at a cut.) Any set of
//! automorphisms keeps values; that they form a group makes sure that all images get one key.
//!
//! # The search for generators
//!
//! The program becomes a coloured graph (`nodes`), and the module [`circuit::automorphism`]
//! finds generators of its group. Nothing is taken on trust: each generator is tested against the
//! definition above (`automorphism`), on the statements of the program (`statements`). Products are
//! made per cut, of what the generators do to the key (`keys`): many generators do nothing to it. Formulas without symmetry cost a refinement of the graph,
//! which is near to linear; above a size the search is not begun at all.
//!
//! # Limits
//!
//! Only symmetries that keep every decision in its place are found: not that two moves could be
//! made in another order, or that the second half of a game repeats the first. Symmetries that
//! appear only later in the game are missed as well, and a generator that fails at a cut is not
//! replaced there by a product that would do.

mod automorphism;
mod keys;
mod nodes;
mod statements;

use crate::policy::{MAX_GRAPH, MAX_MOVED, MAX_SYMMETRY_BYTES, MAX_SYMMETRY_EFFORT};
pub use automorphism::Automorphism;
pub use keys::KeySymmetry;

use crate::program::Program;
use automorphism::Verifier;
use base::graph::Graph;
use formula::{Lit, Var};
use limits::{StopReason, Watch};
use nodes::ProgramGraph;
use statements::Statements;

/// The known symmetry of a program.
pub struct Symmetry {
    generators: Vec<Automorphism>,
    /// From variables to the generators that move them.
    moving: Graph,
    /// Bytes left for tables.
    room: usize,
}

impl Symmetry {
    pub fn none() -> Self {
        Self::new(Vec::new(), 0)
    }

    fn new(generators: Vec<Automorphism>, variables: usize) -> Self {
        Symmetry {
            moving: Graph::new(variables, |edge| {
                for (index, generator) in generators.iter().enumerate() {
                    let moved = generator.moves().iter();
                    moved.for_each(|(variable, _)| edge(variable.index(), index));
                }
            }),
            generators,
            room: MAX_SYMMETRY_BYTES,
        }
    }

    /// Finds automorphisms of a program.
    pub fn find(program: &Program, watch: &mut Watch<'_>) -> Result<Self, StopReason> {
        let statements = Statements::new(program);
        if ProgramGraph::size(&statements) > MAX_GRAPH {
            return Ok(Self::none());
        }
        let chances = program.chances();
        let graph = ProgramGraph::new(&statements, &chances);
        let mut stopped = None;
        let found = graph.graph.generators(MAX_SYMMETRY_EFFORT, || {
            stopped = watch.check("looking for symmetry", 0).err();
            stopped.is_none()
        });
        if let Some(reason) = stopped {
            return Err(reason);
        }
        if found.generators.is_empty() {
            return Ok(Self::none());
        }
        let verifier = Verifier::new(&statements, chances);
        let mut left = MAX_MOVED;
        // The last found come from choices early in the program, and matter at most cuts.
        let candidates = found.generators.iter().rev();
        let candidates = candidates.map_while(|moves| {
            left = left.checked_sub(moves.len())?;
            Some(graph.on_literals(moves))
        });
        let generators = candidates.filter(|candidate| verifier.accepts(candidate));
        Ok(Self::new(generators.collect(), program.variables))
    }

    /// The number of automorphisms that are known; others are products of them.
    pub fn generators(&self) -> usize {
        self.generators.len()
    }

    /// The symmetries of the keys at a cut, where bit b of a key is the value of the variable `key[b]`.
    ///
    /// Only automorphisms are used that permute the variables of the key among themselves, and
    /// the literals `constant` too: those that code after the cut takes to be true without the key.
    pub fn of_key(&mut self, key: &[Var], constant: &[Lit]) -> KeySymmetry {
        if self.generators.is_empty() {
            return KeySymmetry::default();
        }
        let variables = key.iter().copied();
        let variables = variables.chain(constant.iter().map(|literal| literal.var()));
        let mut moving: Vec<u32> = variables
            .flat_map(|variable| self.moving.targets(variable.index()))
            .copied()
            .collect();
        moving.sort_unstable();
        moving.dedup();
        let moving = moving.iter().map(|&index| &self.generators[index as usize]);
        let symmetry = KeySymmetry::new(moving, key, constant);
        match self.room.checked_sub(symmetry.bytes()) {
            Some(room) => {
                self.room = room;
                symmetry
            }
            None => KeySymmetry::default(),
        }
    }
}

#[cfg(test)]
mod tests;
