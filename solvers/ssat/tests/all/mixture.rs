//! Solvers with random options, for all tests that must not depend on them.

use fastrand::Rng;
use sqasp_ssat::portfolio::{Engine, Options, Portfolio};

/// All ways of searching.
pub const ENGINES: [Engine; 3] = [Engine::Auto, Engine::Layered, Engine::Learning];

/// Any mixture of techniques, and odd sizes of everything that has a size.
///
/// In some mixtures half of the techniques are off, in others only a few: what goes wrong when two
/// techniques meet would be rare otherwise.
pub fn mixture(random: &mut Rng) -> Portfolio {
    let mut solver = Portfolio::default();
    let one_off_in = pick(random, [2, 6, 30]);
    for (name, _) in Options::techniques() {
        let technique = solver.options.technique(name).expect("it is on the list");
        *technique = random.u32(0..one_off_in) > 0;
    }
    solver.options.engine = pick(random, ENGINES);
    resize(random, &mut solver);
    solver
}

/// Odd sizes of everything that has a size.
pub fn resize(random: &mut Rng, solver: &mut Portfolio) {
    let options = &mut solver.options;
    options.layered.search.threads = pick(random, [1, 1, 2, 4]);
    options.layered.group_size = random.usize(1..=8);
    options.layered.segment_bits = random.u32(0..=12);
    options.layered.segment_length = pick(random, [1, 2, 3, 5, 16]);
    options.layered.search.list_after = pick(random, [0, 3, 40_000]);
    options.layered.widest_key = pick(random, [0, 1, 3, 70, 4096]);
    options.learning.threads = pick(random, [1, 1, 2, 3]);
    options.learning.first_help = pick(random, [0, 100, 3000, 5_000_000]);
    options.learning.help_per_literal = pick(random, [0, 1, 16]);
    options.learning.first_turn = pick(random, [0, 20, 200, 2_000_000]);
    options.learning.first_limited = pick(random, [0, 50, 1000, 8_000_000]);
    options.learning.first_decomposition = pick(random, [0, 100, 500_000]);
    options.learning.small_component = pick(random, [0, 10, 4096]);
    options.learning.split_per_return = pick(random, [0, 1, 16]);
}

fn pick<T: Copy, const COUNT: usize>(random: &mut Rng, values: [T; COUNT]) -> T {
    values[random.usize(..COUNT)]
}
