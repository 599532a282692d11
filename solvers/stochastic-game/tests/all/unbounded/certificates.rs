//! Certificates: wrong ones are refused, and what is accepted is true.

use super::arena::game;
use super::{by_definition, random_family, ratio, waiting};
use fastrand::Rng;
use generators::{random_cycles, rounds};
use limits::Limits;
use num_rational::BigRational;
use stochastic_game::unbounded::{Certificate, Options, Refuted, Solution, check, solve};

/// Lower bounds, upper bounds, and strategies.
type Claims = (Vec<BigRational>, Vec<BigRational>, Solution);

/// What a wrong certificate claims, and why it is refused.
#[test]
fn wrong_certificates_are_refused() {
    let game = game(&waiting());
    let right = solve(&game, &Options::default(), &Limits::default());
    let tries = |change: &dyn Fn(&mut Claims)| {
        let values: Vec<BigRational> = (0..5)
            .map(|state| right.value(state).expect("exact"))
            .collect();
        let mut claims = (values.clone(), values, right.clone());
        change(&mut claims);
        let (lower, upper, solution) = claims;
        let certificate = Certificate {
            payoffs: game.payoffs(),
            lower: &|state| lower[state].clone(),
            upper: &|state| upper[state].clone(),
            alternatives: &solution.alternatives,
            replies: &solution.replies,
        };
        check(game.arena(), &certificate)
    };
    assert_eq!(tries(&|_| ()), Ok(()));
    let lower = Err(Refuted::Lower(0));
    assert_eq!(tries(&|claims| claims.0[0] = ratio(2, 3)), lower);
    let upper = Err(Refuted::Upper(3));
    assert_eq!(tries(&|claims| claims.1[3] = ratio(1, 3)), upper);
    let range = Err(Refuted::Range(3));
    assert_eq!(tries(&|claims| claims.1[3] = ratio(4, 3)), range);
    let loops = Err(Refuted::Loops(2));
    assert_eq!(tries(&|claims| claims.0[2] = ratio(1, 2)), loops);
    // Waiting guarantees no half.
    let first = game.arena().alternatives(0).start as u32;
    let loops = Err(Refuted::Loops(0));
    assert_eq!(tries(&|claims| claims.2.alternatives[0] = first), loops);
    let range = Err(Refuted::Range(0));
    assert_eq!(tries(&|claims| claims.2.alternatives[0] = 99), range);
    // Who claims less is right.
    assert_eq!(tries(&|claims| claims.0[4] = ratio(1, 3)), Ok(()));
}

/// Random changes of bounds: what is still accepted encloses the value.
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
