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
use circuit::lanes::by_lane;
use circuit::{Block, Circuit, Code, Literal, Signal, Slots, set};

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
}

/// The views of the states in some lanes, as far as they were read.
#[derive(Debug, Default)]
pub struct Views {
    values: Vec<u64>,
    /// For each view, its words in all lanes, if they were read.
    rows: Vec<Vec<[u64; 64]>>,
    key: Vec<u64>,
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

    /// Takes states in lanes: `facts` gives some words with a bit for each lane, one for each fact.
    pub fn load(&self, facts: impl Iterator<Item = u64>, views: &mut Views) {
        if views.values.is_empty() {
            views.values = Slots::values(self.slots);
            views.rows.resize(self.views.len(), Vec::new());
            views.key.resize(self.words, 0);
        }
        for (&slot, word) in self.fact_slots.iter().zip(facts) {
            set(&mut views.values, slot, word);
        }
        self.code.run(self.block.clone(), &mut views.values);
        views.rows.iter_mut().for_each(Vec::clear);
    }

    /// The key of what a joint move in the state of a lane leaves to chance, if there is a view under this move. Given are the
    /// numbers of the maximizer's move and of the reply, and the smaller number of their views.
    pub fn key<'a>(
        &self,
        moves: [u32; 2],
        number: u32,
        lane: usize,
        views: &'a mut Views,
    ) -> Option<&'a [u64]> {
        let literals = self.views.get(number as usize)?;
        let rows = &mut views.rows[number as usize];
        if rows.is_empty() && !literals.is_empty() {
            for literals in literals.chunks(64) {
                rows.push(by_lane(&views.values, literals));
            }
        }
        views.key.fill(0);
        views.key[0] = u64::from(moves[0]) << 32 | u64::from(moves[1]);
        for (word, row) in views.key[MOVE_WORDS..].iter_mut().zip(rows) {
            *word = row[lane];
        }
        Some(&views.key)
    }
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
        };
        assert_ne!(low, high);
        let found = Afterstates::find(&source).expect("a view");
        // After `keep` chance does not matter.
        assert_eq!([found.view(0, 0), found.view(0, 1)], [NONE, 0]);
        let mut views = Views::default();
        // Lanes: neither, the die, the other fact, both.
        found.load([0b1010, 0b1100].into_iter(), &mut views);
        let mut key = |lane| {
            let key = found.key([1, 0], 0, lane, &mut views);
            key.expect("a view").to_vec()
        };
        assert_eq!(key(0), key(1));
        assert_eq!(key(2), key(3));
        assert_ne!(key(0), key(2));
    }
}
