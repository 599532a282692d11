//! The shape of a strategy as JSON (`docs/strategy-format.md`), for reading and for writing.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The text in the field `format`.
pub(super) const FORMAT: &str = "sqasp-strategy";

/// The version of the format that is written, and read.
pub(super) const VERSION: u64 = 1;

/// Text of JSON: a term, or a fraction. Read without a copy where possible.
#[derive(Serialize, Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// The format and version, which tell whether the rest can be read.
#[derive(Deserialize)]
pub(super) struct Announcement {
    pub(super) format: String,
    pub(super) version: u64,
}

/// How many steps count: a number, or [`UNBOUNDED`].
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "`depth` is a number of steps, or \"unbounded\"")]
pub(super) enum Depth {
    Steps(u32),
    Word(String),
}

/// The depth of a strategy without a step limit.
pub(super) const UNBOUNDED: &str = "unbounded";

/// The heading: all fields before the lists of positions.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenHeading<'a> {
    pub(super) game: String,
    pub(super) rules_sha256: String,
    pub(super) roles: Vec<String>,
    pub(super) role: String,
    pub(super) depth: Depth,
    pub(super) objective: String,
    #[serde(borrow)]
    pub(super) start: Vec<Text<'a>>,
    pub(super) value: String,
}

/// A whole strategy; it is written piece by piece, and read at once.
#[derive(Deserialize)]
pub(super) struct Written<'a> {
    #[serde(flatten, borrow)]
    pub(super) heading: WrittenHeading<'a>,
    #[serde(borrow)]
    pub(super) player: Vec<WrittenDecision<'a>>,
    #[serde(borrow)]
    pub(super) opponents: Vec<WrittenResponse<'a>>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WrittenDecision<'a> {
    #[serde(borrow)]
    pub(super) state: Vec<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) steps: Option<u32>,
    #[serde(rename = "move", borrow)]
    pub(super) action: Text<'a>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<Text<'a>>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WrittenResponse<'a> {
    #[serde(borrow)]
    pub(super) state: Vec<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) steps: Option<u32>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) answers: Vec<WrittenAnswer<'a>>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WrittenAnswer<'a> {
    #[serde(rename = "move", borrow)]
    pub(super) action: Text<'a>,
    #[serde(borrow)]
    pub(super) reply: BTreeMap<String, Text<'a>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<Text<'a>>,
}

/// A whole strategy that promises two bounds.
#[derive(Deserialize)]
pub(super) struct WrittenBounds<'a, T> {
    #[serde(flatten, borrow)]
    pub(super) heading: WrittenHeading<'a>,
    #[serde(borrow)]
    pub(super) upper: Text<'a>,
    #[serde(default)]
    pub(super) coalition: Vec<String>,
    pub(super) player: Vec<T>,
    pub(super) opponents: Vec<T>,
}

/// One move of each role of a side, their probability, and what follows where sides know only what they see.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenChoice<'a> {
    #[serde(borrow)]
    pub(super) moves: Vec<Text<'a>>,
    #[serde(borrow)]
    pub(super) probability: Text<'a>,
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    pub(super) next: Vec<WrittenNext<'a>>,
}

/// The things seen, and the number of the next information, from 0.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenNext<'a> {
    #[serde(borrow)]
    pub(super) sees: Vec<Text<'a>>,
    pub(super) then: u32,
}
