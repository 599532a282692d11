//! All positions that can be reached along a policy, level by level: those with the same number of
//! steps left, each once.

use super::spot_check::{CircuitState, SpotCheck};
use super::{Certifier, CertifyError, Effort, Policy};
use gdl::Term;
use gdl::game::{Objective, Sides};
use limits::{Limits, StopReason};
use num_rational::BigRational;
use num_traits::Zero;
use rules::{ReasonerError, worth};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use step::StateBatch;
use table::Interner;
use verify::{Side, VerifyError};

/// Successors from here on are places in the list of [`Levels::payoffs`].
pub(super) const KNOWN: u32 = 1 << 31;
/// The index of the payoff 0 in the list of payoffs.
const NOTHING: u32 = 0;

/// Positions with the same number of steps left.
#[derive(Default)]
pub(super) struct Level {
    /// For each position: the number of groups; the outcomes of each; for policies that make claims
    /// the role's move of each; the successors of all groups.
    pub(super) stream: Vec<u32>,
    /// For policies that make claims the entry of each position.
    pub(super) entries: Vec<u32>,
    /// The numbers of outcomes that occur.
    pub(super) outcomes: BTreeSet<u32>,
    /// The number of positions.
    pub(super) positions: usize,
}

/// All positions that can be reached.
pub(super) struct Levels {
    /// From the start on, whose position is the only one of the first level.
    pub(super) levels: Vec<Level>,
    /// The payoffs where play can be over; the first is 0.
    pub(super) payoffs: Vec<BigRational>,
    /// Whether moves of the role and entries are in the levels.
    pub(super) has_claims: bool,
    /// The value, if nothing is played at all.
    pub(super) settled: Option<BigRational>,
}

impl Levels {
    /// How many entries of the policy were used.
    pub(super) fn entries(&self) -> u64 {
        let entries = self.levels.iter().flat_map(|level| &level.entries);
        entries.collect::<FxHashSet<_>>().len() as u64
    }
}

/// Why the walk ends early.
pub(super) enum EarlyEnd<E> {
    Doubt,
    Stopped(StopReason),
    Failed(CertifyError<E>),
}

impl<E> From<ReasonerError> for EarlyEnd<E> {
    fn from(error: ReasonerError) -> Self {
        match error {
            ReasonerError::Stopped(reason) => EarlyEnd::Stopped(reason),
            error => EarlyEnd::Failed(CertifyError::Rules(VerifyError::Rules(error))),
        }
    }
}

/// The moves that may be made in a position, and the numbers of groups and outcomes that follow.
#[derive(Default)]
struct Lane {
    /// For each role its legal moves.
    legal: Vec<Vec<u32>>,
    /// One joint move after the other, with a move of each role.
    joint_moves: Vec<u32>,
    groups: usize,
    outcomes: usize,
    entry: u32,
}

struct Walk<'a, P: Policy> {
    batch: &'a mut StateBatch,
    policy: &'a mut P,
    side: Side,
    sides: Sides,
    objective: Objective,
    has_claims: bool,
    payoffs: Vec<BigRational>,
    /// No payoff is larger than this.
    largest: BigRational,
    /// The payoff of goals that hold together, by their places; none if it is not defined.
    known_payoffs: FxHashMap<Vec<usize>, Option<u32>>,
    spot_check: SpotCheck<'a>,
    lanes: Vec<Lane>,
    /// For each joint move and lane the next state, and its payoff if play is over there.
    next_rows: Vec<u64>,
    next_payoffs: Vec<Option<u32>>,
}

/// Lists all positions that can be reached when a side keeps to a policy.
pub(super) fn explore<P: Policy>(
    certifier: &mut Certifier,
    side: Side,
    policy: &mut P,
    limits: &Limits,
    effort: &mut Effort,
) -> Result<Levels, EarlyEnd<P::Error>> {
    let Certifier {
        machine,
        batch,
        asked,
        largest,
    } = certifier;
    let Ok(sides) = Sides::of(&batch.ground().roles, &asked.role) else {
        return Err(EarlyEnd::Doubt);
    };
    let start = match batch.ground().state(&asked.start) {
        Ok(state) => batch.ground().row(&state),
        Err(fact) => return Err(EarlyEnd::Failed(CertifyError::UnknownFact(fact))),
    };
    let has_claims = policy.makes_claims(side);
    let mut walk = Walk {
        policy,
        side,
        sides,
        objective: asked.objective,
        has_claims,
        payoffs: vec![BigRational::zero()],
        largest: largest.clone(),
        known_payoffs: FxHashMap::default(),
        spot_check: SpotCheck::new(machine.reasoner()),
        lanes: (0..step::LANES).map(|_| Lane::default()).collect(),
        next_rows: Vec::new(),
        next_payoffs: Vec::new(),
        batch,
    };
    walk.batch.load(&start);
    let settled = if walk.batch.terminal() & 1 == 1 {
        let goals = walk.batch.goals(walk.sides.role);
        let indexes = held(goals, 0);
        let index = walk.payoff(indexes).ok_or(EarlyEnd::Doubt)?;
        Some(walk.payoffs[index as usize].clone())
    } else {
        (asked.depth == 0).then(BigRational::zero)
    };
    let mut levels = Vec::new();
    if settled.is_none() {
        let mut states = Interner::new(walk.batch.row_words());
        states.number(&start);
        let mut left = asked.depth;
        let mut kept = 0;
        while !states.is_empty() {
            let mut next = Interner::new(states.width());
            let level = walk.level(&states, &mut next, left, kept, limits, effort)?;
            kept += 4 * (level.stream.len() + level.entries.len()) as u64;
            levels.push(level);
            states = next;
            left -= 1;
        }
    }
    Ok(Levels {
        levels,
        payoffs: walk.payoffs,
        has_claims,
        settled,
    })
}

impl<P: Policy> Walk<'_, P> {
    /// Takes all positions of a level one step further.
    fn level(
        &mut self,
        states: &Interner,
        next: &mut Interner,
        steps: u32,
        kept: u64,
        limits: &Limits,
        effort: &mut Effort,
    ) -> Result<Level, EarlyEnd<P::Error>> {
        let mut level = Level::default();
        let words = states.width();
        let mut rows = Vec::with_capacity(step::LANES * words);
        for start in (0..states.len()).step_by(step::LANES) {
            let end = states.len().min(start + step::LANES);
            rows.clear();
            rows.extend((start..end).flat_map(|number| states.key(number)));
            let own = 4 * (level.stream.capacity() + level.entries.capacity()) as u64;
            let bytes = kept + own + states.bytes() + next.bytes();
            limits.check(bytes).map_err(EarlyEnd::Stopped)?;
            self.expand(&rows, words, steps)?;
            let count = end - start;
            for lane in 0..count {
                let row = &rows[lane * words..][..words];
                self.compare(lane, count, row, effort)?;
                self.record(lane, count, steps, next, &mut level);
                effort.positions += 1;
            }
            let known = KNOWN as usize;
            assert!(
                next.len() < known,
                "memory ends before two billion positions"
            );
        }
        level.stream.shrink_to_fit();
        Ok(level)
    }

    /// Computes the moves that may be made in some states, and their successors.
    fn expand(&mut self, rows: &[u64], words: usize, steps: u32) -> Result<(), EarlyEnd<P::Error>> {
        let count = rows.len() / words;
        self.batch.load(rows);
        let roles = self.batch.ground().roles.len();
        for lane in &mut self.lanes[..count] {
            lane.legal.resize(roles, Vec::new());
            lane.legal.iter_mut().for_each(Vec::clear);
        }
        for role in 0..roles {
            for (number, legal) in self.batch.legal(role).enumerate() {
                let mut left = legal & (u64::MAX >> (64 - count));
                while left != 0 {
                    let lane = left.trailing_zeros() as usize;
                    self.lanes[lane].legal[role].push(number as u32);
                    left &= left - 1;
                }
            }
        }
        let mut most = 0;
        for (lane, row) in rows.chunks_exact(words).enumerate() {
            if self.lanes[lane].legal.iter().any(Vec::is_empty) {
                return Err(EarlyEnd::Doubt);
            }
            self.joint_moves(lane, row, steps)?;
            most = most.max(self.lanes[lane].joint_moves.len() / roles);
        }
        self.next_rows.clear();
        self.next_payoffs.clear();
        for number in 0..most {
            for (index, lane) in self.lanes[..count].iter().enumerate() {
                if let Some(joint_move) = lane.joint_moves.chunks_exact(roles).nth(number) {
                    for (role, &action) in joint_move.iter().enumerate() {
                        self.batch.choose(role, action as usize, 1 << index);
                    }
                }
            }
            self.batch.step();
            self.batch.next_rows(count, &mut self.next_rows);
            let over = self.batch.next_terminal();
            for lane in 0..count {
                let is_played = number * roles < self.lanes[lane].joint_moves.len();
                let payoff = if is_played && over >> lane & 1 == 1 {
                    let indexes = held(self.batch.next_goals(self.sides.role), lane);
                    Some(self.payoff(indexes).ok_or(EarlyEnd::Doubt)?)
                } else {
                    None
                };
                self.next_payoffs.push(payoff);
            }
        }
        Ok(())
    }

    /// Lists the joint moves that the policy leaves open in the state of a lane.
    fn joint_moves(
        &mut self,
        lane: usize,
        row: &[u64],
        steps: u32,
    ) -> Result<(), EarlyEnd<P::Error>> {
        let Sides {
            role,
            opponents,
            random,
        } = &self.sides;
        let failed = |error| EarlyEnd::Failed(CertifyError::Policy(error));
        let lane = &mut self.lanes[lane];
        lane.joint_moves.clear();
        let roles = lane.legal.len();
        let mut replies = Vec::new();
        let actions = match self.side {
            Side::Role => {
                let said = self.policy.decide(row, steps).map_err(failed)?;
                let (action, entry) = said.ok_or(EarlyEnd::Doubt)?;
                lane.entry = entry;
                vec![action]
            }
            Side::Opponents => {
                let actions = lane.legal[*role].clone();
                let said = if opponents.is_empty() {
                    Some(super::NO_ENTRY)
                } else {
                    let said = self.policy.answer(row, steps, &actions, &mut replies);
                    said.map_err(failed)?
                };
                lane.entry = said.ok_or(EarlyEnd::Doubt)?;
                actions
            }
        };
        // One joint move for each group, with the first move of chance.
        let mut joint_move: Vec<u32> = lane.legal.iter().map(|legal| legal[0]).collect();
        let mut groups: Vec<u32> = Vec::new();
        for (index, &action) in actions.iter().enumerate() {
            joint_move[*role] = action;
            match self.side {
                Side::Opponents => {
                    let replies = &replies[index * opponents.len()..];
                    for (&opponent, &reply) in opponents.iter().zip(replies) {
                        joint_move[opponent] = reply;
                    }
                    groups.extend_from_slice(&joint_move);
                }
                Side::Role => all_replies(&lane.legal, opponents, &mut joint_move, &mut groups),
            }
        }
        let is_legal = |joint_move: &[u32]| {
            let mut moves = joint_move.iter().zip(&lane.legal);
            moves.all(|(number, legal)| legal.contains(number))
        };
        if !groups.chunks_exact(roles).all(is_legal) {
            return Err(EarlyEnd::Doubt);
        }
        lane.groups = groups.len() / roles;
        lane.outcomes = random.map_or(1, |random| lane.legal[random].len());
        for group in groups.chunks_exact_mut(roles) {
            for outcome in 0..lane.outcomes {
                if let Some(random) = random {
                    group[*random] = lane.legal[*random][outcome];
                }
                lane.joint_moves.extend_from_slice(group);
            }
        }
        Ok(())
    }

    /// Compares the state of a lane with the rules, if it is one of the sample.
    fn compare(
        &mut self,
        lane: usize,
        count: usize,
        row: &[u64],
        effort: &mut Effort,
    ) -> Result<(), EarlyEnd<P::Error>> {
        if !SpotCheck::is_due(effort.positions) {
            return Ok(());
        }
        effort.compared += 1;
        let words = row.len();
        let followed = CircuitState {
            ground: self.batch.ground(),
            role: self.sides.role,
            objective: self.objective,
            state: row,
            legal: &self.lanes[lane].legal,
        };
        let roles = followed.legal.len();
        let mut agrees = self.spot_check.start(&followed)?;
        let joint_moves = self.lanes[lane].joint_moves.chunks_exact(roles);
        for (number, joint_move) in joint_moves.enumerate() {
            let index = number * count + lane;
            let next = &self.next_rows[index * words..][..words];
            let payoff = self.next_payoffs[index].map(|index| &self.payoffs[index as usize]);
            agrees &= self.spot_check.next(&followed, joint_move, next, payoff)?;
        }
        if agrees {
            Ok(())
        } else {
            let facts = followed.ground.held(row);
            Err(EarlyEnd::Failed(CertifyError::Disagreement(facts)))
        }
    }

    /// Notes the successors in a lane, and lists the states that are new.
    fn record(
        &self,
        lane: usize,
        count: usize,
        steps: u32,
        next: &mut Interner,
        level: &mut Level,
    ) {
        let Lane {
            legal,
            joint_moves,
            groups,
            outcomes,
            entry,
        } = &self.lanes[lane];
        level.positions += 1;
        if self.has_claims {
            level.entries.push(*entry);
        } else if let Some(settled) = self.settled(lane, count) {
            level.outcomes.insert(1);
            level.stream.extend([1, 1, KNOWN | settled]);
            return;
        }
        level.outcomes.insert(*outcomes as u32);
        level.stream.extend([*groups as u32, *outcomes as u32]);
        let roles = legal.len();
        if self.has_claims {
            let groups = joint_moves.chunks_exact(roles).step_by(*outcomes);
            let actions = groups.map(|joint_move| joint_move[self.sides.role]);
            level.stream.extend(actions);
        }
        let words = next.width();
        for number in 0..groups * outcomes {
            let index = number * count + lane;
            let successor = match self.next_payoffs[index] {
                Some(payoff) => KNOWN | payoff,
                None if steps == 1 => KNOWN | NOTHING,
                None => next.number(&self.next_rows[index * words..][..words]),
            };
            level.stream.push(successor);
        }
    }

    /// The payoff that a state is worth because of one group whose plays are all over: 1 by a move
    /// of the role, nothing by an answer of the opponents.
    fn settled(&self, lane: usize, count: usize) -> Option<u32> {
        let Lane {
            groups, outcomes, ..
        } = &self.lanes[lane];
        let decides = |payoff: u32| match self.side {
            Side::Opponents => self.payoffs[payoff as usize] == self.largest,
            Side::Role => payoff == NOTHING,
        };
        (0..*groups).find_map(|group| {
            let numbers = group * outcomes..(group + 1) * outcomes;
            let mut payoffs = numbers.map(|number| self.next_payoffs[number * count + lane]);
            let first = payoffs.next().flatten().filter(|&payoff| decides(payoff))?;
            payoffs.all(|payoff| payoff == Some(first)).then_some(first)
        })
    }

    /// The index of the payoff of goals that hold together; none if that is not defined.
    fn payoff(&mut self, indexes: Vec<usize>) -> Option<u32> {
        if let Some(&known) = self.known_payoffs.get(&indexes) {
            return known;
        }
        let goals = &self.batch.ground().goals[self.sides.role];
        let values: Vec<Term> = indexes
            .iter()
            .map(|&index| goals[index].0.clone())
            .collect();
        let found = worth(&values, self.objective).map(|value| {
            let known = self.payoffs.iter().position(|other| *other == value);
            known.unwrap_or_else(|| {
                self.payoffs.push(value);
                self.payoffs.len() - 1
            }) as u32
        });
        self.known_payoffs.insert(indexes, found);
        found
    }
}

/// The indexes of the sentences that hold in a lane.
fn held(words: impl Iterator<Item = u64>, lane: usize) -> Vec<usize> {
    let held = words.enumerate().filter(|(_, word)| word >> lane & 1 == 1);
    held.map(|(index, _)| index).collect()
}

/// Appends the joint move with every joint answer.
fn all_replies(
    legal: &[Vec<u32>],
    opponents: &[usize],
    joint_move: &mut [u32],
    groups: &mut Vec<u32>,
) {
    let mut tried = vec![0; opponents.len()];
    loop {
        for (&opponent, &number) in opponents.iter().zip(&tried) {
            joint_move[opponent] = legal[opponent][number];
        }
        groups.extend_from_slice(joint_move);
        let moved = (0..opponents.len()).rev().find(|&index| {
            tried[index] = (tried[index] + 1) % legal[opponents[index]].len();
            tried[index] != 0
        });
        if moved.is_none() {
            return;
        }
    }
}
