//! An advisor that knows values by the definition: slow, and easy to believe.

use crate::common::legal_moves;
use engines::strategy::{Advisor, ExtractLimits, Extracted, Reply, extract};
use gdl::game::{Game, Objective, Points, Sides, points};
use gdl::{Name, Term};
use num_rational::BigRational;
use rules::{Minimax, MinimaxError, Reasoner, ReasonerError, State};
use verify::fingerprint;
use verify::{Heading, Strategy};

/// A reply of the opponents, and the states after it, one for each move of chance.
type Following = (Vec<Term>, Vec<State>);

/// Expected minimax by definition, as an advisor.
pub struct BruteForce {
    minimax: Minimax,
    sides: Sides,
    depth: u32,
    /// A position in which both sides do the worst they can; without steps, with any number of them.
    pub weak_spot: Option<(Vec<Term>, Option<u32>)>,
}

impl BruteForce {
    /// For a role of a game.
    pub fn new(game: &Game, role: &Name, depth: u32, objective: Objective) -> Self {
        let reasoner = Reasoner::new(game).expect("a game");
        let sides = Sides::of(game.roles(), role).expect("a role of the game");
        BruteForce {
            minimax: Minimax::new(reasoner, sides.role, objective),
            sides,
            depth,
            weak_spot: None,
        }
    }

    /// The value of the game.
    pub fn initial_value(&mut self) -> BigRational {
        let value = self.minimax.initial_value(self.depth);
        value.expect("the game is small and valid")
    }

    fn is_weak_spot(&mut self, state: &State, steps: u32) -> bool {
        let spot = self.weak_spot.as_ref();
        let at_steps = spot.filter(|(_, at)| at.is_none_or(|at| at == steps));
        at_steps.is_some_and(|(weak, _)| *weak == self.minimax.reasoner().facts(state))
    }

    /// The states that follow a move.
    fn after(&mut self, state: &State, action: &Term) -> Result<Vec<Following>, ReasonerError> {
        let rules = self.minimax.reasoner();
        let mut legal = legal_moves(rules, state)?;
        legal[self.sides.role] = vec![action.clone()];
        let mut after: Vec<Following> = Vec::new();
        for joint_move in self.sides.joint_moves(&legal) {
            let opponents = self.sides.opponents.iter();
            let reply: Vec<Term> = opponents.map(|&index| joint_move[index].clone()).collect();
            let next = rules.next(state, &joint_move)?;
            match after.last_mut().filter(|(last, _)| *last == reply) {
                Some((_, states)) => states.push(next),
                None => after.push((reply, vec![next])),
            }
        }
        Ok(after)
    }
}

impl Advisor for BruteForce {
    type State = State;
    type Error = MinimaxError;

    fn start(&mut self) -> Result<State, MinimaxError> {
        Ok(self.minimax.reasoner().initial()?)
    }

    fn facts(&mut self, state: &State) -> Vec<Term> {
        self.minimax.reasoner().facts(state)
    }

    fn is_over(&mut self, state: &State) -> Result<bool, MinimaxError> {
        Ok(self.minimax.reasoner().terminal(state)?)
    }

    fn points(&mut self, state: &State) -> Result<Points, MinimaxError> {
        let goals = self.minimax.reasoner().goals(state, self.sides.role)?;
        Ok(points(&goals[0]).expect("points"))
    }

    fn value(&mut self, state: &State, steps: Option<u32>) -> Result<BigRational, MinimaxError> {
        self.minimax.value(state, counted(steps))
    }

    fn decide(
        &mut self,
        state: &State,
        steps: Option<u32>,
    ) -> Result<(Term, BigRational), MinimaxError> {
        let steps = counted(steps);
        let moves = self.minimax.move_values(state, steps)?.into_iter();
        let mut moves: Vec<(Term, BigRational)> = moves.collect();
        moves.sort_by(|(_, left), (_, right)| left.cmp(right));
        let best = moves.last().expect("a move").clone();
        Ok(match self.is_weak_spot(state, steps) {
            true => (moves[0].0.clone(), best.1),
            false => best,
        })
    }

    fn answer(&mut self, state: &State, steps: Option<u32>) -> Result<Vec<Reply>, MinimaxError> {
        let steps = counted(steps);
        let mut replies = Vec::new();
        for action in self.minimax.reasoner().legal(state, self.sides.role)? {
            let mut answers = Vec::new();
            for (reply, next) in self.after(state, &action)? {
                let values = next
                    .iter()
                    .map(|state| self.minimax.value(state, steps - 1));
                let sum = values.sum::<Result<BigRational, _>>()?;
                answers.push((sum / BigRational::from_integer(next.len().into()), reply));
            }
            answers.sort();
            let value = answers[0].0.clone();
            let place = match self.is_weak_spot(state, steps) {
                true => answers.len() - 1,
                false => 0,
            };
            let reply = answers.swap_remove(place).1;
            replies.push(Reply {
                action,
                reply,
                value,
            });
        }
        Ok(replies)
    }

    fn successors(
        &mut self,
        state: &State,
        action: &Term,
        reply: Option<&[Term]>,
    ) -> Result<Vec<Vec<State>>, MinimaxError> {
        let after = self.after(state, action)?.into_iter();
        let wanted = after.filter(|(other, _)| reply.is_none_or(|reply| other == reply));
        Ok(wanted.map(|(_, next)| next).collect())
    }
}

/// Values by definition are for a number of steps.
fn counted(steps: Option<u32>) -> u32 {
    steps.expect("a number of steps")
}

/// The head of a strategy; the value comes later.
pub fn heading(game: &Game, role: &Name, depth: u32, objective: Objective) -> Heading {
    let mut reasoner = Reasoner::new(game).expect("a game");
    let start = reasoner.initial().expect("a state");
    Heading {
        game: game.name().to_owned(),
        rules: fingerprint(game),
        roles: game.roles().to_vec(),
        role: role.clone(),
        depth: Some(depth),
        objective: objective.into(),
        start: reasoner.facts(&start),
        value: BigRational::from_integer(0.into()),
    }
}

/// The strategy that an advisor gives.
pub fn strategy<A: Advisor<Error: std::fmt::Debug>>(advisor: &mut A, heading: Heading) -> Strategy {
    let limits = ExtractLimits {
        positions: usize::MAX,
        overall: limits::Limits::default(),
    };
    match extract(advisor, heading, &limits) {
        Ok(Extracted::Complete(strategy)) => *strategy,
        other => panic!("{other:?}"),
    }
}
