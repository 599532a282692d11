//! Violations by play, 64 random plays at a time on the circuit of one step.
//!
//! A property that is violated in one play of a hundred is rarely met by a few plays. On the circuit a
//! pass over the code makes a step of 64 plays ([`StateBatch`]), and a condition is a word as well, with a
//! one in each lane whose state it holds in: so thousands of plays take as long as some dozens one by one.

use super::bounds::PLAYS_BY_CIRCUIT;
use super::condition::{Atom, Condition};
use super::playing::{Played, Playing, Playthrough};
use super::steps::Stop;
use super::vocabulary::Vocabulary;
use fastrand::Rng;
use gdl::Term;
use limits::StopReason;
use step::{LANES, StateBatch, for_each_lane};

/// The lanes in whose states an atom holds.
fn lanes_of(batch: &StateBatch, atom: Atom) -> u64 {
    match atom {
        Atom::True(fact) => batch.fact(fact),
        Atom::Legal(role, action) => batch.is_legal(role, action),
        Atom::Goal(role, value) => batch.has_goal(role, value),
        Atom::Terminal => batch.terminal(),
    }
}

/// Plays at random and searches for states that violate some of these properties. The
/// vocabulary must be that of the step.
pub(super) fn play(
    game: &Vocabulary,
    batch: &mut StateBatch,
    properties: &[&[Condition]],
    playing: &Playing,
) -> Result<Played, Stop> {
    let mut played = Played {
        violations: vec![None; properties.len()],
        ..Played::default()
    };
    let mut random = Rng::with_seed(1);
    while played.plays < PLAYS_BY_CIRCUIT * playing.plays {
        let mut plays = Plays::new(batch);
        if !plays.follow(game, batch, properties, playing, &mut random, &mut played)? {
            break;
        }
    }
    Ok(played)
}

/// 64 plays from the initial state.
struct Plays {
    /// The lanes whose play goes on.
    active: u64,
    /// For each step so far the number of the move of each role in each lane.
    history: Vec<Vec<[u32; LANES]>>,
}

impl Plays {
    fn new(batch: &mut StateBatch) -> Self {
        let ground = batch.ground();
        let initial = ground.row(&ground.step.initial);
        batch.put(u64::MAX, &initial);
        Plays {
            active: u64::MAX,
            history: Vec::new(),
        }
    }

    /// Follows all plays to their ends; false if there is no time for more.
    fn follow(
        &mut self,
        game: &Vocabulary,
        batch: &mut StateBatch,
        properties: &[&[Condition]],
        playing: &Playing,
        random: &mut Rng,
        played: &mut Played,
    ) -> Result<bool, Stop> {
        let mut last = 0;
        let is_late = loop {
            match playing.limits.check() {
                Err(StopReason::Time) => break true,
                looked => looked.map_err(Stop::Limit)?,
            }
            batch.evaluate();
            for (property, violation) in properties.iter().zip(&mut played.violations) {
                if violation.is_none() {
                    *violation = self.violation(game, batch, property);
                }
            }
            played.states += self.active.count_ones() as usize;
            self.active &= !batch.terminal();
            let mut chosen = vec![[0; LANES]; batch.ground().roles.len()];
            let stuck = batch.choose_at_random(self.active, random, |role, number, taken| {
                for_each_lane(taken, |lane| chosen[role][lane] = number as u32);
            });
            self.active &= !stuck;
            if self.active == 0 || self.history.len() == playing.steps {
                break false;
            }
            last = self.active.trailing_zeros() as usize;
            batch.step();
            self.history.push(chosen);
        };
        if self.history.len() > played.longest.len() {
            played.longest = self.joint_moves(game, last);
        }
        played.plays += LANES;
        if is_late {
            played.plays -= self.active.count_ones() as usize;
        }
        Ok(!is_late)
    }

    /// An instance that some lane violates.
    fn violation(
        &self,
        game: &Vocabulary,
        batch: &StateBatch,
        instances: &[Condition],
    ) -> Option<Playthrough> {
        instances
            .iter()
            .enumerate()
            .find_map(|(instance, condition)| {
                let violated = !condition.lanes(&mut |atom| lanes_of(batch, atom)) & self.active;
                let lane = (violated != 0).then(|| violated.trailing_zeros() as usize)?;
                Some(Playthrough {
                    joint_moves: self.joint_moves(game, lane),
                    state: batch.facts_in(lane),
                    instance,
                })
            })
    }

    /// How a lane came where it is.
    fn joint_moves(&self, game: &Vocabulary, lane: usize) -> Vec<Vec<Term>> {
        let step = |chosen: &Vec<[u32; LANES]>| {
            let roles = game.moves.iter().zip(chosen);
            roles
                .map(|(moves, chosen)| moves[chosen[lane] as usize].clone())
                .collect()
        };
        self.history.iter().map(step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl::game;

    /// A condition over atoms that are facts below 6.
    fn random_condition(random: &mut Rng, depth: u32) -> Condition {
        let atom = |random: &mut Rng| Atom::True(random.usize(..6));
        let some = |random: &mut Rng| -> Vec<Condition> {
            let count = random.usize(..4);
            (0..count)
                .map(|_| random_condition(random, depth - 1))
                .collect()
        };
        match random.u32(0..if depth == 0 { 3 } else { 6 }) {
            0 => Condition::Constant(random.bool()),
            1 => Condition::Atom(atom(random)),
            2 => {
                let least = random.usize(..4);
                let most = random.bool().then(|| random.usize(..5));
                let atoms = (0..random.usize(..6)).map(|_| atom(random)).collect();
                Condition::Count { least, most, atoms }
            }
            3 => Condition::Not(Box::new(random_condition(random, depth - 1))),
            4 => Condition::All(some(random)),
            _ => Condition::Any(some(random)),
        }
    }

    #[test]
    fn a_condition_holds_in_the_lanes_of_the_states_that_it_holds_in() {
        let seed = fastrand::u64(..);
        let mut random = Rng::with_seed(seed);
        for round in 0..500 {
            let condition = random_condition(&mut random, 3);
            let facts: Vec<u64> = (0..6).map(|_| random.u64(..)).collect();
            let number = |atom| match atom {
                Atom::True(fact) => fact,
                _ => unreachable!("there are only facts"),
            };
            let lanes = condition.lanes(&mut |atom| facts[number(atom)]);
            for lane in 0..LANES {
                let holds = condition.holds(&mut |atom| facts[number(atom)] >> lane & 1 == 1);
                assert_eq!(lanes >> lane & 1 == 1, holds, "seed {seed}, round {round}");
            }
        }
    }

    /// Violations that occur once in hundreds of plays are found, with the way there.
    #[test]
    fn rare_violations_are_found_with_the_way_there() {
        let rules = b"(role robot) (init (at 0)) (step 0 1) (step 1 2) (step 2 3) (step 3 4) (step 4 5) (step 5 6) (step 6 7)
            (<= (legal robot on) (true (at ?n)) (step ?n ?m)) (legal robot off) (legal robot back)
            (<= (next (at ?m)) (does robot on) (true (at ?n)) (step ?n ?m)) (<= (next (at 0)) (does robot back))
            (<= terminal (true (at 7))) (<= terminal (not some)) (<= some (true (at ?n))) (goal robot 0)";
        let game = game::read("robot", rules, &gdl::Options::default())
            .expect("a sound game")
            .game;
        let limits = rules::RuleLimits::default();
        let step = step::StepLimits::default();
        let machine = step::StateMachine::new(&game, &step, limits).expect("a machine");
        let mut batch = StateBatch::new(&machine).expect("one step is a circuit");
        let vocabulary = Vocabulary::of_step(batch.ground());
        let never = |text: &str| {
            let fact = vocabulary.facts.iter().position(|f| f.to_string() == text);
            let fact = fact.expect("there is such a fact");
            Condition::Not(Box::new(Condition::Atom(Atom::True(fact))))
        };
        let properties: [&[Condition]; 2] = [&[never("(at 7)")], &[Condition::Constant(true)]];
        let playing = Playing {
            plays: 4000,
            steps: 50,
            limits: limits::Limits::default(),
        };
        let played = play(&vocabulary, &mut batch, &properties, &playing).expect("it is played");
        let through = played.violations[0].as_ref().expect("it can be reached");
        let ways: Vec<String> = (through.joint_moves.iter())
            .map(|joint| joint[0].to_string())
            .collect();
        assert!(ways.ends_with(&vec!["on".to_owned(); 7]), "{ways:?}");
        assert_eq!(through.state.len(), 1);
        assert!(played.violations[1].is_none());
        assert!(played.plays >= PLAYS_BY_CIRCUIT * playing.plays && played.states > played.plays);
    }
}
