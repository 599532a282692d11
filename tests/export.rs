//! Exported games: read back and solved they have the values that are known, with nobody fixed and with each side fixed.

use crate::common::{in_parallel, known_strategy, read_text, root};
use crate::games::entries;
use export::{Exported, Fix, Format};
use gdl::{Name, parse_terms};
use num_rational::BigRational;
use sqasp::{ErrorKind, Export, Limits, Options, Question};
use std::sync::atomic::{AtomicUsize, Ordering};
use umb::Reach;
use verify::Side;

/// Games with more states are left to `scripts/check-with-storm`.
const MAX_STATES: usize = 20_000;

fn game(file: &str) -> gdl::game::Game {
    let text = read_text(root().join("games").join(file));
    let options = gdl::Options {
        assume_perfect_information: true,
        ..gdl::Options::default()
    };
    let reading = gdl::game::read(file, text.as_bytes(), &options);
    reading.unwrap_or_else(|refused| panic!("{refused}")).game
}

fn bytes(exported: Exported) -> Vec<u8> {
    let mut all = Vec::new();
    exported.write_to(&mut all).expect("memory");
    all
}

fn text(exported: Exported) -> String {
    String::from_utf8(bytes(exported)).expect("text")
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
            .objective(entry.objective.parse().expect("an objective"))
            .depth(entry.depth)
            .start(start.map(|facts| parse_terms(facts).expect("facts")));
        let export = |fix: Option<Side>| {
            let how = Export::to(Format::Umb)
                .fix(fix.map(Fix::Best))
                .states(MAX_STATES);
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

#[test]
fn strategies_from_files_fix_a_side() {
    let game = game("monty_hall.gdl");
    let question = Question::about(&game).expect("a player").depth(4);
    let mut options = Options::default();
    options.extras.strategy = Some(1000);
    let answer = sqasp::solve(&game, &question, &options).expect("an answer");
    let strategy = Box::new(known_strategy(&answer).expect("a strategy").clone());
    for (side, players) in [(Side::Role, Some(&[][..])), (Side::Opponents, None)] {
        let how = Export::to(Format::Umb).fix(Fix::Listed(side, strategy.clone()));
        let exported =
            sqasp::export(&game, &question, &how, &Limits::default()).expect("an export");
        assert_eq!(Some(&value(&bytes(exported), players)), answer.value());
    }
    let mut lacking = strategy;
    lacking.player.clear();
    let how = Export::to(Format::Umb).fix(Fix::Listed(Side::Role, lacking));
    let error = sqasp::export(&game, &question, &how, &Limits::default())
        .err()
        .expect("a refusal");
    assert!(
        error.to_string().contains("no legal move for a state"),
        "{error}"
    );
}

#[test]
fn trees_are_counted_before_they_are_written() {
    let export = |file: &str, depth: Option<u32>| {
        let game = game(file);
        let question = Question::about(&game).expect("a player").depth(depth);
        sqasp::export(
            &game,
            &question,
            &Export::to(Format::Efg),
            &Limits::default(),
        )
    };
    let tree = text(export("figure_1.gdl", None).expect("a tree"));
    assert_eq!(
        tree.lines().filter(|line| line.starts_with("t ")).count(),
        4
    );
    assert!(
        tree.contains("p \"\" 1 1 \"\" { \"(bet left)\" \"(bet right)\" } 0"),
        "{tree}"
    );
    let error = export("endless_ruin.gdl", None).err().expect("a refusal");
    assert!(error.to_string().contains("no end"), "{error}");
    assert!(text(export("endless_ruin.gdl", Some(3)).expect("a tree")).contains("t "));
    let error = export("stochastic_ttt.gdl", None).err().expect("a refusal");
    assert!(error.to_string().contains("nodes"), "{error}");
}

#[test]
fn games_that_are_too_large_are_refused() {
    let game = game("stochastic_ttt_4x4.gdl");
    let question = Question::about(&game).expect("a player");
    let how = Export::to(Format::Umb).states(1000);
    let error = sqasp::export(&game, &question, &how, &Limits::default())
        .err()
        .expect("a refusal");
    assert_eq!(error.to_string(), "the game has more than 1000 states");
}
