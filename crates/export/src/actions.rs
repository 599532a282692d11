//! The names of choices: moves of the role, and joint moves of its opponents.

use rustc_hash::FxHashMap;
use step::GroundStep;

/// All actions that came up, by number. Choices with the same name are one action, also those of different players.
pub(crate) struct Actions {
    names: Vec<String>,
    by_name: FxHashMap<String, u32>,
    numbers: FxHashMap<Box<[u32]>, u32>,
}

impl Actions {
    /// With the one action of nodes in which play is over.
    pub(crate) const END: u32 = 0;

    pub(crate) fn new() -> Self {
        let mut actions = Actions {
            names: Vec::new(),
            by_name: FxHashMap::default(),
            numbers: FxHashMap::default(),
        };
        actions.named("end".to_owned());
        actions
    }

    fn named(&mut self, name: String) -> u32 {
        let next = self.names.len() as u32;
        let number = *self.by_name.entry(name.clone()).or_insert(next);
        if number == next {
            self.names.push(name);
        }
        number
    }

    /// The number of the joint move of these roles: the first entry of `key` is the first role, the others are moves.
    pub(crate) fn number(&mut self, ground: &GroundStep, roles: &[usize], key: &[u32]) -> u32 {
        if let Some(&number) = self.numbers.get(key) {
            return number;
        }
        let moves = roles.iter().zip(&key[1..]);
        let texts = moves.map(|(&role, &index)| ground.moves[role][index as usize].to_string());
        let number = self.named(texts.collect::<Vec<_>>().join(" "));
        self.numbers.insert(key.into(), number);
        number
    }

    /// All names, by number.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }
}
