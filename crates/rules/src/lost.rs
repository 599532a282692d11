//! Facts that are lost where a table of the rules ends: static relations that have no row for what a rule asks.
//!
//! ```text
//! (<= (next (pot ?s)) (does ann throw) (does random (die ?n)) (true (pot ?m)) (sum ?m ?n ?s))
//! ```
//!
//! Where `sum` ends at 10, the pot is gone after 6 + 6. Games lose facts on purpose, too, so a loss is reported only if there was
//! exactly one fact like `(pot _)` in every state so far, if there is none in the next state, and if the rule would give one but for the row.
//! The last is asked of another game: for each static condition that binds a variable of the head it has a rule that says, by a fact
//! of the next state, that all other conditions hold and no row fits.

use super::reasoner::{Reasoner, State};
use super::terms::TermId;
use gdl::game::Game;
use gdl::{Literal, Name, Rule, Sentence, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The function of facts that say what is lost. No name of a game has a blank.
const LOST: &str = "lost fact";

/// The relation that says for which arguments a table has a row.
const HAS_ROW: &str = "has row";

/// The most steps of which is asked why a fact is gone. Most games lose none, or lose it where a table ends at the first time.
const MAX_QUESTIONS: usize = 50;

/// The `next` rules whose facts can be lost at the end of a table, and the facts of a play.
pub(super) struct LostFacts {
    /// Facts as these rules give them, `_` in place of what comes from a table.
    shapes: Vec<Term>,
    /// The game that says which rows are missing, and its reasoner when it was first asked.
    rows: Game,
    reasoner: Option<Reasoner>,
    /// How often it may still be asked.
    questions: usize,
    /// Functions and constants of facts on which goal values depend.
    read_by_goals: FxHashSet<Name>,
    /// For each fact that was met the patterns that it is an instance of.
    patterns_of: FxHashMap<TermId, Vec<usize>>,
    patterns: Vec<Term>,
    numbers: FxHashMap<Term, usize>,
}

/// A pattern of facts such as `(score ann _)`, and the row that is missing.
pub(super) struct Loss {
    pub(super) pattern: Term,
    pub(super) row: Term,
}

impl LostFacts {
    /// The watch of a game; none if no fact can be lost so.
    pub(super) fn of(game: &Game) -> Option<Self> {
        let (mut shapes, mut rules) = (BTreeSet::new(), Vec::new());
        for rule in game.rules() {
            if let ("next", [fact]) = (rule.head.relation.as_str(), &rule.head.arguments[..]) {
                add_rows(game, rule, fact, &mut shapes, &mut rules);
            }
        }
        if shapes.is_empty() {
            return None;
        }
        rules.extend_from_slice(game.rules());
        let name = game.name().to_owned();
        Some(LostFacts {
            shapes: shapes.into_iter().collect(),
            rows: Game::from_checked_parts(name, game.roles().to_vec(), rules),
            reasoner: None,
            questions: MAX_QUESTIONS,
            read_by_goals: read_by_goals(game),
            patterns_of: FxHashMap::default(),
            patterns: Vec::new(),
            numbers: FxHashMap::default(),
        })
    }

    /// How many facts of a state each pattern has.
    pub(super) fn counts(&mut self, reasoner: &Reasoner, state: &State) -> FxHashMap<usize, usize> {
        let mut counts = FxHashMap::default();
        for &fact in state.fact_ids() {
            if !self.patterns_of.contains_key(&fact) {
                let term = reasoner.term(fact);
                let patterns = self.shapes.iter().filter_map(|shape| pattern(shape, &term));
                let patterns: BTreeSet<Term> = patterns.collect();
                let numbers = patterns.into_iter().map(|pattern| {
                    *self.numbers.entry(pattern.clone()).or_insert_with(|| {
                        self.patterns.push(pattern);
                        self.patterns.len() - 1
                    })
                });
                let numbers = numbers.collect();
                self.patterns_of.insert(fact, numbers);
            }
            for &pattern in &self.patterns_of[&fact] {
                *counts.entry(pattern).or_default() += 1;
            }
        }
        counts
    }

    /// The pattern with this number that is lost by a joint move, and the row that is missing; none if the loss has another reason, or
    /// does not matter since play is over.
    pub(super) fn loss(
        &mut self,
        pattern: usize,
        facts: &[Term],
        joint_move: &[Term],
        is_over: bool,
        reasoner: &Reasoner,
    ) -> Option<Loss> {
        let pattern = &self.patterns[pattern];
        let is_read = pattern
            .name()
            .is_some_and(|name| self.read_by_goals.contains(name));
        if is_over && !is_read {
            return None;
        }
        self.questions = self.questions.checked_sub(1)?;
        if self.reasoner.is_none() {
            self.reasoner = Reasoner::with_limits(&self.rows, reasoner.limits()).ok();
        }
        let rows = self.reasoner.as_mut()?;
        let state = rows.state(facts).ok()?;
        let next = rows.next(&state, joint_move).ok()?;
        rows.facts(&next).into_iter().find_map(|fact| match fact {
            Term::Function(name, mut arguments)
                if name.as_str() == LOST && arguments[0] == *pattern =>
            {
                let row = arguments.pop()?;
                Some(Loss {
                    pattern: pattern.clone(),
                    row,
                })
            }
            _ => None,
        })
    }
}

/// The instance of a shape that a fact is: `(score ann _)` for `(score ann 3)`.
fn pattern(shape: &Term, fact: &Term) -> Option<Term> {
    match (shape, fact) {
        (Term::Constant(name), _) if name.as_str() == "_" => Some(shape.clone()),
        (Term::Variable(_), _) => Some(fact.clone()),
        (Term::Constant(_), _) => (shape == fact).then(|| fact.clone()),
        (Term::Function(name, inner), Term::Function(other, arguments)) => {
            let same = name == other && inner.len() == arguments.len();
            let parts = inner
                .iter()
                .zip(arguments)
                .map(|(shape, fact)| pattern(shape, fact));
            same.then(|| parts.collect::<Option<Vec<_>>>())
                .flatten()
                .map(|parts| Term::Function(name.clone(), parts))
        }
        (Term::Function(..), _) => None,
    }
}

/// Adds the shape of a rule's facts, and the rules that say which row is missing, for each table that binds a variable of the head.
fn add_rows(
    game: &Game,
    rule: &Rule,
    fact: &Term,
    shapes: &mut BTreeSet<Term>,
    rules: &mut Vec<Rule>,
) {
    let of_head: BTreeSet<Name> = fact.variables().cloned().collect();
    let mut bound = BTreeSet::new();
    let mut tables: Vec<(&Sentence, BTreeSet<Name>)> = Vec::new();
    for literal in &rule.body {
        if let Literal::Positive(sentence) = literal {
            let inside: BTreeSet<Name> = literal.variables().cloned().collect();
            match game.is_dynamic(&sentence.key()) {
                true => bound.extend(inside),
                false => tables.push((sentence, inside)),
            }
        }
    }
    loop {
        tables.retain(|(_, inside)| !inside.is_subset(&bound));
        // A list such as `(d6 ?n)` has the same rows in each state.
        let is_list = |inside: &BTreeSet<Name>| inside.len() == 1 && inside.is_disjoint(&bound);
        let list = tables.iter().position(|(_, inside)| is_list(inside));
        let is_asked = |inside: &BTreeSet<Name>| !inside.is_disjoint(&bound);
        let asked = tables.iter().position(|(_, inside)| is_asked(inside));
        let (free, number) = match (list, asked) {
            (Some(list), _) => (true, list),
            (None, Some(asked)) => (false, asked),
            (None, None) => (true, 0),
        };
        if tables.is_empty() || of_head.is_subset(&bound) {
            return;
        }
        let (table, inside) = tables.remove(number);
        if free {
            bound.extend(inside);
            continue;
        }
        let shape = masked(fact, &bound);
        let known: Vec<Term> = inside
            .intersection(&bound)
            .cloned()
            .map(Term::Variable)
            .collect();
        let row = masked(
            &Term::Function(table.relation.clone(), table.arguments.clone()),
            &bound,
        );
        let has_row = Sentence {
            relation: Name::new(&format!("{HAS_ROW} {}", rules.len())),
            arguments: known,
        };
        rules.push(Rule {
            head: has_row.clone(),
            body: vec![Literal::Positive(table.clone())],
        });
        let is_known = |literal: &&Literal| literal.variables().all(|name| bound.contains(name));
        let mut body: Vec<Literal> = rule.body.iter().filter(is_known).cloned().collect();
        body.push(Literal::Negative(has_row));
        rules.push(Rule {
            head: Sentence {
                relation: Name::new("next"),
                arguments: vec![Term::Function(Name::new(LOST), vec![shape.clone(), row])],
            },
            body,
        });
        shapes.insert(shape);
        bound.extend(inside);
    }
}

/// The term with `_` in place of all variables but these.
fn masked(term: &Term, kept: &BTreeSet<Name>) -> Term {
    match term {
        Term::Variable(name) if !kept.contains(name) => Term::Constant(Name::new("_")),
        Term::Function(name, arguments) => {
            let arguments = arguments.iter().map(|term| masked(term, kept));
            Term::Function(name.clone(), arguments.collect())
        }
        other => other.clone(),
    }
}

/// The names of the facts that the rules of `goal` ask for, directly or by way of others.
fn read_by_goals(game: &Game) -> FxHashSet<Name> {
    let mut bodies: FxHashMap<&Name, Vec<&Sentence>> = FxHashMap::default();
    for rule in game.rules() {
        bodies
            .entry(&rule.head.relation)
            .or_default()
            .extend(rule.sentences().skip(1));
    }
    let mut facts = FxHashSet::default();
    let goal = Name::new("goal");
    let mut open = vec![&goal];
    while let Some(relation) = open.pop() {
        // Each body is read once.
        for sentence in bodies.remove(relation).into_iter().flatten() {
            match (sentence.relation.as_str(), &sentence.arguments[..]) {
                ("true", [fact]) => facts.extend(fact.name().cloned()),
                _ => open.push(&sentence.relation),
            }
        }
    }
    facts
}
