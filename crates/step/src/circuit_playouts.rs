//! Random play in all lanes at once.
//!
//! A [`StateBatch`] makes a step of 64 plays at once. Only the beginning and the end of plays is looked at lane by lane: a
//! lane whose play is over begins the next.

use super::batch::{LANES, StateBatch, for_each_lane};
use super::evaluate::Bits;
use crate::playouts::{PlayoutSettings, Playouts};
use fastrand::Rng;

impl StateBatch {
    /// Plays at random from a state.
    pub(super) fn playouts(&mut self, start: &Bits, settings: &PlayoutSettings) -> Playouts {
        let mut random = Rng::with_seed(settings.seed);
        let roles = self.ground().roles.len();
        let mut result = Playouts {
            goals: vec![Vec::new(); roles],
            ..Playouts::default()
        };
        let goals = self.ground().goals.iter();
        let mut goals: Vec<Vec<u64>> = goals.map(|goals| vec![0; goals.len()]).collect();
        let mut left = settings.playouts;
        let mut active = 0u64;
        let mut plies = [0u32; LANES];
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
            if begin != 0 {
                self.put(begin, start);
            }
            self.evaluate();
            result.states += u64::from(active.count_ones());
            let terminal = self.terminal() & active;
            if terminal != 0 {
                for (role, counts) in goals.iter_mut().enumerate() {
                    for (count, lanes) in counts.iter_mut().zip(self.goals(role)) {
                        *count += u64::from((lanes & terminal).count_ones());
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
            let stuck = self.choose_at_random(going, &mut random, |_, _, _| {});
            result.ended += u64::from(terminal.count_ones());
            result.unfinished += u64::from(too_long.count_ones());
            result.stuck += u64::from(stuck.count_ones());
            active = going & !stuck;
            self.step();
        }
        for (role, counts) in goals.into_iter().enumerate() {
            for ((value, _), count) in self.ground().goals[role].iter().zip(counts) {
                if count > 0 {
                    result.note_goal(role, value, count);
                }
            }
        }
        result
    }
}
