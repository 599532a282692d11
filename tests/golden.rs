//! What the translation writes, word for word for one small game, and how large a few games become,
//! so that no change goes unseen. A change that is meant is accepted with
//!
//! ```text
//! SQASP_WRITE_GOLDEN=1 cargo test --release --test golden
//! ```

mod common;

use common::{checked_in_game, question, root, route};
use sqasp::game::Objective;
use sqasp::sqasp::PrefixMethod;
use std::fmt::Write;

#[track_caller]
fn compare(file: &str, text: &str) {
    let path = root().join("tests/golden").join(file);
    if std::env::var_os("SQASP_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    let expected = common::read_text(&path);
    for (number, (found, expected)) in text.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "tests/golden/{file}, line {}", number + 1);
    }
    assert_eq!(
        text.lines().count(),
        expected.lines().count(),
        "tests/golden/{file}"
    );
}

#[test]
fn the_program_of_figure_1() {
    let game = checked_in_game("figure_1.gdl");
    let question = question("xplayer", 1, Objective::Win);
    let route =
        route(&game, &question, PrefixMethod::Dependency).unwrap_or_else(|error| panic!("{error}"));
    compare("figure_1.lp", &route.program.to_string());
}

#[test]
fn sizes_of_games() {
    let games = [
        ("figure_1.gdl", "xplayer", 1),
        ("tic_tac_toe.gdl", "xplayer", 9),
        ("stochastic_ttt.gdl", "xplayer", 9),
        ("connect_4_random_first.gdl", "xplayer", 16),
        ("stochastic_nim_10.gdl", "oplayer", 40),
        ("stochastic_hex.gdl", "xplayer", 9),
        ("fox_and_hounds.gdl", "fox", 6),
        ("pig.gdl", "xplayer", 12),
    ];
    let mut text = String::new();
    for (file, role, depth) in games {
        let question = question(role, depth, Objective::Win);
        let route = route(&checked_in_game(file), &question, PrefixMethod::Dependency)
            .unwrap_or_else(|error| panic!("{file}: {error}"));
        write!(text, "{file} {role} {depth}:").expect("strings can be written to");
        for (what, size) in route.stages.sizes() {
            write!(text, " {size} {what}").expect("strings can be written to");
        }
        text.push('\n');
    }
    compare("sizes.txt", &text);
}
