//! The informations of a player as a tree in one array: its own choices, and the percept after each.
//!
//! A record stands for one *information* of the player: all histories that look alike to it. It has for each choice the sequence of own choices,
//! and a link for each thing that can be seen then. The tree grows from the states that are possible there, without the other player's
//! tree: in all of them the player is to have the same choices.
//!
//! Under [symmetries](crate::sequence_form::symmetry) only the first of the choices that are images of each other has links; the others say which
//! symmetry leads from the first to them.

use crate::sequence_form::play::{Next, PlayGraph};
use crate::sequence_form::symmetry::Symmetries;
use crate::sequence_form::tree::{GameError, SequenceTree};
use limits::{StopReason, Watch};

/// The reason why a graph of states is no game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlayError {
    /// A player cannot tell these states apart, and has different choices there.
    Ambiguous {
        player: usize,
        states: [u32; 2],
    },
    Numbers(GameError),
    Stopped(StopReason),
}

impl From<StopReason> for PlayError {
    fn from(reason: StopReason) -> Self {
        PlayError::Stopped(reason)
    }
}

impl From<GameError> for PlayError {
    fn from(error: GameError) -> Self {
        PlayError::Numbers(error)
    }
}

/// The words of a record before its choices, of a choice, and of a link.
const HEAD: usize = 2;
const CHOICE: usize = 4;
const LINK: usize = 2;

/// All that a player can know. The start is record 0.
#[derive(Debug)]
pub struct Knowledge {
    /// A record: a state, the number of choices; for each choice its sequence, the symmetry that leads there, its first link and
    /// the number of links; for each link what is seen and the next record.
    words: Vec<u32>,
    /// Whether moves that are the only ones have records, also where the player sees one thing only after them.
    pub(crate) records_forced_moves: bool,
    /// The sets of the player.
    pub(crate) tree: SequenceTree,
    /// By sequence: the order of the symmetries over the number of sequences that it stands for.
    pub(crate) factors: Vec<u8>,
}

/// A choice of a player in a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub sequence: u32,
    /// The symmetry that leads from the choice with the links to this one.
    pub symmetry: u32,
    first: u32,
    links: u32,
}

/// An information whose record is still to be written.
struct Growth {
    /// The states that are possible.
    belief: Vec<u32>,
    /// The word that gets the number of the record.
    index: Option<usize>,
    /// The sequence of own choices.
    parent: u32,
    /// The symmetries that keep it.
    stabilizer: Vec<u8>,
}

impl Knowledge {
    /// All that a player can know in a game. Unless `records_forced_moves`, there is no record where the player has one choice and sees one thing only after it.
    pub(crate) fn new(
        graph: &PlayGraph,
        player: usize,
        symmetries: &Symmetries,
        records_forced_moves: bool,
        watch: &mut Watch<'_>,
    ) -> Result<Self, PlayError> {
        let mut knowledge = Knowledge {
            words: Vec::new(),
            records_forced_moves,
            tree: SequenceTree::new(),
            factors: vec![symmetries.order() as u8],
        };
        let mut taken = 0;
        let mut stack = vec![Growth {
            belief: vec![0],
            index: None,
            parent: 0,
            stabilizer: (0..symmetries.order() as u8).collect(),
        }];
        while let Some(growth) = stack.pop() {
            watch.check("what both sides can know", knowledge.words.len() as u64)?;
            if !knowledge.grow(graph, player, symmetries, growth, &mut stack)? {
                watch.give_memory_back(taken);
                return Knowledge::new(graph, player, symmetries, true, watch);
            }
            let bytes = knowledge.bytes();
            watch.take_memory(bytes - taken)?;
            taken = bytes;
        }
        Ok(knowledge)
    }

    /// The memory in use, in bytes, with vectors that grow.
    fn bytes(&self) -> u64 {
        8 * self.words.len() as u64
            + 10 * self.tree.sequences() as u64
            + 8 * self.tree.sets() as u64
    }

    /// Writes a record. Whether there can be none where the player has one choice, if that is wanted.
    fn grow(
        &mut self,
        graph: &PlayGraph,
        player: usize,
        symmetries: &Symmetries,
        growth: Growth,
        stack: &mut Vec<Growth>,
    ) -> Result<bool, PlayError> {
        let Growth {
            belief,
            index,
            parent,
            stabilizer,
        } = growth;
        let state = belief[0];
        let menu = graph.menu(state, player);
        if let Some(&other) = belief
            .iter()
            .find(|&&other| graph.menu(other, player) != menu)
        {
            let states = [state, other];
            return Err(PlayError::Ambiguous { player, states });
        }
        let choices = graph.choices(state)[player];
        let mut seen = Vec::new();
        if choices == 1 && !self.records_forced_moves {
            self.follow(graph, player, &belief, 0, &mut seen);
            let mut things = seen.chunk_by(|one, other| one.0 == other.0);
            if let Some(states) = things.next() {
                stack.push(Growth {
                    belief: states.iter().map(|(_, state)| *state).collect(),
                    index,
                    parent,
                    stabilizer,
                });
            }
            return Ok(things.next().is_none());
        }
        let record = self.words.len();
        if record + HEAD + CHOICE * choices as usize > u32::MAX as usize / 2 {
            return Err(GameError::TooManySequences.into());
        }
        if let Some(index) = index {
            self.words[index] = record as u32;
        }
        self.words.extend([state, choices]);
        self.words
            .resize(record + HEAD + CHOICE * choices as usize, u32::MAX);
        let orbits = symmetries.orbits(player, menu, choices, &stabilizer);
        let first = match choices {
            0 | 1 => parent,
            _ => {
                let count = orbits.iter().filter(|orbit| orbit.1 == 0).count();
                self.tree.add(parent, count as u32)?
            }
        };
        let mut number = first;
        let begin = stack.len();
        for choice in 0..choices {
            let (representative, symmetry) = orbits[choice as usize];
            let at = record + HEAD + CHOICE * choice as usize;
            if symmetry != 0 {
                let from = record + HEAD + CHOICE * representative as usize;
                self.words.copy_within(from..from + CHOICE, at);
                self.words[at + 1] = symmetry.into();
                continue;
            }
            let stabilizer: Vec<u8> = stabilizer
                .iter()
                .copied()
                .filter(|&element| symmetries.image(element.into(), player, menu, choice) == choice)
                .collect();
            if choices > 1 {
                let orbit = orbits.iter().filter(|orbit| orbit.0 == choice).count();
                self.factors
                    .push(self.factors[parent as usize] / orbit as u8);
            }
            seen.clear();
            self.follow(graph, player, &belief, choice, &mut seen);
            let links: Vec<_> = seen.chunk_by(|one, other| one.0 == other.0).collect();
            let head = [number, 0, self.words.len() as u32, links.len() as u32];
            self.words[at..at + CHOICE].copy_from_slice(&head);
            for states in links {
                self.words.extend([states[0].0, u32::MAX]);
                stack.push(Growth {
                    belief: states.iter().map(|(_, state)| *state).collect(),
                    index: Some(self.words.len() - 1),
                    parent: number,
                    stabilizer: stabilizer.clone(),
                });
            }
            number += u32::from(choices > 1);
        }
        // The first choice comes first.
        stack[begin..].reverse();
        Ok(true)
    }

    /// The things that can be seen after a choice, each with the states that are possible then.
    fn follow(
        &self,
        graph: &PlayGraph,
        player: usize,
        belief: &[u32],
        choice: u32,
        seen: &mut Vec<(u32, u32)>,
    ) {
        for &state in belief {
            for other in 0..graph.choices(state)[1 - player] {
                let made = if player == 0 {
                    [choice, other]
                } else {
                    [other, choice]
                };
                for outcome in graph.outcomes(state, made) {
                    if let Next::State(next) = graph.next(outcome) {
                        seen.push((outcome.seen[player], next));
                    }
                }
            }
        }
        seen.sort_unstable();
        seen.dedup();
    }

    /// A state in which the player may be.
    pub fn state(&self, record: u32) -> u32 {
        self.words[record as usize]
    }

    /// The number of choices; none if there is no record.
    pub fn choices(&self, record: u32) -> Option<u32> {
        self.words.get(record as usize + 1).copied()
    }

    #[inline]
    pub(crate) fn choice(&self, record: u32, choice: u32) -> Choice {
        let at = record as usize + HEAD + CHOICE * choice as usize;
        let [sequence, symmetry, first, links] = self.words[at..at + CHOICE] else {
            unreachable!("a choice has so many words")
        };
        Choice {
            sequence,
            symmetry,
            first,
            links,
        }
    }

    /// The links after a choice: what is seen, and the next record.
    #[inline]
    pub(crate) fn links(
        &self,
        choice: Choice,
    ) -> impl ExactSizeIterator<Item = (u32, u32)> + Clone {
        let first = choice.first as usize;
        let links = self.words[first..first + LINK * choice.links as usize].chunks_exact(LINK);
        links.map(|link| (link[0], link[1]))
    }

    /// The index of the link after a choice for what is seen, and the next record.
    #[inline]
    pub(crate) fn after(&self, choice: Choice, seen: u32) -> (usize, u32) {
        let mut links = self.links(choice).enumerate();
        let (index, link) = links
            .find(|(_, link)| link.0 == seen)
            .expect("all that can be seen has a link");
        (index, link.1)
    }

    /// The sequence after a choice.
    pub fn sequence(&self, record: u32, choice: u32) -> usize {
        self.choice(record, choice).sequence as usize
    }

    /// The things that can be seen after a choice, and the next records.
    pub fn next(&self, record: u32, choice: u32) -> impl Iterator<Item = (u32, u32)> {
        self.links(self.choice(record, choice))
    }
}
