//! Joint moves in some states: every legal move of the maximizer, every joint move of
//! the adversaries, every joint move of chance.
//!
//! Legal moves are read off word by word, for all states at once. For one state after the other the
//! adversaries' moves are combined into *replies*, and those of chance into *outcomes*, so that all joint moves
//! are three loops inside each other.

use crate::chance::{Joint, Partitions};
use crate::compile::{Choice, Chooser, Compiled};
use crate::policy::{MAX_JOINT_MOVES, MOVES_PER_CHECK};
use crate::problem::Agent;
use arena::Refusal;
use circuit::{Literal, word};
use limits::Limits;

/// The number of no input.
pub const NONE: u32 = u32::MAX;

/// Several agents do nothing together.
const NOTHING: Joint = Joint {
    number: 0,
    weight: 1,
    input: NONE,
    more: NONE,
};

/// The legal moves of an agent in some lanes.
#[derive(Debug)]
struct Legal {
    lanes: Vec<Vec<Joint>>,
    /// Whether they are the same in all lanes; then those of the first lane stand for all.
    are_alike: bool,
    /// The literals that say what is legal, each once, and the first bits of their words when moves were listed last.
    literals: Vec<(Literal, u64)>,
}

impl Legal {
    fn new(chooser: &Chooser) -> Self {
        let literals = chooser.choices.iter().flat_map(|choice| &choice.legal);
        let mut literals: Vec<Literal> = literals.copied().collect();
        literals.sort_unstable();
        literals.dedup();
        Legal {
            lanes: vec![Vec::new(); 64],
            are_alike: false,
            literals: literals.into_iter().map(|literal| (literal, 0)).collect(),
        }
    }

    /// Takes the words of the literals. Says whether the moves that were listed last are legal still: the same in all lanes, then and now.
    fn update(&mut self, values: &[u64], used: u64) -> bool {
        let mut is_same = self.are_alike;
        self.are_alike = true;
        for (literal, before) in &mut self.literals {
            let word = word(values, *literal) & used;
            self.are_alike &= word == 0 || word == used;
            is_same &= *before == word & 1;
            *before = word & 1;
        }
        is_same && self.are_alike
    }

    fn at(&self, lane: usize) -> &[Joint] {
        match self.are_alike {
            true => &self.lanes[0],
            false => &self.lanes[lane],
        }
    }
}

/// Joint moves of the states in some lanes.
#[derive(Debug)]
pub struct JointMoves {
    /// For each agent, the legal moves.
    legal: Vec<Legal>,
    /// The number of agents before those of chance.
    players: usize,
    /// The number of joint moves of all but the maximizer, and of outcomes that those of chance stand for, where these moves
    /// are the same in all lanes and have been combined.
    combined: Option<(usize, u32)>,
    /// Whether the outcomes below are those of the present state, and stay so until other moves are listed.
    has_outcomes: bool,
    /// The adversaries' moves in the present state.
    pub replies: Vec<Joint>,
    /// The moves of chance in the present state, and the number of outcomes that they stand for.
    outcomes: Vec<Joint>,
    weight: u32,
    /// The outcomes of which one stands for all that lead to the same.
    pub partitions: Partitions,
    /// Inputs of moves behind the first, each with where the list goes on: those of single moves, then those of joint moves in the present state.
    inputs: Vec<(u32, u32)>,
    /// For each agent and each of its moves, where its inputs behind the first begin.
    other_inputs: Vec<Vec<u32>>,
    /// The number of inputs of single moves.
    single: usize,
    buffer: Vec<Joint>,
}

impl JointMoves {
    /// For a compiled step.
    pub fn new(compiled: &Compiled) -> Self {
        let mut inputs = Vec::new();
        let mut rest = |choice: &Choice| {
            let mut rest = NONE;
            for &input in choice.inputs.iter().skip(1) {
                inputs.push((input, rest));
                rest = inputs.len() as u32 - 1;
            }
            rest
        };
        let choosers = compiled.choosers.iter();
        let other_inputs = choosers.map(|chooser| chooser.choices.iter().map(&mut rest).collect());
        JointMoves {
            other_inputs: other_inputs.collect(),
            single: inputs.len(),
            legal: compiled.choosers.iter().map(Legal::new).collect(),
            players: (compiled.choosers.iter())
                .filter(|chooser| chooser.agent != Agent::Chance)
                .count(),
            combined: None,
            has_outcomes: false,
            replies: Vec::new(),
            outcomes: Vec::new(),
            weight: 1,
            partitions: Partitions::default(),
            inputs,
            buffer: Vec::new(),
        }
    }

    /// Lists the legal moves of states in this many lanes.
    pub fn list(&mut self, compiled: &Compiled, values: &[u64], lanes: usize) {
        let used = u64::MAX >> (64 - lanes);
        self.combined = None;
        let choosers = compiled.choosers.iter().zip(&mut self.legal);
        for (player, (chooser, legal)) in choosers.enumerate() {
            let is_same = legal.update(values, used);
            if chooser.agent == Agent::Chance && is_same {
                continue;
            }
            self.has_outcomes &= chooser.agent != Agent::Chance;
            let listed = match legal.are_alike {
                true => 1,
                false => used,
            };
            let legal = &mut legal.lanes;
            legal[..lanes].iter_mut().for_each(Vec::clear);
            for (choice, number) in chooser.choices.iter().zip(0..) {
                let words = choice.legal.iter().map(|&literal| word(values, literal));
                let mut left = words.fold(0, |any, word| any | word) & listed;
                while left != 0 {
                    let lane = left.trailing_zeros() as usize;
                    left &= left - 1;
                    let weight = match choice.legal.as_slice() {
                        [_] => 1,
                        many => {
                            let bits = many.iter().map(|&l| word(values, l) >> lane & 1);
                            bits.sum::<u64>() as u32
                        }
                    };
                    legal[lane].push(Joint {
                        number,
                        weight,
                        input: choice.inputs.first().map_or(NONE, |&input| input),
                        more: self.other_inputs[player][number as usize],
                    });
                }
            }
        }
    }

    /// The legal moves of the maximizer in a lane.
    pub fn alternatives(&self, lane: usize) -> &[Joint] {
        self.legal[0].at(lane)
    }

    /// The numbers of the joint moves of up to two players in a lane, in the order in which alternatives and replies combine.
    pub fn of_players(&self, lane: usize) -> impl Iterator<Item = [u32; 2]> {
        let of = |player: usize| self.legal[player].at(lane);
        let replies = match self.players {
            2 => of(1),
            _ => &[NOTHING],
        };
        of(0).iter().flat_map(move |one| {
            let replies = replies.iter();
            replies.map(move |other| [one.number, other.number])
        })
    }

    /// The number of joint moves in a lane (those that stand for several count once), and the number of
    /// outcomes that chance's moves stand for. The former is 0 if some agent cannot move. Nothing if either is too large for its type; so
    /// weights, which add up to the latter, can be added and multiplied.
    fn count(&self, compiled: &Compiled, lane: usize) -> Option<(usize, u32)> {
        if self.legal.iter().any(|legal| legal.at(lane).is_empty()) {
            return Some((0, 0));
        }
        let (mut count, mut outcomes) = (1usize, 1u32);
        if self.has_outcomes {
            outcomes = self.weight;
        }
        for (chooser, legal) in compiled.choosers.iter().zip(&self.legal) {
            let legal = legal.at(lane);
            count = count.checked_mul(legal.len())?;
            if chooser.agent == Agent::Chance && !self.has_outcomes {
                let weights = legal.iter().map(|joint| joint.weight).sum();
                outcomes = outcomes.checked_mul(weights)?;
            }
        }
        Some((count, outcomes))
    }

    /// Combines the moves of adversaries and of chance in a lane. Gives the number of joint moves (those that
    /// stand for several count once) and the number of outcomes that chance's moves stand for. The former is
    /// 0 if some agent cannot move. They are counted before anything is listed, since a list may not fit into
    /// memory.
    ///
    /// # Errors
    /// If there are more than `most`, or more outcomes than fit into 32 bits; or it is time to end.
    pub fn combine(
        &mut self,
        compiled: &Compiled,
        lane: usize,
        most: usize,
        limits: &Limits,
    ) -> Result<(usize, u32), Refusal> {
        if let Some((others, outcomes)) = self.combined {
            let count = others.saturating_mul(self.alternatives(lane).len());
            return match count > most.min(MAX_JOINT_MOVES) {
                true => Err(Refusal::TooLarge),
                false => Ok((count, outcomes)),
            };
        }
        self.replies.clear();
        self.replies.push(NOTHING);
        let (count, outcomes) = self.count(compiled, lane).ok_or(Refusal::TooLarge)?;
        if count > most.min(MAX_JOINT_MOVES) {
            return Err(Refusal::TooLarge);
        }
        if count == 0 {
            return Ok((count, outcomes));
        }
        self.inputs.truncate(self.single);
        let has_outcomes = self.has_outcomes;
        if !has_outcomes {
            self.outcomes.clear();
            self.outcomes.push(NOTHING);
            self.partitions.forget_outcomes();
        }
        for (chooser, legal) in compiled.choosers.iter().zip(&self.legal) {
            let legal = legal.at(lane);
            let joint = match chooser.agent {
                Agent::Maximizer => continue,
                Agent::Adversary => &mut self.replies,
                Agent::Chance if has_outcomes => continue,
                Agent::Chance => &mut self.outcomes,
            };
            if let [NOTHING] = joint.as_slice() {
                joint.clear();
                joint.extend_from_slice(legal);
                continue;
            }
            self.buffer.clear();
            let choices = chooser.choices.len() as u32;
            for before in joint.iter() {
                for own in legal {
                    let mut both = Joint {
                        number: before.number.wrapping_mul(choices).wrapping_add(own.number),
                        weight: before.weight * own.weight,
                        ..*before
                    };
                    if before.input == NONE {
                        (both.input, both.more) = (own.input, own.more);
                    } else {
                        let (mut input, mut rest) = (own.input, own.more);
                        while input != NONE {
                            self.inputs.push((input, both.more));
                            both.more = self.inputs.len() as u32 - 1;
                            (input, rest) = match self.inputs.get(rest as usize) {
                                Some(&next) => next,
                                None => (NONE, NONE),
                            };
                        }
                    }
                    self.buffer.push(both);
                    if self.buffer.len().is_multiple_of(MOVES_PER_CHECK) {
                        limits.check()?;
                    }
                }
            }
            std::mem::swap(joint, &mut self.buffer);
        }
        let all = || compiled.choosers.iter().zip(&self.legal);
        // Joint moves of several agents of chance have inputs in a list that is made anew for each state.
        let mut chance = all().filter(|(chooser, _)| chooser.agent == Agent::Chance);
        self.has_outcomes = match (chance.next(), chance.next()) {
            (Some((_, legal)), None) => legal.are_alike,
            _ => false,
        };
        self.weight = outcomes;
        let mut others = all();
        if others.all(|(chooser, legal)| chooser.agent == Agent::Maximizer || legal.are_alike) {
            self.combined = Some((count / self.alternatives(lane).len(), outcomes));
        }
        Ok((count, outcomes))
    }

    /// How many outcomes lead to different states by a partition.
    pub fn count_outcomes(&mut self, partition: u32) -> usize {
        self.partitions.count(partition, &self.outcomes)
    }

    /// The outcomes that lead to different states by a partition, once they were counted.
    pub fn outcomes(&self, partition: u32) -> &[Joint] {
        self.partitions.outcomes(partition, &self.outcomes)
    }

    /// The number of outcomes, none merged.
    pub fn all_outcomes(&self) -> usize {
        self.outcomes.len()
    }

    /// Sets the inputs of a joint move in a lane.
    #[inline]
    pub fn set_inputs(&self, joint: &Joint, lane: usize, words: &mut [u64]) {
        if joint.input != NONE {
            words[joint.input as usize] |= 1 << lane;
            let mut more = joint.more;
            while more != NONE {
                let (input, next) = self.inputs[more as usize];
                words[input as usize] |= 1 << lane;
                more = next;
            }
        }
    }
}
