//! The files in JSON: the manifest, the facts about each layer, and the list of layers.

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::ops::Not;

/// The text in [`Manifest::format`].
pub const FORMAT: &str = "sqasp-table";

/// The version of the format, of all files.
pub const VERSION: u32 = 3;

/// The manifest of a table: its game, its question, and the form of its keys.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// SHA-256 of [`Manifest::text_of_rules`].
    pub rules: String,
    /// The rules, one a line.
    #[serde(rename = "text")]
    pub text_of_rules: String,
    /// The rules before roles were joined to one: a team, or opponents that move at random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_written: Option<String>,
    /// The name of the game.
    pub game: String,
    /// The role whose values these are.
    pub role: String,
    /// The objective: the results of play that count.
    pub objective: String,
    /// The fraction that the value 1 of the files stands for.
    pub largest: String,
    /// The layer of the initial state.
    pub depth: usize,
    /// SHA-256 of the way keys are made.
    pub keys: String,
    pub shards: u32,
    /// Whether moves of one step are made at the same time, so that each state is a matrix game; else the minimizer knows the
    /// maximizer's.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub mixed: bool,
    /// Whether play may go on for ever: all states are layer 1, and all steps count. Else layers are numbers of steps left.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub endless: bool,
}

impl Manifest {
    /// The name of the file.
    pub(crate) const FILE: &str = "table.json";

    /// The text of the file.
    pub fn text(&self) -> String {
        sealed(self, Manifest::FILE, &[])
    }

    /// SHA-256 of the text, which each file of the table contains.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.text().as_bytes()).into()
    }

    /// The first field in which a table differs: its name, the text of the other manifest and the text of this one.
    pub(crate) fn difference(&self, other: &Manifest) -> Option<(&'static str, String, String)> {
        let fields = |of: &Manifest| {
            [
                ("format", of.format.clone()),
                ("version of the format", of.version.to_string()),
                // The rules count, not the name of their file.
                ("game", of.rules.clone()),
                ("role", of.role.clone()),
                ("objective", of.objective.clone()),
                ("order of moves", of.order_of_moves().to_owned()),
                ("kind of layers", of.kind_of_layers().to_owned()),
                ("depth", of.depth.to_string()),
                ("largest value", of.largest.clone()),
                ("form of keys", of.keys.clone()),
                ("number of shards", of.shards.to_string()),
            ]
        };
        let mut pairs = fields(other).into_iter().zip(fields(self));
        let (found, asked) = pairs.find(|(found, asked)| found.1 != asked.1)?;
        let (what, found, asked) = match found.0 {
            what @ "game" => (what, other.name_of_game(), self.name_of_game()),
            what => (what, found.1, asked.1),
        };
        Some((what, on_a_line(&found), on_a_line(&asked)))
    }

    fn order_of_moves(&self) -> &'static str {
        match self.mixed {
            true => "all at the same time (mixed)",
            false => "the role's before its opponents' (not mixed)",
        }
    }

    fn kind_of_layers(&self) -> &'static str {
        match self.endless {
            false => "steps left",
            true => "one for all states, since play may go on for ever",
        }
    }

    /// The name of the game for people: digits of the rules distinguish games of one name.
    fn name_of_game(&self) -> String {
        let digits = self.rules.get(..8).unwrap_or(&self.rules);
        format!("{} (rules {digits})", self.game)
    }
}

/// Text of a file as it may stand in a line for people: control characters are written as `\n`, `\u{1b}`.
fn on_a_line(text: &str) -> String {
    let shown = |c: char| match c.is_control() {
        true => c.escape_default().collect(),
        false => String::from(c),
    };
    text.chars().map(shown).collect()
}

/// Facts about a layer from the expansion of its states.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Expanded {
    /// For each share of chance that occurs: the site, and the number of equally likely outcomes (0 for a coin).
    pub shares: Vec<(usize, u32)>,
    /// Whether some play is not over after the last step.
    pub cuts_off: bool,
}

impl Expanded {
    /// The facts about a layer, from those about its parts.
    pub(crate) fn join(parts: impl IntoIterator<Item = Expanded>) -> Self {
        let (mut shares, mut cuts_off) = (BTreeSet::new(), false);
        for part in parts {
            shares.extend(part.shares);
            cuts_off |= part.cuts_off;
        }
        let shares = shares.into_iter().collect();
        Expanded { shares, cuts_off }
    }
}

/// A layer of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LayerInfo {
    /// The number of steps left; 1 in an endless game.
    pub layer: usize,
    pub states: u64,
    /// The bytes of a key.
    pub key_bytes: usize,
    /// The bytes of a value.
    pub value_bytes: usize,
    /// The number that stands for the value 1, in decimal digits; 1 where a value is a fraction.
    pub denominator: String,
}

impl LayerInfo {
    /// The number that stands for the value 1.
    pub fn one(&self) -> Option<BigUint> {
        self.denominator.parse().ok()
    }
}

/// All layers that have states.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Layers {
    /// From the last layer on.
    pub layers: Vec<LayerInfo>,
    /// Whether some play is not over after the last step.
    pub cuts_off: bool,
}

impl Layers {
    /// The name of the file.
    pub(crate) const FILE: &str = "layers.json";

    /// A layer, if it has states.
    pub fn of(&self, layer: usize) -> Option<&LayerInfo> {
        let found = self.layers.binary_search_by_key(&layer, |info| info.layer);
        found.ok().map(|index| &self.layers[index])
    }
}

/// The text of a file in JSON, with a last field that is the checksum of all before it. `table` is what the files of the table name, nothing for
/// the manifest itself.
pub(crate) fn sealed(value: &impl Serialize, file: &str, table: &[u8]) -> String {
    let text = json(value);
    let text = text.strip_suffix("\n}").unwrap_or(&text);
    format!("{text}{}", seal(text, file, table))
}

/// Whether a text is that of such a file, in each byte.
pub(crate) fn is_sealed(text: &str, file: &str, table: &[u8]) -> bool {
    let before = text.rfind(SEAL).map(|at| text.split_at(at));
    before.is_some_and(|(text, end)| seal(text, file, table) == end)
}

const SEAL: &str = ",\n  \"checksum\": \"";

/// The end of a file in JSON: SHA-256 of its name, of what the files of its table name, and of the text before.
fn seal(text: &str, file: &str, table: &[u8]) -> String {
    let sum = digits(&[file.as_bytes(), table, text.as_bytes()].concat());
    format!("{SEAL}{sum}\"\n}}\n")
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("numbers and texts can be written")
}

/// SHA-256 of a text, as 64 digits.
pub fn fingerprint(text: &str) -> String {
    digits(text.as_bytes())
}

fn digits(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
