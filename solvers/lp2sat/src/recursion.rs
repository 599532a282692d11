//! Positive recursion: the atoms that may derive each other in a cycle, and the cuts of the cycles.
//!
//! Completion alone accepts sets of atoms that derive only each other. Such sets live inside a
//! strongly connected component of the positive dependencies, so only components matter, and of
//! those only the cycles. A *cut* of a component is a set of its atoms that every cycle passes,
//! with an order of the others in which each comes after those it depends on. Once the atoms of
//! the cut have the values they have in the least model, completion in that order gives the others
//! theirs. The fewer atoms in the cut, the fewer rounds of unfolding and the fewer ranks are needed.

use crate::supports::Supports;
use crate::{Atom, Body, GroundProgram, Literal};
use base::graph::Graph;
use std::collections::BinaryHeap;

/// A component of the positive dependencies, with a cut.
#[derive(Debug)]
pub(crate) struct CyclicComponent {
    /// Atoms that do not depend on later ones, except through the cut.
    pub(crate) ordered: Vec<Atom>,
    /// Atoms that every cycle passes.
    pub(crate) cut: Vec<Atom>,
    /// The number of literals in the bodies of rules for these atoms.
    pub(crate) size: usize,
}

/// The components with recursion, and where each atom stands in its own.
#[derive(Debug)]
pub(crate) struct Recursion {
    pub(crate) components: Vec<CyclicComponent>,
    /// By atom: 0 outside of cycles, otherwise one more than the position of the cycle.
    component_of: Vec<u32>,
    /// By atom: its position in `ordered` followed by `cut`.
    position: Vec<u32>,
}

impl Recursion {
    pub(crate) fn find(program: &GroundProgram, supports: &Supports) -> Self {
        let count = program.atom_count();
        let graph = Graph::new(count, |edge| {
            for number in 1..=count as u32 {
                let head = Atom::new(number).expect("atoms are numbered so");
                for &index in supports.of(head) {
                    positive_atoms(program.rule(index as usize).body, |atom| {
                        edge(head.index(), atom.index());
                    });
                }
            }
        });
        let mut recursion = Recursion {
            components: Vec::new(),
            component_of: vec![0; count],
            position: vec![0; count],
        };
        for members in graph.components().iter() {
            if members.len() == 1 && !graph.targets(members[0] as usize).contains(&members[0]) {
                continue;
            }
            let id = recursion.components.len() as u32 + 1;
            for &member in members {
                recursion.component_of[member as usize] = id;
            }
            let atom = |&node: &u32| Atom::new(node + 1).expect("nodes are atoms");
            let size = members.iter().flat_map(|member| supports.of(atom(member)));
            let size = size
                .map(|&index| match program.rule(index as usize).body {
                    Body::All(literals) => literals.len() + 1,
                    Body::Weighted { literals, bound } => {
                        let sums = usize::try_from(bound)
                            .unwrap_or(usize::MAX)
                            .min(literals.len());
                        literals.len() * sums.max(1)
                    }
                })
                .sum();
            let (ordered, cut) = cut_components(&graph, members, |node| {
                recursion.component_of[node as usize] == id
            });
            for (position, &member) in ordered.iter().chain(&cut).enumerate() {
                recursion.position[member as usize] = position as u32;
            }
            recursion.components.push(CyclicComponent {
                ordered: ordered.iter().map(atom).collect(),
                cut: cut.iter().map(atom).collect(),
                size,
            });
        }
        recursion
    }

    /// The position of the cycle the atom is in.
    #[inline]
    pub(crate) fn component_of(&self, atom: Atom) -> Option<usize> {
        (self.component_of[atom.index()] as usize).checked_sub(1)
    }

    /// The index of an atom within its cycle; those in the cut come last.
    #[inline]
    pub(crate) fn position(&self, atom: Atom) -> usize {
        self.position[atom.index()] as usize
    }

    /// The atom of a literal that may take part in deriving atoms of this cycle.
    #[inline]
    pub(crate) fn inner_atom(&self, component: usize, literal: Literal) -> Option<Atom> {
        let atom = literal.atom();
        (!literal.is_negative() && self.component_of(atom) == Some(component)).then_some(atom)
    }
}

fn positive_atoms(body: Body<'_>, mut visit: impl FnMut(Atom)) {
    let mut see = |literal: Literal| {
        if !literal.is_negative() {
            visit(literal.atom());
        }
    };
    match body {
        Body::All(literals) => literals.iter().for_each(|&literal| see(literal)),
        Body::Weighted { literals, .. } => literals.iter().for_each(|&(literal, _)| see(literal)),
    }
}

/// Splits the nodes of a component into ordered ones and a cut. Nodes without open dependencies go
/// to the front, nodes that no open node depends on to the back, and when there are neither, the node on
/// most paths (entering times leaving edges) goes to the cut.
fn cut_components(
    graph: &Graph,
    members: &[u32],
    is_member: impl Fn(u32) -> bool,
) -> (Vec<u32>, Vec<u32>) {
    // Nodes of the component are numbered anew, by their position in `members`.
    let mut sorted = members.to_vec();
    sorted.sort_unstable();
    let local = |node: u32| sorted.binary_search(&node).expect("it is a member");
    let inside = Graph::new(sorted.len(), |edge| {
        for (source, &node) in sorted.iter().enumerate() {
            let targets = graph.targets(node as usize).iter();
            targets
                .filter(|&&target| is_member(target))
                .for_each(|&target| edge(source, local(target)));
        }
    });
    let reversed = inside.reversed();
    let mut needs: Vec<usize> = (0..sorted.len())
        .map(|node| inside.targets(node).len())
        .collect();
    let mut needed: Vec<usize> = (0..sorted.len())
        .map(|node| reversed.targets(node).len())
        .collect();
    let mut open = vec![true; sorted.len()];
    // Priorities only fall, so an entry that is out of date is put back with its true priority.
    let mut heap: BinaryHeap<(usize, std::cmp::Reverse<usize>)> = (0..sorted.len())
        .map(|node| (needs[node] * needed[node], std::cmp::Reverse(node)))
        .collect();
    let mut idle: Vec<usize> = Vec::new();
    let (mut front, mut back, mut cut) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let node = match idle.pop() {
            Some(node) if !open[node] => continue,
            Some(node) => {
                if needs[node] == 0 {
                    front.push(sorted[node]);
                } else {
                    back.push(sorted[node]);
                }
                node
            }
            None => {
                let Some((priority, std::cmp::Reverse(node))) = heap.pop() else {
                    break;
                };
                let current = needs[node] * needed[node];
                if !open[node] {
                    continue;
                }
                if current < priority {
                    heap.push((current, std::cmp::Reverse(node)));
                    continue;
                }
                cut.push(sorted[node]);
                node
            }
        };
        open[node] = false;
        for &other in reversed.targets(node) {
            needs[other as usize] -= 1;
            if needs[other as usize] == 0 {
                idle.push(other as usize);
            }
        }
        for &other in inside.targets(node) {
            needed[other as usize] -= 1;
            if needed[other as usize] == 0 {
                idle.push(other as usize);
            }
        }
    }
    back.reverse();
    front.append(&mut back);
    (front, cut)
}
