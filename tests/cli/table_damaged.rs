//! `table`: damaged files, and files that are not part of a table.

use super::evaluate::PATIENCE;
use super::table::build;
use super::{Place, end, game};
use crate::common::evaluator_client::Client;
use crate::common::{read_text, root};
use crate::tables::files;
use evaluator::Request;
use std::path::Path;
use std::process::Command;

#[test]
fn what_is_no_table_of_the_game_is_told_apart_and_left_alone() {
    let place = Place::new();
    let (ttt, nim) = ("stochastic_ttt_half.gdl", game("stochastic_nim_5.gdl"));
    build(&place, ttt, "ttt");
    let whole = files(&place.path("ttt"));
    let ttt = game(ttt);
    std::fs::create_dir(place.path("empty")).expect("a folder");
    std::fs::create_dir(place.path("mine")).expect("a folder");
    place.write("mine/notes.txt", "mine");
    for (arguments, code, fragment) in [
        ("table probe nowhere", 66, "there is no table here"),
        ("table info empty", 66, "there is no table here"),
        ("table verify mine", 66, "there is no table here"),
        (
            &format!("table build {ttt} --output mine"),
            2,
            "holds other files",
        ),
        (
            &format!("table build {nim} --output ttt"),
            2,
            "of another game: stochastic_ttt_half (rules ",
        ),
        (
            &format!("table build {ttt} --output ttt --role oplayer"),
            2,
            "of another role",
        ),
        (
            &format!("table build {ttt} --output ttt --depth 4"),
            2,
            "of another depth",
        ),
        (
            &format!("table build {ttt} --output ttt --objective points"),
            2,
            "of another objective",
        ),
        (
            &format!("evaluate {nim} --table ttt"),
            65,
            "; name another folder",
        ),
        (
            &format!("explore {nim} --table ttt --no-browser"),
            2,
            "of another game",
        ),
        (
            &format!("evaluate {nim} --table nowhere"),
            65,
            "there is no table here",
        ),
    ] {
        place.refuses(arguments, code, fragment);
        assert!(files(&place.path("ttt")) == whole, "{arguments}");
    }
    assert_eq!(
        std::fs::read_to_string(place.path("mine/notes.txt")).unwrap(),
        "mine"
    );
    for (name, change, code, fragment) in [
        (
            "table.json",
            Change::Replace("\"version\": 3", "\"version\": 4"),
            2,
            "version of the format",
        ),
        (
            "table.json",
            Change::Replace("sqasp-table", "other-table"),
            2,
            "another format",
        ),
        (
            "table.json",
            Change::Replace("xplayer", "yplayer"),
            65,
            "damaged",
        ),
        ("table.json", Change::Cut, 65, "damaged"),
        ("layers.json", Change::Cut, 65, "damaged"),
        ("00004.0.keys", Change::Cut, 65, "damaged"),
        ("00004.0.keys", Change::Flip, 65, "damaged"),
        ("00004.0.values", Change::Flip, 65, "damaged"),
        ("00004.0.values", Change::Remove, 65, "it is missing"),
        ("00004.json", Change::Flip, 65, "damaged"),
        ("00004.json", Change::Double, 65, "damaged"),
        ("00004.json", Change::Take("00005.json"), 65, "damaged"),
        ("00004.json", Change::Remove, 65, "it is missing"),
        (
            "layers.json",
            Change::Replace("\"states\": 1,", "\"states\": 2,"),
            65,
            "damaged",
        ),
    ] {
        change.make(&place.path("ttt").join(name), &whole[name]);
        place.refuses("table verify ttt", code, fragment);
        std::fs::write(place.path("ttt").join(name), &whole[name]).expect("written");
    }
    place.answers("table verify ttt --all");
}

/// A change of a file.
enum Change {
    Replace(&'static str, &'static str),
    Double,
    /// The bytes of another file.
    Take(&'static str),
    Cut,
    Flip,
    FlipFirst,
    Remove,
}

impl Change {
    fn make(&self, path: &Path, good: &[u8]) {
        let mut bad = good.to_vec();
        match self {
            Change::Replace(from, to) => {
                let text = String::from_utf8(bad).expect("text");
                assert!(text.contains(from), "{from}");
                bad = text.replacen(from, to, 1).into_bytes();
            }
            Change::Double => bad.extend_from_slice(good),
            Change::Take(other) => bad = std::fs::read(path.with_file_name(other)).expect("there"),
            Change::Cut => bad.truncate(good.len() - 10),
            Change::Flip => bad[good.len() / 3] ^= 4,
            Change::FlipFirst => bad[0] ^= 4,
            Change::Remove => {
                std::fs::remove_file(path).expect("removed");
                return;
            }
        }
        std::fs::write(path, bad).expect("written");
    }
}

#[test]
fn nobody_answers_from_a_damaged_table() {
    let place = Place::new();
    build(&place, "stochastic_ttt.gdl", "ttt");
    let file = game("stochastic_ttt.gdl");
    let value = place.answers("table probe ttt");
    let whole = files(&place.path("ttt"));
    for (name, change) in [
        ("00009.0.values", Change::FlipFirst),
        ("00009.0.keys", Change::FlipFirst),
        ("layers.json", Change::Replace("390625", "390635")),
        ("layers.json", Change::Double),
        ("00002.0.values", Change::Cut),
        ("table.json", Change::Flip),
    ] {
        change.make(&place.path("ttt").join(name), &whole[name]);
        let damaged = files(&place.path("ttt"));
        for arguments in [
            "table probe ttt".to_owned(),
            "table probe ttt --json".to_owned(),
            format!("table build {file} --output ttt"),
            "table verify ttt".to_owned(),
        ] {
            place.refuses(&arguments, 65, "damaged");
            assert!(files(&place.path("ttt")) == damaged, "{arguments}");
        }
        let evaluate = place.command(&format!("evaluate {file} --table ttt --quiet"));
        let found = Client::start(evaluate, PATIENCE)
            .and_then(|mut client| client.evaluate(Request::default(), PATIENCE));
        assert!(found.is_err(), "{name}: {found:?}");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples/read-table");
        let ended = end(Command::new(script).arg(place.path("ttt")));
        assert_ne!(ended.code, Some(0), "{name}: {ended:?}");
        std::fs::write(place.path("ttt").join(name), &whole[name]).expect("written");
    }
    // A layer that the question does not need does not keep others from being answered.
    Change::FlipFirst.make(
        &place.path("ttt").join("00002.0.values"),
        &whole["00002.0.values"],
    );
    assert_eq!(place.answers("table probe ttt"), value);
    place.refuses(
        "table verify ttt",
        65,
        "00002.0.values: the file is damaged",
    );
}

#[test]
fn a_check_names_files_that_are_not_part_of_the_table() {
    let place = Place::new();
    build(&place, "stochastic_nim_5.gdl", "nim");
    assert!(!place.answers("table verify nim").contains("not part"));
    for name in ["00002.0.rows", "notes\u{1b}[2J\n.txt"] {
        place.write(&format!("nim/{name}"), "mine");
    }
    let told = place.answers("table verify nim --plays 1 --seed 1");
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines[1..3],
        [
            "00002.0.rows: this file is not part of the table",
            "notes\\u{1b}[2J\\n.txt: this file is not part of the table"
        ]
    );
}

#[test]
fn names_in_a_table_cannot_command_the_terminal() {
    let place = Place::new();
    let nim = read_text(root().join("games/stochastic_nim_5.gdl"));
    let name = "nim\u{1b}[31m\nforged";
    place.write(&format!("{name}.gdl"), nim);
    let file = format!("{name}.gdl");
    let build = ["table", "build", &file, "--output", "nim", "--quiet"];
    assert_eq!(end(&mut place.command_with(build)).code, Some(0));
    let told = place.answers("table info nim");
    let first = "nim\\u{1b}[31m\\nforged: win of xplayer\n";
    assert!(told.starts_with(first), "{told}");
    let ttt = game("stochastic_ttt_half.gdl");
    let fragment = "another game: nim\\u{1b}[31m\\nforged (rules";
    place.refuses(&format!("table build {ttt} --output nim"), 2, fragment);
}
