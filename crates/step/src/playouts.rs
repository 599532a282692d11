//! Random play to the end, many times: how games go, and how fast they can be played.
//!
//! Every role chooses uniformly from its legal moves. With a circuit 64 plays go on at once, one in
//! each bit of a word ([`crate`]); by the rules they go one after the other.

use super::{Position, StateBatch, StateMachine};
use gdl::Term;
use limits::Limits;
use rules::ReasonerError;

#[derive(Clone, Debug)]
pub struct PlayoutSettings {
    pub playouts: u64,
    /// After how many joint moves a play is given up.
    pub depth: u32,
    /// The seed of the random choices. Circuit and rules use it differently.
    pub seed: u64,
    /// When to begin no more steps.
    pub limits: Limits,
}

/// How the plays went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Playouts {
    /// Plays that ended in a terminal state.
    pub ended: u64,
    /// Plays given up because they were too long.
    pub unfinished: u64,
    /// Plays in which some role had no legal move before the end: a defect of the game.
    pub stuck: u64,
    /// States visited in all plays, repetitions counted.
    pub states: u64,
    /// The most joint moves of a play.
    pub longest: u32,
    /// For each role the goal values of the terminal states reached, and how often; numbers in their order,
    /// then other terms.
    pub goals: Vec<Vec<(Term, u64)>>,
    /// Whether time ran out first. Plays then under way count nowhere but in `states`.
    pub out_of_time: bool,
}

impl Playouts {
    pub(super) fn note_goal(&mut self, role: usize, value: &Term, times: u64) {
        let goals = &mut self.goals[role];
        let order = |value: &Term| {
            let text = value.to_string();
            (text.parse().unwrap_or(u64::MAX), text)
        };
        match goals.binary_search_by_key(&order(value), |(value, _)| order(value)) {
            Ok(index) => goals[index].1 += times,
            Err(index) => goals.insert(index, (value.clone(), times)),
        }
    }

    /// The mean number of points of a role, by its index, in the plays that ended; none without such plays, or
    /// where some goal value is no number.
    pub fn mean(&self, role: usize) -> Option<f64> {
        let (mut points, mut plays) = (0.0, 0);
        for (value, times) in &self.goals[role] {
            points += value.to_string().parse::<u32>().ok()? as f64 * *times as f64;
            plays += times;
        }
        (plays > 0).then(|| points / plays as f64)
    }
}

impl StateMachine {
    /// Plays at random from a state.
    pub fn playouts(
        &mut self,
        start: &Position,
        settings: &PlayoutSettings,
    ) -> Result<Playouts, ReasonerError> {
        match self.by_circuit(start) {
            Some((circuit, bits)) => Ok(StateBatch::of(circuit).playouts(bits, settings)),
            None => self.playouts_by_rules(start, settings),
        }
    }

    fn playouts_by_rules(
        &mut self,
        start: &Position,
        settings: &PlayoutSettings,
    ) -> Result<Playouts, ReasonerError> {
        let mut random = fastrand::Rng::with_seed(settings.seed);
        let mut result = Playouts {
            goals: vec![Vec::new(); self.roles().len()],
            ..Playouts::default()
        };
        for _ in 0..settings.playouts {
            let mut position = start.clone();
            let mut plies = 0;
            loop {
                if settings.limits.is_over() {
                    result.out_of_time = true;
                    return Ok(result);
                }
                result.states += 1;
                result.longest = result.longest.max(plies);
                if self.terminal(&position)? {
                    for role in 0..self.roles().len() {
                        for value in self.goals(&position, role)? {
                            result.note_goal(role, &value, 1);
                        }
                    }
                    result.ended += 1;
                    break;
                }
                if plies == settings.depth {
                    result.unfinished += 1;
                    break;
                }
                let Some(joint_move) = self.random_move(&position, &mut random)? else {
                    result.stuck += 1;
                    break;
                };
                position = self.next(&position, &joint_move)?;
                plies += 1;
            }
        }
        Ok(result)
    }

    /// A joint move in which every role chooses uniformly; none if some role has no legal move.
    pub fn random_move(
        &mut self,
        position: &Position,
        random: &mut fastrand::Rng,
    ) -> Result<Option<Vec<Term>>, ReasonerError> {
        let mut joint_move = Vec::new();
        for role in 0..self.roles().len() {
            let legal = self.legal(position, role)?;
            match random.choice(&legal) {
                Some(action) => joint_move.push(action.clone()),
                None => return Ok(None),
            }
        }
        Ok(Some(joint_move))
    }
}
