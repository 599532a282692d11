//! Roles that decide together, as one role of another game: its moves are those of all members, it sees all that they see, and its goals are
//! those of the first.
//!
//! The game is written anew: what the old rules say of `role`, `legal`, `does`, `goal`, `input` and `sees` is said of relations of other names, and a
//! few new rules connect these with the new role. So a team is a role like any other for all that comes later.

use super::{Game, NoSuchRole};
use crate::{Literal, Name, Rule, Sentence, Term};

/// Why roles are no team.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTeam {
    /// A member is no role that chooses.
    #[error(transparent)]
    NoSuchRole(#[from] NoSuchRole),
    /// A member is named twice.
    #[error("`{0}` is in the team twice; name each role once, such as ann+bob")]
    Twice(Name),
}

/// The relations that are about roles.
const ABOUT_ROLES: [(&str, usize); 6] = [
    ("role", 1),
    ("legal", 2),
    ("does", 2),
    ("goal", 2),
    ("input", 2),
    ("sees", 2),
];

/// The function that makes one move of the moves of all members.
const TOGETHER: &str = "together";

impl Game {
    /// The game in which the roles of a team such as `ann+bob` are one role of this name. For the name of a single role it is the
    /// game itself.
    pub fn with_team(&self, team: &Name) -> Result<Game, NoTeam> {
        if self.roles().contains(team) || !team.as_str().contains('+') {
            return Ok(self.clone());
        }
        let members: Vec<Name> = team.as_str().split('+').map(Name::new).collect();
        for (index, member) in members.iter().enumerate() {
            self.role(member)?;
            if members[..index].contains(member) {
                return Err(NoTeam::Twice(member.clone()));
            }
        }
        Ok(self.joining(&members, team))
    }

    /// The game in which all roles but this one move at random: each picks one of its legal moves, all with the same probability.
    pub fn with_random_opponents(&self, role: &Name) -> Game {
        let others = self.roles().iter().filter(|other| *other != role);
        let (random, mut members): (Vec<Name>, Vec<Name>) =
            others.cloned().partition(Name::is_random);
        members.extend(random);
        if members.iter().all(Name::is_random) {
            return self.clone();
        }
        self.joining(&members, &Name::new("random"))
    }

    /// The game in which these roles are one.
    fn joining(&self, members: &[Name], team: &Name) -> Game {
        let mut writer = Writer {
            prefix: "each_".to_owned(),
            rules: Vec::new(),
        };
        let taken = |prefix: &str| {
            ABOUT_ROLES
                .iter()
                .any(|(name, arity)| self.defines(&format!("{prefix}{name}"), *arity))
        };
        while taken(&writer.prefix) {
            writer.prefix.push('_');
        }
        for rule in self.rules() {
            writer.rules.push(writer.renamed(rule.clone()));
        }
        let mut roles: Vec<Name> = Vec::new();
        for role in self.roles() {
            let role = if members.contains(role) { team } else { role };
            if !roles.contains(role) {
                roles.push(role.clone());
            }
        }
        let index = |name: &Name| self.roles().iter().position(|role| role == name);
        let mut joined_members = Vec::new();
        for role in &roles {
            let constant = Term::Constant(role.clone());
            writer.rule(("role", vec![constant]), &[]);
            let members = match role == team {
                true => members,
                false => std::slice::from_ref(role),
            };
            writer.connect(role, members);
            joined_members.push(members.iter().filter_map(index).collect());
            // Also for a role that never sees anything, so that the game stays one of hidden information.
            if self.has_percepts() && !role.is_random() {
                writer.show(role, members);
            }
        }
        let has_inputs = self.defines("input", 2);
        writer
            .rules
            .retain(|rule| has_inputs || rule.head.relation.as_str() != "input");
        let joined = Game::from_checked_parts(self.name().to_owned(), roles, writer.rules);
        joined.joined_from(self, joined_members)
    }
}

struct Writer {
    /// Stands before the names of relations about the old roles.
    prefix: String,
    rules: Vec<Rule>,
}

impl Writer {
    /// The rule about the old roles.
    fn renamed(&self, mut rule: Rule) -> Rule {
        for sentence in rule.sentences_mut() {
            let key = (sentence.relation.as_str(), sentence.arguments.len());
            if ABOUT_ROLES.contains(&key) {
                sentence.relation = Name::new(&format!("{}{}", self.prefix, key.0));
            }
        }
        rule
    }

    /// Adds a rule with these conditions.
    fn rule(&mut self, head: (&str, Vec<Term>), body: &[(&str, Vec<Term>)]) {
        let sentence = |(relation, arguments): &(&str, Vec<Term>)| Sentence {
            relation: Name::new(relation),
            arguments: arguments.clone(),
        };
        self.rules.push(Rule {
            head: sentence(&head),
            body: body
                .iter()
                .map(|it| Literal::Positive(sentence(it)))
                .collect(),
        });
    }

    /// Adds the rules that show a role what these old ones see: for a team with the name of the member.
    fn show(&mut self, role: &Name, members: &[Name]) {
        let each = format!("{}sees", self.prefix);
        for member in members {
            let percept = Term::Variable(Name::new("percept"));
            let seen = match members {
                [_] => percept.clone(),
                _ => Term::Function(member.clone(), vec![percept.clone()]),
            };
            let [role, member] = [role, member].map(|name| Term::Constant(name.clone()));
            self.rule(
                ("sees", vec![role, seen]),
                &[(&each, vec![member, percept])],
            );
        }
    }

    /// Adds the rules that make a role move for these old ones, and gives it the goals of the first.
    fn connect(&mut self, role: &Name, members: &[Name]) {
        let moves: Vec<Term> = (1..=members.len())
            .map(|index| Term::Variable(Name::new(&format!("move_{index}"))))
            .collect();
        let joint = match &moves[..] {
            [only] => only.clone(),
            _ => Term::Function(Name::new(TOGETHER), moves.clone()),
        };
        let role = Term::Constant(role.clone());
        let member = |index: usize| Term::Constant(members[index].clone());
        for relation in ["legal", "input"] {
            let each = format!("{}{relation}", self.prefix);
            let conditions: Vec<(&str, Vec<Term>)> = (moves.iter().enumerate())
                .map(|(index, made)| (each.as_str(), vec![member(index), made.clone()]))
                .collect();
            self.rule((relation, vec![role.clone(), joint.clone()]), &conditions);
        }
        let each = format!("{}does", self.prefix);
        for (index, made) in moves.iter().enumerate() {
            self.rule(
                (&each, vec![member(index), made.clone()]),
                &[("does", vec![role.clone(), joint.clone()])],
            );
        }
        let points = Term::Variable(Name::new("points"));
        let each = format!("{}goal", self.prefix);
        self.rule(
            ("goal", vec![role, points.clone()]),
            &[(&each, vec![member(0), points])],
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::game::read;
    use generators::rows;

    const GAME: &[u8] = b"(role ann) (role random) (role bob) (role cid) (each_does 1 2) (init a)
        (<= (legal ?p (go ?n)) (role ?p) (each_does ?n 2)) (<= terminal (not (true a)))
        (<= (next b) (does ann (go 1)) (does bob (go 1))) (goal ann 100) (goal bob 0) (goal cid 0)";

    #[test]
    fn a_team_is_a_role_with_all_moves_of_its_members() {
        let game = read("test", GAME, &Options::default()).unwrap().game;
        let team = game.with_team(&Name::new("bob+ann")).unwrap();
        let roles: Vec<&str> = team.roles().iter().map(Name::as_str).collect();
        assert_eq!(roles, ["bob+ann", "random", "cid"]);
        assert_eq!(team.written().rules(), game.rules());
        let moves = crate::parse_terms("(together b a) r c").unwrap();
        assert_eq!(
            team.as_written(&moves),
            crate::parse_terms("a r b c").unwrap()
        );
        assert!(team.is_team(&Name::new("bob+ann")) && !team.is_team(&Name::new("cid")));
        let facts = crate::parse_terms("b").unwrap();
        let started = team.starting_from(&facts);
        assert_eq!(
            started.written().rules(),
            game.starting_from(&facts).rules()
        );
        let rules: Vec<String> = team.rules().iter().map(ToString::to_string).collect();
        for rule in [
            "(<= (each__legal ?p (go ?n)) (each__role ?p) (each_does ?n 2))",
            "(<= (legal bob+ann (together ?move_1 ?move_2)) (each__legal bob ?move_1) (each__legal ann ?move_2))",
            "(<= (each__does ann ?move_2) (does bob+ann (together ?move_1 ?move_2)))",
            "(<= (each__does cid ?move_1) (does cid ?move_1))",
            "(<= (goal bob+ann ?points) (each__goal bob ?points))",
        ] {
            assert!(
                rules.iter().any(|other| other == rule),
                "{rule} in {rules:?}"
            );
        }
        assert!(!team.defines("input", 2));
        let moves = team.domains().moves(&Name::new("bob+ann"));
        assert_eq!(moves.map(|moves| moves.count()).ok(), Some(1));
        assert!(!team.has_percepts());
        // All but one at random.
        let random = game.with_random_opponents(&Name::new("ann"));
        let roles: Vec<&str> = random.roles().iter().map(Name::as_str).collect();
        assert_eq!(roles, ["ann", "random"]);
        let moves = crate::parse_terms("a (together b c r)").unwrap();
        assert_eq!(
            random.as_written(&moves),
            crate::parse_terms("a r b c").unwrap()
        );
        assert_eq!(
            random.with_random_opponents(&Name::new("ann")).rules(),
            random.rules()
        );
    }

    #[test]
    fn a_team_sees_what_its_members_see() {
        let sees = b"(<= (sees bob ?m) (does ann ?m)) (<= (sees cid ?m) (does cid ?m))";
        let game = read("test", &[GAME, sees].concat(), &Options::default());
        let game = game.unwrap().game;
        let team = game.with_team(&Name::new("ann+bob")).unwrap();
        let random = game.with_random_opponents(&Name::new("ann"));
        assert!(team.has_percepts() && random.has_percepts());
        let shown = |game: &Game| -> Vec<String> {
            let rules = game.rules().iter().map(ToString::to_string);
            rules
                .filter(|rule| rule.starts_with("(<= (sees "))
                .collect()
        };
        assert_eq!(
            shown(&team),
            [
                "(<= (sees ann+bob (ann ?percept)) (each__sees ann ?percept))",
                "(<= (sees ann+bob (bob ?percept)) (each__sees bob ?percept))",
                "(<= (sees cid ?percept) (each__sees cid ?percept))",
            ]
        );
        assert_eq!(
            shown(&random),
            ["(<= (sees ann ?percept) (each__sees ann ?percept))"]
        );
    }

    #[test]
    fn teams_that_are_none_are_refused() {
        let game = read("test", GAME, &Options::default()).unwrap().game;
        for [team, said] in rows(
            r"
                ann+random => `random` is chance and cannot be asked for; this game's roles are ann, bob, cid
                ann+bop => `bop` is not a role of this game; its roles are ann, bob, cid; did you mean `bob`?
                ann+ => `` is not a role of this game
                bob+ann+bob => `bob` is in the team twice
                ",
        ) {
            let refused = game.with_team(&Name::new(&team)).unwrap_err().to_string();
            assert!(refused.starts_with(&said), "{refused}");
        }
    }
}
