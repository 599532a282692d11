//! The command line by example: `tests/commands` has a file for each topic, with commands and what they print
//! (`tests/common/transcript.rs` has the form). Games beside them are there for all.

use crate::common::root;
use crate::common::transcript::{Kind, check};

macro_rules! files {
    ($($name:ident)*) => {
        /// Those that are run.
        const FILES: &[&str] = &["depqbf", $(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                run(stringify!($name));
            }
        )*
    };
}

files! {
    answers
    csv
    curve
    damaged_tables
    engines
    evaluate
    examples
    export
    files
    formula_strategies
    formulas
    help
    hidden
    libraries
    mixed
    moves
    names
    opponents
    options
    plan
    points
    programs
    prove
    questions
    reading
    refused_formulas
    refused_games
    selfish
    simulate
    start
    steps
    strategies
    sweep
    tables
    teams
}

#[test]
#[ignore = "needs depqbf: the commands call it"]
fn depqbf() {
    run("depqbf");
}

fn run(file: &str) {
    let (count, wrong) = check(&format!("tests/commands/{file}.md"), Kind::Test);
    assert!(count > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_is_run() {
    for entry in std::fs::read_dir(root().join("tests/commands")).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_str().expect("text");
        let is_run = name
            .strip_suffix(".md")
            .is_none_or(|name| FILES.contains(&name));
        assert!(is_run, "tests/commands.rs has no line for {name}");
    }
}
