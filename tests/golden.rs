//! Output of the translation, word for word for one small game, and the size of every game in `games/`, so that no
//! change goes unseen. A change that is meant is accepted with
//!
//! ```text
//! SQASP_WRITE_GOLDEN=1 cargo test --release --test all golden::
//! ```

use crate::common::{
    PREFIX_METHODS, checked_in_game, compare_golden, file_name, open_game_files, question, route,
};
use gdl::game::Objective;
use logic::sqasp::PrefixMethod;
use std::fmt::Write;

#[test]
fn the_program_of_figure_1() {
    let game = checked_in_game("figure_1.gdl");
    let question = question("xplayer", 1, Objective::Win);
    let route =
        route(&game, &question, PrefixMethod::Dependency).unwrap_or_else(|error| panic!("{error}"));
    compare_golden("figure_1.lp", &route.program.to_string());
    compare_golden(
        "figure_1_explained.lp",
        &route.program.explained().to_string(),
    );
}

#[test]
fn sizes_of_games() {
    let mut rows = String::new();
    for path in open_game_files() {
        let file = file_name(&path);
        let game = checked_in_game(&file);
        for role in game.players() {
            for depth in [1, 6] {
                for method in PREFIX_METHODS {
                    let question = question(role.as_str(), depth, Objective::Win);
                    let route = route(&game, &question, method)
                        .unwrap_or_else(|error| panic!("{file}: {error}"));
                    write!(rows, "{file} {role} {depth} {method}:").expect("a string");
                    for (what, size) in route.stages.sizes() {
                        write!(rows, " {size} {what}").expect("a string");
                    }
                    let blocks = route.stages.formula.prefix().blocks().len();
                    writeln!(rows, " {blocks} blocks").expect("a string");
                }
            }
        }
    }
    compare_golden("sizes.txt", &rows);
}
