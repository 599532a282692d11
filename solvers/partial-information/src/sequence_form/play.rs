//! Play as a graph of states: the input where plays are too many to be listed.

use crate::sequence_form::tree::GameError;
use base::graph::Graph;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

#[derive(Clone, PartialEq, Debug)]
pub enum PlayState {
    /// Play is over: what player 1 pays to player 0.
    End(BigRational),
    /// Both players choose, neither knows the other's choice, and chance throws dice.
    Stage {
        /// By player: the number of the list of its choices. States that a player cannot tell apart have the same list.
        menus: [u32; 2],
        /// By player: the number of choices.
        choices: [u32; 2],
        /// The number of equally likely throws.
        throws: usize,
        /// By the choices of player 0, those of player 1, and the throws, which change fastest.
        outcomes: Vec<PlayOutcome>,
    },
}

/// The next state, and what each player sees on the way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PlayOutcome {
    pub next: u32,
    /// By player: the number of what it sees.
    pub seen: [u32; 2],
}

/// Part of an outcome's `next` where play is over; the rest is the number of the payoff.
const END: u32 = 1 << 31;

/// The bits of payoffs times chances where these are rounded, and the least bits of chances alone.
const MAX_PAYOFF_BITS: u32 = 62;
const MIN_CHANCE_BITS: u32 = 40;

/// All states of play, of which 0 is the first. Play never comes back to a state.
#[derive(Debug)]
pub(crate) struct PlayGraph {
    nodes: Vec<Node>,
    /// By joint choice: its first outcome; then the number of outcomes.
    joints: Vec<u32>,
    outcomes: Vec<Outcome>,
    /// All different payoffs, times a denominator.
    payoffs: Vec<i64>,
    /// By step: the product of the denominators of the chances of later steps. Nothing if chances are rounded.
    rests: Vec<i64>,
    /// By step: the denominator of its chances. Nothing if chances are rounded.
    steps: Vec<i64>,
    /// The parts that the chances of all plays add up to. Chances that need more are rounded up to whole parts.
    whole: i64,
    /// By player: where chances are rounded, the payoff that is worst for it. Its gains count from there, so that they are no less than they are.
    worst: [i64; 2],
    /// Whether chance never matters.
    pub is_certain: bool,
    /// The denominator of payoffs times chances.
    pub denominator: BigInt,
}

#[derive(Clone, Copy, Default, Debug)]
struct Node {
    /// The first joint choice.
    first: u32,
    throws: u32,
    menus: [u32; 2],
    choices: [u32; 2],
}

/// An outcome of a joint choice, with the number of its throws.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// The next state, or the number of the payoff.
    pub next: u32,
    pub seen: [u32; 2],
    pub throws: u32,
}

/// The state or the end after an outcome.
pub(crate) enum Next {
    State(u32),
    /// An end with this payoff.
    End(i64),
}

impl PlayGraph {
    /// Takes over a list of states. If `merge`, states from which on all plays pay the same count as ends, and chances that are not short enough are
    /// rounded.
    pub fn new(states: &[PlayState], merge: bool) -> Result<Self, GameError> {
        let worths = worths(states, merge);
        let mut payoffs: Vec<&BigRational> = worths.iter().flatten().collect();
        payoffs.sort_unstable();
        payoffs.dedup();
        let denominators = payoffs.iter().map(|payoff| payoff.denom());
        let common = denominators.fold(BigInt::one(), |common, one| common.lcm(one));
        let target = |state: u32| match &worths[state as usize] {
            None => state,
            Some(worth) => {
                END | payoffs
                    .binary_search(&worth)
                    .expect("payoffs of all ends are listed") as u32
            }
        };
        let (mut nodes, mut joints, mut outcomes) = (Vec::new(), Vec::new(), Vec::new());
        for (state, worth) in states.iter().zip(&worths) {
            let mut node = Node::default();
            if let (
                PlayState::Stage {
                    menus,
                    choices,
                    throws,
                    outcomes: all,
                },
                None,
            ) = (state, worth)
            {
                let first = outcomes.len();
                node = Node {
                    first: joints.len() as u32,
                    throws: *throws as u32,
                    menus: *menus,
                    choices: *choices,
                };
                for throws in all.chunks(*throws) {
                    joints.push(outcomes.len() as u32);
                    let mut throws = throws.to_vec();
                    throws.sort_unstable();
                    outcomes.extend(throws.chunk_by(|one, other| one == other).map(|same| {
                        Outcome {
                            next: target(same[0].next),
                            seen: same[0].seen,
                            throws: same.len() as u32,
                        }
                    }));
                }
                let own = &mut outcomes[first..];
                let common = own
                    .iter()
                    .fold(node.throws, |common, one| common.gcd(&one.throws));
                node.throws /= common;
                own.iter_mut().for_each(|one| one.throws /= common);
            }
            nodes.push(node);
        }
        joints.push(outcomes.len() as u32);
        let whole = |payoff: &&BigRational| (*payoff * &common).to_integer().to_i64();
        let mut graph = PlayGraph {
            payoffs: payoffs
                .iter()
                .map(whole)
                .collect::<Option<_>>()
                .ok_or(GameError::PayoffTooLarge)?,
            is_certain: nodes.iter().all(|node| node.throws <= 1),
            nodes,
            joints,
            outcomes,
            rests: Vec::new(),
            steps: Vec::new(),
            whole: 1,
            worst: [0; 2],
            denominator: common,
        };
        let steps = graph.list_steps();
        let is_exact = steps.is_some_and(|steps| graph.weigh_chances(steps));
        if !is_exact && (!merge || !graph.round_chances()) {
            return Err(GameError::PayoffTooLarge);
        }
        graph.denominator *= graph.whole;
        Ok(graph)
    }

    /// A denominator of the chances of each step, unless it is too large. States that no play leads to are no part of the game from then on.
    fn list_steps(&mut self) -> Option<Vec<i64>> {
        let mut met = vec![u32::MAX; self.nodes.len()];
        let mut layer = vec![0];
        let mut steps = Some(Vec::new());
        let mut step = 0;
        while !layer.is_empty() {
            let (mut common, mut next) = (Some(1u32), Vec::new());
            for &state in &layer {
                let node = self.nodes[state as usize];
                let throws = u64::from(node.throws.max(1));
                common = common.and_then(|common| u64::from(common).lcm(&throws).to_u32());
                let joints =
                    node.first as usize..(node.first + node.choices[0] * node.choices[1]) as usize;
                let outcomes = self.joints[joints.start] as usize..self.joints[joints.end] as usize;
                for outcome in &self.outcomes[outcomes] {
                    let is_end = outcome.next & END != 0;
                    if !is_end && std::mem::replace(&mut met[outcome.next as usize], step) != step {
                        next.push(outcome.next);
                    }
                }
            }
            steps = steps.zip(common).map(|(mut steps, common)| {
                steps.push(i64::from(common));
                steps
            });
            step += 1;
            layer = next;
        }
        // States that only lead on from states that count as ends are no part of the game.
        for (node, met) in self.nodes.iter_mut().zip(&met).skip(1) {
            if *met == u32::MAX {
                node.throws = 0;
            }
        }
        steps
    }

    /// Weighs chances by these denominators of steps. Gives whether payoffs times chances are short enough.
    fn weigh_chances(&mut self, steps: Vec<i64>) -> bool {
        let mut rest = Some(1i64);
        let mut rests = vec![1; steps.len()];
        for (step, common) in steps.iter().enumerate().rev() {
            rests[step] = rest.unwrap_or(1);
            rest = rest.and_then(|rest| rest.checked_mul(*common));
        }
        let largest = self
            .payoffs
            .iter()
            .map(|payoff| payoff.unsigned_abs())
            .max();
        let largest = i128::from(largest.unwrap_or(0));
        let fits = |rest: &i64| largest * i128::from(*rest) <= i128::from(i64::MAX);
        let Some(whole) = rest.filter(fits) else {
            return false;
        };
        (self.steps, self.rests, self.whole) = (steps, rests, whole);
        true
    }

    /// Rounds chances up, so that payoffs times chances are short. Gives whether enough bits are left for them.
    fn round_chances(&mut self) -> bool {
        let [least, most] = [self.payoffs.first(), self.payoffs.last()].map(|it| it.copied());
        let (least, most) = (least.unwrap_or(0), most.unwrap_or(0));
        let largest = [
            i128::from(most) - i128::from(least),
            least.into(),
            most.into(),
        ];
        let largest = largest.map(i128::unsigned_abs).into_iter().max();
        let bits = u128::BITS - largest.unwrap_or(0).max(1).leading_zeros();
        if bits + MIN_CHANCE_BITS > MAX_PAYOFF_BITS {
            return false;
        }
        self.whole = 1 << (MAX_PAYOFF_BITS - bits);
        self.worst = [least, most];
        true
    }

    /// Whether the first state is an end.
    pub fn is_over(&self) -> bool {
        self.nodes[0].throws == 0
    }

    /// The number of joint choices and outcomes.
    pub fn size(&self) -> u64 {
        (self.joints.len() + self.outcomes.len()) as u64
    }

    /// The memory in use, in bytes.
    pub fn bytes(&self) -> u64 {
        let words = 6 * self.nodes.len() + self.joints.len() + 4 * self.outcomes.len();
        4 * words as u64
    }

    /// The least payoff and the largest one, times the denominator.
    pub fn range(&self) -> [i64; 2] {
        let payoffs = self.payoffs.iter().map(|payoff| payoff * self.whole);
        [payoffs.clone().min(), payoffs.max()].map(|payoff| payoff.unwrap_or(0))
    }

    #[inline]
    pub fn choices(&self, state: u32) -> [u32; 2] {
        self.nodes[state as usize].choices
    }

    #[inline]
    pub fn menu(&self, state: u32, player: usize) -> u32 {
        self.nodes[state as usize].menus[player]
    }

    /// The denominator of the chances in a state; 0 if play is over.
    pub fn throws(&self, state: u32) -> u32 {
        self.nodes[state as usize].throws
    }

    /// The states in which play goes on.
    pub fn stages(&self) -> impl Iterator<Item = u32> {
        (0..self.nodes.len() as u32).filter(|&state| self.throws(state) > 0)
    }

    /// The outcomes of a joint choice.
    #[inline]
    pub fn outcomes(&self, state: u32, made: [u32; 2]) -> &[Outcome] {
        let node = &self.nodes[state as usize];
        let joint = (node.first + made[0] * node.choices[1] + made[1]) as usize;
        &self.outcomes[self.joints[joint] as usize..self.joints[joint + 1] as usize]
    }

    #[inline]
    pub fn next(&self, outcome: &Outcome) -> Next {
        match outcome.next & END {
            0 => Next::State(outcome.next),
            _ => Next::End(self.payoffs[(outcome.next & !END) as usize]),
        }
    }

    /// Whether chances are rounded up.
    pub fn is_rounded(&self) -> bool {
        self.rests.is_empty()
    }

    /// The chance of the start, in parts.
    pub fn start(&self) -> i64 {
        match self.is_rounded() {
            true => self.whole,
            false => 1,
        }
    }

    /// The chance of a position of a state as a dividend and a divisor for [`PlayGraph::after`]. Chances that are not rounded are parts of the product of
    /// the denominators of the steps so far.
    #[inline]
    pub fn divided(&self, chance: i64, state: u32, step: usize) -> (i64, i64) {
        let throws = i64::from(self.throws(state));
        match self.is_rounded() {
            true => (chance, throws),
            false if self.is_certain => (chance, 1),
            false => (chance * (self.steps[step] / throws), 1),
        }
    }

    /// The chance of an outcome.
    #[inline]
    pub fn after((chance, throws): (i64, i64), outcome: &Outcome) -> i64 {
        if throws == 1 {
            return chance * i64::from(outcome.throws);
        }
        let parts = i128::from(chance) * i128::from(outcome.throws);
        ((parts + i128::from(throws - 1)) / i128::from(throws)) as i64
    }

    /// The product of the denominators of the chances of the steps after this one.
    pub fn rest(&self, step: usize) -> i64 {
        self.rests.get(step).copied().unwrap_or(1)
    }

    /// The payoff that gains of a player count from.
    #[inline]
    pub fn worst(&self, player: usize) -> i64 {
        self.worst[player]
    }
}

/// The number of plays, about.
pub(crate) fn plays(states: &[PlayState]) -> f64 {
    let mut plays = vec![1f64; states.len()];
    for state in order(states) {
        if let PlayState::Stage { outcomes, .. } = &states[state] {
            let next = outcomes.iter().map(|outcome| plays[outcome.next as usize]);
            plays[state] = next.sum();
        }
    }
    plays[0]
}

/// The states, each after those that can follow it.
fn order(states: &[PlayState]) -> Vec<usize> {
    let graph = Graph::new(states.len(), |edge| {
        for (number, state) in states.iter().enumerate() {
            if let PlayState::Stage { outcomes, .. } = state {
                let next = outcomes.iter().map(|outcome| outcome.next as usize);
                next.for_each(|next| edge(number, next));
            }
        }
    });
    let components = graph.components();
    components
        .iter()
        .map(|members| members[0] as usize)
        .collect()
}

/// The payoff of each end; if `merge`, also of each state from which on all plays pay the same on average, whatever players do.
fn worths(states: &[PlayState], merge: bool) -> Vec<Option<BigRational>> {
    let ends = states.iter().map(|state| match state {
        PlayState::End(payoff) => Some(payoff.clone()),
        PlayState::Stage { .. } => None,
    });
    let mut worths: Vec<_> = ends.collect();
    if !merge {
        return worths;
    }
    // The start stays, so that there is something to solve.
    for state in order(states).into_iter().filter(|&state| state != 0) {
        if let PlayState::Stage {
            throws, outcomes, ..
        } = &states[state]
        {
            let mean = |throws: &[PlayOutcome]| -> Option<BigRational> {
                let each = throws.iter().map(|one| worths[one.next as usize].clone());
                let sum: BigRational = each.sum::<Option<_>>()?;
                Some(sum / BigInt::from(throws.len()))
            };
            let first = mean(&outcomes[..*throws]);
            if first.is_some() && outcomes.chunks(*throws).all(|throws| mean(throws) == first) {
                worths[state] = first;
            }
        }
    }
    worths
}
