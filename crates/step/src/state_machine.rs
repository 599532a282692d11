//! The state machine that everything else uses: by circuit where there is one, else by the rules.
//!
//! A [`StateMachine`] answers the usual questions about a game: the initial state, legal moves, the
//! next state, whether a state is terminal, goal values. It is an object with two ways to an answer
//! rather than a trait with two implementations, because both are needed at once: a state that
//! the caller hands in may hold facts that no play leads to, which the circuit has no inputs for.
//! Such states, and moves that can never be legal, go to the [`Reasoner`].
//!
//! Invariant: a [`Position`] has one form for one set of facts (the circuit's, if that can express
//! it), so equal positions are equal states.

use super::evaluate::{Bits, Evaluation};
use super::{GroundStep, StepError, StepLimits, ground_step_from};
use gdl::game::Game;
use gdl::{Name, Term};
use rules::{Reasoner, ReasonerError, RuleLimits, State};

/// A state of a game, as a [`StateMachine`] keeps it. To be used with that machine or clones of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position(Form);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Form {
    Circuit(Bits),
    Rules(State),
}

/// The state machine of a game.
#[derive(Clone)]
pub struct StateMachine {
    reasoner: Reasoner,
    circuit: Result<Evaluation, StepError>,
}

impl StateMachine {
    /// With a circuit if the limits allow for one, otherwise by the rules alone.
    pub fn new(game: &Game, step: &StepLimits, limits: RuleLimits) -> Result<Self, ReasonerError> {
        StateMachine::starting_from(game, &[], step, limits)
    }

    /// Like [`StateMachine::new`], with a circuit that also covers all play from these states.
    pub fn starting_from(
        game: &Game,
        starts: &[Vec<Term>],
        step: &StepLimits,
        limits: RuleLimits,
    ) -> Result<Self, ReasonerError> {
        Ok(StateMachine {
            reasoner: Reasoner::with_limits(game, limits)?,
            circuit: ground_step_from(game, starts, step).map(Evaluation::new),
        })
    }

    /// By the rules alone, without a circuit: slower to play, and nothing to prepare.
    pub fn by_rules(reasoner: Reasoner) -> Self {
        StateMachine {
            reasoner,
            circuit: Err(StepError::NotWanted),
        }
    }

    /// The circuit, or why there is none.
    pub fn circuit(&self) -> Result<&GroundStep, &StepError> {
        self.circuit.as_ref().map(Evaluation::ground)
    }

    /// All roles, in the order of the game. Methods name a role by its place in this list.
    pub fn roles(&self) -> &[Name] {
        self.reasoner.roles()
    }

    /// The reasoner, for relations that only the rules tell, such as `base` and `input`.
    pub fn reasoner(&mut self) -> &mut Reasoner {
        &mut self.reasoner
    }

    /// The state given by `init`.
    pub fn initial(&mut self) -> Result<Position, ReasonerError> {
        if let Ok(circuit) = &self.circuit {
            return Ok(Position(Form::Circuit(circuit.initial())));
        }
        let state = self.reasoner.initial()?;
        Ok(self.position_of(state))
    }

    /// The state with these facts, which need not be one that play leads to.
    pub fn position(&mut self, facts: &[Term]) -> Result<Position, ReasonerError> {
        let bits = self.circuit.as_ref().ok().and_then(|c| c.bits(facts));
        Ok(Position(match bits {
            Some(bits) => Form::Circuit(bits),
            None => Form::Rules(self.reasoner.state(facts)?),
        }))
    }

    /// The facts of a state, sorted by the bytes of their text.
    pub fn facts(&self, position: &Position) -> Vec<Term> {
        match (&self.circuit, &position.0) {
            (Ok(circuit), Form::Circuit(bits)) => circuit.ground().held(bits),
            (_, Form::Rules(state)) => self.reasoner.facts(state),
            (Err(_), Form::Circuit(_)) => unreachable!("{OTHER_MACHINE}"),
        }
    }

    /// Whether the game is over.
    pub fn terminal(&mut self, position: &Position) -> Result<bool, ReasonerError> {
        match (&mut self.circuit, &position.0) {
            (Ok(circuit), Form::Circuit(bits)) => Ok(circuit.terminal(bits)),
            (_, Form::Rules(state)) => self.reasoner.terminal(state),
            (Err(_), Form::Circuit(_)) => unreachable!("{OTHER_MACHINE}"),
        }
    }

    /// The legal moves of a role, sorted by the bytes of their text.
    pub fn legal(&mut self, position: &Position, role: usize) -> Result<Vec<Term>, ReasonerError> {
        match (&mut self.circuit, &position.0) {
            (Ok(circuit), Form::Circuit(bits)) => Ok(circuit.legal(bits, role)),
            (_, Form::Rules(state)) => self.reasoner.legal(state, role),
            (Err(_), Form::Circuit(_)) => unreachable!("{OTHER_MACHINE}"),
        }
    }

    /// All goal values that the rules give a role, sorted by text.
    pub fn goals(&mut self, position: &Position, role: usize) -> Result<Vec<Term>, ReasonerError> {
        match (&mut self.circuit, &position.0) {
            (Ok(circuit), Form::Circuit(bits)) => Ok(circuit.goals(bits, role)),
            (_, Form::Rules(state)) => self.reasoner.goals(state, role),
            (Err(_), Form::Circuit(_)) => unreachable!("{OTHER_MACHINE}"),
        }
    }

    /// The state after a joint move: one move for each role, in order. Moves are not checked for
    /// being legal; the rules say their effect.
    pub fn next(
        &mut self,
        position: &Position,
        joint_move: &[Term],
    ) -> Result<Position, ReasonerError> {
        if joint_move.len() != self.roles().len() {
            return Err(ReasonerError::WrongNumberOfMoves {
                expected: self.roles().len(),
                found: joint_move.len(),
            });
        }
        let next = match (&mut self.circuit, &position.0) {
            (Ok(circuit), Form::Circuit(bits)) => {
                if let Some(bits) = circuit.next(bits, joint_move) {
                    return Ok(Position(Form::Circuit(bits)));
                }
                let facts = circuit.ground().held(bits);
                let state = self.reasoner.state(&facts)?;
                self.reasoner.next(&state, joint_move)?
            }
            (_, Form::Rules(state)) => self.reasoner.next(state, joint_move)?,
            (Err(_), Form::Circuit(_)) => unreachable!("{OTHER_MACHINE}"),
        };
        Ok(self.position_of(next))
    }

    /// For each role the things that it sees (`sees` of GDL-II) when a joint move is made, sorted by the bytes of their text.
    pub fn percepts(
        &mut self,
        position: &Position,
        joint_move: &[Term],
    ) -> Result<Vec<Vec<Term>>, ReasonerError> {
        let state = match &position.0 {
            Form::Rules(state) => state.clone(),
            Form::Circuit(_) => {
                let facts = self.facts(position);
                self.reasoner.state(&facts)?
            }
        };
        self.reasoner.percepts(&state, joint_move)
    }

    /// The circuit as code, if there is one.
    pub(super) fn evaluation(&self) -> Option<&Evaluation> {
        self.circuit.as_ref().ok()
    }

    /// The circuit and a state in its form, if it can express it.
    pub(super) fn by_circuit<'a>(
        &'a self,
        position: &'a Position,
    ) -> Option<(&'a Evaluation, &'a Bits)> {
        match (&self.circuit, &position.0) {
            (Ok(circuit), Form::Circuit(bits)) => Some((circuit, bits)),
            _ => None,
        }
    }

    /// The one form of a state.
    fn position_of(&self, state: State) -> Position {
        let circuit = self.circuit.as_ref().ok();
        let bits = circuit.and_then(|circuit| circuit.bits(&self.reasoner.facts(&state)));
        Position(bits.map_or(Form::Rules(state), Form::Circuit))
    }
}

const OTHER_MACHINE: &str = "the position comes from another machine";
