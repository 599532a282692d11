//! Some of the positions that the circuit was used for, compared with the rules.

use gdl::Term;
use gdl::game::Objective;
use num_rational::BigRational;
use rules::{Reasoner, ReasonerError, State, payoff};
use step::GroundStep;

/// After the first ones one position in this number is compared.
pub const SAMPLE: u64 = 1009;
/// How many are compared at first.
const FIRST: u64 = 64;

/// The rules, and the state that is compared.
pub(super) struct SpotCheck<'a> {
    reasoner: &'a mut Reasoner,
    state: Option<State>,
}

/// The answers of the circuit about a state.
pub(super) struct CircuitState<'a> {
    pub(super) ground: &'a GroundStep,
    pub(super) role: usize,
    pub(super) objective: Objective,
    pub(super) state: &'a [u64],
    pub(super) legal: &'a [Vec<u32>],
}

impl<'a> SpotCheck<'a> {
    pub(super) fn new(reasoner: &'a mut Reasoner) -> Self {
        SpotCheck {
            reasoner,
            state: None,
        }
    }

    /// Whether a position is compared, by how many there were before.
    pub(super) fn is_due(number: u64) -> bool {
        number < FIRST || number.is_multiple_of(SAMPLE)
    }

    /// Whether play goes on in a state, and the same moves are legal.
    pub(super) fn start(&mut self, followed: &CircuitState<'_>) -> Result<bool, ReasonerError> {
        let facts = followed.ground.held(followed.state);
        let state = self.reasoner.state(&facts)?;
        let mut agrees = !self.reasoner.terminal(&state)?;
        for (role, numbers) in followed.legal.iter().enumerate() {
            let moves = &followed.ground.moves[role];
            let named: Vec<&Term> = numbers.iter().map(|&n| &moves[n as usize]).collect();
            let legal = self.reasoner.legal(&state, role)?;
            agrees &= legal.iter().eq(named);
        }
        self.state = Some(state);
        Ok(agrees)
    }

    /// Whether a joint move leads from there to this state, with this payoff if play is over.
    pub(super) fn next(
        &mut self,
        followed: &CircuitState<'_>,
        joint_move: &[u32],
        next: &[u64],
        worth: Option<&BigRational>,
    ) -> Result<bool, ReasonerError> {
        let moves = joint_move.iter().zip(&followed.ground.moves);
        let moves: Vec<Term> = moves.map(|(&n, moves)| moves[n as usize].clone()).collect();
        let state = self.state.as_ref().expect("a state was begun with");
        let found = self.reasoner.next(state, &moves)?;
        let found_worth = if self.reasoner.terminal(&found)? {
            payoff(self.reasoner, &found, followed.role, followed.objective)?
        } else {
            None
        };
        let agrees = self.reasoner.facts(&found) == followed.ground.held(next);
        Ok(agrees && found_worth.as_ref() == worth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl::Options;
    use gdl::game;
    use step::ground_step;

    const RULES: &str = "(role x) (init off) (<= (legal x press) (true off)) (legal x wait)
        (<= (next on) (does x press)) (<= (next off) (true off) (does x wait))
        (<= terminal (true on)) (<= (goal x 100) (true on)) (<= (goal x 0) (true off))";

    /// Facts are `off` and `on`, moves `press` and `wait`.
    #[test]
    fn every_difference_is_seen() {
        let read = game::read("switch", RULES.as_bytes(), &Options::default());
        let game = read.expect("a valid game").game;
        let ground = ground_step(&game, &Default::default()).expect("a circuit");
        let mut reasoner = Reasoner::new(&game).expect("rules");
        let (one, zero) = (BigRational::from_integer(1.into()), None);
        let cases = [
            (0b01, vec![0, 1], 0, 0b10, Some(&one), true),
            (0b01, vec![0, 1], 1, 0b01, zero, true),
            // A legal move is missing; the end is not seen; it is worth something else; the next
            // state is another; play is over already.
            (0b01, vec![0], 0, 0b10, Some(&one), false),
            (0b01, vec![0, 1], 0, 0b10, None, false),
            (0b01, vec![0, 1], 1, 0b01, Some(&one), false),
            (0b01, vec![0, 1], 1, 0b10, None, false),
            (0b10, vec![1], 1, 0b00, None, false),
        ];
        for (number, (state, legal, action, next, worth, expected)) in cases.into_iter().enumerate()
        {
            let followed = CircuitState {
                ground: &ground,
                role: 0,
                objective: Objective::Win,
                state: &[state],
                legal: &[legal],
            };
            let mut check = SpotCheck::new(&mut reasoner);
            let start = check.start(&followed).expect("an answer");
            let next = check.next(&followed, &[action], &[next], worth);
            assert_eq!(start && next.expect("an answer"), expected, "case {number}");
        }
    }
}
