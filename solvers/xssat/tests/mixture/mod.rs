//! Solvers with random options, for all tests that must not depend on them.

use fastrand::Rng;
use xssat::{Engine, SWITCHES, Xssat};

/// All ways of searching.
pub const ENGINES: [Engine; 3] = [Engine::Auto, Engine::Frontier, Engine::Learning];

/// A usual number of rounds times the environment variable `SQASP_TEST_ROUNDS`.
pub fn rounds(usual: usize) -> usize {
    let factor = std::env::var("SQASP_TEST_ROUNDS").ok();
    usual * factor.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Any mixture of techniques, and odd sizes of everything that has a size.
///
/// In some mixtures half of the techniques are off, in others only a few: what goes wrong when two
/// techniques meet would be rare otherwise.
pub fn mixture(random: &mut Rng) -> Xssat {
    let mut solver = Xssat::default();
    let one_off_in = pick(random, [2, 6, 30]);
    for switch in SWITCHES {
        *(switch.field)(&mut solver.options) = random.u32(0..one_off_in) > 0;
    }
    solver.options.engine = pick(random, ENGINES);
    resize(random, &mut solver);
    solver
}

/// Odd sizes of everything that has a size.
pub fn resize(random: &mut Rng, solver: &mut Xssat) {
    let options = &mut solver.options;
    options.threads = pick(random, [1, 1, 2, 4]);
    options.group_size = random.usize(1..=8);
    options.segment_bits = random.u32(0..=12);
    options.segment_length = pick(random, [1, 2, 3, 5, 16]);
    options.widest_key = pick(random, [0, 1, 3, 70, 4096]);
    options.hash_keys = random.bool();
    options.small_component = pick(random, [0, 10, 4096]);
}

fn pick<T: Copy, const COUNT: usize>(random: &mut Rng, values: [T; COUNT]) -> T {
    values[random.usize(..COUNT)]
}
