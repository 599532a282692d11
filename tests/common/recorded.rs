//! Recorded play, which reasoners that share nothing with ours have made.

use super::{file_name, root, shared};
use gdl::Options;
use gdl::game::Game;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A game and its record.
pub struct Recorded {
    /// The name of the game.
    pub name: String,
    /// The file of its rules.
    rules: PathBuf,
    /// The file of the record, packed or not.
    record: PathBuf,
}

impl Recorded {
    /// The game, read leniently.
    pub fn game(&self) -> Game {
        let rules = std::fs::read(&self.rules);
        let rules = rules.unwrap_or_else(|error| panic!("{}: {error}", self.rules.display()));
        gdl::game::read(&self.name, &rules, &Options::default())
            .unwrap_or_else(|refused| panic!("{refused}"))
            .game
    }

    /// The lines of the record.
    pub fn lines(&self) -> String {
        let bytes = std::fs::read(&self.record).expect("it was listed");
        let is_packed = self.record.extension().is_some_and(|ending| ending == "gz");
        let mut text = String::new();
        let read = match is_packed {
            true => flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text),
            false => (&bytes[..]).read_to_string(&mut text),
        };
        read.unwrap_or_else(|error| panic!("{}: {error}", self.record.display()));
        text
    }
}

/// The records of `games/`, which are in the tree.
pub fn our_play() -> Vec<Recorded> {
    listed(&root().join("tests/recorded"), &root().join("games"), "gdl")
}

/// The records of public games.
pub fn public_play() -> Vec<Recorded> {
    listed(&shared("conformance"), &shared("games-ggp"), "kif")
}

fn listed(records: &Path, games: &Path, ending: &str) -> Vec<Recorded> {
    let entries = std::fs::read_dir(records).expect("a folder that can be read");
    let mut listed: Vec<Recorded> = entries
        .filter_map(|entry| {
            let record = entry.expect("an entry").path();
            let file = file_name(&record);
            let name = file.trim_end_matches(".gz").strip_suffix(".jsonl")?;
            Some(Recorded {
                name: name.to_owned(),
                rules: games.join(format!("{name}.{ending}")),
                record,
            })
        })
        .collect();
    listed.sort_by(|one, other| one.name.cmp(&other.name));
    listed
}
