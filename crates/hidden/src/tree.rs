//! Two sides in sequence form: what each can know, and what both get.
//!
//! An *information* of a side is its own moves and what it saw after each. A side with a choice there has an information set. Histories are not kept
//! apart where state and both informations are the same: the chances of their throws are added. So a step of the tree is
//! a table of positions.

use crate::error::HiddenError;
use crate::listing::{Listing, Node};
use gdl::Term;
use gdl::game::joint_moves;
use limits::{StopReason, Watch};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use rustc_hash::FxHashMap;
use sequence_form::{GameError, RealizationPlan, SequenceBuilder, SequenceGame};
use std::collections::BTreeSet;

/// The role's side, and that of its opponents.
pub const ROLE: usize = 0;

/// The memory of an information with its index, and of a fraction in a table that grows, in bytes.
const INFORMATION_BYTES: u64 = 150;
const FRACTION_BYTES: u64 = 260;

/// The game in sequence form.
pub struct Tree {
    pub game: SequenceGame,
    pub sides: [Side; 2],
    /// Whether plays that were not over after the last step count, as worth nothing.
    pub cuts_off: bool,
}

/// Information sets of a side. It begins with information 0.
#[derive(Default)]
pub struct Side {
    pub informations: Vec<Information>,
    numbers: FxHashMap<(u32, u32, u32), u32>,
}

/// The moves of a side and what it saw.
pub struct Information {
    /// A state in which it may be.
    pub state: u32,
    /// The sequence that leads here.
    pub parent: u32,
    /// The number of choices; 0 until a position is looked at.
    pub choices: u32,
    /// The sequence of the first choice, if there are several.
    first: u32,
    /// The number of the information set, if there are several choices.
    pub set: Option<usize>,
    /// Information that can follow: the choice, the number of the list of things seen, the next information.
    pub next: Vec<(u32, u32, u32)>,
}

impl Information {
    /// The sequence after a choice.
    fn sequence(&self, choice: u32) -> u32 {
        match self.set {
            Some(_) => self.first + choice,
            None => self.parent,
        }
    }
}

impl Side {
    /// The information after a choice and the things seen then, if play can go on there.
    pub fn find(&self, from: u32, choice: u32, seen: u32) -> Option<u32> {
        self.numbers.get(&(from, choice, seen)).copied()
    }

    /// The information after a choice and the things seen then.
    fn next(&mut self, from: u32, choice: u32, seen: u32, state: u32) -> u32 {
        let new = self.informations.len() as u32;
        let number = *self.numbers.entry((from, choice, seen)).or_insert(new);
        if number == new {
            let before = &mut self.informations[from as usize];
            before.next.push((choice, seen, number));
            let parent = before.sequence(choice);
            self.informations.push(Information::new(state, parent));
        }
        number
    }
}

impl Information {
    fn new(state: u32, parent: u32) -> Self {
        Information {
            state,
            parent,
            choices: 0,
            first: 0,
            set: None,
            next: Vec::new(),
        }
    }
}

/// Positions of one step: a state and an information of each side, and the chance of the throws that lead there.
type Layer = FxHashMap<(u32, [u32; 2]), BigRational>;

/// Builds the tree of a listing whose start is not over; or tells the limit that came first.
///
/// # Errors
/// If a side does not know its moves, or numbers are too large.
pub fn build(
    listing: &Listing,
    depth: Option<u32>,
    watch: &mut Watch<'_>,
) -> Result<Result<Tree, StopReason>, HiddenError> {
    let mut growing = Growing {
        listing,
        builder: SequenceBuilder::default(),
        sets: [0; 2],
        sides: Default::default(),
        payoffs: FxHashMap::default(),
    };
    growing
        .sides
        .iter_mut()
        .for_each(|side| side.informations.push(Information::new(0, 0)));
    let mut layer = Layer::from_iter([((0, [0, 0]), BigRational::one())]);
    let mut steps = 0;
    while depth != Some(steps) && !layer.is_empty() {
        let mut next = Layer::default();
        for (&(state, informations), chance) in &layer {
            if let Err(reason) = watch.look(
                "the tree of what both sides know",
                growing.sides[ROLE].informations.len() as u64,
            ) {
                return Ok(Err(reason));
            }
            let before = growing.bytes(&next);
            growing.expand(state, informations, chance, &mut next)?;
            if let Err(reason) = watch.take_memory(growing.bytes(&next) - before) {
                return Ok(Err(reason));
            }
        }
        steps += 1;
        layer = next;
    }
    let cuts_off = !layer.is_empty();
    let game = growing.finish()?;
    Ok(Ok(Tree {
        game,
        sides: growing.sides,
        cuts_off,
    }))
}

struct Growing<'a> {
    listing: &'a Listing,
    builder: SequenceBuilder,
    /// The number of sets of each side.
    sets: [usize; 2],
    sides: [Side; 2],
    /// For pairs of sequences the payoffs, times the chances.
    payoffs: FxHashMap<[u32; 2], BigRational>,
}

impl Growing<'_> {
    /// The memory in use with the next layer, about, in bytes.
    fn bytes(&self, next: &Layer) -> u64 {
        let informations = self.sides.iter().map(|side| side.informations.len());
        let fractions = self.payoffs.len() + next.len();
        informations.sum::<usize>() as u64 * INFORMATION_BYTES + fractions as u64 * FRACTION_BYTES
    }

    /// Makes all moves in a position.
    fn expand(
        &mut self,
        state: u32,
        at: [u32; 2],
        chance: &BigRational,
        next: &mut Layer,
    ) -> Result<(), HiddenError> {
        let listing = self.listing;
        let stage = listing.nodes[state as usize]
            .stage()
            .expect("play goes on and was listed");
        let choices = [0, 1].map(|side| listing.choices(state, side));
        for side in [0, 1] {
            self.enter(side, at[side], state, choices[side])?;
        }
        let chance = chance / BigRational::from_integer(stage.throws.into());
        for (number, outcome) in stage.outcomes.iter().enumerate() {
            let joint = (number / stage.throws) as u32;
            let made = [joint / choices[1], joint % choices[1]];
            match &listing.nodes[outcome.next as usize] {
                Node::End(payoff) if payoff.is_zero() => {}
                Node::End(payoff) => {
                    let pair = [0, 1].map(|side| {
                        self.sides[side].informations[at[side] as usize].sequence(made[side])
                    });
                    *self.payoffs.entry(pair).or_default() += payoff * &chance;
                }
                Node::Open | Node::Stage(_) => {
                    let seen = [outcome.own, outcome.others];
                    let then = [0, 1].map(|side| {
                        self.sides[side].next(at[side], made[side], seen[side], outcome.next)
                    });
                    *next.entry((outcome.next, then)).or_default() += &chance;
                }
            }
        }
        Ok(())
    }

    /// Gives an information its set, if it has none, and makes sure that the side has the same moves in all its states.
    fn enter(
        &mut self,
        side: usize,
        number: u32,
        state: u32,
        choices: u32,
    ) -> Result<(), HiddenError> {
        let information = &mut self.sides[side].informations[number as usize];
        for &role in self.listing.members(side) {
            if self.listing.legal(state, role) != self.listing.legal(information.state, role) {
                return Err(self.listing.in_the_dark(role, information.state, state));
            }
        }
        if information.choices == 0 && choices > 1 {
            let first = self.builder.set(side, information.parent, choices);
            information.first = first.map_err(too_large)?;
            information.set = Some(self.sets[side]);
            self.sets[side] += 1;
        }
        information.choices = choices;
        Ok(())
    }

    fn finish(&mut self) -> Result<SequenceGame, HiddenError> {
        let denominators = self.payoffs.values().map(BigRational::denom);
        let common = denominators.fold(BigInt::one(), |common, one| common.lcm(one));
        let mut builder = std::mem::take(&mut self.builder);
        for (&pair, payoff) in &self.payoffs {
            let whole = (payoff * &common).to_integer().to_i64();
            builder.payoff(pair, whole.ok_or(too_large(GameError::PayoffTooLarge))?);
        }
        let common: BigUint = common.to_biguint().expect("denominators are positive");
        builder.finish(common).map_err(too_large)
    }
}

fn too_large(error: GameError) -> HiddenError {
    HiddenError::Sequences(error.to_string())
}

impl Listing {
    /// The roles of a side.
    pub fn members(&self, side: usize) -> &[usize] {
        match side {
            ROLE => std::slice::from_ref(&self.sides.role),
            _ => &self.coalition,
        }
    }

    /// The number of choices of a side in a state in which play goes on.
    pub fn choices(&self, state: u32, side: usize) -> u32 {
        let members = self.members(side).iter();
        members
            .map(|&role| self.legal(state, role).len() as u32)
            .product()
    }

    /// A choice of a side: one move for each of its roles.
    pub fn choice(&self, state: u32, side: usize, number: u32) -> Vec<Term> {
        let legal = self
            .members(side)
            .iter()
            .map(|&role| self.legal(state, role));
        joint_moves(legal).swap_remove(number as usize)
    }
}

impl Tree {
    /// The probabilities of the choices of a side in an information; none if its plan does not lead there.
    pub fn mixture(
        &self,
        side: usize,
        number: u32,
        plan: &RealizationPlan,
    ) -> Option<Vec<BigRational>> {
        match self.sides[side].informations[number as usize].set {
            Some(set) => plan.mixture(self.game.tree(side), set),
            None => Some(vec![BigRational::one()]),
        }
    }

    /// The worth of each choice of the role in an information, against a plan of its opponents: the sum over the positions that it holds possible,
    /// times their chances and the weights of the plan there. A position is a state and an information of the opponents.
    pub fn worths(
        &self,
        listing: &Listing,
        number: u32,
        positions: &FxHashMap<(u32, u32), BigRational>,
        plan: &RealizationPlan,
    ) -> Vec<BigRational> {
        let gains = self.gains(plan);
        let worth = |sequence: usize| &gains[sequence] / self.game.denominator();
        let moves = |set| self.game.tree(ROLE).moves(set);
        if let Some(set) = self.sides[ROLE].informations[number as usize].set {
            return moves(set).map(worth).collect();
        }
        // The role has one choice, until it comes to a set.
        let mut sum = BigRational::zero();
        let mut layer: Layer = positions
            .iter()
            .map(|(&(state, others), chance)| ((state, [number, others]), chance.clone()))
            .collect();
        while !layer.is_empty() {
            let (mut next, mut sets) = (Layer::default(), BTreeSet::new());
            for ((state, at), chance) in layer {
                let [own, others] =
                    [ROLE, 1].map(|side| &self.sides[side].informations[at[side] as usize]);
                if let Some(set) = own.set {
                    sets.insert(set);
                    continue;
                }
                if own.choices == 0 {
                    continue;
                }
                let stage = listing.nodes[state as usize]
                    .stage()
                    .expect("a step is left");
                for (choice, throws) in (0..).zip(stage.outcomes.chunks(stage.throws)) {
                    let weight = plan.weight(others.sequence(choice) as usize);
                    if weight.is_zero() {
                        continue;
                    }
                    for outcome in throws {
                        let chance = &chance / BigRational::from_integer(stage.throws.into());
                        if let Node::End(payoff) = &listing.nodes[outcome.next as usize] {
                            sum += payoff * chance * &weight;
                            continue;
                        }
                        let then = [
                            self.sides[ROLE].find(at[ROLE], 0, outcome.own),
                            self.sides[1].find(at[1], choice, outcome.others),
                        ];
                        let then = then.map(|then| then.expect("the tree has what follows"));
                        *next.entry((outcome.next, then)).or_default() += chance;
                    }
                }
            }
            let best = sets
                .into_iter()
                .filter_map(|set| moves(set).map(worth).max());
            sum += best.sum::<BigRational>();
            layer = next;
        }
        vec![sum]
    }

    /// The gains of the role after each of its sequences, if it goes on as well as it can against a plan.
    fn gains(&self, plan: &RealizationPlan) -> Vec<BigRational> {
        let tree = self.game.tree(ROLE);
        let gain = |sequence: usize| -> BigRational {
            let row = self.game.row(sequence);
            row.map(|(other, payoff)| plan.weight(other) * BigInt::from(payoff))
                .sum()
        };
        let mut gains: Vec<BigRational> = (0..tree.sequences()).map(gain).collect();
        for set in (0..tree.sets()).rev() {
            let best = tree
                .moves(set)
                .map(|sequence| gains[sequence].clone())
                .max();
            gains[tree.parent(set)] += best.expect("a set has a move");
        }
        gains
    }
}
