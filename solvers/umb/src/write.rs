//! [`Writer`]: a file from states that come one after the other.

use crate::index::{
    self, Annotation, Class, FileData, Index, ModelData, TransitionSystem, Type, Valuation,
    Valuations,
};
use crate::spool::Spool;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};

/// How probabilities and rewards are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NumberForm {
    /// As fractions, which are exact: a numerator of 8 bytes and a denominator of 8.
    #[default]
    Fractions,
    /// As floating-point numbers of 8 bytes, next to the fraction: for programs that read no fractions.
    Decimals,
}

impl NumberForm {
    fn kind(self) -> Type {
        match self {
            NumberForm::Fractions => Type::new("rational", 128),
            NumberForm::Decimals => Type::new("double", 64),
        }
    }

    fn put(self, spool: &mut Spool, numerator: u64, denominator: u64) -> io::Result<()> {
        match self {
            NumberForm::Fractions => {
                put(spool, numerator)?;
                put(spool, denominator)
            }
            NumberForm::Decimals => put(spool, (numerator as f64 / denominator as f64).to_bits()),
        }
    }
}

/// A variable of states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Variable {
    /// True or false, in one bit.
    Bool(String),
    /// A number of 32 bits.
    Number(String),
}

/// The properties of a model that are known before its states.
#[derive(Clone, Debug)]
pub struct Header {
    pub name: String,
    pub description: String,
    /// The tool that wrote it, and the version of the tool.
    pub tool: (String, String),
    /// The players, by name: none in a chain, one in a decision process.
    pub players: Vec<String>,
    /// The labels; at most 64.
    pub labels: Vec<String>,
    /// The name of the reward that states give.
    pub reward: Option<String>,
    /// How numbers are written.
    pub numbers: NumberForm,
    /// The variables of states: bits in this order, from the lowest bit of the first byte on.
    pub variables: Vec<Variable>,
}

impl Header {
    /// Of a decision process with these labels.
    pub fn new(name: &str, labels: &[&str]) -> Self {
        Header {
            name: name.to_owned(),
            description: String::new(),
            tool: ("sqasp".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            players: vec!["player".to_owned()],
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            reward: None,
            numbers: NumberForm::default(),
            variables: Vec::new(),
        }
    }

    /// The bytes of the variables of a state.
    pub fn valuation_bytes(&self) -> usize {
        let bits = self.variables.iter().map(|variable| match variable {
            Variable::Bool(_) => 1,
            Variable::Number(_) => 32,
        });
        bits.sum::<usize>().div_ceil(8)
    }
}

/// A state as it is written.
#[derive(Clone, Copy, Debug)]
pub struct StateRow<'a> {
    /// The player who chooses, by index in the list of players.
    pub player: u32,
    /// Its labels: bit by bit, in the order of the header.
    pub labels: u64,
    /// The values of its variables.
    pub valuation: &'a [u8],
    /// The reward of the state, as numerator and denominator.
    pub reward: (u64, u64),
}

/// How much was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sizes {
    /// States.
    pub states: u64,
    /// Choices of all states.
    pub choices: u64,
    /// Branches of all choices.
    pub branches: u64,
}

/// Writes a model state by state: each call adds to what was added last. The first state is the initial one.
pub struct Writer {
    header: Header,
    sizes: Sizes,
    labels: Vec<Vec<u64>>,
    state_to_choices: Spool,
    state_to_player: Spool,
    choice_to_branches: Spool,
    choice_actions: Spool,
    branch_to_target: Spool,
    branch_to_probability: Spool,
    rewards: Spool,
    valuations: Spool,
}

impl Writer {
    pub fn new(header: Header) -> io::Result<Self> {
        let labels = vec![Vec::new(); header.labels.len()];
        Ok(Writer {
            header,
            sizes: Sizes::default(),
            labels,
            state_to_choices: Spool::new()?,
            state_to_player: Spool::new()?,
            choice_to_branches: Spool::new()?,
            choice_actions: Spool::new()?,
            branch_to_target: Spool::new()?,
            branch_to_probability: Spool::new()?,
            rewards: Spool::new()?,
            valuations: Spool::new()?,
        })
    }

    /// How much was written so far.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// Begins a state.
    ///
    /// # Panics
    /// If the valuation has not the length that the variables take.
    pub fn state(&mut self, state: &StateRow<'_>) -> io::Result<()> {
        assert_eq!(state.valuation.len(), self.header.valuation_bytes());
        put(&mut self.state_to_choices, self.sizes.choices)?;
        if self.header.players.len() > 1 {
            self.state_to_player
                .write_all(&state.player.to_le_bytes())?;
        }
        let (word, bit) = (self.sizes.states / 64, self.sizes.states % 64);
        for (number, bits) in self.labels.iter_mut().enumerate() {
            bits.resize(word as usize + 1, 0);
            bits[word as usize] |= (state.labels >> number & 1) << bit;
        }
        self.valuations.write_all(state.valuation)?;
        if self.header.reward.is_some() {
            let (numerator, denominator) = state.reward;
            let numbers = self.header.numbers;
            numbers.put(&mut self.rewards, numerator, denominator)?;
        }
        self.sizes.states += 1;
        Ok(())
    }

    /// Begins a choice in the last state, by an action with this number.
    pub fn choice(&mut self, action: u32) -> io::Result<()> {
        put(&mut self.choice_to_branches, self.sizes.branches)?;
        self.choice_actions.write_all(&action.to_le_bytes())?;
        self.sizes.choices += 1;
        Ok(())
    }

    /// Adds a branch to the last choice: a target and its probability, as numerator and denominator.
    pub fn branch(&mut self, target: u64, numerator: u64, denominator: u64) -> io::Result<()> {
        put(&mut self.branch_to_target, target)?;
        let numbers = self.header.numbers;
        numbers.put(&mut self.branch_to_probability, numerator, denominator)?;
        self.sizes.branches += 1;
        Ok(())
    }

    /// Writes the file; `actions` are the names of all actions, by number.
    pub fn finish(mut self, actions: &[String], to: &mut dyn Write) -> io::Result<Sizes> {
        let sizes = self.sizes;
        put(&mut self.state_to_choices, sizes.choices)?;
        put(&mut self.choice_to_branches, sizes.branches)?;
        let index = serde_json::to_vec_pretty(&self.index(actions.len() as u64))?;
        let mut archive = Archive(tar::Builder::new(to));
        archive.bytes(index::NAME, &index)?;
        archive.bytes("state-is-initial.bin", &words(&initial(sizes.states)))?;
        archive.spool("state-to-choices.bin", self.state_to_choices)?;
        if self.header.players.len() > 1 {
            archive.spool("state-to-player.bin", self.state_to_player)?;
        }
        archive.spool("choice-to-branches.bin", self.choice_to_branches)?;
        archive.spool("branch-to-target.bin", self.branch_to_target)?;
        archive.spool("branch-to-probability.bin", self.branch_to_probability)?;
        if !actions.is_empty() {
            let (mapping, strings) = string_table(actions);
            archive.spool("actions/choices/values.bin", self.choice_actions)?;
            archive.bytes("actions/choices/string-mapping.bin", &mapping)?;
            archive.bytes("actions/choices/strings.bin", &strings)?;
        }
        for (label, bits) in self.header.labels.iter().zip(&self.labels) {
            let name = format!("annotations/aps/{label}/states/values.bin");
            archive.bytes(&name, &words(bits))?;
        }
        if let Some(reward) = &self.header.reward {
            let name = format!("annotations/rewards/{reward}/states/values.bin");
            archive.spool(&name, self.rewards)?;
        }
        if !self.header.variables.is_empty() {
            archive.spool("valuations/states/valuations.bin", self.valuations)?;
        }
        archive.0.finish()?;
        Ok(sizes)
    }

    fn index(&self, actions: u64) -> Index {
        let header = &self.header;
        let annotation = |name: &String, kind: Type| {
            let annotation = Annotation {
                alias: Some(name.clone()),
                applies_to: vec!["states".to_owned()],
                kind,
            };
            (name.clone(), annotation)
        };
        let labels = header.labels.iter();
        let labels = labels.map(|label| annotation(label, Type::new("bool", 1)));
        let mut annotations = BTreeMap::from([("aps".to_owned(), labels.collect())]);
        if let Some(reward) = &header.reward {
            let reward = annotation(reward, header.numbers.kind());
            annotations.insert("rewards".to_owned(), BTreeMap::from([reward]));
        }
        let is_game = header.players.len() > 1;
        Index {
            format_version: 1,
            format_revision: 0,
            model_data: ModelData {
                name: Some(header.name.clone()),
                description: Some(header.description.clone()).filter(|text| !text.is_empty()),
            },
            file_data: FileData {
                tool: Some(header.tool.0.clone()),
                tool_version: Some(header.tool.1.clone()),
            },
            transition_system: TransitionSystem {
                time: "discrete".to_owned(),
                players: header.players.len() as u64,
                states: self.sizes.states,
                initial_states: 1,
                choices: self.sizes.choices,
                choice_actions: actions,
                branches: self.sizes.branches,
                branch_actions: 0,
                observations: 0,
                branch_probability_type: Some(header.numbers.kind()),
                player_names: match is_game {
                    true => header.players.clone(),
                    false => Vec::new(),
                },
            },
            annotations,
            valuations: (!header.variables.is_empty()).then(|| Valuations {
                states: Some(Valuation {
                    unique: true,
                    classes: vec![self.class()],
                }),
            }),
        }
    }

    fn class(&self) -> Class {
        let mut bits = 0u64;
        let variables = self.header.variables.iter().map(|variable| match variable {
            Variable::Bool(name) => {
                bits += 1;
                json!({"name": name, "type": {"type": "bool", "size": 1}})
            }
            Variable::Number(name) => {
                bits += 32;
                json!({"name": name, "type": {"type": "uint", "size": 32}})
            }
        });
        let mut variables: Vec<serde_json::Value> = variables.collect();
        if !bits.is_multiple_of(8) {
            variables.push(json!({"padding": 8 - bits % 8}));
        }
        Class { variables }
    }
}

/// The set that has the first of `states` states and no other.
fn initial(states: u64) -> Vec<u64> {
    let mut bits = vec![0; states.div_ceil(64).max(1) as usize];
    bits[0] = 1;
    bits
}

fn put(spool: &mut Spool, number: u64) -> io::Result<()> {
    spool.write_all(&number.to_le_bytes())
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Where each text begins and ends, and all texts.
fn string_table(texts: &[String]) -> (Vec<u8>, Vec<u8>) {
    let mut ends = vec![0u64];
    let mut strings = Vec::new();
    for text in texts {
        strings.extend_from_slice(text.as_bytes());
        ends.push(strings.len() as u64);
    }
    (words(&ends), strings)
}

/// A `tar` archive under construction.
struct Archive<'a>(tar::Builder<&'a mut dyn Write>);

impl Archive<'_> {
    fn add(&mut self, name: &str, size: u64, content: impl Read) -> io::Result<()> {
        let mut header = tar::Header::new_ustar();
        header.set_size(size);
        header.set_mode(0o644);
        header.set_mtime(0);
        self.0.append_data(&mut header, name, content)
    }

    fn bytes(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        self.add(name, content.len() as u64, content)
    }

    fn spool(&mut self, name: &str, content: Spool) -> io::Result<()> {
        self.add(name, content.bytes(), content.into_reader()?)
    }
}
