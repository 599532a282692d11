//! Domains: finite supersets of the facts of a state and of the moves, from the rules alone.
//!
//! `base` and `input` say which facts and moves there can be, but they are optional. Without them
//! the domains come from the dependency graph of argument positions (M. Thielscher, *Answer Set
//! Programming for Single-Player Games in General Game Playing*, 2009, section 5): a position is an
//! argument of a relation or of a function; the constants and functions that can stand in it are
//! found by following variables from body to head, `init` and `next` into `true`, and `legal` into
//! `does`, until nothing is added.
//!
//! Sharper than the paper in three ways, all still supersets: values flow from body to head only;
//! a variable takes only values that *all* its positions in positive sentences have, and a rule
//! with a variable or constant that is impossible there adds nothing; the moves of each role are
//! kept apart (`legal` of white is another relation than `legal` of black).
//!
//! Example: from `(<= (legal p (mark ?x ?y)) (row ?x) (row ?y)) (row 1) (row 2)` come four moves.
//!
//! Nothing here looks at `base` and `input`. For the same purpose `translate` has the grounder list
//! the moves of a relaxed game; that knows which values occur together, so its list is shorter, but
//! it needs clingo, and never ends where facts grow without bound.
//!
//! Left out: which combinations of values occur together. The domain of a function is the product
//! of the domains of its arguments, and a function has one domain wherever it occurs. A function
//! that occurs in its own argument makes a domain infinite; then only `base` and `input` help.

use super::Game;
use super::domain::{Domain, Shape};
use crate::{Literal, MAXIMUM_NESTING, Name, Rule, Sentence, Term};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

/// The rules make a domain infinite: a function can occur in its own argument. Or they make terms
/// that are nested deeper than may be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the {of} cannot be listed, since the function `{function}` may occur in its own argument or \
     inside {MAXIMUM_NESTING} others; add `base` and `input` facts that say which ones there can be"
)]
pub struct InfiniteDomain {
    /// What has the domain: facts of a state or moves.
    pub of: String,
    /// The function.
    pub function: Name,
}

/// What can stand in an argument position.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Value {
    Constant(Name),
    Function(Name, usize),
}

/// An argument position: of a relation or of a function. `legal`, `does` and `goal` have positions for
/// each role, and one more that holds what those of all roles hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    Relation(Name, usize, Option<Name>, usize),
    Function(Name, usize, usize),
}

type Values = FxHashMap<Place, BTreeSet<Value>>;

/// What a rule looks at: whether a value is among those of a place, or all of them.
type Reading = (Place, Option<Value>);

/// Supersets of the facts and of each role's moves, and what the positions hold.
#[derive(Clone, Debug)]
pub struct Domains {
    values: Values,
    roles: Vec<Name>,
}

impl Domains {
    /// Derives the domains from the rules, without looking at `base` and `input`.
    pub fn derive(game: &Game) -> Self {
        let rules = game.rules().iter();
        let rules: Vec<_> = rules
            .flat_map(|rule| split_rule(rule, game.roles()))
            .collect();
        let mut readers: FxHashMap<Reading, Vec<usize>> = FxHashMap::default();
        for (number, rule) in rules.iter().enumerate() {
            for (place, argument) in rule.body.iter().flat_map(PlacedSentence::places) {
                for_each_reading(argument, place, &mut |reading| {
                    readers.entry(reading).or_default().push(number);
                });
            }
        }
        let mut values = Values::default();
        let mut waiting: VecDeque<usize> = (0..rules.len()).collect();
        let mut is_waiting = vec![true; rules.len()];
        let mut added = Vec::new();
        while let Some(number) = waiting.pop_front() {
            is_waiting[number] = false;
            fire(&rules[number], &mut values, &mut added);
            for (place, value) in added.drain(..) {
                let any = readers.get(&(place.clone(), None));
                let this = readers.get(&(place, Some(value)));
                for &reader in any.into_iter().chain(this).flatten() {
                    if !std::mem::replace(&mut is_waiting[reader], true) {
                        waiting.push_back(reader);
                    }
                }
            }
        }
        Domains {
            values,
            roles: game.roles().to_vec(),
        }
    }

    /// All facts that can be in a state, and perhaps more.
    ///
    /// # Errors
    /// When they are infinitely many as far as the rules tell.
    pub fn facts(&self) -> Result<Arc<Domain>, InfiniteDomain> {
        let place = Place::Relation(Name::new("true"), 1, None, 0);
        self.resolve(&place, "facts of a state")
    }

    /// All moves that can ever be legal for the role, and perhaps more.
    ///
    /// # Errors
    /// When they are infinitely many as far as the rules tell.
    pub fn moves(&self, role: &Name) -> Result<Arc<Domain>, InfiniteDomain> {
        let place = Place::Relation(Name::new("does"), 2, Some(role.clone()), 1);
        self.resolve(&place, &format!("moves of {role}"))
    }

    /// All goal values that the role can ever have, and perhaps more; of those that are functions, one
    /// each.
    pub fn goals(&self, role: &Name) -> Vec<Term> {
        let place = Place::Relation(Name::new("goal"), 2, Some(role.clone()), 1);
        let values = self.values.get(&place).into_iter().flatten();
        let term = |value: &Value| match value {
            Value::Constant(name) => Term::Constant(name.clone()),
            Value::Function(name, arity) => {
                let argument = Term::Variable(Name::new("?_"));
                Term::Function(name.clone(), vec![argument; *arity])
            }
        };
        values.map(term).collect()
    }

    /// Whether some move may be legal for somebody of this name, role or not.
    pub(super) fn has_mover(&self, name: &Name) -> bool {
        let place = Place::Relation(Name::new("legal"), 2, None, 0);
        let whole = Place::Relation(Name::new("legal"), 2, Some(name.clone()), 0);
        let value = Value::Constant(name.clone());
        let mut places = [place, whole].into_iter();
        places.any(|place| (self.values.get(&place)).is_some_and(|found| found.contains(&value)))
    }

    fn resolve(&self, place: &Place, of: &str) -> Result<Arc<Domain>, InfiniteDomain> {
        let mut open = Vec::new();
        self.resolve_in(place, &mut open, &mut HashMap::new())
            .map_err(|function| InfiniteDomain {
                of: of.to_owned(),
                function,
            })
    }

    /// `open` holds the functions whose arguments are being resolved; the error is one of them
    /// that occurs again, or one too many.
    fn resolve_in(
        &self,
        place: &Place,
        open: &mut Vec<(Name, usize)>,
        done: &mut HashMap<Place, Arc<Domain>>,
    ) -> Result<Arc<Domain>, Name> {
        if let Some(domain) = done.get(place) {
            return Ok(domain.clone());
        }
        let mut shapes = Vec::new();
        for value in self.values.get(place).into_iter().flatten() {
            match value {
                Value::Constant(name) => shapes.push(Shape::Constant(name.clone())),
                Value::Function(name, arity) => {
                    let function = (name.clone(), *arity);
                    if open.contains(&function) || open.len() == MAXIMUM_NESTING {
                        return Err(name.clone());
                    }
                    open.push(function);
                    let arguments = (0..*arity)
                        .map(|i| Place::Function(name.clone(), *arity, i))
                        .map(|place| self.resolve_in(&place, open, done))
                        .collect::<Result<_, _>>()?;
                    open.pop();
                    shapes.push(Shape::Function(name.clone(), arguments));
                }
            }
        }
        let domain = Arc::new(Domain::new(shapes));
        done.insert(place.clone(), domain.clone());
        Ok(domain)
    }

    /// For each copy of the rule (one for each role, if it has a variable for one) that can hold:
    /// how many values each variable can take.
    pub(super) fn variable_counts(&self, rule: &Rule) -> Vec<HashMap<Name, u128>> {
        let copies = split_rule(rule, &self.roles);
        let bindings = copies
            .iter()
            .filter_map(|rule| bindings(rule, &self.values));
        let counts = bindings.map(|variables| {
            let counts = variables.iter();
            counts
                .map(|(name, values)| (name.clone(), self.count(values)))
                .collect()
        });
        counts.collect()
    }

    fn count(&self, values: &BTreeSet<Value>) -> u128 {
        let counts = values.iter().map(|value| match value {
            Value::Constant(_) => 1,
            Value::Function(name, arity) => (0..*arity)
                .map(|i| Place::Function(name.clone(), *arity, i))
                .map(|place| self.resolve(&place, "").map_or(u128::MAX, |d| d.count()))
                .fold(1, u128::saturating_mul),
        });
        counts.fold(0, u128::saturating_add)
    }
}

/// A body or head sentence with its role, for `legal`, `does` and `goal`.
struct PlacedSentence {
    sentence: Sentence,
    role: Option<Name>,
}

struct PlacedRule {
    heads: Vec<PlacedSentence>,
    body: Vec<PlacedSentence>,
}

/// The most copies of a rule for different roles.
const MAX_COPIES: usize = 64;

/// The rule with a role in place of each variable that stands where `legal`, `does` and `goal` have one;
/// where that would be very many rules, some such variables stay.
fn split_rule(rule: &Rule, roles: &[Name]) -> Vec<PlacedRule> {
    let positive = rule.body.iter().filter_map(|literal| match literal {
        Literal::Positive(sentence) => Some(sentence),
        Literal::Negative(_) | Literal::Distinct(..) => None,
    });
    let body: Vec<&Sentence> = positive.collect();
    let mut variables = BTreeSet::new();
    for sentence in body.iter().copied().chain([&rule.head]) {
        if has_role(sentence)
            && let Some(Term::Variable(name)) = sentence.arguments.first()
        {
            variables.insert(name);
        }
    }
    let mut choices: Vec<HashMap<&Name, &Name>> = vec![HashMap::new()];
    for variable in variables {
        if choices.len() * roles.len() > MAX_COPIES {
            break;
        }
        let longer = choices.iter().flat_map(|choice| {
            roles.iter().map(move |role| {
                let mut longer = choice.clone();
                longer.insert(variable, role);
                longer
            })
        });
        choices = longer.collect();
    }
    let copies = choices.iter().map(|choice| PlacedRule {
        heads: heads(&rule.head, choice, roles),
        body: body.iter().map(|s| placed(s, choice)).collect(),
    });
    copies.collect()
}

fn has_role(sentence: &Sentence) -> bool {
    let name = sentence.relation.as_str();
    matches!(name, "legal" | "does" | "goal") && sentence.arguments.len() == 2
}

fn placed(sentence: &Sentence, choice: &HashMap<&Name, &Name>) -> PlacedSentence {
    let arguments = sentence.arguments.iter().map(|a| replace(a, choice));
    let sentence = Sentence {
        relation: sentence.relation.clone(),
        arguments: arguments.collect(),
    };
    let role = match sentence.arguments.first() {
        Some(Term::Constant(role)) if has_role(&sentence) => Some(role.clone()),
        _ => None,
    };
    PlacedSentence { sentence, role }
}

/// The head, and what it leads to in the next state: `true` for `init` and `next`, `does` for
/// `legal`.
fn heads(head: &Sentence, choice: &HashMap<&Name, &Name>, roles: &[Name]) -> Vec<PlacedSentence> {
    let head = placed(head, choice);
    let leads_to = match (
        head.sentence.relation.as_str(),
        head.sentence.arguments.len(),
    ) {
        ("init" | "next", 1) => "true",
        ("legal", 2) => "does",
        ("goal", 2) => "goal",
        _ => return vec![head],
    };
    let whose: Vec<Option<Name>> = match &head.role {
        _ if leads_to == "true" => vec![None],
        Some(role) => vec![Some(role.clone()), None],
        None => roles.iter().cloned().map(Some).chain([None]).collect(),
    };
    let mut heads = Vec::new();
    for role in whose {
        let names = [head.sentence.relation.as_str(), leads_to];
        let names = &names[usize::from(leads_to == "goal")..];
        for &name in names {
            let sentence = Sentence {
                relation: Name::new(name),
                arguments: head.sentence.arguments.clone(),
            };
            let role = role.clone();
            heads.push(PlacedSentence { sentence, role });
        }
    }
    heads
}

fn replace(term: &Term, choice: &HashMap<&Name, &Name>) -> Term {
    match term {
        Term::Variable(name) => match choice.get(name) {
            Some(role) => Term::Constant((*role).clone()),
            None => term.clone(),
        },
        Term::Constant(_) => term.clone(),
        Term::Function(name, arguments) => Term::Function(
            name.clone(),
            arguments.iter().map(|a| replace(a, choice)).collect(),
        ),
    }
}

impl PlacedSentence {
    fn places(&self) -> impl Iterator<Item = (Place, &Term)> {
        let Sentence {
            relation,
            arguments,
        } = &self.sentence;
        arguments.iter().enumerate().map(|(i, argument)| {
            let place = Place::Relation(relation.clone(), arguments.len(), self.role.clone(), i);
            (place, argument)
        })
    }
}

/// The values each variable can take; nothing when a condition cannot hold.
fn bindings(rule: &PlacedRule, values: &Values) -> Option<HashMap<Name, BTreeSet<Value>>> {
    let mut variables = HashMap::new();
    for sentence in &rule.body {
        // A sentence without arguments has no positions and restricts nothing.
        for (place, argument) in sentence.places() {
            if !restrict(argument, &place, values, &mut variables) {
                return None;
            }
        }
    }
    Some(variables)
}

/// Narrows the variables of a term that stands at a place; false when it cannot stand there.
fn restrict(
    term: &Term,
    place: &Place,
    values: &Values,
    variables: &mut HashMap<Name, BTreeSet<Value>>,
) -> bool {
    let Some(here) = values.get(place) else {
        return false;
    };
    match term {
        Term::Constant(name) => here.contains(&Value::Constant(name.clone())),
        Term::Variable(name) => {
            let narrowed = match variables.get(name) {
                Some(before) => before & here,
                None => here.clone(),
            };
            let possible = !narrowed.is_empty();
            variables.insert(name.clone(), narrowed);
            possible
        }
        Term::Function(name, arguments) => {
            here.contains(&Value::Function(name.clone(), arguments.len()))
                && arguments.iter().enumerate().all(|(i, argument)| {
                    let place = Place::Function(name.clone(), arguments.len(), i);
                    restrict(argument, &place, values, variables)
                })
        }
    }
}

/// Calls `visit` with what a term in the body of a rule makes the rule look at.
fn for_each_reading(term: &Term, place: Place, visit: &mut dyn FnMut(Reading)) {
    match term {
        Term::Constant(name) => visit((place, Some(Value::Constant(name.clone())))),
        Term::Variable(_) => visit((place, None)),
        Term::Function(name, arguments) => {
            let value = Value::Function(name.clone(), arguments.len());
            visit((place, Some(value)));
            for (i, argument) in arguments.iter().enumerate() {
                let place = Place::Function(name.clone(), arguments.len(), i);
                for_each_reading(argument, place, visit);
            }
        }
    }
}

/// Adds what the rule derives, and lists what of it is new.
fn fire(rule: &PlacedRule, values: &mut Values, added: &mut Vec<(Place, Value)>) {
    let Some(variables) = bindings(rule, values) else {
        return;
    };
    for head in &rule.heads {
        for (place, argument) in head.places() {
            add(argument, &place, &variables, values, added);
        }
    }
}

fn add(
    term: &Term,
    place: &Place,
    variables: &HashMap<Name, BTreeSet<Value>>,
    values: &mut Values,
    added: &mut Vec<(Place, Value)>,
) {
    let here = values.entry(place.clone()).or_default();
    let mut insert = |value: &Value| {
        if here.insert(value.clone()) {
            added.push((place.clone(), value.clone()));
        }
    };
    match term {
        Term::Constant(name) => insert(&Value::Constant(name.clone())),
        Term::Variable(name) => variables.get(name).into_iter().flatten().for_each(insert),
        Term::Function(name, arguments) => {
            insert(&Value::Function(name.clone(), arguments.len()));
            for (i, argument) in arguments.iter().enumerate() {
                let place = Place::Function(name.clone(), arguments.len(), i);
                add(argument, &place, variables, values, added);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    const BOARD: &str = "(role x) (role o) (row 1) (row 2) (row 3)
        (<= (init (cell ?x ?y b)) (row ?x) (row ?y)) (init (control x))
        (<= (legal ?r (mark ?x ?y)) (true (cell ?x ?y b)) (true (control ?r)))
        (<= (legal x noop) (true (control o))) (<= (legal o (noop)) (true (control x)))
        (<= (next (cell ?x ?y ?r)) (does ?r (mark ?x ?y)))
        (<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (distinct ?c b))
        (<= (next (control o)) (true (control x))) (<= (next (control x)) (true (control o)))
        (<= (next (cell ?x ?y never)) (row 4) (row ?x) (row ?y))
        (<= terminal (not (true (cell 1 1 b)))) (<= (goal ?r 50) (role ?r))";

    fn game(text: &str) -> Game {
        let reading = crate::game::read("test", text.as_bytes(), &Options::default());
        reading.unwrap_or_else(|refused| panic!("{refused}")).game
    }

    fn texts(domain: &Domain) -> Vec<String> {
        domain.terms().map(|term| term.to_string()).collect()
    }

    #[test]
    fn a_board_has_its_cells_and_moves() {
        let domains = Domains::derive(&game(BOARD));
        let facts = domains.facts().unwrap_or_else(|e| panic!("{e}"));
        // 9 cells with 3 contents, and 2 players in control.
        assert_eq!(facts.count(), 29);
        let all = texts(&facts);
        assert_eq!(all.len(), 29);
        assert!(
            all.contains(&"(cell 3 2 o)".to_owned()) && all.contains(&"(control o)".to_owned())
        );
        let moves = domains
            .moves(&Name::new("o"))
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(moves.count(), 10);
        assert_eq!(texts(&moves)[0], "noop");
        let all: Vec<_> = facts.terms().collect();
        assert!(all.iter().all(|term| facts.contains(term)));
        assert!(!facts.contains(&Term::Constant(Name::new("b"))));
    }

    #[test]
    fn moves_of_roles_are_kept_apart() {
        let domains = Domains::derive(&game(
            "(role a) (role b) (legal a one) (legal b two) (legal b three) terminal
             (goal a 1) (goal b 1) (<= (next (did ?x)) (does a ?x)) (<= (next ?x) (does ?r ?x))",
        ));
        let count = |role| domains.moves(&Name::new(role)).map(|d| d.count());
        assert_eq!((count("a"), count("b")), (Ok(1), Ok(2)));
        let facts = domains.facts().map(|facts| texts(&facts).join(" "));
        assert_eq!(facts, Ok("one three two (did one)".to_owned()));
    }

    #[test]
    fn functions_in_their_own_argument_are_infinite() {
        let domains = Domains::derive(&game(
            "(role a) (legal a go) (init 0) (<= (next (s ?x)) (true ?x)) terminal (goal a 1)",
        ));
        let error = domains.facts().err().map(|e| e.function.to_string());
        assert_eq!(error, Some("s".to_owned()));
        assert!(domains.moves(&Name::new("a")).is_ok());
    }

    #[test]
    fn long_chains_take_little_time_and_stack() {
        const LENGTH: usize = 5000;
        let start = "(role a) (legal a go) terminal (goal a 1)";
        // Each value becomes possible after the one of the rule below.
        let rule = |i| format!("(<= (next f{i}) (true f{}))", i + 1);
        let rules: String = (0..LENGTH).map(rule).collect();
        let domains = Domains::derive(&game(&format!("{start} {rules} (init f{LENGTH})")));
        assert_eq!(domains.facts().map(|d| d.count()), Ok(LENGTH as u128 + 1));
        let nested = |i| format!("(init (f{i} (f{} a)))", i + 1);
        let nested: String = (0..LENGTH).map(nested).collect();
        let domains = Domains::derive(&game(&format!("{start} {nested}")));
        assert!(domains.facts().is_err());
    }

    #[test]
    fn huge_domains_are_counted_without_listing() {
        let digits: String = (0..10).map(|d| format!("(d {d})")).collect();
        let variables: Vec<_> = (0..30).map(|i| format!("?x{i}")).collect();
        let conditions: String = variables.iter().map(|v| format!("(d {v})")).collect();
        let domains = Domains::derive(&game(&format!(
            "(role a) (legal a go) {digits} terminal (goal a 1)
             (<= (init (n {})) {conditions})",
            variables.join(" ")
        )));
        let facts = domains.facts().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(facts.count(), 10_u128.pow(30));
        let last = facts.term(10_u128.pow(30) - 1).map(|t| t.to_string());
        assert_eq!(last, Some(format!("(n{})", " 9".repeat(30))));
        assert_eq!(facts.term(10_u128.pow(30)), None);
    }
}
