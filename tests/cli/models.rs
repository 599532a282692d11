//! Files of others: formulas that are packed, and models in UMB files.

use super::{Ended, Place};
use flate2::{Compression, write::GzEncoder};
use std::io::Write as _;
use umb::{Header, StateRow, Writer};

fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// A coin is thrown in each of many states; heads leads on, tails ends play.
fn coins(states: u64) -> Vec<u8> {
    let mut writer = Writer::new(Header::new("coins", &["win"])).expect("a temporary file");
    let last = states + 1;
    for state in 0..=last {
        let row = StateRow {
            player: 0,
            labels: u64::from(state == states),
            valuation: &[],
            reward: (0, 1),
        };
        writer.state(&row).expect("a temporary file");
        writer.choice(0).expect("a temporary file");
        if state < states {
            writer.branch(state + 1, 2, 3).expect("a temporary file");
            writer.branch(last, 1, 3).expect("a temporary file");
        } else {
            writer.branch(state, 1, 1).expect("a temporary file");
        }
    }
    let mut file = Vec::new();
    writer
        .finish(&["throw".to_owned()], &mut file)
        .expect("memory");
    file
}

#[test]
fn packed_formulas_are_read_to_the_end_and_verified() {
    let place = Place::new();
    let (first, second) = (b"p cnf 1 2\ne 1 0\n1 0\n", b"-1 0\n");
    let members = [pack(first), pack(second)].concat();
    place.write("members.gz", &members);
    // The needs of tapes.
    place.write("padded.gz", [&members[..], &[0; 100]].concat());
    for file in ["members.gz", "padded.gz"] {
        let ended = place.run(&format!("solve-formula {file} --format text"));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.out.starts_with("0 %"), "{ended:?}");
    }
    for place_of in 1..=8 {
        let mut changed = members.clone();
        let end = changed.len();
        changed[end - place_of] ^= 1;
        place.write("changed.gz", changed);
        place.refuses("solve-formula changed.gz", 65, "cannot unpack this");
    }
    place.write("short.gz", &members[..members.len() - 4]);
    place.refuses("solve-formula short.gz", 65, "cannot unpack this");
    place.write("more.gz", [&members[..], b"more"].concat());
    place.refuses("solve-formula more.gz", 65, "cannot unpack this");
}

#[test]
fn packed_models_are_verified() {
    let place = Place::new();
    let packed = pack(&coins(1));
    place.write("coin.umb.gz", &packed);
    let ended = place.run("solve-model coin.umb.gz win");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.starts_with("66.6667 % (2/3)"), "{ended:?}");
    place.write("short.umb.gz", &packed[..packed.len() - 8]);
    place.refuses("solve-model short.umb.gz win", 65, "cannot unpack this");
    let mut changed = packed;
    let end = changed.len();
    changed[end - 5] ^= 1;
    place.write("changed.umb.gz", changed);
    place.refuses("solve-model changed.umb.gz win", 65, "cannot unpack this");
}

/// A model that memory does not hold has bounds, and is not cut off.
#[test]
fn large_models_end_with_bounds_at_little_memory() {
    let place = Place::new();
    let file = coins(320_000);
    assert!(file.len() > 21_000_000, "{}", file.len());
    place.write("coins.umb", &file);
    for arguments in [
        "solve-model coins.umb win --memory 50M",
        "solve-model coins.umb win --memory 60M",
        "solve-model coins.umb win --memory 80M --depth 3",
    ] {
        let ended: Ended = place.run(arguments);
        assert!(matches!(ended.code, Some(0 | 75)), "{arguments}: {ended:?}");
        assert!(!ended.err.contains("cut off"), "{arguments}: {ended:?}");
        let is_bounds = ended.out.starts_with("[0 %, 100 %]") && ended.out.contains("memory limit");
        assert!(ended.code == Some(0) || is_bounds, "{arguments}: {ended:?}");
    }
    let ended = place.run("solve-model coins.umb win --memory 50M");
    assert_eq!(ended.code, Some(75), "{ended:?}");
}

/// Help offers the engines that are taken.
#[test]
fn help_offers_no_engine_that_is_refused() {
    let place = Place::new();
    for command in ["solve-formula", "solve-program"] {
        let help = place.run(&format!("{command} --help")).out;
        let engines = help
            .split("The engine that finds the value")
            .nth(1)
            .expect("an option");
        let engines = engines.split("--without").next().expect("a part");
        for name in ["emm", "table"] {
            assert!(
                !engines.contains(&format!("- {name}:")),
                "{command}: {engines}"
            );
        }
        assert!(engines.contains("- xssat:"), "{command}: {engines}");
    }
    let help = place.run("solve --help").out;
    assert!(help.contains("- emm:"), "{help}");
}
