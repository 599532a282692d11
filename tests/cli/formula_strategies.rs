//! `solve-formula --strategy` and `verify`: strategies for formulas written, proved and refused.

use super::Place;
use serde_json::Value;

/// A coin is thrown (1), a player says how it fell (2), an opponent may spoil it (3), and chance helps (4).
const COIN: &str =
    "p cnf 4 4\nr 1/3 1 0\ne 2 0\na 3 0\nr 1/4 4 0\n1 -2 0\n-1 2 0\n-1 3 4 0\n1 -3 4 0\n";

#[test]
fn what_is_written_is_proved() {
    let place = Place::new();
    place.write("coin.sdimacs", COIN);
    let ended = place.run("solve-formula coin.sdimacs --format text --strategy coin.json");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.starts_with("25 % (1/4)\n"), "{ended:?}");
    let told = "sqasp: strategy in coin.json: ";
    assert!(ended.err.starts_with(told), "{ended:?}");
    let text = place.answers("verify coin.sdimacs coin.json");
    assert!(
        text.starts_with("25 % (1/4)\n(proved from both sides; "),
        "{text}"
    );
    let object = place.answers("verify coin.sdimacs coin.json --json");
    let object: Value = serde_json::from_str(&object).unwrap();
    assert_eq!(object["status"], "proved");
    for field in ["value", "lower", "upper", "promised"] {
        assert_eq!(object[field]["den"], "4", "{object}");
    }
    // It is printed in place of the answer, and read from standard input.
    let printed = place.answers("solve-formula coin.sdimacs --strategy - --quiet");
    let file = std::fs::read_to_string(place.path("coin.json")).unwrap();
    assert_eq!(printed, file);
}

#[test]
fn what_is_damaged_is_refused() {
    let place = Place::new();
    place.write("coin.sdimacs", COIN);
    place.write("other.sdimacs", COIN.replace("1/3", "1/2"));
    place.answers("solve-formula coin.sdimacs --strategy coin.json --quiet");
    let good = std::fs::read_to_string(place.path("coin.json")).unwrap();
    let refused = |name: &str, text: &str, formula: &str| {
        place.write(name, text);
        let ended = place.run(&format!("verify {formula} {name}"));
        assert_eq!(ended.code, Some(65), "{ended:?}");
        ended.out + &ended.err
    };
    let promised = good.replace("\"value\":\"1/4\"", "\"value\":\"1/3\"");
    let promised = refused("promised.json", &promised, "coin.sdimacs");
    let words = "refused: `lower` shows 1/4, not the value 1/3 that the strategy promises";
    assert!(promised.starts_with(words), "{promised}");
    let sets = good.replace("\"lower\":[", "\"lower\":[{\"branch\":[[[3]],[]]},");
    let sets = refused("sets.json", &sets, "coin.sdimacs");
    let words = "refused: node 1 of `lower` sets a universal variable";
    assert!(sets.starts_with(words), "{sets}");
    let other = refused("same.json", &good, "other.sdimacs");
    assert!(
        other.starts_with("refused: the strategy is for another formula (coin)"),
        "{other}"
    );
    let cut = refused("cut.json", &good[..good.len() / 2], "coin.sdimacs");
    assert!(
        cut.contains("cut.json: this is no strategy in the format of docs/strategy-format.md"),
        "{cut}"
    );
    place.refuses("verify coin.sdimacs none.json", 66, "none.json");
}

#[test]
fn what_cannot_be_is_said_before_the_work() {
    let place = Place::new();
    place.write("coin.sdimacs", COIN);
    for (arguments, fragment) in [
        (
            "--strategy x.json --engine frontier",
            "--strategy needs an engine that gives functions of both players: use --engine xssat instead of",
        ),
        (
            "--strategy x.json --engine depqbf",
            "--strategy needs an engine that gives functions of both players: use --engine xssat instead of",
        ),
        ("--strategy x.json --show structure", "cannot be used with"),
    ] {
        place.refuses(
            &format!("solve-formula coin.sdimacs {arguments}"),
            2,
            fragment,
        );
    }
    let ended = place.run("solve-formula coin.sdimacs --strategy no/folder.json");
    assert_ne!(ended.code, Some(0), "{ended:?}");
    // A strategy that is too large is not written; the answer is told all the same.
    let text = "p cnf 3 2\nr 1/2 1 2 0\ne 3 0\n-3 1 0\n-3 2 0\n3 -1 -2 0\n";
    place.write("and.sdimacs", text.replace("3 2\nr", "3 3\nr"));
    let ended = place.run("solve-formula and.sdimacs --strategy x.json --max-size 1");
    assert_eq!(ended.code, Some(75), "{ended:?}");
    assert!(ended.out.contains("c s exact arb frac 1/1\n"), "{ended:?}");
    assert!(
        ended
            .err
            .contains("more than 1 nodes and literals; allow more with --max-size"),
        "{ended:?}"
    );
    assert!(!place.files().contains("x.json"));
}
