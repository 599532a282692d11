//! Symmetries of games that the search finds.

use gdl::game::Objective;
use limits::Limits;
use sqasp_engines as engines;
use sqasp_engines::search::{Search, SearchOptions};

/// Grounding and factoring must not take away the symmetries of a game.
#[test]
fn boards_keep_their_symmetries() {
    for (file, expected) in [
        ("stochastic_ttt", 8),
        ("tic_tac_toe_random_first", 8),
        ("stochastic_connect_3", 2),
        ("connect_4_random_second", 2),
    ] {
        let path = format!("{}/../../games/{file}.gdl", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read(path).expect("our own game");
        let game = engines::read(file, &text).expect("our games are valid");
        let role = game.players().next().expect("there is a player").clone();
        let options = SearchOptions::default();
        let mut search = Search::new(&game, &role, Objective::Win, &options).expect("a step");
        let start = search.initial();
        let answer = search
            .solve(&start, Some(2), &Limits::default())
            .expect("a value");
        let images = answer.statistics.iter().find(|(name, _)| *name == "images");
        assert_eq!(images, Some(&("images", expected)), "{file}");
    }
}
