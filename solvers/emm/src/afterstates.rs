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
//! put in. `docs/theory.md` proves that it is enough. Moves of other players stay open in the view, unless they have no effects: then they are put in,
//! too. Of a joint move the view is taken which has the fewest signals.

use crate::bounds::MAX_AFTERSTATE_GATES;
use crate::equal_moves::made;
use crate::symmetry::Symmetry;
use crate::symmetry_group::{Exchanges, SortedState, SymmetryGroup};
use circuit::lanes::{by_lane, write_rows};
use circuit::{Block, Circuit, Code, Literal, Slots, word};
use rustc_hash::FxHashMap;

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
    pub facts: Vec<Literal>,
    /// Whether they hold next.
    pub next: Vec<Literal>,
    /// For each player, the inputs of its moves.
    pub players: Vec<Vec<Literal>>,
    /// Whether the moves of chance are legal.
    pub chance_legal: Vec<Literal>,
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
    /// For each player a move without effects of its own, such as that of who is not in turn.
    quiet: Vec<Option<u32>>,
    /// Of two players, for each and each of its moves, the number of its view if the other makes such a move.
    beside_quiet: Vec<Vec<u32>>,
    words: usize,
    /// Symmetries under which afterstates are one, if there are any.
    group: Option<SymmetryGroup>,
}

/// The views of some states, as far as they were read: of those of a batch, or, with symmetries, of an image for each joint move.
#[derive(Debug, Default)]
pub struct Views {
    /// The states, 64 in each.
    blocks: Vec<ViewsOfBlock>,
    /// A state and its images under exchanges.
    exchanged: ViewsOfBlock,
    /// The lane in the batch of the state in `exchanged`, or [`NONE`].
    exchanged_lane: u32,
    key: Vec<u64>,
    images: Vec<u64>,
    /// For each joint move, the moves of its image; and where those of each state begin.
    moves: Vec<[u32; 2]>,
    starts: Vec<usize>,
    numbers: Vec<u64>,
    sorted: SortedState,
}

impl Views {
    /// Forgets which state's images under exchanges are at hand, before another batch.
    pub fn forget_state(&mut self) {
        self.exchanged_lane = NONE;
    }
}

#[derive(Debug, Default)]
struct ViewsOfBlock {
    values: Vec<u64>,
    /// For each view, its words in all lanes, if they were read.
    rows: Vec<Vec<[u64; 64]>>,
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
        let mut find = |mut made: FxHashMap<usize, Literal>| {
            gates = gates.saturating_add(2 * cone.len());
            let view = (gates <= MAX_AFTERSTATE_GATES).then(|| {
                let given = circuit.substitute(&source.next, &cone, &mut made);
                view(&circuit, source, &given)
            });
            let view = view.flatten();
            found.extend(view.clone());
            view
        };
        let players = source.players.iter();
        let by_move: Vec<Vec<Option<Vec<usize>>>> = players
            .map(|moves| {
                let chosen = moves.iter();
                chosen.map(|chosen| find(made(moves, chosen))).collect()
            })
            .collect();
        let is_quiet = |input: &Literal| cone.binary_search(&input.node()).is_err();
        let players = source.players.iter();
        let quiet: Vec<Option<usize>> = players
            .map(|moves| moves.iter().position(is_quiet))
            .collect();
        let mut beside_quiet: Vec<Vec<Option<Vec<usize>>>> = Vec::new();
        if let [one, other] = source.players.as_slice() {
            for (own, others, quiet) in [(one, other, quiet[1]), (other, one, quiet[0])] {
                let both = |chosen: &Literal| {
                    let mut both = made(own, chosen);
                    both.extend(made(others, &others[quiet?]));
                    find(both)
                };
                beside_quiet.push(own.iter().map(both).collect());
            }
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
        let indices = |views: &[Vec<Option<Vec<usize>>>]| -> Vec<Vec<u32>> {
            let of_player = |views: &Vec<Option<Vec<usize>>>| views.iter().map(index).collect();
            views.iter().map(of_player).collect()
        };
        Some(Afterstates {
            views: found.iter().map(literals).collect(),
            by_move: indices(&by_move),
            quiet: quiet
                .iter()
                .map(|quiet| quiet.map(|it| it as u32))
                .collect(),
            beside_quiet: indices(&beside_quiet),
            words: MOVE_WORDS + longest.div_ceil(64),
            group: SymmetryGroup::new(&source.symmetries),
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

    /// Takes the states of a batch, given by their facts; `moves` gives the joint moves of the players in a lane.
    pub fn load<'a, I: Iterator<Item = [u32; 2]>>(
        &self,
        states: impl Iterator<Item = &'a [u64]> + Clone,
        moves: impl Fn(usize) -> I,
        views: &mut Views,
    ) {
        let Some(group) = &self.group else {
            self.load_block(0, states, views);
            return;
        };
        let mut images = std::mem::take(&mut views.images);
        images.clear();
        views.moves.clear();
        views.starts.clear();
        let mut words = 1;
        for (lane, state) in states.enumerate() {
            words = state.len();
            views.starts.push(views.moves.len());
            group.write_numbers(state, &mut views.numbers);
            for moves in moves(lane) {
                group.sort(state, &views.numbers, moves, &mut views.sorted);
                images.extend_from_slice(&views.sorted.state);
                views.moves.push(views.sorted.moves);
            }
        }
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
            views.blocks.push(ViewsOfBlock::default());
        }
        self.run(&mut views.blocks[block], states);
    }

    fn run<'a>(&self, block: &mut ViewsOfBlock, states: impl Iterator<Item = &'a [u64]> + Clone) {
        if block.values.is_empty() {
            block.values = Slots::values(self.slots);
            block.rows = vec![Vec::new(); self.views.len()];
        }
        write_rows(&mut block.values, &self.fact_slots, states);
        self.code.run(self.block.clone(), &mut block.values);
        block.rows.iter_mut().for_each(Vec::clear);
    }

    /// A key of the outcomes that a joint move in the state in a lane leaves to chance, the same wherever chance goes on alike; nothing if
    /// there is no view under the moves of its image. `view` is the number of the view under the joint move, `index` that of the joint move among those of the state.
    pub fn key<'a>(
        &self,
        moves: [u32; 2],
        view: u32,
        lane: usize,
        index: usize,
        views: &'a mut Views,
    ) -> Option<&'a [u64]> {
        match &self.group {
            None => self.write(moves, view, lane, views),
            Some(_) => {
                let image = views.starts[lane] + index;
                let moves = views.moves[image];
                // Perhaps there was too much work to find it.
                let view = self.view_of(moves);
                self.views.get(view as usize)?;
                self.write(moves, view, image, views);
            }
        }
        Some(&views.key)
    }

    /// The exchanges that keep a joint move in a state, given with its lane in the batch, and what it leaves to chance. There is a group, and a view under this move.
    pub fn stabiliser(
        &self,
        group: &SymmetryGroup,
        moves: [u32; 2],
        view: u32,
        (lane, state): (usize, &[u64]),
        views: &mut Views,
    ) -> Exchanges {
        if views.exchanged_lane != lane as u32 {
            views.exchanged_lane = lane as u32;
            let images = &mut views.images;
            images.clear();
            images.extend_from_slice(state);
            group.write_numbers(state, &mut views.numbers);
            group.write_images(state, &views.numbers, images);
            self.run(&mut views.exchanged, images.chunks_exact(state.len()));
        }
        // The state is in lane 0, and its images are behind it.
        let values = &views.exchanged.values;
        let differs = self.views[view as usize]
            .iter()
            .fold(0, |differs, &literal| {
                let word = word(values, literal);
                differs | word ^ (word & 1).wrapping_neg()
            });
        let all = (1 << group.len()) - 1;
        group.keeping(moves, !differs >> 1 & all)
    }

    /// The number of the view under a move of one of two players where the other's has no effects; [`NONE`] if there is none.
    pub fn beside_quiet(&self, moves: [u32; 2]) -> u32 {
        let is_beside = |&player: &usize| self.quiet[1 - player] == Some(moves[1 - player]);
        let players = (0..self.beside_quiet.len()).filter(is_beside);
        let views = players.map(|player| self.beside_quiet[player][moves[player] as usize]);
        views.min().unwrap_or(NONE)
    }

    /// The smallest number of the views under a move of the maximizer and a reply of at most one adversary.
    fn view_of(&self, moves: [u32; 2]) -> u32 {
        let views = self.by_move.iter().zip(moves);
        let views = views.map(|(of_player, number)| of_player[number as usize]);
        views.min().unwrap_or(NONE).min(self.beside_quiet(moves))
    }

    /// Writes a joint move and the view of the state in a lane.
    fn write(&self, moves: [u32; 2], number: u32, lane: usize, views: &mut Views) {
        let literals = &self.views[number as usize];
        let ViewsOfBlock { values, rows } = &mut views.blocks[lane / 64];
        let key = &mut views.key;
        key.clear();
        key.push(move_word(moves));
        if self.group.is_some() {
            // Few lanes are read.
            let bit = |literal: &Literal| word(values, *literal) >> (lane % 64) & 1;
            key.extend(literals.chunks(64).map(|literals| {
                let literals = literals.iter().zip(0..);
                literals.fold(0, |all, (literal, place)| all | bit(literal) << place)
            }));
        } else {
            let rows = &mut rows[number as usize];
            if rows.is_empty() && !literals.is_empty() {
                for literals in literals.chunks(64) {
                    rows.push(by_lane(values, literals));
                }
            }
            key.extend(rows.iter().map(|row| row[lane % 64]));
        }
        key.resize(self.words, 0);
    }
}

fn move_word(moves: [u32; 2]) -> u64 {
    u64::from(moves[0]) << 32 | u64::from(moves[1])
}

/// The view of a state where a move is made: the signals that the next facts and the legal moves of chance depend on, as
/// nodes. Nothing if chance does not matter, if that is too much, or if all facts are among them: then states that differ have different views.
fn view(circuit: &Circuit, source: &Source, given: &[Literal]) -> Option<Vec<usize>> {
    let is_decided = |signal: &Literal| circuit.level(*signal) == 0;
    if given.iter().all(is_decided) {
        return None;
    }
    let roots: Vec<Literal> = given.iter().chain(&source.chance_legal).copied().collect();
    let nodes = circuit.boundary(&roots);
    let sees = |fact: &Literal| nodes.binary_search(&fact.node()).is_ok();
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
            chance_legal: vec![Literal::TRUE, Literal::TRUE],
            symmetries: Vec::new(),
        };
        assert_ne!(low, high);
        let found = Afterstates::find(&source).expect("a view");
        // After `keep` chance does not matter.
        assert_eq!([found.view(0, 0), found.view(0, 1)], [NONE, 0]);
        let mut views = Views::default();
        // Lanes: neither, the die, the other fact, both.
        let states: [[u64; 1]; 4] = [[0b00], [0b01], [0b10], [0b11]];
        for (lane, state) in states.iter().enumerate() {
            found.load_block(lane, std::iter::once(&state[..]), &mut views);
        }
        let mut key = |lane: usize| {
            let found = found.key([1, 0], 0, 64 * lane, 0, &mut views);
            found.expect("a view").to_vec()
        };
        assert_eq!(key(0), key(1));
        assert_eq!(key(2), key(3));
        assert_ne!(key(0), key(2));
    }
}
