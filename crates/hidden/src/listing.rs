//! All states that play leads to, by the rules as they are written, with the things that each side sees on the way.

use crate::error::{HiddenError, InTheDark};
use base::graph::Graph;
use gdl::Term;
use gdl::game::{Game, Objective, Sides, ValueRange, count_joint_moves};
use indexmap::IndexSet;
use limits::{Limits, StopReason};
use num_rational::BigRational;
use rules::{PlayDefect, Reasoner, RuleLimits, State, goal_defect, worth};
use rustc_hash::FxBuildHasher;

/// The most joint moves of one state.
const MAX_JOINT_MOVES: usize = 1_000_000;

/// Different things, each with a number: that of its insertion.
type Numbered<T> = IndexSet<T, FxBuildHasher>;

/// The reachable states of a game as a role and its opponents know them. The start is number 0.
pub struct Listing {
    pub sides: Sides,
    pub nodes: Vec<Node>,
    /// The facts of the first state.
    pub start: Vec<Term>,
    states: Numbered<State>,
    reasoner: Reasoner,
    /// Lists of terms by number: legal moves, and things seen.
    pub terms: Numbered<Vec<Term>>,
    /// The opponents that have a choice somewhere.
    pub coalition: Vec<usize>,
    /// The limit that ended the listing.
    pub stopped: Option<StopReason>,
    /// The most steps that play takes; none if it can come back to a state, or not all states were listed.
    pub longest: Option<u32>,
}

/// A state.
pub enum Node {
    /// Play is over, with a payoff as part of the range.
    End(BigRational),
    /// Not listed further: no step is left, or a limit was reached.
    Open,
    /// Play goes on.
    Stage(Stage),
}

/// The moves in a state.
pub struct Stage {
    /// For each role the number of the list of its legal moves.
    pub legal: Vec<u32>,
    /// The outcome of each joint move, in the order of [`Sides::joint_moves`]: the role's move changes slowest, chance's fastest.
    pub outcomes: Vec<Outcome>,
    /// The number of moves of chance.
    pub throws: usize,
}

/// The state behind a joint move, and what both sides see.
#[derive(Clone, Copy)]
pub struct Outcome {
    pub next: u32,
    /// The number of the list of things that the role sees.
    pub own: u32,
    /// The same for its opponents.
    pub others: u32,
}

impl Listing {
    /// Lists the states within a number of steps, breadth first.
    pub fn new(
        game: &Game,
        role: usize,
        (objective, range): (Objective, &ValueRange),
        depth: Option<u32>,
        limits: &Limits,
    ) -> Result<Self, HiddenError> {
        let mut reasoner = Reasoner::with_limits(game, RuleLimits::within(limits))?;
        let start = reasoner.initial()?;
        let mut listing = Listing {
            sides: Sides::new(game.roles(), role),
            nodes: Vec::new(),
            start: reasoner.facts(&start),
            states: Numbered::default(),
            reasoner,
            terms: Numbered::default(),
            coalition: Vec::new(),
            stopped: None,
            longest: None,
        };
        let mut walk = Walk {
            distances: Vec::new(),
            views: Numbered::default(),
            objective,
            range,
            bytes: 0,
        };
        match listing.explore(start, depth, &mut walk, limits) {
            Ok(()) => {}
            Err(error) => match error.stopped_by() {
                Some(reason) if !listing.nodes.is_empty() => listing.stopped = Some(reason),
                // Without the first state nothing is known, not even its moves.
                _ => return Err(error),
            },
        }
        listing.join_opponents(&walk.views)?;
        if listing.stopped.is_none() {
            listing.longest = listing.height();
        }
        Ok(listing)
    }

    fn explore(
        &mut self,
        start: State,
        depth: Option<u32>,
        walk: &mut Walk<'_>,
        limits: &Limits,
    ) -> Result<(), HiddenError> {
        self.node(start, 0, walk)?;
        let mut number = 0;
        while number < self.nodes.len() {
            limits
                .check_memory(walk.bytes)
                .map_err(HiddenError::Stopped)?;
            let distance = walk.distances[number];
            if matches!(self.nodes[number], Node::Open)
                && depth.is_none_or(|depth| distance < depth)
            {
                let stage = self.stage(number, walk, limits)?;
                walk.bytes += 12 * stage.outcomes.len() as u64 + 60;
                self.nodes[number] = Node::Stage(stage);
            }
            number += 1;
        }
        Ok(())
    }

    /// The number of a state.
    fn node(
        &mut self,
        state: State,
        distance: u32,
        walk: &mut Walk<'_>,
    ) -> Result<u32, HiddenError> {
        if let Some(known) = self.states.get_index_of(&state) {
            return Ok(known as u32);
        }
        let node = match self.reasoner.terminal(&state)? {
            false => Node::Open,
            true => {
                let goals = self.reasoner.goals(&state, self.sides.role)?;
                if let Some(defect) = goal_defect(&self.reasoner.roles()[self.sides.role], &goals) {
                    return Err(self.defect(defect, &state));
                }
                let worth = worth(&goals, walk.objective).expect("the goal value is right");
                Node::End(walk.range.part(&worth))
            }
        };
        walk.bytes += 200 + 5 * state.len() as u64;
        self.nodes.push(node);
        walk.distances.push(distance);
        Ok(self.states.insert_full(state).0 as u32)
    }

    fn stage(
        &mut self,
        number: usize,
        walk: &mut Walk<'_>,
        limits: &Limits,
    ) -> Result<Stage, HiddenError> {
        let (state, distance) = (self.states[number].clone(), walk.distances[number]);
        let roles = self.reasoner.roles().len();
        let mut legal = Vec::with_capacity(roles);
        for role in 0..roles {
            let moves = self.reasoner.legal(&state, role)?;
            if moves.is_empty() {
                let role = self.reasoner.roles()[role].clone();
                return Err(self.defect(PlayDefect::NoLegalMove(role), &state));
            }
            legal.push(moves);
        }
        if count_joint_moves(&legal) > MAX_JOINT_MOVES {
            return Err(HiddenError::JointMoves);
        }
        let throws = self.sides.random.map_or(1, |random| legal[random].len());
        let mut outcomes = Vec::with_capacity(count_joint_moves(&legal));
        for joint_move in self.sides.clone().joint_moves(&legal) {
            limits.check().map_err(HiddenError::Stopped)?;
            let next = self.reasoner.next(&state, &joint_move)?;
            let seen = self.reasoner.percepts(&state, &joint_move)?;
            let seen: Vec<u32> = seen.into_iter().map(|list| self.number(list)).collect();
            let others = self.sides.opponents.iter().map(|&role| seen[role]);
            let (others, is_new) = walk.views.insert_full(others.collect());
            walk.bytes += if is_new { 200 } else { 0 };
            let next = self.node(next, distance + 1, walk)?;
            outcomes.push(Outcome {
                next,
                own: seen[self.sides.role],
                others: others as u32,
            });
        }
        walk.bytes += 80 + 14 * outcomes.len() as u64 + 8 * legal.len() as u64;
        let legal = legal.into_iter().map(|moves| self.number(moves));
        Ok(Stage {
            legal: legal.collect(),
            outcomes,
            throws,
        })
    }

    /// The number of a list of terms.
    fn number(&mut self, list: Vec<Term>) -> u32 {
        self.terms.insert_full(list).0 as u32
    }

    /// Finds the opponents that have a choice, and makes them one side, which sees what each of them sees.
    fn join_opponents(&mut self, views: &Numbered<Vec<u32>>) -> Result<(), HiddenError> {
        let stages = self.nodes.iter().filter_map(Node::stage);
        let opponents = self.sides.opponents.clone();
        let chooses = |role: &usize| {
            let mut stages = stages.clone();
            stages.any(|stage| self.terms[stage.legal[*role] as usize].len() > 1)
        };
        self.coalition = opponents.iter().copied().filter(chooses).collect();
        let places: Vec<usize> = (0..opponents.len())
            .filter(|&place| self.coalition.contains(&opponents[place]))
            .collect();
        let nothing = self.number(Vec::new());
        let mut seen = Vec::with_capacity(views.len());
        for view in views {
            let first = places.first().map_or(nothing, |&place| view[place]);
            if let Some(&place) = places.iter().find(|&&place| view[place] != first) {
                let name = |role: usize| self.reasoner.roles()[role].clone();
                return Err(HiddenError::Coalition {
                    one: name(self.coalition[0]),
                    sees: self.terms[first as usize].clone(),
                    other: name(opponents[place]),
                    but: self.terms[view[place] as usize].clone(),
                });
            }
            seen.push(first);
        }
        for node in &mut self.nodes {
            if let Node::Stage(stage) = node {
                stage
                    .outcomes
                    .iter_mut()
                    .for_each(|outcome| outcome.others = seen[outcome.others as usize]);
            }
        }
        Ok(())
    }

    /// The most steps that play can take; none if it can come back to a state.
    fn height(&self) -> Option<u32> {
        let graph = Graph::new(self.nodes.len(), |edge| {
            for (number, node) in self.nodes.iter().enumerate() {
                let outcomes = node.stage().into_iter().flat_map(|stage| &stage.outcomes);
                outcomes.for_each(|outcome| edge(number, outcome.next as usize));
            }
        });
        graph.order().map(|(_, height)| height)
    }

    /// The facts of a state, sorted by text.
    pub fn facts(&self, number: u32) -> Vec<Term> {
        self.reasoner.facts(&self.states[number as usize])
    }

    /// The legal moves of a role in a state in which play goes on.
    pub fn legal(&self, number: u32, role: usize) -> &[Term] {
        let stage = self.nodes[number as usize].stage().expect("play goes on");
        &self.terms[stage.legal[role] as usize]
    }

    /// The error that a role cannot tell two states apart, and has different moves there.
    pub fn in_the_dark(&self, role: usize, one: u32, other: u32) -> HiddenError {
        HiddenError::InTheDark(Box::new(InTheDark::new(
            self.reasoner.roles()[role].clone(),
            [one, other].map(|state| (self.facts(state), self.legal(state, role).to_vec())),
        )))
    }

    fn defect(&self, defect: PlayDefect, state: &State) -> HiddenError {
        HiddenError::Defect {
            defect,
            state: self.reasoner.facts(state),
        }
    }
}

impl Node {
    /// The moves, if play goes on.
    pub fn stage(&self) -> Option<&Stage> {
        match self {
            Node::Stage(stage) => Some(stage),
            Node::End(_) | Node::Open => None,
        }
    }
}

/// Data that only the listing itself needs.
struct Walk<'a> {
    distances: Vec<u32>,
    /// The numbers of the lists of things that the opponents see, one for each.
    views: Numbered<Vec<u32>>,
    objective: Objective,
    range: &'a ValueRange,
    bytes: u64,
}
