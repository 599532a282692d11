//! Random games in which facts stay and exclude each other, so that some no longer matter, against the
//! definition.

use crate::board::random_board;
use crate::definition::{Definition, number, random_options};
use generators::seeds;
use limits::Limits;
use num_traits::{One, Zero};
use sqasp_emm::{Engine, Options};

#[test]
fn values_do_not_depend_on_facts_that_no_longer_matter() {
    let (mut between, mut merged, mut saved, mut left) = (0, 0, 0, 0);
    for (seed, mut random) in seeds(0, 200) {
        let problem = random_board(&mut random, false);
        let mut definition = Definition::new(&problem);
        let options = Options {
            proofs_after: random.u64(0..2) * 20,
            merge_dead_facts: true,
            fewest_dead_facts: 0,
            ..random_options(&mut random)
        };
        let plain = Options {
            merge_dead_facts: false,
            ..options.clone()
        };
        let mut engine = Engine::new(problem.clone(), options).expect("a sound problem");
        let mut other = Engine::new(problem.clone(), plain).expect("a sound problem");
        let mut dead = Vec::new();
        for question in 0..4 {
            let steps = random.u32(2..5);
            let state: Vec<bool> = match question {
                // A state that play does not lead to, perhaps.
                2 => problem
                    .step
                    .facts
                    .iter()
                    .map(|_| random.usize(0..4) == 0)
                    .collect(),
                _ => engine.initial().to_vec(),
            };
            let expected = definition.value(&state, steps);
            between += u32::from(!expected.is_zero() && !expected.is_one());
            let (mut states, mut most) = ([0; 2], 0);
            for (engine, states) in [&mut engine, &mut other].into_iter().zip(&mut states) {
                let answer = engine.solve(&state, Some(steps), &Limits::default());
                let answer = answer.expect("a sound question");
                assert_eq!(answer.outcome.value(), Some(&expected), "seed {seed}");
                merged += u32::from(question == 0 && number(&answer, "dead_facts") > 0);
                most = most.max(number(&answer, "dead_facts"));
                *states = number(&answer, "states");
            }
            saved += i32::from(question == 0 && states[0] < states[1]);
            dead.push(most);
        }
        // The odd state is asked about with simple keys, and the initial one behind it with better ones again.
        assert!(dead[3] >= dead[1], "seed {seed}: {dead:?}");
        left += u32::from(dead[1] > 0 && dead[2] == 0);
    }
    assert!(between > 150, "only {between} values between 0 and 1");
    assert!(merged > 40, "only {merged} had facts that may be dead");
    assert!(left > 10, "only {left} odd states");
    assert!(saved > 20, "only {saved} had fewer states");
}
