//! The type [`Game`].

use super::Domains;
use crate::syntax::RelationKey;
use crate::{Name, Rule, Sentence, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock};

/// A valid game in normal form: roles in the order of their sentences, rules without `or`, names
/// in lower case. Rules keep the order of the file.
///
/// Invariant: exists only for descriptions without errors, so rules are safe and, between ground
/// sentences, stratified.
#[derive(Clone, Debug)]
pub struct Game {
    name: String,
    roles: Vec<Name>,
    rules: Vec<Rule>,
    dynamic: FxHashSet<RelationKey>,
    has_percepts: bool,
    assumes_perfect_information: bool,
    warnings: Arc<str>,
    joined: Option<Joined>,
    domains: OnceLock<Arc<Domains>>,
}

/// The game before some of its roles were joined to one.
#[derive(Clone, Debug)]
struct Joined {
    before: Arc<Game>,
    /// For each role the indexes of those before that it moves for, in the order of their moves.
    members: Vec<Vec<usize>>,
}

impl Game {
    /// Puts a game together from checked parts; [`read`](super::read()) calls this, code that adds rules to a game,
    /// and tests that want to be short, or wrong.
    #[doc(hidden)]
    pub fn from_checked_parts(name: String, roles: Vec<Name>, rules: Vec<Rule>) -> Self {
        let dynamic = dynamic_relations(&rules);
        let has_percepts = has_percepts(&rules);
        Game {
            name,
            roles,
            rules,
            dynamic,
            has_percepts,
            assumes_perfect_information: false,
            warnings: Arc::default(),
            joined: None,
            domains: OnceLock::new(),
        }
    }

    /// The same game, without the rules about the things that roles see.
    pub(super) fn assuming_perfect_information(self) -> Self {
        Game {
            assumes_perfect_information: true,
            ..self
        }
    }

    /// The same game with the warnings about its text.
    pub(super) fn with_warnings(self, warnings: String) -> Self {
        Game {
            warnings: warnings.into(),
            ..self
        }
    }

    /// The same game, which was made of another one by joining roles: each moves for these ones.
    pub(super) fn joined_from(self, other: &Game, members: Vec<Vec<usize>>) -> Self {
        let before = Arc::new(other.clone());
        Game {
            assumes_perfect_information: other.assumes_perfect_information,
            warnings: Arc::clone(&other.warnings),
            joined: Some(Joined { before, members }),
            ..self
        }
    }

    /// The game as it was written, in which no roles are joined: people name its roles, and the moves of these.
    #[doc(hidden)]
    pub fn written(&self) -> &Game {
        (self.joined.as_ref()).map_or(self, |joined| joined.before.written())
    }

    /// A joint move as one of the roles of the game as it was written.
    ///
    /// # Panics
    /// If some role has no such move.
    #[doc(hidden)]
    pub fn as_written(&self, joint_move: &[Term]) -> Vec<Term> {
        let Some(Joined { before, members }) = &self.joined else {
            return joint_move.to_vec();
        };
        let mut moves: Vec<Option<&Term>> = vec![None; before.roles.len()];
        for (members, action) in members.iter().zip(joint_move) {
            let parts = match action {
                Term::Function(_, parts) if members.len() > 1 => parts,
                action => std::slice::from_ref(action),
            };
            for (&member, action) in members.iter().zip(parts) {
                moves[member] = Some(action);
            }
        }
        let moves = moves.into_iter();
        let moves = moves.map(|action| action.expect("each role moves for its members").clone());
        before.as_written(&moves.collect::<Vec<_>>())
    }

    /// Whether a role is a team of several roles of the game as it was written.
    #[doc(hidden)]
    pub fn is_team(&self, role: &Name) -> bool {
        !role.is_random() && self.roles.contains(role) && !self.written().roles.contains(role)
    }

    /// Whether rules about the things that roles see were left out: all roles are taken to see everything.
    pub fn assumes_perfect_information(&self) -> bool {
        self.assumes_perfect_information
    }

    /// Whether the rules say what roles see (`sees` of GDL-II): then a role knows the rules, its own moves and what it saw,
    /// and nothing else of the play.
    pub fn has_percepts(&self) -> bool {
        self.has_percepts
    }

    /// Refuses a game that hides something, in the name of a part that knows only full information.
    #[doc(hidden)]
    pub fn check_open(&self, part: &str) -> Result<(), HiddenInformation> {
        match self.has_percepts {
            true => Err(HiddenInformation(part.to_owned())),
            false => Ok(()),
        }
    }

    /// Warnings about the text that the game was read from, a line for each kind; empty if there are none.
    pub fn warnings(&self) -> &str {
        &self.warnings
    }

    /// Supersets of the facts and moves that there can be; derived when they are first asked for.
    #[doc(hidden)]
    pub fn domains(&self) -> &Domains {
        let derive = || Arc::new(Domains::derive(self));
        self.domains.get_or_init(derive)
    }

    /// The same game from another state: these facts hold at the start, in place of those given by
    /// `init`. Whether play can lead to such a state is not asked.
    #[doc(hidden)]
    pub fn starting_from(&self, facts: &[Term]) -> Self {
        let not_initial = |rule: &&Rule| rule.head.relation.as_str() != "init";
        let mut rules: Vec<Rule> = self.rules.iter().filter(not_initial).cloned().collect();
        rules.extend(facts.iter().map(|fact| Rule {
            head: Sentence {
                relation: Name::new("init"),
                arguments: vec![fact.clone()],
            },
            body: Vec::new(),
        }));
        Game {
            assumes_perfect_information: self.assumes_perfect_information,
            joined: (self.joined.as_ref()).map(|joined| Joined {
                before: Arc::new(joined.before.starting_from(facts)),
                members: joined.members.clone(),
            }),
            ..Game::from_checked_parts(self.name.clone(), self.roles.clone(), rules)
        }
    }

    /// The name, usually that of the file without its ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All roles in order, the random role included.
    pub fn roles(&self) -> &[Name] {
        &self.roles
    }

    /// The role that moves at random: the one called `random`, if there is one.
    pub fn random_role(&self) -> Option<&Name> {
        self.roles.iter().find(|role| role.is_random())
    }

    /// The roles that choose: all but the random role.
    pub fn players(&self) -> impl Iterator<Item = &Name> {
        self.roles.iter().filter(|role| !role.is_random())
    }

    /// All rules and facts, `role` facts included.
    #[doc(hidden)]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Whether the relation depends on the state or on moves: `true`, `does`, and whatever has a
    /// rule with such a relation in its body.
    #[doc(hidden)]
    pub fn is_dynamic(&self, relation: &RelationKey) -> bool {
        self.dynamic.contains(relation)
    }

    /// Whether some sentence or rule head has this relation.
    #[doc(hidden)]
    pub fn defines(&self, relation: &str, arity: usize) -> bool {
        self.rules.iter().any(|rule| {
            rule.head.relation.as_str() == relation && rule.head.arguments.len() == arity
        })
    }
}

/// The rules say what roles see, and this part knows only full information.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the rules say what roles see (`sees`), and {0} only knows games in which all roles see everything: solve the \
     game as it is, or assume perfect information when it is read, which makes it another game"
)]
pub struct HiddenInformation(String);

/// Whether there are `sees` rules in the sense of GDL-II: in heads and, as the language demands, in no body.
fn has_percepts(rules: &[Rule]) -> bool {
    let is_sees =
        |sentence: &Sentence| sentence.relation.as_str() == "sees" && sentence.arguments.len() == 2;
    let mut asked = rules.iter().flat_map(|rule| rule.sentences().skip(1));
    rules.iter().any(|rule| is_sees(&rule.head)) && !asked.any(is_sees)
}

fn dynamic_relations(rules: &[Rule]) -> FxHashSet<RelationKey> {
    let mut heads_by_condition: FxHashMap<RelationKey, Vec<RelationKey>> = FxHashMap::default();
    for rule in rules {
        for sentence in rule.sentences().skip(1) {
            let heads = heads_by_condition.entry(sentence.key());
            heads.or_default().push(rule.head.key());
        }
    }
    let keywords = [
        ("true", 1),
        ("does", 2),
        ("init", 1),
        ("next", 1),
        ("legal", 2),
        ("goal", 2),
        ("terminal", 0),
    ];
    let mut open: Vec<RelationKey> = keywords
        .into_iter()
        .map(|(name, arity)| (Name::new(name), arity))
        .collect();
    let mut dynamic = FxHashSet::default();
    while let Some(relation) = open.pop() {
        open.extend(heads_by_condition.remove(&relation).into_iter().flatten());
        dynamic.insert(relation);
    }
    dynamic
}

#[cfg(test)]
mod tests {
    use crate::game::read;
    use crate::{Options, parse_terms};

    #[test]
    fn a_game_can_start_elsewhere() {
        let text = b"(role p) (init a) (<= (init (b ?x)) (n ?x)) (n 1) (n 2) (legal p go)
            (<= (next c) (true a)) (<= terminal (true c)) (goal p 100)";
        let game = read("test", text, &Options::default()).unwrap().game;
        let facts = parse_terms("c (b 3)").unwrap();
        let other = game.starting_from(&facts);
        let rules: Vec<String> = other.rules().iter().map(ToString::to_string).collect();
        assert_eq!(
            rules[..4],
            ["(role p)", "(n 1)", "(n 2)", "(legal p go)"],
            "{rules:?}"
        );
        assert_eq!(rules[7..], ["(init c)", "(init (b 3))"], "{rules:?}");
        assert_eq!(other.roles(), game.roles());
        assert!(other.starting_from(&[]).defines("next", 1));
    }
}
