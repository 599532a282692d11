//! What may be done together in some states: every legal move of the maximizer, every joint move of
//! the adversaries, every joint move of chance.
//!
//! Legal moves are read off word by word, for all states at once. For one state after the other the
//! adversaries' moves are combined into *replies*, and those of chance into *outcomes*, so that who
//! needs all joint moves has three loops inside each other.

use crate::bounds::{MAX_JOINT_MOVES, MOVES_PER_LOOK};
use crate::compile::Compiled;
use crate::problem::Agent;
use circuit::word;
use limits::Halt;
use stochastic_game::Refusal;

/// The number of no input.
pub const NONE: u32 = u32::MAX;

/// A move, or a joint move of several agents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Joint {
    /// Its number, for the history.
    pub number: u32,
    /// For how many moves it stands.
    pub weight: u32,
    /// The place of its input, [`NONE`] if there is none.
    pub input: u32,
    /// Further inputs: where the list goes on, [`NONE`] at the end.
    pub more: u32,
}

/// Several agents do nothing together.
const NOTHING: Joint = Joint {
    number: 0,
    weight: 1,
    input: NONE,
    more: NONE,
};

/// Joint moves of the states in some lanes.
#[derive(Debug)]
pub struct JointMoves {
    /// For each agent and lane, the legal moves.
    legal: Vec<Vec<Vec<Joint>>>,
    /// The adversaries' moves in the present state.
    pub replies: Vec<Joint>,
    /// The moves of chance in the present state.
    pub outcomes: Vec<Joint>,
    /// Inputs of joint moves of more than one agent, each with where the list goes on.
    inputs: Vec<(u32, u32)>,
    buffer: Vec<Joint>,
}

impl JointMoves {
    /// For a compiled step.
    pub fn new(compiled: &Compiled) -> Self {
        let lanes = || (0..64).map(|_| Vec::new()).collect();
        JointMoves {
            legal: compiled.choosers.iter().map(|_| lanes()).collect(),
            replies: Vec::new(),
            outcomes: Vec::new(),
            inputs: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// Lists the legal moves of states in this many lanes.
    pub fn list(&mut self, compiled: &Compiled, values: &[u64], lanes: usize) {
        let used = u64::MAX >> (64 - lanes);
        for (chooser, legal) in compiled.choosers.iter().zip(&mut self.legal) {
            legal[..lanes].iter_mut().for_each(Vec::clear);
            for (choice, number) in chooser.choices.iter().zip(0..) {
                let words = choice.legal.iter().map(|&literal| word(values, literal));
                let mut left = words.fold(0, |any, word| any | word) & used;
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
                        input: choice.input.unwrap_or(NONE),
                        more: NONE,
                    });
                }
            }
        }
    }

    /// The legal moves of the maximizer in a lane.
    pub fn alternatives(&self, lane: usize) -> &[Joint] {
        &self.legal[0][lane]
    }

    /// The number of joint moves in a lane (those that stand for several count once), and the number of
    /// outcomes that chance's moves stand for. The former is 0 if some agent cannot move. Both saturate.
    fn count(&self, compiled: &Compiled, lane: usize) -> (usize, u32) {
        let (mut count, mut outcomes) = (1usize, 1u32);
        for (chooser, legal) in compiled.choosers.iter().zip(&self.legal) {
            let legal = &legal[lane];
            count = count.saturating_mul(legal.len());
            if chooser.agent == Agent::Chance {
                let weights = legal.iter().map(|joint| joint.weight).sum();
                outcomes = outcomes.saturating_mul(weights);
            }
        }
        (count, outcomes)
    }

    /// Combines the moves of adversaries and of chance in a lane. Gives the number of joint moves (those that
    /// stand for several count once) and the number of outcomes that chance's moves stand for. The former is
    /// 0 if some agent cannot move. They are counted before anything is listed, since a list may not fit into
    /// memory.
    ///
    /// # Errors
    /// If there are more than `most`, or it is time to end.
    pub fn combine(
        &mut self,
        compiled: &Compiled,
        lane: usize,
        most: usize,
        halt: &Halt<'_>,
    ) -> Result<(usize, u32), Refusal> {
        self.inputs.clear();
        self.replies.clear();
        self.replies.push(NOTHING);
        self.outcomes.clear();
        self.outcomes.push(NOTHING);
        let (count, outcomes) = self.count(compiled, lane);
        if count > most.min(MAX_JOINT_MOVES) {
            return Err(Refusal::TooLarge);
        }
        if count == 0 {
            return Ok((count, outcomes));
        }
        for (chooser, legal) in compiled.choosers.iter().zip(&self.legal) {
            let legal = &legal[lane];
            let joint = match chooser.agent {
                Agent::Maximizer => continue,
                Agent::Adversary => &mut self.replies,
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
                        weight: before.weight.saturating_mul(own.weight),
                        ..*before
                    };
                    if before.input == NONE {
                        both.input = own.input;
                    } else if own.input != NONE {
                        both.more = self.inputs.len() as u32;
                        self.inputs.push((own.input, before.more));
                    }
                    self.buffer.push(both);
                    if self.buffer.len().is_multiple_of(MOVES_PER_LOOK) {
                        halt.look()?;
                    }
                }
            }
            std::mem::swap(joint, &mut self.buffer);
        }
        Ok((count, outcomes))
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
