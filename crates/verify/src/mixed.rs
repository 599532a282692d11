//! Mixed strategies of both sides as data, and the proof of their worth by exact best responses.
//!
//! Where roles move at the same time, each side maps a position to *probabilities* of its moves: the role's side to those of
//! the role's moves, the opponents' side to those of their joint moves, which they agree on. Neither knows the move of the other.
//! Each side is proved alone: play follows its mixtures, and the other side tries every move in every position that can come
//! up. The gain of the role's side against the best response is a lower bound of the value, the loss of the opponents' side
//! an upper bound; where both are equal they are the value.
//!
//! With a number of steps both are computed backwards. Without one each position claims a value that has to be no better than what
//! follows from the others; for the role's side play must not go on for ever in positions of a positive claim (see
//! `verify`).
//!
//! Invariant: as in `verify`, only the rules as they are written.

use super::outcome::{EarlyEnd, Flaw, Refusal, Side, Verification, VerifyError};
use super::policy::{Heading, Position};
use super::table::{TermNumber, TermTable};
use super::verify::{check_heading, positions_name, prove_sides};
use super::walk::{all_legal, mixture, payoff, put};
use gdl::Term;
use gdl::game::{Game, Sides, joint_moves};
use limits::Limits;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use rules::{PlayDefect, PlayFinding, Reasoner, State};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The mixture of one side in a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Mixing {
    /// The position.
    pub position: Position,
    /// Moves of the side's roles, in the order of roles, and their probabilities, which sum to 1.
    pub choices: Vec<(Box<[TermNumber]>, BigRational)>,
    /// The bound that the side guarantees from here on, if that is claimed.
    pub value: Option<BigRational>,
}

/// A mixed strategy of both sides. Positions in which a side has one choice only need no mixture.
#[derive(Clone, Debug)]
pub struct MixedStrategy {
    /// The question that it answers; its value is the lower bound that the role's side promises.
    pub heading: Heading,
    /// The upper bound that the opponents' side promises.
    pub upper: BigRational,
    /// The facts and moves that the rest names by number.
    pub terms: TermTable,
    /// The role's side.
    pub player: Vec<Mixing>,
    /// The opponents' side.
    pub opponents: Vec<Mixing>,
}

/// Computes what both sides of a mixed strategy guarantee against best responses, and compares it with the bounds promised: see
/// `prove_sides`.
///
/// # Errors
/// When the strategy is not for this game, or the game is not valid.
pub fn verify_mixed(
    game: &Game,
    strategy: &MixedStrategy,
    limits: &Limits,
) -> Result<Verification, VerifyError> {
    check_heading(game, &strategy.heading)?;
    let mut reasoner = Reasoner::new(game)?;
    reasoner.set_overall_limits(limits.clone());
    let promised = [&strategy.heading.value, &strategy.upper];
    let largest = strategy.heading.largest(game);
    prove_sides(promised, largest, |side, statistics| {
        let mut walk = MixedWalk::new(&mut reasoner, strategy, side, limits);
        let outcome = walk.prove();
        statistics.push((positions_name(side), walk.nodes.len() as u64));
        outcome
    })
}

/// A position that can be reached.
struct Node {
    state: State,
    steps: Option<u32>,
    /// The node that it was found from, and by which joint move; none for the start.
    parent: Option<(u32, Vec<Term>)>,
    /// The payoff of a state in which play is over.
    leaf: Option<BigRational>,
    /// The mixture, if one is listed.
    entry: Option<u32>,
    /// For each choice of the other side the nodes that may follow.
    responses: Vec<Range<usize>>,
    /// Chance's moves.
    outcomes: usize,
}

struct MixedWalk<'a> {
    reasoner: &'a mut Reasoner,
    strategy: &'a MixedStrategy,
    side: Side,
    sides: Sides,
    limits: &'a Limits,
    nodes: Vec<Node>,
    /// Nodes, each with the number of the choice of the side that leads there.
    successors: Vec<(u32, u32)>,
    index: FxHashMap<(State, Option<u32>), u32>,
    bytes: u64,
}

impl<'a> MixedWalk<'a> {
    fn new(
        reasoner: &'a mut Reasoner,
        strategy: &'a MixedStrategy,
        side: Side,
        limits: &'a Limits,
    ) -> Self {
        let Heading { roles, role, .. } = &strategy.heading;
        MixedWalk {
            reasoner,
            strategy,
            side,
            sides: Sides::of(roles, role).expect("the heading was compared with the game"),
            limits,
            nodes: Vec::new(),
            successors: Vec::new(),
            index: FxHashMap::default(),
            bytes: 0,
        }
    }

    fn list(&self) -> &'a [Mixing] {
        match self.side {
            Side::Role => &self.strategy.player,
            Side::Opponents => &self.strategy.opponents,
        }
    }

    /// The bound that the side promises at the start.
    fn promise(&self) -> &'a BigRational {
        match self.side {
            Side::Role => &self.strategy.heading.value,
            Side::Opponents => &self.strategy.upper,
        }
    }

    fn prove(&mut self) -> Result<(), EarlyEnd> {
        let entries = self.entries()?;
        let heading = &self.strategy.heading;
        let start = self.reasoner.state(&heading.start)?;
        self.node(start, heading.depth, None);
        let mut next = 0;
        while next < self.nodes.len() {
            self.check_limits()?;
            self.expand(next as u32, &entries)?;
            next += 1;
        }
        let values = self.values()?;
        if heading.depth.is_none() && self.side == Side::Role {
            self.check_end(&values)?;
        }
        let (promised, found) = (self.promise().clone(), values[0].clone());
        match promised == found {
            true => Ok(()),
            false => Err(self.flaw(0, Flaw::BrokenPromise { promised, found })),
        }
    }

    /// The positions of the side's list, each of which must come once.
    fn entries(&mut self) -> Result<FxHashMap<(State, Option<u32>), u32>, EarlyEnd> {
        let mut entries = FxHashMap::default();
        for (mixing, number) in self.list().iter().zip(0..) {
            self.check_limits()?;
            let facts = self.strategy.terms.terms(&mixing.position.facts);
            let state = self.reasoner.state(&facts)?;
            self.bytes += 64 + 4 * state.len() as u64;
            if entries
                .insert((state, mixing.position.steps), number)
                .is_some()
            {
                return Err(EarlyEnd::Refused(Box::new(Refusal {
                    side: self.side,
                    flaw: Flaw::ListedTwice,
                    history: None,
                    state: facts,
                    steps: mixing.position.steps,
                })));
            }
        }
        Ok(entries)
    }

    fn expand(
        &mut self,
        number: u32,
        entries: &FxHashMap<(State, Option<u32>), u32>,
    ) -> Result<(), EarlyEnd> {
        let node = &self.nodes[number as usize];
        let (state, steps) = (node.state.clone(), node.steps);
        let payoff = payoff(
            self.reasoner,
            &self.strategy.heading,
            self.sides.role,
            &state,
        )?;
        let leaf = payoff.map_err(|defect| self.defect(number, defect))?;
        if leaf.is_some() {
            self.nodes[number as usize].leaf = leaf;
            return Ok(());
        }
        if steps == Some(0) {
            self.nodes[number as usize].leaf = Some(BigRational::zero());
            return Ok(());
        }
        let legal = all_legal(self.reasoner, &state)?;
        let legal = legal.map_err(|stuck| self.defect(number, PlayDefect::NoLegalMove(stuck)))?;
        let entry = entries
            .get(&(state.clone(), steps))
            .or_else(|| entries.get(&(state.clone(), None)));
        let entry = entry.copied();
        let role = [self.sides.role];
        let (own, others) = match self.side {
            Side::Role => (&role[..], &self.sides.opponents.clone()[..]),
            Side::Opponents => (&self.sides.opponents.clone()[..], &role[..]),
        };
        let MixedStrategy { heading, terms, .. } = self.strategy;
        let mixing = entry.map(|entry| &self.list()[entry as usize]);
        let shares = mixing.map(|it| it.choices.iter().map(|(moves, share)| (&moves[..], share)));
        let choices = mixture(heading, terms, own, &legal, shares);
        let choices = choices.map_err(|flaw| self.flaw(number, *flaw))?;
        let outcomes = self.sides.random.map_or(vec![None], |index| {
            legal[index].iter().cloned().map(Some).collect()
        });
        let mut joint_move: Vec<Term> = legal.iter().map(|moves| moves[0].clone()).collect();
        let mut responses = Vec::new();
        for response in joint_moves(others.iter().map(|&index| &legal[index][..])) {
            let start = self.successors.len();
            put(&mut joint_move, others, &response);
            for (choice, moves) in choices.iter().enumerate() {
                put(&mut joint_move, own, moves);
                for outcome in &outcomes {
                    if let (Some(index), Some(outcome)) = (self.sides.random, outcome) {
                        joint_move[index] = outcome.clone();
                    }
                    let next = self.reasoner.next(&state, &joint_move)?;
                    let steps = steps.map(|steps| steps - 1);
                    let next = self.node(next, steps, Some((number, joint_move.clone())));
                    self.successors.push((next, choice as u32));
                    self.bytes += 8;
                }
            }
            responses.push(start..self.successors.len());
            self.check_limits()?;
        }
        let node = &mut self.nodes[number as usize];
        node.entry = entry;
        node.responses = responses;
        node.outcomes = outcomes.len();
        Ok(())
    }

    /// The bound of each node: with a number of steps by those of its successors, else the one that it claims.
    fn values(&mut self) -> Result<Vec<BigRational>, EarlyEnd> {
        let mut values = vec![BigRational::zero(); self.nodes.len()];
        let is_endless = self.strategy.heading.depth.is_none();
        let claimed = |node: &Node| self.list()[node.entry? as usize].value.clone();
        for (number, node) in self.nodes.iter().enumerate() {
            if let Some(value) = node.leaf.clone() {
                values[number] = value;
            } else if is_endless {
                match claimed(node) {
                    Some(value) => values[number] = value,
                    None => return Err(self.flaw(number as u32, Flaw::NoValue)),
                }
            }
        }
        for number in (0..self.nodes.len()).rev() {
            if self.nodes[number].leaf.is_some() {
                continue;
            }
            let node = &self.nodes[number];
            let found = self.response_value(node, &values);
            let holds = match (is_endless, self.side, claimed(node)) {
                (_, _, None) => true,
                (false, _, Some(claimed)) => claimed == found,
                (true, Side::Role, Some(claimed)) => claimed <= found,
                (true, Side::Opponents, Some(claimed)) => claimed >= found,
            };
            if !holds {
                let claimed = claimed(node).unwrap_or_default();
                let flaw = Flaw::WrongValue {
                    action: None,
                    claimed,
                    found,
                };
                return Err(self.flaw(number as u32, flaw));
            }
            if !is_endless {
                values[number] = found;
            }
        }
        Ok(values)
    }

    /// The values that remain against the best response of the other side.
    fn response_value(&self, node: &Node, values: &[BigRational]) -> BigRational {
        let whole = BigInt::from(node.outcomes);
        let mean = |response: &Range<usize>| -> BigRational {
            let successors = self.successors[response.clone()].iter();
            let parts = successors.map(|&(next, choice)| match node.entry {
                None => values[next as usize].clone(),
                Some(entry) => {
                    let (_, share) = &self.list()[entry as usize].choices[choice as usize];
                    share * &values[next as usize]
                }
            });
            parts.sum::<BigRational>() / &whole
        };
        let means = node.responses.iter().map(mean);
        let best = match self.side {
            Side::Role => means.min(),
            Side::Opponents => means.max(),
        };
        best.expect("everybody has a legal move")
    }

    /// Finds positions of positive claims in which the opponents can keep play for ever: what remains of all such positions when those
    /// without a response that stays among them are taken out, one after the other.
    fn check_end(&mut self, values: &[BigRational]) -> Result<(), EarlyEnd> {
        let mut stays: Vec<bool> = (self.nodes.iter().zip(values))
            .map(|(node, value)| node.leaf.is_none() && value.is_positive())
            .collect();
        loop {
            let mut is_done = true;
            for (number, node) in self.nodes.iter().enumerate() {
                let can_stay = || {
                    node.responses.iter().any(|response| {
                        let mut successors = self.successors[response.clone()].iter();
                        successors.all(|&(next, _)| stays[next as usize])
                    })
                };
                if stays[number] && !can_stay() {
                    stays[number] = false;
                    is_done = false;
                }
            }
            self.check_limits()?;
            if is_done {
                break;
            }
        }
        match stays.iter().position(|&stays| stays) {
            None => Ok(()),
            Some(number) => Err(self.flaw(number as u32, Flaw::Endless)),
        }
    }

    /// The node of a position.
    fn node(&mut self, state: State, steps: Option<u32>, parent: Option<(u32, Vec<Term>)>) -> u32 {
        let new = self.nodes.len() as u32;
        let number = *self.index.entry((state.clone(), steps)).or_insert(new);
        if number == new {
            self.bytes += 300 + 8 * state.len() as u64;
            self.nodes.push(Node {
                state,
                steps,
                parent,
                leaf: None,
                entry: None,
                responses: Vec::new(),
                outcomes: 1,
            });
        }
        number
    }

    fn check_limits(&self) -> Result<(), EarlyEnd> {
        self.limits.check(self.bytes).map_err(EarlyEnd::Stopped)
    }

    /// The joint moves of a shortest play to a node.
    fn history(&self, number: u32) -> Vec<Vec<Term>> {
        let mut history = Vec::new();
        let mut node = &self.nodes[number as usize];
        while let Some((parent, joint_move)) = &node.parent {
            history.push(joint_move.clone());
            node = &self.nodes[*parent as usize];
        }
        history.reverse();
        history
    }

    fn flaw(&self, number: u32, flaw: Flaw) -> EarlyEnd {
        let node = &self.nodes[number as usize];
        EarlyEnd::Refused(Box::new(Refusal {
            side: self.side,
            flaw,
            history: Some(self.history(number)),
            state: self.reasoner.facts(&node.state),
            steps: node.steps,
        }))
    }

    fn defect(&self, number: u32, defect: PlayDefect) -> EarlyEnd {
        EarlyEnd::Failed(VerifyError::Defect(Box::new(PlayFinding {
            defect,
            history: self.history(number),
            state: self.reasoner.facts(&self.nodes[number as usize].state),
        })))
    }
}
