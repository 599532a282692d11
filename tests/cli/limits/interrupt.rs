//! Ctrl-C and SIGTERM: a command ends soon, with bounds, and leaves no half file.

use super::{COUNTER, ENDLESS, LARGE_RULE, hard_formula, lamps};
use crate::cli::{Ended, LATE, Place, game};
use std::time::Duration;

#[test]
fn signals_end_a_command_with_bounds() {
    let place = Place::new();
    place.write("hard", hard_formula());
    place.write("endless.lp", ENDLESS);
    place.write("large.lp", LARGE_RULE);
    for signal in ["INT", "TERM"] {
        for (arguments, bounds) in [
            ("solve-program endless.lp", "[0 %, 100 %]"),
            (
                "solve-program large.lp --json",
                "\"stopped_by\":\"interrupt\"",
            ),
            ("solve-formula hard", "(bounds: interrupted; "),
            (
                "solve-formula hard --format competition",
                "c s bounds arb frac ",
            ),
        ] {
            let ended = interrupted(&place, arguments, signal);
            assert!(ended.out.contains(bounds), "{arguments}: {ended:?}");
        }
    }
}

#[test]
fn an_interrupted_translation_writes_nothing() {
    let place = Place::new();
    place.write("counter.gdl", COUNTER);
    let before = place.files();
    let arguments = "translate counter.gdl --depth 2 --to sdimacs -o out";
    let ended = interrupted(&place, arguments, "INT");
    ended.check_refusal(arguments, 130, "nothing was written");
    assert_eq!(place.files(), before);
}

/// Runs a command, interrupts it once it listens, and checks how it ends.
fn interrupted(place: &Place, arguments: &str, signal: &str) -> Ended {
    let (ended, late) = place.signalled(arguments, signal, Duration::from_millis(200));
    assert!(late < LATE, "{arguments}");
    assert_eq!(ended.code, Some(130), "{arguments}: {ended:?}");
    ended
}

#[test]
fn commands_end_soon_after_signals() {
    let place = Place::new();
    place.write("lamps.gdl", lamps());
    let (squares, drop) = (
        game("stochastic_ttt_4x4.gdl"),
        game("stochastic_connect_4.gdl"),
    );
    let lights = game("factoring_determinate.gdl");
    let commands = [
        "solve lamps.gdl".to_owned(),
        format!("solve {squares} --moves"),
        format!("solve {squares} --depth 16 --engine learning --without symmetry"),
        format!("solve {drop} --depth 16 --engine learning"),
        format!("solve {drop} --depth 1..16 --engine learning"),
        "prove lamps.gdl --all".to_owned(),
        format!("prove {squares} legal-nonempty turn-taking --engine asp"),
        format!("plan {lights} --objective win --plans 1"),
    ];
    let mut random = fastrand::Rng::with_seed(6);
    let mut cut_off = 0;
    for arguments in &commands {
        for signal in ["INT", "TERM"] {
            let after = Duration::from_millis(random.u64(50..700));
            let (ended, late) = place.signalled(arguments, signal, after);
            assert!(late < LATE, "{signal} {after:?} {arguments}: {late:?}");
            cut_off += u32::from(ended.err.contains("did not stop"));
        }
    }
    assert!(
        cut_off <= 2,
        "{cut_off} commands did not stop by themselves"
    );
}
