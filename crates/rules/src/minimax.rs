//! Exact values of small games straight from the definition.
//!
//! The value of a state for a role, with some steps left: in a terminal state the payoff by the
//! [`Objective`]; with no steps left 0; otherwise the maximum over the role's legal moves of the
//! minimum over the joint moves of the opponents of the mean over the random role's moves of the value
//! of the next state. So where roles move at the same time the role commits first, the opponents (all
//! together) answer knowing its move, and chance comes last: this is the order of the quantifier
//! prefix of the logical route.
//!
//! Nothing is pruned; values are kept by state and steps left. This is meant as the yardstick of
//! correctness for faster ways, and for games small enough.

use super::simulate::listed;
use super::terms::TermId;
use super::{PlayDefect, Reasoner, ReasonerError, State, goal_defect, worth};
use gdl::Term;
use gdl::game::{Objective, Sides};
use num_rational::BigRational;
use num_traits::Zero;
use rustc_hash::FxHashMap;

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MinimaxError {
    /// The rules could not be evaluated.
    #[error(transparent)]
    Rules(#[from] ReasonerError),
    /// A state has no value.
    #[error("{defect}; the state is {{{}}}", listed(state))]
    Defect {
        /// The defect of the state.
        defect: PlayDefect,
        state: Vec<Term>,
    },
    #[error("more than {0} states; expected minimax by definition is for small games")]
    TooManyStates(usize),
    #[error("out of memory; expected minimax by definition is for small games")]
    OutOfMemory,
    /// More joint moves in one state than can be tried.
    #[error(
        "more than {MAX_JOINT_MOVES} joint moves in one state; expected minimax by definition is for small games"
    )]
    TooManyJointMoves,
    /// More steps than the recursion can bear.
    #[error("more than {MAX_STEPS} steps; expected minimax by definition is for small games")]
    TooManySteps,
}

/// The most steps that can be looked ahead.
const MAX_STEPS: u32 = 500;

/// The most joint moves of one state that are tried.
const MAX_JOINT_MOVES: usize = 1_000_000;

/// The memory for a state beside its facts, and for a state with its value, in bytes, roughly.
const BYTES_PER_STATE: usize = 32;
const BYTES_PER_VALUE: usize = 250;

/// Expected minimax for one role of a game.
pub struct Minimax {
    reasoner: Reasoner,
    role: usize,
    objective: Objective,
    values: FxHashMap<(State, u32), BigRational>,
    /// Whether a play was not over after the last step.
    cuts_off: bool,
    state_limit: usize,
    memory_limit: Option<u64>,
    /// The bytes of the values, and of the states that wait for theirs, roughly.
    value_bytes: usize,
    waiting_bytes: usize,
}

impl Minimax {
    /// For the role with this index in the list of roles.
    pub fn new(reasoner: Reasoner, role: usize, objective: Objective) -> Self {
        Minimax {
            reasoner,
            role,
            objective,
            values: FxHashMap::default(),
            cuts_off: false,
            state_limit: usize::MAX,
            memory_limit: None,
            value_bytes: 0,
            waiting_bytes: 0,
        }
    }

    /// Gives up when more states (counted with steps left) would have to be kept.
    pub fn with_state_limit(self, state_limit: usize) -> Self {
        Minimax {
            state_limit,
            ..self
        }
    }

    /// Gives up, from now on, when more bytes would be taken, as far as they are counted.
    pub fn set_memory_limit(&mut self, memory_limit: Option<u64>) {
        self.memory_limit = memory_limit;
    }

    /// The bytes that are taken, as far as they are counted.
    pub fn bytes(&self) -> u64 {
        (self.value_bytes + self.waiting_bytes + self.reasoner.term_bytes()) as u64
    }

    fn check_memory(&self) -> Result<(), MinimaxError> {
        match self.memory_limit {
            Some(most) if self.bytes() > most => Err(MinimaxError::OutOfMemory),
            _ => Ok(()),
        }
    }

    /// Whether any value so far counts plays that were not over after the last step, as worth nothing.
    pub fn cuts_off(&self) -> bool {
        self.cuts_off
    }

    /// How many states have been given a value, counted with steps left.
    pub fn states(&self) -> usize {
        self.values.len()
    }

    /// The value of the initial state with this many steps left.
    pub fn initial_value(&mut self, steps: u32) -> Result<BigRational, MinimaxError> {
        let state = self.reasoner.initial()?;
        self.value(&state, steps)
    }

    /// The value of a state with this many steps left.
    pub fn value(&mut self, state: &State, steps: u32) -> Result<BigRational, MinimaxError> {
        if steps > MAX_STEPS {
            return Err(MinimaxError::TooManySteps);
        }
        if self.reasoner.terminal(state)? {
            return self.terminal_value(state);
        }
        if steps == 0 {
            self.cuts_off = true;
            return Ok(BigRational::zero());
        }
        let key = (state.clone(), steps);
        if let Some(value) = self.values.get(&key) {
            return Ok(value.clone());
        }
        let moves = self.moves_with_values(state, steps)?;
        let values = moves.into_iter().map(|(_, value)| value);
        let best = values.max().unwrap_or_else(BigRational::zero);
        if self.values.len() >= self.state_limit {
            return Err(MinimaxError::TooManyStates(self.state_limit));
        }
        self.value_bytes += BYTES_PER_VALUE + key.0.bytes();
        self.check_memory()?;
        self.values.insert(key, best.clone());
        Ok(best)
    }

    /// The value of each legal move of the role in a state that is not terminal, with this many
    /// steps left (at least one); sorted by the text of the moves.
    pub fn move_values(
        &mut self,
        state: &State,
        steps: u32,
    ) -> Result<Vec<(Term, BigRational)>, MinimaxError> {
        let moves = self.moves_with_values(state, steps)?;
        let terms = moves.into_iter();
        let mut terms: Vec<(Term, BigRational)> = terms
            .map(|(action, value)| (self.reasoner.term(action), value))
            .collect();
        terms.sort_by_cached_key(|(action, _)| action.to_string());
        Ok(terms)
    }

    /// The reasoner, for making states to ask about.
    pub fn reasoner(&mut self) -> &mut Reasoner {
        &mut self.reasoner
    }

    fn moves_with_values(
        &mut self,
        state: &State,
        steps: u32,
    ) -> Result<Vec<(TermId, BigRational)>, MinimaxError> {
        let waiting = self.waiting_bytes;
        let found = self.value_moves(state, steps);
        self.waiting_bytes = waiting;
        found
    }

    fn value_moves(
        &mut self,
        state: &State,
        steps: u32,
    ) -> Result<Vec<(TermId, BigRational)>, MinimaxError> {
        let mut legal = Vec::new();
        let mut joint_moves: usize = 1;
        for (index, role) in self.reasoner.roles().to_vec().into_iter().enumerate() {
            let moves = self.reasoner.legal_ids(state, index)?;
            if moves.is_empty() {
                let defect = PlayDefect::NoLegalMove(role);
                let state = self.reasoner.facts(state);
                return Err(MinimaxError::Defect { defect, state });
            }
            joint_moves = joint_moves.saturating_mul(moves.len());
            legal.push(moves);
        }
        if joint_moves > MAX_JOINT_MOVES {
            return Err(MinimaxError::TooManyJointMoves);
        }
        let sides = Sides::new(self.reasoner.roles(), self.role);
        let outcomes = sides.random.map_or(1, |random| legal[random].len());
        // All next states before any of their values: the reasoner keeps the sentences derived for a
        // state until it is asked about another one.
        let mut next_states = Vec::with_capacity(joint_moves);
        for joint_move in sides.joint_moves(&legal) {
            let next = self.reasoner.next_ids(state, &joint_move)?;
            self.waiting_bytes += BYTES_PER_STATE + next.bytes();
            self.check_memory()?;
            next_states.push(next);
        }
        let own = &legal[self.role];
        let mut next_states = next_states.into_iter();
        let mut values = Vec::new();
        for &action in own {
            let mut least: Option<BigRational> = None;
            for _ in 0..joint_moves / own.len() / outcomes {
                let mut sum = BigRational::zero();
                for next in next_states.by_ref().take(outcomes) {
                    sum += self.value(&next, steps.saturating_sub(1))?;
                }
                let mean = sum / BigRational::from_integer(outcomes.into());
                least = Some(least.map_or(mean.clone(), |value| value.min(mean)));
            }
            values.push((action, least.unwrap_or_else(BigRational::zero)));
        }
        Ok(values)
    }

    fn terminal_value(&mut self, state: &State) -> Result<BigRational, MinimaxError> {
        let goals = self.reasoner.goals(state, self.role)?;
        match goal_defect(&self.reasoner.roles()[self.role], &goals) {
            Some(defect) => Err(MinimaxError::Defect {
                defect,
                state: self.reasoner.facts(state),
            }),
            None => Ok(worth(&goals, self.objective).expect("there is one number of points")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_games::reasoner;

    fn value(rules: &str, role: usize, objective: Objective, steps: u32) -> String {
        let mut minimax = Minimax::new(reasoner(rules), role, objective);
        minimax.initial_value(steps).unwrap().to_string()
    }

    /// x names a side, o too, random one of three; at the same time. Sides agreeing decides.
    const SIDES: &str = "(role x) (role o) (role random) (side l) (side r)
        (<= (legal x ?s) (side ?s)) (<= (legal o ?s) (side ?s))
        (<= (legal random ?s) (side ?s)) (legal random edge)
        (<= (next (did ?p ?s)) (does ?p ?s))
        (<= terminal (true (did x ?s)))
        (<= same (true (did x ?s)) (true (did o ?s)))
        (<= hit (true (did x ?s)) (true (did random ?s)))";

    #[test]
    fn defects_are_named() {
        let stuck = "(role x) (role o) (legal x a) (init f) (<= terminal (true g)) (goal x 100)";
        let mut minimax = Minimax::new(reasoner(stuck), 0, Objective::Win);
        let error = minimax.initial_value(3).unwrap_err();
        let expected = "o has no legal move, and the state is not terminal; the state is {f}";
        assert_eq!(error.to_string(), expected);
        for (goals, expected) in [
            ("", "x has no goal value in a terminal state"),
            (
                "(goal x 1) (goal x 2)",
                "x has several goal values in a terminal state: 1 2",
            ),
            (
                "(<= (goal x ?v) (odd ?v)) (odd 1.5)",
                "x has the goal value 1.5",
            ),
        ] {
            let rules = format!("{SIDES} {goals}");
            let mut minimax = Minimax::new(reasoner(&rules), 0, Objective::Win);
            let error = minimax.initial_value(3).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn games_that_are_not_small_are_refused() {
        let mut wide = String::from(
            "(init f) (<= (legal ?r ?m) (role ?r) (move ?m)) (<= terminal (true g)) (<= (next g) (true f))",
        );
        for number in 0..11 {
            wide += &format!("(move {number})");
        }
        for role in ["a", "b", "c", "d", "e", "f"] {
            wide += &format!("(role {role})");
        }
        let mut minimax = Minimax::new(reasoner(&wide), 0, Objective::Win);
        assert_eq!(
            Err(MinimaxError::TooManyJointMoves),
            minimax.initial_value(1)
        );
        assert_eq!(
            Err(MinimaxError::TooManySteps),
            minimax.initial_value(1_000_000)
        );
        let long = Minimax::new(reasoner(&counter()), 0, Objective::Win);
        let mut minimax = long.with_state_limit(10);
        assert_eq!(
            Err(MinimaxError::TooManyStates(10)),
            minimax.initial_value(20)
        );
    }

    /// Counts to 500, which wins.
    fn counter() -> String {
        let mut rules = String::from(
            "(role x) (init (n 0)) (legal x on) (<= (next (n ?m)) (true (n ?n)) (plus ?n ?m))
             (<= (goal x 100) (true (n 500))) (<= terminal (true (n 500)))",
        );
        for number in 0..MAX_STEPS {
            rules += &format!("(plus {number} {})", number + 1);
        }
        rules
    }

    #[test]
    fn long_plays_need_no_deep_stack() {
        let rules = counter();
        assert_eq!("1", value(&rules, 0, Objective::Win, MAX_STEPS));
        assert_eq!("0", value(&rules, 0, Objective::Win, MAX_STEPS - 1));
    }
}
