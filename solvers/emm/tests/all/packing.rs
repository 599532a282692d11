//! Random games in which facts exclude each other, so that keys write them as one digit, against the
//! definition.

use crate::board::random_board;
use crate::definition::{Definition, number, random_options};
use fastrand::Rng;
use generators::rounds;
use limits::Limits;
use sqasp_emm::{Engine, Options};

#[test]
fn values_do_not_depend_on_how_keys_are_written() {
    let mut packed = 0;
    for seed in 0..rounds(200) {
        let mut random = Rng::with_seed(seed);
        let says_empty = random.usize(0..4) > 0;
        let problem = random_board(&mut random, says_empty);
        let mut definition = Definition::new(&problem);
        let options = Options {
            proofs_after: random.u64(0..2) * 20,
            pack_groups: true,
            longest_unpacked: 0,
            ..random_options(&mut random)
        };
        let plain = Options {
            pack_groups: false,
            ..options.clone()
        };
        let mut engine = Engine::new(problem.clone(), options).expect("a sound problem");
        let mut other = Engine::new(problem.clone(), plain).expect("a sound problem");
        for question in 0..6 {
            let steps = random.u32(2..5);
            let mut state = engine.initial().to_vec();
            // States that play does not lead to, perhaps: all of them random, or only a little.
            match question {
                2 => state
                    .iter_mut()
                    .for_each(|fact| *fact = random.usize(0..4) == 0),
                3 => {
                    let fact = random.usize(..state.len());
                    state[fact] = !state[fact];
                }
                _ => {}
            }
            let expected = definition.value(&state, steps);
            let mut bits = [0; 2];
            for (engine, bits) in [&mut engine, &mut other].into_iter().zip(&mut bits) {
                let answer = engine.solve(&state, Some(steps), &Limits::default());
                let answer = answer.expect("a sound question");
                assert_eq!(answer.outcome.value(), Some(&expected), "seed {seed}");
                *bits = number(&answer, "key_bits");
            }
            packed += u32::from(question == 0 && bits[0] < bits[1]);
        }
    }
    assert!(packed > 40, "only {packed} had shorter keys");
}
