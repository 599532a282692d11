//! An advisor that knows values by the definition: slow, and easy to believe.

use engines::strategy::{Advisor, ExtractLimits, Extracted, Reply, extract};
use gdl::game::{Game, Objective, Points, joint_moves, points};
use gdl::{Name, Term};
use num_rational::BigRational;
use rules::{Minimax, MinimaxError, Reasoner, State};
use verify::fingerprint;
use verify::{Heading, Strategy};

/// Expected minimax by definition, as an advisor.
pub struct BruteForce {
    minimax: Minimax,
    roles: Vec<Name>,
    role: usize,
    depth: u32,
    /// A position in which both sides do the worst they can; without steps, with any number of them.
    pub weak_spot: Option<(Vec<Term>, Option<u32>)>,
}

impl BruteForce {
    /// For a role of a game.
    pub fn new(game: &Game, role: &Name, depth: u32, objective: Objective) -> Self {
        let reasoner = Reasoner::new(game).expect("a game");
        let place = game.roles().iter().position(|other| other == role);
        let role = place.expect("a role of the game");
        BruteForce {
            minimax: Minimax::new(reasoner, role, objective),
            roles: game.roles().to_vec(),
            role,
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

    /// All joint moves of these roles.
    fn joint_moves(&mut self, state: &State, places: &[usize]) -> Vec<Vec<Term>> {
        let mut legal =
            |&place: &usize| self.minimax.reasoner().legal(state, place).expect("moves");
        let legal: Vec<Vec<Term>> = places.iter().map(&mut legal).collect();
        joint_moves(legal.iter().map(Vec::as_slice))
    }

    fn opponents(&self) -> Vec<usize> {
        let is_opponent =
            |&place: &usize| place != self.role && self.roles[place].as_str() != "random";
        (0..self.roles.len()).filter(is_opponent).collect()
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
        let goals = self.minimax.reasoner().goals(state, self.role)?;
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
        let opponents = self.opponents();
        for action in self.minimax.reasoner().legal(state, self.role)? {
            let mut answers = Vec::new();
            for reply in self.joint_moves(state, &opponents) {
                let next = self.successors(state, &action, Some(&reply))?.concat();
                let mut sum = BigRational::from_integer(0.into());
                for state in &next {
                    sum += self.minimax.value(state, steps - 1)?;
                }
                let mean = sum / BigRational::from_integer(next.len().into());
                answers.push((mean, reply));
            }
            answers.sort();
            let least = answers[0].0.clone();
            let place = match self.is_weak_spot(state, steps) {
                true => answers.len() - 1,
                false => 0,
            };
            replies.push(Reply {
                action,
                reply: answers.swap_remove(place).1,
                value: least,
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
        let opponents = self.opponents();
        let replies = match reply {
            Some(reply) => vec![reply.to_vec()],
            None => self.joint_moves(state, &opponents),
        };
        let all: Vec<usize> = (0..self.roles.len()).collect();
        let chance = |&place: &usize| self.roles[place].as_str() == "random";
        let chance: Vec<usize> = all.into_iter().filter(chance).collect();
        let outcomes = self.joint_moves(state, &chance);
        let mut next = Vec::new();
        for reply in &replies {
            let mut after = Vec::new();
            for outcome in &outcomes {
                let mut joint_move = vec![action.clone(); self.roles.len()];
                let others = opponents
                    .iter()
                    .zip(reply)
                    .chain(chance.iter().zip(outcome));
                for (&place, action) in others {
                    joint_move[place] = action.clone();
                }
                after.push(self.minimax.reasoner().next(state, &joint_move)?);
            }
            next.push(after);
        }
        Ok(next)
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
