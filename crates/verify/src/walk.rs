//! All positions that can be reached when one side follows its strategy.
//!
//! Positions are states with the number of steps left, found breadth first from the start, so that
//! a position that follows another one has fewer steps left and a larger number. Values can then be
//! computed from the last position to the first, without recursion, and the way by which a position
//! was found first is a shortest play to it. Where all steps count positions are states, and can follow themselves.
//!
//! The moves out of a position come in groups: the outcomes of chance, all equally likely, after one choice
//! of the side that is *not* followed. So on the role's side there is a group for each joint answer of the
//! opponents, on the opponents' side one for each move of the role.

use super::outcome::{EarlyEnd, Flaw, Refusal, Side, VerifyError};
use super::policy::{Heading, Strategy};
use super::table::{TermNumber, TermTable};
use gdl::game::Sides;
use gdl::{Name, Term};
use hashbrown::HashTable;
use limits::Limits;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rules::{PlayDefect, PlayFinding, Reasoner, ReasonerError, State, goal_defect, worth};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// A position that can be reached.
pub(super) struct Node {
    state: State,
    /// The steps left; none where all count.
    pub(super) steps: Option<u32>,
    /// The node that it was found from; itself for the start.
    parent: u32,
    pub(super) kind: Kind,
}

/// The kind of a position.
pub(super) enum Kind {
    /// Not looked at yet.
    New,
    /// Play is over, or no steps are left: worth this.
    Leaf(BigRational),
    /// Play goes on.
    Inner {
        /// The position's index in the strategy, which may be silent where nobody opposes.
        entry: Option<u32>,
        /// Its groups, in [`Walk::groups`].
        groups: Range<u32>,
    },
}

/// The outcomes of chance after one choice of the other side.
pub(super) struct Group {
    /// The nodes that follow, in [`Walk::successors`].
    pub(super) successors: Range<usize>,
    /// On the opponents' side: which of the position's answers is given.
    pub(super) answer: Option<u32>,
}

/// The choices of all sides in a position where play goes on, the followed side's move given.
struct Choices {
    entry: Option<u32>,
    /// For each group one joint move, in which chance's move is still open, and the answer.
    groups: Vec<(Vec<Term>, Option<u32>)>,
    /// The random role's index and its moves; without such a role nothing is open.
    chance: Option<(usize, Vec<Term>)>,
}

/// A walk along one side's strategy.
pub(super) struct Walk<'a> {
    strategy: &'a Strategy,
    side: Side,
    limits: &'a Limits,
    reasoner: &'a mut Reasoner,
    sides: Sides,
    /// Where the strategy speaks of a position.
    entries: FxHashMap<(State, Option<u32>), u32>,
    pub(super) nodes: Vec<Node>,
    pub(super) groups: Vec<Group>,
    pub(super) successors: Vec<u32>,
    index: HashTable<u32>,
    /// Memory in use, about, in bytes.
    bytes: u64,
}

impl<'a> Walk<'a> {
    /// Stands at the start.
    pub(super) fn new(
        reasoner: &'a mut Reasoner,
        strategy: &'a Strategy,
        side: Side,
        limits: &'a Limits,
    ) -> Result<Self, EarlyEnd> {
        let Heading { roles, role, .. } = &strategy.heading;
        let sides = Sides::of(roles, role).expect("the heading was compared with the game");
        let mut walk = Walk {
            strategy,
            side,
            limits,
            sides,
            entries: FxHashMap::default(),
            nodes: Vec::new(),
            groups: Vec::new(),
            successors: Vec::new(),
            index: HashTable::new(),
            bytes: 0,
            reasoner,
        };
        walk.read_entries()?;
        let start = walk.reasoner.state(&strategy.heading.start)?;
        walk.node(start, strategy.heading.depth, 0);
        Ok(walk)
    }

    /// Numbers the positions that the strategy speaks of, each of which must come once.
    fn read_entries(&mut self) -> Result<(), EarlyEnd> {
        let Strategy {
            player, opponents, ..
        } = self.strategy;
        let count = match self.side {
            Side::Role => player.len(),
            Side::Opponents => opponents.len(),
        };
        for entry in 0..count {
            let position = match self.side {
                Side::Role => &player[entry].position,
                Side::Opponents => &opponents[entry].position,
            };
            let facts = self.strategy.terms.terms(&position.facts);
            let state = self.reasoner.state(&facts)?;
            self.bytes += state_bytes(&state) + 24;
            let entry = entry as u32;
            let before = self.entries.insert((state, position.steps), entry);
            if before.is_some() {
                return Err(EarlyEnd::Refused(Box::new(Refusal {
                    side: self.side,
                    flaw: Flaw::ListedTwice,
                    history: None,
                    state: sorted(facts),
                    steps: position.steps,
                })));
            }
            if entry.is_multiple_of(1024) {
                self.check_limits()?;
            }
        }
        Ok(())
    }

    /// Finds all positions that can be reached.
    pub(super) fn explore(&mut self) -> Result<(), EarlyEnd> {
        let mut next = 0;
        while next < self.nodes.len() {
            self.check_limits()?;
            self.expand(next as u32)?;
            next += 1;
        }
        Ok(())
    }

    /// How many of the strategy's positions can be reached.
    pub(super) fn reached(&self) -> usize {
        let mut reached = vec![false; self.entries.len()];
        for node in &self.nodes {
            if let Kind::Inner {
                entry: Some(entry), ..
            } = node.kind
            {
                reached[entry as usize] = true;
            }
        }
        reached.into_iter().filter(|reached| *reached).count()
    }

    fn expand(&mut self, number: u32) -> Result<(), EarlyEnd> {
        let node = &self.nodes[number as usize];
        let (state, steps) = (node.state.clone(), node.steps);
        if let Some(value) = self.leaf_value(number, &state, steps)? {
            self.nodes[number as usize].kind = Kind::Leaf(value);
            return Ok(());
        }
        let Choices {
            entry,
            groups,
            chance,
        } = self.choices(number)?;
        let first_group = self.groups.len() as u32;
        for (mut joint_move, answer) in groups {
            let start = self.successors.len();
            match &chance {
                None => self.follow(number, &state, steps, &joint_move)?,
                Some((role, outcomes)) => {
                    for outcome in outcomes {
                        joint_move[*role] = outcome.clone();
                        self.follow(number, &state, steps, &joint_move)?;
                    }
                }
            }
            let successors = start..self.successors.len();
            self.groups.push(Group { successors, answer });
            self.bytes += 32;
            self.check_limits()?;
        }
        let groups = first_group..self.groups.len() as u32;
        self.nodes[number as usize].kind = Kind::Inner { entry, groups };
        Ok(())
    }

    /// Plays one joint move.
    fn follow(
        &mut self,
        from: u32,
        state: &State,
        steps: Option<u32>,
        joint_move: &[Term],
    ) -> Result<(), EarlyEnd> {
        let next = self.reasoner.next(state, joint_move)?;
        let node = self.node(next, steps.map(|steps| steps - 1), from);
        self.successors.push(node);
        self.bytes += 4;
        Ok(())
    }

    /// The value of a position in which nobody does anything more.
    fn leaf_value(
        &mut self,
        number: u32,
        state: &State,
        steps: Option<u32>,
    ) -> Result<Option<BigRational>, EarlyEnd> {
        let payoff = payoff(
            self.reasoner,
            &self.strategy.heading,
            self.sides.role,
            state,
        )?;
        let payoff = payoff.map_err(|defect| self.defect(number, defect))?;
        Ok(payoff.or_else(|| (steps == Some(0)).then(BigRational::zero)))
    }

    fn choices(&mut self, number: u32) -> Result<Choices, EarlyEnd> {
        let Node { state, steps, .. } = &self.nodes[number as usize];
        let (state, steps) = (state.clone(), *steps);
        let legal = all_legal(self.reasoner, &state)?;
        let mut legal =
            legal.map_err(|stuck| self.defect(number, PlayDefect::NoLegalMove(stuck)))?;
        let exact = self.entries.get(&(state.clone(), steps));
        let entry = exact.or_else(|| self.entries.get(&(state, None))).copied();
        // Where nobody opposes, nothing is to be answered, and nothing needs to be listed; but without a step limit
        // the values that are claimed prove the bound.
        let nothing_to_say =
            self.side == Side::Opponents && self.sides.opponents.is_empty() && steps.is_some();
        let groups = match (self.side, entry) {
            (Side::Role, Some(entry)) => self.answers_to_decision(number, entry, &legal)?,
            (Side::Opponents, Some(entry)) => self.answers_listed(number, entry, &legal)?,
            (_, None) if nothing_to_say => {
                let open = |action: &Term| (self.open_move(&legal, self.sides.role, action), None);
                legal[self.sides.role].iter().map(open).collect()
            }
            (_, None) => return Err(self.flaw(number, Flaw::Missing)),
        };
        Ok(Choices {
            entry,
            groups,
            chance: self
                .sides
                .random
                .map(|role| (role, legal.swap_remove(role))),
        })
    }

    /// A joint move in which one role makes this move, and all others their first legal one.
    fn open_move(&self, legal: &[Vec<Term>], role: usize, action: &Term) -> Vec<Term> {
        let mut joint_move: Vec<Term> = legal.iter().map(|moves| moves[0].clone()).collect();
        joint_move[role] = action.clone();
        joint_move
    }

    /// The role's move with every joint answer.
    #[allow(clippy::type_complexity)]
    fn answers_to_decision(
        &mut self,
        number: u32,
        entry: u32,
        legal: &[Vec<Term>],
    ) -> Result<Vec<(Vec<Term>, Option<u32>)>, EarlyEnd> {
        let decision = &self.strategy.player[entry as usize];
        let action = self.strategy.terms.term(decision.action);
        if !legal[self.sides.role].contains(action) {
            let role = self.strategy.heading.role.clone();
            let action = action.clone();
            return Err(self.flaw(number, Flaw::IllegalMove { role, action }));
        }
        let mut joint_moves = vec![(self.open_move(legal, self.sides.role, action), None)];
        for &role in &self.sides.opponents {
            let mut longer = Vec::with_capacity(joint_moves.len() * legal[role].len());
            for (joint_move, _) in &joint_moves {
                for other in &legal[role] {
                    let mut joint_move = joint_move.clone();
                    joint_move[role] = other.clone();
                    longer.push((joint_move, None));
                }
                self.check_limits()?;
            }
            joint_moves = longer;
        }
        Ok(joint_moves)
    }

    /// Every move of the role with the listed answer.
    #[allow(clippy::type_complexity)]
    fn answers_listed(
        &mut self,
        number: u32,
        entry: u32,
        legal: &[Vec<Term>],
    ) -> Result<Vec<(Vec<Term>, Option<u32>)>, EarlyEnd> {
        let strategy = self.strategy;
        let response = &strategy.opponents[entry as usize];
        let mut joint_moves = Vec::with_capacity(legal[self.sides.role].len());
        for action in &legal[self.sides.role] {
            let is_meant = |answer: &super::Answer| strategy.terms.term(answer.action) == action;
            let Some(index) = response.answers.iter().position(is_meant) else {
                let action = action.clone();
                return Err(self.flaw(number, Flaw::NoAnswer { action }));
            };
            let mut joint_move = self.open_move(legal, self.sides.role, action);
            let reply = response.answers[index].reply.iter();
            for (&role, &other) in self.sides.opponents.iter().zip(reply) {
                let other = strategy.terms.term(other);
                if !legal[role].contains(other) {
                    let role = strategy.heading.roles[role].clone();
                    let action = other.clone();
                    return Err(self.flaw(number, Flaw::IllegalMove { role, action }));
                }
                joint_move[role] = other.clone();
            }
            joint_moves.push((joint_move, Some(index as u32)));
        }
        Ok(joint_moves)
    }

    /// The node of a position, which is found from this one if it is new.
    fn node(&mut self, state: State, steps: Option<u32>, parent: u32) -> u32 {
        let hash = hash_position(&state, steps);
        let nodes = &self.nodes;
        let same = |number: &u32| {
            let node = &nodes[*number as usize];
            node.steps == steps && node.state == state
        };
        if let Some(&number) = self.index.find(hash, same) {
            return number;
        }
        let number = u32::try_from(nodes.len()).expect("memory ends before four billion positions");
        let rehash = |&number: &u32| {
            let node = &nodes[number as usize];
            hash_position(&node.state, node.steps)
        };
        self.index.insert_unique(hash, number, rehash);
        // The value that is computed later counts too.
        self.bytes += state_bytes(&state) + size_of::<Node>() as u64 + 128;
        self.nodes.push(Node {
            state,
            steps,
            parent,
            kind: Kind::New,
        });
        number
    }

    /// The facts of a node's state, sorted by text.
    pub(super) fn facts(&self, number: u32) -> Vec<Term> {
        self.reasoner.facts(&self.nodes[number as usize].state)
    }

    /// The label on the edges of each of a node's groups.
    pub(super) fn group_labels(&mut self, number: u32) -> Result<Vec<String>, EarlyEnd> {
        let groups = self.choices(number)?.groups.into_iter();
        let all: Vec<Vec<Term>> = groups.map(|(joint_move, _)| joint_move).collect();
        let label = |joint_move: &Vec<Term>| {
            group_label(
                joint_move,
                &all,
                self.side,
                self.sides.role,
                &self.sides.opponents,
            )
        };
        Ok(all.iter().map(label).collect())
    }

    fn check_limits(&self) -> Result<(), EarlyEnd> {
        self.limits.check(self.bytes).map_err(EarlyEnd::Stopped)
    }

    /// The refusal that this node shows.
    pub(super) fn flaw(&mut self, number: u32, flaw: Flaw) -> EarlyEnd {
        let history = match self.history(number) {
            Ok(history) => history,
            Err(cut) => return cut,
        };
        let node = &self.nodes[number as usize];
        EarlyEnd::Refused(Box::new(Refusal {
            side: self.side,
            flaw,
            history: Some(history),
            state: self.reasoner.facts(&node.state),
            steps: node.steps,
        }))
    }

    /// The defect of the game that this node shows.
    fn defect(&mut self, number: u32, defect: PlayDefect) -> EarlyEnd {
        let history = match self.history(number) {
            Ok(history) => history,
            Err(cut) => return cut,
        };
        let state = self.reasoner.facts(&self.nodes[number as usize].state);
        EarlyEnd::Failed(VerifyError::Defect(Box::new(PlayFinding {
            defect,
            history,
            state,
        })))
    }

    /// The joint moves of a shortest play from the start to a node. The moves out of each node on
    /// the way are listed once more, in the order in which they were played.
    fn history(&mut self, number: u32) -> Result<Vec<Vec<Term>>, EarlyEnd> {
        let mut history = Vec::new();
        let mut number = number;
        while number != 0 {
            let parent = self.nodes[number as usize].parent;
            let Choices { groups, chance, .. } = self.choices(parent)?;
            let mut joint_moves = groups
                .into_iter()
                .flat_map(|(joint_move, _)| match &chance {
                    None => vec![joint_move],
                    Some((role, outcomes)) => {
                        let with = |outcome: &Term| {
                            let mut joint_move = joint_move.clone();
                            joint_move[*role] = outcome.clone();
                            joint_move
                        };
                        outcomes.iter().map(with).collect()
                    }
                });
            let state = self.nodes[parent as usize].state.clone();
            let target = self.nodes[number as usize].state.clone();
            let found =
                joint_moves.find_map(|joint_move| match self.reasoner.next(&state, &joint_move) {
                    Ok(next) if next != target => None,
                    other => Some(other.map(|_| joint_move)),
                });
            history.push(found.expect("the node was found from its parent")?);
            number = parent;
        }
        history.reverse();
        Ok(history)
    }
}

impl From<ReasonerError> for EarlyEnd {
    fn from(error: ReasonerError) -> Self {
        match error {
            ReasonerError::Stopped(reason) => EarlyEnd::Stopped(reason),
            error => EarlyEnd::Failed(VerifyError::Rules(error)),
        }
    }
}

/// The legal moves of all roles in a state; else the first role that has none.
pub(super) fn all_legal(
    reasoner: &mut Reasoner,
    state: &State,
) -> Result<Result<Vec<Vec<Term>>, Name>, ReasonerError> {
    let mut legal = Vec::with_capacity(reasoner.roles().len());
    for role in 0..reasoner.roles().len() {
        let moves = reasoner.legal(state, role)?;
        if moves.is_empty() {
            return Ok(Err(reasoner.roles()[role].clone()));
        }
        legal.push(moves);
    }
    Ok(Ok(legal))
}

/// The payoff of a state, if play is over there; or the defect of the state.
pub(super) fn payoff(
    reasoner: &mut Reasoner,
    heading: &Heading,
    role: usize,
    state: &State,
) -> Result<Result<Option<BigRational>, PlayDefect>, ReasonerError> {
    if !reasoner.terminal(state)? {
        return Ok(Ok(None));
    }
    let goals = reasoner.goals(state, role)?;
    Ok(match goal_defect(&heading.role, &goals) {
        Some(defect) => Err(defect),
        None => Ok(worth(&goals, heading.objective)),
    })
}

/// The moves of each choice of a mixture, or its flaw; without a mixture the only moves that these roles have.
pub(super) fn mixture<'a>(
    heading: &Heading,
    terms: &TermTable,
    own: &[usize],
    legal: &[Vec<Term>],
    choices: Option<impl Iterator<Item = (&'a [TermNumber], &'a BigRational)>>,
) -> Result<Vec<Vec<Term>>, Box<Flaw>> {
    let Some(choices) = choices else {
        let only = own.iter().map(|&index| legal[index][0].clone());
        return match own.iter().all(|&index| legal[index].len() == 1) {
            true => Ok(vec![only.collect()]),
            false => Err(Flaw::Missing.into()),
        };
    };
    let (mut made, mut sum) = (Vec::new(), BigRational::zero());
    for (moves, share) in choices {
        let moves = terms.terms(moves);
        if moves.len() != own.len() || !share.is_positive() {
            return Err(Flaw::NoMixture.into());
        }
        let mut pairs = own.iter().zip(&moves);
        if let Some((&index, action)) =
            pairs.find(|(index, action)| !legal[**index].contains(action))
        {
            let (role, action) = (heading.roles[index].clone(), action.clone());
            return Err(Flaw::IllegalMove { role, action }.into());
        }
        sum += share;
        made.push(moves);
    }
    match sum.is_one() {
        true => Ok(made),
        false => Err(Flaw::NoMixture.into()),
    }
}

/// Puts moves of some roles into a joint move.
pub(super) fn put(joint_move: &mut [Term], indices: &[usize], moves: &[Term]) {
    for (&index, action) in indices.iter().zip(moves) {
        joint_move[index] = action.clone();
    }
}

fn hash_position(state: &State, steps: Option<u32>) -> u64 {
    let mut hasher = FxHasher::default();
    state.hash(&mut hasher);
    steps.hash(&mut hasher);
    hasher.finish()
}

/// The memory of a state, about, in bytes.
fn state_bytes(state: &State) -> u64 {
    4 * state.len() as u64 + 32
}

fn sorted(mut facts: Vec<Term>) -> Vec<Term> {
    facts.sort_by_cached_key(Term::to_string);
    facts
}

/// The moves of one group, for its edges: on the role's side the moves of the opponents, where they
/// have a choice; on the opponents' side the role's move and the answer.
fn group_label(
    joint_move: &[Term],
    all: &[Vec<Term>],
    side: Side,
    role: usize,
    opponents: &[usize],
) -> String {
    let has_choice = |role: usize| all.iter().any(|other| other[role] != joint_move[role]);
    let mut parts = Vec::new();
    if side == Side::Opponents {
        parts.push(joint_move[role].to_string());
    }
    for &role in opponents {
        if side == Side::Opponents || has_choice(role) {
            parts.push(joint_move[role].to_string());
        }
    }
    parts.join(": ")
}
