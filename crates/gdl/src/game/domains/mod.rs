//! Domains: finite supersets of the facts of a state and of the moves, from the rules alone.
//!
//! `base` and `input` say which facts and moves there can be, but they are optional. Without them
//! the domains come from the dependency graph of argument positions (M. Thielscher, *Answer Set
//! Programming for Single-Player Games in General Game Playing*, 2009, section 5): a position is an
//! argument of a relation or of a function; the constants and functions that can stand in it are
//! found by following variables from body to head, `init` and `next` into `true`, and `legal` into
//! `does`, until nothing is added.
//!
//! Sharper than the paper in four ways, all still supersets: values flow from body to head only;
//! a variable takes only values that *all* its positions in positive sentences have, and a rule
//! with a variable or constant that is impossible there adds nothing; the moves of each role are
//! kept apart (`legal` of white is another relation than `legal` of black); variables of a condition
//! that facts alone define take only values of rows that fit (generalised arc consistency).
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

mod fact_table;
mod fixpoint;
mod placed_rule;
mod values;

use super::domain::{Domain, Shape};
use super::game::Game;
use crate::syntax::RelationKey;
use crate::{MAXIMUM_NESTING, Name, Rule, Sentence, Term};
use fact_table::{FactTable, MAX_ROWS};
pub(super) use placed_rule::positive;
use placed_rule::{Placing, role_choices};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use values::{Values, contains};

/// The rules make a domain infinite: a function can occur in its own argument. Or they make terms
/// that are nested deeper than may be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the {of} cannot be listed, since the function `{function}` may occur in its own argument or \
     inside {MAXIMUM_NESTING} others; add `base` and `input` facts that say which ones there can be"
)]
pub struct InfiniteDomain {
    /// The owner of the domain: facts of a state or moves.
    pub of: String,
    pub function: Name,
}

/// A constant or a function, as it can stand in an argument position.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Symbol {
    Constant(Name),
    Function(Name, usize),
}

/// The rank of a symbol among all those of the rules.
type Value = u32;

/// Stands in the only position of a relation without arguments.
const HOLDS: Value = Value::MAX;

/// Stands for a symbol that no rule has.
const UNKNOWN: Value = Value::MAX - 1;

/// An argument position: of a relation or of a function. `legal`, `does` and `goal` have positions for
/// each role, and one more that holds the terms of all roles. A relation without arguments has one position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ArgumentPosition {
    Relation(Name, usize, Option<Name>, usize),
    Function(Name, usize, usize),
}

/// Supersets of the facts and of each role's moves, and the terms in the positions.
#[derive(Clone, Debug)]
pub struct Domains {
    roles: Vec<Name>,
    symbols: Vec<Symbol>,
    ranks: FxHashMap<Symbol, Value>,
    positions: FxHashMap<ArgumentPosition, usize>,
    /// By the number of the position.
    values: Vec<Vec<Value>>,
    tables: Tables,
    /// How many rows of tables may still be looked at.
    rows_left: usize,
}

/// Relations that facts of constants alone define.
type Tables = FxHashMap<RelationKey, FactTable>;

/// The most rows of tables that are looked at for all rules together; then the columns have to do.
const MAX_LOOKED_AT: usize = 20_000_000;

impl Domains {
    /// Derives the domains from the rules, without looking at `base` and `input`.
    pub(super) fn derive(game: &Game) -> Self {
        let mut domains = Domains::of_symbols(game);
        domains.tables = domains.tables_of(game);
        domains.close(game)
    }

    /// Larger domains: which values stand together in facts of the rules does not count.
    pub fn derive_by_columns(game: &Game) -> Self {
        Domains::of_symbols(game).close(game)
    }

    /// The symbols of a game; the positions hold nothing yet.
    fn of_symbols(game: &Game) -> Self {
        let roles = game.roles().iter();
        let mut symbols: BTreeSet<Symbol> = roles.cloned().map(Symbol::Constant).collect();
        for rule in game.rules() {
            let arguments = rule.sentences().flat_map(|sentence| &sentence.arguments);
            symbols.extend(arguments.flat_map(Term::terms).filter_map(symbol_of));
        }
        let symbols: Vec<Symbol> = symbols.into_iter().collect();
        let ranks = symbols.iter().cloned().zip(0..).collect();
        Domains {
            roles: game.roles().to_vec(),
            symbols,
            ranks,
            positions: FxHashMap::default(),
            values: Vec::new(),
            tables: Tables::default(),
            rows_left: MAX_LOOKED_AT,
        }
    }

    fn tables_of(&self, game: &Game) -> Tables {
        let mut tables: FxHashMap<RelationKey, Option<Vec<Vec<Value>>>> = FxHashMap::default();
        for rule in game.rules() {
            let row: Option<Vec<Value>> = (rule.head.arguments.iter())
                .map(|argument| match argument {
                    Term::Constant(name) => Some(self.rank(&Symbol::Constant(name.clone()))),
                    Term::Variable(_) | Term::Function(..) => None,
                })
                .collect();
            let row = row.filter(|row| row.len() > 1 && rule.body.is_empty());
            let table = tables.entry(rule.head.key());
            let table = table.or_insert_with(|| Some(Vec::new()));
            match (row, &mut *table) {
                (Some(row), Some(rows)) if rows.len() < MAX_ROWS => rows.push(row),
                _ => *table = None,
            }
        }
        let tables = tables.into_iter();
        let tables = tables.filter_map(|(key, rows)| Some((key, FactTable::of(&rows?))));
        tables.collect()
    }

    fn rank(&self, symbol: &Symbol) -> Value {
        self.ranks.get(symbol).copied().unwrap_or(UNKNOWN)
    }

    /// The values of a position; nothing if it has none.
    fn values(&self, position: &ArgumentPosition) -> Option<&Values> {
        let values = self.values.get(*self.positions.get(position)?);
        values.map(Vec::as_slice)
    }

    fn symbols_at(&self, position: &ArgumentPosition) -> impl Iterator<Item = &Symbol> {
        let values = self.values(position).into_iter().flatten();
        values.filter_map(|value| self.symbols.get(*value as usize))
    }

    /// All facts that can be in a state, and perhaps more.
    pub fn facts(&self) -> Result<Arc<Domain>, InfiniteDomain> {
        self.resolve(&fact_position(), "facts of a state")
    }

    /// All moves that can ever be legal for the role, and perhaps more.
    pub fn moves(&self, role: &Name) -> Result<Arc<Domain>, InfiniteDomain> {
        let position = ArgumentPosition::Relation(Name::new("does"), 2, Some(role.clone()), 1);
        self.resolve(&position, &format!("moves of {role}"))
    }

    /// All goal values that the role can ever have, and perhaps more; of those that are functions, one
    /// each.
    pub fn goals(&self, role: &Name) -> Vec<Term> {
        let position = ArgumentPosition::Relation(Name::new("goal"), 2, Some(role.clone()), 1);
        self.symbols_at(&position).map(Symbol::some_term).collect()
    }

    /// The first of these facts that no play from the start of the game can make true.
    pub fn impossible<'a>(&self, facts: &'a [Term]) -> Option<&'a Term> {
        let mut facts = facts.iter();
        facts.find(|fact| self.misfit(TermKind::Fact, fact).is_some())
    }

    /// Whether some move may be legal for this name, that of a role or not.
    pub(super) fn has_mover(&self, name: &Name) -> bool {
        let position = ArgumentPosition::Relation(Name::new("legal"), 2, None, 0);
        let whole = ArgumentPosition::Relation(Name::new("legal"), 2, Some(name.clone()), 0);
        let value = self.rank(&Symbol::Constant(name.clone()));
        let mut positions = [position, whole].into_iter();
        positions
            .any(|position| (self.values(&position)).is_some_and(|found| contains(found, value)))
    }

    fn resolve(
        &self,
        position: &ArgumentPosition,
        of: &str,
    ) -> Result<Arc<Domain>, InfiniteDomain> {
        let mut open = Vec::new();
        self.resolve_in(position, &mut open, &mut FxHashMap::default())
            .map_err(|function| InfiniteDomain {
                of: of.to_owned(),
                function,
            })
    }

    /// `open` holds the functions whose arguments are being resolved; the error is one of them
    /// that occurs again, or one too many.
    fn resolve_in(
        &self,
        position: &ArgumentPosition,
        open: &mut Vec<(Name, usize)>,
        done: &mut FxHashMap<ArgumentPosition, Arc<Domain>>,
    ) -> Result<Arc<Domain>, Name> {
        if let Some(domain) = done.get(position) {
            return Ok(domain.clone());
        }
        let mut shapes = Vec::new();
        for symbol in self.symbols_at(position) {
            match symbol {
                Symbol::Constant(name) => shapes.push(Shape::Constant(name.clone())),
                Symbol::Function(name, arity) => {
                    let function = (name.clone(), *arity);
                    if open.contains(&function) || open.len() == MAXIMUM_NESTING {
                        return Err(name.clone());
                    }
                    open.push(function);
                    let arguments = (0..*arity)
                        .map(|i| ArgumentPosition::Function(name.clone(), *arity, i))
                        .map(|position| self.resolve_in(&position, open, done))
                        .collect::<Result<_, _>>()?;
                    open.pop();
                    shapes.push(Shape::Function(name.clone(), arguments));
                }
            }
        }
        let domain = Arc::new(Domain::new(shapes));
        done.insert(position.clone(), domain.clone());
        Ok(domain)
    }

    /// For each copy of the rule (one for each role, if it has a variable for one) that can hold:
    /// how many values each variable can take.
    pub(super) fn variable_counts(&self, rule: &Rule) -> Vec<FxHashMap<Name, u128>> {
        let copies = role_choices(rule, &self.roles);
        let counts = copies.iter().filter_map(|choice| {
            let placed = self.find_rule(rule, choice);
            let found = self.bindings(&placed.body, placed.variables.len())?;
            let counts = placed.variables.into_iter().zip(found);
            let counts =
                counts.filter_map(|(name, values)| Some((name, self.count(values?.as_ref()))));
            Some(counts.collect())
        });
        counts.collect()
    }

    fn count(&self, values: &Values) -> u128 {
        let symbols = values.iter().filter_map(|&v| self.symbols.get(v as usize));
        let counts = symbols.map(|symbol| match symbol {
            Symbol::Constant(_) => 1,
            Symbol::Function(name, arity) => (0..*arity)
                .map(|i| ArgumentPosition::Function(name.clone(), *arity, i))
                .map(|position| self.resolve(&position, "").map_or(u128::MAX, |d| d.count()))
                .fold(1, u128::saturating_mul),
        });
        counts.fold(0, u128::saturating_add)
    }

    /// Whether some state that play leads to may be one in which these sentences hold together. Variables may
    /// have any values; `true` and `does` are what states and moves give.
    pub(crate) fn may_hold<'a>(&self, sentences: impl IntoIterator<Item = &'a Sentence>) -> bool {
        let no_choice = FxHashMap::default();
        let mut placing = Placing {
            domains: self,
            choice: &no_choice,
            variables: Vec::new(),
            position: &mut |position| self.positions.get(&position).copied().unwrap_or(usize::MAX),
        };
        let body: Vec<_> = (sentences.into_iter())
            .map(|sentence| placing.in_body(sentence))
            .collect();
        let variables = placing.variables.len();
        self.bindings(&body, variables).is_some()
    }

    /// The innermost part of a fact, or of a move of a role (of any role, without one), that cannot stand where
    /// it does, and the terms that can stand there.
    pub(super) fn misfit<'t>(&self, of: TermKind<'_>, term: &'t Term) -> Option<Misfit<'t>> {
        let position = match of {
            TermKind::Fact => fact_position(),
            TermKind::Move(role) => {
                ArgumentPosition::Relation(Name::new("does"), 2, role.cloned(), 1)
            }
        };
        self.misfit_at(&position, term)
    }

    /// The names of the constants and functions that can stand where a term cannot.
    pub(super) fn instead(&self, misfit: &Misfit<'_>) -> impl Iterator<Item = &str> {
        let symbols = self.symbols_at(&misfit.position);
        symbols.map(|symbol| match symbol {
            Symbol::Constant(name) | Symbol::Function(name, _) => name.as_str(),
        })
    }

    fn misfit_at<'t>(&self, position: &ArgumentPosition, term: &'t Term) -> Option<Misfit<'t>> {
        let symbol = match term {
            Term::Variable(_) => return None,
            Term::Constant(name) => Symbol::Constant(name.clone()),
            Term::Function(name, arguments) => Symbol::Function(name.clone(), arguments.len()),
        };
        let value = self.rank(&symbol);
        if !(self.values(position)).is_some_and(|found| contains(found, value)) {
            return Some(Misfit {
                term,
                position: position.clone(),
            });
        }
        let Term::Function(name, arguments) = term else {
            return None;
        };
        arguments.iter().enumerate().find_map(|(i, argument)| {
            self.misfit_at(
                &ArgumentPosition::Function(name.clone(), arguments.len(), i),
                argument,
            )
        })
    }
}

/// A kind of term: a fact of a state or a move.
#[derive(Clone, Copy)]
pub(super) enum TermKind<'a> {
    Fact,
    /// A move, of this role if there is one.
    Move(Option<&'a Name>),
}

/// A term that cannot stand at a position.
pub(super) struct Misfit<'t> {
    pub(super) term: &'t Term,
    position: ArgumentPosition,
}

fn fact_position() -> ArgumentPosition {
    ArgumentPosition::Relation(Name::new("true"), 1, None, 0)
}

impl Symbol {
    /// A constant, or a function of variables.
    fn some_term(&self) -> Term {
        match self {
            Symbol::Constant(name) => Term::Constant(name.clone()),
            Symbol::Function(name, arity) => {
                let argument = Term::Variable(Name::new("?_"));
                Term::Function(name.clone(), vec![argument; *arity])
            }
        }
    }
}

fn symbol_of(term: &Term) -> Option<Symbol> {
    match term {
        Term::Variable(_) => None,
        Term::Constant(name) => Some(Symbol::Constant(name.clone())),
        Term::Function(name, arguments) => Some(Symbol::Function(name.clone(), arguments.len())),
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
    fn variables_of_tables_take_values_of_rows_that_fit() {
        let table: String = (0..100).map(|n| format!("(after {n} {})", n + 1)).collect();
        let domains = |rules: &str| {
            Domains::derive(&game(&format!(
                "(role a) (legal a go) (goal a 1) (<= terminal (true (n 1))) {table} {rules}"
            )))
        };
        let facts = |domains: &Domains| domains.facts().map(|facts| facts.count());
        let counts =
            "(up_to 5) (<= (number ?n) (up_to ?n)) (<= (number ?m) (after ?m ?n) (number ?n))";
        let found = domains(&format!("{counts} (<= (init (n ?n)) (number ?n))"));
        assert_eq!(facts(&found), Ok(6));
        // By columns alone, every number but the last has one after it.
        let rules = format!(
            "(role a) (legal a go) (goal a 1) (<= terminal (true (n 1))) {table} {counts} (<= (init (n ?n)) (number ?n))"
        );
        assert_eq!(facts(&Domains::derive_by_columns(&game(&rules))), Ok(100));
        // A constant, a function, a table of more rows than are looked at.
        assert_eq!(facts(&domains("(<= (init (n ?n)) (after 7 ?n))")), Ok(1));
        assert_eq!(
            facts(&domains("(<= (init (n ?n)) (after ?n (f 1)))")),
            Ok(0)
        );
        let long: String = (0..2000).map(|n| format!("(long {n} {n})")).collect();
        assert_eq!(
            facts(&domains(&format!("{long} (<= (init (n ?n)) (long 3 ?n))"))),
            Ok(2000)
        );
        // A condition without arguments.
        assert_eq!(facts(&domains("(<= (init (n 1)) on)")), Ok(0));
        assert_eq!(
            facts(&domains("(<= (init (n 1)) on) (<= on (after 1 2))")),
            Ok(1)
        );
        assert_eq!(
            facts(&domains("(<= (init (n 1)) on) (<= on (after 1 3))")),
            Ok(0)
        );
    }

    #[test]
    fn many_chains_along_a_table_take_little_time() {
        let table: String = (0..1199)
            .map(|n| format!("(after {n} {})", n + 1))
            .collect();
        let chains: String = (0..500)
            .map(|n| {
                format!("(init (c{n} 1199)) (<= (next (c{n} ?x)) (true (c{n} ?y)) (after ?x ?y))")
            })
            .collect();
        // If each chain went over the whole table for each value, this would take hours.
        let domains = Domains::derive(&game(&format!(
            "(role a) (legal a go) (goal a 1) (<= terminal (true (c0 0))) {table} {chains}"
        )));
        assert_eq!(domains.facts().map(|facts| facts.count()), Ok(500 * 1200));
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
