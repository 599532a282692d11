//! Every game of `../shared/games-ggp` is read with the verdict of the reference validator, and domains
//! cover recorded play, also of our games.

use crate::common::recorded::{Recorded, our_play, public_play};
use crate::common::{read_text, shared};
use gdl::game::Domain;
use gdl::{Code, Options, Severity, Syntax, Verdict, format, parse, parse_terms};
use std::collections::HashMap;

/// The games and the verdicts of the reference.
fn collection() -> Vec<(String, Vec<u8>, Verdict)> {
    let folder = shared("games-ggp");
    let table = read_text(shared("conformance/GAMES.tsv"));
    let mut lines = table.lines();
    let header: Vec<_> = lines.next().expect("a header").split('\t').collect();
    let column = header.iter().position(|title| *title == "validator");
    let column = column.expect("verdicts");
    let games = lines.map(|line| {
        let fields: Vec<_> = line.split('\t').collect();
        let path = folder.join(format!("{}.kif", fields[0]));
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let verdict = match fields[column] {
            "clean" => Verdict::Accept,
            "warning" => Verdict::Warn,
            "error" => Verdict::Reject,
            other => panic!("unknown verdict {other}"),
        };
        (fields[0].to_owned(), bytes, verdict)
    });
    games.collect()
}

#[test]
#[ignore = "needs ../shared: public games"]
fn verdicts_are_those_of_the_reference() {
    let games = collection();
    let mut wrong = Vec::new();
    let mut by_name = 0;
    for (name, bytes, expected) in &games {
        let diagnostics = parse(name, bytes, &Options::strict()).diagnostics;
        let said: HashMap<Code, usize> =
            diagnostics.iter().fold(HashMap::new(), |mut counts, d| {
                *counts.entry(d.code).or_default() += 1;
                counts
            });
        // The reference has a check of stratification that never fires (INVALID.md, section 7).
        let only_ours = diagnostics
            .iter()
            .all(|d| d.severity == Severity::Note || d.code == Code::UnstratifiedByName);
        by_name += usize::from(said.contains_key(&Code::UnstratifiedByName));
        let verdict = if only_ours {
            Verdict::Accept
        } else {
            diagnostics.verdict()
        };
        if verdict != *expected {
            wrong.push(format!("{name}: expected {expected:?}, said {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(games.len(), 340);
    assert_eq!(
        by_name, 14,
        "games that are stratified only between sentences"
    );
}

#[test]
#[ignore = "needs ../shared: public games"]
fn all_games_can_be_read_for_play() {
    let games = collection();
    for (name, bytes, _) in &games {
        if let Err(refused) = gdl::game::read(name, bytes, &Options::default()) {
            panic!("{refused}");
        }
    }
}

#[test]
#[ignore = "needs ../shared: public games"]
fn all_games_survive_printing() {
    let games = collection();
    for (name, bytes, _) in &games {
        let first = parse(name, bytes, &Options::default()).description;
        let printed = format(&first);
        let again = parse(name, printed.as_bytes(), &Options::default());
        assert_eq!(again.description.syntax, Syntax::Kif, "{name}");
        assert!(
            !again.diagnostics.has_errors(),
            "{name}: {:?}",
            again.diagnostics
        );
        assert!(first == again.description, "{name} changed");
        assert_eq!(format(&again.description), printed, "{name}");
        assert_eq!(
            first.comments.len(),
            again.description.comments.len(),
            "{name}"
        );
    }
}

#[test]
#[ignore = "needs ../shared: public games"]
fn domains_are_derived_and_cover_the_first_state() {
    let games = collection();
    let mut infinite = Vec::new();
    for (name, bytes, _) in &games {
        let reading = gdl::game::read(name, bytes, &Options::default());
        let reading = reading.unwrap_or_else(|refused| panic!("{refused}"));
        let game = &reading.game;
        let domains = game.domains();
        gdl::game::predict_size(game, domains);
        gdl::game::classify(game);
        let Ok(facts) = domains.facts() else {
            infinite.push(name.as_str());
            continue;
        };
        for rule in game.rules() {
            let head = &rule.head;
            if head.relation.as_str() == "init" && rule.body.is_empty() {
                assert!(facts.contains(&head.arguments[0]), "{name}: {head}");
            }
        }
        for role in game.roles() {
            match domains.moves(role) {
                Ok(moves) => assert!(!moves.is_empty(), "{name}: {role} has no moves"),
                Err(_) => infinite.push(name.as_str()),
            }
        }
    }
    assert!(infinite.is_empty(), "{infinite:?}");
}

/// The domains of these games cover what is recorded; gives the number of states.
fn check_domains(records: Vec<Recorded>) -> usize {
    let mut states = 0;
    for recorded in records {
        let name = &recorded.name;
        let game = recorded.game();
        let domains = game.domains();
        let moves: Vec<_> = game
            .roles()
            .iter()
            .map(|role| domains.moves(role))
            .collect();
        for line in recorded.lines().lines() {
            let state: serde_json::Value =
                serde_json::from_str(line).unwrap_or_else(|e| panic!("{name}: {e}"));
            let covers = |domain: &Domain, list: &serde_json::Value| {
                for text in list.as_array().into_iter().flatten() {
                    let text = text.as_str().unwrap_or_default();
                    let terms = parse_terms(text).unwrap_or_else(|e| panic!("{name}: {e}"));
                    assert_eq!(terms.len(), 1, "{name}: {text}");
                    assert_eq!(terms[0].to_string(), text, "{name}");
                    assert!(
                        domain.contains(&terms[0]),
                        "{name}: {text} is not in the domain"
                    );
                }
            };
            if state["type"] == "state" {
                states += 1;
                if let Ok(facts) = domains.facts() {
                    covers(&facts, &state["facts"]);
                }
                for (role, moves) in moves.iter().enumerate() {
                    if let Ok(moves) = moves {
                        covers(moves, &state["legal"][role]);
                    }
                }
            }
        }
    }
    states
}

#[test]
fn domains_cover_recorded_play_of_our_games() {
    assert!(check_domains(our_play()) > 500);
}

#[test]
#[ignore = "needs ../shared: recorded play of public games"]
fn domains_cover_recorded_play_of_public_games() {
    assert!(check_domains(public_play()) > 1000);
}
