//! Exported games: read back and solved they have the values that are known, with nobody fixed and with each side fixed.

use crate::common::{game_with, in_parallel, read_text, root, takes_all};
use crate::games::entries;
use export::{Exported, Fix, Format};
use gdl::{Name, parse_terms};
use num_rational::BigRational;
use sqasp::{Aim, ErrorKind, Export, Limits, Question};
use std::sync::atomic::{AtomicUsize, Ordering};
use umb::Reach;
use verify::Side;

/// Games with more states are left to `scripts/check-with-storm`.
fn max_states() -> usize {
    match takes_all() {
        true => 20_000,
        false => 5_000,
    }
}

fn game(file: &str) -> gdl::game::Game {
    let text = read_text(root().join("games").join(file));
    let options = gdl::Options {
        assume_perfect_information: true,
        ..gdl::Options::default()
    };
    game_with(file, &text, &options)
}

fn bytes(exported: Exported) -> Vec<u8> {
    let mut all = Vec::new();
    exported.write_to(&mut all).expect("memory");
    all
}

/// The value that the players of an exported game can guarantee.
fn value(file: &[u8], players: Option<&[&str]>) -> BigRational {
    let names = |players: &[&str]| players.iter().map(|&name| name.to_owned()).collect();
    let reach = Reach {
        players: players.map(names),
        ..Reach::label("win")
    };
    let report = sqasp::solve_model(file, &reach, &Limits::default()).expect("a model");
    let (lower, upper) = report.outcome.bounds();
    assert_eq!(lower, upper);
    lower
}

#[test]
fn exported_games_have_the_known_values() {
    let entries: Vec<_> = entries()
        .into_iter()
        .filter(|entry| !matches!(entry.objective.as_str(), "points" | "score"))
        .collect();
    let checked = AtomicUsize::new(0);
    in_parallel(entries, |entry| {
        let name = entry.name();
        let game = game(&entry.file);
        let start = entry.start.as_ref();
        let question = Question::new(Name::new(&entry.role))
            .objective(entry.objective.parse::<Aim>().expect("an objective"))
            .depth(entry.depth)
            .start(start.map(|facts| parse_terms(facts).expect("facts")));
        let export = |fix: Option<Side>| {
            let how = Export::to(Format::Umb)
                .fix(fix.map(Fix::Best))
                .states(max_states());
            sqasp::export(&game, &question, &how, &Limits::default())
        };
        let whole = match export(None) {
            Err(error) if error.kind() == ErrorKind::TooLarge => return Ok(()),
            whole => whole.unwrap_or_else(|error| panic!("{name}: {error}")),
        };
        let expected: BigRational = entry.value.parse().expect("a value");
        assert_eq!(value(&bytes(whole), None), expected, "{name}");
        let fixed = export(Some(Side::Role)).expect(&name);
        assert_eq!(
            fixed.bounds,
            Some((expected.clone(), expected.clone())),
            "{name}"
        );
        assert_eq!(value(&bytes(fixed), Some(&[])), expected, "{name}");
        let fixed = export(Some(Side::Opponents)).expect(&name);
        assert_eq!(value(&bytes(fixed), None), expected, "{name}");
        checked.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    let checked = checked.into_inner();
    assert!(checked >= 30, "{checked} games are small enough");
}
