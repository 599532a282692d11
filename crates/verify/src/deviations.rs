//! Proof that no role gains by another move where each plays for itself, by plain evaluation of the rules.
//!
//! All positions are followed that any moves lead to. In each the values claimed are the means of those behind the move listed, and no other move of the
//! role that chooses has a larger mean for it. Where play has a last step that is enough (one-deviation principle): the moves are an
//! equilibrium, and so are those from each position on. Where play may go on for ever, the claims have to be 0 wherever the moves listed lead to
//! no end: then they are the values of these moves. Goals may not be below 0: else a role could gain by going on for ever.

use super::equilibrium::Equilibrium;
use super::outcome::{EarlyEnd, Flaw, Refusal, Verdict, Verification, VerifyError, ends};
use super::policy::Heading;
use super::verify::{check_heading, check_payoffs};
use super::walk::all_legal;
use gdl::game::{Game, Objective};
use gdl::{Name, Term};
use limits::Limits;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use rules::{PlayDefect, PlayFinding, Reasoner, State, goal_defect, worth};
use rustc_hash::FxHashMap;

/// A state, and the steps left; none where all count, or in the list where the position stands for any number.
type Place = (State, Option<u32>);

/// A position that was followed.
struct Node {
    place: Place,
    /// The node that it was found from, and the joint move.
    found: Option<(u32, Vec<Term>)>,
    /// A value for each role but `random`.
    values: Box<[BigRational]>,
    /// The nodes behind the move listed, equally likely; none where play is over.
    next: Vec<u32>,
    /// Those behind each other move of the role that chooses.
    others: Vec<(Term, Vec<u32>)>,
    /// The role that chooses, by its index.
    mover: Option<usize>,
    /// Those of the other moves that are said to be as good for it.
    ties: Vec<Term>,
}

/// The positions that any moves lead to.
struct Walk<'a> {
    objective: Objective,
    strategy: &'a Equilibrium,
    reasoner: Reasoner,
    limits: &'a Limits,
    /// The indices of the roles but `random`.
    players: Vec<usize>,
    entries: FxHashMap<Place, usize>,
    used: Vec<bool>,
    nodes: Vec<Node>,
    numbers: FxHashMap<Place, u32>,
    bytes: u64,
}

/// Proves that the moves are an equilibrium with the values claimed, or finds a position where a role gains.
pub fn verify_equilibrium(
    game: &Game,
    strategy: &Equilibrium,
    limits: &Limits,
) -> Result<Verification, VerifyError> {
    let heading = &strategy.heading;
    check_heading(game, heading)?;
    let objective = check_payoffs(heading)?;
    let mut reasoner = Reasoner::new(game)?;
    reasoner.set_overall_limits(limits.clone());
    let players = heading.roles.iter().enumerate();
    let mut walk = Walk {
        players: players
            .filter(|(_, role)| !role.is_random())
            .map(|(index, _)| index)
            .collect(),
        used: vec![false; strategy.positions.len()],
        entries: FxHashMap::default(),
        nodes: Vec::new(),
        numbers: FxHashMap::default(),
        bytes: 0,
        strategy,
        objective,
        reasoner,
        limits,
    };
    let proved = walk.prove();
    let unreached = walk.used.iter().filter(|used| !**used).count() as u64;
    let verdict = match proved {
        Ok(value) => Verdict::Proved(value),
        Err(EarlyEnd::Failed(error)) => return Err(error),
        Err(EarlyEnd::Refused(refusal)) => Verdict::Refused(refusal),
        Err(EarlyEnd::Stopped(reason)) => Verdict::between(reason, ends(&heading.range(game))),
    };
    let mut statistics = vec![("positions", walk.nodes.len() as u64)];
    if let Verdict::Proved(_) = verdict {
        statistics.push(("unreached", unreached));
    }
    Ok(Verification {
        verdict,
        statistics,
    })
}

impl Walk<'_> {
    /// The value of the role that was asked about.
    fn prove(&mut self) -> Result<BigRational, EarlyEnd> {
        let Heading {
            start,
            depth,
            role,
            roles,
            value: promised,
            ..
        } = &self.strategy.heading;
        self.read_entries()?;
        let start = self.reasoner.state(start)?;
        self.number((start, *depth), None);
        let mut next = 0;
        while next < self.nodes.len() {
            self.limits
                .check_memory(self.bytes)
                .map_err(EarlyEnd::Stopped)?;
            self.expand(next as u32)?;
            next += 1;
        }
        for number in 0..self.nodes.len() as u32 {
            if let Some(flaw) = self.flaw_of(number) {
                return Err(self.refusal(number, flaw));
            }
        }
        if let (None, Some((number, flaw))) = (depth, self.endless()) {
            return Err(self.refusal(number, flaw));
        }
        let asked = self.players.iter().position(|&index| roles[index] == *role);
        let found = self.nodes[0].values[asked.expect("the heading was compared")].clone();
        if found != *promised {
            let promised = promised.clone();
            return Err(self.refusal(0, Flaw::BrokenPromise { promised, found }));
        }
        Ok(found)
    }

    /// Numbers the positions that are listed, each of which must come once.
    fn read_entries(&mut self) -> Result<(), EarlyEnd> {
        let Equilibrium {
            terms, positions, ..
        } = self.strategy;
        for (index, standing) in positions.iter().enumerate() {
            self.limits
                .check_memory(self.bytes)
                .map_err(EarlyEnd::Stopped)?;
            let mut facts = terms.terms(&standing.position.facts);
            let state = self.reasoner.state(&facts)?;
            self.bytes += 4 * state.len() as u64 + 64;
            let steps = standing.position.steps;
            if self.entries.insert((state, steps), index).is_some() {
                facts.sort_by_cached_key(Term::to_string);
                return Err(EarlyEnd::Refused(Box::new(Refusal {
                    side: None,
                    flaw: Flaw::ListedTwice,
                    history: None,
                    state: facts,
                    steps,
                })));
            }
        }
        Ok(())
    }

    /// The number of a position, which is found by a joint move if it is new.
    fn number(&mut self, place: Place, found: Option<(u32, Vec<Term>)>) -> u32 {
        if let Some(&number) = self.numbers.get(&place) {
            return number;
        }
        let number = u32::try_from(self.nodes.len()).expect("memory ends before four billion");
        self.bytes += 8 * place.0.len() as u64 + 64 * self.players.len() as u64 + 320;
        self.numbers.insert(place.clone(), number);
        self.nodes.push(Node {
            place,
            found,
            values: Box::default(),
            next: Vec::new(),
            others: Vec::new(),
            mover: None,
            ties: Vec::new(),
        });
        number
    }

    /// Follows all moves from a position, and reads the values that are claimed there.
    fn expand(&mut self, number: u32) -> Result<(), EarlyEnd> {
        let (state, steps) = self.nodes[number as usize].place.clone();
        if self.reasoner.terminal(&state)? {
            self.nodes[number as usize].values = self.payoffs(number, &state)?;
            return Ok(());
        }
        if steps == Some(0) {
            let nothing = vec![BigRational::zero(); self.players.len()];
            self.nodes[number as usize].values = nothing.into();
            return Ok(());
        }
        let legal = all_legal(&mut self.reasoner, &state)?;
        let legal = legal.map_err(|stuck| self.defect(number, PlayDefect::NoLegalMove(stuck)))?;
        let mut movers = self
            .players
            .iter()
            .copied()
            .filter(|&role| legal[role].len() > 1);
        let (mover, other) = (movers.next(), movers.next());
        if let (Some(role), Some(other)) = (mover, other) {
            let name = |role: usize| self.strategy.heading.roles[role].clone();
            let (role, other) = (name(role), name(other));
            return Err(self.refusal(number, Flaw::Together { role, other }));
        }
        let exact = self.entries.get(&(state.clone(), steps));
        let entry = exact.or_else(|| self.entries.get(&(state.clone(), None)));
        let Some(&entry) = entry else {
            return Err(self.refusal(number, Flaw::Missing));
        };
        self.used[entry] = true;
        let standing = &self.strategy.positions[entry];
        let made = standing
            .choice
            .map(|it| (it.role, self.strategy.terms.term(it.action)));
        if let Some((role, action)) = made
            && !legal[role].contains(action)
        {
            let role = self.strategy.heading.roles[role].clone();
            let action = action.clone();
            return Err(self.refusal(number, Flaw::IllegalMove { role, action }));
        }
        // Without a choice the only move is made.
        let made = match (mover, made) {
            (None, _) => None,
            (Some(mover), Some((role, action))) if role == mover => Some(action),
            (Some(_), _) => return Err(self.refusal(number, Flaw::Missing)),
        };
        let moves = mover.map_or(&legal[self.players[0]][..1], |mover| &legal[mover]);
        let (mut next, mut others) = (Vec::new(), Vec::new());
        for action in moves {
            let outcomes = self.outcomes(number, &legal, mover.map(|mover| (mover, action)))?;
            match made.is_none_or(|made| made == action) {
                true => next = outcomes,
                false => others.push((action.clone(), outcomes)),
            }
        }
        let node = &mut self.nodes[number as usize];
        node.values.clone_from(&standing.values);
        node.ties = self.strategy.terms.terms(&standing.ties);
        (node.next, node.others, node.mover) = (next, others, mover);
        Ok(())
    }

    /// The positions after a move of a role, one for each move of chance.
    fn outcomes(
        &mut self,
        number: u32,
        legal: &[Vec<Term>],
        action: Option<(usize, &Term)>,
    ) -> Result<Vec<u32>, EarlyEnd> {
        let (state, steps) = self.nodes[number as usize].place.clone();
        let mut joint_move: Vec<Term> = legal.iter().map(|moves| moves[0].clone()).collect();
        if let Some((role, action)) = action {
            joint_move[role] = action.clone();
        }
        let random = self.strategy.heading.roles.iter().position(Name::is_random);
        // Without chance one outcome remains.
        let chances = random.map_or(&legal[0][..1], |random| &legal[random]);
        let mut outcomes = Vec::with_capacity(chances.len());
        for chance in chances {
            if let Some(random) = random {
                joint_move[random] = chance.clone();
            }
            let next = self.reasoner.next(&state, &joint_move)?;
            let place = (next, steps.map(|steps| steps - 1));
            outcomes.push(self.number(place, Some((number, joint_move.clone()))));
        }
        self.bytes += 4 * chances.len() as u64 + 48;
        Ok(outcomes)
    }

    /// The worth of the end of play for each role.
    fn payoffs(&mut self, number: u32, state: &State) -> Result<Box<[BigRational]>, EarlyEnd> {
        let Heading { roles, .. } = &self.strategy.heading;
        let mut payoffs = Vec::with_capacity(self.players.len());
        for player in 0..self.players.len() {
            let role = self.players[player];
            let goals = self.reasoner.goals(state, role)?;
            if let Some(defect) = goal_defect(&roles[role], &goals) {
                return Err(self.defect(number, defect));
            }
            payoffs.push(worth(&goals, self.objective).expect("there is one goal"));
        }
        Ok(payoffs.into())
    }

    /// The mean of the values of a player.
    fn mean(&self, outcomes: &[u32], player: usize) -> BigRational {
        let values = outcomes
            .iter()
            .map(|&next| &self.nodes[next as usize].values[player]);
        values.sum::<BigRational>() / BigRational::from_integer(outcomes.len().into())
    }

    /// A wrong value of a position, or a better move, if the values behind it are right.
    fn flaw_of(&self, number: u32) -> Option<Flaw> {
        let node = &self.nodes[number as usize];
        if node.next.is_empty() {
            return None;
        }
        let roles = &self.strategy.heading.roles;
        for (player, claimed) in node.values.iter().enumerate() {
            let found = self.mean(&node.next, player);
            if found != *claimed {
                let (role, claimed) = (roles[self.players[player]].clone(), claimed.clone());
                return Some(Flaw::WrongShare {
                    role,
                    claimed,
                    found,
                });
            }
        }
        let role = node.mover?;
        let player = self.players.iter().position(|&index| index == role)?;
        let (role, claimed) = (roles[role].clone(), node.values[player].clone());
        for (action, outcomes) in &node.others {
            let found = self.mean(outcomes, player);
            let action = action.clone();
            if found > claimed {
                return Some(Flaw::Gain {
                    role,
                    action,
                    claimed,
                    found,
                });
            }
            if found < claimed && node.ties.contains(&action) {
                let action = Some(action);
                return Some(Flaw::WrongValue {
                    action,
                    claimed,
                    found,
                });
            }
        }
        None
    }

    /// Where the proof fails because play may go on for ever, if it may.
    fn endless(&self) -> Option<(u32, Flaw)> {
        let next = |node: &Node| node.next.clone();
        let reached = self.leading_to_ends(next, false);
        let claims = |number: &usize| self.nodes[*number].values.iter().any(|it| !it.is_zero());
        let mut lost = (0..self.nodes.len()).filter(|&number| !reached[number]);
        if let Some(number) = lost.find(claims) {
            return Some((number as u32, Flaw::NeverEnds));
        }
        let all = |node: &Node| {
            let others = node.others.iter().flat_map(|(_, outcomes)| outcomes);
            node.next.iter().chain(others).copied().collect()
        };
        let ends = self.leading_to_ends(all, true);
        let cycle = ends.iter().position(|ends| !ends)?;
        let mut values = self.nodes.iter().filter(|node| node.next.is_empty());
        let is_below = values.any(|node| node.values.iter().any(Signed::is_negative));
        is_below.then_some((cycle as u32, Flaw::BelowZero))
    }

    /// Whether each node leads to an end: by one of these nodes behind it, or by all of them, after a bounded number of steps.
    fn leading_to_ends(&self, next: impl Fn(&Node) -> Vec<u32>, by_all: bool) -> Vec<bool> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        let mut waits = vec![0usize; self.nodes.len()];
        let (mut found, mut pending) = (vec![false; self.nodes.len()], Vec::new());
        for (number, node) in self.nodes.iter().enumerate() {
            let next = next(node);
            waits[number] = if by_all {
                next.len()
            } else {
                next.len().min(1)
            };
            if next.is_empty() {
                found[number] = true;
                pending.push(number as u32);
            }
            for next in next {
                before[next as usize].push(number as u32);
            }
        }
        while let Some(end) = pending.pop() {
            for &number in &before[end as usize] {
                let place = number as usize;
                waits[place] = waits[place].saturating_sub(1);
                if waits[place] == 0 && !found[place] {
                    found[place] = true;
                    pending.push(number);
                }
            }
        }
        found
    }

    /// The joint moves of a play to a node.
    fn history(&self, number: u32) -> Vec<Vec<Term>> {
        let mut history = Vec::new();
        let mut number = number;
        while let Some((parent, joint_move)) = &self.nodes[number as usize].found {
            history.push(joint_move.clone());
            number = *parent;
        }
        history.reverse();
        history
    }

    fn refusal(&self, number: u32, flaw: Flaw) -> EarlyEnd {
        let (state, steps) = &self.nodes[number as usize].place;
        EarlyEnd::Refused(Box::new(Refusal {
            side: None,
            flaw,
            history: Some(self.history(number)),
            state: self.reasoner.facts(state),
            steps: *steps,
        }))
    }

    fn defect(&self, number: u32, defect: PlayDefect) -> EarlyEnd {
        EarlyEnd::Failed(VerifyError::Defect(Box::new(PlayFinding {
            defect,
            history: self.history(number),
            state: self.reasoner.facts(&self.nodes[number as usize].place.0),
        })))
    }
}
