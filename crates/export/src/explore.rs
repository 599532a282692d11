//! All nodes that play can lead to, breadth first.
//!
//! Up to 64 nodes are looked at together, in the lanes of words ([`StateBatch`]): once to see what is legal
//! there, and then once for every 64 joint moves, to see where they lead.

use crate::Scope;
use crate::actions::Actions;
use crate::error::ExportError;
use crate::keys::{OVER, last_word, parts};
use crate::node::{Branch, Choice, Counts, Kind, Node, Policy, Sink};
use base::table::Interner;
use gdl::Name;
use gdl::game::{Game, Points, Sides, joint_moves, points};
use limits::{Limits, Watch};
use rules::{PlayDefect, RuleLimits, goal_defect};
use step::{GroundStep, LANES, StateBatch, StateMachine, StepError, StepLimits, for_each_lane};
use verify::Side;

/// Lists the nodes of a game.
pub(crate) struct Explorer {
    batch: StateBatch,
    roles: Vec<Name>,
    sides: Sides,
    depth: Option<u32>,
    most: usize,
    keys: Interner,
    actions: Actions,
    policy: Option<Box<dyn Policy>>,
    expansion: Expansion,
}

/// When nodes have this many joint moves together, others wait: where each leads is kept until they are listed.
const MAX_JOINT_MOVES_AT_ONCE: usize = 1 << 16;

/// The nodes that are looked at, and the moves that may be made in them.
#[derive(Default)]
struct Expansion {
    rows: Vec<u64>,
    /// For each role and lane the legal moves.
    legal: Vec<Vec<Vec<u32>>>,
    /// The joint moves that are made: a lane, and a move for each role.
    lanes: Vec<u8>,
    moves: Vec<u32>,
    /// The rows after them.
    next: Vec<u64>,
}

impl Explorer {
    /// From the start of a game.
    pub(crate) fn new(game: &Game, scope: &Scope, limits: &Limits) -> Result<Self, ExportError> {
        let starts: Vec<_> = scope.start.iter().cloned().collect();
        let step = StepLimits::patient().within(limits);
        let rules = RuleLimits::within(limits);
        let machine = StateMachine::starting_from(game, &starts, &step, rules)?;
        let batch = match machine.circuit() {
            Ok(_) => StateBatch::new(&machine).expect("there is a circuit"),
            Err(StepError::Stopped(reason)) => {
                return Err(ExportError::Stopped {
                    reason: *reason,
                    states: 0,
                });
            }
            Err(error) => return Err(ExportError::Step(error.clone())),
        };
        let ground = batch.ground();
        let initial = match &scope.start {
            None => ground.step.initial.clone(),
            Some(facts) => (ground.state(facts)).expect("the circuit knows what it starts from"),
        };
        let words = batch.row_words();
        let mut keys = Interner::new(words + 1);
        let mut key = vec![0; words + 1];
        key[..words].copy_from_slice(&ground.row(&initial));
        key[words] = last_word(scope.depth.unwrap_or(0), None);
        keys.number(&key);
        let roles = ground.roles.clone();
        Ok(Explorer {
            sides: Sides::new(&roles, scope.role),
            depth: scope.depth,
            most: scope.states,
            keys,
            actions: Actions::new(),
            policy: None,
            expansion: Expansion {
                legal: vec![vec![Vec::new(); LANES]; roles.len()],
                ..Expansion::default()
            },
            roles,
            batch,
        })
    }

    /// Lets a side follow a policy.
    pub(crate) fn fix(&mut self, policy: Box<dyn Policy>) {
        self.policy = Some(policy);
    }

    /// The circuit, with its names.
    pub(crate) fn ground(&self) -> &GroundStep {
        self.batch.ground()
    }

    /// The names of the actions chosen.
    pub(crate) fn actions(&self) -> &Actions {
        &self.actions
    }

    /// The keys of all nodes.
    pub(crate) fn into_keys(self) -> Interner {
        self.keys
    }

    /// Lists all nodes.
    pub(crate) fn run(
        &mut self,
        sink: &mut dyn Sink,
        limits: &Limits,
    ) -> Result<Counts, ExportError> {
        let mut watch = Watch::new(limits);
        let mut counts = Counts::default();
        let mut next = 0;
        while next < self.keys.len() {
            let states = self.keys.len();
            let bytes = self.keys.bytes();
            let told = watch.check_and_report("listing states", states as u64, bytes, || None);
            if let Err(reason) = told.and_then(|()| limits.check_memory(bytes)) {
                return Err(ExportError::Stopped { reason, states });
            }
            let nodes = next..states.min(next + LANES);
            self.load(nodes.clone());
            next = self.list(nodes, sink, &mut counts, watch.limits())?;
            if self.keys.len() > self.most.min(u32::MAX as usize) {
                return Err(ExportError::TooMany(self.most));
            }
        }
        counts.states = next as u64;
        Ok(counts)
    }

    /// Puts nodes into lanes, and finds their legal moves.
    fn load(&mut self, nodes: std::ops::Range<usize>) {
        let words = self.batch.row_words();
        let here = &mut self.expansion;
        here.rows.clear();
        let mut active = 0u64;
        for (lane, number) in nodes.enumerate() {
            let key = self.keys.key(number);
            here.rows.extend_from_slice(&key[..words]);
            let is_cut = self.depth.is_some() && parts(key[words]).0 == 0;
            active |= u64::from(key[words] != OVER && !is_cut) << lane;
        }
        self.batch.load(&here.rows);
        active &= !self.batch.terminal();
        for (role, lists) in here.legal.iter_mut().enumerate() {
            lists.iter_mut().for_each(Vec::clear);
            for (index, lanes) in self.batch.legal(role).enumerate() {
                for_each_lane(lanes & active, |lane| lists[lane].push(index as u32));
            }
        }
    }

    /// Lists the choices of the nodes that were looked at, of as many as have not too many joint moves. Gives the number of the
    /// first one that is left.
    fn list(
        &mut self,
        nodes: std::ops::Range<usize>,
        sink: &mut dyn Sink,
        counts: &mut Counts,
        limits: &Limits,
    ) -> Result<usize, ExportError> {
        // One node may have as many joint moves as many nodes.
        let states = self.keys.len();
        let check = || {
            let checked = limits.check();
            checked.map_err(|reason| ExportError::Stopped { reason, states })
        };
        let words = self.batch.row_words();
        let terminal = self.batch.terminal();
        let mut plans = Vec::with_capacity(nodes.len());
        self.expansion.lanes.clear();
        self.expansion.moves.clear();
        for (lane, number) in nodes.clone().enumerate() {
            let last = self.keys.key(number)[words];
            let kind = match parts(last) {
                _ if last == OVER => Kind::Over,
                _ if terminal >> lane & 1 == 1 => Kind::Terminal(self.points(lane)?),
                (0, _) if self.depth.is_some() => Kind::Cut,
                (_, made) => self.side(lane, made)?,
            };
            plans.push(self.plan(lane, number, kind)?);
            check()?;
            if self.expansion.lanes.len() >= MAX_JOINT_MOVES_AT_ONCE {
                break;
            }
        }
        let end = nodes.start + plans.len();
        self.play(check)?;
        let mut done = 0;
        let (mut choices, mut branches) = (Vec::new(), Vec::new());
        let mut target = vec![0; words + 1];
        let mut facts = vec![0; words];
        for ((lane, number), plan) in nodes.enumerate().zip(plans) {
            check()?;
            choices.clear();
            branches.clear();
            facts.copy_from_slice(&self.expansion.rows[lane * words..][..words]);
            let (steps, made) = parts(self.keys.key(number)[words]);
            for choice in &plan.choices {
                let start = branches.len();
                match choice.next {
                    Next::Over => {
                        target.fill(0);
                        target[words] = OVER;
                        let target = self.keys.number(&target);
                        branches.push(Branch { target, weight: 1 });
                    }
                    Next::Reply(index) => {
                        target[..words].copy_from_slice(&facts);
                        target[words] = last_word(steps, Some(index));
                        let target = self.keys.number(&target);
                        branches.push(Branch { target, weight: 1 });
                    }
                    Next::Outcomes(count) => {
                        target[words] = last_word(steps.saturating_sub(1), None);
                        for outcome in done..done + count {
                            let row = &self.expansion.next[outcome * words..][..words];
                            target[..words].copy_from_slice(row);
                            let target = self.keys.number(&target);
                            branches.push(Branch { target, weight: 1 });
                        }
                        done += count;
                    }
                }
                let total = (branches.len() - start) as u64;
                merge(&mut branches, start);
                choices.push(Choice {
                    action: choice.action,
                    end: branches.len(),
                    total,
                });
            }
            counts.choices += choices.len() as u64;
            counts.branches += branches.len() as u64;
            let made = made.filter(|_| plan.kind != Kind::Over).map(|index| {
                let key = [self.sides.role as u32, index];
                self.actions
                    .number(self.batch.ground(), &[self.sides.role], &key)
            });
            let is_over = plan.kind == Kind::Over;
            let node = Node {
                kind: plan.kind,
                facts: &facts,
                steps: if is_over { 0 } else { steps },
                made,
                choices: &choices,
                branches: &branches,
            };
            sink.node(&node, &self.actions)?;
        }
        Ok(end)
    }

    /// The side that chooses in a lane.
    fn side(&self, lane: usize, made: Option<u32>) -> Result<Kind, ExportError> {
        let count = |role: usize| self.expansion.legal[role][lane].len();
        if let Some(role) = (0..self.roles.len()).find(|&role| count(role) == 0) {
            let defect = PlayDefect::NoLegalMove(self.roles[role].clone());
            return Err(self.defect(lane, defect));
        }
        let has_replies = self.sides.opponents.iter().any(|&role| count(role) > 1);
        let is_reply = made.is_some() || (count(self.sides.role) == 1 && has_replies);
        Ok(Kind::Choice(if is_reply {
            Side::Opponents
        } else {
            Side::Role
        }))
    }

    /// The points of the role in a lane, in which play is over.
    fn points(&self, lane: usize) -> Result<Points, ExportError> {
        let role = self.sides.role;
        let values: Vec<_> = self.batch.goals_in(lane, role).cloned().collect();
        match (&values[..], values.first().and_then(points)) {
            ([_], Some(points)) => Ok(points),
            _ => {
                let defect = goal_defect(&self.roles[role], &values);
                Err(self.defect(lane, defect.expect("not one number of points")))
            }
        }
    }

    fn defect(&self, lane: usize, defect: PlayDefect) -> ExportError {
        let state = self.batch.facts_in(lane);
        ExportError::Defect { defect, state }
    }

    /// The choices in a lane; joint moves that are to be made are noted.
    fn plan(&mut self, lane: usize, number: usize, kind: Kind) -> Result<Plan, ExportError> {
        let Kind::Choice(side) = kind else {
            let choice = Planned {
                action: Actions::END,
                next: Next::Over,
            };
            let choices = vec![choice];
            return Ok(Plan { kind, choices });
        };
        let words = self.batch.row_words();
        let (_, made) = parts(self.keys.key(number)[words]);
        let legal = |role: usize| &self.expansion.legal[role][lane];
        // The moves of the side that chooses here, one row for each choice.
        let choosers: &[usize] = match side {
            Side::Role => &[self.sides.role],
            Side::Opponents => &self.sides.opponents,
        };
        let mut rows = joint_moves(choosers.iter().map(|&role| &legal(role)[..]));
        if let Some(policy) = self.policy.as_ref().filter(|policy| policy.side() == side)
            && rows.len() > 1
        {
            let index = policy.choice(self.keys.key(number), &rows)?;
            rows = vec![rows.swap_remove(index)];
        }
        let has_replies = self
            .sides
            .opponents
            .iter()
            .any(|&role| legal(role).len() > 1);
        let needs_reply = side == Side::Role && has_replies;
        let mut joint: Vec<u32> = self
            .expansion
            .legal
            .iter()
            .map(|moves| moves[lane][0])
            .collect();
        if let Some(index) = made {
            joint[self.sides.role] = index;
        }
        let mut choices = Vec::with_capacity(rows.len());
        let mut key = Vec::new();
        for row in &rows {
            key.clear();
            key.push(choosers[0] as u32);
            key.extend_from_slice(row);
            let action = self.actions.number(self.batch.ground(), choosers, &key);
            if needs_reply {
                let next = Next::Reply(row[0]);
                choices.push(Planned { action, next });
                continue;
            }
            for (&role, &index) in choosers.iter().zip(row) {
                joint[role] = index;
            }
            let outcomes = match self.sides.random {
                None => &[0][..],
                Some(random) => &self.expansion.legal[random][lane][..],
            };
            for &outcome in outcomes {
                if let Some(random) = self.sides.random {
                    joint[random] = outcome;
                }
                self.expansion.lanes.push(lane as u8);
                self.expansion.moves.extend_from_slice(&joint);
            }
            let next = Next::Outcomes(outcomes.len());
            choices.push(Planned { action, next });
        }
        Ok(Plan { kind, choices })
    }

    /// Makes all joint moves that were noted; `check` checks the limits meanwhile.
    fn play(&mut self, check: impl Fn() -> Result<(), ExportError>) -> Result<(), ExportError> {
        let words = self.batch.row_words();
        let Expansion {
            rows,
            lanes,
            moves,
            next,
            ..
        } = &mut self.expansion;
        next.clear();
        let rows = lanes
            .iter()
            .map(|&lane| &rows[usize::from(lane) * words..][..words]);
        let moves = moves.chunks(self.roles.len());
        let moves = moves.map(|joint| joint.iter().map(|&index| index as usize));
        self.batch.successors(rows.zip(moves), next, |_| check())
    }
}

/// The plan of a node: its kind and its choices.
struct Plan {
    kind: Kind,
    choices: Vec<Planned>,
}

struct Planned {
    action: u32,
    next: Next,
}

/// The continuation of play after a choice.
enum Next {
    /// The last node.
    Over,
    /// The opponents' reply to this move.
    Reply(u32),
    /// Chance, with this number of outcomes.
    Outcomes(usize),
}

/// Makes branches from `start` on with the same target one.
fn merge(branches: &mut Vec<Branch>, start: usize) {
    if branches.len() - start < 2 {
        return;
    }
    branches[start..].sort_unstable_by_key(|branch| branch.target);
    let mut end = start;
    for index in start + 1..branches.len() {
        let branch = branches[index];
        if branches[end].target == branch.target {
            branches[end].weight += branch.weight
        } else {
            end += 1;
            branches[end] = branch;
        }
    }
    branches.truncate(end + 1);
}
