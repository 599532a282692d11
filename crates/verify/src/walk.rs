//! All positions that can be reached when one side follows its strategy.
//!
//! Positions are states with the number of steps left, found breadth first from the start, so that
//! a position that follows another one has fewer steps left and a larger number. Values can then be
//! computed from the last position to the first, without recursion, and the way by which a position
//! was found first is a shortest play to it. Where all steps count positions are states, and can follow themselves.
//!
//! The moves out of a position come in groups, one for each choice of the side that is *not* followed. So on the role's
//! side there is a group for each joint answer of the opponents, on the opponents' side one for each move of the role. In a
//! group there are the choices of the side that is followed, of which only a mixture has several, each with the
//! outcomes of chance, all equally likely. Where each role plays for itself neither side is followed: there is a group for
//! each move of the one role that chooses.

use super::listing::{Advice, Entry, Listing};
use super::outcome::{EarlyEnd, Flaw, Refusal, Side, VerifyError};
use super::policy::Heading;
use super::table::{TermNumber, TermTable};
use gdl::game::{Sides, joint_moves};
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
    steps: Option<u32>,
    /// The node that it was found from; itself for the start.
    parent: u32,
    pub(super) kind: Kind,
}

/// The kind of a position.
pub(super) enum Kind {
    /// Not looked at yet.
    New,
    /// Play is over, or no steps are left: worth this for each role of [`Walk::paid`].
    Leaf(Box<[BigRational]>),
    /// Play goes on.
    Inner {
        /// The position's index in the listing, which may be silent where there is nothing to choose.
        entry: Option<u32>,
        /// Its groups, in [`Walk::groups`].
        groups: Range<u32>,
        /// Whether steps are the aim, and the step made here counts.
        counts: bool,
    },
}

/// The moves after one choice of the other side.
pub(super) struct Group {
    /// The nodes that follow, in [`Walk::successors`]: those of one choice of the side in a row.
    pub(super) successors: Range<usize>,
    /// On the opponents' side: which of the position's answers is given. Where each role plays for itself: 0 for the move listed, and larger
    /// numbers for its ties.
    pub(super) answer: Option<u32>,
}

/// The choices of all sides in a position where play goes on, those of the followed side given.
struct Choices {
    entry: Option<u32>,
    groups: Vec<OpenGroup>,
    /// The random role's index and its moves; without such a role nothing is open.
    chance: Option<(usize, Vec<Term>)>,
}

/// A group whose successors are not known yet.
struct OpenGroup {
    /// For each choice of the side a joint move, in which chance's move is still open.
    joint_moves: Vec<Vec<Term>>,
    answer: Option<u32>,
}

impl Choices {
    /// The joint moves of a group, chance's included.
    fn joint_moves(&self, group: &OpenGroup) -> Vec<Vec<Term>> {
        let chance = self
            .chance
            .as_ref()
            .map(|(role, moves)| (*role, &moves[..]));
        let open = group.joint_moves.iter();
        open.flat_map(|open| by_chance(open, chance)).collect()
    }
}

/// A walk along one side's strategy.
pub(super) struct Walk<'a> {
    pub(super) listing: Listing<'a>,
    limits: &'a Limits,
    reasoner: &'a mut Reasoner,
    sides: Sides,
    /// The roles of the followed side, and those of the other one.
    own: Vec<usize>,
    others: Vec<usize>,
    /// The roles whose payoffs count.
    pub(super) paid: Vec<usize>,
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
        listing: Listing<'a>,
        limits: &'a Limits,
    ) -> Result<Self, EarlyEnd> {
        let Heading { roles, role, .. } = listing.heading;
        let sides = Sides::of(roles, role).expect("the heading was compared with the game");
        let role = vec![sides.role];
        let all = roles.iter().enumerate();
        let players = all.filter(|(_, role)| !role.is_random());
        let players: Vec<usize> = players.map(|(index, _)| index).collect();
        let (own, others, paid) = match listing.side {
            Some(Side::Role) => (role.clone(), sides.opponents.clone(), role),
            Some(Side::Opponents) => (sides.opponents.clone(), role.clone(), role),
            None => (Vec::new(), players.clone(), players),
        };
        let mut walk = Walk {
            listing,
            limits,
            sides,
            own,
            others,
            paid,
            entries: FxHashMap::default(),
            nodes: Vec::new(),
            groups: Vec::new(),
            successors: Vec::new(),
            index: HashTable::new(),
            bytes: 0,
            reasoner,
        };
        walk.read_entries()?;
        let heading = walk.listing.heading;
        let start = walk.reasoner.state(&heading.start)?;
        walk.node(start, heading.depth, 0);
        Ok(walk)
    }

    /// Numbers the positions that the strategy speaks of, each of which must come once.
    fn read_entries(&mut self) -> Result<(), EarlyEnd> {
        for entry in 0..self.listing.entries.len() {
            let Entry { position, .. } = self.listing.entries[entry];
            let facts = self.listing.terms.terms(&position.facts);
            let state = self.reasoner.state(&facts)?;
            self.bytes += state_bytes(&state) + 24;
            let entry = entry as u32;
            let before = self.entries.insert((state, position.steps), entry);
            if before.is_some() {
                return Err(EarlyEnd::Refused(Box::new(Refusal {
                    side: self.listing.side,
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

    /// A position of the listing.
    pub(super) fn entry(&self, number: u32) -> &Entry<'a> {
        &self.listing.entries[number as usize]
    }

    /// How many of the listing's positions cannot be reached.
    pub(super) fn unreached(&self) -> u64 {
        let mut unreached = vec![true; self.entries.len()];
        for node in &self.nodes {
            if let Kind::Inner {
                entry: Some(entry), ..
            } = node.kind
            {
                unreached[entry as usize] = false;
            }
        }
        unreached.into_iter().filter(|it| *it).count() as u64
    }

    /// The groups of a node, if play goes on there.
    pub(super) fn groups_of(&self, number: usize) -> &[Group] {
        match &self.nodes[number].kind {
            Kind::Inner { groups, .. } => &self.groups[groups.start as usize..groups.end as usize],
            Kind::Leaf(_) | Kind::New => &[],
        }
    }

    fn expand(&mut self, number: u32) -> Result<(), EarlyEnd> {
        let node = &self.nodes[number as usize];
        let (state, steps) = (node.state.clone(), node.steps);
        if let Some(values) = self.leaf_values(number, &state, steps)? {
            self.nodes[number as usize].kind = Kind::Leaf(values);
            return Ok(());
        }
        let is_about_steps = self.listing.heading.objective.payoff().is_none();
        let counts = is_about_steps && self.reasoner.step_counts(&state)?;
        let choices = self.choices(number)?;
        let first_group = self.groups.len() as u32;
        for group in &choices.groups {
            let start = self.successors.len();
            for joint_move in choices.joint_moves(group) {
                let next = self.reasoner.next(&state, &joint_move)?;
                let node = self.node(next, steps.map(|steps| steps - 1), number);
                self.successors.push(node);
                self.bytes += 4;
            }
            self.groups.push(Group {
                successors: start..self.successors.len(),
                answer: group.answer,
            });
            self.bytes += 32;
            self.check_limits()?;
        }
        self.nodes[number as usize].kind = Kind::Inner {
            entry: choices.entry,
            groups: first_group..self.groups.len() as u32,
            counts,
        };
        Ok(())
    }

    /// The values of a position without further moves.
    fn leaf_values(
        &mut self,
        number: u32,
        state: &State,
        steps: Option<u32>,
    ) -> Result<Option<Box<[BigRational]>>, EarlyEnd> {
        let heading = self.listing.heading;
        let mut values = Vec::with_capacity(self.paid.len());
        for place in 0..self.paid.len() {
            let payoff = payoff(self.reasoner, heading, self.paid[place], state)?;
            let payoff = payoff.map_err(|defect| self.defect(number, defect))?;
            match payoff.or_else(|| (steps == Some(0)).then(BigRational::zero)) {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        Ok(Some(values.into()))
    }

    fn choices(&mut self, number: u32) -> Result<Choices, EarlyEnd> {
        let Node { state, steps, .. } = &self.nodes[number as usize];
        let (state, steps) = (state.clone(), *steps);
        let legal = all_legal(self.reasoner, &state)?;
        let mut legal =
            legal.map_err(|stuck| self.defect(number, PlayDefect::NoLegalMove(stuck)))?;
        let exact = self.entries.get(&(state.clone(), steps));
        let entry = exact.or_else(|| self.entries.get(&(state, None))).copied();
        let groups = self.open_groups(entry, steps, &legal);
        Ok(Choices {
            entry,
            groups: groups.map_err(|flaw| self.flaw(number, *flaw))?,
            chance: self
                .sides
                .random
                .map(|role| (role, legal.swap_remove(role))),
        })
    }

    /// The groups of a position with this entry and these legal moves.
    fn open_groups(
        &self,
        entry: Option<u32>,
        steps: Option<u32>,
        legal: &[Vec<Term>],
    ) -> Result<Vec<OpenGroup>, Box<Flaw>> {
        let advice = entry.map(|entry| &self.listing.entries[entry as usize].advice);
        let Listing { heading, terms, .. } = self.listing;
        let choices = match advice {
            _ if self.listing.mixes => {
                let shares = match advice {
                    Some(Advice::Mixture(shares)) => Some(shares.iter()),
                    _ => None,
                };
                let shares = shares.map(|all| all.map(|(moves, share)| (&moves[..], share)));
                mixture(heading, terms, &self.own, legal, shares)?
            }
            _ if self.listing.side.is_none() => return self.all_moves(advice, legal),
            Some(Advice::Move(action)) => vec![self.legal_moves(&[*action], legal)?],
            Some(_) => Vec::new(),
            // Without a step limit the values that are claimed prove the bound, so the strategy has to list a move.
            None if self.own.is_empty() && steps.is_some() => vec![Vec::new()],
            None => return Err(Flaw::Missing.into()),
        };
        let responses = joint_moves(self.others.iter().map(|&index| &legal[index][..]));
        let group = |response: Vec<Term>| {
            let reply;
            let (choices, answer) = match advice {
                Some(Advice::Answers(answers)) => {
                    let is_meant = |answer: &super::Answer| {
                        *self.listing.terms.term(answer.action) == response[0]
                    };
                    let index = answers.iter().position(is_meant);
                    let action = response[0].clone();
                    let index = index.ok_or(Flaw::NoAnswer { action })?;
                    reply = [self.legal_moves(&answers[index].reply, legal)?];
                    (&reply[..], Some(index as u32))
                }
                _ => (&choices[..], None),
            };
            let with =
                |moves: &Vec<Term>| joined(legal, [(&self.own, moves), (&self.others, &response)]);
            Ok(OpenGroup {
                joint_moves: choices.iter().map(with).collect(),
                answer,
            })
        };
        responses.into_iter().map(group).collect()
    }

    /// A group for each move of the one role that chooses, where each plays for itself.
    fn all_moves(
        &self,
        advice: Option<&Advice<'_>>,
        legal: &[Vec<Term>],
    ) -> Result<Vec<OpenGroup>, Box<Flaw>> {
        let Listing { heading, terms, .. } = self.listing;
        let name = |role: usize| heading.roles[role].clone();
        let mut movers = self.paid.iter().filter(|&&role| legal[role].len() > 1);
        let (mover, other) = (movers.next(), movers.next());
        if let (Some(&role), Some(&other)) = (mover, other) {
            let (role, other) = (name(role), name(other));
            return Err(Flaw::Together { role, other }.into());
        }
        let Some(Advice::Standing(standing)) = advice else {
            return Err(Flaw::Missing.into());
        };
        if let Some(choice) = standing.choice {
            let (role, action) = (name(choice.role), terms.term(choice.action).clone());
            if !legal[choice.role].contains(&action) {
                return Err(Flaw::IllegalMove { role, action }.into());
            }
        }
        // Without a choice the only move is made.
        let listed = match (mover, standing.choice) {
            (None, _) => None,
            (Some(&mover), Some(choice)) if mover == choice.role => Some(choice.action),
            (Some(_), _) => return Err(Flaw::Missing.into()),
        };
        let mover = mover.map_or(self.paid[0], |&mover| mover);
        let group = |action: &Term| {
            let joint_move = joined(legal, [(&[mover][..], std::slice::from_ref(action))]);
            let mut known = listed.iter().chain(&standing.ties);
            let answer = known.position(|&number| terms.term(number) == action);
            OpenGroup {
                joint_moves: vec![joint_move],
                answer: match listed {
                    Some(_) => answer.map(|answer| answer as u32),
                    None => Some(0),
                },
            }
        };
        Ok(legal[mover].iter().map(group).collect())
    }

    /// The moves of a role in a position.
    pub(super) fn moves(&mut self, number: u32, role: usize) -> Result<Vec<Term>, EarlyEnd> {
        let state = self.nodes[number as usize].state.clone();
        Ok(self.reasoner.legal(&state, role)?)
    }

    /// These moves of the side's roles, which must be legal.
    fn legal_moves(
        &self,
        moves: &[TermNumber],
        legal: &[Vec<Term>],
    ) -> Result<Vec<Term>, Box<Flaw>> {
        let moves = self.listing.terms.terms(moves);
        for (&index, action) in self.own.iter().zip(&moves) {
            if !legal[index].contains(action) {
                let role = self.listing.heading.roles[index].clone();
                let action = action.clone();
                return Err(Box::new(Flaw::IllegalMove { role, action }));
            }
        }
        Ok(moves)
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

    fn check_limits(&self) -> Result<(), EarlyEnd> {
        self.limits
            .check_memory(self.bytes)
            .map_err(EarlyEnd::Stopped)
    }

    /// The refusal that this node shows.
    pub(super) fn flaw(&mut self, number: u32, flaw: Flaw) -> EarlyEnd {
        let history = match self.history(number) {
            Ok(history) => history,
            Err(cut) => return cut,
        };
        let node = &self.nodes[number as usize];
        EarlyEnd::Refused(Box::new(Refusal {
            side: self.listing.side,
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
            let choices = self.choices(parent)?;
            let groups = choices.groups.iter();
            let mut joint_moves = groups.flat_map(|group| choices.joint_moves(group));
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

/// The payoff of a state, if play is over there, which is 0 where steps count; or the defect of the state.
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
    Ok(match goal_defect(&heading.roles[role], &goals) {
        Some(defect) => Err(defect),
        None => Ok(match heading.objective.payoff() {
            Some(objective) => worth(&goals, objective),
            None => Some(BigRational::zero()),
        }),
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

/// The joint move in which these roles make these moves, and each other one its first.
pub(super) fn joined<const N: usize>(
    legal: &[Vec<Term>],
    made: [(&[usize], &[Term]); N],
) -> Vec<Term> {
    let mut joint_move: Vec<Term> = legal.iter().map(|moves| moves[0].clone()).collect();
    for (indices, moves) in made {
        for (&index, action) in indices.iter().zip(moves) {
            joint_move[index] = action.clone();
        }
    }
    joint_move
}

/// A joint move with each move of chance in its place, if there is a role for it.
pub(super) fn by_chance(joint_move: &[Term], chance: Option<(usize, &[Term])>) -> Vec<Vec<Term>> {
    let Some((role, outcomes)) = chance else {
        return vec![joint_move.to_vec()];
    };
    let with = |outcome: &Term| {
        let mut joint_move = joint_move.to_vec();
        joint_move[role] = outcome.clone();
        joint_move
    };
    outcomes.iter().map(with).collect()
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
