//! Joint moves in some states: every legal move of the maximizer, every joint move of
//! the adversaries, every joint move of chance.
//!
//! Legal moves are read off word by word, for all states at once. For one state after the other the
//! adversaries' moves are combined into *replies*, and those of chance into *outcomes*, so that who
//! needs all joint moves has three loops inside each other.

use crate::afterstates::Afterstates;
use crate::bounds::{
    MAX_JOINT_MOVES, MAX_PARTITION_ENTRIES, MAX_PARTITIONS, MAX_STABILISERS, MOVES_PER_LOOK,
};
use crate::compile::{Choice, Chooser, Compiled};
use crate::equal_outcomes::Partition;
use crate::live_signals::{Live, LiveSignals, NodeMemory};
use crate::problem::Agent;
use crate::symmetry_group::{Exchanges, SymmetryGroup, bits};
use arena::Refusal;
use circuit::{Literal, word};
use limits::Limits;
use rustc_hash::FxHashMap;

/// The number of no input.
pub const NONE: u32 = u32::MAX;

/// A move, or a joint move of several agents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Joint {
    /// Its number, for the history.
    pub number: u32,
    /// For how many moves it stands.
    pub weight: u32,
    /// The place of its first input, [`NONE`] if there is none.
    pub input: u32,
    /// Further inputs: where the list goes on, [`NONE`] at the end.
    pub more: u32,
    /// The number of the partition of the outcomes that are equal once it is made, [`NONE`] if there is none.
    pub partition: u32,
    /// The number of the view of states once it is made (`afterstates`), [`NONE`] if there is none.
    pub view: u32,
}

/// A partition of the step, or one that was found later.
fn firsts<'a>(
    known: &'a [Partition],
    found: &'a [Partition],
    number: u32,
) -> Option<&'a Partition> {
    let number = number as usize;
    known
        .get(number)
        .or_else(|| found.get(number.checked_sub(known.len())?))
}

/// Questions about live signals after which they must have paid.
const LIVE_TRIAL: u32 = 256;

/// The gain of comparing outcomes in each state.
#[derive(Default, Debug)]
struct LiveGain {
    questions: u32,
    /// Classes of outcomes at all of them together, with live signals and without.
    with: usize,
    without: usize,
}

impl LiveGain {
    /// Whether live signals are still on trial, or halve the outcomes. A question takes as long as many outcomes.
    fn pays(&self) -> bool {
        self.questions < LIVE_TRIAL || 2 * self.with <= self.without
    }
}

/// How many classes a partition has.
fn classes(firsts: &Partition) -> usize {
    let all = firsts.iter().zip(0..);
    all.filter(|&(&first, number)| first == number).count()
}

/// Several agents do nothing together.
const NOTHING: Joint = Joint {
    number: 0,
    weight: 1,
    input: NONE,
    more: NONE,
    partition: NONE,
    view: NONE,
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
    fn look(&mut self, values: &[u64], used: u64) -> bool {
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
    /// For each partition, the outcomes of which one stands for all that are equal to it; empty if they were not asked for.
    merged: Vec<Vec<Joint>>,
    /// Partitions by live signals and by stabilisers, behind those of the step.
    found: Vec<Partition>,
    /// Their numbers: by live signals and other partition, and by stabiliser and other partition.
    of_live: FxHashMap<(Live, u32), u32>,
    live_gain: LiveGain,
    numbers: FxHashMap<(Exchanges, u32), u32>,
    memory: NodeMemory,
    /// By partition, the exchanges that were looked at, and those of them that map each outcome to an equal one.
    neutral: FxHashMap<u32, [Exchanges; 2]>,
    /// By outcome, the place of the one that stands for it.
    indices: Vec<u32>,
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
            merged: vec![Vec::new(); compiled.equal_outcomes.partitions.len()],
            found: Vec::new(),
            of_live: FxHashMap::default(),
            live_gain: LiveGain::default(),
            numbers: FxHashMap::default(),
            memory: NodeMemory::default(),
            neutral: FxHashMap::default(),
            indices: Vec::new(),
            inputs,
            buffer: Vec::new(),
        }
    }

    /// Lists the legal moves of states in this many lanes; with their views, if these are asked for.
    pub fn list(
        &mut self,
        compiled: &Compiled,
        values: &[u64],
        lanes: usize,
        afterstates: Option<&Afterstates>,
    ) {
        let used = u64::MAX >> (64 - lanes);
        self.combined = None;
        let partitions = compiled.equal_outcomes.by_move.iter().map(Some);
        let partitions = partitions.chain(std::iter::repeat(None));
        let choosers = compiled.choosers.iter().zip(partitions);
        for (player, ((chooser, partitions), legal)) in choosers.zip(&mut self.legal).enumerate() {
            let is_same = legal.look(values, used);
            let afterstates = match chooser.agent {
                Agent::Chance if is_same => continue,
                Agent::Chance => None,
                _ => afterstates,
            };
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
                let partition = partitions.map_or(NONE, |of_moves| of_moves[number as usize]);
                let view = afterstates.map_or(NONE, |them| them.view(player, number));
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
                        partition,
                        view,
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
    /// If there are more than `most`, or more outcomes than a number of 32 bits can tell; or it is time to end.
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
            self.merged.iter_mut().for_each(Vec::clear);
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
                        partition: before.partition.min(own.partition),
                        view: before.view.min(own.view),
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
                    if self.buffer.len().is_multiple_of(MOVES_PER_LOOK) {
                        limits.look()?;
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

    /// The partition of the outcomes once the maximizer and the adversaries have made these moves in a state; and how many outcomes
    /// there are then.
    pub fn partition(
        &mut self,
        compiled: &Compiled,
        alternative: Joint,
        reply: Joint,
        state: &[u64],
        orbits: Option<(&SymmetryGroup, Exchanges)>,
    ) -> (u32, usize) {
        let known = &compiled.equal_outcomes.partitions;
        // Two may be added.
        let entries = self.found.len() * self.found.first().map_or(0, |first| first.len());
        if self.found.len() + 2 > MAX_PARTITIONS || entries > MAX_PARTITION_ENTRIES {
            self.found.clear();
            self.of_live.clear();
            self.numbers.clear();
            self.neutral.clear();
            self.merged.truncate(known.len());
        }
        // Partitions with fewer classes have smaller numbers.
        let mut partition = alternative.partition.min(reply.partition);
        if let Some(signals) = &compiled.live_signals
            && self.outcomes.len() > 1
            && self.live_gain.pays()
        {
            let moves = [alternative.number, reply.number];
            let live = signals.of(state, moves, &mut self.memory);
            let before = partition;
            partition = self.of_live(known, signals, live, before);
            if self.live_gain.questions < LIVE_TRIAL {
                let count = |partition| firsts(known, &self.found, partition).map(classes);
                self.live_gain.with += count(partition).expect("it was found");
                self.live_gain.without += count(before).unwrap_or(signals.moves());
                self.live_gain.questions += 1;
            }
        }
        if let Some((group, stabiliser)) = orbits.filter(|(_, them)| *them != 0) {
            partition = self.orbits(known, group, stabiliser, partition);
        }
        let Some(firsts) = firsts(known, &self.found, partition) else {
            return (partition, self.outcomes.len());
        };
        let merged = &mut self.merged[partition as usize];
        if merged.is_empty() {
            self.indices.clear();
            self.indices.resize(firsts.len(), NONE);
            for joint in &self.outcomes {
                let index = &mut self.indices[firsts[joint.number as usize] as usize];
                match merged.get_mut(*index as usize) {
                    Some(same) => same.weight += joint.weight,
                    None => {
                        *index = merged.len() as u32;
                        merged.push(*joint);
                    }
                }
            }
        }
        (partition, merged.len())
    }

    /// Adds a partition, and gives its number.
    fn add(&mut self, partition: Partition) -> u32 {
        self.found.push(partition);
        self.merged.push(Vec::new());
        self.merged.len() as u32 - 1
    }

    /// The number of the partition of outcomes by live signals and by another partition.
    fn of_live(
        &mut self,
        known: &[Partition],
        signals: &LiveSignals,
        live: Live,
        partition: u32,
    ) -> u32 {
        if let Some(&number) = self.of_live.get(&(live, partition)) {
            return number;
        }
        let both = signals.partition(live, known.get(partition as usize));
        let same = known.iter().position(|other| *other == both);
        let number = same.map_or_else(|| self.add(both), |number| number as u32);
        self.of_live.insert((live, partition), number);
        number
    }

    /// The number of the partition of outcomes by a stabiliser and by another partition.
    fn orbits(
        &mut self,
        known: &[Partition],
        group: &SymmetryGroup,
        stabiliser: Exchanges,
        partition: u32,
    ) -> u32 {
        if let Some(&number) = self.numbers.get(&(stabiliser, partition)) {
            return number;
        }
        let before = firsts(known, &self.found, partition);
        // Many stabilisers differ only in what makes no difference, as in dice that are kept.
        let mut moving = stabiliser;
        if let Some(before) = before {
            let [looked_at, neutral] = self.neutral.entry(partition).or_default();
            for number in bits(stabiliser & !*looked_at) {
                *neutral |= u64::from(group.is_neutral(number, before)) << number;
            }
            *looked_at |= stabiliser;
            moving &= !*neutral;
        }
        let found = match self.numbers.get(&(moving, partition)) {
            Some(&number) => number,
            None if moving == 0 => partition,
            None => {
                let orbits = group.orbits(moving, before);
                let number = self.add(orbits);
                self.numbers.insert((moving, partition), number);
                number
            }
        };
        if self.numbers.len() < MAX_STABILISERS {
            self.numbers.insert((stabiliser, partition), found);
        }
        found
    }

    /// The outcomes under a partition.
    pub fn outcomes(&self, partition: u32) -> &[Joint] {
        self.merged
            .get(partition as usize)
            .unwrap_or(&self.outcomes)
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
