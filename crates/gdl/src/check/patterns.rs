//! Dependencies of sentence patterns within one cycle of relation names.
//!
//! A pattern is a sentence up to renaming of its variables. Starting from the heads of the rules,
//! a pattern leads to the patterns of the body sentences of every rule whose head it unifies with.
//! Conditions on relations that are given by facts alone are solved on the way, so that
//! `(<= (win ?x) (succ ?x ?y) (not (win ?y)))` leads from `(win 1)` to `(win 2)` only.
//!
//! Invariant: if a ground sentence depends on another, every pattern that covers the first leads
//! to one that covers the second. So a cycle of ground sentences is covered by one of patterns.

use super::unification::{Bindings, Pattern};
use crate::normalise::term_variables;
use crate::syntax::{Literal, Name, Rule, Sentence, Term};
use base::graph::Graph;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The most parts of terms that are looked at before giving up: well below a second.
const FUEL: usize = 1_000_000;

/// Whether some pattern depends on its own negation.
#[derive(Debug, PartialEq)]
pub(super) enum Outcome {
    /// None does.
    None,
    /// One does; the rule has one of the negations of the cycle.
    Cycle { rule: usize },
    /// There are too many patterns.
    Undecided,
}

type Key = (Name, usize);

/// A sentence with numbered variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SentencePattern {
    relation: Name,
    arguments: Vec<Pattern>,
}

struct RulePattern {
    number: usize,
    variables: usize,
    head: SentencePattern,
    /// Body sentences in the cycle, and whether they are negated.
    cyclic: Vec<(SentencePattern, bool)>,
    /// Conditions on relations given by facts that share a variable with a sentence in the cycle.
    facts: Vec<SentencePattern>,
    distinct: Vec<(Pattern, Pattern)>,
}

/// The rules of one cycle of names, ready for unfolding.
pub(super) struct Dependencies {
    rules: FxHashMap<Key, Vec<RulePattern>>,
    facts: FxHashMap<Key, Facts>,
}

/// The facts of one relation, found by any constant argument.
#[derive(Default)]
struct Facts {
    all: Vec<SentencePattern>,
    by_constant: FxHashMap<(usize, Name), Vec<usize>>,
}

impl Facts {
    fn new(all: Vec<SentencePattern>) -> Self {
        let mut by_constant: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for (number, fact) in all.iter().enumerate() {
            for (index, argument) in fact.arguments.iter().enumerate() {
                if let Pattern::Constant(name) = argument {
                    by_constant
                        .entry((index, name.clone()))
                        .or_default()
                        .push(number);
                }
            }
        }
        Facts { all, by_constant }
    }

    /// The facts that may match: with the constants of the condition where it has some.
    fn candidates(&self, condition: &SentencePattern, bindings: &Bindings<'_>) -> Vec<usize> {
        let of_constants =
            condition
                .arguments
                .iter()
                .enumerate()
                .filter_map(|(index, argument)| {
                    let Pattern::Constant(name) = bindings.walk(argument) else {
                        return None;
                    };
                    let found = self.by_constant.get(&(index, name.clone()));
                    Some(found.map_or(&[][..], Vec::as_slice))
                });
        match of_constants.min_by_key(|numbers| numbers.len()) {
            Some(numbers) => numbers.to_vec(),
            None => (0..self.all.len()).collect(),
        }
    }
}

impl Dependencies {
    pub(super) fn new(rules: &[Rule], in_cycle: &dyn Fn(&Name) -> bool) -> Self {
        let mut facts: FxHashMap<Key, Option<Vec<SentencePattern>>> = FxHashMap::default();
        for rule in rules {
            let entry = facts.entry(key(&rule.head)).or_insert(Some(Vec::new()));
            match entry {
                Some(list) if rule.body.is_empty() => {
                    list.push(Numbering::default().sentence(&rule.head));
                }
                _ => *entry = None,
            }
        }
        let facts: FxHashMap<Key, Facts> = facts
            .into_iter()
            .filter_map(|(key, list)| Some((key, Facts::new(list?))))
            .collect();
        let mut grouped: FxHashMap<Key, Vec<RulePattern>> = FxHashMap::default();
        for (number, rule) in rules.iter().enumerate() {
            if in_cycle(&rule.head.relation) {
                let pattern = RulePattern::new(number, rule, in_cycle, &facts);
                grouped.entry(key(&rule.head)).or_default().push(pattern);
            }
        }
        Dependencies {
            rules: grouped,
            facts,
        }
    }

    /// Looks for a pattern that depends on its own negation.
    pub(super) fn find_negative_cycle(&self) -> Outcome {
        // Constants in the rules usually decide; solving conditions may be long.
        match self.search(false) {
            Outcome::None => Outcome::None,
            _ => self.search(true),
        }
    }

    fn search(&self, solve_facts: bool) -> Outcome {
        let fuel = Cell::new(FUEL);
        let mut search = Search {
            dependencies: self,
            fuel: &fuel,
            numbers: FxHashMap::default(),
            queue: Vec::new(),
            edges: Vec::new(),
        };
        for rule in self.rules.values().flatten() {
            let start = canonical(&rule.head, &Bindings::new(rule.variables, &fuel));
            search.number(start);
        }
        let mut next = 0;
        while next < search.queue.len() {
            let pattern = search.queue[next].clone();
            let rules = self
                .rules
                .get(&(pattern.relation.clone(), pattern.arguments.len()));
            for rule in rules.into_iter().flatten() {
                search.unfold(next, &pattern, rule, solve_facts);
                if fuel.get() == 0 {
                    return Outcome::Undecided;
                }
            }
            next += 1;
        }
        let graph = Graph::new(search.queue.len(), |edge| {
            let edges = search.edges.iter();
            edges.for_each(|&(from, to, _, _)| edge(from, to));
        });
        let components = graph.components();
        let bad = |&&(from, to, negated, _): &&(usize, usize, bool, usize)| {
            negated && components.component_of(from) == components.component_of(to)
        };
        match search.edges.iter().filter(bad).map(|edge| edge.3).min() {
            Some(rule) => Outcome::Cycle { rule },
            None => Outcome::None,
        }
    }
}

struct Search<'a> {
    dependencies: &'a Dependencies,
    numbers: FxHashMap<SentencePattern, usize>,
    queue: Vec<SentencePattern>,
    /// From, to, whether negated, and the rule.
    edges: Vec<(usize, usize, bool, usize)>,
    fuel: &'a Cell<usize>,
}

impl Search<'_> {
    fn number(&mut self, pattern: SentencePattern) -> usize {
        let fresh = self.queue.len();
        let number = *self.numbers.entry(pattern.clone()).or_insert(fresh);
        if number == fresh {
            self.queue.push(pattern);
        }
        number
    }

    fn unfold(&mut self, from: usize, pattern: &SentencePattern, rule: &RulePattern, facts: bool) {
        // The pattern's variables are numbered after those of the rule.
        let pattern = pattern.shifted(rule.variables);
        let mut bindings = Bindings::new(rule.variables + pattern.size(), self.fuel);
        if bindings.unify_all(&rule.head.arguments, &pattern.arguments) {
            let conditions = if facts { &rule.facts[..] } else { &[] };
            self.solve(from, rule, &conditions.iter().collect::<Vec<_>>(), bindings);
        }
    }

    /// Solves the conditions on facts, the most instantiated one first, then adds the edges.
    fn solve(
        &mut self,
        from: usize,
        rule: &RulePattern,
        conditions: &[&SentencePattern],
        bindings: Bindings<'_>,
    ) {
        if self.fuel.get() == 0 {
            return;
        }
        let ground = |condition: &SentencePattern| {
            let arguments = condition.arguments.iter();
            let ground = arguments.filter(|a| bindings.is_ground(a)).count();
            condition.arguments.len() - ground
        };
        let best = (0..conditions.len()).min_by_key(|&i| ground(conditions[i]));
        let Some(best) = best else {
            if (rule.distinct.iter()).any(|(a, b)| bindings.resolve(a) == bindings.resolve(b)) {
                return;
            }
            for (sentence, negated) in &rule.cyclic {
                let to = self.number(canonical(sentence, &bindings));
                self.edges.push((from, to, *negated, rule.number));
            }
            return;
        };
        let mut rest = conditions.to_vec();
        let condition = rest.swap_remove(best);
        let key = (condition.relation.clone(), condition.arguments.len());
        let Some(facts) = self.dependencies.facts.get(&key) else {
            return;
        };
        for number in facts.candidates(condition, &bindings) {
            let mut bindings = bindings.clone();
            if bindings.unify_all(&condition.arguments, &facts.all[number].arguments) {
                self.solve(from, rule, &rest, bindings);
            }
        }
    }
}

impl RulePattern {
    fn new(
        number: usize,
        rule: &Rule,
        in_cycle: &dyn Fn(&Name) -> bool,
        facts: &FxHashMap<Key, Facts>,
    ) -> Self {
        let mut numbering = Numbering::default();
        let head = numbering.sentence(&rule.head);
        let (mut cyclic, mut distinct, mut relevant) = (Vec::new(), Vec::new(), BTreeSet::new());
        for literal in &rule.body {
            match literal {
                Literal::Positive(s) | Literal::Negative(s) if in_cycle(&s.relation) => {
                    let negated = matches!(literal, Literal::Negative(_));
                    cyclic.push((numbering.sentence(s), negated));
                    s.arguments
                        .iter()
                        .for_each(|a| term_variables(a, &mut relevant));
                }
                Literal::Distinct(left, right) => {
                    distinct.push((numbering.term(left), numbering.term(right)));
                }
                _ => {}
            }
        }
        let mut conditions = Vec::new();
        for literal in &rule.body {
            if let Literal::Positive(sentence) = literal
                && facts.contains_key(&key(sentence))
            {
                let mut variables = BTreeSet::new();
                let arguments = sentence.arguments.iter();
                arguments.for_each(|a| term_variables(a, &mut variables));
                if variables.iter().any(|v| relevant.contains(v)) {
                    conditions.push(numbering.sentence(sentence));
                }
            }
        }
        RulePattern {
            number,
            head,
            cyclic,
            facts: conditions,
            distinct,
            variables: numbering.numbers.len(),
        }
    }
}

fn key(sentence: &Sentence) -> Key {
    (sentence.relation.clone(), sentence.arguments.len())
}

/// Numbers the variables of a rule.
#[derive(Default)]
struct Numbering<'a> {
    numbers: FxHashMap<&'a Name, usize>,
}

impl<'a> Numbering<'a> {
    fn sentence(&mut self, sentence: &'a Sentence) -> SentencePattern {
        SentencePattern {
            relation: sentence.relation.clone(),
            arguments: sentence.arguments.iter().map(|a| self.term(a)).collect(),
        }
    }

    fn term(&mut self, term: &'a Term) -> Pattern {
        match term {
            Term::Constant(name) => Pattern::Constant(name.clone()),
            Term::Variable(name) => {
                let fresh = self.numbers.len();
                Pattern::Variable(*self.numbers.entry(name).or_insert(fresh))
            }
            Term::Function(name, arguments) => Pattern::Function(
                name.clone(),
                arguments
                    .iter()
                    .map(|argument| self.term(argument))
                    .collect(),
            ),
        }
    }
}

impl SentencePattern {
    /// How many variables there are, numbered from 0 in a canonical pattern.
    fn size(&self) -> usize {
        fn largest(pattern: &Pattern) -> usize {
            match pattern {
                Pattern::Constant(_) => 0,
                Pattern::Variable(number) => number + 1,
                Pattern::Function(_, arguments) => arguments.iter().map(largest).max().unwrap_or(0),
            }
        }
        self.arguments.iter().map(largest).max().unwrap_or(0)
    }

    fn shifted(&self, by: usize) -> SentencePattern {
        fn shift(pattern: &Pattern, by: usize) -> Pattern {
            match pattern {
                Pattern::Constant(name) => Pattern::Constant(name.clone()),
                Pattern::Variable(number) => Pattern::Variable(number + by),
                Pattern::Function(name, arguments) => Pattern::Function(
                    name.clone(),
                    arguments.iter().map(|a| shift(a, by)).collect(),
                ),
            }
        }
        SentencePattern {
            relation: self.relation.clone(),
            arguments: self.arguments.iter().map(|a| shift(a, by)).collect(),
        }
    }
}

/// The sentence under the bindings, variables numbered in order of appearance.
fn canonical(sentence: &SentencePattern, bindings: &Bindings<'_>) -> SentencePattern {
    fn renumber(pattern: &mut Pattern, order: &mut Vec<usize>) {
        match pattern {
            Pattern::Constant(_) => {}
            Pattern::Variable(number) => {
                let index = order.iter().position(|n| n == number);
                *number = index.unwrap_or_else(|| {
                    order.push(*number);
                    order.len() - 1
                });
            }
            Pattern::Function(_, arguments) => {
                // Fresh from `resolve`, so it is not shared.
                for argument in Rc::make_mut(arguments) {
                    renumber(argument, order);
                }
            }
        }
    }
    let mut order = Vec::new();
    let mut arguments: Vec<_> = sentence
        .arguments
        .iter()
        .map(|a| bindings.resolve(a))
        .collect();
    arguments.iter_mut().for_each(|a| renumber(a, &mut order));
    SentencePattern {
        relation: sentence.relation.clone(),
        arguments,
    }
}
