//! Commands about games end soon after their `--time`, by themselves: none of their stages has to be cut off.
//!
//! `SQASP_TEST_ROUNDS` makes the search for late ends longer, `SQASP_TEST_SEED` repeats it.

use super::games::cube;
use super::{Place, game};
use std::time::{Duration, Instant};

/// How much later than asked for a command may end on a machine with much else to do.
const LATE: Duration = Duration::from_secs(4);

/// Commands, for a game in the place of `GAME`.
const COMMANDS: [&str; 15] = [
    "solve GAME --engine emm",
    "solve GAME --engine emm --depth 3 --moves",
    "solve GAME --engine table",
    "solve GAME --engine xssat --depth 3",
    "solve GAME --engine xssat --depth 2 --moves",
    "solve GAME --depth 1..9 --role all",
    "solve GAME --certify --strategy s.json",
    "prove GAME --all",
    "prove GAME --all --engine asp",
    "prove GAME turn-taking zero-sum --engine circuit",
    "export GAME --to umb -o o.umb",
    "export GAME --to efg -o o.efg",
    "export GAME --to dot",
    "translate GAME --depth 3 --to cnf -o o.cnf",
    "simulate GAME --plays 1000000000",
];

/// How often a command is tried. Tests run beside each other, and one that has the processor to itself only now and then
/// may be cut off; a stage that never looks at its clock is cut off each time.
const TRIALS: usize = 3;

/// Runs a command with a limit of time, and checks how it ends.
fn ends(place: &Place, command: &str, time: f64) {
    let arguments = format!("{command} --time {time}");
    let trial = || {
        let start = Instant::now();
        let ended = place.run(&arguments);
        let took = start.elapsed();
        println!("{arguments}: {took:?}");
        assert!(matches!(ended.code, Some(0 | 75)), "{arguments}: {ended:?}");
        let is_cut = ended.err.contains("did not stop by itself");
        (!is_cut).then_some((ended, took))
    };
    let found = (0..TRIALS).find_map(|_| trial());
    let (ended, took) = found.unwrap_or_else(|| panic!("{arguments}: it was cut off"));
    assert!(
        took < Duration::from_secs_f64(time) + LATE,
        "{arguments}: {took:?}"
    );
    ended.check_manners(&arguments);
}

#[test]
fn large_games_are_left_in_time() {
    let place = Place::new();
    place.write("large.gdl", cube(16));
    place.write("huge.gdl", cube(25));
    // All of these were cut off once: while moves were compared, conditions were listed, a program was parsed, or one step was
    // made for an export.
    for command in [
        "solve large.gdl --engine emm",
        "solve large.gdl --engine table",
        "solve large.gdl --engine xssat --depth 3",
        "solve huge.gdl --engine xssat --depth 3",
        "prove large.gdl --all --engine asp",
        "prove huge.gdl --all",
        "export large.gdl --to umb -o o.umb",
        "export huge.gdl --to efg -o o.efg",
    ] {
        ends(&place, command, 0.4);
    }
}

#[test]
fn random_games_and_commands_are_left_in_time() {
    let seed =
        std::env::var("SQASP_TEST_SEED").map_or_else(|_| 1, |text| text.parse().expect("a number"));
    println!("SQASP_TEST_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let place = Place::new();
    let own = [
        "stochastic_ttt_4x4.gdl",
        "stochastic_connect_4.gdl",
        "endless_ur.gdl",
        "pawn_race.gdl",
    ];
    for _ in 0..crate::common::rounds(24) {
        let name = match random.u8(0..4) {
            0 => game(own[random.usize(..own.len())]),
            _ => {
                place.write("large.gdl", cube(random.usize(4..=25)));
                "large.gdl".to_owned()
            }
        };
        let command = COMMANDS[random.usize(..COMMANDS.len())].replace("GAME", &name);
        ends(&place, &command, [0.05, 0.1, 0.3, 1.0][random.usize(..4)]);
    }
}
