//! Exact endings: the value of a position near the end, from all plays that are left.
//!
//! The role has its best move, its opponents give the answer that is worst for it, and `random` gives the mean: expected minimax, in
//! floating point. A position in which the role and an opponent choose at once has no such value. Random plays stop where they meet such a position, so that near the end they are no guess.

use gdl::Term;
use gdl::game::{Sides, count_joint_moves, points};
use rules::ReasonerError;
use rustc_hash::FxHashMap;
use step::{Position, StateMachine};

/// The most joint moves that are tried for one position.
const MAX_TRIES: usize = 200;

/// The most positions that are kept, and the memory of each, in bytes.
const MAX_POSITIONS: usize = 200_000;
const BYTES_PER_POSITION: u64 = 150;

/// Values of positions.
pub(super) struct Endings {
    /// The role's points count.
    sides: Sides,
    /// Values from 0 to 1; nothing while a position is being valued.
    values: FxHashMap<Position, Option<f64>>,
    max_positions: usize,
}

impl Endings {
    pub(super) fn new(sides: Sides, memory: Option<u64>) -> Self {
        Endings {
            sides,
            values: FxHashMap::default(),
            max_positions: memory.map_or(MAX_POSITIONS, |all| {
                MAX_POSITIONS.min((all / BYTES_PER_POSITION) as usize)
            }),
        }
    }

    /// The value that the role can guarantee from a position on, if few plays are left.
    pub(super) fn value(
        &mut self,
        machine: &mut StateMachine,
        position: &Position,
    ) -> Result<Option<f64>, ReasonerError> {
        if self.values.len() >= self.max_positions {
            self.values.clear();
        }
        let mut tries = MAX_TRIES;
        self.within(machine, position, &mut tries)
    }

    fn within(
        &mut self,
        machine: &mut StateMachine,
        position: &Position,
        tries: &mut usize,
    ) -> Result<Option<f64>, ReasonerError> {
        if let Some(&known) = self.values.get(position) {
            return Ok(known);
        }
        if machine.terminal(position)? {
            return share(machine, position, self.sides.role).map(Some);
        }
        // While a position is open, plays that come back to it are too long.
        self.values.insert(position.clone(), None);
        let value = self.best(machine, position, tries);
        match &value {
            Ok(Some(value)) => self.values.insert(position.clone(), Some(*value)),
            // A position that was too much work from here may be little from elsewhere.
            _ => self.values.remove(position),
        };
        value
    }

    fn best(
        &mut self,
        machine: &mut StateMachine,
        position: &Position,
        tries: &mut usize,
    ) -> Result<Option<f64>, ReasonerError> {
        let roles = 0..machine.roles().len();
        let legal: Vec<Vec<Term>> = roles
            .map(|role| machine.legal(position, role))
            .collect::<Result<_, _>>()?;
        let outcomes = self.sides.random.map_or(1, |random| legal[random].len());
        let joint = count_joint_moves(&legal);
        if joint == 0 || joint > *tries {
            return Ok(None);
        }
        *tries -= joint;
        // `outcomes` values in a row belong to a choice of all players, and `replies` means in a row to one of the role.
        let own = legal[self.sides.role].len();
        let replies = joint / outcomes / own;
        if own > 1 && replies > 1 {
            // A best move that the others know would be worth less than a mixture.
            return Ok(None);
        }
        let mut values = Vec::with_capacity(joint);
        for joint_move in self.sides.clone().joint_moves(&legal) {
            let next = machine.next(position, &joint_move)?;
            match self.within(machine, &next, tries)? {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        let means: Vec<f64> = values
            .chunks(outcomes)
            .map(|outcomes| outcomes.iter().sum::<f64>() / outcomes.len() as f64)
            .collect();
        let worst = means
            .chunks(replies)
            .map(|replies| replies.iter().copied().fold(f64::INFINITY, f64::min));
        Ok(worst.reduce(f64::max))
    }
}

/// The points of a role in a position that is over, from 0 to 1.
pub(super) fn share(
    machine: &mut StateMachine,
    position: &Position,
    role: usize,
) -> Result<f64, ReasonerError> {
    let goals = machine.goals(position, role)?;
    let points = goals.first().and_then(points);
    Ok(points.map_or(0.0, |points| points.rounded().clamp(0.0, 100.0) / 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engines::SearchOptions;
    use engines::Silent;
    use engines::{Play, Position as Place, Query, for_positions};
    use fastrand::Rng;
    use gdl::game::Objective;
    use limits::Limits;
    use num_traits::ToPrimitive;
    use rules::RuleLimits;
    use std::sync::Arc;
    use step::StepLimits;

    /// Each role in turn, positions of random plays: a known value equals that of an engine.
    fn compare(file: &str) -> usize {
        let path = format!("{}/../../games/{file}", env!("CARGO_MANIFEST_DIR"));
        let rules = std::fs::read(path).expect("a game");
        let game = engines::read(file, &rules).expect("valid rules");
        let machine = StateMachine::new(&game, &StepLimits::modest(), RuleLimits::default());
        let mut machine = machine.expect("a machine");
        let mut known = 0;
        for role in game
            .players()
            .map(|role| game.role(role).expect("it is one"))
        {
            let options = SearchOptions::default();
            let engine = for_positions(
                &game,
                Play::Open,
                Objective::Score.into(),
                role,
                options,
                None,
            );
            let (mut engine, _) = engine.expect("an engine");
            let mut endings = Endings::new(Sides::new(game.roles(), role), None);
            let mut rng = Rng::with_seed(role as u64);
            for _ in 0..30 {
                let mut position = machine.initial().expect("a position");
                while !machine.terminal(&position).expect("followed") {
                    if let Some(value) = endings.value(&mut machine, &position).expect("followed") {
                        let query = Query {
                            position: Place::State(machine.facts(&position)),
                            role,
                            depth: None,
                            moves: false,
                            limits: Limits::default(),
                            observer: Arc::new(Silent),
                        };
                        let found = engine.evaluate(&query).expect("a value");
                        let (exact, _) = found.outcome.bounds();
                        let difference = value - exact.to_f64().expect("a number");
                        assert!(difference.abs() < 1e-9, "{file}: {value} and {exact}");
                        known += 1;
                    }
                    let joint_move = machine.random_move(&position, &mut rng);
                    let joint_move = joint_move.expect("followed").expect("legal moves");
                    position = machine.next(&position, &joint_move).expect("followed");
                }
            }
        }
        known
    }

    #[test]
    fn endings_are_what_engines_find() {
        let games = [
            "stochastic_ttt.gdl",
            "duel.gdl",
            "last_stone.gdl",
            "frog_race.gdl",
            "three_rolls.gdl",
            "gambler.gdl",
        ];
        for file in games {
            let known = compare(file);
            assert!(known >= 10, "{file}: {known}");
        }
    }

    /// A value that was too much work within that of another position is found when it is asked for by itself.
    #[test]
    fn too_much_work_is_not_kept() {
        let text = "(role ann) (role bob) (init (left 8)) (init (turn ann))
            (after ann bob) (after bob ann) (less 8 7) (less 7 6) (less 6 5) (less 5 4) (less 4 3) (less 3 2) (less 2 1) (less 1 0)
            (<= (legal ?r one) (true (turn ?r))) (<= (legal ?r pass) (true (turn ?r))) (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
            (<= (next (left ?n)) (true (left ?m)) (less ?m ?n))
            (<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))
            (<= (next (took ?r ?m)) (does ?r one) (true (left ?m))) (<= (next (took ?r ?m)) (true (took ?r ?m)))
            (<= terminal (true (left 0)))
            (<= (goal ann 100) (true (took ann 2))) (<= (goal ann 0) (not (true (took ann 2))))
            (<= (goal bob 0) (true (took ann 2))) (<= (goal bob 100) (not (true (took ann 2))))";
        let game = engines::read("takes", text.as_bytes()).expect("valid rules");
        let machine = StateMachine::new(&game, &StepLimits::modest(), RuleLimits::default());
        let mut machine = machine.expect("a machine");
        let own = || Endings::new(Sides::new(game.roles(), 0), None);
        let mut endings = own();
        let mut rng = Rng::with_seed(2);
        let mut known = 0;
        for _ in 0..20 {
            let mut position = machine.initial().expect("a position");
            while !machine.terminal(&position).expect("followed") {
                let alone = own().value(&mut machine, &position).expect("followed");
                let found = endings.value(&mut machine, &position).expect("followed");
                assert!(
                    alone.is_none() || found == alone,
                    "{found:?}, alone {alone:?}"
                );
                known += usize::from(alone.is_some());
                let joint_move = machine.random_move(&position, &mut rng);
                let joint_move = joint_move.expect("followed").expect("legal moves");
                position = machine.next(&position, &joint_move).expect("followed");
            }
        }
        assert!((60..160).contains(&known), "{known} of 160");
    }
}
