//! Names of a game as names of a logic program, and back.
//!
//! Most names stay as they are: `(cell 1 1 b)` becomes `cell(1,1,b)`. Names that clingo would read
//! as something else are quoted (constants: `+1`, `01`) or changed (functions and relations: `not`,
//! `a-b`). A relation that changes over time has one argument more in the program, so it may
//! collide with a static relation or with a predicate of our own; then it gets a number behind its
//! name. Different things of the game always have different names in the program.

use crate::asp::{self, Atom, Symbol, SymbolKind};
use gdl::game::{Game, RelationKey};
use gdl::{Literal, Name, Rule, Sentence, Term};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Predicates of the files in `encodings`, and of the facts they need, with their number of arguments. The game's own
/// `true`, `does`, `legal`, `goal` and `terminal` get a time and are among them.
const OWN_PREDICATES: &[(&str, usize)] = &[
    ("time", 1),
    ("step", 1),
    ("role", 1),
    ("ended", 1),
    ("input", 2),
    ("true", 2),
    ("does", 3),
    ("legal", 3),
    ("goal", 3),
    ("terminal", 1),
    ("maximizer", 1),
    ("minimiser", 1),
    ("succeeds", 1),
    ("payoff", 3),
    ("pays", 1),
    ("won", 1),
    ("order", 3),
    ("bit", 2),
    ("coin", 1),
    ("decide", 3),
    ("follows", 2),
    ("count", 3),
    ("total", 2),
    // Those of the programs of proofs.
    ("fdom", 1),
    ("mdom", 2),
    ("mover", 1),
    ("any_state", 0),
    ("going_on", 0),
    ("part", 1),
    ("violated", 1),
    ("refuted", 0),
    ("next", 1),
    // Those of the programs of plans.
    ("points", 2),
    ("ends_with", 2),
    ("goes_on", 1),
    ("reached", 2),
];

/// The dictionary between a game and its program.
#[derive(Clone, Debug)]
pub struct Names {
    relations: HashMap<RelationKey, String>,
    functions: HashMap<(Name, usize), String>,
    functions_back: HashMap<String, Name>,
}

/// A term of a ground program that stands for nothing in the game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a term of this game")]
pub struct UnreadableTerm(pub String);

impl Names {
    /// Chooses a name for every relation and function of the game.
    pub fn of(game: &Game) -> Self {
        let sentences = game.rules().iter().flat_map(Rule::sentences);
        let used_relations: BTreeSet<RelationKey> = sentences.map(Sentence::key).collect();
        let literals = game.rules().iter().flat_map(|rule| &rule.body);
        let heads = game.rules().iter().flat_map(|rule| &rule.head.arguments);
        let terms = heads.chain(literals.flat_map(Literal::arguments));
        let functions = terms.flat_map(Term::terms).filter_map(|term| match term {
            Term::Function(name, arguments) => Some((name.clone(), arguments.len())),
            Term::Constant(_) | Term::Variable(_) => None,
        });
        let used_functions: BTreeSet<(Name, usize)> = functions.collect();
        let mut taken: HashSet<(String, usize)> = OWN_PREDICATES
            .iter()
            .map(|&(name, arity)| (name.to_owned(), arity))
            .collect();
        let (mut relations, mut numbered) = (HashMap::new(), NumberedNames::default());
        for key in used_relations {
            let (name, arity) = &key;
            let program_arity = arity + usize::from(game.is_dynamic(&key));
            let name = if is_keyword(name.as_str(), *arity) {
                name.to_string()
            } else {
                numbered.unused(identifier(name.as_str()), *arity, |candidate| {
                    // Without the time as well: programs over a single state leave it out.
                    let uses = [*arity, program_arity].map(|arity| (candidate.to_owned(), arity));
                    let free = !uses.iter().any(|used| taken.contains(used));
                    if free {
                        taken.extend(uses);
                    }
                    free
                })
            };
            relations.insert(key, name);
        }
        let (mut functions, mut numbered) = (HashMap::new(), NumberedNames::default());
        let mut functions_back: HashMap<String, Name> = HashMap::new();
        for (name, arity) in used_functions {
            let text = numbered.unused(identifier(name.as_str()), arity, |candidate| {
                let other = functions_back.get(candidate);
                other.is_none_or(|other| *other == name)
            });
            functions_back.insert(text.clone(), name.clone());
            functions.insert((name, arity), text);
        }
        Names {
            relations,
            functions,
            functions_back,
        }
    }

    /// The predicate for a relation.
    pub fn predicate(&self, relation: &RelationKey) -> &str {
        &self.relations[relation]
    }

    /// A term of the program. Variables are looked up in `variables`.
    pub fn term(&self, term: &Term, variables: &Variables) -> asp::Term {
        match term {
            Term::Constant(name) => constant(name.as_str()),
            Term::Variable(name) => variables.get(name),
            Term::Function(name, arguments) => {
                let function = &self.functions[&(name.clone(), arguments.len())];
                asp::Term::Function(
                    function.clone(),
                    arguments
                        .iter()
                        .map(|argument| self.term(argument, variables))
                        .collect(),
                )
            }
        }
    }

    /// An atom of the program, with the time of a sentence that has one.
    pub fn atom(
        &self,
        sentence: &Sentence,
        time: Option<asp::Term>,
        variables: &Variables,
    ) -> Atom {
        let arguments = sentence.arguments.iter();
        let arguments = arguments.map(|term| self.term(term, variables));
        Atom::new(self.predicate(&sentence.key()), arguments.chain(time))
    }

    /// A literal of the program, for whose sentence there is an atom.
    pub fn literal(
        &self,
        literal: &Literal,
        atom: impl Fn(&Sentence) -> Atom,
        variables: &Variables,
    ) -> asp::Literal {
        match literal {
            Literal::Positive(sentence) => asp::Literal::Positive(atom(sentence)),
            Literal::Negative(sentence) => asp::Literal::Negative(atom(sentence)),
            Literal::Distinct(left, right) => {
                asp::Literal::Different(self.term(left, variables), self.term(right, variables))
            }
        }
    }

    /// The term of the program for a role.
    pub fn role(&self, role: &Name) -> asp::Term {
        constant(role.as_str())
    }

    /// A term of the program for a ground term of the game.
    pub fn ground_term(&self, term: &Term) -> asp::Term {
        self.term(term, &Variables::default())
    }

    /// The term of the game that a term of the ground program stands for.
    pub fn read_term(&self, symbol: &Symbol) -> Result<Term, UnreadableTerm> {
        let unreadable = || UnreadableTerm(symbol.to_string());
        match symbol.kind() {
            SymbolKind::Number(number) => Ok(Term::Constant(Name::new(&number.to_string()))),
            SymbolKind::Text(text) => Ok(Term::Constant(Name::new(text))),
            _ => match symbol.call().ok_or_else(unreadable)? {
                ("", _) => Err(unreadable()),
                (name, []) => Ok(Term::Constant(Name::new(name))),
                (name, arguments) => {
                    let name = self.functions_back.get(name).ok_or_else(unreadable)?;
                    let arguments = arguments.iter().map(|argument| self.read_term(argument));
                    let arguments = arguments.collect::<Result<_, _>>()?;
                    Ok(Term::Function(name.clone(), arguments))
                }
            },
        }
    }
}

/// The relations that the translation treats itself; they keep their names.
fn is_keyword(name: &str, arity: usize) -> bool {
    matches!(
        (name, arity),
        ("role", 1)
            | ("init", 1)
            | ("true", 1)
            | ("next", 1)
            | ("base", 1)
            | ("input", 2)
            | ("does", 2)
            | ("legal", 2)
            | ("goal", 2)
            | ("terminal", 0)
    )
}

/// Numbers behind names that would collide.
#[derive(Default)]
struct NumberedNames {
    /// The last number behind each name, by its number of arguments. Trying them all again for each of many names that become one is
    /// quadratic.
    last: HashMap<(String, usize), usize>,
}

impl NumberedNames {
    /// The first of `base`, `base_2`, `base_3`, ... that may be used.
    fn unused(
        &mut self,
        base: String,
        arity: usize,
        mut may_use: impl FnMut(&str) -> bool,
    ) -> String {
        if may_use(&base) {
            return base;
        }
        let last = self.last.entry((base.clone(), arity)).or_insert(1);
        loop {
            *last += 1;
            let candidate = format!("{base}_{last}");
            if may_use(&candidate) {
                return candidate;
            }
        }
    }
}

/// Whether clingo reads this text as a symbolic constant.
fn is_identifier(text: &str) -> bool {
    let mut characters = text.chars();
    characters
        .next()
        .is_some_and(|first| first.is_ascii_lowercase())
        && characters.all(|other| other.is_ascii_alphanumeric() || other == '_')
        && text != "not"
}

/// The text itself if clingo reads it as a name, else something close to it that clingo reads.
fn identifier(text: &str) -> String {
    if is_identifier(text) {
        return text.to_owned();
    }
    format!("n_{}", cleaned(text))
}

/// The text with underscores for everything but letters and digits.
fn cleaned(text: &str) -> String {
    let clean = |character: char| match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' => character,
        _ => '_',
    };
    text.chars().map(clean).collect()
}

/// A constant of the game. `1` becomes a number; `01`, `-0` and `+1` are other constants, so they
/// are quoted.
pub(super) fn constant(text: &str) -> asp::Term {
    match text.parse::<i32>() {
        Ok(number) if number.to_string() == text => asp::Term::Integer(number.into()),
        _ if is_identifier(text) => asp::Term::Constant(text.to_owned()),
        _ => asp::Term::Quoted(text.to_owned()),
    }
}

/// The variables of one rule: each gets a name that clingo reads as a variable. `T` is kept free
/// for the time.
#[derive(Default)]
pub struct Variables(HashMap<Name, String>);

impl Variables {
    /// Names for all variables of a rule.
    pub fn of(rule: &gdl::Rule) -> Self {
        let mut variables = Variables::default();
        let mut taken: HashSet<String> = HashSet::from(["T".to_owned()]);
        let mut numbered = NumberedNames::default();
        let mut choose = |name: &Name| {
            numbered.unused(variable_name(name.as_str()), 0, |candidate| {
                taken.insert(candidate.to_owned())
            })
        };
        // Safe rules bind the variables of other conditions in a positive sentence.
        let terms = rule.sentences().flat_map(|sentence| &sentence.arguments);
        for name in terms.flat_map(Term::variables) {
            let known = variables.0.entry(name.clone());
            known.or_insert_with(|| choose(name));
        }
        variables
    }

    fn get(&self, name: &Name) -> asp::Term {
        asp::Term::Variable(self.0.get(name).expect("rules are safe").clone())
    }
}

/// `?x` as `X`, `?old-row` as `Old_row`, `?1` as `V1`.
fn variable_name(text: &str) -> String {
    let cleaned = cleaned(text);
    let mut characters = cleaned.chars();
    match characters.next() {
        Some(first) if first.is_ascii_alphabetic() => {
            format!("{}{}", first.to_ascii_uppercase(), characters.as_str())
        }
        _ => format!("V{cleaned}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl::Rule;

    fn constant_term(text: &str) -> Term {
        Term::Constant(Name::new(text))
    }

    fn fact(relation: &str, arguments: Vec<Term>) -> Rule {
        Rule {
            head: Sentence {
                relation: Name::new(relation),
                arguments,
            },
            body: Vec::new(),
        }
    }

    #[test]
    fn terms_are_written_and_read_back() {
        let function = |name: &str, arguments| Term::Function(Name::new(name), arguments);
        let cell = function("cell", vec![constant_term("1"), constant_term("b")]);
        let rows = [
            (constant_term("1"), "1"),
            (constant_term("-3"), "-3"),
            (constant_term("01"), "\"01\""),
            (constant_term("+1"), "\"+1\""),
            (constant_term("99999999999"), "\"99999999999\""),
            (constant_term("not"), "\"not\""),
            (constant_term("a-b"), "\"a-b\""),
            (cell.clone(), "cell(1,b)"),
            (function("a-b", vec![cell.clone()]), "n_a_b(cell(1,b))"),
            (
                function("a+b", vec![cell, constant_term("x")]),
                "n_a_b_2(cell(1,b),x)",
            ),
        ];
        let rules = rows
            .iter()
            .map(|(term, _)| fact("p", vec![term.clone()]))
            .collect();
        let names = Names::of(&Game::from_checked_parts("test".into(), vec![], rules));
        let mut written: Vec<String> = Vec::new();
        for (term, _) in &rows {
            let text = names.ground_term(term);
            assert_eq!(names.read_term(&text.symbol()).as_ref(), Ok(term));
            written.push(text.to_string());
        }
        // Of two clashing functions the later one gets the number.
        let mut expected: Vec<&str> = rows.iter().map(|(_, text)| *text).collect();
        written.sort();
        expected.sort_unstable();
        assert_eq!(written.len(), expected.len());
        assert_eq!(
            written
                .iter()
                .filter(|text| text.starts_with("n_a_b"))
                .count(),
            2
        );
        for name in ["", "unknown"] {
            let bad = Symbol::function(name, [Symbol::number(1)]);
            assert!(names.read_term(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn many_names_that_become_one_are_numbered_with_little_work() {
        let mut numbered = NumberedNames::default();
        let (mut taken, mut tried) = (HashSet::new(), 0);
        for number in 0..2_000 {
            let name = numbered.unused("n_a".to_owned(), 1, |candidate| {
                tried += 1;
                taken.insert(candidate.to_owned())
            });
            if number > 0 {
                assert_eq!(name, format!("n_a_{}", number + 1));
            }
        }
        assert!(tried < 5_000, "{tried}");
    }

    #[test]
    fn relations_that_would_collide_get_numbers() {
        let p2 = fact("p", vec![constant_term("a"), constant_term("b")]);
        let dynamic = Rule {
            head: Sentence {
                relation: Name::new("p"),
                arguments: vec![constant_term("a")],
            },
            body: vec![Literal::Positive(Sentence {
                relation: Name::new("true"),
                arguments: vec![constant_term("f")],
            })],
        };
        let ended = fact("ended", vec![constant_term("a")]);
        let game = Game::from_checked_parts("test".into(), vec![], vec![p2, dynamic, ended]);
        let names = Names::of(&game);
        let name = |text: &str, arity| names.predicate(&(Name::new(text), arity)).to_owned();
        assert_ne!(name("p", 1), name("p", 2));
        assert_eq!(name("ended", 1), "ended_2");
    }
}
