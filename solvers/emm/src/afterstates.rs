//! Afterstates: states and moves from which chance goes on alike, as keys.
//!
//! Once a move is made, the next facts are signals of what chance does and of a few signals of the state: the *view* of the state under
//! this move. Everything else of the state makes no difference any more. So what follows from a state and a joint
//! move is known as soon as it is known for one state with the same view, in which chance has the same moves.
//!
//! ```text
//! hand 2 5 6, move keep throw throw     view: the first die is a 2; points; free categories
//! hand 2 2 3, move keep throw throw     the same view, so the same 21 hands follow
//! ```
//!
//! The view is the boundary between gates that depend on the state only and those that do not, in the circuit with the move
//! put in. `docs/emm.md` proves that it is enough. Moves of other players stay open in the view; of a joint move
//! the view under that move is taken which has the fewest signals.

use crate::bounds::MAX_AFTERSTATE_GATES;
use crate::equal_moves::made;
use crate::symmetry::Symmetry;
use crate::symmetry_group::{Elements, IDENTITY, SymmetryGroup};
use circuit::lanes::{by_lane, write_rows};
use circuit::{Block, Circuit, Code, Literal, Signal, Slots};

/// The number of no view.
pub const NONE: u32 = u32::MAX;

/// The most signals of a view: a larger view takes longer to read than it saves.
const MAX_SIGNALS: usize = 512;
/// Words of a key before those of the view: the joint move.
const MOVE_WORDS: usize = 1;

/// The signals from which views are computed.
#[derive(Clone, Debug)]
pub struct Source {
    /// The circuit of the signals below.
    pub circuit: Circuit,
    /// The facts that matter.
    pub facts: Vec<Signal>,
    /// Whether they hold next.
    pub next: Vec<Signal>,
    /// For each player, the inputs of its moves.
    pub players: Vec<Vec<Signal>>,
    /// Whether the moves of chance are legal.
    pub chance_legal: Vec<Signal>,
    /// Generators of symmetries of facts and choices.
    pub symmetries: Vec<Symmetry>,
}

/// The views under all moves, as code.
#[derive(Debug)]
pub struct Afterstates {
    code: Code,
    block: Block,
    slots: usize,
    fact_slots: Vec<u32>,
    /// Views with fewer signals come first.
    views: Vec<Vec<Literal>>,
    /// For each player and each of its moves, the number of its view, or [`NONE`].
    by_move: Vec<Vec<u32>>,
    words: usize,
    /// Symmetries under which afterstates are one, if there are any.
    group: Option<SymmetryGroup>,
}

/// The views of some states, as far as they were read: of those of a batch, or of all images of one state.
#[derive(Debug, Default)]
pub struct Views {
    /// The states, 64 in each.
    blocks: Vec<ViewsOfBlock>,
    images: Vec<u64>,
    key: Vec<u64>,
    own: Vec<u64>,
    other: Vec<u64>,
}

#[derive(Debug, Default)]
struct ViewsOfBlock {
    values: Vec<u64>,
    /// For each view, its words in all lanes, if they were read.
    rows: Vec<Vec<[u64; 64]>>,
}

/// The outcomes that a joint move leaves to chance.
pub struct Afterstate<'a> {
    /// The same for all afterstates from which chance goes on alike.
    pub key: &'a [u64],
    /// The symmetries that keep it.
    pub stabiliser: Elements,
}

impl Afterstates {
    /// Finds the views; nothing if no view leaves out anything.
    pub fn find(source: &Source) -> Option<Afterstates> {
        let joint_moves = source.players.iter().try_fold(1u32, |product, moves| {
            product.checked_mul(u32::try_from(moves.len()).ok()?)
        });
        // Joint moves have numbers of 32 bits.
        joint_moves?;
        let mut circuit = source.circuit.clone();
        let cone = circuit.cone(&source.next);
        let mut gates = 0usize;
        let mut found: Vec<Vec<usize>> = Vec::new();
        let mut by_move: Vec<Vec<Option<Vec<usize>>>> = Vec::new();
        for moves in &source.players {
            let mut of_player = Vec::new();
            for chosen in moves {
                gates = gates.saturating_add(2 * cone.len());
                let view = (gates <= MAX_AFTERSTATE_GATES).then(|| {
                    let given = circuit.substitute(&source.next, &cone, &mut made(moves, chosen));
                    view(&circuit, source, &given)
                });
                let view = view.flatten();
                found.extend(view.clone());
                of_player.push(view);
            }
            by_move.push(of_player);
        }
        found.sort_by(|one, other| one.len().cmp(&other.len()).then(one.cmp(other)));
        found.dedup();
        let longest = found.last()?.len();
        let mut slots = Slots::new();
        let mut code = Code::default();
        let fact_slots = source.facts.iter().map(|&fact| slots.add(fact)).collect();
        let all = found.iter().flatten().map(|&node| circuit.signal(node));
        let block = code.push(&circuit, all, &mut slots);
        let literals = |view: &Vec<usize>| -> Vec<Literal> {
            let nodes = view.iter().map(|&node| slots.literal(circuit.signal(node)));
            nodes.collect()
        };
        let index = |view: &Option<Vec<usize>>| {
            let index = view
                .as_ref()
                .and_then(|view| found.iter().position(|it| it == view));
            index.map_or(NONE, |index| index as u32)
        };
        Some(Afterstates {
            views: found.iter().map(literals).collect(),
            by_move: by_move
                .iter()
                .map(|moves| moves.iter().map(index).collect())
                .collect(),
            words: MOVE_WORDS + longest.div_ceil(64),
            group: SymmetryGroup::new(source.facts.len(), &source.symmetries),
            slots: slots.len(),
            code,
            block,
            fact_slots,
        })
    }

    /// The number of the view under a move of a player; [`NONE`] if there is none.
    pub fn view(&self, player: usize, choice: u32) -> u32 {
        self.by_move[player][choice as usize]
    }

    /// The symmetries under which afterstates are one.
    pub fn group(&self) -> Option<&SymmetryGroup> {
        self.group.as_ref()
    }

    /// Takes the states of a batch, given by their facts; nothing is done if symmetries ask for the images of each.
    pub fn load<'a>(&self, states: impl Iterator<Item = &'a [u64]> + Clone, views: &mut Views) {
        if self.group.is_none() {
            self.load_block(0, states, views);
        }
    }

    /// Takes the images of a state, if there are symmetries.
    pub fn load_images(&self, state: &[u64], views: &mut Views) {
        let Some(group) = &self.group else {
            return;
        };
        let mut images = std::mem::take(&mut views.images);
        group.write_images(state, &mut images);
        let words = images.len() / group.len();
        for (block, images) in images.chunks(64 * words).enumerate() {
            self.load_block(block, images.chunks_exact(words), views);
        }
        views.images = images;
    }

    fn load_block<'a>(
        &self,
        block: usize,
        states: impl Iterator<Item = &'a [u64]> + Clone,
        views: &mut Views,
    ) {
        if block == views.blocks.len() {
            views.blocks.push(ViewsOfBlock {
                values: Slots::values(self.slots),
                rows: vec![Vec::new(); self.views.len()],
            });
        }
        let ViewsOfBlock { values, rows } = &mut views.blocks[block];
        write_rows(values, &self.fact_slots, states);
        self.code.run(self.block.clone(), values);
        rows.iter_mut().for_each(Vec::clear);
    }

    /// The outcomes that a joint move in a state leaves to chance, if there is a view under this move. Given are the numbers of the
    /// maximizer's move and of the reply, the smaller number of their views, and the lane of the state; with symmetries the state is the one whose
    /// images were taken last.
    pub fn of<'a>(
        &self,
        moves: [u32; 2],
        number: u32,
        lane: usize,
        views: &'a mut Views,
    ) -> Option<Afterstate<'a>> {
        self.views.get(number as usize)?;
        let mut key = std::mem::take(&mut views.key);
        let Some(group) = &self.group else {
            self.write(moves, number, lane, views, &mut key);
            views.key = key;
            let (key, stabiliser) = (&views.key, IDENTITY);
            return Some(Afterstate { key, stabiliser });
        };
        let (mut own, mut other) = (
            std::mem::take(&mut views.own),
            std::mem::take(&mut views.other),
        );
        self.write(moves, number, 0, views, &mut own);
        key.clone_from(&own);
        let mut stabiliser = IDENTITY;
        for (element, images) in group.images_of_choices(moves).enumerate().skip(1) {
            let first = move_word(images);
            if first > key[0] && first != own[0] {
                continue;
            }
            let number = self.view_of(images);
            if number == NONE {
                continue;
            }
            self.write(images, number, element, views, &mut other);
            if other == own {
                stabiliser |= 1 << element;
            } else if other < key {
                std::mem::swap(&mut key, &mut other);
            }
        }
        (views.key, views.own, views.other) = (key, own, other);
        let key = &views.key;
        Some(Afterstate { key, stabiliser })
    }

    /// The smaller number of the views under a move of the maximizer and a reply.
    fn view_of(&self, moves: [u32; 2]) -> u32 {
        let views = self.by_move.iter().zip(moves);
        let views = views.map(|(of_player, number)| of_player[number as usize]);
        views.min().unwrap_or(NONE)
    }

    /// Writes a joint move and the view of the state in a lane.
    fn write(
        &self,
        moves: [u32; 2],
        number: u32,
        lane: usize,
        views: &mut Views,
        to: &mut Vec<u64>,
    ) {
        let literals = &self.views[number as usize];
        let ViewsOfBlock { values, rows } = &mut views.blocks[lane / 64];
        let rows = &mut rows[number as usize];
        if rows.is_empty() && !literals.is_empty() {
            for literals in literals.chunks(64) {
                rows.push(by_lane(values, literals));
            }
        }
        to.clear();
        to.push(move_word(moves));
        to.extend(rows.iter().map(|row| row[lane % 64]));
        to.resize(self.words, 0);
    }
}

fn move_word(moves: [u32; 2]) -> u64 {
    u64::from(moves[0]) << 32 | u64::from(moves[1])
}

/// The view of a state where a move is made: the signals that the next facts and the legal moves of chance depend on, as
/// nodes. Nothing if chance does not matter, if that is too much, or if all facts are among them: then states that differ have different views.
fn view(circuit: &Circuit, source: &Source, given: &[Signal]) -> Option<Vec<usize>> {
    let is_decided = |signal: &Signal| circuit.level(*signal) == 0;
    if given.iter().all(is_decided) {
        return None;
    }
    let roots: Vec<Signal> = given.iter().chain(&source.chance_legal).copied().collect();
    let nodes = circuit.boundary(&roots);
    let sees = |fact: &Signal| nodes.binary_search(&fact.node()).is_ok();
    (nodes.len() <= MAX_SIGNALS && !source.facts.iter().all(sees)).then_some(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A die with two sides that is kept or thrown, and a fact that stays.
    #[test]
    fn a_die_that_is_thrown_is_out_of_view() {
        let mut circuit = Circuit::new();
        let [old, stays] = [(); 2].map(|()| circuit.input(0));
        let [keep, throw] = [(); 2].map(|()| circuit.input(1));
        let [low, high] = [(); 2].map(|()| circuit.input(1));
        let kept = circuit.and([keep, old]);
        let new = circuit.and([throw, high]);
        let die = circuit.or([kept, new]);
        let source = Source {
            circuit,
            facts: vec![old, stays],
            next: vec![die, stays],
            players: vec![vec![keep, throw]],
            chance_legal: vec![Signal::TRUE, Signal::TRUE],
            symmetries: Vec::new(),
        };
        assert_ne!(low, high);
        let found = Afterstates::find(&source).expect("a view");
        // After `keep` chance does not matter.
        assert_eq!([found.view(0, 0), found.view(0, 1)], [NONE, 0]);
        let mut views = Views::default();
        // Lanes: neither, the die, the other fact, both.
        let states: [[u64; 1]; 4] = [[0b00], [0b01], [0b10], [0b11]];
        found.load(states.iter().map(|state| &state[..]), &mut views);
        let mut key = |lane| {
            let found = found.of([1, 0], 0, lane, &mut views);
            found.expect("a view").key.to_vec()
        };
        assert_eq!(key(0), key(1));
        assert_eq!(key(2), key(3));
        assert_ne!(key(0), key(2));
    }
}
