//! Certificates, by their definition, against values by definition.

use super::lists::{game, random_family};
use super::proof::{Certificate, check};
use super::{by_definition, ratio};
use fastrand::Rng;
use generators::{random_cycles, rounds};
use limits::Limits;
use sqasp_endless::{Options, solve};

/// Random changes of bounds: bounds that are still accepted enclose the value.
#[test]
fn what_is_accepted_is_true() {
    let seed = 43;
    let mut random = Rng::with_seed(seed);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..rounds(300) {
        let states = random.usize(1..4);
        let family = random_family(&mut random, states);
        let cycles = random_cycles(&mut random, &family);
        let game = game(&cycles);
        let mut solution = solve(&game, &Options::default(), &Limits::default());
        let parts = |random: &mut Rng| ratio(random.u64(..5), 4);
        let mut bounds: Vec<_> = (0..states).map(|state| solution.bounds(state)).collect();
        let state = random.usize(..states);
        match random.u32(..3) {
            0 => bounds[state].0 = parts(&mut random),
            1 => bounds[state].1 = parts(&mut random),
            _ => {
                let all = game.arena().alternatives(state);
                solution.alternatives[state] = random.usize(all) as u32;
            }
        }
        let certificate = Certificate {
            payoffs: game.payoffs(),
            lower: &|state| bounds[state].0.clone(),
            upper: &|state| bounds[state].1.clone(),
            alternatives: &solution.alternatives,
            replies: &solution.replies,
        };
        match check(game.arena(), &certificate) {
            Err(_) => refused += 1,
            Ok(()) => {
                accepted += 1;
                for (value, (lower, upper)) in by_definition(&cycles).iter().zip(&bounds) {
                    let at = format!("seed {seed}, round {round}: {cycles:?}");
                    assert!(lower <= value && value <= upper, "{at}");
                }
            }
        }
    }
    assert!(
        accepted > 30 && refused > 30,
        "seed {seed}: {accepted} accepted, {refused} refused"
    );
}
