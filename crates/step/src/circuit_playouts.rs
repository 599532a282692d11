//! Random play in all lanes at once.
//!
//! One pass over the code computes a step of 64 plays, and [`Choice`] chooses a move in all of them
//! at once. Only the beginning and the end of plays is looked at lane by lane: a lane whose play is
//! over begins the next.

use super::choice::Choice;
use super::evaluate::{Bits, Evaluation};
use crate::playouts::{PlayoutSettings, Playouts};
use circuit::{set, word};
use fastrand::Rng;

const LANES: u64 = 64;

/// Calls `visit` with the number of each bit that is set.
pub fn for_each_lane(mut lanes: u64, mut visit: impl FnMut(usize)) {
    while lanes != 0 {
        visit(lanes.trailing_zeros() as usize);
        lanes &= lanes - 1;
    }
}

impl Evaluation {
    /// Plays at random from a state.
    pub(super) fn playouts(&self, start: &Bits, settings: &PlayoutSettings) -> Playouts {
        let compiled = &*self.compiled;
        let mut play = Lanes {
            evaluation: self,
            random: Rng::with_seed(settings.seed),
            values: circuit::Slots::values(compiled.slots),
            facts: vec![0; compiled.fact_slots.len()],
            choice: Choice::default(),
        };
        let mut result = Playouts {
            goals: vec![Vec::new(); compiled.ground.roles.len()],
            ..Playouts::default()
        };
        let mut goals: Vec<Vec<u64>> = compiled.goals.iter().map(|g| vec![0; g.len()]).collect();
        let mut left = settings.playouts;
        let mut active = 0u64;
        let mut plies = [0u32; LANES as usize];
        loop {
            if settings.limits.is_over() {
                result.out_of_time = true;
                break;
            }
            let mut begin = 0;
            for_each_lane(!active, |lane| {
                if left > 0 {
                    left -= 1;
                    begin |= 1 << lane;
                    plies[lane] = 0;
                }
            });
            active |= begin;
            if active == 0 {
                break;
            }
            play.begin(begin, start);
            result.states += u64::from(active.count_ones());
            let terminal = word(&play.values, compiled.terminal) & active;
            if terminal != 0 {
                for (counts, literals) in goals.iter_mut().zip(&compiled.goals) {
                    for (count, &literal) in counts.iter_mut().zip(literals) {
                        let reached = word(&play.values, literal) & terminal;
                        *count += u64::from(reached.count_ones());
                    }
                }
            }
            let mut too_long = 0;
            for_each_lane(active, |lane| {
                result.longest = result.longest.max(plies[lane]);
                too_long |= u64::from(plies[lane] >= settings.depth) << lane;
                plies[lane] += 1;
            });
            too_long &= !terminal;
            let going = active & !terminal & !too_long;
            let stuck = play.choose(going);
            result.ended += u64::from(terminal.count_ones());
            result.unfinished += u64::from(too_long.count_ones());
            result.stuck += u64::from(stuck.count_ones());
            active = going & !stuck;
            play.step();
        }
        let ground = &compiled.ground;
        for (role, counts) in goals.into_iter().enumerate() {
            for ((value, _), count) in ground.goals[role].iter().zip(counts) {
                if count > 0 {
                    result.note_goal(role, value, count);
                }
            }
        }
        result
    }
}

struct Lanes<'a> {
    evaluation: &'a Evaluation,
    random: Rng,
    values: Vec<u64>,
    /// For each fact the lanes in which it holds.
    facts: Vec<u64>,
    choice: Choice,
}

impl Lanes<'_> {
    /// Puts the start into some lanes, and computes the signals of the states in all lanes.
    fn begin(&mut self, lanes: u64, start: &Bits) {
        let compiled = &*self.evaluation.compiled;
        for (index, fact) in self.facts.iter_mut().enumerate() {
            let holds = 0u64.wrapping_sub(start[index / 64] >> (index % 64) & 1);
            *fact = (*fact & !lanes) | (holds & lanes);
            set(&mut self.values, compiled.fact_slots[index], *fact);
        }
        compiled.code.run(compiled.state.clone(), &mut self.values);
    }

    /// Chooses a move for each role in each of these lanes; gives those in which a role has none.
    fn choose(&mut self, lanes: u64) -> u64 {
        let compiled = &*self.evaluation.compiled;
        let (values, random) = (&mut self.values, &mut self.random);
        let choice = &mut self.choice;
        choice.choose_moves(compiled, values, lanes, random, |_, _, _| {})
    }

    /// Makes the moves that were chosen.
    fn step(&mut self) {
        let compiled = &*self.evaluation.compiled;
        compiled
            .code
            .run(compiled.next_state.clone(), &mut self.values);
        for (fact, &literal) in self.facts.iter_mut().zip(&compiled.next) {
            *fact = word(&self.values, literal);
        }
    }
}
