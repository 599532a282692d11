//! `index.json`: the description of a file.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of the index in an archive.
pub(crate) const NAME: &str = "index.json";

/// The whole index.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Index {
    pub(crate) format_version: u64,
    pub(crate) format_revision: u64,
    #[serde(default)]
    pub(crate) model_data: ModelData,
    #[serde(default)]
    pub(crate) file_data: FileData,
    pub(crate) transition_system: TransitionSystem,
    #[serde(default)]
    pub(crate) annotations: BTreeMap<String, BTreeMap<String, Annotation>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) valuations: Option<Valuations>,
}

/// The name and the description of the model.
#[derive(Serialize, Deserialize, Default)]
pub(crate) struct ModelData {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
}

/// The tool that wrote the file.
#[derive(Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct FileData {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_version: Option<String>,
}

/// Kind and sizes.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct TransitionSystem {
    pub(crate) time: String,
    #[serde(rename = "#players")]
    pub(crate) players: u64,
    #[serde(rename = "#states")]
    pub(crate) states: u64,
    #[serde(rename = "#initial-states")]
    pub(crate) initial_states: u64,
    #[serde(rename = "#choices")]
    pub(crate) choices: u64,
    #[serde(rename = "#choice-actions")]
    pub(crate) choice_actions: u64,
    #[serde(rename = "#branches")]
    pub(crate) branches: u64,
    #[serde(rename = "#branch-actions")]
    pub(crate) branch_actions: u64,
    #[serde(rename = "#observations")]
    pub(crate) observations: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) branch_probability_type: Option<Type>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) player_names: Vec<String>,
}

/// The type of a number.
#[derive(Serialize, Deserialize, Clone)]
pub(crate) struct Type {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) size: Option<u64>,
}

impl Type {
    pub(crate) fn new(kind: &str, size: u64) -> Self {
        Type {
            kind: kind.to_owned(),
            size: Some(size),
        }
    }
}

/// A label or a reward.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Annotation {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) alias: Option<String>,
    pub(crate) applies_to: Vec<String>,
    #[serde(rename = "type")]
    pub(crate) kind: Type,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Valuations {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) states: Option<Valuation>,
}

/// Variables, in the order of their bits.
#[derive(Serialize, Deserialize)]
pub(crate) struct Valuation {
    pub(crate) unique: bool,
    pub(crate) classes: Vec<Class>,
}

/// A list of variables.
#[derive(Serialize, Deserialize)]
pub(crate) struct Class {
    pub(crate) variables: Vec<serde_json::Value>,
}
